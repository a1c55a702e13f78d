"""Your own agent as an opponent: any object with `name`, `bind` and `act`.

`act` is asked for many decisions at once and gets what a learner gets, and a generator: take chance from nowhere
else, so that the same seed plays the same games. `register_player` gives it a spec string for `opponents=[...]` and
for `evaluate.py`'s tables.

Goes wrong elsewhere: opponents that see more than their seat may, or that one asks a game at a time, which makes them
the slowest part of training.
"""

from __future__ import annotations

import gymnasium
import numpy as np

from sorry_env import Rules, SpecError, register_player
from sorry_env.actions import action_table
from sorry_env.position import Positions

GAMES = 500


class Forward:
    """Plays at random, but moves no pawn backward where another action is legal."""

    name = "forward"

    def bind(self, rules: Rules) -> None:
        """Called before play; says which rules it cannot play."""
        if rules.hand_size:
            raise SpecError("forward plays draw games only")
        self.is_backward = np.array([action.steps < 0 for action in action_table(rules.pawns, rules.teams)])

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """Legal action ids int64 (N,) for observations float32 (N, F) and masks int8 (N, A)."""
        worth = rng.random(masks.shape) - self.is_backward
        best: np.ndarray = np.where(masks == 1, worth, -np.inf).argmax(axis=1)
        return best


def win_rate(opponent: str, games: int) -> float:
    """Share of games that the first legal action wins against an opponent, every game played to its end."""
    envs = gymnasium.make_vec(
        "sorry_env:Sorry-v0", num_envs=games, opponents=[opponent], illegal="raise", autoreset_mode="Disabled"
    )
    _, infos = envs.reset(seed=1)
    over = np.zeros(games, bool)
    while not over.all():
        _, rewards, terminated, truncated, infos = envs.step(infos["action_mask"].argmax(axis=1))
        over = terminated | truncated
    return float((rewards > 0).mean())


if __name__ == "__main__":
    register_player("forward", lambda spec, options: Forward())
    for opponent in ("random", "forward", "greedy"):
        print(f"the first legal action won {100 * win_rate(opponent, GAMES):.0f} % of {GAMES} games against {opponent}")
