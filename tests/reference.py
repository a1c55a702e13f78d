"""A readable reference of the whole game, written from RULES.md alone and sharing nothing with the engine.

It is for reading and for holding the engine against; speed is secondary. The rules record is in `reference_rules`,
the notation in `reference_notation`, what a card does on the board in `reference_moves`; the game's course is here.
"""

from __future__ import annotations

import random

from reference_moves import card_uses
from reference_notation import format_pawns, format_state, parse
from reference_rules import (
    BASE,
    CARDS,
    SLIDES,
    ZONE,
    Cards,
    Location,
    Pawns,
    RefRules,
    State,
    awaits_card,
    deck_of,
    discards,
    make_rules,
    next_seat,
    opponents_of,
    sort_pawns,
    team_is_home,
    team_of,
    unseen_hands,
)

__all__ = [
    "RefRules",
    "State",
    "discards",
    "draw_odds",
    "draw_outcomes",
    "format_pawns",
    "format_state",
    "initial",
    "legal_moves",
    "make_rules",
    "parse",
    "perft",
    "points",
    "random_position",
    "rewards",
    "winners",
]


def initial(rules: RefRules, first_seat: int, rng: random.Random) -> State:
    """The set-up: pawns out, hands dealt, before the first draw (2.1, 5.1)."""
    home_side: list[Location] = ["S"] * (rules.pawns - rules.pawns_out)
    pawns: Pawns = {color: home_side + [BASE[color] + 4] * rules.pawns_out for color in rules.colors}
    pile = deck_of(rules.deck)
    hands = deal(pile, rules, rng) if rules.hand_size else {}
    return State(pawns, rules.colors[first_seat], None, hands, pile)


def deal(pile: Cards, rules: RefRules, rng: random.Random) -> dict[str, list[str] | None]:
    """Deal a hand to each player off the shuffled pile."""
    order = [card for card in CARDS for _ in range(pile[card])]
    rng.shuffle(order)
    hands: dict[str, list[str] | None] = {}
    for color in rules.colors:
        hand = [order.pop() for _ in range(rules.hand_size)]
        for card in hand:
            pile[card] -= 1
        hands[color] = sorted(hand, key=CARDS.index)
    return hands


def legal_moves(state: State, rules: RefRules) -> dict[str, State]:
    """Each legal move in notation (8.3) with the position right after it, before a draw or refill.

    Empty where no decision is open. Raises ValueError if the mover's hand is unknown.
    """
    if state.over or awaits_card(state, rules):
        return {}
    if rules.hand_size:
        return hand_moves(state, rules)
    assert state.card is not None
    free, swaps = card_uses(state.pawns, state.mover, state.card, rules)
    moves = {move: after_play(state, state.card, pawns, rules) for move, pawns in (free | swaps).items()}
    if not free:  # nothing obliges: forfeit, or decline the exchange (3.4, 3.9)
        moves["pass"] = after_play(state, state.card, state.pawns, rules)
    return moves


def hand_moves(state: State, rules: RefRules) -> dict[str, State]:
    """The legal moves of the hand game: uses, or discards where nothing obliges to play (5.3, 5.4)."""
    hand = state.hands[state.mover]
    if hand is None:
        raise ValueError("CARDS: the mover's hand is unknown")
    moves: dict[str, State] = {}
    obliged = False
    for card in dict.fromkeys(hand):
        free, swaps = card_uses(state.pawns, state.mover, card, rules)
        obliged = obliged or bool(free)
        moves |= {move: after_play(state, card, pawns, rules) for move, pawns in (free | swaps).items()}
    if not obliged:
        for card in dict.fromkeys(hand):
            moves[f"discard {card}"] = after_play(state, card, state.pawns, rules, discarded=True)
    return moves


def after_play(state: State, card: str, pawns: Pawns, rules: RefRules, discarded: bool = False) -> State:
    """The position after a card is resolved: on the discards, the game ended or the next player named."""
    after = State({color: places[:] for color, places in pawns.items()}, state.mover, None, {}, dict(state.pile))
    sort_pawns(after.pawns)
    after.over = team_is_home(after.pawns, state.mover, rules)  # 2.3, 6.2
    again = card == "2" and rules.two_draws_again and not discarded  # 3.5, 5.4, 5.5
    after.next_mover = state.mover if again or after.over else next_seat(state.mover, rules)
    if not rules.hand_size:
        after.mover = after.next_mover
        return after
    after.hands = {color: None if hand is None else hand[:] for color, hand in state.hands.items()}
    hand = after.hands[state.mover]
    assert hand is not None
    hand.remove(card)
    return after


def draw_pile(state: State, rules: RefRules) -> tuple[Cards, Cards]:
    """What the next card is drawn from, and what `pile` shows before it, reshuffled if it must be (3.2).

    The two differ only where unknown hands are counted with an empty pile.
    """
    if rules.deck == "replacement" or sum(state.pile.values()) > unseen_hands(state, rules):
        return state.pile, state.pile
    again = discards(state, rules)
    return again, {card: state.pile[card] + again[card] for card in CARDS}


def draw_odds(state: State, rules: RefRules) -> dict[str, float]:
    """The odds of each card that can come next (3.1, 3.2; 5.6 with unknown hands); empty if none is awaited."""
    if not awaits_card(state, rules):
        return {}
    source, _ = draw_pile(state, rules)
    total = sum(source.values())
    return {card: count / total for card, count in source.items() if count}


def draw_outcomes(state: State, rules: RefRules) -> dict[str, State]:
    """Each card that can come next, with the position after it; empty if none is awaited."""
    _, shown = draw_pile(state, rules)
    outcomes = {}
    for card in draw_odds(state, rules):
        after = state.copy()
        after.pile = dict(shown)
        if rules.deck != "replacement":
            after.pile[card] -= 1
        after.mover = state.next_mover
        if rules.hand_size:
            after.hands[state.mover] = sorted([*(state.hands[state.mover] or []), card], key=CARDS.index)
        else:
            after.card = card
        outcomes[card] = after
    return outcomes


def winners(state: State, rules: RefRules) -> list[str]:
    """The colours that won, in seat order; none while the game goes on (2.3, 6.2)."""
    if not state.over:
        return []
    return [color for color in rules.colors if color in team_of(state.mover, rules)]


def rewards(state: State, rules: RefRules) -> dict[str, float]:
    """The finished game by win and loss: winners +1, a lone winner's opponents share -1, losing partners -1 each.

    Raises ValueError while the game goes on.
    """
    won = finished_winners(state, rules)
    loss = -1.0 if rules.teams else -1.0 / (rules.players - 1)
    return {color: 1.0 if color in won else loss for color in rules.colors}


def points(state: State, rules: RefRules) -> dict[str, int]:
    """The finished game by points (5.7; teams: section 7). Raises ValueError while the game goes on."""
    won = finished_winners(state, rules)
    home = {color: places.count("H") for color, places in state.pawns.items()}
    score = {color: 5 * home[color] for color in rules.colors}
    for color in won:
        opposing = [home[other] for other in opponents_of(color, rules)]
        bonus = {0: 100, 1: 50, 2: 25}.get(max(opposing), 0)
        score[color] += bonus + sum(5 * (rules.pawns - count) for count in opposing)
    return score


def finished_winners(state: State, rules: RefRules) -> list[str]:
    """The winners of a game that must be over."""
    if not state.over:
        raise ValueError("the game is not over")
    return winners(state, rules)


def perft(state: State, depth: int, rules: RefRules) -> int:
    """Count positions `depth` plies ahead by 9.1. Raises ValueError for a hand game."""
    if rules.hand_size:
        raise ValueError("hand_size: perft is for the draw game")
    return perft_from(state.pawns, state.mover, depth, rules)


def perft_from(pawns: Pawns, mover: str, depth: int, rules: RefRules) -> int:
    """Count from bare pawns and mover, over every card and its distinct results (9.1)."""
    if depth == 0 or any(team_is_home(pawns, color, rules) for color in rules.colors):
        return 1
    total = 0
    for card in CARDS:
        again = card == "2" and rules.two_draws_again
        after = mover if again else next_seat(mover, rules)
        for result in distinct_results(pawns, mover, card, rules):
            total += perft_from(result, after, depth - 1, rules)
    return total


def distinct_results(pawns: Pawns, mover: str, card: str, rules: RefRules) -> list[Pawns]:
    """The different boards that a card can lead to, pawns of a colour being alike (9.1)."""
    free, swaps = card_uses(pawns, mover, card, rules)
    results = [*free.values(), *swaps.values(), *([] if free else [pawns])]
    boards = {}
    for result in results:
        board = {color: places[:] for color, places in result.items()}
        sort_pawns(board)
        boards[str(board)] = board
    return list(boards.values())


def random_position(rules: RefRules, rng: random.Random) -> State:
    """A random unfinished position with an open decision, any pawn anywhere that 8.2 lets it stand."""
    pawns = random_pawns(rules, rng)
    while any(team_is_home(pawns, color, rules) for color in rules.colors):
        pawns = random_pawns(rules, rng)
    pile = deck_of(rules.deck)
    hands = deal(pile, rules, rng) if rules.hand_size else {}
    card = None
    if not rules.hand_size:
        card = rng.choice((*CARDS, "7", "11", "X"))
    if rules.deck != "replacement":
        if card:
            pile[card] -= 1
        thin(pile, rng)
    return State(pawns, rng.choice(rules.colors), card, hands, pile)


def thin(pile: Cards, rng: random.Random) -> None:
    """Move a random share of the pile to the discards, now and then all of it."""
    kept = rng.choice((0.0, 0.1, 0.5, 0.9, 1.0))
    for card, count in pile.items():
        pile[card] = sum(rng.random() < kept for _ in range(count))


def random_pawns(rules: RefRules, rng: random.Random) -> Pawns:
    """Random pawns: mixes vary from mostly ring to mostly zone, spread out or crowded on one stretch."""
    weights = [rng.random() ** 2, 0.3 + rng.random(), rng.random() * 0.6, rng.random() ** 2 * 0.5]
    window = rng.choice((60, 60, 24, 12))  # holds sixteen pawns with the triangles and their slides
    start = rng.randrange(60)
    free = {(start + offset) % 60 for offset in range(max(window, rules.pawns * rules.players + 1))}
    pawns: Pawns = {}
    for color in rules.colors:
        zone = list(ZONE)
        places: list[Location] = []
        for _ in range(rules.pawns):
            kind = rng.choices(("S", "ring", "zone", "H"), weights)[0]
            places.append(random_place(kind, free, zone, rng))
        pawns[color] = places
    sort_pawns(pawns)
    return pawns


def random_place(kind: str, free: set[int], zone: list[str], rng: random.Random) -> Location:
    """Take a free place of this kind, triangles more often than their share."""
    if kind == "ring":
        triangles = sorted(free & set(SLIDES))
        square = rng.choice(triangles if triangles and rng.random() < 0.25 else sorted(free))
        free.discard(square)
        return square
    return zone.pop(rng.randrange(len(zone))) if kind == "zone" else kind
