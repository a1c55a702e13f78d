"""Many games as arrays: independent of batch size and order, masks, sampling, resets, places, rewards."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playing import points_by_rules, rewards_by_rules
from scipy import stats
from strategies import RULE_SETS, SPECS, random_positions

from sorry_env import Batch
from sorry_env.actions import num_actions
from sorry_env.batch import LOOK, SKIP
from sorry_env.errors import IllegalError, RulesError, SorryError
from sorry_env.observation import by_name, highs, num_features, observation_layout, state_layout
from sorry_env.position import Position
from sorry_env.rules import PRESETS, rules_from

all_rules = pytest.mark.parametrize("spec", SPECS)
presets = pytest.mark.parametrize("spec", PRESETS)


def begun(rules: Any, num_games: int, seed: int = 1, **options: Any) -> Batch:
    """A batch that stands at its first decisions."""
    batch = Batch(rules, num_games, seed, **options)
    batch.reset()
    return batch


def play(batch: Batch, steps: int) -> None:
    """Plays sampled actions."""
    for _ in range(steps):
        batch.step(batch.sample())


def shown(batch: Batch, e: int) -> list[Any]:
    """All that game e of a batch shows."""
    return [
        str(batch.position(e)),
        batch.masks[e].tolist(),
        batch.counts[e],
        batch.observations[e].tolist(),
        batch.plies[e],
        batch.movers[e],
        batch.terminated[e],
        batch.truncated[e],
        batch.is_open[e],
        batch.rewards()[e].tolist(),
        batch.points()[e].tolist(),
        batch.whole_states()[e].tolist(),
    ]


# --- Games do not know of each other ---


@pytest.mark.parametrize("auto_forced", [True, False])
@presets
def test_batch_size(spec: str, auto_forced: bool) -> None:
    """Game e of a seed is the same alone, among 64, and in any order, sampled choices and the next game included."""
    many, order = begun(spec, 64, auto_forced=auto_forced), np.random.default_rng(0).permutation(64)
    mixed = begun(spec, 64, auto_forced=auto_forced, games=order)
    alone = {e: begun(spec, 1, auto_forced=auto_forced, games=np.array([e])) for e in (0, 5, 63)}
    for step in range(40):
        for e, batch in alone.items():
            assert shown(batch, 0) == shown(many, e)
        places = np.argsort(order)
        for array in ("masks", "counts", "observations", "plies", "movers"):
            assert (getattr(mixed, array)[places] == getattr(many, array)).all()
        for batch in (many, mixed, *alone.values()):
            if step == 20:
                batch.reset()
            batch.step(batch.sample())


@presets
def test_seeds(spec: str) -> None:
    """A seed gives the same games again, another seed or no seed others."""
    batches = [Batch(spec, 16, seed) for seed in (7, 7, 8, None, None)]
    for batch in batches:
        batch.reset()
        play(batch, 15)
    first, again, *others = [batch.states.tolist() for batch in batches]
    assert first == again
    assert first not in others
    assert others[1] != others[2]
    batches[2].seed(7)
    batches[2].reset()
    play(batches[2], 15)
    assert batches[2].states.tolist() == first


def cards_drawn(batch: Batch, choose: Callable[[Batch], np.ndarray], plies: int) -> list[list[str | None]]:
    """The cards that each game shows, ply by ply."""
    cards = []
    for _ in range(plies):
        cards.append([batch.position(e).card for e in range(batch.num_games)])
        batch.step(choose(batch))
    return cards


@pytest.mark.parametrize("spec", ["classic", "teams", "edition-1939", "edition-2013", "classic:deck=replacement"])
def test_equal_ids_draw_equal_cards(spec: str) -> None:
    """In the draw game equal `games` ids draw equal cards, whatever is played, across reshuffles; others do not."""
    ids = np.array([3, 3, 3, 4])
    batch = begun(spec, 4, games=ids, auto_forced=False)
    rng = np.random.default_rng(1)

    def choose(batch: Batch) -> np.ndarray:
        first, last = batch.masks.argmax(axis=1), batch.masks.shape[1] - 1 - batch.masks[:, ::-1].argmax(axis=1)
        anything = [rng.choice(np.flatnonzero(mask)) for mask in batch.masks]
        return np.array([first[0], last[1], anything[2], first[3]])

    cards = np.array(cards_drawn(batch, choose, 60))
    assert (cards[:, 0] == cards[:, 1]).all()
    assert (cards[:, 0] == cards[:, 2]).all()
    assert (cards[:, 0] != cards[:, 3]).any()
    assert str(batch.position(0)) != str(batch.position(1))


# --- What is shown ---


@all_rules
def test_masks(spec: str) -> None:
    """Masks and counts are `Position.legal_actions`, observations what `observe` gives the mover, states the whole."""
    rules = RULE_SETS[spec]
    batch = begun(rules, 12, auto_forced=False)
    assert batch.masks.shape == (12, num_actions(rules.pawns, rules.teams))
    assert batch.masks.dtype == np.int8
    for _ in range(40):
        for e in range(12):
            legal = batch.position(e).legal_actions()
            assert np.flatnonzero(batch.masks[e]).tolist() == legal
            assert batch.counts[e] == len(legal)
            assert batch.is_open[e] == bool(legal)
        assert (batch.observe(batch.movers) == batch.observations).all()
        batch.step(batch.sample())


@all_rules
def test_forced_plies(spec: str) -> None:
    """`auto_forced` shows the decisions with two or more legal actions of the game shown in full without it."""
    full, short = begun(spec, 8, auto_forced=False), begun(spec, 8)
    rng = np.random.default_rng(2)
    for _ in range(150):
        assert (short.counts[short.is_open] > 1).all()
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in full.masks])
        chosen = full.counts > 1
        assert (full.states[chosen] == short.states[chosen]).all()
        assert (full.plies[chosen] == short.plies[chosen]).all()
        short.step(np.where(chosen, actions, SKIP))
        full.step(actions)
    ended = ~full.is_open
    assert (full.states[ended] == short.states[ended]).all()


@pytest.mark.parametrize("spec", ["classic", "points", "team-points", "edition-2013", "mini-1"])
def test_counts_and_shares(spec: str) -> None:
    """uint8 features are plain counts and float32 ones their share of the highest; without observations F is 0."""
    rules = rules_from(spec)
    layout = observation_layout(rules)
    kinds: tuple[Any, ...] = (np.float32, np.uint8, None)
    floats, counts, blind = (begun(spec, 16, observation_dtype=kind) for kind in kinds)
    assert floats.observations.shape == counts.observations.shape == (16, num_features(layout))
    assert blind.observations.shape == (16, 0)
    assert (floats.observations.dtype, counts.observations.dtype) == (np.float32, np.uint8)
    state_highs = highs(state_layout(rules))
    for _ in range(40):
        np.testing.assert_allclose(floats.observations, counts.observations / highs(layout), rtol=1e-6)
        np.testing.assert_allclose(floats.whole_states(), counts.whole_states() / state_highs, rtol=1e-6)
        assert (counts.observations <= highs(layout)).all()
        actions = floats.sample()
        assert (counts.sample() == actions).all()
        for batch in (floats, counts, blind):
            batch.step(actions)
        assert (blind.states == floats.states).all()
    assert (blind.observe(blind.movers) == floats.observe(floats.movers)).all()


@all_rules
def test_rewards(spec: str) -> None:
    """Points stand by RULES 5.7 at any time; rewards are 0 while open, at the end zero-sum by winner or points."""
    rules = RULE_SETS[spec]
    batch = begun(rules, 16, max_plies=20_000)
    for _ in range(30):
        open_games = batch.is_open
        assert not batch.rewards()[open_games].any()
        batch.step(batch.sample())
        assert batch.points().tolist() == [points_by_rules(batch.position(e)) for e in range(16)]
    while batch.is_open.any():
        batch.step(batch.sample())
    for scoring in (None, "win", "points"):
        given = batch.rewards(scoring)
        assert given.shape == (16, rules.players)
        expected = [rewards_by_rules(batch.position(e), scoring or rules.scoring) for e in range(16)]
        np.testing.assert_allclose(given, expected, atol=1e-12)
        np.testing.assert_allclose(given.sum(axis=1), 0, atol=1e-12)
    assert batch.points().tolist() == [points_by_rules(batch.position(e)) for e in range(16)]


@presets
def test_sample(spec: str) -> None:
    """`sample` draws every legal action equally often (chi-square on a fixed seed), nothing else, and no cards."""
    batch = begun(spec, 1, seed=3)
    while batch.counts[0] < 1 + batch.rules.pawns:
        batch.step(batch.sample())
        if not batch.is_open[0]:
            batch.reset()
    before = str(batch.position(0))
    drawn = np.array([batch.sample()[0] for _ in range(4000)])
    legal = batch.position(0).legal_actions()
    assert set(drawn.tolist()) == set(legal)
    assert stats.chisquare([np.sum(drawn == action) for action in legal]).pvalue > 1e-3
    assert str(batch.position(0)) == before


# --- Beginning, ending, leaving alone ---


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))], ids=["copy", "pickle"]
)
@presets
def test_copies(spec: str, copied: Any) -> None:
    """A copy made in mid-game goes on to the identical games, and does not touch the original."""
    batch = begun(spec, 5)
    play(batch, 10)
    before = [shown(batch, e) for e in range(5)]
    twin = copied(batch)
    play(twin, 30)
    twin.reset()
    assert [shown(batch, e) for e in range(5)] == before
    play(batch, 30)
    batch.reset()
    assert [shown(batch, e) for e in range(5)] == [shown(twin, e) for e in range(5)]


def test_before_reset() -> None:
    """Before the first `reset` no game is open and nothing is legal."""
    batch = Batch("classic", 3, 1)
    assert batch.truncated.all()
    assert not (batch.is_open | batch.terminated).any()
    assert (batch.sample() == -1).all()
    batch.step(np.array([0, 1, 10**6]))
    assert not batch.plies.any()


@presets
def test_ended_games_stay(spec: str) -> None:
    """A game that has ended stays as it is, whatever action stands there, until `reset(which)` begins it anew alone."""
    batch = begun(spec, 24, max_plies=60)
    kept: dict[int, list[Any]] = {}
    while batch.is_open.any():
        batch.step(np.where(batch.is_open, batch.sample(), 10**6))
        for e in np.flatnonzero(~batch.is_open).tolist():
            assert shown(batch, e) == kept.setdefault(e, shown(batch, e))
            assert not batch.masks[e].any()
    which = np.arange(24) % 3 == 0
    batch.reset(which)
    assert (batch.is_open == which).all()
    assert (batch.plies[which] < 60).all()
    batch.step(batch.sample())
    assert all(shown(batch, e) == kept[e] for e in np.flatnonzero(~which).tolist())


@presets
def test_skip(spec: str) -> None:
    """SKIP leaves a game alone, its stream too."""
    batch, twin = begun(spec, 6), begun(spec, 6)
    for _ in range(20):
        actions = batch.sample()
        even = np.arange(6) % 2 == 0
        before = [shown(batch, e) for e in range(6)]
        batch.step(np.where(even, actions, SKIP))
        assert [shown(batch, e) for e in (1, 3, 5)] == [before[e] for e in (1, 3, 5)]
        batch.step(np.where(even, SKIP, actions))
        twin.step(actions)
        assert [shown(batch, e) for e in range(6)] == [shown(twin, e) for e in range(6)]
        twin.sample()


@presets
def test_look(spec: str) -> None:
    """LOOK plays nothing and draws nothing."""
    batch = begun(spec, 6)
    play(batch, 12)
    before = [shown(batch, e) for e in range(6)]
    batch.step(LOOK)
    assert [shown(batch, e) for e in range(6)] == before


@presets
def test_truncation(spec: str) -> None:
    """At `max_plies`, forced ones counted, a game is truncated without rewards; one that ends just then is won."""
    for auto_forced in (True, False):
        batch = begun(spec, 32, max_plies=25, auto_forced=auto_forced)
        while batch.is_open.any():
            batch.step(batch.sample())
        assert (batch.plies <= 25).all()
        assert (batch.plies[batch.truncated] == 25).all()
        assert batch.truncated.any()
        assert (batch.truncated != batch.terminated).all()
        assert not batch.rewards()[batch.truncated].any()
    won = Batch("mini-1", 1, 1, max_plies=1)
    won.place(0, Position.parse("R:s3/Y:S r 2 *", "mini-1"))
    assert (won.terminated[0], won.truncated[0]) == (True, False)


@pytest.mark.parametrize("spec", ["classic", "points", "teams", "classic:players=3"])
def test_first_player(spec: str) -> None:
    """`reset(first_player=...)` says who begins, for these games alone; by default every seat does, equally often."""
    batch = Batch(spec, 2000, 1, auto_forced=False)
    for seat in range(batch.rules.players):
        batch.reset(first_player=seat)
        assert (batch.movers == seat).all()
    batch.reset()
    assert stats.chisquare(np.bincount(batch.movers, minlength=batch.rules.players)).pvalue > 1e-3
    fixed = begun(rules_from(spec, first_player=1), 50, auto_forced=False)
    assert (fixed.movers == 1).all()


# --- Placing positions ---


@all_rules
def test_place(spec: str) -> None:
    """`place` puts one game into a position, shows its decision, and leaves the others alone."""
    rules = RULE_SETS[spec]
    batch = begun(rules, 3, auto_forced=False)
    others = [shown(batch, e) for e in (0, 2)]
    for position in random_positions(rules, 5, 15):
        batch.place(1, position)
        assert batch.position(1) == position
        assert np.flatnonzero(batch.masks[1]).tolist() == position.legal_actions()
        assert batch.plies[1] == 0
        assert batch.is_open[1]
        assert [shown(batch, e) for e in (0, 2)] == others


def test_place_draws_and_plays_on() -> None:
    """An awaited card is drawn; with `auto_forced` forced plies are played; an ended game is open again."""
    batch = begun("classic:players=2", 2, max_plies=3)
    while batch.is_open.any():
        batch.step(batch.sample())
    batch.place(1, Position.parse("R:S,S,8,20/Y:S,S,S,40 y - *", "classic", players=2))
    assert batch.position(1).card is not None
    assert batch.is_open.tolist() == [False, True]
    assert batch.counts[1] > 1
    batch.place(1, Position.parse("R:S,S,8,20/Y:S,S,S,S y 3 *", "classic", players=2))
    assert batch.plies[1] >= 1


def test_place_refuses() -> None:
    """Positions of other rules, or of a finished game, are refused and change nothing."""
    batch = begun("classic:players=2", 2)
    before = [shown(batch, e) for e in range(2)]
    for text, rules in (
        ("R:H,H,H,H/Y:S,S,S,S r - *", "classic:players=2"),
        ("R:S,S,S,S/Y:S,S,S,S r 5 *", "classic:players=2,slide_on=own"),
        ("R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S r 5 *", "classic"),
    ):
        with pytest.raises(IllegalError, match="position"):
            batch.place(0, Position.parse(text, rules))
    assert [shown(batch, e) for e in range(2)] == before


@pytest.mark.parametrize("seat", [0, 1])
def test_place_refuses_unknown_hands(seat: int) -> None:
    """A position with an unknown hand cannot be played on and is refused."""
    batch = begun("points:players=2", 1, auto_forced=False)
    with pytest.raises(SorryError):
        batch.place(0, batch.position(0).seen_by(seat))


def test_forfeit() -> None:
    """A forfeited game is cut off as it stands: nothing is legal, nobody has won, the others go on."""
    batch = begun("classic", 2)
    before = batch.position(0)
    batch.forfeit(0)
    assert batch.position(0) == before
    assert batch.is_open.tolist() == [False, True]
    assert batch.truncated.tolist() == [True, False]
    assert not batch.masks[0].any()
    assert not batch.rewards().any()
    batch.step(batch.sample())


# --- What is refused ---


@presets
def test_illegal_actions(spec: str) -> None:
    """An illegal action in any game is refused with position, action and legal moves, before any game has changed."""
    batch = begun(spec, 5)
    play(batch, 10)
    batch.reset(~batch.is_open)
    before = [shown(batch, e) for e in range(5)]
    position = batch.position(3)
    illegal = [int(np.flatnonzero(batch.masks[3] == 0)[0]), -1, -2, batch.masks.shape[1], 10**6, -(10**6)]
    for action in illegal:
        actions = batch.masks.argmax(axis=1)
        actions[3] = action
        with pytest.raises(IllegalError) as caught:
            batch.step(actions)
        message = str(caught.value)
        assert message.startswith(f"game 3: action {action} ")
        assert str(position) in message
        assert all(move in message for move in position.legal_moves()[:40])
        assert [shown(batch, e) for e in range(5)] == before


@pytest.mark.parametrize("actions", [[1, 2], [[1], [2], [3]], [1.0, 2.0, 3.0], 0.5, "abc"])
def test_actions_of_another_shape(actions: Any) -> None:
    """Actions are integers, one a game or one for all; others are refused before any game changes."""
    batch = begun("classic", 3)
    before = batch.states.copy()
    with pytest.raises(IllegalError, match=r"not integers \(3,\)"):
        batch.step(actions)
    assert (batch.states == before).all()


@pytest.mark.parametrize("which", [[1], [True, False], [1, 0, 1], [[True, True, True]]])
def test_games_to_reset_are_truth_values(which: Any) -> None:
    """Which games begin anew is one truth value a game."""
    batch = begun("classic", 3)
    before = batch.states.copy()
    with pytest.raises(SorryError, match=r"which: bool \(3,\) is wanted"):
        batch.reset(which)
    assert (batch.states == before).all()


BAD_ARGUMENTS: list[Any] = [
    {"rules": "clasic"},
    {"num_games": 0},
    {"num_games": -3},
    {"max_plies": 0},
    {"players": 7},
    {"colour": "R"},
    {"num_games": 4, "games": np.arange(2)},
    {"num_games": 2, "games": np.arange(4).reshape(2, 2)},
    {"num_games": 2, "games": np.array([0.5, 1.5])},
    {"num_games": 1.5},
    {"max_plies": 2.5},
    {"seed": -1},
    {"observation_dtype": np.float64},
    {"observation_dtype": np.int32},
]


@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=str)
def test_bad_arguments(arguments: dict[str, Any]) -> None:
    """Arguments that make no sense are refused with a SorryError."""
    with pytest.raises(SorryError):
        Batch(**arguments)


@pytest.mark.parametrize("first", [-2, 4, 9])
def test_bad_first_player(first: int) -> None:
    """A first player that is no seat is refused."""
    with pytest.raises(RulesError, match="first_player"):
        Batch("classic", 2, 1).reset(first_player=first)


@pytest.mark.parametrize("seats", [[0], [0, 4], [0, -1], [[0], [1]]])
def test_bad_seats(seats: list[Any]) -> None:
    """Seats that are not seated, or not one a game, are refused."""
    with pytest.raises(SorryError):
        begun("classic", 2).observe(np.array(seats))


CALLS: list[Callable[[Batch], object]] = [
    lambda batch: batch.rewards("money"),
    lambda batch: batch.step(batch.masks.argmax(axis=1) + 0.7),
]


@pytest.mark.parametrize("call", CALLS)
def test_bad_calls(call: Callable[[Batch], object]) -> None:
    """A scoring that does not exist and actions that are no integers are refused."""
    with pytest.raises(SorryError):
        call(begun("classic", 2))


def test_own_hand_only() -> None:
    """`observe` and `positions` show each seat its own hand alone."""
    batch = begun("points", 8)
    at = by_name(observation_layout(rules_from("classic")))
    for seat in range(4):
        seen = batch.observe(np.full(8, seat))
        for e in range(8):
            hand = batch.position(e).hand(seat) or ()
            assert seen[e, at["hand"]] * 5 == pytest.approx([hand.count(card) for card in batch.position(e).pile()])
    public = batch.positions(np.array([1, 4]))
    assert [len(public), str(public[1])] == [2, str(batch.position(4).seen_by(batch.movers[4]))]
