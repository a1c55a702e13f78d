"""Stable-Baselines3's example: legal throughout, losers' rewards in its buffer, loud where masks are left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy as evaluate_without_masks

from examples import sb3_maskable_ppo
from sorry_env import IllegalError


@pytest.fixture(scope="module")
def model() -> MaskablePPO:
    """Trained for one rollout of 8 games by 256 decisions, in an environment that raises."""
    return sb3_maskable_ppo.train(2048)


def test_rollout_is_legal_and_holds_the_losers_rewards(model: MaskablePPO) -> None:
    """Every action was legal by the mask that it is learnt with; a game ends in 1 or -1, both occur, and none else."""
    buffer = model.rollout_buffer
    actions = buffer.actions.reshape(-1, 1).astype(int)
    masks = buffer.action_masks.reshape(len(actions), -1)
    assert np.take_along_axis(masks, actions, axis=1).all()
    rewards = buffer.rewards.reshape(-1)
    assert set(rewards.tolist()) == {-1.0, 0.0, 1.0}


def test_evaluation_uses_masks(model: MaskablePPO) -> None:
    """The example's evaluation plays to the end; SB3's own, which knows no masks, is stopped by an IllegalError."""
    assert -1 <= sb3_maskable_ppo.evaluate(model, 8) <= 1
    with pytest.raises(IllegalError):
        evaluate_without_masks(model, sb3_maskable_ppo.make_envs(2, seed=1), n_eval_episodes=8, warn=False)


def test_prediction_without_masks_is_illegal(model: MaskablePPO) -> None:
    """`predict` without `action_masks` names illegal actions; with them, none."""
    envs = sb3_maskable_ppo.make_envs(8, seed=1)
    seen = envs.reset()
    masks = np.stack(envs.env_method("action_masks"))
    with_masks, _ = model.predict(seen, action_masks=masks)  # type: ignore[arg-type]  # a flat Box
    without, _ = model.predict(seen)  # type: ignore[arg-type]  # as above
    assert masks[np.arange(8), with_masks].all()
    assert not masks[np.arange(8), without].all()


def test_loaded_model_plays_alike(model: MaskablePPO, tmp_path: Path) -> None:
    """What was saved and loaded predicts as before."""
    model.save(tmp_path / "model")
    again = MaskablePPO.load(tmp_path / "model", device="cpu")
    seen = np.random.default_rng(0).random((32, 183), np.float32)
    masks = np.random.default_rng(1).random((32, 201)) < 0.1
    masks[:, 0] = True
    for deterministic in (True, False):
        model.set_random_seed(1)
        wanted, _ = model.predict(seen, deterministic=deterministic, action_masks=masks)
        again.set_random_seed(1)
        found, _ = again.predict(seen, deterministic=deterministic, action_masks=masks)
        np.testing.assert_array_equal(found, wanted)


def test_pictures_are_there_when_asked_for() -> None:
    """`make_vec_env` asks for rgb_array unless told otherwise, and gets pictures."""
    envs = make_vec_env("sorry_env:Sorry-v0")
    envs.reset()
    picture = envs.render()
    assert picture is not None
    assert picture.shape == (512, 512, 3)
