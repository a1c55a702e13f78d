"""TorchRL's example: its checker, legal throughout, and the losers' rewards in what it learns from."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torchrl", reason="torchrl is not installed: make stacks runs this in a place of its own")
pytestmark = [
    pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using"),
    pytest.mark.filterwarnings("ignore:The given NumPy array is not writable"),
]

import torch  # noqa: E402  # after the skip

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # its own, of its own parts
    from tensordict import TensorDict
    from torch import nn
    from torchrl.envs.utils import check_env_specs
    from torchrl.modules import MaskedCategorical, ValueOperator

    from examples import torchrl_ppo

from agents.export import export_policy  # noqa: E402
from sorry_env import Batch, IllegalError, load_player, rules_from  # noqa: E402

Trained = tuple[nn.Module, nn.Module, list[TensorDict]]


@pytest.fixture(scope="module")
def trained() -> Trained:
    """Two short iterations, in an environment that raises."""
    return torchrl_ppo.train(2, 600)


def test_own_checker() -> None:
    """TorchRL's check_env_specs passes."""
    check_env_specs(torchrl_ppo.make_env())


def test_actions_of_seats_on_move_are_legal(trained: Trained) -> None:
    """At each step one seat is on move, and only its row is learnt from, with a legal action."""
    for rollout in trained[2]:
        assert bool((rollout["players", "mask"].sum(-1) == 1).all())
        rows = torchrl_ppo.acted(rollout)
        assert rows.batch_size == rollout.batch_size
        chosen = rows["players", "action_mask"].gather(-1, rows["players", "action"].unsqueeze(-1))
        assert bool(chosen.all())


def test_losing_seats_reward_is_learnt_from(trained: Trained) -> None:
    """Each game ends in 1 and -1, and the last value targets of the seats point the same way."""
    for rollout in trained[2]:
        ends = rollout["next", "done"].squeeze(-1)
        rewards = rollout["next", "players", "reward"].squeeze(-1)
        assert int(ends.sum()) > 2
        assert bool((rewards[ends].sort(-1).values == torch.tensor([-1.0, 1.0])).all())
        assert bool((rewards[~ends] == 0).all())
        torch.testing.assert_close(rollout["players", "value_target"].squeeze(-1)[ends], rewards[ends])


def test_losers_own_last_decision_gets_his_loss(trained: Trained) -> None:
    """The loser's last decision, steps before the end, is told of the -1: so much lower than with a 0 is its target."""
    _, value, (rollout, _) = trained
    critic = ValueOperator(value, [torchrl_ppo.SEEN], [("players", "state_value")])
    targets = []
    for factor in (1.0, 0.0):
        changed = rollout.clone()
        reward = changed["next", "players", "reward"]
        reward[reward < 0] *= factor
        with torch.no_grad():
            torchrl_ppo.make_advantage(critic)(changed)
        targets.append(changed["players", "value_target"].squeeze(-1))
    rewards, ends = rollout["next", "players", "reward"].squeeze(-1), rollout["next", "done"].squeeze(-1)
    gaps = []
    for end in torch.nonzero(ends).flatten().tolist():
        loser = int(rewards[end].argmin())
        turns = torch.nonzero(rollout["players", "mask"][: end + 1, loser]).flatten()
        last = int(turns[-1])
        gaps.append(end - last)
        told = float(targets[0][last, loser] - targets[1][last, loser])
        assert told == pytest.approx(-(torchrl_ppo.LAMBDA ** (end - last)), abs=1e-5)
    assert max(gaps) > 0


def test_illegal_actions_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy whose masks are overlooked is stopped by an IllegalError."""

    class Overlooking(MaskedCategorical):  # type: ignore[misc]  # untyped base
        def __init__(self, logits: torch.Tensor, mask: torch.Tensor, **options: Any) -> None:
            super().__init__(logits=logits, mask=torch.ones_like(mask), **options)

    monkeypatch.setattr(torchrl_ppo, "MaskedCategorical", Overlooking)
    with pytest.raises(IllegalError):
        torchrl_ppo.train(1, 200)


def test_exported_policy_plays(trained: Trained, tmp_path: Path) -> None:
    """The exported file sits down as one of our players and plays the policy's best legal action."""
    policy, value, _ = trained
    path, rules = tmp_path / "policy.onnx", rules_from("classic", 2)
    export_policy(torchrl_ppo.Body(policy, value), rules, path)
    batch = Batch(rules, 64, 1)
    batch.reset()
    player = load_player(str(path), rules)
    actions = player.act(batch.observations, batch.masks, np.random.default_rng(1), batch.positions())
    with torch.no_grad():
        logits = policy(torch.from_numpy(batch.observations)).numpy()
    np.testing.assert_array_equal(actions, np.where(batch.masks == 1, logits, -np.inf).argmax(axis=1))
    batch.step(actions)
