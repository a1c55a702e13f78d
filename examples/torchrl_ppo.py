"""TorchRL: masked PPO through its PettingZoo wrapper, all seats learning in one group.

`mask` says whose turn it is, `action_mask` what is legal: the distribution is `MaskedCategorical`, and only rows
where `mask` is true go into the policy's loss. Both seats' values are learnt at every step, so each seat's own final
reward, a loser's -1 too, flows back along its own row. Run in a clone, `python -m examples.torchrl_ppo` also exports
the policy.

Goes wrong elsewhere: losses over the rows of seats that did not act, whose action mask the wrapper fills with true.
"""

from __future__ import annotations

from pathlib import Path

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from sorry_env import rules_from, sorry_v0

FRAMES, ITERATIONS = 2000, 3  # steps of the game between two updates, updates
EPOCHS, MINIBATCH, LAMBDA = 4, 256, 0.8
OUT = Path("runs/torchrl/policy.onnx")
SEEN, MASK, ACTION = ("players", "observation", "observation"), ("players", "action_mask"), ("players", "action")


def make_env() -> PettingZooWrapper:
    """One game of two, both seats in the group `players`; an illegal action raises."""
    game = sorry_v0.raw_env(rules="classic", players=2, auto_forced=True)
    return PettingZooWrapper(game, use_mask=True, group_map={"players": game.possible_agents}, categorical_actions=True)


def make_actor(policy: nn.Module) -> ProbabilisticActor:
    """Samples legal actions; the same masked distribution acts and is learnt from."""
    return ProbabilisticActor(
        TensorDictModule(policy, [SEEN], [("players", "logits")]),
        in_keys={"logits": ("players", "logits"), "mask": MASK},
        out_keys=[ACTION],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=("players", "log_prob"),
    )


def make_loss(actor: ProbabilisticActor, critic: ValueOperator) -> ClipPPOLoss:
    """PPO's clipped loss on rows of one group."""
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
    loss.set_keys(
        action=ACTION,
        sample_log_prob=("players", "log_prob"),
        value=("players", "state_value"),
        advantage=("players", "advantage"),
        value_target=("players", "value_target"),
    )
    return loss


def make_advantage(critic: ValueOperator) -> GAE:
    """Generalised advantages along each seat's own row of values and rewards; a game's only reward is its end."""
    advantage = GAE(gamma=1.0, lmbda=LAMBDA, value_network=critic)
    advantage.set_keys(
        value=("players", "state_value"),
        advantage=("players", "advantage"),
        value_target=("players", "value_target"),
        **{key: ("players", key) for key in ("reward", "done", "terminated")},
    )
    return advantage


def acted(rollout: TensorDict) -> TensorDict:
    """The rows of seats that were on move, (M,), out of steps and seats (T, P)."""
    rows = rollout["players"][rollout["players", "mask"]]
    return TensorDict({"players": rows}, batch_size=rows.batch_size)


def train(iterations: int, frames: int) -> tuple[nn.Module, nn.Module, list[TensorDict]]:
    """Trains from nothing; the networks, and the rollouts (T,) that they learnt from."""
    torch.manual_seed(1)
    env = make_env()
    env.set_seed(1)
    features, actions = env.observation_spec[SEEN].shape[-1], env.observation_spec[MASK].shape[-1]
    policy, value = (
        nn.Sequential(nn.Linear(features, 256), nn.ReLU(), nn.Linear(256, outputs)) for outputs in (actions, 1)
    )
    actor, critic = make_actor(policy), ValueOperator(value, in_keys=[SEEN], out_keys=[("players", "state_value")])
    loss, advantage = make_loss(actor, critic), make_advantage(critic)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    collector = Collector(
        env, actor, frames_per_batch=frames, total_frames=iterations * frames, auto_register_policy_transforms=False
    )
    rollouts = []
    for rollout in collector:
        with torch.no_grad():
            advantage(rollout)
        rows = acted(rollout)
        for _ in range(EPOCHS):
            for batch in torch.randperm(len(rows)).split(MINIBATCH):
                parts = loss(rows[batch])
                optimizer.zero_grad()
                sum(parts[name] for name in ("loss_objective", "loss_critic", "loss_entropy")).backward()
                optimizer.step()
        rollouts.append(rollout.clone())
    collector.shutdown()
    return policy, value, rollouts


class Body(nn.Module):
    """Both networks as the export wants them: observations (N, F) to logits (N, A) and values (N, 1)."""

    def __init__(self, policy: nn.Module, value: nn.Module) -> None:
        super().__init__()
        self.policy, self.value = policy, value

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Unmasked logits and values."""
        return self.policy(observations), self.value(observations)


if __name__ == "__main__":
    from agents.export import export_policy

    policy, value, rollouts = train(ITERATIONS, FRAMES)
    for rollout in rollouts:
        finals = rollout["next", "players", "reward"][rollout["next", "done"].squeeze(-1)].squeeze(-1)
        print(f"learnt from {len(finals)} games, of whose seats {int((finals < 0).sum())} lost")
    difference = export_policy(Body(policy, value), rules_from("classic", 2), OUT, learner="examples/torchrl_ppo.py")
    print(f"wrote {OUT}, equal to torch within {difference:.0e}: python evaluate.py {OUT} greedy random")
