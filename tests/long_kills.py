"""Kills training with `kill -9` at random moments, resumes it, and holds its end equal to a run that nobody killed.

    PYTHONPATH=. python tests/long_kills.py --kills 20

Every block or update writes a checkpoint, so that many kills fall into the writing of one. Half of the kills come at a
random moment after the process began (it may still be loading), half after its first new checkpoint.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import torch  # noqa: E402  # the checkout is not installed
from kills import LINES, command_of, done_in, kill_at  # noqa: E402

from agents import CHECKPOINT_FILE  # noqa: E402
from agents.checkpoints import NAMES, load_checkpoint, load_one  # noqa: E402
from sorry_env.errors import PolicyError  # noqa: E402

LONGEST = 6.0  # seconds from the beginning to a kill


def is_damaged(path: Path) -> bool:
    """Whether a checkpoint is there and not good."""
    if not path.exists():
        return False
    try:
        load_one(path)
    except PolicyError:
        return True
    return False


def kill_often(learner: str, folder: Path, kills: int, times: int, chance: random.Random) -> None:
    """Kills and resumes so often, and says what each left."""
    damaged, lost, in_writing = 0, 0.0, 0
    for number in range(kills):
        before = done_in(folder)
        if number % 2:
            done = kill_at(learner, folder, chance.uniform(0, 1.5), times)
        else:
            done = kill_at(learner, folder, chance.uniform(0, LONGEST), times, from_start=True)
        killed = time.time()
        assert done >= before, "a checkpoint was lost"
        damaged += sum(is_damaged(folder / name) for name in NAMES)
        in_writing += bool(list(folder.glob(".*.part")))
        if done > before:
            lost = max(lost, killed - (folder / CHECKPOINT_FILE).stat().st_mtime)
        print(f"{learner}: kill {number + 1}, {done} timesteps are kept", flush=True)
    print(
        f"{learner}: {kills} kills, {damaged} damaged checkpoints, {in_writing} in the middle of a write; at most "
        f"{lost:.2f} s of training lost (time since the last checkpoint)"
    )


def finish(learner: str, folder: Path, times: int) -> dict[str, torch.Tensor]:
    """Runs on to the end; all tensors of the last checkpoint."""
    subprocess.run(command_of(learner, folder, times), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return load_checkpoint(folder)[0]


def main() -> None:
    """Both learners; exit code 1 where an end differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, failed = random.Random(options.seed), False
    times = max(1, options.kills // 8)  # so that the run does not end before its last kill
    for learner in LINES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            kill_often(learner, folder / "killed", options.kills, times, chance)
            ends = [finish(learner, folder / run, times) for run in ("killed", "whole")]
            same = ends[0].keys() == ends[1].keys() and all(torch.equal(ends[0][key], ends[1][key]) for key in ends[0])
            failed |= not same
            verdict = "the same, byte for byte" if same else "DIFFERENT"
            print(f"{learner}: {len(ends[0])} tensors at the end of the killed and the whole run are {verdict}")
    raise SystemExit(int(failed))


if __name__ == "__main__":
    main()
