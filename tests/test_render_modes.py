"""Render modes of the environments: text, pixels, a window, videos, and what is said without the libraries."""

from __future__ import annotations

import copy
import os
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pygame
import pytest
from pettingzoo.utils.wrappers import RecordVideo as RecordAEC

from sorry_env import sorry_v0
from sorry_env.drawing import position_pixels
from sorry_env.drawing.frames import PIXELS, WINDOW_PIXELS
from sorry_env.drawing.window import Window
from sorry_env.gym_env import SorryEnv
from sorry_env.last_ply import LastPlyBatch
from sorry_env.players import Player
from sorry_env.players.light import GreedyPlayer
from sorry_env.position import Position


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows do not wait between frames."""
    monkeypatch.setitem(sorry_v0.raw_env.metadata, "render_fps", 10_000)
    monkeypatch.setitem(SorryEnv.metadata, "render_fps", 10_000)


def first_legal(env: Any) -> int:
    """The lowest legal action of the agent on move."""
    return int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0])


def shows(frame: Any, picture: np.ndarray) -> bool:
    """Whether what `render` gave is exactly a picture."""
    return isinstance(frame, np.ndarray) and np.array_equal(frame, picture)


def on_screen() -> np.ndarray:
    """What the window shows, uint8 (H, W, 3)."""
    surface = pygame.display.get_surface()
    assert surface is not None
    return np.transpose(pygame.surfarray.array3d(surface), (1, 0, 2))


def test_aec_pixels_show_position_and_last_move() -> None:
    """`rgb_array` of the AEC environment is the picture of the whole position with the last move's arrows."""
    env = sorry_v0.raw_env(rules="points", render_mode="rgb_array")
    env.reset(seed=3)
    assert shows(env.render(), position_pixels(env.position, size=PIXELS))
    before, action = env.position, first_legal(env)
    move = before.legal_moves()[before.legal_actions().index(action)]
    env.step(action)
    frame = env.render()
    assert shows(frame, position_pixels(env.position, size=PIXELS, last_move=move, before=before))
    assert not shows(frame, position_pixels(env.position, size=PIXELS))
    env.reset(seed=3)
    assert shows(env.render(), position_pixels(env.position, size=PIXELS))


@pytest.mark.rule("5.6")
def test_learners_pixels_hide_hands() -> None:
    """`rgb_array` of the Gymnasium environment is the learner's view."""
    env = SorryEnv("points", render_mode="rgb_array", seat=1)
    env.reset(seed=1)
    truth: Position = env._batch.position(0)
    assert shows(env.render(), position_pixels(truth, size=PIXELS, viewer=1))
    assert not shows(env.render(), position_pixels(truth, size=PIXELS))


class AskedPlayer(GreedyPlayer):
    """Plays as greedy does, but is asked, as a player of a user's own is."""


@pytest.mark.parametrize(
    "rules", ["classic:players=3", "points:players=2", "mini-2", "teams", "classic:deck=replacement"]
)
@pytest.mark.parametrize("opponents", [["race"], [AskedPlayer()]], ids=["compiled", "asked"])
def test_last_move_in_the_learners_picture(rules: str, opponents: list[str | Player]) -> None:
    """The last ply, whoever played it, leads to the position shown; games are those of an environment without pictures.

    A ply that is forced, of a compiled player, of one that is asked, or the learner's own may be the last.
    """
    env = SorryEnv(rules, opponents=opponents, render_mode="rgb_array", seat="random")
    plain = SorryEnv(rules, opponents=opponents, seat="random")
    batch = env._batch
    assert isinstance(batch, LastPlyBatch)
    movers, rng = set(), np.random.default_rng(3)
    for seed in range(4):
        assert np.array_equal(env.reset(seed=seed)[0], plain.reset(seed=seed)[0])
        is_over = False
        while not is_over:
            if batch.plies[0]:
                assert batch.before is not None
                movers.add((batch.before.mover - env.seat) % env.rules.players)
                after = batch.before.after(str(batch.last_move))
                assert after.pawns_text() == batch.position(0).pawns_text()
            action = int(rng.choice(np.flatnonzero(env.action_masks())))
            seen, _, terminated, truncated, _ = env.step(action)
            assert np.array_equal(seen, plain.step(action)[0])
            is_over = terminated or truncated
    assert movers >= {0, env.rules.players - 1}  # after a 2 or at the end his own, else that of the seat before him
    picture = position_pixels(
        batch.position(0), size=PIXELS, viewer=env.seat, last_move=batch.last_move, before=batch.before
    )
    assert shows(env.render(), picture)


@pytest.mark.usefixtures("_quick")
def test_window_shows_each_step() -> None:
    """`human` shows reset and every step without a call of render; close takes the window away."""
    env = sorry_v0.raw_env(render_mode="human")
    env.reset(seed=2)
    assert np.array_equal(on_screen(), position_pixels(env.position, size=WINDOW_PIXELS))
    first = on_screen()
    env.step(first_legal(env))
    assert on_screen().shape == (WINDOW_PIXELS, WINDOW_PIXELS, 3)
    assert not np.array_equal(on_screen(), first)
    assert env.render() is None
    env.close()
    assert pygame.display.get_surface() is None
    env.close()


@pytest.mark.usefixtures("_quick")
def test_closed_window_stays_closed() -> None:
    """When its user closes the window the game goes on without it, also over a reset; after `close` a new one opens."""
    env = SorryEnv(render_mode="human")
    env.reset(seed=2)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    for _ in range(5):
        env.step(int(np.flatnonzero(env.action_masks())[0]))
        assert pygame.display.get_surface() is None
    env.reset(seed=3)
    assert pygame.display.get_surface() is None
    env.close()
    env.reset(seed=4)
    assert pygame.display.get_surface() is not None
    env.close()


def test_window_keeps_to_its_pace() -> None:
    """A window shows no more frames a second than asked for."""
    window = Window(100, "pace")
    picture = np.zeros((100, 100, 3), np.uint8)
    window.show(picture, 50)
    begun = time.perf_counter()
    for _ in range(5):
        window.show(picture, 50)
    assert time.perf_counter() - begun >= 5 * 0.019
    window.close()


@pytest.mark.usefixtures("_quick")
def test_copies_have_no_window() -> None:
    """An environment with an open window is copied and pickled; the copy goes on by itself and renders alike."""
    env = sorry_v0.raw_env(render_mode="human")
    env.reset(seed=5)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        there, action = env.position, first_legal(twin)
        env.close()
        twin.step(action)
        assert twin.position.pawns_text() == there.after(action).pawns_text()
        assert env.position == there
        twin.close()
    env.close()


@pytest.mark.usefixtures("_quick")
def test_a_second_window_takes_the_place_of_the_first() -> None:
    """Of two environments with windows the later one is shown, with a warning; the other goes on without one."""
    first, second = sorry_v0.raw_env(render_mode="human"), SorryEnv(render_mode="human")
    first.reset(seed=1)
    with pytest.warns(UserWarning, match="a process has one window: the new one takes the place"):
        second.reset(seed=1)
    shown = on_screen()
    first.step(first_legal(first))
    assert np.array_equal(on_screen(), shown)
    first.close()
    second.step(int(np.flatnonzero(second.action_masks())[0]))
    assert not np.array_equal(on_screen(), shown)
    second.close()
    assert pygame.display.get_surface() is None
    first.reset(seed=1)  # its own again
    assert pygame.display.get_surface() is not None
    first.close()


ON_X = """
import numpy, pygame
from PIL import ImageGrab
from sorry_env import sorry_v0
env = sorry_v0.raw_env(render_mode="human")
env.reset(seed=1)
for agent in env.agent_iter(12):
    env.step(int(env.infos[agent]["action_mask"].argmax()))
pygame.event.pump()
shown = numpy.transpose(pygame.surfarray.array3d(pygame.display.get_surface()), (1, 0, 2))
screen = numpy.array(ImageGrab.grab(xdisplay="").convert("RGB"))
places = [screen[y : y + 720, x : x + 720] for y in range(len(screen) - 719) for x in range(len(screen[0]) - 719)]
print(pygame.display.get_driver(), any(numpy.array_equal(place, shown) for place in places))
env.close()
"""


@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="xvfb-run is not on PATH: no screen to open a window on")
def test_window_on_a_real_screen() -> None:
    """`human` opens a window of an X server, and the server's screen has the picture."""
    done = subprocess.run(
        ["xvfb-run", "-a", "-s", "-screen 0 800x760x24", sys.executable, "-c", ON_X],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SDL_VIDEODRIVER": "x11", "PYTHONPATH": ":".join(sys.path)},
        timeout=60,
    )
    assert done.stdout.split() == ["x11", "True"], done.stderr


def test_vector_environment_has_no_picture() -> None:
    """The batch of games shows nothing, and says where pictures are."""
    with pytest.raises(ValueError, match=r"shows single games; use gymnasium\.make"):
        gymnasium.make_vec("sorry_env:Sorry-v0", num_envs=2, render_mode="rgb_array")


# --- Videos ---


def frames_of(path: Path) -> tuple[float, list[np.ndarray]]:
    """Frames a second, and all frames, of a video."""
    from moviepy import VideoFileClip

    with VideoFileClip(str(path)) as clip:
        return clip.fps, [np.array(frame) for frame in clip.iter_frames()]


def check_video(folder: Path, shown: list[np.ndarray]) -> None:
    """The folder's video has the frames shown, at the environment's pace, but for what compression changes."""
    (path,) = folder.glob("*.mp4")
    fps, frames = frames_of(path)
    assert fps == sorry_v0.raw_env.metadata["render_fps"]
    assert abs(len(frames) - len(shown)) <= 1
    for frame, picture in zip(frames, shown, strict=False):
        assert frame.shape == (PIXELS, PIXELS, 3)
        assert np.abs(frame.astype(int) - picture).mean() < 6


def test_gymnasium_records_videos(tmp_path: Path) -> None:
    """Gymnasium's RecordVideo writes what `rgb_array` shows."""
    env: Any = gymnasium.wrappers.RecordVideo(
        gymnasium.make("sorry_env:Sorry-v0", opponents=["greedy"], render_mode="rgb_array"), str(tmp_path / "videos")
    )
    env.reset(seed=1)
    shown = [env.unwrapped.render()]
    for _ in range(8):
        _, _, terminated, truncated, _ = env.step(int(np.flatnonzero(env.unwrapped.action_masks())[0]))
        shown.append(env.unwrapped.render())
        assert not terminated
        assert not truncated
    env.close()
    check_video(tmp_path / "videos", shown)


def test_pettingzoo_records_videos(tmp_path: Path) -> None:
    """PettingZoo's RecordVideo writes what `rgb_array` shows."""
    env = RecordAEC(sorry_v0.env(rules="points", render_mode="rgb_array"), str(tmp_path / "videos"))
    env.reset(seed=1)
    shown = [env.unwrapped.render()]
    for _ in range(8):
        env.step(first_legal(env))
        shown.append(env.unwrapped.render())
    env.close()
    check_video(tmp_path / "videos", shown)


# --- Without the libraries ---

WITHOUT = """
import sys
sys.modules[{library!r}] = None
from sorry_env.errors import SorryError
from sorry_env import sorry_v0, Game
from sorry_env.gym_env import SorryEnv
assert "<svg" in Game("classic", 1)._repr_svg_()
for env in (sorry_v0.raw_env(render_mode={mode!r}), SorryEnv(render_mode={mode!r})):
    try:
        env.reset(seed=1)
        env.render()
    except SorryError as error:
        print(error)
"""


@pytest.mark.parametrize(("library", "mode"), [("PIL", "rgb_array"), ("PIL", "human"), ("pygame", "human")])
def test_missing_library_is_named(library: str, mode: str) -> None:
    """Without Pillow or pygame an environment's first frame says in one line what to install; SVG needs neither."""
    program = WITHOUT.format(library=library, mode=mode)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all(line.endswith('pip install "sorry-env[draw]"') for line in lines)
    assert all(("Pillow" if library == "PIL" else "pygame") in line for line in lines)


def test_no_window_without_a_screen() -> None:
    """Where no window can be opened, that is said in one line with what would work."""
    program = (
        "from sorry_env.drawing.window import Window\nfrom sorry_env.errors import SorryError\n"
        "try:\n    Window(100, 'x')\nexcept SorryError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"SDL_VIDEODRIVER": "x11", "PATH": "", "PYTHONPATH": ":".join(sys.path)},
    )
    assert 'use render_mode="rgb_array"' in done.stdout
    assert done.stdout.count("\n") == 1
