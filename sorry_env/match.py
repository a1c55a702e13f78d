"""A match: games played on until someone has a total of points (RULES 5.7)."""

from __future__ import annotations

from typing import Any

import numpy as np

from sorry_env.errors import IllegalError, RulesError
from sorry_env.game import Game
from sorry_env.rules import Rules, rules_from


class Match:
    """Games of one set of rules, scored by RULES 5.7 and added up.

    It ends after the game in which a seat reaches the total. Who made the winning move begins the next game.

        match = Match("points", seed=1)
        while not match.is_over:
            game = match.next_game()
            while not game.is_over:
                game.play(...)

    Args:
        rules: rules record, name, or name with options; draw games are scored alike (RULES 5.8).
        seed: seed of all games; None takes entropy from the system.
        total: points that end the match, 1 or more.
        **options: players and fields of the rules record to change.

    Attributes:
        games: the games so far, the last one perhaps open.

    Raises:
        RulesError: rules that make no sense, or a total that is no positive whole number.
    """

    def __init__(
        self, rules: str | Rules = "points", seed: int | None = None, *, total: int = 300, **options: Any
    ) -> None:
        if isinstance(total, bool) or not isinstance(total, int) or total < 1:
            raise RulesError(f"total: {total!r} is not a whole number from 1")
        self.rules = rules_from(rules, **options)
        self.total = total
        self.games: list[Game] = []
        self._seeds = np.random.default_rng(seed)

    def next_game(self) -> Game:
        """Begins the next game, which the caller plays.

        Raises:
            IllegalError: the last game is still open, or the match is over.
        """
        if self.games and not self.games[-1].is_over:
            raise IllegalError(f"match: game {len(self.games)} is still open in {str(self.games[-1])!r}")
        if self.is_over:
            raise IllegalError(f"match: it is over, {self.scores} with a total of {self.total}")
        rules = self.rules.with_options(first_player=self.games[-1].mover) if self.games else self.rules
        game = Game(rules, int(self._seeds.integers(1 << 63)))
        self.games.append(game)
        return game

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of every seat over the finished games."""
        finished = [game.points() for game in self.games if game.is_over]
        return tuple(map(sum, zip(*finished, strict=True))) if finished else (0,) * self.rules.players

    @property
    def is_over(self) -> bool:
        """Whether a seat has reached the total."""
        return max(self.scores) >= self.total

    @property
    def winners(self) -> tuple[int, ...]:
        """Seats with the highest total, more than one where totals are equal; none while the match is open."""
        scores = self.scores
        return tuple(seat for seat, score in enumerate(scores) if score == max(scores)) if self.is_over else ()
