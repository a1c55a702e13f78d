"""Shapes as pixels, drawn by Pillow: the empty board is kept, each group of shapes drawn once and pasted from then on.

A group is drawn several times as large as it is shown and then made smaller, which smooths edges and letters. The font
is the one that Pillow brings, so that a picture is the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

import numpy as np

from sorry_env.drawing.board import EXTENT, empty_board
from sorry_env.drawing.geometry import MARGIN, Point
from sorry_env.drawing.shapes import Box, Disc, Group, Line, Polygon, Shape, Text
from sorry_env.drawing.svg import BASELINE
from sorry_env.errors import SorryError
from sorry_env.rules import whole_number

try:
    from PIL import Image, ImageDraw, ImageFont
except ImportError:
    raise SorryError('pictures as pixels need Pillow: pip install "sorry-env[draw]"') from None

SMALLEST: Final = 128  # below, lines are lost
LARGEST: Final = 8192
_FINER: Final = 4  # pixels drawn for one shown, each way
_ANCHORS: Final = {"middle": "ms", "start": "ls", "end": "rs"}
_TO_BOLD: Final = 0.022  # width of the stroke that makes the font bold, in sizes

Pixel = tuple[int, int]


def pixels(groups: Iterable[Group], size: int) -> np.ndarray:
    """Groups on the empty board: uint8 (size, size, 3).

    Raises:
        SorryError: a size that is no whole number, too small or too large.
    """
    if whole_number(size) is None:
        raise SorryError(f"size: {size!r} is not a whole number of pixels in {SMALLEST}..{LARGEST}")
    if not SMALLEST <= size <= LARGEST:
        raise SorryError(f"size: {size} is not in {SMALLEST}..{LARGEST} pixels")
    picture = _board(size).copy()
    for group in _leaves(groups):
        sprite, corner = _sprite(group, size)
        picture.paste(sprite, corner, sprite)
    return np.array(picture)


@lru_cache(maxsize=4)
def _board(size: int) -> Image.Image:
    picture = Image.new("RGB", (size * _FINER, size * _FINER), "#ffffff")
    _Pen(ImageDraw.Draw(picture), size, (0, 0)).draw(empty_board())
    return picture.reduce(_FINER)


def _leaves(groups: Iterable[Group]) -> Iterator[Group]:
    """Groups of shapes alone: what is drawn at once and kept."""
    for group in groups:
        inner = [shape for shape in group.shapes if isinstance(shape, Group)]
        if inner:
            yield from _leaves(inner)
        elif group.shapes:
            yield group


@lru_cache(maxsize=4096)
def _sprite(group: Group, size: int) -> tuple[Image.Image, Pixel]:
    """A group as RGBA, and the pixel of the picture at which its upper left corner belongs."""
    pen = _Pen(None, size, (0, 0))
    bounds = [pen.bounds(shape) for shape in group.shapes]
    lefts, tops, rights, bottoms = zip(*bounds, strict=True)
    left, top = (math.floor(min(edge) / _FINER) - 1 for edge in (lefts, tops))
    right, bottom = (math.ceil(max(edge) / _FINER) + 1 for edge in (rights, bottoms))
    canvas = Image.new("RGBA", ((right - left) * _FINER, (bottom - top) * _FINER), (0, 0, 0, 0))
    _Pen(ImageDraw.Draw(canvas), size, (left * _FINER, top * _FINER)).draw(group)
    return canvas.reduce(_FINER), (left, top)


@lru_cache(maxsize=64)
def _font(height: float) -> Any:
    return ImageFont.load_default(height)


class _Pen:
    """Draws shapes on a canvas that is finer than the picture.

    Args:
        canvas: where to draw; None to ask for bounds alone.
        size: of the whole picture, in shown pixels.
        corner: the canvas's upper left corner on the whole picture, in fine pixels.
    """

    def __init__(self, canvas: ImageDraw.ImageDraw | None, size: int, corner: Pixel) -> None:
        self._canvas, self._corner = canvas, corner
        self._scale = size * _FINER / EXTENT

    def _at(self, point: Point) -> tuple[float, float]:
        return (
            (point[0] + MARGIN) * self._scale - self._corner[0],
            (point[1] + MARGIN) * self._scale - self._corner[1],
        )

    def _long(self, cells: float) -> float:
        return cells * self._scale

    def draw(self, shape: Shape) -> None:
        """Draws a shape, or all of a group."""
        canvas = self._canvas
        if canvas is None:
            raise ValueError("a pen without a canvas draws nothing")
        match shape:
            case Group(shapes):
                for inner in shapes:
                    self.draw(inner)
            case Text():
                self._write(canvas, shape)
            case Line(points, ink, width):
                self._stroke(canvas, [self._at(point) for point in points], ink, self._long(width))
            case Polygon(points, fill, edge, width):
                corners = [self._at(point) for point in points]
                if fill:
                    canvas.polygon(corners, fill)
                if edge:
                    self._stroke(canvas, [*corners, corners[0]], edge, self._long(width))
            case Disc(at, radius, fill, edge, width):
                wide = self._long(width) if edge else 0
                canvas.ellipse(self._square(at, self._long(radius) + wide / 2), fill or None, edge or None, round(wide))
            case Box():
                self._rectangle(canvas, shape)

    def _square(self, at: Point, half: float) -> tuple[float, float, float, float]:
        x, y = self._at(at)
        return x - half, y - half, x + half, y + half

    def _rectangle(self, canvas: ImageDraw.ImageDraw, box: Box) -> None:
        (x, y), wide = self._at(box.corner), self._long(box.width) if box.edge else 0
        across, down = self._long(box.size[0]), self._long(box.size[1])
        frame = [x - wide / 2, y - wide / 2, x + across + wide / 2 - 1, y + down + wide / 2 - 1]
        canvas.rounded_rectangle(
            frame,
            self._long(box.radius) + wide / 2 * bool(box.radius),
            box.fill or None,
            box.edge or None,
            round(wide),
        )

    @staticmethod
    def _stroke(canvas: ImageDraw.ImageDraw, points: list[tuple[float, float]], ink: str, width: float) -> None:
        canvas.line(points, ink, round(width), joint="curve")
        half = width / 2
        for x, y in (points[0], points[-1]):
            canvas.ellipse([x - half, y - half, x + half, y + half], ink)

    def _write(self, canvas: ImageDraw.ImageDraw, text: Text) -> None:
        x, y = self._at(text.at)
        height = self._long(text.size)
        bold = height * _TO_BOLD if text.bold else 0
        anchor = _ANCHORS[text.anchor]
        canvas.text((x, y + BASELINE * height), text.text, text.ink, _font(height), anchor, stroke_width=bold)

    def bounds(self, shape: Shape) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of a shape, in fine pixels."""
        match shape:
            case Text(at, text, size, _, bold, anchor):
                x, y = self._at(at)
                height = self._long(size)
                box = _font(height).getbbox(text, anchor=_ANCHORS[anchor], stroke_width=height * _TO_BOLD * bold)
                y += BASELINE * height
                return x + box[0], y + box[1], x + box[2], y + box[3]
            case Line(points, _, width) | Polygon(points, _, _, width):
                xs, ys = zip(*map(self._at, points), strict=True)
                half = self._long(width) / 2
                return min(xs) - half, min(ys) - half, max(xs) + half, max(ys) + half
            case Disc(at, radius, _, _, width):
                return self._square(at, self._long(radius + width / 2))
            case Box(corner, size, _, _, width):
                (x, y), half = self._at(corner), self._long(width) / 2
                return x - half, y - half, x + self._long(size[0]) + half, y + self._long(size[1]) + half
            case Group():
                raise ValueError("bounds are of single shapes")
