"""Players that need nothing but the rules."""

from __future__ import annotations

import numpy as np

from sorry_env.engine import kernels
from sorry_env.engine.parameters import parameter_row
from sorry_env.players.base import refuse_options
from sorry_env.position import Positions
from sorry_env.rules import Rules


class RandomPlayer:
    """Uniform over the legal actions."""

    compiled_as = kernels.RANDOM

    def __init__(self, spec: str = "random", options: dict[str, str] | None = None) -> None:
        refuse_options(spec, options or {})
        self.name = spec

    def bind(self, rules: Rules) -> None:
        """Plays any rules."""

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """See `Player.act`."""
        legal = np.cumsum(masks, axis=1, dtype=np.int64)
        wanted = (rng.random(len(masks)) * legal[:, -1]).astype(np.int64)
        return np.argmax(legal > wanted[:, None], axis=1)


class GreedyPlayer:
    """Least total distance to Home (RULES 1.2) of the mover's side after the move, ties at random."""

    compiled_as = kernels.GREEDY

    def __init__(self, spec: str = "greedy", options: dict[str, str] | None = None) -> None:
        refuse_options(spec, options or {})
        self.name = spec

    def bind(self, rules: Rules) -> None:
        """Plays any rules."""

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """See `Player.act`."""
        actions = np.empty(len(positions), np.int64)
        chances = rng.random(len(positions))
        kernels.choose_least_distance(positions.rows, parameter_row(positions.rules), chances, actions)
        return actions
