"""Stable-Baselines3: MaskablePPO finds the masks by itself; train, evaluate with masks, save, load.

`action_masks()` is what sb3-contrib asks for, so no `ActionMasker` is needed. In a clone,
`agents.vec_env.SorryVecEnv` is a native batch for SB3 (`train.py ppo` uses it). Loading a zip unpickles it: load only
your own.

Goes wrong elsewhere: SB3's own `evaluate_policy` and `EvalCallback` never pass masks, nor does `predict` without
`action_masks`; an all-false mask is played uniformly without a word. `illegal="raise"` makes all of these loud.
"""

from __future__ import annotations

from typing import Any

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecEnv

TIMESTEPS = 8192
GAMES = 50
GAME: dict[str, Any] = {"opponents": ["random"], "illegal": "raise"}


def make_envs(num_envs: int = 8, seed: int = 1) -> VecEnv:
    """Games side by side, as SB3 likes them."""
    return make_vec_env("sorry_env:Sorry-v0", num_envs, seed, env_kwargs=GAME)


def train(timesteps: int) -> MaskablePPO:
    """Trains from nothing."""
    model = MaskablePPO(
        "MlpPolicy", make_envs(), n_steps=256, batch_size=512, n_epochs=4, gamma=1.0, gae_lambda=0.6, device="cpu"
    )
    return model.learn(timesteps)


def evaluate(model: MaskablePPO, games: int) -> float:
    """Mean final reward over games, the best legal action played."""
    mean, _ = evaluate_policy(model, make_envs(seed=1000), n_eval_episodes=games, use_masking=True)
    assert isinstance(mean, float)  # a list only with return_episode_rewards
    return mean


if __name__ == "__main__":
    model = train(TIMESTEPS)
    model.save("sorry_ppo")
    mean = evaluate(MaskablePPO.load("sorry_ppo", device="cpu"), GAMES)
    print(f"after {TIMESTEPS} decisions: {50 * (1 + mean):.0f} % of {GAMES} games won against random")
