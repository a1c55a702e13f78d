"""Trains a neural Sorry! player, then evaluates it and exports it as one ONNX file.

    python train.py ppo --minutes 2 --out runs/first
    python train.py ppo --rules teams --timesteps 5000000

`python train.py LEARNER --help` lists a learner's settings. Learners: ppo (masked PPO, sb3-contrib).
"""

from __future__ import annotations

import json
import sys
import time

import tyro
from rich.table import Table

import agents  # noqa: F401  # makes checkpoint folders players
from agents.evaluation import Score, evaluate
from agents.export import export_policy
from agents.files import write_text
from agents.ppo import PPOLearner, PPOSettings
from agents.reporting import ProgressDisplay, console, run_program, score_table
from sorry_env.errors import SorryError
from sorry_env.players import load_player

YARDSTICKS = ("random", "greedy")


def train_ppo(arguments: list[str]) -> None:
    """Trains, evaluates, exports, and prints one table."""
    settings = tyro.cli(PPOSettings, args=arguments, prog="train.py ppo")
    learner = PPOLearner(settings)
    begun, first = time.monotonic(), learner.model.num_timesteps
    with ProgressDisplay("training") as display:

        def show(learner: PPOLearner) -> None:
            done, elapsed = learner.model.num_timesteps, time.monotonic() - begun
            note = f"{done} decisions, {(done - first) / elapsed:.0f} decisions/s, {_win_rates(learner)}"
            display.update(learner.progress, note)

        learner.learn(show)
    trained = time.monotonic() - begun
    policy = settings.out / "policy.onnx"
    facts = {"learner": "ppo", "timesteps": learner.model.num_timesteps, "seed": settings.seed}
    difference = export_policy(learner.body(), learner.rules, policy, **facts)
    player = load_player(str(policy), learner.rules)
    scores: list[Score] = []
    for yardstick in YARDSTICKS:
        pair = [player, load_player(yardstick)]
        both = evaluate([str(policy), yardstick], learner.rules, settings.eval_games, settings.seed, players=pair)
        scores.append(both[0])
    out = console()
    out.print(score_table(f"{learner.rules.spec()}, seed {settings.seed}", scores))
    out.print(_facts_table(learner, trained, str(policy), difference))
    result = {**facts, "rules": learner.rules.spec(), "seconds": trained, "policy": str(policy)}
    result["scores"] = [score.as_dict() for score in scores]
    write_text(settings.out / "results.json", json.dumps(result, indent=1) + "\n")


def _win_rates(learner: PPOLearner) -> str:
    """Running win rates against each of the league, earlier selves as one."""
    league = learner.league
    shown = [f"{player.name} {100 * rate:.0f} %" for player, rate in zip(league.players, league.win_rates, strict=True)]
    return "wins: " + ", ".join(shown[: league.num_fixed])


def _facts_table(learner: PPOLearner, seconds: float, policy: str, difference: float) -> Table:
    table = Table(show_header=False)
    decisions = learner.model.num_timesteps
    table.add_row("trained on", f"{decisions} decisions, {learner.env.games_ended} games, {seconds:.0f} s")
    table.add_row("policy", policy)
    table.add_row("onnxruntime against torch", f"at most {difference:.1e} apart")
    return table


LEARNERS = {"ppo": train_ppo}


def main() -> None:
    """Hands the rest of the command line to the learner."""
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return
    if arguments[0] not in LEARNERS:
        raise SorryError(f"learner: no {arguments[0]!r}; known: {', '.join(LEARNERS)}")
    LEARNERS[arguments[0]](arguments[1:])


if __name__ == "__main__":
    run_program(main, "train.py")
