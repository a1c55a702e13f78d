"""What programs show: one-line errors, progress with rate and time left, one table at the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from agents.evaluation import Score
from sorry_env.errors import SorryError

WRONG_INPUT = 2
INTERRUPTED = 130


def run_program(main: Callable[[], None], name: str) -> None:
    """Runs a program's body: wrong input ends it with one line on stderr and exit code 2, Ctrl-C with 130."""
    try:
        main()
    except SorryError as error:
        print(f"{name}: {' '.join(str(error).split())}", file=sys.stderr)
        raise SystemExit(WRONG_INPUT) from None
    except OSError as error:
        print(f"{name}: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
        raise SystemExit(WRONG_INPUT) from None
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None


def console() -> Console:
    """A console for stdout that keeps tables readable where no terminal tells its width."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 110
    return Console(width=width)


def progress_bar(what: str, unit: str) -> Progress:
    """A bar on stderr with count, rate and time left; silent where stderr is no terminal."""
    return Progress(
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{{task.fields[rate]}} {unit}/s"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
    )


def score_table(title: str, scores: Sequence[Score]) -> Table:
    """Win rates with their intervals, one row a player and match."""
    table = Table(title=title)
    table.add_column("player")
    table.add_column("against")
    for heading in ("games", "win %", "95 % interval", "even %", "points", "plies"):
        table.add_column(heading, justify="right")
    for score in scores:
        interval = f"{100 * score.low:.1f} to {100 * score.high:.1f}"
        table.add_row(
            score.player, score.against, f"{score.games}", f"{100 * score.win_rate:.1f}", interval,
            f"{100 * score.even:.1f}", f"{score.points:.1f}", f"{score.plies:.0f}",
        )  # fmt: skip
    truncated = sum(score.truncated for score in scores)
    if truncated:
        table.caption = f"{truncated} games were cut off without a winner"
    return table
