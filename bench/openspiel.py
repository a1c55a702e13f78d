"""Nodes a second of the game in OpenSpiel, by random play from Python, beside games of OpenSpiel's own.

    python bench/openspiel.py

A node is one action or outcome of chance applied, with the legal actions or odds asked for before it.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pyspiel
from open_spiel.python.games import kuhn_poker  # noqa: F401 - registers python_kuhn_poker

import sorry_env.interop.openspiel  # noqa: F401 - registers python_sorry

SORRY = ("classic,players=2", "classic,players=4", "points,players=2", "edition-2013,players=4", "mini-1,players=2")
GAMES = (*(f"python_sorry(rules={rules})" for rules in SORRY), "python_kuhn_poker", "backgammon")


def play(game: Any, rng: random.Random) -> int:
    """One random game; the number of its nodes."""
    state, nodes = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, odds)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
        nodes += 1
    return nodes


def repeat(call: Callable[[], Any], times: int = 20) -> int:
    """Calls and says how often."""
    for _ in range(times):
        call()
    return times


def rate(work: Callable[[], int], seconds: float) -> float:
    """Units of work a second."""
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        done += work()
    return done / (time.perf_counter() - start)


def middle(game: Any, rng: random.Random) -> Any:
    """A state halfway through a random game."""
    state, states = game.new_initial_state(), []
    while not state.is_terminal():
        states.append(state.clone())
        state.apply_action(rng.choice(state.legal_actions()))
    return states[len(states) // 2]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    print(f"median of {given.repeats}, thousands a second")
    print(f"{'':44}{'nodes':>8}{'copies':>8}{'tensors':>8}")
    for name in GAMES:
        game, rng = pyspiel.load_game(name), random.Random(1)
        state = middle(game, rng)
        works: list[Callable[[], int]] = [
            partial(play, game, rng),
            partial(repeat, state.clone),
            partial(repeat, partial(state.observation_tensor, 0)),
        ]
        play(game, rng)
        rates = [statistics.median(rate(work, given.seconds) for _ in range(given.repeats)) for work in works]
        print(f"{name:44}" + "".join(f"{each / 1000:8.1f}" for each in rates))


if __name__ == "__main__":
    main()
