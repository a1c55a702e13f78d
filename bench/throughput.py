"""Decisions a second of everything that plays, on this machine.

    python bench/throughput.py                      # all of it, about six minutes
    python bench/throughput.py --only batch --rules classic:players=4 --repeats 9

Sections: `batch` (B games as arrays, by number of games and threads), `rules` (every rule set at B 1024), `single` (the
PettingZoo and Gymnasium environments, one game at a time, and the rules un-jitted) and `memory` (bytes a game, and a
million games at once). A decision is one card draw or hand choice, forced ones too (`auto_forced` is off). Measurements
of a row take turns, so that a busy minute hits all alike; a fixed pure-Python loop is timed at both ends.

Columns of `batch` and `rules`, millions a second:
    engine        random play inside compiled code
    mask          the same, the mask of every decision written
    float32       mask and float32 observation written
    uint8         mask and uint8 observation written
    step          Batch.step from Python: mask, float32 observation, rewards, ends, new games; choosing is not timed
    step+sample   the same with Batch.sample
    afterstates   Batch.afterstates, resulting positions with float32 features
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sorry_env import Batch, sorry_v0
from sorry_env.batch import LOOK, Afterstates
from sorry_env.engine import kernels
from sorry_env.engine.parameters import WIDTH, parameter_row
from sorry_env.engine.rows import stream_rows
from sorry_env.rules import PRESETS, rules_from

Measure = Callable[[], float]  # runs once, returns decisions (or positions) a second
SIZES = (1, 64, 1024, 8192, 65536)
COLUMNS = ("engine", "mask", "float32", "uint8", "step", "step+sample", "afterstates")
LOOP = 2_000_000


def warm_up(batch: Batch) -> None:
    """Plays into the middle of games, as the opening is cheaper than the rest."""
    batch.reset()
    nothing = np.zeros((batch.num_games, 0), np.int8), np.zeros((batch.num_games, 0), batch._dtype), batch._units
    kernels.play_at_random(batch.states, batch._streams, batch.parameters, 150, *nothing)
    batch.step(LOOK)


def engine(rules: str, games: int, threads: int, work: int, shown: str = "") -> Measure:
    """Random play inside the engine; `shown` is "" (nothing), "mask", "float32" or "uint8"."""
    dtype = {"float32": np.float32, "uint8": np.uint8}.get(shown)
    batch = Batch(rules, games, 1, observation_dtype=dtype, auto_forced=False)  # type: ignore[arg-type]  # a union of types
    streams, plies = batch._streams, max(1, work // games)
    masks = batch.masks if shown else np.zeros((games, 0), np.int8)
    cuts = np.linspace(0, games, min(threads, games) + 1).astype(int).tolist()
    shares = [slice(a, b) for a, b in pairwise(cuts)]

    def play(share: slice) -> None:
        shared = masks[share], batch.observations[share], batch._units
        kernels.play_at_random(batch.states[share], streams[share], batch.parameters, plies, *shared)

    pool = ThreadPoolExecutor(len(shares))
    warm_up(batch)

    def run() -> float:
        begun = time.perf_counter()
        list(pool.map(play, shares))
        return plies * games / (time.perf_counter() - begun)

    return run


def python_step(rules: str, games: int, threads: int, work: int, with_sample: bool) -> Measure:
    """`Batch.step` from Python, one action in each game a call."""
    batch = Batch(rules, games, 1, auto_forced=False, auto_reset=True, threads=threads)
    warm_up(batch)
    steps = max(1, work // games)

    def run() -> float:
        spent = 0.0
        for _ in range(steps):
            if with_sample:
                begun = time.perf_counter()
                batch.step(batch.sample())
            else:
                actions = batch.sample()
                begun = time.perf_counter()
                batch.step(actions)
            spent += time.perf_counter() - begun
        return steps * games / spent

    return run


def afterstates(rules: str, games: int, threads: int, work: int) -> Measure:
    """`Batch.afterstates` of positions that random play reaches."""
    batch = Batch(rules, games, 1, auto_forced=False, auto_reset=True, threads=threads)
    warm_up(batch)
    calls = max(1, work // (4 * games))
    most = batch.counts.sum() * 2 + 1000  # room for the busiest moment
    width = batch.observations.shape[1]
    buffer = Afterstates(
        np.zeros(0, np.int64),
        np.zeros(most, np.int16),
        np.zeros(most, np.int8),
        np.zeros(most, np.bool_),
        np.zeros((most, width), np.float32),
    )

    def run() -> float:
        spent, made = 0.0, 0
        for _ in range(calls):
            begun = time.perf_counter()
            found = batch.afterstates(buffer)
            made += len(found.actions)
            spent += time.perf_counter() - begun
            batch.step(batch.sample())
        return made / spent

    return run


def batch_measures(rules: str, games: int, threads: int, work: int) -> dict[str, Measure]:
    """All columns of a row."""
    made: dict[str, Measure] = {"engine": engine(rules, games, threads, work)}
    for shown in ("mask", "float32", "uint8"):
        made[shown] = engine(rules, games, threads, work, shown)
    made["step"] = python_step(rules, games, threads, work, with_sample=False)
    made["step+sample"] = python_step(rules, games, threads, work, with_sample=True)
    made["afterstates"] = afterstates(rules, games, threads, work)
    return made


# --- One game at a time ---


def aec(wrapped: bool, rules: str, work: int) -> Measure:
    """The PettingZoo loop with masked random actions, raw or with the usual wrappers."""
    env: Any = (sorry_v0.env if wrapped else sorry_v0.raw_env)(rules=rules)
    rng = np.random.default_rng(0)
    env.reset(seed=1)

    def run() -> float:
        made = 0
        begun = time.perf_counter()
        while made < work:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(rng.random() * len(legal))]))
            made += 1
        return made / (time.perf_counter() - begun)

    return run


def aec_alone(rules: str, work: int) -> Measure:
    """The raw PettingZoo environment alone: `last` and `step` are timed, choosing among the legal actions is not."""
    env: Any = sorry_v0.raw_env(rules=rules)
    rng = np.random.default_rng(0)
    env.reset(seed=1)

    def run() -> float:
        made, spent = 0, 0.0
        while made < work:
            begun = time.perf_counter()
            observation, _, terminated, truncated, _ = env.last()
            spent += time.perf_counter() - begun
            if terminated or truncated:
                env.reset()
                continue
            legal = observation["action_mask"].nonzero()[0]
            action = int(legal[int(rng.random() * len(legal))])
            begun = time.perf_counter()
            env.step(action)
            spent += time.perf_counter() - begun
            made += 1
        return made / spent

    return run


def gymnasium_single(rules: str, work: int) -> Measure:
    """`gymnasium.make` with a random opponent in each other seat, forced plies shown."""
    import gymnasium

    env: Any = gymnasium.make("sorry_env:Sorry-v0", rules=rules, opponents=["random"], auto_forced=False)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=1)

    def run() -> float:
        nonlocal info
        begun = time.perf_counter()
        for _ in range(work):
            legal = info["action_mask"].nonzero()[0]
            _, _, terminated, truncated, info = env.step(int(legal[int(rng.random() * len(legal))]))
            if terminated or truncated:
                _, info = env.reset()
        return work / (time.perf_counter() - begun)

    return run


class _NoColumns(list[Any]):
    """Rows without columns."""

    shape = (1, 0)


def plain_python(rules: str, work: int) -> float:
    """Decisions a second of the rules as plain functions on lists of integers; wants NUMBA_DISABLE_JIT=1."""
    p = [parameter_row(rules_from(rules))[0].tolist()]
    game, stream = [[0] * p[0][WIDTH]], stream_rows(1, 1).tolist()
    nothing = _NoColumns([[]]), _NoColumns([[]]), [[1, 1]]
    kernels.set_up_one(game, p, stream, 0, -1)
    kernels.play_at_random(game, stream, p, work // 4, *nothing)
    begun = time.perf_counter()
    kernels.play_at_random(game, stream, p, work, *nothing)
    return work / (time.perf_counter() - begun)


def unjitted(rules: str, work: int) -> Measure:
    """The same rules as plain Python, in a process without Numba's compiler."""
    program = f"import throughput; print(throughput.plain_python({rules!r}, {work}))"

    def run() -> float:
        environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(Path(__file__).parent)}
        root = Path(__file__).parent.parent
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, cwd=root, check=True, capture_output=True, text=True
        )
        return float(done.stdout)

    return run


# --- Running and printing ---


def repeat(measures: dict[str, Measure], repeats: int, label: str) -> dict[str, list[float]]:
    """Every measurement so often, in rounds; a first round, not counted, compiles."""
    found: dict[str, list[float]] = {name: [] for name in measures}
    for k in range(repeats + 1):
        print(f"\r{label}: round {k} of {repeats}   ", end="", file=sys.stderr, flush=True)
        for name, measure in measures.items():
            rate = measure()
            if k:
                found[name].append(rate)
    print("\r" + " " * 60 + "\r", end="", file=sys.stderr, flush=True)
    return found


def loop_rate() -> float:
    """Steps a second of a fixed pure-Python loop."""
    begun, x = time.perf_counter(), 0
    for i in range(LOOP):
        x += i * i
    return LOOP / (time.perf_counter() - begun)


def summary(rates: list[float]) -> dict[str, float]:
    """Minimum, median and maximum."""
    return {"min": min(rates), "median": statistics.median(rates), "max": max(rates)}


def table(results: dict[str, Any], title: str, rows: list[tuple[str, dict[str, Measure]]], repeats: int) -> None:
    """Measures and prints rows of batch columns: the median, in millions a second."""
    print(f"\n{title}, median of {repeats}, millions a second")
    print(f"{'':<28}" + "".join(f"{name:>12}" for name in COLUMNS))
    for label, measures in rows:
        found = {name: summary(rates) for name, rates in repeat(measures, repeats, label).items()}
        results[f"{title}: {label}"] = found
        print(f"{label:<28}" + "".join(f"{found[name]['median'] / 1e6:12.2f}" for name in COLUMNS), flush=True)


def single(results: dict[str, Any], rules: str, repeats: int, work: int) -> None:
    """Measures and prints the one-game environments, thousands a second."""
    measures: dict[str, Measure] = {
        "AEC raw, environment alone": aec_alone(rules, work),
        "AEC raw, whole loop": aec(False, rules, work),
        "AEC with wrappers, whole loop": aec(True, rules, work // 4),
        "Gymnasium, whole loop": gymnasium_single(rules, work // 4),
        "rules un-jitted": unjitted(rules, work // 20),
    }
    print(f"\none game at a time, {rules}, thousands of decisions a second\n{'':<32}{'min':>9}{'median':>9}{'max':>9}")
    for name, rates in repeat(measures, repeats, "single").items():
        found = results[f"single: {name}"] = summary(rates)
        print(f"{name:<32}" + "".join(f"{found[key] / 1e3:9.1f}" for key in ("min", "median", "max")), flush=True)


def memory(results: dict[str, Any]) -> None:
    """Bytes of state a game, and a million games at once that play."""
    print("\nmemory")
    for rules in ("classic", "team-points"):
        batch = Batch(rules, 1_000_000, 1, observation_dtype=None, auto_reset=False)
        batch.reset()
        for _ in range(3):
            batch.step(batch.sample())
        size = batch.states.nbytes + batch._streams.nbytes + batch._status.nbytes + batch.plies.nbytes
        size //= batch.num_games
        results[f"memory: {rules}"] = size
        print(f"{rules}: {size} bytes a game (row, streams, status, plies); a million games at once have played")


def main() -> None:
    """Measures, prints, and writes what it has measured where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["batch", "rules", "single", "memory"], help="one section")
    parser.add_argument("--rules", default="classic:players=4", help="rule set of the sections batch and single")
    parser.add_argument("--repeats", type=int, default=5, help="of each measurement")
    parser.add_argument("--work", type=int, default=400_000, help="decisions of one batch measurement")
    parser.add_argument("--threads", type=int, default=2, help="most threads")
    parser.add_argument("--json", type=Path, help="file for all figures, decisions a second")
    options = parser.parse_args()
    results: dict[str, Any] = {"python loop": loop_rate()}
    rules, repeats, work = options.rules, options.repeats, options.work
    wanted = [options.only] if options.only else ["batch", "rules", "single", "memory"]
    if "batch" in wanted:
        counts = [t for t in (1, 2, 4, 8, 16) if t <= options.threads]
        rows = [
            (f"B {games}, {threads} thread{'s' * (threads > 1)}", batch_measures(rules, games, threads, work))
            for threads in counts
            for games in SIZES
            if threads <= games
        ]
        table(results, f"batch {rules}", rows, repeats)
    if "rules" in wanted:
        table(results, "B 1024", [(name, batch_measures(name, 1024, 1, work)) for name in PRESETS], repeats)
    if "single" in wanted:
        single(results, rules, repeats, work // 10)
    if "memory" in wanted:
        memory(results)
    results["python loop at the end"] = loop_rate()
    print(f"\npython loop: {results['python loop'] / 1e6:.1f} M steps/s, {loop_rate() / 1e6:.1f} at the end")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
