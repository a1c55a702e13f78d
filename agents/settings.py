"""What the settings of every training program have in common."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Final

from agents.matches import table_rules
from sorry_env.errors import SorryError
from sorry_env.rules import Rules

DEFAULT_TIMESTEPS: Final = 2_000_000


@dataclass
class RunSettings:
    """Settings that every learner has; each adds its own, with the comments as their help."""

    rules: str = "classic"
    """Rule set by name, options after a colon: classic, teams, points:players=2, mini-2, ..."""
    players: int | None = None
    """Number of players; by default two, in the partnership games four."""
    minutes: float | None = None
    """Stop once training has taken this many minutes in all, also before it was resumed; schedules end with them."""
    resume: bool = False
    """Go on from the checkpoint in the folder."""
    checkpoint_every: float = 30.0
    """Seconds between checkpoints."""
    eval_games: int = 4000
    """Games against each yardstick at the end."""

    def record(self) -> Rules:
        """The rules record that `rules` and `players` mean. Raises RulesError."""
        return table_rules(self.rules, self.players)

    def require(self, name: str, holds: bool, wanted: str) -> None:
        """Raises SorryError that the setting `name` is not `wanted`, unless that holds."""
        if not holds:
            raise SorryError(f"{option(name)}: {getattr(self, name)} is not {wanted}")

    def check(self) -> None:
        """Raises SorryError where a setting makes no sense."""
        self.require("minutes", self.minutes is None or 0 < self.minutes < math.inf, "above 0")

    def last(self, wanted: int | None, default: int) -> int:
        """The count with which a run ends: what is wanted, or by default so much, or with minutes none."""
        if wanted is not None:
            return wanted
        return default if self.minutes is None else sys.maxsize

    def share_done(self, done: int, last: int, seconds: float) -> float:
        """The share of a run that is done, 0 to 1: by count or by the clock, whichever is more."""
        by_clock = seconds / (60 * self.minutes) if self.minutes else 0.0
        return min(1.0, max(done / last, by_clock))


@dataclass
class LeagueSettings(RunSettings):
    """Settings of the learners that meet a league (`agents.league`)."""

    timesteps: int | None = None
    """Learner's decisions to train on in all; 2,000,000 where no minutes are given."""
    seed: int = 0
    """Seed of everything: the same seed and timesteps give the same run, unless minutes are given too."""
    opponents: tuple[str, ...] = ("random", "greedy")
    """Players that the learner meets besides its earlier selves: names or .onnx files."""
    hardness: float = 1.0
    """Who is beaten with probability p is met in proportion to (1 - p)^hardness; 0 meets all alike."""
    selves: int = 4
    """Earlier selves kept in the pool; 0 for none."""
    self_every: int = 200_000
    """Decisions between two earlier selves."""
    envs: int = 128
    """Games played at once."""
    steps: int = 64
    """Decisions a game between two updates."""
    epochs: int = 4
    """Passes over the data an update."""
    minibatch: int = 1024
    """Decisions a gradient step."""
    gamma: float = 1.0
    """Discount a decision."""
    gae_lambda: float = 0.6
    """Trade of bias and variance in the advantages (Schulman et al. 2016): low, since cards add variance."""
    threads: int = 1
    """torch threads; one, since two slow down beside any other busy process."""

    def check(self) -> None:
        """Raises SorryError where a setting makes no sense."""
        super().check()
        for name in ("timesteps", "envs", "steps", "epochs", "minibatch", "self_every", "threads", "eval_games"):
            self.require(name, getattr(self, name) is None or getattr(self, name) >= 1, "1 or more")
        for name in ("seed", "selves", "checkpoint_every", "hardness"):
            self.require(name, 0 <= getattr(self, name) < math.inf, "0 or more")
        for name in ("gamma", "gae_lambda"):
            self.require(name, 0 <= getattr(self, name) <= 1, "in 0 to 1")
        if not self.opponents:
            raise SorryError("--opponents: give at least one, such as random")
        for spec in self.opponents:
            if self.opponents.count(spec) > 1:
                raise SorryError(f"--opponents: {spec!r} is given twice; --hardness says how often who is met")

    @property
    def last_timestep(self) -> int:
        """Decisions after which training ends, whatever the clock says."""
        return self.last(self.timesteps, DEFAULT_TIMESTEPS)

    def progress(self, timesteps: int, seconds: float) -> float:
        """The share of the training that is done, 0 to 1."""
        return self.share_done(timesteps, self.last_timestep, seconds)


def option(name: str) -> str:
    """A setting as it is written on the command line."""
    return f"--{name.replace('_', '-')}"
