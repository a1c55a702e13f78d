"""The batch's fast ways: automatic resets, threads, afterstates. Each equals the plain way, game by game."""

from __future__ import annotations

import ast
import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from strategies import SPECS

import sorry_env.batch
from sorry_env import Batch, IllegalError, SorryError
from sorry_env.batch import LOOK, SKIP
from sorry_env.engine.parameters import HANDS, MOVER
from sorry_env.observation import by_name, observation_layout
from sorry_env.position import Position

presets = pytest.mark.parametrize("spec", SPECS[::3])
EVERYTHING = ("states", "masks", "counts", "observations", "plies", "terminated", "truncated")


def begun(spec: str, num_games: int, **options: Any) -> Batch:
    """A batch at its first decisions."""
    batch = Batch(spec, num_games, 7, **options)
    batch.reset()
    return batch


def same(one: Batch, other: Batch) -> bool:
    """Whether two batches show the same."""
    return all((getattr(one, name) == getattr(other, name)).all() for name in EVERYTHING)


@pytest.fixture(autouse=True)
def small_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads share even a few games, as they would share thousands."""
    monkeypatch.setattr(sorry_env.batch, "LEAST_SHARE", 1)


# --- Automatic resets ---


@pytest.mark.parametrize("auto_forced", [True, False])
@presets
def test_auto_reset_is_reset_after_the_end(spec: str, auto_forced: bool) -> None:
    """The same games as with resets by hand; ends, rewards and last observations are those before the reset."""
    options: dict[str, Any] = {"auto_forced": auto_forced, "max_plies": 300}
    plain, auto = begun(spec, 12, **options), begun(spec, 12, auto_reset=True, **options)
    ends = 0
    for _ in range(700):
        actions = plain.sample()
        assert (auto.sample() == actions).all()
        plain.step(actions)
        auto.step(actions)
        over = ~plain.is_open
        assert auto.is_open.all()
        assert (auto.terminated == plain.terminated).all()
        assert (auto.truncated == plain.truncated).all()
        assert (auto.rewards() == plain.rewards() * over[:, None]).all()
        for seat in range(plain.rules.players if over.any() else 0):
            seen = plain.observe(np.full(12, seat))
            assert (auto.final_observations[over, seat] == seen[over]).all()
        ends += int(over.sum())
        while not plain.is_open.all():  # a new game may end before its first decision
            plain.reset(~plain.is_open)
        for name in ("states", "masks", "counts", "observations", "plies"):
            assert (getattr(auto, name) == getattr(plain, name)).all(), name
    assert ends >= 12


def test_auto_reset_skips_and_resets_by_hand() -> None:
    """SKIP leaves a game alone and ends nothing; a reset by hand forgets the last end."""
    batch = begun("mini-1", 3, auto_reset=True)
    while not batch.terminated[1]:
        batch.step(batch.sample())
    before = batch.states.copy()
    batch.step(SKIP)
    assert (batch.states == before).all()
    assert not batch.terminated.any()
    assert not batch.rewards().any()
    while not batch.terminated[1]:
        batch.step(batch.sample())
    batch.reset(np.array([False, True, False]))
    assert not batch.terminated[1]


def test_game_without_a_decision_begins_again() -> None:
    """Where no game reaches a decision before `max_plies`, a step ends all the same, and so does the next."""
    batch = begun("classic", 2, auto_reset=True, max_plies=1)
    for _ in range(50):
        batch.step(np.where(batch.is_open, batch.sample(), LOOK))
    assert (batch.plies <= 1).all()


def test_what_does_not_go_with_auto_reset() -> None:
    """Compiled players, and rewards by another scoring than the rules'."""
    batch = begun("classic", 2, auto_reset=True)
    with pytest.raises(SorryError, match="auto_reset"):
        batch.step(batch.sample(), np.zeros((2, 4), np.int8))
    with pytest.raises(SorryError, match="scoring"):
        batch.rewards("points")
    assert (batch.rewards("win") == batch.rewards()).all()


# --- Threads ---


@pytest.mark.parametrize("auto_reset", [True, False])
@pytest.mark.parametrize("threads", [2, 3, 8])
@presets
def test_threads_change_nothing(spec: str, threads: int, auto_reset: bool) -> None:
    """Any number of threads plays the same games, sampled choices included."""
    one = begun(spec, 37, auto_reset=auto_reset)
    many = begun(spec, 37, auto_reset=auto_reset, threads=threads)
    for step in range(60):
        actions = one.sample()
        assert (many.sample() == actions).all()
        one.step(actions)
        many.step(actions)
        assert same(one, many)
        if step % 20 == 0:
            assert all((a == b).all() for a, b in zip(one.afterstates(), many.afterstates(), strict=True))


@pytest.mark.parametrize("module", ["kernels", "solving"])
def test_kernels_keep_what_they_point_into(module: str) -> None:
    """A kernel that makes an array of its own ends with `keep` of it, or threads would work in freed memory."""
    source = Path(sorry_env.batch.__file__).parent / "engine" / f"{module}.py"
    made = kept = 0
    for kernel in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(kernel, ast.FunctionDef):
            names = {target.id for target in _targets_of_new_arrays(kernel)}
            last = [ast.unparse(line) for line in kernel.body[-1 - len(names) :]]
            made, kept = made + len(names), kept + sum(f"keep({name})" in last for name in names)
    assert made == kept
    assert made > 3


def _targets_of_new_arrays(kernel: ast.FunctionDef) -> list[ast.Name]:
    found = []
    for line in ast.walk(kernel):
        if isinstance(line, ast.Assign) and ("np.empty(" in ast.unparse(line) or "np.zeros(" in ast.unparse(line)):
            found += [name for name in ast.walk(line.targets[0]) if isinstance(name, ast.Name)]
    return found


def test_compiled_players_in_threads() -> None:
    """Seats played in compiled code are shared out with their games."""
    seated = np.tile(np.array([0, 1, 2, 2], np.int8), (50, 1))
    one, many = begun("classic", 50), begun("classic", 50, threads=2)
    for _ in range(30):
        for batch in (one, many):
            batch.step(np.where(batch.is_open, batch.sample(), LOOK), seated)
        assert same(one, many)


def test_illegal_action_in_a_thread_changes_no_game() -> None:
    """An illegal action in the last thread's share: no share has played."""
    batch = begun("classic", 40, threads=2)
    before = batch.states.copy()
    actions = batch.sample()
    actions[39] = int(np.flatnonzero(batch.masks[39] == 0)[0])
    with pytest.raises(IllegalError, match="game 39"):
        batch.step(actions)
    assert (batch.states == before).all()


@pytest.mark.parametrize("twice", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
@pytest.mark.parametrize("options", [{"threads": 2}, {"auto_reset": True}, {"threads": 2, "auto_reset": True}])
def test_copies_go_their_own_way(options: dict[str, Any], twice: Any) -> None:
    """A copy plays the same games on arrays and threads of its own."""
    batch = begun("points", 9, **options)
    twin = twice(batch)
    before = batch.states.copy()
    for _ in range(40):
        twin.step(np.where(twin.is_open, twin.sample(), SKIP))
    assert (batch.states == before).all()
    for _ in range(40):
        batch.step(np.where(batch.is_open, batch.sample(), SKIP))
    assert same(batch, twin)


def test_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads without a game, or with too few, are not started; no threads at all are refused."""
    batch = begun("classic", 2, threads=16)
    batch.step(batch.sample())
    assert len(batch._shares) == 2
    monkeypatch.setattr(sorry_env.batch, "LEAST_SHARE", 512)
    assert [len(Batch("classic", games, threads=3)._shares) for games in (1, 1023, 1024, 4096)] == [1, 1, 2, 3]
    with pytest.raises(SorryError, match="threads"):
        Batch("classic", 2, threads=0)


# --- Afterstates ---


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
@pytest.mark.parametrize("spec", SPECS)
def test_afterstates_are_the_positions_after(spec: str, dtype: Any) -> None:
    """Action by action they are `Position.after`, seen by who draws next, in hand games by who moved."""
    batch = begun(spec, 8, observation_dtype=dtype)
    for _ in range(25):
        batch.step(np.where(batch.is_open, batch.sample(), SKIP))
        got = batch.afterstates()
        assert got.starts[0] == 0
        assert got.starts[-1] == len(got.actions) == len(got.seats) == len(got.ends) == len(got.features)
        for e in np.flatnonzero(batch.is_open)[:3].tolist():
            position = batch.position(e)
            rows = slice(got.starts[e], got.starts[e + 1])
            assert got.actions[rows].tolist() == position.legal_actions()
            for k, action in enumerate(position.legal_actions()):
                check_afterstate(batch, position.after(action), *(array[rows][k] for array in got[2:]))


def check_afterstate(batch: Batch, after: Position, seat: int, ends: bool, features: np.ndarray) -> None:
    """One afterstate against the position, which a batch of one looks at from that seat."""
    assert seat == after.row[0, MOVER]
    assert ends == after.is_over
    eye = Batch(batch.rules, 1, observation_dtype=batch.observations.dtype.type)
    eye.states[:] = after.row
    assert (eye.observe(np.array([seat]))[0] == features).all()


@pytest.mark.parametrize("spec", ["points", "team-points", "points:players=2"])
def test_afterstates_show_no_hidden_hand(spec: str) -> None:
    """Other hands changed for each other leave the features as they are."""
    batch = begun(spec, 16)
    hands = batch.states[:, HANDS:].reshape(16, 4, 11)
    seen = batch.afterstates().features
    for e, mover in enumerate(batch.movers.tolist()):
        others = [seat for seat in range(batch.rules.players) if seat != mover]
        if len(others) > 1:
            hands[e, others] = hands[e, others[::-1]]
        else:
            batch.states[e, 5:16] += hands[e, others[0]]
            batch.states[e, 5:16] -= np.roll(hands[e, others[0]], 1)
            hands[e, others[0]] = np.roll(hands[e, others[0]], 1)
    assert (batch.afterstates().features == seen).all()
    names = by_name(observation_layout(batch.rules))
    assert seen[:, names["hand"].start : names["hand"].stop].any()


def test_afterstates_into_earlier_arrays() -> None:
    """An earlier result's arrays are written again where they are long enough, and only then."""
    batch = begun("classic", 64)
    first = batch.afterstates()
    batch.step(batch.sample())
    fresh = batch.afterstates()
    again = batch.afterstates(first)
    assert all((a == b).all() for a, b in zip(fresh, again, strict=True))
    is_shared = np.shares_memory(again.features, first.features)
    assert is_shared == (len(first.actions) >= len(again.actions))
    long = batch.afterstates(batch.afterstates(Batch("classic", 4096, 1).afterstates()))
    assert all((a == b).all() for a, b in zip(fresh, long, strict=True))
    other = begun("classic", 64, observation_dtype=np.uint8)
    assert other.afterstates(first).features.dtype == np.uint8
    narrow = begun("classic:players=2", 64).afterstates()
    short = first._replace(features=first.features[:3])
    for unfit in (narrow, short, first._replace(features=first.features[:, ::-1])):
        assert all((a == b).all() for a, b in zip(fresh, batch.afterstates(unfit), strict=True))


def test_no_afterstates_of_ended_games() -> None:
    """An ended game has none."""
    batch = begun("mini-1", 4)
    while batch.is_open.any():
        batch.step(np.where(batch.is_open, batch.sample(), SKIP))
    got = batch.afterstates()
    assert got.starts.tolist() == [0] * 5
    assert len(got.features) == 0
