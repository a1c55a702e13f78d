"""What a judge thinks of positions and games: chances to win, what each move is worth, and where chances were lost.

A judge is a player that knows chances: a value network (`champion`, a file), a search on one (`expectimax:depth=1`),
or `perfect`. It judges the chance to win alone, also where the rules count points. Nothing here depends on a seed, and
in the hand game nothing on cards that the seat on move has not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from sorry_env.errors import IllegalError, SpecError
from sorry_env.game import Game
from sorry_env.players import ChancePlayer, Player, load_player
from sorry_env.players.value import CHAMPION
from sorry_env.position import Position
from sorry_env.rules import Rules
from sorry_env.values import num_sides

DEFAULT_JUDGE: Final = CHAMPION
DEFAULT_CRITIC: Final = "expectimax:depth=1"
HAND_DEALS: Final = 200  # that the critic samples in the hand game: a mean's error is then at most 4 %
LEAST_LOSS: Final = 1e-6  # what is less is rounding


@dataclass(frozen=True)
class MoveValue:
    """What a legal move is worth.

    Attributes:
        action: its id.
        move: its text.
        chances: every seat's chance to win after it, 0 to 1; team mates' are the same chance.
        loss: how much less the mover's chance is than after the best move, 0 to 1.
    """

    action: int
    move: str
    chances: tuple[float, ...]
    loss: float


@dataclass(frozen=True)
class Mistake:
    """A decision after which the mover's chance was less than it could have been.

    Attributes:
        ply: its number, from 1.
        seat: who decided.
        card: the card that was drawn, or, in the hand game, played.
        played: text of the move.
        better: text of the best move.
        loss: by how much the chance was less, 0 to 1.
    """

    ply: int
    seat: int
    card: str
    played: str
    better: str
    loss: float


@dataclass(frozen=True)
class GameAnalysis:
    """What a judge thinks of a game.

    Attributes:
        judge: its spec string.
        chances: every seat's chance to win before each ply, card seen, and at the end: plies + 1 rows, of a won game
            the last 1 and 0. In the hand game each row is as the seat on move may know it.
        mistakes: the decisions that lost chances, the biggest loss first.
    """

    judge: str
    chances: tuple[tuple[float, ...], ...]
    mistakes: tuple[Mistake, ...]


class Judge:
    """Tells chances to win by a player.

    Args:
        player: a `ChancePlayer` or its spec string.
        rules: the rules record.

    Attributes:
        name: the player's.
        rules: the rules record.

    Raises:
        SpecError: a player that does not exist, or that knows no chances.
        PolicyError, RulesError: one that does not play these rules.
    """

    def __init__(self, player: str | Player, rules: Rules) -> None:
        loaded = load_player(player, rules)
        if not isinstance(loaded, ChancePlayer):
            raise SpecError(
                f"judge: {loaded.name!r} chooses moves, but knows no chances to win; take {DEFAULT_JUDGE}, "
                f"{DEFAULT_CRITIC}, perfect (of solved games) or a value network's .onnx file"
            )
        self.name, self.rules, self._player = loaded.name, rules, loaded
        self._player.win_chances([])  # now, if it knows none

    def chances(self, position: Position) -> tuple[float, ...]:
        """Every seat's chance to win, of an open decision that of its best move.

        In the hand game as the seat on move may know it; before a refill that is who has moved.

        Raises:
            IllegalError: other rules, or the hand of the seat on move is unknown or still being dealt.
        """
        if not position.is_over and not position.awaits_card:
            return self.moves(position)[0].chances
        return _by_seat(self._worths([position])[0], self.rules)

    def moves(self, position: Position) -> list[MoveValue]:
        """Every legal move of an open decision, the best first; of equal ones the lower action id.

        Raises:
            IllegalError: no decision is open, or as `chances`.
        """
        if position.is_over or position.awaits_card:
            raise IllegalError(f"no decision is open in {str(position)!r}")
        return self._decisions([position])[0]

    def game(self, game: Game) -> GameAnalysis:
        """Chances along a game and its mistakes: a search (`critic_of`) is the better judge of them.

        Raises as `chances`.
        """
        plies = game.plies
        decisions = self._decisions([position for position, _ in plies])
        mistakes = []
        for number, ((position, played), moves) in enumerate(zip(plies, decisions, strict=True), 1):
            loss = next(each.loss for each in moves if each.move == played)
            if loss > LEAST_LOSS:
                card = position.card or played.removeprefix("discard ").partition(":")[0]
                mistakes.append(Mistake(number, position.mover, card, played, moves[0].move, loss))
        mistakes.sort(key=lambda mistake: -mistake.loss)
        chances = [moves[0].chances for moves in decisions]
        return GameAnalysis(self.name, (*chances, self.chances(game.position)), tuple(mistakes))

    def _decisions(self, positions: Sequence[Position]) -> list[list[MoveValue]]:
        """`moves` of many open decisions at once."""
        seen = [self._seen(position) for position in positions]
        legal = [position.legal_actions() for position in seen]
        after = [position.after(action) for position, ids in zip(seen, legal, strict=True) for action in ids]
        worths = self._worths(after) if after else np.empty((0, 0))
        judged, start = [], 0
        for position, ids in zip(seen, legal, strict=True):
            judged.append(self._ranked(position, ids, worths[start : start + len(ids)]))
            start += len(ids)
        return judged

    def _ranked(self, position: Position, ids: list[int], worths: np.ndarray) -> list[MoveValue]:
        own = worths[:, position.mover % worths.shape[1]]
        moves = position.legal_moves()
        return [
            MoveValue(ids[k], moves[k], _by_seat(worths[k], self.rules), float(own.max() - own[k]))
            for k in np.argsort(-own, kind="stable").tolist()
        ]

    def _worths(self, positions: Sequence[Position]) -> np.ndarray:
        """Float64 (N, sides): chances of positions that are over or await a card."""
        sides = num_sides(self.rules)
        worths = np.zeros((len(positions), sides))
        waiting = []
        for k, position in enumerate(positions):
            if position.is_over:
                worths[k, position.mover % sides] = 1
            else:
                waiting.append(k)
        if waiting:
            worths[waiting] = self._player.win_chances([self._seen(positions[k]) for k in waiting])
        return worths

    def _seen(self, position: Position) -> Position:
        """The position as the seat on move may know it; refuses what cannot be judged."""
        if not position.rules.plays_like(self.rules):
            raise IllegalError(f"position: it is of {position.rules.spec()!r}, the judge of {self.rules.spec()!r}")
        if not self.rules.hand_size:
            return position
        hand, color = position.hand(position.mover), self.rules.colors[position.mover]
        if hand is None:
            raise IllegalError(f"CARDS: the hand of {color}, who is on move, is unknown: nobody can judge its moves")
        if position.awaits_card and len(hand) != self.rules.hand_size - 1:
            raise IllegalError(f"CARDS: hands are still being dealt in {str(position)!r}")
        return position.seen_by(position.mover)


def critic_of(rules: Rules) -> str:
    """The spec string of the search player that looks for mistakes by default."""
    return f"{DEFAULT_CRITIC},deals={HAND_DEALS}" if rules.hand_size else DEFAULT_CRITIC


def _by_seat(worth: np.ndarray, rules: Rules) -> tuple[float, ...]:
    sides = num_sides(rules)
    return tuple(float(worth[seat % sides]) for seat in range(rules.players))
