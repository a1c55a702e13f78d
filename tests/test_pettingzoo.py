"""The PettingZoo face: the ecosystem's own checks, rewards, masks, copies, illegal actions."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, render_test, seed_test
from playing import legal_choice, play_aec, rewards_by_rules, winning_seats

from sorry_env import sorry_v0
from sorry_env.actions import num_actions
from sorry_env.engine import kernels
from sorry_env.errors import IllegalError
from sorry_env.observation import by_name, highs, num_features, observation_layout, state_layout
from sorry_env.rules import PRESETS, rules_from

FACES = {"env": sorry_v0.env, "raw_env": sorry_v0.raw_env}
COPIES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}
faces = pytest.mark.parametrize("make", FACES.values(), ids=FACES)
presets = pytest.mark.parametrize("rules", PRESETS)


# --- The ecosystem's checks ---


@faces
@presets
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
def test_api(make: Any, rules: str) -> None:
    """PettingZoo's api_test passes, warnings as errors."""
    api_test(make(rules=rules), num_cycles=200)


@faces
@presets
def test_seeds(make: Any, rules: str) -> None:
    """PettingZoo's seed_test passes: equal seeds and actions give equal games."""
    seed_test(lambda: make(rules=rules), num_cycles=100)


@faces
@presets
def test_rendering(make: Any, rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PettingZoo's render_test passes in every render mode."""
    monkeypatch.setitem(sorry_v0.raw_env.metadata, "render_fps", 1000)  # a test need not be watched
    render_test(lambda **options: make(rules=rules, **options), custom_tests={"ansi": lambda text: len(text) > 100})


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has a registry from 1.27")
def test_registry() -> None:
    """`pettingzoo.make` finds the environment by its name and hands it the arguments."""
    env = pettingzoo.make("aec", "sorry_v0", rules="points", players=3)
    env.reset(seed=1)
    assert env.unwrapped.rules == rules_from("points", 3)
    assert play_aec(env, np.random.default_rng(1), 50) == 50


# --- Spaces and data sheet ---


@presets
def test_data_sheet(rules: str) -> None:
    """Agents, spaces and their sizes are what rules, action table and layouts say; spaces are one object an agent."""
    env, record = sorry_v0.raw_env(rules=rules), rules_from(rules)
    assert env.possible_agents == [f"player_{seat}" for seat in range(record.players)]
    assert env.metadata["name"] == "sorry_v0"
    for agent in env.possible_agents:
        assert env.action_space(agent) is env.action_space(agent)
        assert env.observation_space(agent) is env.observation_space(agent)
        action_space: Any = env.action_space(agent)
        observation_space: Any = env.observation_space(agent)
        assert action_space.n == num_actions(record.pawns, record.teams)
        features = num_features(observation_layout(record))
        assert observation_space["observation"].shape == (features,)
    assert env.state_space.shape == (num_features(state_layout(record)),)


def test_docstring_sizes() -> None:
    """The numbers in the docstring's data sheet are the sizes of the spaces."""
    told = [int(number) for number in re.findall(r"\b\d{3}\b", sorry_v0.raw_env.__doc__ or "")[:4]]
    features = [num_features(observation_layout(rules_from("classic", players))) for players in (2, 4)]
    assert told == [num_actions(4, False), num_actions(4, True), *features]


# --- One game, watched at every step ---


def check_masks(env: Any) -> None:
    """The mover's mask is its legal actions, in observation and info alike; zero for every other seat."""
    legal = env.unwrapped.position.legal_actions()
    for agent in env.agents:
        observation, info = env.observe(agent), env.infos[agent]
        mask = observation["action_mask"]
        assert mask.dtype == np.int8
        assert mask.tolist() == info["action_mask"].tolist()
        assert env.observation_space(agent).contains(observation)
        assert np.flatnonzero(mask).tolist() == (legal if agent == env.agent_selection else [])
    assert legal


@faces
@presets
def test_masks(make: Any, rules: str) -> None:
    """While the game is open, masks are the legal actions of the seat on move, zero elsewhere, and never all zero."""
    env, rng = make(rules=rules), np.random.default_rng(3)
    env.reset(seed=3)
    for _ in range(120):
        if any(env.terminations.values()):
            break
        check_masks(env)
        env.step(legal_choice(env.infos[env.agent_selection]["action_mask"], rng))


@faces
@pytest.mark.parametrize("reward", [None, "win", "points"])
@presets
def test_rewards(make: Any, rules: str, reward: str | None) -> None:
    """Nothing but the end is rewarded; then `last` tells every seat its own zero-sum reward by winner or RULES 5.7."""
    env = make(rules=rules, reward=reward)
    scoring = reward or rules_from(rules).scoring
    env.reset(seed=5)
    rng, given = np.random.default_rng(5), {}
    while not any(env.terminations.values()):
        assert set(env.rewards.values()) == {0}
        assert env.last()[1] == 0
        env.step(legal_choice(env.last()[0]["action_mask"], rng))
    position = env.unwrapped.position
    for agent in env.agent_iter():
        observation, given[agent], terminated, truncated, info = env.last()
        assert (terminated, truncated) == (True, False)
        assert not observation["action_mask"].any()
        assert not info["action_mask"].any()
        env.step(None)
    assert not env.agents
    expected = rewards_by_rules(position, scoring)
    assert [given[agent] for agent in env.possible_agents] == pytest.approx(expected)
    assert sum(given.values()) == pytest.approx(0)
    if position.rules.teams:
        assert scoring == "points" or expected[:2] == expected[2:]
    winners = winning_seats(position)
    assert all(expected[seat] > 0 for seat in winners)


@pytest.mark.parametrize("rules", ["mini-1", "points:players=3", "teams"])
@faces
def test_truncation(make: Any, rules: str) -> None:
    """At `max_plies` every seat is truncated, not terminated, with reward 0 and nothing left to choose."""
    env = make(rules=rules, max_plies=9)
    env.reset(seed=2)
    assert play_aec(env, np.random.default_rng(2)) == 9
    assert set(env.truncations.values()) == {True}
    assert set(env.terminations.values()) == {False}
    for _ in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        assert (reward, terminated, truncated) == (0, False, True)
        assert not observation["action_mask"].any()
        env.step(None)
    assert not env.agents


def seen(env: Any) -> tuple[Any, ...]:
    """All that an environment shows at a step."""
    return (env.agent_selection, *env.last(), dict(env.rewards), dict(env.infos), env.unwrapped.state())


@pytest.mark.parametrize("auto_forced", [False, True])
@presets
def test_determinism(rules: str, auto_forced: bool) -> None:
    """Equal seeds show equal agents, observations, rewards, flags, infos, masks and states at each step."""
    envs = [sorry_v0.env(rules=rules, auto_forced=auto_forced) for _ in range(2)]
    sorry_v0.env(rules=rules).reset(seed=99)  # a third environment draws nothing from their streams
    for game in range(2):
        for env in envs:
            env.reset(seed=7 if game == 0 else None)
        rngs = [np.random.default_rng(game) for _ in envs]
        for _ in range(150):
            first, second = map(seen, envs)
            assert data_equivalence(first, second, exact=True)
            if first[3] or first[4]:
                break
            for env, rng in zip(envs, rngs, strict=True):
                env.step(legal_choice(env.last()[0]["action_mask"], rng))


def test_seeds_differ() -> None:
    """Different seeds deal different cards and first players."""
    env = sorry_v0.env()
    openings = set()
    for seed in range(40):
        env.reset(seed=seed)
        openings.add(str(env.unwrapped.position))
    assert len(openings) > 20


def test_auto_forced() -> None:
    """`auto_forced` shows exactly the decisions with a choice of the game that is shown in full without it."""
    full, short = sorry_v0.raw_env(), sorry_v0.raw_env(auto_forced=True)
    full.reset(seed=11)
    short.reset(seed=11)
    rng = np.random.default_rng(11)
    while not any(full.terminations.values()):
        legal = full.position.legal_actions()
        action = int(rng.choice(legal))
        if len(legal) > 1:
            assert str(short.position) == str(full.position)
            short.step(action)
        full.step(action)
    assert str(short.position) == str(full.position)
    assert short.rewards == full.rewards


# --- What is handed out ---


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_arrays_are_not_reused(dtype: Any) -> None:
    """Observations, masks, infos and states that were handed out never change as the game goes on."""
    env, rng = sorry_v0.raw_env(rules="points", observation_dtype=dtype), np.random.default_rng(1)
    env.reset(seed=1)
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(60):
        arrays = [env.state()]
        for agent in env.agents:
            observation = env.observe(agent)
            arrays += [observation["observation"], observation["action_mask"], env.infos[agent]["action_mask"]]
        kept += [(array, array.copy()) for array in arrays]
        env.step(legal_choice(env.infos[env.agent_selection]["action_mask"], rng))
    env.reset()
    assert all((array == before).all() for array, before in kept)


def test_arrays_are_the_callers() -> None:
    """Whatever a caller writes into observations and states, the environment shows and allows the same as before."""
    env = sorry_v0.raw_env()
    env.reset(seed=1)
    before = copy.deepcopy(seen(env))
    for agent in env.agents:
        observation = env.observe(agent)
        observation["observation"][:] = observation["action_mask"][:] = 1
    env.state()[:] = 1
    assert data_equivalence(seen(env), before, exact=True)


def test_masks_in_infos_are_the_callers() -> None:
    """A caller that writes into a mask of `infos` (or is refused to) does not change what the environment allows."""
    env = sorry_v0.raw_env()
    env.reset(seed=1)
    legal = env.position.legal_actions()
    mask = env.infos[env.agent_selection]["action_mask"]
    if mask.flags.writeable:
        mask[:] = 0
    assert np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist() == legal
    env.step(legal[0])


@presets
def test_counts(rules: str) -> None:
    """uint8 observations and states are plain counts; float32 ones are these over each feature's highest."""
    floats, counts = sorry_v0.raw_env(rules=rules), sorry_v0.raw_env(rules=rules, observation_dtype=np.uint8)
    record, rng = rules_from(rules), np.random.default_rng(4)
    seen_high = highs(observation_layout(record))
    state_high = highs(state_layout(record))
    floats.reset(seed=4)
    counts.reset(seed=4)
    for _ in range(100):
        for agent in counts.agents:
            observation = counts.observe(agent)
            assert counts.observation_space(agent).contains(observation)
            assert observation["observation"].dtype == np.uint8
            np.testing.assert_allclose(
                floats.observe(agent)["observation"], observation["observation"] / seen_high, rtol=1e-6
            )
        np.testing.assert_allclose(floats.state(), counts.state() / state_high, rtol=1e-6)
        if any(floats.terminations.values()):
            break
        action = legal_choice(floats.infos[floats.agent_selection]["action_mask"], rng)
        floats.step(action)
        counts.step(action)


@faces
@pytest.mark.parametrize("rules", ["classic", "points", "team-points"])
def test_state(make: Any, rules: str) -> None:
    """`state` lies in `state_space` and shows every hand; an observation shows the own hand."""
    env, record, rng = make(rules=rules), rules_from(rules), np.random.default_rng(6)
    at = by_name(state_layout(record))
    own = by_name(observation_layout(record))
    env.reset(seed=6)
    for _ in range(60):
        state, position = env.state(), env.unwrapped.position
        assert env.unwrapped.state_space.contains(state)
        assert state[at["on_move"]].argmax() == position.mover
        for seat, agent in enumerate(env.agents):
            hand = [(position.hand(seat) or ()).count(card) / 5 for card in position.pile()]
            assert state[at[f"hand{seat}"]].tolist() == pytest.approx(hand)
            assert env.observe(agent)["observation"][own["hand"]].tolist() == pytest.approx(hand)
        env.step(legal_choice(env.last()[0]["action_mask"], rng))


def test_hidden_hands() -> None:
    """Another hand at an opponent's changes the state but nothing that the mover sees."""
    env = sorry_v0.raw_env(rules="points", players=2)
    shown, states = [], []
    for theirs in ("7.7.8.8.10", "1.11.12.X.X"):
        env.reset(seed=0, options={"position": f"R:S,S,S,4/Y:S,S,S,34 r 1.2.3.4.5/{theirs} *"})
        shown.append(env.last())
        states.append(env.state())
    assert data_equivalence(shown[0], shown[1], exact=True)
    assert (states[0] != states[1]).any()


# --- Copies ---


def playout(env: Any) -> list[Any]:
    """Every position, agent and observation to the end, the rewards, and how the next game begins."""
    rng, game = np.random.default_rng(9), list[Any]()
    while not any(env.terminations.values()):
        observation = env.last()[0]
        game.append((str(env.unwrapped.position), env.agent_selection, observation["observation"].tolist()))
        env.step(legal_choice(observation["action_mask"], rng))
    game += [str(env.unwrapped.position), dict(env.rewards)]
    env.reset()
    return [*game, str(env.unwrapped.position)]


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@faces
@presets
def test_copies(make: Any, rules: str, copied: Any) -> None:
    """A copy made in mid-game goes on to the identical game, cards too, and does not touch the original."""
    env = make(rules=rules)
    env.reset(seed=8)
    play_aec(env, np.random.default_rng(8), 15)
    before = copy.deepcopy(seen(env))
    twin = copied(env)
    assert data_equivalence(seen(twin), before, exact=True)
    game = playout(twin)
    assert data_equivalence(seen(env), before, exact=True)
    assert playout(env) == game


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_compile_nothing(copied: Any) -> None:
    """A copy plays through the kernels that are compiled already."""
    env = sorry_v0.raw_env(rules="mini-2")
    env.reset(seed=8)
    twin = copied(env)
    assert twin._batch.parameters.flags.writeable == env._batch.parameters.flags.writeable
    compiled = len(kernels.advance.signatures)
    twin.step(twin.position.legal_actions()[0])
    assert len(kernels.advance.signatures) == compiled


# --- Illegal actions ---


@presets
def test_raw_illegal(rules: str) -> None:
    """An illegal action raises IllegalError with position, action and legal moves, and leaves the game as it was."""
    env, twin = sorry_v0.raw_env(rules=rules), sorry_v0.raw_env(rules=rules)
    for each in (env, twin):
        each.reset(seed=12)
        play_aec(each, np.random.default_rng(12), 20)
    before, position = copy.deepcopy(seen(env)), env.position
    size = num_actions(env.rules.pawns, env.rules.teams)
    legal = position.legal_actions()
    illegal = [action for action in range(size) if action not in legal]
    for action in [*illegal[:5], *illegal[-5:], -1, size, 10**6]:
        with pytest.raises(IllegalError) as caught:
            env.step(action)
        message = str(caught.value)
        assert "\n" not in message
        assert str(position) in message
        assert all(f"{id_} ({move})" in message for id_, move in zip(legal, position.legal_moves(), strict=True))
        assert action in (-1, size, 10**6) or f"action {action} " in message
    for wrong in (None, 1.5, "1", [1], np.array([1.0])):
        with pytest.raises(IllegalError):
            env.step(wrong)  # type: ignore[arg-type]  # the wrong type is what is tried
    assert data_equivalence(seen(env), before, exact=True)
    for each in (env, twin):
        play_aec(each, np.random.default_rng(13), 60)
    assert data_equivalence(seen(env), seen(twin), exact=True)


@pytest.mark.parametrize("action", [-7, 201, 10**6])
def test_illegal_outside_the_space(action: int) -> None:
    """The message of an id outside the action space names that id."""
    env = sorry_v0.raw_env()
    env.reset(seed=12)
    with pytest.raises(IllegalError, match=f"action {action} "):
        env.step(action)


@pytest.mark.parametrize("number", [int, np.int8, np.int32, np.int64, np.uint16])
def test_integers(number: Any) -> None:
    """Any kind of integer is an action."""
    env = sorry_v0.raw_env(rules="mini-1")
    env.reset(seed=3)
    env.step(number(env.position.legal_actions()[0]))


def test_wrapped_illegal(capsys: pytest.CaptureFixture[str]) -> None:
    """In the guarded environment an illegal action ends the game: -1 for who played it, 0 for the others."""
    env = sorry_v0.env(players=3)
    env.reset(seed=2)
    play_aec(env, np.random.default_rng(2), 10)
    loser = env.agent_selection
    mask = env.last()[0]["action_mask"]
    env.step(int(np.flatnonzero(mask == 0)[0]))
    given = {}
    for agent in env.agent_iter():
        _, given[agent], terminated, truncated, _ = env.last()
        assert terminated or truncated
        env.step(None)
    assert given == {agent: -1.0 if agent == loser else 0.0 for agent in env.possible_agents}
    env.reset(seed=2)
    assert play_aec(env, np.random.default_rng(2), 10) == 10


def test_guards() -> None:
    """The guarded environment refuses a step before `reset` and an action outside the space."""
    env = sorry_v0.env(rules="mini-1")
    with pytest.raises(AssertionError, match="reset"):
        env.step(0)
    env.reset()
    with pytest.raises(AssertionError, match="action space"):
        env.step(10_000)
