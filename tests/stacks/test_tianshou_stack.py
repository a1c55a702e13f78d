"""Tianshou's example: legal throughout, losers' rewards in the replay buffer; what its page says of other ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("tianshou", reason="tianshou is not installed: make stacks runs this in a place of its own")

import torch  # after the skip
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import PettingZooEnv

from examples import tianshou_dqn
from sorry_env import IllegalError, sorry_v0


@pytest.fixture(scope="module")
def trained() -> tuple[Any, VectorReplayBuffer]:
    """A short training, in an environment that raises, and what was learnt from."""
    torch.manual_seed(1)
    np.random.seed(1)  # Tianshou explores from NumPy's global stream
    algorithm = tianshou_dqn.make_algorithm()
    return algorithm, tianshou_dqn.train(algorithm, 2400)


def test_replay_is_legal_and_holds_the_losers_rewards(trained: tuple[Any, VectorReplayBuffer]) -> None:
    """Every action was legal by its mask, explored ones too; games end in 1 or -1, and both are in the buffer."""
    rows, _ = trained[1].sample(0)  # all of it
    assert len(rows) >= 2400
    assert (rows.obs.mask[np.arange(len(rows)), rows.act] == 1).all()
    assert set(rows.rew[rows.done].tolist()) == {-1.0, 1.0}
    assert not rows.rew[~rows.done].any()


def test_evaluation_is_legal(trained: tuple[Any, VectorReplayBuffer]) -> None:
    """Games are played to their ends."""
    assert 0 <= tianshou_dqn.evaluate(trained[0], 8) <= 1


def test_random_collection_raises(trained: tuple[Any, VectorReplayBuffer]) -> None:
    """`collect(random=True)` samples without the mask: the environment says so."""
    collector = Collector(trained[0], tianshou_dqn.make_envs(2, seed=1))
    collector.reset()
    with pytest.raises(IllegalError):
        collector.collect(n_step=20, random=True)


def masked_batch(actions: int, legal: int, value: float) -> Batch:
    """A thousand rows, one action legal."""
    mask = np.zeros((1000, actions), np.int8)
    mask[:, legal] = 1
    return Batch(obs=Batch(obs=np.full((1000, 1), value, np.float32), mask=mask), info=[None] * 1000)


def test_ppo_does_not_mask() -> None:
    """The policy that its PPO acts with plays illegal actions, whatever `obs.mask` says."""
    env = tianshou_dqn.make_env()
    actions = int(env.action_space.n)
    policy = DiscreteActorPolicy(
        actor=lambda obs, state, info: (torch.zeros(len(obs.obs), actions), state),
        action_space=env.action_space,
    )
    with torch.no_grad():
        chosen = policy(masked_batch(actions, 5, 0.0)).act
    assert int((chosen != 5).sum()) > 900


@pytest.mark.parametrize("is_double", [True, False])
def test_only_double_dqn_looks_ahead_legally(is_double: bool) -> None:
    """Where the only legal next action is worth 0 and an illegal one 9, the target is 0 with double DQN alone."""
    algorithm = tianshou_dqn.make_algorithm()
    worth = torch.zeros(201)
    worth[7] = 9.0
    model = algorithm.policy.model
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        list(model.parameters())[-1].copy_(worth)
    other = DQN(policy=algorithm.policy, optim=AdamOptimizerFactory(), gamma=1.0, is_double=is_double)
    buffer = VectorReplayBuffer(8, 1)
    seen = Batch(obs=np.zeros(183, np.float32), mask=np.eye(201, dtype=np.int8)[5])
    row = Batch(obs=seen, obs_next=seen, act=5, rew=0.0, terminated=False, truncated=False, info={})
    buffer.add(Batch.stack([row]))
    with torch.no_grad():
        (target,) = other._target_q(buffer, np.array([0])).tolist()
    assert target == (0.0 if is_double else 9.0)


def test_shared_buffer_gives_the_losers_last_move_nothing() -> None:
    """In its `PettingZooEnv` the loser's -1 stands in the winner's row; his own last row holds 0 and is no end."""
    env, rng = PettingZooEnv(sorry_v0.raw_env(players=2)), np.random.default_rng(1)
    seen, _ = env.reset(seed=1)
    rows: list[tuple[str, list[float], bool]] = []
    while not rows or not rows[-1][2]:
        mover = seen["agent_id"]
        action = rng.choice(np.flatnonzero(seen["mask"]))
        seen, rewards, terminated, _, _ = env.step(action)
        rows.append((mover, list(rewards), terminated))
    winner, finals, _ = rows[-1]
    loser = next(agent for agent in env.agents if agent != winner)
    place = env.agent_idx[loser]
    assert finals[place] == -1
    assert [row[1][place] for row in rows if row[0] == loser][-1] == 0
