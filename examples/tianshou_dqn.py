"""Tianshou 2: DQN with masks, one learner's seat.

Tianshou looks for the mask in `obs.mask` beside the features in `obs.obs`, so the dictionary's keys are renamed.

Goes wrong elsewhere: of its algorithms DQN masks, PPO does not; its plain DQN takes the next state's best value over
illegal actions too, its double DQN (below) over legal ones; `collect(random=True)` samples without the mask; and its
`PettingZooEnv` puts all seats into one buffer, where the loser's last move has reward 0 and is no end, so that 1-step
returns never tell it of the -1.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import torch
from gymnasium.wrappers import TransformObservation
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

STEPS = 6000
GAMES = 50
ENVS = 8


def make_env() -> Any:
    """One game; an illegal action raises."""
    env = gymnasium.make("sorry_env:Sorry-v0", opponents=["random"], observation="dict", illegal="raise")
    spaces: Any = env.observation_space
    return TransformObservation(
        env,
        lambda found: {"obs": found["observation"], "mask": found["action_mask"]},
        gymnasium.spaces.Dict({"obs": spaces["observation"], "mask": spaces["action_mask"]}),
    )


def make_envs(num_envs: int, seed: int) -> DummyVectorEnv:
    """Games side by side."""
    envs = DummyVectorEnv([make_env] * num_envs)
    envs.seed(seed)
    return envs


def make_algorithm() -> Any:
    """Double DQN on a small network."""
    env = make_env()
    actions = int(env.action_space.n)
    model = Net(state_shape=env.observation_space["obs"].shape, action_shape=actions, hidden_sizes=[128, 128])
    policy = DiscreteQLearningPolicy(
        model=model,
        action_space=env.action_space,
        observation_space=env.observation_space["obs"],
        eps_training=0.2,
    )
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, target_update_freq=100, is_double=True)


def train(algorithm: Any, steps: int) -> VectorReplayBuffer:
    """Trains for some decisions; the buffer that it learnt from."""
    buffer = VectorReplayBuffer(20_000, ENVS)
    collector = Collector(algorithm, make_envs(ENVS, seed=1), buffer, exploration_noise=True)
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=steps,
            collection_step_num_env_steps=10 * ENVS,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=256,
            verbose=False,
            show_progress=False,
        )
    )
    return buffer


def evaluate(algorithm: Any, games: int) -> float:
    """Share of games won, the best legal action played."""
    collector = Collector(algorithm, make_envs(ENVS, seed=1000))
    found = collector.collect(n_episode=games, reset_before_collect=True)
    return float((found.returns > 0).mean())


if __name__ == "__main__":
    torch.manual_seed(1)
    algorithm = make_algorithm()
    buffer = train(algorithm, STEPS)
    won = evaluate(algorithm, GAMES)
    print(f"after {len(buffer)} decisions, {int((buffer.rew < 0).sum())} games lost among them:")
    print(f"{100 * won:.0f} % of {GAMES} games won against random")
