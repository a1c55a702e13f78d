"""A run that was broken off and resumed is, step by step, the run that was not; nothing that stands is ever lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import test_td
import tiny_runs
import torch
from kills import LINES, done_in, kill_at
from programs import ROOT, in_process, listen_to_interrupts, without_progress
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

from agents import CHECKPOINT_FILE
from agents.checkpoints import NAMES, load_checkpoint, load_one, save_checkpoint
from agents.divergence import BATCH_FILE
from agents.ppo import PPOLearner
from agents.td import TDLearner
from sorry_env.batch import Batch
from sorry_env.errors import PolicyError, SorryError

torch.set_num_threads(1)


class StopError(Exception):
    """Ends a run in the middle."""


def ppo_state(learner: PPOLearner) -> list[Any]:
    """All that decides how a PPO run goes on, as bytes and plain numbers."""
    kept = learner.model.policy.optimizer.state_dict()["state"]
    moments = [kept[index][name] for index in sorted(kept) for name in sorted(kept[index])]
    tensors = [*learner.model.policy.state_dict().values(), *moments]
    play = learner._play()
    assert play is not None
    return [
        *(tensor.numpy().tobytes() for tensor in tensors),
        play,
        torch.get_rng_state().numpy().tobytes(),
        learner.league.results(),
        (learner.model.num_timesteps, learner.num_selves, learner.env.games_ended),
    ]


PPO_RULES = ["mini-1", "points:players=2,pawns=1", "classic:players=2,pawns=2"]


@pytest.mark.parametrize("spec", PPO_RULES)
def test_resumed_ppo_is_uninterrupted(spec: str, tmp_path: Path) -> None:
    """Broken off twice and resumed, PPO ends with the same weights, games, league and random streams, byte for byte."""
    changes: dict[str, Any] = {"rules": spec, "timesteps": 1280, "opponents": ("random", "greedy"), "self_every": 128}
    changes |= {"learning_rate": "linear:1e-3:0"}
    whole = ppo_state(tiny_runs.run(tmp_path / "whole", **changes))
    out = tmp_path / "broken"
    for k, until in enumerate((640, 1024)):  # after an odd number of selves, too

        def stop(learner: PPOLearner, until: int = until) -> None:
            if learner.model.num_timesteps >= until:
                raise StopError

        learner = PPOLearner(tiny_runs.settings(out, checkpoint_every=0, resume=k > 0, **changes))
        with pytest.raises(StopError):
            learner.learn(stop)
        assert learner.num_selves > 3, "so that places have rotated"
    np.random.seed(5)  # nothing depends on what the process did before
    assert ppo_state(tiny_runs.run(out, resume=True, **changes)) == whole


def test_resumed_ppo_meets_new_cards(tmp_path: Path) -> None:
    """A resumed run does not play the first games again, also where an opponent has left and its games begin anew."""
    begun = PPOLearner(tiny_runs.settings(tmp_path / "new", opponents=("random", "greedy")))
    begun.env.reset()
    first = [begun.env.batch.position(e) for e in range(8)]
    tiny_runs.run(tmp_path / "run", opponents=("random", "greedy"))
    for opponents in (("random", "greedy"), ("random",)):
        resumed = PPOLearner(tiny_runs.settings(tmp_path / "run", opponents=opponents, resume=True))
        assert resumed.env.batch.is_open.all()
        assert (resumed.env.games.arena.seating < len(resumed.league.players)).all()
        assert not set(first) & {resumed.env.batch.position(e) for e in range(8)}


@pytest.mark.parametrize(("name", "value"), [("seed", 3), ("envs", 4)])
def test_ppo_of_other_identity(name: str, value: int, tmp_path: Path) -> None:
    """What the random streams hang on cannot be changed on the way."""
    tiny_runs.run(tmp_path)
    with pytest.raises(PolicyError, match=f"has {name} [08], not {value}"):
        PPOLearner(tiny_runs.settings(tmp_path, resume=True, **{name: value}))


@pytest.mark.parametrize("spec", ["classic", "teams", "points", "mini-2"])
def test_batch_snapshot(spec: str) -> None:
    """A batch restored from a snapshot, through JSON, shows the same and plays on with the same cards and choices."""
    one, other = Batch(spec, 20, 3), Batch(spec, 20, 99)
    for batch in (one, other):
        batch.reset()
    for _ in range(30):
        one.step(one.sample())
        one.reset(~one.is_open)
    other.restore(json.loads(json.dumps(one.snapshot())))
    for _ in range(40):
        for name in ("states", "masks", "counts", "observations", "plies", "is_open"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
        for batch in (one, other):
            batch.step(batch.sample())
            batch.reset(~batch.is_open)


SNAPSHOTS: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda told: told.pop("positions"), "'positions'"),
    (lambda told: told["positions"].pop(), "not of 3 games"),
    (lambda told: told.update(positions=["x", "y", "z"]), "PAWNS MOVER CARDS PILE"),
    (lambda told: told.update(positions=7), "not iterable"),
    (lambda told: told.update(positions=[None] * 3), "NoneType"),
    (lambda told: told.update(plies=[0, 0, -1]), "not open"),
    (lambda told: told.update(plies=[0, 0, 10**9]), "not open"),
    (lambda told: told.update(streams=[[1, 2, 3]] * 3), "not of 3 games"),
    (lambda told: told.update(streams=[[10**30] * 4] * 3), "too large"),
    (lambda told: told.update(positions=["R:H,H,H,H/Y:S,S,S,S r - *"] * 3), "not open"),
]


@pytest.mark.parametrize(("spoil", "words"), SNAPSHOTS, ids=[words for _, words in SNAPSHOTS])
def test_spoilt_snapshot(spoil: Callable[[dict[str, Any]], object], words: str) -> None:
    """What is no snapshot is refused on one line, and no game has changed: compiled code never sees it."""
    batch = Batch("classic:players=2", 3, 1)
    batch.reset()
    told, before = batch.snapshot(), batch.states.copy()
    spoil(told)
    with pytest.raises(SorryError, match=words) as caught:
        batch.restore(told)
    assert "\n" not in str(caught.value)
    assert np.array_equal(batch.states, before)


# --- The newest good checkpoint ---


def numbered(folder: Path, count: int) -> None:
    """A folder with so many checkpoints, whose timesteps are 1, 2, ..."""
    for number in range(1, count + 1):
        save_checkpoint(folder, {"a": torch.full((50,), float(number))}, {"timesteps": number})


def test_last_three_are_kept(tmp_path: Path) -> None:
    """The newest and the two before it stand, each whole; all that is older is gone."""
    numbered(tmp_path, 6)
    assert [load_one(tmp_path / name)[1]["timesteps"] for name in NAMES] == [6, 5, 4]
    assert len(list(tmp_path.iterdir())) == 6


@pytest.mark.parametrize("bad", [1, 2])
@pytest.mark.parametrize("part", ["facts", "weights"])
def test_newest_good_one(part: str, bad: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With one bit wrong in the newest one or two, in either file, the one before is used and one line says so."""
    for byte in range(0, 400, 29):
        folder = tmp_path / str(byte)
        numbered(folder, 3)
        for name in NAMES[:bad]:
            path = folder / name
            if part == "weights":
                path = folder / json.loads(path.read_text(encoding="utf-8"))["weights"]
            data = bytearray(path.read_bytes())
            data[byte % len(data)] ^= 1 << byte % 8
            path.write_bytes(data)
        assert load_checkpoint(folder)[1]["timesteps"] == 3 - bad
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert "is damaged" in told
        assert repr(str(folder / NAMES[bad])) in told
        save_checkpoint(folder, {"a": torch.zeros(1)}, {"timesteps": 9})
        assert load_checkpoint(folder)[1]["timesteps"] == 9


def test_damaged_newest_is_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--resume` of a run whose newest checkpoint is cut goes on from the one before, says so, and ends the same."""
    line = ["train.py", "td", "--rules", "mini-1", "--games", "80", "--block", "20", "--wide", "8", "--narrow", "4"]
    line += ["--eval-games", "4", "--checks", "0", "--threads", "1", "--checkpoint-every", "-1"]
    outs = [tmp_path / name for name in ("whole", "cut")]
    for out in outs:
        assert in_process([*line, "--out", str(out)], capsys, monkeypatch)[0] == 0
    weights = outs[1] / json.loads((outs[1] / CHECKPOINT_FILE).read_text(encoding="utf-8"))["weights"]
    weights.write_bytes(weights.read_bytes()[:1000])
    code, _, stderr = in_process([*line, "--out", str(outs[1]), "--resume"], capsys, monkeypatch)
    assert code == 0
    assert without_progress(stderr).count("\n") == 1
    assert "checkpoint-1.json" in stderr
    first, second = (load_checkpoint(out)[0] for out in outs)
    assert all(torch.equal(first[key], second[key]) for key in first)


# --- What ends a run ---


@pytest.mark.parametrize("learner", sorted(LINES))
def test_killed(learner: str, tmp_path: Path) -> None:
    """`kill -9` in the middle of a run, twice: the newest checkpoint is good, and the resumed run goes on from it."""
    first, second = (kill_at(learner, tmp_path / "run", seconds) for seconds in (0.15, 0.4))
    assert 0 < first < second == done_in(tmp_path / "run")


def end_by(process: subprocess.Popen[str], number: int) -> str:
    """What a process says when a signal ends it; again where CPython loses the first one in somebody's finaliser."""
    for _ in range(3):
        process.send_signal(number)
        try:
            return process.communicate(timeout=20)[1]
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    return process.communicate()[1]


@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGTERM, 143, "terminated"), (signal.SIGINT, 130, "interr")]
)
def test_signals(number: int, code: int, word: str, tmp_path: Path) -> None:
    """SIGTERM and Ctrl-C end a run with one line that names the checkpoint and how to go on, which then works."""
    line = [sys.executable, *LINES["td"], "--out", str(tmp_path)]
    process = subprocess.Popen(  # no other thread of this process has a lock that the child would wait for
        line,
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=listen_to_interrupts,  # noqa: PLW1509
    )
    until = time.monotonic() + 120
    while not (tmp_path / CHECKPOINT_FILE).exists() and time.monotonic() < until:
        time.sleep(0.02)
    stderr = end_by(process, number)
    assert process.returncode == code
    told = without_progress(stderr)
    assert told.count("\n") == 1
    assert told.startswith(f"train.py: {word}")
    assert repr(str(tmp_path / CHECKPOINT_FILE)) in told
    assert "--resume" in told
    assert load_checkpoint(tmp_path)[1]["games"] > 0


TD = ["train.py", "td", "--rules", "mini-1", "--games", "80", "--block", "20", "--wide", "8", "--narrow", "4"]
TD += ["--eval-games", "4", "--checks", "0", "--threads", "1"]


def check_full(name: str, code: int, stderr: str, before: dict[str, Any], folder: Path) -> None:
    """One line that names the file and what stands; the checkpoint from before is the one that is read."""
    told = without_progress(stderr)
    assert code == 2
    assert told.count("\n") == 1
    assert f"{name}: No space left on device" in told
    assert repr(str(folder / CHECKPOINT_FILE)) in told
    assert load_checkpoint(folder)[1] == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("which", ["checkpoint.json", "checkpoint-1.json"])
def test_full_disk(
    which: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the disk is full (/dev/full takes the bytes), the run stops on one line; the last checkpoint is whole."""
    assert in_process([*TD, "--out", str(tmp_path)], capsys, monkeypatch)[0] == 0
    before = load_checkpoint(tmp_path)[1]
    (tmp_path / f".{which}.part").symlink_to("/dev/full")
    code, _, stderr = in_process([*TD, "--games", "120", "--resume", "--out", str(tmp_path)], capsys, monkeypatch)
    check_full(which, code, stderr, before, tmp_path)
    assert in_process([*TD, "--games", "120", "--resume", "--out", str(tmp_path)], capsys, monkeypatch)[0] == 0


def test_read_only_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing may be written, the run stops on one line that says where and why, and what stands is named."""
    assert in_process([*TD, "--out", str(tmp_path)], capsys, monkeypatch)[0] == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    real = Path.open

    def read_only(path: Path, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if "w" in mode and tmp_path in path.parents:
            raise OSError(30, os.strerror(30), str(path))
        return real(path, mode, *arguments, **options)

    monkeypatch.setattr(Path, "open", read_only)
    code, _, stderr = in_process([*TD, "--games", "120", "--resume", "--out", str(tmp_path)], capsys, monkeypatch)
    monkeypatch.undo()
    assert code == 2
    assert "Read-only file system" in without_progress(stderr)
    assert without_progress(stderr).count("\n") == 1
    assert {name: (tmp_path / name).read_bytes() for name in before} == before


@pytest.mark.parametrize("name", ["out", "out/tensorboard"])
@pytest.mark.parametrize("learner", sorted(LINES))
def test_no_folder(
    learner: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in place of the run's folder, or of TensorBoard's in it, is refused on one line before any training."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("a file", encoding="utf-8")
    code, _, stderr = in_process([*LINES[learner], "--out", str(tmp_path / "out")], capsys, monkeypatch)
    assert code == 2
    assert stderr.count("\n") == 1
    assert str(path) in stderr


# --- Divergence ---


def diverged(run: Callable[[], object], out: Path, words: str) -> dict[str, torch.Tensor]:
    """What a run that must diverge saved; its checkpoint, if any, is good."""
    from safetensors.torch import load

    with pytest.raises(SorryError, match=words) as caught:
        run()
    assert "\n" not in str(caught.value)
    assert repr(str(out / BATCH_FILE)) in str(caught.value)
    if (out / CHECKPOINT_FILE).exists():
        load_checkpoint(out)
    return load((out / BATCH_FILE).read_bytes())


def test_planted_nan_in_td(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One target that is no number, in the third block, stops TD at its minibatch, before a weight has moved by it."""
    learner = TDLearner(test_td.settings(tmp_path, checkpoint_every=-1))
    real, calls = learner.self_play.play, []

    def planted(*arguments: Any) -> Any:
        lessons = real(*arguments)
        calls.append(lessons)
        if len(calls) == 3:
            lessons.targets[7, 0] = np.nan
        return lessons

    monkeypatch.setattr(learner.self_play, "play", planted)
    kept = diverged(lambda: learner.learn(lambda learner: None), tmp_path, "loss is nan after 60 games")
    assert torch.isnan(kept["targets"]).sum() == 1
    assert all(torch.isfinite(value).all() for key, value in kept.items() if key != "targets")
    assert len(kept["rows"]) == len(kept["targets"])
    assert load_checkpoint(tmp_path)[1]["games"] == 40


def test_planted_nan_in_ppo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One reward that is no number stops PPO at the first gradient step that it reaches."""
    learner = PPOLearner(tiny_runs.settings(tmp_path, checkpoint_every=0, timesteps=1280))
    real, calls = learner.env.step_wait, []

    def planted() -> Any:
        seen, rewards, *rest = real()
        calls.append(1)
        if len(calls) == 40:
            rewards[3] = np.nan
        return seen, rewards, *rest

    monkeypatch.setattr(learner.env, "step_wait", planted)
    kept = diverged(lambda: learner.learn(lambda learner: None), tmp_path, "a gradient is nan after 384 decisions")
    assert torch.isnan(kept["rewards"]).sum() == 1
    assert all(torch.isfinite(value).all() for key, value in kept.items() if key.startswith("policy."))
    assert load_checkpoint(tmp_path)[1]["timesteps"] == 256


def test_huge_learning_rate(tmp_path: Path) -> None:
    """A learning rate of a million stops both learners at their first step, while all is still finite."""
    for name, run in (
        ("td", lambda out: test_td.run(out, learning_rate=1e6)),
        ("ppo", lambda out: tiny_runs.run(out, learning_rate="1e6")),
    ):
        out = tmp_path / name
        kept = diverged(lambda run=run, out=out: run(out), out, r"a weight is \S+ after \d+")  # type: ignore[misc]
        assert all(torch.isfinite(value).all() for value in kept.values())
        assert not (out / CHECKPOINT_FILE).exists()


@pytest.mark.parametrize("learner", ["td", "ppo"])
def test_divergence_in_the_program(
    learner: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`train.py` then ends with one line, exit code 2, that names the batch and the last good checkpoint."""
    line = [*LINES[learner], "--out", str(tmp_path)]
    code, _, stderr = in_process([*line, "--learning-rate", "1e6"], capsys, monkeypatch)
    told = without_progress(stderr)
    assert code == 2
    assert told.count("\n") == 1
    assert "training diverged: a weight is" in told
    assert BATCH_FILE in told
    assert "no checkpoint was written yet" in told


def test_no_checkpoint_of_what_is_no_number(tmp_path: Path) -> None:
    """Weights that are not finite are never written, so that the checkpoint before stays the newest."""
    numbered(tmp_path, 1)
    with pytest.raises(SorryError, match="'a' holds numbers that are not finite"):
        save_checkpoint(tmp_path, {"a": torch.tensor([1.0, np.inf])}, {"timesteps": 2})
    assert load_checkpoint(tmp_path)[1]["timesteps"] == 1


def test_curve_goes_on(tmp_path: Path) -> None:
    """What a killed run wrote into TensorBoard's log beyond its checkpoint is not shown beside what comes instead."""
    for name, run, tag in (("td", test_td.run, "td/loss"), ("ppo", tiny_runs.run, "train/loss")):
        out = tmp_path / name
        learner = run(out)
        begun = learner.games if isinstance(learner, TDLearner) else learner.model.num_timesteps
        run(out, resume=True, **({"games": 120} if name == "td" else {"timesteps": 512}))
        loader = EventFileLoader(str(sorted((out / "tensorboard").iterdir())[-1]))
        starts = [event.step for event in loader.Load() if event.HasField("session_log")]
        assert starts == [begun + 1]
        assert min(tiny_runs.figures(out)[tag]) <= begun
