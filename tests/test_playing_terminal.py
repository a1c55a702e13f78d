"""`sorry-env play` in a real terminal: colours, keys, windows, what is said before the first game, no input at all."""

from __future__ import annotations

import os
import pty
import select
import shlex
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from programs import listen_to_interrupts

from sorry_env.cli.help_text import WIDEST, help_text

ROOT = Path(__file__).resolve().parent.parent


def session(keys: list[bytes], columns: int, later: int | None = None, **environment: str) -> tuple[str, int]:
    """A session in a pseudo-terminal, `later` columns wide once the first keys are typed: what it showed, its code."""
    pid, terminal = pty.fork()
    if pid == 0:
        settings = {"COLUMNS": "", "LINES": "", "TERM": "xterm", "PYTHONPATH": str(ROOT)} | environment
        termios.tcsetwinsize(1, (50, columns))
        arguments = ["-m", "sorry_env", "play", "--players", "2", "--against", "greedy", "--seed", "1", "--delay", "0"]
        listen_to_interrupts()
        os.execve(sys.executable, [sys.executable, *arguments], {**os.environ, **settings})
    shown, left, until = b"", list(keys), time.monotonic() + 60
    while time.monotonic() < until:
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:  # what Linux says at the end
            break
        shown += part
        if not part:
            break
        if left and shown.endswith(b"help): "):
            time.sleep(0.5)  # as a person: a Ctrl-C just as the prompt appears waits in CPython for the next key
            termios.tcsetwinsize(terminal, (50, later or columns))
            os.write(terminal, left.pop(0))
    os.close(terminal)
    return shown.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_real_terminal() -> None:
    """On a terminal the board has colours; Ctrl-D ends with 0 and Ctrl-C with 130, without a traceback."""
    shown, code = session([b"\n", b"\x04"], 100, NO_COLOR="")
    assert code == 0
    assert "97;41m" in shown
    assert "Left after" in shown
    shown, code = session([b"\n", b"\x03"], 100, NO_COLOR="1")
    assert code == 130
    assert "97;41m" not in shown
    assert "sorry-env: interrupted" in shown
    assert "Traceback" not in shown


def test_narrow_and_dumb_terminals() -> None:
    """In a window too narrow for the board it is told in lines that fit; a dumb terminal gets no codes."""
    shown, code = session([b"q\n"], 60)
    assert code == 0
    assert "> Red (you): S S S S\r\n  Yellow (greedy): S S S S\r\nCard: 8\r\n" in shown
    assert "┌" not in shown
    shown, code = session([b"q\n"], 100, TERM="dumb")
    assert code == 0
    assert "┌0──┬" in shown
    assert "\x1b[0;" not in shown


def test_compiling_is_announced(tmp_path: Path) -> None:
    """On a terminal a line says that the rules are compiled where no compiled ones lie, and none where they do."""
    line = "Compiling the rules once"
    shown, _ = session([b"q\n"], 100, NUMBA_CACHE_DIR=str(tmp_path))
    assert shown.startswith(line)
    shown, _ = session([b"q\n"], 100, NUMBA_CACHE_DIR=str(tmp_path))
    assert line not in shown


def test_a_window_that_shrinks() -> None:
    """The window's width is that of each frame: the board before it shrinks, lines after; help fits as well."""
    shown, code = session([b"board\n", b"help\n", b"q\n"], 100, later=40)
    assert code == 0
    assert shown.count("┌0──┬") == 1
    assert "Red (you): S S S S" in shown.split("board\r\n")[1]
    page = shown.split("help\r\n")[1].split("Red, your move")[0]
    assert "Commands:" in page
    assert max(map(len, page.splitlines())) <= 40


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_help_fits(columns: int) -> None:
    """The help page is never wider than the window, nor than people read, and lacks no word."""
    assert max(map(len, help_text(columns).splitlines())) <= min(columns, WIDEST)
    assert help_text(columns).split() == help_text(WIDEST).split()


def test_no_input_at_all() -> None:
    """A closed standard input is one line and exit code 2."""
    command = f"{shlex.quote(sys.executable)} -m sorry_env play --players 2 <&-"
    run = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1)
    assert run.stderr.startswith("sorry-env: play: standard input is closed")
