"""Random play of OpenSpiel games; needs no OpenSpiel itself."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any


def play(game: Any, seed: int) -> Iterator[tuple[Any, int]]:
    """Random play by the odds: each state with the action or outcome that is applied next; then the end with -1."""
    rng, state = random.Random(seed), game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            action = rng.choices(outcomes, odds)[0]
        else:
            action = rng.choice(state.legal_actions())
        yield state, action
        state.apply_action(action)
    yield state, -1


def decisions(game: Any, seed: int, count: int) -> list[Any]:
    """Copies of the first states of a random game in which a decision is open."""
    found = [state.clone() for state, _ in play(game, seed) if state.current_player() >= 0]
    return found[:count]
