"""`train.py` and `evaluate.py` run as a user would, in a process of their own or in this one."""

from __future__ import annotations

import json
import re
import runpy
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


def program(*arguments: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Runs a program of the checkout to its end."""
    command = [sys.executable, str(ROOT / arguments[0]), *map(str, arguments[1:])]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=300)


def listen_to_interrupts() -> None:
    """In a new process, before its program: what a shell starts in the background is deaf to Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def is_progress(stderr: str) -> bool:
    """Whether stderr holds nothing but the lines of progress that a slow run writes into a log."""
    return not without_progress(stderr)


def without_progress(stderr: str) -> str:
    """What stderr holds beside the lines of progress that a slow run writes into a log."""
    is_told = re.compile(r"(training|evaluating): \d+ %, .* s left\n?")
    return "".join(line for line in stderr.splitlines(keepends=True) if not is_told.fullmatch(line))


def read_json(path: Path) -> Any:
    """A JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def in_process(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> tuple[int, str, str]:
    """Runs a program in this process, which spares its imports; exit code, stdout and stderr."""
    monkeypatch.setattr(sys, "argv", arguments)
    code: Any = 0
    try:
        runpy.run_path(str(ROOT / arguments[0]), run_name="__main__")
    except SystemExit as stop:
        code = stop.code or 0
    return int(code), *capsys.readouterr()


def check_refusal(code: int, stdout: str, stderr: str, name: str, words: str) -> None:
    """One line on stderr that names the program and says what is wrong, exit code 2, nothing else."""
    assert code == 2, stderr
    assert stderr.count("\n") == 1, stderr
    assert stderr.startswith(f"{name}: ")
    assert words in stderr
    assert "Traceback" not in stderr
    assert stdout == ""
