"""Matches between players: seats rotated, the same decks for every seating, intervals clustered by deck.

Decks are played in blocks of fixed size with random streams of their own, so that the numbers depend on the seed and
never on how many workers share the blocks.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import Any, Final

import numpy as np

from sorry_env.arena import Arena
from sorry_env.batch import Batch
from sorry_env.players import Player, load_player
from sorry_env.rules import Rules, rules_from

DECKS_PER_BLOCK: Final = 256
CONFIDENCE: Final = 0.95
RESAMPLES: Final = 2000


@dataclass(frozen=True)
class Match:
    """Who sits where: one entry a side (a seat, or in the partnership game a team), rotated over all sides.

    Attributes:
        sides: index of the player of each side.
        measured: the indices whose win rates are told.
    """

    sides: tuple[int, ...]
    measured: tuple[int, ...]


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

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def table_rules(rules: str, players: int | None) -> Rules:
    """The rules record of a program's `--rules` and `--players`: two seats where neither they nor teams say otherwise.

    Raises:
        RulesError: rules or a number of players that make no sense.
    """
    named = rules_from(rules)
    says_seats = "players=" in rules or "colors=" in rules
    return rules_from(named, 2 if players is None and not named.teams and not says_seats else players)


def num_sides(rules: Rules) -> int:
    """Seats, or teams in the partnership game."""
    return 2 if rules.teams else rules.players


def plan_matches(num_players: int, sides: int) -> list[Match]:
    """One table if there are as many players as sides; else every player alone against a field of every other."""
    if num_players == sides:
        return [Match(tuple(range(sides)), tuple(range(sides)))]
    if sides == 2:
        return [Match(pair, pair) for pair in itertools.combinations(range(num_players), 2)]
    ordered = itertools.permutations(range(num_players), 2)
    return [Match((one, *[other] * (sides - 1)), (one,)) for one, other in ordered]


@dataclass(frozen=True)
class Block:
    """A part of a match that one worker plays."""

    rules: Rules
    specs: tuple[str, ...]
    match: Match
    match_index: int
    index: int
    decks: int
    seed: int


def play_block(block: Block, players: Sequence[Player] | None = None) -> dict[str, np.ndarray]:
    """Plays a block's decks in every seating.

    Returns:
        Arrays (decks, sides), the rotation along the second axis: `winner` (side's entry in match.sides, -1 without),
        `plies`; and `points` (decks, sides, sides): of each rotation, by entry.
    """
    rules, sides = block.rules, num_sides(block.rules)
    rotations = np.tile(np.arange(sides), block.decks)
    first = block.index * DECKS_PER_BLOCK
    games = np.repeat(np.arange(first, first + block.decks), sides)
    batch = Batch(rules, len(games), block.seed, games=games)
    # Rotation t puts entry k of the match on side (k + t) mod sides; seats of a team are `sides` apart.
    side_of_seat = np.arange(rules.players) % sides
    entry_of_seat = (side_of_seat[None, :] - rotations[:, None]) % sides
    seating = np.array(block.match.sides)[entry_of_seat]
    rng = np.random.default_rng([block.seed, block.match_index, block.index])
    opened = players or [load_player(spec) for spec in block.specs]
    arena = Arena(batch, opened, seating, rng)
    arena.reset()
    return _results(batch, entry_of_seat, block.decks, sides)


def _results(batch: Batch, entry_of_seat: np.ndarray, decks: int, sides: int) -> dict[str, np.ndarray]:
    everyone = np.arange(batch.num_games)
    winner = np.where(batch.terminated, entry_of_seat[everyone, batch.movers], -1)
    points = np.zeros((batch.num_games, sides))
    np.add.at(points, (everyone[:, None], entry_of_seat), batch.points())
    points /= batch.rules.players // sides
    return {
        "winner": winner.reshape(decks, sides),
        "plies": batch.plies.reshape(decks, sides).copy(),
        "points": points.reshape(decks, sides, sides),
    }


def evaluate(
    specs: Sequence[str],
    rules: Rules,
    games: int,
    seed: int,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
    players: Sequence[Player] | None = None,
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

    Returns:
        One Score for each measured player of each match.

    Raises:
        SpecError, PolicyError: a player that does not exist or cannot play these rules.
    """
    sides = num_sides(rules)
    decks = -(-games // sides)
    matches = plan_matches(len(specs), sides)
    blocks = [
        Block(rules, tuple(specs), match, k, index, min(DECKS_PER_BLOCK, decks - index * DECKS_PER_BLOCK), seed)
        for k, match in enumerate(matches)
        for index in range(-(-decks // DECKS_PER_BLOCK))
    ]
    if players is None:
        players = [load_player(spec, rules) for spec in specs]  # refuses what cannot play before anything runs
    parts: dict[int, list[dict[str, np.ndarray]]] = {k: [] for k in range(len(matches))}
    done = 0
    for block, part in _play_all(blocks, workers, players):
        parts[block.match_index].append(part)
        done += block.decks * sides
        if progress:
            progress(done, decks * sides * len(matches))
    return [score for k, match in enumerate(matches) for score in _scores(match, specs, sides, _join(parts[k]), seed)]


def _play_all(
    blocks: list[Block], workers: int, players: Sequence[Player]
) -> Iterator[tuple[Block, dict[str, np.ndarray]]]:
    if workers == 1:
        for block in blocks:
            yield block, play_block(block, players)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), _prepare_worker) as pool:
        yield from zip(blocks, pool.map(play_block, blocks), strict=True)


def _prepare_worker() -> None:
    """Makes checkpoint folders known to a worker's registry."""
    import agents  # noqa: F401  # imported for what it registers


def _join(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}


def _scores(match: Match, specs: Sequence[str], sides: int, results: dict[str, np.ndarray], seed: int) -> list[Score]:
    scores = []
    for player in match.measured:
        entries = [k for k, index in enumerate(match.sides) if index == player]
        others = [specs[index] for index in match.sides if index != player]
        won = np.isin(results["winner"], entries).mean(axis=1)
        low, high = win_rate_interval(won, sides, seed)
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
