"""The action codec: one `Discrete` space per pair (pawns a side, teams or not), told by a table of uses.

An action id names a card kind and a use, relative to the mover: his pawns by slot (furthest from Home first; in the
partnership game the partner's pawns follow), targets by seat clockwise from him and by slot. Draw and hand games share
the space, so that policies carry over. Pawns on one place are one choice: a start names a colour, not a pawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Final

from sorry_env.cards import BACKWARD, CARDS, ELEVEN, FORWARD, NUM_CARDS, SEVEN, SORRY

ACTION_VERSION: Final = 1
SORRY_FORWARD: Final = 4  # x_forward4 of RULES 7
SEATS: Final = 4
MAX_PAWNS: Final = 4
NO_CARD: Final = -1


class Use(IntEnum):
    """What a card is used for. The comment says what `first`, `second` and `steps` of an Action hold."""

    PASS = 0  # nothing
    START = 1  # first: side (0 own colour, 1 partner's)
    STEP = 2  # first: pawn; steps: squares forward, negative backward
    SPLIT = 3  # first, second: pawns in the order played; steps: squares of the first half (the second goes 7 - steps)
    EXCHANGE = 4  # first: pawn that slides; second: target
    REPLACE = 5  # first: side that leaves Start; second: target
    DISCARD = 6  # nothing


@dataclass(frozen=True)
class Action:
    """One row of the action table.

    Attributes:
        card: kind 0..10 in card order; NO_CARD for the pass of the draw game.
        use: what the card does.
        first: pawn (side * pawns + slot) or side, by `use`.
        second: pawn of a split, or target (seats clockwise from the mover * pawns + slot).
        steps: squares, by `use`.
    """

    card: int
    use: Use
    first: int = 0
    second: int = 0
    steps: int = 0

    def describe(self, pawns: int, teams: bool) -> str:
        """What the action means, in a few words."""
        card = "no card" if self.card == NO_CARD else CARDS[self.card]
        side = "partner's" if self.first else "own"
        match self.use:
            case Use.PASS:
                return "pass"
            case Use.DISCARD:
                return f"discard {card}"
            case Use.START:
                return f"{card}: start {side} pawn"
            case Use.REPLACE:
                return f"{card}: {side} pawn from Start replaces {_target_name(self.second, pawns, teams)}"
        own = _pawn_name(self.first, pawns, teams)
        if self.use == Use.STEP:
            return f"{card}: {own} {'forward' if self.steps > 0 else 'backward'} {abs(self.steps)}"
        if self.use == Use.EXCHANGE:
            return f"{card}: exchange {own} with {_target_name(self.second, pawns, teams)}"
        other = _pawn_name(self.second, pawns, teams)
        return f"{card}: {own} forward {self.steps}, then {other} forward {FORWARD[SEVEN] - self.steps}"


def _pawn_name(pawn: int, pawns: int, teams: bool) -> str:
    owner = ("own", "partner's")[pawn // pawns] if teams else "own"
    return f"{owner} pawn {pawn % pawns}"


def _target_name(target: int, pawns: int, teams: bool) -> str:
    seat = target // pawns
    owner = ("own", "next opponent's", "partner's", "last opponent's")[seat] if teams else f"seat +{seat}'s"
    return f"{owner} pawn {target % pawns}"


@lru_cache(maxsize=8)
def action_table(pawns: int, teams: bool) -> tuple[Action, ...]:
    """All actions of one space; the index is the id. Cards in card order, then discards, then the pass."""
    table: list[Action] = []
    for card in range(NUM_CARDS):
        table += _card_actions(card, pawns, teams)
    table += [Action(card, Use.DISCARD) for card in range(NUM_CARDS)]
    return (*table, Action(NO_CARD, Use.PASS))


def _card_actions(card: int, pawns: int, teams: bool) -> list[Action]:
    """Uses of one card: starts, steps, and what only this card does."""
    sides = 2 if teams else 1
    movable = range(sides * pawns)
    forward = SORRY_FORWARD if card == SORRY else FORWARD[card]
    starts = [Action(card, Use.START, side) for side in range(sides) if FORWARD[card]]
    steps = [Action(card, Use.STEP, pawn, steps=forward) for pawn in movable if forward]
    steps += [Action(card, Use.STEP, pawn, steps=-BACKWARD[card]) for pawn in movable if BACKWARD[card]]
    special: list[Action] = []
    if card == SEVEN:
        special = [
            Action(card, Use.SPLIT, first, second, half)
            for first in movable
            for half in range(1, FORWARD[SEVEN])
            for second in movable
            if second != first
        ]
    if card == ELEVEN:
        special = [
            Action(card, Use.EXCHANGE, pawn, target)
            for pawn in movable
            for target in range(SEATS * pawns)
            if _is_other_color(pawn // pawns, target // pawns)
        ]
    if card == SORRY:
        special = [
            Action(card, Use.REPLACE, side, target)
            for side in range(sides)
            for target in range(SEATS * pawns)
            if _is_other_color(side, target // pawns)
        ]
    return starts + steps + special


def _is_other_color(side: int, seat: int) -> bool:
    """Whether the seat `seat` places clockwise from the mover is not the one whose pawn moves (side 1: the partner)."""
    return seat != 2 * side


@lru_cache(maxsize=8)
def action_ids(pawns: int, teams: bool) -> dict[Action, int]:
    """The table inverted: the id of each action."""
    return {action: index for index, action in enumerate(action_table(pawns, teams))}


def num_actions(pawns: int, teams: bool) -> int:
    """Size A of the action space."""
    return len(action_table(pawns, teams))


def decode_action(action: int, pawns: int, teams: bool) -> Action:
    """The action with this id. Raises ValueError outside 0..A-1."""
    table = action_table(pawns, teams)
    if not 0 <= action < len(table):
        raise ValueError(f"action {action} is not in 0..{len(table) - 1}")
    return table[action]


def encode_action(action: Action, pawns: int, teams: bool) -> int:
    """The id of an action. Raises ValueError where the space has no such action."""
    try:
        return action_ids(pawns, teams)[action]
    except KeyError:
        raise ValueError(f"{action} is not an action of {pawns} pawns a side{' in teams' if teams else ''}") from None
