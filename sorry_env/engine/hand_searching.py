"""Looking ahead in the hand game, on hands sampled from what the mover has not seen (determinization).

A move is judged by the mean, over sampled hands and refills, of what the mover's own next move leads to, every seat
playing what the model likes best. The same samples judge all moves of a decision, which takes most of the noise out of
their comparison.
"""

# mypy: disable-error-code="no-untyped-def"
# Rows are lists, arrays or pointers: what they are is numba's to infer.

from __future__ import annotations

from typing import Final

import numpy as np

from sorry_env.cards import NUM_CARDS
from sorry_env.engine.dealing import draw, sample_card, take_from_pile
from sorry_env.engine.encoding import hide_hand
from sorry_env.engine.parameters import HAND_SIZE, HANDS, MOVER, OVER, PLAYERS, UNKNOWN
from sorry_env.engine.playing import copy_row, play
from sorry_env.engine.rows import CARD_STREAM, keep, kernel, row, rule
from sorry_env.engine.searching import (
    BEFORE,
    BEST,
    DRAWN,
    NUMBERS,
    ROWS,
    add_worth,
    new_desk,
    refining,
    reply_by_model,
)
from sorry_env.engine.valuing import MOST_OUTPUTS

# Behind the desk of `searching.py`: one random stream, int64 (1, 4), and how many deals are sampled.
STREAM: Final = 6
DEALS: Final = 7


@rule
def deal_unknown(s, p, r):
    """Deals every unknown hand from the cards that PILE counts."""
    for seat in range(p[PLAYERS]):
        hand = HANDS + NUM_CARDS * seat
        if s[hand] == UNKNOWN:
            s[hand] = 0
            for _ in range(p[HAND_SIZE]):
                card = sample_card(s, p, r)
                take_from_pile(s, p, card)
                s[hand + card] += 1


@rule
def average_deals(s, p, v, desk, level, breadth, mean):
    """Worth of `s` before the mover's refill, as he may know it: the mean of his next move's over sampled deals."""
    before, dealt = row(desk[ROWS], BEFORE + level), row(desk[ROWS], DRAWN + level)
    best, r = row(desk[NUMBERS], BEST + level), row(desk[STREAM], 0)
    for i in range(MOST_OUTPUTS):
        mean[i] = 0
    copy_row(s, p, before)
    for seat in range(p[PLAYERS]):
        if seat != s[MOVER]:
            hide_hand(before, HANDS + NUM_CARDS * seat)
    r[CARD_STREAM + 1] = 0  # the same samples for every move
    for _ in range(desk[DEALS]):
        copy_row(before, p, dealt)
        deal_unknown(dealt, p, r)
        draw(dealt, p, r)
        action = reply_by_model(dealt, p, v, desk, level, breadth, best)
        while dealt[MOVER] != s[MOVER]:
            play(dealt, p, action)
            if dealt[OVER]:
                break  # and `best` is the outcome
            draw(dealt, p, r)
            action = reply_by_model(dealt, p, v, desk, level, breadth, best)
        add_worth(best, 1 / desk[DEALS], mean)


reply_by_deals: Final = refining(average_deals)


@kernel
def choose_by_deals(S, R, p, v, breadth, deals, actions, worths):
    """For each open decision the best of the `breadth` actions that the model likes best, judged by `deals` samples.

    R int64 (B, 4): a random stream for each decision. Actions int64 (B,), worths by side float32 (B, 8).
    """
    q, m = row(p, 0), row(v, 0)
    stream = np.zeros((1, R.shape[1]), np.int64)
    desk = new_desk(q, m)
    longer = (*desk, stream, deals)
    for e in range(len(S)):
        stream[0, CARD_STREAM] = R[e, CARD_STREAM]
        actions[e] = reply_by_deals(row(S, e), q, m, longer, 1, breadth, row(worths, e))
    keep(desk)
    keep(stream)


@kernel
def average_by_deals(S, R, p, v, deals, worths):
    """What positions before the mover's refill are worth to him by `deals` samples: float32 (B, 8).

    R int64 (1, 4): the random stream, the same for every position.
    """
    q, m = row(p, 0), row(v, 0)
    stream = np.zeros((1, R.shape[1]), np.int64)
    desk = new_desk(q, m)
    longer = (*desk, stream, deals)
    stream[0, CARD_STREAM] = R[0, CARD_STREAM]
    for e in range(len(S)):
        average_deals(row(S, e), q, m, longer, 0, 0, row(worths, e))
    keep(desk)
    keep(stream)
