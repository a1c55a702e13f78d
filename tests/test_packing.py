"""What a batch hands to its kernels by address: arrays that would be misread are refused, none is freed too early."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from sorry_env import Batch, sorry_v0
from sorry_env.engine.kernels import EACH
from sorry_env.engine.packing import NUM_FIRST, Pack
from sorry_env.errors import IllegalError

GAMES = 3


def read_only(array: np.ndarray) -> np.ndarray:
    """A copy that cannot be written."""
    twin = array.copy()
    twin.flags.writeable = False
    return twin


SPOILING = {
    "type": lambda array: array.astype(np.int32),
    "length": lambda array: array[:2],
    "row": lambda array: array[:1],
    "read-only": read_only,
    "gaps": lambda array: np.repeat(array, 2, -1)[..., ::2],
}
BEYOND = (2**70, -(2**70), 2**63 - 1, -(2**63), EACH)


def arrays() -> dict[str, Any]:
    """What packs: of three games."""
    wide = {"states": (np.int16, 40), "streams": (np.int64, 4), "masks": (np.int8, 9), "observations": (np.float32, 7)}
    flat = {"actions": np.int64, "status": np.int8, "plies": np.int64, "counts": np.int64}
    rows: dict[str, Any] = {name: np.zeros((GAMES, width), dtype) for name, (dtype, width) in wide.items()}
    rows |= {name: np.zeros(GAMES, dtype) for name, dtype in flat.items()}
    rows |= {"firsts": np.zeros((GAMES, NUM_FIRST), np.int16), "parameters": np.zeros((1, 20), np.int16)}
    return rows | {"max_plies": 9, "auto_forced": False}


@pytest.mark.parametrize("name", [name for name, value in arrays().items() if isinstance(value, np.ndarray)])
@pytest.mark.parametrize("spoil", SPOILING.values(), ids=SPOILING)
def test_misread_arrays(name: str, spoil: Any) -> None:
    """An array of another type, of too few games, with gaps or read-only is refused, whichever it is."""
    good = arrays()
    Pack(**good)
    spoilt = spoil(good[name])
    if (spoilt.dtype, spoilt.shape, spoilt.flags.c_contiguous) == (good[name].dtype, good[name].shape, True) and (
        name == "parameters"  # of one row, and shared by all batches
    ):
        Pack(**good | {name: spoilt})
    else:
        with pytest.raises(ValueError, match="kernels"):
            Pack(**good | {name: spoilt})


@pytest.mark.parametrize("name", ["streams", "firsts"])
def test_misread_widths(name: str) -> None:
    """Rows of another width than kernels take for granted are refused."""
    good = arrays()
    with pytest.raises(ValueError, match="misread"):
        Pack(**good | {name: np.repeat(good[name], 2, 1)})


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("auto_reset", [False, True])
def test_advance_outlives_its_batch(auto_reset: bool, threads: int) -> None:
    """`advance` alone keeps what it works on, also after its batch was forgotten and memory given out anew."""
    batch = Batch("mini-1", 2048, 1, auto_reset=auto_reset, threads=threads)
    batch.reset()
    advance, masks, plies = batch.advance, batch.masks, batch.plies
    before = int(plies.sum())
    del batch
    gc.collect()
    taken = [np.full(size, -1, np.int64) for size in (2048, 2048, 4096, 8192, 19, 19)]
    action = int(masks.all(axis=0).argmax())
    assert advance(action if masks[:, action].all() else -1) in (-1, int((masks[:, action] == 0).argmax()))
    assert int(plies.sum()) >= before
    assert all((each == -1).all() for each in taken)


@pytest.mark.parametrize("action", BEYOND)
def test_actions_beyond_any_id(action: int) -> None:
    """Integers that fit no array, and the kernels' own codes, are refused as illegal actions; nothing has changed."""
    batch, raw = Batch("classic", 2, 1), sorry_v0.raw_env()
    batch.reset()
    raw.reset(seed=1)
    states, position = batch.states.copy(), str(raw.position)
    for step in (batch.step, raw.step):
        with pytest.raises(IllegalError, match=f"action {action} is not legal"):
            step(action)
    assert (batch.states == states).all()
    assert str(raw.position) == position
