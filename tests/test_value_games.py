"""Targets of games that a model plays against itself: closed forms, and nothing that threads or shares could change."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit
from scipy import stats
from slow_search import SlowSearch
from tiny_values import random_network, slow_inputs, swapped

from sorry_env import value_games
from sorry_env.cards import NUM_CARDS
from sorry_env.engine import learning, searching
from sorry_env.engine.parameters import CARD, MOVER, OVER, PILE, WIDTH, parameter_row
from sorry_env.engine.rows import stream_rows
from sorry_env.engine.valuing import MOST_OUTPUTS
from sorry_env.position import Position
from sorry_env.rules import Rules, rules_from
from sorry_env.value_games import Lessons, ValueGames
from sorry_env.values import ValueModel, num_outputs, num_sides, value_inputs

DRAW = [
    "mini-1",
    "classic:players=2,pawns=2",
    "classic:players=3,pawns=1",
    "teams:pawns=2",
    "classic:players=2,pawns=1,scoring=points",
    "teams:pawns=1,scoring=points",
    "classic:pawns=1,two_draws_again=no",
]
HAND = ["points:players=2,pawns=2", "points:players=3,pawns=2", "team-points:pawns=1", "points:pawns=1,scoring=win"]
LONG = 5000  # plies


class Played(NamedTuple):
    """One game: its positions before a draw, their targets by side, what it came to, and the position at the end."""

    rows: np.ndarray
    targets: np.ndarray
    outcome: np.ndarray
    last: np.ndarray


def by_side(targets: np.ndarray, rows: np.ndarray, sides: int) -> np.ndarray:
    """Targets, seen by who draws next, as worths by side: float64 (N, O)."""
    parts = [np.array([np.roll(part, row[MOVER] % sides) for part, row in zip(half, rows, strict=True)])
             for half in np.split(targets.astype(np.float64), targets.shape[1] // sides, axis=1)]  # fmt: skip
    return np.concatenate(parts, axis=1)


def play(model: ValueModel, game: int, trace: float, max_plies: int = LONG) -> Played:
    """Game `game` of seed 3, played by the kernel alone."""
    p = parameter_row(model.rules)
    states, streams = np.zeros((1, p[0, WIDTH]), np.int16), stream_rows(3, np.array([game]))
    rows = np.empty((LONG, p[0, WIDTH]), np.int16)
    values, means = np.empty((2, LONG, MOST_OUTPUTS), np.float32)
    targets = np.empty((LONG, num_outputs(model.rules)), np.float32)
    found = learning.play_against_itself(states, streams, p, model.row, trace, max_plies, rows, values, means, targets)
    assert found > 0
    assert not rows[:found, OVER].any(), "a finished game is nothing to learn from"
    outcome = model.worths(states)[0].astype(np.float64)
    return Played(rows[:found], by_side(targets[:found], rows[:found], num_sides(model.rules)), outcome, states)


def averages(model: ValueModel, rows: np.ndarray) -> np.ndarray:
    """E: what the positions are worth by one exact average (held by `test_searching`): float64 (N, O)."""
    found = np.empty((len(rows), MOST_OUTPUTS), np.float32)
    searching.average_worth(rows, parameter_row(model.rules), model.row, found)
    return found[:, : num_outputs(model.rules)].astype(np.float64)


def lessons(model: ValueModel, shares: list[int], trace: float = 0.6, threads: int = 1, seed: int = 3) -> Lessons:
    """Games of one seed in blocks of the given numbers."""
    games = ValueGames(seed, ThreadPoolExecutor(threads))
    parts = [games.play(model, count, trace) for count in shares]
    assert games.played == sum(shares)
    rows, targets = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    return Lessons(rows, targets, sum(part.games for part in parts))


def is_same(one: Lessons, other: Lessons) -> bool:
    """Whether two blocks hold the same positions and targets, bit for bit."""
    return np.array_equal(one.rows, other.rows) and np.array_equal(one.targets, other.targets)


# --- Targets ---


@pytest.mark.parametrize("max_plies", [LONG, 9])
@pytest.mark.parametrize("spec", DRAW)
def test_trace_one_is_the_outcome_less_luck(spec: str, max_plies: int) -> None:
    """With trace 1 a target is the outcome, or the worth at the cut, less the luck of all draws from there on."""
    model = random_network(rules_from(spec), 1)
    for game in range(6):
        played = play(model, game, 1.0, max_plies)
        values = model.worths(played.rows).astype(np.float64)
        luck = np.concatenate([values[1:], played.outcome[None]]) - averages(model, played.rows)
        wanted = played.outcome - np.cumsum(luck[::-1], axis=0)[::-1]
        np.testing.assert_allclose(played.targets, wanted, atol=2e-4)
        assert bool(played.last[0, OVER]) == (max_plies == LONG or len(played.rows) < max_plies)
        assert len(played.rows) <= max_plies


@pytest.mark.parametrize("spec", DRAW)
def test_trace_zero_is_the_average(spec: str) -> None:
    """With trace 0 a target is the exact average over the next card, whatever card came."""
    model = random_network(rules_from(spec), 1)
    for game in range(6):
        played = play(model, game, 0.0)
        np.testing.assert_allclose(played.targets, averages(model, played.rows), atol=1e-5)


@pytest.mark.parametrize("spec", DRAW)
def test_trace_between(spec: str) -> None:
    """A target is E + trace (y - V) of the position that follows, past the end the outcome twice."""
    model = random_network(rules_from(spec), 1)
    played = play(model, 1, 0.7)
    values, means = model.worths(played.rows).astype(np.float64), averages(model, played.rows)
    target, value = played.outcome, played.outcome
    for at in range(len(played.rows) - 1, -1, -1):
        target, value = means[at] + 0.7 * (target - value), values[at]
        assert played.targets[at] == pytest.approx(target, abs=1e-4)


@pytest.mark.parametrize("trace", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("spec", HAND)
def test_hand_game(spec: str, trace: float) -> None:
    """A target is TD(lambda)'s over the own positions of the seat that moved, at its last one the outcome."""
    model = random_network(rules_from(spec), 1)
    for game, max_plies in ((0, LONG), (1, LONG), (2, 9)):
        played = play(model, game, trace, max_plies)
        values = model.worths(played.rows).astype(np.float64)
        for seat in range(model.rules.players):
            target = value = played.outcome
            for at in np.flatnonzero(played.rows[:, MOVER] == seat)[::-1]:
                target, value = value + trace * (target - value), values[at]
                assert played.targets[at] == pytest.approx(target, abs=1e-4)


@pytest.mark.parametrize("spec", DRAW + HAND)
def test_chances_add_up(spec: str) -> None:
    """The sides' chances in every target add up to 1, though a single one may leave 0 to 1."""
    model = random_network(rules_from(spec), 2)
    taught = lessons(model, [8], 0.9)
    np.testing.assert_allclose(taught.targets[:, : num_sides(model.rules)].sum(axis=1), 1, atol=2e-4)
    assert np.isfinite(taught.targets).all()
    assert taught.games == 8


@njit
def write_targets(p, trace, ahead, rows, values, means, targets):  # type: ignore[no-untyped-def]  # numba infers types
    """The rule behind the kernel, of one game."""
    learning.write_targets(p, trace, ahead, rows, values, means, targets, 0, len(rows))


def three_positions(
    rules: Rules, movers: list[int], trace: float, values: list[float], means: list[float]
) -> list[float]:
    """Targets, of who draws next, of a game of three positions that seat 0 wins; values and means are seat 0's."""
    p = parameter_row(rules)
    rows = np.zeros((3, p[0, WIDTH]), np.int16)
    rows[:, MOVER] = movers
    arrays = [np.zeros((3, MOST_OUTPUTS), np.float32) for _ in range(2)]
    for array, numbers in zip(arrays, (values, means), strict=True):
        array[:, 0], array[:, 1] = numbers, 1 - np.array(numbers)
    ahead, targets = np.zeros((4, 2 * MOST_OUTPUTS), np.float32), np.zeros((3, 2), np.float32)
    ahead[:, [0, MOST_OUTPUTS]] = 1
    write_targets(p[0], trace, ahead, rows, *arrays, targets)
    assert targets.sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-6)
    return targets[:, 0].tolist()


def test_three_positions_by_hand() -> None:
    """Seat 0 wins: V .5 .6 .8, E .55 .7 .9, trace .5; seat 1 looks at the second position, so its target is turned."""
    rules = rules_from("mini-1")
    # y3 = .9; y2 = .7 + .5 (.9 - .8) = .75; y1 = .55 + .5 (.75 - .6) = .625
    found = three_positions(rules, [0, 1, 0], 0.5, [0.5, 0.6, 0.8], [0.55, 0.7, 0.9])
    assert found == pytest.approx([0.625, 0.25, 0.9], abs=1e-6)
    # The hand game: seat 0 has y3 = 1 and y1 = .8 + .5 (1 - .8) = .9; seat 1 has y2 = 1 for seat 0, so 0 for itself.
    hand = rules_from("points:players=2,scoring=win")
    found = three_positions(hand, [0, 1, 0], 0.5, [0.5, 0.6, 0.8], [9, 9, 9])
    assert found == pytest.approx([0.9, 0.0, 1.0], abs=1e-6)


# --- Games ---


@pytest.mark.parametrize("spec", ["mini-1", "classic:players=3,pawns=1", "teams:pawns=1"])
def test_every_seat_takes_the_best_reply(spec: str) -> None:
    """Each position follows from the one before by some card that could come and the move that the model likes best."""
    rules = rules_from(spec)
    model = random_network(rules, 1)
    slow, played = SlowSearch(model), play(model, 2, 0.5)
    positions = [Position(rules, row[None]) for row in (*played.rows, played.last[0])]
    assert all(position.awaits_card for position in positions[:-1])
    for before, after in pairwise(positions):
        replies = set()
        for card, _ in before.outcomes():
            actions, afters, worths = slow.judged(before.with_card(card))
            uses = slow.uses(worths, before)
            replies |= {afters[k] for k in range(len(actions)) if uses[k] > max(uses) - 1e-6}
        assert after in replies


def test_cards_come_by_their_odds() -> None:
    """First cards of many games come as often as the deck holds them, and each seat begins as often."""
    rules = rules_from("classic:players=2,pawns=1")
    games = [play(random_network(rules, 1), game, 0.5, 2).rows for game in range(600)]
    deck = np.array(rules.deck_counts)
    drawn = sum(deck - rows[1, PILE : PILE + NUM_CARDS] for rows in games)
    assert stats.chisquare(drawn, 600 * deck / deck.sum()).pvalue > 1e-4
    assert stats.binomtest(sum(int(rows[0, MOVER]) for rows in games), 600).pvalue > 1e-4


@pytest.mark.parametrize("spec", ["mini-1", "points:players=2,pawns=1"])
def test_shares_do_not_matter(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads, blocks, shares and too little room at first leave positions and targets as they are, bit for bit."""
    model = random_network(rules_from(spec), 1)
    whole = lessons(model, [13])
    alone = [play(model, game, 0.6) for game in range(13)]
    assert np.array_equal(whole.rows, np.concatenate([played.rows for played in alone]))
    np.testing.assert_allclose(
        by_side(whole.targets, whole.rows, 2), np.concatenate([played.targets for played in alone]), rtol=1e-6
    )
    assert is_same(lessons(model, [13]), whole)
    assert is_same(lessons(model, [1, 5, 7], threads=2), whole)
    monkeypatch.setattr(value_games, "GAMES_A_SHARE", 3)
    monkeypatch.setattr(value_games, "ROOM", 1)
    assert is_same(lessons(model, [13], threads=2), whole)
    assert is_same(lessons(model, [6, 7]), whole)
    assert not is_same(lessons(model, [13], seed=4), whole)
    assert not is_same(lessons(random_network(rules_from(spec), 5), [13]), whole)


def test_long_games_are_cut_off() -> None:
    """No game has more positions than `max_plies`, and the room suffices also where every game is cut off."""
    model = random_network(rules_from("mini-2"), 1)
    for max_plies in (1, 2, 7):
        taught = ValueGames(1, max_plies=max_plies).play(model, 5, 0.5)
        assert len(taught.rows) == 5 * max_plies


@pytest.mark.parametrize("spec", HAND)
def test_what_is_learned_from_is_seen(spec: str) -> None:
    """The inputs of the positions are those of a slow reading, and hide the hands of others from who moved."""
    rules = rules_from(spec)
    rows = lessons(random_network(rules, 1), [3]).rows
    assert (rows[:, CARD] == -1).all()
    seen = value_inputs(rules, rows)
    other = swapped(rows, rules, 1)
    assert (other != rows).any(axis=1).mean() > 0.5
    assert (value_inputs(rules, other) == seen).all()
    wanted = [slow_inputs(Position(rules, row[None])) for row in rows[:40]]
    np.testing.assert_allclose(seen[:40], wanted, atol=1e-6)
