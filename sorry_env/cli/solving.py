"""`sorry-env solve`: values of perfect play of a small game, kept as a file."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from sorry_env.rules import rules_from
from sorry_env.solver import check_solvable, save_solution, solution_path, solve


def run_solve(rules: str, out: str | None) -> None:
    """Solves, shows how far it is, writes the file and prints what was found. Raises SorryError."""
    record = rules_from(rules).with_options(first_player="random", scoring="win")
    check_solvable(record)
    path = Path(out) if out else solution_path(record)
    if not path.suffix:
        path = path.with_suffix(".npz")
    begun = shown = time.monotonic()
    is_terminal = sys.stderr.isatty()

    def report(what: str, part: float) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown >= (0.5 if is_terminal else 15):
            shown = now
            line = f"{what:<16} [{'#' * round(30 * part):<30}] {now - begun:5.0f} s"
            print(f"\r{line}" if is_terminal else line, end="" if is_terminal else "\n", file=sys.stderr, flush=True)

    solution = solve(record, report)
    if is_terminal:
        print("\r" + " " * 64 + "\r", end="", file=sys.stderr, flush=True)
    save_solution(solution, path)
    print(f"rules        {record.spec()}")
    print(f"states       {solution.num_states}")
    print(f"first mover  wins {100 * solution.first_mover:.4f} %")
    print(f"seconds      {time.monotonic() - begun:.1f}")
    print(f"file         {path}")
