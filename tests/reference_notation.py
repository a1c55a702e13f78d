"""The reference's reading and printing of positions, straight from RULES.md section 8."""

from __future__ import annotations

from reference_rules import (
    CARDS,
    ZONE,
    Cards,
    Location,
    Pawns,
    RefRules,
    State,
    deck_of,
    sort_pawns,
    team_is_home,
)

PLACES: dict[str, Location] = {str(square): square for square in range(60)}
PLACES |= {place: place for place in ("S", *ZONE, "H")}

Hands = dict[str, list[str] | None]


def format_pawns(state: State, rules: RefRules) -> str:
    """The PAWNS field (8.2)."""
    pawns = {color: list(state.pawns[color]) for color in rules.colors}
    sort_pawns(pawns)
    return "/".join(f"{color}:{','.join(map(str, places))}" for color, places in pawns.items())


def format_state(state: State, rules: RefRules) -> str:
    """The canonical text of a position (8.2)."""
    cards = format_hands(state, rules) if rules.hand_size else state.card or "-"
    pile = "*" if rules.deck == "replacement" else "".join(str(state.pile[card]) for card in CARDS)
    return f"{format_pawns(state, rules)} {state.mover.lower()} {cards} {pile}"


def format_hands(state: State, rules: RefRules) -> str:
    """The CARDS field of the hand game (8.2)."""
    hands = [state.hands[color] for color in rules.colors]
    return "/".join("?" if hand is None else ".".join(sorted(hand, key=CARDS.index)) for hand in hands)


def parse(text: str, rules: RefRules) -> State:
    """The position that a text of 8.2 tells.

    A hand game's text does not say whether a hand one short played a 2, so `next_mover` is then the next seat.
    Raises ValueError, the field named, for what 8.2 refuses.
    """
    parts = text.split(" ")
    if len(parts) != 4:
        raise ValueError("position: four fields separated by one space are needed")
    pawns = parse_pawns(parts[0], rules)
    mover = parse_mover(parts[1], rules)
    over = is_over(pawns, mover, rules)
    card, hands = (None, parse_hands(parts[2], mover, rules)) if rules.hand_size else (parse_card(parts[2]), {})
    if over and not (card is None and is_short(hands, mover, rules)):
        raise ValueError("CARDS: in a finished game no card is drawn and the last mover's hand is one short")
    pile = parse_pile(parts[3], card, hands, rules)
    short = not over and rules.hand_size > 0 and is_short(hands, mover, rules) and hands[mover] is not None
    after = rules.colors[(rules.colors.index(mover) + 1) % rules.players] if short else mover
    return State(pawns, mover, card, hands, pile, over, after)


def is_short(hands: Hands, mover: str, rules: RefRules) -> bool:
    """Whether the mover's hand may be one card short (always in the draw game, and an unknown hand)."""
    hand = hands.get(mover)
    return hand is None or len(hand) == rules.hand_size - 1


def is_over(pawns: Pawns, mover: str, rules: RefRules) -> bool:
    """Whether the game is finished (2.3, 6.2); only the one who moved last can have finished it."""
    if team_is_home(pawns, mover, rules):
        return True
    if any(team_is_home(pawns, color, rules) for color in rules.colors):
        raise ValueError("MOVER: of a finished game, the player who made the last move is needed")
    return False


def parse_pawns(text: str, rules: RefRules) -> Pawns:
    """Read the PAWNS field."""
    sides = text.split("/")
    if [side[:2] for side in sides] != [f"{color}:" for color in rules.colors]:
        raise ValueError(f"PAWNS: the colours must be {'/'.join(rules.colors)}, each with a colon")
    pawns = {side[0]: [parse_place(word) for word in side[2:].split(",")] for side in sides}
    ring = [place for places in pawns.values() for place in places if isinstance(place, int)]
    if len(set(ring)) != len(ring):
        raise ValueError("PAWNS: two pawns on a ring square")
    for color, places in pawns.items():
        if len(places) != rules.pawns:
            raise ValueError(f"PAWNS: {color} has {len(places)} pawns, not {rules.pawns}")
        if any(places.count(square) > 1 for square in ZONE):
            raise ValueError(f"PAWNS: two pawns of {color} on a zone square")
    sort_pawns(pawns)
    return pawns


def parse_place(word: str) -> Location:
    """Read a location (8.1)."""
    if word not in PLACES:
        raise ValueError(f"PAWNS: {word!r} is no location")
    return PLACES[word]


def parse_mover(text: str, rules: RefRules) -> str:
    """Read the MOVER field."""
    if text not in [color.lower() for color in rules.colors]:
        raise ValueError(f"MOVER: {text!r} is not seated")
    return text.upper()


def parse_card(text: str) -> str | None:
    """Read the CARDS field of the draw game."""
    if text == "-":
        return None
    if text not in CARDS:
        raise ValueError(f"CARDS: {text!r} is no card")
    return text


def parse_hands(text: str, mover: str, rules: RefRules) -> Hands:
    """Read the CARDS field of the hand game."""
    words = text.split("/")
    if len(words) != rules.players:
        raise ValueError(f"CARDS: {len(words)} hands for {rules.players} players")
    hands: Hands = {}
    for color, word in zip(rules.colors, words, strict=True):
        hand = None if word == "?" else word.split(".") if word else []
        if any(card not in CARDS for card in hand or []):
            raise ValueError(f"CARDS: {word!r} holds what is no card")
        sizes = (rules.hand_size, rules.hand_size - 1) if color == mover else (rules.hand_size,)
        if hand is not None and len(hand) not in sizes:
            raise ValueError(f"CARDS: {color}'s hand has {len(hand)} cards")
        hands[color] = None if hand is None else sorted(hand, key=CARDS.index)
    return hands


def parse_pile(text: str, card: str | None, hands: Hands, rules: RefRules) -> Cards:
    """Read the PILE field, and hold it and the cards shown against the deck."""
    left = deck_of(rules.deck)
    if rules.deck == "replacement":
        if text != "*":
            raise ValueError("PILE: the replacement deck is written *")
        return left
    for seen in [card] if card else [seen for hand in hands.values() for seen in hand or []]:
        left[seen] -= 1
    if min(left.values()) < 0:
        raise ValueError("CARDS: more of a card than the deck has")
    pile = left if text == "*" else parse_digits(text)
    if any(pile[kind] > left[kind] for kind in CARDS):
        raise ValueError("PILE: more of a card than the deck has")
    if sum(pile.values()) < sum(rules.hand_size for hand in hands.values() if hand is None):
        raise ValueError("PILE: too few cards for the unknown hands")
    return pile


def parse_digits(text: str) -> Cards:
    """Read eleven digits, one a card."""
    if len(text) != len(CARDS) or any(digit not in "0123456789" for digit in text):
        raise ValueError(f"PILE: {text!r} is neither * nor eleven digits")
    return {card: int(digit) for card, digit in zip(CARDS, text, strict=True)}
