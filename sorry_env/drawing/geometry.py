"""Where everything on the board is, in cells: for the terminal, the pictures and the pages alike.

The board is a square of 16 x 16 cells. A *cell* is (row from the top, column from the left); a *point* is (x, y) in
cells from the board's upper left corner. Everything is laid out once for Red's side, on top, and turned by quarters for
the other three.
"""

from __future__ import annotations

from typing import Final

from sorry_env.board import CIRCLE, COLOR_NAMES, ENTRANCE, HOME, SIDE, START, format_location, square_of

CELLS: Final = SIDE + 1

Cell = tuple[int, int]
Area = tuple[int, int, int, int]  # first row, first column, last row, last column
Point = tuple[float, float]

# Red's side: columns of its special squares and the cells that Start and Home may take.
ENTRANCE_COLUMN: Final = square_of(0, ENTRANCE)
CIRCLE_COLUMN: Final = square_of(0, CIRCLE)
AREAS: Final[dict[str, Area]] = {"S": (1, 3, 2, 5), "H": (6, 1, 7, 3)}
PANEL: Final[Area] = (4, 4, 11, 11)  # free cells in the middle

MARGIN: Final = 0.44  # round the ring, for its numbers
NUMBER_GAP: Final = 0.2  # from the edge of a ring or zone square to the middle of its name outside of it
AREA_RADIUS: Final = 1.25  # of the discs that are Start and Home
_AREA_GAPS: Final = {"S": 0.2, "H": 0.03}  # from the upper edge of the area to the disc
# Where the pawns of a Start or Home stand, from the disc's middle, by how many pawns a side has.
_SPOTS: Final[dict[int, tuple[Point, ...]]] = {
    1: ((0.0, 0.2),),
    2: ((-0.38, 0.2), (0.38, 0.2)),
    3: ((-0.38, -0.2), (0.38, -0.2), (0.0, 0.62)),
    4: ((-0.38, -0.2), (0.38, -0.2), (-0.38, 0.62), (0.38, 0.62)),
}


def ring_cell(square: int) -> Cell:
    """Row and column (0..15) of a ring square 0..59: 0 is the top left corner, numbers run clockwise."""
    return turned_cell((0, square % SIDE), square // SIDE)


def zone_cell(color: int, index: int) -> Cell:
    """Row and column (0..15) of zone square `index` (0..4) of `color` (0..3)."""
    return turned_cell((1 + index, ENTRANCE_COLUMN), color)


def turned_cell(cell: Cell, quarters: int) -> Cell:
    """A cell of Red's side, on the side `quarters` further clockwise."""
    row, column = cell
    for _ in range(quarters):
        row, column = column, CELLS - 1 - row
    return row, column


def turned_area(area: Area, quarters: int) -> Area:
    """An area of Red's side, on the side `quarters` further clockwise."""
    rows, columns = zip(turned_cell(area[:2], quarters), turned_cell(area[2:], quarters), strict=True)
    return min(rows), min(columns), max(rows), max(columns)


def turned(point: Point, quarters: int) -> Point:
    """A point of Red's side, on the side `quarters` further clockwise."""
    x, y = point
    for _ in range(quarters):
        x, y = CELLS - y, x
    return x, y


def cell_middle(cell: Cell) -> Point:
    """The point in the middle of a cell."""
    return cell[1] + 0.5, cell[0] + 0.5


def area_middle(color: int, which: str) -> Point:
    """Middle of the disc that is a colour's Start (`S`) or Home (`H`)."""
    top, left, _, right = AREAS[which]
    return turned(((left + right + 1) / 2, top + _AREA_GAPS[which] + AREA_RADIUS), color)


def area_spots(color: int, which: str, pawns: int) -> tuple[Point, ...]:
    """Where the pawns of a side of `pawns` (1..4) stand in Start (`S`) or Home (`H`)."""
    x, y = area_middle(color, which)
    return tuple((x + across, y + down) for across, down in _SPOTS[pawns])


def pawn_spot(color: int, progress: int, inward: float = 0.0) -> Point:
    """Middle of a pawn on a ring or zone square; of Start and Home, their middle.

    Args:
        color: 0..3.
        progress: 0..66.
        inward: on the ring, how far from the square's middle to the inner side of the ring.
    """
    if progress in (START, HOME):
        return area_middle(color, "S" if progress == START else "H")
    if progress > ENTRANCE:
        return cell_middle(zone_cell(color, progress - ENTRANCE - 1))
    square = square_of(color, progress)
    return turned((square % SIDE + 0.5, 0.5 + inward), square // SIDE)


def place_name(color: int, progress: int) -> str:
    """A place's name all over the board: `ring-17`, `red-s2`, `red-start`, `red-home`."""
    if progress in (START, HOME):
        return f"{COLOR_NAMES[color]}-{'start' if progress == START else 'home'}"
    location = format_location(color, progress)
    return f"{COLOR_NAMES[color]}-{location}" if progress > ENTRANCE else f"ring-{location}"
