"""TD(lambda) on afterstates: a small value network that learns from games against itself.

One block of games is played by the averaged network, in threads of the compiled engine, while torch learns from the
block before it. What is learned and why: `sorry_env/engine/learning.py`; the settings follow Tesauro 1995 (TD-Gammon)
but for the exact average over the next card, which takes most of the luck out of the targets.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter

from agents.checkpoints import (
    fitting,
    like,
    load_run,
    open_events,
    optimizer_tensors,
    part_of,
    restore_optimizer,
    save_checkpoint,
)
from agents.crews import open_crew
from agents.divergence import DivergenceError, check_loss, stop_diverged, watch
from agents.schedules import Schedule
from agents.settings import RunSettings, option
from sorry_env.errors import PolicyError, SorryError
from sorry_env.players import ValuePlayer
from sorry_env.rules import Rules, rules_from
from sorry_env.value_games import Lessons, ValueGames
from sorry_env.values import (
    MOST_HIDDEN,
    ValueModel,
    network_model,
    num_card_inputs,
    num_inputs,
    num_outputs,
    num_sides,
    value_parts,
)

LEARNER: Final = "td"
DEFAULT_GAMES: Final = 500_000
# What a resumed run must be told as before. Checkpoints of earlier versions lack all but the first ones.
IDENTITY: Final = ("wide", "narrow", "block", "seed")
SCHEDULE: Final = ("minibatch", "learning_rate", "last_learning_rate", "trace", "last_trace", "decay")
COUNTS: Final = ("games", "timesteps", "steps")
FACTS: Final[dict[str, type | tuple[type, ...]]] = {  # what a checkpoint must tell
    "learner": str,
    "rules": str,
    **dict.fromkeys(IDENTITY + COUNTS, int),
    **dict.fromkeys(("seconds", "next_trace"), (int, float)),
    "rng": dict,
}


@dataclass
class TDSettings(RunSettings):
    """What `train.py td` may be told; the comments are its help.

    Fields that only say how long or where are not part of a resumed run's identity.
    """

    out: Path = Path("runs/td")
    """Folder for checkpoints, TensorBoard log, value.onnx and results.json."""
    games: int | None = None
    """Games to play against itself, in whole blocks; by default 500000, with --minutes as many as fit."""
    seed: int = 0
    """Seed of everything: the same seed and games give the same run, whatever the threads."""
    threads: int = 2
    """Threads of self-play, beside one of torch."""
    ray: tuple[str, ...] | None = None
    """Play the games on a Ray cluster: HOST:PORT, auto, or nothing for one of this machine alone."""
    wide: int = 256
    """Width of the first hidden layer."""
    narrow: int = 32
    """Width of the second hidden layer."""
    block: int = 1000
    """Games between two hand-overs of the averaged network to self-play."""
    minibatch: int = 1024
    """Positions a gradient step."""
    learning_rate: float = 2e-3
    """Adam's first step size; it falls to `last_learning_rate` along a cosine."""
    last_learning_rate: float = 5e-5
    """Adam's last step size."""
    trace: float = 0.95
    """First lambda of TD(lambda); it falls to `last_trace` along a line."""
    last_trace: float = 0.8
    """Last lambda."""
    decay: float = 0.999
    """What stays of the averaged network with each gradient step."""
    checks: int = 8
    """How often on the way the network is measured against race."""

    def check(self) -> None:
        """Raises SorryError where a number makes no sense."""
        super().check()
        for name in ("threads", "wide", "narrow", "block", "minibatch", "eval_games"):
            self.require(name, getattr(self, name) >= 1, "1 or more")
        self.require("games", self.games is None or self.games >= 1, "1 or more")
        for name in ("seed", "checks"):
            self.require(name, getattr(self, name) >= 0, "0 or more")
        for name in ("trace", "last_trace", "decay"):
            self.require(name, 0 <= getattr(self, name) <= 1, "within 0 to 1")
        for name in ("learning_rate", "last_learning_rate"):
            self.require(name, getattr(self, name) > 0, "above 0")
        for name in ("wide", "narrow"):
            if getattr(self, name) > MOST_HIDDEN:
                raise SorryError(f"{option(name)}: {getattr(self, name)} is more than {MOST_HIDDEN}")


class ValueNetwork(nn.Module):
    """Two hidden layers: pawns and cards of positions to logits of the sides' chances and, where points count, points.

    The first layer of `value_parts`: what the pawns' inputs weigh is looked up, since all but one for a pawn are 0.

    Args:
        inputs: I, of which the last `cards` are cards.
        cards: C.
        wide: H.
        narrow: J.
        outputs: O.
    """

    def __init__(self, inputs: int, cards: int, wide: int, narrow: int, outputs: int) -> None:
        super().__init__()
        self.pawns = nn.EmbeddingBag(inputs - cards, wide, mode="sum")
        self.cards = nn.Linear(cards, wide)
        self.second = nn.Linear(wide, narrow)
        self.last = nn.Linear(narrow, outputs)
        for weights in (self.pawns.weight, self.cards.weight, self.cards.bias):  # as of one layer of all inputs
            nn.init.uniform_(weights, -(inputs**-0.5), inputs**-0.5)

    def forward(self, places: torch.Tensor, cards: torch.Tensor) -> torch.Tensor:
        """Outputs before the softmax, (N, O), of places int (N, P K) and cards (N, C)."""
        first = torch.relu(self.pawns(places) + self.cards(cards))
        outputs: torch.Tensor = self.last(torch.relu(self.second(first)))
        return outputs


def value_loss(outputs: torch.Tensor, targets: torch.Tensor, sides: int) -> torch.Tensor:
    """Cross-entropy of the chances with soft targets, which may leave 0..1, plus the points' squared error.

    Args:
        outputs: float32 (N, O) of a `ValueNetwork`.
        targets: float32 (N, O).
        sides: how many of the outputs are chances.
    """
    chances = -(targets[:, :sides] * torch.log_softmax(outputs[:, :sides], 1)).sum(1)
    points = (outputs[:, sides:] - targets[:, sides:]).square().sum(1)
    return (chances + points).mean()


class TDLearner:
    """The network, its average, its self-play, and its checkpoints.

    Args:
        settings: see `TDSettings`.

    Attributes:
        games: games learned from.
        positions: positions learned from.
        figures: the last values of what TensorBoard shows, by name.

    Raises:
        SorryError: settings, rules or a checkpoint that cannot be used.
    """

    def __init__(self, settings: TDSettings) -> None:
        settings.check()
        self.settings, self.rules = settings, settings.record()
        torch.set_num_threads(1)
        torch.manual_seed(settings.seed)
        sizes = num_inputs(self.rules), num_card_inputs(self.rules), settings.wide, settings.narrow
        self.network = ValueNetwork(*sizes, num_outputs(self.rules))
        self.average = {key: value.clone() for key, value in self.network.state_dict().items()}
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=settings.learning_rate, fused=True)
        watch(self.optimizer)
        self.rng = np.random.default_rng(settings.seed)
        threads, ray = settings.threads, settings.ray
        pool: Executor = ThreadPoolExecutor(threads) if ray is None else open_crew(1, ray)
        self.self_play = ValueGames(settings.seed, pool)
        self.games = self.positions = self.steps = 0
        self.seconds = 0.0
        self.next_trace = settings.trace
        self.next_model = self.model()  # of the block that is yet to come
        self.figures: dict[str, float] = {}
        if settings.resume:
            self._load()  # before anything is written

    def model(self) -> ValueModel:
        """The averaged network as it stands."""
        return _model_of(self.rules, self.average)

    def player(self, name: str) -> ValuePlayer:
        """The averaged network as a player."""
        return ValuePlayer(name, self.model())

    def fraction(self) -> float:
        """How much of the run is done, 0 to 1."""
        last = self.settings.last(self.settings.games, DEFAULT_GAMES)
        return self.settings.share_done(self.games, last, self.seconds)

    def learn(self, report: Callable[[TDLearner], None]) -> None:
        """Trains until `games` or `minutes` are reached; `report` is called after every block."""
        begun, earlier, saved = time.monotonic(), self.seconds, time.monotonic()
        self.settings.out.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(1) as player, open_events(self.settings.out, self.games) as log:
            coming = self._begin_block(player) if self.fraction() < 1 else None
            while coming:
                lessons = coming.result()
                self.games += lessons.games
                self.seconds = earlier + time.monotonic() - begun
                done = self.fraction()
                self.next_trace = Schedule("linear", self.settings.trace, self.settings.last_trace)(done)
                self.next_model = self.model()
                coming = self._begin_block(player) if done < 1 else None
                self._learn_from(lessons, done)
                report(self)
                self._log(log)  # what `report` has measured, too
                if time.monotonic() - saved > self.settings.checkpoint_every:
                    self.save()
                    saved = time.monotonic()
        self.save()

    def _begin_block(self, player: ThreadPoolExecutor) -> Future[Lessons]:
        return player.submit(self.self_play.play, self.next_model, self.settings.block, self.next_trace)

    def _learn_from(self, lessons: Lessons, done: float) -> None:
        """One pass over a block."""
        settings = self.settings
        rate = Schedule("cosine", settings.learning_rate, settings.last_learning_rate)(done)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        order = self.rng.permutation(len(lessons.rows))
        losses = []
        for begin in range(0, len(order), settings.minibatch):
            chosen = order[begin : begin + settings.minibatch]
            batch = {
                "rows": torch.from_numpy(lessons.rows[chosen]),
                "targets": torch.from_numpy(lessons.targets[chosen]),
            }
            try:
                losses.append(self._step(batch))
            except DivergenceError as error:
                raise self._diverged(error, batch) from None
        self.positions += len(order)
        figures = {
            "loss": sum(losses) / len(losses),
            "learning_rate": rate,
            "trace": self.next_trace,
            "plies": len(order) / lessons.games,
        }
        self.figures |= figures | {"games_per_second": self.games / max(self.seconds, 1e-9)}

    def _step(self, batch: dict[str, torch.Tensor]) -> float:
        """One gradient step, and the loss before it. Raises DivergenceError."""
        parts = map(torch.from_numpy, value_parts(self.rules, batch["rows"].numpy()))
        loss = value_loss(self.network(*parts), batch["targets"], num_sides(self.rules))
        value = float(loss.detach())
        check_loss(value)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # untyped in torch
        self.optimizer.step()
        self._average()
        return value

    def _diverged(self, error: DivergenceError, batch: dict[str, torch.Tensor]) -> DivergenceError:
        """What ends the run, with the minibatch and the network saved beside it."""
        weights = {f"network.{key}": value for key, value in self.network.state_dict().items()}
        return stop_diverged(error, f"after {self.games} games", self.settings.out, lambda: batch | weights)

    def _average(self) -> None:
        """Moves the averaged network towards the network; at first faster, so that it forgets where it began."""
        self.steps += 1
        keep = min(self.settings.decay, (1 + self.steps) / (10 + self.steps))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.values()), list(self.network.state_dict().values()), 1 - keep)

    def _log(self, log: SummaryWriter) -> None:
        for name, value in self.figures.items():
            log.add_scalar(f"td/{name}", value, self.games)

    def save(self) -> None:
        """Writes the checkpoint: network, average, optimiser, the coming block's model, counters, random state."""
        tensors = {f"network.{key}": value for key, value in self.network.state_dict().items()}
        tensors |= {f"average.{key}": value for key, value in self.average.items()}
        tensors |= optimizer_tensors(self.optimizer)
        tensors |= {f"coming.{k}": torch.from_numpy(layer.copy()) for k, layer in enumerate(self.next_model.layers())}
        facts = {
            "learner": LEARNER,
            "timesteps": self.positions,
            "rules": self.rules.spec(),
            **{key: getattr(self.settings, key) for key in IDENTITY + SCHEDULE},
            "games": self.games,
            "steps": self.steps,
            "seconds": self.seconds,
            "next_trace": self.next_trace,
            "rng": self.rng.bit_generator.state,
        }
        save_checkpoint(self.settings.out, tensors, facts)

    def _load(self) -> None:
        tensors, facts = load_run(self.settings.out, LEARNER, FACTS)
        wanted = {key: getattr(self.settings, key) for key in IDENTITY + SCHEDULE} | {"rules": self.rules.spec()}
        for key, value in wanted.items():
            if facts.get(key, value) != value:
                raise PolicyError(f"checkpoint in {str(self.settings.out)!r} has {key} {facts[key]!r}, not {value!r}")
        with fitting(self.settings.out):
            self._take_over(tensors, facts)

    def _take_over(self, tensors: dict[str, torch.Tensor], facts: dict[str, Any]) -> None:
        self.network.load_state_dict(part_of(tensors, "network."))
        for key, mine in self.average.items():  # in the network's order, which files do not keep
            mine.copy_(like(mine, tensors[f"average.{key}"]))
        restore_optimizer(self.optimizer, tensors)
        layers = [layer.numpy() for _, layer in sorted(part_of(tensors, "coming.").items())]
        if len(layers) != len(self.next_model.layers()):
            raise PolicyError(f"checkpoint in {str(self.settings.out)!r} is of an earlier version: begin a run anew")
        self.next_model = network_model(self.rules, layers)
        self.games = self.self_play.played = facts["games"]
        self.positions, self.steps, self.seconds = facts["timesteps"], facts["steps"], facts["seconds"]
        self.next_trace = facts["next_trace"]
        self.rng.bit_generator.state = facts["rng"]


def _model_of(rules: Rules, weights: dict[str, torch.Tensor]) -> ValueModel:
    first = torch.cat([weights["pawns.weight"].T, weights["cards.weight"]], 1)
    names = ["cards.bias", *(f"{layer}.{part}" for layer in ("second", "last") for part in ("weight", "bias"))]
    return network_model(rules, [layer.detach().numpy() for layer in (first, *(weights[name] for name in names))])


def load_checkpoint_player(spec: str) -> ValuePlayer:
    """The player of a checkpoint folder (`runs/x`). Raises PolicyError where it is damaged."""
    tensors, facts = load_run(Path(spec), LEARNER, FACTS)
    with fitting(Path(spec)):
        return ValuePlayer(spec, _model_of(rules_from(facts["rules"]), part_of(tensors, "average.")))
