"""Text of positions and moves (RULES 8), over the integers of a row. `Position` is the face of this file."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Final

import numpy as np

from sorry_env.actions import SEATS, Action, Use, action_table
from sorry_env.board import CIRCLE, COLORS, ENTRANCE, HOME, RING, format_location, parse_location, square_of
from sorry_env.cards import CARDS, FORWARD, NUM_CARDS, SEVEN
from sorry_env.engine.parameters import (
    AWAITING,
    CARD,
    DRAW_WIDTH,
    HAND_WIDTH,
    HANDS,
    IN_HAND,
    LEFT,
    MOVER,
    OVER,
    PAWNS,
    PILE,
    UNKNOWN,
)
from sorry_env.errors import AmbiguousError, IllegalError, MalformedError, quoted
from sorry_env.rules import Rules

Row = Sequence[int]
MOST_CHARS: Final = 1000  # of a position or move; the longest that make sense have below 400

_CARD_IDS: Final = {card: kind for kind, card in enumerate(CARDS)}
_PLACE: Final = r"(?:S|H|s[0-4]|[1-5]?[0-9])"
_STEP: Final = rf"[RBYG]?{_PLACE}>{_PLACE}"
_PART: Final = rf"(?:{_STEP}(?:,{_STEP})?|[RBYG]?{_PLACE}<>{_PLACE})"
_MOVE: Final = re.compile(rf"pass|discard (?:1[012]?|[234578X])|(?:(?P<card>1[012]?|[234578X]):)?(?P<part>{_PART})")


def pawn_places(row: Row | np.ndarray, rules: Rules, seat: int) -> list[int]:
    """Progress of each pawn of a seat, furthest from Home first."""
    base = PAWNS + SEATS * seat
    return [int(progress) for progress in row[base : base + rules.pawns]]


_LOCATIONS: Final = [[format_location(color, progress) for progress in range(HOME + 1)] for color in range(4)]


def format_pawns(row: Row, rules: Rules) -> str:
    """The PAWNS field."""
    fields = []
    base = PAWNS
    for color in rules.color_ids:
        fields.append(_format_seat(color, row[base : base + rules.pawns]))
        base += SEATS
    return "/".join(fields)


def format_all_pawns(rows: np.ndarray, rules: Rules) -> list[str]:
    """The PAWNS field of each row of int16 (B, W); far faster than one by one, as most seats are as in other rows."""
    words = rows[:, PAWNS : PAWNS + SEATS * SEATS].astype(np.uint8).view(np.uint32)
    columns = [
        map(_seat_texts(color, rules.pawns).__getitem__, words[:, seat].tolist())
        for seat, color in enumerate(rules.color_ids)
    ]
    return list(map("/".join, zip(*columns, strict=True)))


class _SeatTexts(dict[int, str]):
    """What stands in the PAWNS field for a seat, by the word that its four slots make (one byte each)."""

    def __init__(self, color: int, pawns: int) -> None:
        self.color, self.pawns = color, pawns

    def __missing__(self, word: int) -> str:
        if len(self) > 1 << 16:
            self.clear()
        text = self[word] = _format_seat(self.color, word.to_bytes(SEATS, sys.byteorder)[: self.pawns])
        return text


_seat_texts = cache(_SeatTexts)


def _format_seat(color: int, places: Iterable[int]) -> str:
    return f"{COLORS[color]}:{','.join([_LOCATIONS[color][progress] for progress in places])}"


def format_position(row: Row, rules: Rules) -> str:
    """The four fields of a position."""
    return f"{format_pawns(row, rules)} {format_rest(row, rules)}"


def format_rest(row: Row, rules: Rules) -> str:
    """The fields after PAWNS: MOVER, CARDS and PILE."""
    mover = rules.colors[row[MOVER]].lower()
    pile = "*" if rules.deck == "replacement" else "".join(str(row[PILE + kind]) for kind in range(NUM_CARDS))
    return f"{mover} {_format_cards(row, rules)} {pile}"


def _format_cards(row: Row, rules: Rules) -> str:
    if rules.hand_size:
        return "/".join(_format_hand(row, seat) for seat in range(rules.players))
    return CARDS[row[CARD]] if row[CARD] >= 0 else "-"


def _format_hand(row: Row, seat: int) -> str:
    return _format_counts(tuple(row[HANDS + NUM_CARDS * seat : HANDS + NUM_CARDS * (seat + 1)]))


@lru_cache(maxsize=1 << 12)
def _format_counts(counts: tuple[int, ...]) -> str:
    if counts[0] == UNKNOWN:
        return "?"
    return ".".join([card for card, count in zip(CARDS, counts, strict=True) for _ in range(count)])


# --- Parsing a position ---


def parse_position(text: str, rules: Rules) -> np.ndarray:
    """The row of a position's text, int16 (1, W).

    Raises:
        MalformedError: text that is not written as RULES 8.2 says.
        IllegalError: a position that cannot be; the message names the field.
    """
    if len(text) > MOST_CHARS:
        raise MalformedError(f"position: {quoted(text)} has {len(text)} characters, more than {MOST_CHARS}")
    parts = text.split(" ")
    if len(parts) != 4:
        raise MalformedError(f"position: {quoted(text)} has {len(parts)} fields, not the four PAWNS MOVER CARDS PILE")
    rows = np.zeros((1, HAND_WIDTH if rules.hand_size else DRAW_WIDTH), np.int16)
    row = rows[0]
    row[PAWNS : PAWNS + SEATS * SEATS] = HOME
    _parse_pawns(parts[0], rules, row)
    _parse_mover(parts[1], rules, row)
    row[OVER] = _is_finished(rules, row)
    if rules.hand_size:
        _parse_hands(parts[2], rules, row)
    else:
        _parse_card(parts[2], row)
    _parse_pile(parts[3], rules, row)
    return rows


def _parse_pawns(text: str, rules: Rules, row: np.ndarray) -> None:
    fields = text.split("/")
    if len(fields) != rules.players:
        raise IllegalError(f"PAWNS: {quoted(text)} seats {len(fields)} colours, the rules {rules.players}")
    squares: dict[int, str] = {}
    for seat, (field, color) in enumerate(zip(fields, rules.color_ids, strict=True)):
        letter, colon, places = field.partition(":")
        if not colon or letter != COLORS[color]:
            raise MalformedError(f"PAWNS: {quoted(field)} does not begin with '{COLORS[color]}:'")
        progresses = sorted(_parse_place(place, color) for place in places.split(","))
        if len(progresses) != rules.pawns:
            raise IllegalError(f"PAWNS: {quoted(field)} has {len(progresses)} pawns, the rules {rules.pawns}")
        for progress in progresses:
            if CIRCLE - 1 <= progress < HOME:
                place = _LOCATIONS[color][progress]
                key = square_of(color, progress) if progress <= ENTRANCE else 100 * (color + 1) + progress
                if key in squares:
                    raise IllegalError(f"PAWNS: {squares[key]} and {letter} both stand on {place}")
                squares[key] = letter
        row[PAWNS + SEATS * seat : PAWNS + SEATS * seat + rules.pawns] = progresses


def _parse_place(text: str, color: int) -> int:
    try:
        return parse_location(color, text)
    except KeyError:
        raise MalformedError(f"PAWNS: {quoted(text)} is no location (S, 0..59, s0..s4, H)") from None


def _parse_mover(text: str, rules: Rules, row: np.ndarray) -> None:
    if len(text) != 1 or text.upper() not in COLORS or text != text.lower():
        raise MalformedError(f"MOVER: {quoted(text)} is not one of r, b, y, g")
    if text.upper() not in rules.colors:
        raise IllegalError(f"MOVER: {text!r} is not seated (seated: {', '.join(rules.colors.lower())})")
    row[MOVER] = rules.colors.index(text.upper())


def _is_finished(rules: Rules, row: np.ndarray) -> bool:
    """Whether the mover's side has won; raises IllegalError where another side has."""
    home = [min(pawn_places(row, rules, seat)) == HOME for seat in range(rules.players)]
    won = [home[seat] and (not rules.teams or home[(seat + 2) % SEATS]) for seat in range(rules.players)]
    mover = int(row[MOVER])
    partner = (mover + 2) % SEATS if rules.teams else mover
    for seat in range(rules.players):
        if won[seat] and seat not in (mover, partner):
            raise IllegalError(
                f"MOVER: {rules.colors[seat].lower()} has all pawns Home, so the mover of the finished game "
                f"cannot be {rules.colors[mover].lower()}"
            )
    return won[mover]


def _parse_card(text: str, row: np.ndarray) -> None:
    if text == "-":
        row[CARD] = AWAITING
        return
    if text not in _CARD_IDS:
        raise MalformedError(f"CARDS: {quoted(text)} is neither a card ({' '.join(CARDS)}) nor '-'")
    if row[OVER]:
        raise IllegalError(f"CARDS: {text!r} is drawn, but the game is over (write '-')")
    row[CARD] = _CARD_IDS[text]


def _parse_hands(text: str, rules: Rules, row: np.ndarray) -> None:
    hands = text.split("/")
    if len(hands) != rules.players:
        raise IllegalError(f"CARDS: {quoted(text)} has {len(hands)} hands, the rules {rules.players}")
    row[CARD] = AWAITING if row[OVER] else IN_HAND
    for seat, hand in enumerate(hands):
        if hand == "?":
            row[HANDS + NUM_CARDS * seat] = UNKNOWN
            continue
        cards = hand.split(".") if hand else []
        for card in cards:
            if card not in _CARD_IDS:
                raise MalformedError(f"CARDS: {quoted(card)} in {quoted(hand)} is no card ({' '.join(CARDS)})")
            row[HANDS + NUM_CARDS * seat + _CARD_IDS[card]] += 1
        _check_hand_size(len(cards), hand, seat, rules, row)


def _check_hand_size(size: int, hand: str, seat: int, rules: Rules, row: np.ndarray) -> None:
    """A hand is full; the mover's may be one short, awaiting its refill, and is so at the end (RULES 5.2)."""
    is_mover = seat == row[MOVER]
    if is_mover and size == rules.hand_size - 1:
        row[CARD] = AWAITING
    elif size != rules.hand_size or (is_mover and row[OVER]):
        wanted = rules.hand_size - 1 if is_mover and row[OVER] else rules.hand_size
        raise IllegalError(f"CARDS: the hand {quoted(hand)} of {rules.colors[seat]} has {size} cards, not {wanted}")


def _parse_pile(text: str, rules: Rules, row: np.ndarray) -> None:
    shown = _shown_cards(rules, row)
    if text == "*":
        pile = [total - out for total, out in zip(rules.deck_counts, shown, strict=True)]
        if rules.deck == "replacement":
            pile, shown = list(rules.deck_counts), [0] * NUM_CARDS
    elif rules.deck == "replacement":
        raise MalformedError(f"PILE: {quoted(text)}: the replacement deck is written '*'")
    elif not re.fullmatch(r"[0-9]{11}", text):
        raise MalformedError(f"PILE: {quoted(text)} is neither eleven digits nor '*'")
    else:
        pile = [int(digit) for digit in text]
    for kind, (left, out, total) in enumerate(zip(pile, shown, rules.deck_counts, strict=True)):
        if left + out > total or left < 0:
            raise IllegalError(f"PILE: {left} left and {out} shown of card {CARDS[kind]}, but the deck has {total}")
    hidden = rules.hand_size * sum(_is_hidden(row, rules, seat) for seat in range(rules.players))
    if sum(pile) < hidden:
        raise IllegalError(f"PILE: {sum(pile)} cards in pile and unknown hands, but the unknown hands hold {hidden}")
    row[PILE : PILE + NUM_CARDS] = pile
    row[LEFT] = sum(pile)


def _is_hidden(row: np.ndarray, rules: Rules, seat: int) -> bool:
    """Whether a seat's hand is unknown."""
    return bool(rules.hand_size) and bool(row[HANDS + NUM_CARDS * seat] == UNKNOWN)


def _shown_cards(rules: Rules, row: np.ndarray) -> list[int]:
    """How many of each kind the drawn card and the known hands show."""
    shown = [0] * NUM_CARDS
    if row[CARD] >= 0:
        shown[row[CARD]] += 1
    if rules.hand_size:
        for seat in range(rules.players):
            hand = row[HANDS + NUM_CARDS * seat : HANDS + NUM_CARDS * (seat + 1)]
            if not _is_hidden(row, rules, seat):
                shown = [out + int(count) for out, count in zip(shown, hand, strict=True)]
    return shown


# --- Moves ---


def format_move(row: Row, rules: Rules, action: int) -> str:
    """The text of a legal action (RULES 8.3)."""
    head, one, first, link, two, second = _wordings(rules.colors, rules.pawns, rules.teams, row[MOVER])[action]
    return f"{head}{first[row[one]]}{link}{second[row[two]]}"


# How an action is worded: head, field of the row, what its value reads as, link, another field, what it reads as.
_Wording = tuple[str, int, Sequence[str], str, int, Sequence[str]]
_NOTHING: Final = ("",) * (HOME + 1)


@lru_cache(maxsize=256)
def _wordings(colors: str, pawns: int, teams: bool, mover: int) -> list[_Wording]:
    """The wording of every action of a mover's."""
    return [_wording(move, colors, pawns, mover) for move in action_table(pawns, teams)]


def _wording(move: Action, colors: str, pawns: int, mover: int) -> _Wording:
    if move.use == Use.PASS:
        return "pass", PAWNS, _NOTHING, "", PAWNS, _NOTHING
    card = CARDS[move.card]
    if move.use == Use.DISCARD:
        return f"discard {card}", PAWNS, _NOTHING, "", PAWNS, _NOTHING
    is_of_side = move.use in (Use.START, Use.REPLACE)  # else the first pawn is numbered through both sides
    side, slot = (move.first, 0) if is_of_side else divmod(move.first, pawns)
    one, color, letter = _pawn(colors, mover + 2 * side, slot)
    head = f"{card}:{letter if side else ''}"
    if move.use == Use.START:
        return f"{head}S>{_LOCATIONS[color][CIRCLE]}", one, _NOTHING, "", one, _NOTHING
    if move.use == Use.STEP:
        return head, one, _step_texts(color, move.steps), "", one, _NOTHING
    side, slot = divmod(move.second, pawns)  # of a split by sides, else by seats clockwise
    if move.use == Use.SPLIT:
        two, other, letter = _pawn(colors, mover + 2 * side, slot)
        rest = _step_texts(other, FORWARD[SEVEN] - move.steps)
        return head, one, _step_texts(color, move.steps), f",{letter if side else ''}", two, rest
    two, other, _ = _pawn(colors, mover + side, slot)
    if move.use == Use.REPLACE:
        return f"{head}S>", one, _NOTHING, "", two, _LOCATIONS[other]
    return head, one, _LOCATIONS[color], "<>", two, _LOCATIONS[other]


def _pawn(colors: str, seat: int, slot: int) -> tuple[int, int, str]:
    """Field, colour and letter of a pawn; seats are counted on from the last to the first."""
    seat %= len(colors)
    return PAWNS + SEATS * seat + slot, COLORS.index(colors[seat]), colors[seat]


@lru_cache(maxsize=256)
def _step_texts(color: int, steps: int) -> list[str]:
    """`FROM>TO` for each progress from which so many steps lead anywhere."""
    texts = []
    for progress, place in enumerate(_LOCATIONS[color]):
        target = progress + steps + (RING if progress + steps < 1 else 0)
        texts.append(f"{place}>{_LOCATIONS[color][target]}" if target <= HOME else "")
    return texts


def parse_move(text: str, row: Row, rules: Rules, legal: Iterable[int]) -> int:
    """The legal action that a text means; the card may be left out where only one legal move fits.

    Raises:
        MalformedError: text that is not written as RULES 8.3 says.
        AmbiguousError: a text without its card that fits several legal moves.
        IllegalError: a move that is not legal here; the message shows the position and the legal moves.
    """
    moves = {format_move(row, rules, action): action for action in legal}
    if text in moves:
        return moves[text]
    match = _MOVE.fullmatch(text) if len(text) <= MOST_CHARS else None
    if match is None:
        raise MalformedError(
            f"move: {quoted(text)} is not written as CARD:PART, such as 1:S>4, 7:5>8,20>24 or 11:22<>50, nor is it "
            "'pass' or 'discard CARD'"
        )
    fitting = [move for move in moves if move.partition(":")[2] == text]
    if len(fitting) > 1:
        raise AmbiguousError(f"move: {quoted(text)} may be {' or '.join(fitting)}; write the card")
    if fitting:
        return moves[fitting[0]]
    raise IllegalError(
        f"move: {quoted(text)} is not legal in {format_position(row, rules)!r}; legal: {_list_moves(moves)}"
    )


def _list_moves(moves: Iterable[str]) -> str:
    shown = list(moves)
    more = f" and {len(shown) - 40} more" if len(shown) > 40 else ""
    return ", ".join(shown[:40]) + more
