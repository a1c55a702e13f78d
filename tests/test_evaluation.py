"""Matches between players: seats rotated over equal decks, sides, intervals, tables that the seed alone decides."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tiny_policies import write_policy

from agents import evaluation
from agents.crews import Here, Processes
from agents.evaluation import Played, Score, Terms, evaluate, play_matches
from agents.intervals import difference_interval, mean_interval, win_rate_interval
from agents.matches import DECKS_PER_BLOCK, Block, Match, plan_matches, play_block
from sorry_env.engine.parameters import MOVER
from sorry_env.errors import PolicyError, SorryError, SpecError
from sorry_env.players import GreedyPlayer, Player, RandomPlayer
from sorry_env.position import Positions
from sorry_env.rules import Rules, rules_from
from sorry_env.values import num_sides

TWO = rules_from("classic", 2)


class Scripted:
    """Plays the lowest legal id, so that a deck decides who wins; keeps who was on move in which game."""

    def __init__(self, name: str = "scripted") -> None:
        self.name = name
        self.seats: set[int] = set()

    def bind(self, rules: Rules) -> None:
        """Plays any rules."""

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """Lowest legal ids."""
        self.seats |= {positions[index].mover for index in range(len(positions))}
        return masks.argmax(axis=1)


class GoodAtSeatZero(Scripted):
    """Greedy where it sits first, random elsewhere."""

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """Greedy at seat 0, else uniform."""
        greedy = GreedyPlayer().act(observations, masks, rng, positions)
        anything = RandomPlayer().act(observations, masks, rng, positions)
        return np.where(positions.rows[:, MOVER] == 0, greedy, anything)


def rated(
    specs: list[str], rules: Rules = TWO, games: int = 400, seed: int = 1, players: list[Player] | None = None
) -> list[Score]:
    """An evaluation in this process."""
    return evaluate(specs, rules, games, seed, players=players)


# --- Tables ---


@pytest.fixture
def policy(tmp_path: Path) -> str:
    """A policy file for `mini-2`: a player that is asked rather than compiled."""
    path = tmp_path / "linear.onnx"
    write_policy(path, rules_from("mini-2"))
    return str(path)


def test_workers(policy: str) -> None:
    """One worker and two give the same table."""
    rules = rules_from("mini-2")
    with Processes(2) as crew:
        tables = [evaluate([policy, "greedy", "random"], rules, 1200, 7, each) for each in (None, crew)]
    assert tables[0] == tables[1]
    assert len(tables[0]) == 6


def test_seeds(policy: str) -> None:
    """The same seed gives the same table, another seed another one."""
    first, again, other = (rated([policy, "random"], rules_from("mini-2"), seed=seed) for seed in (3, 3, 4))
    assert first == again
    assert first != other


def test_greedy_beats_random() -> None:
    """Greedy wins 66.6 % of classic two-player games against random, within the interval of 2,000 games."""
    greedy, random = rated(["greedy", "random"], games=2000)
    assert (greedy.games, greedy.decks) == (2000, 1000)
    assert greedy.low < 0.666 < greedy.high
    assert greedy.low < greedy.win_rate < greedy.high
    assert greedy.win_rate + random.win_rate == pytest.approx(1)
    assert 0.03 < greedy.high - greedy.low < 0.05
    assert (greedy.even, greedy.truncated) == (0.5, 0)
    assert 100 < greedy.plies < 250
    assert greedy.points > random.points > 0


@pytest.mark.parametrize("spec", ["classic:players=2", "classic:colors=RB", "points:players=2", "teams"])
def test_mirror_match(spec: str) -> None:
    """A player against itself: 50 % lies in the interval."""
    for score in rated(["random", "random"], rules_from(spec), games=2000, seed=2):
        assert score.low <= 0.5 <= score.high
        assert score.even == 0.5


def test_games_are_whole_decks() -> None:
    """Games are rounded up to whole decks; `progress` counts up to all of them."""
    told: list[tuple[int, int]] = []
    scores = evaluate(
        ["greedy", "random", "random"], TWO, 601, 1, progress=lambda done, total: told.append((done, total))
    )
    assert {score.games for score in scores} == {602}
    assert told == [(512, 1806), (602, 1806), (1114, 1806), (1204, 1806), (1716, 1806), (1806, 1806)]
    assert rated(["greedy", "random"], games=1)[0].games == 2


def test_as_dict() -> None:
    """A score as a dict holds every field under its name."""
    score = rated(["greedy", "random"], games=20)[0]
    assert Score(**score.as_dict()) == score


# --- Seats and sides ---


@pytest.mark.parametrize("spec", ["classic:players=2", "classic:colors=RB", "classic:players=3", "classic", "teams"])
def test_rotation_is_exact(spec: str) -> None:
    """Players that play alike win each deck once each, so seats and first moves cancel out: all are even."""
    rules = rules_from(spec)
    sides = num_sides(rules)
    players: list[Player] = [Scripted() for _ in range(sides)]
    for score in rated([f"p{k}" for k in range(sides)], rules, 60, players=players):
        assert score.win_rate == pytest.approx(1 / sides)
        assert score.even == pytest.approx(1 / sides)
        assert score.low < 1 / sides < score.high


def test_rotation_removes_the_seat() -> None:
    """A player that wins mostly where it sits first is even against itself."""
    block = Block(TWO, Match(((0, 1),), (0, 1)), 0, 0, 200, 3)
    winners = play_block(block, [GoodAtSeatZero(), GoodAtSeatZero()])["winner"]
    seats = (winners + np.arange(2)) % 2
    assert (seats == 0).mean() > 0.6
    scores = rated(["a", "b"], games=400, seed=3, players=[GoodAtSeatZero(), GoodAtSeatZero()])
    assert scores[0].low <= 0.5 <= scores[0].high


@pytest.mark.parametrize("spec", ["classic", "teams", "points:players=3"])
def test_every_side_is_sat_at(spec: str) -> None:
    """Over the rotation every player sits everywhere; a team's two seats are one player's."""
    rules = rules_from(spec)
    sides = num_sides(rules)
    watchers = [Scripted(str(k)) for k in range(sides)]
    rated([watcher.name for watcher in watchers], rules, sides, players=list(watchers))
    assert all(watcher.seats == set(range(rules.players)) for watcher in watchers)
    for watcher in watchers:
        watcher.seats.clear()
    block = Block(rules, Match((tuple(range(sides)),), (0,)), 0, 0, 1, 1)
    results = play_block(block, watchers)
    assert results["winner"].shape == results["plies"].shape == (1, sides)
    assert results["points"].shape == (1, sides, sides)


def test_teams() -> None:
    """In the partnership game two players have a side each, and the points of a side are its mean seat's."""
    greedy, random = rated(["greedy", "random"], rules_from("teams"), 600)
    assert (greedy.games, greedy.even) == (600, 0.5)
    assert greedy.low > 0.5
    assert greedy.win_rate + random.win_rate == pytest.approx(1)
    (one, two) = rated(["random", "random"], rules_from("team-points"), 400)
    assert 0 < one.points < 180
    assert one.points == pytest.approx(two.points, rel=0.2)


def test_plans() -> None:
    """As many players as sides share a table, else pairs meet, or each plays alone against a field of each other."""
    assert plan_matches(2, 2) == [Match(((0, 1),), (0, 1))]
    assert plan_matches(4, 4) == [Match(((0, 1, 2, 3),), (0, 1, 2, 3))]
    assert [match.tables for match in plan_matches(3, 2)] == [((0, 1),), ((0, 2),), ((1, 2),)]
    assert plan_matches(2, 4) == [Match(((0, 1, 1, 1),), (0,)), Match(((1, 0, 0, 0),), (1,))]
    assert [match.tables for match in plan_matches(2, 3)] == [((0, 1, 1),), ((1, 0, 0),)]
    assert len(plan_matches(3, 4)) == 6
    assert len(plan_matches(4, 4, "field")) == 12
    assert plan_matches(2, 2, "field") == plan_matches(2, 2)
    assert len(plan_matches(5, 4, "mixed")) == 1
    assert [num_sides(rules_from(spec)) for spec in ("classic", "teams", "mini-1", "points:players=3")] == [4, 2, 2, 3]


def test_one_against_a_field() -> None:
    """Two players at four seats: each alone against three of the other, where an equal player would win a quarter."""
    alone, field = rated(["greedy", "random"], rules_from("classic"), 1200)
    assert (alone.player, alone.against, field.player, field.against) == (
        "greedy",
        "3 x random",
        "random",
        "3 x greedy",
    )
    assert alone.even == field.even == 0.25
    assert alone.low > 0.25 > field.high


def test_mixed_table() -> None:
    """Four players at four seats share one table; their win rates add up to 1."""
    scores = rated(["greedy", "random", "greedy", "random"], rules_from("classic"), 1200)
    assert [score.player for score in scores] == ["greedy", "random", "greedy", "random"]
    assert scores[0].against == "2 x random + greedy"
    assert scores[1].against == "2 x greedy + random"
    assert sum(score.win_rate for score in scores) == pytest.approx(1)
    assert min(scores[0].win_rate, scores[2].win_rate) > 0.25 > max(scores[1].win_rate, scores[3].win_rate)


def test_truncated_games() -> None:
    """Games that are cut off are counted, nobody wins them, and their points stand."""
    rules = rules_from("teams:pawns=1,deck=replacement,start_cards=,pawns_out=1")
    scores = rated(["random", "random"], rules, 60)
    cut = scores[0].truncated
    assert 0 < cut < 60
    assert sum(score.win_rate for score in scores) == pytest.approx(1 - cut / 60)
    assert scores[0].plies > 5000 * cut / 60
    assert scores[0].points > 0


# --- Intervals ---


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("decks", [1, 2, 50])
def test_wilson(share: float, decks: int) -> None:
    """Where all decks agree, or there is but one, the interval is Wilson's over the games, by its closed form."""
    low, high = win_rate_interval(np.full(decks, share), 2, 0)
    n, z = 2 * decks, stats.norm.ppf(0.975)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    assert (low, high) == pytest.approx((max(middle - half, 0), min(middle + half, 1)), abs=1e-9)
    assert high - low > 0.03


@pytest.mark.parametrize("odds", [(0.25, 0.5, 0.25), (0.5, 0.1, 0.4), (0.0, 0.2, 0.8)])
def test_bootstrap(odds: tuple[float, ...]) -> None:
    """Otherwise decks are resampled: the interval is near the mean's normal approximation over decks."""
    won = np.random.default_rng(1).choice([0.0, 0.5, 1.0], size=800, p=odds)
    low, high = win_rate_interval(won, 2, 5)
    half = stats.norm.ppf(0.975) * won.std(ddof=1) / np.sqrt(len(won))
    assert low == pytest.approx(won.mean() - half, abs=0.15 * half)
    assert high == pytest.approx(won.mean() + half, abs=0.15 * half)
    assert win_rate_interval(won, 2, 5) == (low, high)


def test_intervals_cover() -> None:
    """95 % intervals hold the true rate about that often, also where the games of a deck hang together."""
    rng = np.random.default_rng(2)
    covered = 0
    for seed in range(120):
        deck = rng.random(150)
        won = (rng.random((150, 2)) < deck[:, None]).mean(axis=1)
        low, high = win_rate_interval(won, 2, seed)
        covered += low <= 0.5 <= high
    assert 106 <= covered <= 120


# --- What is refused ---

REFUSED: list[tuple[list[str], type[SorryError]]] = [
    (["greedy", "zzz"], SpecError),
    (["greedy", "missing.onnx"], PolicyError),
    (["greedy", "{policy}"], PolicyError),
    (["greedy", "random:x=1"], SpecError),
]


@pytest.mark.parametrize(("specs", "error"), REFUSED, ids=str)
def test_refused(policy: str, specs: list[str], error: type[SorryError]) -> None:
    """A player that does not exist or cannot play these rules is refused before any game is played."""
    told: list[int] = []
    with pytest.raises(error):
        evaluate(
            [spec.format(policy=policy) for spec in specs], TWO, 100, 1, progress=lambda done, total: told.append(done)
        )
    assert told == []


# --- Until it is narrow ---


def run_until(until: float, games: int = 100) -> list[Played]:
    """Two matches of light players that stop by width."""
    terms = Terms(("greedy", "random", "race"), rules_from("mini-2"), games, 1, until=until)
    return play_matches(plan_matches(3, 2)[:2], terms)


def test_until() -> None:
    """A match stops after the first block with which its interval is narrow enough, and reaches no further."""
    for played in run_until(0.02):
        decks = len(played.results["deck"])
        assert decks % DECKS_PER_BLOCK == 0
        assert decks > DECKS_PER_BLOCK
        assert max(score.half_width for score in played.scores(("greedy", "random", "race"), 1)) <= 0.02
        shorter = {key: value[:-DECKS_PER_BLOCK] for key, value in played.results.items()}
        before = Played(played.match, 2, shorter)
        assert max(score.half_width for score in before.scores(("greedy", "random", "race"), 1)) > 0.02


def test_until_plays_the_least() -> None:
    """`games` is the least, in whole blocks, where the interval is narrow enough from the first."""
    assert [len(played.results["deck"]) for played in run_until(0.4, 1100)] == [768, 768]


def test_until_ends_at_the_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """A width that is out of reach ends at the most games."""
    monkeypatch.setattr(evaluation, "MOST_GAMES", 1000)
    assert [len(played.results["deck"]) for played in run_until(0.0001)] == [500, 500]


def test_until_tells_progress() -> None:
    """Progress counts up to what is then all."""
    told: list[tuple[int, int]] = []
    terms = Terms(("greedy", "random"), rules_from("mini-2"), 100, 1, until=0.02)
    play_matches(plan_matches(2, 2), terms, progress=lambda done, total: told.append((done, total)))
    assert all(done <= total for done, total in told)
    assert told[-1][0] == told[-1][1]
    assert [done for done, _ in told] == sorted({done for done, _ in told})


def test_played_ahead_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that workers played ahead of a match that was over count for nothing."""
    alone = run_until(0.02)

    monkeypatch.setattr(Here, "size", 2)
    for one, other in zip(alone, run_until(0.02), strict=True):
        assert np.array_equal(one.results["winner"], other.results["winner"])


# --- One deck, and differences ---


def test_one_deck_bounds_nothing() -> None:
    """From one deck nothing can be said of how decks differ."""
    assert mean_interval(np.array([0.4])) == (0.0, 1.0)
    assert difference_interval(np.array([0.4]), np.array([0.1, 0.2])) == (-1.0, 1.0)
    assert difference_interval(np.full(3, 2 / 3), np.full(2, 1 / 3)) == (-1.0, 1.0)


def test_difference_interval() -> None:
    """Welch's interval, as scipy's test of unlike spreads has it."""
    rng = np.random.default_rng(1)
    first, second = rng.normal(0.5, 0.3, 40), rng.normal(0.1, 0.1, 9)
    expected = stats.ttest_ind(first, second, equal_var=False).confidence_interval(0.95)
    assert difference_interval(first, second) == pytest.approx((expected.low, expected.high))
