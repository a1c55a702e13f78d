"""What a judge thinks of positions and games: chances to win, what each move is worth, and where chances were lost.

A judge is a player that knows chances: a value network (`champion`, a file), a search on one (`expectimax:depth=1`),
or `perfect`. It judges the chance to win alone, also where the rules count points. Nothing here depends on a seed, and
in the hand game nothing on cards that the seat on move has not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from sorry_env.engine.parameters import MOVER
from sorry_env.errors import IllegalError, SpecError
from sorry_env.game import Game
from sorry_env.players import PerfectPlayer, Player, ValuePlayer, load_player
from sorry_env.players.value import CHAMPION, choose
from sorry_env.position import Position
from sorry_env.rules import Rules
from sorry_env.solver import Solution
from sorry_env.values import ValueModel, num_sides

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


class _Chances(Protocol):
    """Chances to win of positions before a draw."""

    def before_draws(self, positions: Sequence[Position]) -> np.ndarray:
        """Float64 (N, sides), of positions that await a card; in the hand game only the mover's hand is known."""
        ...


class Judge:
    """Tells chances to win by a player.

    Args:
        player: a value player, its spec string, or `perfect`.
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
        self.name, self.rules = loaded.name, rules
        self._chances = _chances_of(loaded, rules)

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
        plies = [(position, event) for position, event in game.history if not event.startswith("draw ")]
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
            worths[waiting] = self._chances.before_draws([self._seen(positions[k]) for k in waiting])
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


# --- Who knows chances ---


def _chances_of(player: Player, rules: Rules) -> _Chances:
    if isinstance(player, PerfectPlayer):
        return _Solved(player.solution)
    if not isinstance(player, ValuePlayer):
        raise SpecError(
            f"judge: {player.name!r} chooses moves, but knows no chances to win; take {DEFAULT_JUDGE}, "
            f"{DEFAULT_CRITIC}, perfect (of solved games) or a value network's .onnx file"
        )
    model = player.model.fitted_to(rules.with_options(scoring="win"))
    if not model.is_network:
        raise SpecError(
            f"judge: {player.name!r} weighs distances, which are no chances to win; take {DEFAULT_JUDGE}, "
            f"{DEFAULT_CRITIC} or a value network's .onnx file"
        )
    return _Networked(model, player.depth, player.breadth, player.deals)


@dataclass(frozen=True)
class _Networked:
    """A value network, directly or by averages over the cards that may come."""

    model: ValueModel
    depth: int
    breadth: int
    deals: int

    def before_draws(self, positions: Sequence[Position]) -> np.ndarray:
        rows = np.concatenate([position.row for position in positions])
        if not self.depth:
            return _shares(self.model.worths(rows))
        if self.model.rules.hand_size:
            return _shares(self.model.deal_averages(rows, self.deals))
        if self.depth == 1:
            return _shares(self.model.averages(rows))
        return _card_means(positions, self._best_replies)

    def _best_replies(self, rows: np.ndarray) -> np.ndarray:
        return _shares(choose(self.model, rows, self.depth - 1, self.breadth)[1][:, : num_sides(self.model.rules)])


@dataclass(frozen=True)
class _Solved:
    """Values of perfect play."""

    solution: Solution

    def before_draws(self, positions: Sequence[Position]) -> np.ndarray:
        return _card_means(positions, self._best_replies)

    def _best_replies(self, rows: np.ndarray) -> np.ndarray:
        _, qualities, counts = self.solution.action_values(rows)
        own = np.where(np.arange(qualities.shape[1]) < counts[:, None], qualities, 0).max(axis=1)
        first = np.where(rows[:, MOVER] == 0, own, 1 - own)
        return np.stack([first, 1 - first], axis=1)


def _card_means(positions: Sequence[Position], replies: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Means over the cards that may come of what the replies lead to: float64 (N, sides)."""
    outcomes = [position.outcomes() for position in positions]
    drawn = [
        position.with_card(card).row for position, cards in zip(positions, outcomes, strict=True) for card, _ in cards
    ]
    odds = np.array([chance for cards in outcomes for _, chance in cards])
    starts = np.cumsum([0, *map(len, outcomes)])[:-1]
    means: np.ndarray = np.add.reduceat(replies(np.concatenate(drawn)) * odds[:, None], starts)
    return means


def _shares(worths: np.ndarray) -> np.ndarray:
    """Chances in float64 that add up to 1 to the last digit."""
    exact = worths.astype(np.float64)
    return exact / exact.sum(axis=1, keepdims=True)
