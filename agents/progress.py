"""A run's course as a file that programs and people read: one JSON object a line, one line a report of the learner."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from sorry_env.errors import SorryError
from sorry_env.files import write_text

PROGRESS_FILE: Final = "progress.jsonl"


@dataclass(frozen=True)
class ProgressRow:
    """What a learner reports.

    Attributes:
        games: games so far.
        timesteps: positions or decisions learned from so far.
        seconds: time trained so far.
        loss: mean over the gradient steps since the row before.
        results: games and won games since the row before, by opponent.
    """

    games: int
    timesteps: int
    seconds: float
    loss: float
    results: Mapping[str, tuple[int, int]]


class ProgressLog:
    """Adds rows to a run's `progress.jsonl`.

    Args:
        folder: the run's, made where it is missing.
        timesteps: what was learned from before; rows of more, of a run that was resumed from an earlier checkpoint, or
            of another run, are dropped.
    """

    def __init__(self, folder: Path, timesteps: int) -> None:
        self._path = folder / PROGRESS_FILE
        folder.mkdir(parents=True, exist_ok=True)
        kept = [row for row in read_progress(folder) if row.timesteps <= timesteps] if timesteps else []
        write_text(self._path, "".join(map(_line, kept)))

    def add(self, row: ProgressRow) -> None:
        """Adds a row."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line(row))


def read_progress(folder: Path) -> list[ProgressRow]:
    """The rows of a run's folder; none where there is no file. A last line that was not written to its end is left out.

    Raises:
        SorryError: a line that is no row.
    """
    path = folder / PROGRESS_FILE
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    return [_row(path, number, line) for number, line in enumerate(lines[:-1], 1)]


def _line(row: ProgressRow) -> str:
    return json.dumps(asdict(row)) + "\n"


def _row(path: Path, number: int, line: str) -> ProgressRow:
    try:
        found: dict[str, Any] = json.loads(line)
        results = {name: (int(games), int(won)) for name, (games, won) in found.pop("results").items()}
        numbers = {key: float(value) for key, value in found.items()}
        games, timesteps = int(numbers.pop("games")), int(numbers.pop("timesteps"))
        return ProgressRow(games, timesteps, results=results, **numbers)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise SorryError(f"{str(path)!r} line {number}: {line[:60]!r} is no row of {PROGRESS_FILE}") from None
