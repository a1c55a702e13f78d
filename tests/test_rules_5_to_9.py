"""RULES 5 to 8 ruling by ruling, in notation: each test would fail if its ruling were the other way round."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from results import after, board, moves, position, results

from sorry_env.errors import RulesError
from sorry_env.game import Game
from sorry_env.rules import PRESETS, Rules, rules_from

HERE = Path(__file__).parent
OUT = "S,S,S,4"
rule = pytest.mark.rule


def rewards(text: str, rules: str, **options: Any) -> tuple[float, ...]:
    """Final rewards of a finished position."""
    start = position(text, rules, **options)
    return Game(start.rules, 1, position=start).rewards()


def points(text: str, rules: str, **options: Any) -> tuple[int, ...]:
    """Points of a finished position."""
    start = position(text, rules, **options)
    return Game(start.rules, 1, position=start).points()


# --- 5. Points game ---


@rule("5.1")
def test_deal() -> None:
    """Three pawns in Start, one on the circle, five cards each; by option none out and other sizes of hands."""
    game = Game("points:players=2", 3)
    assert game.position.pawns_text() == "R:S,S,S,4/Y:S,S,S,34"
    assert [len(game.position.hand(seat) or ()) for seat in (0, 1)] == [5, 5]
    assert sum(game.position.pile().values()) == 35
    other = Game("points:players=3,pawns_out=0,hand_size=9", 3)
    assert other.position.pawns_text() == "R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S"
    assert [len(other.position.hand(seat) or ()) for seat in (0, 1, 2)] == [9, 9, 9]


@rule("5.2")
def test_ply() -> None:
    """A card is played from the hand, discarded, and the hand refilled before the next player decides."""
    played = after(f"{board('RY', R=OUT)} r 3.3.4.4.5/7.7.8.8.8 00000000002", "3:4>7", "points")
    assert str(played) == f"{board('RY', R='S,S,S,7')} r 3.4.4.5/7.7.8.8.8 00000000002"
    assert played.outcomes() == [("X", 1.0)]
    assert str(played.with_card("X")) == f"{board('RY', R='S,S,S,7')} y 3.4.4.5.X/7.7.8.8.8 00000000001"


@rule("5.2")
@pytest.mark.parametrize(("card", "place"), [("1", "s4"), ("2", "s3")])
def test_no_refill_after_the_winning_play(card: str, place: str) -> None:
    """The winner's hand stays one short, and no further ply comes, also on a 2."""
    end = after(f"{board('RY', R=f'{place},H,H,H')} r {card}.3.3.5.5/7.7.8.8.8 *", f"{card}:{place}>H", "points")
    assert end.is_over
    assert end.hand(0) == ("3", "3", "5", "5")
    assert end.outcomes() == []
    with pytest.raises(ValueError, match="CARDS"):
        position(f"{board('RY', R='H,H,H,H')} r 3.3.3.5.5/7.7.8.8.8 *", "points")


@rule("5.3")
@pytest.mark.parametrize(
    ("places", "hand", "expected"),
    [
        ("S,S,58,H", "3.11.12.12.12", {"3:58>1", "11:58<>34"}),
        ("S,S,58,H", "11.11.12.12.12", {"11:58<>34", "discard 11", "discard 12"}),
        ("S,S,S,H", "3.3.4.8.12", {"discard 3", "discard 4", "discard 8", "discard 12"}),
        ("S,S,S,H", "3.3.4.8.X", {"X:S>34"}),
        ("S,S,S,4", "4.4.12.12.12", {"4:4>0", "12:4>16"}),
    ],
)
def test_what_must_be_played(places: str, hand: str, expected: set[str]) -> None:
    """A playable card must be played; only an 11 with nothing but an exchange leaves the choice to discard any card."""
    text = f"{board('RY', R=places, Y='S,S,S,34')} r {hand}/1.1.2.2.4 *"
    assert moves(text, "points") == expected


@rule("5.4")
def test_discard() -> None:
    """With nothing playable one card of choice is discarded, the hand refilled, and the turn ends, also on a 2."""
    text = f"{board('RY', R='s4,H,H,H')} r 2.2.3.3.5/1.1.2.4.4 00000000002"
    discarded = after(text, "discard 2", "points")
    assert str(discarded) == f"{board('RY', R='s4,H,H,H')} r 2.3.3.5/1.1.2.4.4 00000000002"
    assert discarded.with_card("X").mover == 1


@rule("5.5")
def test_two_in_the_hand_game() -> None:
    """A played 2 gives another ply after the refill; without a legal use it cannot be played."""
    played = after(f"{board('RY', R=OUT)} r 2.3.4.4.5/7.7.8.8.8 *", "2:4>6", "points")
    assert played.with_card("X").mover == 0
    assert after(f"{board('RY', R=OUT)} r 2.3.4.4.5/7.7.8.8.8 *", "3:4>7", "points").with_card("X").mover == 1
    assert moves(f"{board('RY', R='s4,H,H,H')} r 2.2.3.3.4/1.1.2.2.4 *", "points") == {"4:s4>s0"}


@rule("5.6")
def test_hands_are_hidden() -> None:
    """Of a position a seat knows its hand, the discards and the pile's size; unseen cards come as one uniform draw."""
    start = position(f"{board('RY', R=OUT)} r 3.3.4.4.5/7.7.8.8.8 54000000000", "points")
    seen = start.seen_by(0)
    assert str(seen) == f"{board('RY', R=OUT)} r 3.3.4.4.5/? 54000230000"
    assert dict(seen.after("3:4>7").outcomes()) == pytest.approx({"1": 5 / 14, "2": 4 / 14, "7": 2 / 14, "8": 3 / 14})
    other = position(f"{board('RY', R=OUT)} r 3.3.4.4.5/1.2.7.8.8 43000110000", "points")
    assert other.seen_by(0) == seen
    assert other.seen_by(1) != start.seen_by(1)


@rule("5.7")
@pytest.mark.parametrize(
    ("colors", "pawns", "mover", "expected"),
    [
        ("RY", "R:H,H,H,H/Y:S,4,s2,S", "r", (20 + 20 + 100, 0)),
        ("RY", "R:H,H,H,H/Y:S,4,s2,H", "r", (20 + 15 + 50, 5)),
        ("RY", "R:S,S,H,H/Y:H,H,H,H", "y", (10, 20 + 10 + 25)),
        ("RY", "R:S,H,H,H/Y:H,H,H,H", "y", (15, 20 + 5)),
        ("RBY", "R:H,H,H,H/B:S,S,S,H/Y:S,S,H,H", "r", (20 + 15 + 10 + 25, 5, 10)),
        ("RBYG", "R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S/G:H,H,H,H", "g", (0, 0, 0, 20 + 60 + 100)),
        ("RBYG", "R:S,S,S,H/B:S,S,S,S/Y:S,H,H,H/G:H,H,H,H", "g", (5, 0, 15, 20 + 15 + 20 + 5)),
    ],
)
def test_points(colors: str, pawns: str, mover: str, expected: tuple[int, ...]) -> None:
    """5 for each own pawn Home; the winner 5 for each opposing pawn that is not, and the highest bonus that applies."""
    assert points(f"{pawns} {mover} - *", "classic", scoring="points") == expected
    hands = "/".join("?" for _ in colors)
    assert points(f"{pawns} {mover} {hands} *", "points") == expected


@rule("5.7", "7")
def test_points_of_teams() -> None:
    """In team-points each winner scores against the two opponents, his partner left aside."""
    text = "R:H,H,H,H/B:S,S,H,H/Y:H,H,H,H/G:S,S,S,S y ?/?/?/? *"
    assert points(text, "team-points") == (20 + 10 + 20 + 25, 10, 20 + 10 + 20 + 25, 0)


@rule("5.8")
def test_scoring_is_a_switch() -> None:
    """The draw game can be scored by points, the hand game by win and loss; rewards add up to nothing."""
    draw, hand = "R:H,H,H,H/Y:S,4,s2,H r - *", "R:H,H,H,H/Y:S,4,s2,H r ?/? *"
    assert rewards(draw, "classic") == (1, -1)
    assert rewards(draw, "classic", scoring="points") == pytest.approx((0.4, -0.4))
    assert rewards(hand, "points") == pytest.approx((0.4, -0.4))
    assert rewards(hand, "points", scoring="win") == (1, -1)
    assert rewards("R:S,S,S,S/B:H,H,H,H/Y:S,S,S,S b - *", "classic") == (-0.5, 1, -0.5)
    assert Game("points", 1).rewards() == (0, 0, 0, 0)


# --- 6. Partnership game ---

HANDS = "3.3.5.8.X/?/?/?"


@rule("6.1")
def test_partners() -> None:
    """Red and Yellow play against Blue and Green, the turn goes round as ever, and each has a hand of his own."""
    assert moves(f"{board(R='20,H,H,H')} r 3 *", "teams") == {"3:20>23"}
    assert moves(f"{board(R='20,H,H,H')} y 3 *", "teams") == {"3:R20>23"}
    assert moves(f"{board(R='20,H,H,H')} b 3 *", "teams") == {"pass"}
    assert moves(f"{board(G='20,H,H,H')} b 3 *", "teams") == {"3:G20>23"}
    for mover, following in zip("rbyg", (1, 2, 3, 0), strict=True):
        assert after(f"{board()} {mover} 3 *", "pass", "teams").mover == following
    game = Game("team-points", 1)
    assert all(len(game.position.hand(seat) or ()) == 5 for seat in range(4))
    assert game.position.seen_by(0).hand(2) is None


@rule("6.2")
def test_team_wins_together() -> None:
    """A team wins when both colours are Home, whoever moves last; play goes on when one colour is done."""
    assert not after(f"{board(R='s4,H,H,H', Y='s0,H,H,H')} r 1 *", "1:s4>H", "teams").is_over
    end = after(f"{board(R='H,H,H,H', Y='s4,H,H,H')} r 1 *", "1:Ys4>H", "teams")
    assert end.is_over
    assert (end.mover, end.winners) == (0, (0, 2))
    assert rewards(str(end), "teams") == (1, -1, 1, -1)
    assert not position(f"{board(R='H,H,H,H')} b 3 *", "teams").is_over


@rule("6.3")
@pytest.mark.parametrize(
    ("card", "expected"),
    [
        ("1", {"1:S>4", "1:YS>34", "1:20>21", "1:Y50>51"}),
        ("4", {"4:20>16", "4:Y50>46"}),
        ("11", {"11:20>31", "11:Y50>1", "11:20<>40", "11:Y50<>40"}),
        ("X", {"X:S>40", "X:YS>40"}),
    ],
)
def test_any_pawn_of_the_team(card: str, expected: set[str]) -> None:
    """Starts, forward and backward moves, exchanges and X serve any of the team's pawns."""
    assert moves(f"{board(R='S,20,H,H', B='S,S,S,40', Y='S,50,H,H')} r {card} *", "teams") == expected


@rule("6.3")
def test_split_over_both_colours() -> None:
    """Both halves of a 7, and the card after a 2, serve pawns of either colour."""
    got = moves(f"{board(R='20,H,H,H', Y='40,H,H,H')} r 7 *", "teams")
    assert {"7:20>23,Y40>44", "7:Y40>44,20>23", "7:20>27", "7:Y40>47"} <= got
    second = after(f"{board(R='20,H,H,H', Y='40,H,H,H')} r 2 *", "2:20>22", "teams").with_card("3")
    assert second.legal_moves() == ["3:22>25", "3:Y40>43"]


@rule("6.4")
def test_the_pawns_colour_decides() -> None:
    """Start, circle, entrance, zone and slides are those of the pawn's colour, not of the player's."""
    text = f"{board(R='30,H,H,H', Y='30,H,H,H').replace('Y:30', 'Y:0')} r 1 *"
    assert results(text, "teams") == {
        "1:30>31": board(R="34,H,H,H", Y="0,H,H,H"),
        "1:Y0>1": board(R="30,H,H,H", Y="4,H,H,H"),
    }
    assert results(f"{board(R='S,H,H,H', Y='30,H,H,H')} y 1 *", "teams") == {
        "1:30>31": board(R="S,H,H,H", Y="31,H,H,H"),
        "1:RS>4": board(R="4,H,H,H", Y="30,H,H,H"),
    }
    assert moves(f"{board(R='2,H,H,H', Y='32,H,H,H')} r 1 *", "teams") == {"1:2>s0", "1:Y32>s0"}
    assert moves(f"{board(R='32,H,H,H', Y='2,H,H,H')} r 1 *", "teams") == {"1:32>33", "1:Y2>3"}


@rule("6.5")
def test_partners_bump_each_other() -> None:
    """Landing on a partner's pawn bumps it, is legal, and may be compulsory; on the own colour it is illegal."""
    text = f"{board(R='10,H,H,H', Y='13,H,H,H')} r 3 *"
    assert results(text, "teams")["3:10>13"] == board(R="13,H,H,H", Y="S,H,H,H")
    forced = f"{board(R='28,H,H,H', Y='s2,40,H,H')} r 12 *"
    assert results(forced, "teams")["12:28>40"] == board(R="40,H,H,H", Y="S,s2,H,H")
    assert moves(f"{board(R='20,23,H,H', Y='s4,H,H,H')} r 3 *", "teams") == {"3:23>26"}
    assert results(f"{board(R='15,H,H,H', Y='18,H,H,H')} r 1 *", "teams")["1:15>16"] == board(R="19,H,H,H", Y="S,H,H,H")


@rule("6.6")
@pytest.mark.parametrize(
    ("places", "opposing", "partner", "expected"),
    [
        ("S,20,H,H", "S,S,S,50", "S,40,H,H", {"X:S>50", "X:YS>50"}),
        ("S,20,H,H", "S,S,S,s2", "S,40,H,H", {"X:S>40", "X:YS>20"}),
        ("S,20,H,H", "S,S,S,S", "s4,H,H,H", {"pass"}),
        ("20,H,H,H", "S,S,S,S", "S,40,H,H", {"X:YS>20"}),
    ],
)
def test_sorry_of_teams(places: str, opposing: str, partner: str, expected: set[str]) -> None:
    """X replaces opposing pawns first, from either Start; only without one must it take the partner colour's."""
    assert moves(f"{board(R=places, G=opposing, Y=partner)} r X *", "teams") == expected


@rule("6.6")
def test_forward_4_stays_free() -> None:
    """The forward 4 of edition-2013 is free beside a partner's replacement and beside an opponent's."""
    text = f"{board(R='S,20,H,H', Y='40,H,H,H')} r X *"
    assert moves(text, "teams", x_forward4=True) == {"X:S>40", "X:20>24", "X:Y40>44"}
    text = f"{board(R='S,20,H,H', G='S,S,S,50')} r X *"
    assert moves(text, "teams", x_forward4=True) == {"X:S>50", "X:YS>50", "X:20>24"}


@rule("6.7")
def test_exchange_of_partners() -> None:
    """Partners exchange only by option; the pawn named first slides, and it counts as an exchange."""
    text = f"{board(R='20,H,H,H', Y='54,H,H,H')} r 11 *"
    assert moves(text, "teams") == {"11:20>31", "11:Y54>5"}
    got = results(text, "teams", swap_partner=True)
    assert got["11:20<>54"] == board(R="58,H,H,H", Y="20,H,H,H")
    assert got["11:Y54<>20"] == board(R="54,H,H,H", Y="20,H,H,H")
    idle = f"{board(R='58,H,H,H', Y='28,H,H,H')} r 11 *"
    assert moves(idle, "teams") == {"pass"}
    assert moves(idle, "teams", swap_partner=True) == {"11:58<>28", "11:Y28<>58", "pass"}


@rule("6.8")
def test_player_who_is_done() -> None:
    """A player whose own pawns are all Home goes on drawing and moving the partner's."""
    text = f"{board(R='H,H,H,H', Y='40,H,H,H')} g 3 *"
    turn = after(text, "pass", "teams").with_card("3")
    assert (turn.mover, turn.legal_moves()) == (0, ["3:Y40>43"])
    assert results(f"{board(R='H,H,H,H', Y='30,H,H,H')} r 1 *", "teams") == {
        "1:Y30>31": board(R="H,H,H,H", Y="31,H,H,H")
    }


# --- 7. Named rule sets ---

FORWARD = ("1", "2", "3", "5", "7", "8", "10", "11", "12")


@rule("7")
@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("classic", {}),
        ("teams", {"teams": True}),
        ("points", {"hand_size": 5, "pawns_out": 1, "scoring": "points"}),
        ("team-points", {"teams": True, "hand_size": 5, "pawns_out": 1, "scoring": "points"}),
        ("edition-1939", {"deck": "44"}),
        (
            "edition-2013",
            {"pawns": 3, "start_cards": FORWARD, "two_draws_again": False, "x_forward4": True, "slide_on": "own"},
        ),
        ("mini-1", {"players": 2, "pawns": 1, "deck": "replacement"}),
        ("mini-2", {"players": 2, "pawns": 2, "deck": "replacement"}),
    ],
)
def test_presets(name: str, fields: dict[str, Any]) -> None:
    """Each named rule set differs from the classic draw game by what the table says, and there is no other."""
    assert rules_from(name) == rules_from("classic", **fields)
    assert len(PRESETS) == 8


def consequence(text: str, move: str, rules: str, **options: Any) -> str:
    """The pawns after a move and who decides next, or that the move is illegal."""
    start = position(text, rules, **options)
    if move not in start.legal_moves():
        return "illegal"
    played = start.after(move)
    drawn = played.with_card(played.outcomes()[0][0])
    return " ".join(str(drawn).split()[:2])


@rule("7")
@pytest.mark.parametrize(
    ("text", "rules", "option", "move", "without", "given"),
    [
        (f"{board(Y='40,H,H,H')} r 3 *", "classic", {"teams": True}, "3:Y40>43", "illegal", f"{board(Y='43,H,H,H')} b"),
        ("R:15,H/Y:S,S r 1 *", "mini-2", {"slide_on": "own"}, "1:15>16", "R:19,H/Y:S,S y", "R:16,H/Y:S,S y"),
        ("R:0,H/Y:S,S r 1 *", "mini-2", {"slide_on": "any"}, "1:0>1", "R:1,H/Y:S,S y", "R:4,H/Y:S,S y"),
        ("R:15,H/Y:S,S r 1 *", "mini-2", {"slide_on": "any"}, "1:15>16", "R:19,H/Y:S,S y", "R:19,H/Y:S,S y"),
        ("R:S,H/Y:S,S r 5 *", "mini-2", {"start_cards": ("5", "12")}, "5:S>4", "illegal", "R:4,H/Y:S,S y"),
        ("R:S,H/Y:S,S r 1 *", "mini-2", {"start_cards": ("5", "12")}, "1:S>4", "R:4,H/Y:S,S y", "illegal"),
        ("R:4,H/Y:S,S r X *", "mini-2", {"x_forward4": True}, "X:4>8", "illegal", "R:8,H/Y:S,S y"),
        ("R:S,H/Y:S,S r 2 *", "mini-2", {"two_draws_again": False}, "2:S>4", "R:4,H/Y:S,S r", "R:4,H/Y:S,S y"),
        (
            "R:4,H/Y:S,S r 2/3 *",
            "mini-2",
            {"deck": "45", "hand_size": 1, "two_draws_again": False},
            "2:4>6",
            "unread",
            "R:6,H/Y:S,S y",
        ),
        ("R:4,H/Y:S,S r 2/3 *", "mini-2", {"deck": "45", "hand_size": 1}, "2:4>6", "unread", "R:6,H/Y:S,S r"),
        (
            f"{board(R='58,H,H,H', Y='28,H,H,H')} r 11 *",
            "teams",
            {"swap_partner": True},
            "11:58<>28",
            "illegal",
            f"{board(R='28,H,H,H', Y='58,H,H,H')} b",
        ),
    ],
)
def test_switch_matters(text: str, rules: str, option: dict[str, Any], move: str, without: str, given: str) -> None:
    """Each switch of play has a position where it changes what is legal, where a move leads or who is next."""
    assert consequence(text, move, rules, **option) == given
    if without == "unread":
        with pytest.raises(ValueError, match="CARDS"):
            position(text, rules)
    else:
        assert consequence(text, move, rules) == without


@rule("7")
@pytest.mark.parametrize(
    ("option", "start"),
    [
        ({}, "R:S,S,S,S/Y:S,S,S,S r - 54444444444"),
        ({"pawns": 2}, "R:S,S/Y:S,S r - 54444444444"),
        ({"pawns_out": 1}, "R:S,S,S,4/Y:S,S,S,34 r - 54444444444"),
        ({"deck": "44"}, "R:S,S,S,S/Y:S,S,S,S r - 44444444444"),
        ({"deck": "55"}, "R:S,S,S,S/Y:S,S,S,S r - 55555555555"),
        ({"deck": "replacement"}, "R:S,S,S,S/Y:S,S,S,S r - *"),
        ({"colors": "RG"}, "R:S,S,S,S/G:S,S,S,S r - 54444444444"),
        ({"players": 3}, "R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S r - 54444444444"),
        ({"first_player": 1}, "R:S,S,S,S/Y:S,S,S,S y - 54444444444"),
    ],
)
def test_set_up_switch_matters(option: dict[str, Any], start: str) -> None:
    """Each switch of the set-up shows in the first position."""
    options = {"players": len(option["colors"]) if "colors" in option else 2, "first_player": 0} | option
    assert str(Game("classic", 1, explicit_chance=True, **options)) == start


@rule("7")
@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("players", {"players": 1}),
        ("players", {"players": 5}),
        ("players", {"players": True}),
        ("players", {"players": "2"}),
        ("colors", {"players": 3, "colors": "RY"}),
        ("colors", {"players": 2, "colors": "RR"}),
        ("colors", {"players": 2, "colors": "RP"}),
        ("teams", {"players": 3, "teams": True}),
        ("teams", {"players": 2, "teams": True}),
        ("teams", {"teams": 1}),
        ("hand_size", {"hand_size": 10}),
        ("hand_size", {"hand_size": -1}),
        ("hand_size", {"hand_size": 5, "deck": "replacement"}),
        ("pawns", {"pawns": 0}),
        ("pawns", {"pawns": 5}),
        ("pawns_out", {"pawns_out": 2}),
        ("deck", {"deck": "46"}),
        ("deck", {"deck": 45}),
        ("slide_on", {"slide_on": "none"}),
        ("start_cards", {"start_cards": ("1", "4")}),
        ("start_cards", {"start_cards": ("X",)}),
        ("start_cards", {"start_cards": ("6",)}),
        ("start_cards", {"start_cards": ()}),
        ("two_draws_again", {"two_draws_again": "no"}),
        ("x_forward4", {"x_forward4": 4}),
        ("swap_partner", {"swap_partner": True}),
        ("first_player", {"players": 2, "first_player": 2}),
        ("first_player", {"first_player": -1}),
        ("first_player", {"first_player": "red"}),
        ("first_player", {"first_player": True}),
        ("scoring", {"scoring": "goals"}),
    ],
)
def test_refused_switch(field: str, options: dict[str, Any]) -> None:
    """A value or combination that makes no sense is refused with a message that begins with the field's name."""
    with pytest.raises(RulesError, match=rf"^{field}: "):
        Rules(**options)


@rule("7")
@pytest.mark.parametrize(
    ("field", "spec"),
    [
        ("rules", "chess"),
        ("rules", "classic:dice=2"),
        ("rules", "classic:players"),
        ("players", "classic:players=two"),
        ("players", "classic:players=--2"),
        ("players", f"classic:players={'9' * 900}"),
        ("teams", "classic:teams=maybe"),
        ("deck", "classic:deck=46"),
        ("first_player", "classic:first_player=9"),
        ("hand_size", "classic:hand_size="),
    ],
)
def test_refused_text(field: str, spec: str) -> None:
    """A rules text that cannot be read is refused by a RulesError that names the field."""
    with pytest.raises(RulesError, match=rf"^{field}: "):
        rules_from(spec)


# --- The list of rulings ---


def marked_rules() -> set[str]:
    """Numbers in the rule markers of all test modules."""
    found = set()
    for file in HERE.glob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("rule", "pytest.mark.rule"):
                found |= {argument.value for argument in node.args if isinstance(argument, ast.Constant)}
    return {str(number) for number in found}


def test_every_ruling_has_a_test() -> None:
    """No number of RULES.md is without a test that names it, and no test names one that is not there."""
    numbers = set((HERE / "rule_numbers.txt").read_text().split())
    assert len(numbers) == 46
    assert marked_rules() - {"7"} == numbers


def test_values_as_arrays_give_them() -> None:
    """Whole numbers may be NumPy's; what is no letter, card or number is refused by its field's name."""
    given: dict[str, Any] = {"players": np.int64(2), "first_player": np.int32(1)}
    rules = rules_from("classic", **given)
    assert rules == rules_from("classic:players=2,first_player=1")
    assert (type(rules.players), type(rules.first_player)) == (int, int)
    wrong: dict[str, Any] = {"colors": [1, 2], "start_cards": None, "first_player": 1.0, "pawns": np.int64(5)}
    for field, value in wrong.items():
        with pytest.raises(RulesError, match=rf"^{field}: "):
            rules_from("classic", **{field: value})
