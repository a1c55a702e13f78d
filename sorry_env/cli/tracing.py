"""`sorry-env trace`: random games as JSON lines, for checking other engines and for feeding other programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import count

import numpy as np

from sorry_env.engine import kernels
from sorry_env.engine.parameters import MOST_ACTIONS, WIDTH, parameter_row
from sorry_env.engine.rows import stream_rows
from sorry_env.notation import format_all_pawns, format_move, format_pawns, format_rest
from sorry_env.position import Position
from sorry_env.rules import Rules, rules_from


def run_trace(rules: str, players: int | None, games: int, seed: int) -> None:
    """Writes the lines of `trace_lines` to stdout, the same bytes on every platform. Raises RulesError."""
    record = rules_from(rules, players=players)
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(newline="\n")
    sys.stdout.writelines(trace_lines(record, games, seed))


def trace_lines(rules: Rules, games: int, seed: int) -> Iterator[str]:
    """Random games as JSON lines: a line a decision and, after each game, a line for its end.

    A game depends on nothing but rules, seed and its number; game 0 has the cards of `Game(rules, seed)`. All that
    positions and moves are written with stands in JSON as it is, so decisions need no JSON encoder.

    Args:
        rules: the rules record.
        games: number of games, 0 or more.
        seed: any non-negative integer.
    """
    p = parameter_row(rules)
    row = np.zeros((1, p[0, WIDTH]), np.int16)
    legal = np.empty((1, MOST_ACTIONS), np.int16)
    after = np.empty((MOST_ACTIONS, p[0, WIDTH]), np.int16)
    first = -1 if rules.first_player == "random" else rules.first_player
    for game in range(games):
        stream = stream_rows(seed, np.array([game]))
        kernels.set_up_one(row, p, stream, 0, first)
        pawns = format_pawns(row[0].tolist(), rules)
        for ply in count():
            num_legal, chosen = kernels.unfold_one(row, stream, p, 0, legal, after)
            if not num_legal:
                break
            before = row[0].tolist()
            moves = [format_move(before, rules, action) for action in legal[0, :num_legal].tolist()]
            results = format_all_pawns(after[:num_legal], rules)
            uses = ",".join([f'"{move}":"{result}"' for move, result in zip(moves, results, strict=True)])
            yield (
                f'{{"game":{game},"ply":{ply},"position":"{pawns} {format_rest(before, rules)}",'
                f'"legal":{{{uses}}},"move":"{moves[chosen]}"}}\n'
            )
            row[0] = after[chosen]
            pawns = results[chosen]  # the draw to come moves none
        yield _end_line(rules, row, game)


def _end_line(rules: Rules, row: np.ndarray, game: int) -> str:
    names = [f"player_{seat}" for seat in range(rules.players)]
    rewards = np.zeros((1, rules.players))
    points = np.zeros((1, rules.players), np.int64)
    kernels.final_rewards(row, parameter_row(rules), rules.scoring == "points", rewards)
    kernels.points(row, parameter_row(rules), points)
    end = {
        "game": game,
        "winner": [names[seat] for seat in Position(rules, row).winners],
        "rewards": dict(zip(names, rewards[0].tolist(), strict=True)),
        "points": dict(zip(names, points[0].tolist(), strict=True)),
    }
    return json.dumps(end, separators=(",", ":")) + "\n"
