"""Choices that need no more than the rules: a uniform legal action, and the least distance after the move."""

# mypy: disable-error-code="no-untyped-def"
# Rows are lists, arrays or pointers: what they are is numba's to infer.

from __future__ import annotations

from sorry_env.actions import MAX_PAWNS
from sorry_env.board import HOME, START
from sorry_env.engine.landing import pawns_of_side
from sorry_env.engine.parameters import TEAMS, WIDTH
from sorry_env.engine.playing import play
from sorry_env.engine.rows import rule

START_DISTANCE = 65


@rule
def side_distance(s, p, mover_row):
    """Total distance to Home (RULES 1.2) in `s` of the side that is on move in `mover_row`."""
    total = 0
    for side in range(1 + p[TEAMS]):
        base = pawns_of_side(mover_row, p, side)
        for pawn in range(base, base + MAX_PAWNS):
            total += START_DISTANCE if s[pawn] == START else HOME - s[pawn]
    return total


@rule
def least_distance(s, p, actions, n, after, chance):
    """The action among actions[:n] after which the mover's side is closest to Home; `chance` in [0, 1) breaks ties.

    `after` is a row to work in. The best actions are gathered at the front of `actions`, which is overwritten.
    """
    best = 0
    ties = 0
    for k in range(n):
        action = actions[k]
        for field in range(p[WIDTH]):
            after[field] = s[field]
        play(after, p, action)
        distance = side_distance(after, p, s)
        if ties == 0 or distance < best:
            best = distance
            ties = 0
        if distance == best:
            actions[ties] = action
            ties += 1
    return actions[int(chance * ties)]
