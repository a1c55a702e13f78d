"""Facts of the board (RULES 1): colours, squares, progress, slides. One file converts between square and progress.

*Square* is a ring number 0..59 that all colours share. *Progress* is one colour's own way: 0 is Start, 1..60 are the
ring squares from the colour's diamond (b+3) round to its entrance (b+2), 61..65 are its zone s0..s4 and 66 is Home.
Seen by progress every colour's board is the same, so slides are a table over progress, too.
"""

from __future__ import annotations

from typing import Final

RING: Final = 60
ZONE: Final = 5
SIDE: Final = 15

START: Final = 0
DIAMOND: Final = 1
CIRCLE: Final = 2
ENTRANCE: Final = 60
HOME: Final = 66

COLORS: Final = "RBYG"
COLOR_NAMES: Final = ("red", "blue", "yellow", "green")

# Progress of the triangle -> length of its slide, for the three slides each of other colours and the two of one's own.
OWN_SLIDES: Final = {59: 3, 7: 4}
OTHER_SLIDES: Final = {side * SIDE + start: length for side in (1, 2, 3) for start, length in ((-1, 3), (7, 4))}
SLIDES_BY_OPTION: Final = {"other": OTHER_SLIDES, "own": OWN_SLIDES, "any": OTHER_SLIDES | OWN_SLIDES}


def square_of(color: int, progress: int) -> int:
    """Ring square (0..59) of `color` (0..3) at `progress` 1..60."""
    return (SIDE * color + 2 + progress) % RING


def progress_of(color: int, square: int) -> int:
    """Progress (1..60) of `color` (0..3) on ring square 0..59."""
    return (square - SIDE * color - 3) % RING + 1


def distance_of(progress: int) -> int:
    """Distance to Home in squares by RULES 1.2: Start 65 by convention, Home 0."""
    return 65 if progress == START else HOME - progress


def format_location(color: int, progress: int) -> str:
    """Location of RULES 8.1: `S`, a ring number, `s0`..`s4` or `H`."""
    if progress == START:
        return "S"
    if progress == HOME:
        return "H"
    return f"s{progress - ENTRANCE - 1}" if progress > ENTRANCE else str(square_of(color, progress))


_ZONE_AND_ENDS: Final = {"S": START, "H": HOME} | {f"s{k}": ENTRANCE + 1 + k for k in range(ZONE)}
_RING: Final = {str(square): square for square in range(RING)}


def parse_location(color: int, text: str) -> int:
    """Progress of `color` at the location `text` (RULES 8.1). Raises KeyError where the text is no location."""
    return progress_of(color, _RING[text]) if text in _RING else _ZONE_AND_ENDS[text]
