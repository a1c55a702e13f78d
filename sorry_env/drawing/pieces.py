"""Pawns and the marks of a move as shapes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from sorry_env.board import COLOR_NAMES, COLORS, ENTRANCE, HOME, RING, START, ZONE, progress_of
from sorry_env.drawing.board import TITLE_RISE, TITLE_SIZE
from sorry_env.drawing.geometry import (
    AREA_RADIUS,
    Point,
    area_middle,
    area_spots,
    pawn_spot,
    place_name,
    ring_cell,
    zone_cell,
)
from sorry_env.drawing.legs import BUMP, SLIDE, Leg
from sorry_env.drawing.palette import FILLS, GREY, HIGHLIGHT, INKS, SQUARE, TEXT, TINTS
from sorry_env.drawing.shapes import Box, Disc, Group, Line, Polygon, Shape, Text
from sorry_env.errors import SorryError
from sorry_env.notation import pawn_places
from sorry_env.position import Position

_HEAD: Final = (0.0, -0.22)
_HEAD_RADIUS: Final = 0.145
_BODY: Final = (
    (-0.1, -0.16),
    (0.1, -0.16),
    (0.16, 0.02),
    (0.29, 0.28),
    (0.29, 0.36),
    (-0.29, 0.36),
    (-0.29, 0.28),
    (-0.16, 0.02),
)
_LETTER: Final = (0.0, 0.17)
_LETTER_SIZE: Final = 0.36
_CASING: Final = 0.14  # white round a pawn, which keeps it apart from what is below

_ARROW: Final = 0.1
_ARROW_CASING: Final = 0.2
_HEAD_LENGTH: Final = 0.34
_HEAD_WIDTH: Final = 0.44
_SLIDE_INWARD: Final = 0.27
_SHORT: Final = 0.36  # an arrow ends before the pawn that it brought
_DASH: Final = 0.16


@lru_cache(maxsize=4096)
def pawn(color: int, place: str, at: Point) -> Group:
    """A pawn with its colour's letter, its middle at a point."""
    x, y = at
    head = (x + _HEAD[0], y + _HEAD[1])
    body = tuple((x + across, y + down) for across, down in _BODY)
    fill = FILLS[color]
    shapes = (
        Polygon(body, SQUARE, SQUARE, _CASING),
        Disc(head, _HEAD_RADIUS, SQUARE, SQUARE, _CASING),
        Polygon(body, fill, TEXT, 0.04),
        Disc(head, _HEAD_RADIUS, fill, TEXT, 0.04),
        Text((x + _LETTER[0], y + _LETTER[1]), COLORS[color], _LETTER_SIZE, INKS[color], bold=True),
    )
    return Group(shapes, "pawn", (("color", COLOR_NAMES[color]), ("place", place)))


def pawns(position: Position) -> Iterator[Group]:
    """Every pawn of a position; those in a Start or Home stand side by side."""
    for seat, color in enumerate(position.rules.color_ids):
        seen = {START: 0, HOME: 0}
        for progress in pawn_places(position.row[0], position.rules, seat):
            if progress in seen:
                spot = area_spots(color, "S" if progress == START else "H", position.rules.pawns)[seen[progress]]
                seen[progress] += 1
            else:
                spot = pawn_spot(color, progress)
            yield pawn(color, place_name(color, progress), spot)


@lru_cache(maxsize=32)
def free_spots(color: int, count: int) -> Group:
    """Marks for all pawns of a colour in its Start and Home, to be covered by those there."""
    rings = [
        Disc((x, y + 0.1), 0.2, tint, edge, 0.03)
        for which, tint, edge in (("S", FILLS[color], INKS[color]), ("H", TINTS[color], FILLS[color]))
        for x, y in area_spots(color, which, count)
    ]
    return Group(tuple(rings), "spots")


@lru_cache(maxsize=4)
def vacant_areas(color: int) -> Group:
    """Start and Home of a colour that nobody plays, in its faint colour."""
    shapes: list[Shape] = []
    for which, title in (("S", "START"), ("H", "HOME")):
        x, y = area_middle(color, which)
        shapes += [
            Disc((x, y), AREA_RADIUS, TINTS[color], FILLS[color], 0.06),
            Text((x, y - TITLE_RISE), title, TITLE_SIZE, GREY, bold=True),
            Text((x, y), "nobody", 0.34, GREY),
        ]
    return Group(tuple(shapes), "vacant", (("color", COLOR_NAMES[color]),))


# --- A move ---


def move_marks(legs: Iterable[Leg]) -> Iterator[Group]:
    """Arrows along the ways of a move; from where a pawn was bumped, a dashed way to its Start."""
    for leg in legs:
        inward = _SLIDE_INWARD if leg.kind == SLIDE else 0.0  # a step back may come the other way
        points = tuple(pawn_spot(leg.color, progress, inward) for progress in leg.way)
        ends = place_name(leg.color, leg.way[0]), place_name(leg.color, leg.way[-1])
        data = (("color", COLOR_NAMES[leg.color]), ("from", ends[0]), ("to", ends[1]))
        if leg.kind == BUMP:
            end = _shortened(points[0], points[1], AREA_RADIUS)
            yield Group((*_dashes(points[0], end, leg.color), _origin(points[0], leg)), "leg bump", data)
        else:
            yield Group(tuple(_arrow(points, leg)), f"leg {leg.kind}", data)


def _arrow(points: tuple[Point, ...], leg: Leg) -> Iterator[Shape]:
    tip = _shortened(points[-2], points[-1], _SHORT if leg.way[-1] != HOME else AREA_RADIUS - _HEAD_LENGTH / 2)
    neck = _shortened(points[-2], tip, _HEAD_LENGTH)
    length = math.dist(neck, tip)
    across, down = (tip[0] - neck[0]) / length, (tip[1] - neck[1]) / length
    wide = _HEAD_WIDTH / 2
    head = (
        tip,
        (neck[0] - wide * down, neck[1] + wide * across),
        (neck[0] + wide * down, neck[1] - wide * across),
    )
    shaft = (*points[:-1], neck)
    yield Line(shaft, SQUARE, _ARROW_CASING)
    yield Polygon(head, SQUARE, SQUARE, _ARROW_CASING - _ARROW)
    yield Line(shaft, TEXT, _ARROW)
    yield Polygon(head, TEXT)
    yield _origin(points[0], leg)


def _origin(at: Point, leg: Leg) -> Disc:
    return Disc(at, 0.13, FILLS[leg.color], TEXT, 0.04)


def _shortened(start: Point, end: Point, by: float) -> Point:
    """The point that lies before the end of a straight way."""
    return _between(start, end, 1 - by / math.dist(start, end))


def _between(start: Point, end: Point, part: float) -> Point:
    return start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])


def _dashes(start: Point, end: Point, color: int) -> Iterator[Line]:
    count = max(1, round(math.dist(start, end) / (2 * _DASH)))
    dashes = [
        (_between(start, end, number / count), _between(start, end, (number + 0.5) / count)) for number in range(count)
    ]
    yield from (Line(dash, SQUARE, 0.14) for dash in dashes)
    yield from (Line(dash, FILLS[color], 0.08) for dash in dashes)


# --- Highlights ---


@lru_cache(maxsize=1)
def _outlines() -> dict[str, Shape]:
    """An outline for each place by its name."""
    found: dict[str, Shape] = {}
    for square in range(RING):
        found[place_name(0, progress_of(0, square))] = _cell_outline(ring_cell(square))
    for color in range(len(COLORS)):
        for index in range(ZONE):
            found[place_name(color, ENTRANCE + 1 + index)] = _cell_outline(zone_cell(color, index))
        for which, progress in (("S", START), ("H", HOME)):
            found[place_name(color, progress)] = Disc(area_middle(color, which), AREA_RADIUS, "", HIGHLIGHT, 0.12)
    return found


def _cell_outline(cell: tuple[int, int]) -> Box:
    return Box((cell[1] + 0.06, cell[0] + 0.06), (0.88, 0.88), "", HIGHLIGHT, 0.12, 0.06)


def highlight_marks(places: Iterable[str]) -> Iterator[Group]:
    """Outlines of places by their names. Raises SorryError for a name that no place has."""
    for place in places:
        if place not in _outlines():
            raise SorryError(f"highlights: {place!r} is no place; write ring-17, red-s2, red-start or red-home")
        yield Group((_outlines()[place],), "highlight", (("place", place),))
