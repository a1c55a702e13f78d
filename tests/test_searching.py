"""Choices and exact averages of the compiled search equal a slow search over positions, written apart from it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playing import ask
from slow_search import SlowSearch
from strategies import HAND_GAMES, RULE_SETS, SPECS, random_positions
from tiny_values import before_draws, random_network, rows_of, swapped, without_pile

from sorry_env.engine import searching
from sorry_env.engine.parameters import parameter_row
from sorry_env.engine.valuing import MOST_OUTPUTS
from sorry_env.errors import PolicyError, RulesError
from sorry_env.players import ValuePlayer
from sorry_env.position import Position, Positions
from sorry_env.rules import rules_from
from sorry_env.values import ValueModel, light_model, num_outputs

Kernel = Callable[..., None]
DRAW_GAMES = [spec for spec in SPECS if spec not in HAND_GAMES]
# Small enough to be searched slowly: two to four players, teams, points, both decks, a 2 that does not draw again.
SMALL = [
    "mini-1",
    "mini-2:slide_on=any",
    "classic:players=2,pawns=2",
    "classic:players=2,pawns=1,scoring=points",
    "classic:players=3,pawns=1,scoring=points",
    "classic:pawns=1,two_draws_again=no",
    "teams:pawns=1",
    "teams:pawns=1,scoring=points,swap_partner=yes",
]
# What a search must not miss: a win at once, a 2 that draws again, an empty pile, a pass, a card that the deck lacks.
SHARP = [
    ("mini-1", "R:s4/Y:20 r 1 *"),
    ("mini-1", "R:s3/Y:s4 r 2 *"),
    ("mini-1", "R:50/Y:20 y 2 *"),
    ("mini-1", "R:S/Y:30 r 12 *"),
    ("mini-1", "R:59/Y:s0 r 11 *"),
    ("classic:players=2,pawns=2", "R:s3,H/Y:s4,20 r 2 00000000000"),
    ("classic:players=2,pawns=2", "R:s0,5/Y:s4,20 y 7 10000000000"),
    ("classic:players=2,pawns=2", "R:S,S/Y:8,9 r X 00000000001"),
    ("classic:players=3,pawns=1,scoring=points", "R:s4/B:s4/Y:12 r 3 40000000000"),
    ("classic:pawns=1,two_draws_again=no", "R:s3/B:s3/Y:s3/G:s3 g 2 53443444444"),
    ("teams:pawns=1", "R:H/B:s4/Y:s3/G:H b 5 12000000000"),
    ("teams:pawns=1", "R:H/B:s4/Y:s3/G:H y 1 00000000010"),
]


def search(
    kernel: Kernel, model: ValueModel, positions: list[Position], breadth: int = 4
) -> tuple[list[int], np.ndarray]:
    """Actions and worths float32 (N, O) that a kernel gives."""
    rows, count = rows_of(positions), len(positions)
    actions, worths = np.empty(count, np.int64), np.empty((count, MOST_OUTPUTS), np.float32)
    kernel(rows, parameter_row(model.rules), model.row, breadth, actions, worths)
    return actions.tolist(), worths[:, : num_outputs(model.rules)]


def check(kernel: Kernel, model: ValueModel, positions: list[Position], depth: int, breadth: int = 4) -> None:
    """Asserts that a kernel chooses as the slow search does, of equal moves the first, and finds the same worth."""
    slow = SlowSearch(model, breadth)
    told = num_outputs(model.rules) if model.is_network else slow.sides
    for position, action, worth in zip(positions, *search(kernel, model, positions, breadth), strict=True):
        actions, worths = slow.candidates(position, depth)
        uses = slow.uses(worths, position)
        best = int(np.argmax(uses))
        near = [k for k, use in enumerate(uses) if max(uses) - 1e-5 < use < max(uses)]
        assert action in {actions[k] for k in (best, *near)}, str(position)
        wanted = worths[actions.index(action)]
        np.testing.assert_allclose(worth[:told], wanted[:told], rtol=1e-5, atol=1e-5, err_msg=str(position))


def sharp(spec: str) -> list[Position]:
    """The positions above that are of these rules."""
    return [Position.parse(text, spec) for name, text in SHARP if name == spec]


# --- The model's own choice ---


@pytest.mark.parametrize("spec", SPECS)
def test_choice_is_the_best_afterstate(spec: str) -> None:
    """`choose` takes, of all moves, the one after which the position is worth most to the mover's side."""
    rules = RULE_SETS[spec]
    positions = random_positions(rules, 3, 40)
    if not rules.hand_size and rules.deck != "replacement":
        positions += [without_pile(position) for position in positions[:5]]
    for model in (random_network(rules, 1), light_model("race", rules)):
        check(searching.choose, model, positions, 0)


def test_choice_depends_on_the_model() -> None:
    """Networks of different weights differ in many choices, so that the test above compares something."""
    rules = rules_from("classic")
    positions = [position for position in random_positions(rules, 3, 100) if len(position.legal_actions()) > 2]
    chosen = [search(searching.choose, random_network(rules, seed), positions)[0] for seed in (1, 2)]
    assert np.mean(np.array(chosen[0]) == chosen[1]) < 0.7


@pytest.mark.parametrize("spec", sorted(HAND_GAMES))
def test_hidden_cards_do_not_matter(spec: str) -> None:
    """Cards exchanged between other hands and the pile change no choice, of a player or on whole rows."""
    rules = RULE_SETS[spec]
    model = random_network(rules, 2)
    player = ValuePlayer("net", model)
    player.bind(rules)
    rows = rows_of(random_positions(rules, 5, 150))
    other = swapped(rows, rules, 3)
    assert (other != rows).any(axis=1).mean() > 0.5
    nothing = np.zeros((0, 0), np.float32)
    rng = np.random.default_rng(0)
    asked = [player.act(nothing, nothing, rng, Positions(rules, each)).tolist() for each in (rows, other)]
    whole = [search(searching.choose, model, [Position(rules, row[None]) for row in each])[0] for each in (rows, other)]
    assert asked[0] == asked[1] == whole[0] == whole[1]
    assert len(set(asked[0])) > 3


def test_player_sees_no_other_hand() -> None:
    """What a value player is handed holds no other hand, and reading it changes nothing in the game."""
    rules = rules_from("points:players=3")
    rows = rows_of(random_positions(rules, 5, 20))
    kept = rows.copy()
    player = ValuePlayer("net", random_network(rules))
    player.bind(rules)
    shown = Positions(rules, rows)
    player.act(np.zeros((0, 0)), np.zeros((0, 0)), np.random.default_rng(0), shown)
    for k, row in enumerate(rows):
        hands = [shown[k].hand(seat) for seat in range(3)]
        assert [hand is None for hand in hands] == [seat != Position(rules, row[None]).mover for seat in range(3)]
    assert (rows == kept).all()


# --- Averages ---


@pytest.mark.parametrize("spec", DRAW_GAMES)
def test_average_is_exact(spec: str) -> None:
    """`average_worth` is the mean of the best replies' worths over the cards left, or over the deck reshuffled."""
    rules = RULE_SETS[spec]
    positions = [position for position in before_draws(rules, 7, 8) if not position.is_over]
    if rules.deck != "replacement":
        positions += [without_pile(position) for position in positions[:2]]
    for model in (random_network(rules, 1), light_model("solitaire", rules)):
        slow, found = SlowSearch(model), np.empty((len(positions), MOST_OUTPUTS), np.float32)
        searching.average_worth(rows_of(positions), parameter_row(rules), model.row, found)
        wanted = np.array([slow.average(position, 1) for position in positions])[:, : slow.sides]
        np.testing.assert_allclose(found[:, : slow.sides], wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("spec", DRAW_GAMES)
def test_luck(spec: str) -> None:
    """A card's luck is its best reply's worth less the average; over the cards that may come it has the mean 0."""
    rules = RULE_SETS[spec]
    model, p = random_network(rules, 4), parameter_row(rules)
    slow = SlowSearch(model)
    positions = [position for position in before_draws(rules, 8, 5) if not position.is_over]
    if rules.deck != "replacement":
        positions += [without_pile(position) for position in positions[:2]]
    largest = 0.0
    for position in positions:
        cards, odds = zip(*position.outcomes(), strict=True)
        drawn = [position.with_card(card) for card in cards]
        luck = np.full((len(drawn), slow.sides), 5.0)
        searching.add_luck(rows_of(drawn), p, model.row, luck)
        np.testing.assert_allclose(np.array(odds) @ (luck - 5), 0, atol=1e-5)
        wanted = np.array([slow.reply(each, 0) for each in drawn]) - slow.average(position, 1)
        np.testing.assert_allclose(luck - 5, wanted[:, : slow.sides], atol=1e-5)
        largest = max(largest, float(np.abs(luck - 5).max()))
    assert largest > 1e-3


# --- Expectimax ---


@pytest.mark.parametrize("breadth", [1, 2, 600])
@pytest.mark.parametrize("spec", SMALL)
def test_one_average_deep(spec: str, breadth: int) -> None:
    """`choose_deep` is slow expectimax over one draw, of as many moves as `breadth` allows."""
    rules = rules_from(spec)
    positions = sharp(spec) + random_positions(rules, 11, 24)
    for model in (random_network(rules, 1), light_model("race", rules)):
        check(searching.choose_deep, model, positions, 1, breadth)


@pytest.mark.parametrize("spec", SMALL)
def test_two_averages_deep(spec: str) -> None:
    """`choose_deeper` is slow expectimax over two draws, breadth at both levels."""
    rules = rules_from(spec)
    check(searching.choose_deeper, random_network(rules, 1), sharp(spec) + random_positions(rules, 12, 6), 2, 2)


def test_depths_differ() -> None:
    """Looking one and two draws ahead changes some choices, so that the depths are not one another's."""
    rules = rules_from("mini-2")
    positions = [position for position in random_positions(rules, 3, 150) if len(position.legal_actions()) > 1]
    model = random_network(rules, 1)
    kernels = (searching.choose, searching.choose_deep, searching.choose_deeper)
    chosen = [search(kernel, model, positions)[0] for kernel in kernels]
    assert all(chosen[one] != chosen[other] for one, other in ((0, 1), (1, 2), (0, 2)))
    narrow = [search(kernel, model, positions, 1)[0] for kernel in kernels]
    assert narrow[0] == narrow[1] == narrow[2]


def test_player_searches_by_its_depth() -> None:
    """A `ValuePlayer` of depth 0, 1 and 2 chooses as the three searches do, in its own breadth."""
    rules = rules_from("mini-2")
    model = random_network(rules, 1)
    positions = [position for position in random_positions(rules, 3, 40) if len(position.legal_actions()) > 1]
    for depth, kernel in enumerate((searching.choose, searching.choose_deep, searching.choose_deeper)):
        player = ValuePlayer("net", model, depth, 2)
        player.bind(rules)
        assert [int(ask(player, position, 1)[0]) for position in positions] == search(kernel, model, positions, 2)[0]


def test_players_of_other_rules() -> None:
    """A model is refused for other rules, two averages are refused in a hand game."""
    rules = rules_from("mini-2")
    model = random_network(rules)
    ValuePlayer("net", model).bind(rules.with_options(first_player=1))
    with pytest.raises(PolicyError, match="'net' was made for the rules 'mini-2', not for 'mini-1'"):
        ValuePlayer("net", model).bind(rules_from("mini-1"))
    with pytest.raises(RulesError, match="in the hand game depth=1 is the most"):
        ValuePlayer("net", "race", 2).bind(rules_from("points"))
