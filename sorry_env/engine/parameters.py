"""The rules record as one row of integers, so that all rule sets run through the same compiled code.

Also the fields of a game's row. Everything that the engine reads of rules, board and actions is in the parameter row.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from sorry_env.actions import NO_CARD, SEATS, SORRY_FORWARD, Action, Use, action_ids, action_table
from sorry_env.board import CIRCLE, ENTRANCE, HOME, RING, SIDE, SLIDES_BY_OPTION, START, ZONE
from sorry_env.cards import BACKWARD, CARDS, FORWARD, NUM_CARDS, SORRY
from sorry_env.observation import OWN_SEAT, by_name, num_features, observation_layout, state_layout
from sorry_env.rules import Rules

# A game's row, int16. Pawns of a seat are kept sorted by progress, so equal positions are equal rows.
MOVER: Final = 0  # seat on move; of a finished game, who made the last move
CARD: Final = 1  # drawn kind; AWAITING before a draw or refill and when over; IN_HAND when a hand is to be played
OVER: Final = 2  # 1 when the game has ended
LEFT: Final = 3  # cards that PILE counts
AGAIN: Final = 4  # hand game, before the refill: 1 if the same seat decides after it
PILE: Final = 5  # 11 counts: cards left in the draw pile, in unknown hands too
PAWNS: Final = 16  # 4 seats x 4 slots: progress; unused slots of a seat stand at Home
HANDS: Final = 32  # hand game only, 4 seats x 11 counts; a first count of UNKNOWN: a hidden hand of full size
DRAW_WIDTH: Final = HANDS
HAND_WIDTH: Final = HANDS + SEATS * NUM_CARDS

SIDES: Final = RING // SIDE
MOST_ACTIONS: Final = 600  # more than any rules have
NUM_PLACES: Final = HOME + 1  # values of progress
AWAITING: Final = NO_CARD
IN_HAND: Final = -2
UNKNOWN: Final = -1

# The parameter row, int16.
PLAYERS: Final = 0
NUM_PAWNS: Final = 1
TEAMS: Final = 2
HAND_SIZE: Final = 3
REPLACEMENT: Final = 4
TWO_AGAIN: Final = 5
SWAP_PARTNER: Final = 6
WIDTH: Final = 7
NUM_ACTIONS: Final = 8
DECK_SIZE: Final = 9
PAWNS_OUT: Final = 10
PASS_ID: Final = 11
SPLIT_ID: Final = 12
DISCARD_ID: Final = 13
NUM_FEATURES: Final = 14
NUM_STATE_FEATURES: Final = 15
SHIFT: Final = 16  # 4 x 4: add to the second seat's progress to read it as the first seat's, modulo 60
SLIDE: Final = 32  # 67: length of the slide ridden from a progress, else 0
DECK: Final = 99  # 11: cards of the whole deck
STARTS: Final = 110  # 11: 1 if the card starts a pawn
STEPS: Final = 121  # 11 x 2: squares that the card moves one pawn, forward, then backward; no zero before a count
STEP_KINDS: Final = 143  # 11: how many of those two there are
STEP_ID: Final = 154  # 11 x 2: first id of those steps
EXCHANGE_ID: Final = 176  # 8 pawns x 4 seats: first id of its exchanges with that seat's pawns
REPLACE_ID: Final = 208  # 2 sides x 4 seats: the same of Sorry!
SEEN_STRIDE: Final = 216  # first features of the observation's slices: from one seat's pawns to the next seat's
SEEN_CARD: Final = 217
SEEN_HAND: Final = 218
SEEN_UNSEEN: Final = 219
SEEN_PILE_SIZE: Final = 220
SEEN_ON_MOVE: Final = 221
SEEN_OVER: Final = 222
STATE_HANDS: Final = 223  # the state's slices after the card
STATE_PILE: Final = 224
STATE_PILE_SIZE: Final = 225
STATE_ON_MOVE: Final = 226
STATE_OVER: Final = 227
START_ID: Final = 228  # 11: first id of the card's starts
PAWN_SHIFT: Final = 239  # 4 x 16: SHIFT for each pawn of the row
TURN: Final = 303  # 4 x 4: where in PLACES the second seat is read by the first
PLACES: Final = 319  # 4 turns of the board x 4 slots x 67: feature, within its seat's, of a pawn with that progress
SEEN_OWN_SEAT: Final = PLACES + SIDES * SEATS * NUM_PLACES
OWN_SEATS: Final = SEEN_OWN_SEAT + 1  # features that tell the observer's seat: P where seats are uneven, else 0
DECODE: Final = OWN_SEATS + 1  # A x 7: card, use, seat and slot of the pawn, of the second, steps
LEAVES_START: Final = (Use.START, Use.REPLACE)
DECODED: Final = 7  # seats are clockwise from the mover; second: pawn or target; steps of a start: Start to circle


@lru_cache(maxsize=256)
def parameter_row(rules: Rules) -> np.ndarray:
    """The parameters of a rules record: int16 (1, DECODE + 7 A), read-only; fields are this file's constants."""
    table = action_table(rules.pawns, rules.teams)
    p = np.zeros((1, DECODE + DECODED * len(table)), np.int16)
    row = p[0]
    row[PLAYERS], row[NUM_PAWNS], row[TEAMS], row[HAND_SIZE] = rules.players, rules.pawns, rules.teams, rules.hand_size
    row[REPLACEMENT], row[TWO_AGAIN] = rules.deck == "replacement", rules.two_draws_again
    row[SWAP_PARTNER], row[PAWNS_OUT] = rules.swap_partner, rules.pawns_out
    row[WIDTH] = HAND_WIDTH if rules.hand_size else DRAW_WIDTH
    row[DECK_SIZE] = sum(rules.deck_counts)
    _fill_board(row, rules)
    _fill_cards(row, rules)
    _fill_actions(row, rules, table)
    _fill_layout(row, rules)
    p.flags.writeable = False
    return p


def _fill_board(row: np.ndarray, rules: Rules) -> None:
    for seat, color in enumerate(rules.color_ids):
        for other, other_color in enumerate(rules.color_ids):
            turn = (other_color - color) % SIDES
            row[SHIFT + SEATS * seat + other] = SIDE * turn
            first = PAWN_SHIFT + SEATS * (SEATS * seat + other)
            row[first : first + SEATS] = SIDE * turn
            row[TURN + SEATS * seat + other] = PLACES + SEATS * NUM_PLACES * turn
    for triangle, length in SLIDES_BY_OPTION[rules.slide_on].items():
        row[SLIDE + triangle] = length


def _fill_cards(row: np.ndarray, rules: Rules) -> None:
    ids = action_ids(rules.pawns, rules.teams)
    row[DECK : DECK + NUM_CARDS] = rules.deck_counts
    row[STARTS : STARTS + NUM_CARDS] = [card in rules.start_cards for card in CARDS]
    for card in range(NUM_CARDS):
        row[START_ID + card] = ids.get(Action(card, Use.START), 0)
        forward = FORWARD[card] or (SORRY_FORWARD if card == SORRY and rules.x_forward4 else 0)
        kinds = [steps for steps in (forward, -BACKWARD[card]) if steps]
        row[STEP_KINDS + card] = len(kinds)
        for k, steps in enumerate(kinds):
            row[STEPS + 2 * card + k] = steps
            row[STEP_ID + 2 * card + k] = ids[Action(card, Use.STEP, steps=steps)]


def _fill_actions(row: np.ndarray, rules: Rules, table: tuple[Action, ...]) -> None:
    """First ids of each block of uses, and the table itself for decoding."""
    ids = action_ids(rules.pawns, rules.teams)
    row[NUM_ACTIONS] = len(table)
    row[PASS_ID] = ids[Action(NO_CARD, Use.PASS)]
    row[DISCARD_ID] = ids[Action(0, Use.DISCARD)]
    row[SPLIT_ID] = min((i for i, action in enumerate(table) if action.use == Use.SPLIT), default=0)
    for action, index in ids.items():
        if action.second % rules.pawns == 0:
            seat = action.second // rules.pawns
            if action.use == Use.EXCHANGE:
                row[EXCHANGE_ID + SEATS * action.first + seat] = index
            if action.use == Use.REPLACE:
                row[REPLACE_ID + SEATS * action.first + seat] = index
        at = DECODE + DECODED * index
        pawn = divmod(action.first, rules.pawns) if action.use not in LEAVES_START else (action.first, 0)
        second = divmod(action.second, rules.pawns)
        second_seat = 2 * second[0] if action.use == Use.SPLIT else second[0]
        steps = CIRCLE - START if action.use == Use.START else action.steps
        row[at : at + DECODED] = action.card, action.use, 2 * pawn[0], pawn[1], second_seat, second[1], steps


def _fill_layout(row: np.ndarray, rules: Rules) -> None:
    """Where each slice of the observation and of the state begins."""
    seen = observation_layout(rules)
    state = state_layout(rules)
    row[NUM_FEATURES], row[NUM_STATE_FEATURES] = num_features(seen), num_features(state)
    seen_at = {name: part.start for name, part in by_name(seen).items()}
    state_at = {name: part.start for name, part in by_name(state).items()}
    row[SEEN_STRIDE] = seen_at["seat1_start"]
    ring, zone, home = (seen_at[f"seat0_{name}"] for name in ("ring", "zone", "home"))
    for turn in range(SIDES):
        for slot in range(rules.pawns):  # sorted, so the first ones are in Start and the last ones at Home
            place = row[PLACES + NUM_PLACES * (SEATS * turn + slot) :]
            place[START] = slot
            place[1 : ENTRANCE + 1] = ring + (np.arange(RING) + SIDE * turn) % RING
            place[ENTRANCE + 1 : HOME] = zone + np.arange(ZONE)
            place[HOME] = home + rules.pawns - 1 - slot
    if not rules.is_evenly_seated:
        row[SEEN_OWN_SEAT], row[OWN_SEATS] = seen_at[OWN_SEAT], rules.players
    names = ("card", "hand", "unseen", "pile_size", "on_move", "over")
    row[SEEN_CARD : SEEN_CARD + len(names)] = [seen_at[name] for name in names]
    state_names = ("hand0", "pile", "pile_size", "on_move", "over")
    row[STATE_HANDS : STATE_HANDS + len(state_names)] = [state_at[name] for name in state_names]
