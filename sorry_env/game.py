"""One game to play with: moves, undo, copies, chance, records. The batch and the environments are faster faces."""

from __future__ import annotations

from typing import Any

import numpy as np

from sorry_env.cards import CARDS
from sorry_env.engine import kernels
from sorry_env.engine.parameters import WIDTH, parameter_row
from sorry_env.engine.rows import stream_rows
from sorry_env.errors import IllegalError
from sorry_env.notation import format_move
from sorry_env.position import Position
from sorry_env.rules import Rules, rules_from


class Game:
    """A game of Sorry! in progress.

    Cards come by themselves unless `explicit_chance` is set: then a game stands before each draw (or refill) with
    `awaits_card` true, `outcomes()` tells the odds and `draw()` takes the card from the caller or from the stream.

    Args:
        rules: rules record, name, or name with options (see `rules_from`).
        seed: seed of the cards and of the first player; None takes entropy from the system.
        explicit_chance: leave every draw to the caller; who begins and the first hands are still the seed's, unless the
            game begins from a position (`Position.opening`).
        position: a Position or its text to begin from, in place of a new game.
        **options: players and fields of the rules record to change.

    Raises:
        RulesError: rules that make no sense.
        MalformedError, IllegalError: a position that cannot be read or cannot be.
    """

    def __init__(
        self,
        rules: str | Rules = "classic",
        seed: int | None = None,
        *,
        explicit_chance: bool = False,
        position: Position | str | None = None,
        **options: Any,
    ) -> None:
        self.rules = rules_from(rules, **options)
        self.explicit_chance = explicit_chance
        self._stream = stream_rows(seed, 1)
        self._history: list[tuple[Position, str]] = []
        self.start = self._opening(position)
        self._position = self.start
        if not explicit_chance:
            self._draw_awaited()

    def _opening(self, position: Position | str | None) -> Position:
        if position is None:
            row = np.zeros((1, self._parameters[0, WIDTH]), np.int16)
            first = -1 if self.rules.first_player == "random" else self.rules.first_player
            kernels.set_up_one(row, self._parameters, self._stream, 0, first)
            return Position(self.rules, row)
        if isinstance(position, str):
            position = Position.parse(position, self.rules)
        if position.rules != self.rules:
            raise IllegalError(f"position: it is of {position.rules.spec()!r}, the game of {self.rules.spec()!r}")
        return position

    @property
    def _parameters(self) -> np.ndarray:
        return parameter_row(self.rules)

    @property
    def position(self) -> Position:
        """The position as it stands."""
        return self._position

    @property
    def mover(self) -> int:
        """Seat on move; of a finished game, who made the last move."""
        return self._position.mover

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._position.is_over

    @property
    def awaits_card(self) -> bool:
        """Whether chance is next (only with `explicit_chance`)."""
        return self._position.awaits_card

    @property
    def winners(self) -> tuple[int, ...]:
        """Seats that have won; none while the game is open."""
        return self._position.winners

    @property
    def history(self) -> list[tuple[Position, str]]:
        """Each position so far with what happened there: the text of a move, or `draw CARD`."""
        return list(self._history)

    @property
    def plies(self) -> list[tuple[Position, str]]:
        """The history's decisions alone: each position in which one was open, with the text of the move."""
        return [(position, event) for position, event in self._history if not event.startswith("draw ")]

    @property
    def num_plies(self) -> int:
        """Moves played so far, in plies."""
        return len(self.plies)

    def legal_actions(self) -> list[int]:
        """Ids of the legal actions, ascending; empty where no decision is open."""
        return self._position.legal_actions()

    def legal_moves(self) -> list[str]:
        """Texts of the legal actions (RULES 8.3)."""
        return self._position.legal_moves()

    def legal_mask(self) -> np.ndarray:
        """int8 (A,): 1 where the action is legal; all 0 where no decision is open."""
        return self._position.legal_mask()

    def observation(self, seat: int | None = None) -> np.ndarray:
        """What a seat (by default the mover) may know: float32 (F,), layout in `observation.py`."""
        return self._position.observation(seat)

    def play(self, move: int | str) -> None:
        """Plays a legal action id or move text; then cards come, unless `explicit_chance` is set.

        Raises:
            IllegalError: no decision is open, or the move is not legal here.
            MalformedError, AmbiguousError: a text that cannot be read.
        """
        if self.is_over or self.awaits_card:
            raise IllegalError(f"no decision is open in {str(self._position)!r}")
        before = self._position
        action = before.parse_move(move) if isinstance(move, str) else move
        after = before.after(action)
        self._history.append((before, format_move(before.row[0].tolist(), self.rules, action)))
        self._position = after
        if not self.explicit_chance:
            self._draw_awaited()

    def draw(self, card: str | None = None) -> str:
        """Brings the awaited card: the given one, or one from the game's stream. Returns it.

        Raises:
            IllegalError: no card is awaited, or the given one cannot come.
        """
        if not self.awaits_card:
            raise IllegalError(f"no card is awaited in {str(self._position)!r}")
        before = self._position
        if card is None:
            card = self._sample(before)
        self._position = before.with_card(card)
        self._history.append((before, f"draw {card}"))
        return card

    def _sample(self, before: Position) -> str:
        return CARDS[kernels.sample_one(before.row.copy(), self._parameters, self._stream, 0)]

    def _draw_awaited(self) -> None:
        if self.awaits_card:
            self.draw()

    def outcomes(self) -> list[tuple[str, float]]:
        """Every card that may come next with its probability; empty where no card is awaited."""
        return self._position.outcomes()

    def undo(self) -> str:
        """Takes back the last move and the cards that came after it; returns its text. The stream does not rewind.

        Raises:
            IllegalError: no move has been played.
        """
        if not self.num_plies:
            raise IllegalError("no move to take back")
        while True:
            self._position, event = self._history.pop()
            if not event.startswith("draw "):
                return event

    def copy(self, seed: int | None = None) -> Game:
        """The same position and history with a stream of its own, so that a copy never shows the cards to come."""
        twin = Game.__new__(Game)
        twin.__dict__.update(self.__dict__)
        twin._history = list(self._history)
        twin._stream = stream_rows(seed, 1)
        return twin

    def points(self) -> tuple[int, ...]:
        """Points of every seat by RULES 5.7, as the game stands."""
        return self._position.points()

    def rewards(self) -> tuple[float, ...]:
        """Zero-sum final rewards of every seat by the rules' `scoring`; all 0 while the game is open."""
        return self._position.rewards()

    def record(self) -> str:
        """The whole game as text; `read_record` plays it again to the same end."""
        from sorry_env.record import format_record

        return format_record(self)

    def __str__(self) -> str:
        return str(self._position)

    def __repr__(self) -> str:
        return f"Game({self.rules.spec()!r}, position={str(self._position)!r})"

    def _repr_svg_(self) -> str:
        """The picture by which a notebook shows the game, its last move by arrows."""
        from sorry_env.drawing import NOTEBOOK_PIXELS, position_svg

        plies = self.plies
        before, move = plies[-1] if plies else (None, None)
        return position_svg(self._position, size=NOTEBOOK_PIXELS, last_move=move, before=before)
