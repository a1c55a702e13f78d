"""The board as text for a terminal: the classic square, 16 x 16 cells round the edge, Red's side on top.

Everything is laid out once for Red's side and turned by quarters for the other three. The picture is made of box
characters and translated to ASCII where asked. Colour is never the only sign: pawns are the letters of their colour.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol

from sorry_env.board import COLOR_NAMES, COLORS, OWN_SLIDES, RING, SIDE, ZONE, square_of
from sorry_env.cards import CARDS
from sorry_env.drawing.faces import card_name
from sorry_env.drawing.geometry import (
    AREAS,
    CELLS,
    CIRCLE_COLUMN,
    ENTRANCE_COLUMN,
    PANEL,
    Area,
    Cell,
    ring_cell,
    turned_area,
    turned_cell,
    zone_cell,
)
from sorry_env.drawing.wording import pile_word, seat_word

if TYPE_CHECKING:
    from sorry_env.position import Position

CELL_WIDTH: Final = 4  # columns from one cell's left border to the next
CELL_HEIGHT: Final = 2  # lines from one cell's upper border to the next
MARGIN: Final = 3  # columns beside the board for the numbers of Green's and Blue's side
WIDTH: Final = CELLS * CELL_WIDTH + 1 + 2 * MARGIN
HEIGHT: Final = CELLS * CELL_HEIGHT + 1

Line = list[tuple[str, str]]  # texts with their styles

_TITLES: Final = {"S": "START", "H": "HOME"}
_PANEL_WIDTH: Final = 29
_PANEL_HEIGHT: Final = 15
_HAND_BESIDE_NAME: Final = 6  # cards that fit on one line with the colour's name

_UP, _RIGHT, _DOWN, _LEFT = 1, 2, 4, 8
_BORDERS: Final = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"  # index: sum of the directions in which lines leave
_TRIANGLES: Final = "►▼◄▲"
_TRACKS: Final = "━┃━┃"
_END: Final = "●"
_INWARD: Final = "▼◄▲►"
_OUTWARD: Final = "▲►▼◄"
_NOBODY: Final = "·"
_BOXES: Final = _BORDERS[1:] + _TRIANGLES + "━┃" + _END + _NOBODY
_ASCII: Final = str.maketrans(_BOXES, "|-+||++-+-+++++" + ">v<^" + "=:" + "o" + ".")

_PLAIN: Final = ""
_FAINT: Final = "2"
_STRONG: Final = "1"
_INK: Final = ("31", "94", "33", "32")  # colours of the board
_PAWN_INK: Final = ("97;41", "97;44", "30;43", "30;42")  # letters on the same colours as background


class Stream(Protocol):
    """What is asked of an output stream."""

    def isatty(self) -> bool:
        """Whether a person looks at it."""
        ...


def is_terminal(stream: Stream) -> bool:
    """Whether a stream understands ANSI codes: a terminal that does not call itself dumb."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def use_color(stream: Stream) -> bool:
    """Whether ANSI colours suit a stream: a terminal by `is_terminal`, and no NO_COLOR in the environment."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def takes_boxes(stream: Stream) -> bool:
    """Whether a stream's encoding has the box characters; else draw with `ascii_only`."""
    try:
        _BOXES.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def render_ansi(
    position: Position,
    *,
    color: bool,
    seat_names: Sequence[str] | None = None,
    last_move: str | None = None,
    ascii_only: bool = False,
) -> str:
    """The board with all that a position shows: 33 lines of at most 71 columns, no newline at the end.

    A triangle, a track and a dot are a slide; the dot of a side's first slide is its circle (RULES 1.1). Arrows show
    the ways from Start and into the zone. Ring squares have their number and zone squares their name on the outer
    side. In the middle: the drawn card or the hands (unknown ones as `?`), the draw pile and the discards.

    Args:
        position: what to draw.
        color: use ANSI colours (see `use_color`).
        seat_names: one name a seat to show beside the colours.
        last_move: text of the last move, shown as it is.
        ascii_only: nothing but ASCII (see `takes_boxes`).

    Raises:
        ValueError: not one name a seat.
    """
    if seat_names is not None and len(seat_names) != position.rules.players:
        raise ValueError(f"seat_names: {len(seat_names)} names for {position.rules.players} seats")
    canvas = _Canvas()
    _draw_board(canvas)
    for number in range(len(COLORS)):
        seated = number in position.rules.color_ids
        pawns = position.pawns(position.rules.color_ids.index(number)) if seated else ()
        _draw_area(canvas, number, pawns, "S")
        _draw_area(canvas, number, pawns, "H")
        _draw_pawns(canvas, number, pawns)
    _draw_panel(canvas, _panel(position, seat_names, last_move))
    text = canvas.text(color)
    return text.translate(_ASCII).encode("ascii", "replace").decode() if ascii_only else text


# --- Where things are ---


def cell_middle(cell: Cell) -> tuple[int, int]:
    """Line and column, from 0, of the character in the middle of a cell: where a pawn's letter stands."""
    return CELL_HEIGHT * cell[0] + 1, _border(cell[1]) + CELL_WIDTH // 2


def _border(column: int) -> int:
    """Column of the character at the left border of a column of cells."""
    return MARGIN + CELL_WIDTH * column


# --- The canvas ---


class _Canvas:
    """Characters with their ANSI styles; borders are kept as directions, so that boxes join where they touch."""

    def __init__(self) -> None:
        self._chars = [[" "] * WIDTH for _ in range(HEIGHT)]
        self._styles = [[_PLAIN] * WIDTH for _ in range(HEIGHT)]
        self._directions = [[0] * WIDTH for _ in range(HEIGHT)]

    def put(self, line: int, column: int, text: str, style: str = _PLAIN) -> None:
        """Text from a character on."""
        for at, char in enumerate(text, column):
            self._chars[line][at] = char
            self._styles[line][at] = style

    def box(self, area: Area, style: str) -> None:
        """The outline of an area of cells."""
        top, bottom = CELL_HEIGHT * area[0], CELL_HEIGHT * (area[2] + 1)
        left, right = _border(area[1]), _border(area[3] + 1)
        for line in (top, bottom):
            for column in range(left, right + 1):
                self._join(line, column, (column > left) * _LEFT + (column < right) * _RIGHT, style)
        for column in (left, right):
            for line in range(top, bottom + 1):
                self._join(line, column, (line > top) * _UP + (line < bottom) * _DOWN, style)

    def _join(self, line: int, column: int, directions: int, style: str) -> None:
        self._directions[line][column] |= directions
        self.put(line, column, _BORDERS[self._directions[line][column]], style)

    def text(self, color: bool) -> str:
        """All lines, with ANSI codes or without."""
        lines = zip(self._chars, self._styles, strict=True)
        return "\n".join(_inked(chars, styles) if color else "".join(chars).rstrip() for chars, styles in lines)


def _inked(chars: list[str], styles: list[str]) -> str:
    """One line with an ANSI code where the style changes, plain again at its end."""
    end = len("".join(chars).rstrip())
    parts = []
    current = _PLAIN
    for char, style in zip(chars[:end], styles, strict=False):
        if style != current:
            parts.append(f"\x1b[0;{style}m" if style else "\x1b[0m")
            current = style
        parts.append(char)
    return "".join(parts) + ("\x1b[0m" if current else "")


# --- The board ---


def _draw_board(canvas: _Canvas) -> None:
    for square in range(RING):
        canvas.box((*ring_cell(square), *ring_cell(square)), _FAINT)
        _draw_label(canvas, ring_cell(square), square // SIDE, str(square), _FAINT)
    for color, ink in enumerate(_INK):
        for index in range(ZONE):
            canvas.box((*zone_cell(color, index), *zone_cell(color, index)), ink)
            # What lies on the left of a zone that runs inward is turned once more than its side.
            _draw_label(canvas, zone_cell(color, index), (color + 3) % 4, f"s{index}", ink)
        for progress, length in OWN_SLIDES.items():
            _draw_slide(canvas, color, square_of(color, progress), length)
        for area in AREAS.values():
            canvas.box(turned_area(area, color), ink)
        _draw_door(canvas, color, ENTRANCE_COLUMN, _INWARD[color])
        _draw_door(canvas, color, CIRCLE_COLUMN, _OUTWARD[color])


def _draw_label(canvas: _Canvas, cell: Cell, side: int, text: str, style: str) -> None:
    """A name in a cell's upper or lower border, or to the left or right of it, by `side` (0 top, 1 right, ...)."""
    line, middle = cell_middle(cell)
    line += (-1, 0, 1, 0)[side]
    column = middle + (-1, CELL_WIDTH // 2 + 1, -1, -CELL_WIDTH // 2 - len(text))[side]
    canvas.put(line, column, text, style)


def _draw_slide(canvas: _Canvas, color: int, triangle: int, length: int) -> None:
    """A track along the middle of the cells and through the borders between them."""
    line, column = cell_middle(ring_cell(triangle))
    last_line, last_column = cell_middle(ring_cell(triangle + length))
    for y in range(min(line, last_line), max(line, last_line) + 1):
        for x in range(min(column, last_column), max(column, last_column) + 1):
            canvas.put(y, x, _TRACKS[color], _INK[color])
    canvas.put(line, column, _TRIANGLES[color], _INK[color])
    canvas.put(last_line, last_column, _END, _INK[color])


def _draw_door(canvas: _Canvas, color: int, square: int, arrow: str) -> None:
    """An arrow in the border between a ring square and what lies inside of it."""
    outer = cell_middle(ring_cell(SIDE * color + square))
    inner = cell_middle(turned_cell((1, square), color))
    canvas.put((outer[0] + inner[0]) // 2, (outer[1] + inner[1]) // 2, arrow, _INK[color])


def _draw_area(canvas: _Canvas, color: int, pawns: Sequence[str], place: str) -> None:
    """What is written in Start (place `S`) or Home (`H`): a spot a pawn of the colour, with letters for those there."""
    there = pawns.count(place)
    lines = [COLOR_NAMES[color].upper()] if place == "S" else []
    lines.append(f"{_TITLES[place]} {there}" if pawns else _TITLES[place])
    top, left, bottom, right = turned_area(AREAS[place], color)
    middle = (_border(left) + _border(right + 1)) // 2
    line = CELL_HEIGHT * top + (CELL_HEIGHT * (bottom + 1 - top) - len(lines)) // 2
    for text in lines:
        canvas.put(line, middle - len(text) // 2, text, _INK[color])
        line += 1
    for spot in range(len(pawns)):
        letter, style = (COLORS[color], _PAWN_INK[color]) if spot < there else (_NOBODY, _FAINT)
        canvas.put(line, middle - len(pawns) + 1 + 2 * spot, letter, style)


def _draw_pawns(canvas: _Canvas, color: int, pawns: Sequence[str]) -> None:
    for place in pawns:
        if place not in ("S", "H"):
            cell = zone_cell(color, int(place[1:])) if place[0] == "s" else ring_cell(int(place))
            line, column = cell_middle(cell)
            canvas.put(line, column - 1, f"({COLORS[color]})", _PAWN_INK[color])


# --- The panel in the middle ---


def _draw_panel(canvas: _Canvas, lines: list[Line]) -> None:
    line = CELL_HEIGHT * PANEL[0] + 1 + (_PANEL_HEIGHT - len(lines)) // 2
    for number, segments in enumerate(lines):
        column, left = _border(PANEL[1]) + 2, _PANEL_WIDTH
        for text, style in segments:
            shown = "".join(char if char.isprintable() else "?" for char in text[:left])
            canvas.put(line + number, column, shown, style)
            column, left = column + len(shown), left - len(shown)


def _panel(position: Position, seat_names: Sequence[str] | None, last_move: str | None) -> list[Line]:
    groups = [_mover_lines(position), _seat_lines(position, seat_names), _pile_lines(position)]
    if last_move:
        room = _PANEL_HEIGHT - sum(map(len, groups))
        lines = textwrap.wrap(f"Last: {last_move}", _PANEL_WIDTH, subsequent_indent="      ")
        groups.append([[(line, _PLAIN)] for line in lines[:room]])
    groups = [group for group in groups if group]
    lines_left = _PANEL_HEIGHT - sum(map(len, groups))
    panel: list[Line] = []
    for group in groups:
        if panel and lines_left > 0:
            panel.append([])
            lines_left -= 1
        panel += group
    return panel


def _seat_name(position: Position, seat: int) -> tuple[str, str]:
    return seat_word(position, seat), _INK[position.rules.color_ids[seat]]


def _mover_lines(position: Position) -> list[Line]:
    """The drawn card as a card, and who is to do what."""
    seat = position.mover
    if position.is_over:
        names: Line = []
        for winner in position.winners:
            names += [(" and ", _PLAIN)] * bool(names) + [_seat_name(position, winner)]
        return [[("*** ", _STRONG), *names, (" won the game ***" if len(names) == 1 else " won ***", _STRONG)]]
    partner: Line = []
    if position.rules.teams:
        partner = [(" (with ", _PLAIN), _seat_name(position, (seat + 2) % 4), (")", _PLAIN)]
    if position.rules.hand_size:
        return [[_seat_name(position, seat), (" to move", _STRONG), *partner]]
    card = card_name(position.card or "")
    return [
        [("┌──────┐", _PLAIN)],
        [
            *[("│", _PLAIN), (f"{card:^6}", _STRONG), ("│ ", _PLAIN)],
            *[_seat_name(position, seat), (" draws" if position.awaits_card else " to move", _STRONG)],
        ],
        [("└──────┘", _PLAIN), *partner],
    ]


def _seat_lines(position: Position, seat_names: Sequence[str] | None) -> list[Line]:
    """A line a seat with its name, and its hand."""
    lines: list[Line] = []
    for seat in range(position.rules.players):
        name, ink = _seat_name(position, seat)
        arrow = "► " if seat == position.mover and not position.is_over else "  "
        start: Line = [(arrow, _STRONG), (f"{name:<7}", ink)]
        hand = position.hand(seat)
        cards = "?" if hand is None else " ".join(hand)
        if seat_names is None and position.rules.hand_size <= _HAND_BESIDE_NAME:
            lines += [[*start, (cards, _PLAIN)]] if cards else []
        else:
            lines.append([*start, (seat_names[seat] if seat_names else "", _PLAIN)])
            lines += [[("  ", _PLAIN), (cards, _PLAIN)]] if cards else []
    return lines


def _pile_lines(position: Position) -> list[Line]:
    """How many of each card are left and how many are discarded (RULES 3.3)."""
    if position.rules.deck == "replacement":
        return [[("Each card from a full deck", _PLAIN)]]
    pile, discards = position.pile(), position.discards()
    return [
        [(f"{pile_word(position).capitalize()} {sum(pile.values())}, discards {sum(discards.values())}", _PLAIN)],
        _table_line("card", {card: card for card in CARDS}, _STRONG),
        _table_line("left", pile, _PLAIN),
        _table_line("gone", discards, _PLAIN),
    ]


def _table_line(label: str, cells: dict[str, str] | dict[str, int], style: str) -> Line:
    return [(label, _FAINT), ("".join(f"{cells[card]:>{len(card) + 1}}" for card in CARDS), style)]
