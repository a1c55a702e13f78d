"""Small ONNX files made with the onnx package alone: linear policies, and files that are nearly policies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from sorry_env.actions import num_actions
from sorry_env.observation import num_features, observation_layout
from sorry_env.players.onnx_file import METADATA_KEY, policy_metadata
from sorry_env.rules import Rules


def sizes(rules: Rules) -> tuple[int, int]:
    """Features F and actions A."""
    return num_features(observation_layout(rules)), num_actions(rules.pawns, rules.teams)


def write_policy(
    path: Path,
    rules: Rules,
    weights: np.ndarray | None = None,
    metadata: dict[str, Any] | str | None = None,
    shape: tuple[int, int] | None = None,
) -> np.ndarray:
    """Writes logits = observation @ weights (mask left to the player), value = sum of the observation.

    Args:
        path: where the file goes.
        rules: what its metadata says.
        weights: float32 (F, A), random by default.
        metadata: what stands under the key instead; "" for no key at all.
        shape: other sizes F, A than those of the rules.

    Returns:
        The weights.
    """
    features, actions = shape or sizes(rules)
    if weights is None:
        weights = np.random.default_rng(0).normal(size=(features, actions)).astype(np.float32)
    nodes = [
        helper.make_node("MatMul", ["observation", "weights"], ["logits"]),
        helper.make_node("ReduceSum", ["observation", "axes"], ["value"], keepdims=0),
        helper.make_node("Identity", ["action_mask"], ["mask"]),
    ]
    graph = helper.make_graph(
        nodes,
        "linear",
        [
            helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["N", features]),
            helper.make_tensor_value_info("action_mask", TensorProto.INT8, ["N", actions]),
        ],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", actions]),
            helper.make_tensor_value_info("value", TensorProto.FLOAT, ["N"]),
            helper.make_tensor_value_info("mask", TensorProto.INT8, ["N", actions]),
        ],
        [numpy_helper.from_array(weights, "weights"), numpy_helper.from_array(np.array([1]), "axes")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    if metadata != "":
        entry = model.metadata_props.add()
        facts = policy_metadata(rules) if metadata is None else metadata
        entry.key, entry.value = METADATA_KEY, facts if isinstance(facts, str) else json.dumps(facts)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    return weights
