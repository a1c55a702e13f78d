"""Whether the engine has become slower: its time beside that of a fixed compiled loop in the same run.

    python bench/guard.py            # compares with bench/guard.json, exit code 1 where something is slower
    python bench/guard.py --write    # after a change that is meant: writes what is measured now

A ratio is the best time of a decision over the best time of one step of the loop, each the best of rounds that take
turns, so neither a slower machine nor a busy one counts as slower code. A machine of another kind may weigh the two
otherwise: hence the wide tolerance, which still sees a lost inlining, a reference count or an array view per row.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from throughput import Measure, afterstates, engine, python_step

BASELINE = Path(__file__).parent / "guard.json"
TOLERANCE = 1.25
ROUNDS = 25
GAMES = 256
WORK = 25_000
LOOP_STEPS = 200_000


@njit
def loop(table: np.ndarray, steps: int) -> int:
    """Multiplies, shifts, loads that depend on each other, and a branch that nobody can predict."""
    x, total = 88172645463325252, 0
    for _ in range(steps):
        x ^= (x << 13) & 0x7FFFFFFFFFFFFFFF
        x ^= x >> 7
        x ^= (x << 17) & 0x7FFFFFFFFFFFFFFF
        value = table[x & 1023]
        if value & 1:
            total += table[(value + x) & 1023]
        else:
            total ^= value
    return total


def calibration() -> Measure:
    """Steps a second of the fixed loop."""
    table = np.random.default_rng(0).integers(0, 1 << 20, 1024)

    def run() -> float:
        begun = time.perf_counter()
        loop(table, LOOP_STEPS)
        return LOOP_STEPS / (time.perf_counter() - begun)

    return run


def measured() -> dict[str, float]:
    """Each thing's best time a decision, in steps of the loop."""
    measures: dict[str, Measure] = {"loop": calibration()}
    for rules in ("classic:players=4", "team-points"):
        measures[f"engine {rules}"] = engine(rules, GAMES, 1, WORK)
        measures[f"float32 {rules}"] = engine(rules, GAMES, 1, WORK, "float32")
        measures[f"step {rules}"] = python_step(rules, GAMES, 1, WORK, with_sample=False)
        measures[f"afterstates {rules}"] = afterstates(rules, GAMES, 1, WORK)
    best = dict.fromkeys(measures, 0.0)
    for k in range(ROUNDS + 1):
        for name, run in measures.items():
            rate = run()
            if k:  # the first round compiles
                best[name] = max(best[name], rate)
    return {name: best["loop"] / rate for name, rate in best.items() if name != "loop"}


def main() -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="make what is measured the new baseline")
    writes = parser.parse_args().write
    ratios = measured()
    if writes:
        rounded = {name: round(ratio, 2) for name, ratio in ratios.items()}
        BASELINE.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")
        return 0
    baseline: dict[str, Any] = json.loads(BASELINE.read_text(encoding="utf-8"))
    if any(ratio > TOLERANCE * baseline[name] for name, ratio in ratios.items()):
        print("measured again, as a busy machine may have been the reason")
        ratios = {name: min(ratio, ratios[name]) for name, ratio in measured().items()}
    print(f"{'steps of the loop a decision':<32}{'baseline':>10}{'now':>10}{'ratio':>8}")
    slower = []
    for name, ratio in ratios.items():
        change = ratio / baseline[name]
        print(f"{name:<32}{baseline[name]:10.2f}{ratio:10.2f}{change:8.2f}")
        if change > TOLERANCE:
            slower.append(name)
    if slower:
        print(f"slower than {TOLERANCE} times the baseline: {', '.join(slower)}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
