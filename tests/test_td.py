"""The TD learner: its loss and averages by hand, runs that repeat and resume bit for bit, learning that is real."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hostile import rewrite_facts
from playing import ask
from strategies import random_positions
from tiny_values import before_draws, rows_of

from agents import CHECKPOINT_FILE
from agents.checkpoints import load_checkpoint, save_checkpoint
from agents.regret import measure_regret
from agents.td import TDLearner, TDSettings, value_loss
from sorry_env import load_player
from sorry_env.engine.parameters import MOVER
from sorry_env.errors import PolicyError, SorryError
from sorry_env.players import ValuePlayer
from sorry_env.rules import rules_from
from sorry_env.solver import save_solution, solution_path, solve
from sorry_env.values import num_sides, value_parts

torch.set_num_threads(1)


def settings(out: Path, **changes: Any) -> TDSettings:
    """A run of three small blocks in the smallest game."""
    tiny: dict[str, Any] = {
        "rules": "mini-1", "out": out, "games": 60, "block": 20, "wide": 8, "narrow": 4, "minibatch": 64, "threads": 1,
    }  # fmt: skip
    return TDSettings(**tiny | changes)


def run(out: Path, **changes: Any) -> TDLearner:
    """A finished run."""
    learner = TDLearner(settings(out, **changes))
    learner.learn(lambda learner: None)
    return learner


class StopError(Exception):
    """Ends a run in the middle."""


def run_until(out: Path, games: int, **changes: Any) -> None:
    """A run that writes a checkpoint after every block and breaks off as soon as it tells so many games."""

    def stop(learner: TDLearner) -> None:
        if learner.games >= games:
            raise StopError

    with pytest.raises(StopError):
        TDLearner(settings(out, checkpoint_every=-1, **changes)).learn(stop)


def state(learner: TDLearner) -> list[Any]:
    """All that decides how a run goes on."""
    kept = learner.optimizer.state_dict()["state"]
    moments = [kept[index][name] for index in sorted(kept) for name in sorted(kept[index])]
    tensors = [*learner.network.state_dict().values(), *learner.average.values(), *moments]
    numbers = [learner.games, learner.positions, learner.steps, learner.next_trace, learner.rng.bit_generator.state]
    return [*(tensor.tolist() for tensor in tensors), learner.next_model.row.tolist(), *numbers]


# --- What is computed ---


def test_loss_by_hand() -> None:
    """Cross-entropy with soft targets, also below 0, plus squared errors of the points, meant over positions."""
    outputs = np.array([[0.3, -1.2, 0.5, 0.1], [2.0, 0.7, -0.4, 0.9]])
    targets = np.array([[1.1, -0.1, 0.2, 0.4], [0.4, 0.6, 0.5, -0.5]])
    total = 0.0
    for output, target in zip(outputs, targets, strict=True):
        logs = output[:2] - np.log(np.exp(output[:2]).sum())
        total += float(-(target[:2] * logs).sum() + ((output[2:] - target[2:]) ** 2).sum())
    found = value_loss(torch.tensor(outputs), torch.tensor(targets), 2)
    assert float(found) == pytest.approx(total / 2)
    plain = torch.tensor(outputs[:, :2], requires_grad=True)
    value_loss(plain, torch.tensor(targets[:, :2]), 2).backward()  # type: ignore[no-untyped-call]  # untyped in torch
    gradient = torch.softmax(plain, 1) - torch.tensor(targets[:, :2])
    assert torch.allclose(plain.grad, gradient / 2) if plain.grad is not None else False


@pytest.mark.parametrize("spec", ["mini-2", "teams", "points:players=3", "team-points"])
def test_engine_plays_the_network_that_torch_trains(spec: str, tmp_path: Path) -> None:
    """The model of a learner is worth what its torch network says of the same positions, turned to who looks."""
    learner = TDLearner(settings(tmp_path, rules=spec, wide=12))
    rows = rows_of([position for position in before_draws(learner.rules, 3, 30) if not position.is_over])
    sides = num_sides(learner.rules)
    with torch.no_grad():
        outputs = learner.network(*map(torch.from_numpy, value_parts(learner.rules, rows)))
        outputs[:, :sides] = torch.softmax(outputs[:, :sides], 1)
    for worth, output, row in zip(learner.model().worths(rows), outputs.numpy(), rows, strict=True):
        for part in range(0, len(worth), sides):
            wanted = np.roll(output[part : part + sides], row[MOVER] % sides)
            np.testing.assert_allclose(worth[part : part + sides], wanted, atol=1e-5)


def test_average_of_networks(tmp_path: Path) -> None:
    """The averaged network keeps (1 + n) / (10 + n) of itself in step n, never more than `decay`; with 0 nothing."""
    alone = run(tmp_path / "alone", decay=0)
    for key, tensor in alone.network.state_dict().items():
        assert torch.equal(alone.average[key], tensor)
    learner = TDLearner(settings(tmp_path, decay=0.4))
    wanted = {key: value.double().numpy() for key, value in learner.average.items()}
    for step in range(1, 12):
        with torch.no_grad():
            for parameter in learner.network.parameters():
                parameter.add_(step)
        learner._average()
        keep = min(0.4, (1 + step) / (10 + step))
        for key, value in learner.network.state_dict().items():
            wanted[key] = keep * wanted[key] + (1 - keep) * value.double().numpy()
            np.testing.assert_allclose(learner.average[key].numpy(), wanted[key], rtol=1e-5)


def test_schedules(tmp_path: Path) -> None:
    """Learning rate falls along a cosine, lambda along a line, and both end at their last values."""
    told: list[tuple[float, float]] = []

    def note(learner: TDLearner) -> None:
        told.append((learner.figures["learning_rate"], learner.figures["trace"]))

    TDLearner(
        settings(tmp_path, games=80, learning_rate=3e-3, last_learning_rate=1e-3, trace=0.9, last_trace=0.5)
    ).learn(note)
    assert [trace for _, trace in told] == pytest.approx([0.8, 0.7, 0.6, 0.5])
    rates = [2e-3 + 1e-3 * np.cos(np.pi * part) for part in (0.25, 0.5, 0.75, 1)]
    assert [rate for rate, _ in told] == pytest.approx(rates)


# --- Runs repeat and resume ---


def test_same_seed_same_run(tmp_path: Path) -> None:
    """The same seed gives the same run bit for bit, whatever the threads; another seed gives another."""
    first = state(run(tmp_path / "first"))
    assert state(run(tmp_path / "again", threads=3)) == first
    assert state(run(tmp_path / "other", seed=1))[0] != first[0]


@pytest.mark.parametrize("spec", ["mini-1", "points:players=2,pawns=1"])
def test_resumed_is_uninterrupted(spec: str, tmp_path: Path) -> None:
    """A run that was broken off, once or twice, and resumed ends as the run that was not, bit for bit."""
    whole = run(tmp_path / "whole", rules=spec)
    for breaks in ((40,), (60,), (40, 60)):
        out = tmp_path / str(breaks)
        for k, games in enumerate(breaks):
            run_until(out, games, rules=spec, resume=k > 0)
            assert load_checkpoint(out)[1]["games"] == games - 20
        assert state(run(out, rules=spec, resume=True, threads=2)) == state(whole)
    again = run(tmp_path / "whole", rules=spec, resume=True)  # it is done
    assert state(again) == state(whole)
    assert run(tmp_path / "whole", rules=spec, resume=True, games=100).games == 100


OTHERS: list[tuple[str, Any, str]] = [
    ("rules", "mini-2", "rules 'mini-1', not 'mini-2'"),
    ("wide", 12, "wide 8, not 12"),
    ("narrow", 8, "narrow 4, not 8"),
    ("block", 10, "block 20, not 10"),
    ("seed", 1, "seed 0, not 1"),
    ("minibatch", 32, "minibatch 64, not 32"),
    ("learning_rate", 1e-3, "learning_rate 0.002, not 0.001"),
    ("last_learning_rate", 1e-3, "last_learning_rate 5e-05, not 0.001"),
    ("trace", 0.5, "trace 0.95, not 0.5"),
    ("last_trace", 0.5, "last_trace 0.8, not 0.5"),
    ("decay", 0.5, "decay 0.999, not 0.5"),
]


def test_other_settings_are_refused(tmp_path: Path) -> None:
    """A run is resumed only with the settings that it began with, but for how long and where; the folder stays."""
    with pytest.raises(PolicyError, match="no file"):
        TDLearner(settings(tmp_path / "none", resume=True))
    assert not (tmp_path / "none").exists()
    run(tmp_path)
    before = (tmp_path / CHECKPOINT_FILE).read_bytes()
    for name, value, words in OTHERS:
        with pytest.raises(PolicyError, match=words) as caught:
            TDLearner(settings(tmp_path, resume=True, **{name: value}))
        assert "\n" not in str(caught.value)
    assert (tmp_path / CHECKPOINT_FILE).read_bytes() == before


@pytest.mark.parametrize("fact", ["rules", "wide", "narrow", "block", "seed", "games", "steps", "next_trace", "rng"])
def test_damaged_checkpoint(fact: str, tmp_path: Path) -> None:
    """A checkpoint that lacks a fact is refused by its name, as a run to resume and as a player."""
    run(tmp_path)
    rewrite_facts(tmp_path, lambda facts: facts.pop(fact))
    for use in (lambda: TDLearner(settings(tmp_path, resume=True)), lambda: load_player(str(tmp_path))):
        with pytest.raises(PolicyError, match=f"lacks {fact}"):
            use()


def test_checkpoint_of_another_learner(tmp_path: Path) -> None:
    """A checkpoint that is not of this learner is not resumed."""
    save_checkpoint(tmp_path, {"a": torch.zeros(1)}, {"timesteps": 1, "rules": "mini-1"})
    with pytest.raises(PolicyError, match=r"not of train\.py td"):
        TDLearner(settings(tmp_path, resume=True))


def test_checkpoint_is_a_player(tmp_path: Path) -> None:
    """The checkpoint's folder is a spec string: the averaged network, for its rules only."""
    learner = run(tmp_path, rules="mini-2")
    player = load_player(str(tmp_path), learner.rules)
    assert isinstance(player, ValuePlayer)
    assert np.array_equal(player.model.row, learner.model().row)
    twin = learner.player("twin")
    twin.bind(learner.rules)
    for position in random_positions(learner.rules, 1, 20):
        assert ask(player, position, 1)[0] == ask(twin, position, 1)[0]
    with pytest.raises(PolicyError, match="'mini-2', not for 'classic'"):
        load_player(str(tmp_path), rules_from("classic"))
    assert [each.name for each in (tmp_path / "tensorboard").iterdir()]
    assert not list(tmp_path.glob(".*"))


# --- What is refused ---

WRONG: list[tuple[dict[str, Any], str]] = [
    *(({name: 0}, f"--{name}: 0 is not 1 or more") for name in ("games", "threads", "wide", "narrow", "block")),
    ({"minibatch": 0}, "--minibatch: 0"),
    ({"eval_games": 0}, "--eval-games: 0"),
    ({"seed": -1}, "--seed: -1 is not 0 or more"),
    ({"checks": -1}, "--checks: -1 is not 0 or more"),
    ({"trace": 1.1}, "--trace: 1.1 is not within 0 to 1"),
    ({"last_trace": -0.1}, "--last-trace: -0.1"),
    ({"decay": float("nan")}, "--decay: nan"),
    ({"learning_rate": 0}, "--learning-rate: 0 is not above 0"),
    ({"last_learning_rate": float("nan")}, "--last-learning-rate: nan"),
    ({"wide": 1025}, "--wide: 1025 is more than 1024"),
    ({"narrow": 1025}, "--narrow: 1025 is more than 1024"),
    ({"minutes": 0}, "--minutes: 0 is not above 0"),
    ({"rules": "clasic"}, "did you mean 'classic'"),
    ({"players": 5}, "players: 5"),
    ({"rules": "teams", "players": 3}, "teams"),
]


@pytest.mark.parametrize(("changes", "words"), WRONG, ids=str)
def test_bad_settings(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    """Settings that make no sense are refused on one line before anything is written."""
    with pytest.raises(SorryError) as caught:
        TDLearner(settings(tmp_path / "out", **changes))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_divergence_is_told(tmp_path: Path) -> None:
    """A run whose weights are no numbers stops on one line that says what to try."""
    with pytest.raises(SorryError, match=r"diverged: a weight is nan after 20 games; try a lower --learning-rate"):
        run(tmp_path, learning_rate=float("inf"))


# --- Learning is real ---


@pytest.mark.parametrize("seed", [0, 1])
def test_learns_to_play_well(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After 4,000 games of `mini-1`, a second's work, it gives away less than half of what `solitaire` does.

    Against perfect play, in win probability a game, seeds 0 to 3: 0.00019, 0.00026, 0.00020 and 0.00016; random
    0.056, greedy 0.015, race 0.0028, solitaire 0.0014.
    """
    rules = rules_from("mini-1")
    monkeypatch.setenv("SORRY_ENV_CACHE", str(tmp_path / "cache"))
    save_solution(solve(rules), solution_path(rules))
    recipe = {"wide": 16, "narrow": 8, "minibatch": 256, "learning_rate": 1e-2, "decay": 0.99}
    run(tmp_path / "run", games=4000, block=250, seed=seed, **recipe)
    regret = measure_regret(str(tmp_path / "run"), rules, 4000, 1)
    assert regret.per_game < 0.0006
    assert regret.not_optimal < 0.06


def test_untrained_plays_badly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same measure of a network that has seen sixty games is far off, so that the bound above means something."""
    rules = rules_from("mini-1")
    monkeypatch.setenv("SORRY_ENV_CACHE", str(tmp_path / "cache"))
    save_solution(solve(rules), solution_path(rules))
    run(tmp_path / "run")
    assert measure_regret(str(tmp_path / "run"), rules, 1000, 1).per_game > 0.005
