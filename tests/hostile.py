"""Files that nobody should trust, made by a script: each is written into a folder and must be refused in one line."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from onnx import TensorProto, helper, numpy_helper
from safetensors.torch import save
from tiny_policies import sizes

from agents import CHECKPOINT_FILE
from agents.checkpoints import facts_digest
from sorry_env.players.onnx_file import METADATA_KEY, policy_metadata
from sorry_env.players.value import value_metadata
from sorry_env.rules import rules_from

RULES = rules_from("classic", 2)
FEATURES, ACTIONS = sizes(RULES)
DEEP = 100_000  # brackets within brackets
BIDI = "\u202egnp.txt\u2066\x1b[2J"  # turns the text that follows it, and clears a terminal


class Sentinel:
    """Unpickled, it writes a file: a side effect that must not happen.

    Args:
        path: what it writes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


# --- ONNX ---


def model(nodes: list[Any], constants: list[Any] = (), *, opset: int = 18, domain: str = "", facts: Any = None) -> Any:  # type: ignore[assignment]
    """A file that says that it is a policy for `RULES`, with nodes that make `logits`; the value is a sum."""
    inputs = [
        helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["N", FEATURES]),
        helper.make_tensor_value_info("action_mask", TensorProto.INT8, ["N", ACTIONS]),
    ]
    outputs = [
        helper.make_tensor_value_info("logits", TensorProto.FLOAT, None),
        helper.make_tensor_value_info("value", TensorProto.FLOAT, None),
    ]
    axes = numpy_helper.from_array(np.array([1]), "axes")
    total = helper.make_node("ReduceSum", ["observation", "axes"], ["value"], keepdims=0)
    graph = helper.make_graph([*nodes, total], "g", inputs, outputs, [*constants, axes])
    imports = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    made = helper.make_model(graph, opset_imports=imports, ir_version=10)
    entry = made.metadata_props.add()
    entry.key = METADATA_KEY
    entry.value = facts if isinstance(facts, str) else json.dumps(policy_metadata(RULES) | (facts or {}))
    return made


def plain(**changes: Any) -> Any:
    """A sound policy of random weights, but for `changes` of `model`."""
    weights = np.random.default_rng(0).normal(size=(FEATURES, ACTIONS)).astype(np.float32)
    constants = [numpy_helper.from_array(weights, "weights")]
    return model([helper.make_node("MatMul", ["observation", "weights"], ["logits"])], constants, **changes)


def external(location: str) -> Any:
    """A policy whose weights are said to be in another file."""
    made = plain()
    tensor = made.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", "0"), ("length", str(4 * FEATURES * ACTIONS))):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    return made


def huge_dims() -> Any:
    """A policy whose weights claim more numbers than any machine holds."""
    made = plain()
    del made.graph.initializer[0].dims[:]
    made.graph.initializer[0].dims.extend([2**40, 2**20])
    return made


def filled(number: float) -> Any:
    """A policy whose weights are all one number."""
    made = plain()
    full = np.full((FEATURES, ACTIONS), number, np.float32)
    made.graph.initializer[0].CopyFrom(numpy_helper.from_array(full, "weights"))
    return made


def asks_for(shape: list[int], operator: str = "ConstantOfShape", source: str = "observation") -> Any:
    """A policy that makes an array of a shape on its way, of nothing or (`Expand`) of what is there."""
    constants = [numpy_helper.from_array(np.array(shape, np.int64), "size")]
    constants.append(numpy_helper.from_array(np.ones(1, np.float32), "one"))
    inputs = ["size"] if operator == "ConstantOfShape" else [source, "size"]
    nodes = [
        helper.make_node(operator, inputs, ["big"]),
        helper.make_node("ReduceSum", ["big"], ["sum"]),
        helper.make_node("Identity", ["sum"], ["logits"]),
    ]
    return model(nodes, constants)


def endless() -> Any:
    """A policy with a loop that never ends."""
    body_inputs = [
        helper.make_tensor_value_info("i", TensorProto.INT64, []),
        helper.make_tensor_value_info("go", TensorProto.BOOL, []),
        helper.make_tensor_value_info("x", TensorProto.FLOAT, None),
    ]
    body_outputs = [
        helper.make_tensor_value_info("go_on", TensorProto.BOOL, []),
        helper.make_tensor_value_info("y", TensorProto.FLOAT, None),
    ]
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["go_on"]), helper.make_node("Identity", ["x"], ["y"])],
        "body", body_inputs, body_outputs,
    )  # fmt: skip
    constants = [
        numpy_helper.from_array(np.array(2**62), "times"),
        numpy_helper.from_array(np.array(True), "always"),
    ]
    return model([helper.make_node("Loop", ["times", "always", "observation"], ["logits"], body=body)], constants)


def no_logits(kind: type[np.generic], shape: tuple[int, ...]) -> Any:
    """A policy whose logits are a constant of another kind or shape."""
    constant = numpy_helper.from_array(np.zeros(shape, kind), "fixed")
    made = model([helper.make_node("Identity", ["fixed"], ["logits"])], [constant])
    made.graph.output[0].type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    return made


def value_facts() -> Any:
    """A policy that says that it is a value network."""
    return plain(facts=value_metadata(RULES))


ONNX: dict[str, Callable[[], Any]] = {
    "external /etc/passwd": lambda: external("/etc/passwd"),
    "external ../": lambda: external("../../../../etc/passwd"),
    "external beside it": lambda: external("weights.bin"),
    "huge dims": huge_dims,
    "negative dims": lambda: asks_for([-5, 3]),
    "huge array": lambda: asks_for([2**20, 2**20]),
    "large array": lambda: asks_for([2**15, 2**16]),  # 8 GiB
    "large constant": lambda: asks_for([2**15, 2**16], "Expand", "one"),
    "huge expansion": lambda: asks_for([2**24, 2, FEATURES], "Expand"),
    "NaN weights": lambda: filled(np.nan),
    "infinite weights": lambda: filled(np.inf),
    "opset of the future": lambda: plain(opset=999),
    "operators of their own": lambda: model([helper.make_node("Do", ["observation"], ["logits"], domain="evil")],
                                            domain="evil"),
    "operators of a maker": lambda: model([helper.make_node("Gelu", ["observation"], ["logits"],
                                                            domain="com.microsoft")], domain="com.microsoft"),
    "unknown operator": lambda: model([helper.make_node("NoSuchThing", ["observation"], ["logits"])]),
    "endless loop": endless,
    "logits of another shape": lambda: no_logits(np.float32, (2, 3)),
    "logits of whole numbers": lambda: no_logits(np.int64, (2, ACTIONS)),
    "metadata nested deep": lambda: plain(facts="[" * DEEP),
    "metadata of 10 MB": lambda: plain(facts={"rules": "classic:" + "x" * 10_000_000}),
    "metadata with control characters": lambda: plain(facts={"rules": BIDI}),
    "metadata with a list for rules": lambda: plain(facts={"rules": ["classic"]}),
    "metadata of a kind that is none": lambda: plain(facts={"kind": {"a": [1]}}),
    "metadata of a kind of 10 MB": lambda: plain(facts={"kind": "x" * 10_000_000}),
    "metadata of observations of 10 MB": lambda: plain(facts={"observation": "x" * 10_000_000}),
    "metadata of a future format": lambda: plain(facts={"format": 10**400}),
    "a policy that says it is a value": value_facts,
}  # fmt: skip


def sound() -> bytes:
    """A good policy's bytes."""
    data: bytes = plain().SerializeToString()
    return data


def truncated() -> Iterator[bytes]:
    """A good policy, cut at many places."""
    data = sound()
    for at in np.linspace(1, len(data) - 1, 40).astype(int).tolist():
        yield data[:at]


@cache
def zip_bomb() -> bytes:
    """A zip of a few kB that unpacks to a gigabyte, as a stable-baselines3 model is one."""
    buffer, block = io.BytesIO(), bytes(1 << 20)
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        archive.open("policy.pth", "w", force_zip64=True) as part,
    ):
        for _ in range(1 << 10):
            part.write(block)
    return buffer.getvalue()


def pickled_zip(sentinel: Path) -> bytes:
    """What looks as an SB3 model and holds a pickle with a side effect."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("data", json.dumps({":type:": "x", ":serialized:": pickle.dumps(Sentinel(sentinel)).hex()}))
        archive.writestr("policy.pth", pickle.dumps(Sentinel(sentinel)))
        archive.writestr("_stable_baselines3_version", "2.9.2")
    return buffer.getvalue()


# --- Checkpoints ---


def rewrite_facts(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Changes what a checkpoint says of itself, with a checksum that fits what it then says."""
    path = folder / CHECKPOINT_FILE
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts.pop("facts_sha256", None)
    change(facts)
    path.write_text(json.dumps(facts | {"facts_sha256": facts_digest(facts)}), encoding="utf-8")


def rewrite_weights(folder: Path, data: bytes) -> None:
    """Puts other weights into a checkpoint, with a checksum that fits them."""
    import hashlib

    def change(facts: dict[str, Any]) -> None:
        (folder / facts["weights"]).write_bytes(data)
        facts["sha256"] = hashlib.sha256(data).hexdigest()

    rewrite_facts(folder, change)


def header(text: str | bytes, claimed: int | None = None) -> bytes:
    """A safetensors file of a header alone, which may claim to be of another size."""
    data = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(data) if claimed is None else claimed) + data


def tensor_header(shape: list[int], end: int, dtype: str = "F32") -> bytes:
    """A safetensors file that claims one tensor."""
    return header(json.dumps({"network.last.bias": {"dtype": dtype, "shape": shape, "data_offsets": [0, end]}}))


WEIGHTS: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "header of 2^63 bytes": lambda: header("{}", 2**63),
    "header of 100 MB": lambda: header("{}", 10**8),
    "header nested deep": lambda: header("[" * DEEP),
    "header is no JSON": lambda: header(b"\xff\xfe\x00"),
    "huge shape": lambda: tensor_header([2**40, 2**20], 4),
    "shape that overflows": lambda: tensor_header([2**32, 2**32, 2**32], 0),
    "offsets beyond the file": lambda: tensor_header([10], 40),
    "unknown dtype": lambda: tensor_header([1], 4, "P64"),
    "a pickle": lambda: pickle.dumps({"a": 1}),
    "no tensors": lambda: save({}),
    "NaN": lambda: save({"average.last.bias": torch.tensor([float("nan")])}),
    "other names": lambda: save({"a": torch.zeros(3)}),
}


def spoil_shapes(tensors: dict[str, torch.Tensor]) -> Iterator[dict[str, torch.Tensor]]:
    """A checkpoint's tensors with one of another shape, dtype or none, in turn."""
    for key, tensor in tensors.items():
        yield tensors | {key: torch.zeros(*tensor.shape, 2)}
        yield tensors | {key: torch.zeros(0)}
        yield {name: each for name, each in tensors.items() if name != key}


FACTS: dict[str, Callable[[dict[str, Any]], object]] = {
    "rules nobody knows": lambda facts: facts.update(rules="chess"),
    "rules of 2 MB": lambda facts: facts.update(rules="classic:" + "x" * 2_000_000),
    "rules in a list": lambda facts: facts.update(rules=["classic"]),
    "rules with control characters": lambda facts: facts.update(rules=BIDI),
    "weights elsewhere": lambda facts: facts.update(weights="../../../../etc/passwd"),
    "weights with a NUL": lambda facts: facts.update(weights="a\0b"),
    "weights of a long name": lambda facts: facts.update(weights="w" * 100_000),
    "weights a number": lambda facts: facts.update(weights=3),
    "another format": lambda facts: facts.update(format=99),
    "a format of 400 digits": lambda facts: facts.update(format=10**400),
    "a format that is a list": lambda facts: facts.update(format=[2]),
    "a count below 0": lambda facts: facts.update(timesteps=-1),
    "a count of 400 digits": lambda facts: facts.update(timesteps=10**400),
    "a count in words": lambda facts: facts.update(timesteps="many"),
    "seconds in a list": lambda facts: facts.update(seconds=[1]),
    "another learner": lambda facts: facts.update(learner="dqn"),
    "a learner in a list": lambda facts: facts.update(learner=["td"]),
}

JSONS: dict[str, bytes] = {
    "nested deep": b"[" * DEEP,
    "objects nested deep": b'{"a":' * DEEP,
    "17 MB": b" " * (17 << 20),
    "NUL bytes": bytes(1000),
    "not UTF-8": b"\xff\xfe{}",
    "a list": b"[1]",
    "a number of 5000 digits": b'{"format": ' + b"9" * 5000 + b"}",
    "nothing": b"",
}

# --- Texts ---

LONG = "S," * 5_000_000
POSITIONS: dict[str, str] = {
    "10 MB": f"R:{LONG}",
    "10 MB in the pile": f"R:S,S,S,S/Y:S,S,S,S r - {'5' * 10_000_000}",
    "10 MB of spaces": " " * 10_000_000,
    "NUL bytes": "R:S,S,S,S/Y:S,S,S,S r - \0",
    "bidi": f"R:S,S,S,S/Y:S,S,S,S r {BIDI} *",
    "digits of another script": "R:S,S,S,S/Y:S,S,S,S r - ٥٤٤٤٤٤٤٤٤٤٤",
    "empty": "",
}
RECORD = "sorry-record 1\nrules classic:players=2\nstart R:S,S,S,S/Y:S,S,S,S r - 54444444444\n"
RECORDS: dict[str, str] = {
    "10 MB": RECORD + "draw 1\n" * 1_500_000,
    "bidi": f"{RECORD}{BIDI}\nend x\n",
    "NUL bytes": f"{RECORD}draw \0\nend x\n",
    "no version": "\0" * 1000,
    "a future version": RECORD.replace("record 1", "record 2") + "draw 1\nend x\n",
    "another start": RECORD.replace("R:S,S,S,S", f"R:{LONG[:3_000_000]}") + "draw 1\nend x\n",
    "rules of 3 MB": f"sorry-record 1\nrules classic:{'x' * 3_000_000}\nstart x\nend x\n",
}
