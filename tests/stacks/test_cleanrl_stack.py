"""The one-file PPO: what it learns from, in closed form where there is one, and that it learns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from agents.export import export_policy
from examples import cleanrl_ppo
from examples.cleanrl_ppo import LAMBDA, Agent, advantages, collect
from sorry_env import Batch, IllegalError, SelfPlay, load_player, rules_from
from sorry_env.arena import Arena
from sorry_env.self_play import Transitions


@pytest.fixture(scope="module")
def moves() -> Transitions:
    """What an untrained agent collects in some hundred steps of eight games."""
    torch.manual_seed(0)
    play = SelfPlay("classic", 8, 1, players=2)
    agent = Agent(play.batch.observations.shape[1], play.batch.masks.shape[1])
    return collect(play, agent, 200, np.zeros(16, np.float32))[0]


def test_illegal_actions_raise() -> None:
    """The environment that the example plays in raises, so that a run without an error played legally throughout."""
    play = SelfPlay("classic", 8, 1, players=2)
    with pytest.raises(IllegalError):
        play.step(play.batch.masks.argmin(axis=1))


def test_collected_actions_are_legal_and_losers_get_their_reward(moves: Transitions) -> None:
    """Every action is legal by its own mask; as many decisions end in -1 as in 1, each in a row of its own."""
    assert moves.masks[np.arange(len(moves.rows)), moves.actions].all()
    lost, won = moves.rewards == -1, moves.rewards == 1
    assert lost.sum() == won.sum() > 0
    assert (moves.terminated == lost | won).all()
    assert sorted(moves.rows[lost] // 2) == sorted(moves.rows[won] // 2)


def test_rows_stay_in_order(moves: Transitions) -> None:
    """Along a row, what is seen next is what is then decided on."""
    same = (moves.rows[1:] == moves.rows[:-1]) & ~moves.terminated[:-1]
    np.testing.assert_array_equal(moves.next_observations[:-1][same], moves.observations[1:][same])


def test_advantages_by_definition(moves: Transitions) -> None:
    """They are the sums of later errors of the value, LAMBDA to the power of how much later, within row and game."""
    rng = np.random.default_rng(1)
    values, next_values = rng.normal(size=(2, len(moves.rows)))
    errors = moves.rewards + np.where(moves.terminated, 0, next_values) - values
    found = advantages(moves, values, next_values)
    for t in range(0, len(errors), 7):
        want, k = 0.0, t
        while True:
            want += LAMBDA ** (k - t) * errors[k]
            if moves.terminated[k] or k + 1 == len(errors) or moves.rows[k + 1] != moves.rows[t]:
                break
            k += 1
        assert found[t] == pytest.approx(want)


def test_policy_gives_illegal_actions_nothing(moves: Transitions) -> None:
    """Probabilities of illegal actions are 0 and entropy counts legal ones alone."""
    agent = Agent(moves.observations.shape[1], moves.masks.shape[1])
    policy = agent.policy(torch.from_numpy(moves.observations), torch.from_numpy(moves.masks))
    assert float(policy.probs.detach()[torch.from_numpy(moves.masks) == 0].max()) == 0.0
    legal = torch.from_numpy(moves.masks.sum(axis=1)).float()
    assert bool((policy.entropy() <= legal.log() + 1e-5).all())


def test_it_learns_and_plays_from_its_file(tmp_path: Path) -> None:
    """After seconds of training its exported policy beats random in clearly more than half of the games."""
    rules, path = rules_from("classic", 2), tmp_path / "policy.onnx"
    export_policy(cleanrl_ppo.train(12, num_games=128), rules, path)
    batch = Batch(rules, 1000, 7)
    seating = np.tile([[0, 1], [1, 0]], (500, 1))
    arena = Arena(batch, [load_player(str(path)), load_player("random")], seating, np.random.default_rng(7))
    arena.reset()
    won = batch.rewards()[seating == 0] > 0
    assert won.mean() > 0.65  # 0.73 of 1,000 games
