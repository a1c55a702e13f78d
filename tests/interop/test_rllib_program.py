"""`train.py rllib` as a user runs it: what it writes, and one line for whatever it cannot do."""

from __future__ import annotations

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from programs import check_refusal, in_process, is_progress, program, read_json

from agents.rllib import RLlibSettings

HAS_RLLIB = pytest.mark.skipif(
    find_spec("ray") is None,
    reason="RLlib is not installed: pip install 'sorry-env[ray]'",
)

TINY = [
    *("rllib", "--rules", "mini-1", "--envs", "4", "--steps", "32", "--minibatch", "64", "--epochs", "1"),
    *("--opponents", "random", "--selves", "1", "--self-every", "200", "--eval-games", "40", "--seed", "3"),
]


@HAS_RLLIB
def test_train(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Training ends with a table, a checkpoint, results, and a policy file that `evaluate.py` seats beside others."""
    out = tmp_path / "first"
    done = program("train.py", *TINY, "--timesteps", "256", "--out", out, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert is_progress(done.stderr), done.stderr
    assert "greedy" in done.stdout
    results = read_json(out / "results.json")
    assert (results["learner"], results["seed"], results["rules"]) == ("rllib", 3, "mini-1")
    assert 256 <= results["timesteps"] < 256 + 128 + 8
    assert [score["against"] for score in results["scores"]] == ["random", "greedy", "race", "solitaire"]
    assert read_json(out / "checkpoint.json")["timesteps"] == results["timesteps"]
    pictures = {".png", ".svg"}  # where matplotlib is installed
    assert {path.suffix for path in out.iterdir()} - pictures == {".json", ".jsonl", ".onnx", ".safetensors", ""}
    assert not list(out.glob(".*")), "parts of files are left over"
    line = ["evaluate.py", str(out / "policy.onnx"), str(out), "greedy", "random", "--rules", "mini-1", "--games", "40"]
    code, stdout, stderr = in_process([*line, "--json", "-"], capsys, monkeypatch)
    assert (code, stderr) == (0, "")
    scores = json.loads(stdout)["scores"]
    assert len(scores) == 12
    assert scores[0]["win_rate"] == 0.5, "file and folder are the same player, in equal decks"


@HAS_RLLIB
def test_seed_and_actors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed and order of hashes give the same weights; two actors that play learn, too, from other games."""
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    found = []
    for name, more in (("one", ()), ("again", ()), ("two", ("--env-runners", "2"))):
        done = program("train.py", *TINY, "--timesteps", "256", *more, "--out", tmp_path / name, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        found.append(read_json(tmp_path / name / "checkpoint.json")["sha256"])
    assert found[0] == found[1]
    assert found[0] != found[2]


BAD: list[tuple[str, str]] = [
    ("--rules clasic", "did you mean 'classic'"),
    ("--rules teams --players 3", "teams"),
    ("--opponents gredy", "did you mean 'greedy'"),
    ("--opponents random random", "'random' is given twice"),
    ("--timesteps 0", "--timesteps: 0"),
    ("--minutes -1", "--minutes: -1"),
    ("--seed -1", "--seed: -1"),
    ("--self-play 1.5", "--self-play: 1.5"),
    ("--learning-rate 0", "--learning-rate: 0"),
    ("--clip-range nan", "--clip-range: nan"),
    ("--entropy -0.1", "--entropy: -0.1"),
    ("--env-runners -1", "--env-runners: -1"),
    ("--resume", "give a folder that train.py wrote"),
]


@pytest.mark.parametrize(("line", "words"), BAD, ids=[line for line, _ in BAD])
def test_bad_input(
    line: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bad input is one line on stderr and exit code 2, with Ray or without; nothing is begun or written."""
    monkeypatch.chdir(tmp_path)
    check_refusal(*in_process(["train.py", "rllib", *line.split()], capsys, monkeypatch), "train.py", words)
    assert os.listdir(".") == []


def test_no_rllib(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Ray the program says what to install."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setitem(sys.modules, "ray.rllib", None)
    refusal = in_process(["train.py", "rllib", "--rules", "mini-1"], capsys, monkeypatch)
    check_refusal(*refusal, "train.py", "pip install 'sorry-env[ray]'")
    assert os.listdir(".") == []


@HAS_RLLIB
def test_no_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    """An address where no cluster is is refused on one line."""
    monkeypatch.chdir(tmp_path)
    line = ["train.py", "rllib", "--rules", "mini-1", "--ray", "127.0.0.1:1"]
    check_refusal(*in_process(line, capsys, monkeypatch), "train.py", "no cluster at '127.0.0.1:1'")


@HAS_RLLIB
def test_checkpoint_of_another_learner(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--resume` takes only what this learner wrote."""
    from tiny_runs import run

    run(tmp_path / "ppo", timesteps=128)
    line = ["train.py", "rllib", "--rules", "mini-1", "--out", str(tmp_path / "ppo"), "--resume"]
    check_refusal(*in_process(line, capsys, monkeypatch), "train.py", "is not of train.py rllib")


def test_help(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The program tells its use, with Ray or without: every setting has a text."""
    code, stdout, stderr = in_process(["train.py", "rllib", "--help"], capsys, monkeypatch)
    assert (code, stderr) == (0, "")
    for name in vars(RLlibSettings()):
        assert f"--{name.replace('_', '-')}" in stdout
