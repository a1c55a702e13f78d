"""What mixed tables say: one rating a player, and whom each player's presence makes win more or less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from agents.evaluation import Played
from agents.intervals import TAILS, difference_interval

RESAMPLES: Final = 500
ALPHA: Final = 0.01  # of choix: keeps ratings finite where a player never won


@dataclass(frozen=True)
class Rating:
    """A player's strength by the Plackett-Luce model: it wins a game with odds e**rating among all who sit there.

    Attributes:
        player: spec string.
        rating: natural logarithm of the strength; the mean of all players is 0.
        low: lower end of the 95 % interval; None where the player won no game or every game, which bound no rating.
        high: upper end.
        win_chance: its chance to win where every other seat has a player of rating 0.
        chance_low: lower end of its 95 % interval.
        chance_high: upper end.
    """

    player: str
    rating: float
    low: float | None
    high: float | None
    win_chance: float
    chance_low: float | None
    chance_high: float | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Influence:
    """What one player's presence at a mixed table adds to another's win rate.

    Attributes:
        present: spec string of who is there or not.
        player: whose win rate.
        added: its win rate at tables with `present` less that at tables without, less luck where that is taken out.
        low: lower end of the 95 % interval.
        high: upper end.
    """

    present: str
    player: str
    added: float
    low: float
    high: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def rate(matches: Sequence[Played], specs: Sequence[str], seed: int) -> list[Rating]:
    """Plackett-Luce ratings of players, from who won each game, of mixed tables or of pairs.

    The estimate is choix's. Its intervals are a bootstrap over decks, each resample one Newton step from the estimate:
    what a whole estimate would give but for terms that vanish as decks grow, and as fast as they can be drawn.

    Args:
        matches: what was played, with as many sides everywhere.
        specs: the players.
        seed: of the resampling.
    """
    import choix  # here, so that training does without it

    num, sides_of_a_game = len(specs), matches[0].sides
    entries = np.concatenate([played.match.entries(played.results["deck"]) for played in matches])
    winner = np.concatenate([played.results["winner"] for played in matches])
    decks, rotations = np.nonzero(winner >= 0)
    sides = winner[decks, rotations]
    winners, tables = entries[decks, sides], entries[decks]
    losers = tables[np.arange(sides_of_a_game) != sides[:, None]].reshape(len(sides), sides_of_a_game - 1)
    ratings = choix.ilsr_top1(num, list(zip(winners, losers, strict=True)), alpha=ALPHA)
    ratings -= ratings.mean()
    spread = _resampled(ratings, decks, winners, tables, len(winner), seed)
    low, high = np.quantile(spread, TAILS, axis=0)
    is_bounded = [0 < np.sum(winners == k) < np.sum((tables == k).any(axis=1)) for k in range(num)]
    return [
        _rating(spec, float(ratings[k]), (float(low[k]), float(high[k])) if is_bounded[k] else None, sides_of_a_game)
        for k, spec in enumerate(specs)
    ]


def _rating(spec: str, rating: float, bounds: tuple[float, float] | None, sides: int) -> Rating:
    low, high = bounds or (None, None)
    chance_low, chance_high = (win_chance(bounds[0], sides), win_chance(bounds[1], sides)) if bounds else (None, None)
    return Rating(spec, rating, low, high, win_chance(rating, sides), chance_low, chance_high)


def win_chance(rating: float, sides: int) -> float:
    """Chance to win against sides - 1 players of rating 0."""
    return float(1 / (1 + (sides - 1) * np.exp(-rating)))


def _resampled(
    ratings: np.ndarray, decks: np.ndarray, winners: np.ndarray, tables: np.ndarray, num_decks: int, seed: int
) -> np.ndarray:
    """Ratings of resampled decks, float64 (RESAMPLES, players): one Newton step each from the estimate."""
    num = len(ratings)
    strength = np.exp(ratings)[tables]
    strength /= strength.sum(axis=1, keepdims=True)
    chances = np.zeros((len(tables), num))
    np.add.at(chances, (np.arange(len(tables))[:, None], tables), strength)
    slopes = np.zeros((num_decks, num))  # of the log-likelihood, by deck
    np.add.at(slopes, decks, np.eye(num)[winners] - chances)
    curvature = np.diag(chances.sum(axis=0)) - chances.T @ chances
    rng = np.random.default_rng(seed)
    drawn = (np.bincount(rng.integers(num_decks, size=num_decks), minlength=num_decks) for _ in range(RESAMPLES))
    # Ratings are free to move together; what rounding leaves of that direction is no curvature.
    inverse = np.linalg.pinv(curvature, rcond=1e-9, hermitian=True)
    return ratings + np.array([count @ slopes for count in drawn]) @ inverse


def influences(played: Played, specs: Sequence[str]) -> list[Influence]:
    """What each player's presence adds to each other's win rate: the kingmaking table.

    It takes more players than seats, so that there are tables with and without each pair; else there is none.
    """
    if len(specs) <= played.sides:
        return []
    found = []
    for k, player in enumerate(specs):
        mine = played.outcome(k)
        table = played.match.entries(mine.decks)
        for other, present in enumerate(specs):
            if other != k:
                is_there = (table == other).any(axis=1)
                some, rest = mine.fair[is_there], mine.fair[~is_there]
                low, high = difference_interval(some, rest)
                found.append(Influence(present, player, float(some.mean() - rest.mean()), low, high))
    return found
