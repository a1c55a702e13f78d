"""RULES 4 (landing, slides, moving backward) ruling by ruling, as `test_rules_1_to_3`."""

from __future__ import annotations

import pytest
from results import board, moves, results

rule = pytest.mark.rule


@rule("4.1")
def test_landing_bumps() -> None:
    """A pawn that lands on another colour's pawn sends it to its Start, forward and backward."""
    text = board("RY", R="20,H,H,H", Y="S,S,16,23")
    assert results(f"{text} r 3 *") == {"3:20>23": board("RY", R="23,H,H,H", Y="S,S,S,16")}
    text = board("RY", R="21,H,H,H", Y="S,S,17,23")
    assert results(f"{text} r 4 *") == {"4:21>17": board("RY", R="17,H,H,H", Y="S,S,S,23")}


@rule("4.2")
@pytest.mark.parametrize(
    ("places", "others", "card", "move", "end"),
    [
        ("15,H,H,H", "S,S,S,S", "1", "1:15>16", "19"),
        ("17,H,H,H", "S,S,S,S", "10", "10:17>16", "19"),
        ("28,H,H,H", "S,S,S,S", "4", "4:28>24", "28"),
        ("8,H,H,H", "S,S,S,S", "1", "1:8>9", "9"),
        ("23,H,H,H", "S,S,S,S", "2", "2:23>25", "25"),
        ("S,H,H,H", "S,S,S,46", "X", "X:S>46", "49"),
    ],
)
def test_slides(places: str, others: str, card: str, move: str, end: str) -> None:
    """On another colour's triangle a pawn slides however it came; on its own, or in a slide's middle, it stays."""
    assert results(f"{board('RY', R=places, Y=others)} r {card} *")[move] == board("RY", R=f"{end},H,H,H")


@rule("4.2")
def test_exchange_slides() -> None:
    """The pawn that exchanges onto another colour's triangle slides."""
    text = f"{board('RY', R='5,H,H,H', Y='S,S,S,54')} r 11 *"
    assert results(text)["11:5<>54"] == board("RY", R="58,H,H,H", Y="S,S,S,5")


@rule("4.2")
@pytest.mark.parametrize(("slide_on", "own", "other"), [("other", "1", "19"), ("own", "4", "16"), ("any", "4", "19")])
def test_slide_on(slide_on: str, own: str, other: str) -> None:
    """By `slide_on` the own triangle is ridden, past the entrance, the other colours' too or instead."""
    assert results(f"{board('RY', R='0,H,H,H')} r 1 *", slide_on=slide_on) == {"1:0>1": board("RY", R=f"{own},H,H,H")}
    assert results(f"{board('RY', R='15,H,H,H')} r 1 *", slide_on=slide_on) == {
        "1:15>16": board("RY", R=f"{other},H,H,H")
    }


@rule("4.3")
@pytest.mark.parametrize("square", [24, 25, 26, 27, 28])
def test_slide_bumps_all(square: int) -> None:
    """A slide bumps every pawn from its triangle to its end, and none beyond."""
    text = f"{board('RY', R='22,H,H,H', Y=f'S,S,29,{square}')} r 2 *"
    assert results(text) == {"2:22>24": board("RY", R="28,H,H,H", Y="S,S,S,29")}


@rule("4.3")
@pytest.mark.parametrize("square", [25, 26, 27, 28])
def test_slide_bumps_own(square: int) -> None:
    """A slide bumps the slider's own colour, the end too; only an own pawn on the triangle forbids the move."""
    text = f"{board('RY', R=f'22,{square},H,H')} r 2 *"
    assert results(text)["2:22>24"] == board("RY", R="S,28,H,H")
    assert "2:22>24" not in moves(f"{board('RY', R='22,24,H,H')} r 2 *")


@rule("4.3")
def test_slider_never_bumps_itself() -> None:
    """A pawn may slide over or onto the square that it left."""
    assert results(f"{board('RY', R='28,H,H,H')} r 4 *") == {"4:28>24": board("RY", R="28,H,H,H")}
    assert results(f"{board('RY', R='17,H,H,H')} r 10 *")["10:17>16"] == board("RY", R="19,H,H,H")


@rule("4.4")
def test_displaced_pawn_stays() -> None:
    """After an exchange only the mover's pawn slides; the other is bumped only on the slide that the mover rides."""
    text = f"{board('RY', R='9,H,H,H', Y='S,S,S,50')} r 11 *"
    assert results(text)["11:9<>50"] == board("RY", R="50,H,H,H", Y="S,S,S,9")
    ridden = f"{board('RY', R='26,H,H,H', Y='S,S,S,24')} r 11 *"
    assert results(ridden)["11:26<>24"] == board("RY", R="28,H,H,H", Y="S,S,S,S")
    beyond = f"{board('RY', R='29,H,H,H', Y='S,S,S,24')} r 11 *"
    assert results(beyond)["11:29<>24"] == board("RY", R="28,H,H,H", Y="S,S,S,29")


@rule("4.5")
@pytest.mark.parametrize(
    ("place", "card", "move"),
    [
        ("4", "4", "4:4>0"),
        ("3", "10", "10:3>2"),
        ("3", "4", "4:3>59"),
        ("s4", "4", "4:s4>s0"),
        ("s0", "10", "10:s0>2"),
        ("s1", "4", "4:s1>0"),
        ("s2", "4", "4:s2>1"),
        ("2", "4", "4:2>58"),
    ],
)
def test_backward(place: str, card: str, move: str) -> None:
    """Backward never enters a zone from the ring; from the zone it leads by the entrance to the ring."""
    got = moves(f"{board('RY', R=f'{place},H,H,H')} r {card} *")
    assert move in got
    assert got <= {move, "10:3>13"}


@rule("4.6")
@pytest.mark.parametrize(
    ("place", "card", "move"), [("2", "1", "1:2>s0"), ("1", "3", "3:1>s1"), ("58", "5", "5:58>s0"), ("0", "8", "8:0>H")]
)
def test_forward_after_backward(place: str, card: str, move: str) -> None:
    """A pawn that backed to its entrance or beyond goes into its zone by a later forward move."""
    assert moves(f"{board('RY', R=f'{place},H,H,H')} r {card} *") == {move}


@rule("4.2")
@pytest.mark.parametrize(
    ("start", "card", "end", "slide_on"),
    [("8", "1", "13", "own"), ("8", "1", "13", "any"), ("13", "4", "13", "own"), ("8", "1", "9", "other")],
)
def test_own_second_slide(start: str, card: str, end: str, slide_on: str) -> None:
    """By `slide_on` own or any the own second triangle, too, is ridden to its end, forward and backward."""
    move = f"{card}:{start}>9"
    got = results(f"{board('RY', R=f'{start},H,H,H')} r {card} *", slide_on=slide_on)
    assert got == {move: board("RY", R=f"{end},H,H,H")}


@rule("4.5")
@pytest.mark.parametrize(
    ("place", "card", "move", "end"),
    [
        ("3", "10", "10:3>2", "2"),
        ("3", "4", "4:3>59", "59"),
        ("5", "4", "4:5>1", "1"),
        ("4", "4", "4:4>0", "0"),
        ("s0", "10", "10:s0>2", "2"),
        ("s3", "4", "4:s3>2", "2"),
        ("s4", "4", "4:s4>s0", "s0"),
    ],
)
def test_where_backward_ends(place: str, card: str, move: str, end: str) -> None:
    """A backward move past the diamond ends on the entrance's side of the ring, and the pawn stands there."""
    assert results(f"{board('RY', R=f'{place},H,H,H')} r {card} *")[move] == board("RY", R=f"{end},H,H,H")


@rule("4.5", "3.7")
def test_backward_to_the_entrance_and_own_pawns() -> None:
    """A pawn in Start does not stand behind the diamond; an own pawn on the entrance does."""
    assert "10:3>2" in moves(f"{board('RY', R='S,3,H,H')} r 10 *")
    assert "10:3>2" not in moves(f"{board('RY', R='3,2,H,H')} r 10 *")
    assert moves(f"{board('RY', R='S,6,H,H')} r 4 *") == {"4:6>2"}
    assert moves(f"{board('RY', R='6,2,H,H')} r 4 *") == {"4:2>58"}
