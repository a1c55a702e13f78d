"""What the environment costs a learner: MaskablePPO on our VecEnv beside the same learner on one that does nothing.

    python bench/learner.py

The empty VecEnv has the same shapes: it hands out observations and masks that were recorded before, and ends games as
often. Both learn in turns, so a busy moment hits both; decisions a second, and their ratio, of the settings of
`train.py ppo`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from agents.ppo import PPOLearner, PPOSettings
from agents.vec_env import SorryVecEnv

RECORDED = 64


class EmptyVecEnv(SorryVecEnv):
    """Steps of nothing but handing out what another environment showed before."""

    def record(self, rng: np.random.Generator) -> None:
        """Plays a while with random legal actions and keeps what was shown."""
        self.kept: list[Any] = [
            (super().reset(), np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, bool), self._masks())
        ]
        for _ in range(RECORDED - 1):
            noise = rng.random(self.batch.masks.shape)
            super().step_async(np.argmax(noise * self.batch.masks, axis=1))
            seen, rewards, done, _ = super().step_wait()
            self.kept.append((seen, rewards, done, self._masks()))
        self.at = 0

    def _masks(self) -> np.ndarray:
        return self.batch.masks > 0

    def reset(self) -> Any:
        """The first thing recorded."""
        return self.kept[self.at][0]

    def step_async(self, actions: np.ndarray) -> None:
        """Nothing."""

    def step_wait(self) -> Any:
        """The next thing recorded."""
        self.at = (self.at + 1) % RECORDED
        seen, rewards, done, _ = self.kept[self.at]
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for e in np.flatnonzero(done):
            infos[e] = {"terminal_observation": seen[e]}
        return seen, rewards, done, infos

    def action_masks(self) -> np.ndarray:
        """Those that belong to what was handed out."""
        return self.kept[self.at][3]


def rate(learner: PPOLearner, decisions: int) -> float:
    """Decisions a second while so many are learnt from."""
    begun, before = time.perf_counter(), learner.model.num_timesteps
    learner.model.learn(decisions, reset_num_timesteps=False)
    return (learner.model.num_timesteps - before) / (time.perf_counter() - begun)


def main() -> None:
    """Measures and prints one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5, help="of each learner")
    parser.add_argument("--updates", type=int, default=2, help="of the policy in one repeat")
    options = parser.parse_args()
    settings = PPOSettings(out=Path("runs/bench"), selves=0)
    ours, empty = PPOLearner(settings), PPOLearner(settings)
    nothing = EmptyVecEnv(ours.rules, empty.league, settings.envs, 1)
    nothing.record(np.random.default_rng(0))
    empty.model.set_env(nothing)
    rates: dict[str, list[float]] = {"our VecEnv": [], "empty VecEnv": []}
    decisions = options.updates * settings.envs * settings.steps
    for k in range(options.repeats + 1):
        for name, learner in (("our VecEnv", ours), ("empty VecEnv", empty)):
            found = rate(learner, decisions)
            if k:  # the first round compiles
                rates[name].append(found)
    print(f"decisions a second, {options.repeats} repeats\n{'':<16}{'min':>9}{'median':>9}{'max':>9}")
    for name, found_rates in rates.items():
        low, middle, high = min(found_rates), statistics.median(found_rates), max(found_rates)
        print(f"{name:<16}{low:9.0f}{middle:9.0f}{high:9.0f}")
    ratios = [a / b for a, b in zip(rates["our VecEnv"], rates["empty VecEnv"], strict=True)]
    print(f"ratio           {min(ratios):9.3f}{statistics.median(ratios):9.3f}{max(ratios):9.3f}")


if __name__ == "__main__":
    main()
