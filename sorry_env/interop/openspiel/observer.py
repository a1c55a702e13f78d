"""What a seat sees of an OpenSpiel state, as text and as the tensor of `sorry_env.observation`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel

from sorry_env.cards import CARDS
from sorry_env.observation import by_name, num_features, observation_layout
from sorry_env.rules import Rules

if TYPE_CHECKING:
    from sorry_env.interop.openspiel.game import SorryState


class SorryObserver:
    """An observer as OpenSpiel wants it. Other hands, a partner's too, never show.

    Without perfect recall the text is the position as the seat sees it (RULES 8.2, other hands `?`). With perfect
    recall it is all that the seat has seen since the start: every action, in the draw game every card, in the hand game
    the cards that came into the own hand, and that one came where another seat drew.

    Args:
        rules: the rules record.
        iig_obs_type: which information, public and the own private one or only one of the two.
        params: none are known.

    Attributes:
        tensor: float32 (F,); None but for the plain observation (public and own information, no recall).
        dict: views of the tensor by the names of its slices.

    Raises:
        ValueError: parameters, or all seats' private information asked for.
    """

    def __init__(
        self, rules: Rules, iig_obs_type: pyspiel.IIGObservationType | None, params: dict[str, Any] | None
    ) -> None:
        if params:
            raise ValueError(f"observation parameters are not known; given: {params}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("an observer sees one seat's private information; ask it for each seat")
        self.rules = rules
        self._is_public: bool = kind.public_info
        self._is_private = bool(kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER)
        self._recalls: bool = kind.perfect_recall
        self.tensor: np.ndarray | None = None
        self.dict: dict[str, np.ndarray] = {}
        if self._is_public and self._is_private and not self._recalls:
            layout = observation_layout(rules)
            self.tensor = np.zeros(num_features(layout), np.float32)
            self.dict = {name: self.tensor[part] for name, part in by_name(layout).items()}

    def set_from(self, state: SorryState, player: int) -> None:
        """Fills the tensor with what the seat `player` sees."""
        if self.tensor is None:
            return
        self.tensor[:] = state.position.observation(player)
        if state.draws_first:
            self.dict["on_move"][:] = 0

    def string_from(self, state: SorryState, player: int) -> str:
        """What the seat `player` sees, as text."""
        text = self._recalled(state, player) if self._recalls else self._seen(state, player)
        return f"{self.rules.colors[player]} {text}" if self._is_private else text

    def _seen(self, state: SorryState, player: int) -> str:
        position = state.position
        if not self._is_public:
            return ".".join(position.hand(player) or ())
        seen = position.seen_by(player)
        if not self._is_private:
            seen = seen.seen_by((player + 1) % self.rules.players)
        return f"first? {seen}" if state.draws_first else str(seen)

    def _recalled(self, state: SorryState, player: int) -> str:
        """One word an event: `first=R`, `+5` a card, `+?` a card not seen, `R37` an action by its id."""
        words = []
        if state.origin is not None:
            words.append(f"[{state.origin.seen_by(player)}]" if self._is_public else "")
        for kind, seat, number in state.events():
            letter = self.rules.colors[seat]
            if kind == "card":
                is_seen = self._is_private if self.rules.hand_size and seat == player else not self.rules.hand_size
                words.append(f"+{CARDS[number] if is_seen else '?'}")
            elif self._is_public:
                words.append(f"first={letter}" if kind == "first" else f"{letter}{number}")
        return " ".join(words)
