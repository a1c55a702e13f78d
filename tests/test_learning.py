"""Masked PPO learns, repeats and resumes; its networks, exported, are the same player everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import onnx
import pytest
import torch
from playing import legal_choice
from sb3_contrib import MaskablePPO
from tiny_policies import sizes, write_policy
from tiny_runs import figures, run, settings, weights
from torch import nn

from agents import export
from agents.checkpoints import load_checkpoint
from agents.evaluation import evaluate
from agents.export import MASKED_LOGIT, ExportedPolicy, export_policy
from agents.policies import PolicyBody, TorchPlayer
from agents.ppo import PPOLearner
from agents.vec_env import SorryVecEnv
from sorry_env import Batch, load_player, sorry_v0
from sorry_env.actions import num_actions
from sorry_env.errors import IllegalError, PolicyError
from sorry_env.observation import num_features, observation_layout
from sorry_env.players import PolicyPlayer
from sorry_env.rules import Rules, rules_from

torch.set_num_threads(1)


def decisions(rules: Rules, count: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks of `count` games some way into random play."""
    batch = Batch(rules, count, seed)
    batch.reset()
    for _ in range(12):
        batch.step(batch.sample())
        batch.reset(~batch.is_open)
    return batch.observations.copy(), batch.masks.copy()


# --- Masks ---

HAND_GAME: dict[str, Any] = {
    "rules": "points:players=2,pawns=1,hand_size=9,scoring=win", "timesteps": 24_000, "envs": 128, "steps": 16,
    "epochs": 3, "minibatch": 512, "learning_rate": "1e-3", "gae_lambda": 0.95, "selves": 0, "seed": 0,
}  # fmt: skip
LEARNT = 0.83  # win rate against random that only a working mask reaches
MASKS = SorryVecEnv.action_masks
BROKEN_MASKS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "all ones": np.ones_like,
    "all zeros": np.zeros_like,  # MaskablePPO then plays uniformly, and says nothing
    "another game's": lambda masks: np.roll(masks, 1, axis=0),
    "another action's": lambda masks: np.roll(masks, 1, axis=1),
}


@pytest.fixture(scope="module")
def learner(tmp_path_factory: pytest.TempPathFactory) -> PPOLearner:
    """PPO after 24,000 decisions of a hand game of one pawn each, where a good choice among nine cards wins."""
    return run(tmp_path_factory.mktemp("hand"), **HAND_GAME)


def win_rate(learner: PPOLearner) -> float:
    """Against random, of 2000 games."""
    pair = [learner.player("ppo"), load_player("random")]
    return evaluate(["ppo", "random"], learner.rules, 2000, 1, players=pair)[0].win_rate


def test_learns_with_masks(learner: PPOLearner) -> None:
    """PPO soon beats random by more than it can without working masks.

    Measured over seeds 0 to 3: 94, 94, 93 and 92 % with masks; 62, 71, 71 and 67 % where `action_masks` was all true
    and illegal choices were replaced by random legal ones.
    """
    assert learner.model.num_timesteps >= 24_000
    assert win_rate(learner) > LEARNT


def test_learns_less_without_masks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same training, with masks all true and random legal actions in place of illegal ones, stays below."""

    def step_async(env: SorryVecEnv, actions: np.ndarray) -> None:
        masks, games = MASKS(env), np.arange(env.num_envs)
        legal = np.array([legal_choice(mask, env.rng) for mask in masks])
        env._actions = np.where(masks[games, actions], actions, legal)

    with monkeypatch.context() as patch:
        patch.setattr(SorryVecEnv, "action_masks", lambda env: np.ones_like(MASKS(env)))
        patch.setattr(SorryVecEnv, "step_async", step_async)
        learner = run(tmp_path, **HAND_GAME)
    assert 0.5 < win_rate(learner) < LEARNT - 0.05


def test_working_mask_trains(tmp_path: Path) -> None:
    """With the game's own mask the training below meets no illegal action."""
    assert run(tmp_path, rules="classic").model.num_timesteps == 256


@pytest.mark.parametrize("broken", BROKEN_MASKS)
def test_broken_mask_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    """With any other mask the same training ends with an illegal action."""
    monkeypatch.setattr(SorryVecEnv, "action_masks", lambda env: BROKEN_MASKS[broken](MASKS(env)))
    with pytest.raises(IllegalError):
        run(tmp_path, rules="classic")


def test_update_sees_the_masks(tmp_path: Path) -> None:
    """The update weighs each decision under the mask it was made under: unchanged weights give a KL of 0."""
    learner = run(tmp_path, rules="mini-2", timesteps=128, learning_rate="linear:1e-3:0")  # one update of 0
    buffer = learner.model.rollout_buffer
    masks, actions = torch.from_numpy(buffer.action_masks) > 0, torch.from_numpy(buffer.actions).long()
    assert masks.gather(1, actions).all()
    assert masks.sum(dim=1).min() > 1
    assert not masks.all(dim=1).any()
    with torch.no_grad():
        logits, _ = learner.body()(torch.from_numpy(buffer.observations))
        odds = torch.log_softmax(logits.masked_fill(~masks, -torch.inf), dim=1)
    np.testing.assert_allclose(odds.gather(1, actions)[:, 0], buffer.log_probs.ravel(), atol=1e-5)
    entropy = -(odds.exp() * odds.clamp(min=-100)).sum(dim=1).mean()
    found = figures(tmp_path)
    assert found["train/approx_kl"][128] == pytest.approx(0, abs=1e-6)
    assert found["train/clip_fraction"][128] == 0
    assert found["train/entropy_loss"][128] == pytest.approx(-float(entropy), abs=1e-5)


def test_plain_environment(tmp_path: Path) -> None:
    """SB3-contrib's MaskablePPO finds the masks of `gymnasium.make` by itself: not one illegal action."""
    env = gymnasium.make("Sorry-v0", rules="teams", illegal="raise", seat="random")
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=1, seed=1, device="cpu")
    model.learn(128)
    assert model.num_timesteps == 128


# --- Runs ---


def test_same_seed_same_weights(tmp_path: Path) -> None:
    """The same seed and timesteps give the same weights, bit by bit; another seed gives others."""
    first, again, other = (weights(run(tmp_path / str(k), seed=seed)) for k, seed in enumerate((5, 5, 6)))
    assert first == again
    assert first != other


def test_resume(tmp_path: Path) -> None:
    """A resumed run goes on from the saved decisions, weights, optimiser and earlier selves."""
    first = run(tmp_path)
    assert first.model.num_timesteps == 256
    selves = [player.name for player in first.league.players[1:]]
    assert selves == ["self-0001", "self-0002"]
    resumed = PPOLearner(settings(tmp_path, resume=True, timesteps=512))
    assert resumed.model.num_timesteps == 256
    assert weights(resumed) == weights(first)
    assert [player.name for player in resumed.league.players[1:]] == selves
    steps = [
        [state["step"].item() for state in each.model.policy.optimizer.state_dict()["state"].values()]
        for each in (first, resumed)
    ]
    assert steps[0] == steps[1] != []
    resumed.learn(lambda learner: None)
    assert resumed.model.num_timesteps == 512
    assert weights(resumed) != weights(first)
    assert load_checkpoint(tmp_path)[1]["timesteps"] == 512
    assert resumed.num_selves > 2


def test_resume_when_done(tmp_path: Path) -> None:
    """Resuming a run that has reached its timesteps changes nothing."""
    first = run(tmp_path)
    again = run(tmp_path, resume=True)
    assert again.model.num_timesteps == 256
    assert weights(again) == weights(first)


def test_resume_refused(tmp_path: Path) -> None:
    """Resuming without a checkpoint, or with other rules, is refused."""
    with pytest.raises(PolicyError, match="no file"):
        PPOLearner(settings(tmp_path / "none", resume=True))
    run(tmp_path)
    with pytest.raises(PolicyError, match=r"'mini-1', not 'mini-2'"):
        PPOLearner(settings(tmp_path, rules="mini-2", resume=True))


def test_resume_without_selves(tmp_path: Path) -> None:
    """A run with earlier selves can be resumed with `selves` 0."""
    run(tmp_path)
    resumed = run(tmp_path, resume=True, timesteps=512, selves=0)
    assert resumed.model.num_timesteps == 512


def test_body_is_the_policy(learner: PPOLearner) -> None:
    """PolicyBody gives the SB3 policy's own logits and values."""
    seen, _ = decisions(learner.rules, 40)
    body = learner.body()
    policy: Any = learner.model.policy
    with torch.no_grad():
        logits, values = body(torch.from_numpy(seen))
        theirs = policy.get_distribution(torch.from_numpy(seen)).distribution.logits
        their_values = policy.predict_values(torch.from_numpy(seen))
        odds, their_odds = torch.softmax(logits, 1), torch.softmax(theirs, 1)
    np.testing.assert_allclose(odds.numpy(), their_odds.numpy(), atol=1e-6)
    np.testing.assert_allclose(values.numpy(), their_values.numpy(), atol=1e-6)


def test_checkpoint_player(learner: PPOLearner) -> None:
    """The checkpoint's folder is a spec string: the same player as the learner's, refused for other rules."""
    player = load_player(str(learner.settings.out), learner.rules)
    assert isinstance(player, TorchPlayer)
    seen, masks = decisions(learner.rules, 40)
    batch = Batch(learner.rules, 1)
    chosen = [
        each.act(seen, masks, np.random.default_rng(0), batch.positions()) for each in (player, learner.player("x"))
    ]
    assert (chosen[0] == chosen[1]).all()
    assert masks[np.arange(40), chosen[0]].all()
    with pytest.raises(PolicyError, match=f"{learner.rules.spec()}.*'classic'"):
        load_player(str(learner.settings.out), rules_from("classic"))


def test_selves_sample() -> None:
    """An earlier self draws from the masked policy by its odds, never what is illegal."""
    rules = rules_from("mini-2")
    body = random_body(rules)
    seen, masks = decisions(rules, 200)
    row = int(np.argmax(masks.sum(axis=1)))
    many, mask = np.repeat(seen[row : row + 1], 20_000, axis=0), np.repeat(masks[row : row + 1], 20_000, axis=0)
    player = TorchPlayer("self", body, rules, samples=True)
    chosen = player.act(many, mask, np.random.default_rng(1), Batch(rules, 1).positions())
    with torch.no_grad():
        logits = body(torch.from_numpy(seen[row : row + 1]))[0][0].numpy()
    odds = np.where(masks[row] > 0, np.exp(logits - logits.max()), 0)
    np.testing.assert_allclose(np.bincount(chosen, minlength=len(odds)) / 20_000, odds / odds.sum(), atol=0.015)


# --- Export ---


def random_body(rules: Rules, seed: int = 0) -> PolicyBody:
    """Untrained networks with weights large enough that all decisions differ."""
    torch.manual_seed(seed)
    features = num_features(observation_layout(rules))
    body = PolicyBody(features, num_actions(rules.pawns, rules.teams), (32, 16))
    with torch.no_grad():
        for parameter in body.parameters():
            parameter.mul_(3)
    return body.eval()


@pytest.fixture(scope="module", params=["trained", "points:players=3", "teams"])
def exported(
    request: pytest.FixtureRequest, learner: PPOLearner, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, PolicyBody, Rules, float]:
    """A policy's file, its networks, its rules, and the difference that the export told."""
    is_trained = request.param == "trained"
    rules = learner.rules if is_trained else rules_from(request.param)
    body = learner.body() if is_trained else random_body(rules)
    path = tmp_path_factory.mktemp("export") / "new" / "policy.onnx"
    return path, body, rules, export_policy(body, rules, path, learner="ppo", seed=5)


def test_export_equals_torch(exported: tuple[Path, PolicyBody, Rules, float]) -> None:
    """On real positions and in batches of 1, 2 and 17 the file's logits and values are torch's within 1e-5."""
    path, body, rules, told = exported
    player = load_player(str(path), rules)
    assert isinstance(player, PolicyPlayer)
    module = ExportedPolicy(body)
    assert told <= 1e-5
    for count in (1, 2, 17, 200):
        seen, masks = decisions(rules, count)
        logits, values = player.evaluate(seen, masks)
        assert [str(array.dtype) for array in (logits, values)] == ["float32", "float32"]
        assert (logits.shape, values.shape) == (masks.shape, (count,))
        with torch.no_grad():
            their_logits, their_values = module(torch.from_numpy(seen), torch.from_numpy(masks))
            plain, _ = body(torch.from_numpy(seen))
        legal = masks > 0
        np.testing.assert_allclose(logits[legal], their_logits.numpy()[legal], rtol=0, atol=1e-5)
        np.testing.assert_allclose(values, their_values.numpy(), rtol=0, atol=1e-5)
        assert (logits[~legal] == np.float32(MASKED_LOGIT)).all()
        best = np.where(legal, plain.numpy(), -np.inf).argmax(axis=1)
        chosen = player.act(seen, masks, np.random.default_rng(0), Batch(rules, 1).positions())
        assert (chosen == best).all()


def test_export_file(exported: tuple[Path, PolicyBody, Rules, float]) -> None:
    """One file, no leftovers, weights inside, named ports, and metadata that say game and training."""
    path, _, rules, _ = exported
    assert [file.name for file in path.parent.iterdir()] == ["policy.onnx"]
    model = onnx.load(str(path), load_external_data=False)
    assert [port.name for port in model.graph.input] == ["observation", "action_mask"]
    assert [port.name for port in model.graph.output] == ["logits", "value"]
    assert not any(tensor.external_data for tensor in model.graph.initializer)
    player = PolicyPlayer(str(path))
    assert player.metadata["rules"] == rules.spec()
    assert (player.metadata["learner"], player.metadata["seed"]) == ("ppo", 5)


def test_export_binds(exported: tuple[Path, PolicyBody, Rules, float]) -> None:
    """A policy is bound to its game whoever begins and however it is scored; other rules are refused, both named."""
    path, _, rules, _ = exported
    for free in ({"first_player": 1}, {"scoring": "points"}, {"scoring": "win"}):
        load_player(str(path), rules.with_options(**free))
    others = [
        rules.with_options(slide_on="own"),
        rules.with_options(deck="55"),
        rules_from("classic"),
        rules_from("mini-1"),
    ]
    for other in others:
        with pytest.raises(PolicyError) as caught:
            load_player(str(path), other)
        message = str(caught.value)
        assert f"{rules.spec()!r}" in message
        assert f"{other.spec()!r}" in message
        assert "\n" not in message
    with pytest.raises(PolicyError, match="was made for the rules"):
        gymnasium.make("Sorry-v0", rules="edition-2013", opponents=[str(path)])


def test_export_plays(exported: tuple[Path, PolicyBody, Rules, float]) -> None:
    """The file plays as an opponent by its path in `gymnasium.make`, and in a plain AEC loop."""
    path, _, rules, _ = exported
    env = gymnasium.make("Sorry-v0", rules=rules, opponents=[str(path)])
    _, info = env.reset(seed=1)
    rng, ended = np.random.default_rng(1), False
    while not ended:
        _, reward, terminated, truncated, info = env.step(legal_choice(info["action_mask"], rng))
        ended = terminated or truncated
    assert reward != 0
    aec, player = sorry_v0.env(rules=rules), load_player(str(path), rules)
    aec.reset(seed=1)
    for _ in aec.agent_iter():
        observation, _, terminated, truncated, _ = aec.last()
        if terminated or truncated:
            aec.step(None)
            continue
        seen, mask = observation["observation"][None], observation["action_mask"][None]
        aec.step(int(player.act(seen, mask, rng, Batch(rules, 1).positions())[0]))
    assert not aec.agents


class Blank(nn.Module):
    """Gives logits and values that are no numbers."""

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """NaN of the shapes of `mini-1`."""
        actions = sizes(rules_from("mini-1"))[1]
        return observation.new_full((len(observation), actions), torch.nan), observation.new_full((1,), torch.nan)


@pytest.mark.parametrize(
    "body",
    [None, Blank()],
)
def test_export_refuses_what_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: nn.Module | None) -> None:
    """A file whose numbers are not torch's, or no numbers, is not left behind; an old one stays."""
    rules = rules_from("mini-1")
    path = tmp_path / "policy.onnx"
    path.write_bytes(b"old")

    other = tmp_path / "other" / "policy.onnx"
    other.parent.mkdir()
    write_policy(other, rules, np.full(sizes(rules), 1 if body is None else np.nan, np.float32))
    monkeypatch.setattr(export, "_policy_graph", lambda *arguments: other.read_bytes())
    with pytest.raises(PolicyError, match="differ" if body is None else "not numbers"):
        export_policy(body or random_body(rules), rules, path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["other", "policy.onnx"]
    assert path.read_bytes() == b"old"
