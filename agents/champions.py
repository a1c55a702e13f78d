"""Trains the value networks that are shipped, and writes a card beside each.

python -m agents.champions                  # all of them, one after another
python -m agents.champions classic-2 teams  # some
python -m agents.champions --cards          # only measure again what is there
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from agents.evaluation import Score, meet_yardsticks
from agents.export import export_value
from agents.reporting import ProgressDisplay, run_program
from agents.td import TDLearner, TDSettings
from sorry_env.errors import SorryError
from sorry_env.files import write_text
from sorry_env.players.onnx_file import open_policy_file
from sorry_env.players.value import CHAMPIONS, champion_files
from sorry_env.rules import Rules

GAMES: Final = 20_000  # against each yardstick
_BASE: Final = TDSettings(checks=0, seed=1, wide=256, narrow=32)
RECIPES: Final = {
    "classic-2": replace(_BASE, rules="classic:players=2", games=1_000_000, wide=512),
    "classic-3": replace(_BASE, rules="classic:players=3", games=300_000),
    "classic-4": replace(_BASE, rules="classic:players=4", games=400_000, wide=384),
    "teams": replace(_BASE, rules="teams", games=250_000),
    "points-2": replace(_BASE, rules="points:players=2", games=1_000_000),
}


def train_champion(name: str, runs: Path) -> None:
    """Trains by the recipe `name`, going on from its checkpoint where there is one, and writes the network."""
    out = runs / name
    settings = replace(RECIPES[name], out=out, resume=(out / "checkpoint.json").is_file())
    learner = TDLearner(settings)
    with ProgressDisplay(name) as display:

        def show(learner: TDLearner) -> None:
            display.update(learner.fraction(), f"{learner.figures['games_per_second']:.0f} games/s")

        learner.learn(show)
    facts = {key: getattr(settings, key) for key in ("seed", "wide", "narrow", "trace", "last_trace", "minibatch")}
    facts |= {"learner": "td", "games": learner.games, "positions": learner.positions}
    export_value(learner.model(), CHAMPIONS / f"{name}.onnx", **facts, seconds=round(learner.seconds))
    champion_files.cache_clear()  # its card is measured by the file as it is now


def write_card(name: str) -> None:
    """Measures a champion and writes its model card."""
    path = CHAMPIONS / f"{name}.onnx"
    file = open_policy_file(str(path))
    played = [file.rules]
    if file.rules.scoring == "points":  # where it plays for points, and where it plays to win
        played.append(replace(file.rules, scoring="win"))
    tables = []
    for rules in played:
        with ProgressDisplay(f"measuring {name}") as display:
            tables.append(_table(rules, meet_yardsticks("champion", rules, GAMES, 0, display.update)))
    write_text(path.with_suffix(".md"), _card(name, file.rules, file.metadata, tables, path.stat().st_size))


def _table(rules: Rules, scores: Sequence[Score]) -> str:
    is_adjusted = not rules.hand_size
    heads = ["against", *(["less luck", "95 % interval"] if is_adjusted else []), "won", "95 % interval", "even"]
    heads += ["points a game"] if rules.scoring == "points" else []
    rows = [heads, ["---"] * len(heads)]
    for score in scores:
        row = [score.against]
        if is_adjusted:
            row += [f"{100 * score.adjusted:.2f}", _span(score.adjusted_low, score.adjusted_high)]
        row += [f"{100 * score.win_rate:.2f}", _span(score.low, score.high), f"{100 * score.even:.0f}"]
        row += [f"{score.points:.1f}"] if rules.scoring == "points" else []
        rows.append(row)
    return "\n".join([f"`{rules.spec()}`:", "", *(f"| {' | '.join(row)} |" for row in rows)])


def _span(low: float, high: float) -> str:
    return f"{100 * low:.2f} to {100 * high:.2f}"


def _card(name: str, rules: Rules, facts: dict[str, Any], tables: Sequence[str], size: int) -> str:
    field = "one of it against a field of the other" if rules.players > 2 and not rules.teams else "one side each"
    lines = [
        f"# {name}.onnx",
        "",
        f"A value network for `{rules.spec()}`, {size // 1024} KB, {facts['wide']}-{facts['narrow']} hidden units. "
        '`load_player("champion")` picks it for these rules.',
        "",
        f"Trained from nothing by games against itself (`train.py td`; no human games, no other player): "
        f"{facts['games']} games, {facts['positions']} positions, {facts['seconds']} seconds on two shared cores, seed "
        f"{facts['seed']}, lambda {facts['trace']} to {facts['last_trace']}. Made again by "
        f"`python -m agents.champions {name}`.",
        "",
        f"Win rates in per cent, {GAMES} games each, {field}, seed 0; less luck: with the luck of the draw taken out.",
        "",
        *(line for table in tables for line in (table, "")),
        "Limits: it looks one move ahead and knows no opponent; it plays these rules only (who begins and how the end "
        "is scored may differ). It has met nobody but itself, so what strange players do it has not seen.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Trains and measures what the command line names."""
    names = [name for name in sys.argv[1:] if not name.startswith("-")]
    flags = set(sys.argv[1:]) - set(names)
    for name in names:
        if name not in RECIPES:
            raise SorryError(f"champion: no {name!r}; known: {', '.join(RECIPES)}")
    if flags - {"--cards"}:
        raise SorryError(f"champions: no option {', '.join(sorted(flags))}; known: --cards")
    for name in names or RECIPES:
        begun = time.monotonic()
        if "--cards" not in flags:
            train_champion(name, Path("runs/champions"))
        write_card(name)
        print(f"{name}: {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    run_program(main, "champions")
