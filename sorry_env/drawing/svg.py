"""Shapes as SVG text: no ids, no style sheet and no font of its own, so that many pictures may stand on one page."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from sorry_env.drawing.board import EXTENT
from sorry_env.drawing.geometry import MARGIN, Point
from sorry_env.drawing.shapes import Box, Disc, Group, Line, Polygon, Shape, Text

UNIT: Final = 50  # user units of a cell
BASELINE: Final = 0.36  # how far a text's baseline is below its middle, in its sizes
_FONTS: Final = "Helvetica, Arial, 'DejaVu Sans', sans-serif"


def svg_text(shapes: Iterable[Shape], title: str, description: str, size: int | None = None) -> str:
    """A whole picture.

    Args:
        shapes: from the lowest up.
        title: what the picture is, for those who do not see it.
        description: what it shows.
        size: width and height in pixels; None leaves them to the page (the picture scales).
    """
    start, extent = -MARGIN * UNIT, EXTENT * UNIT
    sized = "" if size is None else f' width="{size}" height="{size}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{start:g} {start:g} {extent:g} {extent:g}"{sized} '
        f'font-family="{_FONTS}" role="img">'
    )
    titles = [f"<title>{escape(title)}</title>", f"<desc>{escape(description)}</desc>"]
    return "\n".join([head, *titles, *map(_element, shapes), "</svg>", ""])


@lru_cache(maxsize=2048)
def _element(shape: Shape) -> str:
    match shape:
        case Polygon(points, fill, edge, width):
            return f'<polygon points="{_path(points)}"{_paint(fill, edge, width)} stroke-linejoin="round"/>'
        case Disc(at, radius, fill, edge, width):
            return f'<circle cx="{_n(at[0])}" cy="{_n(at[1])}" r="{_n(radius)}"{_paint(fill, edge, width)}/>'
        case Box(corner, size, fill, edge, width, radius):
            rounded = f' rx="{_n(radius)}"' if radius else ""
            place = f'x="{_n(corner[0])}" y="{_n(corner[1])}" width="{_n(size[0])}" height="{_n(size[1])}"'
            return f"<rect {place}{rounded}{_paint(fill, edge, width)}/>"
        case Line(points, ink, width):
            return (
                f'<polyline points="{_path(points)}"{_paint("", ink, width)} '
                'stroke-linejoin="round" stroke-linecap="round"/>'
            )
        case Text(at, text, size, ink, bold, anchor):
            more = ' font-weight="bold"' if bold else ""
            return (
                f'<text x="{_n(at[0])}" y="{_n(at[1] + BASELINE * size)}" font-size="{_n(size)}" fill="{ink}" '
                f'text-anchor="{anchor}"{more}>{escape(text)}</text>'
            )
        case Group(shapes, css, data):
            names = f" class={quoteattr(css)}" if css else ""
            names += "".join(f" data-{name}={quoteattr(value)}" for name, value in data)
            inner = "\n".join(map(_element, shapes)) if css == "board" else "".join(map(_element, shapes))
            return f"<g{names}>{inner}</g>"


def _n(cells: float) -> str:
    """A length in user units."""
    return f"{round(cells * UNIT, 2):g}"


def _path(points: tuple[Point, ...]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _paint(fill: str, edge: str, width: float) -> str:
    stroke = f' stroke="{edge}" stroke-width="{_n(width)}"' if edge else ""
    return f' fill="{fill or "none"}"{stroke}'
