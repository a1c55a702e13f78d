"""What a seat sees, as a table of named slices: encoder, docs and tests all read this table.

Seats are clockwise from the observer, squares are the observer's own ring progress (0 is his diamond, 59 his entrance),
so the board is turned to whoever looks. Where seats are unevenly spaced (three players, two neighbours) that does not
tell where the others' entrances are, so there the observer also sees which seat is his. Draw and hand games share the
layout, so that policies carry over.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from sorry_env.board import RING, ZONE
from sorry_env.cards import NUM_CARDS
from sorry_env.rules import Rules

OBSERVATION_VERSION: Final = 1
MOST_OF_A_KIND: Final = 5
MOST_CARDS: Final = 55
OWN_SEAT: Final = "own_seat"


@dataclass(frozen=True)
class Slice:
    """A named run of features.

    Attributes:
        name: how tests, docs and users refer to it.
        start: index of its first feature.
        size: number of features.
        high: largest count; float32 features are counts / high, uint8 features the counts.
        meaning: one line for the docs.
    """

    name: str
    start: int
    size: int
    high: int
    meaning: str

    @property
    def stop(self) -> int:
        """Index after its last feature."""
        return self.start + self.size


def _place(parts: list[tuple[str, int, int, str]]) -> tuple[Slice, ...]:
    slices: list[Slice] = []
    for name, size, high, meaning in parts:
        slices.append(Slice(name, slices[-1].stop if slices else 0, size, high, meaning))
    return tuple(slices)


def _pawn_parts(seat: str, pawns: int, who: str, view: str) -> list[tuple[str, int, int, str]]:
    return [
        (f"{seat}_start", pawns, 1, f"{who} pawns in Start: feature k is 1 if more than k are there"),
        (
            f"{seat}_ring",
            RING,
            1,
            f"{who} pawns on the ring: feature k is 1 if one is k squares past {view} diamond",
        ),
        (f"{seat}_zone", ZONE, 1, f"{who} pawns in the zone s0..s4"),
        (f"{seat}_home", pawns, 1, f"{who} pawns Home: feature k is 1 if more than k are there"),
    ]


@lru_cache(maxsize=64)
def observation_layout(rules: Rules) -> tuple[Slice, ...]:
    """Slices of one seat's observation; only what that seat may know."""
    parts = []
    for away in range(rules.players):
        who = "own" if away == 0 else f"seat +{away}'s"
        parts += _pawn_parts(f"seat{away}", rules.pawns, who, "the observer's")
    own_seat = (OWN_SEAT, rules.players, 1, "the observer's seat; only where seats are unevenly spaced")
    return _place(
        [
            *parts,
            ("card", NUM_CARDS, 1, "drawn card kind; all 0 in the hand game and before a draw"),
            ("hand", NUM_CARDS, MOST_OF_A_KIND, "how many of each kind are in the own hand; all 0 in the draw game"),
            ("unseen", NUM_CARDS, MOST_OF_A_KIND, "how many of each kind are in the draw pile or in others' hands"),
            ("pile_size", 1, MOST_CARDS, "cards in the draw pile"),
            ("on_move", rules.players, 1, "seat on move, clockwise from the observer"),
            ("over", 1, 1, "1 when the game has ended"),
            *([] if rules.is_evenly_seated else [own_seat]),
        ]
    )


@lru_cache(maxsize=64)
def state_layout(rules: Rules) -> tuple[Slice, ...]:
    """Slices of the whole state, hidden cards included, seats and squares as seat 0 sees them."""
    parts = []
    for seat in range(rules.players):
        parts += _pawn_parts(f"seat{seat}", rules.pawns, f"seat {seat}'s", "seat 0's")
    hands = [
        (f"hand{seat}", NUM_CARDS, MOST_OF_A_KIND, f"how many of each kind seat {seat} holds")
        for seat in range(rules.players)
    ]
    return _place(
        [
            *parts,
            ("card", NUM_CARDS, 1, "drawn card kind; all 0 in the hand game and before a draw"),
            *hands,
            ("pile", NUM_CARDS, MOST_OF_A_KIND, "how many of each kind are in the draw pile"),
            ("pile_size", 1, MOST_CARDS, "cards in the draw pile"),
            ("on_move", rules.players, 1, "seat on move"),
            ("over", 1, 1, "1 when the game has ended"),
        ]
    )


def num_features(layout: tuple[Slice, ...]) -> int:
    """Number of features F of a layout."""
    return layout[-1].stop


def highs(layout: tuple[Slice, ...]) -> np.ndarray:
    """Largest count of each feature: int64 (F,)."""
    return np.repeat([part.high for part in layout], [part.size for part in layout])


def by_name(layout: tuple[Slice, ...]) -> dict[str, slice]:
    """The layout as ordinary slices, for `observation[by_name(layout)["card"]]`."""
    return {part.name: slice(part.start, part.stop) for part in layout}


def float_units() -> np.ndarray:
    """Scales of card counts and of the pile's size in float32 observations: float32 (1, 2)."""
    return np.array([[1 / MOST_OF_A_KIND, 1 / MOST_CARDS]], np.float32)


def count_units() -> np.ndarray:
    """The same for uint8 observations, which hold plain counts: uint8 (1, 2)."""
    return np.ones((1, 2), np.uint8)
