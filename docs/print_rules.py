"""Prints docs/board.svg and the generated parts of docs/rules.md from the tables that the code itself uses.

    python docs/print_rules.py

A part stands between `<!-- begin: NAME -->` and `<!-- end: NAME -->`; all else on the page is written by hand. A test
holds both files equal to what this prints.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from parts import fill

from sorry_env.actions import Use, action_table
from sorry_env.board import (
    CIRCLE,
    COLOR_NAMES,
    COLORS,
    DIAMOND,
    ENTRANCE,
    HOME,
    OWN_SLIDES,
    RING,
    START,
    ZONE,
    distance_of,
    format_location,
)
from sorry_env.cards import BACKWARD, CARDS, DECKS, FORWARD
from sorry_env.drawing.board import empty_board
from sorry_env.drawing.geometry import CELLS, area_middle
from sorry_env.drawing.palette import EDGE, GREY, INKS, SQUARE, TEXT
from sorry_env.drawing.shapes import Disc, Group, Polygon, Shape, Text
from sorry_env.drawing.svg import svg_text
from sorry_env.errors import RulesError
from sorry_env.rules import PRESETS, Rules, rules_from

PAGE: Final = Path(__file__).parent / "rules.md"
BOARD: Final = Path(__file__).parent / "board.svg"
BOARD_PIXELS: Final = 828

# --- The board ---

LEGEND_AT: Final = (4.6, 7.0)  # middle of the first sign
LEGEND_STEP: Final = 0.78


def names() -> Iterator[Shape]:
    """Each colour's letter and name on its Start and Home."""
    for color, letter in enumerate(COLORS):
        for which, ink in (("S", INKS[color]), ("H", TEXT)):
            x, y = area_middle(color, which)
            yield Text((x, y), letter, 0.8, ink, bold=True)
            yield Text((x, y + 0.68), COLOR_NAMES[color], 0.32, ink)


def legend() -> Iterator[Shape]:
    """What the signs mean, in the middle of the board."""
    x, top = LEGEND_AT
    yield Text((CELLS / 2, top - 1.35), f"{RING} ring squares, 0 to {RING - 1}", 0.48, TEXT, bold=True)
    yield Text((CELLS / 2, top - 0.8), "forward is clockwise, as the numbers run", 0.34, TEXT)
    signs: dict[str, Callable[[float], tuple[Shape, ...]]] = {
        "triangle: a slide begins": lambda y: (
            Polygon(((x - 0.28, y - 0.3), (x + 0.34, y), (x - 0.28, y + 0.3)), GREY),
        ),
        "disc: a slide ends": lambda y: (Disc((x, y), 0.24, GREY, EDGE),),
        "ringed disc: the circle, in from Start": lambda y: (
            Disc((x, y), 0.3, SQUARE, GREY, 0.05),
            Disc((x, y), 0.24, GREY, EDGE),
        ),
        "entrance, into the zone s0 .. s4": lambda y: (
            Polygon(((x, y + 0.12), (x - 0.2, y - 0.12), (x + 0.2, y - 0.12)), TEXT),
        ),
        "diamond of old boards": lambda y: (
            Polygon(((x - 0.2, y), (x, y - 0.2), (x + 0.2, y), (x, y + 0.2)), SQUARE, GREY, 0.05),
        ),
    }
    for number, (text, sign) in enumerate(signs.items()):
        y = top + number * LEGEND_STEP
        yield from sign(y)
        yield Text((x + 0.65, y), text, 0.34, TEXT, anchor="start")


def board_svg() -> str:
    """The empty board, its squares numbered and its signs explained."""
    title = "The Sorry! board with numbered squares, slides, zones, Starts and Homes"
    told = "Squares 0 to 59 run clockwise from the upper left corner; clockwise from the top: Red, Blue, Yellow, Green."
    return svg_text((empty_board(), Group((*names(), *legend()), "legend")), title, told, BOARD_PIXELS)


# --- The tables ---

NAMES: Final = tuple(name.capitalize() for name in COLOR_NAMES)
# What a card does besides a start and a step, by the action table.
BESIDES: Final = {
    Use.SPLIT: "or split over two pawns (3.11)",
    Use.EXCHANGE: "or exchange (3.9)",
    Use.REPLACE: "replace a pawn from Start (3.10)",
}
# Rules that make no sense, to show what is said to them.
REFUSED: Final = (
    "classic:players=5",
    "classic:players=2,colors=RBY",
    "classic:colors=RRY",
    "classic:players=3,teams=yes",
    "points:hand_size=10",
    "points:deck=replacement",
    "classic:pawns=0",
    "classic:pawns_out=2",
    "classic:deck=50",
    "classic:slide_on=none",
    "classic:start_cards=1.4",
    "classic:start_cards=",
    "classic:two_draws_again=maybe",
    "classic:x_forward4=4",
    "classic:swap_partner=yes",
    "classic:players=2,first_player=2",
    "classic:scoring=chips",
    "clasic",
    "classic:pawn=3",
)


def table(*rows: tuple[str, ...]) -> str:
    """A table of Markdown, its first row the heads."""
    lines = ["|" + "|".join(f" {cell} " if cell else " " for cell in row) + "|" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def squares() -> str:
    """The squares that have a name, per colour, with the distance to Home of a pawn of that colour."""
    (first, second) = sorted(OWN_SLIDES, reverse=True)
    places = [
        ("corner", first - 1),
        ("first slide: triangle", first),
        ("entrance", ENTRANCE),
        ("diamond of old boards", DIAMOND),
        ("circle, and the first slide's end", CIRCLE),
        ("second slide: triangle", second),
        ("second slide: end", second + OWN_SLIDES[second]),
        ("zone", ENTRANCE + 1),
        ("Home", HOME),
        ("Start", START),
    ]
    rows = [("", *NAMES, "steps to Home")]
    for name, progress in places:
        shown = [format_location(color, progress) for color in range(len(COLORS))]
        steps = str(distance_of(progress))
        if name == "zone":
            last = ENTRANCE + ZONE
            shown = [f"{place}..{format_location(color, last)}" for color, place in enumerate(shown)]
            steps += f"..{distance_of(last)}"
        rows.append((name, *shown, steps))
    return table(*rows)


def cards() -> str:
    """What each card does and how many there are."""
    decks = [name for name in DECKS if name != "replacement"]
    rows = [("card", *(f"of {deck}" for deck in decks), "forward", "backward", "starts a pawn", "besides")]
    for kind, card in enumerate(CARDS):
        uses = dict.fromkeys(action.use for action in action_table(4, False) if action.card == kind)
        besides = [BESIDES[use] for use in uses if use in BESIDES]
        if card == "2":
            besides.append("then another card (3.5)")
        if card == "X" and PRESETS["edition-2013"].x_forward4:
            besides.append("edition-2013: or forward 4")
        starts = [name for name in ("classic", "edition-2013") if card in PRESETS[name].start_cards]
        rows.append(
            (
                card,
                *(str(DECKS[deck][kind]) for deck in decks),
                str(FORWARD[kind] or ""),
                str(BACKWARD[kind] or ""),
                {2: "yes", 1: "edition-2013", 0: ""}[len(starts)],
                "; ".join(besides),
            )
        )
    return table(*rows)


def written(value: Any) -> str:
    """A field's value as options write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ".".join(value) if isinstance(value, tuple) else str(value)


def rule_sets() -> str:
    """What each named rule set changes of the classic one."""
    rows = [("name", "players unless said otherwise", "the same as")]
    classic = PRESETS["classic"]
    for name, rules in PRESETS.items():
        changed = [field.name for field in fields(Rules) if getattr(rules, field.name) != getattr(classic, field.name)]
        options = [f"{key}={written(getattr(rules, key))}" for key in changed if key != "colors"]
        spec = ":".join(["classic", ",".join(options)]) if options else "classic"
        if rules_from(spec) != rules:
            raise RuntimeError(f"{name} is not {spec}")
        rows.append((name, str(rules.players), f"`{spec}`" if options else "is the base"))
    return table(*rows)


def rules_fields() -> str:
    """Every field with its meaning, as the record's docstring tells it, and its default."""
    told = re.search(r"Attributes:\n(.*?)\n\s*\n", Rules.__doc__ or "", re.DOTALL)
    meanings = dict(re.findall(r"^\s*(\w+): (.*)$", told[1] if told else "", re.MULTILINE))
    rows = [("field", "meaning", "default")]
    for field in fields(Rules):
        default = written(field.default)
        if field.name == "colors":
            default = ", ".join(Rules(players=players).colors for players in (2, 3, 4))
        rows.append((f"`{field.name}`", meanings[field.name].removesuffix(".").replace("RULES ", ""), default))
    return table(*rows)


def refusals() -> str:
    """What is said to rules that make no sense."""
    rows = [("rules", "message")]
    for spec in REFUSED:
        try:
            rules_from(spec)
        except RulesError as error:
            rows.append((f"`{spec}`", str(error)))
        else:
            raise RuntimeError(f"{spec} is not refused")
    return table(*rows)


def parts() -> dict[str, str]:
    """The generated parts of the page by name."""
    return {
        "squares": squares(),
        "cards": cards(),
        "rule-sets": rule_sets(),
        "fields": rules_fields(),
        "refusals": refusals(),
        "card-names": " ".join(f"`{card}`" for card in CARDS) + ".",
    }


def page(text: str) -> str:
    """The page with its generated parts written anew.

    Raises:
        RuntimeError: if its markers are not those of `parts`.
    """
    return fill(text, parts())


def main() -> None:
    """Writes both files."""
    BOARD.write_text(board_svg(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"wrote {BOARD} and {PAGE}")


if __name__ == "__main__":
    main()
