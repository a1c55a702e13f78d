"""The board as text for a terminal: the classic square, 16 x 16 cells round the edge, Red's side on top.

Everything is drawn once for Red's side and turned by quarters for the other three. The picture is made of box characters
and translated to plain ASCII where asked. Colour is never the only sign: pawns are the letters of their colour.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol

from sorry_env.board import COLORS, OWN_SLIDES, RING, SIDE, ZONE, square_of

if TYPE_CHECKING:
    from sorry_env.position import Position

CELLS: Final = SIDE + 1
CELL_WIDTH: Final = 4  # columns from one cell's left border to the next
CELL_HEIGHT: Final = 2  # lines from one cell's upper border to the next
MARGIN: Final = 3  # columns left and right of the board, for the numbers of Green's and Blue's side
WIDTH: Final = CELLS * CELL_WIDTH + 1 + 2 * MARGIN
HEIGHT: Final = CELLS * CELL_HEIGHT + 1

Cell = tuple[int, int]  # row from the top, column from the left
Area = tuple[int, int, int, int]  # first row, first column, last row, last column

# Red's side; the others by quarter turns.
_START_AREA: Final[Area] = (1, 3, 2, 5)
_HOME_AREA: Final[Area] = (6, 1, 7, 3)
_PANEL: Final[Area] = (4, 4, 11, 11)
_CIRCLE_SQUARE: Final = 4
_ENTRANCE_SQUARE: Final = 2

_UP, _RIGHT, _DOWN, _LEFT = 1, 2, 4, 8
_LINES: Final = dict(enumerate(" ╵╶└╷│┌├╴┘─┴┐┤┬┼"))
_TRIANGLES: Final = "►▼◄▲"
_TRACKS: Final = "━┃━┃"
_END: Final = "●"
_INWARD: Final = "▼◄▲►"
_OUTWARD: Final = "▲►▼◄"
_ASCII: Final = str.maketrans("╵╶└╷│┌├╴┘─┴┐┤┬┼►▼◄▲━┃●·", "|-+||++-+-+++++>v<^=:o.")

_PLAIN: Final = ""
_FAINT: Final = "2"
_STRONG: Final = "1"
_INK: Final = ("31", "94", "33", "32")
_PAWN_INK: Final = ("97;41", "97;44", "30;43", "30;42")


class Stream(Protocol):
    """What is asked of an output stream."""

    def isatty(self) -> bool:
        """Whether a person looks at it."""
        ...


def use_color(stream: Stream) -> bool:
    """Whether ANSI colours suit a stream: a terminal that is not dumb, and no NO_COLOR in the environment."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def is_terminal(stream: Stream) -> bool:
    """Whether a stream understands ANSI codes: a terminal that does not call itself dumb."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def takes_boxes(stream: Stream) -> bool:
    """Whether a stream's encoding has the box characters; else draw with `ascii_only`."""
    try:
        "".join((*_LINES.values(), _TRIANGLES, _TRACKS, _END)).encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


# --- Where things are ---


def ring_cell(square: int) -> Cell:
    """Row and column (0..15) of a ring square 0..59: 0 is the top left corner, numbers run clockwise."""
    return _turned((0, square % SIDE), square // SIDE)


def zone_cell(color: int, index: int) -> Cell:
    """Row and column (0..15) of zone square `index` (0..4) of `color` (0..3)."""
    return _turned((1 + index, _ENTRANCE_SQUARE), color)


def cell_middle(cell: Cell) -> tuple[int, int]:
    """Line and column of the character in the middle of a cell: where a pawn's letter stands."""
    return CELL_HEIGHT * cell[0] + 1, CELL_WIDTH * cell[1] + CELL_WIDTH // 2


def _turned(cell: Cell, quarters: int) -> Cell:
    row, column = cell
    for _ in range(quarters):
        row, column = column, CELLS - 1 - row
    return row, column


def _turned_area(area: Area, quarters: int) -> Area:
    rows, columns = zip(_turned(area[:2], quarters), _turned(area[2:], quarters), strict=True)
    return min(rows), min(columns), max(rows), max(columns)


# --- The canvas ---


class _Canvas:
    """Characters with their ANSI style; lines are collected as directions so that boxes join where they touch."""

    def __init__(self) -> None:
        self._chars = [[" "] * WIDTH for _ in range(HEIGHT)]
        self._styles = [[_PLAIN] * WIDTH for _ in range(HEIGHT)]
        self._joints = [[0] * WIDTH for _ in range(HEIGHT)]

    def put(self, line: int, column: int, text: str, style: str = _PLAIN) -> None:
        for offset, char in enumerate(text):
            self._chars[line][column + offset] = char
            self._styles[line][column + offset] = style

    def box(self, area: Area, style: str) -> None:
        """The outline of an area of cells."""
        top, left = CELL_HEIGHT * area[0], CELL_WIDTH * area[1]
        bottom, right = CELL_HEIGHT * (area[2] + 1), CELL_WIDTH * (area[3] + 1)
        for line in (top, bottom):
            for column in range(left, right + 1):
                self._join(line, column, (column > left) * _LEFT + (column < right) * _RIGHT, style)
        for column in (left, right):
            for line in range(top, bottom + 1):
                self._join(line, column, (line > top) * _UP + (line < bottom) * _DOWN, style)

    def _join(self, line: int, column: int, directions: int, style: str) -> None:
        self._joints[line][column] |= directions
        self.put(line, column, _LINES[self._joints[line][column]], style)

    def text(self, color: bool) -> str:
        lines = zip(self._chars, self._styles, strict=True)
        if not color:
            return "\n".join("".join(chars).rstrip() for chars, _ in lines)
        return "\n".join(_inked(chars, styles) for chars, styles in lines)


def _inked(chars: list[str], styles: list[str]) -> str:
    """One line with ANSI codes where the style changes; plain at its end."""
    parts = []
    current = _PLAIN
    for char, style in zip(chars, styles, strict=True):
        if style != current and (char != " " or current or style in _PAWN_INK):
            parts.append(f"\x1b[0;{style}m" if style else "\x1b[0m")
            current = style
        parts.append(char)
    if current:
        parts.append("\x1b[0m")
    return "".join(parts).rstrip()


# --- The board ---


def render_ansi(
    position: Position,
    *,
    color: bool,
    seat_names: Sequence[str] | None = None,
    last_move: str | None = None,
    ascii_only: bool = False,
) -> str:
    """The board with all that a position shows, 33 lines of at most 65 columns, without a newline at the end.

    A ring square shows its number in its upper border, a zone square its location (RULES 8.1). A triangle, a track and
    a dot are a slide; the dot of a colour's first slide is its circle. Hidden hands are `?`.

    Args:
        position: what to draw.
        color: use ANSI colours (see `use_color`).
        seat_names: one name a seat to show beside the colours.
        last_move: text of the last move, shown as it is.
        ascii_only: nothing but ASCII (see `takes_boxes`).
    """
    canvas = _Canvas()
    _draw_board(canvas)
    for seat, color_id in enumerate(position.rules.color_ids):
        _draw_pawns(canvas, position, seat, color_id)
    _draw_panel(canvas, _panel_lines(position, seat_names, last_move))
    text = canvas.text(color)
    return text.translate(_ASCII).encode("ascii", "replace").decode() if ascii_only else text


def _draw_board(canvas: _Canvas) -> None:
    for square in range(RING):
        canvas.box((*ring_cell(square), *ring_cell(square)), _FAINT)
    for color in range(len(COLORS)):
        for area in (_START_AREA, _HOME_AREA):
            canvas.box(_turned_area(area, color), _INK[color])
        for index in range(ZONE):
            canvas.box((*zone_cell(color, index), *zone_cell(color, index)), _INK[color])
    for square in range(RING):
        _label(canvas, ring_cell(square), str(square), _PLAIN)
    for color in range(len(COLORS)):
        for index in range(ZONE):
            _label(canvas, zone_cell(color, index), f"s{index}", _INK[color])
        for progress, length in OWN_SLIDES.items():
            _draw_slide(canvas, color, square_of(color, progress), length)
        _draw_door(canvas, color, _ENTRANCE_SQUARE, _INWARD[color])
        _draw_door(canvas, color, _CIRCLE_SQUARE, _OUTWARD[color])


def _label(canvas: _Canvas, cell: Cell, text: str, style: str) -> None:
    canvas.put(CELL_HEIGHT * cell[0], CELL_WIDTH * cell[1] + 1, text, style)


def _draw_slide(canvas: _Canvas, color: int, triangle: int, length: int) -> None:
    """Track along the middle of the cells and through the borders between them."""
    line, column = cell_middle(ring_cell(triangle))
    last_line, last_column = cell_middle(ring_cell(triangle + length))
    for y in range(min(line, last_line), max(line, last_line) + 1):
        for x in range(min(column, last_column), max(column, last_column) + 1):
            canvas.put(y, x, _TRACKS[color], _INK[color])
    canvas.put(line, column, _TRIANGLES[color], _INK[color])
    canvas.put(last_line, last_column, _END, _INK[color])


def _draw_door(canvas: _Canvas, color: int, square: int, arrow: str) -> None:
    """An arrow in the border between a ring square and what lies inside it."""
    outer = cell_middle(ring_cell(SIDE * color + square))
    inner = cell_middle(_turned((1, square), color))
    canvas.put((outer[0] + inner[0]) // 2, (outer[1] + inner[1]) // 2, arrow, _INK[color])


def _draw_pawns(canvas: _Canvas, position: Position, seat: int, color: int) -> None:
    places = position.pawns(seat)
    for place in places:
        if place not in ("S", "H"):
            cell = zone_cell(color, int(place[1:])) if place[0] == "s" else ring_cell(int(place))
            line, column = cell_middle(cell)
            canvas.put(line, column - 1, f"({COLORS[color]})", _PAWN_INK[color])
    for title, place, area in (("START", "S", _START_AREA), ("HOME", "H", _HOME_AREA)):
        count = places.count(place)
        top, left, bottom, right = _turned_area(area, color)
        line, middle = CELL_HEIGHT * top + 1, CELL_WIDTH * (left + right + 1) // 2
        line += bottom - top - 1
        heading = f"{title} {count}"
        canvas.put(line, middle - len(heading) // 2, heading, _INK[color])
        spots = " ".join(COLORS[color] * count + "·" * (position.rules.pawns - count))
        start = middle - len(spots) // 2
        for offset, char in enumerate(spots):
            canvas.put(line + 1, start + offset, char, _PAWN_INK[color] if char in COLORS else _FAINT)


def _draw_panel(canvas: _Canvas, lines: list[str]) -> None:
    top, left, _, _ = _PANEL
    for number, line in enumerate(lines):
        canvas.put(CELL_HEIGHT * top + 1 + number, CELL_WIDTH * left + 1, line)


def _panel_lines(position: Position, seat_names: Sequence[str] | None, last_move: str | None) -> list[str]:
    return ["x"]
