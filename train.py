"""Trains a neural Sorry! player, then evaluates it and exports it as one ONNX file.

    python train.py td --minutes 2 --out runs/first
    python train.py td --rules teams --games 500000
    python train.py ppo --minutes 30 --out runs/ppo
    python train.py rllib --minutes 30 --out runs/rllib

`python train.py LEARNER --help` lists a learner's settings. Learners: td (a value network that learns from games
against itself, the strong one), ppo (masked PPO, sb3-contrib), rllib (masked PPO, RLlib).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import tyro
from rich.table import Table

import agents  # noqa: F401  # makes checkpoint folders players
from agents.checkpoints import describe_last
from agents.evaluation import Score, evaluate, meet_yardsticks
from agents.export import export_policy, export_value
from agents.league import League
from agents.luck import AUTO, open_adjuster
from agents.pictures import recording
from agents.policies import PolicyBody
from agents.ppo import PPOLearner, PPOSettings
from agents.progress import ProgressLog, ProgressRow
from agents.reporting import ProgressDisplay, TerminatedError, console, run_program, score_table
from agents.rllib import RLlibLearner, RLlibSettings
from agents.td import TDLearner, TDSettings
from sorry_env.errors import SorryError
from sorry_env.files import write_text
from sorry_env.players import load_player
from sorry_env.rules import Rules
from sorry_env.values import num_sides

NAME = "train.py"
CHECK_GAMES = 1000

Settings = TDSettings | PPOSettings | RLlibSettings


def train_td(settings: TDSettings, learner: TDLearner) -> None:
    """Trains a value network, evaluates, exports, and prints one table."""
    first, checked = learner.fraction(), 0
    begun = time.monotonic()
    with ProgressDisplay("training") as display, _recording(settings, learner.rules, learner.positions) as log:

        def show(learner: TDLearner) -> None:
            nonlocal checked
            done, results = learner.fraction(), {}
            if (done - first) * settings.checks >= checked * (1 - first) and settings.checks:
                checked += 1
                score = _measure(learner, "race")
                learner.figures["win_rate_race"] = score.win_rate
                results["race"] = score.games, round(score.win_rate * score.games)
            figures = learner.figures
            log.add(ProgressRow(learner.games, learner.positions, learner.seconds, figures["loss"], results))
            against = f", {100 * figures['win_rate_race']:.1f} % v race" if "win_rate_race" in figures else ""
            display.update(done, f"{learner.games} games, {figures['games_per_second']:.0f} games/s{against}")

        learner.learn(show)
    trained = time.monotonic() - begun
    path = settings.out / "value.onnx"
    facts = {"learner": "td", "games": learner.games, "positions": learner.positions, "seed": settings.seed}
    facts |= {"wide": settings.wide, "narrow": settings.narrow}
    difference = export_value(learner.model(), path, **facts, seconds=round(learner.seconds))
    table = Table(show_header=False)
    table.add_row("trained on", f"{learner.positions} positions, {learner.games} games, {trained:.0f} s")
    table.add_row("value network", str(path))
    table.add_row("onnxruntime against the engine", f"at most {difference:.1e} apart")
    _finish(settings, learner.rules, path, {**facts, "seconds": trained}, table)


def _measure(learner: TDLearner, yardstick: str) -> Score:
    """A quick look on the way: of CHECK_GAMES games."""
    pair = [learner.player("net"), load_player(yardstick)]
    return evaluate(["net", yardstick], learner.rules, CHECK_GAMES, learner.games, players=pair)[0]


def _recording(settings: Settings, rules: Rules, timesteps: int) -> AbstractContextManager[ProgressLog]:
    """The run's progress as a file, and at the end as a picture."""
    title = f"{settings.out.name}: {rules.spec()}, seed {settings.seed}"
    return recording(settings.out, timesteps, title, 1 / num_sides(rules), NAME)


def train_ppo(settings: PPOSettings, learner: PPOLearner) -> None:
    """Trains a policy, evaluates, exports, and prints one table."""
    begun, first = time.monotonic(), learner.model.num_timesteps
    with ProgressDisplay("training") as display, _recording(settings, learner.rules, first) as log:

        def show(learner: PPOLearner) -> None:
            done = learner.model.num_timesteps
            tally = learner.league.take_tally()
            log.add(ProgressRow(learner.env.games_ended, done, learner.seconds, learner.loss, tally))
            display.update(learner.progress, _note(done, done - first, begun, learner.league))

        learner.learn(show)
    trained = time.monotonic() - begun
    facts = {"learner": "ppo", "timesteps": learner.model.num_timesteps, "seed": settings.seed}
    _finish_policy(settings, learner.body(), learner.rules, facts, learner.env.games_ended, trained)


def train_rllib(settings: RLlibSettings, learner: RLlibLearner) -> None:
    """Trains a policy by RLlib, evaluates, exports, and prints one table."""
    begun, first = time.monotonic(), learner.timesteps
    try:
        with ProgressDisplay("training") as display, _recording(settings, learner.rules, first) as log:

            def show(learner: RLlibLearner) -> None:
                done, loss = learner.timesteps, learner.figures["train/loss"]
                log.add(ProgressRow(learner.games, done, learner.seconds, loss, learner.league.take_tally()))
                display.update(learner.progress, _note(done, done - first, begun, learner.league))

            learner.learn(show)
        body = learner.body()
    finally:
        learner.close()
    trained = time.monotonic() - begun
    facts = {"learner": "rllib", "timesteps": learner.timesteps, "seed": settings.seed}
    _finish_policy(settings, body, learner.rules, facts, learner.games, trained)


@contextmanager
def going_on(settings: Settings) -> Iterator[None]:
    """Adds to whatever ends a run which checkpoint stands, and how to go on from it."""
    try:
        yield
    except (SorryError, OSError, KeyboardInterrupt, TerminatedError) as error:
        error.add_note(describe_last(settings.out))
        raise


def _note(done: int, since: int, begun: float, league: League) -> str:
    """Decisions, their rate, and running win rates against the players that stay in the league."""
    rates = zip(league.players[: league.num_fixed], league.win_rates, strict=False)
    wins = ", ".join(f"{player.name} {100 * rate:.0f} %" for player, rate in rates)
    return f"{done} decisions, {since / (time.monotonic() - begun):.0f} decisions/s, wins: {wins}"


def _finish_policy(
    settings: Settings, body: PolicyBody, rules: Rules, facts: dict[str, Any], games: int, trained: float
) -> None:
    """Exports a policy, then as `_finish`."""
    path = settings.out / "policy.onnx"
    difference = export_policy(body, rules, path, **facts)
    table = Table(show_header=False)
    table.add_row("trained on", f"{facts['timesteps']} decisions, {games} games, {trained:.0f} s")
    table.add_row("policy", str(path))
    table.add_row("onnxruntime against torch", f"at most {difference:.1e} apart")
    _finish(settings, rules, path, {**facts, "seconds": trained}, table)


def _finish(settings: Settings, rules: Rules, path: Path, facts: dict[str, Any], table: Table) -> None:
    """Plays the exported file against each yardstick, prints the tables and writes results.json."""
    with ProgressDisplay("evaluating") as display:
        scores = meet_yardsticks(str(path), rules, settings.eval_games, settings.seed, display.update)
    picture = settings.out / "progress.png"
    if picture.exists():
        table.add_row("course of the training", str(picture))
    out = console()
    out.print(score_table(f"{rules.spec()}, seed {settings.seed}", scores, open_adjuster(AUTO, rules)))
    out.print(table)
    result = {**facts, "rules": rules.spec(), "policy": str(path), "scores": [score.as_dict() for score in scores]}
    write_text(settings.out / "results.json", json.dumps(result, indent=1) + "\n")


LEARNERS: dict[str, tuple[Any, Any, Any]] = {  # settings, learner, and what is done with them
    "td": (TDSettings, TDLearner, train_td),
    "ppo": (PPOSettings, PPOLearner, train_ppo),
    "rllib": (RLlibSettings, RLlibLearner, train_rllib),
}


def main() -> None:
    """Hands the rest of the command line to the learner."""
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return
    if arguments[0] not in LEARNERS:
        raise SorryError(f"learner: no {arguments[0]!r}; known: {', '.join(LEARNERS)}")
    kind, make, train = LEARNERS[arguments[0]]
    settings = tyro.cli(kind, args=arguments[1:], prog=f"{NAME} {arguments[0]}")
    learner = make(settings)
    with going_on(settings):
        train(settings, learner)


if __name__ == "__main__":
    run_program(main, NAME)
