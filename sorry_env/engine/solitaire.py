"""How soon a lone pawn is Home, and how likely a pawn's next card strikes a square: what `solitaire` plays by.

Plain NumPy over progress (`board.py`), by which every colour's board is the same. Each card comes with the odds of the
whole deck: nothing here knows what is left of it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from sorry_env.actions import SORRY_FORWARD
from sorry_env.board import CIRCLE, ENTRANCE, HOME, RING, SLIDES_BY_OPTION, START
from sorry_env.cards import BACKWARD, CARDS, FORWARD, NUM_CARDS, SORRY, TWO
from sorry_env.engine.parameters import NUM_PLACES
from sorry_env.rules import Rules

PRECISION: Final = 1e-10  # turns


@lru_cache(maxsize=64)
def turns_to_home(rules: Rules) -> np.ndarray:
    """Expected own turns until a lone pawn, played so as to be Home soonest, is there.

    Value iteration: turns[place] = 1 - (odds of a 2, where it draws again) + sum over cards of odds * least
    turns[next]. A card that has a use must be used (RULES 3.4). In the hand game, too, a turn is one card off the deck.

    Returns:
        float64 (67,), read-only, by progress: Start first; Home, where it is 0, last.
    """
    odds = card_odds(rules)
    ways = np.tile(np.arange(NUM_PLACES), (2, NUM_CARDS, 1))  # no card has more than two; a pawn without any stays
    for card in range(NUM_CARDS):
        for place in range(HOME):
            rests = lone_moves(rules, place, card)
            if rests:
                ways[:, card, place] = rests[0], rests[-1]
    cost = np.full(NUM_PLACES, 1 - odds[TWO] * rules.two_draws_again)
    cost[HOME] = 0
    turns, change = np.zeros(NUM_PLACES), np.inf
    while change > PRECISION:
        before = turns
        turns = cost + odds @ before[ways].min(axis=0)
        change = np.abs(turns - before).max()
    turns.flags.writeable = False
    return turns


def lone_moves(rules: Rules, place: int, card: int) -> list[int]:
    """Where a pawn that is alone on the board may rest after a card; empty where the card has no use.

    Sorry! finds no target, an 11 no pawn to exchange with and a 7 none to share with. Only where no card starts a pawn,
    so that a bumped one waits for a Sorry!, is that taken for a start.
    """
    if place == START:
        starts = CARDS[card] in rules.start_cards or (card == SORRY and not rules.start_cards)
        return [CIRCLE] if starts else []
    return [_rest(rules, target) for target in _targets(rules, place, card)]


def strike_odds(rules: Rules) -> np.ndarray:
    """Odds that a pawn's next card takes it onto a square or, on its slide, over it (RULES 4.1 to 4.3).

    From Start a card that starts a pawn strikes the circle and Sorry! the whole ring (RULES 3.10). Splits of a 7 and
    what slides after a Sorry! are left out.

    Returns:
        float64 (67, 67): place of the striking pawn, then the struck square of the ring, both by its own progress.
    """
    odds, strikes = card_odds(rules), np.zeros((NUM_PLACES, NUM_PLACES))
    slides = SLIDES_BY_OPTION[rules.slide_on]
    for card in range(NUM_CARDS):
        for place in range(START + 1, HOME):
            for target in _targets(rules, place, card):
                if target <= ENTRANCE:
                    span = np.arange(target, target + slides.get(target, 0) + 1)
                    strikes[place, (span - 1) % RING + 1] += odds[card]
        strikes[START, CIRCLE] += odds[card] * (CARDS[card] in rules.start_cards)
    strikes[START, 1 : ENTRANCE + 1] += odds[SORRY]
    return strikes


def card_odds(rules: Rules) -> np.ndarray:
    """float64 (11,): the odds of each card kind by the whole deck."""
    counts = np.array(rules.deck_counts, np.float64)
    return counts / counts.sum()


def _targets(rules: Rules, place: int, card: int) -> list[int]:
    """Progress that a pawn on ring or zone reaches by the card's counts, before any slide (RULES 3.6, 4.5)."""
    forward = FORWARD[card] or (SORRY_FORWARD if card == SORRY and rules.x_forward4 else 0)
    counted = [place + steps for steps in (forward, -BACKWARD[card]) if steps]
    return [target if target > START else target + RING for target in counted if target <= HOME]


def _rest(rules: Rules, target: int) -> int:
    """Progress where a pawn rests that reached `target` by count (RULES 4.2)."""
    end = target + SLIDES_BY_OPTION[rules.slide_on].get(target, 0)
    return end - RING if target <= ENTRANCE < end else end
