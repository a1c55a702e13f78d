"""One seed, one set of games: whatever the batch's size, order, threads, process, face or compiler, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Final

import pytest
from stories import (
    DECISIONS,
    SEED,
    WATCHED,
    Story,
    among,
    as_aec,
    as_game,
    batch_stories,
    digests,
    one_by_one,
    shuffled,
)

from sorry_env import Batch

ROOT: Final = Path(__file__).resolve().parent.parent
SPECS: Final = (
    "classic",
    "teams",
    "teams:swap_partner=yes",
    "points",
    "points:players=3",
    "team-points",
    "edition-2013",
    "mini-2",
)
# What is held equal to batches of one game, by what docs/safety.md calls it.
WAYS: Final[dict[str, Callable[..., list[Story]]]] = {
    "4096 games, one thread": among,
    "4096 games, two threads": partial(among, threads=2),
    "4096 games, three threads": partial(among, threads=3),
    "100 games": partial(among, number=100),
    "4096 games in another order": shuffled,
    "new games wherever one ends": partial(among, number=100, auto_reset=True),
}
FACES: Final = {"`Game`": as_game, "the AEC environment": as_aec}
PROCESSES: Final = {"another process": {"PYTHONHASHSEED": "7"}, "un-jitted": {"NUMBA_DISABLE_JIT": "1"}}


@cache
def alone(spec: str, auto_forced: bool) -> list[Story]:
    """The watched games, each in a batch of its own: what the others are compared with."""
    return one_by_one(spec, auto_forced=auto_forced)


@pytest.mark.parametrize("auto_forced", [False, True])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("spec", SPECS)
def test_batches(spec: str, way: str, auto_forced: bool) -> None:
    """Size, order, threads and `auto_reset` of a batch change no byte of what its games show and play."""
    assert digests(WAYS[way](spec, auto_forced=auto_forced)) == digests(alone(spec, auto_forced))


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("spec", SPECS)
def test_faces(spec: str, face: str) -> None:
    """A `Game` and the AEC environment of a seed are the batch's game 0: same cards, masks and observations."""
    first = alone(spec, False)[0]
    assert FACES[face](spec, first.actions).digest() == first.digest()


@pytest.mark.parametrize("process", PROCESSES)
def test_processes(process: str) -> None:
    """Another process plays the same games, also one in which nothing is compiled."""
    environment = os.environ | PROCESSES[process] | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    command = [sys.executable, str(ROOT / "tests" / "stories.py"), *SPECS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    told = [" ".join([spec, str(kind), *digests(alone(spec, kind))]) for spec in SPECS for kind in (False, True)]
    assert done.stdout.splitlines() == told


def test_stories_tell_games_apart() -> None:
    """Digests can differ: games of a seed, games of another seed, and one action more give others."""
    stories = alone("classic", False)
    assert len(set(digests(stories))) == len(WATCHED)
    assert all(len(story.actions) == DECISIONS for story in stories)
    (other,) = batch_stories(Batch("classic", 1, SEED + 1, auto_forced=False), [0])
    (shorter,) = batch_stories(Batch("classic", 1, SEED, auto_forced=False), [0], DECISIONS - 1)
    assert len({stories[0].digest(), other.digest(), shorter.digest()}) == 3
    assert any(story.is_over for story in alone("mini-2", False))


def test_the_page_names_every_way() -> None:
    """docs/safety.md lists what is held equal."""
    page = (ROOT / "docs" / "safety.md").read_text(encoding="utf-8")
    assert [name for name in (*WAYS, *FACES, *PROCESSES) if name not in page] == []
