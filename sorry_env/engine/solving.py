"""Kernels of the exact solver: every position of a small game for two, what its cards lead to, and value iteration.

A side's pawns, sorted, have one number: the sum of ranks[i, progress of slot i] (the combinatorial number system). A
state is two such numbers, of who draws next and of the other: drawer's number * n + other's, of n numbers in all.
"""

# mypy: disable-error-code="no-untyped-def"
# Rows are lists, arrays or pointers: what they are is numba's to infer.

from __future__ import annotations

from typing import Final

import numpy as np

from sorry_env.actions import MAX_PAWNS
from sorry_env.board import ENTRANCE, HOME, RING, START
from sorry_env.cards import NUM_CARDS
from sorry_env.engine.legal import legal_actions
from sorry_env.engine.parameters import CARD, MOST_ACTIONS, MOVER, NUM_PAWNS, OVER, PAWNS, SHIFT, WIDTH
from sorry_env.engine.playing import play_on_copy
from sorry_env.engine.rows import keep, kernel, row, rule

WIN: Final = -1  # in place of a state: who moved has won
OTHER: Final = PAWNS + MAX_PAWNS  # pawns of the seat that does not draw


@rule
def is_position(s, p):
    """Whether an unfinished game can stand so: no two pawns on a ring square, nor two of a colour on a zone square."""
    if s[PAWNS] == HOME or s[OTHER] == HOME:
        return False
    for k in range(p[NUM_PAWNS]):
        for j in range(p[NUM_PAWNS]):
            one, two, other = s[PAWNS + k], s[PAWNS + j], s[OTHER + j]
            if j != k and one == two and START < one < HOME:
                return False
            if j != k and s[OTHER + k] == other and START < other < HOME:
                return False
            if START < one <= ENTRANCE and START < other <= ENTRANCE and (other + p[SHIFT + 1] - one) % RING == 0:
                return False
    return True


@rule
def put(s, places, own, other):
    """Sets up both sides' pawns by number, the first seat to move; unused slots stand at Home."""
    for slot in range(MAX_PAWNS):
        s[PAWNS + slot] = places[own, slot]
        s[OTHER + slot] = places[other, slot]
    s[MOVER] = 0
    s[OVER] = 0


@rule
def rank(s, p, ranks, first):
    """Number of the pawns whose slots begin at s[first]."""
    number = 0
    for slot in range(p[NUM_PAWNS]):
        number += ranks[slot, s[first + slot]]
    return number


@kernel
def count_successors(p, places, counts):
    """Legal actions of each state with each card into counts uint8 (n, n, 11); 0 where no game can stand so."""
    game, legal = np.zeros((1, row(p, 0)[WIDTH]), np.int16), np.empty((1, MOST_ACTIONS), np.int16)
    s, q = row(game, 0), row(p, 0)
    for own in range(len(places)):
        for other in range(len(places)):
            put(s, places, own, other)
            if is_position(s, q):
                for card in range(NUM_CARDS):
                    s[CARD] = card
                    counts[own, other, card] = legal_actions(s, q, row(legal, 0))
    keep(game)
    keep(legal)


@kernel
def list_successors(p, places, ranks, counts, begin, end, successors):
    """What the states of own = begin .. end lead to, in order of state, card and action: int32 state of who draws then.

    Returns how many were listed.
    """
    game, legal = np.zeros((1, row(p, 0)[WIDTH]), np.int16), np.empty((1, MOST_ACTIONS), np.int16)
    after = np.zeros((1, row(p, 0)[WIDTH]), np.int16)
    s, q, out, t = row(game, 0), row(p, 0), row(legal, 0), row(after, 0)
    at = 0
    for own in range(begin, end):
        for other in range(len(places)):
            put(s, places, own, other)
            for card in range(NUM_CARDS if counts[own, other, 0] > 0 else 0):
                s[CARD] = card
                for k in range(legal_actions(s, q, out)):
                    play_on_copy(s, q, out[k], t)
                    mine, other_side = rank(t, q, ranks, PAWNS), rank(t, q, ranks, OTHER)
                    if t[OVER]:
                        successors[at] = WIN
                    elif t[MOVER] == 0:
                        successors[at] = mine * len(places) + other_side
                    else:
                        successors[at] = other_side * len(places) + mine
                    at += 1
    keep(after)
    keep(game)
    keep(legal)
    return at


@kernel
def sweep(values, counts, starts, successors, odds, stays):
    """One pass of value iteration in place, from the drawer's most advanced pawns back; returns the largest change.

    values float64 (n n,): probability that who draws wins; starts int64 (n,): where an own number's successors end.
    """
    n = len(starts)
    change = 0.0
    for own in range(n - 1, -1, -1):
        at = starts[own]
        for other in range(n):
            if counts[own, other, 0] == 0:
                continue
            value = 0.0
            for card in range(NUM_CARDS):
                best = 0.0
                for _ in range(counts[own, other, card]):
                    state = successors[at]
                    at += 1
                    if state == WIN:
                        best = 1.0
                    elif stays[card]:
                        best = max(best, values[state])
                    else:
                        best = max(best, 1.0 - values[state])
                value += odds[card] * best
            change = max(change, abs(value - values[own * n + other]))
            values[own * n + other] = value
    return change


@kernel
def action_values(S, p, ranks, values, actions, qualities, counts):
    """Win probability of the mover after each legal action of draw games: actions int16, qualities float64 (N, 600)."""
    q = row(p, 0)
    after = np.zeros((1, S.shape[1]), np.int16)
    t = row(after, 0)
    n = int(np.sqrt(len(values)))
    for e in range(len(S)):
        s = row(S, e)
        mover = s[MOVER]
        counts[e] = legal_actions(s, q, row(actions, e))
        for k in range(counts[e]):
            play_on_copy(s, q, actions[e, k], t)
            drawer = t[MOVER]
            mine = rank(t, q, ranks, PAWNS + MAX_PAWNS * drawer)
            other = rank(t, q, ranks, PAWNS + MAX_PAWNS * (1 - drawer))
            if t[OVER]:
                qualities[e, k] = 1.0
            elif drawer == mover:
                qualities[e, k] = values[mine * n + other]
            else:
                qualities[e, k] = 1.0 - values[mine * n + other]
    keep(after)
