"""Cards (RULES 3.2, 3.3, 5.2): set-up, draws by the counts left, refills. The order of a pile exists nowhere."""

# mypy: disable-error-code="no-untyped-def"
# Rows are lists, arrays or pointers: what they are is numba's to infer.

from __future__ import annotations

from sorry_env.actions import MAX_PAWNS, SEATS
from sorry_env.board import CIRCLE, HOME, START
from sorry_env.cards import NUM_CARDS
from sorry_env.engine.landing import clockwise
from sorry_env.engine.parameters import (
    AGAIN,
    AWAITING,
    CARD,
    DECK,
    HAND_SIZE,
    HANDS,
    IN_HAND,
    LEFT,
    MOVER,
    NUM_PAWNS,
    PAWNS,
    PAWNS_OUT,
    PILE,
    PLAYERS,
    REPLACEMENT,
    UNKNOWN,
    WIDTH,
)
from sorry_env.engine.rows import CARD_STREAM, below, once, rule


@rule
def count_hidden(s, p):
    """Cards in unknown hands, which PILE counts too (RULES 8.2)."""
    hidden = 0
    if p[HAND_SIZE]:
        for seat in range(p[PLAYERS]):
            if s[HANDS + NUM_CARDS * seat] == UNKNOWN:
                hidden += p[HAND_SIZE]
    return hidden


@rule
def reshuffle_if_empty(s, p):
    """With an empty draw pile the discards are its new cards; cards in hands stay there (RULES 3.2)."""
    if s[LEFT] > count_hidden(s, p):
        return
    s[LEFT] = 0
    for card in range(NUM_CARDS):
        count = p[DECK + card]
        if p[HAND_SIZE]:
            for seat in range(p[PLAYERS]):
                if s[HANDS + NUM_CARDS * seat] != UNKNOWN:
                    count -= s[HANDS + NUM_CARDS * seat + card]
        s[PILE + card] = count
        s[LEFT] += count


@rule
def sample_card(s, p, r):
    """A card kind by the counts left, from exactly one number of the card stream. Wants a pile that is not empty."""
    rest = below(r, CARD_STREAM, s[LEFT])
    card = 0
    passed = 0
    for kind in range(NUM_CARDS - 1):  # without a branch: which card comes cannot be predicted
        passed += s[PILE + kind]
        card += 1 if rest >= passed else 0
    return card


@rule
def take_from_pile(s, p, card):
    """One card of this kind leaves the draw pile (never in the replacement game)."""
    if not p[REPLACEMENT]:
        s[PILE + card] -= 1
        s[LEFT] -= 1


@once
def receive(s, p, card):
    """The awaited card comes: drawn, or into the hand, after which the next seat decides (RULES 5.2, 5.5)."""
    take_from_pile(s, p, card)
    if p[HAND_SIZE]:
        s[HANDS + NUM_CARDS * s[MOVER] + card] += 1
        if s[AGAIN]:
            s[AGAIN] = 0
        else:
            s[MOVER] = clockwise(s, p, 1)
        s[CARD] = IN_HAND
    else:
        s[CARD] = card


@once
def draw(s, p, r):
    """Draws the awaited card from the stream."""
    reshuffle_if_empty(s, p)
    receive(s, p, sample_card(s, p, r))


@rule
def set_up(s, p, r, first):
    """A new game (RULES 2, 5.1): hands dealt, in the draw game the first card still to come.

    `first` is the seat that begins; negative, it is drawn. One number of the stream goes to it either way, so that a
    seed's n-th card is the same card whoever begins.
    """
    for k in range(p[WIDTH]):
        s[k] = 0
    drawn = below(r, CARD_STREAM, p[PLAYERS])
    s[MOVER] = drawn if first < 0 else first
    for k in range(PAWNS, PAWNS + SEATS * MAX_PAWNS):
        s[k] = HOME  # where unused slots stand
    for seat in range(p[PLAYERS]):
        base = PAWNS + SEATS * seat
        for pawn in range(base, base + p[NUM_PAWNS]):
            s[pawn] = START
        if p[PAWNS_OUT]:
            s[base + p[NUM_PAWNS] - 1] = CIRCLE
    for card in range(NUM_CARDS):
        s[PILE + card] = p[DECK + card]
        s[LEFT] += p[DECK + card]
    s[CARD] = AWAITING
    if p[HAND_SIZE]:
        for seat in range(p[PLAYERS]):
            for _ in range(p[HAND_SIZE]):
                card = sample_card(s, p, r)
                take_from_pile(s, p, card)
                s[HANDS + NUM_CARDS * seat + card] += 1
        s[CARD] = IN_HAND
