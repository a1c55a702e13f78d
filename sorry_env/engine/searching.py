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

from sorry_env.cards import NUM_CARDS
from sorry_env.engine.dealing import receive, reshuffle_if_empty
from sorry_env.engine.kernels import MOST_ACTIONS
from sorry_env.engine.legal import legal_actions
from sorry_env.engine.parameters import AWAITING, CARD, HAND_SIZE, LEFT, MOVER, OVER, PILE, REPLACEMENT, WIDTH
from sorry_env.engine.playing import copy_row, play_on_copy
from sorry_env.engine.rows import keep, kernel, row, rule
from sorry_env.engine.valuing import (
    MOST_CARD_INPUTS,
    MOST_OUTPUTS,
    NARROW,
    NETWORK,
    WIDE,
    num_sides,
    utility,
    write_base,
    write_inputs,
    write_outcome,
    write_worth,
)
from sorry_env.engine.weights import KIND

LEVELS: Final = 3  # 0: replies judged by the model; each further one: by averages of the level below
# `desk`: what is worked on, a tuple of game rows int16 (., W), of actions int16 (3, 600), of their utilities float32
# (3, 600), and of other numbers float32.
ROWS: Final = 0
LEGAL: Final = 1
USES: Final = 2
NUMBERS: Final = 3
AFTER: Final = 0  # game rows: after a move that is judged; then three a level
BEFORE: Final = 1
DRAWN: Final = 1 + LEVELS
MOVED: Final = 1 + 2 * LEVELS
NUM_ROWS: Final = 1 + 3 * LEVELS
CARDS: Final = 0  # other numbers: four of a network's, what a position is worth, then two a level
BASE: Final = 1
HIDDEN: Final = 2
INNER: Final = 3
WORTH: Final = 4
BEST: Final = 5
MEAN: Final = 5 + LEVELS
NUM_NUMBERS: Final = 5 + 2 * LEVELS


@rule
def new_desk(p, v):
    """Arrays to work in; the kernel that makes them keeps them alive (`rows.keep`)."""
    layers = max(int(v[WIDE]), int(v[NARROW])) if v[KIND] == NETWORK else 0
    width = max(layers, MOST_OUTPUTS, MOST_CARD_INPUTS)
    return (
        np.empty((NUM_ROWS, p[WIDTH]), np.int16),
        np.empty((LEVELS, MOST_ACTIONS), np.int16),
        np.empty((LEVELS, MOST_ACTIONS), np.float32),
        np.empty((NUM_NUMBERS, width), np.float32),
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
def write_own_worth(s, p, v, desk, out):
    """What the model gives for the position `s` before a draw."""
    base = row(desk[NUMBERS], BASE)
    write_base(s, p, v, row(desk[NUMBERS], CARDS), base)
    write_worth(s, p, v, base, row(desk[NUMBERS], HIDDEN), row(desk[NUMBERS], INNER), out)


@rule
def judge(s, p, v, desk, level, best):
    """The action of the open decision `s` after which the model likes it best, its worth into `best`.

    Returns its index and the number of actions, which stand in the desk's row `level` with their utilities.
    """
    legal, uses, after = row(desk[LEGAL], level), row(desk[USES], level), row(desk[ROWS], AFTER)
    cards, base = row(desk[NUMBERS], CARDS), row(desk[NUMBERS], BASE)
    hidden, inner, worth = row(desk[NUMBERS], HIDDEN), row(desk[NUMBERS], INNER), row(desk[NUMBERS], WORTH)
    side = s[MOVER] % num_sides(p)
    n = legal_actions(s, p, legal)
    chosen = 0
    if not p[HAND_SIZE]:
        write_base(s, p, v, cards, base)
    for k in range(n):
        play_on_copy(s, p, legal[k], after)
        if p[HAND_SIZE]:
            write_base(after, p, v, cards, base)  # the hand has changed
        write_worth(after, p, v, base, hidden, inner, worth)
        uses[k] = utility(p, v, worth, side)
        if k == 0 or uses[k] > uses[chosen]:
            chosen = k
            copy_worth(worth, best)
    return chosen, n


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


average_by_model: Final = _averaging(reply_by_model)
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
def inputs(rows, p, out):
    """Inputs float32 (N, I) of positions before a draw, rows int16 (N, W)."""
    for e in range(len(rows)):
        write_inputs(row(rows, e), row(p, 0), row(out, e))


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
    found = np.empty((2, MOST_OUTPUTS), np.float32)
    before, got, mean = row(put_back, 0), row(found, 0), row(found, 1)
    for e in range(len(S)):
        s = row(S, e)
        copy_row(s, q, before)
        if not q[REPLACEMENT]:
            before[PILE + s[CARD]] += 1
            before[LEFT] += 1
        before[CARD] = AWAITING
        average_by_model(before, q, m, desk, 0, 0, mean)
        reply_by_model(s, q, m, desk, 0, 0, got)
        for i in range(luck.shape[1]):
            luck[e, i] += got[i] - mean[i]
    keep(desk)
    keep(put_back)
    keep(found)
