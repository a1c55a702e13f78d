"""Invariants at every state of random play over all rule sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from invariants import BatchCheck, check, play_random
from strategies import HAND_GAMES, RULE_SETS, SPECS, positions, random_positions

from sorry_env.engine import kernels
from sorry_env.engine.packing import NUM_FIRST, Pack
from sorry_env.engine.parameters import AGAIN, MOST_ACTIONS, NUM_ACTIONS, NUM_FEATURES, WIDTH, parameter_row
from sorry_env.engine.rows import stream_rows
from sorry_env.position import Position
from sorry_env.rules import Rules

BATCH = 1_000
MOST_PLIES = 20_000


@pytest.mark.parametrize("spec", SPECS)
def test_random_play(spec: str) -> None:
    """Every position of a random game keeps the invariants, and so does all that its legal moves and cards lead to."""
    game = play_random(RULE_SETS[spec], seed=len(spec))
    assert game.is_over
    visited = [position for position, _ in game.history] + [game.position]
    for position in visited[:40] + visited[-40:]:
        check(position)


@pytest.mark.parametrize("spec", SPECS)
def test_random_positions(spec: str) -> None:
    """Random positions keep the invariants; every id that is not legal is refused."""
    for position in random_positions(RULE_SETS[spec], 1, 2):
        check(position, refused=None)
    for position in random_positions(RULE_SETS[spec], 2, 20):
        check(position)


@pytest.mark.parametrize("spec", sorted(HAND_GAMES))
def test_positions_as_seen(spec: str) -> None:
    """What a seat may know of a position, others' hands unknown, is a sound position."""
    rules = HAND_GAMES[spec]
    for position in random_positions(rules, 3, 10):
        for seat in range(rules.players):
            seen = position.seen_by(seat)
            check(seen)
            assert seen.hand(seat) == position.hand(seat)
            assert [seen.hand(other) for other in range(rules.players) if other != seat] == [None] * (rules.players - 1)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(position=positions(hidden=True))
def test_any_position(position: Position) -> None:
    """Any position of any rules record keeps the invariants: open, awaiting a card, finished, with unknown hands."""
    check(position, refused=4)


@pytest.mark.parametrize("spec", SPECS)
def test_equal_positions_are_equal_rows(spec: str) -> None:
    """A position has one row, whether it came by playing or by reading its text."""
    for position, _ in play_random(RULE_SETS[spec], seed=1, max_plies=30).history:
        again = Position.parse(str(position), position.rules)
        assert position.row[0, AGAIN] or (again.row == position.row).all()


class Batch:
    """Arrays of B games of one rules record for `kernels.advance`."""

    def __init__(self, rules: Rules, size: int, seed: int) -> None:
        self.p = parameter_row(rules)
        self.S = np.zeros((size, self.p[0, WIDTH]), np.int16)
        self.R = stream_rows(seed, size)
        self.actions = np.full(size, kernels.LOOK, np.int64)
        self.status = np.full(size, kernels.NEW, np.int8)
        self.plies = np.zeros(size, np.int64)
        self.masks = np.zeros((size, self.p[0, NUM_ACTIONS]), np.int8)
        self.counts = np.full(size, -1, np.int64)
        self.firsts = np.zeros((size, NUM_FIRST), np.int16)
        self.seen = np.zeros((size, self.p[0, NUM_FEATURES]), np.uint8)

    def advance(self, auto_forced: bool = False) -> None:
        """Plays `actions` and looks at what comes of it."""
        refused = self.try_to_advance(auto_forced)
        assert refused == -1

    def try_to_advance(self, auto_forced: bool = False) -> int:
        """The same; returns the game whose action is not legal, -1 if there is none."""
        refused: int = self.pack(auto_forced).bind(kernels.advance)(kernels.EACH)
        return refused

    def pack(self, auto_forced: bool) -> Pack:
        """The arrays as kernels take them."""
        rows = self.S, self.R, self.p, self.actions, self.status, self.plies
        return Pack(*rows, self.masks, self.counts, self.firsts, self.seen, MOST_PLIES, auto_forced)

    def choose(self) -> None:
        """Draws a legal action for every open game, and begins a new one where a game has ended."""
        self.pack(False).bind(kernels.sample_legal)(self.actions)
        over = self.counts == 0
        self.status[over] = kernels.NEW
        self.counts[over] = -1


@pytest.mark.parametrize("spec", SPECS)
def test_many_games(spec: str, games: int) -> None:
    """At every ply of many games at once the rows, masks and counts keep the invariants (`--games N` for more)."""
    rules = RULE_SETS[spec]
    batch = Batch(rules, min(BATCH, games), seed=5)
    verify = BatchCheck(rules)
    finished = 0
    while finished < games:
        batch.advance()
        assert not (batch.status == kernels.TRUNCATED).any()
        verify(batch.S, batch.status == kernels.OPEN, batch.masks, batch.counts)
        finished += int((batch.status == kernels.TERMINATED).sum())
        batch.choose()
    assert finished >= games


@pytest.mark.parametrize("spec", ["classic", "team-points", "mini-1"])
def test_illegal_action_in_a_batch(spec: str) -> None:
    """A batch with one illegal action is refused whole: the game is named and nothing has changed."""
    batch = Batch(RULE_SETS[spec], 8, seed=2)
    batch.advance()
    for wrong in (-1, -2, batch.masks.shape[1], int((batch.masks[5] == 0).nonzero()[0][0])):
        batch.choose()
        batch.actions[5] = wrong
        arrays = (batch.S, batch.R, batch.status, batch.plies, batch.masks, batch.counts, batch.seen)
        before = [array.copy() for array in arrays]
        assert batch.try_to_advance() == 5
        assert all((array == old).all() for array, old in zip(arrays, before, strict=True))


@pytest.mark.parametrize("spec", SPECS)
def test_unfolding(spec: str) -> None:
    """The kernel that looks one ply ahead lists the legal ids and what each leads to, and picks one of them."""
    rules = RULE_SETS[spec]
    p, R = parameter_row(rules), stream_rows(3, 1)
    legal = np.empty((1, MOST_ACTIONS), np.int16)
    after = np.empty((MOST_ACTIONS, p[0, WIDTH]), np.int16)
    for position in random_positions(rules, 8, 5):
        count, picked = kernels.unfold_one(position.row.copy(), R, p, 0, legal, after)
        assert legal[0, :count].tolist() == position.legal_actions()
        assert 0 <= picked < count
        for k, action in enumerate(position.legal_actions()):
            assert (after[k] == position.after(action).row[0]).all()


@settings(max_examples=50)
@given(first=st.integers(0, 2**40), count=st.integers(1, 40))
def test_streams_do_not_depend_on_the_batch(first: int, count: int) -> None:
    """A game's stream is told by seed and game id alone, whatever batch the game is in."""
    ids = np.arange(first, first + count)
    alone = np.concatenate([stream_rows(7, ids[k : k + 1]) for k in range(count)])
    assert (stream_rows(7, ids) == alone).all()
    assert len(np.unique(alone[:, 0])) == count
