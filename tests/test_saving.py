"""Games of the terminal on the disk: saved, gone on with, broken off, and saves that fail."""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
from test_cli import Run
from test_playing import QUICK, play, record_of, said

from sorry_env.files import check_writable, write_text


def test_saving_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """After `save FILE` the file has each later move, and the last line is a command that goes on with it."""
    file = tmp_path / "my game.txt"
    keys = f"save {file}\n" + "auto\n" + "1\n" * 3 + "quit\n"
    start = (
        "--players",
        "2",
        "--seed",
        "7",
        "--against",
        "greedy",
        "--you",
        "yellow",
        "--hints",
        "none",
        "--delay",
        "0",
    )
    run = play(capsys, monkeypatch, keys, *start)
    game = record_of(file)
    assert game.num_plies >= 6
    options = f"--you yellow --against greedy --hints none --delay 0 --auto-forced --save '{file}'"
    told = f"to go on, other cards to come: sorry-env play --from '{file}' {options}"
    assert said(run)[-1] == f"Left after {game.num_plies} plies; {told}"
    more = play(capsys, monkeypatch, "1\n" * 2, *shlex.split(said(run)[-1].partition("sorry-env play ")[2]))
    assert more.code == 0
    assert said(more)[-1].endswith(said(run)[-1].partition("to go on")[2])
    later = record_of(file)
    assert later.num_plies > game.num_plies
    assert [event for _, event in later.history[: len(game.history)]] == [event for _, event in game.history]


def test_cards_to_come_are_the_seeds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record that goes on draws by --seed, other cards by another seed; a finished one just shows its end."""
    file = tmp_path / "game.txt"
    play(capsys, monkeypatch, "", *QUICK, "--save", str(file))
    ends = [
        play(capsys, monkeypatch, "1\n" * 500, "--from", str(file), "--against", "greedy", "--seed", seed).out
        for seed in ("1", "1", "2")
    ]
    assert ends[0] == ends[1] != ends[2]
    play(capsys, monkeypatch, "1\n" * 500, *QUICK, "--save", str(file))
    run = play(capsys, monkeypatch, "", "--from", str(file))
    assert " won after " in said(run)[-1]
    assert run.out.count("┌0──┬") == 1


def test_a_failed_save_leaves_the_last_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A save that fails in mid-game is said in one line, the game goes on, the old record stands; it ends with 2."""
    file = tmp_path / "game.txt"
    written: list[bytes] = []

    def fills_up(handle: int) -> None:
        written.append(b"")
        if len(written) > 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", fills_up)
    keys = (*QUICK[:-1], "8", "--auto-forced", "--save", str(file))
    run = play(capsys, monkeypatch, f"1\nsave {file}\nquit\n", *keys)
    reason = f"{str(file)!r}: No space left on device"
    assert f"Not saved: {reason}; save FILE keeps the game elsewhere" in said(run)
    assert any(re.fullmatch("save: .*: No space left on device", line) for line in said(run))
    assert len([line for line in said(run) if line.startswith("Red (you)")]) >= 3
    assert re.match(r"Left after \d+ plies, the last ones not saved; ", said(run)[-1])
    assert (run.code, run.err) == (2, f"sorry-env: {reason}\n")
    assert record_of(file).num_plies == 0
    assert os.listdir(tmp_path) == [file.name]


def test_the_folder_of_the_save_vanishes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the save's folder is gone, the game can be kept elsewhere, and ends well."""
    folder, other = tmp_path / "gone", tmp_path / "other.txt"
    folder.mkdir()
    answers = iter(["1", "1", f"save {other}", "quit"])

    def answer(prompt: str) -> str:
        shutil.rmtree(folder, ignore_errors=True)
        return next(answers)

    monkeypatch.setattr("builtins.input", answer)
    run = Run(capsys, "play", "--players", "2", "--seed", "7", "--save", str(folder / "game.txt"))
    assert (run.code, run.err) == (0, "")
    assert any(line.endswith("No such file or directory; save FILE keeps the game elsewhere") for line in said(run))
    assert record_of(other).num_plies >= 2


def test_what_is_written_to(tmp_path: Path) -> None:
    """A link stays a link to the new text; a device is written to and stays a device, also behind a link of /proc."""
    file, link = tmp_path / "game.txt", tmp_path / "link"
    file.write_text("old")
    link.symlink_to(file)
    check_writable(link)
    assert (sorted(os.listdir(tmp_path)), file.read_text()) == (["game.txt", "link"], "old")
    write_text(link, "new")
    assert (link.is_symlink(), file.read_text()) == (True, "new")
    device = tmp_path / "pipe"
    os.mkfifo(device)
    reader = os.open(device, os.O_RDONLY | os.O_NONBLOCK)
    check_writable(device)
    write_text(device, "new")
    assert (os.read(reader, 9), device.is_fifo()) == (b"new", True)
    out, into = os.pipe()
    for handle in (Path(f"/dev/fd/{into}"), Path(f"/proc/self/fd/{into}")):
        if handle.exists():
            check_writable(handle)
            write_text(handle, "new")
            assert os.read(out, 9) == b"new"
    os.close(out)
    os.close(into)
    os.close(reader)


def test_interrupt(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends with 130, says how to go on, and leaves the record as far as it came."""
    file = tmp_path / "game.txt"
    answers = iter(["1", "1"])

    def answer(prompt: str) -> str:
        try:
            return next(answers)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr("builtins.input", answer)
    run = Run(capsys, "play", "--players", "2", "--seed", "7", "--against", "greedy", "--save", str(file))
    assert (run.code, run.err) == (130, "sorry-env: interrupted\n")
    game = record_of(file)
    assert game.num_plies >= 2
    told = f"to go on, other cards to come: sorry-env play --from {file} --against greedy --save {file}"
    assert said(run)[-1] == f"Left after {game.num_plies} plies; {told}"
