"""Files and texts from strangers: each is one named error on one line, in bounded memory and time, and does nothing."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import hostile
import numpy as np
import pytest
import test_td
import tiny_runs
import torch
from programs import check_refusal, in_process
from safetensors.torch import save
from sb3_contrib import MaskablePPO

from agents import CHECKPOINT_FILE
from agents.checkpoints import load_checkpoint
from agents.ppo import PPOLearner
from agents.td import TDLearner
from sorry_env import load_player
from sorry_env.errors import MalformedError, PolicyError, SorryError
from sorry_env.players import onnx_wire
from sorry_env.position import Position
from sorry_env.record import read_record
from sorry_env.rules import rules_from

torch.set_num_threads(1)

MOST_SECONDS = 5.0  # a file; a good one takes a hundredth
MOST_GROWTH = 3 * 1024**2  # kB that the process may have grown by at its largest: above what sessions may hold
MOST_CHARS = 1200  # of a message


@contextmanager
def refused(kind: type[SorryError] = SorryError) -> Iterator[None]:
    """What is within must raise an error of one printable line, within the bounds of time and memory."""
    begun, size = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(kind) as caught:
        yield
    assert time.monotonic() - begun < MOST_SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - size < MOST_GROWTH
    text = str(caught.value)
    assert text.isprintable(), text[:500]
    assert len(text) < MOST_CHARS


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Compiles and loads what the first file would else pay for."""
    load_player("greedy", hostile.RULES)


# --- ONNX ---


def test_the_sound_one_loads(tmp_path: Path) -> None:
    """The file that all hostile ones are made from is a policy that plays, so each is refused for what it is."""
    (tmp_path / "good.onnx").write_bytes(hostile.sound())
    load_player(str(tmp_path / "good.onnx"), hostile.RULES)


@pytest.mark.parametrize("name", sorted(hostile.ONNX))
def test_hostile_onnx(name: str, tmp_path: Path) -> None:
    """Every hostile ONNX file is refused by `load_player` with the rules that it claims."""
    path = tmp_path / "policy.onnx"
    path.write_bytes(hostile.ONNX[name]().SerializeToString())
    with refused(PolicyError):
        load_player(str(path), hostile.RULES)


def test_external_data_is_not_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights in another file are refused even where that file is there and fits, before onnxruntime is asked."""
    data = np.zeros((hostile.FEATURES, hostile.ACTIONS), np.float32).tobytes()
    (tmp_path / "weights.bin").write_bytes(data)
    (tmp_path / "policy.onnx").write_bytes(hostile.external("weights.bin").SerializeToString())
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PolicyError, match="its numbers are in another file"):
        load_player("policy.onnx", hostile.RULES)


WIRES: list[tuple[bytes, str]] = [
    (b"", "None"),
    (b"\xff" * 11, "cut off or damaged"),
    (b"\x0a\xff\xff\xff\xff\x7f", "cut off or damaged"),
    (b"\x0b", "cut off or damaged"),
    (b"\x08", "no ONNX file"),
    (b"\xa2\x01\x00", "training steps"),
    (b"\xca\x01\x00", "functions of its own"),
    (b"\x08\x01" * 200_001, "more than 200000 parts"),
]


@pytest.mark.parametrize(("data", "words"), WIRES, ids=[words for _, words in WIRES])
def test_wire(data: bytes, words: str) -> None:
    """The reader of the wire format ends on any bytes, and says what it will not have."""
    assert words in str(onnx_wire.what_is_wrong(data))


def test_truncated_onnx(tmp_path: Path) -> None:
    """A policy cut anywhere is refused."""
    path = tmp_path / "policy.onnx"
    for data in hostile.truncated():
        path.write_bytes(data)
        with refused(PolicyError):
            load_player(str(path), hostile.RULES)


FLIPS = 400


def test_flipped_onnx(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A policy with some bits wrong is refused in one line, or is still a policy and plays legal actions.

    Nothing is printed, whatever onnxruntime thinks of it.
    """
    rng, path = np.random.default_rng(1), tmp_path / "policy.onnx"
    data, refusals = hostile.sound(), 0
    structure = len(data) - 4 * hostile.FEATURES * hostile.ACTIONS  # bytes that are no weights
    for k in range(FLIPS):
        spoilt = bytearray(data)
        for at in rng.integers(len(data), size=3) if k % 4 == 0 else rng.integers(structure, size=2) - structure // 2:
            spoilt[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(spoilt)
        try:
            with refused(PolicyError):
                load_player(str(path), hostile.RULES)
            refusals += 1
        except pytest.fail.Exception:  # nothing was raised: it plays
            player = load_player(str(path), hostile.RULES)
            seen = np.zeros((2, hostile.FEATURES), np.float32)
            mask = np.eye(2, hostile.ACTIONS, 5, dtype=np.int8)
            position = Position.parse("R:S,S,S,9/Y:S,S,S,S r 1 *", hostile.RULES)
            assert player.act(seen, mask, rng, [position, position]).tolist() == [5, 6]  # type: ignore[arg-type]
    assert FLIPS // 4 < refusals < FLIPS
    assert capfd.readouterr() == ("", "")


# --- Zips ---


def test_zips_are_not_opened(tmp_path: Path) -> None:
    """A bomb, and a pickle with a side effect: refused by name with what to do instead, never unpickled."""
    sentinel = tmp_path / "sentinel"
    for name, data in (("bomb", hostile.zip_bomb()), ("sb3", hostile.pickled_zip(sentinel)), ("text", b"no zip")):
        for suffix in (".zip", ".onnx"):
            path = tmp_path / f"{name}{suffix}"
            path.write_bytes(data)
            with refused(PolicyError):
                load_player(str(path), hostile.RULES)
    with pytest.raises(PolicyError, match=r"pickle.*python -m agents\.sb3_zip .*--trust-pickle"):
        load_player(str(tmp_path / "sb3.zip"))
    assert not sentinel.exists()
    with pytest.raises(PolicyError, match="no file"):
        load_player(str(tmp_path / "none.zip"))


# --- Checkpoints ---


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A short run of each learner."""
    folder = tmp_path_factory.mktemp("runs")
    test_td.run(folder / "td", rules="mini-2")
    tiny_runs.run(folder / "ppo", rules="mini-2")
    return {"td": folder / "td", "ppo": folder / "ppo"}


@pytest.fixture
def run(runs: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    """Makes a copy of a run's checkpoint, to be spoilt."""

    def copy(learner: str) -> Path:
        folder = tmp_path / learner
        folder.mkdir(exist_ok=True)
        for path in [runs[learner] / CHECKPOINT_FILE, *runs[learner].glob("weights-*")]:
            (folder / path.name).write_bytes(path.read_bytes())
        return folder

    return copy


@pytest.mark.parametrize("learner", ["td", "ppo"])
@pytest.mark.parametrize("name", sorted(hostile.FACTS))
def test_hostile_facts(learner: str, name: str, run: Callable[[str], Path]) -> None:
    """What a checkpoint says, checksum and all, is believed of nothing: neither to play nor to go on from."""
    folder = run(learner)
    hostile.rewrite_facts(folder, hostile.FACTS[name])
    with refused(SorryError):
        load_player(str(folder), rules_from("mini-2"))


@pytest.mark.parametrize("name", sorted(hostile.WEIGHTS))
@pytest.mark.parametrize("learner", ["td", "ppo"])
def test_hostile_weights(learner: str, name: str, run: Callable[[str], Path]) -> None:
    """Safetensors that lie about themselves, or are something else, are refused."""
    folder = run(learner)
    hostile.rewrite_weights(folder, hostile.WEIGHTS[name]())
    with refused(PolicyError):
        load_player(str(folder), rules_from("mini-2"))


@pytest.mark.parametrize("name", sorted(hostile.JSONS))
def test_hostile_json(name: str, run: Callable[[str], Path]) -> None:
    """JSON that is none, or too much of it, is refused."""
    folder = run("td")
    (folder / CHECKPOINT_FILE).write_bytes(hostile.JSONS[name])
    with refused(PolicyError):
        load_player(str(folder), rules_from("mini-2"))


def test_other_shapes(run: Callable[[str], Path]) -> None:
    """With any one tensor of another shape, or missing, a run is not gone on with."""
    for learner, open_it in (
        ("td", lambda out: TDLearner(test_td.settings(out, rules="mini-2", resume=True))),
        ("ppo", lambda out: PPOLearner(tiny_runs.settings(out, rules="mini-2", resume=True))),
    ):
        folder = run(learner)
        tensors = load_checkpoint(folder)[0]
        assert open_it(folder)
        for spoilt in hostile.spoil_shapes(tensors):
            missing = set(tensors) - set(spoilt)
            if missing and next(iter(missing)).startswith("optimizer."):
                continue  # an optimiser that lacks a moment begins it anew
            hostile.rewrite_weights(run(learner), save(spoilt))
            with refused(PolicyError):
                open_it(folder)


def test_layers_that_take_all_memory(run: Callable[[str], Path]) -> None:
    """Networks are not made as large as a checkpoint wants."""
    folder = run("ppo")
    for layers in ([10**9], [4096] * 1000, [-1], ["256"], [True], [2.5], [[1]]):
        hostile.rewrite_facts(folder, lambda facts, layers=layers: facts.update(layers=layers))  # type: ignore[misc]
        with refused(PolicyError):
            load_player(str(folder), rules_from("mini-2"))


# --- Texts ---


@pytest.mark.parametrize("name", sorted(hostile.POSITIONS))
def test_hostile_position(name: str) -> None:
    """A text that is no position is refused, whatever its length and letters."""
    with refused(SorryError):
        Position.parse(hostile.POSITIONS[name], hostile.RULES)


@pytest.mark.parametrize("name", sorted(hostile.RECORDS))
def test_hostile_record(name: str) -> None:
    """A text that is no record is refused."""
    with refused(SorryError):
        read_record(hostile.RECORDS[name])


def test_long_texts() -> None:
    """Ten megabytes of rules, of a move or of a player's name are refused, and not kept."""
    long = "x" * 10_000_000
    with refused(SorryError):
        rules_from(f"classic:{long}")
    with refused(SorryError):
        load_player(long)
    with refused(MalformedError):
        Position.parse("R:S,S,S,9/Y:S,S,S,S r 1 *", hostile.RULES).parse_move(f"1:{long}")


# --- Through the program ---

PROGRAM: dict[str, Callable[[Path], str]] = {
    "external.onnx": lambda path: _written(path, hostile.external("/etc/passwd").SerializeToString()),
    "huge.onnx": lambda path: _written(path, hostile.huge_dims().SerializeToString()),
    "large.onnx": lambda path: _written(path, hostile.ONNX["large array"]().SerializeToString()),
    "loop.onnx": lambda path: _written(path, hostile.endless().SerializeToString()),
    "nan.onnx": lambda path: _written(path, hostile.filled(np.nan).SerializeToString()),
    "deep.onnx": lambda path: _written(path, hostile.ONNX["metadata nested deep"]().SerializeToString()),
    "bidi.onnx": lambda path: _written(path, hostile.ONNX["metadata with control characters"]().SerializeToString()),
    "cut.onnx": lambda path: _written(path, hostile.sound()[:5000]),
    "bomb.zip": lambda path: _written(path, hostile.zip_bomb()),
    "sb3.zip": lambda path: _written(path, hostile.pickled_zip(path.with_suffix(".ran"))),
    "nul\0.onnx": str,
    f"{hostile.BIDI}.onnx": str,
    f"{'long' * 200}.onnx": str,
    "long" * 2000: str,
}


def _written(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize("name", sorted(PROGRAM), ids=lambda name: ascii(name[:20]))
def test_hostile_players_in_the_program(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`evaluate.py` with a hostile file: one line on stderr, exit code 2, nothing played and nothing run."""
    spec = PROGRAM[name](tmp_path / name)
    begun = time.monotonic()
    code, stdout, stderr = in_process(["evaluate.py", spec, "greedy", "--games", "4"], capsys, monkeypatch)
    assert time.monotonic() - begun < MOST_SECONDS
    check_refusal(code, stdout, stderr, "evaluate.py", "")
    assert stderr.rstrip("\n").isprintable()
    assert not list(tmp_path.glob("*.ran"))


@pytest.mark.parametrize("name", ["nested deep", "17 MB", "NUL bytes"])
def test_hostile_checkpoint_in_the_program(
    name: str, run: Callable[[str], Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same of a checkpoint's folder, to play and to go on from."""
    folder = run("td")
    (folder / CHECKPOINT_FILE).write_bytes(hostile.JSONS[name])
    for line in (
        ["evaluate.py", str(folder), "greedy", "--rules", "mini-2", "--games", "4"],
        ["train.py", "td", "--rules", "mini-2", "--resume", "--out", str(folder)],
    ):
        check_refusal(*in_process(line, capsys, monkeypatch), line[0], "checkpoint")


# --- A model of one's own that is trusted ---


@pytest.mark.filterwarnings("default")
def test_trusted_zip(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """With `--trust-pickle` a model of SB3 becomes an ONNX file that plays alike; without, nothing runs."""
    learner = PPOLearner(tiny_runs.settings(tmp_path / "run", rules="mini-2"))
    model = MaskablePPO("MlpPolicy", learner.env, n_steps=8, batch_size=64, device="cpu", seed=1)
    model.save(tmp_path / "model.zip")
    sentinel = tmp_path / "ran"
    (tmp_path / "other.zip").write_bytes(hostile.pickled_zip(sentinel))
    out = tmp_path / "policy.onnx"
    for name, options in (
        ("other.zip", []),
        ("model.zip", ["--rules", "classic", "--trust-pickle"]),
        ("none.zip", ["--trust-pickle"]),
    ):
        line = ["agents/sb3_zip.py", str(tmp_path / name), str(out), "--rules", "mini-2", *options]
        check_refusal(*in_process(line, capsys, monkeypatch), "sb3_zip", name)
    assert not sentinel.exists()
    assert not out.exists()
    line = ["agents/sb3_zip.py", str(tmp_path / "model.zip"), str(out), "--rules", "mini-2", "--trust-pickle"]
    assert in_process(line, capsys, monkeypatch)[0] == 0
    player, batch = load_player(str(out), learner.rules), learner.env.batch
    learner.env.reset()
    chosen = player.act(batch.observations, batch.masks, np.random.default_rng(0), batch.positions())
    wanted, _ = model.predict(batch.observations, action_masks=batch.masks, deterministic=True)
    assert chosen.tolist() == wanted.tolist()
