"""What an action does to a row (RULES 3 to 6): pawns, the card, who decides next, the end."""

# mypy: disable-error-code="no-untyped-def"
# Rows are lists, arrays or pointers: what they are is numba's to infer.

from __future__ import annotations

from typing import Final

from sorry_env.actions import SEATS, Use
from sorry_env.board import HOME, RING
from sorry_env.cards import FORWARD, NUM_CARDS, SEVEN, TWO
from sorry_env.engine.landing import clockwise, land, pawns_of_side, sort_pawns, turned
from sorry_env.engine.parameters import (
    AGAIN,
    AWAITING,
    CARD,
    DECODE,
    DECODED,
    HAND_SIZE,
    HANDS,
    MOVER,
    OVER,
    PAWNS,
    SHIFT,
    TEAMS,
    TWO_AGAIN,
    WIDTH,
)
from sorry_env.engine.rows import once, rule

USE_START: Final = int(Use.START)
USE_STEP: Final = int(Use.STEP)
USE_SPLIT: Final = int(Use.SPLIT)
USE_EXCHANGE: Final = int(Use.EXCHANGE)
USE_REPLACE: Final = int(Use.REPLACE)
USE_DISCARD: Final = int(Use.DISCARD)
SPLIT_STEPS: Final = FORWARD[SEVEN]


@once
def play(s, p, action):
    """Plays a legal action: moves pawns, puts the card away, and says who decides next or that the game is over."""
    at = DECODE + DECODED * action
    use = p[at + 1]
    if USE_START <= use <= USE_REPLACE:
        move_pawns(s, p, use, at)
        sort_pawns(s, p)
        s[OVER] = is_won(s, p)
    end_ply(s, p, p[at], use == USE_DISCARD)


@rule
def copy_row(s, p, out):
    """Copies a game row."""
    for field in range(p[WIDTH]):
        out[field] = s[field]


@once
def play_on_copy(s, p, action, after):
    """Writes into the row `after` what a legal action leads to, before the next card."""
    copy_row(s, p, after)
    play(after, p, action)


@rule
def move_pawns(s, p, use, at):
    """The board's part of the action whose decoded fields begin at p[at]."""
    steps = p[at + 6]
    for half in range(2 if use == USE_SPLIT else 1):
        seat = clockwise(s, p, p[at + 2 + 2 * half])
        pawn = PAWNS + SEATS * seat + p[at + 3 + 2 * half]
        target = s[pawn] + (SPLIT_STEPS - steps if half == 1 else steps)
        target += RING if target < 1 else 0
        if use >= USE_EXCHANGE:
            other_seat = clockwise(s, p, p[at + 4])
            other = PAWNS + SEATS * other_seat + p[at + 5]
            target = turned(s[other], p[SHIFT + SEATS * seat + other_seat])
            if use == USE_EXCHANGE:
                s[other] = turned(s[pawn], p[SHIFT + SEATS * other_seat + seat])
        land(s, p, seat, pawn, target)


@once
def is_won(s, p):
    """1 if the mover (his team) has all pawns Home (RULES 2.3, 6.2), else 0. Slots are sorted: the first decides."""
    for side in range(1 + p[TEAMS]):
        if s[pawns_of_side(s, p, side)] != HOME:
            return 0
    return 1


@rule
def end_ply(s, p, card, is_discard):
    """Puts the card away (`card` is negative for the draw game's pass) and settles who decides next."""
    mover = s[MOVER]
    if p[HAND_SIZE]:
        s[HANDS + NUM_CARDS * mover + card] -= 1
        s[AGAIN] = 1 if card == TWO and p[TWO_AGAIN] and not is_discard and not s[OVER] else 0
    else:
        stays = (s[OVER] > 0) | ((s[CARD] == TWO) & (p[TWO_AGAIN] > 0))
        s[MOVER] = mover if stays else clockwise(s, p, 1)
    s[CARD] = AWAITING
