"""A trained network as one ONNX file that says what game it is for (format: `sorry_env.players.policy`)."""

from __future__ import annotations

import json
import logging
import os
import warnings
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import nn

from sorry_env.batch import Batch
from sorry_env.errors import PolicyError
from sorry_env.players import PolicyPlayer
from sorry_env.players.policy import METADATA_KEY, policy_metadata
from sorry_env.rules import Rules

TOLERANCE: Final = 1e-5
MASKED_LOGIT: Final = -1e8


class ExportedPolicy(nn.Module):
    """Observation and mask to masked logits and value; the module that is exported, and its reference in torch.

    Args:
        body: module from observations (N, F) to a pair of logits (N, A) and values (N,) or (N, 1).
    """

    def __init__(self, body: nn.Module) -> None:
        super().__init__()
        self.body = body

    def forward(self, observation: torch.Tensor, action_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits float32 (N, A), MASKED_LOGIT where illegal, and values float32 (N,)."""
        logits, value = self.body(observation)
        return torch.where(action_mask > 0, logits, torch.full_like(logits, MASKED_LOGIT)), value.reshape(-1)


def export_policy(body: nn.Module, rules: Rules, path: Path, **facts: Any) -> float:
    """Writes the ONNX file and checks it against torch on real positions.

    Args:
        body: see `ExportedPolicy`.
        rules: what it was trained for.
        path: where the file goes; written aside and renamed.
        **facts: further metadata (JSON-able), such as what it was trained on.

    Returns:
        The largest difference between onnxruntime and torch, over legal logits and values.

    Raises:
        PolicyError: if that difference is above TOLERANCE.
    """
    module = ExportedPolicy(body).eval()
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.stem}.part.onnx")
    _write(module, rules, aside, facts)
    difference = _largest_difference(module, rules, aside)
    if not difference <= TOLERANCE:
        aside.unlink()
        raise PolicyError(f"export: onnxruntime and torch differ by {difference:.2e}, more than {TOLERANCE:.0e}")
    os.replace(aside, path)
    return difference


def _write(module: nn.Module, rules: Rules, path: Path, facts: dict[str, Any]) -> None:
    import onnx

    batch = Batch(rules, 2, 0)
    batch.reset()
    example = (torch.from_numpy(batch.observations.copy()), torch.from_numpy(batch.masks.copy()))
    games = torch.export.Dim("games", min=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter's own deprecations; what it writes is checked below
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        program = torch.onnx.export(
            module,
            example,
            dynamo=True,
            dynamic_shapes=({0: games}, {0: games}),
            input_names=["observation", "action_mask"],
            output_names=["logits", "value"],
            external_data=False,
            verbose=False,
        )
    model = program.model_proto  # type: ignore[union-attr]  # with dynamo=True it is never None
    entry = model.metadata_props.add()
    entry.key, entry.value = METADATA_KEY, json.dumps(policy_metadata(rules, **facts))
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def _largest_difference(module: nn.Module, rules: Rules, path: Path) -> float:
    """Over a few hundred positions of random play, in batches of several sizes."""
    player = PolicyPlayer(str(path))
    player.bind(rules)
    batch = Batch(rules, 64, 1)
    batch.reset()
    differences = []
    for size in (1, 64, 7, 64, 64, 33):
        seen, masks = batch.observations[:size].copy(), batch.masks[:size].copy()
        open_games = masks.any(axis=1)
        seen, masks = seen[open_games], masks[open_games]
        logits, values = player.evaluate(seen, masks)
        with torch.no_grad():
            want_logits, want_values = module(torch.from_numpy(seen), torch.from_numpy(masks))
        legal = masks > 0
        differences.append(np.abs(logits - want_logits.numpy())[legal].max())
        differences.append(np.abs(values - want_values.numpy()).max())
        for _ in range(15):
            batch.step(batch.sample())
            batch.reset(~batch.is_open)
    return float(np.max(differences))  # which is no number where one of them is none
