"""One position of a game as a value: immutable, hashable, with its text, its legal moves and its chances."""

from __future__ import annotations

from typing import Any

import numpy as np

from sorry_env.actions import SEATS, num_actions
from sorry_env.board import format_location
from sorry_env.cards import CARDS, NUM_CARDS
from sorry_env.engine import kernels
from sorry_env.engine.parameters import (
    AGAIN,
    AWAITING,
    CARD,
    HANDS,
    LEFT,
    MOST_ACTIONS,
    MOVER,
    NUM_FEATURES,
    OVER,
    PILE,
    UNKNOWN,
    WIDTH,
    parameter_row,
)
from sorry_env.engine.rows import stream_rows
from sorry_env.errors import IllegalError, SorryError
from sorry_env.notation import format_move, format_pawns, format_position, parse_move, parse_position, pawn_places
from sorry_env.observation import float_units
from sorry_env.rules import Rules, rules_from


class Position:
    """Pawns, mover, card or hands, and what is left in the draw pile: all that decides how a game goes on.

    Two positions are equal where their texts (RULES 8.2) are. The order of the draw pile exists nowhere.

    Args:
        rules: the rules record.
        row: int16 (1, W) game row, copied.
    """

    __slots__ = ("_row", "rules")

    def __init__(self, rules: Rules, row: np.ndarray) -> None:
        self.rules = rules
        self._row = row.copy()
        self._row.flags.writeable = False

    @classmethod
    def parse(cls, text: str, rules: str | Rules = "classic", **options: Any) -> Position:
        """The position of a text by RULES 8.2. Raises MalformedError or IllegalError, and RulesError for the rules."""
        record = rules_from(rules, **options)
        return cls(record, parse_position(text, record))

    @classmethod
    def opening(cls, rules: Rules, first: int) -> Position:
        """The position of a new game before any card has come; seat `first` begins.

        In the hand game the hands are still to be dealt: one card to each seat in turn, from `first` on, by `outcomes`
        and `with_card` as every later card.
        """
        row = np.zeros((1, parameter_row(rules)[0, WIDTH]), np.int16)
        kernels.set_up_one(row, parameter_row(rules), stream_rows(0, 1), 0, first)
        if rules.hand_size:
            row[0, HANDS:] = 0
            row[0, PILE : PILE + NUM_CARDS] = rules.deck_counts
            row[0, LEFT] = sum(rules.deck_counts)
            row[0, CARD] = AWAITING
        return cls(rules, row)

    def __str__(self) -> str:
        """The canonical text."""
        return format_position(self._row[0].tolist(), self.rules)

    def __repr__(self) -> str:
        return f"Position.parse({str(self)!r}, {self.rules.spec()!r})"

    def _repr_svg_(self) -> str:
        """The picture by which a notebook shows the position."""
        from sorry_env.drawing import NOTEBOOK_PIXELS, position_svg

        return position_svg(self, size=NOTEBOOK_PIXELS)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.rules == other.rules and str(self) == str(other)

    def __hash__(self) -> int:
        return hash((self.rules, str(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Position, (self.rules, self._row)

    def __copy__(self) -> Position:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self

    @property
    def row(self) -> np.ndarray:
        """The game row, int16 (1, W), read-only; fields as in `engine.parameters`."""
        return self._row

    @property
    def mover(self) -> int:
        """Seat on move; of a finished game, who made the last move."""
        return int(self._row[0, MOVER])

    @property
    def is_over(self) -> bool:
        """Whether the game has ended (RULES 2.3, 6.2)."""
        return bool(self._row[0, OVER])

    @property
    def awaits_card(self) -> bool:
        """Whether chance is next: a draw, or a card for the mover's hand."""
        return not self.is_over and int(self._row[0, CARD]) == AWAITING

    @property
    def card(self) -> str | None:
        """The drawn card of the draw game."""
        kind = int(self._row[0, CARD])
        return CARDS[kind] if kind >= 0 else None

    @property
    def winners(self) -> tuple[int, ...]:
        """Seats that have won; none while the game is open."""
        if not self.is_over:
            return ()
        return tuple(sorted((self.mover, (self.mover + 2) % SEATS))) if self.rules.teams else (self.mover,)

    def pawns(self, seat: int) -> tuple[str, ...]:
        """Locations (RULES 8.1) of a seat's pawns, furthest from Home first."""
        color = self.rules.color_ids[seat]
        return tuple(format_location(color, progress) for progress in pawn_places(self._row[0], self.rules, seat))

    def pawns_text(self) -> str:
        """The PAWNS field of the text."""
        return format_pawns(self._row[0].tolist(), self.rules)

    def hand(self, seat: int) -> tuple[str, ...] | None:
        """Cards in a seat's hand, in card order; None where it is unknown, empty in the draw game."""
        if not self.rules.hand_size:
            return ()
        counts = self._row[0, HANDS + NUM_CARDS * seat : HANDS + NUM_CARDS * (seat + 1)]
        if counts[0] == UNKNOWN:
            return None
        return tuple(card for card, count in zip(CARDS, counts, strict=True) for _ in range(count))

    def pile(self) -> dict[str, int]:
        """How many of each card are left in the draw pile (and in unknown hands)."""
        return dict(zip(CARDS, self._row[0, PILE : PILE + NUM_CARDS].tolist(), strict=True))

    def discards(self) -> dict[str, int]:
        """How many of each card lie on the discard pile (RULES 3.3); none with the replacement deck."""
        if self.rules.deck == "replacement":
            return dict.fromkeys(CARDS, 0)
        shown = [card for seat in range(self.rules.players) for card in self.hand(seat) or ()] + [self.card]
        return {
            card: total - left - shown.count(card)
            for (card, left), total in zip(self.pile().items(), self.rules.deck_counts, strict=True)
        }

    def legal_actions(self) -> list[int]:
        """Ids of the legal actions, ascending; empty where no decision is open.

        Raises:
            IllegalError: if the mover's hand is unknown.
        """
        if self.is_over or self.awaits_card:
            return []
        if self.hand(self.mover) is None:
            raise IllegalError(f"CARDS: the hand of {self.rules.colors[self.mover]}, who is on move, is unknown")
        out = np.empty((1, MOST_ACTIONS), np.int16)
        count = kernels.legal_ids(self._row, parameter_row(self.rules), 0, out)
        ids: list[int] = out[0, :count].tolist()
        return ids

    def legal_moves(self) -> list[str]:
        """Texts of the legal actions (RULES 8.3), in the order of `legal_actions`."""
        row = self._row[0].tolist()
        return [format_move(row, self.rules, action) for action in self.legal_actions()]

    def legal_mask(self) -> np.ndarray:
        """int8 (A,): 1 where the action is legal; all 0 where no decision is open."""
        mask = np.zeros(num_actions(self.rules.pawns, self.rules.teams), np.int8)
        mask[self.legal_actions()] = 1
        return mask

    def observation(self, seat: int | None = None) -> np.ndarray:
        """What a seat (by default the mover) may know: float32 (F,), layout in `observation.py`."""
        seen = np.empty((1, parameter_row(self.rules)[0, NUM_FEATURES]), np.float32)
        seats = np.array([self.mover if seat is None else seat])
        kernels.observe(self._row, parameter_row(self.rules), seats, seen, float_units())
        return seen[0]

    def points(self) -> tuple[int, ...]:
        """Points of every seat by RULES 5.7, as the game stands."""
        out = np.zeros((1, self.rules.players), np.int64)
        kernels.points(self._row, parameter_row(self.rules), out)
        return tuple(out[0].tolist())

    def rewards(self) -> tuple[float, ...]:
        """Zero-sum final rewards of every seat by the rules' `scoring`; all 0 while the game is open."""
        out = np.zeros((1, self.rules.players))
        kernels.final_rewards(self._row, parameter_row(self.rules), self.rules.scoring == "points", out)
        return tuple(out[0].tolist())

    def is_readable(self) -> bool:
        """Whether its text can be read and means this position, as rows of games that were never begun do not."""
        try:
            read = parse_position(str(self), self.rules)
        except SorryError:
            return False
        return bool((np.delete(read, AGAIN) == np.delete(self._row, AGAIN)).all())  # AGAIN is in no text

    def parse_move(self, text: str) -> int:
        """The legal action that a text means. Raises MalformedError, IllegalError or AmbiguousError."""
        return parse_move(text, self._row[0].tolist(), self.rules, self.legal_actions())

    def after(self, action: int | str) -> Position:
        """The position right after a legal action or move, before the next card. Raises as `parse_move`."""
        if isinstance(action, str):
            action = self.parse_move(action)
        elif action not in (legal := self.legal_actions()):
            raise IllegalError(f"action {action} is not legal in {str(self)!r}; legal: {legal}")
        row = self._row.copy()
        kernels.play_one(row, parameter_row(self.rules), 0, action)
        return Position(self.rules, row)

    def outcomes(self) -> list[tuple[str, float]]:
        """Every card that may come next with its probability; empty where no card is awaited.

        With hidden hands the unseen cards count as one uniform draw (RULES 5.6).
        """
        if not self.awaits_card:
            return []
        row = self._row.copy()
        kernels.reshuffle_one(row, parameter_row(self.rules), 0)
        counts = row[0, PILE : PILE + NUM_CARDS].tolist()
        return [(card, count / int(row[0, LEFT])) for card, count in zip(CARDS, counts, strict=True) if count]

    def with_card(self, card: str) -> Position:
        """The position after the awaited card has come. Raises IllegalError where it cannot."""
        possible = [name for name, _ in self.outcomes()]
        if card not in possible:
            raise IllegalError(f"card {card!r} cannot come in {str(self)!r}; possible: {', '.join(possible) or 'none'}")
        row = self._row.copy()
        kernels.receive_one(row, parameter_row(self.rules), 0, CARDS.index(card))
        if any(is_known and size < self.rules.hand_size for is_known, size in self._hand_sizes(row)):
            row[0, CARD] = AWAITING  # hands are still being dealt
        return Position(self.rules, row)

    def _hand_sizes(self, row: np.ndarray) -> list[tuple[bool, int]]:
        """Of each seat of the hand game, whether its hand is known, and its number of cards."""
        hands = row[0, HANDS : HANDS + NUM_CARDS * self.rules.players].reshape(-1, NUM_CARDS)
        return [(int(hand[0]) != UNKNOWN, int(hand.sum())) for hand in hands]

    def seen_by(self, seat: int) -> Position:
        """What `seat` may know: other hands unknown, their cards counted with the pile."""
        row = np.empty_like(self._row)
        kernels.hide_hands(self._row, parameter_row(self.rules), np.array([seat]), row)
        return Position(self.rules, row)

    def deal_unseen(self, rng: np.random.Generator) -> Position:
        """This position with each unknown hand a uniform draw from the cards unseen (RULES 5.6)."""
        if not self.rules.hand_size:
            return self
        row = self._row.copy()
        pile = row[0, PILE : PILE + NUM_CARDS]
        for seat in range(self.rules.players):
            if self.hand(seat) is None:
                hand = rng.multivariate_hypergeometric(pile.astype(np.int64), self.rules.hand_size)
                row[0, HANDS + NUM_CARDS * seat : HANDS + NUM_CARDS * (seat + 1)] = hand
                pile -= hand.astype(pile.dtype)
        row[0, LEFT] = pile.sum()
        return Position(self.rules, row)


class Positions:
    """Public positions of a batch: what each row's mover may know, as copies, made only when a player asks for them.

    Args:
        rules: the rules record.
        rows: int16 (N, W) game rows, hidden cards included; they are never handed out.
    """

    def __init__(self, rules: Rules, rows: np.ndarray) -> None:
        self.rules = rules
        self._hidden = rows
        self._rows: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self._hidden)

    @property
    def rows(self) -> np.ndarray:
        """int16 (N, W) game rows with other hands unknown, C-contiguous, the caller's to change."""
        if self._rows is None:
            self._rows = np.empty_like(self._hidden)
            movers = self._hidden[:, MOVER].astype(np.int64)
            kernels.hide_hands(self._hidden, parameter_row(self.rules), movers, self._rows)
        return self._rows

    def __getitem__(self, index: int) -> Position:
        return Position(self.rules, self.rows[index : index + 1])
