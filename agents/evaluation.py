"""Win rates with intervals clustered by deck, raw and less the luck of the draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from agents.crews import Crew, Here, work_through
from agents.intervals import mean_interval, win_rate_interval
from agents.luck import AUTO, NONE, Adjuster, open_adjuster
from agents.matches import Block, Match, join, plan_matches, play_block
from sorry_env.players import Player, load_player
from sorry_env.rules import Rules
from sorry_env.values import num_sides

YARDSTICKS: Final = ("random", "greedy", "race", "solitaire")  # light players that trained ones are measured against
MOST_GAMES: Final = 1_000_000  # a match: then it ends even if its interval is not yet as narrow as wanted


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

    @property
    def half_width(self) -> float:
        """Half the width of the interval: of the adjusted win rate's where results are adjusted."""
        return (self.adjusted_high - self.adjusted_low) / 2

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Outcome:
    """What one player did on the decks at whose tables it sat; float64 (decks,) are means over the deck's seatings.

    Attributes:
        decks: int64 (decks,), their numbers.
        seats: int64 (decks,), how many sides of the table it had.
        won: share of games won.
        fair: the same less luck.
        points: points a game and side.
    """

    decks: np.ndarray
    seats: np.ndarray
    won: np.ndarray
    fair: np.ndarray
    points: np.ndarray


@dataclass(frozen=True)
class Played:
    """A match and what came of it.

    Attributes:
        match: who sat where.
        sides: sides of a game, and so seatings of a deck.
        results: see `play_block`.
    """

    match: Match
    sides: int
    results: dict[str, np.ndarray]

    def outcome(self, player: int) -> Outcome:
        """What the player of an index did."""
        is_mine = self.match.entries(self.results["deck"]) == player
        at = is_mine.any(axis=1)
        is_mine = is_mine[at]
        wins = self.results["winner"][at, :, None] == np.arange(self.sides)
        won, luck, points = (
            (value.mean(axis=1) * is_mine).sum(axis=1)
            for value in (wins, self.results["luck"][at], self.results["points"][at])
        )
        seats = is_mine.sum(axis=1)
        return Outcome(self.results["deck"][at], seats, won, won - luck, points / seats)

    def scores(self, specs: Sequence[str], seed: int) -> list[Score]:
        """The Score of each measured player; `seed` is of the resampling."""
        return [self._score(player, specs, seed) for player in self.match.measured]

    def _score(self, player: int, specs: Sequence[str], seed: int) -> Score:
        mine = self.outcome(player)
        low, high = win_rate_interval(mine.won, self.sides, seed)
        is_adjusted = bool(self.results["luck"].any())
        adjusted_low, adjusted_high = mean_interval(mine.fair) if is_adjusted else (low, high)
        at = np.isin(self.results["deck"], mine.decks)
        return Score(
            player=specs[player],
            against=self._against(player, specs),
            games=mine.won.size * self.sides,
            decks=mine.won.size,
            win_rate=float(mine.won.mean()),
            low=low,
            high=high,
            even=float(mine.seats.mean()) / self.sides,
            points=float(mine.points.mean()),
            plies=float(self.results["plies"][at].mean()),
            truncated=int((self.results["winner"][at] < 0).sum()),
            adjusted=float(mine.fair.mean()),
            adjusted_low=adjusted_low,
            adjusted_high=adjusted_high,
            variance_ratio=_ratio(mine.won.var(), mine.fair.var()) if is_adjusted else 1.0,
        )

    def _against(self, player: int, specs: Sequence[str]) -> str:
        if len(self.match.tables) > 1:
            return MIXED_TABLES
        return _describe_field([specs[index] for index in self.match.tables[0] if index != player])


MIXED_TABLES: Final = "mixed tables"


def _ratio(raw: float, adjusted: float) -> float:
    return float(raw / adjusted) if min(raw, adjusted) > 0 else 1.0


def _describe_field(others: list[str]) -> str:
    counts = {spec: others.count(spec) for spec in others}
    return " + ".join(f"{count} x {spec}" if count > 1 else spec for spec, count in counts.items())


def evaluate(
    specs: Sequence[str],
    rules: Rules,
    games: int,
    seed: int,
    crew: Crew | None = None,
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
        crew: who plays; by default this process.
        progress: called with games done and games in all.
        players: opened players in place of the spec strings; other crews than this process pickle them.
        adjust: whose luck is taken out, see `agents.luck.open_adjuster`.

    Returns:
        One Score for each measured player of each match.

    Raises:
        SpecError, PolicyError: a player that does not exist or cannot play these rules.
    """
    terms = Terms(tuple(specs), rules, games, seed, open_adjuster(adjust, rules))
    played = play_matches(plan_matches(len(specs), num_sides(rules)), terms, crew, progress, players)
    return [score for one in played for score in one.scores(specs, seed)]


def meet_yardsticks(
    spec: str, rules: Rules, games: int, seed: int, progress: Callable[[float, str], None]
) -> list[Score]:
    """A player's score against each of YARDSTICKS, less luck where a champion is shipped for the rules.

    Args:
        spec: spec string of the player.
        rules: the rules record.
        games: games against each.
        seed: of decks and players.
        progress: called with the part that is done, 0 to 1, and the yardstick that is next.
    """
    scores = []
    for k, yardstick in enumerate(YARDSTICKS):
        progress(k / len(YARDSTICKS), yardstick)
        scores.append(evaluate([spec, yardstick], rules, games, seed, adjust=AUTO)[0])
    return scores


@dataclass(frozen=True)
class Terms:
    """What the matches of an evaluation have in common.

    Attributes:
        specs: spec strings, or names, of the players that matches mean by their indices.
        rules: the rules record.
        games: games a match, rounded up to whole decks and, at mixed tables, to as many decks for every table.
        seed: of decks and players.
        adjuster: whose luck is taken out.
        until: where given, a match plays on, block by block, until half the width of the interval of each measured
            player is at most this (0 to 1; of the adjusted one where there is an adjuster), or to MOST_GAMES; `games`
            is then the least.
    """

    specs: tuple[str, ...]
    rules: Rules
    games: int
    seed: int
    adjuster: Adjuster | None = None
    until: float | None = None

    def decks(self, games: int, match: Match) -> int:
        """How many decks make at least so many games of a match."""
        return match.whole_rounds(-(-games // num_sides(self.rules)))

    def most_decks(self, match: Match) -> int:
        """How many decks a match plays at most."""
        return self.decks(self.games if self.until is None else MOST_GAMES, match)


def play_matches(
    matches: Sequence[Match],
    terms: Terms,
    crew: Crew | None = None,
    progress: Callable[[int, int], None] | None = None,
    players: Sequence[Player] | None = None,
) -> list[Played]:
    """Plays matches, one after another.

    Args:
        matches: who sits where.
        terms: what they have in common.
        crew: who plays; by default this process. The results do not depend on it.
        progress: called with games done and games expected.
        players: opened players in place of the spec strings; other crews than this process pickle them.

    Raises:
        SpecError, PolicyError: a player that does not exist or cannot play these rules.
    """
    if players is None:
        players = [load_player(spec, terms.rules) for spec in terms.specs]  # refused before anything runs
    sides = num_sides(terms.rules)
    is_open = [True] * len(matches)
    expected = [terms.decks(terms.games, match) for match in matches]
    parts: list[list[dict[str, np.ndarray]]] = [[] for _ in matches]
    blocks = _blocks(matches, terms, is_open)
    for block, part in work_through(crew or Here(), play_block, blocks, players, terms.adjuster):
        k = block.match_index
        if not is_open[k]:
            continue  # played ahead by a worker, of a match that was over: never looked at
        parts[k].append(part)
        done = sum(len(one["deck"]) for one in parts[k])
        if terms.until is not None and done >= terms.decks(terms.games, matches[k]):
            reached = Played(matches[k], sides, join(parts[k]))
            width = max(score.half_width for score in reached.scores(terms.specs, terms.seed))
            is_open[k] = width > terms.until
            expected[k] = int(done * max(1.0, width / terms.until) ** 2)
        if progress:
            before = sum(expected[:k])
            total = max(before + done, min(sum(expected), sum(map(terms.most_decks, matches))))
            progress((before + done) * sides, total * sides)
    return [Played(match, sides, join(parts[k])) for k, match in enumerate(matches)]


def _blocks(matches: Sequence[Match], terms: Terms, is_open: Sequence[bool]) -> Iterator[Block]:
    """The blocks of every match in turn, of each as long as it is open."""
    for k, match in enumerate(matches):
        most, size = terms.most_decks(match), match.decks_per_block
        for index in range(-(-most // size)):
            if not is_open[k]:
                break
            decks = min(size, most - index * size)
            yield Block(terms.rules, match, k, index, decks, terms.seed)
