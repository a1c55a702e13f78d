"""Games that a value model plays against itself, as positions and targets to learn from (`engine/learning.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Final, NamedTuple

import numpy as np

from sorry_env.engine import learning
from sorry_env.engine.parameters import WIDTH, parameter_row
from sorry_env.engine.rows import stream_rows
from sorry_env.engine.valuing import MOST_OUTPUTS
from sorry_env.values import ValueModel, num_outputs

GAMES_A_SHARE: Final = 64  # a thread takes so many games at a time
ROOM: Final = 256  # positions a game for which there is room at first


class Lessons(NamedTuple):
    """Positions before a draw and what a network is to learn of them.

    Attributes:
        rows: int16 (N, W), game rows.
        targets: float32 (N, O), in the order of a network's outputs: seen by who draws next.
        games: number of games behind them.
    """

    rows: np.ndarray
    targets: np.ndarray
    games: int


class ValueGames:
    """Plays games by a model: every seat takes the move that the model likes best.

    Args:
        seed: of the cards; game n of a seed draws the same cards whatever plays.
        pool: whose threads, processes or machines share the games, by default the caller's thread alone; results do not
            depend on it.
        max_plies: plies after which a game is cut off.
    """

    def __init__(self, seed: int, pool: Executor | None = None, max_plies: int = 2000) -> None:
        self.seed, self.max_plies = seed, max_plies
        self.played = 0
        self._pool = pool

    def play(self, model: ValueModel, games: int, trace: float) -> Lessons:
        """Plays the next `games` games of the seed.

        Args:
            model: plays all seats and gives the values that targets are made of.
            games: how many.
            trace: lambda of TD(lambda), 0 to 1.
        """
        ids = np.arange(self.played, self.played + games)
        self.played += games
        shares = np.array_split(ids, -(-games // GAMES_A_SHARE))
        told = model, self.seed, trace, self.max_plies
        if self._pool is None:
            parts = [_play_share(share, *told) for share in shares]
        else:
            pool = self._pool
            parts = [future.result() for future in [pool.submit(_play_share, share, *told) for share in shares]]
        return Lessons(np.concatenate([rows for rows, _ in parts]), np.concatenate([y for _, y in parts]), games)


def _play_share(
    ids: np.ndarray, model: ValueModel, seed: int, trace: float, max_plies: int
) -> tuple[np.ndarray, np.ndarray]:
    """Rows and targets of the games of some ids."""
    p = parameter_row(model.rules)
    width = int(p[0, WIDTH])
    for room in _rooms(len(ids), max_plies):
        rows = np.empty((room, width), np.int16)
        values, means = np.empty((2, room, MOST_OUTPUTS), np.float32)
        targets = np.empty((room, num_outputs(model.rules)), np.float32)
        states, streams = np.zeros((len(ids), width), np.int16), stream_rows(seed, ids)
        arrays = rows, values, means, targets
        found = learning.play_against_itself(states, streams, p, model.row, trace, max_plies, *arrays)
        if found >= 0:
            break
    return rows[:found], targets[:found]


def _rooms(games: int, max_plies: int) -> Iterator[int]:
    room = games * ROOM
    while room < games * max_plies:
        yield room
        room *= 4
    yield games * max_plies
