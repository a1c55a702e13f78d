"""A model that stable-baselines3 saved (`model.zip`) as an ONNX file: the one place that unpickles, and only when told.

    python -m agents.sb3_zip model.zip policy.onnx --rules classic --players 2 --trust-pickle

The zip holds pickles, which run whatever code their maker put into them: trust only what you made yourself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile, ZipFile

import torch
import tyro
from torch import nn

from agents.export import export_policy
from agents.matches import table_rules
from agents.reporting import run_program
from sorry_env.actions import num_actions
from sorry_env.errors import PolicyError
from sorry_env.observation import num_features, observation_layout
from sorry_env.rules import Rules

MAX_UNPACKED: Final = 512 * 1024 * 1024


class _Body(nn.Module):
    """The networks of an SB3 policy: observations (N, F) to logits (N, A) and values (N, 1)."""

    def __init__(self, policy: Any) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Unmasked logits and values."""
        policy = self.policy
        for_actions, for_values = policy.mlp_extractor(policy.extract_features(observation))
        return policy.action_net(for_actions), policy.value_net(for_values)


def convert(model: Path, out: Path, rules: Rules, *, trust_pickle: bool) -> float:
    """Writes a MaskablePPO model as an ONNX file.

    Args:
        model: what `MaskablePPO.save` wrote.
        out: where the file goes.
        rules: what it was trained for.
        trust_pickle: whether the user says that its pickles may run.

    Returns:
        The largest difference between onnxruntime and torch.

    Raises:
        PolicyError: not trusted, too large, no such model, or one for another game.
    """
    if not trust_pickle:
        raise PolicyError(f"{str(model)!r} holds pickles, which can run any code: --trust-pickle says that you made it")
    try:
        with ZipFile(model) as archive:
            unpacked = sum(part.file_size for part in archive.infolist())
    except (OSError, BadZipFile) as error:
        raise PolicyError(f"{str(model)!r} is no zip that can be read: {error}") from None
    if unpacked > MAX_UNPACKED:
        raise PolicyError(f"{str(model)!r} unpacks to {unpacked} bytes, more than {MAX_UNPACKED}")
    from sb3_contrib import MaskablePPO

    try:
        policy: Any = MaskablePPO.load(model, device="cpu").policy
        found = policy.features_dim, policy.action_net.out_features
    except Exception as error:  # a pickle may raise anything
        raise PolicyError(f"{str(model)!r} is no MaskablePPO model with a flat observation: {error}") from None
    wanted = num_features(observation_layout(rules)), num_actions(rules.pawns, rules.teams)
    if found != wanted:
        raise PolicyError(f"{str(model)!r} has sizes {found}, the rules {rules.spec()!r} need {wanted}")
    return export_policy(_Body(policy).eval(), rules, out, learner="sb3")


def main(
    model: tyro.conf.Positional[Path],
    out: tyro.conf.Positional[Path],
    rules: str = "classic",
    players: int | None = None,
    trust_pickle: bool = False,
) -> None:
    """Writes a MaskablePPO model as an ONNX file.

    Args:
        model: what `MaskablePPO.save` wrote.
        out: the ONNX file.
        rules: what it was trained for.
        players: seats; by default two, in the partnership games four.
        trust_pickle: the pickles in it may run: I made it myself.
    """
    difference = convert(model, out, table_rules(rules, players), trust_pickle=trust_pickle)
    print(f"{out}: onnxruntime and torch are at most {difference:.1e} apart")


if __name__ == "__main__":
    run_program(lambda: tyro.cli(main), "sb3_zip")
