"""Engine against reference for long: `python tests/long_agreement.py --decisions 10000000 --workers 2`."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time

from agreement import Task, run_task, tasks
from strategies import SPECS

SHARE = 1_000
MOST_SHOWN = 20


def run(work: list[Task], workers: int, every: float) -> tuple[int, list[str]]:
    """Compares all shares; prints progress every so many seconds."""
    total = sum(decisions for *_, decisions in work)
    began = shown = time.monotonic()
    done, differences = 0, list[str]()
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for decisions, found in pool.imap_unordered(run_task, work):
            done += decisions
            for line in found[: max(0, MOST_SHOWN - len(differences))]:
                print(line, flush=True)
            differences += found
            now = time.monotonic()
            if now - shown >= every:
                shown, rate = now, done / (now - began)
                left = max(0, total - done) / rate
                print(f"{done} of {total} decisions, {rate:.0f} a second, {left / 60:.1f} min left", flush=True)
    return done, differences


def main() -> int:
    """Returns the exit code: 1 on any disagreement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=10_000_000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1_000_000, help="runs with far seeds share no decision")
    parser.add_argument("--every", type=float, default=15, help="seconds between lines of progress")
    arguments = parser.parse_args()
    work = tasks(SPECS, arguments.decisions, SHARE, arguments.seed)
    done, differences = run(work, arguments.workers, arguments.every)
    print(f"{done} decisions, {len(differences)} disagreements")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
