"""The native vector environment tells the same story as Gymnasium's own vectorizer over single environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import sorry_env  # registers Sorry-v0
from sorry_env.errors import IllegalError, SorryError
from sorry_env.gym_env import SorryEnv

ID = "Sorry-v0"
assert sorry_env.__version__


def make(num_envs: int = 8, **options: Any) -> Any:
    """A native vector environment of the mini game, whose episodes are short."""
    settings: dict[str, Any] = {"rules": "mini-1", "opponents": ["greedy"], **options}
    return gymnasium.make_vec(ID, num_envs=num_envs, **settings)


def sample(env: Any, infos: dict[str, Any], rng: np.random.Generator) -> np.ndarray:
    """Uniform legal actions; 0 where none is open."""
    masks = infos["action_mask"]
    return np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])


def test_make_vec_uses_the_native_environment_and_its_spaces_hold() -> None:
    """make_vec gives the native class, whose observations and actions lie in its spaces."""
    env = make(16)
    observations, infos = env.reset(seed=3)
    assert type(env.unwrapped).__name__ == "SorryVectorEnv"
    assert observations in env.observation_space
    assert infos["action_mask"].shape == (16, env.single_action_space.n)
    rng = np.random.default_rng(0)
    for _ in range(50):
        observations, rewards, terminated, truncated, infos = env.step(sample(env, infos, rng))
        assert observations in env.observation_space
        assert rewards.dtype == np.float64
        assert terminated.dtype == truncated.dtype == np.bool_


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_shape_of_the_story_equals_gymnasiums_own_vectorizer(mode: AutoresetMode) -> None:
    """Keys, shapes and dtypes of infos, and when games end and begin, are those of SyncVectorEnv in both modes."""
    native = make(6, autoreset_mode=mode)
    plain = SyncVectorEnv([lambda: SorryEnv("mini-1", opponents=["greedy"])] * 6, autoreset_mode=mode)
    rng = np.random.default_rng(1)
    seen: dict[str, set[tuple[str, ...]]] = {}
    for name, env in (("native", native), ("plain", plain)):
        _, infos = env.reset(seed=5)
        ended = np.zeros(6, bool)
        seen[name] = {tuple(sorted(infos))}
        for _ in range(120):
            before = ended
            observations, rewards, terminated, truncated, infos = env.step(sample(env, infos, rng))
            ended = terminated | truncated
            seen[name].add(tuple(sorted(infos)))
            assert (rewards[~ended] == 0).all()
            assert (np.abs(rewards[terminated]) == 1).all()
            if mode is AutoresetMode.NEXT_STEP:
                assert not ended[before].any()
                assert (infos["action_mask"].any(axis=1) == ~ended).all()
            else:
                assert infos["action_mask"].any(axis=1).all()
            if "final_obs" in infos:
                assert (infos["_final_obs"] == ended).all()
                final = np.stack(list(infos["final_obs"][ended]))
                assert final.shape[1:] == observations.shape[1:]
                assert (final[:, -1] == 1).all(), "a final observation says that the game is over"
                assert not infos["final_info"]["action_mask"][ended].any()
    assert seen["native"] == seen["plain"]


def test_same_seed_same_games_and_first_games_do_not_depend_on_n() -> None:
    """A seed gives the same games again, and game e's cards do not depend on how many games there are."""
    stories = []
    for num_envs in (4, 4, 9):
        env = make(num_envs, rules="classic", autoreset_mode="SameStep")
        observations, infos = env.reset(seed=11)
        story = [observations[:4].copy()]
        for _ in range(40):
            actions = infos["action_mask"].argmax(axis=1)
            observations, _, _, _, infos = env.step(actions)
            story.append(observations[:4].copy())
        stories.append(np.stack(story))
    assert (stories[0] == stories[1]).all()
    assert (stories[0] == stories[2]).all()


def test_disabled_autoreset_and_reset_mask() -> None:
    """With autoreset disabled ended games stay until options["reset_mask"] begins them anew, and no other."""
    env = make(8, autoreset_mode="Disabled")
    _, infos = env.reset(seed=2)
    rng = np.random.default_rng(2)
    ended = np.zeros(8, bool)
    while not ended.any():
        _, _, terminated, truncated, infos = env.step(sample(env, infos, rng))
        ended = terminated | truncated
    before = infos["action_mask"].copy()
    _, infos = env.reset(options={"reset_mask": ended})
    assert infos["action_mask"].any(axis=1).all()
    assert (infos["action_mask"][~ended] == before[~ended]).all()


@pytest.mark.parametrize("illegal", ["lose", "random", "raise"])
def test_illegal_actions_get_what_was_chosen(illegal: str) -> None:
    """An illegal action loses, is replaced or raises, in its own game only."""
    env = make(3, illegal=illegal, rules="classic")
    _, infos = env.reset(seed=1)
    actions = infos["action_mask"].argmax(axis=1)
    actions[1] = infos["action_mask"][1].argmin()
    if illegal == "raise":
        with pytest.raises(IllegalError, match="game 1: action"):
            env.step(actions)
        return
    _, rewards, terminated, _, infos = env.step(actions)
    assert infos["illegal_action"].tolist() == [False, True, False]
    assert terminated.tolist() == [False, illegal == "lose", False]
    assert rewards.tolist() == [0.0, -1.0 if illegal == "lose" else 0.0, 0.0]


def test_max_episode_steps_truncates() -> None:
    """After max_episode_steps decisions a learner's game is truncated with reward 0."""
    env = make(4, rules="classic", max_episode_steps=3)
    _, infos = env.reset(seed=1)
    for step in range(3):
        _, rewards, terminated, truncated, infos = env.step(infos["action_mask"].argmax(axis=1))
        assert truncated.tolist() == [step == 2] * 4
        assert not terminated.any()
        assert not rewards.any()


def test_wrong_arguments_are_refused() -> None:
    """Numbers and modes that make no sense raise SorryError."""
    wrong: list[dict[str, Any]] = [{"num_envs": 0}, {"render_mode": "human"}, {"seat": 7}, {"opponents": []}]
    for options in wrong:
        with pytest.raises(SorryError):
            make(**options)


def test_threads_change_nothing() -> None:
    """Games shared out to threads are the same games."""
    one, two = (gymnasium.make_vec("sorry_env:Sorry-v0", num_envs=30, threads=threads) for threads in (1, 2))
    (seen, infos), (other, _) = one.reset(seed=3), two.reset(seed=3)
    for _ in range(60):
        assert (seen == other).all()
        actions = infos["action_mask"].argmax(axis=1)
        seen, *_, infos = one.step(actions)
        other, *_ = two.step(actions)
