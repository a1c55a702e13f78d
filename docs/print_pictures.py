"""Prints docs/pictures/: the positions that README.md and the pages show, drawn as a notebook would show them.

    python docs/print_pictures.py

A test holds the files equal to what this prints.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from sorry_env.drawing import NOTEBOOK_PIXELS, position_svg
from sorry_env.position import Position

FOLDER: Final = Path(__file__).parent / "pictures"


class Scene(NamedTuple):
    """A move to show.

    Attributes:
        rules: as `rules_from` takes them.
        before: the position in which the move is made.
        move: its text.
        card: the card that comes next.
        viewer: the seat whose view it is; None sees all.
    """

    rules: str
    before: str
    move: str
    card: str
    viewer: int | None = None


SCENES: Final = {
    "split": Scene("classic", "R:S,S,20,s1/B:S,S,35,23/Y:S,36,44,s0/G:S,53,26,H r 7 44343233444", "7:20>23,s1>H", "10"),
    "slide": Scene("classic", "R:S,11,20,H/B:S,S,35,26/Y:S,40,44,s0/G:S,S,27,H r 4 34333233443", "4:20>16", "X"),
    "hand": Scene(
        "points",
        "R:S,22,s1,H/B:S,29,15,7/Y:S,36,s0,H/G:S,50,44,s3 r 2.3.7.11.X/1.1.5.8.12/?/? 33243233333",
        "11:22<>7",
        "2",
        viewer=0,
    ),
}


def picture(scene: Scene) -> str:
    """The SVG of a scene."""
    before = Position.parse(scene.before, scene.rules)
    after = before.after(scene.move).with_card(scene.card)
    return position_svg(after, size=NOTEBOOK_PIXELS, last_move=scene.move, before=before, viewer=scene.viewer)


def main() -> None:
    """Writes every picture."""
    FOLDER.mkdir(exist_ok=True)
    for name, scene in SCENES.items():
        (FOLDER / f"{name}.svg").write_text(picture(scene), encoding="utf-8")
    print(f"wrote {', '.join(SCENES)} to {FOLDER}")


if __name__ == "__main__":
    main()
