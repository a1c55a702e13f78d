"""Choices that need no more than the rules: the action after which the mover's side stands best by given weights."""

# mypy: disable-error-code="no-untyped-def"
# Rows are lists, arrays or pointers: what they are is numba's to infer. `w` is a row of `weights.py`.

from __future__ import annotations

from sorry_env.actions import MAX_PAWNS, SEATS
from sorry_env.board import START
from sorry_env.engine.encoding import is_same_side
from sorry_env.engine.landing import is_on_ring, turned
from sorry_env.engine.parameters import MOVER, NUM_PLACES, PAWNS, PLAYERS, SHIFT
from sorry_env.engine.playing import play_on_copy
from sorry_env.engine.rows import rule
from sorry_env.engine.weights import DISTANCE, OTHERS, OWN, RISK, STRIKES


@rule
def odds_of_bump(s, p, w, seat, progress):
    """Odds that an opponent bumps `seat`'s pawn on the ring at `progress` by his next card, summed over his pawns."""
    odds = 0.0
    for other in range(p[PLAYERS]):
        if not is_same_side(s, p, seat, other):
            base = PAWNS + SEATS * other
            square = turned(progress, p[SHIFT + SEATS * other + seat])
            for pawn in range(base, base + MAX_PAWNS):
                if pawn == base or s[pawn] != START:  # pawns in Start are one choice
                    odds += w[STRIKES + NUM_PLACES * s[pawn] + square]
    return odds


@rule
def standing(s, p, w, mover):
    """How far `mover`'s side is from winning in `s`, the less the better: its distance, what it risks, the others'."""
    total = 0.0
    for seat in range(p[PLAYERS]):
        is_other = not is_same_side(s, p, mover, seat)
        weight = -w[OTHERS] if is_other else w[OWN]
        if weight != 0:
            base = PAWNS + SEATS * seat
            for pawn in range(base, base + MAX_PAWNS):
                distance = w[DISTANCE + s[pawn]]
                if w[RISK] > 0 and is_on_ring(s[pawn]) and not is_other:
                    lost = w[DISTANCE + START] - distance
                    distance += w[RISK] * lost * odds_of_bump(s, p, w, seat, s[pawn])
                total += weight * distance
    return total


@rule
def best_action(s, p, w, actions, n, after, chance):
    """The action among actions[:n] after which the mover's side stands best; `chance` in [0, 1) breaks ties.

    `after` is a row to work in. The best actions are gathered at the front of `actions`, which is overwritten.
    """
    best = 0.0
    ties = 0
    for k in range(n):
        action = actions[k]
        play_on_copy(s, p, action, after)
        value = standing(after, p, w, s[MOVER])
        if ties == 0 or value < best:
            best = value
            ties = 0
        if value == best:
            actions[ties] = action
            ties += 1
    return actions[int(chance * ties)]
