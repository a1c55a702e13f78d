"""Facts of the cards (RULES 3): kinds in the order of RULES 8.1, what each may do by itself, and the decks."""

from __future__ import annotations

from typing import Final

CARDS: Final = ("1", "2", "3", "4", "5", "7", "8", "10", "11", "12", "X")
NUM_CARDS: Final = len(CARDS)
TWO: Final = CARDS.index("2")
SEVEN: Final = CARDS.index("7")
ELEVEN: Final = CARDS.index("11")
SORRY: Final = CARDS.index("X")

FORWARD: Final = tuple(0 if card in ("4", "X") else int(card) for card in CARDS)
BACKWARD: Final = tuple({"4": 4, "10": 1}.get(card, 0) for card in CARDS)

# How many of each kind (RULES 3.1); draws from "replacement" are independent with the 45-card odds.
_CLASSIC: Final = (5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4)
DECKS: Final = {"45": _CLASSIC, "44": (4,) * NUM_CARDS, "55": (5,) * NUM_CARDS, "replacement": _CLASSIC}
