"""CleanRL's way: masked PPO in one file of torch, against itself, on the native batch.

`SelfPlay` gives every seat its own transitions, with the seat's own final reward: a loser learns from its -1. Run it
in a clone, `python -m examples.cleanrl_ppo`: it exports to the ONNX form that `evaluate.py` seats beside any other
player.

Goes wrong elsewhere: masks used when acting but not when the loss is computed (the ratio and the entropy must come
from the same masked distribution), and the reward of whoever moves next taken for one's own.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from sorry_env import SelfPlay, rules_from
from sorry_env.self_play import Transitions

UPDATES = 30  # about a minute of one core
OUT = Path("runs/cleanrl/policy.onnx")
GAMES, STEPS = 256, 64  # games side by side, decisions a game between two updates
EPOCHS, MINIBATCH = 3, 2048
LEARNING_RATE, CLIP, ENTROPY, LAMBDA = 1e-3, 0.2, 0.01, 0.6  # a game's only reward is its end: no discount


class Agent(nn.Module):
    """Observations (N, F) to unmasked logits (N, A) and values (N,)."""

    def __init__(self, features: int, actions: int, hidden: int = 256) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, actions))
        self.critic = nn.Sequential(nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits float32 (N, A) and values float32 (N,)."""
        return self.actor(observations), self.critic(observations).squeeze(1)

    def policy(self, observations: torch.Tensor, masks: torch.Tensor) -> Categorical:
        """The distribution over legal actions, to act and to learn from alike."""
        return Categorical(logits=self.actor(observations).masked_fill(masks == 0, -1e8), validate_args=False)


def collect(play: SelfPlay, agent: Agent, steps: int, log_probs: np.ndarray) -> tuple[Transitions, np.ndarray]:
    """Transitions of some steps and their log-probabilities float32 (T,), all of one row in the order they were made.

    Args:
        play: games against itself.
        agent: who plays every seat.
        steps: how many.
        log_probs: float32, one a row: of its open decision, kept from call to call.
    """
    collected = []
    for _ in range(steps):
        with torch.no_grad():
            policy = agent.policy(torch.from_numpy(play.batch.observations), torch.from_numpy(play.batch.masks))
            actions = policy.sample()
        log_probs[play.rows] = policy.log_prob(actions).numpy()
        moves = play.step(actions.numpy())
        collected.append((*moves, log_probs[moves.rows]))
    joined = [np.concatenate(parts) for parts in zip(*collected, strict=True)]
    order = np.argsort(joined[0], kind="stable")
    *parts, before = (part[order] for part in joined)
    return Transitions(*parts), before


def advantages(moves: Transitions, values: np.ndarray, next_values: np.ndarray) -> np.ndarray:
    """Generalised advantages float64 (T,), along each row; no value is looked for beyond a game's end."""
    deltas = moves.rewards + np.where(moves.terminated, 0.0, next_values) - values
    goes_on = np.append(moves.rows[1:] == moves.rows[:-1], False) & ~moves.terminated & ~moves.truncated
    out, following = np.zeros(len(deltas)), 0.0
    for t in reversed(range(len(deltas))):
        out[t] = following = deltas[t] + LAMBDA * following * goes_on[t]
    return out


def update(agent: Agent, optimizer: torch.optim.Optimizer, moves: Transitions, log_probs: np.ndarray) -> None:
    """PPO's clipped update (Schulman et al. 2017) on what was collected."""
    seen, masks, actions = (torch.from_numpy(part) for part in (moves.observations, moves.masks, moves.actions))
    with torch.no_grad():
        values, next_values = agent(seen)[1], agent(torch.from_numpy(moves.next_observations))[1]
    gains = torch.from_numpy(advantages(moves, values.numpy(), next_values.numpy())).float()
    targets, before = values + gains, torch.from_numpy(log_probs)
    gains = (gains - gains.mean()) / gains.std()
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(seen)).split(MINIBATCH):
            policy = agent.policy(seen[rows], masks[rows])
            ratio = (policy.log_prob(actions[rows]) - before[rows]).exp()
            loss = -torch.min(ratio * gains[rows], ratio.clamp(1 - CLIP, 1 + CLIP) * gains[rows]).mean()
            loss = loss + 0.5 * (agent(seen[rows])[1] - targets[rows]).square().mean()
            loss = loss - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(updates: int, num_games: int = GAMES, seed: int = 1) -> Agent:
    """Trains against itself from nothing."""
    torch.manual_seed(seed)
    play = SelfPlay("classic", num_games, seed, players=2)
    agent = Agent(play.batch.observations.shape[1], play.batch.masks.shape[1])
    optimizer = torch.optim.Adam(agent.parameters(), lr=LEARNING_RATE)
    log_probs = np.zeros(2 * num_games, np.float32)
    for k in range(updates):
        moves, before = collect(play, agent, STEPS, log_probs)
        update(agent, optimizer, moves, before)
        lost = int((moves.rewards < 0).sum())
        print(f"update {k + 1}: learnt from {len(moves.rows)} decisions, the ends of {lost} lost games among them")
    return agent


if __name__ == "__main__":
    from agents.export import export_policy

    torch.set_num_threads(1)
    difference = export_policy(train(UPDATES), rules_from("classic", 2), OUT, learner="examples/cleanrl_ppo.py")
    print(f"wrote {OUT}, equal to torch within {difference:.0e}: python evaluate.py {OUT} greedy random")
