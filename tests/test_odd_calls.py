"""What is no action and no seed: each face of the game refuses it by a named error, and nothing changes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sorry_env import Batch, Game, SelfPlay, sorry_v0
from sorry_env.errors import SorryError
from sorry_env.gym_env import SorryEnv
from sorry_env.vector_env import SorryVectorEnv

NO_ACTIONS = [
    *(2**70, -(2**70), np.uint64(2**63 + 5), 1.0, 1.5, math.nan, None, "3", b"3", (), {}, [], [[3]]),
    *(np.float32(3), np.array([[3]]), np.datetime64("2020"), object()),
]
NO_SEEDS: tuple[Any, ...] = (-1, 1.5, "a", [], np.float64(3), np.int64(-3))


def faces() -> dict[str, tuple[Callable[[Any], Any], Callable[[], object]]]:
    """Each face of a game that has begun: how an action is played, and all that can be seen."""
    batch, raw, game = Batch("classic", 2, 1), sorry_v0.raw_env(), Game("classic", 1)
    env, vector, play = SorryEnv(illegal="raise"), SorryVectorEnv(2, illegal="raise"), SelfPlay("classic", 2, 1)
    for each in (batch, raw, env, vector):
        each.reset()
    return {
        "batch": (batch.step, batch.states.tobytes),
        "raw": (raw.step, lambda: str(raw.position)),
        "game": (game.play, lambda: (str(game), game.num_plies)),
        "env": (env.step, env._batch.states.tobytes),
        "vector": (vector.step, vector._batch.states.tobytes),
        "self-play": (play.step, play.batch.states.tobytes),
    }


@pytest.mark.parametrize("face", faces())
@pytest.mark.parametrize("action", NO_ACTIONS, ids=lambda action: f"{type(action).__name__} {str(action)[:9]}")
def test_no_action(action: Any, face: str) -> None:
    """A number that is too large, no number, or an array of another shape is refused and changes nothing."""
    step, seen = faces()[face]
    before = seen()
    with pytest.raises(SorryError) as caught:
        step(action)
    assert "\n" not in str(caught.value)
    assert seen() == before


@pytest.mark.parametrize("seed", NO_SEEDS, ids=str)
@pytest.mark.parametrize(
    "begin",
    [
        lambda seed: Game("classic", seed),
        lambda seed: Batch("classic", 1, seed),
        lambda seed: SelfPlay("classic", 1, seed),
        lambda seed: sorry_v0.raw_env().reset(seed=seed),
        lambda seed: Game("classic", 1).copy(seed),
    ],
    ids=["game", "batch", "self-play", "raw", "copy"],
)
def test_no_seed(begin: Callable[[Any], object], seed: Any) -> None:
    """A seed that is neither None nor an integer from 0 is refused."""
    with pytest.raises(SorryError, match=r"seed: .* is neither None nor an integer from 0"):
        begin(seed)
    for good in (None, 0, 2**70, np.int64(3)):
        begin(good)
