"""What fuzzing in any order has found: each was mended and is held here by itself."""

from __future__ import annotations

import numpy as np
import pytest
from playing import play_aec

from sorry_env import Batch, read_record, rules_from, sorry_v0
from sorry_env.errors import IllegalError, RulesError
from sorry_env.vector_env import SorryVectorEnv


@pytest.mark.parametrize("spec", ["points:players=3", "mini-1", "mini-2"])
def test_place_refuses_what_was_never_begun(spec: str) -> None:
    """A game that was never begun has no hands, or pawns too many: it is not placed anywhere, and nothing changes."""
    batch = Batch(spec, 2, 1)
    with pytest.raises(IllegalError, match="never begun"):
        batch.place(0, batch.position(1))
    assert not batch.is_open.any()


def test_steps_before_the_first_reset() -> None:
    """The raw AEC and the vector environment say what to do first, also when the last agent has left."""
    vector, raw = SorryVectorEnv(2), sorry_v0.raw_env(max_plies=1)
    for call in (lambda: vector.step(np.zeros(2, int)), lambda: raw.step(0)):
        with pytest.raises(IllegalError, match="no game is open: call reset first"):
            call()
    raw.reset(seed=1)
    play_aec(raw, np.random.default_rng(1))
    while raw.agents:
        raw.step(None)
    with pytest.raises(IllegalError, match="no game is open: call reset first"):
        raw.step(None)


def test_long_options_are_quoted_in_part() -> None:
    """An option of a thousand letters that are written by their codes makes no message of ten thousand."""
    spec = "classic:" + "\0" * 900
    for call in (lambda: rules_from(spec), lambda: read_record(f"sorry-record 1\nrules {spec}\nstart x\nend y\n")):
        with pytest.raises(RulesError, match="not written field=value") as caught:
            call()
        assert len(str(caught.value)) < 1500
