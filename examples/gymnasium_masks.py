"""Gymnasium: one learner's seat with masks, single and as a native batch.

The mask is in `info["action_mask"]`, and from `action_masks()` on the unwrapped environment: Gymnasium's wrappers
hand no attributes through, so ask `env.get_wrapper_attr("action_masks")()`.

Goes wrong elsewhere: with NEXT_STEP resets the step after a game's end ignores its action and brings a new game's
first observation, which is no transition to learn from; the mask of the ended game is all 0, and `sample` of an empty
mask is action 0 without a word.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

GAMES = 10
ENVS = 256
STEPS = 100


def play(env: Any, seed: int) -> float:
    """Plays a game at random; the learner's final reward."""
    _, info = env.reset(seed=seed)
    reward, over = 0.0, False
    while not over:
        action = env.action_space.sample(info["action_mask"])  # or your agent's choice
        _, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    return float(reward)


def play_many(envs: Any, steps: int, seed: int) -> tuple[np.ndarray, int]:
    """Plays games side by side at random; the final rewards of those that ended, and how many steps were decisions."""
    rng = np.random.default_rng(seed)
    _, infos = envs.reset(seed=seed)
    ended = np.zeros(envs.num_envs, bool)
    finals, decisions = [], 0
    for _ in range(steps):
        chances = rng.random(infos["action_mask"].shape)
        actions = np.where(infos["action_mask"] == 1, chances, -1).argmax(axis=1)  # or your agent's choices
        began_anew = ended  # their actions are ignored: leave these rows out of what you learn from
        _, rewards, terminated, truncated, infos = envs.step(actions)
        ended = terminated | truncated
        finals.append(rewards[ended])
        decisions += int((~began_anew).sum())
    return np.concatenate(finals), decisions


if __name__ == "__main__":
    env = gymnasium.make("sorry_env:Sorry-v0", opponents=["greedy"], illegal="raise")
    wins = sum(play(env, seed=game) > 0 for game in range(GAMES))
    print(f"random won {wins} of {GAMES} games against greedy")
    envs = gymnasium.make_vec("sorry_env:Sorry-v0", num_envs=ENVS, opponents=["greedy"], illegal="raise")
    finals, decisions = play_many(envs, STEPS, seed=1)
    print(f"random won {(finals > 0).sum()} of {len(finals)} games in {decisions} decisions of {ENVS} games at once")
