"""Self-play: every seat of every game is a row with transitions of its own, for learners that play all seats."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sorry_env.batch import Batch
from sorry_env.engine.packing import Written
from sorry_env.rules import Rules


class Transitions(NamedTuple):
    """T decisions whose outcome is known: what the row's own seat saw, did, got, and saw next.

    Attributes:
        rows: int64 (T,), P e + seat for a seat of game e; a row occurs at most once.
        observations: (T, F), what the seat saw when it decided.
        masks: int8 (T, A), its legal actions then.
        actions: int64 (T,), what it did.
        rewards: float64 (T,), its own final reward where the game has ended, else 0.
        next_observations: (T, F), what it sees at its next decision; where the game has ended, what it saw last.
        next_masks: int8 (T, A), its legal actions there; all 0 where the game has ended.
        terminated: bool (T,), the game has ended by the rules.
        truncated: bool (T,), the game was cut off.
    """

    rows: np.ndarray
    observations: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    next_observations: np.ndarray
    next_masks: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray


class SelfPlay(Written):
    """B games of P learners, one decision a game and step, new games by themselves.

    `batch.observations` and `batch.masks` show the open decisions; whose they are says `rows`. A seat's decision comes
    back from `step` once its outcome is known: when the same seat decides again, or when the game ends.

        play = SelfPlay("classic", 256, seed=1, players=2)
        transitions = play.step(play.batch.sample())

    Args:
        rules, num_games, seed: as for `Batch`.
        **options: as for `Batch`, but for `auto_reset`.
    """

    def __init__(
        self, rules: str | Rules = "classic", num_games: int = 1, seed: int | None = None, **options: Any
    ) -> None:
        self.batch = Batch(rules, num_games, seed, auto_reset=True, **options)
        self.batch.reset()
        num_rows = num_games * self.batch.rules.players
        self._observations = np.zeros((num_rows, self.batch.observations.shape[1]), self.batch.observations.dtype)
        self._masks = np.zeros((num_rows, self.batch.masks.shape[1]), np.int8)
        self._actions = np.zeros(num_rows, np.int64)
        self._awaits = np.zeros(num_rows, bool)  # a decision was made whose outcome is not known

    @property
    def rows(self) -> np.ndarray:
        """int64 (B,): the row that decides in each game."""
        return self.batch.rules.players * np.arange(self.batch.num_games) + self.batch.movers

    def step(self, actions: np.ndarray) -> Transitions:
        """Plays an action, integers (B,), in each game; the transitions that this completes.

        Raises:
            IllegalError: an action that is not legal; nothing has then changed.
        """
        batch, rows = self.batch, self.rows
        seen, masks = batch.observations.copy(), batch.masks.copy()
        batch.step(actions)
        self._observations[rows], self._masks[rows], self._actions[rows] = seen, masks, actions
        self._awaits[rows] = True
        is_over = batch.terminated | batch.truncated
        ended = np.repeat(is_over, batch.rules.players) & self._awaits
        again = np.zeros(len(ended), bool)
        again[self.rows[~is_over]] = True
        again &= self._awaits
        transitions = self._transitions(np.flatnonzero(again), np.flatnonzero(ended))
        self._awaits &= ~(again | ended)
        return transitions

    def _transitions(self, again: np.ndarray, ended: np.ndarray) -> Transitions:
        """Of rows that decide again, then of rows whose game has ended."""
        batch = self.batch
        rows = np.concatenate([again, ended])
        games = rows // batch.rules.players
        finals = batch.final_observations.reshape(len(self._awaits), -1)
        is_end = np.arange(len(rows)) >= len(again)
        return Transitions(
            rows,
            self._observations[rows],
            self._masks[rows],
            self._actions[rows],
            np.where(is_end, batch.rewards().reshape(-1)[rows], 0.0),
            np.concatenate([batch.observations[games[~is_end]], finals[ended]]),
            batch.masks[games] * ~is_end[:, None],
            batch.terminated[games] & is_end,
            batch.truncated[games] & is_end,
        )
