"""`train.py` and `evaluate.py` as a user runs them: what they write, and one line for whatever they cannot do."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from programs import check_refusal, in_process, is_progress, program, read_json, without_progress
from tiny_policies import write_policy

from sorry_env import load_player
from sorry_env.players import PolicyPlayer
from sorry_env.rules import rules_from

TINY = [
    *("ppo", "--rules", "mini-1", "--envs", "8", "--steps", "16", "--minibatch", "64", "--epochs", "1", "--seed", "3"),
    *("--opponents", "random", "--selves", "1", "--self-every", "200", "--eval-games", "40"),
]
SCORE_FIELDS = {
    "player", "against", "games", "decks", "win_rate", "low", "high", "even", "points", "plies", "truncated",
    "adjusted", "adjusted_low", "adjusted_high", "variance_ratio",
}  # fmt: skip


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The folder of a short run of `train.py ppo`, and what the program said."""
    out = tmp_path_factory.mktemp("runs") / "first"
    return out, program("train.py", *TINY, "--timesteps", "512", "--out", out, cwd=out.parent)


@pytest.fixture(scope="module")
def other_policy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A policy for `mini-2`."""
    path = tmp_path_factory.mktemp("policies") / "mini-2.onnx"
    write_policy(path, rules_from("mini-2"))
    return str(path)


# --- What they do ---


def test_train(trained: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    """Training ends with a table, a checkpoint, a policy file that plays, and results that say what was done."""
    out, process = trained
    assert process.returncode == 0, process.stderr
    assert is_progress(process.stderr)
    assert "greedy" in process.stdout
    assert "Traceback" not in process.stdout
    results = read_json(out / "results.json")
    assert (results["learner"], results["timesteps"], results["seed"], results["rules"]) == ("ppo", 512, 3, "mini-1")
    assert results["policy"] == str(out / "policy.onnx")
    assert [(score["player"], score["against"]) for score in results["scores"]] == [
        (results["policy"], yardstick) for yardstick in ("random", "greedy", "race", "solitaire")
    ]
    for score in results["scores"]:
        assert score.keys() == SCORE_FIELDS
        assert score["games"] == 40
        assert 0 <= score["low"] <= score["win_rate"] <= score["high"] <= 1
    player = load_player(str(out / "policy.onnx"), rules_from("mini-1"))
    assert isinstance(player, PolicyPlayer)
    assert (player.metadata["learner"], player.metadata["timesteps"]) == ("ppo", 512)
    checkpoint = read_json(out / "checkpoint.json")
    assert (checkpoint["timesteps"], checkpoint["rules"]) == (512, "mini-1")
    assert (out / checkpoint["weights"]).is_file()
    assert list((out / "tensorboard").iterdir())
    assert not list(out.glob(".*")), "parts of files are left over"


def test_resume(
    trained: tuple[Path, subprocess.CompletedProcess[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`--resume` goes on from the checkpoint to more timesteps and writes everything anew."""
    out, _ = trained
    arguments = ["train.py", *TINY, "--timesteps", "768", "--out", str(out), "--resume"]
    code, _, stderr = in_process(arguments, capsys, monkeypatch)
    assert code == 0
    assert is_progress(stderr)
    assert read_json(out / "checkpoint.json")["timesteps"] == 768
    assert read_json(out / "results.json")["timesteps"] == 768
    assert [file.name.rpartition("-")[0] for file in out.glob("weights-*")].count("weights-768") == 1


def test_evaluate(
    trained: tuple[Path, subprocess.CompletedProcess[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A table for people; the same numbers as JSON in a file and, alone, on stdout; folders and files are players."""
    out, _ = trained
    file = out.parent / "table.json"
    line = [str(out / "policy.onnx"), str(out), "random", "--rules", "mini-1", "--games", "50", "--seed", "4", "--json"]
    shown = program("evaluate.py", *line, file, cwd=out.parent)
    assert shown.returncode == 0
    assert is_progress(shown.stderr)
    assert "win %" in shown.stdout
    code, stdout, stderr = in_process(["evaluate.py", *line, "-"], capsys, monkeypatch)
    assert (code, stderr) == (0, "")
    table = json.loads(stdout)
    assert table == read_json(file)
    assert (table["rules"], table["seats"], table["sides"], table["seed"]) == ("mini-1", 2, 2, 4)
    assert len(table["scores"]) == 6
    assert all(score.keys() == SCORE_FIELDS and score["games"] == 50 for score in table["scores"])
    same, _ = table["scores"][:2]
    assert [same["player"], same["against"]] == line[:2]
    assert same["win_rate"] == 0.5, "file and folder are the same player, in equal decks"


@pytest.mark.parametrize(
    ("arguments", "seats", "sides", "matches"),
    [
        (["--rules", "teams"], 4, 2, 2),
        (["--rules", "points", "--players", "4"], 4, 4, 2),
        (["--rules", "classic:players=3"], 3, 3, 2),
        ([], 2, 2, 2),
    ],
)
def test_evaluate_seats(
    arguments: list[str], seats: int, sides: int, matches: int, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    """Two seats by default, four in the partnership game, else what `--players` or the rules say."""
    code, stdout, stderr = in_process(
        ["evaluate.py", "greedy", "random", "--games", "8", "--json", "-", *arguments], capsys, monkeypatch
    )
    assert (code, without_progress(stderr)) == (0, "")
    table = json.loads(stdout)
    assert (table["seats"], table["sides"], len(table["scores"])) == (seats, sides, matches)


@pytest.mark.parametrize(
    "arguments", [["train.py"], ["train.py", "--help"], ["train.py", "ppo", "--help"], ["evaluate.py", "--help"]]
)
def test_help(arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every program tells its use."""
    code, stdout, stderr = in_process(arguments, capsys, monkeypatch)
    assert (code, stderr) == (0, "")
    assert len(stdout) > 200


def test_interrupt(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends a program with one line and exit code 130."""

    def interrupt(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("agents.evaluation.play_block", interrupt)
    result = in_process(["evaluate.py", "greedy", "random"], capsys, monkeypatch)
    assert result == (130, "", "evaluate.py: interrupted\n")


# --- What they refuse ---


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other_policy: str) -> dict[str, str]:
    """What the lines below name; the current folder holds one text file, in which no policy can be."""
    text = tmp_path / "text.onnx"
    text.write_text("no model", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return {"policy": other_policy, "folder": str(tmp_path), "text": str(text)}


EVALUATE: list[tuple[str, str]] = [
    ("greedy random --rules clasic", "did you mean 'classic'"),
    ("greedy random --rules classic:colour=R", "colour"),
    ("greedy random --players 5", "players: 5"),
    ("greedy random --players 1", "players: 1"),
    ("greedy random --rules teams --players 3", "teams"),
    ("greedy gredy", "did you mean 'greedy'"),
    ("greedy random:x=1", "no option 'x'"),
    ("greedy nowhere/policy.onnx", "no file 'nowhere/policy.onnx'"),
    ("greedy nowhere", "no player 'nowhere'"),
    ("greedy {text}", "not an ONNX file"),
    ("greedy {policy}", "mini-2"),
    ("greedy random --games -5", "--games: -5"),
    ("greedy random --games 0", "--games: 0"),
    ("greedy random --workers 0", "--workers: 0"),
    ("greedy random --seed -1", "--seed: -1"),
    ("greedy", "two or more"),
]
UNWRITABLE = [("{folder}/none/table.json", "No such file"), ("{text}/table.json", "Not a directory")]
TRAIN: list[tuple[str, str]] = [
    ("tdd", "no 'tdd'"),
    ("ppo --rules clasic", "did you mean 'classic'"),
    ("ppo --players 5", "players: 5"),
    ("ppo --rules teams --players 3", "teams"),
    ("ppo --opponents gredy", "did you mean 'greedy'"),
    ("ppo --opponents nowhere.onnx", "no file 'nowhere.onnx'"),
    ("ppo --opponents {policy}", "mini-2"),
    ("ppo --timesteps -1", "--timesteps: -1"),
    ("ppo --envs 0", "--envs: 0"),
    ("ppo --eval-games 0", "--eval-games: 0"),
    ("ppo --self-every 0", "--self-every: 0"),
    ("ppo --minutes 0", "--minutes: 0"),
    ("ppo --seed -1", "--seed: -1"),
    ("ppo --opponents random random", "'random' is given twice"),
    ("ppo --hardness -1", "--hardness: -1"),
    ("ppo --learning-rate liner:1e-3:0", "--learning-rate: no schedule 'liner'"),
    ("ppo --learning-rate liner:1e-3:0", "did you mean 'linear'"),
    ("ppo --clip-range 0", "--clip-range: 0"),
    ("ppo --entropy linear:0.01", "--entropy: 'linear:0.01' is neither a number nor"),
    ("ppo --out {text}", "Not a directory"),
    ("ppo --out {text}/run", "Not a directory"),
]
CASES = [(f"evaluate.py {line}", words) for line, words in EVALUATE] + [
    (f"train.py {line}", words) for line, words in TRAIN
]


@pytest.mark.parametrize(("line", "words"), CASES, ids=[line for line, _ in CASES])
def test_bad_input(
    line: str,
    words: str,
    places: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Bad input is one line on stderr and exit code 2; nothing is written."""
    arguments = [argument.format(**places) for argument in line.split()]
    check_refusal(*in_process(arguments, capsys, monkeypatch), arguments[0], words)
    assert os.listdir(".") == ["text.onnx"]


@pytest.mark.parametrize(("path", "words"), UNWRITABLE)
def test_unwritable_json(
    path: str,
    words: str,
    places: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A path where no file can be written is refused before anything is played."""
    arguments = ["evaluate.py", "greedy", "random", "--games", "4", "--json", path.format(**places)]
    check_refusal(*in_process(arguments, capsys, monkeypatch), "evaluate.py", words)


@pytest.mark.usefixtures("places")
def test_json_is_a_folder(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder in place of the JSON file is refused, and nothing is left over."""
    Path("tables").mkdir()
    arguments = ["evaluate.py", "greedy", "random", "--games", "4", "--json", "tables"]
    check_refusal(*in_process(arguments, capsys, monkeypatch), "evaluate.py", "directory")
    assert sorted(os.listdir(".")) == ["tables", "text.onnx"]


@pytest.mark.usefixtures("places")
def test_resume_of_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`--resume` without a checkpoint is refused, and nothing is written."""
    refusal = in_process(["train.py", "ppo", "--resume"], capsys, monkeypatch)
    check_refusal(*refusal, "train.py", "give a folder that train.py wrote")
    assert os.listdir(".") == ["text.onnx"]


@pytest.mark.parametrize("line", ["evaluate.py greedy gredy", "train.py ppo --opponents gredy"])
def test_bad_input_as_a_user(line: str) -> None:
    """The same in a process of its own."""
    name, *arguments = line.split()
    process = program(name, *arguments)
    check_refusal(process.returncode, process.stdout, process.stderr, name, "did you mean 'greedy'")


@pytest.mark.parametrize("line", ["evaluate.py greedy random --gams 3", "train.py ppo --game 3"])
def test_unknown_option(line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown option ends with exit code 2 and without a traceback."""
    code, _, stderr = in_process(line.split(), capsys, monkeypatch)
    assert code == 2
    assert "Traceback" not in stderr
