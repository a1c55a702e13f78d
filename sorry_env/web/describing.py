"""Moves as data for pages: whence and whither each pawn goes, by the names of places that the drawing has."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final

from sorry_env.board import (
    COLOR_NAMES,
    COLORS,
    ENTRANCE,
    RING,
    SLIDES_BY_OPTION,
    START,
    parse_location,
    progress_of,
    square_of,
)
from sorry_env.drawing.geometry import place_name
from sorry_env.position import Position
from sorry_env.rules import Rules

_SORRY: Final = "X"


@dataclass(frozen=True)
class Part:
    """What happens to one pawn by choice; a split has two, a pass none.

    Attributes:
        color: name of the pawn's colour.
        source: place that it leaves.
        target: place that it reaches by count, or the place of the pawn that it exchanges with or replaces.
        end: where it stands after a slide; `target` where it does not slide.
    """

    color: str
    source: str
    target: str
    end: str


@dataclass(frozen=True)
class MoveView:
    """A legal move for a page.

    Attributes:
        move: its text (RULES 8.3).
        card: the card, empty for a pass.
        kind: pass, discard, start, step, split, exchange or replace.
        parts: what happens to which pawns.
        spoken: the move in words.
    """

    move: str
    card: str
    kind: str
    parts: tuple[Part, ...]
    spoken: str


def describe_moves(position: Position) -> list[dict[str, object]]:
    """The legal moves of an open decision, in the order of `legal_moves`, as plain data (`MoveView`)."""
    return [asdict(describe_move(position, move)) for move in position.legal_moves()]


def describe_move(position: Position, move: str) -> MoveView:
    """One legal move."""
    if move == "pass":
        return MoveView(move, "", "pass", (), "Pass: the card has no use" if position.card != "11" else "Pass")
    if move.startswith("discard "):
        card = move.removeprefix("discard ")
        return MoveView(move, card, "discard", (), f"Discard {card_name(card)}")
    card, _, text = move.partition(":")
    rules, color = position.rules, position.rules.color_ids[position.mover]
    if "<>" in text:
        source, _, target = text.partition("<>")
        kind, parts = "exchange", (_part(rules, color, source, target),)
    else:
        parts = tuple(_part(rules, color, *half.split(">")) for half in text.split(","))
        kind = "split" if len(parts) == 2 else "step"
        if text.lstrip(COLORS).startswith("S>"):
            kind = "replace" if card == _SORRY else "start"
    return MoveView(move, card, kind, parts, _spoken(position, move, kind, parts))


def card_name(card: str) -> str:
    """A card for people."""
    return "Sorry!" if card == _SORRY else card


def _part(rules: Rules, color: int, source: str, target: str) -> Part:
    """Of a text's two locations; the first carries its colour's letter where that is not the mover's."""
    if source[0] in COLORS and source != "S":
        color, source = COLORS.index(source[0]), source[1:]
    reached = parse_location(color, target)
    return Part(
        COLOR_NAMES[color],
        place_name(color, parse_location(color, source)),
        place_name(color, reached),
        place_name(color, _after_slide(rules, color, reached)),
    )


def _after_slide(rules: Rules, color: int, reached: int) -> int:
    """Progress after a slide, if any (RULES 4.2)."""
    length = SLIDES_BY_OPTION[rules.slide_on].get(reached, 0) if START < reached <= ENTRANCE else 0
    return progress_of(color, (square_of(color, reached) + length) % RING) if length else reached


def _spoken(position: Position, move: str, kind: str, parts: tuple[Part, ...]) -> str:
    words = {"exchange": "exchanges with", "replace": "replaces"}.get(kind, "to")
    texts = []
    for part in parts:
        slide = f", sliding to {_place_words(part.end)}" if part.end != part.target else ""
        victim = "the pawn on " if kind in ("exchange", "replace") else ""
        texts.append(
            f"{part.color} pawn from {_place_words(part.source)} {words} {victim}{_place_words(part.target)}{slide}"
        )
    bumped = _bumped(position, position.after(move), [part.color for part in parts if part.source.endswith("-start")])
    bumps = f"; bumps {' and '.join(bumped)}" if bumped else ""
    text = ", then ".join(texts)
    return text[0].upper() + text[1:] + bumps


def _place_words(place: str) -> str:
    where, _, which = place.partition("-")
    if where == "ring":
        return which
    return {"start": "Start", "home": "Home"}.get(which, which)


def _bumped(before: Position, after: Position, started: list[str]) -> list[str]:
    """Names of the colours of which a move sends pawns back to Start; a pawn of each of `started` has left it."""
    names = []
    for seat, color in enumerate(before.rules.color_ids):
        name = COLOR_NAMES[color]
        if after.pawns(seat).count("S") - before.pawns(seat).count("S") + started.count(name) > 0:
            names.append(name)
    return names
