"""Perfect play of the games that `sorry-env solve` has solved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sorry_env.engine.parameters import MOVER
from sorry_env.players.base import refuse_options
from sorry_env.players.chances import mean_over_cards
from sorry_env.position import Position, Positions
from sorry_env.rules import Rules
from sorry_env.solver import Solution, check_solvable, load_solution, solution_path


class PerfectPlayer:
    """The action with the highest win probability, exact ties at random.

    Args:
        spec: `perfect`, or `perfect:table=FILE`.
        options: `table`: a file that `sorry-env solve --out FILE` has written; by default the one in the cache folder.

    Attributes:
        solution: values of perfect play, once bound.
    """

    solution: Solution

    def __init__(self, spec: str = "perfect", options: dict[str, str] | None = None) -> None:
        self.name = spec
        options = options or {}
        refuse_options(spec, options, ("table",))
        self._table = options.get("table")

    def bind(self, rules: Rules) -> None:
        """Reads the solution. Raises RulesError for games too large to solve, PolicyError where there is no file."""
        check_solvable(rules)
        if not hasattr(self, "solution") or not self.solution.rules.plays_like(rules):
            self.solution = load_solution(Path(self._table) if self._table else solution_path(rules), rules)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """See `Player.act`."""
        actions, qualities, counts = self.solution.action_values(positions.rows)
        width = int(counts.max())
        is_open = np.arange(width) < counts[:, None]
        worth = np.where(is_open, qualities[:, :width], -1.0)
        is_best = worth == worth.max(axis=1, keepdims=True)
        chosen = np.argmax(is_best * rng.random(is_best.shape), axis=1)
        return actions[np.arange(len(counts)), chosen].astype(np.int64)

    def win_chances(self, positions: Sequence[Position]) -> np.ndarray:
        """See `ChancePlayer.win_chances`."""
        return mean_over_cards(positions, self._best_replies) if positions else np.zeros((0, 2))

    def _best_replies(self, rows: np.ndarray) -> np.ndarray:
        """What open decisions are worth to each side: float64 (N, 2)."""
        _, qualities, counts = self.solution.action_values(rows)
        own = np.where(np.arange(qualities.shape[1]) < counts[:, None], qualities, 0).max(axis=1)
        first = np.where(rows[:, MOVER] == 0, own, 1 - own)
        return np.stack([first, 1 - first], axis=1)
