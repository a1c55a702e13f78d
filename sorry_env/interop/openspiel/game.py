"""The game `python_sorry`: `pyspiel.load_game("python_sorry(rules=classic,players=2)")`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyspiel

from sorry_env.actions import decode_action
from sorry_env.cards import CARDS
from sorry_env.errors import IllegalError
from sorry_env.interop.openspiel.observer import SorryObserver
from sorry_env.interop.openspiel.parameters import (
    AS_RULES_SAY,
    MOST_PLIES,
    SHORT_NAME,
    format_rules,
    game_info,
    game_type,
    parse_rules,
)
from sorry_env.notation import format_move
from sorry_env.position import Position
from sorry_env.rules import Rules, rules_from


class SorryGame(pyspiel.Game):
    """Sorry! by any rules, all chance explicit.

    Args:
        params: `rules` (see `parse_rules`) and `players` (0: as the rules say).

    Attributes:
        rules: the rules record.

    Raises:
        RulesError: rules that make no sense.
    """

    rules: Rules

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = params or {}
        rules = parse_rules(params.get("rules", "classic"), params.get("players", AS_RULES_SAY))
        shown = {"rules": format_rules(rules), "players": rules.players}
        super().__init__(game_type(rules.hand_size > 0), game_info(rules), shown)
        self.rules = rules
        self.draws_first = rules.first_player == "random"
        self.opening = Position.opening(rules, 0 if rules.first_player == "random" else rules.first_player)

    def new_initial_state(self, position: Position | str | None = None) -> SorryState:
        """A new game, or one that goes on from a position or its text (RULES 8.2), without a history.

        Raises:
            MalformedError, IllegalError: a position that cannot be read or cannot be, or has an unknown hand.
        """
        if isinstance(position, str):
            position = Position.parse(position, self.rules)
        return SorryState(self, position)

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: dict[str, Any] | None = None
    ) -> SorryObserver:
        """An observer; see `SorryObserver`."""
        return SorryObserver(self.rules, iig_obs_type, params)

    def max_chance_nodes_in_history(self) -> int:
        """The first player, the deal, and a card a ply."""
        return 1 + self.rules.players * self.rules.hand_size + MOST_PLIES


class SorryState(pyspiel.State):
    """One state: a position, or the draw of the first player before it.

    Outcomes of chance are seats (first player) and card kinds in card order. Actions are this package's ids.

    Attributes:
        position: the position, hidden hands included.
        draws_first: whether the first player is still to be drawn.
        origin: the position that the state began from; None for a new game.

    Raises:
        IllegalError: a position of other rules, or with an unknown hand.
    """

    def __init__(self, game: SorryGame, position: Position | None = None) -> None:
        super().__init__(game)
        if position is not None:
            _check_position(position, game.rules)
        self.origin = position
        self.draws_first = position is None and game.draws_first
        self.position = position or game.opening

    def current_player(self) -> int:
        """The seat on move, or OpenSpiel's number for chance or the end."""
        if self.position.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        if self.draws_first or self.position.awaits_card:
            return int(pyspiel.PlayerId.CHANCE)
        return self.position.mover

    def is_terminal(self) -> bool:
        """Whether the game has ended."""
        return self.position.is_over

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes with their exact odds: seats, or card kinds by the counts left."""
        if self.draws_first:
            players = self.position.rules.players
            return [(seat, 1 / players) for seat in range(players)]
        return [(CARDS.index(card), odds) for card, odds in self.position.outcomes()]

    def _apply_action(self, action: int) -> None:
        """Raises IllegalError for an action or outcome that cannot be; the state has then not changed."""
        if self.draws_first:
            if action not in range(self.position.rules.players):
                raise IllegalError(f"first player: {action} is not a seat")
            self.position = Position.opening(self.position.rules, action)
            self.draws_first = False
        elif self.position.awaits_card:
            if action not in range(len(CARDS)):
                raise IllegalError(f"outcome {action} is not the number of a card, 0 to {len(CARDS) - 1}")
            self.position = self.position.with_card(CARDS[action])
        else:
            self.position = self.position.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        """The move's notation (RULES 8.3); of an action that is not legal here, what its id means."""
        rules = self.position.rules
        if player == pyspiel.PlayerId.CHANCE:
            return f"first {rules.colors[action]}" if self.draws_first else f"draw {CARDS[action]}"
        if action in self.position.legal_actions():
            return format_move(self.position.row[0].tolist(), rules, action)
        return decode_action(action, rules.pawns, rules.teams).describe(rules.pawns, rules.teams)

    def returns(self) -> list[float]:
        """The final reward of each seat; all 0 while the game is open."""
        return list(self.position.rewards())

    def __str__(self) -> str:
        return f"first? {self.position}" if self.draws_first else str(self.position)

    def events(self) -> Iterator[tuple[str, int, int]]:
        """All that has happened: (`first`, seat, seat), (`card`, seat that it came to, kind) or (`move`, seat, action).

        In the draw game the seat of a card is of no importance.
        """
        rules = self.position.rules
        is_drawn = self.origin is None and rules.first_player == "random"
        dealt = 0 if self.origin is None else rules.players * rules.hand_size
        seat = (self.origin or self.get_game().opening).mover
        for item in self.full_history():
            if item.player >= 0:
                seat = item.player
                yield "move", seat, item.action
            elif is_drawn:
                is_drawn, seat = False, item.action
                yield "first", seat, seat
            else:
                yield "card", seat, item.action
                if dealt < rules.players * rules.hand_size:
                    dealt += 1
                    seat = (seat + 1) % rules.players

    def resample_from_infostate(self, player: int, probability_sampler: Callable[[], float]) -> SorryState:
        """The position as `player` sees it, the unseen cards dealt anew (RULES 5.6), as a state without a history.

        Its observation equals this state's, its information state begins anew: an ISMCTS bot wants
        `use_observation_string=True`.
        """
        rng = np.random.default_rng([int(probability_sampler() * 2**32) for _ in range(4)])
        return SorryState(self.get_game(), self.position.seen_by(player).deal_unseen(rng))


def _check_position(position: Position, rules: Rules) -> None:
    if position.rules != rules:
        raise IllegalError(f"position: it is of {position.rules.spec()!r}, the game of {rules.spec()!r}")
    if any(position.hand(seat) is None for seat in range(rules.players)):
        raise IllegalError(f"position: a hand of {str(position)!r} is unknown; `Position.deal_unseen` deals it")


def load_game(rules: str | Rules = "classic", players: int | None = None, **options: Any) -> SorryGame:
    """The OpenSpiel game of rules as everywhere else in this package (see `rules_from`). Raises RulesError."""
    record = rules_from(rules, players, **options)
    game: SorryGame = pyspiel.load_game(SHORT_NAME, {"rules": format_rules(record), "players": record.players})
    return game


pyspiel.register_game(game_type(has_hands=True), SorryGame)
