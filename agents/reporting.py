"""What programs show: one-line errors, progress with rate and time left, one table at the end."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from agents.evaluation import Score
from agents.regret import Regret
from sorry_env.errors import SorryError

WRONG_INPUT = 2
INTERRUPTED = 130
LOG_SECONDS = 10.0  # between two lines of progress in a log


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


class ProgressDisplay:
    """Progress with rate and time left on stderr: a bar in a terminal, a line now and then in a log.

    Args:
        what: what is going on.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.begun = self.shown = time.monotonic()
        self._bar: Progress | None = None
        if sys.stderr.isatty():
            columns = (TextColumn(what), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[note]}"))
            self._bar = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True))
            self._task = self._bar.add_task("", total=1.0, note="")

    def __enter__(self) -> ProgressDisplay:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar:
            self._bar.stop()

    def update(self, fraction: float, note: str) -> None:
        """Shows how much is done, 0 to 1, and a note such as the rate."""
        if self._bar:
            self._bar.update(self._task, completed=fraction, note=note)
            return
        now = time.monotonic()
        if now - self.shown >= LOG_SECONDS:
            self.shown = now
            left = (now - self.begun) * (1 / max(fraction, 1e-9) - 1)
            print(f"{self.what}: {100 * fraction:.0f} %, {note}, {left:.0f} s left", file=sys.stderr, flush=True)


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


def regret_table(title: str, regrets: Sequence[Regret]) -> Table:
    """What players give away against perfect play, in per cent of win probability."""
    table = Table(title=title)
    table.add_column("player")
    for name in ("games", "win %", "regret a game", "95 % interval", "50 - regret", "a decision", "not optimal %"):
        table.add_column(name, justify="right")
    for regret in regrets:
        table.add_row(
            regret.player,
            str(regret.games),
            f"{100 * regret.win_rate:.2f}",
            f"{100 * regret.per_game:.3f}",
            f"{100 * regret.low:.3f} to {100 * regret.high:.3f}",
            f"{50 - 100 * regret.per_game:.2f}",
            f"{100 * regret.per_decision:.4f}",
            f"{100 * regret.not_optimal:.2f}",
        )
    return table
