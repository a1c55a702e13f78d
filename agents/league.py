"""The pool that a learner meets: light players, policy files and earlier selves, drawn with weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sorry_env.players import Player
from sorry_env.rules import Rules

MEMORY = 0.98  # how much of the running win rate stays with each game


class League:
    """Opponents and how often the learner has beaten them lately.

    Half of all seats go to earlier selves once there are any, the rest evenly to the fixed players.

    Args:
        rules: the rules record; every player is bound to it.
        fixed: players that stay.
        max_selves: how many earlier selves are kept; the oldest leaves.
    """

    def __init__(self, rules: Rules, fixed: Sequence[Player], max_selves: int = 4) -> None:
        self.rules = rules
        self.max_selves = max_selves
        self.num_fixed = len(fixed)
        self.players: list[Player] = list(fixed)
        self.win_rates = np.full(len(fixed), np.nan)
        self._ages: list[int] = []  # of the earlier selves, by place
        self._added = 0
        for player in fixed:
            player.bind(rules)

    @property
    def weights(self) -> np.ndarray:
        """float64 (players,): the chance of each to take a seat."""
        selves = len(self.players) - self.num_fixed
        weights = np.full(len(self.players), 1.0 / self.num_fixed)
        if selves:
            weights *= 0.5
            weights[self.num_fixed :] = 0.5 / selves
        return weights

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Indices of opponents by `weights`."""
        return rng.choice(len(self.players), size=shape, p=self.weights)

    def add_self(self, player: Player) -> None:
        """Takes in an earlier self; beyond `max_selves` it takes the oldest one's place."""
        player.bind(self.rules)
        if not self.max_selves:
            return
        self._added += 1
        if len(self.players) - self.num_fixed < self.max_selves:
            self.players.append(player)
            self._ages.append(self._added)
            self.win_rates = np.append(self.win_rates, np.nan)
            return
        # Games run on with the index of a place, so the places rotate instead of moving.
        place = self._ages.index(min(self._ages))
        self._ages[place] = self._added
        self.players[self.num_fixed + place] = player
        self.win_rates[self.num_fixed + place] = np.nan

    def report(self, opponents: np.ndarray, won: bool) -> None:
        """Takes in the result of a game against these opponents."""
        for k in opponents.tolist():
            before = self.win_rates[k]
            self.win_rates[k] = float(won) if np.isnan(before) else MEMORY * before + (1 - MEMORY) * won
