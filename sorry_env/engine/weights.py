"""What the built-in players weigh positions by: a row of numbers each, so that one rule of choice serves them all."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from sorry_env.board import distance_of
from sorry_env.engine.parameters import NUM_PLACES
from sorry_env.engine.solitaire import strike_odds, turns_to_home
from sorry_env.rules import Rules

# A row, float64.
KIND: Final = 0  # 0, which tells such a row from a network's (`valuing.py`)
OWN: Final = 1  # what a pawn's distance counts for the side that moves; the number of opposing sides makes a mean ...
OTHERS: Final = 2  # ... of what it counts, against that, for each opponent; 0: they do not count
RISK: Final = 3  # what is lost by a bump times its odds counts so many times; 0: it does not count
DISTANCE: Final = 4  # 67: of a pawn with that progress from Home
STRIKES: Final = DISTANCE + NUM_PLACES  # 67 x 67: `strike_odds`
NUM_WEIGHTS: Final = STRIKES + NUM_PLACES * NUM_PLACES

# How much of a threatened bump `solitaire` counts: not all, since who could bump may have a better use for his card.
# Measured: for two players all from 0.6 to 1.5 play alike, for four all from 0.3 to 0.8, and worse from 1.
CAUTION: Final = 0.8


@lru_cache(maxsize=64)
def weight_rows(rules: Rules) -> np.ndarray:
    """float64 (3, NUM_WEIGHTS), read-only: the rows of `greedy`, `race` and `solitaire`."""
    weights = np.zeros((3, NUM_WEIGHTS))
    greedy, race, solitaire = weights
    greedy[OWN] = 1
    sides = 1 if rules.teams else rules.players - 1
    race[OWN] = solitaire[OWN] = sides
    race[OTHERS] = solitaire[OTHERS] = 1
    greedy[DISTANCE:STRIKES] = race[DISTANCE:STRIKES] = [distance_of(place) for place in range(NUM_PLACES)]
    solitaire[DISTANCE:STRIKES] = turns_to_home(rules)
    solitaire[RISK] = CAUTION
    solitaire[STRIKES:] = strike_odds(rules).ravel()
    weights.flags.writeable = False
    return weights
