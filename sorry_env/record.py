"""A game record: text that people can read and that plays again, card by card, to the same end.

    sorry-record 1
    rules classic:players=2
    start R:S,S,S,S/Y:S,S,S,S r - 54444444444
    draw 5
    r pass
    ...
    end R:H,H,H,H/Y:S,S,4,H r - 31222112113

Lines: the format's version, the rules, the position before the first card, every card and every move in order, the
position at the end. Blank lines and lines that begin with `#` are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sorry_env.errors import IllegalError, MalformedError, SorryError, quoted
from sorry_env.game import Game
from sorry_env.position import Position
from sorry_env.rules import rules_from

RECORD_VERSION: Final = 1
MAX_RECORD_CHARS: Final = 4_000_000
_HEADER: Final = f"sorry-record {RECORD_VERSION}"


def format_record(game: Game) -> str:
    """The record of a game as it stands; one that was dealt card by card begins with the hands.

    Raises:
        IllegalError: hands that are still being dealt, which no text can tell (RULES 8.2).
    """
    colors, history = game.rules.colors.lower(), game.history
    while history and _is_dealt_to(history[0][0]):
        del history[0]
    start = history[0][0] if history else game.position
    if _is_dealt_to(start):
        raise IllegalError(f"record: the hands are still being dealt in {str(start)!r}")
    lines = [_HEADER, f"rules {game.rules.spec()}", f"start {start}"]
    for position, event in history:
        lines.append(event if event.startswith("draw ") else f"{colors[position.mover]} {event}")
    return "\n".join([*lines, f"end {game.position}", ""])


def _is_dealt_to(position: Position) -> bool:
    """Whether hands are being dealt: one that is not the next to receive a card is short."""
    hands = [position.hand(seat) for seat in range(position.rules.players) if seat != position.mover]
    return any(hand is not None and len(hand) < position.rules.hand_size for hand in hands)


def read_record(text: str) -> Game:
    """Plays a record again; the game stands at its end, with `explicit_chance` set.

    Raises:
        MalformedError: text that is not a record; the message quotes the line.
        IllegalError: a card or move that is not possible there, or another end than the record says.
    """
    if len(text) > MAX_RECORD_CHARS:
        raise MalformedError(f"record: {len(text)} characters are more than the {MAX_RECORD_CHARS} allowed")
    lines = [
        (number, line)
        for number, line in enumerate((line.rstrip("\r") for line in text.split("\n")), 1)
        if line and not line.startswith("#")
    ]
    _check_whole([line for _, line in lines])
    with _quoting(*lines[1]):
        rules = rules_from(_field(lines[1][1], "rules"))
    with _quoting(*lines[2]):
        game = Game(rules, 0, position=_field(lines[2][1], "start"), explicit_chance=True)
    for number, line in lines[3:-1]:
        with _quoting(number, line):
            _replay(game, line)
    with _quoting(*lines[-1]):
        end = _field(lines[-1][1], "end")
    if end != str(game.position):
        raise IllegalError(f"record: its end {end[:200]!r} is not where it leads, {str(game.position)!r}")
    return game


def _check_whole(lines: list[str]) -> None:
    """Raises MalformedError for lines that do not begin with the format's version, or are too few for a record."""
    if not lines or lines[0] != _HEADER:
        found = quoted(lines[0]) if lines else "an empty text"
        if lines and lines[0].startswith("sorry-record "):
            raise MalformedError(
                f"record: it is written as {found}, this version reads {_HEADER!r}; read it with the one that wrote it"
            )
        raise MalformedError(f"record: begins with {found}, not {_HEADER!r}")
    if len(lines) < 4:
        raise MalformedError(
            f"record: it breaks off after {quoted(lines[-1])}; rules, start and end follow {_HEADER!r}"
        )


@contextmanager
def _quoting(number: int, line: str) -> Iterator[None]:
    """Puts the record's line before whatever is wrong with it."""
    try:
        yield
    except SorryError as error:
        raise type(error)(f"record line {number} {quoted(line)}: {error}") from None


def _field(line: str, name: str) -> str:
    key, _, value = line.partition(" ")
    if key != name or not value:
        raise MalformedError(f"it is not written '{name} ...'")
    return value


def _replay(game: Game, line: str) -> None:
    key, _, value = line.partition(" ")
    if key == "draw" and value:
        game.draw(value)
        return
    if len(key) != 1 or not value:
        raise MalformedError("it is neither 'draw CARD' nor 'COLOUR MOVE'")
    if key != game.rules.colors[game.mover].lower():
        raise IllegalError(f"{game.rules.colors[game.mover].lower()} is on move, not {key}")
    game.play(value)
