"""Win rates with intervals clustered by deck, raw and less the luck of the draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from agents.luck import NONE
from agents.matches import DECKS_PER_BLOCK, Block, Match, join, plan_matches, play_all
from sorry_env.players import Player, load_player
from sorry_env.rules import Rules
from sorry_env.values import num_sides

CONFIDENCE: Final = 0.95
RESAMPLES: Final = 2000


@dataclass(frozen=True)
class Score:
    """What one player did in one match.

    Attributes:
        player: spec string.
        against: the others' spec strings.
        games: games in which it was measured, every seating counted.
        decks: decks behind them.
        win_rate: share of games won, 0 to 1.
        low: lower end of the 95 % interval.
        high: upper end.
        even: the share that equal players would win.
        points: mean points a game by RULES 5.7.
        plies: mean length of a game in plies.
        truncated: games cut off without a winner.
        adjusted: win rate less luck; as `win_rate` where nothing is adjusted.
        adjusted_low: lower end of its 95 % interval.
        adjusted_high: upper end.
        variance_ratio: variance of a deck's raw result over that of its adjusted one; 1 where nothing is adjusted.
    """

    player: str
    against: str
    games: int
    decks: int
    win_rate: float
    low: float
    high: float
    even: float
    points: float
    plies: float
    truncated: int
    adjusted: float
    adjusted_low: float
    adjusted_high: float
    variance_ratio: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def evaluate(
    specs: Sequence[str],
    rules: Rules,
    games: int,
    seed: int,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
    players: Sequence[Player] | None = None,
    adjust: str = NONE,
) -> list[Score]:
    """Plays every match of `plan_matches`.

    Args:
        specs: spec strings (with `players`, their names).
        rules: the rules record.
        games: games a match, rounded up to whole decks (each deck is played once in every seating).
        seed: of decks and players.
        workers: processes; 1 plays in this one.
        progress: called with games done and games in all.
        players: opened players in place of the spec strings, for `workers` 1.
        adjust: whose luck is taken out, see `agents.luck.open_adjuster`.

    Returns:
        One Score for each measured player of each match.

    Raises:
        SpecError, PolicyError: a player that does not exist or cannot play these rules.
    """
    sides = num_sides(rules)
    decks = -(-games // sides)
    matches = plan_matches(len(specs), sides)
    blocks = [
        Block(rules, tuple(specs), match, k, index, min(DECKS_PER_BLOCK, decks - index * DECKS_PER_BLOCK), seed, adjust)
        for k, match in enumerate(matches)
        for index in range(-(-decks // DECKS_PER_BLOCK))
    ]
    if players is None:
        players = [load_player(spec, rules) for spec in specs]  # refuses what cannot play before anything runs
    parts: dict[int, list[dict[str, np.ndarray]]] = {k: [] for k in range(len(matches))}
    done = 0
    for block, part in play_all(blocks, workers, players):
        parts[block.match_index].append(part)
        done += block.decks * sides
        if progress:
            progress(done, decks * sides * len(matches))
    return [score for k, match in enumerate(matches) for score in _scores(match, specs, sides, join(parts[k]), seed)]


def _scores(match: Match, specs: Sequence[str], sides: int, results: dict[str, np.ndarray], seed: int) -> list[Score]:
    scores = []
    for player in match.measured:
        entries = [k for k, index in enumerate(match.sides) if index == player]
        others = [specs[index] for index in match.sides if index != player]
        won = np.isin(results["winner"], entries).mean(axis=1)
        low, high = win_rate_interval(won, sides, seed)
        fair = won - results["luck"][:, :, entries].sum(axis=2).mean(axis=1)
        is_adjusted = bool(results["luck"].any())
        fair_low, fair_high = mean_interval(fair) if is_adjusted else (low, high)
        scores.append(
            Score(
                player=specs[player],
                against=_describe_field(others),
                games=won.size * sides,
                decks=won.size,
                win_rate=float(won.mean()),
                low=low,
                high=high,
                even=len(entries) / sides,
                points=float(results["points"][:, :, entries].mean()),
                plies=float(results["plies"].mean()),
                truncated=int((results["winner"] < 0).sum()),
                adjusted=float(fair.mean()),
                adjusted_low=fair_low,
                adjusted_high=fair_high,
                variance_ratio=float(won.var() / fair.var()) if is_adjusted else 1.0,
            )
        )
    return scores


def _describe_field(others: list[str]) -> str:
    counts = {spec: others.count(spec) for spec in others}
    return " + ".join(f"{count} x {spec}" if count > 1 else spec for spec, count in counts.items())


def win_rate_interval(won: np.ndarray, games_per_deck: int, seed: int) -> tuple[float, float]:
    """95 % interval of a win rate.

    The bootstrap resamples decks, since games of one deck hang together; where all decks agree it would have no width,
    and Wilson's interval over the games stands in.

    Args:
        won: float64 (decks,): share of the deck's games that were won.
        games_per_deck: seatings of each deck.
        seed: of the resampling.
    """
    from scipy import stats

    if len(won) < 2 or np.ptp(won) == 0:
        games = len(won) * games_per_deck
        wilson = stats.binomtest(round(won.mean() * games), games).proportion_ci(CONFIDENCE, "wilson")
        return float(wilson.low), float(wilson.high)
    result = stats.bootstrap(
        (won,), np.mean, n_resamples=RESAMPLES, batch=200, confidence_level=CONFIDENCE, method="percentile",
        rng=np.random.default_rng(seed),
    )  # fmt: skip
    return float(result.confidence_interval.low), float(result.confidence_interval.high)


def mean_interval(values: np.ndarray) -> tuple[float, float]:
    """95 % interval of a mean by Student's t: float64 (decks,), close to normal as adjusted results are."""
    from scipy import stats

    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, max(1, len(values) - 1)) * values.std(ddof=1) / len(values) ** 0.5)
    return float(values.mean()) - reach, float(values.mean()) + reach
