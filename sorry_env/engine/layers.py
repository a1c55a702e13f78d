"""The second layer of a value network, four positions at a time, in vector registers.

LLVM's own vectoriser comes to a fifth of this: it keeps the sums in memory and reads a weight once for each position.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

LANES: Final = 16  # floats of a vector; where registers are shorter, LLVM splits it
VECTORS: Final = 2  # of a tile of columns
BLOCK: Final = 4  # positions at a time; with the vectors above their sums fill eight registers
TILE: Final = LANES * VECTORS  # the second layer is padded to a multiple of it


def padded(narrow: int) -> int:
    """Columns of a second layer of this width, with those that only fill up the last tile."""
    return -(-narrow // TILE) * TILE


if config.DISABLE_JIT:  # type: ignore[attr-defined]  # set at run time from the environment

    def multiply(v: Any, at: int, hidden: Any, out: Any) -> None:
        """Second layer before its ReLU of BLOCK positions: out (BLOCK, S) from hidden (BLOCK, H), float32.

        `v` holds H x S weights and then S biases from `at` on.
        """
        wide, columns = hidden.shape[1], out.shape[1]
        cut = at + wide * columns
        out[:] = hidden @ np.asarray(v[at:cut]).reshape(wide, columns) + v[cut : cut + columns]

else:

    @intrinsic
    def multiply(typingctx: Any, v: Any, at: Any, hidden: Any, out: Any) -> Any:
        """Second layer before its ReLU of BLOCK positions: out (BLOCK, S) from hidden (BLOCK, H), float32.

        The pointer `v` holds H x S weights and then S biases from `at` on; S is a multiple of TILE.
        """
        signature = types.void(v, at, hidden, out)

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            size = context.get_value_type(types.intp)
            first = builder.gep(arguments[0], [context.cast(builder, arguments[1], signature.args[1], types.intp)])
            rows, wide = _rows(context, builder, signature.args[2], arguments[2])
            sums, columns = _rows(context, builder, signature.args[3], arguments[3])
            bias = builder.gep(first, [builder.mul(wide, columns)])
            with cgutils.for_range_slice(builder, size(0), columns, size(TILE), size) as (column, _):
                for_tile = [builder.gep(pointer, [column]) for pointer in (first, bias, *sums)]
                _write_tile(builder, wide, columns, for_tile[0], for_tile[1], rows, for_tile[2:])
            return context.get_dummy_value()

        return signature, codegen


_VECTOR: Final = ir.VectorType(ir.FloatType(), LANES)
_INDEX: Final = ir.IntType(32)


def _rows(context: Any, builder: Any, kind: Any, array: Any) -> tuple[list[Any], Any]:
    """Pointers to the rows of a C-contiguous array (BLOCK, n), and n."""
    struct = context.make_array(kind)(context, builder, array)
    width = builder.extract_value(struct.shape, 1)
    return [builder.gep(struct.data, [builder.mul(width, width.type(row))]) for row in range(BLOCK)], width


def _write_tile(builder: Any, wide: Any, columns: Any, weights: Any, bias: Any, rows: Any, sums: Any) -> None:
    """TILE columns of the product: vectors of sums that LLVM keeps in registers over the loop."""
    utils: Any = cgutils  # untyped in numba
    product = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
    add = utils.get_or_insert_function(builder.module, product, f"llvm.fmuladd.v{LANES}f32")
    kept = [[utils.alloca_once(builder, _VECTOR) for _ in range(VECTORS)] for _ in range(BLOCK)]
    for row in kept:
        for k, place in enumerate(row):
            builder.store(_load(builder, bias, k), place)
    with utils.for_range(builder, wide) as loop:
        line = builder.gep(weights, [builder.mul(loop.index, columns)])
        factors = [_load(builder, line, k) for k in range(VECTORS)]
        for row, places in zip(rows, kept, strict=True):
            unit = _spread(builder, builder.load(builder.gep(row, [loop.index])))
            for factor, place in zip(factors, places, strict=True):
                builder.store(builder.call(add, [unit, factor, builder.load(place)]), place)
    for pointer, places in zip(sums, kept, strict=True):
        for k, place in enumerate(places):
            stored = builder.store(builder.load(place), _vector_at(builder, pointer, k))
            stored.align = 4


def _vector_at(builder: Any, pointer: Any, k: int) -> Any:
    return builder.bitcast(builder.gep(pointer, [_INDEX(k * LANES)]), _VECTOR.as_pointer())


def _load(builder: Any, pointer: Any, k: int) -> Any:
    """The k-th vector from a pointer on, which is aligned as floats are."""
    loaded = builder.load(_vector_at(builder, pointer, k))
    loaded.align = 4
    return loaded


def _spread(builder: Any, number: Any) -> Any:
    """A vector of one number."""
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, number, _INDEX(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES))
