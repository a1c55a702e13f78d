"""Simple players, what players choose in a position, and scores and distances told by a position's text alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from sorry_env import Batch
from sorry_env.arena import LEARNER, Arena
from sorry_env.players import Player
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


def ask(player: Player, position: Position, count: int, seed: int = 0) -> np.ndarray:
    """What a player chooses in `count` copies of a position."""
    batch = Batch(position.rules, 1, 0, auto_forced=False)
    batch.reset()
    batch.place(0, position)
    seen, masks = np.repeat(batch.observations, count, axis=0), np.repeat(batch.masks, count, axis=0)
    positions = Positions(position.rules, np.repeat(batch.states, count, axis=0))
    return player.act(seen, masks, np.random.default_rng(seed), positions)


def distance(position: Position, seat: int) -> int:
    """Total distance to Home of a seat's pawns by RULES 1.2, told by the position's text."""
    entrance = 15 * "RBYG".index(position.rules.colors[seat]) + 2
    total = 0
    for place in position.pawns(seat):
        if place == "S":
            total += 65
        elif place.startswith("s"):
            total += 5 - int(place[1:])
        elif place != "H":
            total += (entrance - int(place)) % 60 + 6
    return total


def after_compiled(player: Player, position: Position, count: int) -> list[str]:
    """The pawns after a built-in player's one ply in `count` games of a position, played in compiled code."""
    rules = position.rules
    batch = Batch(rules, count, 3, auto_forced=False)
    batch.reset()
    for e in range(count):
        batch.place(e, position)
    seating = np.full((count, rules.players), LEARNER)
    seating[:, position.mover] = 0
    Arena(batch, [player], seating, np.random.default_rng(0)).run()
    assert (batch.plies == 1).all()
    return [batch.position(e).pawns_text() for e in range(count)]
