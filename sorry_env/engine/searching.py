"""Replies and exact averages over the next card: looking ahead with a model of what positions are worth (`valuing.py`).

Terms: a position *before a draw* is what a move leads to (the afterstate). The best reply to a card is the move after
which the mover's side has the highest utility; of equal ones the first. Averages are exact over the cards that are
left, and for the draw game only: in the hand game more is unknown than what comes.
"""

# mypy: disable-error-code="no-untyped-def"
# Rows are lists, arrays or pointers: what they are is numba's to infer.

from __future__ import annotations

from typing import Any, Final

import numpy as np

from sorry_env.actions import SEATS
from sorry_env.cards import NUM_CARDS
from sorry_env.engine.dealing import receive, reshuffle_if_empty
from sorry_env.engine.layers import BLOCK, multiply
from sorry_env.engine.legal import legal_actions
from sorry_env.engine.parameters import AWAITING, CARD, LEFT, MOST_ACTIONS, MOVER, OVER, PILE, REPLACEMENT, WIDTH
from sorry_env.engine.playing import copy_row, play_on_copy
from sorry_env.engine.rows import keep, kernel, row, rule
from sorry_env.engine.valuing import (
    COLUMNS,
    MOST_CARD_INPUTS,
    MOST_OUTPUTS,
    NETWORK,
    WIDE,
    num_sides,
    second_layer,
    utility,
    write_card_part,
    write_cards,
    write_drawn,
    write_hidden,
    write_outcome,
    write_pile,
    write_places,
    write_still,
    write_worth,
)
from sorry_env.engine.weights import KIND

LEVELS: Final = 3  # 0: replies judged by the model; each further one: by averages of the level below
# `desk`: what is worked on, a tuple of game rows int16 (., W), of actions and other integers int16 (., 600), of the
# actions' utilities float32 (., 600), of other numbers float32, and a network's layers of the positions that wait.
ROWS: Final = 0
LEGAL: Final = 1
USES: Final = 2
NUMBERS: Final = 3
HIDDEN: Final = 4
INNER: Final = 5
AFTER: Final = 0  # game rows: those that moves lead to and that wait to be judged together; then three a level
BEFORE: Final = BLOCK
DRAWN: Final = BEFORE + LEVELS
MOVED: Final = DRAWN + LEVELS
NUM_ROWS: Final = MOVED + LEVELS
# Integers: the legal actions by level; of each that waits its slot, index and action; best index and action by slot.
# A slot is a decision whose moves wait: the cards that may come have one each. Last, by seat, whether STILL holds what
# it sees; the inputs that pawns have changed; those that they make 1.
SLOT: Final = LEVELS
INDEX: Final = SLOT + 1
ACTION: Final = SLOT + 2
CHOSEN: Final = SLOT + 3
REPLY: Final = SLOT + 4
IS_KNOWN: Final = SLOT + 5
CHANGES: Final = SLOT + 6
PLACES: Final = SLOT + 7
NUM_LEGAL: Final = SLOT + 8
# Utilities: by level; last, the best by slot.
MOST: Final = LEVELS
# Other numbers: parts of a network's first layer; what a position is worth; two a level; the best reply's by slot.
CARDS: Final = 0
PILE_ROWS: Final = 1
CARD_PART: Final = 2
START: Final = 3
STILL: Final = 4
WORTH: Final = STILL + SEATS
BEST: Final = WORTH + 1
MEAN: Final = BEST + LEVELS
BEST_OF: Final = MEAN + LEVELS
NUM_NUMBERS: Final = BEST_OF + NUM_CARDS


@rule
def new_desk(p, v):
    """Arrays to work in; the kernel that makes them keeps them alive (`rows.keep`)."""
    is_network = v[KIND] == NETWORK
    wide, columns = (int(v[WIDE]), int(v[COLUMNS])) if is_network else (1, 1)
    width = max(wide, MOST_OUTPUTS, MOST_CARD_INPUTS)
    return (
        np.empty((NUM_ROWS, p[WIDTH]), np.int16),
        np.empty((NUM_LEGAL, MOST_ACTIONS), np.int16),
        np.empty((LEVELS + 1, MOST_ACTIONS), np.float32),
        np.empty((NUM_NUMBERS, width), np.float32),
        np.zeros((BLOCK, wide), np.float32),  # all are multiplied, also those that nothing was written to
        np.empty((BLOCK, columns), np.float32),
    )


@rule
def copy_worth(worth, out):
    """Copies what a position is worth to each side."""
    for i in range(MOST_OUTPUTS):
        out[i] = worth[i]


@rule
def add_worth(worth, odds, mean):
    """Adds what a position is worth, times its odds, to a mean."""
    for i in range(MOST_OUTPUTS):
        mean[i] += worth[i] * np.float32(odds)


@rule
def forget_still(desk):
    """What STILL holds is of another position."""
    for seat in range(SEATS):
        desk[LEGAL][IS_KNOWN, seat] = 0


@rule
def write_start(s, p, v, desk, viewer):
    """START, the first layer of `s` as it stands, seen by `viewer`: CARD_PART and STILL, which is made if need be."""
    still, part, start = row(desk[NUMBERS], STILL + viewer), row(desk[NUMBERS], CARD_PART), row(desk[NUMBERS], START)
    if not desk[LEGAL][IS_KNOWN, viewer]:
        write_still(s, p, v, viewer, row(desk[LEGAL], PLACES), still)
        desk[LEGAL][IS_KNOWN, viewer] = 1
    for h in range(int(v[WIDE])):
        start[h] = still[h] + part[h]


@rule
def begin_position(s, p, v, desk):
    """CARD_PART of the position `s`, and STILL is forgotten."""
    forget_still(desk)
    if v[KIND] == NETWORK:
        write_card_part(s, p, v, row(desk[NUMBERS], CARDS), row(desk[NUMBERS], CARD_PART))


@rule
def write_own_worth(s, p, v, desk, out):
    """What the model gives for the position `s` before a draw."""
    if v[KIND] == NETWORK and not s[OVER]:
        begin_position(s, p, v, desk)
        write_start(s, p, v, desk, s[MOVER])
        write_hidden(s, s, p, v, row(desk[NUMBERS], START), row(desk[LEGAL], CHANGES), row(desk[HIDDEN], 0))
        multiply(v, second_layer(v), desk[HIDDEN], desk[INNER])
    write_worth(s, p, v, row(desk[INNER], 0), out)


@rule
def judge_waiting(p, v, desk, level, side, waiting):
    """Judges the moves that wait, in the order in which they came: utilities by index, the best by slot."""
    whole, uses, most, worth = desk[LEGAL], row(desk[USES], level), row(desk[USES], MOST), row(desk[NUMBERS], WORTH)
    if v[KIND] == NETWORK and waiting:
        multiply(v, second_layer(v), desk[HIDDEN], desk[INNER])
    for i in range(waiting):
        write_worth(row(desk[ROWS], AFTER + i), p, v, row(desk[INNER], i), worth)
        slot, k = whole[SLOT, i], whole[INDEX, i]
        uses[k] = utility(p, v, worth, side)
        if k == 0 or uses[k] > most[slot]:
            most[slot] = uses[k]
            whole[CHOSEN, slot] = k
            whole[REPLY, slot] = whole[ACTION, i]
            copy_worth(worth, row(desk[NUMBERS], BEST_OF + slot))


@rule
def line_up(s, p, v, desk, level, slot, waiting):
    """Lets every move of the open decision `s` wait to be judged, and judges whenever a block is full.

    Returns the number of moves and of those that still wait. CARD_PART must be that of `s`.
    """
    legal, whole, start = row(desk[LEGAL], level), desk[LEGAL], row(desk[NUMBERS], START)
    side = s[MOVER] % num_sides(p)
    n = legal_actions(s, p, legal)
    is_started = False
    for k in range(n):
        after = row(desk[ROWS], AFTER + waiting)
        play_on_copy(s, p, legal[k], after)
        if v[KIND] == NETWORK and not after[OVER]:
            if not is_started:  # whose turn is next, no move of a decision changes
                write_start(s, p, v, desk, after[MOVER])
                is_started = True
            write_hidden(s, after, p, v, start, row(whole, CHANGES), row(desk[HIDDEN], waiting))
        whole[SLOT, waiting] = slot
        whole[INDEX, waiting] = k
        whole[ACTION, waiting] = legal[k]
        waiting += 1
        if waiting == BLOCK:
            judge_waiting(p, v, desk, level, side, waiting)
            waiting = 0
    return n, waiting


@rule
def judge(s, p, v, desk, level, best):
    """The action of the open decision `s` after which the model likes it best, its worth into `best`.

    Returns its index and the number of actions, which stand in the desk's row `level` with their utilities.
    """
    begin_position(s, p, v, desk)
    n, waiting = line_up(s, p, v, desk, level, 0, 0)
    judge_waiting(p, v, desk, level, s[MOVER] % num_sides(p), waiting)
    copy_worth(row(desk[NUMBERS], BEST_OF), best)
    return desk[LEGAL][CHOSEN, 0], n


@rule
def reply_to_each(s, p, v, desk):
    """Level 0 for every card that may come in `s`, before a draw: REPLY and BEST_OF by card.

    The desk's row BEFORE becomes `s` with a pile to draw from: whoever asks weighs by its counts.
    """
    before, drawn = row(desk[ROWS], BEFORE), row(desk[ROWS], DRAWN)
    pile, part = row(desk[NUMBERS], PILE_ROWS), row(desk[NUMBERS], CARD_PART)
    copy_row(s, p, before)
    reshuffle_if_empty(before, p)
    forget_still(desk)
    if v[KIND] == NETWORK:
        write_pile(before, p, v, pile)
    waiting = 0
    for card in range(NUM_CARDS):
        if before[PILE + card] > 0:
            copy_row(before, p, drawn)
            receive(drawn, p, card)
            if v[KIND] == NETWORK:
                write_drawn(drawn, p, v, pile, row(desk[NUMBERS], CARDS), part)
            _, waiting = line_up(drawn, p, v, desk, 0, card, waiting)
    judge_waiting(p, v, desk, 0, s[MOVER] % num_sides(p), waiting)


@rule
def write_mean(p, desk, mean):
    """What a position before a draw is worth: the mean of BEST_OF after `reply_to_each`."""
    before = row(desk[ROWS], BEFORE)
    for i in range(MOST_OUTPUTS):
        mean[i] = 0
    for card in range(NUM_CARDS):
        if before[PILE + card] > 0:
            add_worth(row(desk[NUMBERS], BEST_OF + card), before[PILE + card] / before[LEFT], mean)


@rule
def average_by_model(s, p, v, desk, level, breadth, mean):
    """Worth of the position `s` before a draw: the mean over its cards of what the model's best reply leads to."""
    reply_to_each(s, p, v, desk)
    write_mean(p, desk, mean)


@rule
def reply_by_model(s, p, v, desk, level, breadth, best):
    """Level 0: the action that `judge` likes best."""
    chosen, _ = judge(s, p, v, desk, level, best)
    return desk[LEGAL][level, chosen]


def _averaging(reply: Any) -> Any:
    @rule
    def average(s, p, v, desk, level, breadth, mean):
        """Worth of the position `s` before a draw: the mean over its cards of what the best reply leads to."""
        before, drawn = row(desk[ROWS], BEFORE + level), row(desk[ROWS], DRAWN + level)
        best = row(desk[NUMBERS], BEST + level)
        for i in range(MOST_OUTPUTS):
            mean[i] = 0
        copy_row(s, p, before)
        reshuffle_if_empty(before, p)
        for card in range(NUM_CARDS):
            if before[PILE + card] > 0:
                copy_row(before, p, drawn)
                receive(drawn, p, card)
                reply(drawn, p, v, desk, level, breadth, best)
                add_worth(best, before[PILE + card] / before[LEFT], mean)

    return average


def refining(average: Any) -> Any:
    """The rule that chooses by `average`, of a level below."""

    @rule
    def reply(s, p, v, desk, level, breadth, best):
        """The action whose average is best, of the `breadth` ones that the model likes best; its worth into `best`."""
        legal, uses, moved = row(desk[LEGAL], level), row(desk[USES], level), row(desk[ROWS], MOVED + level)
        worth = row(desk[NUMBERS], MEAN + level)
        side = s[MOVER] % num_sides(p)
        chosen, n = judge(s, p, v, desk, level, best)
        most = -np.inf
        for _ in range(min(n, breadth)):
            k = 0
            for other in range(1, n):
                k = other if uses[other] > uses[k] else k
            uses[k] = -np.inf
            play_on_copy(s, p, legal[k], moved)
            if moved[OVER]:
                write_outcome(moved, p, v, worth)
            else:
                average(moved, p, v, desk, level - 1, breadth, worth)
            use = utility(p, v, worth, side)
            if use > most:
                most = use
                chosen = k
                copy_worth(worth, best)
        return legal[chosen]

    return reply


reply_by_one: Final = refining(average_by_model)
average_by_one: Final = _averaging(reply_by_one)
reply_by_two: Final = refining(average_by_one)


def _choosing(reply: Any, level: int) -> Any:
    @rule
    def choose(S, p, v, breadth, actions, worths):
        """For each open decision the action by `reply`, and its worth to each side."""
        q, m = row(p, 0), row(v, 0)
        desk = new_desk(q, m)
        for e in range(len(S)):
            actions[e] = reply(row(S, e), q, m, desk, level, breadth, row(worths, e))
        keep(desk)

    return choose


choose_by_model: Final = _choosing(reply_by_model, 0)
choose_by_one: Final = _choosing(reply_by_one, 1)
choose_by_two: Final = _choosing(reply_by_two, 2)


@kernel
def choose(S, p, v, breadth, actions, worths):
    """For each open decision the action that the model likes best: int64 (B,); its worth by side: float32 (B, 8)."""
    choose_by_model(S, p, v, breadth, actions, worths)


@kernel
def choose_deep(S, p, v, breadth, actions, worths):
    """The same by one exact average, of the `breadth` actions that the model likes best. The draw game's only."""
    choose_by_one(S, p, v, breadth, actions, worths)


@kernel
def choose_deeper(S, p, v, breadth, actions, worths):
    """The same by two averages, one within the other."""
    choose_by_two(S, p, v, breadth, actions, worths)


@kernel
def inputs(rows, p, places, cards):
    """Inputs of positions before a draw, rows int16 (N, W): which pawns and seat make 1, int32 (N, P K) or one more
    (`valuing.num_places`), and the cards', float32 (N, C).
    """
    for e in range(len(rows)):
        s, q = row(rows, e), row(p, 0)
        write_places(s, q, s[MOVER], row(places, e))
        write_cards(s, q, row(cards, e), 0)


@kernel
def worths(rows, p, v, out):
    """What positions before a draw, rows int16 (N, W), are worth by side: float32 (N, 8)."""
    q, m = row(p, 0), row(v, 0)
    desk = new_desk(q, m)
    for e in range(len(rows)):
        write_own_worth(row(rows, e), q, m, desk, row(out, e))
    keep(desk)


@kernel
def average_worth(S, p, v, worths):
    """What positions before a draw are worth by one average: float32 (B, 8). The draw game's only."""
    q, m = row(p, 0), row(v, 0)
    desk = new_desk(q, m)
    for e in range(len(S)):
        average_by_model(row(S, e), q, m, desk, 0, 0, row(worths, e))
    keep(desk)


@kernel
def add_luck(S, p, v, luck):
    """Adds to luck float64 (B, O) what the drawn card of each open decision is worth more than the draw was.

    That is the best reply's worth less its mean over all cards that could have come, so it has mean 0 whatever the
    model: a control variate. The draw game's only.
    """
    q, m = row(p, 0), row(v, 0)
    desk = new_desk(q, m)
    put_back = np.empty((1, S.shape[1]), np.int16)
    averages = np.empty((1, MOST_OUTPUTS), np.float32)
    before, mean = row(put_back, 0), row(averages, 0)
    for e in range(len(S)):
        s = row(S, e)
        copy_row(s, q, before)
        if not q[REPLACEMENT]:
            before[PILE + s[CARD]] += 1
            before[LEFT] += 1
        before[CARD] = AWAITING
        reply_to_each(before, q, m, desk)
        write_mean(q, desk, mean)
        got = row(desk[NUMBERS], BEST_OF + s[CARD])
        for i in range(luck.shape[1]):
            luck[e, i] += got[i] - mean[i]
    keep(desk)
    keep(put_back)
    keep(averages)
