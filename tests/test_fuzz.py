"""The fuzzing targets by themselves, and a short run of each under atheris where that is installed."""

from __future__ import annotations

import importlib.util
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz.targets import TARGETS
from programs import ROOT

has_atheris = pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="needs atheris: pip install 'sorry-env[fuzz]'"
)
RUNS = {"policy": 300}  # else 1000


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs Python to its end; inputs that it keeps go to the folder."""
    environment = os.environ | {"TMPDIR": str(folder)}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_seeds(name: str) -> None:
    """Seeds, whole and cut short, a byte changed or a piece doubled, give nothing but errors of this package."""
    target, rng, tried = TARGETS[name], random.Random(1), 0
    for seed in target.seeds():
        assert len(seed) <= target.longest
        at, byte = rng.randrange(len(seed)), rng.randrange(256)
        for data in (seed, seed[:at], seed[:at] + bytes([byte]) + seed[at + 1 :], seed[:at] + seed, b""):
            target.run(data)
            tried += 1
    assert tried >= 20


@has_atheris
@pytest.mark.parametrize("name", TARGETS)
def test_short_run(name: str, tmp_path: Path) -> None:
    """A few seconds of coverage-guided inputs find nothing."""
    runs = RUNS.get(name, 1000)
    done = run(tmp_path, "-m", "tests.fuzz", name, "--runs", str(runs), "--minutes", "0.5")
    assert done.returncode == 0, done.stderr[-3000:]
    found = re.search(r"stat::number_of_executed_units: (\d+)", done.stderr)
    assert found, done.stderr[-1000:]
    assert int(found[1]) > runs // 10


PLANTED = """
import sys
sys.path.insert(0, "tests")
from tests.fuzz import targets
from tests.fuzz.__main__ import main

def run(data):
    if b"5" in data:
        raise ValueError("planted")

targets.TARGETS["move"] = targets.Target(run, lambda: iter([b"4"]), 10)
sys.argv = ["fuzz", "move", "--minutes", "0.5", "--findings", sys.argv[1]]
main()
"""


@has_atheris
def test_a_planted_error_is_found(tmp_path: Path) -> None:
    """A target that fails on some input is found out; the input is kept and can be tried again."""
    findings = tmp_path / "findings"
    findings.mkdir()
    done = run(tmp_path, "-c", PLANTED, str(findings))
    assert done.returncode != 0
    assert "ValueError: planted" in done.stdout + done.stderr
    (kept,) = findings.iterdir()
    assert b"5" in kept.read_bytes()
    again = run(tmp_path, "-m", "tests.fuzz", "move", "--file", str(kept))
    assert (again.returncode, again.stdout) == (0, "nothing found\n")
