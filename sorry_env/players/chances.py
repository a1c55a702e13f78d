"""Players that know chances to win, not only moves: what may judge positions and games (`sorry_env.analysis`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from sorry_env.players.base import Player
from sorry_env.position import Position


@runtime_checkable
class ChancePlayer(Player, Protocol):
    """A player that can say how likely each side is to win."""

    def win_chances(self, positions: Sequence[Position]) -> np.ndarray:
        """Chances to win of positions that await a card, of the rules that the player is bound to.

        Args:
            positions: N of them, perhaps none; in the hand game, of hands only the mover's is known.

        Returns:
            float64 (N, sides), each row adding up to 1; nothing of it by chance.

        Raises:
            SpecError: this one knows no chances after all, whatever the positions.
        """
        ...


def mean_over_cards(positions: Sequence[Position], replies: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Means over every card that may come, by its odds.

    Args:
        positions: N that await a card.
        replies: what open decisions, rows int16 (M, W), are worth to each side: float64 (M, sides).

    Returns:
        float64 (N, sides).
    """
    outcomes = [position.outcomes() for position in positions]
    drawn = [
        position.with_card(card).row for position, cards in zip(positions, outcomes, strict=True) for card, _ in cards
    ]
    odds = np.array([chance for cards in outcomes for _, chance in cards])
    starts = np.cumsum([0, *map(len, outcomes)])[:-1]
    means: np.ndarray = np.add.reduceat(replies(np.concatenate(drawn)) * odds[:, None], starts)
    return means
