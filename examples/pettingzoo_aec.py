"""PettingZoo: every seat in turn, masks from the observation.

`raw_env` raises where an illegal action is played; `sorry_v0.env` has PettingZoo's guards around it, which end the
game.

Goes wrong elsewhere: sampling without the mask, and rewards added up only in turns with a move to make. All final
rewards fall in the winner's step, so the losers' -1 comes from `last()` in a turn whose only action is `None`.
"""

from __future__ import annotations

from typing import Any

from sorry_env import sorry_v0

GAMES = 10


def play(env: Any, seed: int) -> dict[str, float]:
    """Plays a game at random; each agent's final reward."""
    env.reset(seed=seed)
    rewards = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        rewards[agent] += reward
        over = terminated or truncated
        sample = env.action_space(agent).sample  # or your agent's choice
        env.step(None if over else sample(observation["action_mask"]))
    return rewards


if __name__ == "__main__":
    env = sorry_v0.raw_env(rules="classic", players=2)
    for game in range(GAMES):
        print(f"game {game}: {play(env, seed=game)}")
