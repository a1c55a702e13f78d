"""Perfect play of games small enough: all positions, solved by value iteration.

Only draw games of two with the replacement deck are a matter of pawns alone: there a position before a draw is where
both sides' pawns stand and who draws. With opposite seats both sides are alike, so who draws is taken for the first.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Final

import numpy as np

from sorry_env.actions import MAX_PAWNS
from sorry_env.board import CIRCLE, HOME, START
from sorry_env.cards import NUM_CARDS, TWO
from sorry_env.engine import solving
from sorry_env.engine.parameters import MOST_ACTIONS, parameter_row
from sorry_env.engine.solitaire import card_odds
from sorry_env.errors import PolicyError, RulesError, SorryError
from sorry_env.rules import Rules

MOST_STATES: Final = 20_000_000
TOLERANCE: Final = 1e-8
FORMAT: Final = "sorry-solution 1"
MOST_BYTES: Final = 400_000_000
_PLACES: Final = HOME + 1


@dataclass(frozen=True)
class Solution:
    """Values of perfect play.

    Attributes:
        rules: the rules record.
        values: float64 (n n,): probability that who draws wins, by state (see `engine/solving.py`); 0.5 where no game
            can stand so.
        num_states: positions of unfinished games.
    """

    rules: Rules
    values: np.ndarray
    num_states: int

    @property
    def first_mover(self) -> float:
        """Probability that who begins wins: the value of the set-up."""
        pawns = [START] * (self.rules.pawns - self.rules.pawns_out) + [CIRCLE] * self.rules.pawns_out
        number = sum(int(_ranks()[slot, progress]) for slot, progress in enumerate(pawns))
        return float(self.values[number * math.isqrt(len(self.values)) + number])

    def action_values(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What each legal action of some open decisions is worth to the mover.

        Args:
            rows: int16 (N, W) game rows.

        Returns:
            Legal actions int16 (N, 600), their win probabilities float64 (N, 600), how many there are int64 (N,).
        """
        actions = np.zeros((len(rows), MOST_ACTIONS), np.int16)
        qualities, counts = np.zeros((len(rows), MOST_ACTIONS)), np.zeros(len(rows), np.int64)
        solving.action_values(rows, parameter_row(self.rules), _ranks(), self.values, actions, qualities, counts)
        return actions, qualities, counts


def _ranks() -> np.ndarray:
    """int32 (4, 67): what a progress in a slot adds to the number of a side's sorted pawns."""
    return np.array([[math.comb(place + i, i + 1) for place in range(_PLACES)] for i in range(MAX_PAWNS)], np.int32)


def _places(pawns: int) -> np.ndarray:
    """int16 (n, 4): sorted progress of a side's pawns by number, unused slots at Home."""
    every = sorted(combinations_with_replacement(range(_PLACES), pawns), key=lambda slots: slots[::-1])
    places = np.full((len(every), MAX_PAWNS), HOME, np.int16)
    places[:, :pawns] = every
    return places


def count_states(rules: Rules) -> float:
    """How many positions of pawns, and of piles where cards do not go back, a game has at most; hands come on top."""
    pawns = math.comb(_PLACES + rules.pawns - 1, rules.pawns) ** rules.players
    piles = 1 if rules.deck == "replacement" else math.prod(count + 1 for count in rules.deck_counts)
    return float(pawns * piles)


def check_solvable(rules: Rules) -> None:
    """Raises RulesError where the solver cannot solve the game; the message says why, and how large it would be."""
    size = f"{rules.spec()} has up to {count_states(rules):.2g} states"
    if rules.hand_size or rules.deck != "replacement":
        raise RulesError(f"deck: {size}; the solver takes draw games with the replacement deck (deck=replacement)")
    if rules.colors not in ("RY", "BG"):
        raise RulesError(f"players: {size}; the solver takes two on opposite seats, not {rules.colors!r}")
    if count_states(rules) > MOST_STATES:
        raise RulesError(f"pawns: {size}; the solver takes at most {MOST_STATES:.0e}")


def solve(rules: Rules, report: Callable[[str, float], None] | None = None) -> Solution:
    """Solves a game.

    Args:
        rules: two players on opposite seats, replacement deck, few pawns.
        report: told what is being done and what part of it is done, 0 to 1.

    Raises:
        RulesError: a game that the solver cannot solve.
    """
    check_solvable(rules)
    tell = report or (lambda what, part: None)
    p, ranks, places = parameter_row(rules), _ranks(), _places(rules.pawns)
    n = len(places)
    tell("counting moves", 0.0)
    counts = np.zeros((n, n, NUM_CARDS), np.uint8)
    solving.count_successors(p, places, counts)
    by_own = counts.reshape(n, -1).sum(axis=1, dtype=np.int64)
    ends = np.cumsum(by_own)
    starts = ends - by_own
    successors = np.empty(int(ends[-1]), np.int32)
    for own in range(0, n, 64):
        tell("listing moves", own / n)
        stop = min(own + 64, n)
        solving.list_successors(p, places, ranks, counts, own, stop, successors[starts[own] : ends[stop - 1]])
    odds = card_odds(rules)
    stays = np.array([card == TWO and rules.two_draws_again for card in range(NUM_CARDS)])
    values = np.full(n * n, 0.5)
    change = 1.0
    while change > TOLERANCE:
        change = float(solving.sweep(values, counts, starts, successors, odds, stays))
        tell("value iteration", min(1.0, math.log(max(change, TOLERANCE)) / math.log(TOLERANCE)))
    return Solution(rules, values, int((counts[:, :, 0] > 0).sum()))


# --- Files ---


def solution_path(rules: Rules) -> Path:
    """Where a solution is kept by default: in the user's cache folder, or in $SORRY_ENV_CACHE."""
    folder = os.environ.get("SORRY_ENV_CACHE")
    base = Path(folder) if folder else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sorry-env"
    return base / (rules.with_options(first_player="random", scoring="win").spec().replace(":", "-") + ".solution.npz")


def save_solution(solution: Solution, path: Path) -> None:
    """Writes the file aside and renames it. Raises SorryError where that is not possible."""
    facts = json.dumps({"format": FORMAT, "rules": solution.rules.spec(), "states": solution.num_states})
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as file:
            np.savez(file, facts=np.array(facts), values=solution.values.astype(np.float64))
        aside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise SorryError(f"solution: {str(path)!r} cannot be written: {error.strerror}") from None


def load_solution(path: Path, rules: Rules) -> Solution:
    """Reads a solution; nothing is unpickled.

    Raises:
        PolicyError: a file that is missing, damaged, too large or for another game.
    """
    if not path.is_file():
        raise PolicyError(f"solution: no file {str(path)!r}; make it with: sorry-env solve {rules.spec()}")
    try:
        with path.open("rb") as raw:
            with zipfile.ZipFile(raw) as archive:
                unpacked = sum(part.file_size for part in archive.infolist())
            if unpacked > MOST_BYTES:
                raise PolicyError(f"solution: {str(path)!r} unpacks to {unpacked} bytes, more than {MOST_BYTES}")
            raw.seek(0)
            with np.load(raw, allow_pickle=False) as file:
                facts, values = json.loads(str(file["facts"])), file["values"]
    except PolicyError:
        raise
    except (OSError, ValueError, KeyError, EOFError, RecursionError, zipfile.BadZipFile) as error:
        raise PolicyError(f"solution: {str(path)!r} cannot be read: {error}") from None
    size = math.comb(_PLACES + rules.pawns - 1, rules.pawns) ** 2
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise PolicyError(f"solution: {str(path)!r} is not a file of {FORMAT!r}")
    if facts.get("rules") != rules.with_options(first_player="random", scoring="win").spec():
        raise PolicyError(f"solution: {str(path)!r} is for {facts.get('rules')!r}, not for {rules.spec()!r}")
    if values.shape != (size,) or values.dtype != np.float64 or not ((values >= 0) & (values <= 1)).all():
        raise PolicyError(f"solution: {str(path)!r} holds no {size} probabilities")
    return Solution(rules, values, int(facts.get("states", 0)))
