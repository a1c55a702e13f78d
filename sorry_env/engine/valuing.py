"""What positions before a draw are worth to each side: a small network, or the weights of a light player.

A model is one float32 row `v`: a head of a few numbers, then a network's layers or a row of `weights.py`. Inputs are
those of `values.py`, seen by the seat that draws next (in the hand game, where hands are hidden, by who moved):
`s[MOVER]` of a row before the draw. Worth is written by side (a seat, or a team by the seat's parity): chances to win
first, then, of a model that has them, expected points in hundreds.
"""

# mypy: disable-error-code="no-untyped-def"
# Rows are lists, arrays or pointers: what they are is numba's to infer.

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numba import njit

from sorry_env.actions import MAX_PAWNS, SEATS
from sorry_env.cards import NUM_CARDS
from sorry_env.engine.choosing import standing
from sorry_env.engine.dealing import count_hidden
from sorry_env.engine.encoding import write_pawns, write_points
from sorry_env.engine.parameters import (
    AGAIN,
    DECK,
    DECK_SIZE,
    HAND_SIZE,
    HANDS,
    LEFT,
    MOVER,
    NUM_PAWNS,
    NUM_PLACES,
    OVER,
    PAWNS,
    PILE,
    PLAYERS,
    SEEN_STRIDE,
    TEAMS,
    TURN,
    UNKNOWN,
)
from sorry_env.engine.rows import rule
from sorry_env.engine.weights import KIND

# The head of a network's row; its layers follow.
INPUTS: Final = 1  # I
WIDE: Final = 2  # H, width of the first hidden layer, a multiple of 4
NARROW: Final = 3  # J, width of the second
OUTPUTS: Final = 4  # O: chances of the sides to win, then, where the rules count points, their points
LAYERS: Final = 8  # I x H, H biases; H x J, J biases; O x J, O biases

WEIGHTS: Final = 0  # kinds of model
NETWORK: Final = 1
MOST_OUTPUTS: Final = 2 * SEATS
MOST_CARD_INPUTS: Final = 2 * NUM_CARDS + 2
POINTS_UNIT: Final = 100
ZERO: Final = np.float32(0)  # with a plain 0 or 1 Numba would go on in float64
ONE: Final = np.float32(1)
CERTAIN: Final = 1000  # what a won game is worth to a light player: more than any standing


@rule
def num_sides(p):
    """Seats, or teams in the partnership game; `seat % num_sides` is a seat's side."""
    return 2 if p[TEAMS] else p[PLAYERS]


@rule
def add_scaled(v, at, factor, width, out):
    """Adds factor times v[at : at + width] to `out`."""
    for h in range(width):
        out[h] += factor * v[at + h]


@rule
def write_cards(s, p, out, at):
    """The inputs that are cards, from out[at] on: odds of the next card, size of the pile; in the hand game the own
    hand.

    There the odds are of what the viewer has not seen, and the last input is 1 where he decides again.
    """
    if not p[HAND_SIZE]:
        is_empty = s[LEFT] == 0  # then the whole deck is shuffled before the draw
        left = p[DECK_SIZE] if is_empty else s[LEFT]
        share = 1 / left
        for card in range(NUM_CARDS):
            out[at + card] = (p[DECK + card] if is_empty else s[PILE + card]) * share
        out[at + NUM_CARDS] = left / p[DECK_SIZE]
        return
    unseen = s[LEFT]
    for card in range(NUM_CARDS):
        out[at + card] = s[PILE + card]
        out[at + NUM_CARDS + 1 + card] = s[HANDS + NUM_CARDS * s[MOVER] + card] / p[HAND_SIZE]
    for seat in range(p[PLAYERS]):
        hand = HANDS + NUM_CARDS * seat
        if seat != s[MOVER] and s[hand] != UNKNOWN:
            unseen += p[HAND_SIZE]
            for card in range(NUM_CARDS):
                out[at + card] += s[hand + card]
    for card in range(NUM_CARDS):
        out[at + card] /= max(1, unseen)
    out[at + NUM_CARDS] = (s[LEFT] - count_hidden(s, p)) / p[DECK_SIZE]
    out[at + 2 * NUM_CARDS + 1] = s[AGAIN]


@rule
def write_base(s, p, v, cards, base):
    """The part of the first layer that no pawn takes part in: bias and cards. Work in `cards`; `base` is (H,)."""
    if v[KIND] == NETWORK:
        hidden, inputs = int(v[WIDE]), int(v[INPUTS])
        first = p[PLAYERS] * p[SEEN_STRIDE]
        write_cards(s, p, cards, 0)
        for h in range(hidden):
            base[h] = v[LAYERS + hidden * inputs + h]
        for k in range(inputs - first):
            add_scaled(v, LAYERS + hidden * (first + k), cards[k], hidden, base)


@rule
def write_inputs(s, p, out):
    """All inputs of a network as numbers, for training: pawns as the observation's, then cards."""
    cards = p[PLAYERS] * p[SEEN_STRIDE]
    for k in range(cards):
        out[k] = 0
    write_pawns(s, p, s[MOVER], out)
    write_cards(s, p, out, cards)


@rule
def write_hidden(s, p, v, base, out):
    """The first layer before its ReLU: base and the inputs of all pawns, the board turned to the seat s[MOVER]."""
    hidden = int(v[WIDE])
    viewer = s[MOVER]
    for h in range(hidden):
        out[h] = base[h]
    first = 0
    for away in range(p[PLAYERS]):
        seat = viewer + away
        seat -= p[PLAYERS] if seat >= p[PLAYERS] else 0
        places = p[TURN + SEATS * viewer + seat]
        pawns = PAWNS + SEATS * seat
        if p[NUM_PAWNS] == MAX_PAWNS:
            a = LAYERS + hidden * (first + p[places + s[pawns]])
            b = LAYERS + hidden * (first + p[places + NUM_PLACES + s[pawns + 1]])
            c = LAYERS + hidden * (first + p[places + 2 * NUM_PLACES + s[pawns + 2]])
            d = LAYERS + hidden * (first + p[places + 3 * NUM_PLACES + s[pawns + 3]])
            for h in range(hidden):
                out[h] += (v[a + h] + v[b + h]) + (v[c + h] + v[d + h])
        else:
            for slot in range(p[NUM_PAWNS]):
                place = p[places + NUM_PLACES * slot + s[pawns + slot]]
                add_scaled(v, LAYERS + hidden * (first + place), ONE, hidden, out)
        first += p[SEEN_STRIDE]


# The order of sums is LLVM's to choose: a row of the second layer is worth four of its operations.
_SUMS: Final[dict[str, Any]] = {"nogil": True, "error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}


@njit(**_SUMS)
def write_narrow(v, at, wide, narrow, hidden, out):
    """The second layer before its ReLU: bias and weights, from v[at] on, of the first layer's ReLU, four at a time."""
    bias = at + wide * narrow
    for j in range(narrow):
        out[j] = v[bias + j]
    for h in range(0, wide, 4):
        a, b = max(hidden[h], ZERO), max(hidden[h + 1], ZERO)
        c, d = max(hidden[h + 2], ZERO), max(hidden[h + 3], ZERO)
        row = at + narrow * h
        for j in range(narrow):
            out[j] += (a * v[row + j] + b * v[row + narrow + j]) + (
                c * v[row + 2 * narrow + j] + d * v[row + 3 * narrow + j]
            )


@njit(**_SUMS)
def output(v, at, narrow, inner):
    """A row of the last layer, from v[at] on, times the second layer's ReLU."""
    total = ZERO
    for j in range(narrow):
        total += max(inner[j], ZERO) * v[at + j]
    return total


@rule
def write_network(s, p, v, base, hidden, inner, out):
    """The network's outputs by side: chances to win by softmax, points as they are."""
    write_hidden(s, p, v, base, hidden)
    wide, narrow = int(v[WIDE]), int(v[NARROW])
    at = LAYERS + wide * (int(v[INPUTS]) + 1)
    write_narrow(v, at, wide, narrow, hidden, inner)
    at += narrow * (wide + 1)
    bias = at + narrow * int(v[OUTPUTS])
    sides = num_sides(p)
    for k in range(int(v[OUTPUTS])):
        side = (s[MOVER] + k) % sides + (sides if k >= sides else 0)
        out[side] = v[bias + k] + output(v, at + narrow * k, narrow, inner)
    most = out[0]
    for side in range(1, sides):
        most = max(most, out[side])
    total = ZERO
    for side in range(sides):
        out[side] = math.exp(out[side] - most)
        total += out[side]
    for side in range(sides):
        out[side] /= total


@rule
def write_outcome(s, p, v, out):
    """What a finished game is worth to each side."""
    sides = num_sides(p)
    won = s[MOVER] % sides
    if v[KIND] != NETWORK:
        for side in range(sides):
            out[side] = CERTAIN if side == won else -CERTAIN
        return
    if v[OUTPUTS] > sides:
        write_points(s, p, out)  # of each seat, here turned into the sides' means, behind the chances
        seats = p[PLAYERS] // sides
        for side in range(sides):
            total = out[side] + (out[side + sides] if seats == 2 else 0)
            out[sides + side] = total / (seats * POINTS_UNIT)
    for side in range(sides):
        out[side] = 1 if side == won else 0


@rule
def write_worth(s, p, v, base, hidden, inner, out):
    """What the position `s` before a draw is worth to each side; `base` by `write_base`; work in `hidden`, `inner`."""
    if s[OVER]:
        write_outcome(s, p, v, out)
    elif v[KIND] == NETWORK:
        write_network(s, p, v, base, hidden, inner, out)
    else:
        for side in range(num_sides(p)):
            out[side] = -standing(s, p, v, side)


@rule
def utility(p, v, worth, side):
    """What a side plays for: points less their mean where the model tells them, else its chance to win."""
    sides = num_sides(p)
    if v[KIND] != NETWORK or v[OUTPUTS] == sides:
        return worth[side]
    total = 0.0
    for other in range(sides):
        total += worth[sides + other]
    return worth[sides + side] - total / sides
