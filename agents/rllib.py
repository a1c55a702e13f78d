"""PPO by RLlib's new API stack, with one shared policy against a league of light players and earlier selves.

The league sits inside the environment rather than in RLlib's `policy_mapping_fn`: a player of ours is asked with the
position and may be compiled code, which no RLModule is, and RLlib's episodes then hold only what is learned from. The
learner's policy has one seat of each game, drawn anew, or, in a share of them, all.
"""

from __future__ import annotations

import logging
import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from agents.checkpoints import (
    fitting,
    load_run,
    open_events,
    optimizer_tensors,
    part_of,
    restore_optimizer,
    save_checkpoint,
)
from agents.divergence import DivergenceError, check_finite, check_loss, stop_diverged
from agents.league import open_league
from agents.policies import (
    LAYERS,
    POLICY_FACTS,
    PolicyBody,
    TorchPlayer,
    check_layers,
    check_rules,
    copy_layers,
    names_of_selves,
    new_body,
    restore_selves,
    tensors_of_selves,
)
from agents.settings import LeagueSettings
from sorry_env.errors import SorryError
from sorry_env.rules import rules_from

LEARNER: Final = "rllib"
FACTS: Final = POLICY_FACTS | {"learner": str}
TRAINING: Final = {  # figure and RLlib's name for it
    "loss": "total_loss",
    "policy_loss": "policy_loss",
    "value_loss": "vf_loss",
    "entropy": "entropy",
    "explained_variance": "vf_explained_var",
}


@dataclass
class RLlibSettings(LeagueSettings):
    """What `train.py rllib` may be told; the comments are its help."""

    out: Path = Path("runs/rllib")
    """Folder for checkpoints, TensorBoard log, policy.onnx and results.json."""
    seed: int = 0
    """Seed of everything. RLlib goes through its agents in the order of Python's hashes: for the same run twice also
    set PYTHONHASHSEED=0. A resumed run goes on with other games than one that was not interrupted."""
    envs: int = 64
    """Games played at once, in each of the actors that play."""
    self_play: float = 0.25
    """Share of games in which the learner has all seats; it learns from what each of them gets."""
    learning_rate: float = 5e-4
    """Adam's step size."""
    clip_range: float = 0.2
    """How far from 1 a ratio of probabilities may move in an update (Schulman et al. 2017)."""
    entropy: float = 0.01
    """Weight of the entropy bonus."""
    env_runners: int = 0
    """Ray actors that play, one processor each; with 0 this process plays."""
    ray: str = ""
    """A Ray cluster to play on: HOST:PORT, ray://HOST:10001 or auto; by default one of this machine alone."""

    def check(self) -> None:
        """Raises SorryError where a setting makes no sense."""
        super().check()
        self.require("self_play", 0 <= self.self_play <= 1, "in 0 to 1")
        for name in ("learning_rate", "clip_range"):
            self.require(name, 0 < getattr(self, name) < math.inf, "above 0")
        for name in ("entropy", "env_runners"):
            self.require(name, 0 <= getattr(self, name) < math.inf, "0 or more")


class RLlibLearner:
    """RLlib's PPO, its league, and its checkpoints. `close` ends what it has begun.

    Args:
        settings: see `RLlibSettings`.

    Attributes:
        timesteps: decisions learned from.
        games: games against the league that have ended.
        figures: the last values of what TensorBoard shows, by name.

    Raises:
        SorryError: settings, rules, opponents or a checkpoint that cannot be used, or no RLlib.
    """

    def __init__(self, settings: RLlibSettings) -> None:
        settings.check()
        self.settings, self.rules = settings, settings.record()
        torch.set_num_threads(settings.threads)
        self.league = open_league(settings, self.rules)
        self.timesteps = self.games = self.num_selves = 0
        self.seconds, self.progress = 0.0, 0.0
        self.figures: dict[str, float] = {}
        found = load_run(settings.out, LEARNER, FACTS) if settings.resume else None  # before anything is begun
        if found:
            check_rules(settings.out, found[1], self.rules)
        self._rllib = _import_rllib()
        self._cluster = self._open_cluster()
        try:
            done = found[1]["timesteps"] if found else 0  # a resumed run is not to play the first one's games again
            self.algorithm = self._build(settings.seed + done)
            if found:
                with fitting(settings.out):
                    self._restore(*found)
        except BaseException:
            self._cluster.shutdown()
            raise

    def _open_cluster(self) -> Any:
        from agents.ray_cluster import RayCluster

        return RayCluster(self.settings.ray, max(1, self.settings.env_runners))

    def _build(self, seed: int) -> Any:
        settings = self.settings
        games = {"rules": self.rules, "self_play": settings.self_play}
        games |= {"players": self.league.players, "weights": self.league.weights}
        training = {"lr": settings.learning_rate, "clip_param": settings.clip_range, "entropy_coeff": settings.entropy}
        config = self._rllib.ppo_config(settings, games, settings.env_runners, **training)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # RLlib's, of its own deprecations
            return config.debugging(seed=seed % 2**31).build_algo()

    def learn(self, report: Callable[[RLlibLearner], None]) -> None:
        """Trains until `timesteps` or `minutes` are reached; `report` is called after every update."""
        settings = self.settings
        begun, saved = time.monotonic() - self.seconds, time.monotonic()
        next_self = settings.self_every * (self.num_selves + 1)
        self.progress = settings.progress(self.timesteps, self.seconds)
        with open_events(settings.out, self.timesteps) as log:
            while self.progress < 1:
                self._update()
                self.seconds = time.monotonic() - begun
                self.progress = settings.progress(self.timesteps, self.seconds)
                if settings.selves and self.timesteps >= next_self:
                    self.add_self()
                    next_self += settings.self_every
                self._exchange()
                for name, value in self.figures.items():
                    log.add_scalar(name, value, self.timesteps)
                report(self)
                if time.monotonic() - saved > settings.checkpoint_every:
                    self.save()
                    saved = time.monotonic()
        self.save()

    def _update(self) -> None:
        """One round of RLlib: games, then gradient steps. Raises SorryError where the weights are no numbers."""
        found = self.algorithm.train()
        self.timesteps += int(found["env_runners"]["num_env_steps_sampled"])
        learned = found["learners"][self._rllib.SHARED]
        self.figures = {f"train/{name}": float(learned[theirs]) for name, theirs in TRAINING.items()}
        try:
            check_loss(self.figures["train/loss"])
            check_finite(self.body().state_dict())
        except DivergenceError as error:
            when = f"after {self.timesteps} decisions"
            raise stop_diverged(error, when, self.settings.out, self.body().state_dict) from None

    def _exchange(self) -> None:
        """Tells the league how games went, and everyone who plays how the league now stands."""
        runners, league = self.algorithm.env_runner_group, self.league
        places = {player.name: k for k, player in enumerate(league.players)}
        hand_over = partial(self._rllib.exchange, players=league.players, weights=league.weights)
        for results in runners.foreach_env_runner(hand_over):
            for names, won in results:
                self.games += 1
                league.report(np.array([places[name] for name in names if name in places], np.int64), won)
        self.figures |= {"time/games": float(self.games), "time/progress": self.progress}
        for player, rate, weight in zip(league.players, league.win_rates, league.weights, strict=True):
            self.figures |= {f"win_rate/{player.name}": float(rate), f"weight/{player.name}": float(weight)}

    def _on_learner(self, work: Callable[[Any], Any]) -> Any:
        """What `work` returns when called with RLlib's Learner."""
        (answer,) = self.algorithm.learner_group.foreach_learner(work)
        return answer.get()

    def body(self) -> PolicyBody:
        """A copy of the networks as they stand."""
        module = self._on_learner(lambda learner: learner.module[self._rllib.SHARED])
        body = new_body(self.rules, LAYERS)
        copy_layers(module.policy, body.policy)
        copy_layers(module.value, body.value)
        return body.eval()

    def add_self(self) -> None:
        """Puts the policy as it stands into the league."""
        self.num_selves += 1
        self.league.add_self(TorchPlayer(f"self-{self.num_selves:04d}", self.body(), self.rules, samples=True))

    def save(self) -> None:
        """Writes the checkpoint, without pickles: policy, optimiser, earlier selves, win rates, counters."""
        tensors = {f"policy.{key}": value for key, value in self.body().state_dict().items()}
        tensors |= self._on_learner(lambda learner: optimizer_tensors(learner.get_optimizer(self._rllib.SHARED)))
        tensors |= tensors_of_selves(self.league)
        facts = {
            "learner": LEARNER,
            "timesteps": self.timesteps,
            "seconds": self.seconds,
            "games": self.games,
            "rules": self.rules.spec(),
            "layers": list(LAYERS),
            "selves": names_of_selves(self.league),
            "num_selves": self.num_selves,
            "league": self.league.results(),
            "seed": self.settings.seed,
        }
        save_checkpoint(self.settings.out, tensors, facts)

    def _restore(self, tensors: dict[str, torch.Tensor], facts: dict[str, Any]) -> None:
        body = new_body(self.rules, check_layers(facts["layers"]))
        body.load_state_dict(part_of(tensors, "policy."))

        def put_back(learner: Any) -> None:
            module = learner.module[self._rllib.SHARED]
            copy_layers(body.policy, module.policy)
            copy_layers(body.value, module.value)
            restore_optimizer(learner.get_optimizer(self._rllib.SHARED), tensors)

        self._on_learner(put_back)
        restore_selves(self.league, tensors, facts)
        self.num_selves, self.timesteps = facts["num_selves"], facts["timesteps"]
        self.seconds, self.games = facts["seconds"], facts["games"]
        group = self.algorithm.env_runner_group
        group.sync_weights(from_worker_or_learner_group=self.algorithm.learner_group, inference_only=True)
        self._exchange()

    def close(self) -> None:
        """Ends RLlib's actors, and the cluster if it was begun here."""
        self.algorithm.stop()
        self._cluster.shutdown()


def _import_rllib() -> Any:
    """What needs RLlib. Raises SorryError without it."""
    try:
        import ray.rllib  # noqa: F401 - asked for here, so that nothing else is taken for its absence
    except ImportError:
        raise SorryError(
            "train.py rllib needs RLlib: pip install 'sorry-env[ray]', or pip install 'ray[rllib]'"
        ) from None
    from agents import rllib_games

    logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it warns of its own deprecations
    return rllib_games


def load_checkpoint_player(spec: str) -> TorchPlayer:
    """The player of a checkpoint folder (`runs/x`). Raises PolicyError where it is damaged."""
    tensors, facts = load_run(Path(spec), LEARNER, FACTS)
    with fitting(Path(spec)):
        rules = rules_from(facts["rules"])
        body = new_body(rules, check_layers(facts["layers"]))
        body.load_state_dict(part_of(tensors, "policy."))
    return TorchPlayer(spec, body.eval(), rules)
