"""Looking ahead in the hand game: sampled deals mean what all deals mean, and no hidden card is looked at."""

from __future__ import annotations

import numpy as np
import pytest
from slow_search import SlowSearch
from strategies import HAND_GAMES, random_positions
from tiny_values import random_network, rows_of, swapped

from sorry_env.cards import NUM_CARDS
from sorry_env.engine import hand_searching
from sorry_env.engine.parameters import HANDS, LEFT, PILE, parameter_row
from sorry_env.engine.rows import stream_rows
from sorry_env.engine.valuing import MOST_OUTPUTS
from sorry_env.players import ValuePlayer
from sorry_env.position import Position, Positions
from sorry_env.rules import rules_from
from sorry_env.values import ValueModel, num_outputs

NOTHING = np.zeros((0, 0), np.float32)
ONE_CARD = ["points:players=2,hand_size=1,pawns=1", "points:players=2,hand_size=1,pawns=2,scoring=win,pawns_out=0"]


def choose(
    model: ValueModel, rows: np.ndarray, deals: int, breadth: int = 600, seed: int = 0
) -> tuple[list[int], np.ndarray]:
    """Actions and worths by the kernel."""
    actions, worths = np.empty(len(rows), np.int64), np.empty((len(rows), MOST_OUTPUTS), np.float32)
    streams = stream_rows(seed, len(rows))
    hand_searching.choose_by_deals(
        rows, streams, parameter_row(model.rules), model.row, breadth, deals, actions, worths
    )
    return actions.tolist(), worths[:, : num_outputs(model.rules)]


def worth_of(slow: SlowSearch, position: Position, seat: int) -> np.ndarray:
    """What a position is worth by the seat's own next move, all hands known, every seat at its best."""
    if position.is_over:
        return slow.model.worths(position.row.copy())[0].astype(np.float64)
    if position.awaits_card:
        odds = [chance for _, chance in position.outcomes()]
        return np.array(odds) @ [worth_of(slow, position.with_card(card), seat) for card, _ in position.outcomes()]
    if position.mover == seat:
        return slow.reply(position, 0)
    _, afters, worths = slow.judged(position)
    return worth_of(slow, afters[int(np.argmax(slow.uses(worths, position)))], seat)


def mean_of_deals(slow: SlowSearch, after: Position, seat: int) -> np.ndarray:
    """The mean of `worth_of` over each single card that the one opponent may hold."""
    mean, hand = np.zeros(num_outputs(after.rules)), HANDS + NUM_CARDS * (1 - seat)
    for card in range(NUM_CARDS):
        row = after.row.copy()
        chance = row[0, PILE + card] / row[0, LEFT]
        if chance and not after.is_over:
            row[0, hand : hand + NUM_CARDS] = np.arange(NUM_CARDS) == card
            row[0, [PILE + card, LEFT]] -= 1
            mean += chance * worth_of(slow, Position(after.rules, row), seat)
    return worth_of(slow, after, seat) if after.is_over else mean


@pytest.mark.parametrize("spec", ONE_CARD)
def test_deals_mean_what_all_deals_mean(spec: str) -> None:
    """With one card a hand, many sampled deals come to the exact mean over what the opponent holds and what is drawn.

    The bound is more than five standard errors of 10,000 deals.
    """
    rules = rules_from(spec)
    model = random_network(rules, 1)
    slow, compared = SlowSearch(model), 0
    for position in random_positions(rules, 6, 200):
        actions = position.legal_actions()
        if len(actions) < 2 or position.is_over or compared == 3:
            continue
        afters = [position.seen_by(position.mover).after(action) for action in actions]
        wanted = np.array([mean_of_deals(slow, after, position.mover) for after in afters])
        (action,), worths = choose(model, position.row.copy(), 10_000)
        chosen = actions.index(action)
        uses = slow.uses(wanted, position)
        assert uses[chosen] > max(uses) - 0.02
        np.testing.assert_allclose(worths[0], wanted[chosen], atol=0.03)
        compared += 1
    assert compared == 3


@pytest.mark.parametrize("spec", ["points:players=2", "team-points"])
def test_averages_are_what_is_chosen_by(spec: str) -> None:
    """The mean worth of each move by itself: the best of them is the chosen one's, on the same samples."""
    model = random_network(rules_from(spec), 1)
    slow = SlowSearch(model)
    for position in random_positions(model.rules, 3, 6):
        seen = position.seen_by(position.mover)
        actions = seen.legal_actions()
        means = model.deal_averages(rows_of([seen.after(action) for action in actions]), 5)
        (action,), worths = choose(model, seen.row.copy(), 5)
        chosen = actions.index(action)
        np.testing.assert_allclose(worths[0], means[chosen], atol=1e-6)
        uses = slow.uses(means, position)
        assert uses[chosen] >= max(uses) - 1e-6


@pytest.mark.parametrize("spec", sorted(HAND_GAMES))
def test_hidden_cards_do_not_matter(spec: str) -> None:
    """Cards exchanged between other hands and the pile change no choice and no worth, of a player or on whole rows."""
    rules = HAND_GAMES[spec]
    model = random_network(rules, 2)
    player = ValuePlayer("net", model, depth=1, deals=3)
    player.bind(rules)
    rows = rows_of(random_positions(rules, 5, 30))
    other = swapped(rows, rules, 3)
    assert (other != rows).any(axis=1).mean() > 0.5
    asked = [
        player.act(NOTHING, NOTHING, np.random.default_rng(1), Positions(rules, each)).tolist()
        for each in (rows, other)
    ]
    assert asked[0] == asked[1]
    whole = [choose(model, each.copy(), 3) for each in (rows, other)]
    assert whole[0][0] == whole[1][0]
    assert np.array_equal(whole[0][1], whole[1][1])


def test_choices_are_legal_and_drawn_from_the_rng() -> None:
    """A choice is legal, the same for the same generator, and few deals of another generator choose otherwise."""
    rules = rules_from("points:players=3")
    rows = rows_of(random_positions(rules, 5, 150))
    kept = rows.copy()
    player = ValuePlayer("net", random_network(rules, 2), depth=1, deals=1)
    player.bind(rules)
    chosen = [player.act(NOTHING, NOTHING, np.random.default_rng(seed), Positions(rules, rows)) for seed in (1, 1, 2)]
    assert (rows == kept).all()
    assert (chosen[0] == chosen[1]).all()
    assert (chosen[0] != chosen[2]).any()
    for row, action in zip(rows, chosen[0], strict=True):
        assert action in Position(rules, row[None]).legal_actions()


def test_a_decision_is_judged_alone() -> None:
    """What is chosen in a decision depends on its own stream, not on the decisions beside it."""
    rules = rules_from("points:players=2")
    model = random_network(rules, 2)
    rows = rows_of(random_positions(rules, 5, 40))
    actions, worths = choose(model, rows, 4)
    fewer, their_worths = choose(model, rows[:7].copy(), 4)
    assert fewer == actions[:7]
    assert np.array_equal(their_worths, worths[:7])
    streams, one, worth = stream_rows(0, 40), np.empty(1, np.int64), np.empty((1, MOST_OUTPUTS), np.float32)
    for k in (3, 39):
        row, stream = rows[k : k + 1].copy(), streams[k : k + 1].copy()
        hand_searching.choose_by_deals(row, stream, parameter_row(rules), model.row, 600, 4, one, worth)
        assert one[0] == actions[k]


def test_wins_at_once() -> None:
    """A move that wins is taken, and is worth exactly the outcome."""
    rules = rules_from("points:players=2,pawns=1,hand_size=2,scoring=win")
    position = Position.parse("R:58/Y:20 r 1.10/5.5 *", rules)
    wins = [action for action in position.legal_actions() if position.after(action).is_over]
    assert len(wins) == 1
    for seed in range(5):
        (action,), worths = choose(random_network(rules, seed), position.row.copy(), 4)
        assert action == wins[0]
        assert worths[0].tolist() == [1, 0]
