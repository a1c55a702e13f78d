"""Small value networks with random weights, positions before a draw, and slow readings of both to compare with."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
from strategies import random_positions

from agents.luck import Adjuster
from sorry_env.cards import CARDS, NUM_CARDS
from sorry_env.engine.parameters import HANDS, LEFT, MOVER, PILE
from sorry_env.position import Position
from sorry_env.rules import Rules
from sorry_env.values import ValueModel, network_model, num_inputs, num_outputs, num_sides, value_layout

RING = 60
EXIT = 4  # squares past the diamond


def random_layers(rules: Rules, seed: int = 0, wide: int = 8, narrow: int = 6, scale: float = 0.7) -> list[np.ndarray]:
    """Weights and biases of a network for some rules, large enough that no two positions are worth the same."""
    rng = np.random.default_rng(seed)
    inputs, outputs = num_inputs(rules), num_outputs(rules)
    shapes = [(wide, inputs), (wide,), (narrow, wide), (narrow,), (outputs, narrow), (outputs,)]
    return [rng.normal(scale=scale, size=shape).astype(np.float32) for shape in shapes]


def random_network(rules: Rules, seed: int = 0, wide: int = 8, narrow: int = 6) -> ValueModel:
    """A network of `random_layers`."""
    return network_model(rules, random_layers(rules, seed, wide, narrow))


def before_draws(rules: Rules, seed: int, count: int) -> list[Position]:
    """What a random move leads to in random positions: a card is awaited, or the game is over."""
    rng = random.Random(seed)
    return [position.after(rng.choice(position.legal_actions())) for position in random_positions(rules, seed, count)]


def without_pile(position: Position) -> Position:
    """The same position, but all of the draw pile has been discarded."""
    row = position.row.copy()
    row[0, PILE : PILE + NUM_CARDS] = row[0, LEFT] = 0
    return Position(position.rules, row)


def finished(position: Position) -> Position:
    """A position in which the mover's side has just brought its last pawn Home."""
    rules = position.rules
    fields, mover, cards, pile = str(position).split(" ")
    seat = position.mover
    won = {seat, (seat + 2) % 4} if rules.teams else {seat}
    pawns = fields.split("/")
    for winner in won:
        pawns[winner] = f"{rules.colors[winner]}:{','.join('H' * rules.pawns)}"
    for loser in set(range(rules.players)) - won:  # no two sides are Home
        if set(pawns[loser][2:].split(",")) == {"H"}:
            pawns[loser] = f"{rules.colors[loser]}:{','.join(['S'] + ['H'] * (rules.pawns - 1))}"
    hands = cards.split("/")
    if rules.hand_size:
        hands[seat] = hands[seat].partition(".")[2]
    return Position.parse(f"{'/'.join(pawns)} {mover} {'/'.join(hands) if rules.hand_size else '-'} {pile}", rules)


def rows_of(positions: list[Position]) -> np.ndarray:
    """The game rows, int16 (N, W)."""
    return np.concatenate([position.row for position in positions])


def decides_again(position: Position) -> bool:
    """Whether the mover, before his refill, plays on after it (RULES 5.5), told by what happens."""
    outcomes = position.outcomes()
    return bool(outcomes) and position.with_card(outcomes[0][0]).mover == position.mover


def slow_inputs(position: Position) -> list[float]:
    """The inputs of a position before a draw, read off its locations and cards."""
    rules, viewer = position.rules, position.mover
    diamond = 15 * "RBYG".index(rules.colors[viewer]) + 3
    numbers: list[float] = []
    for away in range(rules.players):
        places = position.pawns((viewer + away) % rules.players)
        numbers += [k < places.count("S") for k in range(rules.pawns)]
        numbers += [str((diamond + k) % 60) in places for k in range(60)]
        numbers += [f"s{k}" in places for k in range(5)]
        numbers += [k < places.count("H") for k in range(rules.pawns)]
    if rules.colors not in ("RY", "BG", "RBYG"):
        numbers += [seat == viewer for seat in range(rules.players)]
    deck, pile = dict(zip(CARDS, rules.deck_counts, strict=True)), position.pile()
    if not rules.hand_size:
        left = pile if any(pile.values()) else deck
        numbers += [left[card] / sum(left.values()) for card in CARDS]
        return [*map(float, numbers), sum(left.values()) / sum(deck.values())]
    hands = [position.hand(seat) for seat in range(rules.players)]
    unseen = Counter(pile)
    for seat, hand in enumerate(hands):
        unseen.update(hand if hand and seat != viewer else ())
    numbers += [unseen[card] / max(1, unseen.total()) for card in CARDS]
    numbers.append((sum(pile.values()) - rules.hand_size * hands.count(None)) / sum(deck.values()))
    numbers += [(hands[viewer] or ()).count(card) / rules.hand_size for card in CARDS]
    return [*map(float, numbers), float(decides_again(position))]


def slow_worths(model: ValueModel, layers: list[np.ndarray], position: Position) -> list[float]:
    """A plain forward pass in float64: chances by softmax, then points, by side."""
    first, bias, second, second_bias, last, last_bias = (layer.astype(np.float64) for layer in layers)
    hidden = np.maximum(first @ np.array(slow_inputs(position)) + bias, 0)
    outputs = last @ np.maximum(second @ hidden + second_bias, 0) + last_bias
    sides = num_sides(model.rules)
    chances = np.exp(outputs[:sides]) / np.exp(outputs[:sides]).sum()
    looker = position.mover % sides
    return [*np.roll(chances, looker), *np.roll(outputs[sides:], looker)]


def swapped(rows: np.ndarray, rules: Rules, seed: int) -> np.ndarray:
    """The rows with some cards exchanged between each opponent's hand and the draw pile: the mover sees no change."""
    rng, changed = np.random.default_rng(seed), rows.copy()
    for row in changed:
        for seat in range(rules.players):
            hand, pile = HANDS + NUM_CARDS * seat, PILE
            if seat == row[MOVER]:
                continue
            for _ in range(rules.hand_size):
                given, taken = (
                    np.flatnonzero(row[hand : hand + NUM_CARDS]),
                    np.flatnonzero(row[pile : pile + NUM_CARDS]),
                )
                if len(given) and len(taken):
                    one, other = rng.choice(given), rng.choice(taken)
                    row[[hand + one, pile + other]] -= 1
                    row[[hand + other, pile + one]] += 1
    return changed


def race_network(rules: Rules) -> ValueModel:
    """Two players: chances by the difference of the shares of the way that the pawns have gone."""
    gone = np.zeros(num_inputs(rules))
    for part in value_layout(rules):
        seat, _, place = part.name.partition("_")
        sign = {"seat0": 1.0, "seat1": -1.0}.get(seat, 0.0)
        squares = (np.arange(part.size) - EXIT - (RING // 2 if seat == "seat1" else 0)) % RING
        ways = {"ring": squares / RING, "zone": np.ones(part.size), "home": np.ones(part.size)}
        gone[part.start : part.stop] = sign * ways.get(place, np.zeros(part.size))
    first = np.stack([gone, -gone, 0 * gone, 0 * gone])
    second = np.eye(2, 4)
    last = np.array([[0.1, -0.1], [-0.1, 0.1]])
    bias = np.array([rules.pawns, rules.pawns, 0, 0], np.float64)
    return network_model(rules, [first, bias, second, np.zeros(2), last, np.zeros(2)])


def adjuster_of(model: ValueModel) -> Adjuster:
    """A network as what results are adjusted by."""
    return Adjuster("tiny", "0" * 64, model)
