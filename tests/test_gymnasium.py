"""The Gymnasium face: the ecosystem's own checks, what the learner sees and gets, opponents, illegal actions."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from playing import legal_choice, rewards_by_rules, winning_seats
from stable_baselines3.common.env_checker import check_env as check_env_for_sb3

from sorry_env.errors import IllegalError, SorryError
from sorry_env.gym_env import SorryEnv
from sorry_env.observation import by_name, observation_layout
from sorry_env.players import GreedyPlayer, Player, RandomPlayer
from sorry_env.position import Position, Positions
from sorry_env.rendering import render_ansi
from sorry_env.rules import Rules, rules_from

RULES = ("classic", "classic:players=4", "teams", "points:players=3", "team-points", "edition-2013", "mini-1")
some_rules = pytest.mark.parametrize("rules", RULES)


def position_of(env: Any) -> Position:
    """The whole position inside an environment."""
    position: Position = env.unwrapped._batch.position(0)
    return position


# --- The ecosystem's checks ---


@pytest.mark.parametrize("observation", ["flat", "dict"])
@some_rules
def test_check_env(rules: str, observation: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Gymnasium's check_env passes without a warning, in every render mode."""
    env = gymnasium.make("Sorry-v0", rules=rules, opponents=["random"], observation=observation, seat="random")
    check_env(env.unwrapped)


@pytest.mark.parametrize("illegal", ["lose", "random"])
@pytest.mark.parametrize("observation", ["flat", "dict"])
@some_rules
def test_check_env_for_sb3(rules: str, observation: str, illegal: str) -> None:
    """SB3's check_env passes without a warning."""
    check_env_for_sb3(SorryEnv(rules, opponents=["random"], observation=observation, illegal=illegal))


FRESH = """
import sys, warnings
warnings.simplefilter("error")
import gymnasium
assert "sorry_env" not in sys.modules
env = gymnasium.make("sorry_env:Sorry-v0", rules="points", opponents=["greedy", "random"], seat=2)
seen, info = env.reset(seed=1)
assert env.observation_space.contains(seen) and info["action_mask"].any() and info["seat"] == 2
assert env.get_wrapper_attr("action_masks")().any()
print(env.unwrapped.rules.spec(), env.spec.id)
assert not {"torch", "matplotlib"} & set(sys.modules)
"""


def test_make_without_import() -> None:
    """`gymnasium.make("sorry_env:Sorry-v0")` works in a process that has not imported sorry_env, and without torch."""
    process = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert process.stdout.split() == ["points:players=3", "Sorry-v0"]


# --- What the learner sees and gets ---


class Watcher:
    """A user's own player: plays at random and keeps what it was asked."""

    def __init__(self) -> None:
        self.name = "watcher"
        self.rules: Rules | None = None
        self.asked: list[Position] = []

    def bind(self, rules: Rules) -> None:
        """Keeps the rules."""
        self.rules = rules

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """Keeps the positions, plays uniform legal actions."""
        self.asked += [positions[index] for index in range(len(positions))]
        return np.array([legal_choice(mask, rng) for mask in masks])


@pytest.mark.parametrize("auto_forced", [True, False])
@pytest.mark.parametrize("seat", [0, 1, 2, 3, "random"])
@pytest.mark.parametrize("rules", ["classic:players=4", "points:players=4", "teams"])
def test_learner_decides(rules: str, seat: int | str, auto_forced: bool) -> None:
    """The learner is asked at its own decisions only, all of them, with its own hand and legal moves."""
    watcher, rng = Watcher(), np.random.default_rng(1)
    env = SorryEnv(rules, opponents=[watcher], seat=seat, auto_forced=auto_forced)
    at = by_name(observation_layout(rules_from("classic")))
    observation, info = env.reset(seed=3)
    for _ in range(60):
        position = position_of(env)
        mask = info["action_mask"]
        assert mask.dtype == np.int8
        assert env.seat == info["seat"] == position.mover
        assert np.flatnonzero(mask).tolist() == position.legal_actions()
        assert mask.sum() > (1 if auto_forced else 0)
        assert (env.action_masks() == (mask > 0)).all()
        assert observation[at["on_move"]].tolist() == [1, 0, 0, 0]
        hand = [(position.hand(env.seat) or ()).count(card) / 5 for card in position.pile()]
        assert observation[at["hand"]].tolist() == pytest.approx(hand)
        observation, _, terminated, truncated, info = env.step(legal_choice(mask, rng))
        if terminated or truncated:
            assert not env.action_masks().any()
            observation, info = env.reset()
    assert watcher.rules == rules_from(rules)
    assert seat == "random" or {position.mover for position in watcher.asked} == set(range(4)) - {seat}


def finish(env: Any, rng: np.random.Generator) -> tuple[float, bool, bool, Any]:
    """Plays a begun game at random; the last reward, flags and observation. Rewards before the end must be 0."""
    while True:
        observation, reward, terminated, truncated, _ = env.step(
            legal_choice(env.get_wrapper_attr("action_masks")(), rng)
        )
        if terminated or truncated:
            return reward, terminated, truncated, observation
        assert reward == 0


@pytest.mark.parametrize("reward", [None, "win", "points"])
@pytest.mark.parametrize("rules", ["mini-2", "points:players=3", "classic:players=3,pawns=1", "team-points:pawns=2"])
def test_reward(rules: str, reward: str | None) -> None:
    """The only reward is the final one of the learner's seat, by winner or by RULES 5.7; wins and losses both occur."""
    record, rng = rules_from(rules), np.random.default_rng(2)
    at = by_name(observation_layout(record))
    outcomes = set()
    for choice in (*range(record.players), "random"):
        env, seats = SorryEnv(rules, seat=choice, reward=reward), set()
        for game in range(5 if choice != "random" else 12):
            env.reset(seed=game)
            seats.add(env.seat)
            got, terminated, truncated, observation = finish(env, rng)
            position = position_of(env)
            assert (terminated, truncated) == (True, False)
            assert got == pytest.approx(rewards_by_rules(position, reward or record.scoring)[env.seat])
            assert observation[at["over"]].tolist() == [1]
            outcomes.add(env.seat in winning_seats(position))
        assert seats == (set(range(record.players)) if choice == "random" else {choice})
    assert outcomes == {True, False}


def test_truncation() -> None:
    """At `max_plies` of all seats the game is truncated, not terminated, with reward 0."""
    env = SorryEnv("points", max_plies=40)
    env.reset(seed=1)
    reward, terminated, truncated, _ = finish(env, np.random.default_rng(1))
    assert (reward, terminated, truncated) == (0, False, True)
    with pytest.raises(IllegalError, match="reset"):
        env.step(0)


def test_truncation_before_the_first_decision() -> None:
    """Where `max_plies` never leaves the learner a choice, the environment says so instead of hanging."""
    with pytest.raises(SorryError):
        SorryEnv("classic", max_plies=1).reset(seed=0)


@some_rules
def test_same_seed_same_episode(rules: str) -> None:
    """The same seed and actions give the same episode, opponents and seats included; the next game goes on alike."""
    episodes = []
    for _ in range(2):
        env = gymnasium.make("Sorry-v0", rules=rules, opponents=["greedy"], seat="random", illegal="random")
        actions: Any = env.action_space
        rng, episode = np.random.default_rng(5), list[Any]()
        for game in range(3):
            episode.append(env.reset(seed=9 if game == 0 else None))
            ended = False
            while not ended:
                step = env.step(int(rng.integers(actions.n)))
                episode.append(step)
                ended = step[2] or step[3]
        episodes.append(episode)
    assert data_equivalence(episodes[0], episodes[1], exact=True)
    assert not data_equivalence(env.reset(seed=10), episodes[0][0], exact=True)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
@pytest.mark.parametrize("opponent", ["greedy", "watcher"])
def test_copies(copied: Any, opponent: str) -> None:
    """A copy made in mid-game goes on to the identical episodes, and does not touch the original."""
    players: list[str | Player] = [Watcher() if opponent == "watcher" else opponent]
    env = gymnasium.make("Sorry-v0", rules="points", opponents=players, seat="random")
    env.reset(seed=6)
    for _ in range(5):
        env.step(legal_choice(env.get_wrapper_attr("action_masks")(), np.random.default_rng(0)))
    twin, before = copied(env), str(position_of(env))
    ends = []
    for each in (twin, env):
        assert str(position_of(each)) == before
        rng = np.random.default_rng(7)
        ends.append([finish(each, rng)[:3], str(position_of(each)), each.reset(), finish(each, rng)])
    assert data_equivalence(ends[0], ends[1], exact=True)


def test_first_player() -> None:
    """The option `first_player` says which seat begins; by default every seat does."""
    watcher = Watcher()
    env = SorryEnv("points", 4, opponents=[watcher], auto_forced=False)
    for seat in range(4):
        watcher.asked = []
        env.reset(seed=1, options={"first_player": seat})
        assert [position.mover for position in watcher.asked][:1] == ([seat] if seat else [])


@pytest.mark.parametrize(
    "first",
    [9, -2, "red", 1.5, True],
)
def test_bad_first_player(first: Any) -> None:
    """A `first_player` that is no seat is refused."""
    with pytest.raises(SorryError, match="first_player"):
        SorryEnv("classic").reset(options={"first_player": first})


# --- Opponents ---


def test_opponents_each_its_seat() -> None:
    """Opponents sit clockwise from the learner, wherever that sits; spec strings and players mix."""
    for seat in range(4):
        watchers = [Watcher(), Watcher()]
        players: list[str | Player] = [watchers[0], "greedy", watchers[1]]
        env = SorryEnv("classic", opponents=players, seat=seat)
        assert env.rules.players == 4
        env.reset(seed=100 + seat)
        finish(env, np.random.default_rng(seat))
        assert {position.mover for position in watchers[0].asked} == {(seat + 1) % 4}
        assert {position.mover for position in watchers[1].asked} == {(seat + 3) % 4}


@pytest.mark.parametrize("opponents", ["greedy", GreedyPlayer(), ["greedy"], (GreedyPlayer(),)])
def test_one_opponent_for_all_seats(opponents: Any) -> None:
    """A single opponent, string or player, in a list or not, plays all other seats: always the same game."""
    for players, seats in ((None, 2), (4, 4)):
        env = SorryEnv("classic", players, opponents=opponents)
        assert env.rules.players == seats
        env.reset(seed=1)
        got = [*finish(env, np.random.default_rng(1))[:3], str(position_of(env))]
        env = SorryEnv("classic", players, opponents=[GreedyPlayer() for _ in range(seats - 1)])
        env.reset(seed=1)
        assert got == [*finish(env, np.random.default_rng(1))[:3], str(position_of(env))]


SEATS: list[tuple[dict[str, Any], int]] = [
    ({}, 2),
    ({"opponents": ["random"] * 2}, 3),
    ({"opponents": ["random"] * 3}, 4),
    ({"players": 3}, 3),
    ({"rules": "classic:players=3"}, 3),
    ({"rules": rules_from("classic")}, 4),
    ({"rules": "teams"}, 4),
    ({"teams": True}, 4),
    ({"colors": "RB"}, 2),
    ({"rules": "mini-1"}, 2),
]


@pytest.mark.parametrize(("arguments", "players"), SEATS, ids=str)
def test_number_of_seats(arguments: dict[str, Any], players: int) -> None:
    """Seats: one more than opponents, unless the rules or the arguments say how many."""
    assert SorryEnv(**arguments).rules.players == players


def test_teams() -> None:
    """In the partnership game the second opponent is the partner, and shares the learner's reward."""
    partner = Watcher()
    env = SorryEnv("teams", opponents=["random", partner, "random"], seat=1)
    for seed in range(6):
        env.reset(seed=seed)
        reward, *_ = finish(env, np.random.default_rng(seed))
        assert reward == (1 if position_of(env).mover in (1, 3) else -1)
    assert {position.mover for position in partner.asked} == {3}


# --- Illegal actions ---


def illegal_actions(env: Any) -> list[int]:
    """The first action that is not legal, and two that are outside the space."""
    return [int(np.flatnonzero(~env.action_masks())[0]), -1, int(env.action_space.n)]


@pytest.mark.parametrize("observation", ["flat", "dict"])
@pytest.mark.parametrize("rules", ["classic", "teams", "points"])
def test_illegal_loses(rules: str, observation: str) -> None:
    """By default an illegal action ends the game with -1, an info that says so, and no mask."""
    env = SorryEnv(rules, observation=observation)
    env.reset(seed=4)
    for action in illegal_actions(env):
        before = str(position_of(env))
        seen, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert info["illegal_action"] is True
        assert env.observation_space.contains(seen)
        assert not info["action_mask"].any()
        assert not env.action_masks().any()
        assert str(position_of(env)) == before
        with pytest.raises(IllegalError, match="reset"):
            env.step(0)
        assert env.reset()[1]["action_mask"].any()


def test_illegal_plays_at_random() -> None:
    """`illegal="random"` plays a uniform legal action in its place and says so; legal actions are left alone."""
    env = SorryEnv("classic", illegal="random")
    played = set()
    for seed in range(30):
        env.reset(seed=1)
        env.np_random = np.random.default_rng(seed)
        legal = position_of(env).legal_actions()
        _, reward, terminated, _, info = env.step(illegal_actions(env)[0])
        assert info["illegal_action"] is True
        assert (reward, terminated) == (0, False)
        played.add(str(position_of(env)))
        if not env.action_masks().any():
            continue
        assert "illegal_action" not in env.step(legal_choice(env.action_masks(), np.random.default_rng(seed)))[4]
    assert len(legal) > 1
    assert len(played) > 1


def test_illegal_raises() -> None:
    """`illegal="raise"` raises with position and legal moves, and leaves the game as it was."""
    env = SorryEnv("classic", illegal="raise")
    env.reset(seed=4)
    position = position_of(env)
    for action in illegal_actions(env):
        with pytest.raises(IllegalError) as caught:
            env.step(action)
        assert f"action {action} " in str(caught.value)
        assert str(position) in str(caught.value)
        assert all(move in str(caught.value) for move in position.legal_moves())
    assert position_of(env) == position
    env.step(position.legal_actions()[0])


@pytest.mark.parametrize("action", [None, "0", 1.5])
@pytest.mark.parametrize("illegal", ["lose", "random", "raise"])
def test_action_of_another_type(action: Any, illegal: str) -> None:
    """An action that is no integer raises IllegalError, whatever illegal actions get."""
    env = SorryEnv("classic", illegal=illegal)
    env.reset(seed=4)
    with pytest.raises(IllegalError):
        env.step(action)


# --- Arguments ---

BAD_ARGUMENTS: list[dict[str, Any]] = [
    {"rules": "clasic"},
    {"players": 5},
    {"opponents": []},
    {"opponents": ["greedi"]},
    {"opponents": [3]},
    {"opponents": None},
    {"opponents": ["random"] * 3, "players": 2},
    {"opponents": ["random"] * 2, "players": 4},
    {"opponents": ["random"] * 4},
    {"opponents": ["random"] * 2, "rules": "teams"},
    {"opponents": ["random"] * 2, "rules": "classic:colors=RB"},
    {"seat": 2},
    {"seat": -1},
    {"seat": "first"},
    {"seat": True},
    {"render_mode": "depth_array"},
    {"reward": "money"},
    {"observation": "image"},
    {"illegal": "ignore"},
    {"max_plies": 0},
    {"colour": "R"},
]


@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=str)
def test_bad_arguments(arguments: dict[str, Any]) -> None:
    """Every argument that makes no sense is refused with a SorryError of one line, also through `gymnasium.make`."""
    with pytest.raises(SorryError) as caught:
        SorryEnv(**arguments)
    assert "\n" not in str(caught.value)
    if "render_mode" not in arguments:  # of which Gymnasium itself warns
        with pytest.raises(SorryError):
            gymnasium.make("Sorry-v0", **arguments)


def test_text_and_no_mode() -> None:
    """`ansi` returns the board as the learner may know it, and without a mode there is a warning."""
    env = SorryEnv("points", render_mode="ansi", seat=1, opponents=[RandomPlayer()])
    env.reset(seed=1)
    position = position_of(env)
    assert env.render() == render_ansi(position.seen_by(1), color=False)
    assert env.render() != render_ansi(position, color=False)
    with pytest.warns(UserWarning, match="render_mode"):
        SorryEnv("points").render()
