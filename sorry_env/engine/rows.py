"""How rows of plain integers are reached and compiled: row pointers, random streams, the kernel decorator's cache key.

The rules index rows `s` (one game), `p` (parameters) and `r` (random stream). Un-jitted these are lists or arrays;
compiled they are pointers, which costs nothing where an array view per row would cost two thirds of the time.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CellType, FunctionType
from typing import Any, Final

import numpy as np
from numba import config, njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from sorry_env.errors import SorryError


def _fingerprint() -> str:
    """Hash of every source file that a kernel may be compiled from."""
    engine = Path(__file__).parent
    facts = [engine.parent / name for name in ("board.py", "cards.py", "actions.py", "observation.py")]
    return hashlib.sha256(b"".join(file.read_bytes() for file in facts + sorted(engine.glob("*.py")))).hexdigest()


FINGERPRINT: Final = _fingerprint()


# A rule is called from compiled code only: without its entry points for Python it compiles in half the time.
_RULE_OPTIONS: Final[dict[str, Any]] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
rule: Final[Any] = njit(**_RULE_OPTIONS)
hot: Final[Any] = njit(**_RULE_OPTIONS, forceinline=True)  # called for each card: LLVM is to leave no call
# LLVM optimises every rule anew at each level of callers, so the tallest rules become part of theirs. Not all of them:
# what Numba's inlining costs grows with the square of the caller's length.
once: Final[Any] = njit(nogil=True, error_model="numpy", inline="always")


def kernel(body: Callable[..., Any]) -> Any:
    """Compiles `body` as an entry point: releases the GIL and caches on disk.

    Numba's cache notices an edit in the file of the compiled function only, so a stale kernel would play old rules.
    It does hash closure variables: the fingerprint of all sources in the closure makes any edit a new key.

    Where neither the package's folder nor the user's cache can be written, it warns once and compiles in every process.
    """
    code = body.__code__.replace(co_freevars=("fingerprint",))
    keyed = FunctionType(code, body.__globals__, body.__name__, None, (CellType(FINGERPRINT),))
    keyed.__doc__ = body.__doc__
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        return njit(cache=True, **options)(keyed)
    except RuntimeError:  # Numba found no folder
        _warn_of_no_cache()
        return njit(**options)(keyed)


@cache
def _warn_of_no_cache() -> None:
    warnings.warn(
        "no folder for compiled code can be written, so that this process and every other compiles for some seconds; "
        "set NUMBA_CACHE_DIR to a folder that can be",
        RuntimeWarning,
        stacklevel=2,
    )


if config.DISABLE_JIT:  # type: ignore[attr-defined]  # set at run time from the environment

    def row(array: Any, index: int) -> Any:
        """Row `index` of a C-contiguous 2-D array; compiled, a bare pointer without view object or reference count."""
        return array[index]

    def keep(array: Any) -> None:
        """Keeps an array alive up to here; compiled, what `row` points into would else be freed after `row`."""

else:

    @intrinsic
    def row(typingctx: Any, array: Any, index: Any) -> Any:
        """Pointer to row `index` of a C-contiguous 2-D array: no view object, no reference count."""

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            struct = context.make_array(signature.args[0])(context, builder, arguments[0])
            offset = context.cast(builder, arguments[1], signature.args[1], types.intp)
            stride = builder.extract_value(struct.strides, 0)
            at: Any = cgutils.pointer_add  # untyped in numba
            return at(builder, struct.data, builder.mul(offset, stride))

        pointer: Any = types.CPointer  # untyped in numba
        return pointer(array.dtype)(array, index), codegen

    @intrinsic
    def keep(typingctx: Any, array: Any) -> Any:
        """Keeps an array that a kernel has made itself alive up to here.

        A pointer holds no reference: without this the array is freed after its last `row`, and the memory behind the
        pointer goes to whoever asks next, such as another thread.
        """
        return types.void(array), lambda context, builder, signature, arguments: context.get_dummy_value()


@rule
def next_number(r, at):  # type: ignore[no-untyped-def]  # rows are lists, arrays or pointers
    """Next 32-bit number of the stream whose key is r[at] and whose counter is r[at + 1].

    Counter-based ("Squares", Widynski 2020, arXiv:2004.06278): the n-th number of a key never depends on anything else.
    """
    key = int(r[at])
    r[at + 1] += 1
    y = key * int(r[at + 1])
    z = y + key
    x = y * y + y
    x = ((x >> 32) & 0xFFFFFFFF) | (x << 32)
    x = x * x + z
    x = ((x >> 32) & 0xFFFFFFFF) | (x << 32)
    x = x * x + y
    x = ((x >> 32) & 0xFFFFFFFF) | (x << 32)
    return ((x * x + z) >> 32) & 0xFFFFFFFF


@rule
def below(r, at, n):  # type: ignore[no-untyped-def]  # rows are lists, arrays or pointers
    """Uniform integer in 0..n-1 from exactly one number of the stream (bias below n / 2^32)."""
    return (next_number(r, at) * int(n)) >> 32


CARD_STREAM: Final = 0
CHOICE_STREAM: Final = 2
STREAM_WIDTH: Final = 4


def stream_rows(seed: int | None, games: np.ndarray | int) -> np.ndarray:
    """Random streams of some games of a seed.

    Args:
        seed: any non-negative integer; None takes entropy from the system.
        games: ids of the games, integers (B,), or their number B for 0..B-1. A game's stream depends on nothing but
            seed and id, and games of one id draw the same cards.

    Returns:
        int64 (B, 4): key and counter of the cards, key and counter of the built-in sampler's choices.

    Raises:
        SorryError: a seed that is neither None nor an integer from 0.
    """
    if seed is not None and (not isinstance(seed, int | np.integer) or seed < 0):
        raise SorryError(f"seed: {seed!r} is neither None nor an integer from 0")
    base = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    ids = np.arange(games) if isinstance(games, int) else np.asarray(games)
    rows = np.zeros((len(ids), STREAM_WIDTH), np.int64)
    for column, word in zip((CARD_STREAM, CHOICE_STREAM), base, strict=True):
        spread = ids.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + word
        rows[:, column] = (_mix(spread) | np.uint64(1)).view(np.int64)
    return rows


def _mix(x: np.ndarray) -> np.ndarray:
    """SplitMix64's finaliser (Steele, Lea and Flood 2014): neighbouring integers to unrelated ones."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
