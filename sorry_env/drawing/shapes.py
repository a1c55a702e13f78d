"""The few shapes that pictures are made of: frozen values in cells, from which come SVG and pixels.

A line's or an edge's width is in cells, too, and lies half on each side. A colour is `#rrggbb`; an empty one draws
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from sorry_env.drawing.geometry import Point


@dataclass(frozen=True, slots=True)
class Polygon:
    """A closed outline."""

    points: tuple[Point, ...]
    fill: str
    edge: str = ""
    width: float = 0.03


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle."""

    at: Point
    radius: float
    fill: str
    edge: str = ""
    width: float = 0.03


@dataclass(frozen=True, slots=True)
class Box:
    """An upright rectangle, its corners rounded by `radius`."""

    corner: Point
    size: Point
    fill: str
    edge: str = ""
    width: float = 0.03
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Line:
    """Straight pieces from point to point, with round ends and joints."""

    points: tuple[Point, ...]
    ink: str
    width: float


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text as high as `size`; its middle, start or end (by `anchor`) is at a point."""

    at: Point
    text: str
    size: float
    ink: str
    bold: bool = False
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes that belong together, with what the SVG says of them.

    Attributes:
        shapes: from the lowest up.
        css: class names, separated by spaces.
        data: names and values of `data-` attributes.
    """

    shapes: tuple[Shape, ...]
    css: str = ""
    data: tuple[tuple[str, str], ...] = ()


Shape = Polygon | Disc | Box | Line | Text | Group


def cell_box(cell: tuple[int, int], fill: str, edge: str) -> Box:
    """The square of one cell."""
    return Box((cell[1], cell[0]), (1, 1), fill, edge)
