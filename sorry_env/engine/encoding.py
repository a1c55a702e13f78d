"""Observation, state and scores of a row (layouts: `observation.py`; RULES 5.7)."""

# mypy: disable-error-code="no-untyped-def"
# Rows are lists, arrays or pointers: what they are is numba's to infer.

from __future__ import annotations

from sorry_env.actions import MAX_PAWNS, SEATS
from sorry_env.board import HOME
from sorry_env.cards import NUM_CARDS
from sorry_env.engine.dealing import count_hidden
from sorry_env.engine.parameters import (
    CARD,
    HAND_SIZE,
    HANDS,
    LEFT,
    MOVER,
    NUM_FEATURES,
    NUM_PAWNS,
    NUM_PLACES,
    NUM_STATE_FEATURES,
    OVER,
    OWN_SEATS,
    PAWNS,
    PILE,
    PLAYERS,
    SEEN_CARD,
    SEEN_HAND,
    SEEN_ON_MOVE,
    SEEN_OVER,
    SEEN_OWN_SEAT,
    SEEN_PILE_SIZE,
    SEEN_STRIDE,
    SEEN_UNSEEN,
    STATE_HANDS,
    STATE_ON_MOVE,
    STATE_OVER,
    STATE_PILE,
    STATE_PILE_SIZE,
    TEAMS,
    TURN,
    UNKNOWN,
)
from sorry_env.engine.rows import rule


@rule
def write_pawns(s, p, observer, out):
    """Pawn slices of every seat, clockwise from the observer, on the board turned to him."""
    at = 0
    pawns = p[NUM_PAWNS]
    for away in range(p[PLAYERS]):
        seat = observer + away
        seat -= p[PLAYERS] if seat >= p[PLAYERS] else 0
        places = p[TURN + SEATS * observer + seat]
        base = PAWNS + SEATS * seat
        for slot in range(MAX_PAWNS):
            if slot < pawns:
                out[at + p[places + NUM_PLACES * slot + s[base + slot]]] = 1
        at += p[SEEN_STRIDE]


@rule
def has_hand(s, p, seat):
    """Whether the cards of this seat are known to the row."""
    return p[HAND_SIZE] > 0 and s[HANDS + NUM_CARDS * seat] != UNKNOWN


@rule
def hide_hand(s, hand):
    """Makes the hand whose counts begin at s[hand] unknown, its cards counted with the pile."""
    if s[hand] == UNKNOWN:
        return
    for card in range(NUM_CARDS):
        s[PILE + card] += s[hand + card]
        s[LEFT] += s[hand + card]
        s[hand + card] = 0
    s[hand] = UNKNOWN


@rule
def write_hands(s, p, seat, out, units):
    """The own hand; others' cards count as unseen."""
    for other in range(p[PLAYERS]):
        if s[HANDS + NUM_CARDS * other] != UNKNOWN:
            at = p[SEEN_HAND] if other == seat else p[SEEN_UNSEEN]
            for card in range(NUM_CARDS):
                out[at + card] += s[HANDS + NUM_CARDS * other + card] * units[0]


@rule
def write_observation(s, p, seat, out, units):
    """What `seat` may know, into NUM_FEATURES features; units[0] and units[1] scale card counts and the pile's size."""
    for k in range(p[NUM_FEATURES]):
        out[k] = 0
    write_pawns(s, p, seat, out)
    if s[CARD] >= 0:
        out[p[SEEN_CARD] + s[CARD]] = 1
    unseen = p[SEEN_UNSEEN]
    unit = units[0]
    for card in range(NUM_CARDS):
        out[unseen + card] = s[PILE + card] * unit
    if p[HAND_SIZE]:
        write_hands(s, p, seat, out, units)
    out[p[SEEN_PILE_SIZE]] = (s[LEFT] - count_hidden(s, p)) * units[1]
    away = s[MOVER] - seat
    out[p[SEEN_ON_MOVE] + (away + p[PLAYERS] if away < 0 else away)] = 1
    out[p[SEEN_OVER]] = s[OVER]
    if p[OWN_SEATS]:
        out[p[SEEN_OWN_SEAT] + seat] = 1


@rule
def write_state(s, p, out, units):
    """Everything, hidden cards included, as seat 0 turns the board, into NUM_STATE_FEATURES features."""
    for k in range(p[NUM_STATE_FEATURES]):
        out[k] = 0
    write_pawns(s, p, 0, out)
    if s[CARD] >= 0:
        out[p[SEEN_CARD] + s[CARD]] = 1
    for card in range(NUM_CARDS):
        out[p[STATE_PILE] + card] = s[PILE + card] * units[0]
        for seat in range(p[PLAYERS]):
            if has_hand(s, p, seat):
                out[p[STATE_HANDS] + NUM_CARDS * seat + card] = s[HANDS + NUM_CARDS * seat + card] * units[0]
    out[p[STATE_PILE_SIZE]] = (s[LEFT] - count_hidden(s, p)) * units[1]
    out[p[STATE_ON_MOVE] + s[MOVER]] = 1
    out[p[STATE_OVER]] = s[OVER]


@rule
def pawns_home(s, p, seat):
    """Number of this seat's pawns that are Home."""
    count = p[NUM_PAWNS] - MAX_PAWNS  # unused slots stand at Home, too
    base = PAWNS + SEATS * seat
    for pawn in range(base, base + MAX_PAWNS):
        if s[pawn] == HOME:
            count += 1
    return count


@rule
def is_same_side(s, p, seat, other):
    """Whether two seats win together."""
    return seat == other or (p[TEAMS] > 0 and (seat + other) % 2 == 0)


@rule
def write_points(s, p, out):
    """Points of every seat by RULES 5.7 (in teams each seat against the two opponents, RULES 7)."""
    for seat in range(p[PLAYERS]):
        points = 5 * pawns_home(s, p, seat)
        if s[OVER] and is_same_side(s, p, seat, s[MOVER]):
            most = 0
            for other in range(p[PLAYERS]):
                if not is_same_side(s, p, seat, other):
                    count = pawns_home(s, p, other)
                    points += 5 * (p[NUM_PAWNS] - count)
                    most = max(most, count)
            if most <= 2:
                points += 100 >> most
        out[seat] = points


@rule
def write_rewards(s, p, by_points, out):
    """Final rewards of every seat, zero-sum; all zero while the game is open.

    By wins: +1 to the winner (each of a winning team), the losers share the same amount. By points: points of RULES 5.7
    less their mean over the seats, in hundreds.
    """
    players = p[PLAYERS]
    for seat in range(players):
        out[seat] = 0
    if not s[OVER]:
        return
    if by_points:
        write_points(s, p, out)
        total = 0
        for seat in range(players):
            total += out[seat]
        for seat in range(players):
            out[seat] = (out[seat] - total / players) / 100
        return
    winners = 2 if p[TEAMS] else 1
    for seat in range(players):
        out[seat] = 1 if is_same_side(s, p, seat, s[MOVER]) else -winners / (players - winners)
