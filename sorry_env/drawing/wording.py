"""A position in words: for those who do not see its picture, and for the picture's own lines."""

from __future__ import annotations

from collections.abc import Sequence

from sorry_env.board import COLOR_NAMES
from sorry_env.drawing.faces import card_name
from sorry_env.position import Position


def seat_word(position: Position, seat: int) -> str:
    """A seat's colour, with a capital."""
    return COLOR_NAMES[position.rules.color_ids[seat]].capitalize()


def status(position: Position) -> str:
    """Who is to do what, or who has won."""
    if position.is_over:
        return " and ".join(seat_word(position, seat) for seat in position.winners) + " won the game"
    seat = position.mover
    text = f"{seat_word(position, seat)} {'draws' if position.card is None and _draws(position) else 'to move'}"
    return f"{text} (with {seat_word(position, (seat + 2) % 4)})" if position.rules.teams else text


def _draws(position: Position) -> bool:
    return position.awaits_card and not position.rules.hand_size


def title(position: Position) -> str:
    """One line: the game, who is on move and with what."""
    card = f" with {_article(position.card)} {card_name(position.card)}" if position.card else ""
    return f"Sorry! board: {status(position)}{card}"


def _article(card: str) -> str:
    return "an" if card in ("8", "11") else "a"


def description(position: Position, last_move: str | None, seat_names: Sequence[str] | None) -> str:
    """All that the picture shows, in sentences."""
    names = seat_names or [""] * position.rules.players
    sentences = [_seat_sentence(position, seat, name) for seat, name in enumerate(names)]
    if position.rules.deck == "replacement":
        sentences.append("Each card comes from a full deck.")
    else:
        pile, discards = sum(position.pile().values()), sum(position.discards().values())
        sentences.append(f"{pile_word(position).capitalize()} {pile} cards, discards {discards}.")
    if last_move:
        sentences.append(f"Last move: {last_move}.")
    return " ".join(sentences)


def pile_word(position: Position) -> str:
    """What the cards that are left are called: with hidden hands, nobody knows which lie in the pile."""
    hands = [position.hand(seat) for seat in range(position.rules.players)]
    return "unseen" if None in hands else "draw pile"


def _seat_sentence(position: Position, seat: int, name: str) -> str:
    pawns = position.pawns(seat)
    places = [f"{pawns.count('S')} in Start"] if "S" in pawns else []
    places += [f"on {place}" for place in pawns if place not in ("S", "H")]
    places += [f"{pawns.count('H')} Home"] if "H" in pawns else []
    text = f"{seat_word(position, seat)}{f' ({name})' * bool(name)}: {', '.join(places)}"
    hand = position.hand(seat)
    if hand is None:
        return f"{text}; hand hidden."
    return f"{text}; hand {', '.join(map(card_name, hand))}." if hand else f"{text}."
