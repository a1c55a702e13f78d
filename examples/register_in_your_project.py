"""Your own id for your own set-up, with Gymnasium and with PettingZoo.

Entry points are text, so that registering imports nothing; `kwargs` are defaults that `make` may override. PettingZoo
has a registry from 1.27 on. With
`[project.entry-points."gymnasium.envs"]` in your project's `pyproject.toml` Gymnasium registers at its own import.

Goes wrong elsewhere: an id without the vector entry point, whose `make_vec` then makes slow copies of the single
game.
"""

from __future__ import annotations

import gymnasium
import pettingzoo

GYM_ID = "YourProject/Sorry2013-v0"
AEC_ID = "YourProject/sorry_2013-v0"


def register() -> None:
    """Call this where your package is imported."""
    gymnasium.register(
        id=GYM_ID,
        entry_point="sorry_env.gym_env:SorryEnv",
        vector_entry_point="sorry_env.vector_env:SorryVectorEnv",
        kwargs={"rules": "edition-2013", "opponents": ["greedy"], "illegal": "raise"},
    )
    pettingzoo.register("aec", AEC_ID, "sorry_env.sorry_v0:raw_env", kwargs={"rules": "edition-2013", "players": 2})


if __name__ == "__main__":
    register()
    env = gymnasium.make(GYM_ID)
    _, info = env.reset(seed=1)
    print(f"{GYM_ID}: {int(info['action_mask'].sum())} legal actions, {env.observation_space}")
    envs = gymnasium.make_vec(GYM_ID, num_envs=64, opponents=["race"])
    observations, _ = envs.reset(seed=1)
    print(f"{GYM_ID}: {type(envs).__name__} of observations {observations.shape}")
    aec = pettingzoo.make("aec", AEC_ID)
    aec.reset(seed=1)
    print(f"{AEC_ID}: {aec.possible_agents}, {aec.agent_selection} begins")
