"""Simple players, random play through environments, and scores told by a position's text alone (RULES 5.7)."""

from __future__ import annotations

from typing import Any

import numpy as np

from sorry_env.players.base import refuse_options
from sorry_env.position import Position, Positions
from sorry_env.rules import Rules


def legal_choice(mask: np.ndarray, rng: np.random.Generator) -> int:
    """A uniform legal action of a mask."""
    return int(rng.choice(np.flatnonzero(mask)))


def play_aec(env: Any, rng: np.random.Generator, plies: int = 10**9) -> int:
    """Plays random legal actions in an AEC environment until the end, at most `plies`; returns how many."""
    played = 0
    while played < plies and env.agents:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            break
        env.step(legal_choice(observation["action_mask"], rng))
        played += 1
    return played


def home_counts(position: Position) -> list[int]:
    """Pawns Home of each seat."""
    return [position.pawns(seat).count("H") for seat in range(position.rules.players)]


def winning_seats(position: Position) -> list[int]:
    """Seats that have won, told by their pawns (RULES 2.3, 6.2)."""
    rules, home = position.rules, home_counts(position)
    full = [count == rules.pawns for count in home]
    return [seat for seat in range(rules.players) if full[seat] and (not rules.teams or full[(seat + 2) % 4])]


def points_by_rules(position: Position) -> list[int]:
    """Points of every seat by RULES 5.7 as the position stands."""
    rules, home = position.rules, home_counts(position)
    points = [5 * count for count in home]
    winners = winning_seats(position)
    for seat in winners:
        against = [home[other] for other in range(rules.players) if other not in winners]
        bonus = next((bonus for most, bonus in enumerate((100, 50, 25)) if max(against) <= most), 0)
        points[seat] += 5 * sum(rules.pawns - count for count in against) + bonus
    return points


def rewards_by_rules(position: Position, scoring: str) -> list[float]:
    """Final rewards of every seat: winner +1 and the others share -1, or points less their mean in hundreds."""
    players, winners = position.rules.players, winning_seats(position)
    if not winners:
        return [0.0] * players
    if scoring == "points":
        points = points_by_rules(position)
        return [(own - sum(points) / players) / 100 for own in points]
    share = len(winners) / (players - len(winners))
    return [1.0 if seat in winners else -share for seat in range(players)]


class Fixed:
    """A user's own player: plays the lowest legal action, or the highest with `end=high`."""

    def __init__(self, spec: str, options: dict[str, str]) -> None:
        refuse_options(spec, options, ("end",))
        self.name, self.end = spec, options.get("end", "low")
        self.bound: list[Rules] = []
        self.asked = 0

    def bind(self, rules: Rules) -> None:
        """Keeps the rules."""
        self.bound.append(rules)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """The lowest or highest legal id."""
        self.asked += len(masks)
        if self.end == "low":
            return masks.argmax(axis=1)
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


class Watched:
    """Plays at random by `rng`, asked as any player that is not built in."""

    name = "watched"

    def bind(self, rules: Rules) -> None:
        """Plays any rules."""

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """Uniform legal ids."""
        return np.array([legal_choice(mask, rng) for mask in masks])
