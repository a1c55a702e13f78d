"""Players that need nothing but the rules."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sorry_env.engine import kernels
from sorry_env.engine.parameters import parameter_row
from sorry_env.engine.weights import weight_rows
from sorry_env.players.base import refuse_options
from sorry_env.position import Positions
from sorry_env.rules import Rules


class _LightPlayer:
    """What the players here share: no options, and any rules."""

    compiled_as: ClassVar[int]
    default_name: ClassVar[str]

    def __init__(self, spec: str | None = None, options: dict[str, str] | None = None) -> None:
        self.name = spec or self.default_name
        refuse_options(self.name, options or {})

    def bind(self, rules: Rules) -> None:
        """Plays any rules."""


class RandomPlayer(_LightPlayer):
    """Uniform over the legal actions."""

    compiled_as = kernels.RANDOM
    default_name = "random"

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """See `Player.act`."""
        legal = np.cumsum(masks, axis=1, dtype=np.int64)
        wanted = (rng.random(len(masks)) * legal[:, -1]).astype(np.int64)
        return np.argmax(legal > wanted[:, None], axis=1)


class _WeighingPlayer(_LightPlayer):
    """Plays for the best standing after the move by its row of `weight_rows`, ties at random."""

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """See `Player.act`."""
        weights = weight_rows(positions.rules)[self.compiled_as - kernels.GREEDY, None]
        actions = np.empty(len(positions), np.int64)
        chances = rng.random(len(positions))
        kernels.choose_best(positions.rows, parameter_row(positions.rules), weights, chances, actions)
        return actions


class GreedyPlayer(_WeighingPlayer):
    """Least total distance to Home (RULES 1.2) of the mover's side after the move, ties at random."""

    compiled_as = kernels.GREEDY
    default_name = "greedy"


class RacePlayer(_WeighingPlayer):
    """Least total distance to Home (RULES 1.2) of the mover's side less the mean of the opposing sides' after the move.

    Ties at random.
    """

    compiled_as = kernels.RACE
    default_name = "race"


class SolitairePlayer(_WeighingPlayer):
    """As `RacePlayer`, but a pawn's distance is the expected number of turns that it needs alone (`turns_to_home`).

    To that come, for its own pawns on the ring, the turns that a bump would cost times the odds of one.
    """

    compiled_as = kernels.SOLITAIRE
    default_name = "solitaire"
