"""Examples that need nothing but the package: no illegal action reaches a game, and losers get their reward."""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from tiny_policies import write_policy

from examples import gymnasium_masks, own_opponent, pettingzoo_aec, register_in_your_project
from sorry_env import Batch, IllegalError, Position, SpecError, load_player, register_player, rules_from, sorry_v0

EXAMPLES = Path(__file__).parents[2] / "examples"


def pasted(name: str, folder: Path, *arguments: str, before: str = "") -> str:
    """What an example prints, pasted into an interpreter that knows no checkout. Warnings are errors."""
    code = before + (EXAMPLES / name).read_text(encoding="utf-8").replace("from __future__ import annotations\n", "")
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


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


class Unmasked(pettingzoo.utils.BaseWrapper):  # type: ignore[misc]  # untyped base
    """Hides the masks from whoever plays."""

    def observe(self, agent: str) -> Any:
        """Everything seems legal."""
        seen = super().observe(agent)
        return seen | {"action_mask": np.ones_like(seen["action_mask"])}


def test_pettingzoo_game_raises_without_the_mask() -> None:
    """The example's environment cannot be sent an illegal action unnoticed."""
    with pytest.raises(IllegalError):
        pettingzoo_aec.play(Unmasked(sorry_v0.raw_env(players=2)), 1)


def test_gymnasium_example_as_pasted(tmp_path: Path) -> None:
    """It plays single games and a batch to their ends."""
    single, batch = pasted("gymnasium_masks.py", tmp_path).splitlines()
    assert f"of {gymnasium_masks.GAMES} games" in single
    assert int(batch.split()[4]) > gymnasium_masks.ENVS


def test_gymnasium_learner_gets_both_rewards() -> None:
    """Single and batched, the final rewards are 1 and -1, and resets are not counted as decisions."""
    env = gymnasium.make("sorry_env:Sorry-v0", opponents=["greedy"], illegal="raise")
    assert {gymnasium_masks.play(env, seed) for seed in range(12)} == {-1.0, 1.0}
    envs = gymnasium.make_vec("sorry_env:Sorry-v0", num_envs=32, opponents=["greedy"], illegal="raise")
    finals, decisions = gymnasium_masks.play_many(envs, 150, seed=1)
    assert set(finals.tolist()) == {-1.0, 1.0}
    assert 150 * 32 - len(finals) <= decisions < 150 * 32


@pytest.mark.parametrize("num_envs", [None, 4])
def test_gymnasium_game_raises_without_the_mask(num_envs: int | None) -> None:
    """`illegal="raise"` lets no illegal action pass, in a single game or in a batch."""
    options: dict[str, Any] = {"opponents": ["greedy"], "illegal": "raise"}
    env: Any = (
        gymnasium.make("sorry_env:Sorry-v0", **options)
        if num_envs is None
        else gymnasium.make_vec("sorry_env:Sorry-v0", num_envs=num_envs, **options)
    )
    _, info = env.reset(seed=1)
    with pytest.raises(IllegalError):
        env.step(np.argmin(info["action_mask"], axis=-1))


def test_own_opponent_as_pasted(tmp_path: Path) -> None:
    """It plays against all three opponents."""
    lines = pasted("own_opponent.py", tmp_path).splitlines()
    assert [line.rpartition(" ")[2] for line in lines] == ["random", "forward", "greedy"]


def test_own_opponent_plays_legally_by_its_word() -> None:
    """It moves a pawn backward only where nothing else is legal, and refuses hand games."""
    player, batch, rng = own_opponent.Forward(), Batch("classic", 64, 1), np.random.default_rng(1)
    player.bind(batch.rules)
    batch.reset()
    backward = 0
    for _ in range(60):
        actions = player.act(batch.observations, batch.masks, rng, batch.positions())
        moves_back = player.is_backward[actions] & batch.is_open
        assert not (batch.masks[moves_back] > 0)[:, ~player.is_backward].any()
        backward += int(moves_back.sum())
        batch.step(actions)  # raises where one is illegal
    assert backward > 0
    with pytest.raises(SpecError, match="draw games"):
        player.bind(rules_from("points"))
    register_player("forward", lambda spec, options: own_opponent.Forward())
    assert isinstance(load_player("forward", batch.rules), own_opponent.Forward)


def test_own_ids_as_pasted(tmp_path: Path) -> None:
    """Both ids make the game that was registered, batched natively."""
    lines = pasted("register_in_your_project.py", tmp_path).splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        register_in_your_project.GYM_ID,
        register_in_your_project.GYM_ID,
        register_in_your_project.AEC_ID,
    ]
    assert "SorryVectorEnv" in lines[1]


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
