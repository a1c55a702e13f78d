"""95 % intervals over decks: games of one deck hang together, so the deck is what is sampled."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy import stats

CONFIDENCE: Final = 0.95
RESAMPLES: Final = 2000
TINY: Final = 1e-20  # a variance that rounding alone makes
TAILS: Final = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)


def win_rate_interval(won: np.ndarray, games_per_deck: int, seed: int) -> tuple[float, float]:
    """95 % interval of a win rate.

    The bootstrap resamples decks, since games of one deck hang together; where all decks agree it would have no width,
    and Wilson's interval over the games stands in.

    Args:
        won: float64 (decks,): share of the deck's games that were won, in whole games.
        games_per_deck: seatings of each deck.
        seed: of the resampling.
    """
    decks = len(won)
    counts = np.bincount(np.rint(won * games_per_deck).astype(np.int64), minlength=games_per_deck + 1)
    if decks < 2 or counts.max() == decks:
        games = decks * games_per_deck
        return wilson_interval(round(won.mean() * games), games)
    # Decks that won equally many games are alike: how many of each kind a resample holds is multinomial.
    resampled = np.random.default_rng(seed).multinomial(decks, counts / decks, RESAMPLES)
    rates = resampled @ np.arange(games_per_deck + 1) / (games_per_deck * decks)
    low, high = np.quantile(rates, TAILS)
    return float(low), float(high)


def wilson_interval(won: int, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of games, each on its own."""
    wilson = stats.binomtest(won, games).proportion_ci(CONFIDENCE, "wilson")
    return float(wilson.low), float(wilson.high)


def mean_interval(values: np.ndarray) -> tuple[float, float]:
    """95 % interval of a mean by Student's t: float64 (decks,), close to normal as adjusted results are.

    One deck says nothing of how decks differ: the interval is then 0 to 1.
    """
    if len(values) < 2:
        return 0.0, 1.0
    reach = float(stats.t.ppf(TAILS[1], len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5)
    return float(values.mean()) - reach, float(values.mean()) + reach


def difference_interval(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """95 % interval of mean(first) - mean(second), float64 (decks,) each, of different decks, by Welch's t.

    Less than two decks on a side, or decks that all agree, bound nothing: the interval is then -1 to 1.
    """
    if min(len(first), len(second)) < 2:
        return -1.0, 1.0
    parts = [values.var(ddof=1) / len(values) for values in (first, second)]
    variance = sum(parts)
    if variance < TINY:
        return -1.0, 1.0
    freedom = variance**2 / sum(
        part**2 / (len(values) - 1) for part, values in zip(parts, (first, second), strict=True)
    )
    reach = float(stats.t.ppf(TAILS[1], freedom) * variance**0.5)
    difference = float(first.mean() - second.mean())
    return difference - reach, difference + reach
