"""Counts for checking other engines (RULES 9), draw games only."""

from __future__ import annotations

import numpy as np

from sorry_env.cards import CARDS, NUM_CARDS
from sorry_env.engine import kernels
from sorry_env.engine.parameters import CARD, DRAW_WIDTH, MOST_ACTIONS, MOVER, OVER, PAWNS, parameter_row
from sorry_env.errors import RulesError
from sorry_env.notation import format_move
from sorry_env.position import Position


def perft(position: Position, depth: int) -> int:
    """The count of RULES 9.1 for a position and a depth in plies: MOVER is used, CARDS and PILE are not.

    Raises:
        RulesError: a hand game, or a negative depth.
    """
    rows = np.ones(1, np.int64)
    frontier = _comparable(_draw_row(position, depth))
    done = 0
    for _ in range(depth):
        over = frontier[:, OVER] > 0
        done += int(rows[over].sum())
        frontier, rows = _expand(frontier[~over], rows[~over], position)
    return done + int(rows.sum())


def perft_divide(position: Position, depth: int) -> list[tuple[str, int]]:
    """Perft by first move, cards in card order: (move, count); moves with the same result stand on one line.

    Raises:
        RulesError: a hand game, or a depth below 1.
    """
    if depth < 1:
        raise RulesError(f"depth: {depth} has no first move; 1 or more has")
    row = _draw_row(position, depth)
    if position.is_over:
        return []
    return [
        (" = ".join(texts), perft(Position(position.rules, after[None].copy()), depth - 1))
        for card in range(NUM_CARDS)
        for texts, after in _first_moves(row, card, position)
    ]


def _first_moves(row: np.ndarray, card: int, position: Position) -> list[tuple[list[str], np.ndarray]]:
    drawn = row.copy()
    drawn[0, CARD] = card
    actions = Position(position.rules, drawn).legal_actions()
    results: dict[bytes, tuple[list[str], np.ndarray]] = {}
    for action in actions:
        after = drawn.copy()
        kernels.play_one(after, parameter_row(position.rules), 0, action)
        text = format_move(drawn[0].tolist(), position.rules, action)
        label = f"{CARDS[card]}:pass" if text == "pass" else text
        results.setdefault(_comparable(after).tobytes(), ([], after[0]))[0].append(label)
    return list(results.values())


def _draw_row(position: Position, depth: int) -> np.ndarray:
    if position.rules.hand_size:
        raise RulesError("hand_size: perft counts draw games only")
    if depth < 0:
        raise RulesError(f"depth: {depth} is negative; 0 or more is a depth")
    return position.row.copy()


def _comparable(rows: np.ndarray) -> np.ndarray:
    """Rows with only what perft tells apart: mover, end, pawns."""
    plain = np.zeros((len(rows), DRAW_WIDTH), np.int16)
    for field in (MOVER, OVER):
        plain[:, field] = rows[:, field]
    plain[:, PAWNS:] = rows[:, PAWNS:DRAW_WIDTH]
    plain[:, CARD] = -1
    return plain


def _expand(frontier: np.ndarray, rows: np.ndarray, position: Position) -> tuple[np.ndarray, np.ndarray]:
    """All distinct results of each card from each row, with the number of ways that lead there."""
    p = parameter_row(position.rules)
    out = np.empty((MOST_ACTIONS, DRAW_WIDTH), np.int16)
    found, ways = [np.empty((0, DRAW_WIDTH), np.int16)], [np.empty(0, np.int64)]
    for e in range(len(frontier)):
        for card in range(NUM_CARDS):
            count = kernels.successors(frontier, p, e, card, out)
            distinct = _distinct(_comparable(out[:count]))[0]
            found.append(distinct)
            ways.append(np.full(len(distinct), rows[e]))
    merged, index = _distinct(np.concatenate(found))
    return merged, np.bincount(index, np.concatenate(ways), len(merged)).astype(np.int64)


def _distinct(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct rows and, for each row, the index of its own."""
    keys = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first], index
