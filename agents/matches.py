"""Matches between players: who sits where, seats rotated, the same decks for every seating, played in blocks.

Decks are played in blocks of fixed size with random streams of their own, so that the numbers depend on the seed and
never on how many workers share the blocks.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from agents.luck import Adjuster, LuckMeter
from sorry_env.arena import Arena
from sorry_env.batch import Batch
from sorry_env.players import Player
from sorry_env.rules import Rules, rules_from
from sorry_env.values import num_sides

DECKS_PER_BLOCK: Final = 256
Tables = Literal["auto", "field", "mixed"]


@dataclass(frozen=True)
class Match:
    """Who sits where: deck d is played at table d mod T, once in every rotation of the table's sides.

    Attributes:
        tables: index of the player of each side (a seat, or in the partnership game a team), of each of T tables.
        measured: the indices whose win rates are told.
    """

    tables: tuple[tuple[int, ...], ...]
    measured: tuple[int, ...]

    @property
    def decks_per_block(self) -> int:
        """DECKS_PER_BLOCK, rounded up so that every table gets equally many."""
        return self.whole_rounds(DECKS_PER_BLOCK)

    def whole_rounds(self, decks: int) -> int:
        """A number of decks, rounded up so that every table gets equally many."""
        return -(-decks // len(self.tables)) * len(self.tables)

    def entries(self, decks: np.ndarray) -> np.ndarray:
        """Who plays some decks, by their numbers: index of each side's player before rotation, int64 (., sides)."""
        return np.array(self.tables)[decks % len(self.tables)]


def table_rules(rules: str, players: int | None) -> Rules:
    """The rules record of a program's `--rules` and `--players`: two seats where neither they nor teams say otherwise.

    Raises:
        RulesError: rules or a number of players that make no sense.
    """
    named = rules_from(rules)
    says_seats = "players=" in rules or "colors=" in rules
    return rules_from(named, 2 if players is None and not named.teams and not says_seats else players)


def plan_matches(num_players: int, sides: int, tables: Tables = "auto") -> list[Match]:
    """Which matches some players play.

    Args:
        num_players: how many there are.
        sides: sides of a game.
        tables: `field`: with two sides every pair meets, with more every player sits alone against a field of every
            other; `mixed`: one match at tables of all players (`mix_tables`); `auto`: one shared table if there are as
            many players as sides, else as `field`.
    """
    if tables == "mixed":
        return [mix_tables(num_players, sides)]
    if tables == "auto" and num_players == sides:
        return [Match((tuple(range(sides)),), tuple(range(sides)))]
    if sides == 2:
        return [Match((pair,), pair) for pair in itertools.combinations(range(num_players), 2)]
    ordered = itertools.permutations(range(num_players), 2)
    return [alone_against(one, other, sides) for one, other in ordered]


def alone_against(one: int, other: int, sides: int) -> Match:
    """One player against a field of another, only the one measured."""
    return Match(((one, *[other] * (sides - 1)),), (one,))


def mix_tables(num_players: int, sides: int) -> Match:
    """Every choice of players for a table, each in every order around it.

    Every seat has a different player where there are enough; else every table seats everybody, some of them twice.
    """
    everyone = range(num_players)
    chosen = list(itertools.combinations(everyone, sides))
    if num_players < sides:
        repeated = itertools.combinations_with_replacement(everyone, sides)
        chosen = [table for table in repeated if len(set(table)) == num_players]
    orders = list(itertools.permutations(range(1, sides)))
    tables = tuple((table[0], *(table[k] for k in order)) for order in orders for table in chosen)
    return Match(tables, tuple(everyone))


@dataclass(frozen=True)
class Block:
    """A part of a match that one worker plays."""

    rules: Rules
    match: Match
    match_index: int
    index: int
    decks: int
    seed: int


def play_block(block: Block, players: Sequence[Player], adjuster: Adjuster | None = None) -> dict[str, np.ndarray]:
    """Plays a block's decks in every seating.

    Args:
        block: what is played.
        players: opened, in the order of the match's indices.
        adjuster: whose luck is taken out.

    Returns:
        Arrays by deck. `deck` int64 (decks,), its number. (decks, sides), the rotation along the second axis: `winner`
        (side of the table before rotation, -1 without), `plies`. (decks, sides, sides), of each rotation by side of the
        table before rotation: `points`, and `luck`, what the cards added to its chance to win by the adjuster (0
        without one).
    """
    rules, sides = block.rules, num_sides(block.rules)
    decks = block.index * block.match.decks_per_block + np.arange(block.decks)
    rotations = np.tile(np.arange(sides), block.decks)
    batch = Batch(rules, block.decks * sides, block.seed, games=np.repeat(decks, sides), auto_forced=adjuster is None)
    meter = LuckMeter(batch, adjuster.model) if adjuster else None
    # Rotation t puts entry k of the table on side (k + t) mod sides; seats of a team are `sides` apart.
    side_of_seat = np.arange(rules.players) % sides
    entry_of_seat = (side_of_seat[None, :] - rotations[:, None]) % sides
    seating = np.take_along_axis(np.repeat(block.match.entries(decks), sides, axis=0), entry_of_seat, axis=1)
    rng = np.random.default_rng([block.seed, block.match_index, block.index])
    Arena(batch, players, seating, rng, meter.watch if meter else None).reset()
    luck = meter.luck if meter else np.zeros((batch.num_games, sides))
    return {"deck": decks, **_results(batch, entry_of_seat, luck, block.decks, sides)}


def _results(
    batch: Batch, entry_of_seat: np.ndarray, luck: np.ndarray, decks: int, sides: int
) -> dict[str, np.ndarray]:
    everyone = np.arange(batch.num_games)
    luck_of_entry = np.zeros_like(luck)
    np.put_along_axis(luck_of_entry, entry_of_seat[:, :sides], luck, axis=1)
    winner = np.where(batch.terminated, entry_of_seat[everyone, batch.movers], -1)
    points = np.zeros((batch.num_games, sides))
    np.add.at(points, (everyone[:, None], entry_of_seat), batch.points())
    points /= batch.rules.players // sides
    return {
        "winner": winner.reshape(decks, sides),
        "plies": batch.plies.reshape(decks, sides).copy(),
        "points": points.reshape(decks, sides, sides),
        "luck": luck_of_entry.reshape(decks, sides, sides),
    }


def join(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The results of several blocks as one."""
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
