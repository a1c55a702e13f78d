"""Seconds of whole processes: import alone, and import, reset and one step, with an empty and with a warm cache.

    python bench/startup.py --repeats 5

Also times a fixed pure-Python loop in the same run, so that a busy machine can be told from a slow program.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

IMPORT = "import sorry_env"
FIRST_STEP = """
from sorry_env import sorry_v0
env = sorry_v0.env(rules="classic", players=4)
env.reset(seed=1)
seen, *_ = env.last()
env.step(env.action_space(env.agent_selection).sample(seen["action_mask"]))
"""
LOOP = "x = 0\nfor i in range(10_000_000): x += i * i"


def seconds(program: str, cache: str) -> float:
    """Wall time of a fresh process in seconds."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ | {"NUMBA_CACHE_DIR": cache})
    return time.perf_counter() - begun


def main() -> None:
    """Measures and prints one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, help="processes of each kind")
    repeats = parser.parse_args().repeats
    figures: dict[str, list[float]] = {name: [] for name in ("loop", "import", "first step, cold", "first step, warm")}
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            figures["loop"].append(seconds(LOOP, cache))
            figures["import"].append(seconds(IMPORT, cache))
            figures["first step, cold"].append(seconds(FIRST_STEP, cache))
            figures["first step, warm"].append(seconds(FIRST_STEP, cache))
    print(f"{'process':<18} {'min':>6} {'median':>6} {'max':>6}   seconds, {repeats} runs")
    for name, runs in figures.items():
        print(f"{name:<18} {min(runs):6.2f} {statistics.median(runs):6.2f} {max(runs):6.2f}")


if __name__ == "__main__":
    main()
