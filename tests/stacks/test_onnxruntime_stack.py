"""The example of plain onnxruntime: its arrays are the package's, and so is what it plays."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from pasting import EXAMPLES, pasted
from tiny_policies import write_policy

from sorry_env import Batch, Position, load_player, rules_from


def test_onnxruntime_alone_chooses_as_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package the example's arrays are the package's, and its choice is the policy player's."""
    rules = rules_from("classic", 2)
    path = tmp_path / "policy.onnx"
    weights = np.zeros((183, 201), np.float32)
    weights[:, 4] = 1  # prefers the fourth pawn by 1, as `write_policy` leaves masking to the player
    write_policy(path, rules, weights)
    printed = pasted("onnxruntime_only.py", tmp_path, str(path), before="import sys; sys.modules['sorry_env'] = None\n")
    monkeypatch.setattr(sys, "argv", ["", str(path)])
    found = runpy.run_path(str(EXAMPLES / "onnxruntime_only.py"))
    batch = Batch(rules, 1, auto_forced=False)
    batch.reset()
    batch.place(0, Position.parse("R:S,S,S,20/Y:S,S,S,40 r 1 34444444444", rules))
    np.testing.assert_allclose(found["observation"], batch.observations, rtol=1e-6)
    np.testing.assert_array_equal(found["action_mask"], batch.masks)
    player = load_player(str(path), rules)
    (action,) = player.act(batch.observations, batch.masks, np.random.default_rng(), batch.positions())
    assert action == found["logits"].argmax() == 4
    assert "for classic:players=2: action 4," in printed
