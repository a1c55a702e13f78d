"""What an ONNX file would do besides arithmetic, read off its bytes before any library sees them.

The wire format of protocol buffers and the few fields of onnx.proto3 that matter; nothing is allocated by what a file
claims. onnxruntime would follow paths to other files, run loops without end, and call kernels of any domain.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

MOST_DEPTH: Final = 8  # messages within messages
MOST_FIELDS: Final = 200_000
DOMAINS: Final = (b"", b"ai.onnx")
CONTROL_FLOW: Final = (b"If", b"Loop", b"Scan", b"SequenceMap")
EXTERNAL: Final = 1  # a tensor's data_location

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # wire types


class Message(NamedTuple):
    """Which message is read on, and what its fields mean.

    Attributes:
        parts: field number to the message in it.
        refused: field number to what is said of it.
    """

    parts: dict[int, str]
    refused: dict[int, str]


MESSAGES: Final[dict[str, Message]] = {
    "model": Message({7: "graph"}, {20: "it holds training steps", 25: "it holds functions of its own"}),
    "graph": Message({1: "node", 5: "tensor"}, {15: "it holds sparse tensors"}),
    "node": Message({5: "attribute"}, {}),
    "attribute": Message({5: "tensor", 10: "tensor"}, dict.fromkeys((6, 11), "it holds graphs in graphs")),
    "tensor": Message({}, {13: "its numbers are in another file"}),
}
# Message and number of the fields whose values are looked at.
OPERATOR: Final = ("node", 4)
DOMAIN: Final = ("node", 7)
LOCATION: Final = ("tensor", 14)


def what_is_wrong(data: bytes) -> str | None:
    """Why a file is not opened, None where nothing speaks against it."""
    try:
        for reason in _faults(memoryview(data), "model", 0, [MOST_FIELDS]):
            return reason
    except (IndexError, ValueError) as error:
        return f"it is no ONNX file: {error}"
    return None


def _faults(data: memoryview, kind: str, depth: int, left: list[int]) -> Iterator[str]:
    """What speaks against a message. Raises ValueError or IndexError for what is not written as one.

    Args:
        data: its bytes.
        kind: key of `MESSAGES`.
        depth: messages around it.
        left: one number, how many fields may still be read.
    """
    if depth > MOST_DEPTH:
        raise ValueError("it is nested too deep")
    message = MESSAGES[kind]
    for field, value in _fields(data):
        left[0] -= 1
        if left[0] < 0:
            raise ValueError(f"it has more than {MOST_FIELDS} parts")
        if field in message.refused:
            yield message.refused[field]
        elif field in message.parts and isinstance(value, memoryview):
            yield from _faults(value, message.parts[field], depth + 1, left)
        elif (kind, field) == LOCATION and value == EXTERNAL:
            yield "its numbers are in another file"
        elif isinstance(value, memoryview) and (kind, field) in (OPERATOR, DOMAIN):
            text = bytes(value[:40])
            if (kind, field) == DOMAIN and text not in DOMAINS:
                yield f"it asks for operators of {text.decode(errors='replace')!r}"
            elif (kind, field) == OPERATOR and text in CONTROL_FLOW:
                yield f"it branches or loops: {text.decode()}"


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and value of each field of a message."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        field, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, at = _varint(data, at)
            yield field, value
            continue
        size, at = _varint(data, at) if wire == _BYTES else ({_FIXED64: 8, _FIXED32: 4}.get(wire, -1), at)
        if size < 0 or at + size > len(data):
            raise ValueError("it is cut off or damaged")
        yield field, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """A number of at most ten bytes, and where it ends."""
    number = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
    raise ValueError("it is cut off or damaged")
