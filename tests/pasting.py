"""Examples run as a user pastes them: into an interpreter that knows no checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def pasted(name: str, folder: Path, *arguments: str, before: str = "") -> str:
    """What an example prints, started in `folder`, warnings as errors.

    Args:
        name: the example's file.
        folder: the current folder.
        *arguments: its command line.
        before: code that is run first.
    """
    code = (EXAMPLES / name).read_text(encoding="utf-8").replace("from __future__ import annotations\n", "")
    command = [sys.executable, "-W", "error", "-c", before + code, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout
