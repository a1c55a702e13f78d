"""Games that a model plays against itself, with the targets that its network is to learn (TD(lambda) on afterstates).

Position t before a draw has the model's worth V_t and the exact average E_t over the card to come of the best reply's
worth. Its target is y_t = E_t + lambda (y_{t+1} - V_{t+1}), the outcome for y and V past the end: lambda 1 follows the
game's result less the luck of every draw, lambda 0 bootstraps from one average. In the hand game, where who moves next
holds other cards, t counts a seat's own positions, and E_t is V_{t+1}: plain TD(lambda) (Sutton 1988).
"""

# mypy: disable-error-code="no-untyped-def"
# Rows are lists, arrays or pointers: what they are is numba's to infer.

from __future__ import annotations

import numpy as np

from sorry_env.actions import SEATS
from sorry_env.engine.dealing import draw, receive, reshuffle_if_empty, sample_card, set_up
from sorry_env.engine.parameters import AWAITING, CARD, HAND_SIZE, MOVER, OVER, PLAYERS
from sorry_env.engine.playing import copy_row, play
from sorry_env.engine.rows import keep, kernel, row, rule
from sorry_env.engine.searching import (
    BEST,
    BEST_OF,
    LEGAL,
    NUMBERS,
    REPLY,
    copy_worth,
    new_desk,
    reply_by_model,
    reply_to_each,
    write_mean,
    write_own_worth,
)
from sorry_env.engine.valuing import MOST_OUTPUTS, num_sides


@rule
def draw_and_reply(s, p, r, v, desk, mean):
    """Plays the draw and the best reply in `s`, which stands before a draw; the exact average goes into `mean`.

    Returns the card: what the reply leads to is worth BEST_OF it.
    """
    reply_to_each(s, p, v, desk)
    write_mean(p, desk, mean)
    reshuffle_if_empty(s, p)
    card = sample_card(s, p, r)
    receive(s, p, card)
    play(s, p, desk[LEGAL][REPLY, card])
    return card


@rule
def play_out(s, p, r, v, desk, max_plies, rows, values, means, at):
    """Plays a game from its set-up to its end, noting each position with V and, in the draw game, E from `at` on.

    Returns where the next game's begin; -1 where there is no room.
    """
    worth = row(desk[NUMBERS], BEST)  # V: what the reply before was judged by
    if not p[HAND_SIZE]:
        write_own_worth(s, p, v, desk, worth)
    for _ in range(max_plies):
        if s[OVER]:
            break
        if at == len(rows):
            return -1
        if p[HAND_SIZE]:
            if s[CARD] == AWAITING:
                draw(s, p, r)
            play(s, p, reply_by_model(s, p, v, desk, 0, 0, worth))
            if s[OVER]:
                break
        copy_row(s, p, row(rows, at))
        copy_worth(worth, row(values, at))
        if not p[HAND_SIZE]:
            card = draw_and_reply(s, p, r, v, desk, row(means, at))
            copy_worth(row(desk[NUMBERS], BEST_OF + card), worth)
        at += 1
    return at


@rule
def write_targets(p, trace, ahead, rows, values, means, targets, begin, end):
    """Targets of one game's positions begin .. end, seen by who draws next, from the last one back.

    `ahead` (4, 2 MOST_OUTPUTS) holds, for each chain of positions, V and y of the position that follows; in the draw
    game there is one chain. On entry both are the outcome, or V of the last position of a game that was cut off.
    """
    sides = num_sides(p)
    outputs = targets.shape[1]
    for at in range(end - 1, begin - 1, -1):
        mover = rows[at, MOVER]
        chain = mover if p[HAND_SIZE] else 0
        for i in range(outputs):
            mean = ahead[chain, i] if p[HAND_SIZE] else means[at, i]
            y = mean + trace * (ahead[chain, MOST_OUTPUTS + i] - ahead[chain, i])
            ahead[chain, i] = values[at, i]
            ahead[chain, MOST_OUTPUTS + i] = y
        for k in range(outputs):
            side = (mover + k) % sides + (sides if k >= sides else 0)
            targets[at, k] = ahead[chain, MOST_OUTPUTS + side]


@kernel
def play_against_itself(S, R, p, v, trace, max_plies, rows, values, means, targets):
    """Plays the games e of S and R out, one after another, and notes every position before a draw.

    S int16 (G, W) need not be set up; rows int16 (N, W); values, means float32 (N, 8) by side: V and E; targets float32
    (N, O), seen by who draws next (in the hand game by who moved). A game of more than `max_plies` is cut off there.
    Returns the number of positions; -1 where there was no room for all.
    """
    q, m = row(p, 0), row(v, 0)
    desk = new_desk(q, m)
    ahead = np.zeros((SEATS, 2 * MOST_OUTPUTS), np.float32)
    at = 0
    for e in range(len(S)):
        s = row(S, e)
        set_up(s, q, row(R, e), -1)
        end = play_out(s, q, row(R, e), m, desk, max_plies, rows, values, means, at)
        if end < 0:
            at = -1
            break
        for chain in range(q[PLAYERS]):
            write_own_worth(s, q, m, desk, row(ahead, chain))
            for i in range(MOST_OUTPUTS):
                ahead[chain, MOST_OUTPUTS + i] = ahead[chain, i]
        write_targets(q, trace, ahead, rows, values, means, targets, at, end)
        at = end
    keep(desk)
    keep(ahead)
    return at
