"""Policies as networks of torch: their form, how they play, and how a league's earlier selves are kept."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import nn

from agents.checkpoints import part_of
from agents.league import League
from sorry_env.actions import num_actions
from sorry_env.errors import PolicyError
from sorry_env.observation import num_features, observation_layout
from sorry_env.position import Positions
from sorry_env.rules import Rules

LAYERS: Final = (256, 128)  # widths of the hidden layers
MOST_LAYERS: Final = 8
MOST_WIDTH: Final = 4096
POLICY_FACTS: Final[dict[str, type | tuple[type, ...]]] = {  # what a checkpoint of a policy tells
    "rules": str,
    "layers": list,
    "selves": list,
    "league": dict,
    "seconds": (int, float),
    **dict.fromkeys(("num_selves", "timesteps", "games"), int),
}


class PolicyBody(nn.Module):
    """The policy's networks without SB3 around them: observations (N, F) to logits (N, A) and values (N, 1).

    Args:
        features: F.
        actions: A.
        layers: widths of the hidden layers, of policy and value alike.
    """

    def __init__(self, features: int, actions: int, layers: tuple[int, ...] = LAYERS) -> None:
        super().__init__()
        self.policy = _tower(features, layers, actions)
        self.value = _tower(features, layers, 1)

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Unmasked logits float32 (N, A) and values float32 (N, 1): the expected final reward."""
        return self.policy(observation), self.value(observation)


def _tower(features: int, layers: tuple[int, ...], outputs: int) -> nn.Sequential:
    widths = (features, *layers)
    parts: list[nn.Module] = []
    for wide, next_wide in pairwise(widths):
        parts += [nn.Linear(wide, next_wide), nn.ReLU()]
    return nn.Sequential(*parts, nn.Linear(widths[-1], outputs))


def copy_layers(source: nn.Module, target: nn.Module) -> None:
    """Copies the linear layers of one network into those of another, in order."""
    theirs, ours = ([part for part in module.modules() if isinstance(part, nn.Linear)] for module in (source, target))
    for mine, one in zip(ours, theirs, strict=True):
        mine.load_state_dict(one.state_dict())


class TorchPlayer:
    """A policy body as a player: samples from the masked policy, or takes its best action.

    Args:
        name: for tables.
        body: the networks.
        rules: what they were trained for.
        samples: sample rather than take the best, which makes earlier selves less predictable.
    """

    def __init__(self, name: str, body: PolicyBody, rules: Rules, *, samples: bool = False) -> None:
        self.name, self.body, self.rules, self.samples = name, body, rules, samples

    def bind(self, rules: Rules) -> None:
        """Raises PolicyError for other rules than the policy's."""
        if not rules.plays_like(self.rules):
            raise PolicyError(f"player {self.name!r} was trained for {self.rules.spec()!r}, not for {rules.spec()!r}")

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """See `sorry_env.players.Player.act`."""
        with torch.no_grad():
            logits = self.body.policy(torch.from_numpy(observations)).numpy()
        if self.samples:
            logits = logits + rng.gumbel(size=logits.shape).astype(np.float32)
        best: np.ndarray = np.argmax(np.where(masks > 0, logits, -np.inf), axis=1)
        return best


def names_of_selves(league: League) -> list[str]:
    """The earlier selves' names by place."""
    return [player.name for player in league.players[league.num_fixed :]]


def tensors_of_selves(league: League) -> dict[str, torch.Tensor]:
    """The earlier selves' weights for a checkpoint."""
    tensors: dict[str, torch.Tensor] = {}
    for place, player in enumerate(league.players[league.num_fixed :]):
        assert isinstance(player, TorchPlayer)
        tensors |= {f"self.{place}.{key}": value for key, value in player.body.state_dict().items()}
    return tensors


def restore_selves(league: League, tensors: dict[str, torch.Tensor], facts: dict[str, Any]) -> None:
    """Puts a checkpoint's earlier selves into the league, and what was known of everyone in it."""
    selves = []
    for place, name in enumerate(facts["selves"]):
        body = new_body(league.rules, check_layers(facts["layers"]))
        body.load_state_dict(part_of(tensors, f"self.{place}."))
        selves.append(TorchPlayer(name, body.eval(), league.rules, samples=True))
    league.put_back(selves, [int(player.name.rpartition("-")[2]) for player in selves])
    league.restore(facts["league"])


def check_rules(out: Path, facts: dict[str, Any], rules: Rules) -> None:
    """Raises PolicyError where a checkpoint is for other rules."""
    if facts["rules"] != rules.spec():
        raise PolicyError(f"checkpoint in {str(out)!r} is for the rules {facts['rules']!r}, not {rules.spec()!r}")


def check_layers(widths: list[Any]) -> tuple[int, ...]:
    """The widths of a checkpoint's hidden layers. Raises PolicyError for what is none, or too large."""
    if len(widths) > MOST_LAYERS or any(type(width) is not int or not 0 < width <= MOST_WIDTH for width in widths):
        raise PolicyError(f"checkpoint: its layers are {str(widths)[:80]}, not at most {MOST_LAYERS} of {MOST_WIDTH}")
    return tuple(widths)


def new_body(rules: Rules, layers: tuple[int, ...]) -> PolicyBody:
    """Untrained networks for a game.

    Args:
        rules: what game.
        layers: see `PolicyBody`.
    """
    features = num_features(observation_layout(rules))
    return PolicyBody(features, num_actions(rules.pawns, rules.teams), layers)
