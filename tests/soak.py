"""Memory over long play: `python tests/soak.py --vector-games 1000000 --aec-games 100000 --self-play 2`.

Each part plays on in one process while its resident memory (RSS) is sampled, without the pages of program files, which
the system drops and reads again as it likes. A tenth of the part is warm-up; after it the
median of the last fifth of the samples may stand at most `--limit` percent above the median of the first fifth.
"""

from __future__ import annotations

import argparse
import json
import mmap
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import gymnasium
import numpy as np

from sorry_env import sorry_v0

WARM_UP: Final = 0.1  # share of a part
ENDS: Final = 0.2  # share of the samples that each of the two medians is taken over
MOST_SAMPLES: Final = 1000  # what is kept of them must not grow itself
LEAST_SAMPLES: Final = 10
VECTOR_ENVS: Final = 1024
STATM: Final = Path("/proc/self/statm")  # Linux


def resident_bytes() -> int:
    """Memory of this process that is in RAM now and not of files. Raises OSError where the system has no /proc."""
    _, resident, shared, *_ = map(int, STATM.read_text(encoding="ascii").split())
    return (resident - shared) * mmap.PAGESIZE


@dataclass(frozen=True)
class Soaked:
    """What one part did.

    Attributes:
        part: its name.
        games: games that ended.
        steps: decisions of learners (vector), of all seats (AEC), positions learned from (self-play).
        seconds: how long it took.
        samples: how often memory was looked at after the warm-up.
        first_mb: megabytes after the warm-up.
        last_mb: megabytes at the end.
        growth: of memory between the two, in percent.
    """

    part: str
    games: int
    steps: int
    seconds: float
    samples: int
    first_mb: float
    last_mb: float
    growth: float


class Watch:
    """Samples memory while a part plays.

    Args:
        part: its name.
        goal: where it ends: games, or seconds.
        every: seconds between two lines of progress.
    """

    def __init__(self, part: str, goal: float, every: float = 15) -> None:
        self.part, self.goal, self.every = part, goal, every
        self.begun = self.shown = time.monotonic()
        self.games = self.steps = 0
        self.samples: list[int] = []
        self.next_sample = 0.0  # share of the goal

    def tick(self, games: int, steps: int, done: float | None = None) -> bool:
        """Counts what was played since the last tick and looks at memory; whether the part is to go on.

        Args:
            games: games that ended.
            steps: steps played.
            done: how near the goal is; by default by games.
        """
        self.games, self.steps = self.games + games, self.steps + steps
        share = (self.games if done is None else done) / self.goal
        if share >= max(WARM_UP, self.next_sample):
            self.samples.append(resident_bytes())
            self.next_sample = share + 1 / MOST_SAMPLES
        now = time.monotonic()
        if now - self.shown >= self.every:
            self.shown = now
            mb = resident_bytes() / 1e6
            print(f"{self.part}: {self.games} games, {min(share, 1):.0%}, {mb:.1f} MB", file=sys.stderr, flush=True)
        return share < 1

    def result(self) -> Soaked:
        """What was found. Raises ValueError where too few samples tell of nothing."""
        if len(self.samples) < LEAST_SAMPLES:
            raise ValueError(f"{self.part}: {len(self.samples)} samples of memory are too few; play longer")
        count = max(1, int(len(self.samples) * ENDS))
        first, last = statistics.median(self.samples[:count]), statistics.median(self.samples[-count:])
        seconds = time.monotonic() - self.begun
        growth = 100 * (last / first - 1)
        return Soaked(
            self.part, self.games, self.steps, seconds, len(self.samples), first / 1e6, last / 1e6, growth
        )  # fmt: skip


def play_vector(watch: Watch, rules: str) -> None:
    """Uniform legal play in Gymnasium's native vector environment, against the random opponent."""
    env: Any = gymnasium.make_vec("sorry_env:Sorry-v0", num_envs=VECTOR_ENVS, rules=rules)
    _, infos = env.reset(seed=1)
    rng = np.random.default_rng(1)
    shape = infos["action_mask"].shape
    while True:
        chances = rng.random(shape, np.float32) * infos["action_mask"]
        _, _, terminated, truncated, infos = env.step(chances.argmax(axis=1))
        if not watch.tick(int((terminated | truncated).sum()), VECTOR_ENVS):
            break
    env.close()


def play_aec(watch: Watch, rules: str) -> None:
    """Uniform legal play in PettingZoo's loop; the environment is made anew every thousand games."""
    rng, going, played = random.Random(1), True, 0
    while going:
        if played % 1000 == 0:
            env = sorry_v0.raw_env(rules=rules)
        env.reset(seed=played)
        played, steps = played + 1, 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
            steps += 1
        going = watch.tick(1, steps)
    env.close()


def play_itself(watch: Watch, rules: str) -> None:
    """The TD learner trains by self-play for `watch.goal` seconds, saving checkpoints on the way."""
    from agents.td import TDLearner, TDSettings

    with tempfile.TemporaryDirectory() as folder:
        minutes = watch.goal / 60
        learner = TDLearner(TDSettings(out=Path(folder), rules=rules, minutes=minutes, threads=1, block=200))
        seen = [0, 0]

        def report(learner: TDLearner) -> None:
            watch.tick(learner.games - seen[0], learner.positions - seen[1], learner.seconds)
            seen[:] = learner.games, learner.positions

        learner.learn(report)


def soak(part: str, play: Callable[[Watch, str], None], goal: float, rules: str) -> Soaked:
    """Plays one part to its end."""
    watch = Watch(part, goal)
    play(watch, rules)
    return watch.result()


def table(parts: list[Soaked], limit: float) -> str:
    """What was found, a line a part."""
    lines = [f"{'part':12}{'games':>10}{'steps':>14}{'seconds':>9}{'first MB':>10}{'last MB':>10}{'growth %':>10}"]
    for found in parts:
        told = f"{found.part:12}{found.games:>10}{found.steps:>14}{found.seconds:>9.0f}"
        told += f"{found.first_mb:>10.1f}{found.last_mb:>10.1f}{found.growth:>10.2f}"
        lines.append(told + ("" if found.growth < limit else f"  more than {limit} %"))
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code: 1 where memory has grown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--vector-games", type=int, default=0, help="games through the vector environment")
    parser.add_argument("--aec-games", type=int, default=0, help="games through the AEC environment")
    parser.add_argument("--self-play", type=float, default=0, help="hours of training by self-play")
    parser.add_argument("--rules", default="classic", help="name of rules, and options")
    parser.add_argument("--limit", type=float, default=1.0, help="percent by which memory may grow after the warm-up")
    parser.add_argument("--json", type=Path, help="where the figures are written")
    told = parser.parse_args(arguments)
    parts = (
        ("vector", play_vector, told.vector_games),
        ("AEC", play_aec, told.aec_games),
        ("self-play", play_itself, told.self_play * 3600),
    )
    found = [soak(part, play, goal, told.rules) for part, play, goal in parts if goal > 0]
    print(table(found, told.limit))
    if told.json:
        facts = {"rules": told.rules, "limit": told.limit, "parts": [asdict(part) for part in found]}
        told.json.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    return int(any(part.growth >= told.limit for part in found))


if __name__ == "__main__":
    sys.exit(main())
