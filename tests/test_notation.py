"""Text of positions, moves and records (RULES 8): round trips, canonical form, refusals, and arbitrary text."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from invariants import check
from results import board, moves, position, results
from strategies import RULE_SETS, SPECS, examples, position_texts, positions, random_positions, rules_records

from sorry_env.errors import AmbiguousError, IllegalError, MalformedError, SorryError
from sorry_env.position import Position
from sorry_env.rules import PRESETS, Rules, rules_from

rule = pytest.mark.rule
OUT = board("RY", R="S,S,S,4")
HANDS = f"{OUT} r"

# --- Positions ---


@rule("8.1")
@pytest.mark.parametrize("place", ["S", *map(str, range(60)), "s0", "s1", "s2", "s3", "s4", "H"])
def test_locations(place: str) -> None:
    """Every location of 8.1 is read and printed back, for each colour."""
    for letter in "RBYG":
        text = f"{board(**{letter: f'S,{place},H,H' if place != 'H' else 'S,H,H,H'})} {letter.lower()} - 54444444444"
        assert sorted(str(position(text))) == sorted(text)
        assert place in position(text).pawns("RBYG".index(letter))


@rule("8.1")
@pytest.mark.parametrize("card", ["1", "2", "3", "4", "5", "7", "8", "10", "11", "12", "X"])
def test_cards(card: str) -> None:
    """Every card of 8.1 is read and printed back, drawn or in a hand."""
    assert position(f"{OUT} r {card} *").card == card
    hand = position(f"{OUT} r {card}.{card}.{card}.{card}/? *", "points", hand_size=4)
    assert hand.hand(0) == (card,) * 4


@rule("8.2")
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_round_trip(data: st.DataObject) -> None:
    """A printed position is read back as itself, under any rules, with any pawns, cards, hands and pile."""
    rules = data.draw(rules_records())
    text = data.draw(position_texts(rules))
    read = Position.parse(text, rules)
    assert str(read) == text
    assert Position.parse(str(read), rules) == read
    assert hash(Position.parse(text, rules)) == hash(read)
    assert eval(repr(read), {"Position": Position}) == read


@rule("8.2")
@settings(max_examples=100)
@given(data=st.data())
def test_any_order_of_pawns(data: st.DataObject) -> None:
    """Pawns may be written in any order; the printed text is canonical and the same for all."""
    rules = data.draw(rules_records())
    text = data.draw(position_texts(rules))
    pawns, tail = text.split(" ", 1)
    fields = [f"{field[:2]}{','.join(data.draw(st.permutations(field[2:].split(','))))}" for field in pawns.split("/")]
    assert str(Position.parse(f"{'/'.join(fields)} {tail}", rules)) == text


@rule("8.2")
@pytest.mark.parametrize(
    ("rules", "text", "canonical"),
    [
        ("classic", f"{OUT} r 5 44343444444", f"{OUT} r 5 44343444444"),
        ("classic", f"{OUT} r 5 *", f"{OUT} r 5 54443444444"),
        ("classic", f"{OUT} y - *", f"{OUT} y - 54444444444"),
        ("classic", "R:H,3,s0,S/Y:S,34,S,S r - *", "R:S,3,s0,H/Y:S,S,S,34 r - 54444444444"),
        ("edition-1939", f"{OUT} r 1 *", f"{OUT} r 1 34444444444"),
        ("mini-1", "R:S/Y:S r 5 *", "R:S/Y:S r 5 *"),
        ("points", f"{OUT} r 3.1.X.10/? *", f"{OUT} r 1.3.10.X/? 44344443443"),
        ("points", f"{OUT} r ?/? *", f"{OUT} r ?/? 54444444444"),
        ("points", f"{OUT} y 1.1.1.1.1/2.2.2.2.3 *", f"{OUT} y 1.1.1.1.1/2.2.2.2.3 00344444444"),
    ],
)
def test_canonical_text(rules: str, text: str, canonical: str) -> None:
    """The printed text is the canonical one: pawns in order, cards in card order, the pile in digits."""
    assert str(position(text, rules)) == canonical


@rule("8.2")
def test_fields_are_told() -> None:
    """The example of 8.2 means what it says: a drawn 5, and a 1, a 3 and the 5 out of the pile."""
    example = position("R:S,S,S,4/Y:S,S,S,S r 5 44343444444")
    assert example.pawns(0) == ("S", "S", "S", "4")
    assert (example.mover, example.card, example.is_over, example.awaits_card) == (0, "5", False, False)
    assert example.pile() == dict(zip(["1", "2", "3", "4", "5", "7"], [4, 4, 3, 4, 3, 4], strict=True)) | dict.fromkeys(
        ["8", "10", "11", "12", "X"], 4
    )
    short = position(f"{HANDS} 1.3.10.X/? *", "points")
    assert (short.awaits_card, short.hand(0), short.hand(1)) == (True, ("1", "3", "10", "X"), None)
    assert not position(f"{HANDS} 1.3.10.X.X/? *", "points").awaits_card


REFUSED: list[tuple[str, str, type[SorryError], str]] = [
    ("position", "classic", MalformedError, f"{OUT} r 5"),
    ("position", "classic", MalformedError, f"{OUT} r  5 *"),
    ("position", "classic", MalformedError, f" {OUT} r 5 *"),
    ("position", "classic", MalformedError, f"{OUT} r 5 * *"),
    ("PAWNS", "classic", IllegalError, "R:S,S,S,4/Y:S,S,S,4 r 5 *"),
    ("PAWNS", "classic", IllegalError, "R:S,S,4,4/Y:S,S,S,S r 5 *"),
    ("PAWNS", "classic", IllegalError, "R:S,S,s2,s2/Y:S,S,S,S r 5 *"),
    ("PAWNS", "classic", IllegalError, "R:S,S,3,3/Y:S,S,S,S r 5 *"),
    ("PAWNS", "classic", IllegalError, "R:S,S,S/Y:S,S,S,S r 5 *"),
    ("PAWNS", "classic", IllegalError, "R:S,S,S,S,S/Y:S,S,S,S r 5 *"),
    ("PAWNS", "mini-1", IllegalError, "R:S,S/Y:S r 5 *"),
    ("PAWNS", "classic", MalformedError, "R:S,S,S,60/Y:S,S,S,S r 5 *"),
    ("PAWNS", "classic", MalformedError, "R:S,S,S,04/Y:S,S,S,S r 5 *"),
    ("PAWNS", "classic", MalformedError, "R:S,S,S,s5/Y:S,S,S,S r 5 *"),
    ("PAWNS", "classic", MalformedError, "R:S,S,S,h/Y:S,S,S,S r 5 *"),
    ("PAWNS", "classic", MalformedError, "R:S,S,S,/Y:S,S,S,S r 5 *"),
    ("PAWNS", "classic", MalformedError, "R:S,S,S,-1/Y:S,S,S,S r 5 *"),
    ("PAWNS", "classic", MalformedError, "R:S,S,S,4/YS,S,S,S r 5 *"),
    ("MOVER", "classic", IllegalError, f"{OUT} b 5 *"),
    ("MOVER", "classic", MalformedError, f"{OUT} R 5 *"),
    ("MOVER", "classic", MalformedError, f"{OUT} ry 5 *"),
    ("MOVER", "classic", MalformedError, f"{OUT}  5 *"),
    ("MOVER", "classic", IllegalError, "R:H,H,H,H/Y:S,S,S,S y - *"),
    ("MOVER", "teams", IllegalError, f"{board(R='H,H,H,H', Y='H,H,H,H')} b - *"),
    ("CARDS", "classic", MalformedError, f"{OUT} r 6 *"),
    ("CARDS", "classic", MalformedError, f"{OUT} r x *"),
    ("CARDS", "classic", MalformedError, f"{OUT} r ?/? *"),
    ("CARDS", "classic", IllegalError, "R:H,H,H,H/Y:S,S,S,S r 5 *"),
    ("CARDS", "points", IllegalError, f"{HANDS} 1.1.1.1.1 *"),
    ("CARDS", "points", IllegalError, f"{HANDS} 1.1.1.1.1/2.2.2.2 *"),
    ("CARDS", "points", IllegalError, f"{HANDS} 1.1.1/2.2.2.2.3 *"),
    ("CARDS", "points", IllegalError, f"{HANDS} 1.1.1.1.1.2/2.2.2.3.3 *"),
    ("CARDS", "points", IllegalError, f"{HANDS} ?/?/? *"),
    ("CARDS", "points", MalformedError, f"{HANDS} 1.1.1.1.6/2.2.2.2.3 *"),
    ("CARDS", "points", MalformedError, f"{HANDS} 1.1..1.1/2.2.2.2.3 *"),
    ("CARDS", "points", IllegalError, "R:H,H,H,H/Y:S,S,S,S r 1.1.1.1.1/? *"),
    ("PILE", "points", IllegalError, f"{HANDS} 1.1.1.1.1/1.2.2.2.2 *"),
    ("PILE", "points", IllegalError, f"{HANDS} 1.1.1.1.1/? 00000000004"),
    ("PILE", "points", IllegalError, f"{HANDS} 1.1.1.1.1/? 10000000004"),
    ("PILE", "classic", IllegalError, f"{OUT} r 5 54444444444"),
    ("PILE", "classic", IllegalError, f"{OUT} r - 64444444444"),
    ("PILE", "edition-1939", IllegalError, f"{OUT} r - 54444444444"),
    ("PILE", "classic", MalformedError, f"{OUT} r 5 4434344444"),
    ("PILE", "classic", MalformedError, f"{OUT} r 5 443434444444"),
    ("PILE", "classic", MalformedError, f"{OUT} r 5 4434344444x"),
    ("PILE", "classic", MalformedError, f"{OUT} r 5 ٤٤٣٤٣٤٤٤٤٤٤"),
    ("PILE", "mini-1", MalformedError, "R:S/Y:S r 5 54444444444"),
]


@rule("8.2")
@pytest.mark.parametrize(("field", "rules", "error", "text"), REFUSED)
def test_refused_position(field: str, rules: str, error: type[SorryError], text: str) -> None:
    """What 8.2 refuses is refused with the field named: text not so written as malformed, the impossible as illegal."""
    options = {} if rules == "teams" else {"players": 2}
    with pytest.raises(error, match=rf"^{field}: ") as caught:
        Position.parse(text, rules, **options)
    assert isinstance(caught.value, ValueError)
    assert type(caught.value) is error


@rule("8.2")
@pytest.mark.parametrize("pawns", ["Y:S,S,S,S/R:S,S,S,S", "R:S,S,S,S", "R:S,S,S,S/B:S,S,S,S", "R:S,S,S,S/Y:S,S,S,S/"])
def test_refused_seats(pawns: str) -> None:
    """PAWNS lists just the seated colours in the order R, B, Y, G."""
    with pytest.raises((MalformedError, IllegalError), match=r"^PAWNS: "):
        Position.parse(f"{pawns} r - *", "classic", players=2)


# --- Moves ---


@rule("8.3")
@pytest.mark.parametrize(
    ("text", "rules", "move"),
    [
        (f"{board('RY')} r 1 *", "classic", "1:S>4"),
        (f"{board('RY', R='s2,H,H,H')} r 4 *", "classic", "4:s2>1"),
        (f"{board('RY', R='0,H,H,H')} r 8 *", "classic", "8:0>H"),
        (f"{board('RY', R='15,H,H,H')} r 1 *", "classic", "1:15>16"),  # the square counted to, before the slide
        (f"{board('RY', R='5,20,H,H')} r 7 *", "classic", "7:5>8,20>24"),
        (f"{board('RY', R='22,H,H,H', Y='S,S,S,50')} r 11 *", "classic", "11:22<>50"),
        (f"{board('RY', Y='S,S,S,32')} r X *", "classic", "X:S>32"),
        (f"{board('RY')} r 3 *", "classic", "pass"),
        (f"{board('RY')} r 5.5.5.3.8/? *", "points", "discard 5"),
        (f"{board()} r 1 *", "teams", "1:YS>34"),
        (f"{board(R='20,H,H,H', Y='40,H,H,H')} r 7 *", "teams", "7:20>23,Y40>44"),
        (f"{board(R='20,H,H,H', Y='40,H,H,H')} r 7 *", "teams", "7:Y40>44,20>23"),
        (f"{board(B='20,H,H,H', G='40,H,H,H')} g 7 *", "teams", "7:40>44,B20>23"),
        (f"{board(Y='40,H,H,H', G='50,H,H,H')} r 11 *", "teams", "11:Y40<>50"),
        (f"{board(G='50,H,H,H')} r X *", "teams", "X:YS>50"),
        ("R:S,S,S/Y:S,S,S r 5 *", "edition-2013", "5:S>4"),
        ("R:20,S,S/Y:S,S,S r X *", "edition-2013", "X:20>24"),
    ],
)
def test_moves_as_written(text: str, rules: str, move: str) -> None:
    """Moves are written as 8.3 says, and read back as the same action."""
    start = position(text, rules)
    assert move in start.legal_moves()
    assert start.legal_moves()[start.legal_actions().index(start.parse_move(move))] == move


@rule("8.3")
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(start=positions())
def test_move_round_trip(start: Position) -> None:
    """Every legal action is written as a text of its own, which is read as that action."""
    texts = start.legal_moves()
    assert [start.parse_move(text) for text in texts] == start.legal_actions()
    assert len(set(texts)) == len(texts)


@rule("8.3")
@pytest.mark.parametrize(
    ("text", "rules", "move"),
    [
        (f"{board(R='20,H,H,H')} r 3 *", "teams", "3:R20>23"),  # needless letter of the mover's own
        (f"{board(R='20,H,H,H')} r 3 *", "teams", "3:Y20>23"),
        (f"{board(Y='40,H,H,H')} r 3 *", "teams", "3:40>43"),  # the partner's letter lacks
        (f"{board('RY', R='20,H,H,H')} r 3 *", "classic", "3:R20>23"),
        (f"{board(R='20,H,H,H', Y='40,H,H,H')} r 7 *", "teams", "7:20>23,40>44"),
        (f"{board('RY', R='20,H,H,H', Y='S,S,S,50')} r 11 *", "classic", "11:50<>20"),
        (f"{board('RY', R='20,H,H,H')} r 3 *", "classic", "3:20>24"),
        (f"{board('RY', R='20,H,H,H')} r 3 *", "classic", "5:20>25"),
        (f"{board('RY', R='20,H,H,H')} r 3 *", "classic", "pass"),
        (f"{board('RY', R='20,H,H,H')} r 3 *", "classic", "discard 3"),
        (f"{board('RY', R='15,H,H,H')} r 1 *", "classic", "1:15>19"),  # counted to 16, the slide is no part
        (f"{board('RY')} r 5.5.5.3.8/? *", "points", "pass"),
        (f"{board('RY')} r 5.5.5.3.8/? *", "points", "discard 4"),
        (f"{board('RY', R='H,H,H,H')} r - *", "classic", "1:S>4"),
        (f"{board('RY')} r - *", "classic", "1:S>4"),
    ],
)
def test_illegal_move(text: str, rules: str, move: str) -> None:
    """A well-written move that is not legal here is refused as illegal, and the message shows the position."""
    start = position(text, rules)
    with pytest.raises(IllegalError, match=re.escape(str(start))) as caught:
        start.parse_move(move)
    assert type(caught.value) is IllegalError
    assert repr(move) in str(caught.value)


@rule("8.3")
@pytest.mark.parametrize(
    "move",
    [
        *("", " ", "1", "1:", "S", "1:S", "1:S>", "1:S>4 ", " 1:S>4", "1:S>4\n", "1:S-4", "1:S>4" * 100),
        *("6:S>4", "13:S>4", "01:S>4", "1:S>60", "1:S>04", "1:S>٤", "1:P20>23", "1:s5>H", "7:5>8,20>24,30>31"),
        *("11:22<>", "11:22<50", "11:22<>50,20>21", "Pass", "discard", "discard 6", "discard  5"),
    ],
)
def test_malformed_move(move: str) -> None:
    """A text that is not written as 8.3 says is refused as malformed, quoted but for its length."""
    with pytest.raises(MalformedError, match=r"^move: ") as caught:
        position(f"{board('RY')} r 1 *").parse_move(move)
    assert len(str(caught.value)) < 400


@rule("8.3")
def test_card_left_out() -> None:
    """The card may be left out where one legal move fits; where several do the text is ambiguous."""
    hand = position(f"{board('RY', R='S,S,4,20')} r 3.3.7.8.10/? *", "points")
    assert hand.parse_move("20>23") == hand.parse_move("3:20>23")
    assert hand.parse_move("20>28") == hand.parse_move("8:20>28")
    both = position(f"{board('RY')} r 1.2.3.3.3/? *", "points")
    with pytest.raises(AmbiguousError, match="1:S>4 or 2:S>4") as caught:
        both.parse_move("S>4")
    assert isinstance(caught.value, ValueError)


@rule("8.3")
def test_same_result_is_not_the_same_move() -> None:
    """The orders of a split are written apart also where they lead to one position."""
    got = results(f"{board('RY', R='5,20,H,H')} r 7 *")
    assert got["7:5>8,20>24"] == got["7:20>24,5>8"]
    assert moves(f"{board('RY', R='5,20,H,H')} r 7 *") >= {"7:5>8,20>24", "7:20>24,5>8"}


# --- Arbitrary text ---

PIECES = [
    "R:",
    "Y:",
    "S",
    "H",
    "s0",
    "4",
    "59",
    ",",
    "/",
    " ",
    "r",
    "-",
    "*",
    "X",
    "10",
    ".",
    "?",
    "44343444444",
    ">",
    "<>",
]
SCRAPS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=30).map("".join))


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """The text with a piece cut out and a scrap put in."""
    start = draw(st.integers(0, len(text)))
    stop = draw(st.integers(start, min(len(text), start + 12)))
    return text[:start] + draw(st.one_of(SCRAPS, st.sampled_from(PIECES))) + text[stop:]


@examples(250)
@given(data=st.data())
def test_arbitrary_positions(data: st.DataObject) -> None:
    """Any text is a position that prints in canonical form, or is refused by a named error that names the field."""
    rules = data.draw(st.sampled_from([*PRESETS.values(), rules_from("points:players=2")]))
    text = data.draw(st.one_of(SCRAPS, position_texts(rules).flatmap(damaged)))
    try:
        read = Position.parse(text, rules)
    except (MalformedError, IllegalError) as error:
        refusal = str(error)
    else:
        refusal = "PAWNS: none"
        check(read)
    assert re.fullmatch(r"(position|PAWNS|MOVER|CARDS|PILE): .+", refusal)


@examples(400)
@given(data=st.data())
def test_arbitrary_moves(data: st.DataObject) -> None:
    """Any text is a legal move, its card perhaps left out, or is refused by a named error."""
    start = data.draw(st.sampled_from(EXAMPLES))
    legal = start.legal_moves()
    text = data.draw(st.one_of(SCRAPS, st.sampled_from(legal).flatmap(damaged)))
    try:
        action = start.parse_move(text)
    except (MalformedError, IllegalError, AmbiguousError) as error:
        refusal = str(error)
    else:
        refusal = "move: none"
        assert legal[start.legal_actions().index(action)] in (text, f"{_card(legal, text)}:{text}")
    assert refusal.startswith("move: ")


EXAMPLES = [start for spec in SPECS for start in random_positions(RULE_SETS[spec], 9, 2)]


def _card(legal: list[str], text: str) -> str:
    """The card of the one legal move whose part is the text."""
    cards = [move.partition(":")[0] for move in legal if move.partition(":")[2] == text]
    return cards[0] if len(cards) == 1 else "?"


@examples(300)
@given(text=st.one_of(SCRAPS, st.sampled_from(SPECS).flatmap(damaged)))
def test_arbitrary_rules(text: str) -> None:
    """Any text is a rules record that prints as a text of the same record, or is refused by a RulesError."""
    try:
        rules: Rules = rules_from(text)
    except SorryError:
        return
    assert rules_from(rules.spec()) == rules
