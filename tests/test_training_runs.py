"""How a run of `train.py ppo` goes: schedules, figures, what a resumed one keeps, which settings are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_policies import write_policy
from tiny_runs import figures, run, settings, weights

from agents.ppo import PPOLearner, PPOSettings
from agents.schedules import Schedule, parse_schedule
from sorry_env.errors import SorryError
from sorry_env.rules import rules_from

torch.set_num_threads(1)

RATE = Schedule("linear", 1e-3, 0.0)
RUNNING_DOWN = {"learning_rate": "linear:1e-3:0", "clip_range": "linear:0.3:0.1", "entropy": "cosine:0.02:0.01"}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("5e-4", [5e-4, 5e-4, 5e-4, 5e-4]),
        ("constant:3:3", [3, 3, 3, 3]),
        ("linear:1:0", [1, 0.75, 0.5, 0]),
        ("linear:0:2", [0, 0.5, 1, 2]),
        ("cosine:1:0", [1, (2 + 2**0.5) / 4, 0.5, 0]),
    ],
)
def test_schedule(text: str, values: list[float]) -> None:
    """A number stays; linear and cosine go from the first to the last, a cosine slowly at both ends."""
    schedule = parse_schedule(text)
    assert [schedule(done) for done in (0.0, 0.25, 0.5, 1.0)] == pytest.approx(values)
    assert (schedule(0.0), schedule(1.0)) == (values[0], values[-1])


def test_schedules_by_timesteps(tmp_path: Path) -> None:
    """Every update uses the settings' value at its share of the timesteps; the last one the end's."""
    learner = run(tmp_path, timesteps=640, **RUNNING_DOWN)
    found = figures(tmp_path)
    for tag, name in (("learning_rate", "learning_rate"), ("clip_range",) * 2, ("entropy_coefficient", "entropy")):
        schedule = parse_schedule(RUNNING_DOWN[name])
        assert found[f"train/{tag}"] == pytest.approx({step: schedule(step / 640) for step in range(128, 641, 128)})
    assert learner.model.policy.optimizer.param_groups[0]["lr"] == 0
    assert learner.model.ent_coef == 0.01


def test_schedules_change_the_update(tmp_path: Path) -> None:
    """Each of the three reaches the learner: alone it changes the weights, and a learning rate of 0 stops them."""
    changes = {"learning_rate": "linear:1e-2:0", "clip_range": "linear:0.3:0.01", "entropy": "cosine:0.02:0"}
    base = {name: text.split(":")[1] for name, text in changes.items()}
    seen = [weights(run(tmp_path / "base", **base))]
    for name, text in changes.items():
        seen.append(weights(run(tmp_path / name, **base | {name: text})))
        assert seen[-1] not in seen[:-1], name
    before = weights(PPOLearner(settings(tmp_path / "new")))
    assert weights(run(tmp_path / "one", timesteps=128, learning_rate="linear:1e-3:0")) == before


def test_when_a_run_ends() -> None:
    """By its timesteps, two million where nothing is said; minutes alone mean the clock alone."""
    assert PPOSettings().last_timestep == 2_000_000
    assert PPOSettings(timesteps=5, minutes=1).last_timestep == 5
    assert PPOSettings(minutes=1000).last_timestep > 10**12


class Clock:
    """Stands for the time module: a second goes by with each decision of the learner last made."""

    def __init__(self, out: Path, **changes: Any) -> None:
        self.learner: PPOLearner | None = None
        self.learner = PPOLearner(settings(out, **changes))

    def monotonic(self) -> float:
        """Seconds, which do not begin at 0."""
        return 5000.0 + (self.learner.model.num_timesteps if self.learner else 0)


@pytest.mark.parametrize("timesteps", [None, 100_000])
def test_schedules_by_minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, timesteps: int | None) -> None:
    """A run by the clock goes down to the end by the clock; one that was resumed goes on where it stood."""
    changes: dict[str, Any] = {**RUNNING_DOWN, "out": tmp_path, "timesteps": timesteps}
    changes |= {"minutes": 700 / 60, "checkpoint_every": 0}
    clock = Clock(**changes)
    monkeypatch.setattr("agents.ppo.time", clock)
    learner = clock.learner
    assert learner is not None

    def interrupt(learner: PPOLearner) -> None:
        if learner.model.num_timesteps == 384:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learner.learn(interrupt)
    clock = Clock(**changes, resume=True)
    monkeypatch.setattr("agents.ppo.time", clock)
    assert clock.learner is not None
    assert clock.learner.seconds == learner.seconds == 384
    clock.learner.learn(lambda learner: None)
    wanted = {step: RATE(step / 700) for step in range(128, 641, 128)}
    assert figures(tmp_path)["train/learning_rate"] == pytest.approx(wanted)
    assert 700 <= clock.learner.seconds < 710
    assert clock.learner.model.num_timesteps == 640, "the decisions that were learnt from"
    again = run(resume=True, **changes)
    assert again.model.num_timesteps == clock.learner.model.num_timesteps


FIGURES = [
    "rollout/ep_len_mean", "rollout/ep_rew_mean",
    "time/fps", "time/games", "time/progress",
    "train/approx_kl", "train/clip_fraction", "train/clip_range", "train/entropy_coefficient", "train/entropy_loss",
    "train/explained_variance", "train/learning_rate", "train/loss", "train/policy_gradient_loss", "train/value_loss",
]  # fmt: skip


def test_figures(tmp_path: Path) -> None:
    """The event file holds every figure, each update's at the decisions it was made after, and every opponent's."""
    policy = tmp_path / "policy.onnx"
    write_policy(policy, rules_from("mini-1"))
    opponents = ("random", "greedy", str(policy))
    learner = run(tmp_path / "run", timesteps=2048, self_every=1024, opponents=opponents)
    found, steps = figures(tmp_path / "run"), range(128, 2049, 128)
    league = learner.league
    names = [*opponents, "self-0001"]
    wanted = {*FIGURES, *(f"{kind}/{name}" for kind in ("win_rate", "weight", "games") for name in names)}
    assert set(found) == wanted
    page = (Path(__file__).parent.parent / "docs" / "training.md").read_text(encoding="utf-8")
    assert not [tag for tag in (*FIGURES, "win_rate/NAME", "weight/NAME", "games/NAME") if f"`{tag}`" not in page]
    assert [player.name for player in league.players] == [*names, "self-0002"]
    for tag in FIGURES[2:]:
        assert list(found[tag]) == list(steps), tag
    assert found["time/games"][2048] == learner.env.games_ended == sum(league.num_games)
    for step in steps:
        weights_then = [found[f"weight/{name}"][step] for name in names if step in found[f"weight/{name}"]]
        assert sum(weights_then) == pytest.approx(1)
    assert min(found["weight/self-0001"]) == 1152
    for k, name in enumerate(names):
        assert found[f"win_rate/{name}"][2048] == pytest.approx(league.win_rates[k])
        assert found[f"games/{name}"][2048] == league.num_games[k]


def test_resume_keeps_the_league(tmp_path: Path) -> None:
    """A resumed run knows how often each opponent was beaten, and so draws as before; games and seconds go on."""
    first = run(tmp_path, timesteps=2048, self_every=512)
    resumed = PPOLearner(settings(tmp_path, resume=True, timesteps=4096))
    assert resumed.league.results() == first.league.results()
    by_name = [
        dict(zip([player.name for player in each.league.players], each.league.weights.tolist(), strict=True))
        for each in (first, resumed)
    ]
    assert by_name[0] == by_name[1]
    assert len(set(by_name[0].values())) == 3
    assert (resumed.env.games_ended, resumed.seconds) == (first.env.games_ended, first.seconds)
    assert first.env.games_ended > 50
    assert first.seconds > 0
    resumed.learn(lambda learner: None)
    assert resumed.env.games_ended > first.env.games_ended
    assert resumed.seconds > first.seconds


BAD_SETTINGS: list[dict[str, Any]] = [
    *({name: 0} for name in ("timesteps", "envs", "steps", "epochs", "minibatch", "self_every", "threads")),
    *({name: -1} for name in ("eval_games", "seed", "selves", "checkpoint_every", "hardness", "gamma", "gae_lambda")),
    *({name: 1.5} for name in ("gamma", "gae_lambda")),
    *({name: value} for name in ("hardness", "minutes", "gamma") for value in (float("nan"), float("inf"))),
    *({name: text} for name in ("learning_rate", "clip_range") for text in ("0", "linear:0:0")),
    *({"learning_rate": text} for text in ("", "x", "-1", "nan", "inf", "linear", "linear:1", "linear:1:0:1")),
    *({"entropy": text} for text in ("liner:1:0", ":1:0", "linear:1:-1", "cosine:x:0", "-0.1")),
    {"minutes": 0},
    {"opponents": ()},
    {"opponents": ("greedi",)},
    {"opponents": ("random", "greedy", "random")},
    {"rules": "clasic"},
    {"players": 5},
    {"rules": "teams", "players": 3},
]


@pytest.mark.parametrize("changes", BAD_SETTINGS, ids=str)
def test_bad_settings(tmp_path: Path, changes: dict[str, Any]) -> None:
    """Settings that make no sense are refused on one line before anything is written."""
    with pytest.raises(SorryError) as caught:
        PPOLearner(settings(tmp_path / "out", **changes))
    assert "\n" not in str(caught.value)
    assert any(word in str(caught.value) for word in (next(iter(changes)).replace("_", "-"), "did you mean", "teams"))
    assert not (tmp_path / "out").exists()
