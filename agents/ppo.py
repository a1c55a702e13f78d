"""Masked PPO (sb3-contrib) against a league of light players and earlier selves: learner, snapshots, checkpoints."""

from __future__ import annotations

import copy
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from torch import nn

from agents.checkpoints import load_run, optimizer_tensors, part_of, restore_optimizer, save_checkpoint
from agents.league import League
from agents.schedules import Schedule, parse_schedule
from agents.settings import LeagueSettings, option
from agents.vec_env import SorryVecEnv
from sorry_env.actions import num_actions
from sorry_env.errors import PolicyError, SorryError
from sorry_env.observation import num_features, observation_layout
from sorry_env.players import load_player
from sorry_env.position import Positions
from sorry_env.rules import Rules, rules_from

LAYERS = (256, 128)
LEARNER = "ppo"
FACTS = {"rules", "layers", "selves", "num_selves", "league", "timesteps", "seconds", "games", "rng"}  # of a checkpoint


class PolicyBody(nn.Module):
    """The policy's networks without SB3 around them: observations (N, F) to logits (N, A) and values (N, 1).

    Args:
        features: F.
        actions: A.
        layers: widths of the hidden layers, of policy and value alike.
    """

    def __init__(self, features: int, actions: int, layers: tuple[int, ...] = LAYERS) -> None:
        super().__init__()
        self.policy = _tower(features, layers, actions)
        self.value = _tower(features, layers, 1)

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Unmasked logits float32 (N, A) and values float32 (N, 1): the expected final reward."""
        return self.policy(observation), self.value(observation)


def _tower(features: int, layers: tuple[int, ...], outputs: int) -> nn.Sequential:
    widths = (features, *layers)
    parts: list[nn.Module] = []
    for wide, next_wide in pairwise(widths):
        parts += [nn.Linear(wide, next_wide), nn.ReLU()]
    return nn.Sequential(*parts, nn.Linear(widths[-1], outputs))


def body_of(model: MaskablePPO) -> PolicyBody:
    """A copy of the model's networks as they stand."""
    policy: Any = model.policy  # SB3 types its parts as plain modules
    body = PolicyBody(policy.features_dim, policy.action_net.out_features)
    towers = (
        (body.policy, policy.mlp_extractor.policy_net, policy.action_net),
        (body.value, policy.mlp_extractor.value_net, policy.value_net),
    )
    for tower, hidden, last in towers:
        copy_layers(nn.Sequential(hidden, last), tower)
    return body.eval()


def copy_layers(source: nn.Module, target: nn.Module) -> None:
    """Copies the linear layers of one network into those of another, in order."""
    theirs, ours = ([part for part in module.modules() if isinstance(part, nn.Linear)] for module in (source, target))
    for mine, one in zip(ours, theirs, strict=True):
        mine.load_state_dict(one.state_dict())


class TorchPlayer:
    """A policy body as a player: samples from the masked policy, or takes its best action.

    Args:
        name: for tables.
        body: the networks.
        rules: what they were trained for.
        samples: sample rather than take the best, which makes earlier selves less predictable.
    """

    def __init__(self, name: str, body: PolicyBody, rules: Rules, *, samples: bool = False) -> None:
        self.name, self.body, self.rules, self.samples = name, body, rules, samples

    def bind(self, rules: Rules) -> None:
        """Raises PolicyError for other rules than the policy's."""
        if not rules.plays_like(self.rules):
            raise PolicyError(f"player {self.name!r} was trained for {self.rules.spec()!r}, not for {rules.spec()!r}")

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """See `sorry_env.players.Player.act`."""
        with torch.no_grad():
            logits = self.body.policy(torch.from_numpy(observations)).numpy()
        if self.samples:
            logits = logits + rng.gumbel(size=logits.shape).astype(np.float32)
        best: np.ndarray = np.argmax(np.where(masks > 0, logits, -np.inf), axis=1)
        return best


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

    Raises:
        SorryError: settings, rules, opponents or a checkpoint that cannot be used.
    """

    def __init__(self, settings: PPOSettings) -> None:
        settings.check()
        self.settings, self.rules = settings, settings.record()
        torch.set_num_threads(settings.threads)
        fixed = [load_player(spec) for spec in settings.opponents]
        self.league = League(self.rules, fixed, settings.selves, settings.hardness)
        self.env = SorryVecEnv(self.rules, self.league, settings.envs, settings.seed)
        self.progress, self.seconds, self.num_selves = 0.0, 0.0, 0
        self.model = self._new_model()
        if settings.resume:
            self._load()  # before anything is written
        self.model.set_logger(configure(str(settings.out / "tensorboard"), ["tensorboard"]))

    def _new_model(self) -> MaskablePPO:
        settings = self.settings
        learning_rate, clip_range = settings.schedule("learning_rate"), settings.schedule("clip_range")
        return MaskablePPO(
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

    def learn(self, report: Callable[[PPOLearner], None]) -> None:
        """Trains until `timesteps` or `minutes` are reached; `report` is called after every update."""
        self.measure_progress()
        if self.progress < 1:
            left = self.settings.last_timestep - self.model.num_timesteps
            progress = _Progress(self, report)
            # SB3 would write an update's figures only with the next one's, and the last one's never.
            self.model.learn(left, callback=progress, log_interval=sys.maxsize, reset_num_timesteps=False)
        self.save()

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
            "timesteps": self.model.num_timesteps,
            "seconds": self.seconds,
            "games": self.env.games_ended,
            "rules": self.rules.spec(),
            "layers": list(LAYERS),
            "selves": names_of_selves(self.league),
            "num_selves": self.num_selves,
            "league": self.league.results(),
            "seed": self.settings.seed,
            "rng": self.env.rng.bit_generator.state,
        }
        save_checkpoint(self.settings.out, tensors, facts)

    def _load(self) -> None:
        tensors, facts = load_run(self.settings.out, LEARNER, FACTS)
        check_rules(self.settings.out, facts, self.rules)
        self.model.policy.load_state_dict(part_of(tensors, "policy."))
        restore_optimizer(self.model.policy.optimizer, tensors)
        restore_selves(self.league, tensors, facts)
        self.num_selves = facts["num_selves"]
        self.model.num_timesteps, self.seconds = facts["timesteps"], facts["seconds"]
        self.env.games_ended = facts["games"]
        torch.set_rng_state(tensors["torch_rng"])
        self.env.rng.bit_generator.state = facts["rng"]


def names_of_selves(league: League) -> list[str]:
    """The earlier selves' names by place."""
    return [player.name for player in league.players[league.num_fixed :]]


def tensors_of_selves(league: League) -> dict[str, torch.Tensor]:
    """The earlier selves' weights for a checkpoint."""
    tensors: dict[str, torch.Tensor] = {}
    for place, player in enumerate(league.players[league.num_fixed :]):
        assert isinstance(player, TorchPlayer)
        tensors |= {f"self.{place}.{key}": value for key, value in player.body.state_dict().items()}
    return tensors


def restore_selves(league: League, tensors: dict[str, torch.Tensor], facts: dict[str, Any]) -> None:
    """Puts a checkpoint's earlier selves into the league, and what was known of everyone in it."""
    by_age = sorted(enumerate(facts["selves"]), key=lambda pair: int(pair[1].rpartition("-")[2]))
    for place, name in by_age:
        body = new_body(league.rules, tuple(facts["layers"]))
        body.load_state_dict(part_of(tensors, f"self.{place}."))
        league.add_self(TorchPlayer(name, body.eval(), league.rules, samples=True))
    league.restore(facts["league"])


def check_rules(out: Path, facts: dict[str, Any], rules: Rules) -> None:
    """Raises PolicyError where a checkpoint is for other rules."""
    if facts["rules"] != rules.spec():
        raise PolicyError(f"checkpoint in {str(out)!r} is for the rules {facts['rules']!r}, not {rules.spec()!r}")


def new_body(rules: Rules, layers: tuple[int, ...]) -> PolicyBody:
    """Untrained networks for a game.

    Args:
        rules: what game.
        layers: see `PolicyBody`.
    """
    features = num_features(observation_layout(rules.players, rules.pawns))
    return PolicyBody(features, num_actions(rules.pawns, rules.teams), layers)


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
        learner.model.dump_logs()
        if settings.selves and self.num_timesteps >= self.next_self:
            learner.add_self()
            self.next_self += settings.self_every
        if time.monotonic() - self.saved > settings.checkpoint_every:
            learner.save()
            self.saved = time.monotonic()
        self.report(learner)

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
    tensors, facts = load_run(Path(spec), LEARNER, FACTS)
    rules = rules_from(facts["rules"])
    body = new_body(rules, tuple(facts["layers"]))
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
