"""Plays players against each other and prints win rates with 95 % intervals.

    python evaluate.py policy.onnx greedy random --games 2000
    python evaluate.py greedy random --rules points --players 4
    python evaluate.py greedy random --rules mini-1 --regret     # after: sorry-env solve mini-1

Every deck is played once in every seating. With as many players as seats (teams in the partnership game) they share one
table; else every pair meets: two seats, or one player alone against a field of the other.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.table import Table

import agents  # noqa: F401  # makes checkpoint folders players
from agents.evaluation import evaluate
from agents.files import check_writable, write_text
from agents.matches import table_rules
from agents.regret import measure_regret
from agents.reporting import ProgressDisplay, console, regret_table, run_program, score_table
from sorry_env.errors import SorryError
from sorry_env.rules import Rules
from sorry_env.values import num_sides


@dataclass
class Settings:
    """What to play."""

    players_to_rate: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="PLAYER ...")]
    """Two or more players: random, greedy, race, solitaire, FILE.onnx, a checkpoint folder."""
    rules: str = "classic"
    """Rule set by name, options after a colon: classic, teams, points:slide_on=own, ..."""
    players: int | None = None
    """Seats at the table, 2 to 4; by default two, in the partnership games four."""
    games: int = 1000
    """Games a match, rounded up so that every deck is played in every seating."""
    seed: int = 0
    """Seed of decks and players: the same seed gives the same table, whatever the workers."""
    workers: int = 1
    """Processes."""
    regret: bool = False
    """What each player gives away against perfect play, in a game that `sorry-env solve` has solved."""
    json: Path | None = None
    """File for the table as JSON; - prints it in place of the table."""

    def record(self) -> Rules:
        """The rules record. Raises SorryError where a setting makes no sense."""
        for name in ("games", "workers"):
            if getattr(self, name) < 1:
                raise SorryError(f"--{name}: {getattr(self, name)} is not 1 or more")
        if self.seed < 0:
            raise SorryError(f"--seed: {self.seed} is not 0 or more")
        if len(self.players_to_rate) < 2 and not self.regret:
            raise SorryError("players: give two or more, such as: evaluate.py greedy random")
        return table_rules(self.rules, self.players)


def main() -> None:
    """Reads the settings, plays, prints the table and writes the JSON."""
    settings = tyro.cli(Settings, description=__doc__)
    rules = settings.record()
    if settings.json and settings.json != Path("-"):
        check_writable(settings.json)  # now, not after an hour of games
    begun = time.monotonic()
    with ProgressDisplay("evaluating") as display:
        scores, table = regrets(settings, rules, display) if settings.regret else matches(settings, rules, display)
    seconds = time.monotonic() - begun
    result = {
        "rules": rules.spec(),
        "seats": rules.players,
        "sides": num_sides(rules),
        "seed": settings.seed,
        "regrets" if settings.regret else "scores": scores,
    }
    text = json.dumps(result, indent=1)
    if settings.json == Path("-"):
        print(text)
        return
    out = console()
    out.print(table)
    out.print(f"{seconds:.1f} s")
    if settings.json:
        write_text(settings.json, text + "\n")


def matches(settings: Settings, rules: Rules, display: ProgressDisplay) -> tuple[list[dict[str, Any]], Table]:
    """Every match of the players among each other: as data and as a table."""
    begun = time.monotonic()

    def show(done: int, total: int) -> None:
        rate = done / max(time.monotonic() - begun, 1e-9)
        display.update(done / total, f"{done} of {total} games, {rate:.0f} games/s")

    scores = evaluate(settings.players_to_rate, rules, settings.games, settings.seed, settings.workers, show)
    title = f"{rules.spec()}, {rules.players} players, seed {settings.seed}"
    return [score.as_dict() for score in scores], score_table(title, scores)


def regrets(settings: Settings, rules: Rules, display: ProgressDisplay) -> tuple[list[dict[str, Any]], Table]:
    """Each player against perfect play: as data and as a table."""
    specs = settings.players_to_rate
    found = []
    for k, spec in enumerate(specs):

        def show(done: int, total: int, k: int = k, spec: str = spec) -> None:
            display.update((k + done / total) / len(specs), spec)

        found.append(measure_regret(spec, rules, settings.games, settings.seed, show))
    title = f"against perfect play, {rules.spec()}, seed {settings.seed}"
    return [regret.as_dict() for regret in found], regret_table(title, found)


if __name__ == "__main__":
    run_program(main, "evaluate.py")
