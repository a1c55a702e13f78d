"""Short runs of the PPO learner, and what they wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents.ppo import PPOLearner, PPOSettings


def settings(out: Path, **changes: Any) -> PPOSettings:
    """A run of a few hundred decisions in the smallest game."""
    tiny: dict[str, Any] = {
        "rules": "mini-1", "out": out, "timesteps": 256, "envs": 8, "steps": 16, "epochs": 2, "minibatch": 64,
        "opponents": ("random",), "self_every": 128, "selves": 2,
    }  # fmt: skip
    return PPOSettings(**tiny | changes)


def run(out: Path, **changes: Any) -> PPOLearner:
    """A finished run."""
    learner = PPOLearner(settings(out, **changes))
    learner.learn(lambda learner: None)
    return learner


def weights(learner: PPOLearner) -> list[list[float]]:
    """All weights of a learner."""
    return [tensor.flatten().tolist() for tensor in learner.model.policy.state_dict().values()]


def figures(out: Path) -> dict[str, dict[int, float]]:
    """Every figure of a run's event files by tag and step; no step is written twice."""
    found: dict[str, dict[int, float]] = {}
    for path in sorted((out / "tensorboard").iterdir()):
        events = EventAccumulator(str(path)).Reload()
        for tag in events.Tags()["scalars"]:
            for event in events.Scalars(tag):
                assert event.step not in found.setdefault(tag, {})
                found[tag][event.step] = event.value
    return found
