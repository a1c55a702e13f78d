"""The soak by itself: a short run of each part, and a leak that it finds."""

from __future__ import annotations

import json
import mmap
import sys
from pathlib import Path

import pytest
import soak
from soak import Watch

pytestmark = pytest.mark.skipif(not soak.STATM.exists(), reason="memory is read from Linux's /proc")


def test_short_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Some thousand games through the vector and the AEC environment leave memory as it is."""
    told = tmp_path / "told.json"
    words = ["--vector-games", "6000", "--aec-games", "300", "--rules", "mini-2", "--json", str(told)]
    assert soak.main(words) == 0, capsys.readouterr().out
    parts = json.loads(told.read_text(encoding="utf-8"))["parts"]
    assert [(part["part"], part["games"] >= least) for part, least in zip(parts, (6000, 300), strict=True)] == [
        ("vector", True),
        ("AEC", True),
    ]
    assert all(part["samples"] > 100 or part["part"] == "vector" for part in parts)
    assert capsys.readouterr().out.count("\n") == 3


def test_self_play(tmp_path: Path) -> None:
    """Training by self-play is watched by its time."""
    pytest.importorskip("torch")
    watch = Watch("self-play", 3)
    soak.play_itself(watch, "mini-2")
    assert watch.games >= 200
    assert watch.steps > watch.games


@pytest.mark.parametrize(("leak", "code"), [(100_000, 1), (0, 0)])
def test_a_planted_leak_is_found(leak: int, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part that keeps a tenth of a megabyte a game is told by the exit code, and only that."""
    kept = []

    def play(watch: Watch, rules: str) -> None:
        while watch.tick(1, 1):
            if leak:  # pages of its own: what was freed before would else be used again
                kept.append(mmap.mmap(-1, leak, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
                kept[-1].write(b"x" * leak)

    monkeypatch.setattr(soak, "play_vector", play)
    assert soak.main(["--vector-games", "1000"]) == code


def test_too_few_samples_tell_of_nothing() -> None:
    """A run that is too short to tell is refused rather than passed."""
    with pytest.raises(ValueError, match="too few"):
        soak.soak("short", lambda watch, rules: None, 5, "mini-1")
    assert sys.getsizeof(Watch("part", 10**6).samples) < 100
