"""Writes tests/pictures/: what the scenes look like in every drawing mode, to be compared by tests/test_pictures.py.

    python tests/write_pictures.py

Look at what it writes before committing it: a test can only say that a picture has changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sorry_env.drawing import position_pixels, position_svg
from sorry_env.position import Position
from sorry_env.rendering import render_ansi

FOLDER = Path(__file__).parent / "pictures"
SIZE = 256


class Scene(NamedTuple):
    """A position, or what a move made of one, with all that a picture may be told besides."""

    rules: str
    text: str
    move: str | None = None
    card: str | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed


NAMES4 = ["anna", "expectimax:depth=2", "runs/x/policy.onnx", "dan"]
HANDS = "R:S,22,s1,H/B:S,29,15,7/Y:S,36,s0,H/G:S,50,44,s3"
SCENES = {
    "start": Scene("classic", "R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S r 5 *"),
    "slide_and_bumps": Scene(
        "classic", "R:S,S,17,54/B:S,19,46,18/Y:S,11,13,58/G:S,31,34,10 y 3 32333233443", "3:13>16", "4"
    ),
    "zones_and_homes": Scene(
        "classic", "R:2,s1,s4,H/B:17,s0,s2,H/Y:32,s3,H,H/G:47,s2,s3,s4 b 3 21232111222", "3:s0>s3", "1"
    ),
    "two_players": Scene("classic:players=2", "R:S,S,3,20/Y:S,S,34,50 r 1 44443344444", "1:S>4", "2"),
    "three_players_named": Scene(
        "classic:players=3",
        "R:S,S,4,20/B:S,S,19,50/Y:S,34,H,H b 2 43443344444",
        "2:50>52",
        "7",
        {"seat_names": NAMES4[:3]},
    ),
    "teams_split": Scene(
        "teams", "R:S,16,20,H/B:S,S,23,27/Y:S,38,44,H/G:S,48,47,s1 r 7 34243233444", "7:20>23,Y38>42", "12"
    ),
    "hand_hidden": Scene("points", f"{HANDS} r 2.3.7.11.X/1.1.5.8.12/?/? 33243233333", "11:22<>7", "2", {"viewer": 0}),
    "hands_known": Scene(
        "team-points:hand_size=7",
        f"{HANDS} r 1.2.3.7.11.12.X/1.1.5.8.10.12.12/2.2.3.3.4.4.5/7.7.8.8.10.11.X 11011010011",
        "11:22<>7",
        "2",
        {"seat_names": NAMES4},
    ),
    "sorry": Scene("classic", "R:S,S,12,38/B:S,S,46,30/Y:S,S,10,58/G:S,31,34,1 r X 32343233443", "X:S>46", "11"),
    "back_and_slide": Scene("classic", "R:S,11,20,H/B:S,S,19,26/Y:S,40,44,s0/G:S,S,27,H r 4 34333233443", "4:20>16"),
    "over": Scene("classic", "R:4,H,H,H/B:S,S,46,30/Y:s4,H,H,H/G:S,31,34,1 y 1 32343233443", "1:s4>H"),
    "highlights": Scene(
        "classic",
        "R:S,11,20,s2/B:S,S,19,26/Y:S,40,44,s0/G:S,S,27,H r 10 34333233443",
        options={"highlights": ("ring-21", "ring-19", "red-home", "red-s2")},
    ),
    "replacement": Scene("mini-2", "R:S,20/Y:34,H y - *"),
}


def drawn(scene: Scene) -> tuple[Position, dict[str, Any]]:
    """The position to draw, and the arguments to draw it with."""
    before = Position.parse(scene.text, scene.rules)
    if scene.move is None:
        return before, dict(scene.options)
    after = before.after(scene.move)
    if scene.card:
        after = after.with_card(scene.card)
    return after, scene.options | {"last_move": scene.move, "before": before}


def svg(scene: Scene) -> str:
    """The scene as SVG without the empty board, which docs/board.svg holds."""
    position, options = drawn(scene)
    whole = position_svg(position, **options)
    begin, end = whole.index('<g class="board">'), whole.index('<g class="spots">')
    return whole[:begin] + whole[end:]


def pixels(scene: Scene) -> np.ndarray:
    """The scene as pixels, uint8 (256, 256, 3)."""
    position, options = drawn(scene)
    return position_pixels(position, size=SIZE, **options)


def ansi(scene: Scene) -> str:
    """The scene as text with ANSI colours."""
    position, options = drawn(scene)
    if "viewer" in options:
        position = position.seen_by(options["viewer"])
    names, move = options.get("seat_names"), options.get("last_move")
    return render_ansi(position, color=True, seat_names=names, last_move=move) + "\n"


def main() -> None:
    """Writes every scene in every mode."""
    from PIL import Image

    FOLDER.mkdir(exist_ok=True)
    for name, scene in SCENES.items():
        (FOLDER / f"{name}.svg").write_text(svg(scene), encoding="utf-8")
        (FOLDER / f"{name}.txt").write_text(ansi(scene), encoding="utf-8")
        Image.fromarray(pixels(scene)).save(FOLDER / f"{name}.png", optimize=True)
    print(f"wrote {len(SCENES)} scenes to {FOLDER}")


if __name__ == "__main__":
    main()
