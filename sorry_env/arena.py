"""Seats given to players: runs a batch until a learner is to decide, or to the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from sorry_env.batch import SKIP, Batch
from sorry_env.players.base import Player

LEARNER: Final = -1


class Arena:
    """A batch whose seats belong to players; the seats of LEARNER are left to the caller.

    Args:
        batch: the games, with float32 observations.
        players: who may sit.
        seating: integers (B, P): index into `players`, or LEARNER; the caller may change it between games.
        rng: the players' only source of chance.
    """

    def __init__(self, batch: Batch, players: Sequence[Player], seating: np.ndarray, rng: np.random.Generator) -> None:
        self.batch, self.seating, self.rng = batch, seating, rng
        self.players = list(players)
        for player in self.players:
            player.bind(batch.rules)

    def waiting(self) -> np.ndarray:
        """int64 (B,): whom each game waits for: an index into `players`, LEARNER, or SKIP where it has ended."""
        seats = self.seating[np.arange(self.batch.num_games), self.batch.movers]
        return np.where(self.batch.is_open, seats, SKIP)

    def run(self) -> int:
        """Plays on until every open game waits for a learner; returns the number of decisions that players made."""
        decisions = 0
        while True:
            waiting = self.waiting()
            if not (waiting >= 0).any():
                return decisions
            actions = np.full(self.batch.num_games, SKIP)
            for index in np.unique(waiting[waiting >= 0]):
                asked = np.flatnonzero(waiting == index)
                actions[asked] = self._ask(self.players[index], asked)
                decisions += len(asked)
            self.batch.step(actions)

    def _ask(self, player: Player, games: np.ndarray) -> np.ndarray:
        batch = self.batch
        return player.act(batch.observations[games], batch.masks[games], self.rng, batch.positions(games))
