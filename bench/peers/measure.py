"""One measurement in a process of its own; `bench/peers.py` runs it and says there what counts as one decision.

    python bench/peers/measure.py openspiel --seconds 2

Prints one line of JSON: decisions, wall and processor seconds, and the versions of the libraries that took part.
"""

# The peers are installed in an environment of their own, where mypy does not look.
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, Final, NamedTuple

import numpy as np

Burst = Callable[[], int]
"""Plays a little, a game or some steps, and returns how many decisions that were."""

GAMES: Final = 1024
STEPS: Final = 20


def pick(legal: Any) -> int:
    """A uniform choice from a sequence of legal actions, the cheapest way that Python has."""
    return int(legal[int(random.random() * len(legal))])


def openspiel(with_numpy: bool) -> Burst:
    """OpenSpiel's backgammon: list of actions, mask and observation at every decision, chance nodes sampled here."""
    import pyspiel

    game = pyspiel.load_game("backgammon")
    num_actions = game.num_distinct_actions()

    def burst() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(outcomes, chances)[0])
                continue
            legal = state.legal_actions()
            if with_numpy:
                mask = np.zeros(num_actions, np.int8)
                mask[legal] = 1
            else:
                state.legal_actions_mask()
            state.observation_tensor()
            state.apply_action(pick(legal))
            decisions += 1
        state.returns()
        return decisions

    return burst


def pgx(in_one_call: bool) -> Burst:
    """Backgammon of pgx: sampling, step and reset inside `jax.jit`, one call for each step or for `STEPS` of them."""
    import jax
    from pgx import make
    from pgx.experimental.utils import act_randomly
    from pgx.experimental.wrappers import auto_reset

    env = make("backgammon")
    play = jax.vmap(auto_reset(env.step, env.init))

    def step(state: Any, key: Any) -> tuple[Any, None]:
        choice, chance = jax.random.split(key)
        actions = act_randomly(choice, state.legal_action_mask)
        return play(state, actions, jax.random.split(chance, GAMES)), None

    one = jax.jit(lambda state, key: step(state, key)[0])
    many = jax.jit(lambda state, keys: jax.lax.scan(step, state, keys)[0])
    key, begin = jax.random.split(jax.random.PRNGKey(1))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(begin, GAMES))

    def burst() -> int:
        nonlocal key, state
        key, *keys = jax.random.split(key, STEPS + 1)
        if in_one_call:
            state = many(state, jax.numpy.stack(keys))
        else:
            for step_key in keys:
                state = one(state, step_key)
        jax.block_until_ready(state)
        return GAMES * STEPS

    return burst


def aec(make: Callable[[], Any]) -> Burst:
    """The loop of PettingZoo's documentation, the same for every environment: one game."""
    env = make()
    env.reset(seed=1)

    def burst() -> int:
        env.reset()
        decisions = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal.item(int(random.random() * legal.size)))  # what `pick` does, but for an array
            decisions += 1
        return decisions

    return burst


def connect_four() -> Burst:
    """PettingZoo's connect_four_v3, unwrapped."""
    from pettingzoo.classic import connect_four_v3

    return aec(connect_four_v3.raw_env)


def leduc() -> Burst:
    """PettingZoo's leduc_holdem_v4, unwrapped."""
    from pettingzoo.classic import leduc_holdem_v4

    return aec(leduc_holdem_v4.raw_env)


def uno() -> Burst:
    """RLCard's uno for two: the loop of `Env.run` without its records of the game."""
    import rlcard

    env = rlcard.make("uno", config={"seed": 1})

    def burst() -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            state, _ = env.step(pick(list(state["legal_actions"])))
            decisions += 1
        env.get_payoffs()
        return decisions

    return burst


def ludo() -> Burst:
    """Ludo for four by ludopy, until the first has won."""
    import ludopy

    game = ludopy.Game()

    def burst() -> int:
        game.reset()
        decisions, is_won = 0, False
        while not is_won:
            (_, pawns, _, _, _, _), _ = game.get_observation()
            is_won = game.answer_observation(pick(pawns) if len(pawns) else -1)[-1]
            decisions += 1
        return decisions

    return burst


def sorry_batch(auto_forced: bool) -> Burst:
    """Our batch from Python: mask, float32 observation, rewards and ends at every step, new games where some end."""
    from sorry_env import Batch

    batch = Batch("classic", GAMES, seed=1, players=4, auto_forced=auto_forced, auto_reset=True)
    batch.reset()

    def burst() -> int:
        for _ in range(STEPS):
            batch.step(batch.sample())
            _ = batch.masks, batch.observations, batch.rewards(), batch.terminated, batch.truncated
        return GAMES * STEPS

    return burst


def sorry_aec() -> Burst:
    """Our AEC environment, unwrapped."""
    from sorry_env import sorry_v0

    return aec(lambda: sorry_v0.raw_env(rules="classic", players=4))


def sorry_engine() -> Burst:
    """Our engine alone: random play in compiled code, without masks and observations."""
    from sorry_env import Batch
    from sorry_env.engine import kernels
    from sorry_env.engine.rows import stream_rows
    from sorry_env.observation import float_units

    batch = Batch("classic", GAMES, seed=1, players=4, observation_dtype=None)
    batch.reset()
    streams = stream_rows(2, np.arange(GAMES))
    nothing = np.zeros((GAMES, 0), np.int8), batch.observations, float_units()

    def burst() -> int:
        kernels.play_at_random(batch.states, streams, batch.parameters, STEPS, *nothing)
        return GAMES * STEPS

    return burst


class Measure(NamedTuple):
    """What is measured: how its burst is made, and whose versions belong to it."""

    make: Callable[[], Burst]
    libraries: tuple[str, ...]


MEASURES: Final = {
    "openspiel": Measure(lambda: openspiel(with_numpy=False), ("open_spiel",)),
    "openspiel-numpy": Measure(lambda: openspiel(with_numpy=True), ("open_spiel",)),
    "pgx-steps": Measure(lambda: pgx(in_one_call=False), ("pgx", "jax")),
    "pgx-scan": Measure(lambda: pgx(in_one_call=True), ("pgx", "jax")),
    "connect-four": Measure(connect_four, ("pettingzoo",)),
    "leduc": Measure(leduc, ("pettingzoo", "rlcard")),
    "uno": Measure(uno, ("rlcard",)),
    "ludo": Measure(ludo, ("ludopy",)),
    "sorry-batch": Measure(lambda: sorry_batch(auto_forced=False), ("sorry-env", "numba")),
    "sorry-choices": Measure(lambda: sorry_batch(auto_forced=True), ("sorry-env", "numba")),
    "sorry-aec": Measure(sorry_aec, ("sorry-env", "pettingzoo")),
    "sorry-engine": Measure(sorry_engine, ("sorry-env", "numba")),
}


def play_for(burst: Burst, seconds: float) -> tuple[int, float, float]:
    """Bursts until the time is over: decisions, wall seconds, processor seconds of all threads."""
    decisions = 0
    wall, cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - wall < seconds:
        decisions += burst()
    return decisions, time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Compiles and warms up, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=MEASURES)
    parser.add_argument("--seconds", type=float, default=2.0)
    arguments = parser.parse_args()
    random.seed(1)
    np.random.seed(1)  # rlcard and ludopy draw from it
    measure = MEASURES[arguments.name]
    burst = measure.make()
    burst()
    play_for(burst, arguments.seconds / 4)
    decisions, wall, cpu = play_for(burst, arguments.seconds)
    versions = {library: version(library) for library in measure.libraries}
    print(json.dumps({"decisions": decisions, "wall_s": wall, "cpu_s": cpu, "versions": versions}))


if __name__ == "__main__":
    main()
