"""Which actions are legal (RULES 3, 5.3, 6): ids of `actions.py` in ascending order."""

# mypy: disable-error-code="no-untyped-def"
# Rows are lists, arrays or pointers: what they are is numba's to infer.

from __future__ import annotations

from typing import Final

import numpy as np

from sorry_env.actions import MAX_PAWNS, SEATS
from sorry_env.board import CIRCLE, ENTRANCE, HOME, RING, START
from sorry_env.cards import ELEVEN, FORWARD, NUM_CARDS, SEVEN, SORRY
from sorry_env.engine.landing import (
    clockwise,
    in_span,
    is_occupied,
    is_on_ring,
    pawns_of_side,
    slide_end,
    step_target,
)
from sorry_env.engine.parameters import (
    CARD,
    DISCARD_ID,
    EXCHANGE_ID,
    HAND_SIZE,
    HANDS,
    MOVER,
    NUM_PAWNS,
    PASS_ID,
    PAWNS,
    PLAYERS,
    REPLACE_ID,
    SHIFT,
    SLIDE,
    SPLIT_ID,
    START_ID,
    STARTS,
    STEP_ID,
    STEP_KINDS,
    STEPS,
    SWAP_PARTNER,
    TEAMS,
)
from sorry_env.engine.rows import hot, once, rule

SPLIT_STEPS: Final = FORWARD[SEVEN]
BUMPS_NONE: Final = -RING  # length of the span of a landing in a zone: nothing is that near
SEAT_BITS: Final = 2  # SEATS and MAX_PAWNS are 4


@hot
def add_starts(s, p, card, out, n):
    """Starts (RULES 3.8): a pawn in Start, no pawn of its colour on the circle."""
    for side in range(1 + p[TEAMS]):
        base = pawns_of_side(s, p, side)
        can_start = (p[STARTS + card] > 0) & (s[base] == START)
        for pawn in range(base, base + MAX_PAWNS):
            can_start &= s[pawn] != CIRCLE
        out[n] = p[START_ID + card] + side
        n += 1 if can_start else 0
    return n


@hot
def add_steps(s, p, card, out, n):
    """Moves of one pawn by the card's count, forward, then backward (RULES 3.6, 3.7).

    Written without branches on the pawns, whose places no processor can predict: every id is written, and counted only
    where it is legal.
    """
    for direction in range(p[STEP_KINDS + card]):
        steps = p[STEPS + 2 * card + direction]
        first_id = p[STEP_ID + 2 * card + direction]
        for side in range(1 + p[TEAMS]):
            base = pawns_of_side(s, p, side)
            for slot in range(MAX_PAWNS):
                progress = s[base + slot]
                target = progress + steps
                target += RING if target < 1 else 0
                is_free = True
                for other in range(base, base + MAX_PAWNS):
                    is_free &= s[other] != target
                can_go = (progress != START) & (progress != HOME) & (target <= HOME)
                out[n] = first_id + slot
                n += 1 if can_go & (is_free | (target == HOME)) else 0
            first_id += p[NUM_PAWNS]
    return n


@once
def is_second_half_legal(s, p, seat, pawn, target, other_seat, other, steps):
    """Whether `other` may go `steps` after `pawn` of `seat` has landed at `target` (RULES 3.11)."""
    goal = step_target(s[other], steps)
    if goal == START:
        return False
    shift = p[SHIFT + SEATS * seat + other_seat]
    length = p[SLIDE + target] if target <= ENTRANCE else BUMPS_NONE
    if in_span(s[other], shift, target, length):
        return False
    if goal == HOME:
        return True
    base = PAWNS + SEATS * other_seat
    for k in range(base, base + MAX_PAWNS):
        if k == pawn:
            if slide_end(p, target) == goal:
                return False
        elif k != other and s[k] == goal and not in_span(s[k], shift, target, length):
            return False
    return True


@rule
def count_on_the_way(s, p):
    """How many pawns of the mover's side are neither in Start nor Home."""
    count = 0
    for side in range(1 + p[TEAMS]):
        base = pawns_of_side(s, p, side)
        for pawn in range(base, base + MAX_PAWNS):
            count += (s[pawn] != START) & (s[pawn] != HOME)
    return count


@rule
def add_splits(s, p, out, n):
    """Splits of a 7 over two pawns, each order an action of its own (RULES 3.11)."""
    sides = 1 + p[TEAMS]
    movable = p[NUM_PAWNS] * sides
    if count_on_the_way(s, p) < 2:
        return n
    first_id = 0 + p[SPLIT_ID]  # an int64 from the start: no second instance of what it is handed to
    for side in range(sides):
        base = pawns_of_side(s, p, side)
        for pawn in range(base, base + p[NUM_PAWNS]):
            if s[pawn] != START and s[pawn] != HOME:
                for half in range(1, SPLIT_STEPS):
                    target = s[pawn] + half
                    if target <= HOME and not is_occupied(s, p, base, target):
                        block = first_id + (half - 1) * (movable - 1)
                        n = add_second_halves(s, p, pawn, target, half, block, out, n)
            first_id += (SPLIT_STEPS - 1) * (movable - 1)
    return n


@once
def add_second_halves(s, p, pawn, target, half, first_id, out, n):
    """The splits whose first half takes `pawn` to `target`; `first_id` is the first id of their block."""
    seat = (pawn - PAWNS) >> SEAT_BITS
    for side in range(1 + p[TEAMS]):
        base = pawns_of_side(s, p, side)
        for other in range(base, base + p[NUM_PAWNS]):
            if other != pawn:
                other_seat = (base - PAWNS) >> SEAT_BITS
                if is_second_half_legal(s, p, seat, pawn, target, other_seat, other, SPLIT_STEPS - half):
                    out[n] = first_id
                    n += 1
                first_id += 1
    return n


@rule
def add_exchanges(s, p, out, n):
    """Exchanges by an 11 (RULES 3.9, 6.7)."""
    at = EXCHANGE_ID
    for side in range(1 + p[TEAMS]):
        base = pawns_of_side(s, p, side)
        for pawn in range(base, base + p[NUM_PAWNS]):
            if is_on_ring(s[pawn]):
                for away in range(p[PLAYERS]):
                    is_partner = p[TEAMS] > 0 and away & 1 == 0
                    if away != 2 * side and (p[SWAP_PARTNER] or not is_partner):
                        n = add_targets(s, p, away, p[at + away], out, n)
            at += SEATS
    return n


@rule
def add_replacements(s, p, out, n):
    """Sorry! (RULES 3.10): opposing pawns first, the partner's only where no opposing pawn is on the ring (6.6)."""
    spares_partner = p[TEAMS] > 0 and is_opponent_on_ring(s, p)
    for side in range(1 + p[TEAMS]):
        if s[pawns_of_side(s, p, side)] == START:
            for away in range(p[PLAYERS]):
                if away != 2 * side and not (spares_partner and away & 1 == 0):
                    n = add_targets(s, p, away, p[REPLACE_ID + SEATS * side + away], out, n)
    return n


@rule
def add_targets(s, p, away, first_id, out, n):
    """Ids of a block for each pawn on the ring of the seat `away` places clockwise from the mover."""
    base = PAWNS + SEATS * clockwise(s, p, away)
    for slot in range(MAX_PAWNS):
        if is_on_ring(s[base + slot]):
            out[n] = first_id + slot
            n += 1
    return n


@rule
def is_opponent_on_ring(s, p):
    """Whether a pawn of the other team stands on the ring."""
    for away in range(1, p[PLAYERS], 2):
        base = PAWNS + SEATS * clockwise(s, p, away)
        for k in range(base, base + MAX_PAWNS):
            if is_on_ring(s[k]):
                return True
    return False


@once
def legal_actions(s, p, out):
    """Writes the legal ids of an open decision into `out`, ascending, and returns how many there are (at least 1).

    Draw game: uses of the drawn card, or `pass` where nothing but exchanges is possible (RULES 3.4, 3.9). Hand game:
    uses of every card in the hand, discards where nothing but exchanges is playable (RULES 5.3, 5.4).
    """
    is_hand_game = p[HAND_SIZE] > 0
    hand = HANDS + NUM_CARDS * s[MOVER]
    n = np.int64(0)
    is_obliged = False
    first = 0 if is_hand_game else s[CARD]
    for card in range(first, NUM_CARDS if is_hand_game else first + 1):
        if not is_hand_game or s[hand + card] > 0:
            before = n
            n = add_starts(s, p, card, out, n)
            n = add_steps(s, p, card, out, n)
            if card == SEVEN:
                n = add_splits(s, p, out, n)
            if card == SORRY:
                n = add_replacements(s, p, out, n)
            is_obliged = is_obliged or n > before
            if card == ELEVEN:
                n = add_exchanges(s, p, out, n)
    if not is_obliged:
        if not is_hand_game:
            out[n] = p[PASS_ID]
            return n + 1
        for card in range(NUM_CARDS):
            if s[hand + card] > 0:
                out[n] = p[DISCARD_ID] + card
                n += 1
    return n
