"""Mixed tables: who sits where, ratings that recover known strengths, and whom a player's presence makes win."""

from __future__ import annotations

import itertools
from collections import Counter

import choix
import numpy as np
import pytest

from agents.evaluation import Played, Terms, play_matches
from agents.matches import Match, mix_tables
from agents.ratings import influences, rate, win_chance
from sorry_env.rules import rules_from

NAMES = ("a", "b", "c", "d", "e")


def drawn(
    match: Match, strengths: np.ndarray, decks: int, seed: int, bonus: tuple[int, int, float] | None = None
) -> Played:
    """Games won by the Plackett-Luce model; `bonus`: what one's presence adds to another's rating."""
    rng = np.random.default_rng(seed)
    numbers = np.arange(decks)
    entries = match.entries(numbers)
    sides = entries.shape[1]
    worth = strengths[entries]
    if bonus:
        present, helped, more = bonus
        worth = worth + more * ((entries == helped) & (entries == present).any(axis=1, keepdims=True))
    noise = rng.gumbel(size=(decks, sides, sides))
    zeros = np.zeros((decks, sides, sides))
    winner = (worth[:, None] + noise).argmax(axis=2)
    return Played(
        match, sides, {"deck": numbers, "winner": winner, "luck": zeros, "points": zeros, "plies": zeros[:, 0]}
    )


def test_ratings_of_pairs() -> None:
    """Pairs that met by themselves give the same ratings as tables would: those that the games were drawn by."""
    strengths = np.array([-0.6, 0.0, 0.6])
    pairs = [Match((pair,), pair) for pair in itertools.combinations(range(3), 2)]
    played = [drawn(pair, strengths, 3000, seed) for seed, pair in enumerate(pairs)]
    for one, strength in zip(rate(played, NAMES[:3], 0), strengths, strict=True):
        assert one.low is not None
        assert one.high is not None
        assert one.low < one.rating < one.high
        assert one.rating == pytest.approx(strength, abs=0.08)
        assert one.high - one.low < 0.15


# --- Tables ---


@pytest.mark.parametrize(("players", "sides"), [(3, 3), (4, 3), (5, 3), (4, 4), (6, 4)])
def test_every_seating_alike(players: int, sides: int) -> None:
    """Over the tables and their rotations every choice of players sits in every order equally often."""
    match = mix_tables(players, sides)
    rotated = Counter(table[k:] + table[:k] for table in match.tables for k in range(sides))
    assert rotated == dict.fromkeys(itertools.permutations(range(players), sides), 1)
    assert match.measured == tuple(range(players))


@pytest.mark.parametrize(("players", "sides"), [(2, 3), (2, 4), (3, 4)])
def test_too_few_players(players: int, sides: int) -> None:
    """With fewer players than seats everybody is at every table, and all have equally many seats."""
    match = mix_tables(players, sides)
    assert all(set(table) == set(range(players)) for table in match.tables)
    seats = Counter(index for table in match.tables for index in table)
    assert len(set(seats.values())) == 1


def test_decks_go_round_the_tables() -> None:
    """Deck d is played at table d mod T; games are rounded up to whole rounds; each player has its own decks."""
    terms = Terms(("race", "random", "greedy", "random", "solitaire"), rules_from("classic", 3), 10, 1)
    match = mix_tables(5, 3)
    played = play_matches([match], terms)[0]
    assert played.results["deck"].tolist() == list(range(20))
    for player, score in enumerate(played.scores(terms.specs, 0)):
        mine = played.outcome(player)
        assert mine.decks.tolist() == [deck for deck in range(20) if player in match.tables[deck]]
        assert (score.games, score.decks, score.against) == (36, 12, "mixed tables")
        assert score.even == pytest.approx(1 / 3)
    total = sum(played.outcome(player).won.sum() for player in range(5))
    assert total == pytest.approx(20), "every game has one winner"


# --- Ratings ---


@pytest.mark.parametrize(("players", "sides"), [(5, 4), (4, 4), (5, 3), (3, 4)])
def test_known_strengths(players: int, sides: int) -> None:
    """Ratings find the strengths by which winners were drawn, each within its interval and near the estimate."""
    strengths = np.linspace(-1, 1, players)
    found = rate([drawn(mix_tables(players, sides), strengths, 2400, 1)], NAMES[:players], 0)
    assert [one.player for one in found] == list(NAMES[:players])
    for one, strength in zip(found, strengths, strict=True):
        assert one.low is not None
        assert one.high is not None
        assert one.low < one.rating < one.high
        assert abs(one.rating - strength) < 0.9 * (one.high - one.low)
        assert 0.03 < one.high - one.low < 0.3
        assert one.win_chance == pytest.approx(win_chance(one.rating, sides))


def test_rating_intervals_cover() -> None:
    """95 % intervals hold the true rating about that often."""
    strengths = np.array([-0.8, -0.2, 0.0, 0.3, 0.7])
    covered = 0
    for seed in range(40):
        for one, strength in zip(
            rate([drawn(mix_tables(5, 4), strengths, 120, seed)], NAMES, seed), strengths, strict=True
        ):
            assert one.low is not None
            assert one.high is not None
            covered += one.low <= strength <= one.high
    assert 178 <= covered <= 199


def test_one_step_is_as_good_as_a_whole_estimate() -> None:
    """Intervals are as wide as those of whole estimates of resampled decks."""
    match, names = mix_tables(4, 3), NAMES[:4]
    played = drawn(match, np.array([-1.0, 0.0, 0.2, 0.8]), 200, 3)
    entries, winner = match.entries(np.arange(200)), played.results["winner"]
    games = [
        [(int(table[side]), tuple(np.delete(table, side).tolist())) for side in sides]
        for table, sides in zip(entries, winner, strict=True)
    ]
    rng = np.random.default_rng(0)
    resampled = (rng.integers(200, size=200) for _ in range(150))
    whole = np.array(
        [choix.ilsr_top1(4, [game for deck in decks for game in games[deck]], 0.01) for decks in resampled]
    )
    low, high = np.quantile(whole - whole.mean(axis=1, keepdims=True), [0.025, 0.975], axis=0)
    for k, one in enumerate(rate([played], names, 0)):
        assert one.low is not None
        assert one.high is not None
        assert one.high - one.low == pytest.approx(high[k] - low[k], rel=0.25)


def test_win_chance() -> None:
    """An average player wins its share of the seats; odds are e**rating to one for each other seat."""
    assert win_chance(0.0, 4) == pytest.approx(0.25)
    assert win_chance(np.log(3), 4) == pytest.approx(0.5)


def test_no_wins() -> None:
    """A player that never won has a finite rating below all others, and no interval."""
    found = rate([drawn(mix_tables(4, 4), np.array([0.0, 0.1, 0.2, -60.0]), 60, 1)], NAMES[:4], 0)
    assert found[3].rating < min(one.rating for one in found[:3]) - 2
    assert np.isfinite(found[3].rating)
    assert (found[3].low, found[3].high, found[3].chance_low, found[3].chance_high) == (None, None, None, None)


# --- Kingmaking ---


def test_influences() -> None:
    """Where one's presence helps another, and only there, the interval of what it adds lies above 0."""
    played = drawn(mix_tables(5, 3), np.zeros(5), 4000, 2, bonus=(4, 1, 1.0))
    found = {(one.present, one.player): one for one in influences(played, NAMES)}
    assert found.keys() == set(itertools.permutations(NAMES, 2))
    expected = np.e / (np.e + 2) - 1 / 3
    assert found["e", "b"].low > 0.1
    assert found["e", "b"].low < expected < found["e", "b"].high
    for pair, one in found.items():
        assert one.low < one.added < one.high
        if "b" not in pair and "e" not in pair:
            # Without either there are three tables, and at one of them the helped sits with the helper.
            assert one.added == pytest.approx(1 / 3 - (2 / 3 + 1 / (np.e + 2)) / 3, abs=0.03)


def test_influences_need_tables_without() -> None:
    """With no more players than seats there is nothing to compare with."""
    assert influences(drawn(mix_tables(4, 4), np.zeros(4), 12, 1), NAMES[:4]) == []
