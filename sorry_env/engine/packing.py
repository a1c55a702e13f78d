"""The arrays of a batch as one address: a compiled function takes some 40 ns for each array that Python hands it.

That is nothing for a thousand games, but most of the time that a step of one game takes.
"""

# mypy: disable-error-code="no-untyped-def"
# What is unpacked is numba's to infer.

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
from numba import carray, config, types  # type: ignore[attr-defined]  # numba names it in no __all__
from numba.extending import intrinsic

from sorry_env.engine.parameters import MOST_ACTIONS
from sorry_env.engine.rows import STREAM_WIDTH, rule
from sorry_env.observation import count_units, float_units

NUM_FIRST: Final = 16  # legal ids of an open decision that a batch keeps; few decisions have more
FEATURES: Final = (np.float32, np.uint8)
DTYPES: Final = (
    *((np.int16,), (np.int64,), (np.int16,), (np.int64,), (np.int8,), (np.int64,)),
    *((np.int8,), (np.int64,), (np.int16,), FEATURES, FEATURES, (np.int16,)),
)
ANY: Final = -1
WIDTHS: Final = (ANY, STREAM_WIDTH, *(ANY,) * 6, NUM_FIRST, *(ANY,) * 3)
NUM_ARRAYS: Final = len(DTYPES)
NUM_FACTS: Final = 7


class Written:
    """What writes into arrays of its own, wherever it is unpickled: joblib hands its workers large ones read-only."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            is_array = isinstance(value, np.ndarray)
            self.__dict__[name] = np.require(np.asarray(value), requirements="W") if is_array else value


class Pack:
    """What the kernels of a batch of B games work on. It keeps the arrays.

    Args:
        states: int16 (B, W), game rows.
        streams: int64 (B, 4), random streams.
        parameters: int16 (1, *).
        actions: int64 (B,), what is to be played.
        status: int8 (B,), OPEN, TERMINATED, TRUNCATED or NEW.
        plies: int64 (B,), plies played.
        masks: int8 (B, A), 1 where the action is legal.
        counts: int64 (B,), number of legal actions of the open decision.
        firsts: int16 (B, NUM_FIRST), the first ids of them.
        observations: float32 or uint8 (B, F); of no columns where none are wanted.
        max_plies: plies after which a game is truncated.
        auto_forced: whether forced plies are played silently.

    Raises:
        ValueError: an array that kernels would misread: of another type or length, or with gaps; one that is read-only.
    """

    def __init__(
        self,
        states: np.ndarray,
        streams: np.ndarray,
        parameters: np.ndarray,
        actions: np.ndarray,
        status: np.ndarray,
        plies: np.ndarray,
        masks: np.ndarray,
        counts: np.ndarray,
        firsts: np.ndarray,
        observations: np.ndarray,
        max_plies: int,
        auto_forced: bool,
    ) -> None:
        is_counts = observations.dtype == np.uint8
        units, legal = count_units() if is_counts else float_units(), np.zeros((1, MOST_ACTIONS), np.int16)
        shown = masks, counts, firsts, observations, units, legal
        self._arrays = states, streams, parameters, actions, status, plies, *shown
        for array, dtype, width in zip(self._arrays, DTYPES, WIDTHS, strict=True):
            games = len(array) if array is parameters or array is units or array is legal else len(states)
            is_wide = width in (ANY, *array.shape[1:])
            if array.dtype not in dtype or not array.flags.c_contiguous or len(array) != games or not is_wide:
                raise ValueError(f"kernels would misread {array.dtype} {array.shape} of strides {array.strides}")
            if array is not parameters and not array.flags.writeable:
                raise ValueError(f"kernels write into {array.dtype} {array.shape}, which is read-only")
        widths = [array.shape[1] for array in (states, parameters, masks, observations)]
        facts = [len(states), *widths, max_plies, int(auto_forced)]
        self._numbers = np.array([*(array.ctypes.data for array in self._arrays), *facts], np.int64)
        is_compiled = not config.DISABLE_JIT  # type: ignore[attr-defined]  # set at run time from the environment
        address: Any = self._numbers.ctypes.data if is_compiled else (*self._arrays, max_plies, auto_forced)
        self._handle = address, 0 if is_counts else 0.0

    def bind(self, kernel: Any, *arguments: Any) -> partial[Any]:
        """A kernel with its first arguments given, which keeps the arrays as long as it can be called.

        Kernels take first an address and a number whose type stands for the observations' (a float for float32, an int
        for uint8). Un-jitted, the arrays themselves stand for the address.
        """
        bound = partial(kernel, *self._handle, *arguments)
        bound.__dict__["pack"] = self
        return bound


if config.DISABLE_JIT:  # type: ignore[attr-defined]  # set at run time from the environment

    def unpack(address: Any, kind: Any) -> Any:
        """All that was packed, in order, with the observations' units and room for legal ids after them."""
        return address

else:

    def _point(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    def _pointer_to_anything(typingctx: Any, address: Any) -> Any:
        return types.voidptr(address), _point

    def _pointer_to_features(typingctx: Any, address: Any, kind: Any) -> Any:
        pointer: Any = types.CPointer  # untyped in numba
        return pointer(types.float32 if isinstance(kind, types.Float) else types.uint8)(address, kind), _point

    _pointer: Any = intrinsic(_pointer_to_anything)
    _features: Any = intrinsic(_pointer_to_features)

    @rule
    def unpack(address, kind):
        """All that was packed, in order, with the observations' units and room for legal ids after them."""
        at = carray(_pointer(address), (NUM_ARRAYS + NUM_FACTS,), np.int64)
        games, states, parameters, actions, features = at[12], at[13], at[14], at[15], at[16]
        return (
            carray(_pointer(at[0]), (games, states), np.int16),
            carray(_pointer(at[1]), (games, STREAM_WIDTH), np.int64),
            carray(_pointer(at[2]), (1, parameters), np.int16),
            carray(_pointer(at[3]), (games,), np.int64),
            carray(_pointer(at[4]), (games,), np.int8),
            carray(_pointer(at[5]), (games,), np.int64),
            carray(_pointer(at[6]), (games, actions), np.int8),
            carray(_pointer(at[7]), (games,), np.int64),
            carray(_pointer(at[8]), (games, NUM_FIRST), np.int16),
            carray(_features(at[9], kind), (games, features)),
            carray(_features(at[10], kind), (1, 2)),
            carray(_pointer(at[11]), (1, MOST_ACTIONS), np.int16),
            at[17],
            at[18] != 0,
        )
