"""Where a pawn ends and whom it bumps (RULES 3.6 to 3.8, 4): the part of the rules that knows the board.

In all of `engine`: `s` is one game's row, `p` the parameter row, `r` the random stream; un-jitted they are lists or
arrays. Nothing checks its input: callers hand in only legal actions. Pawns are row indices (PAWNS + 4 seat + slot).
"""

# mypy: disable-error-code="no-untyped-def"
# Rows are lists, arrays or pointers: what they are is numba's to infer.

from __future__ import annotations

from sorry_env.actions import MAX_PAWNS, SEATS
from sorry_env.board import ENTRANCE, HOME, RING, START
from sorry_env.engine.parameters import MOVER, PAWN_SHIFT, PAWNS, PLAYERS, SLIDE
from sorry_env.engine.rows import rule


@rule
def clockwise(s, p, away):
    """Seat `away` (0..3) places clockwise from the mover. A compare is far cheaper than a division."""
    seat = s[MOVER] + away
    return seat - p[PLAYERS] if seat >= p[PLAYERS] else seat


@rule
def pawns_of_side(s, p, side):
    """First pawn of the mover's `side`: 0 his own, 1 his partner's (opposite, RULES 6.1)."""
    return PAWNS + SEATS * clockwise(s, p, 2 * side)


@rule
def turned(progress, shift):
    """A ring square's progress read by another seat (`shift`: SHIFT of the parameter row)."""
    progress += shift
    return progress - RING if progress > RING else progress


@rule
def is_on_ring(progress):
    """Whether a pawn at `progress` stands on a ring square."""
    return 1 <= progress <= ENTRANCE


@rule
def is_occupied(s, p, base, progress):
    """Whether a pawn of the colour whose pawns begin at `base` stands there; Home holds any number (RULES 3.7)."""
    if progress == HOME:
        return False
    for pawn in range(base, base + MAX_PAWNS):
        if s[pawn] == progress:
            return True
    return False


@rule
def step_target(progress, steps):
    """Progress reached by count, or START where the count is impossible (RULES 3.6, 3.8, 4.5)."""
    if progress == START or progress == HOME:
        return START
    target = progress + steps
    if target > HOME:
        return START
    if target < 1:
        target += RING
    return target


@rule
def in_span(progress, shift, target, length):
    """Whether a pawn on the ring, its progress read with `shift`, stands on target .. target + length."""
    if not is_on_ring(progress):
        return False
    away = progress + shift - target
    if away < 0:
        away += RING
    elif away >= RING:
        away -= RING
    return away <= length


@rule
def slide_end(p, target):
    """Progress where a pawn rests that reached `target` by count (RULES 4.2)."""
    end = target + p[SLIDE + target]
    return end - RING if target <= ENTRANCE < end else end


@rule
def land(s, p, seat, pawn, target):
    """Puts a pawn at `target` by count, slides it and bumps all others there and on the slide (RULES 4.1 to 4.3)."""
    if target <= ENTRANCE:
        length = p[SLIDE + target]
        shifts = PAWN_SHIFT + SEATS * MAX_PAWNS * seat - PAWNS
        for k in range(PAWNS, PAWNS + SEATS * MAX_PAWNS):
            away = s[k] + p[shifts + k] - target
            away += RING if away < 0 else 0
            away -= RING if away >= RING else 0
            is_bumped = (s[k] >= 1) & (s[k] <= ENTRANCE) & (away <= length) & (k != pawn)
            s[k] = START if is_bumped else s[k]
    s[pawn] = slide_end(p, target)


@rule
def order(s, low, high):
    """Puts the smaller of two fields into `low`, without a branch."""
    a, b = s[low], s[high]
    s[low] = a if a < b else b
    s[high] = b if a < b else a


@rule
def sort_pawns(s, p):
    """Restores the order of slots, furthest from Home first, for every seat, by a sorting network for four."""
    for seat in range(SEATS):
        base = PAWNS + SEATS * seat
        order(s, base, base + 1)
        order(s, base + 2, base + 3)
        order(s, base, base + 2)
        order(s, base + 1, base + 3)
        order(s, base + 1, base + 2)
