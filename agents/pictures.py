"""Pictures of a training's course and of an evaluation, as PNG and SVG. Needs matplotlib, but no display.

    python -m agents.pictures runs/first      # draws a run's progress anew

Colours are those of Okabe and Ito, told apart by colour-blind people too, and never the only sign.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from agents.evaluation import Score
from agents.intervals import wilson_interval
from agents.progress import PROGRESS_FILE, ProgressLog, ProgressRow, read_progress
from agents.ratings import Rating
from agents.reporting import run_program, warn
from sorry_env.errors import SorryError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS: Final = ("png", "svg")
DPI: Final = 150
PALETTE: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS: Final = "osD^vPX"
MOST_POINTS: Final = 20  # of a curve: rows are put together to so many
SELVES: Final = "earlier selves"
NEEDS: Final = "matplotlib is not installed: pip install matplotlib"
STYLE: Final[dict[Any, Any]] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "axes.axisbelow": True,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "sorry-env",  # the same picture, the same bytes
}


# --- A training's course ---


@contextlib.contextmanager
def recording(folder: Path, timesteps: int, title: str, even: float, program: str) -> Iterator[ProgressLog]:
    """A log of a run's progress, of which a picture is drawn at the end, also of a run that was broken off.

    Args:
        folder: the run's.
        timesteps: what was learned from before.
        title: above the picture.
        even: what equal players would win, 0 to 1.
        program: who warns on stderr where matplotlib is missing.
    """
    log = ProgressLog(folder, timesteps)
    try:
        yield log
    finally:
        if find_spec("matplotlib"):
            draw_progress(folder, title, even)
        else:
            warn(program, f"no progress.png: {NEEDS}")


def draw_progress(folder: Path, title: str, even: float | None = None) -> list[Path]:
    """Draws `progress.png` and `.svg` from a run's `progress.jsonl`: win rates with 95 % intervals, and the loss.

    Args:
        folder: the run's.
        title: above the picture.
        even: what equal players would win, 0 to 1; drawn as a line.

    Returns:
        The files; none where there is no row yet.
    """
    rows = read_progress(folder)
    if not rows:
        return []
    with _drawing():
        figure = _new_figure(8, 6.4)
        rates, losses = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        _draw_rates(rates, rows, even)
        _draw_loss(losses, rows)
        figure.suptitle(title, fontsize=11)
        return _save(figure, folder / "progress")


def win_rate_curves(rows: Sequence[ProgressRow]) -> dict[str, np.ndarray]:
    """Win rates along a run, by opponent, earlier selves as one.

    Returns:
        Of each opponent float64 (points, 4): games of the run, win rate, and the ends of its 95 % interval (Wilson's)
        over the games against it since the point before.
    """
    edges = np.linspace(0, rows[-1].games, MOST_POINTS + 1)[1:]
    counts: dict[str, dict[int, tuple[int, int, int]]] = {}  # by opponent and point: games, won ones, where
    for row in rows:
        point = int(np.searchsorted(edges, row.games))
        for name, (games, won) in row.results.items():
            known = counts.setdefault(SELVES if name.startswith("self-") else name, {})
            before = known.get(point, (0, 0, 0))
            known[point] = before[0] + games, before[1] + won, row.games
    return {
        name: np.array([(at, won / games, *wilson_interval(won, games)) for games, won, at in known.values() if games])
        for name, known in counts.items()
        if any(games for games, _, _ in known.values())
    }


def _draw_rates(axes: Axes, rows: Sequence[ProgressRow], even: float | None) -> None:
    curves = win_rate_curves(rows)
    for k, (name, curve) in enumerate(curves.items()):
        color, marker = PALETTE[k % len(PALETTE)], MARKERS[k % len(MARKERS)]
        at, rate, low, high = curve.T
        axes.fill_between(at, 100 * low, 100 * high, color=color, alpha=0.18, linewidth=0)
        axes.plot(
            at, 100 * rate, color=color, marker=marker, markersize=4, linewidth=1.4, label=f"against {_short(name)}"
        )
    if even is not None:
        axes.axhline(100 * even, color="#555555", linestyle="--", linewidth=1, label=f"even, {100 * even:.0f} %")
    axes.set_ylabel("games won, %\n(band: 95 % interval)")
    if curves or even is not None:
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)


def _draw_loss(axes: Axes, rows: Sequence[ProgressRow]) -> None:
    games, losses = np.array([(row.games, row.loss) for row in rows]).T
    width = len(rows) // MOST_POINTS
    axes.plot(games, losses, color="#888888", linewidth=0.8 if width > 1 else 1.4, label="each report")
    if width > 1:
        mean = np.convolve(losses, np.ones(width) / width, mode="valid")
        axes.plot(games[width - 1 :], mean, color=PALETTE[0], linewidth=1.6, label=f"mean of {width}")
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)
    axes.set_ylabel("loss")
    axes.set_xlabel("games")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlim(left=0)


# --- An evaluation ---


def draw_evaluation(
    folder: Path,
    title: str,
    ratings: Sequence[Rating],
    specs: Sequence[str],
    cells: Sequence[tuple[int, int, Score]],
) -> list[Path]:
    """Draws `ratings` and, of three or more players that met in pairs or fields, `cross-table`, each as PNG and SVG.

    Args:
        folder: where the files go, made where it is missing.
        title: above each picture.
        ratings: of every player.
        specs: the players.
        cells: row, column and score of each entry of the cross-table.

    Returns:
        The files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _drawing():
        figure = _new_figure(7.5, 1.6 + 0.45 * len(ratings))
        _draw_ratings(figure.subplots(), ratings)
        figure.suptitle(title, fontsize=11)
        files = _save(figure, folder / "ratings")
        if cells:
            figure = _new_figure(3 + 1.15 * len(specs), 1.9 + 0.85 * len(specs))
            _draw_cross_table(figure, figure.subplots(), specs, cells)
            figure.suptitle(title, fontsize=11)
            files += _save(figure, folder / "cross-table")
    return files


def _draw_ratings(axes: Axes, ratings: Sequence[Rating]) -> None:
    """A point a player with its interval, the strongest on top; hollow where no interval bounds it."""
    ordered = sorted(ratings, key=lambda one: one.rating)
    for at, one in enumerate(ordered):
        if one.low is None or one.high is None:
            axes.plot(one.rating, at, marker="o", color=PALETTE[0], fillstyle="none", linestyle="none")
            note = "  open"
        else:
            reach = [[one.rating - one.low], [one.high - one.rating]]
            axes.errorbar(one.rating, at, xerr=reach, fmt="o", color=PALETTE[0], capsize=4)
            note = f"{one.rating:+.2f}"
        _annotate(axes, at, f"{note}  {100 * one.win_chance:3.0f} %")
    _annotate(axes, len(ordered) - 0.4, "rating  wins")
    axes.axvline(0, color="#555555", linestyle="--", linewidth=1)
    axes.set_yticks(range(len(ordered)), [_short(one.player) for one in ordered])
    axes.set_ylim(-0.6, len(ordered) - 0.4)
    axes.set_xlabel(
        "rating: natural logarithm of the strength, the mean is 0; bar: 95 % interval (hollow: open)\n"
        "wins: of games in which every other seat has a player of rating 0",
        fontsize=9,
    )


def _annotate(axes: Axes, at: float, text: str) -> None:
    """A text on the right of a line."""
    place = (1.02, at)
    axes.annotate(text, place, xycoords=("axes fraction", "data"), va="center", fontsize=9, family="monospace")


def _draw_cross_table(
    figure: Figure, axes: Axes, specs: Sequence[str], cells: Sequence[tuple[int, int, Score]]
) -> None:
    """Win rates of the row's player against the column's: purple above even, orange below, the number in the cell."""
    from matplotlib.colors import TwoSlopeNorm

    grid = np.full((len(specs), len(specs)), np.nan)
    for row, column, score in cells:
        grid[row, column] = 100 * score.adjusted
    even = 100 * cells[0][2].even
    image = axes.imshow(grid, cmap="PuOr", norm=TwoSlopeNorm(even, 0, 100), aspect="auto")
    for row, column, score in cells:
        luminance = np.dot(image.to_rgba(grid[row, column])[:3], (0.2126, 0.7152, 0.0722))
        text, color = (
            f"{grid[row, column]:.1f}\n± {100 * score.half_width:.1f}",
            "white" if luminance < 0.45 else "black",
        )
        axes.text(column, row, text, ha="center", va="center", fontsize=10, color=color)
    names = [_short(spec) for spec in specs]
    axes.set_xticks(range(len(specs)), names, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(specs)), names)
    axes.set_xlabel("against")
    axes.set_facecolor("#EEEEEE")
    axes.grid(False)
    figure.colorbar(image, label=f"games won by the row's player, %\n(± 95 % interval; even is {even:.0f})")


# --- What all pictures share ---


@contextlib.contextmanager
def _drawing() -> Iterator[None]:
    import matplotlib as mpl

    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells of its font cache
    with mpl.rc_context(STYLE):
        yield


def _new_figure(width: float, height: float) -> Figure:
    """A figure of so many inches, which no window shows."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _save(figure: Figure, path: Path) -> list[Path]:
    """Writes PATH.png and PATH.svg aside and renames them into place."""
    files = []
    for form in FORMATS:
        file, aside = path.with_name(f"{path.name}.{form}"), path.with_name(f".{path.name}.{form}.part")
        figure.savefig(aside, format=form, dpi=DPI, metadata={"Date": None} if form == "svg" else None)
        os.replace(aside, file)
        files.append(file)
    return files


def _short(spec: str) -> str:
    """A player's name that fits beside a picture: of a path its end."""
    return spec if len(spec) <= 24 else f"…{spec[-23:]}"


def check_drawing(what: str) -> None:
    """Raises SorryError where `what` cannot be drawn, since a library is missing."""
    for library in ("matplotlib", "choix"):
        if not find_spec(library):
            raise SorryError(f"{what}: needs {library}: pip install {library}")


def main() -> None:
    """Draws a run's progress anew."""
    arguments: list[Any] = sys.argv[1:]
    if len(arguments) != 1:
        raise SorryError("give one folder that train.py wrote, such as: python -m agents.pictures runs/first")
    if not find_spec("matplotlib"):
        raise SorryError(NEEDS)
    files = draw_progress(Path(arguments[0]), arguments[0])
    if not files:
        raise SorryError(f"{arguments[0]!r}: there is no {PROGRESS_FILE} with a row in it")
    print("\n".join(map(str, files)))


if __name__ == "__main__":
    run_program(main, "agents.pictures")
