"""Runs each framework's example and tests against the built wheel, each in an environment of its own.

    python .ci/stacks.py              # all of STACKS
    python .ci/stacks.py sb3 torchrl  # some

Prints versions on the way and a table at the end; exit code 1 where anything failed. A stack is skipped only where the
registry has no build of what it installs. Everything lies in `.stacks/` (where the checkout's path has a space: in the
system's folder for temporary files), written anew by each run; pip's cache is shared, and torch is installed once for
all stacks that use it. The checkout's `sorry_env` is out of reach: what runs beside the wheel (examples, tests, agents)
is the source distribution without it, so that is checked too.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
# Ray's nodes start their workers by a command line that a space in a path would split: they would wait for ever.
PLACE: Final = Path(tempfile.gettempdir()) / "sorry-env-stacks" if " " in str(ROOT) else ROOT / ".stacks"
ROOM: Final = PLACE / "room"
TORCH: Final = PLACE / "torch"
LONGEST_INSTALL, LONGEST_RUN, LONGEST_TESTS = 600, 480, 480  # seconds, on a busy machine
TO_TEST: Final = ("pytest", "hypothesis")
QUIET: Final = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}  # nothing is told to anybody outside
NO_BUILD: Final = "No matching distribution found"


@dataclass(frozen=True)
class Stack:
    """A framework and what is run with it.

    Attributes:
        name: of the row, and of its environment's folder.
        framework: distribution whose version the table shows.
        installs: requirements beside the wheel; pins of `constraints.txt` hold for them too.
        runs: arguments of Python, each run in the room: examples.
        tests: arguments of pytest: this stack's tests, and the framework's own checker where it has one.
        needs_torch: whether it uses the shared torch.
        extras: of the wheel, in brackets.
        unpinned: pins that the framework's requirements rule out.
    """

    name: str
    framework: str
    installs: tuple[str, ...]
    runs: tuple[str, ...]
    tests: str
    needs_torch: bool = False
    extras: str = ""
    unpinned: tuple[str, ...] = ()


STACKS: Final = (
    Stack(
        "pettingzoo",
        "pettingzoo",
        (),
        ("-m examples.pettingzoo_aec",),
        "tests/stacks/test_pettingzoo_stack.py tests/test_pettingzoo.py",
        extras="[draw]",
    ),
    Stack(
        "gymnasium",
        "gymnasium",
        (),
        ("-m examples.gymnasium_masks", "-m examples.own_opponent", "-m examples.register_in_your_project"),
        "tests/stacks/test_gymnasium_stack.py",
        extras="[draw]",
    ),
    Stack(  # the lowest versions that pyproject.toml allows
        "oldest",
        "gymnasium",
        ("numpy==1.26.*", "numba==0.60.*", "gymnasium==1.1.*", "pettingzoo==1.25.*"),
        ("-m examples.pettingzoo_aec", "-m examples.gymnasium_masks", "-m examples.own_opponent"),
        # PettingZoo has no registry yet.
        "tests/test_pettingzoo.py tests/test_vector.py tests/stacks/test_pettingzoo_stack.py -k 'not registry'",
        extras="[draw]",
        unpinned=("numpy", "numba", "llvmlite", "gymnasium", "pettingzoo"),
    ),
    Stack(
        "onnxruntime",
        "onnxruntime",
        ("onnx",),
        (),
        "tests/stacks/test_onnxruntime_stack.py",
        extras="[policy]",
    ),
    Stack(
        "sb3",
        "sb3_contrib",
        ("stable-baselines3", "sb3-contrib"),
        ("-m examples.sb3_maskable_ppo",),
        "tests/stacks/test_sb3_stack.py tests/test_gymnasium.py",
        needs_torch=True,
        extras="[draw]",
    ),
    Stack(
        "cleanrl",
        "torch",
        (),
        ("-m examples.cleanrl_ppo", "evaluate.py runs/cleanrl/policy.onnx greedy random --games 400"),
        "tests/stacks/test_cleanrl_stack.py",
        needs_torch=True,
        extras="[export,evaluate]",
    ),
    Stack(
        "torchrl",
        "torchrl",
        ("torchrl==0.14.1",),
        ("-m examples.torchrl_ppo", "evaluate.py runs/torchrl/policy.onnx greedy random --games 400"),
        "tests/stacks/test_torchrl_stack.py",
        needs_torch=True,
        extras="[export,evaluate]",
    ),
    Stack(
        "tianshou",
        "tianshou",
        ("tianshou==2.0.1",),
        ("-m examples.tianshou_dqn",),
        "tests/stacks/test_tianshou_stack.py",
        needs_torch=True,
        unpinned=("filelock",),
    ),
    Stack(
        "openspiel",
        "open_spiel",
        (),
        ("-m examples.openspiel",),
        "tests/interop/test_openspiel.py tests/interop/test_openspiel_bots.py",
        extras="[openspiel]",
    ),
    Stack(
        "rllib",
        "ray",
        ("ray[rllib]",),
        ("-m examples.rllib",),
        "tests/interop/test_rllib.py tests/interop/test_rllib_program.py",
        needs_torch=True,
        extras="[train,evaluate]",
        unpinned=("gymnasium",),
    ),
    Stack(
        "ray",
        "ray",
        ("ray",),
        ("evaluate.py champion race --games 2000 --ray",),
        "tests/interop/test_ray.py",
        needs_torch=True,
        extras="[train,evaluate]",
    ),
)


class NotBuiltError(Exception):
    """The registry has no build of a requirement for this Python and platform."""


class FailedError(Exception):
    """A command failed or ran too long."""


@dataclass
class Row:
    """A line of the table at the end."""

    name: str
    version: str = ""
    ran: str = ""
    outcome: str = "ok"
    seconds: float = 0.0


def run(command: list[str | Path], seconds: float, cwd: Path = ROOT, **settings: str) -> str:
    """Runs a command, its children with it; what it printed.

    Args:
        command: program and arguments.
        seconds: after which it is ended.
        cwd: its current folder.
        **settings: environment variables to set.

    Raises:
        FailedError: an exit code other than 0, or no end in time.
    """
    words = [str(part) for part in command]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | QUIET | settings
    process = subprocess.Popen(
        words,
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        raise FailedError(f"{shlex.join(words)}\n{output}\nran longer than {seconds:.0f} s") from None
    if process.returncode:
        raise FailedError(f"{shlex.join(words)}\n{output}\nended with {process.returncode}")
    return output


def make_room() -> Path:
    """Builds wheel and source distribution, unpacks the latter without the package; the wheel."""
    shutil.rmtree(PLACE, ignore_errors=True)
    built = PLACE / "built"
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", built], LONGEST_INSTALL)
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(PLACE, filter="data")
    (PLACE / sdist.name.removesuffix(".tar.gz")).rename(ROOM)
    shutil.rmtree(ROOM / "sorry_env")
    return wheel


def install(python: Path, requirements: list[str], unpinned: tuple[str, ...] = ()) -> None:
    """Installs by pip, pinned by `constraints.txt` but for `unpinned`. Raises FailedError."""
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    constraints = python.parent.parent / "constraints.txt"
    constraints.write_text("".join(pin for pin in pins if pin.partition("==")[0] not in unpinned), encoding="utf-8")
    command: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--only-binary=:all:", *requirements]
    run(command, LONGEST_INSTALL, PIP_CONSTRAINT=constraints.as_uri(), PIP_DISABLE_PIP_VERSION_CHECK="1")


def make_venv(folder: Path) -> Path:
    """A new environment; its interpreter."""
    run([sys.executable, "-m", "venv", folder], LONGEST_INSTALL)
    return folder / "bin" / "python"


def share_torch(folder: Path) -> None:
    """Makes the shared torch visible in an environment, to Python and to pip alike."""
    if not TORCH.exists():
        install(make_venv(TORCH), ["torch"])
    (packages,) = TORCH.glob("lib/python*/site-packages")
    (own,) = folder.glob("lib/python*/site-packages")
    (own / "torch.pth").write_text(f"{packages}\n", encoding="utf-8")


def prepare(stack: Stack, wheel: Path) -> Path:
    """The stack's environment with everything installed; its interpreter. Raises NotBuiltError or FailedError."""
    folder = PLACE / stack.name
    python = make_venv(folder)
    if stack.needs_torch:
        share_torch(folder)
    install(python, [f"{wheel}{stack.extras}", *TO_TEST], stack.unpinned)
    try:
        install(python, [*TO_TEST, *stack.installs], stack.unpinned)
    except FailedError as error:  # the registry has just answered, so what is not there now has no build
        if NO_BUILD not in str(error):
            raise
        raise NotBuiltError(next(line for line in str(error).splitlines() if NO_BUILD in line)) from None
    return python


def check(stack: Stack, wheel: Path, row: Row) -> None:
    """Installs and runs one stack; fills its row. Raises NotBuiltError or FailedError."""
    python = prepare(stack, wheel)
    print(run([python, "-m", "sorry_env", "--version"], LONGEST_RUN, ROOM).strip())
    where = run([python, "-c", "import sorry_env; print(sorry_env.__file__)"], LONGEST_RUN, ROOM).strip()
    if not Path(where).is_relative_to(PLACE / stack.name):
        raise FailedError(f"not the wheel but {where} is imported")
    ask = f"from importlib.metadata import version; print(version({stack.framework!r}))"
    row.version = run([python, "-c", ask], LONGEST_RUN, ROOM).strip()
    for words in stack.runs:
        print(f"+ python {words}\n{run([python, *shlex.split(words)], LONGEST_RUN, ROOM).strip()}")
    told = run([python, "-m", "pytest", *shlex.split(stack.tests)], LONGEST_TESTS, ROOM).strip()
    print(f"+ pytest {stack.tests}\n{told}")
    if "skipped" in told:
        raise FailedError(f"pytest {stack.tests}: tests were skipped")
    examples = [words.rpartition(".")[2] for words in stack.runs if words.startswith("-m examples.")]
    row.ran = ", ".join([*examples, told.splitlines()[-1].partition(" in ")[0]])


def check_all(stacks: list[Stack]) -> list[Row]:
    """A row for each stack, in order."""
    wheel, rows = make_room(), []
    for stack in stacks:
        print(f"\n=== {stack.name} ===", flush=True)
        row, began = Row(stack.name), time.monotonic()
        try:
            check(stack, wheel, row)
        except NotBuiltError as reason:
            row.outcome = f"skipped: {reason}"
        except FailedError as reason:
            row.outcome = "FAILED"
            print(reason, flush=True)
        row.seconds = time.monotonic() - began
        rows.append(row)
    return rows


def table(rows: list[Row]) -> str:
    """Framework, version, what ran, outcome, seconds."""
    cells = [("stack", "version", "what ran", "outcome", "seconds")]
    cells += [(row.name, row.version, row.ran, row.outcome, f"{row.seconds:.0f}") for row in rows]
    widths = [max(len(line[k]) for line in cells) for k in range(len(cells[0]))]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in cells)


def main(names: list[str]) -> int:
    """Checks all stacks or those named; the exit code."""
    known = {stack.name: stack for stack in STACKS}
    if unknown := [name for name in names if name not in known]:
        print(f"no stack {', '.join(unknown)}; known: {', '.join(known)}", file=sys.stderr)
        return 2
    began = time.monotonic()
    rows = check_all([known[name] for name in names or known])
    print(f"\n{table(rows)}\nall in {time.monotonic() - began:.0f} s")
    return int(any(row.outcome == "FAILED" for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
