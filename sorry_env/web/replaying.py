"""Replays: a game step by step as data for the page, and as one HTML file that needs nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sorry_env.analysis import Judge, critic_of
from sorry_env.board import COLOR_NAMES
from sorry_env.drawing import position_svg
from sorry_env.errors import SorryError
from sorry_env.game import Game
from sorry_env.record import format_record
from sorry_env.rules import Rules
from sorry_env.web.describing import describe_move

PAGE: Final = Path(__file__).parent / "page"
MOST_PLIES: Final = 4000
MOST_MISTAKES: Final = 10
_SERVED: Final = re.compile(r"[ ]*<!-- served -->.*?<!-- /served -->\n?", re.DOTALL)  # what a file has no use for
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_JOINTS: Final = re.compile(r"^(export |import .*\n)", re.MULTILINE)  # what scripts in one piece need not say
_GROUPS: Final = re.compile(r"(?=<g[ >])|(?<=</g>)(?=</g>)")
LEAST_SHOWN: Final = 0.01  # chance to win that a mistake lost, for it to be marked


def replay_of(game: Game, names: Sequence[str] | None = None, judge: str = "") -> dict[str, Any]:
    """A game step by step, its chances and the biggest mistakes by a search player, as plain data.

    Pictures share most of their groups: `pieces` holds each piece of text once; a frame's `svg` is runs of them, first
    and count, first and count ..., that make its picture one after another.

    Args:
        game: the game, as it stands.
        names: who plays each seat.
        judge: spec string of a player that knows chances; by default that of `critic_of`, and where that does not play
            these rules, `note` says so.

    Raises:
        SorryError: a game of more than MOST_PLIES plies, or a judge that was asked for and does not fit.
    """
    if game.num_plies > MOST_PLIES:
        raise SorryError(f"replay: the game has {game.num_plies} plies, more than the {MOST_PLIES} that are shown")
    pieces: dict[str, int] = {}
    loaded = Judge(judge, game.rules) if judge else judge_of(critic_of(game.rules), game.rules)
    chances, mistakes, note = _analysis(game, loaded)
    return {
        "rules": game.rules.spec(),
        "seats": [
            {"color": COLOR_NAMES[color], "name": names[seat] if names else ""}
            for seat, color in enumerate(game.rules.color_ids)
        ],
        "teams": game.rules.teams,
        "winners": list(game.winners),
        "points": list(game.points()) if game.rules.scoring == "points" and game.is_over else None,
        "frames": _frames(game, names, pieces),
        "pieces": list(pieces),
        "chances": chances,
        "mistakes": mistakes,
        "judge": loaded.name if isinstance(loaded, Judge) else None,
        "note": note,
        "record": format_record(game),
    }


def _frames(game: Game, names: Sequence[str] | None, pieces: dict[str, int]) -> list[dict[str, Any]]:
    """The position before each ply and at the end, with the move that led there, in notation and in words."""
    frames: list[dict[str, Any]] = []
    before, last = None, None
    for position, move in (*game.plies, (game.position, None)):
        svg = position_svg(position, last_move=last, before=before, seat_names=names)
        frames.append(
            {
                "svg": _runs([pieces.setdefault(piece, len(pieces)) for piece in _GROUPS.split(svg)]),
                "seat": before.mover if before else None,
                "move": last,
                "spoken": describe_move(before, last).spoken if before and last else None,
                "position": str(position),
            }
        )
        before, last = position, move
    return frames


def _runs(numbers: Sequence[int]) -> list[int]:
    """First and count of each run of numbers that follow one another."""
    runs: list[int] = []
    for number in numbers:
        if runs and number == runs[-2] + runs[-1]:
            runs[-1] += 1
        else:
            runs += [number, 1]
    return runs


def _analysis(game: Game, judge: Judge | str) -> tuple[list[Any] | None, list[Any], str]:
    """Chances of each seat at each frame, the biggest mistakes, and, where there is neither, why."""
    if isinstance(judge, str):
        return None, [], judge
    try:
        found = judge.game(game)
    except SorryError as error:  # a record may hide hands
        return None, [], f"No chances to win: {error}"
    biggest = [mistake for mistake in found.mistakes if mistake.loss >= LEAST_SHOWN][:MOST_MISTAKES]
    return [list(map(_rounded, row)) for row in found.chances], [asdict(mistake) for mistake in biggest], ""


def _rounded(chance: float) -> float:
    return round(chance, 4)


@lru_cache(maxsize=32)
def judge_of(spec: str, rules: Rules) -> Judge | str:
    """A judge for the rules, or a line for people that says why there is none."""
    try:
        return Judge(spec, rules)
    except SorryError as error:
        return f"No chances to win: {error}"


def replay_html(replay: dict[str, Any]) -> str:
    """The page of a replay with its data, scripts and style inside: it opens from a disk and may ask nobody."""
    page, style, shared, script = map(_read, ("replay.html", "style.css", "shared.js", "replay.js"))
    data = json.dumps(replay, separators=(",", ":")).replace("<", "\\u003c")  # no text in it ends the element
    program = _JOINTS.sub("", shared + script)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    parts = {
        '<meta charset="utf-8">': f'<meta charset="utf-8">\n{policy}',
        '<link rel="stylesheet" href="/page/style.css">': f"<style>\n{style}</style>",
        '<script type="module" src="/page/replay.js"></script>': (
            f'<script type="application/json" id="replay-data">{data}</script>\n'
            f'<script type="module">\n{program}</script>'
        ),
    }
    page = _SERVED.sub("", page)
    for found, put in parts.items():
        assert page.count(found) == 1, found
        page = page.replace(found, put)
    return page


def _read(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")
