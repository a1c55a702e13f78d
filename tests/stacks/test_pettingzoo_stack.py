"""PettingZoo's example: no illegal action reaches a game, and losers get their reward."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pasting import pasted
from pettingzoo.utils import BaseWrapper

from examples import pettingzoo_aec
from sorry_env import IllegalError, sorry_v0


def test_pettingzoo_example_as_pasted(tmp_path: Path) -> None:
    """Every game printed has a winner and a loser."""
    lines = pasted("pettingzoo_aec.py", tmp_path).splitlines()
    assert len(lines) == pettingzoo_aec.GAMES
    assert all(sorted(ast.literal_eval(line.partition(": ")[2]).values()) == [-1, 1] for line in lines)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_pettingzoo_losers_get_their_reward(players: int) -> None:
    """Each game gives 1 to one agent and an equal negative share to every other."""
    env = sorry_v0.raw_env(players=players)
    for seed in range(5):
        rewards = sorted(pettingzoo_aec.play(env, seed).values())
        assert rewards == pytest.approx([-1 / (players - 1)] * (players - 1) + [1])


class Unmasked(BaseWrapper):  # type: ignore[misc]  # untyped base
    """Hides the masks from whoever plays."""

    def observe(self, agent: str) -> Any:
        """Everything seems legal."""
        seen = super().observe(agent)
        return seen | {"action_mask": np.ones_like(seen["action_mask"])}


def test_pettingzoo_game_raises_without_the_mask() -> None:
    """The example's environment cannot be sent an illegal action unnoticed."""
    with pytest.raises(IllegalError):
        pettingzoo_aec.play(Unmasked(sorry_v0.raw_env(players=2)), 1)
