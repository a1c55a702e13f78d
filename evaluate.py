"""Plays players against each other and prints win rates with 95 % intervals, raw and less the luck of the draw.

    python evaluate.py policy.onnx greedy random --games 2000
    python evaluate.py champion solitaire --until 0.5
    python evaluate.py greedy random race solitaire champion --players 4 --tables mixed
    python evaluate.py greedy random --rules mini-1 --regret     # after: sorry-env solve mini-1
    python evaluate.py policy.onnx --protocol sorry-bench-1

Every deck is played once in every seating. With as many players as seats (teams in the partnership game) they share one
table; else every pair meets: two seats, or one player alone against a field of the other.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.table import Table

import agents  # noqa: F401  # makes checkpoint folders players
from agents import evaluation
from agents.crews import Crew, open_crew
from agents.evaluation import Played, Score, Terms, play_matches
from agents.luck import AUTO, Adjuster, open_adjuster
from agents.matches import Tables, plan_matches, table_rules
from agents.pictures import check_drawing, draw_evaluation
from agents.protocol import find_protocol, headline, open_everywhere, open_pinned, run_protocol
from agents.ratings import Rating, influences, rate
from agents.regret import measure_regret
from agents.reporting import (
    ProgressDisplay,
    console,
    cross_table,
    kingmaking_table,
    protocol_table,
    rating_table,
    regret_table,
    run_program,
    score_table,
    warn,
)
from sorry_env.errors import SorryError
from sorry_env.files import check_writable, write_text
from sorry_env.players import Player, load_player
from sorry_env.rules import Rules
from sorry_env.values import num_sides

NAME = "evaluate.py"
WITH_PROTOCOL = {"protocol", "workers", "ray", "json"}  # what may stand beside --protocol


@dataclass
class Settings:
    """What to play."""

    players_to_rate: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="PLAYER ...")]
    """Two or more players: random, greedy, race, solitaire, champion, FILE.onnx, a checkpoint folder."""
    rules: str = "classic"
    """Rule set by name, options after a colon: classic, teams, points:slide_on=own, ..."""
    players: int | None = None
    """Seats at the table, 2 to 4; by default two, in the partnership games four."""
    tables: Tables = "auto"
    """auto: one shared table for as many players as seats, else field. field: every pair meets, one alone against a
    field of the other. mixed: three or four seats, tables drawn from all players, ratings and a kingmaking table."""
    games: int = 1000
    """Games a match, rounded up so that every deck is played in every seating; with --until, at least."""
    until: float | None = None
    """Play each match on until its intervals reach at most so many percentage points to either side (adjusted ones
    where results are adjusted), in blocks of 256 decks, to a million games at most."""
    adjust: str = AUTO
    """Value network whose view of each draw is taken out as luck: FILE.onnx, champion, none, or auto: the champion
    where one is shipped for the rules."""
    seed: int = 0
    """Seed of decks and players: the same seed gives the same table, whatever the workers."""
    workers: int = 1
    """Processes of this machine."""
    ray: tuple[str, ...] | None = None
    """Play on a Ray cluster: HOST:PORT, auto, or nothing for one of this machine alone. Name the players first."""
    regret: bool = False
    """What each player gives away against perfect play, in a game that `sorry-env solve` has solved."""
    protocol: str | None = None
    """A fixed evaluation of one player, all settings named: sorry-bench-1."""
    plot: Path | None = None
    """Folder for pictures: ratings with error bars, and of three or more players the cross-table."""
    json: Path | None = None
    """File for the table as JSON; - prints it in place of the table."""

    def record(self) -> Rules:
        """The rules record. Raises SorryError where a setting makes no sense."""
        for name in ("games", "workers"):
            if getattr(self, name) < 1:
                raise SorryError(f"--{name}: {getattr(self, name)} is not 1 or more")
        if self.seed < 0:
            raise SorryError(f"--seed: {self.seed} is not 0 or more")
        if self.until is not None and not 0 < self.until < 50:
            raise SorryError(f"--until: {self.until} is not between 0 and 50 percentage points")
        if self.protocol is not None:
            self._check_protocol()
        elif len(self.players_to_rate) < 2 and not self.regret:
            raise SorryError("players: give two or more, such as: evaluate.py greedy random")
        if self.regret and (self.until or self.plot or self.adjust != AUTO or self.tables != "auto"):
            raise SorryError("--regret: plays against perfect play alone, without --until, --adjust, --tables, --plot")
        if self.ray is not None and (self.regret or self.workers > 1):
            raise SorryError("--ray: not with --workers, and not with --regret, which plays in this process")
        rules = table_rules(self.rules, self.players)
        if self.tables == "mixed" and num_sides(rules) < 3:
            raise SorryError(f"--tables mixed: needs three or four sides; {rules.spec()!r} has {num_sides(rules)}")
        if self.plot:
            check_drawing("--plot")
            self.plot.mkdir(parents=True, exist_ok=True)  # now, not after an hour of games
        if self.tables == "mixed" and not find_spec("choix"):
            raise SorryError("--tables mixed: needs choix for its ratings: pip install choix")
        return rules

    def _check_protocol(self) -> None:
        given = {argument.partition("=")[0][2:] for argument in sys.argv if argument.startswith("--")}
        if given - WITH_PROTOCOL:
            refused = ", ".join(f"--{name}" for name in sorted(given - WITH_PROTOCOL))
            raise SorryError(f"--protocol: fixes every setting but --workers, --ray and --json; leave out {refused}")
        if len(self.players_to_rate) != 1:
            raise SorryError(f"--protocol: measures one player, not {len(self.players_to_rate)}")


Shown = tuple[dict[str, Any], list[Table]]  # as data and as tables


def main() -> None:
    """Reads the settings, plays, prints the tables and writes the JSON."""
    settings = tyro.cli(Settings, description=__doc__)
    rules = settings.record()
    if settings.json and settings.json != Path("-"):
        check_writable(settings.json)  # now, not after an hour of games
    begun = time.monotonic()
    if settings.regret:
        result, tables = regrets(settings, rules)
    else:
        with open_crew(settings.workers, settings.ray) as crew:
            result, tables = protocol(settings, crew) if settings.protocol else matches(settings, rules, crew)
    if not settings.protocol:
        head = {"rules": rules.spec(), "seats": rules.players, "sides": num_sides(rules), "seed": settings.seed}
        result = head | result
    seconds = time.monotonic() - begun
    text = json.dumps(result, indent=1)
    if settings.json == Path("-"):
        print(text)
        return
    out = console()
    for table in tables:
        out.print(table)
    if settings.plot:
        out.print(f"pictures in {settings.plot}")
    out.print(f"{seconds:.1f} s")
    if settings.json:
        write_text(settings.json, text + "\n")


def matches(settings: Settings, rules: Rules, crew: Crew) -> Shown:
    """Every match of the players among each other."""
    specs, sides = settings.players_to_rate, num_sides(rules)
    players = [load_player(spec, rules) for spec in specs]
    adjuster = open_adjuster(settings.adjust, rules)
    warn_of(adjuster, specs, players)
    until = None if settings.until is None else settings.until / 100
    terms = Terms(specs, rules, settings.games, settings.seed, adjuster, until)
    planned = plan_matches(len(specs), sides, settings.tables)
    with ProgressDisplay("evaluating") as display:
        begun = time.monotonic()

        def show(done: int, total: int) -> None:
            speed = done / max(time.monotonic() - begun, 1e-9)
            display.update(done / total, f"{done} of {total} games, {speed:.0f} games/s")

        played = play_matches(planned, terms, crew, show, players)
    scores = [score for one in played for score in one.scores(specs, settings.seed)]
    title = f"{rules.spec()}, {rules.players} players, seed {settings.seed}"
    wide = [score for score in scores if until is not None and score.half_width > until]
    note = f"{len(wide)} rows ended at {evaluation.MOST_GAMES} games, wider than {settings.until}" if wide else ""
    result: dict[str, Any] = {"adjuster": adjuster.as_dict() if adjuster else None, "until": settings.until}
    result["scores"] = [score.as_dict() for score in scores]
    tables = [score_table(title, scores, adjuster, note)]
    ratings = rate(played, specs, settings.seed) if settings.plot or settings.tables == "mixed" else []
    cells: list[tuple[int, int, Score]] = []
    if settings.tables == "mixed":
        more, further = mixed(played[0], specs, ratings)
        result |= more
        tables += further
    elif len(specs) > 2 and len(planned) > 1:
        pairs = [(one, next(k for k in match.tables[0] if k != one)) for match in planned for one in match.measured]
        cells = [(*pair, score) for pair, score in zip(pairs, scores, strict=True)]
        tables.append(cross_table("cross-table" + (", adjusted" if adjuster else ""), specs, cells))
    if settings.plot:
        draw_evaluation(settings.plot, title, ratings, specs, cells)
    return result, tables


def mixed(played: Played, specs: Sequence[str], ratings: Sequence[Rating]) -> Shown:
    """What mixed tables say beside the win rates."""
    found = influences(played, specs)
    tables = [rating_table("Plackett-Luce ratings", ratings)]
    if found:
        tables.append(kingmaking_table("kingmaking", specs, found))
    data = {"ratings": [one.as_dict() for one in ratings], "influences": [one.as_dict() for one in found]}
    return data, tables


def warn_of(adjuster: Adjuster | None, specs: Sequence[str], players: Sequence[Player]) -> None:
    """Says so where a player under test decides by the adjuster."""
    for spec, player in zip(specs, players, strict=True):
        if adjuster and adjuster.is_played_by(player):
            text = "results stay unbiased, since a draw's luck has mean 0 whoever plays, but choose it before you look"
            warn(NAME, f"the adjuster {adjuster.name} is under test itself, as {spec!r}; {text}")


def regrets(settings: Settings, rules: Rules) -> Shown:
    """Each player against perfect play."""
    specs = settings.players_to_rate
    found = []
    with ProgressDisplay("evaluating") as display:
        for k, spec in enumerate(specs):

            def show(done: int, total: int, k: int = k, spec: str = spec) -> None:
                display.update((k + done / total) / len(specs), spec)

            found.append(measure_regret(spec, rules, settings.games, settings.seed, show))
    title = f"against perfect play, {rules.spec()}, seed {settings.seed}"
    return {"regrets": [regret.as_dict() for regret in found]}, [regret_table(title, found)]


def protocol(settings: Settings, crew: Crew) -> Shown:
    """One player by a named protocol."""
    fixed, spec = find_protocol(settings.protocol or ""), settings.players_to_rate[0]
    seated = open_everywhere(fixed, spec)
    adjusters = open_pinned(fixed)
    for name, adjuster in adjusters.items():
        player = seated[name]
        if not isinstance(player, str):
            warn_of(adjuster, [spec], [player])
    with ProgressDisplay("evaluating") as display:
        sections = run_protocol(fixed, spec, seated, adjusters, crew, display.update)
    overall = headline(sections)
    result = {
        "protocol": fixed.name,
        "player": spec,
        "score": asdict(overall) if overall else None,
        "sections": [section.as_dict() for section in sections],
    }
    return result, [protocol_table(f"{fixed.name}: {spec}", sections, overall)]


if __name__ == "__main__":
    run_program(main, NAME)
