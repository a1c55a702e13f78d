"""Games in progress: a stored game played on, and what the person at it may see."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from sorry_env.analysis import DEFAULT_JUDGE
from sorry_env.board import COLOR_NAMES
from sorry_env.drawing import position_svg
from sorry_env.errors import IllegalError, SorryError
from sorry_env.game import Game
from sorry_env.players import choose_move
from sorry_env.position import Position
from sorry_env.record import format_record
from sorry_env.rules import Rules
from sorry_env.web.describing import describe_move, describe_moves
from sorry_env.web.opponents import Opponents
from sorry_env.web.refusal import RefusedError
from sorry_env.web.replaying import judge_of
from sorry_env.web.storage import OPEN, OVER, Storage, StoredGame

YOU: Final = "you"
MOST_EVENTS: Final = 20_000


class Tables:
    """Everybody's games: each call reads what is stored, and stores before it answers.

    Args:
        storage: where games are kept.
        opponents: who may sit down.
    """

    def __init__(self, storage: Storage, opponents: Opponents) -> None:
        self.storage, self.opponents = storage, opponents

    def open(
        self,
        session: str,
        rules: Rules,
        you: int,
        names: Sequence[str],
        seed: int | None = None,
        start: str | None = None,
    ) -> str:
        """A new game; its id.

        Args:
            session: whose it is.
            rules: the rules record.
            you: the person's seat.
            names: who plays each seat, that one `YOU`.
            seed: taken from the system where it is None.
            start: text of a position to begin from, in place of a new game; for tests, no request sets it.

        Raises:
            RefusedError, SorryError: an opponent that is not listed or does not play these rules; too many games.
        """
        for seat, name in enumerate(names):
            if seat != you:
                self.opponents.player(name, rules)
        seed = secrets.randbits(62) if seed is None else seed
        game = Game(rules, seed, position=start, explicit_chance=True)
        _draw(game, seed)
        events = [event for _, event in game.history]
        return self.storage.create(session, rules.spec(), you, names, seed, str(game.start), events)

    def game(self, session: str, game_id: str) -> tuple[StoredGame, Game]:
        """A game as it stands, played again from its events (milliseconds). Raises RefusedError: 404; 500, damaged."""
        stored = self.storage.load(session, game_id)
        try:
            game = Game(stored.rules, 0, position=stored.start, explicit_chance=True)
            for event in stored.events:
                if event.startswith("draw "):
                    game.draw(event.removeprefix("draw "))
                else:
                    game.play(event)
        except (SorryError, ValueError, TypeError) as error:
            raise RefusedError(500, f"game: what is kept of it is damaged ({str(error)[:200]})") from None
        return stored, game

    def play(self, session: str, game_id: str, at: int, move: str) -> dict[str, Any]:
        """Plays the person's move in the game as it was after `at` events; what it sees then.

        Raises:
            RefusedError: 404; 409 where the game has gone on, is over or someone else is on move.
            MalformedError, IllegalError, AmbiguousError: the move.
        """
        stored, game = self._open_game(session, game_id, at)
        if game.mover != stored.you:
            raise RefusedError(409, f"move: it is {COLOR_NAMES[game.rules.color_ids[game.mover]]}'s turn, not yours")
        action = game.position.seen_by(stored.you).parse_move(move)  # its errors show what may be known
        return self._go_on(session, stored, game, action)

    def advance(self, session: str, game_id: str, at: int) -> dict[str, Any]:
        """Lets the opponent on move choose and play; what the person sees then. Raises RefusedError as `play`."""
        stored, game = self._open_game(session, game_id, at)
        if game.mover == stored.you:
            raise RefusedError(409, "advance: it is your turn")
        player = self.opponents.player(stored.names[game.mover], game.rules)
        rng = np.random.default_rng([stored.seed, 1, at])  # not the stream of the cards
        return self._go_on(session, stored, game, choose_move(game, player, rng))

    def _open_game(self, session: str, game_id: str, at: int) -> tuple[StoredGame, Game]:
        stored, game = self.game(session, game_id)
        if len(game.history) != at:
            raise RefusedError(409, f"at: the game stands after {len(game.history)} events, not {at}; load it again")
        if game.is_over or stored.state != OPEN:
            raise RefusedError(409, "game: it is over")
        if at >= MOST_EVENTS:
            raise RefusedError(409, f"game: it has {at} events, the most there may be")
        return stored, game

    def _go_on(self, session: str, stored: StoredGame, game: Game, move: str | int) -> dict[str, Any]:
        before = len(game.history)
        game.play(move)
        _draw(game, stored.seed)
        events = [event for _, event in game.history[before:]]
        self.storage.append(session, stored.id, before, events, game.is_over)
        return table_view(replace(stored, state=OVER if game.is_over else OPEN), game)

    def view(self, session: str, game_id: str) -> dict[str, Any]:
        """What the person at a game sees: nothing that hands or the pile hide. Raises RefusedError (404)."""
        return table_view(*self.game(session, game_id))

    def record(self, session: str, game_id: str) -> str:
        """The game's record. Raises RefusedError: 404; 409 of a hand game that still hides cards."""
        return format_record(self.open_cards(session, game_id)[1])

    def open_cards(self, session: str, game_id: str) -> tuple[StoredGame, Game]:
        """A game that hides nothing any more. Raises RefusedError as `record`."""
        stored, game = self.game(session, game_id)
        if game.rules.hand_size and not game.is_over and stored.state == OPEN:
            raise RefusedError(409, "record: hands are hidden until the game is over or resigned")
        return stored, game


def _draw(game: Game, seed: int) -> None:
    """Brings the awaited cards; the n-th event of a seed is the same after a restart."""
    while game.awaits_card:
        rng = np.random.default_rng([seed, 0, len(game.history)])
        cards, odds = zip(*game.outcomes(), strict=True)
        game.draw(cards[rng.choice(len(cards), p=odds)])


def new_names(rules: Rules, color: str, opponents: Sequence[str]) -> tuple[int, list[str]]:
    """The person's seat, and who plays each seat, of a colour's name and the others clockwise from the first seat.

    Raises RefusedError (400).
    """
    seated = [COLOR_NAMES[number] for number in rules.color_ids]
    if color not in seated:
        raise RefusedError(400, f"you: {color[:40]!r} is not one of the colours {', '.join(seated)}")
    if len(opponents) != rules.players - 1:
        raise RefusedError(400, f"opponents: {len(opponents)} given, {rules.players - 1} other seats")
    you = seated.index(color)
    return you, [*opponents[:you], YOU, *opponents[you:]]


def table_view(stored: StoredGame, game: Game) -> dict[str, Any]:
    """What the person sees, as plain data."""
    rules, you = game.rules, stored.you
    shown = game.position if not rules.hand_size or game.is_over else game.position.seen_by(you)
    is_open = not game.is_over and stored.state == OPEN
    is_yours = is_open and game.mover == you
    plies, judge = game.plies, judge_of(DEFAULT_JUDGE, rules)
    return {
        "id": stored.id,
        "at": len(game.history),
        "rules": rules.spec(),
        "state": stored.state,
        "seats": [
            {"color": COLOR_NAMES[color], "name": stored.names[seat], "home": game.position.pawns(seat).count("H")}
            for seat, color in enumerate(rules.color_ids)
        ],
        "teams": rules.teams,
        "you": you,
        "mover": game.mover,
        "yours": is_yours,
        "card": game.position.card,
        "hand": list(game.position.hand(you) or ()),
        "moves": _with_chances(shown, describe_moves(shown)) if is_yours else [],
        "log": [[before.mover, move, describe_move(before, move).spoken] for before, move in plies],
        "winners": list(game.winners),
        "points": list(game.points()) if rules.scoring == "points" and game.is_over else None,
        "chances": _chances(shown, you, is_open),
        "note": judge if isinstance(judge, str) else "",
        "position": str(shown),
        "svg": _picture(shown, plies, stored.names),
    }


def _picture(shown: Position, plies: list[tuple[Position, str]], names: Sequence[str]) -> str:
    before, move = plies[-1] if plies else (None, None)
    return position_svg(shown, last_move=move, before=before, seat_names=names)


def _chances(shown: Position, you: int, is_open: bool) -> list[float] | None:
    """Every seat's chance to win; None where nobody can tell.

    In the hand game others' chances would tell of their hidden cards, so that they are known at the person's own
    decisions alone.
    """
    judge = judge_of(DEFAULT_JUDGE, shown.rules)
    if isinstance(judge, str) or (is_open and shown.rules.hand_size and shown.mover != you):
        return None
    try:
        return list(judge.chances(shown))
    except IllegalError:
        return None


def _with_chances(shown: Position, moves: list[dict[str, Any]]) -> list[dict[str, Any]]:
    judge = judge_of(DEFAULT_JUDGE, shown.rules)
    if isinstance(judge, str):
        return moves
    judged = {each.move: each for each in judge.moves(shown)}
    return [move | {"chance": judged[move["move"]].chances[shown.mover]} for move in moves]
