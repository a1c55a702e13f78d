"""Value models: inputs are the position as who draws next sees it, worths are the network's, or the exact outcome."""

from __future__ import annotations

import numpy as np
import pytest
from playing import distance, points_by_rules, winning_seats
from results import turn
from strategies import HAND_GAMES, RULE_SETS, SPECS, random_positions
from tiny_values import (
    before_draws,
    finished,
    random_layers,
    random_network,
    rows_of,
    slow_inputs,
    slow_worths,
    swapped,
    without_pile,
)

from sorry_env.errors import PolicyError
from sorry_env.observation import OWN_SEAT, observation_layout
from sorry_env.position import Position
from sorry_env.rules import rules_from
from sorry_env.values import (
    MOST_HIDDEN,
    ValueModel,
    light_model,
    network_model,
    num_inputs,
    num_outputs,
    num_sides,
    value_inputs,
    value_layout,
)

COUNT = 12


def open_before_draws(spec: str) -> list[Position]:
    """Unfinished positions before a draw, some with an empty pile."""
    rules = RULE_SETS[spec]
    found = [position for position in before_draws(rules, 5, COUNT) if not position.is_over]
    if rules.deck != "replacement":
        found += [without_pile(position) for position in found[:4]]
    return found


# --- Inputs ---


@pytest.mark.parametrize("spec", SPECS)
def test_inputs_are_the_position(spec: str) -> None:
    """Pawns on the viewer's board, odds of the next card, pile, hand and `again`, each read off the position's text."""
    positions = open_before_draws(spec)
    wanted = np.array([slow_inputs(position) for position in positions], np.float32)
    found = value_inputs(RULE_SETS[spec], rows_of(positions))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6)
    assert found.min() == 0
    assert found.max() <= 1


@pytest.mark.parametrize("spec", SPECS)
def test_odds_are_those_of_the_draw(spec: str) -> None:
    """In the draw game the odds are the position's outcomes, of a reshuffled pile too; they always add up to 1."""
    rules = RULE_SETS[spec]
    part = next(part for part in value_layout(rules) if part.name == "odds")
    positions = open_before_draws(spec)
    odds = value_inputs(rules, rows_of(positions))[:, part.start : part.stop]
    for position, row in zip(positions, odds, strict=True):
        assert row.sum() == pytest.approx(1, abs=1e-5)
        if not rules.hand_size:
            assert sorted(row[row > 0]) == pytest.approx(sorted(chance for _, chance in position.outcomes()), abs=1e-6)


@pytest.mark.parametrize("spec", SPECS)
def test_layout(spec: str) -> None:
    """The slices lie end to end, begin with the observation's pawns and have the inputs' number."""
    rules = RULE_SETS[spec]
    layout = value_layout(rules)
    assert [part.start for part in layout] == [0, *(part.stop for part in layout[:-1])]
    pawns = 4 * rules.players
    assert layout[:pawns] == observation_layout(rules)[:pawns]
    names = (
        [OWN_SEAT] * (not rules.is_evenly_seated) + ["odds", "pile_size"] + ["hand", "again"] * (rules.hand_size > 0)
    )
    assert [part.name for part in layout[pawns:]] == names
    assert layout[-1].stop == num_inputs(rules)


@pytest.mark.parametrize("spec", sorted(HAND_GAMES))
def test_inputs_hide_other_hands(spec: str) -> None:
    """Cards exchanged between other hands and the pile change neither the inputs nor what a position is worth."""
    rules = RULE_SETS[spec]
    rows = rows_of(before_draws(rules, 6, 30))
    other = swapped(rows, rules, 1)
    assert (other != rows).any(axis=1).mean() > 0.5
    assert (value_inputs(rules, other) == value_inputs(rules, rows)).all()
    model = random_network(rules)
    assert (model.worths(other) == model.worths(rows)).all()


@pytest.mark.parametrize("spec", sorted(HAND_GAMES))
def test_inputs_of_unknown_hands(spec: str) -> None:
    """Hands that are marked unknown and hands that are there, but not the viewer's, give the same inputs."""
    rules = RULE_SETS[spec]
    for position in random_positions(rules, 8, COUNT):
        action = position.legal_actions()[-1]
        known, hidden = position.after(action), position.seen_by(position.mover).after(action)
        assert hidden.hand((position.mover + 1) % rules.players) is None
        assert (value_inputs(rules, hidden.row.copy()) == value_inputs(rules, known.row.copy())).all()


# --- Networks ---


@pytest.mark.parametrize("spec", SPECS)
def test_network_is_a_plain_forward_pass(spec: str) -> None:
    """The sparse compiled evaluation is the dense network: softmax of the sides' chances, points as they are."""
    rules = RULE_SETS[spec]
    for seed, sizes in enumerate(((8, 6), (4, 1), (12, 13))):
        layers = random_layers(rules, seed, *sizes)
        model = network_model(rules, layers)
        positions = open_before_draws(spec)
        found = model.worths(rows_of(positions))
        wanted = [slow_worths(model, layers, position) for position in positions]
        assert found.shape == (len(positions), num_outputs(rules))
        np.testing.assert_allclose(found, np.array(wanted), rtol=1e-4, atol=2e-5)
        np.testing.assert_allclose(found[:, : num_sides(rules)].sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("spec", ["classic", "teams", "points", "team-points", "edition-2013"])
def test_turned_board(spec: str) -> None:
    """Board and seats turned by one side, each side is worth what the one before it was."""
    rules = rules_from(spec)
    model, sides = random_network(rules), num_sides(rules)
    for start in random_positions(rules, 9, COUNT):
        other = Position.parse(turn(str(start)), rules)
        for action in start.legal_actions()[:3]:
            worth, turned = (model.worths(position.after(action).row.copy())[0] for position in (start, other))
            assert turned[:sides] == pytest.approx(np.roll(worth[:sides], 1), abs=1e-6)
            assert turned[sides:] == pytest.approx(np.roll(worth[sides:], 1), abs=1e-6)


@pytest.mark.parametrize("spec", SPECS)
def test_outcomes_are_exact(spec: str) -> None:
    """A finished game is worth 1 to who has won, 0 to the others and, where points count, RULES 5.7 in hundreds."""
    rules = RULE_SETS[spec]
    model, sides = random_network(rules), num_sides(rules)
    for start in random_positions(rules, 4, COUNT):
        position = finished(start)
        assert position.is_over
        winners = {seat % sides for seat in winning_seats(position)}
        wanted = [float(side in winners) for side in range(sides)]
        if rules.scoring == "points":
            points = points_by_rules(position)
            wanted += [float(np.mean(points[side::sides])) / 100 for side in range(sides)]
        assert model.worths(position.row.copy())[0].tolist() == pytest.approx(wanted, abs=1e-7)


@pytest.mark.parametrize("spec", ["classic", "classic:players=3,pawns=1", "teams", "points:players=2", "mini-2"])
def test_light_worths(spec: str) -> None:
    """The worths of `greedy` and `race` are distances by RULES 1.2; a finished game is worth more than any of them."""
    rules = RULE_SETS[spec]
    sides = num_sides(rules)
    for position in open_before_draws(spec):
        walks = [sum(distance(position, seat) for seat in range(side, rules.players, sides)) for side in range(sides)]
        greedy, race = (light_model(name, rules).worths(position.row.copy())[0] for name in ("greedy", "race"))
        assert greedy[:sides].tolist() == [-walk for walk in walks]
        assert race[:sides].tolist() == [sum(walks) - sides * walk for walk in walks]
    over = finished(random_positions(rules, 1, 1)[0])
    worth = light_model("race", rules).worths(over.row.copy())[0]
    far = 65 * rules.pawns * rules.players
    assert all(abs(value) > far - 65 * rules.pawns for value in worth[:sides])
    assert [value > 0 for value in worth[:sides]] == [side == over.mover % sides for side in range(sides)]


def test_layers_are_kept() -> None:
    """A model gives its layers back as it took them, in a row that nobody can write into."""
    layers = random_layers(rules_from("points:players=3"), wide=12, narrow=5)
    model = network_model(rules_from("points:players=3"), layers)
    for kept, layer in zip(model.layers(), layers, strict=True):
        assert (kept == layer).all()
        assert kept.shape == layer.shape
    assert model.is_network
    assert not light_model("race", model.rules).is_network
    with pytest.raises(ValueError, match="read-only"):
        model.row[0, 0] = 1


RULES = rules_from("mini-1")
CHANGES = {
    "another input": (0, np.zeros((8, num_inputs(RULES) + 1))),
    "turned": (0, np.zeros((num_inputs(RULES), 8))),
    "bias": (1, np.zeros(12)),
    "bias without length": (1, np.zeros(())),
    "second": (2, np.zeros((6, 9))),
    "second bias": (3, np.zeros((6, 1))),
    "no second bias": (3, np.zeros(0)),
    "another output": (4, np.zeros((3, 6))),
    "last bias": (5, np.zeros(1)),
    "flat": (4, np.zeros(12)),
    "text": (5, np.array(["a", "b"])),
    "no number": (2, np.full((6, 8), np.nan)),
    "infinite": (5, np.array([0, np.inf])),
    "infinite in float32": (5, np.array([0, 1e200])),
    "complex": (5, np.array([0, 1j])),
}


@pytest.mark.parametrize("what", CHANGES)
def test_bad_layers(what: str) -> None:
    """Layers that do not fit each other or the rules, and numbers that are none, are refused by PolicyError."""
    layers = random_layers(RULES)
    at, layer = CHANGES[what]
    layers[at] = layer
    with pytest.raises(PolicyError, match="value network: ") as caught:
        network_model(RULES, layers)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("wide", [0, MOST_HIDDEN + 1])
def test_bad_width(wide: int) -> None:
    """A first layer whose width is 0 or too large is refused."""
    with pytest.raises(PolicyError, match="none of more than"):
        network_model(RULES, random_layers(RULES, wide=wide))


def test_seats_of_other_rules() -> None:
    """A model of three sides gives three chances, not those of two."""
    rules = rules_from("classic:players=3,pawns=1")
    model = ValueModel(rules, random_network(rules).row)
    assert model.worths(rows_of(before_draws(rules, 1, 5))).shape == (5, 3)
