"""Shows that the tests notice wrong rules: `python -m tests.mutants [--only TEXT] [--jobs N]`, about ten minutes.

Copies the project to a temporary folder, checks that the tests below pass there, then plays each mutation of
`mutations.py` alone and notes the first test that fails. A mutation that no test notices is a hole in the tests: exit
code 1. A whole run writes `table.md`.

The rules run un-jitted (NUMBA_DISABLE_JIT=1), as compiling each mutant would take longer than all its tests; that the
compiled rules are the same is `test_determinism.test_processes`'s to hold.
"""

from __future__ import annotations

import argparse
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from .mutations import MUTATIONS, Mutation, StaleError

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("table.md")
COPIED = ("sorry_env", "tests", "docs", "pyproject.toml")
# The fastest and most telling first. Each line is one run of pytest: files that can be read whatever the mutation.
TESTS = (
    ("test_rules_4.py", "test_rules_1_to_3.py", "test_rules_5_to_9.py", "test_rules_page.py"),
    ("test_goldens.py",),
    ("test_observation.py",),
    ("test_agreement.py",),
    ("test_perft.py",),
    ("test_actions.py",),
    ("test_notation.py",),
    ("test_game.py",),
    ("test_batch.py::test_rewards",),  # the rest of it is slow un-jitted and not about rules
    ("test_invariants.py",),
)
FEW = ("--decisions", "6000", "--games", "10")
SURVIVED = "**nothing**"
_FAILED = re.compile(r"^(?:FAILED|ERROR) tests/(\w+)\.py(?:::(\w+))?", re.MULTILINE)


class BrokenRunError(RuntimeError):
    """The tests did not run to a verdict."""


@dataclass(frozen=True)
class Result:
    """What came of one mutation: the first test that failed, None where all passed, and the seconds it took."""

    mutation: Mutation
    killer: str | None
    seconds: float


class Workspace:
    """A copy of the project in which one mutation at a time is played.

    Args:
        folder: an empty folder of its own.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in COPIED:
            source, target = ROOT / name, folder / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "mutants"))
            else:
                shutil.copy2(source, target)
        # No bytecode: a file changed twice within a second looks the same to Python's cache.
        self.environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(folder), str(folder / "tests")]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "NUMBA_DISABLE_JIT": "1",
        }

    def first_failure(self, limit: float) -> str | None:
        """The first test that fails, None where all pass; reaching the limit of seconds is a failure, too.

        Raises:
            BrokenRunError: the tests came to no verdict.
        """
        ends = time.monotonic() + limit
        for names in TESTS:
            failure = self.first_failure_of(names, ends)
            if failure:
                return failure
        return None

    def first_failure_of(self, names: Iterable[str], ends: float) -> str | None:
        """The same of some tests, until a time of the monotonic clock."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=line", "-p", "no:cacheprovider", *FEW]
        process = subprocess.Popen(
            [*command, *(f"tests/{name}" for name in names)],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # its workers end with it
        )
        try:
            output, _ = process.communicate(timeout=max(0, ends - time.monotonic()))
        except subprocess.TimeoutExpired:
            return "time limit"
        finally:
            _end(process)
        if process.returncode == 0:
            return None
        found = _FAILED.search(output)
        if found is None or "NameError" in output:  # a new text with unknown names is no rule
            raise BrokenRunError(f"pytest ended with code {process.returncode}:\n{output[-3000:]}")
        return f"{found[1]}.{found[2]}" if found[2] else f"{found[1]}, as it is read"

    def play(self, mutation: Mutation, limit: float) -> Result:
        """Runs the tests with one mutation and takes it back. Raises StaleError and BrokenRunError, naming it."""
        file = self.folder / mutation.file
        source = file.read_text(encoding="utf-8")
        began = time.monotonic()
        try:
            file.write_text(mutation.applied_to(source), encoding="utf-8")
            killer = self.first_failure(limit)
        except BrokenRunError as error:
            raise BrokenRunError(f"mutation {mutation.name!r}: {error}") from None
        finally:
            file.write_text(source, encoding="utf-8")
        return Result(mutation, killer, time.monotonic() - began)


def _end(process: subprocess.Popen[str]) -> None:
    """Ends a process and all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


def refuse_stale(mutations: Iterable[Mutation], folder: Path) -> None:
    """Raises StaleError with a line for each mutation that does not fit the source."""
    stale = []
    for mutation in mutations:
        try:
            mutation.applied_to((folder / mutation.file).read_text(encoding="utf-8"))
        except StaleError as error:
            stale.append(str(error))
    if stale:
        raise StaleError("\n".join(stale))


def play_all(mutations: Iterable[Mutation], workspaces: list[Workspace], limit: float) -> Iterator[Result]:
    """Results as they come, each workspace playing one mutation at a time."""
    free: queue.SimpleQueue[Workspace] = queue.SimpleQueue()
    for workspace in workspaces:
        free.put(workspace)

    def play(mutation: Mutation) -> Result:
        workspace = free.get()
        try:
            return workspace.play(mutation, limit)
        finally:
            free.put(workspace)

    with ThreadPoolExecutor(len(workspaces)) as pool:
        runs = [pool.submit(play, mutation) for mutation in mutations]
        try:
            for run in as_completed(runs):
                yield run.result()
        finally:
            pool.shutdown(cancel_futures=True)


def table_of(results: list[Result], seconds: float, jobs: int) -> str:
    """The page that is committed: every mutation, in the order of the source, and what noticed it."""
    survivors = sum(result.killer is None for result in results)
    lines = [
        "# Wrong rules and the tests that notice them",
        "",
        f"{len(results)} mutations, {survivors} unnoticed; {seconds:.0f} s in all, jobs: {jobs}. Written by `python -m "
        "tests.mutants`, which runs the tests in an order that puts the fastest first and stops at the first to fail.",
        "",
        "| mutation | RULES | file | noticed by | seconds |",
        "|---|---|---|---|---|",
    ]
    for result in sorted(results, key=lambda result: MUTATIONS.index(result.mutation)):
        wrong = result.mutation
        killer = f"`{result.killer}`" if result.killer else SURVIVED
        lines.append(f"| {wrong.name} | {wrong.ruling} | `{wrong.file}` | {killer} | {result.seconds:.1f} |")
    return "\n".join(lines) + "\n"


def run(chosen: list[Mutation], jobs: int, limit: float) -> tuple[list[Result], float]:
    """Results of the mutations, and the seconds of the whole run; prints progress."""
    began = time.monotonic()
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as parent:
        workspaces = [Workspace(Path(parent) / str(job)) for job in range(jobs)]
        refuse_stale(chosen, workspaces[0].folder)
        failed = workspaces[0].first_failure(limit)
        if failed:
            raise BrokenRunError(f"{failed} fails without any mutation")
        print(f"all tests pass without a mutation, {time.monotonic() - began:.0f} s", flush=True)
        started = time.monotonic()
        for result in play_all(chosen, workspaces, limit):
            results.append(result)
            spent = time.monotonic() - started
            left = spent / len(results) * (len(chosen) - len(results))
            print(
                f"{len(results)} of {len(chosen)}, {spent:.0f} s, about {left:.0f} s left: "
                f"{result.mutation.name}: {result.killer or 'NOTHING'} ({result.seconds:.1f} s)",
                flush=True,
            )
    return results, time.monotonic() - began


def main() -> int:
    """Returns the exit code: 1 where a mutation survives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="mutations whose name or file has this in it")
    parser.add_argument("--jobs", type=int, default=1, help="mutations played at a time")
    parser.add_argument("--limit", type=float, default=400, help="seconds that the tests of one mutation may take")
    arguments = parser.parse_args()
    chosen = [wrong for wrong in MUTATIONS if arguments.only in wrong.name or arguments.only in wrong.file]
    if not chosen:
        parser.error(f"no mutation has {arguments.only!r} in its name or file")
    results, seconds = run(chosen, max(1, arguments.jobs), arguments.limit)
    table = table_of(results, seconds, max(1, arguments.jobs))
    print(f"\n{table}")
    if len(chosen) == len(MUTATIONS):
        TABLE.write_text(table, encoding="utf-8")
    return 1 if any(result.killer is None for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
