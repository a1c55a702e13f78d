"""The empty board as shapes: ring, zones, slides, Starts and Homes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from sorry_env.board import (
    CIRCLE,
    COLORS,
    DIAMOND,
    ENTRANCE,
    HOME,
    OWN_SLIDES,
    RING,
    SIDE,
    START,
    ZONE,
    format_location,
    progress_of,
    square_of,
)
from sorry_env.drawing.geometry import (
    AREA_RADIUS,
    CELLS,
    CIRCLE_COLUMN,
    ENTRANCE_COLUMN,
    MARGIN,
    NUMBER_GAP,
    Point,
    area_middle,
    place_name,
    ring_cell,
    turned,
    zone_cell,
)
from sorry_env.drawing.palette import EDGE, FILLS, GROUND, INKS, SQUARE, TEXT, TINTS
from sorry_env.drawing.shapes import Box, Disc, Group, Polygon, Shape, Text, cell_box

EXTENT: Final = CELLS + 2 * MARGIN  # of a whole picture

NUMBER_SIZE: Final = 0.27
SIGN_SIZE: Final = 0.3
TITLE_SIZE: Final = 0.28
TITLE_RISE: Final = 0.86  # of the titles of Start and Home over the disc's middle
TRACK_DEPTH: Final = 0.5  # of slides, from the outer edge


@cache
def empty_board() -> Group:
    """Everything that no game changes."""
    ground = Box((-MARGIN, -MARGIN), (EXTENT, EXTENT), GROUND, radius=0.16)
    squares = tuple(_ring_square(square) for square in range(RING))
    sides = tuple(shape for color in range(len(COLORS)) for shape in _side(color))
    numbers = tuple(_number(square) for square in range(RING))
    return Group((ground, *squares, *sides, *numbers), "board")


def _place(color: int, progress: int, *shapes: Shape) -> Group:
    return Group(shapes, "place", (("place", place_name(color, progress)),))


def _ring_square(square: int) -> Group:
    return _place(0, progress_of(0, square), cell_box(ring_cell(square), SQUARE, EDGE))


def _number(square: int) -> Text:
    """A ring square's number, outside of it; a corner belongs to the side that it begins."""
    point = turned((square % SIDE + 0.5, -NUMBER_GAP), square // SIDE)
    return Text(point, str(square), NUMBER_SIZE, TEXT)


def _side(color: int) -> Iterator[Shape]:
    """What belongs to one colour, over the squares."""
    for index in range(ZONE):
        progress = ENTRANCE + 1 + index
        yield _place(color, progress, cell_box(zone_cell(color, index), TINTS[color], EDGE))
        name = turned((ENTRANCE_COLUMN - NUMBER_GAP, 1.5 + index), color)
        yield Text(name, format_location(color, progress), NUMBER_SIZE, TEXT)
    for progress, length in OWN_SLIDES.items():
        yield from _slide(color, progress, length)
    column = square_of(color, DIAMOND) - SIDE * color + 0.5
    corners = ((column - 0.2, 0.0), (column, -0.2), (column + 0.2, 0.0), (column, 0.2))
    yield _turned_polygon(tuple((x, TRACK_DEPTH + y) for x, y in corners), color, SQUARE, FILLS[color], 0.05)
    for which, progress, title, ink, fill, edge in (
        ("S", START, "START", INKS[color], FILLS[color], EDGE),
        ("H", HOME, "HOME", TEXT, TINTS[color], FILLS[color]),
    ):
        x, y = area_middle(color, which)
        yield _place(
            color,
            progress,
            Disc((x, y), AREA_RADIUS, fill, edge, 0.06),
            Text((x, y - TITLE_RISE), title, TITLE_SIZE, ink, bold=True),
        )
    yield _door((ENTRANCE_COLUMN + 0.5, 1.03), color, outward=False)
    yield _door((CIRCLE_COLUMN + 0.5, 1.1), color, outward=True)


def _turned_polygon(points: tuple[Point, ...], color: int, fill: str, edge: str = EDGE, width: float = 0.03) -> Polygon:
    return Polygon(tuple(turned(point, color) for point in points), fill, edge, width)


def _slide(color: int, progress: int, length: int) -> Iterator[Shape]:
    """One slide: triangle, track and disc, each end with the colour's letter; the circle has a ring round its disc."""
    first, last = square_of(color, progress), square_of(color, progress + length)
    column, ink = first - SIDE * color + 0.5, INKS[color]
    near, far = TRACK_DEPTH - 0.08, TRACK_DEPTH + 0.08
    track = ((column, near), (column + length, near), (column + length, far), (column, far))
    yield _turned_polygon(track, color, FILLS[color])
    triangle = ((column - 0.3, -0.3), (column + 0.34, 0.0), (column - 0.3, 0.3))
    yield _turned_polygon(tuple((x, TRACK_DEPTH + y) for x, y in triangle), color, FILLS[color])
    yield Text(turned((column - 0.1, TRACK_DEPTH), color), COLORS[color], SIGN_SIZE, ink, bold=True)
    end = turned((column + length, TRACK_DEPTH), color)
    if last == square_of(color, CIRCLE):
        yield Disc(end, 0.3, SQUARE, FILLS[color], 0.05)
    yield Disc(end, 0.24, FILLS[color], EDGE)
    yield Text(end, COLORS[color], SIGN_SIZE, ink, bold=True)


def _door(tip: Point, color: int, outward: bool) -> Polygon:
    """A small arrow head over the border between the ring and what lies inside of it."""
    x, y = tip
    end = -0.1 if outward else 0.1
    return _turned_polygon(((x, y + end), (x - 0.2, y - end), (x + 0.2, y - end)), color, TEXT, TEXT)
