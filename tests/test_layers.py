"""The product in vector registers equals NumPy's, for every shape, and reads and writes nothing beyond its arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from sorry_env.engine.layers import BLOCK, TILE, multiply, padded
from sorry_env.engine.rows import row


@njit
def product(v: Any, at: int, hidden: Any, out: Any) -> None:
    """`multiply` from Python."""
    multiply(row(v, 0), at, hidden, out)


@pytest.mark.parametrize("wide", [1, 3, 16, 129])
@pytest.mark.parametrize("columns", [TILE, 3 * TILE])
@pytest.mark.parametrize("at", [0, 5])
def test_product(wide: int, columns: int, at: int) -> None:
    """Weights times inputs plus biases, within the rounding of float32; what lies around `out` stays."""
    rng = np.random.default_rng(wide)
    v = rng.normal(size=(1, at + (wide + 1) * columns)).astype(np.float32)
    hidden = rng.normal(size=(BLOCK, wide)).astype(np.float32)
    around = np.full((3 * BLOCK, columns), np.float32(7))
    out = around[BLOCK : 2 * BLOCK]
    product(v, at, hidden, out)
    cut = at + wide * columns
    wanted = hidden.astype(float) @ v[0, at:cut].reshape(wide, columns) + v[0, cut:]
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-5)
    assert (around[:BLOCK] == 7).all()
    assert (around[2 * BLOCK :] == 7).all()


def test_rows_do_not_mix() -> None:
    """A position's second layer is the same bit for bit whatever waits beside it."""
    rng = np.random.default_rng(1)
    v = rng.normal(size=(1, 41 * TILE)).astype(np.float32)
    hidden = rng.normal(size=(BLOCK, 40)).astype(np.float32)
    whole, alone = np.empty((BLOCK, TILE), np.float32), np.empty((BLOCK, TILE), np.float32)
    product(v, 0, hidden, whole)
    for k in range(BLOCK):
        others = np.zeros_like(hidden)
        others[BLOCK - 1 - k] = hidden[k]
        product(v, 0, others, alone)
        assert (alone[BLOCK - 1 - k] == whole[k]).all()


@pytest.mark.parametrize(("narrow", "columns"), [(1, TILE), (TILE, TILE), (TILE + 1, 2 * TILE), (48, 64)])
def test_padding(narrow: int, columns: int) -> None:
    """A second layer is filled up to whole tiles."""
    assert padded(narrow) == columns
