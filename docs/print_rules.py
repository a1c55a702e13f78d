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
    SIDE,
    START,
    ZONE,
    distance_of,
    format_location,
    square_of,
)
from sorry_env.cards import BACKWARD, CARDS, DECKS, FORWARD
from sorry_env.errors import RulesError
from sorry_env.rendering import ring_cell, zone_cell
from sorry_env.rules import PRESETS, Rules, rules_from

PAGE: Final = Path(__file__).parent / "rules.md"
BOARD: Final = Path(__file__).parent / "board.svg"

Point = tuple[float, float]

# --- The board ---

CELL: Final = 50
PAD: Final = 14
SIZE: Final = (SIDE + 1) * CELL + 2 * PAD
# Told apart also without colour vision, and each thing of a colour bears its letter.
FILLS: Final = ("#cc3311", "#0077bb", "#f0cc2e", "#009988")
TINTS: Final = ("#f8d5cd", "#cfe6f5", "#fcf1c0", "#c9ebe7")
INKS: Final = ("#ffffff", "#ffffff", "#222222", "#ffffff")
EDGE: Final = "#555555"
TEXT: Final = "#222222"
GREY: Final = "#8a8a8a"
BOLD: Final = 'text-anchor="middle" font-weight="bold"'
NUMBER: Final = 0.16  # how far from the outer edge, in cells, the numbers of ring squares stand
TRACK: Final = 0.66  # and the slides
START_MIDDLE: Final = (4.5, 2.33)  # columns and rows of cells, on Red's side
HOME_MIDDLE: Final = (2.5, 7.15)
AREA_RADIUS: Final = 1.1 * CELL


def turn(point: Point, quarters: int) -> Point:
    """A point in cells of Red's side, turned to a colour's side, in pixels."""
    x, y = point
    for _ in range(quarters):
        x, y = SIDE + 1 - y, x
    return PAD + CELL * x, PAD + CELL * y


def middle(cell: tuple[int, int]) -> Point:
    """The middle of a cell in pixels."""
    row, column = cell
    return PAD + CELL * (column + 0.5), PAD + CELL * (row + 0.5)


def shape(points: list[Point], fill: str, edge: str = EDGE, width: float = 1.5) -> str:
    """A polygon."""
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polygon points="{path}" fill="{fill}" stroke="{edge}" stroke-width="{width:g}" stroke-linejoin="round"/>'


def disc(at: Point, radius: float, fill: str, edge: str = EDGE, width: float = 1.5) -> str:
    """A circle."""
    return (
        f'<circle cx="{at[0]:g}" cy="{at[1]:g}" r="{radius:g}" fill="{fill}" stroke="{edge}" stroke-width="{width:g}"/>'
    )


def words(at: Point, text: str, size: float, ink: str = TEXT, more: str = 'text-anchor="middle"') -> str:
    """A line of text, its middle (or by `more` its beginning) at a point."""
    return f'<text x="{at[0]:g}" y="{at[1] + 0.36 * size:g}" font-size="{size:g}" fill="{ink}" {more}>{text}</text>'


def cell_box(cell: tuple[int, int], fill: str) -> str:
    """The square of one cell."""
    row, column = cell
    x, y = PAD + CELL * column, PAD + CELL * row
    return f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}" stroke="{EDGE}" stroke-width="1.5"/>'


def arrow(tip: Point, color: int, outward: bool) -> str:
    """A small arrow head over the border between the ring and what lies inside of it, on a colour's side."""
    x, y = tip
    end = -0.1 if outward else 0.1
    return shape([turn(p, color) for p in ((x, y + end), (x - 0.2, y - end), (x + 0.2, y - end))], TEXT, TEXT)


def slide_of(color: int, progress: int, length: int) -> Iterator[str]:
    """One slide: triangle, track and disc, each end with the colour's letter; the circle has a ring round its disc."""
    first, last = square_of(color, progress), square_of(color, progress + length)
    column, ink = first - SIDE * color + 0.5, INKS[color]
    end = turn((column + length, TRACK), color)
    track = [(column, -0.08), (column + length, -0.08), (column + length, 0.08), (column, 0.08)]
    yield shape([turn((x, TRACK + y), color) for x, y in track], FILLS[color])
    triangle = [(column - 0.3, -0.3), (column + 0.34, 0.0), (column - 0.3, 0.3)]
    yield shape([turn((x, TRACK + y), color) for x, y in triangle], FILLS[color])
    yield words(turn((column - 0.1, TRACK), color), COLORS[color], 15, ink, BOLD)
    if last == square_of(color, CIRCLE):
        yield disc(end, 15, "#ffffff", FILLS[color], 2.5)
    yield disc(end, 12, FILLS[color])
    yield words(end, COLORS[color], 15, ink, BOLD)


def side_of(color: int) -> Iterator[str]:
    """What belongs to one colour, over the squares."""
    for index in range(ZONE):
        cell = zone_cell(color, index)
        yield cell_box(cell, TINTS[color])
        yield words(middle(cell), format_location(color, ENTRANCE + 1 + index), 17)
    for progress, length in OWN_SLIDES.items():
        yield from slide_of(color, progress, length)
    column = square_of(color, DIAMOND) - SIDE * color + 0.5
    diamond = [(column - 0.2, 0.0), (column, -0.2), (column + 0.2, 0.0), (column, 0.2)]
    yield shape([turn((x, TRACK + y), color) for x, y in diamond], "#ffffff", FILLS[color], 2.5)
    for at, title, ink, fill, edge in (
        (START_MIDDLE, "START", INKS[color], FILLS[color], EDGE),
        (HOME_MIDDLE, "HOME", TEXT, TINTS[color], FILLS[color]),
    ):
        spot = turn(at, color)
        yield disc(spot, AREA_RADIUS, fill, edge, 3)
        yield words((spot[0], spot[1] - 27), title, 15, ink, BOLD)
        yield words((spot[0], spot[1] + 2), COLORS[color], 38, ink, BOLD)
        yield words((spot[0], spot[1] + 33), COLOR_NAMES[color], 15, ink)
    yield arrow((square_of(color, ENTRANCE) - SIDE * color + 0.5, 1.03), color, outward=False)
    yield arrow((square_of(color, CIRCLE) - SIDE * color + 0.5, 1.12), color, outward=True)


def legend() -> Iterator[str]:
    """What the signs mean, in the middle of the board."""
    left, top, step = PAD + 4.85 * CELL, PAD + 7.0 * CELL, 0.78 * CELL
    yield words((SIZE / 2, top - 1.35 * CELL), f"{RING} ring squares, 0 to {RING - 1}", 24, TEXT, BOLD)
    yield words((SIZE / 2, top - 0.8 * CELL), "forward is clockwise, as the numbers run", 17)
    signs: dict[str, Callable[[float, float], str]] = {
        "triangle: a slide begins": lambda x, y: shape([(x - 14, y - 15), (x + 17, y), (x - 14, y + 15)], GREY),
        "disc: a slide ends": lambda x, y: disc((x, y), 12, GREY),
        "ringed disc: the circle, in from Start": lambda x, y: (
            disc((x, y), 15, "#ffffff", GREY, 2.5) + disc((x, y), 12, GREY)
        ),
        "entrance, into the zone s0 .. s4": lambda x, y: shape([(x, y + 6), (x - 10, y - 6), (x + 10, y - 6)], TEXT),
        "diamond of old boards": lambda x, y: shape(
            [(x - 10, y), (x, y - 10), (x + 10, y), (x, y + 10)], "#ffffff", GREY, 2.5
        ),
    }
    for number, (text, sign) in enumerate(signs.items()):
        y = top + number * step
        yield sign(left, y)
        yield words((left + 0.65 * CELL, y), text, 17, more="")


def board_svg() -> str:
    """The whole picture."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}" '
        'font-family="Helvetica, Arial, \'DejaVu Sans\', sans-serif" role="img">',
        "<title>The Sorry! board with numbered squares, slides, zones, Starts and Homes</title>",
        f'<rect width="{SIZE}" height="{SIZE}" rx="8" fill="#f4f1ea"/>',
    ]
    parts += [cell_box(ring_cell(square), "#ffffff") for square in range(RING)]
    for color in range(len(COLORS)):
        parts += side_of(color)
    for square in range(RING):
        # A corner belongs to the side that it begins; its number keeps clear of both edges.
        across = 0.5 if square % SIDE else 0.2
        parts.append(words(turn((square % SIDE + across, NUMBER), square // SIDE), str(square), 12))
    return "\n".join([*parts, *legend(), "</svg>", ""])


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
    marks = re.findall(r"<!-- begin: ([\w-]+) -->\n", text)
    if sorted(marks) != sorted(parts()):
        raise RuntimeError(f"{PAGE.name} has the parts {sorted(marks)}, not {sorted(parts())}")
    for name, part in parts().items():
        begin, end = f"<!-- begin: {name} -->\n", f"<!-- end: {name} -->"
        head, _, rest = text.partition(begin)
        text = f"{head}{begin}{part}\n{end}{rest.partition(end)[2]}"
    return text


def main() -> None:
    """Writes both files."""
    BOARD.write_text(board_svg(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"wrote {BOARD} and {PAGE}")


if __name__ == "__main__":
    main()
