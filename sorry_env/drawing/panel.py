"""The middle of the board as shapes: who is on move, the card and the piles, hands, what is left, the last move."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from sorry_env.board import COLOR_NAMES, COLORS
from sorry_env.cards import CARDS
from sorry_env.drawing.faces import card_back, card_face, card_gap, card_unknown, pile_edge
from sorry_env.drawing.geometry import PANEL, Point
from sorry_env.drawing.palette import FILLS, GREY, GROUND, INKS, SORRY_INK, SQUARE, TEXT
from sorry_env.drawing.shapes import Box, Group, Shape, Text
from sorry_env.drawing.wording import pile_word, seat_word, status
from sorry_env.position import Position

_LARGER: Final = 0.1  # than the free cells on each side
LEFT: Final = PANEL[1] - _LARGER
TOP: Final = PANEL[0] - _LARGER
WIDTH: Final = PANEL[3] + 1 - PANEL[1] + 2 * _LARGER
HEIGHT: Final = PANEL[2] + 1 - PANEL[0] + 2 * _LARGER
MIDDLE: Final = LEFT + WIDTH / 2

_STATUS_HEIGHT: Final = 0.78
_SEAT_HEIGHT: Final = 0.62  # of a seat's line without a hand
_HAND_HEIGHT: Final = 0.9
_SMALL_CARD: Final = 0.8
_TABLE_HEIGHT: Final = 1.5
_MOVE_HEIGHT: Final = 0.4
_CAPTION: Final = 0.34  # size of the lines below the piles
_MOST_CARD: Final = 2.6  # highest that a card is drawn
_GAP: Final = 0.22
_NAME_CHARS: Final = 36  # that fit on a line without a hand, and beside one
_NAME_CHARS_BESIDE: Final = 11
_MOVE_CHARS: Final = 44
_FULL: Final = 5  # most cards of a kind in any deck

_Part = tuple[float, Callable[[float], Iterator[Shape]]]  # its height, and its shapes from its upper edge down


def panel(
    position: Position, seat_names: Sequence[str] | None, last_move: str | None, before: Position | None
) -> Group:
    """Everything in the middle; parts that a game lacks leave their room to the cards."""
    parts: list[_Part] = [(_STATUS_HEIGHT, lambda y: _status(position, y))]
    row = _HAND_HEIGHT if position.rules.hand_size else _SEAT_HEIGHT
    seats: list[_Part] = []
    if position.rules.hand_size or seat_names:
        names = seat_names or [""] * position.rules.players
        seats = [(row * position.rules.players, lambda y: _seats(position, names, row, y))]
    below: list[_Part] = [(_TABLE_HEIGHT, lambda y: _table(position, y))]
    if last_move:
        told = f"{seat_word(before, before.mover)} {last_move}" if before else last_move
        below.append((_MOVE_HEIGHT, lambda y: _last_move(told, y)))
    others = [*parts, *seats, *below]
    room = HEIGHT - sum(height for height, _ in others) - _GAP * len(others) - _CAPTION
    card = min(_MOST_CARD, room)
    piles: _Part = (card + _CAPTION, lambda y: _piles(position, last_move, card, y))
    parts += [piles, *seats, *below]
    free = HEIGHT - sum(height for height, _ in parts)
    y = TOP
    shapes: list[Shape] = [_plate()]
    for height, draw in parts:
        shapes += list(draw(y))
        y += height + free / (len(parts) - 1)
    return Group(tuple(shapes), "panel")


@lru_cache(maxsize=1)
def _plate() -> Group:
    """Keeps the ways of moves from running through what is written."""
    return Group((Box((LEFT, TOP), (WIDTH, HEIGHT), GROUND),), "plate")


def clipped(text: str, chars: int) -> str:
    """A text of at most so many characters, printable ones only."""
    shown = "".join(char if char.isprintable() else "?" for char in text)
    return shown if len(shown) <= chars else shown[: chars - 1] + "…"


def _status(position: Position, y: float) -> Iterator[Shape]:
    """Who is on move on a ground of the mover's colour."""
    color = position.rules.color_ids[position.mover]
    yield _banner(status(position), color, y)


@lru_cache(maxsize=64)
def _banner(text: str, color: int, y: float) -> Group:
    ground = Box((LEFT, y), (WIDTH, _STATUS_HEIGHT), FILLS[color], TEXT, 0.04, 0.2)
    words = Text((MIDDLE, y + _STATUS_HEIGHT / 2), text, 0.46, INKS[color], bold=True)
    return Group((ground, words), "status", (("color", COLOR_NAMES[color]),))


def _piles(position: Position, last_move: str | None, height: float, y: float) -> Iterator[Shape]:
    """Draw pile, drawn card (draw game) and discards, each with its caption; the last move's card lies on top."""
    is_draw_game = not position.rules.hand_size
    across = 0.335 * WIDTH if is_draw_game else 0.25 * WIDTH
    middle = y + height / 2
    if position.rules.deck == "replacement":
        pile, pile_text = 99, "full deck"
    else:
        pile = sum(position.pile().values())
        pile_text = f"{pile_word(position)} {pile}"
    at = (MIDDLE - across, middle)
    top = card_back(at, height, "pile") if pile else card_gap(at, height, "pile")
    yield from _pile(top, at, height, pile, pile_text)
    discards = sum(position.discards().values())
    if is_draw_game:
        if position.card:
            yield card_face(position.card, (MIDDLE, middle), height, "drawn")
        else:
            yield card_gap((MIDDLE, middle), height, "drawn")
        yield _caption("drawn card", (MIDDLE, middle + height / 2))
    yield from _discards(position, last_move, discards, (MIDDLE + across, middle), height)


def _discards(position: Position, last_move: str | None, count: int, at: Point, height: float) -> Iterator[Shape]:
    """The discards; with the last move's card on top, else as a blank face, for the order of a pile is nowhere."""
    text = "discards" if position.rules.deck == "replacement" else f"discards {count}"
    card = played_card(last_move)
    if card and (count or position.rules.deck == "replacement"):
        top = card_face(card, at, height, "discards")
    else:
        top = card_unknown(at, height, "discards") if count else card_gap(at, height, "discards")
    yield from _pile(top, at, height, count, text)


def played_card(last_move: str | None) -> str | None:
    """The card of a move's text (RULES 8.3); None of a pass and where there is no such text."""
    if not last_move:
        return None
    text = last_move.removeprefix("discard ").partition(":")[0]
    return text if text in CARDS else None


def _pile(top: Group, at: Point, height: float, count: int, caption: str) -> Iterator[Shape]:
    yield pile_edge(at, height, count)
    yield top
    yield _caption(caption, (at[0], at[1] + height / 2))


@lru_cache(maxsize=512)
def _caption(text: str, below: Point) -> Group:
    return Group((Text((below[0], below[1] + 0.34), text, 0.3, TEXT),), "caption")


def _seats(position: Position, names: Sequence[str], row: float, y: float) -> Iterator[Shape]:
    """A line a seat: its letter, its name or colour, and its hand; a frame round the mover's."""
    for seat in range(position.rules.players):
        is_mover = seat == position.mover and not position.is_over
        has_hand = bool(position.rules.hand_size)
        name = clipped(names[seat] or seat_word(position, seat), _NAME_CHARS_BESIDE if has_hand else _NAME_CHARS)
        color = position.rules.color_ids[seat]
        yield _seat_line(name, color, is_mover, y + seat * row, row)
        if has_hand:
            yield from _hand(position, seat, y + (seat + 0.5) * row)


@lru_cache(maxsize=256)
def _seat_line(name: str, color: int, is_mover: bool, y: float, height: float) -> Group:
    frame = (Box((LEFT, y + 0.02), (WIDTH, height - 0.04), SQUARE, TEXT, 0.05, 0.12),) if is_mover else ()
    middle = y + height / 2
    chip = Box((LEFT + 0.15, middle - 0.22), (0.44, 0.44), FILLS[color], TEXT, 0.03, 0.1)
    letter = Text((LEFT + 0.37, middle), COLORS[color], 0.32, INKS[color], bold=True)
    label = Text((LEFT + 0.75, middle), name, 0.34, TEXT, bold=is_mover, anchor="start")
    return Group((*frame, chip, letter, label), "seat", (("color", COLOR_NAMES[color]),))


def _hand(position: Position, seat: int, middle: float) -> Iterator[Shape]:
    """A seat's cards side by side, an unknown hand face down."""
    hand, size = position.hand(seat), position.rules.hand_size
    color = COLOR_NAMES[position.rules.color_ids[seat]]
    first, step = LEFT + 3.2, min(0.76, 4.75 / size)
    for number in range(size if hand is None else len(hand)):
        at = (round(first + number * step, 4), middle)
        if hand is None:
            yield card_back(at, _SMALL_CARD, "hand")
        else:
            yield card_face(hand[number], at, _SMALL_CARD, "hand", (("color", color),))


def _table(position: Position, y: float) -> Iterator[Shape]:
    """A column a kind of card: a box for each in the deck, full for those that are left."""
    is_full = position.rules.deck == "replacement"
    if pile_word(position) == "unseen":
        text = "unseen: in the pile and in hidden hands"
    else:
        text = "each card from a full deck" if is_full else "left in the draw pile"
    yield Group((Text((MIDDLE, y + 0.14), text, 0.28, TEXT),), "caption")
    pile = position.pile()
    for kind, (card, total) in enumerate(zip(CARDS, position.rules.deck_counts, strict=True)):
        x = LEFT + WIDTH * (kind + 0.5) / len(CARDS)
        yield _column(card, total if is_full else pile[card], total, (round(x, 4), y + 0.34))


@lru_cache(maxsize=1024)
def _column(card: str, left: int, total: int, at: Point) -> Group:
    x, y = at
    boxes = [
        Box((x - 0.21, y + 0.14 * (_FULL - 1 - number)), (0.42, 0.1), TEXT if number < left else "", GREY, 0.02)
        for number in range(total)
    ]
    label = Text((x, y + 0.14 * _FULL + 0.22), card, 0.32, SORRY_INK if card == "X" else TEXT, bold=True)
    return Group((*boxes, label), "left", (("card", card), ("left", str(left))))


def _last_move(told: str, y: float) -> Iterator[Shape]:
    yield Group(
        (Text((MIDDLE, y + _MOVE_HEIGHT / 2), clipped(f"last move: {told}", _MOVE_CHARS), 0.34, TEXT),), "last-move"
    )
