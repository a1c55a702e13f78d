"""Masked PPO (sb3-contrib) against a league of light players and earlier selves: learner, snapshots, checkpoints."""

from __future__ import annotations

import copy
import math
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from torch import nn

from agents.checkpoints import (
    fitting,
    load_run,
    open_events,
    optimizer_tensors,
    part_of,
    restore_optimizer,
    save_checkpoint,
)
from agents.divergence import DivergenceError, check_loss, stop_diverged, watch
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
from agents.schedules import Schedule, parse_schedule
from agents.settings import LeagueSettings, option
from agents.vec_env import SorryVecEnv
from sorry_env.errors import PolicyError, SorryError
from sorry_env.rules import rules_from

LEARNER = "ppo"
RECENT = 100  # games whose mean SB3 shows
IDENTITY = ("seed", "envs")  # what a resumed run must be told as before


def body_of(model: MaskablePPO) -> PolicyBody:
    """A copy of the model's networks as they stand."""
    policy: Any = model.policy  # SB3 types its parts as plain modules
    body = PolicyBody(policy.features_dim, policy.action_net.out_features, LAYERS)
    towers = (
        (body.policy, policy.mlp_extractor.policy_net, policy.action_net),
        (body.value, policy.mlp_extractor.value_net, policy.value_net),
    )
    for tower, hidden, last in towers:
        copy_layers(nn.Sequential(hidden, last), tower)
    return body.eval()


@dataclass
class PPOSettings(LeagueSettings):
    """What `train.py ppo` may be told; the comments are its help."""

    out: Path = Path("runs/ppo")
    """Folder for checkpoints, TensorBoard log, policy.onnx and results.json."""
    learning_rate: str = "5e-4"
    """Adam's step size: a number, or linear:FROM:TO or cosine:FROM:TO over the timesteps or minutes."""
    clip_range: str = "0.2"
    """How far from 1 a ratio of probabilities may move in an update (Schulman et al. 2017): as the learning rate."""
    entropy: str = "0.01"
    """Weight of the entropy bonus: as the learning rate."""

    def check(self) -> None:
        """Raises SorryError where a setting makes no sense."""
        super().check()
        for name in ("learning_rate", "clip_range"):
            schedule = self.schedule(name)
            self.require(name, max(schedule.start, schedule.end) > 0, "above 0 at any time")
        self.schedule("entropy")

    def schedule(self, name: str) -> Schedule:
        """The schedule of `learning_rate`, `clip_range` or `entropy`. Raises SorryError for a text that is none."""
        try:
            return parse_schedule(getattr(self, name))
        except SorryError as error:
            raise SorryError(f"{option(name)}: {error}") from None


class PPOLearner:
    """MaskablePPO on the native batch, its league, and its checkpoints.

    Args:
        settings: see `PPOSettings`.

    Attributes:
        loss: of the last update, the mean over its gradient steps.

    Raises:
        SorryError: settings, rules, opponents or a checkpoint that cannot be used.
    """

    def __init__(self, settings: PPOSettings) -> None:
        settings.check()
        self.settings, self.rules = settings, settings.record()
        torch.set_num_threads(settings.threads)
        self.league = open_league(settings, self.rules)
        self.env = SorryVecEnv(self.rules, self.league, settings.envs, settings.seed)
        self.progress, self.seconds, self.num_selves = 0.0, 0.0, 0
        self.loss = math.nan
        self.model = self._new_model()
        if settings.resume:
            self._load()  # before anything is written
        folder = str(settings.out / "tensorboard")
        self.model.set_logger(Logger(folder, [_Events(settings.out, self.model.num_timesteps)]))

    def _new_model(self) -> MaskablePPO:
        settings = self.settings
        learning_rate, clip_range = settings.schedule("learning_rate"), settings.schedule("clip_range")
        model = MaskablePPO(
            "MlpPolicy",
            self.env,
            # SB3 measures progress by timesteps alone.
            learning_rate=lambda _: learning_rate(self.progress),
            clip_range=lambda _: clip_range(self.progress),
            n_steps=settings.steps,
            batch_size=min(settings.minibatch, settings.envs * settings.steps),
            n_epochs=settings.epochs,
            gamma=settings.gamma,
            gae_lambda=settings.gae_lambda,
            ent_coef=settings.schedule("entropy")(self.progress),
            seed=settings.seed,
            device="cpu",
            policy_kwargs={"net_arch": list(LAYERS), "activation_fn": nn.ReLU},
        )
        watch(model.policy.optimizer)
        return model

    def learn(self, report: Callable[[PPOLearner], None]) -> None:
        """Trains until `timesteps` or `minutes` are reached; `report` is called after every update."""
        self.measure_progress()
        if self.progress < 1:
            left = self.settings.last_timestep - self.model.num_timesteps
            progress = _Progress(self, report)
            # SB3 would write an update's figures only with the next one's, and the last one's never.
            try:
                self.model.learn(left, callback=progress, log_interval=sys.maxsize, reset_num_timesteps=False)
            except DivergenceError as error:
                when = f"after {self.model.num_timesteps} decisions"
                raise stop_diverged(error, when, self.settings.out, self._learning_from) from None
        self.save()

    def _learning_from(self) -> dict[str, torch.Tensor]:
        """The decisions of the last update and the policy as it stands."""
        rollout = {
            key: value for key, value in vars(self.model.rollout_buffer).items() if isinstance(value, np.ndarray)
        }
        weights = {f"policy.{key}": value for key, value in self.model.policy.state_dict().items()}
        return {key: torch.from_numpy(value) for key, value in rollout.items()} | weights

    def measure_progress(self) -> None:
        """Sets `progress`: the share of the training that is done, by decisions or by the clock, whichever is more."""
        self.progress = self.settings.progress(self.model.num_timesteps, self.seconds)

    def body(self) -> PolicyBody:
        """The networks as they stand."""
        return body_of(self.model)

    def player(self, name: str) -> TorchPlayer:
        """The policy as it stands, playing its best action."""
        return TorchPlayer(name, self.body(), self.rules)

    def add_self(self) -> None:
        """Puts the policy as it stands into the league."""
        self.num_selves += 1
        self.league.add_self(TorchPlayer(f"self-{self.num_selves:04d}", self.body(), self.rules, samples=True))

    def save(self) -> None:
        """Writes the checkpoint: policy, optimiser, earlier selves, win rates, counters, random states."""
        tensors = {f"policy.{key}": value for key, value in self.model.policy.state_dict().items()}
        tensors |= optimizer_tensors(self.model.policy.optimizer)
        tensors |= tensors_of_selves(self.league)
        tensors["torch_rng"] = torch.get_rng_state()
        facts = {
            "learner": LEARNER,
            "timesteps": self.model.num_timesteps,
            "seconds": self.seconds,
            "games": self.env.games_ended,
            "rules": self.rules.spec(),
            "layers": list(LAYERS),
            "selves": names_of_selves(self.league),
            "num_selves": self.num_selves,
            "league": self.league.results(),
            **{name: getattr(self.settings, name) for name in IDENTITY},
            "play": self._play(),
        }
        save_checkpoint(self.settings.out, tensors, facts)

    def _play(self) -> dict[str, Any] | None:
        """Where the games stand, JSON-able; None where none has begun."""
        if self.model._last_obs is None:
            return None
        generator = np.random.get_state(legacy=False)  # SB3 draws its minibatches from it
        assert isinstance(generator, dict)
        key = generator["state"]["key"].tolist()
        recent = [[each["r"], each["l"]] for each in self.model.ep_info_buffer or ()]
        starts = self.model._last_episode_starts
        assert starts is not None
        return {
            "numpy": generator | {"state": {"key": key, "pos": generator["state"]["pos"]}},
            "starts": starts.tolist(),
            "recent": recent,
            "games": self.env.snapshot(),
        }

    def _load(self) -> None:
        out = self.settings.out
        tensors, facts = load_run(out, LEARNER, POLICY_FACTS)
        check_rules(out, facts, self.rules)
        for key in IDENTITY:
            if facts.get(key, getattr(self.settings, key)) != getattr(self.settings, key):
                told = f"{key} {facts[key]!r}, not {getattr(self.settings, key)!r}"
                raise PolicyError(f"checkpoint in {str(out)!r} has {told}")
        with fitting(out):
            self._take_over(tensors, facts)

    def _take_over(self, tensors: dict[str, torch.Tensor], facts: dict[str, Any]) -> None:
        self.model.policy.load_state_dict(part_of(tensors, "policy."))
        restore_optimizer(self.model.policy.optimizer, tensors)
        restore_selves(self.league, tensors, facts)
        self.num_selves = facts["num_selves"]
        self.model.num_timesteps, self.seconds = facts["timesteps"], facts["seconds"]
        self.env.games_ended = facts["games"]
        torch.set_rng_state(tensors["torch_rng"])
        play = facts.get("play")
        if play is None:
            return
        self.model._last_obs = cast(np.ndarray, self.env.restore(play["games"]))
        self.model._last_episode_starts = np.array(play["starts"], bool)
        self.model.ep_info_buffer = deque(({"r": r, "l": length, "t": 0.0} for r, length in play["recent"]), RECENT)
        self.model.ep_success_buffer = deque(maxlen=RECENT)  # SB3 wants both or none
        key = np.array(play["numpy"]["state"]["key"], np.uint32)
        np.random.set_state(play["numpy"] | {"state": {"key": key, "pos": play["numpy"]["state"]["pos"]}})


class _Events(TensorBoardOutputFormat):
    """SB3's figures in the log of `open_events`."""

    def __init__(self, folder: Path, done: int) -> None:
        self.writer = open_events(folder, done)
        self._is_closed = False


class _Progress(BaseCallback):
    """Moves schedules on, adds earlier selves, writes checkpoints and figures, and stops in time."""

    def __init__(self, learner: PPOLearner, report: Callable[[PPOLearner], None]) -> None:
        super().__init__()
        self.learner, self.report = learner, report
        self.begun = time.monotonic() - learner.seconds
        self.saved = time.monotonic()
        self.next_self = learner.settings.self_every * (learner.num_selves + 1)
        self.entropy = learner.settings.schedule("entropy")
        self.updating = False
        self.learnt = learner.model.num_timesteps

    def _on_step(self) -> bool:
        self.learner.seconds = time.monotonic() - self.begun
        minutes = self.learner.settings.minutes
        return minutes is None or self.learner.seconds < 60 * minutes

    def _on_rollout_end(self) -> None:
        self.learner.measure_progress()
        self.learner.model.ent_coef = self.entropy(self.learner.progress)
        self._record()
        self.updating = True

    def _on_rollout_start(self) -> None:
        self._after_update()

    def _on_training_end(self) -> None:
        self._after_update()
        self.learner.model.num_timesteps = self.learnt  # what was played when the time ran out is not learnt from

    def _after_update(self) -> None:
        if not self.updating:
            return
        self.updating, self.learnt = False, self.num_timesteps
        learner, settings = self.learner, self.learner.settings
        check_loss(float(self.logger.name_to_value["train/loss"]))
        learner.loss = self._mean_loss()
        learner.model.dump_logs()
        if settings.selves and self.num_timesteps >= self.next_self:
            learner.add_self()
            self.next_self += settings.self_every
        if time.monotonic() - self.saved > settings.checkpoint_every:
            learner.save()
            self.saved = time.monotonic()
        self.report(learner)

    def _mean_loss(self) -> float:
        """The loss of the update: SB3 tells that of its last minibatch alone, but the means of its parts."""
        found, model = self.logger.name_to_value, self.learner.model
        policy, entropy, value = (found[f"train/{part}_loss"] for part in ("policy_gradient", "entropy", "value"))
        return float(policy + model.ent_coef * entropy + model.vf_coef * value)

    def _record(self) -> None:
        """Figures that SB3 does not know; those of the update itself it adds."""
        league = self.learner.league
        self.logger.record("time/progress", self.learner.progress)
        self.logger.record("time/games", self.learner.env.games_ended)
        self.logger.record("train/entropy_coefficient", self.learner.model.ent_coef)
        figures = zip(league.players, league.win_rates, league.weights, league.num_games, strict=True)
        for player, win_rate, weight, games in figures:
            self.logger.record(f"weight/{player.name}", weight)
            self.logger.record(f"games/{player.name}", games)
            if games:
                self.logger.record(f"win_rate/{player.name}", win_rate)


def load_checkpoint_player(spec: str) -> TorchPlayer:
    """The player of a checkpoint folder (`runs/x`). Raises PolicyError where it is damaged."""
    tensors, facts = load_run(Path(spec), LEARNER, POLICY_FACTS)
    with fitting(Path(spec)):
        return _player_of(spec, tensors, facts)


def _player_of(spec: str, tensors: dict[str, torch.Tensor], facts: dict[str, Any]) -> TorchPlayer:
    rules = rules_from(facts["rules"])
    body = new_body(rules, check_layers(facts["layers"]))
    weights = part_of(tensors, "policy.")
    names = {"policy": ("mlp_extractor.policy_net", "action_net"), "value": ("mlp_extractor.value_net", "value_net")}
    state = {}
    for tower, (hidden, last) in names.items():
        depth = 2 * len(facts["layers"])
        for key, value in weights.items():
            if key.startswith(hidden):
                state[tower + key[len(hidden) :]] = value
            elif key.startswith(last):
                state[f"{tower}.{depth}{key[len(last) :]}"] = value
    body.load_state_dict(copy.deepcopy(state))
    return TorchPlayer(spec, body.eval(), rules)
