"""Cards as shapes: faces, backs, and places where a card may lie."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from sorry_env.drawing.geometry import Point
from sorry_env.drawing.palette import CARD_BACK, CARD_BACK_SIGN, CARD_FACE, EDGE, FAINT, GREY, SORRY_INK, TEXT
from sorry_env.drawing.shapes import Box, Disc, Group, Line, Polygon, Text

_RATIO: Final = 0.7  # width of a card to its height


def card_name(card: str) -> str:
    """What people call a card: its number, or Sorry!."""
    return "Sorry!" if card == "X" else card


@lru_cache(maxsize=512)
def card_face(card: str, middle: Point, height: float, css: str = "", data: tuple[tuple[str, str], ...] = ()) -> Group:
    """A card with its number, on large ones also in two corners; Sorry! is in red, on small ones its letter X."""
    width, ink = _RATIO * height, SORRY_INK if card == "X" else TEXT
    x, y = middle
    is_small = height < 1.0
    if card == "X" and not is_small:
        number = Text((x, y), card_name(card), 0.19 * height, ink, bold=True)
    else:
        size = 0.45 if not is_small else 0.55 if len(card) == 1 else 0.42
        number = Text((x, y), card, size * height, ink, bold=True)
    corners: tuple[Text, ...] = ()
    if not is_small:
        away = (0.5 * width - 0.13 * height, 0.5 * height - 0.12 * height)
        corners = tuple(
            Text((x + sign * away[0], y + sign * away[1]), card, 0.13 * height, ink, bold=True) for sign in (-1, 1)
        )
    return Group((_blank(middle, height), number, *corners), f"card {css}".rstrip(), (("card", card), *data))


@lru_cache(maxsize=64)
def card_back(middle: Point, height: float, css: str = "") -> Group:
    """A card face down."""
    x, y = middle
    width = _RATIO * height
    inner = 0.82 * width, height - 0.18 * width
    half = (0.26 * width, 0.26 * height)
    diamond = ((x, y - half[1]), (x + half[0], y), (x, y + half[1]), (x - half[0], y))
    shapes = (
        _blank(middle, height),
        Box((x - inner[0] / 2, y - inner[1] / 2), inner, CARD_BACK, radius=0.05 * height),
        Polygon(diamond, "", CARD_BACK_SIGN, 0.03 * height),
        Disc(middle, 0.08 * height, CARD_BACK_SIGN),
    )
    return Group(shapes, f"card back {css}".rstrip())


@lru_cache(maxsize=64)
def card_gap(middle: Point, height: float, css: str = "") -> Group:
    """Where a card may lie, but none does."""
    return Group((_blank(middle, height, "", FAINT, 0.04),), f"gap {css}".rstrip())


@lru_cache(maxsize=64)
def card_unknown(middle: Point, height: float, css: str = "") -> Group:
    """A card face up of which nobody knows what it is: lines for its number."""
    x, y = middle
    width = _RATIO * height
    lines = [
        Box((x - 0.3 * width, y + down * height), (0.6 * width, 0.04 * height), GREY) for down in (-0.12, 0.0, 0.12)
    ]
    return Group((_blank(middle, height), *lines), css)


@lru_cache(maxsize=256)
def pile_edge(middle: Point, height: float, cards: int) -> Group:
    """The cards below the uppermost of a pile: up to three edges."""
    x, y = middle
    width = _RATIO * height
    edges = [
        Line(((x - width / 2 + 0.1, y + height / 2 + down), (x + width / 2 - 0.05, y + height / 2 + down)), EDGE, 0.03)
        for down in (0.045 * (number + 1) for number in range(min(3, (cards + 8) // 10)))
    ]
    return Group(tuple(edges))


def _blank(middle: Point, height: float, fill: str = CARD_FACE, edge: str = EDGE, line: float = 0.03) -> Box:
    width = _RATIO * height
    return Box((middle[0] - width / 2, middle[1] - height / 2), (width, height), fill, edge, line, 0.08 * height)
