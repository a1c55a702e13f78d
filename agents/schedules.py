"""Settings that change while training goes on: constant, linear or cosine, written as text."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from sorry_env.errors import SorryError

# Share of the way from start to end, by the share of the training that is done.
SHAPES: Final[dict[str, Callable[[float], float]]] = {
    "constant": lambda done: 0.0,
    "linear": lambda done: done,
    "cosine": lambda done: (1 - math.cos(math.pi * done)) / 2,
}


@dataclass(frozen=True)
class Schedule:
    """A number by the share of the training that is done.

    Attributes:
        shape: one of `SHAPES`.
        start: the number at the beginning.
        end: the number at the end.
    """

    shape: str
    start: float
    end: float

    def __call__(self, done: float) -> float:
        """The number once `done`, 0 to 1, of the training is over."""
        way = SHAPES[self.shape](done)
        return (1 - way) * self.start + way * self.end


def parse_schedule(text: str) -> Schedule:
    """The schedule that a text means: `0.01` stays, `linear:0.01:0` and `cosine:0.01:0` go from the first to the last.

    Raises:
        SorryError: a text of another form, or a number that is negative or not finite.
    """
    shape, *numbers = text.split(":") if ":" in text else ("constant", text, text)
    if shape not in SHAPES:
        near = get_close_matches(shape, SHAPES, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise SorryError(f"no schedule {shape!r} in {text!r}; {hint}known: {', '.join(SHAPES)}")
    try:
        start, end = map(float, numbers)
    except ValueError:
        raise SorryError(f"{text!r} is neither a number nor SHAPE:FROM:TO, such as linear:0.01:0") from None
    if not all(math.isfinite(number) and number >= 0 for number in (start, end)):
        raise SorryError(f"{text!r} holds a number that is not 0 or more")
    return Schedule(shape, start, end)
