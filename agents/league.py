"""The pool that a learner meets: light players, policy files and earlier selves, drawn by how hard they are to beat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from agents.settings import LeagueSettings
from sorry_env.players import Player, load_player
from sorry_env.rules import Rules

MEMORY: Final = 0.99  # how much of the counts behind a running win rate stays with each game
PRIOR_GAMES: Final = 10.0  # games, half of them won, that an opponent starts with; they are forgotten like others
FLOOR: Final = 0.1  # share of all seats that is drawn evenly, so that nobody is forgotten
EASIEST: Final = 1e-6  # the least chance to lose that is told apart: the weights are defined where all games are won


class League:
    """Opponents, and how often the learner has beaten each lately.

    Prioritized fictitious self-play (Vinyals et al. 2019): an opponent that the learner beats with probability p is
    drawn in proportion to (1 - p)^hardness, whether it is an earlier self or a fixed player.

    Args:
        rules: the rules record; every player is bound to it.
        fixed: players that stay.
        max_selves: how many earlier selves are kept; the oldest leaves.
        hardness: exponent, 0 or more; 0 draws all alike.
    """

    def __init__(self, rules: Rules, fixed: Sequence[Player], max_selves: int = 4, hardness: float = 1.0) -> None:
        self.rules = rules
        self.max_selves = max_selves
        self.hardness = hardness
        self.num_fixed = len(fixed)
        self.players: list[Player] = list(fixed)
        self.num_games = np.zeros(len(fixed), np.int64)  # (players,): games against each, all of them
        self._recent = np.full(len(fixed), PRIOR_GAMES)  # (players,): the same, but fading
        self._won = self._recent / 2  # (players,): won ones of `_recent`
        self._ages: list[int] = []  # of the earlier selves, by place
        self._added = 0
        self._tally: dict[str, tuple[int, int]] = {}
        for player in fixed:
            player.bind(rules)

    @property
    def win_rates(self) -> np.ndarray:
        """float64 (players,): share of the latest games won against each, 1/2 before the first one."""
        return self._won / self._recent

    @property
    def weights(self) -> np.ndarray:
        """float64 (players,): the chance of each to take a seat."""
        losses = np.maximum(1 - self.win_rates, EASIEST)
        hard = (losses / losses.max()) ** self.hardness
        weights: np.ndarray = (1 - FLOOR) * hard / hard.sum() + FLOOR / len(hard)
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
        if len(self._ages) < self.max_selves:
            place = len(self._ages)
            self.players.append(player)
            self._ages.append(self._added)
            self.num_games = np.append(self.num_games, 0)
            self._recent = np.append(self._recent, 0.0)
            self._won = np.append(self._won, 0.0)
        else:
            # Games run on with the index of a place, so the places rotate instead of moving.
            place = self._ages.index(min(self._ages))
            self._ages[place] = self._added
        index = self.num_fixed + place
        self.players[index] = player
        self.num_games[index], self._recent[index], self._won[index] = 0, PRIOR_GAMES, PRIOR_GAMES / 2

    def put_back(self, selves: Sequence[Player], ages: Sequence[int]) -> None:
        """Takes in the earlier selves of another league, each in its place, the newest where there are too many.

        Args:
            selves: by place.
            ages: the number of each, in the order in which they were taken in.
        """
        newest = sorted(ages)[-self.max_selves :] if self.max_selves else []
        kept = [(player, age) for player, age in zip(selves, ages, strict=True) if age in newest]
        for player, _ in kept:
            self.add_self(player)
        self._ages = [age for _, age in kept]
        self._added = max(self._ages, default=0)

    def report(self, opponents: np.ndarray, won: bool) -> None:
        """Takes in the result of a game against these opponents."""
        for k in opponents.tolist():
            self.num_games[k] += 1
            self._recent[k] = MEMORY * self._recent[k] + 1
            self._won[k] = MEMORY * self._won[k] + won
        for name in {self.players[k].name for k in opponents.tolist()}:
            games, games_won = self._tally.get(name, (0, 0))
            self._tally[name] = games + 1, games_won + won

    def take_tally(self) -> dict[str, tuple[int, int]]:
        """Games and won games against each opponent since this was last asked, by name."""
        tally, self._tally = self._tally, {}
        return tally

    def results(self) -> dict[str, Any]:
        """What is known of each opponent by name, JSON-able, for `restore`."""
        known = zip(self.num_games.tolist(), self._recent.tolist(), self._won.tolist(), strict=True)
        return {player.name: list(facts) for player, facts in zip(self.players, known, strict=True)}

    def restore(self, results: dict[str, Any]) -> None:
        """Takes over `results` for the opponents that are here under the same name."""
        for k, player in enumerate(self.players):
            if player.name in results:
                self.num_games[k], self._recent[k], self._won[k] = results[player.name]


def open_league(settings: LeagueSettings, rules: Rules) -> League:
    """The league that a learner's settings name, without earlier selves. Raises SpecError and PolicyError."""
    fixed = [load_player(spec) for spec in settings.opponents]
    return League(rules, fixed, settings.selves, settings.hardness)
