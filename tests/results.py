"""Short questions in notation: what is legal in a position, and where each move leads."""

from __future__ import annotations

from typing import Any

from sorry_env.position import Position
from sorry_env.rules import rules_from


def position(text: str, rules: str = "classic", **options: Any) -> Position:
    """The position of a text (RULES 8.2); who sits is read off its PAWNS."""
    letters = "".join(field[0] for field in text.split(" ", maxsplit=1)[0].split("/"))
    return Position.parse(text, rules_from(rules, colors=letters, **options))


def results(text: str, rules: str = "classic", **options: Any) -> dict[str, str]:
    """Each legal move with the PAWNS after it."""
    start = position(text, rules, **options)
    return {move: start.after(move).pawns_text() for move in start.legal_moves()}


def moves(text: str, rules: str = "classic", **options: Any) -> set[str]:
    """The legal moves."""
    return set(position(text, rules, **options).legal_moves())


def after(text: str, move: str, rules: str = "classic", **options: Any) -> Position:
    """The position right after a move."""
    return position(text, rules, **options).after(move)


def board(colors: str = "RBYG", **places: str) -> str:
    """A PAWNS field; colours that are not named have all four pawns in Start."""
    return "/".join(f"{letter}:{places.get(letter, 'S,S,S,S')}" for letter in colors)


def turn(text: str) -> str:
    """A four-player position with everything moved on by one seat and one side of the board."""
    pawns, mover, cards, pile = text.split(" ")
    fields = [field[2:].split(",") for field in pawns.split("/")]
    moved = [[str((int(place) + 15) % 60) if place.isdecimal() else place for place in places] for places in fields]
    turned = "/".join(f"{'RBYG'[seat]}:{','.join(moved[seat - 1])}" for seat in range(4))
    hands = cards.split("/")
    return f"{turned} {'rbyg'[('rbyg'.index(mover) + 1) % 4]} {'/'.join(hands[-1:] + hands[:-1])} {pile}"
