"""`train.py td` as a user runs it: what it writes, what it refuses, and champions by their recipes."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from programs import check_refusal, in_process, is_progress
from tiny_runs import figures

from agents import champions
from sorry_env import load_player
from sorry_env.players import ValuePlayer, value
from sorry_env.rules import rules_from

TINY = [
    *("train.py", "td", "--games", "40", "--block", "20", "--wide", "8", "--narrow", "4", "--minibatch", "64"),
    *("--threads", "1", "--seed", "3", "--eval-games", "20", "--checks", "1"),
]
RUNS = [
    ("classic", ["--rules", "classic"], "classic:players=2"),
    ("three", ["--rules", "classic:pawns=2", "--players", "3"], "classic:players=3,pawns=2"),
    ("teams", ["--rules", "teams:pawns=2"], "teams:pawns=2"),
    ("points", ["--rules", "points:pawns=2", "--players", "2"], "points:players=2,pawns=2"),
]


@pytest.mark.parametrize(("name", "options", "spec"), RUNS, ids=[name for name, *_ in RUNS])
def test_train(
    name: str,
    options: list[str],
    spec: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A run ends with a table, a value file and a checkpoint that play, events, and results of what was done."""
    out, rules = tmp_path / name, rules_from(spec)
    code, stdout, stderr = in_process([*TINY, *options, "--out", str(out)], capsys, monkeypatch)
    assert code == 0, stderr
    assert is_progress(stderr)
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    told = {key: results[key] for key in ("learner", "games", "seed", "rules", "wide", "narrow", "policy")}
    assert told == {
        "learner": "td", "games": 40, "seed": 3, "rules": rules.spec(), "wide": 8, "narrow": 4,
        "policy": str(out / "value.onnx"),
    }  # fmt: skip
    yardsticks = [score["against"].split(" ")[-1] for score in results["scores"]]
    assert yardsticks == ["random", "greedy", "race", "solitaire"]
    for score in results["scores"]:
        assert score["games"] >= 20
        assert 0 <= score["low"] <= score["win_rate"] <= score["high"] <= 1
        assert score["against"] in stdout
    players = [load_player(str(path), rules) for path in (out, out / "value.onnx")]
    assert all(isinstance(player, ValuePlayer) and player.model.row.any() for player in players)
    checkpoint = json.loads((out / "checkpoint.json").read_text(encoding="utf-8"))
    assert (checkpoint["games"], checkpoint["rules"], checkpoint["timesteps"]) == (40, spec, results["positions"])
    logged = figures(out)
    assert {"td/loss", "td/trace", "td/learning_rate", "td/plies"} <= set(logged)
    assert sorted(logged["td/loss"]) == [20, 40]
    assert not list(out.glob(".*")), "parts of files are left over"


def test_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`--resume` goes on to more games and writes everything anew; other settings are refused."""
    line = [*TINY, "--rules", "mini-1", "--out", str(tmp_path)]
    assert in_process(line, capsys, monkeypatch)[0] == 0
    assert in_process([*line, "--resume", "--games", "60"], capsys, monkeypatch)[0] == 0
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["games"] == 60
    check_refusal(*in_process([*line, "--resume", "--wide", "12"], capsys, monkeypatch), "train.py", "wide 8, not 12")


WRONG = [
    ("td --rules clasic", "did you mean 'classic'"),
    ("td --rules teams --players 3", "teams"),
    ("td --wide 2000", "--wide: 2000 is more than 1024"),
    ("td --games 0", "--games: 0"),
    ("td --learning-rate 0", "--learning-rate: 0.0 is not above 0"),
    ("td --last-trace 2", "--last-trace: 2.0 is not within 0 to 1"),
    ("td --minutes -1", "--minutes: -1.0"),
    ("td --resume", "give a folder that train.py wrote"),
    ("tdd", "no 'tdd'; known: td, ppo"),
]


@pytest.mark.parametrize(("line", "words"), WRONG, ids=[line for line, _ in WRONG])
def test_bad_input(
    line: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bad input is one line on stderr and exit code 2; nothing is written."""
    monkeypatch.chdir(tmp_path)
    check_refusal(*in_process(["train.py", *line.split()], capsys, monkeypatch), "train.py", words)
    assert not list(tmp_path.iterdir())


def test_divergence(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that diverges stops with one line and exit code 2, and exports nothing."""
    line = [*TINY, "--rules", "mini-1", "--out", str(tmp_path), "--learning-rate", "inf"]
    code, stdout, stderr = in_process(line, capsys, monkeypatch)
    assert (code, stdout) == (2, "")
    assert "train.py: training diverged" in stderr.splitlines()[-1]
    assert not (tmp_path / "value.onnx").exists()


def test_champions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each recipe writes its network and, measured by that very network, its card; the next one finds both."""
    monkeypatch.chdir(tmp_path)
    for module in (champions, value):
        monkeypatch.setattr(module, "CHAMPIONS", tmp_path / "kept")
    value.champion_files.cache_clear()
    tiny: dict[str, Any] = {"games": 20, "block": 20, "wide": 8, "narrow": 4, "threads": 1}
    recipes = {"one": "mini-1", "two": "mini-2"}
    base = champions.RECIPES["classic-2"]
    monkeypatch.setattr(
        champions, "RECIPES", {name: replace(base, rules=rules, **tiny) for name, rules in recipes.items()}
    )
    monkeypatch.setattr(champions, "GAMES", 40)
    monkeypatch.setattr(sys, "argv", ["champions"])
    champions.main()
    for name, rules in recipes.items():
        player = load_player("champion", rules_from(rules))
        twin = load_player(str(tmp_path / "kept" / f"{name}.onnx"), rules_from(rules))
        assert isinstance(player, ValuePlayer)
        assert isinstance(twin, ValuePlayer)
        assert (player.model.row == twin.model.row).all()
        card = (tmp_path / "kept" / f"{name}.md").read_text(encoding="utf-8")
        assert f"`{rules}`" in card
        assert "20 games" in card
    value.champion_files.cache_clear()
