"""The action codec: total both ways, ordered, refusing what is outside, relative to the mover, frozen by version."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from results import turn
from strategies import position_texts, random_positions

from sorry_env.actions import (
    ACTION_VERSION,
    NO_CARD,
    Action,
    Use,
    action_ids,
    action_table,
    decode_action,
    encode_action,
    num_actions,
)
from sorry_env.cards import CARDS, NUM_CARDS
from sorry_env.engine import kernels
from sorry_env.engine.parameters import CARD, MOST_ACTIONS, parameter_row
from sorry_env.position import Position
from sorry_env.rules import Rules, rules_from

SPACES = [(pawns, teams) for pawns in (1, 2, 3, 4) for teams in (False, True)]
spaces = pytest.mark.parametrize(("pawns", "teams"), SPACES)
FORWARD_CARDS = tuple(card for card in CARDS if card not in ("4", "X"))


@spaces
def test_codec_is_total(pawns: int, teams: bool) -> None:
    """Every id decodes to an action of its own, which encodes to that id."""
    size = num_actions(pawns, teams)
    actions = [decode_action(action, pawns, teams) for action in range(size)]
    assert [encode_action(action, pawns, teams) for action in actions] == list(range(size))
    assert len(set(actions)) == size
    assert action_table(pawns, teams) == tuple(actions)
    assert action_ids(pawns, teams) == {action: index for index, action in enumerate(actions)}
    assert size <= MOST_ACTIONS


@spaces
def test_order_of_ids(pawns: int, teams: bool) -> None:
    """Cards in card order, of each its starts, steps and special uses; then discards in card order, then the pass."""
    keys = [
        (action.use >= Use.DISCARD or action.card == NO_CARD, action.use == Use.PASS, action.card)
        for action in action_table(pawns, teams)
    ]
    assert keys == sorted(keys)
    assert keys[-1] == (True, True, NO_CARD)
    for card in range(NUM_CARDS):
        uses = [action.use for action in action_table(pawns, teams) if action.card == card]
        assert uses == sorted(uses)


@spaces
def test_names(pawns: int, teams: bool) -> None:
    """Every action has a description of its own."""
    names = [action.describe(pawns, teams) for action in action_table(pawns, teams)]
    assert len(set(names)) == len(names)
    assert names[-1] == "pass"


@spaces
def test_outside_is_refused(pawns: int, teams: bool) -> None:
    """Ids out of range, and actions that the space does not have, are refused."""
    size = num_actions(pawns, teams)
    for outside in (-1, size, 10**9):
        with pytest.raises(ValueError, match=rf"{outside} is not in 0\.\.{size - 1}"):
            decode_action(outside, pawns, teams)
    four, one, seven = CARDS.index("4"), CARDS.index("1"), CARDS.index("7")
    strangers = [
        Action(four, Use.START),
        Action(four, Use.STEP, steps=4),
        Action(one, Use.STEP, steps=2),
        Action(one, Use.STEP, pawns * (1 + teams), steps=1),
        Action(one, Use.START, 1 + teams),
        Action(seven, Use.SPLIT, 0, 0, 3),
        Action(seven, Use.SPLIT, 0, 1, 7),
        Action(one, Use.EXCHANGE, 0, pawns),
        Action(CARDS.index("11"), Use.EXCHANGE, 0, 0),
        Action(CARDS.index("X"), Use.REPLACE, 0, 4 * pawns),
        Action(one, Use.PASS),
    ]
    for stranger in strangers:
        with pytest.raises(ValueError, match="is not an action of"):
            encode_action(stranger, pawns, teams)


@spaces
def test_every_action_is_legal_somewhere(pawns: int, teams: bool) -> None:
    """No id is dead: with all switches on each is legal in some position."""
    draw = Rules(pawns=pawns, teams=teams, swap_partner=teams, start_cards=FORWARD_CARDS, x_forward4=True)
    hand = Rules(pawns=pawns, teams=teams, hand_size=1, start_cards=(), pawns_out=1)
    out, found = np.empty((1, MOST_ACTIONS), np.int16), set[int]()
    for start in random_positions(draw, 1, 1_000):
        row = start.row.copy()
        for card in range(NUM_CARDS):
            row[0, CARD] = card
            found |= set(out[0, : kernels.legal_ids(row, parameter_row(draw), 0, out)].tolist())
    idle = "/".join(f"{letter}:{','.join('S' * pawns)}" for letter in "RBYG")
    for name in CARDS:
        found |= set(Position.parse(f"{idle} r {name}/?/?/? *", hand).legal_actions())
    missing = [decode_action(k, pawns, teams) for k in range(num_actions(pawns, teams)) if k not in found]
    assert not missing


@settings(max_examples=80)
@given(data=st.data())
def test_ids_are_relative_to_the_mover(data: st.DataObject) -> None:
    """The board and seats turned by one side, the same ids are legal and do the same."""
    rules = data.draw(st.sampled_from([rules_from(name) for name in ("classic", "teams", "points", "edition-2013")]))
    text = data.draw(position_texts(rules, hidden=False))
    start, turned = Position.parse(text, rules), Position.parse(turn(text), rules)
    assert turned.legal_actions() == start.legal_actions()
    for action in start.legal_actions():
        assert str(turned.after(action)) == str(Position.parse(turn(str(start.after(action))), rules))


# Sizes and digests of the tables: a change here makes saved policies play other moves, so ACTION_VERSION must go up.
FROZEN = {
    1: {
        (1, False): (39, "752374183126c99b"),
        (1, True): (78, "42ff0b005c5e4a24"),
        (2, False): (75, "4032bdc90763757a"),
        (2, True): (186, "33cbe8f3a831658d"),
        (3, False): (129, "88d7db4603707d91"),
        (3, True): (354, "4c6915fd325cccba"),
        (4, False): (201, "c122570dc43ce49d"),
        (4, True): (582, "6a9e9b959dff0861"),
    }
}


@pytest.mark.parametrize(("pawns", "teams"), list(FROZEN[ACTION_VERSION]))
def test_frozen_by_version(pawns: int, teams: bool) -> None:
    """The table of a version never changes."""
    size, digest = FROZEN[ACTION_VERSION][pawns, teams]
    rows = [
        (action.card, int(action.use), action.first, action.second, action.steps)
        for action in action_table(pawns, teams)
    ]
    assert len(rows) == size
    assert hashlib.sha256(repr(rows).encode()).hexdigest()[:16] == digest
