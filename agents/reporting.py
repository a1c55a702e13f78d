"""What programs show: one-line errors, progress with rate and time left, one table at the end."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from agents.evaluation import Score
from agents.luck import Adjuster
from agents.protocol import Mean, Section
from agents.ratings import Influence, Rating
from agents.regret import Regret
from sorry_env.errors import SorryError, one_line

WRONG_INPUT = 2
INTERRUPTED = 130
TERMINATED = 143
MOST_TOLD = 2000  # characters
LOG_SECONDS = 10.0  # between two lines of progress in a log


def run_program(main: Callable[[], None], name: str) -> None:
    """Runs a program's body: whatever ends it is one line on stderr, its notes (PEP 678) included.

    Wrong input, a full disk or a folder that cannot be written end it with exit code 2, Ctrl-C with 130, SIGTERM with
    143.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a letter that the terminal lacks must not cost the result
    former = signal.signal(signal.SIGTERM, _terminate), threading.excepthook
    threading.excepthook = _thread_ended
    try:
        main()
    except SorryError as error:
        _tell(name, error, str(error))
        raise SystemExit(WRONG_INPUT) from None
    except OSError as error:
        where = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        _tell(name, error, f"{where}{error.strerror or error}")
        raise SystemExit(WRONG_INPUT) from None
    except KeyboardInterrupt as error:
        _tell(name, error, "interrupted")
        raise SystemExit(INTERRUPTED) from None
    except TerminatedError as error:
        _tell(name, error, "terminated")
        raise SystemExit(TERMINATED) from None
    finally:
        signal.signal(signal.SIGTERM, former[0])
        threading.excepthook = former[1]


class TerminatedError(BaseException):
    """SIGTERM; like KeyboardInterrupt no `except Exception` catches it."""


def _thread_ended(told: threading.ExceptHookArgs) -> None:
    """Shows what ended a thread, unless it could not write: TensorBoard's then tells whoever writes next."""
    if not isinstance(told.exc_value, OSError):
        threading.__excepthook__(told)


def _terminate(number: int, frame: object) -> None:
    raise TerminatedError


def _tell(name: str, error: BaseException, text: str) -> None:
    parts = [text, *getattr(error, "__notes__", ())]
    line = one_line(" ".join("; ".join(parts).split()), MOST_TOLD)
    print(f"{name}: {line}", file=sys.stderr)


def warn(name: str, text: str) -> None:
    """One line on stderr for what works and should still be known."""
    print(f"{name}: warning: {text}", file=sys.stderr)


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


def score_table(title: str, scores: Sequence[Score], adjuster: Adjuster | None = None, note: str = "") -> Table:
    """Win rates with their intervals, one row a player and match; adjusted ones too where there is an adjuster."""
    table = Table(title=title)
    table.add_column("player")
    table.add_column("against")
    headings = ["games", "win %", "95 % interval", "adjusted, 95 %", "worth", "even %", "points", "plies"]
    if not adjuster:
        del headings[3:5]
    for heading in headings:
        table.add_column(heading, justify="right")
    for score in scores:
        table.add_row(score.player, score.against, *_score_cells(score, bool(adjuster)))
    truncated = sum(score.truncated for score in scores)
    cut = f"{truncated} games were cut off without a winner" if truncated else ""
    told = f"adjusted by {adjuster.name}; worth: as many games would say as much unadjusted" if adjuster else ""
    table.caption = "\n".join(filter(None, (told, note, cut))) or None
    return table


def _score_cells(score: Score, is_adjusted: bool) -> list[str]:
    adjusted = [_around(score.adjusted, score.adjusted_low, score.adjusted_high, 2), f"{score.variance_ratio:.1f} x"]
    return [
        f"{score.games}", f"{100 * score.win_rate:.1f}", _interval(score.low, score.high), *adjusted[: 2 * is_adjusted],
        f"{100 * score.even:.1f}", f"{score.points:.1f}", f"{score.plies:.0f}",
    ]  # fmt: skip


def _interval(low: float, high: float, digits: int = 1) -> str:
    """In per cent."""
    return f"{100 * low:.{digits}f} to {100 * high:.{digits}f}"


def _around(middle: float, low: float, high: float, digits: int = 1, sign: str = "") -> str:
    """In per cent: a number and half the width of its interval, where that lies even about it."""
    return f"{100 * middle:{sign}.{digits}f} ± {50 * (high - low):.{digits}f}"


def cross_table(title: str, specs: Sequence[str], cells: Sequence[tuple[int, int, Score]]) -> Table:
    """Win rates of the player of the row against the one of the column, adjusted where they are.

    Args:
        title: above it.
        specs: the players.
        cells: row, column, and what stands there.
    """
    grid = [["" for _ in specs] for _ in specs]
    for row, column, score in cells:
        grid[row][column] = f"{100 * score.adjusted:.1f} ({_interval(score.adjusted_low, score.adjusted_high)})"
    table = Table(title=title, caption="win % of the row's player against the column's, 95 % interval")
    return _fill_square(table, specs, grid)


def rating_table(title: str, ratings: Sequence[Rating]) -> Table:
    """Plackett-Luce ratings, the strongest first."""
    table = Table(title=title, caption="win %: where every other seat has a player of rating 0, the mean")
    table.add_column("player")
    for heading in ("rating", "95 % interval", "win %", "95 % interval"):
        table.add_column(heading, justify="right")
    for one in sorted(ratings, key=lambda rating: -rating.rating):
        bounds = chances = "not bounded"
        if one.low is not None and one.high is not None and one.chance_low is not None and one.chance_high is not None:
            bounds, chances = f"{one.low:.2f} to {one.high:.2f}", _interval(one.chance_low, one.chance_high)
        table.add_row(one.player, f"{one.rating:.2f}", bounds, f"{100 * one.win_chance:.1f}", chances)
    return table


def kingmaking_table(title: str, specs: Sequence[str], found: Sequence[Influence]) -> Table:
    """What the presence of the player of the row adds to the win rate of the one of the column, in percentage points.

    Args:
        title: above it.
        specs: the players.
        found: as `influences` gives it: for each player in turn, of each other one.
    """
    grid = [["" for _ in specs] for _ in specs]
    pairs = [(present, player) for player in range(len(specs)) for present in range(len(specs)) if present != player]
    for (present, player), one in zip(pairs, found, strict=True):
        grid[present][player] = _around(one.added, one.low, one.high, sign="+")
    caption = "what the row's player at the table adds to the column's win %, 95 % interval"
    return _fill_square(Table(title=title, caption=caption), specs, grid)


def _fill_square(table: Table, specs: Sequence[str], grid: Sequence[Sequence[str]]) -> Table:
    table.add_column("")
    for spec in specs:
        table.add_column(spec, justify="right")
    for spec, row in zip(specs, grid, strict=True):
        table.add_row(spec, *row)
    return table


def protocol_table(title: str, sections: Sequence[Section], overall: Mean | None) -> Table:
    """The score table of a protocol, the means of its rule sets, and the headline."""
    table = Table(title=title)
    table.add_column("rules")
    table.add_column("against")
    for heading in ("games", "win %", "95 % interval", "adjusted, 95 %", "worth", "even %"):
        table.add_column(heading, justify="right")
    for section in sections:
        for score in section.scores:
            games, rate, bounds, adjusted, worth, even, *_ = _score_cells(score, is_adjusted=True)
            told = (adjusted, worth) if section.adjuster else ("-", "-")
            table.add_row(section.rules, score.against, games, rate, bounds, *told, even)
        if section.mean:
            mean = _around(section.mean.win_rate, section.mean.low, section.mean.high, 2)
            raw, adjusted = ("", mean) if section.adjuster else (mean, "")
            table.add_row(section.rules, "mean", "", "", raw, adjusted, "", "", end_section=True)
        else:
            table.add_row(section.rules, "cannot be played", *["-"] * 6, end_section=True)
    captions = [f"{one.rules}: adjusted by {one.adjuster.name}" for one in sections if one.adjuster]
    captions += [f"{section.rules}: {section.reason}" for section in sections if section.reason]
    captions.append("score: none, since not every rule set can be played")
    if overall:
        captions[-1] = (
            f"score (mean of all rows): {100 * overall.win_rate:.2f}, {_interval(overall.low, overall.high, 2)}"
        )
    table.caption = "\n".join(captions)
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
