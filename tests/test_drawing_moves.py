"""What a picture says of a move is what the engine did: legs, slides and bumps."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from sorry_env.board import COLORS, START, parse_location
from sorry_env.drawing.legs import BUMP, JUMP, SLIDE, STEP, Leg, move_legs
from sorry_env.game import Game
from sorry_env.position import Position

RULE_SETS = (
    "classic",
    "classic:players=2,slide_on=any",
    "classic:slide_on=own,pawns=3,x_forward4=yes",
    "teams",
    "teams:swap_partner=yes,slide_on=any",
    "points:players=3",
    "team-points",
    "edition-2013",
)


def where(position: Position) -> Counter[tuple[int, int]]:
    """How many pawns of each colour stand at each progress."""
    return Counter(
        (color, parse_location(color, place))
        for seat, color in enumerate(position.rules.color_ids)
        for place in position.pawns(seat)
    )


def walked(before: Position, legs: list[Leg]) -> Counter[tuple[int, int]]:
    """Where the pawns stand after the legs; a leg begins where a pawn of its colour stands."""
    pawns = where(before)
    for leg in legs:
        assert pawns[leg.color, leg.way[0]] > 0, leg
        pawns[leg.color, leg.way[0]] -= 1
        pawns[leg.color, leg.way[-1]] += 1
    return +pawns


@pytest.mark.rule("3.9", "3.10", "3.11", "4.1", "4.2", "4.3", "4.4", "4.5")
@pytest.mark.parametrize("rules", RULE_SETS)
def test_legs_lead_where_the_engine_leads(rules: str) -> None:
    """Every legal move of random games, leg by leg, ends where the engine puts the pawns."""
    choice = random.Random(2)
    moves = 0
    kinds: set[str] = set()
    for seed in range(3):
        game = Game(rules, seed)
        while not game.is_over and game.num_plies < 150:
            for action in game.legal_actions():
                legs = move_legs(game.position, action)
                assert walked(game.position, legs) == where(game.position.after(action)), (str(game), action)
                kinds |= {leg.kind for leg in legs}
                moves += 1
            game.play(choice.choice(game.legal_actions()))
    assert kinds == {STEP, JUMP, SLIDE, BUMP}
    assert moves > 200


def told(text: str, move: str, rules: str = "classic") -> list[tuple[str, str, int, int]]:
    """Legs of a move as (colour's letter, kind, first progress, last)."""
    legs = move_legs(Position.parse(text, rules), move)
    return [(COLORS[leg.color], leg.kind, leg.way[0], leg.way[-1]) for leg in legs]


@pytest.mark.rule("4.3", "4.4")
def test_bumps_come_in_order() -> None:
    """A bump follows the leg that causes it: first on landing, then along the slide; an exchange moves both pawns."""
    text = "R:S,S,17,54/B:S,19,46,18/Y:S,11,13,58/G:S,31,34,10 y 3 *"
    assert told(text, "3:13>16") == [
        ("Y", STEP, 41, 44),
        ("Y", SLIDE, 44, 47),
        ("R", BUMP, 15, START),
        ("B", BUMP, 1, START),
        ("B", BUMP, 2, START),
    ]
    swap = told("R:S,S,S,22/B:S,S,S,50/Y:S,S,S,S/G:S,S,S,S r 11 *", "11:22<>50")
    assert [leg[:2] for leg in swap] == [("B", JUMP), ("R", JUMP)]


@pytest.mark.rule("4.5")
def test_ways_go_square_by_square() -> None:
    """A step's way holds each square between, also backward over the diamond; a jump holds its ends alone."""
    back = move_legs(Position.parse("R:S,S,S,4/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S r 4 *"), "4:4>0")
    assert back[0].way == (2, 1, 60, 59, 58)
    home = move_legs(Position.parse("R:S,S,S,1/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S r 3 *"), "3:1>s1")
    assert home[0].way == (59, 60, 61, 62)
    start = move_legs(Position.parse("R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S r 1 *"), "1:S>4")
    assert start[0].way == (0, 2)


def test_pass_and_discard_have_no_legs() -> None:
    """Moves that move nothing are drawn as nothing."""
    assert told("R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S r 5 *", "pass") == []
    assert told("R:S,S,S,S/B:S,S,S,S r 3.3.4.5.5/? *", "discard 5", "points:pawns_out=0,players=2,colors=RB") == []
