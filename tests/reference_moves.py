"""What a card may do and what follows on the board, straight from RULES.md sections 3, 4 and 6.

A use is written as the part of a move after its card (8.3). Each function is given pawns and leaves them alone,
but for `put`, which works on a copy that its caller made.
"""

from __future__ import annotations

from collections.abc import Iterator

from reference_rules import (
    BACKWARD,
    CIRCLE,
    ENTRANCE,
    FORWARD,
    PARTNER,
    SLIDES,
    ZONE,
    Location,
    Pawns,
    RefRules,
    opponents_of,
    team_of,
)

Pawn = tuple[str, Location]  # a pawn by its colour and where it stands
Uses = Iterator[tuple[str, Pawns]]  # a use's part of the move, and the pawns after it


def step_forward(color: str, place: Location, count: int) -> Location | None:
    """Where `count` steps forward lead; None past Home (1.3, 3.6, 4.6)."""
    for _ in range(count):
        if place == "H":
            return None
        if isinstance(place, int):
            place = "s0" if place == ENTRANCE[color] else (place + 1) % 60
        else:
            place = "H" if place == "s4" else ZONE[ZONE.index(place) + 1]
    return place


def step_backward(color: str, place: Location, count: int) -> Location:
    """Where `count` steps backward lead (4.5)."""
    for _ in range(count):
        if isinstance(place, int):
            place = (place - 1) % 60
        else:
            place = ENTRANCE[color] if place == "s0" else ZONE[ZONE.index(place) - 1]
    return place


def can_step(place: Location) -> bool:
    """Whether a pawn there may move forward or backward (2.4, 3.8)."""
    return place not in ("S", "H")


def lift(pawns: Pawns, *lifted: Pawn) -> Pawns:
    """A copy of the pawns without those lifted."""
    pawns = {color: places[:] for color, places in pawns.items()}
    for color, place in lifted:
        pawns[color].remove(place)
    return pawns


def swept_squares(color: str, place: Location, rules: RefRules) -> range:
    """The ring squares that a pawn landing on `place` takes, its last stop at the end (4.1, 4.2, 6.4)."""
    if not isinstance(place, int):
        return range(0)
    if place in SLIDES:
        owner, end = SLIDES[place]
        if rules.slide_on == "any" or (rules.slide_on == "own") == (owner == color):
            return range(place, end + 1)
    return range(place, place + 1)


def put(pawns: Pawns, color: str, place: Location, rules: RefRules) -> list[Pawn]:
    """Land a lifted pawn, with its slide; return the pawns it bumped (4.1, 4.2, 4.3, 6.5)."""
    swept = swept_squares(color, place, rules)
    bumped = [(other, square) for other, places in pawns.items() for square in places if square in swept]
    for other, square in bumped:
        pawns[other].remove(square)
        pawns[other].append("S")
    pawns[color].append(swept[-1] if swept else place)
    return bumped


def land_by_count(
    pawns: Pawns, pawn: Pawn, target: Location | None, rules: RefRules
) -> tuple[Pawns, list[Pawn]] | None:
    """Move a pawn to the square it counted to: the pawns after it and those bumped, or None (3.6, 3.7)."""
    color, _ = pawn
    if target is None or (target != "H" and target in pawns[color]):
        return None
    after = lift(pawns, pawn)
    return after, put(after, color, target, rules)


def letter(color: str, mover: str) -> str:
    """How a moved pawn's colour is told: only a partner's is (8.3)."""
    return "" if color == mover else color


def free_uses(pawns: Pawns, mover: str, card: str, rules: RefRules) -> Uses:
    """Every use of a card other than an exchange (3.3, 6.3)."""
    for color in team_of(mover, rules):
        sign = letter(color, mover)
        if card in rules.start_cards:
            yield from starts(pawns, color, sign, rules)
        yield from steps(pawns, color, sign, card, rules)
    if card == "7":
        yield from splits(pawns, mover, rules)
    if card == "X":
        yield from replacements(pawns, mover, rules)


def starts(pawns: Pawns, color: str, sign: str, rules: RefRules) -> Uses:
    """One pawn from Start to its circle (3.3, 3.8)."""
    circle = CIRCLE[color]
    if "S" in pawns[color] and circle not in pawns[color]:
        after = lift(pawns, (color, "S"))
        put(after, color, circle, rules)
        yield f"{sign}S>{circle}", after


def steps(pawns: Pawns, color: str, sign: str, card: str, rules: RefRules) -> Uses:
    """One pawn forward or backward by the card's number (3.3; X in edition-2013)."""
    forward = 4 if card == "X" and rules.x_forward4 else FORWARD.get(card)
    backward = BACKWARD.get(card)
    for place in pawns[color]:
        if not can_step(place):
            continue
        targets = [] if forward is None else [step_forward(color, place, forward)]
        targets += [] if backward is None else [step_backward(color, place, backward)]
        for target in targets:
            landed = land_by_count(pawns, (color, place), target, rules)
            if landed is not None:
                yield f"{sign}{place}>{target}", landed[0]


def splits(pawns: Pawns, mover: str, rules: RefRules) -> Uses:
    """A 7 over two different pawns, in each order (3.11)."""
    movable = [(color, place) for color in team_of(mover, rules) for place in pawns[color] if can_step(place)]
    for first in movable:
        for count in range(1, 7):
            target = step_forward(*first, count)
            landed = land_by_count(pawns, first, target, rules)
            if landed is None:
                continue
            between, bumped = landed
            half = f"{letter(first[0], mover)}{first[1]}>{target}"
            for second in movable:
                if second != first and second not in bumped:
                    yield from second_half(between, second, 7 - count, half, mover, rules)


def second_half(between: Pawns, second: Pawn, count: int, half: str, mover: str, rules: RefRules) -> Uses:
    """The second half of a 7, played from what the first half left (3.11)."""
    target = step_forward(*second, count)
    landed = land_by_count(between, second, target, rules)
    if landed is not None:
        yield f"{half},{letter(second[0], mover)}{second[1]}>{target}", landed[0]


def replacements(pawns: Pawns, mover: str, rules: RefRules) -> Uses:
    """X: a pawn from Start takes the place of an opposing pawn, else of the partner colour's (3.10, 6.6)."""
    opposing = on_ring(pawns, opponents_of(mover, rules))
    for color in team_of(mover, rules):
        targets = opposing
        if rules.teams and not opposing:
            targets = on_ring(pawns, [PARTNER[color]])
        for _, square in targets:
            if "S" in pawns[color]:
                after = lift(pawns, (color, "S"))
                put(after, color, square, rules)
                yield f"{letter(color, mover)}S>{square}", after


def on_ring(pawns: Pawns, colors: list[str]) -> list[Pawn]:
    """The pawns of these colours that stand on the ring, once each."""
    return [(color, place) for color in colors for place in pawns[color] if isinstance(place, int)]


def exchanges(pawns: Pawns, mover: str, rules: RefRules) -> Uses:
    """11: exchange places with an opposing pawn, or by option with the partner colour's (3.9, 4.4, 6.7)."""
    for color in team_of(mover, rules):
        partners = [PARTNER[color]] if rules.swap_partner else []
        for _, square in on_ring(pawns, [color]):
            for other, target in on_ring(pawns, opponents_of(mover, rules) + partners):
                after = lift(pawns, (color, square), (other, target))
                after[other].append(square)
                put(after, color, target, rules)
                yield f"{letter(color, mover)}{square}<>{target}", after


def card_uses(pawns: Pawns, mover: str, card: str, rules: RefRules) -> tuple[dict[str, Pawns], dict[str, Pawns]]:
    """A card's legal uses as whole moves: those that oblige to play, and exchanges (3.4, 3.9, 5.3)."""
    free = {f"{card}:{part}": after for part, after in free_uses(pawns, mover, card, rules)}
    swaps = exchanges(pawns, mover, rules) if card == "11" else ()
    return free, {f"{card}:{part}": after for part, after in swaps}
