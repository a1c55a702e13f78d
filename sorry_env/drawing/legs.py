"""What a move does on the board, leg by leg: steps, slides, exchanged places and bumps (RULES 3, 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sorry_env.actions import Action, Use, decode_action
from sorry_env.board import CIRCLE, ENTRANCE, RING, SLIDES_BY_OPTION, START, progress_of, square_of
from sorry_env.cards import FORWARD, SEVEN
from sorry_env.notation import pawn_places
from sorry_env.position import Position

STEP: Final = "step"  # from square to square, by count
JUMP: Final = "jump"  # out of Start, or by exchange
SLIDE: Final = "slide"
BUMP: Final = "bump"


@dataclass(frozen=True)
class Leg:
    """A part of a move: one pawn's way.

    Attributes:
        color: 0..3, the pawn's.
        kind: "step", "jump", "slide" or "bump".
        way: the pawn's progress on each square of the way, first and last included.
    """

    color: int
    kind: str
    way: tuple[int, ...]


def move_legs(before: Position, move: int | str) -> list[Leg]:
    """The legs of a legal action or move text, in the order in which they happen.

    Raises:
        MalformedError, IllegalError, AmbiguousError: a text that is no legal move there.
    """
    action = before.parse_move(move) if isinstance(move, str) else move
    rules = before.rules
    mover = _Mover(before)
    mover.play(decode_action(action, rules.pawns, rules.teams))
    return mover.legs


class _Mover:
    """Pawns by seat and slot, moved by one action; each pawn keeps its slot."""

    def __init__(self, before: Position) -> None:
        self.rules = before.rules
        self.legs: list[Leg] = []
        self._seat = before.mover
        self._pawns = [pawn_places(before.row[0], self.rules, seat) for seat in range(self.rules.players)]

    def play(self, move: Action) -> None:
        side, slot = divmod(move.first, self.rules.pawns)
        match move.use:
            case Use.START:
                self._go(self._pawn(2 * move.first, 0), JUMP, (START, CIRCLE))
            case Use.STEP:
                self._step(self._pawn(2 * side, slot), move.steps)
            case Use.SPLIT:
                other, other_slot = divmod(move.second, self.rules.pawns)
                self._step(self._pawn(2 * side, slot), move.steps)
                self._step(self._pawn(2 * other, other_slot), FORWARD[SEVEN] - move.steps)
            case Use.EXCHANGE:
                self._exchange(self._pawn(2 * side, slot), self._target(move))
            case Use.REPLACE:
                self._go(self._pawn(2 * move.first, 0), JUMP, (START, self._seen_from(2 * move.first, move)))

    def _pawn(self, clockwise: int, slot: int) -> tuple[int, int]:
        return (self._seat + clockwise) % self.rules.players, slot

    def _target(self, move: Action) -> tuple[int, int]:
        seat, slot = divmod(move.second, self.rules.pawns)
        return self._pawn(seat, slot)

    def _square(self, pawn: tuple[int, int]) -> int | None:
        progress = self._pawns[pawn[0]][pawn[1]]
        return square_of(self.rules.color_ids[pawn[0]], progress) if START < progress <= ENTRANCE else None

    def _seen_from(self, clockwise: int, move: Action) -> int:
        """Progress of the target's square on the way of the seat's colour."""
        square = self._square(self._target(move))
        if square is None:
            raise ValueError(f"{move} has a target that is not on the ring")
        return progress_of(self.rules.color_ids[self._pawn(clockwise, 0)[0]], square)

    def _step(self, pawn: tuple[int, int], steps: int) -> None:
        progress = self._pawns[pawn[0]][pawn[1]]
        sign = 1 if steps > 0 else -1
        way = [progress + sign * step for step in range(abs(steps) + 1)]
        self._go(pawn, STEP, tuple(place + RING if place < 1 else place for place in way))

    def _exchange(self, pawn: tuple[int, int], target: tuple[int, int]) -> None:
        here, there = self._square(pawn), self._square(target)
        if here is None or there is None:
            raise ValueError("an exchange is of two pawns on the ring")
        theirs, own = self.rules.color_ids[target[0]], self.rules.color_ids[pawn[0]]
        self.legs.append(Leg(theirs, JUMP, (progress_of(theirs, there), progress_of(theirs, here))))
        self._pawns[target[0]][target[1]] = progress_of(theirs, here)
        self._go(pawn, JUMP, (progress_of(own, here), progress_of(own, there)))

    def _go(self, pawn: tuple[int, int], kind: str, way: tuple[int, ...]) -> None:
        """A pawn's way to where it lands, and on where that is a slide's triangle."""
        color, end = self.rules.color_ids[pawn[0]], way[-1]
        self.legs.append(Leg(color, kind, way))
        self._land(pawn, end)
        length = SLIDES_BY_OPTION[self.rules.slide_on].get(end, 0)
        if length:
            slide = tuple((place - 1) % RING + 1 for place in range(end, end + length + 1))
            self.legs.append(Leg(color, SLIDE, slide))
            for place in slide:
                self._land(pawn, place)

    def _land(self, pawn: tuple[int, int], progress: int) -> None:
        """Puts a pawn on a place; who stands there on the ring is bumped."""
        self._pawns[pawn[0]][pawn[1]] = progress
        square = self._square(pawn)
        for seat, places in enumerate(self._pawns):
            for slot, place in enumerate(places):
                if square is not None and (seat, slot) != pawn and self._square((seat, slot)) == square:
                    self.legs.append(Leg(self.rules.color_ids[seat], BUMP, (place, START)))
                    places[slot] = START
