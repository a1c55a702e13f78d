"""Pictures of a position: as SVG text and as pixels, from the same shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from sorry_env.board import COLORS
from sorry_env.drawing import wording
from sorry_env.drawing.board import empty_board
from sorry_env.drawing.legs import move_legs
from sorry_env.drawing.panel import panel
from sorry_env.drawing.pieces import free_spots, highlight_marks, move_marks, pawns, vacant_areas
from sorry_env.drawing.shapes import Group
from sorry_env.drawing.svg import svg_text
from sorry_env.errors import IllegalError, SorryError
from sorry_env.position import Position
from sorry_env.rules import whole_number

if TYPE_CHECKING:
    import numpy as np

NOTEBOOK_PIXELS: Final = 560  # width and height of a picture in a notebook


def position_svg(
    position: Position,
    *,
    size: int | None = None,
    last_move: str | None = None,
    before: Position | None = None,
    seat_names: Sequence[str] | None = None,
    highlights: Iterable[str] = (),
    viewer: int | None = None,
) -> str:
    """A position as SVG text, with hooks for style sheets and scripts (see `sorry_env.drawing`).

    Args:
        position: what to draw.
        size: width and height in pixels; None lets the picture scale to where it stands.
        last_move: text of the last move (RULES 8.3), shown as it is.
        before: the position in which `last_move` was made: shows its ways, slides and bumps by arrows.
        seat_names: one name a seat to show beside the colours.
        highlights: names of places to outline.
        viewer: a seat: hands that it may not know are face down; None shows all that the position tells.

    Raises:
        SorryError: a size that is no whole number from 1, not one name a seat, no such place or seat, or `before`
            without a move that was legal there.
    """
    if size is not None and (whole_number(size) or 0) < 1:
        raise SorryError(f"size: {size!r} is neither None nor a whole number of pixels from 1")
    layers = position_shapes(position, last_move, before, seat_names, highlights, viewer)
    shown = position if viewer is None else position.seen_by(viewer)
    return svg_text(
        (empty_board(), *layers), wording.title(shown), wording.description(shown, last_move, seat_names), size
    )


def position_pixels(
    position: Position,
    *,
    size: int = 512,
    last_move: str | None = None,
    before: Position | None = None,
    seat_names: Sequence[str] | None = None,
    highlights: Iterable[str] = (),
    viewer: int | None = None,
) -> np.ndarray:
    """A position as pixels: uint8 (size, size, 3), red, green, blue.

    Arguments but `size` (width and height in pixels, 128 to 8192) as of `position_svg`.

    Raises:
        SorryError: as `position_svg`; a size that is no whole number in these bounds; or Pillow is not installed.
    """
    from sorry_env.drawing.pixels import pixels

    return pixels(position_shapes(position, last_move, before, seat_names, highlights, viewer), size)


def position_shapes(
    position: Position,
    last_move: str | None = None,
    before: Position | None = None,
    seat_names: Sequence[str] | None = None,
    highlights: Iterable[str] = (),
    viewer: int | None = None,
) -> list[Group]:
    """All that stands on the empty board, from the lowest up. Arguments and errors as of `position_svg`."""
    rules = position.rules
    if seat_names is not None and len(seat_names) != rules.players:
        raise SorryError(f"seat_names: {len(seat_names)} names for {rules.players} seats")
    if viewer is not None:
        if not 0 <= viewer < rules.players:
            raise SorryError(f"viewer: {viewer} is not a seat in 0..{rules.players - 1}")
        position = position.seen_by(viewer)
    spots = [
        free_spots(color, rules.pawns) if color in rules.color_ids else vacant_areas(color)
        for color in range(len(COLORS))
    ]
    return [
        *spots,
        *_marks(before, last_move),
        panel(position, seat_names, last_move, before),
        *highlight_marks(highlights),
        *pawns(position),
    ]


def _marks(before: Position | None, last_move: str | None) -> list[Group]:
    if before is None:
        return []
    if last_move is None:
        raise SorryError("before: give last_move, the move that was made there, as well")
    try:
        return list(move_marks(move_legs(before, last_move)))
    except IllegalError as error:
        raise SorryError(f"last_move: {error}") from None
