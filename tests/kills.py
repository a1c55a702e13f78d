"""Training processes that are killed (`kill -9`) and resumed, for a test and for `tests/long_kills.py`."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from programs import ROOT

from agents import CHECKPOINT_FILE
from agents.checkpoints import load_checkpoint

# Checkpoints after every block or update, so that most of the time one is being written.
LINES = {
    "td": ["train.py", "td", "--rules", "mini-1", "--games", "20000", "--block", "20", "--wide", "16", "--narrow", "8",
           "--minibatch", "64", "--threads", "1", "--checks", "0", "--eval-games", "4", "--checkpoint-every", "-1"],
    "ppo": ["train.py", "ppo", "--rules", "mini-1", "--timesteps", "64000", "--envs", "8", "--steps", "16",
            "--epochs", "1", "--minibatch", "64", "--opponents", "random", "--self-every", "512", "--selves", "2",
            "--eval-games", "4", "--checkpoint-every", "0"],
}  # fmt: skip
PATIENCE = 120.0  # seconds until the first checkpoint


def done_in(folder: Path) -> int:
    """Timesteps of a folder's newest good checkpoint, -1 where it has none yet."""
    return int(load_checkpoint(folder)[1]["timesteps"]) if (folder / CHECKPOINT_FILE).exists() else -1


LENGTHS = {"td": ("--games", 20_000), "ppo": ("--timesteps", 64_000)}


def command_of(learner: str, folder: Path, times: int = 1) -> list[str]:
    """The command that begins a run, `times` as long as usual, or goes on with one that has a checkpoint."""
    option, length = LENGTHS[learner]
    resume = ["--resume"] if (folder / CHECKPOINT_FILE).exists() else []
    return [sys.executable, *LINES[learner], option, str(times * length), "--out", str(folder), *resume]


def kill_at(learner: str, folder: Path, seconds: float, times: int = 1, *, from_start: bool = False) -> int:
    """Begins a run, or goes on with it, and kills it.

    Args:
        learner: key of `LINES`.
        folder: the run's.
        seconds: how long after its first new checkpoint.
        times: see `command_of`.
        from_start: or after the process began.

    Returns:
        Timesteps of the newest good checkpoint that it left.

    Raises:
        AssertionError: if it ends by itself, as one that could not go on does.
    """
    log = folder.with_suffix(".log")
    newest = folder / CHECKPOINT_FILE
    stamp = newest.stat().st_mtime_ns if newest.exists() else 0
    with log.open("w", encoding="utf-8") as stderr:
        process = subprocess.Popen(
            command_of(learner, folder, times), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=stderr
        )
        until = time.monotonic() + (0.0 if from_start else PATIENCE)
        while process.poll() is None and time.monotonic() < until:
            if newest.exists() and newest.stat().st_mtime_ns != stamp:
                break
            time.sleep(0.005)
        time.sleep(seconds)
        process.kill()
        code = process.wait()
    assert code == -9, f"it ended by itself with {code}: {log.read_text(encoding='utf-8')[-500:]}"
    return done_in(folder)
