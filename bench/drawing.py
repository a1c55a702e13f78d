"""Milliseconds a picture: SVG and pixels of random games with each last move's arrows, and frames of the environments.

    python bench/drawing.py --games 3

Pixels are timed twice along the same games: while groups of shapes are drawn for the first time, and when all are kept.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sorry_env import Game, sorry_v0
from sorry_env.drawing import position_pixels, position_svg
from sorry_env.position import Position

SIZES = (256, 512, 1024)
RULES = ("classic", "points")
Ply = tuple[Position, dict[str, Any]]


def plies(rules: str, games: int) -> list[Ply]:
    """Positions of random games with what draws their last move."""
    found: list[Ply] = []
    choice = random.Random(0)
    for seed in range(games):
        game = Game(rules, seed)
        while not game.is_over:
            before, move = game.position, choice.choice(game.legal_moves())
            game.play(move)
            found.append((game.position, {"before": before, "last_move": move}))
    return found


def milliseconds(draw: Callable[[Position, dict[str, Any]], Any], shown: list[Ply]) -> list[float]:
    """Time of each picture."""
    times = []
    for position, options in shown:
        begun = time.perf_counter()
        draw(position, options)
        times.append(1000 * (time.perf_counter() - begun))
    return times


def steps(rules: str) -> list[float]:
    """Time of each step and frame of a game in the AEC environment."""
    env = sorry_v0.raw_env(rules=rules, render_mode="rgb_array")
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    times = []
    while not any(env.terminations.values()):
        action = int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])))
        begun = time.perf_counter()
        env.step(action)
        env.render()
        times.append(1000 * (time.perf_counter() - begun))
    return times


def line(name: str, times: list[float]) -> str:
    """A row of the table."""
    median, mean, high = statistics.median(times), statistics.mean(times), float(np.percentile(times, 99))
    return f"{name:<34} {len(times):6} {median:8.2f} {mean:8.2f} {high:8.2f} {1000 / mean:8.0f}"


def main() -> None:
    """Measures and prints one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=3, help="random games of each rule set")
    games = parser.parse_args().games
    print(f"{'milliseconds a picture':<34} {'number':>6} {'median':>8} {'mean':>8} {'99 %':>8} {'a second':>8}")
    for rules in RULES:
        shown = plies(rules, games)
        print(line(f"{rules}: svg", milliseconds(lambda at, options: position_svg(at, **options), shown)))
        for size in SIZES:

            def draw(at: Position, options: dict[str, Any], size: int = size) -> np.ndarray:
                return position_pixels(at, size=size, **options)

            print(line(f"{rules}: {size} px, first time", milliseconds(draw, shown)))
            print(line(f"{rules}: {size} px, again", milliseconds(draw, shown)))
        print(line(f"{rules}: env.step, env.render, 512 px", steps(rules)))


if __name__ == "__main__":
    main()
