"""Processes and places: forks, spawned workers, shared and missing caches, plain locales, odd paths.

Every child runs for itself with a time limit: what hangs fails.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import joblib  # type: ignore[import-untyped]
import pytest
from programs import ROOT, read_json
from stories import batch_stories, digests

from sorry_env import Batch, Game, SelfPlay, load_player, read_record, sorry_v0
from sorry_env.gym_env import SorryEnv
from sorry_env.vector_env import SorryVectorEnv

SECONDS: Final = 120  # a machine that does other work compiles slowly
PATHS: Final = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
ODD: Final = "a b, ünï ж"  # spaces, a comma, letters that ASCII and Latin-1 lack


def start(command: list[str], **environment: str) -> subprocess.Popen[str]:
    """Begins a process; an empty text takes a variable away."""
    merged = os.environ | {"PYTHONPATH": PATHS} | environment
    whole = {name: value for name, value in merged.items() if value}
    return subprocess.Popen(command, env=whole, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # type: ignore[return-value]  # bytes, read by `finish`


def finish(process: subprocess.Popen[Any]) -> tuple[int, str, str]:
    """Waits for it; exit code, stdout and stderr."""
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return process.returncode, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape")


def python(code: str, **environment: str) -> tuple[int, str, str]:
    """Runs lines of Python in a process of its own."""
    return finish(start([sys.executable, "-c", code], **environment))


# --- Fork and spawn ---

FORK = """
import os, signal
from stories import batch_stories, digests
from sorry_env import Batch
from sorry_env.value_games import ValueGames
from sorry_env.values import light_model

def play():
    stories = batch_stories(batch, [0, 2000], 20)
    lessons = games.play(model, 5, 0.9)
    return digests(stories), lessons.rows.tobytes()[:100], games.played

model = light_model("race", Batch("classic").rules)
batch, games = Batch("classic", 2048, 1, threads=2), ValueGames(1)
play()  # the threads are there
for depth in range(2):  # a child, and a child of the child
    read, write = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(60)
        os.write(write, repr(play()).encode())
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the child at depth {depth} ended with {status}"
    assert os.read(read, 10_000).decode() == repr(play()), "the child plays other games"
    if depth == 0 and (child := os.fork()):
        _, status = os.waitpid(child, 0)
        os._exit(bool(status))
    signal.alarm(60)
print("same")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_fork_with_threads() -> None:
    """A batch whose threads have worked plays on in a forked child, and in its child, as in the parent."""
    code, out, err = python(FORK)
    assert (code, out) == (0, "same\n"), err


def play_on(kept: bytes) -> list[Any]:
    """What a batch, a game, and the two environments, pickled in mid-game, go on to; runs in another process."""
    batch, game, aec, env = pickle.loads(kept)
    shown: list[Any] = digests(batch_stories(batch, [0, 3], 20))
    for _ in range(20):
        game.play(game.legal_actions()[0])
        aec.step(int(aec.observe(aec.agent_selection)["action_mask"].argmax()))
        seen, *_ = env.step(int(env.action_masks().argmax()))
        shown += [str(game), str(aec.position), seen.tobytes()]
    return shown


def test_spawn() -> None:
    """A batch with threads, a game, an AEC and a Gymnasium environment go to spawned workers and play on there."""
    batch, game, aec = Batch("points", 2048, 3, threads=2), Game("teams", 3), sorry_v0.raw_env()
    env = SorryEnv(opponents=["greedy"], rules="classic:players=2")
    batch_stories(batch, [0], 10)
    aec.reset(seed=3)
    env.reset(seed=3)
    kept = pickle.dumps([batch, game, aec, env])
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        there = pool.submit(play_on, kept).result(timeout=SECONDS)
    assert there == play_on(kept)


def play_here(players: list[Any]) -> list[Any]:
    """What large batches, in themselves and in environments, go on to; joblib sends their arrays as read-only files."""
    batch, vector, play = players
    shown: list[Any] = digests(batch_stories(batch, [0, 2000], 20))
    for _ in range(5):
        seen, _, _, _, infos = vector.step(vector.reset()[1]["action_mask"].argmax(1))
        done = play.step(play.batch.sample())
        shown += [seen.tobytes(), infos["action_mask"].tobytes(), done.rows.tobytes(), done.rewards.tobytes()]
    return [hashlib.sha256(repr(shown).encode()).hexdigest(), batch.observations.flags.writeable]


def test_joblib() -> None:
    """Workers of joblib play on with what they are sent in mid-game, as the parent does, however large."""
    batch, vector = Batch("classic", 2048, 3, threads=2), SorryVectorEnv(1024, opponents=["greedy"])
    play = SelfPlay("classic:players=2", 2048, 3)
    vector.reset(seed=3)
    batch_stories(batch, [0], 5)
    with joblib.parallel_config("loky", n_jobs=2):
        there = joblib.Parallel()(joblib.delayed(play_here)([batch, vector, play]) for _ in range(2))
    assert there == [play_here([batch, vector, play])] * 2


ASYNC = """
import sys
import gymnasium, numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from sorry_env.gym_env import SorryEnv

def make():
    return SorryEnv("classic", opponents=["greedy"])

if __name__ == "__main__":
    shown = []
    for env in (SyncVectorEnv([make] * 2), AsyncVectorEnv([make] * 2, context=sys.argv[1])):
        seen, infos = env.reset(seed=5)
        story = [seen.copy()]
        for _ in range(40):
            seen, *_, infos = env.step(infos["action_mask"].argmax(axis=1))
            story.append(seen.copy())
        shown.append(np.stack(story))
        env.close()
    assert (shown[0] == shown[1]).all()
    print("same")
"""


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_async_vector_env(context: str, tmp_path: Path) -> None:
    """Gymnasium's AsyncVectorEnv, forked or spawned, tells the same story as its SyncVectorEnv."""
    script = tmp_path / "script.py"
    script.write_text(ASYNC, encoding="utf-8")
    code, out, err = finish(start([sys.executable, str(script), context]))
    assert (code, out) == (0, "same\n"), err


SUBPROC = """
import sys
import numpy as np
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv
from sorry_env.gym_env import SorryEnv

def make():
    return SorryEnv("mini-1", opponents=["greedy"])

if __name__ == "__main__":
    shown = []
    for env in (DummyVecEnv([make] * 2), SubprocVecEnv([make] * 2, start_method=sys.argv[1])):
        env.seed(5)
        story = [env.reset()]
        for _ in range(40):
            masks = np.stack(env.env_method("action_masks"))
            story.append(env.step(masks.argmax(axis=1))[0])
        shown.append(np.stack(story))
        env.close()
    assert (shown[0] == shown[1]).all()
    print("same")
"""


def test_subproc_vec_env(tmp_path: Path) -> None:
    """stable-baselines3's SubprocVecEnv tells the same story as its DummyVecEnv, over ends of games."""
    pytest.importorskip("stable_baselines3")
    script = tmp_path / "script.py"
    script.write_text(SUBPROC, encoding="utf-8")
    code, out, err = finish(start([sys.executable, str(script), "spawn"]))
    assert (code, out) == (0, "same\n"), err


# --- The cache of compiled code ---

COMPILE = """
import sorry_env
from sorry_env import Game
from sorry_env.engine import kernels
game = Game("mini-1", 1)
hits = sum(sum(kernel.stats.cache_hits.values()) for kernel in (kernels.set_up_one, kernels.receive_one))
print(sorry_env.__file__, game, hits)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package into which nothing can be written, not even by root: a file stands where caches go."""
    site = tmp_path_factory.mktemp("site packages")
    shutil.copytree(ROOT / "sorry_env", site / "sorry_env", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [site / "sorry_env", *(path for path in (site / "sorry_env").rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()
    return site


def compiled(site: Path, **environment: str) -> subprocess.Popen[str]:
    """Begins a process that uses a few kernels of that copy."""
    return start([sys.executable, "-P", "-c", COMPILE], PYTHONPATH=str(site), **environment)


def test_two_processes_fill_one_cache(installed: Path, tmp_path: Path) -> None:
    """Two processes that compile into one fresh cache at once both play, and a third finds what they left."""
    cache = str(tmp_path / ODD)
    both = [compiled(installed, NUMBA_CACHE_DIR=cache) for _ in range(2)]
    told = [finish(process) for process in both]
    third = finish(compiled(installed, NUMBA_CACHE_DIR=cache))
    assert [(code, err) for code, _, err in [*told, third]] == [(0, "")] * 3
    games = {out.rsplit(" ", 1)[0] for _, out, _ in [*told, third]}
    assert len(games) == 1
    assert str(installed) in games.pop()
    assert third[1].split()[-1] == "2"


def test_read_only_package(installed: Path, tmp_path: Path) -> None:
    """Where the package's folder cannot be written, compiled code goes to the user's cache folder."""
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": "", "NUMBA_CACHE_DIR": ""}
    code, out, err = finish(compiled(installed, **home))
    assert (code, err) == (0, "")
    assert str(installed) in out
    assert list(tmp_path.rglob("kernels.set_up_one-*.nbc"))


def test_no_folder_to_write(installed: Path, tmp_path: Path) -> None:
    """Without any folder for compiled code (no home) a warning says so and what to set; the game is the same."""
    (tmp_path / "file").touch()
    nowhere = {"HOME": str(tmp_path / "file" / "home"), "XDG_CACHE_HOME": "", "NUMBA_CACHE_DIR": ""}
    code, out, err = finish(compiled(installed, **nowhere))
    assert code == 0, err
    assert out.partition("__init__.py ")[2].rsplit(" ", 1)[0] == str(Game("mini-1", 1))
    assert err.count("RuntimeWarning") == 1
    assert "set NUMBA_CACHE_DIR to a folder that can be" in err


# --- Locale, home and paths ---

PLAIN: Final = {"LC_ALL": "C", "LANG": "", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}


def console(*words: str, **environment: str) -> tuple[int, str, str]:
    """Runs the console program with a plain locale."""
    return finish(start([sys.executable, "-m", "sorry_env", *words], **PLAIN, **environment))


def test_console_in_a_plain_locale(tmp_path: Path) -> None:
    """`watch` and `replay` write ASCII alone where the locale has nothing more, with odd paths, and no home folder."""
    record = tmp_path / ODD / "game é.txt"
    record.parent.mkdir()
    no_home = {"HOME": str(tmp_path / "none"), "XDG_CACHE_HOME": ""}
    code, out, err = console(
        "watch", "greedy", "random", "--rules", "mini-1", "--seed", "4", "--save", str(record), **no_home
    )
    assert (code, err) == (0, "")
    assert out.isascii()
    assert read_record(record.read_text(encoding="utf-8")).is_over
    code, again, err = console("replay", str(record), **no_home)
    assert (code, err) == (0, "")
    assert again.isascii()
    assert again.splitlines()[-1] == out.splitlines()[-1].partition(";")[0]


def test_refusals_in_a_plain_locale(tmp_path: Path) -> None:
    """What is refused is told in one line of ASCII, whatever letters the file's or the player's name has."""
    for words in (["replay", str(tmp_path / ODD)], ["watch", f"{ODD}.onnx"], ["moves", "ünï"]):
        code, out, err = console(*words)
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert err.isascii()
        assert err.startswith("sorry-env: ")


def test_odd_paths(tmp_path: Path) -> None:
    """A run's folder, its policy and results may have spaces, commas and any letters in their path."""
    td = pytest.importorskip("agents.td")
    out = tmp_path / ODD
    settings = td.TDSettings(out=out, rules="mini-2", games=20, block=10, wide=8, narrow=4, threads=1)
    td.TDLearner(settings).learn(lambda learner: None)
    trained = load_player(str(out), settings.record())
    assert trained.name == str(out)
    told = out / "told ç.json"
    words = [sys.executable, str(ROOT / "evaluate.py"), str(out), "random", "--rules", "mini-2", "--games", "20"]
    code, _, err = finish(start([*words, "--json", str(told)], **PLAIN))
    assert code == 0, err
    assert os.fsencode(read_json(told)["scores"][0]["player"]) == os.fsencode(out)
