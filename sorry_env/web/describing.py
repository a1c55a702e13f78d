"""Moves as data for pages: whence and whither each pawn goes, by the names of places that the drawing has."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from sorry_env.board import COLOR_NAMES, COLORS, parse_location
from sorry_env.drawing.faces import card_name
from sorry_env.drawing.geometry import place_name
from sorry_env.drawing.legs import BUMP, SLIDE, Leg, move_legs
from sorry_env.position import Position

KINDS: Final = ("pass", "discard", "start", "step", "split", "exchange", "replace")
_SORRY: Final = "X"


@dataclass(frozen=True)
class Part:
    """What happens to one pawn by choice: a split has two parts, a pass or a discard none.

    Attributes:
        color: name of the pawn's colour.
        source: place that it leaves.
        target: place that it reaches by count, or the place of the pawn that it exchanges with or replaces.
    """

    color: str
    source: str
    target: str


@dataclass(frozen=True)
class Way:
    """A pawn's way, by choice or not.

    Attributes:
        color: name of the pawn's colour.
        kind: step, jump, slide or bump.
        places: from where it stood to where it comes.
    """

    color: str
    kind: str
    places: tuple[str, ...]


@dataclass(frozen=True)
class MoveView:
    """A legal move for a page.

    Attributes:
        move: its text (RULES 8.3).
        card: the card; of a pass the one drawn, empty in the hand game.
        kind: one of KINDS.
        parts: what happens to which pawns by choice.
        ways: all that moves, in the order in which it does.
        spoken: the move in words.
    """

    move: str
    card: str
    kind: str
    parts: tuple[Part, ...]
    ways: tuple[Way, ...]
    spoken: str


def describe_moves(position: Position) -> list[dict[str, Any]]:
    """The legal moves of an open decision, in the order of `legal_moves`, as plain data (`MoveView`)."""
    return [asdict(describe_move(position, move)) for move in position.legal_moves()]


def describe_move(position: Position, move: str) -> MoveView:
    """One legal move."""
    if move == "pass":
        why = "" if len(position.legal_moves()) > 1 else f": the {card_name(position.card or '')} has no legal use"
        return MoveView(move, position.card or "", "pass", (), (), f"Pass{why}")
    if move.startswith("discard "):
        card = move.removeprefix("discard ")
        return MoveView(move, card, "discard", (), (), f"Discard {card_name(card)}")
    card, _, text = move.partition(":")
    halves = [text.split("<>")] if "<>" in text else [half.split(">") for half in text.split(",")]
    parts = tuple(_part(position, source, target) for source, target in halves)
    ways = tuple(_way(leg) for leg in move_legs(position, move))
    return MoveView(move, card, _kind(card, text), parts, ways, _spoken(_kind(card, text), parts, ways))


def _kind(card: str, text: str) -> str:
    if "<>" in text:
        return "exchange"
    if "S>" in text:
        return "replace" if card == _SORRY else "start"
    return "split" if "," in text else "step"


def _part(position: Position, source: str, target: str) -> Part:
    """Of a text's two locations; the first carries its colour's letter where that is not the mover's."""
    color = position.rules.color_ids[position.mover]
    if source[0] in COLORS:
        color, source = COLORS.index(source[0]), source[1:]
    places = [place_name(color, parse_location(color, location)) for location in (source, target)]
    return Part(COLOR_NAMES[color], places[0], places[1])


def _way(leg: Leg) -> Way:
    return Way(COLOR_NAMES[leg.color], leg.kind, tuple(place_name(leg.color, progress) for progress in leg.way))


def _spoken(kind: str, parts: tuple[Part, ...], ways: tuple[Way, ...]) -> str:
    verb = {"exchange": "changes places with", "replace": "takes the place of"}.get(kind, "to")
    victim = "the pawn on " if kind in ("exchange", "replace") else ""
    texts = [
        f"{part.color} pawn from {_place_words(part.source)} {verb} {victim}{_place_words(part.target)}"
        for part in parts
    ]
    texts[0] = texts[0][0].upper() + texts[0][1:]
    text = ", then ".join(texts)
    for way in ways:
        if way.kind == SLIDE:
            text += f"; {way.color} slides to {_place_words(way.places[-1])}"
        elif way.kind == BUMP:
            text += f"; {way.color} is bumped from {_place_words(way.places[0])}"
    return text


def _place_words(place: str) -> str:
    where, _, which = place.partition("-")
    if where == "ring":
        return f"square {which}"
    return {"start": "Start", "home": "Home"}.get(which, f"safety square {which}")
