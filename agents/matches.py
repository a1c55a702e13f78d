"""Matches between players: who sits where, seats rotated, the same decks for every seating, played in blocks.

Decks are played in blocks of fixed size with random streams of their own, so that the numbers depend on the seed and
never on how many workers share the blocks.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final

import numpy as np

from agents.luck import NONE, LuckMeter, open_adjuster
from sorry_env.arena import Arena
from sorry_env.batch import Batch
from sorry_env.players import Player, load_player
from sorry_env.rules import Rules, rules_from
from sorry_env.values import num_sides

DECKS_PER_BLOCK: Final = 256


@dataclass(frozen=True)
class Match:
    """Who sits where: one entry a side (a seat, or in the partnership game a team), rotated over all sides.

    Attributes:
        sides: index of the player of each side.
        measured: the indices whose win rates are told.
    """

    sides: tuple[int, ...]
    measured: tuple[int, ...]


def table_rules(rules: str, players: int | None) -> Rules:
    """The rules record of a program's `--rules` and `--players`: two seats where neither they nor teams say otherwise.

    Raises:
        RulesError: rules or a number of players that make no sense.
    """
    named = rules_from(rules)
    says_seats = "players=" in rules or "colors=" in rules
    return rules_from(named, 2 if players is None and not named.teams and not says_seats else players)


def plan_matches(num_players: int, sides: int) -> list[Match]:
    """One table if there are as many players as sides; else every player alone against a field of every other."""
    if num_players == sides:
        return [Match(tuple(range(sides)), tuple(range(sides)))]
    if sides == 2:
        return [Match(pair, pair) for pair in itertools.combinations(range(num_players), 2)]
    ordered = itertools.permutations(range(num_players), 2)
    return [Match((one, *[other] * (sides - 1)), (one,)) for one, other in ordered]


@dataclass(frozen=True)
class Block:
    """A part of a match that one worker plays."""

    rules: Rules
    specs: tuple[str, ...]
    match: Match
    match_index: int
    index: int
    decks: int
    seed: int
    adjust: str = NONE


def play_block(block: Block, players: Sequence[Player] | None = None) -> dict[str, np.ndarray]:
    """Plays a block's decks in every seating.

    Returns:
        Arrays (decks, sides), the rotation along the second axis: `winner` (side's entry in match.sides, -1 without),
        `plies`; and (decks, sides, sides), of each rotation by entry: `points`, and `luck`, what the cards added to its
        chance to win by the block's adjuster (0 without one).
    """
    rules, sides = block.rules, num_sides(block.rules)
    rotations = np.tile(np.arange(sides), block.decks)
    first = block.index * DECKS_PER_BLOCK
    games = np.repeat(np.arange(first, first + block.decks), sides)
    model = open_adjuster(block.adjust, rules)
    batch = Batch(rules, len(games), block.seed, games=games, auto_forced=model is None)
    meter = LuckMeter(batch, model) if model else None
    # Rotation t puts entry k of the match on side (k + t) mod sides; seats of a team are `sides` apart.
    side_of_seat = np.arange(rules.players) % sides
    entry_of_seat = (side_of_seat[None, :] - rotations[:, None]) % sides
    seating = np.array(block.match.sides)[entry_of_seat]
    rng = np.random.default_rng([block.seed, block.match_index, block.index])
    opened = players or [load_player(spec) for spec in block.specs]
    Arena(batch, opened, seating, rng, meter.watch if meter else None).reset()
    luck = meter.luck if meter else np.zeros((batch.num_games, sides))
    return _results(batch, entry_of_seat, luck, block.decks, sides)


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


def play_all(
    blocks: list[Block], workers: int, players: Sequence[Player]
) -> Iterator[tuple[Block, dict[str, np.ndarray]]]:
    """Each block with its results, in order; `players`, opened, serve where there is one worker."""
    if workers == 1:
        for block in blocks:
            yield block, play_block(block, players)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), _prepare_worker) as pool:
        yield from zip(blocks, pool.map(play_block, blocks), strict=True)


def _prepare_worker() -> None:
    """Makes checkpoint folders known to a worker's registry."""
    import agents  # noqa: F401  # imported for what it registers


def join(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The results of several blocks as one."""
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
