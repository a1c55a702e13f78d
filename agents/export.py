"""A trained network as one ONNX file that says what game it is for (format: `sorry_env.players.onnx_file`)."""

from __future__ import annotations

import json
import logging
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import nn

from sorry_env.batch import Batch
from sorry_env.errors import PolicyError
from sorry_env.files import write_bytes
from sorry_env.players import PolicyPlayer
from sorry_env.players.onnx_file import METADATA_KEY, open_policy_file, policy_metadata
from sorry_env.players.value import LAYERS, read_model, value_metadata
from sorry_env.rules import Rules
from sorry_env.value_games import ValueGames
from sorry_env.values import ValueModel, num_inputs, num_outputs, num_sides, value_inputs

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
    data = _policy_graph(module, rules, facts)
    return _write_checked(data, path, "torch", lambda aside: _largest_difference(module, rules, aside))


def _write_checked(data: bytes, path: Path, whom: str, measure: Callable[[Path], float]) -> float:
    """Writes a file aside, renames it where `measure` finds it as good as equal to `whom`; the difference."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.stem}.part.onnx")
    try:
        write_bytes(aside, data)
        difference = measure(aside)
        if not difference <= TOLERANCE:
            raise PolicyError(f"export: onnxruntime and {whom} differ by {difference:.2e}, more than {TOLERANCE:.0e}")
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
    return difference


def _with_metadata(model: Any, metadata: dict[str, Any]) -> bytes:
    """A checked ONNX model as bytes, what it says of itself put in."""
    import onnx

    entry = model.metadata_props.add()
    entry.key, entry.value = METADATA_KEY, json.dumps(metadata)
    onnx.checker.check_model(model)
    data: bytes = model.SerializeToString()
    return data


def _policy_graph(module: nn.Module, rules: Rules, facts: dict[str, Any]) -> bytes:
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
    return _with_metadata(model, policy_metadata(rules, **facts))


def export_value(model: ValueModel, path: Path, **facts: Any) -> float:
    """Writes a value network as an ONNX file and checks it on real positions.

    Input `features` float32 (N, I) (`sorry_env.values`); outputs `chances` float32 (N, sides) and, where the rules
    count points, `points`, of the sides clockwise from who is looked at; and the network's layers under their own
    names, so that a player can read them back without another library.

    Args:
        model: a network.
        path: where the file goes; written aside and renamed.
        **facts: further metadata (JSON-able).

    Returns:
        The largest difference between onnxruntime and the engine.

    Raises:
        PolicyError: if that difference is above TOLERANCE.
    """
    data = _value_graph(model, facts)
    return _write_checked(data, path, "the engine", lambda aside: _largest_value_difference(model, aside))


def _value_graph(model: ValueModel, facts: dict[str, Any]) -> bytes:
    from onnx import TensorProto, helper, numpy_helper

    sides, layers = num_sides(model.rules), model.layers()
    heads = {"chances": sides} if len(layers[-1]) == sides else {"chances": sides, "points": sides}
    nodes = [
        helper.make_node("Gemm", ["features", "first", "first_bias"], ["sums"], transB=1),
        helper.make_node("Relu", ["sums"], ["hidden"]),
        helper.make_node("Gemm", ["hidden", "second", "second_bias"], ["inner_sums"], transB=1),
        helper.make_node("Relu", ["inner_sums"], ["inner"]),
        helper.make_node("Gemm", ["inner", "last", "last_bias"], ["outputs"], transB=1),
        helper.make_node("Split", ["outputs"], ["logits", *list(heads)[1:]], axis=1, num_outputs=len(heads)),
        helper.make_node("Softmax", ["logits"], ["chances"], axis=1),
    ]
    weights = dict(zip(LAYERS, layers, strict=True))
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", size]) for name, size in heads.items()]
    ports += [helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape) for name, array in weights.items()]
    features = helper.make_tensor_value_info("features", TensorProto.FLOAT, ["N", num_inputs(model.rules)])
    constants = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "value", [features], ports, constants)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return _with_metadata(proto, value_metadata(model.rules, **facts))


def _largest_value_difference(model: ValueModel, path: Path) -> float:
    """Over some hundred positions of a game that the model plays against itself."""
    file = open_policy_file(str(path))
    rows = ValueGames(seed=1).play(model, 4, 1.0).rows
    found = file.session.run(None, {"features": value_inputs(model.rules, rows)})
    ported = np.concatenate(found[: num_outputs(model.rules) // num_sides(model.rules)], axis=1)
    same = read_model(file).row
    return max(float(np.abs(ported - model.outputs(rows)).max()), float(np.abs(same - model.row).max()))


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
