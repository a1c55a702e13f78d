"""Gymnasium's examples and its checker: no illegal action reaches a game, and losers get their reward."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pasting import pasted

from examples import gymnasium_masks, own_opponent, register_in_your_project
from sorry_env import Batch, IllegalError, SpecError, load_player, register_player, rules_from


@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_own_checker(observation: str) -> None:
    """check_env passes, warnings as errors."""
    check_env(gymnasium.make("sorry_env:Sorry-v0", observation=observation).unwrapped)


def test_gymnasium_example_as_pasted(tmp_path: Path) -> None:
    """It plays single games and a batch to their ends."""
    single, batch = pasted("gymnasium_masks.py", tmp_path).splitlines()
    assert f"of {gymnasium_masks.GAMES} games" in single
    assert int(batch.split()[4]) > gymnasium_masks.ENVS


def test_gymnasium_learner_gets_both_rewards() -> None:
    """Single and batched, the final rewards are 1 and -1, and resets are not counted as decisions."""
    env = gymnasium.make("sorry_env:Sorry-v0", opponents=["greedy"], illegal="raise")
    assert {gymnasium_masks.play(env, seed) for seed in range(12)} == {-1.0, 1.0}
    envs = gymnasium.make_vec("sorry_env:Sorry-v0", num_envs=32, opponents=["greedy"], illegal="raise")
    finals, decisions = gymnasium_masks.play_many(envs, 150, seed=1)
    assert set(finals.tolist()) == {-1.0, 1.0}
    assert 150 * 32 - len(finals) <= decisions < 150 * 32


@pytest.mark.parametrize("num_envs", [None, 4])
def test_gymnasium_game_raises_without_the_mask(num_envs: int | None) -> None:
    """`illegal="raise"` lets no illegal action pass, in a single game or in a batch."""
    options: dict[str, Any] = {"opponents": ["greedy"], "illegal": "raise"}
    env: Any = (
        gymnasium.make("sorry_env:Sorry-v0", **options)
        if num_envs is None
        else gymnasium.make_vec("sorry_env:Sorry-v0", num_envs=num_envs, **options)
    )
    _, info = env.reset(seed=1)
    with pytest.raises(IllegalError):
        env.step(np.argmin(info["action_mask"], axis=-1))


def test_own_opponent_as_pasted(tmp_path: Path) -> None:
    """It plays against all three opponents."""
    lines = pasted("own_opponent.py", tmp_path).splitlines()
    assert [line.rpartition(" ")[2] for line in lines] == ["random", "forward", "greedy"]


def test_own_opponent_plays_legally_by_its_word() -> None:
    """It moves a pawn backward only where nothing else is legal, and refuses hand games."""
    player, batch, rng = own_opponent.Forward(), Batch("classic", 64, 1), np.random.default_rng(1)
    player.bind(batch.rules)
    batch.reset()
    backward = 0
    for _ in range(60):
        actions = player.act(batch.observations, batch.masks, rng, batch.positions())
        moves_back = player.is_backward[actions] & batch.is_open
        assert not (batch.masks[moves_back] > 0)[:, ~player.is_backward].any()
        backward += int(moves_back.sum())
        batch.step(actions)  # raises where one is illegal
    assert backward > 0
    with pytest.raises(SpecError, match="draw games"):
        player.bind(rules_from("points"))
    register_player("forward", lambda spec, options: own_opponent.Forward())
    assert isinstance(load_player("forward", batch.rules), own_opponent.Forward)


def test_own_ids_as_pasted(tmp_path: Path) -> None:
    """Both ids make the game that was registered, batched natively."""
    lines = pasted("register_in_your_project.py", tmp_path).splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        register_in_your_project.GYM_ID,
        register_in_your_project.GYM_ID,
        register_in_your_project.AEC_ID,
    ]
    assert "SorryVectorEnv" in lines[1]
