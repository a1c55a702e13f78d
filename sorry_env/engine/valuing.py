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

from sorry_env.actions import SEATS
from sorry_env.cards import NUM_CARDS
from sorry_env.engine.choosing import standing
from sorry_env.engine.dealing import count_hidden
from sorry_env.engine.encoding import write_points
from sorry_env.engine.parameters import (
    AGAIN,
    CARD,
    DECK,
    DECK_SIZE,
    HAND_SIZE,
    HANDS,
    LEFT,
    MOVER,
    NUM_PAWNS,
    NUM_PLACES,
    OVER,
    OWN_SEATS,
    PAWNS,
    PILE,
    PLAYERS,
    REPLACEMENT,
    SEEN_STRIDE,
    TEAMS,
    TURN,
    UNKNOWN,
)
from sorry_env.engine.rows import rule
from sorry_env.engine.weights import KIND

# The head of a network's row; its layers follow.
INPUTS: Final = 1  # I
WIDE: Final = 2  # H, width of the first hidden layer
NARROW: Final = 3  # J, width of the second
OUTPUTS: Final = 4  # O: chances of the sides to win, then, where the rules count points, their points
COLUMNS: Final = 5  # C, the second layer's width with its padding (`layers.padded`)
LAYERS: Final = 8  # I x H, H biases; H x C, C biases; O x J, O biases

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
def first_card_input(p):
    """The input after those of the pawns and of the viewer's seat."""
    return p[PLAYERS] * p[SEEN_STRIDE] + p[OWN_SEATS]


@rule
def num_places(p):
    """How many inputs are 1 that no card takes part in: one a pawn; one more where the viewer's seat is an input."""
    return p[PLAYERS] * p[NUM_PAWNS] + (1 if p[OWN_SEATS] else 0)


@rule
def write_card_part(s, p, v, cards, out):
    """The part of the first layer that is cards; work in `cards`."""
    hidden, inputs = int(v[WIDE]), int(v[INPUTS])
    first = first_card_input(p)
    write_cards(s, p, cards, 0)
    for h in range(hidden):
        out[h] = 0
    for k in range(inputs - first):
        add_scaled(v, LAYERS + hidden * (first + k), cards[k], hidden, out)


@rule
def write_pile(s, p, v, out):
    """What `write_drawn` starts from: the rows of the pile's cards, each as often as it is there. The draw game's."""
    hidden = int(v[WIDE])
    first = first_card_input(p)
    for h in range(hidden):
        out[h] = 0
    for card in range(NUM_CARDS):
        add_scaled(v, LAYERS + hidden * (first + card), np.float32(s[PILE + card]), hidden, out)


@rule
def write_drawn(s, p, v, pile, cards, out):
    """The part of the first layer that is cards once s[CARD] was drawn; `pile` by `write_pile` before the draw."""
    hidden = int(v[WIDE])
    if s[LEFT] == 0:  # then the odds are the whole deck's
        write_card_part(s, p, v, cards, out)
        return
    first = LAYERS + hidden * first_card_input(p)
    gone, size = first + hidden * s[CARD], first + hidden * NUM_CARDS
    taken = ZERO if p[REPLACEMENT] else ONE
    share, full = np.float32(1 / s[LEFT]), np.float32(s[LEFT] / p[DECK_SIZE])
    for h in range(hidden):
        out[h] = (pile[h] - taken * v[gone + h]) * share + full * v[size + h]


@rule
def write_places(s, p, viewer, out):
    """Which inputs the pawns make 1, the board turned to the seat `viewer`, and last the viewer's own: `num_places`."""
    first = 0
    for away in range(p[PLAYERS]):
        seat = (viewer + away) % p[PLAYERS]
        for slot in range(p[NUM_PAWNS]):
            place = p[p[TURN + SEATS * viewer + seat] + NUM_PLACES * slot + s[PAWNS + SEATS * seat + slot]]
            out[p[NUM_PAWNS] * away + slot] = first + place
        first += p[SEEN_STRIDE]
    if p[OWN_SEATS]:
        out[p[PLAYERS] * p[NUM_PAWNS]] = first + viewer


@rule
def write_still(s, p, v, viewer, places, out):
    """The part of the first layer that no card takes part in: bias and pawns, seen by `viewer`; work in `places`."""
    hidden = int(v[WIDE])
    write_places(s, p, viewer, places)
    for h in range(hidden):
        out[h] = v[LAYERS + hidden * int(v[INPUTS]) + h]
    for k in range(num_places(p)):
        add_scaled(v, LAYERS + hidden * places[k], ONE, hidden, out)


@rule
def list_changes(s, after, p, changes):
    """Which inputs pawns have left and come to from `s` to `after`, seen by who decides then: pairs in `changes`.

    Returns their number; behind them stand two pairs that change nothing.
    """
    count, first = 0, 0
    viewer = after[MOVER]
    for away in range(p[PLAYERS]):
        seat = viewer + away
        seat -= p[PLAYERS] if seat >= p[PLAYERS] else 0
        places = p[TURN + SEATS * viewer + seat]
        for pawn in range(PAWNS + SEATS * seat, PAWNS + SEATS * seat + p[NUM_PAWNS]):
            if s[pawn] != after[pawn]:
                changes[2 * count] = first + p[places + s[pawn]]
                changes[2 * count + 1] = first + p[places + after[pawn]]
                count += 1
            places += NUM_PLACES
        first += p[SEEN_STRIDE]
    for k in range(2 * count, 2 * count + 4):
        changes[k] = 0
    return count


@rule
def write_hidden(s, after, p, v, start, changes, out):
    """The first layer of `after`, seen by who decides then: `start`, that of `s`, and what has changed since."""
    hidden = int(v[WIDE])
    count = list_changes(s, after, p, changes)
    for k in range(0, max(count, 1), 2):  # two changes at a time, in as few passes as can be
        source = start if k == 0 else out
        least = ZERO if k + 2 >= count and not p[HAND_SIZE] else -np.inf
        old, new = LAYERS + hidden * changes[2 * k], LAYERS + hidden * changes[2 * k + 1]
        older, newer = LAYERS + hidden * changes[2 * k + 2], LAYERS + hidden * changes[2 * k + 3]
        for h in range(hidden):
            out[h] = max(source[h] + (v[new + h] - v[old + h]) + (v[newer + h] - v[older + h]), np.float32(least))
    if p[HAND_SIZE]:
        add_hand_changes(s, after, p, v, out)
        for h in range(hidden):
            out[h] = max(out[h], ZERO)


@rule
def add_hand_changes(s, after, p, v, out):
    """The part of `write_hidden` that cards take part in: the own hand of the hand game."""
    hidden = int(v[WIDE])
    first = LAYERS + hidden * (first_card_input(p) + NUM_CARDS + 1)
    hand = HANDS + NUM_CARDS * after[MOVER]
    for card in range(NUM_CARDS):
        if s[hand + card] != after[hand + card]:
            change = np.float32((after[hand + card] - s[hand + card]) / p[HAND_SIZE])
            add_scaled(v, first + hidden * card, change, hidden, out)
    if s[AGAIN] != after[AGAIN]:
        add_scaled(v, first + hidden * NUM_CARDS, np.float32(after[AGAIN] - s[AGAIN]), hidden, out)


# The order of sums is LLVM's to choose.
_SUMS: Final[dict[str, Any]] = {"nogil": True, "error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}


@njit(**_SUMS)
def output(v, at, narrow, inner):
    """A row of the last layer, from v[at] on, times the second layer's ReLU."""
    total = ZERO
    for j in range(narrow):
        total += max(inner[j], ZERO) * v[at + j]
    return total


@rule
def second_layer(v):
    """Where the weights of the second layer begin."""
    return LAYERS + int(v[WIDE]) * (int(v[INPUTS]) + 1)


@rule
def write_outputs(s, p, v, inner, out):
    """The network's outputs by side, from its second layer: chances to win by softmax, points as they are."""
    narrow = int(v[NARROW])
    at = second_layer(v) + int(v[COLUMNS]) * (int(v[WIDE]) + 1)
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
def write_worth(s, p, v, inner, out):
    """What the position `s` before a draw is worth to each side; `inner`: its second layer, of a network."""
    if s[OVER]:
        write_outcome(s, p, v, out)
    elif v[KIND] == NETWORK:
        write_outputs(s, p, v, inner, out)
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
