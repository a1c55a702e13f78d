"""RULES 1 to 3 ruling by ruling, in notation: each test would fail if its ruling were the other way round."""

from __future__ import annotations

import pickle
from collections import Counter
from itertools import pairwise

import pytest
from reference_cases import CASES
from results import after, board, moves, position, results
from strategies import engine_rules
from test_reference import POSITIONS, Case, read_cases

from sorry_env.cards import CARDS
from sorry_env.game import Game

BASES = {"R": 0, "B": 15, "Y": 30, "G": 45}
NEXT = {"R": "B", "B": "Y", "Y": "G", "G": "R"}
rule = pytest.mark.rule


def around(letter: str, square: int, color: str, text: str) -> str:
    """A four-player position with one pawn of `color` at an offset on `letter`'s side, the others Home."""
    place = str((BASES[letter] + square) % 60)
    return f"{board(**{color: f'{place},H,H,H'})} {color.lower()} {text} *"


@pytest.mark.parametrize("case", read_cases(POSITIONS) + read_cases(CASES), ids=lambda case: case.title[2:])
def test_worked_position(case: Case) -> None:
    """A position has just the moves and results that were worked out by hand for the reference."""
    got = results(case.position, "classic", **engine_rules(case.rules))
    assert not set(case.banned) & set(got)
    if not case.whole:
        got = {move: pawns for move, pawns in got.items() if move in case.moves}
    assert got == case.moves


# --- 1. Board ---


@rule("1.1")
@pytest.mark.parametrize("letter", "RBYG")
def test_squares_of_a_side(letter: str) -> None:
    """Circle, entrance, triangles and slide ends of each colour are where the table puts them."""
    base, other = BASES[letter], NEXT[letter]
    assert results(f"{board(**{letter: 'S,H,H,H'})} {letter.lower()} 1 *") == {
        f"1:S>{base + 4}": board(**{letter: f"{base + 4},H,H,H"})
    }
    assert moves(around(letter, 2, letter, "1")) == {f"1:{base + 2}>s0"}
    for start, target, end in ((0, 1, 4), (8, 9, 13)):
        move = f"1:{base + start}>{base + target}"
        assert results(around(letter, start, other, "1")) == {move: board(**{other: f"{base + end},H,H,H"})}
        assert results(around(letter, start, letter, "1")) == {move: board(**{letter: f"{base + target},H,H,H"})}


@rule("1.2")
@pytest.mark.parametrize(
    ("given", "printed"),
    [("R:H,s4,s0,2", "R:2,s0,s4,H"), ("R:4,3,2,S", "R:S,3,4,2"), ("R:59,0,1,5", "R:5,59,0,1")],
)
def test_distance_to_home(given: str, printed: str) -> None:
    """Start is 65 from Home, the circle 64, the entrance 6, s0 five and Home none: pawns are printed in this order."""
    assert str(position(f"{given}/Y:S,S,S,S r - *")).startswith(f"{printed}/")


@rule("1.2")
def test_distances_are_steps() -> None:
    """The entrance is six steps from Home and s0 five, as the count to Home shows."""
    assert moves(f"{board('RY', R='57,s0,H,H')} r 5 *") == {"5:57>2", "5:s0>H"}
    assert moves(f"{board('RY', R='1,H,H,H')} r 7 *") == {"7:1>H"}


@rule("1.3")
def test_entrance_leads_into_the_zone() -> None:
    """From its entrance a pawn goes to s0, never on to its diamond; from the diamond it goes round the ring."""
    assert moves(f"{board('RY', R='2,H,H,H')} r 1 *") == {"1:2>s0"}
    assert moves(f"{board('RY', R='0,H,H,H')} r 3 *") == {"3:0>s0"}
    assert moves(f"{board('RY', R='3,H,H,H')} r 12 *") == {"12:3>15"}
    assert moves(f"{board('RY', Y='32,H,H,H')} y 1 *") == {"1:32>s0"}
    assert moves(f"{board('RY', Y='2,H,H,H')} y 1 *") == {"1:2>3"}


@rule("1.4")
def test_zones_are_private() -> None:
    """Pawns of two colours on zone squares of one number never meet."""
    text = f"{board('RY', R='0,s3,H,H', Y='s2,s3,H,H')} r 5 *"
    assert results(text)["5:0>s2"] == board("RY", R="s2,s3,H,H", Y="s2,s3,H,H")


@rule("1.5")
@pytest.mark.parametrize(("start", "end"), [(15, 19), (23, 28), (45, 49), (53, 58)])
def test_all_sides_exist(start: int, end: int) -> None:
    """With two players the slides of the colours that nobody plays are there."""
    text = f"{board('RY', R=f'{start},H,H,H')} r 1 *"
    assert results(text) == {f"1:{start}>{start + 1}": board("RY", R=f"{end},H,H,H")}


# --- 2. Set-up and end ---


@rule("2.1")
@pytest.mark.parametrize(
    ("rules", "start"),
    [
        ("classic:players=2", "R:S,S,S,S/Y:S,S,S,S"),
        ("classic:players=3", "R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S"),
        ("classic", "R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S"),
        ("classic:colors=GB", "B:S,S,S,S/G:S,S,S,S"),
    ],
)
def test_set_up(rules: str, start: str) -> None:
    """Four pawns each in Start; two sit opposite, three as Red, Blue and Yellow, or as `colors` says."""
    assert Game(rules, 1).position.pawns_text() == start


@rule("2.2")
def test_first_player() -> None:
    """The seed draws who begins, every seat alike; a fixed seat begins always."""
    first = Counter(Game("classic", seed, explicit_chance=True).mover for seed in range(800))
    assert set(first) == {0, 1, 2, 3}
    assert all(150 < count < 250 for count in first.values())
    assert {Game("classic:first_player=2", seed).mover for seed in range(50)} == {2}


@rule("2.2")
@pytest.mark.parametrize(("colors", "order"), [("RBYG", "rbygr"), ("RBY", "rbyr"), ("BG", "bgb")])
def test_play_goes_clockwise(colors: str, order: str) -> None:
    """After each turn the next seated colour clockwise acts."""
    for mover, following in pairwise(order):
        assert str(after(f"{board(colors)} {mover} 3 *", "pass")).split()[1] == following


@rule("2.3")
@pytest.mark.parametrize(("card", "place"), [("1", "s4"), ("2", "s3")])
def test_end_of_the_game(card: str, place: str) -> None:
    """The last pawn Home ends the game at once, on a 2 too: no further draw."""
    end = after(f"{board('RY', R=f'{place},H,H,H')} r {card} *", f"{card}:{place}>H")
    assert end.is_over
    assert end.winners == (0,)
    assert not end.awaits_card
    assert end.legal_actions() == []
    assert end.outcomes() == []


@rule("2.4")
@pytest.mark.parametrize(("card", "only"), [("4", "4:20>16"), ("10", "10:20>30"), ("1", "1:20>21"), ("7", "7:20>27")])
def test_home_is_for_good(card: str, only: str) -> None:
    """A pawn that is Home moves neither forward nor backward, nor a half of a 7."""
    got = moves(f"{board('RY', R='20,H,H,H')} r {card} *")
    assert got - {"10:20>19"} == {only}


# --- 3. Cards ---


@rule("3.1")
@pytest.mark.parametrize(("deck", "pile"), [("45", "54444444444"), ("44", "44444444444"), ("55", "55555555555")])
def test_decks(deck: str, pile: str) -> None:
    """The deck has 45 cards, five of them 1s; by option 44 or 55."""
    game = Game("classic", 1, deck=deck, explicit_chance=True)
    assert str(game).split()[2:] == ["-", pile]
    assert dict(game.outcomes()) == pytest.approx(
        {card: int(count) / sum(map(int, pile)) for card, count in zip(CARDS, pile, strict=True)}
    )


@rule("3.1")
def test_replacement_deck() -> None:
    """Every draw from the replacement deck has the odds of the 45 cards, whatever came before."""
    game = Game("classic:players=2,deck=replacement", 1, explicit_chance=True)
    for _ in range(9):
        game.draw("1")
        game.play(game.legal_actions()[0])
        assert dict(game.outcomes()) == pytest.approx({card: (5 if card == "1" else 4) / 45 for card in CARDS})


@rule("3.2")
def test_reshuffle() -> None:
    """With an empty pile all discards are the new one, the 2 just played among them; before that no discard comes."""
    text = f"{board('RY', R='S,S,S,4')} r 2"
    assert dict(after(f"{text} 00000000000", "2:4>6").outcomes()) == pytest.approx(
        {card: (5 if card == "1" else 4) / 45 for card in CARDS}
    )
    assert after(f"{text} 00000000003", "2:4>6").outcomes() == [("X", 1.0)]
    assert str(after(f"{text} 00000000000", "2:4>6").with_card("2")).endswith(" r 2 53444444444")


@rule("3.2")
def test_reshuffle_leaves_hands() -> None:
    """At a reshuffle the cards in hands stay there, and the card just played comes back."""
    text = f"{board('RY', R='S,S,S,4')} r 3.3.4.4.5/7.7.8.8.8 00000000000"
    refilled = after(text, "3:4>7", "points").with_card("3")
    assert str(refilled) == f"{board('RY', R='S,S,S,7')} y 3.3.4.4.5/7.7.8.8.8 54223214444"


@rule("3.3")
def test_pile_is_counted() -> None:
    """What has come is missing from the pile that all players see."""
    game = Game("classic:players=2", 1, explicit_chance=True)
    for card in ("3", "3", "12"):
        game.draw(card)
        game.play("pass")
    assert str(game).endswith(" - 54244444434")


@rule("3.3")
def test_order_of_the_pile_is_nowhere() -> None:
    """Positions of games that will go on differently are equal, also in what a pickle of them holds."""
    games = [Game("classic:first_player=0", seed, explicit_chance=True) for seed in (1, 2)]
    assert games[0].position == games[1].position
    assert pickle.dumps(games[0].position) == pickle.dumps(games[1].position)
    cards: list[list[str]] = []
    for game in games:
        cards.append([])
        for _ in range(20):
            cards[-1].append(game.draw())
            game.play(game.legal_actions()[0])
    assert cards[0] != cards[1]


CARD_TABLE = {
    "1": {"1:S>4", "1:20>21"},
    "2": {"2:S>4", "2:20>22"},
    "3": {"3:20>23"},
    "4": {"4:20>16"},
    "5": {"5:20>25"},
    "7": {"7:20>27"},
    "8": {"8:20>28"},
    "10": {"10:20>30", "10:20>19"},
    "11": {"11:20>31", "11:20<>50"},
    "12": {"12:20>32"},
    "X": {"X:S>50"},
}


@rule("3.3")
@pytest.mark.parametrize("card", CARDS)
def test_card_table(card: str) -> None:
    """Each card may do what the table says and nothing else."""
    assert moves(f"{board('RY', R='S,S,20,H', Y='S,S,S,50')} r {card} *") == CARD_TABLE[card]


@rule("3.4")
@pytest.mark.parametrize(
    ("text", "only"),
    [
        (f"{board('RY', R='2,H,H,H')} r 10 *", "10:2>1"),
        (f"{board('RY', R='S,H,H,H', Y='S,S,S,3')} r X *", "X:S>3"),
        (f"{board('RY', R='s4,H,H,H')} r 4 *", "4:s4>s0"),
        (f"{board('RY', R='S,H,H,s4')} r 3 *", "pass"),
    ],
)
def test_must_move(text: str, only: str) -> None:
    """A card with a legal use must be used however harmful, the 10 back 1 and X too; without one it is forfeited."""
    assert moves(text) == {only}


@rule("3.4")
def test_must_move_a_partner() -> None:
    """In the partnership game a use by the partner's pawn alone is compulsory."""
    assert moves(f"{board(Y='40,H,H,H')} r 3 *", "teams") == {"3:Y40>43"}


@rule("3.5")
@pytest.mark.parametrize(("places", "move"), [("S,S,S,S", "2:S>4"), ("s4,H,H,H", "pass")])
def test_second_card_of_a_2(places: str, move: str) -> None:
    """The second card of a 2 comes whether or not the 2 could be used, and so on; by option (edition-2013) never."""
    text = f"{board('RY', R=places)} r 2 *"
    again = after(text, move)
    assert (again.mover, again.awaits_card) == (0, True)
    further = again.with_card("2")
    assert further.after(further.legal_moves()[0]).mover == 0
    assert after(text, move, two_draws_again=False).mover == 1
    assert after("R:S,S,S/Y:S,S,S r 2 *", "2:S>4", "edition-2013").mover == 1


@rule("3.5")
@pytest.mark.parametrize("card", [card for card in CARDS if card != "2"])
def test_no_second_card(card: str) -> None:
    """After any other card the next player acts."""
    start = position(f"{board('RY', R='S,4,H,H', Y='S,S,S,50')} r {card} *")
    assert {start.after(move).mover for move in start.legal_moves()} == {1}


@rule("3.6")
@pytest.mark.parametrize(
    ("places", "card", "expected"),
    [
        ("s4,H,H,H", "1", {"1:s4>H"}),
        ("s4,H,H,H", "2", {"pass"}),
        ("0,H,H,H", "8", {"8:0>H"}),
        ("0,H,H,H", "12", {"pass"}),
        ("s2,s3,H,H", "3", {"3:s2>H"}),
    ],
)
def test_exact_count(places: str, card: str, expected: set[str]) -> None:
    """Home is reached by exact count only; no step may be left over."""
    assert moves(f"{board('RY', R=places)} r {card} *") == expected


@rule("3.7")
def test_landing_on_own_colour() -> None:
    """Landing by count on an own pawn is illegal, on the ring, backward and in the zone; Home holds any number."""
    assert moves(f"{board('RY', R='6,9,H,H')} r 3 *") == {"3:9>12"}
    assert moves(f"{board('RY', R='6,10,H,H')} r 4 *") == {"4:6>2"}
    assert moves(f"{board('RY', R='0,s2,H,H')} r 5 *") == {"pass"}
    assert results(f"{board('RY', R='s4,H,H,H')} r 1 *") == {"1:s4>H": board("RY", R="H,H,H,H")}


@rule("3.7")
def test_jumping() -> None:
    """Pawns of any colour are jumped, unharmed, and their squares count; Start holds any number of bumped pawns."""
    text = f"{board('RY', R='6,7,H,H', Y='S,S,S,8')} r 5 *"
    assert results(text) == {
        "5:6>11": board("RY", R="7,11,H,H", Y="S,S,S,8"),
        "5:7>12": board("RY", R="6,12,H,H", Y="S,S,S,8"),
    }
    assert moves(f"{board('RY', R='2,s0,s1,H')} r 3 *") >= {"3:2>s2"}


@rule("3.8")
@pytest.mark.parametrize("card", ["3", "4", "10", "11", "7"])
def test_start_pawns_stay(card: str) -> None:
    """A pawn in Start goes neither forward nor backward and is not exchanged, nor is one that is Home."""
    assert moves(f"{board('RY', R='S,S,S,H', Y='S,S,S,50')} r {card} *") == {"pass"}


@rule("3.8")
def test_start_and_the_circle() -> None:
    """No start while an own pawn is on the circle; any other pawn there is bumped, a partner's too."""
    assert moves(f"{board('RY', R='S,4,H,H')} r 1 *") == {"1:4>5"}
    assert results(f"{board('RY', R='S,H,H,H', Y='S,S,S,4')} r 1 *") == {"1:S>4": board("RY", R="4,H,H,H")}
    got = results(f"{board(R='S,H,H,H', Y='S,S,S,4')} r 2 *", "teams")
    assert got["2:S>4"] == board(R="4,H,H,H")
    assert got["2:YS>34"] == board(R="S,H,H,H", Y="S,S,34,4")


@rule("3.9")
@pytest.mark.parametrize(
    ("places", "others", "expected"),
    [
        ("22,H,H,H", "S,S,S,50", {"11:22>33", "11:22<>50"}),  # another use: no pass
        ("58,H,H,H", "S,S,S,50", {"11:58<>50", "pass"}),  # 58 has 10 to go: only the exchange
        ("58,s0,H,H", "S,S,40,50", {"11:58<>40", "11:58<>50", "pass"}),
        ("58,H,H,H", "S,S,S,s0", {"pass"}),
        ("58,H,H,H", "S,S,H,H", {"pass"}),
        ("s0,H,H,H", "S,S,S,50", {"pass"}),
    ],
)
def test_eleven(places: str, others: str, expected: set[str]) -> None:
    """An exchange is between ring pawns and need not be made; any other use obliges, to one use or another."""
    assert moves(f"{board('RY', R=places, Y=others)} r 11 *") == expected


@rule("3.9")
def test_a_start_obliges() -> None:
    """Where an 11 starts pawns, the start is a use other than an exchange."""
    assert moves("R:S,58,H/Y:S,S,40 r 11 *", "edition-2013") == {"11:S>4", "11:58<>40"}


@rule("3.10")
@pytest.mark.parametrize(
    ("places", "others", "expected"),
    [
        ("S,S,20,H", "S,32,33,34", {"X:S>32", "X:S>33", "X:S>34"}),
        ("S,S,20,H", "S,S,s4,H", {"pass"}),
        ("20,21,22,H", "S,S,S,34", {"pass"}),
    ],
)
def test_sorry(places: str, others: str, expected: set[str]) -> None:
    """X needs an own pawn in Start and an opposing one on the ring, be it on its circle or entrance."""
    assert moves(f"{board('RY', R=places, Y=others)} r X *") == expected


@rule("3.10", "4.1")
def test_sorry_bumps() -> None:
    """The replaced pawn goes to its Start, the other to its square."""
    text = f"{board('RY', R='S,S,S,S', Y='S,S,S,50')} r X *"
    assert results(text) == {"X:S>50": board("RY", R="S,S,S,50")}


def splits(text: str, rules: str = "classic") -> dict[str, str]:
    """The moves of a 7 that are split, with the PAWNS after them."""
    return {move: pawns for move, pawns in results(text, rules).items() if "," in move}


@rule("3.11")
def test_split() -> None:
    """Two different pawns go 1+6 to 6+1, both forward, in either order; the orders are moves of their own."""
    halves = {f"7:5>{5 + n},20>{27 - n}" for n in range(1, 7)} | {f"7:20>{20 + n},5>{12 - n}" for n in range(1, 7)}
    assert moves(f"{board('RY', R='5,20,H,H')} r 7 *") == halves | {"7:5>12", "7:20>27"}
    got = results(f"{board('RY', R='5,20,H,H')} r 7 *")
    assert got["7:5>7,20>25"] == got["7:20>25,5>7"] == board("RY", R="7,25,H,H")
    assert moves(f"{board('RY', R='5,H,H,H')} r 7 *") == {"7:5>12"}
    assert moves(f"{board('RY', R='S,s4,H,H')} r 7 *") == {"pass"}  # no half ever starts a pawn
    assert moves("R:S,10,s4/Y:S,S,S r 7 *", "edition-2013") == {"7:S>4", "7:10>17", "7:10>16,s4>H", "7:s4>H,10>16"}


@rule("3.11")
def test_split_into_the_zone() -> None:
    """A half into the zone or Home leaves pawns on the ring alone, wherever they stand."""
    text = f"{board('RY', R='4,s4,H,H')} r 7 *"
    assert moves(text) == {"7:4>11", "7:4>10,s4>H", "7:s4>H,4>10"}
    ways = {9: "s1", 8: "s2", 7: "s3", 6: "s4", 5: "H"}
    expected = {f"7:3>{square},s0>{place}": board("RY", R=f"{square},{place},H,H") for square, place in ways.items()}
    expected |= {f"7:s0>{place},3>{square}": board("RY", R=f"{square},{place},H,H") for square, place in ways.items()}
    assert splits(f"{board('RY', R='3,s0,H,H')} r 7 *") == expected


@rule("3.11")
def test_second_half_to_where_the_first_stood() -> None:
    """The second half may end where the first pawn stood; the first may not land on the second of its colour."""
    got = splits(f"{board('RY', R='20,23,H,H')} r 7 *")
    assert got["7:23>27,20>23"] == board("RY", R="23,27,H,H")
    assert "7:20>23,23>27" not in got
    assert "7:20>25,23>25" not in got  # nor the second where the first has come to stand


@rule("3.11")
def test_halves_resolve_one_after_the_other() -> None:
    """Each half bumps and slides before the next begins; the second half must be legal then."""
    got = splits(f"{board('RY', R='20,23,H,H', Y='S,S,S,26')} r 7 *")
    assert got["7:20>24,23>26"] == board("RY", R="26,28,H,H")
    assert "7:23>24,20>26" in got  # 23>24 slides to 28 over 26, and bumps it
    assert got["7:23>24,20>26"] == board("RY", R="26,28,H,H")
    assert "7:20>22,23>28" in got
    got = splits(f"{board('RY', R='22,23,H,H')} r 7 *")
    assert "7:23>24,22>28" not in got  # the first has slid to 28
    assert got["7:22>28,23>24"] == board("RY", R="S,28,H,H")
    got = splits(f"{board('RY', R='20,23,26,H')} r 7 *")
    assert got["7:23>24,20>26"] == board("RY", R="S,26,28,H")  # onto the square of a pawn that the slide has bumped


@rule("3.11")
def test_bumped_second_pawn() -> None:
    """If the first half's slide bumps the second pawn, that order is dead, on the slide's end and in its middle."""
    end = splits(f"{board('RY', R='23,28,H,H')} r 7 *")
    assert "7:23>24,28>34" not in end
    assert "7:28>34,23>24" in end
    middle = splits(f"{board('RY', R='21,26,H,H')} r 7 *")
    assert "7:21>24,26>30" not in middle
    assert "7:26>30,21>24" in middle


@rule("3.11")
def test_second_half_bumps_the_first_pawn() -> None:
    """The second half may bump the first half's pawn by its slide, a partner's by count."""
    got = splits(f"{board('RY', R='20,23,H,H')} r 7 *")
    assert got["7:20>26,23>24"] == board("RY", R="S,28,H,H")
    team = splits(f"{board(R='20,H,H,H', Y='23,H,H,H')} r 7 *", "teams")
    assert team["7:20>25,Y23>25"] == board(R="S,H,H,H", Y="25,H,H,H")
    assert "7:20>23,Y23>27" not in team  # the first half bumps the partner's: dead
    assert team["7:Y23>27,20>23"] == board(R="23,H,H,H", Y="27,H,H,H")


@rule("3.9", "3.10")
def test_places_taken_on_entrances() -> None:
    """A pawn on the mover's entrance is exchanged and replaced like any, and so is one on its own entrance."""
    text = board("RY", R="S,20,H,H", Y="H,H,H,2")
    assert results(f"{text} r X *") == {"X:S>2": board("RY", R="20,2,H,H", Y="S,H,H,H")}
    assert results(f"{text} r 11 *")["11:20<>2"] == board("RY", R="S,2,H,H", Y="20,H,H,H")
    text = board("RY", R="S,2,H,H", Y="H,H,H,32")
    assert results(f"{text} r X *") == {"X:S>32": board("RY", R="32,2,H,H", Y="S,H,H,H")}
    assert results(f"{text} r 11 *")["11:2<>32"] == board("RY", R="S,32,H,H", Y="2,H,H,H")


@rule("3.11")
@pytest.mark.parametrize(
    ("blocked", "free", "move"),
    [
        ("10,23,27,H", "10,23,35,H", "7:10>13,23>27"),
        ("20,s0,s3,H", "20,s0,s4,H", "7:20>24,s0>s3"),
        ("1,s1,s4,H", "1,s1,H,H", "7:1>s2,s1>s4"),
    ],
)
def test_second_half_onto_a_third_pawn(blocked: str, free: str, move: str) -> None:
    """The second half may not land on an own pawn that stands still, on the ring or in the zone."""
    assert move not in splits(f"{board('RY', R=blocked)} r 7 *")
    assert move in splits(f"{board('RY', R=free)} r 7 *")


@rule("3.11")
def test_halves_do_not_meet_in_the_zone() -> None:
    """No two pawns end on one zone square, in either order; Home holds both."""
    got = splits(f"{board('RY', R='0,s0,H,H')} r 7 *")
    assert not {"7:0>s2,s0>s2", "7:s0>s2,0>s2"} & set(got)
    got = splits(f"{board('RY', R='s1,s2,H,H')} r 7 *")
    assert got["7:s1>H,s2>H"] == got["7:s2>H,s1>H"] == board("RY", R="H,H,H,H")


@rule("3.2")
def test_last_card_comes_before_the_reshuffle() -> None:
    """Discards come back only when no card is left: the pile's last card comes for certain, in the hand game too."""
    last = after(f"{board('RY', R='S,S,S,4')} r 3 00000000001", "3:4>7")
    assert last.outcomes() == [("X", 1.0)]
    assert str(last.with_card("X")).endswith(" y X 00000000000")
    text = f"{board('RY', R='S,S,S,4')} r 3.3.4.4.5/7.7.8.8.8 00000000001"
    assert after(text, "3:4>7", "points").outcomes() == [("X", 1.0)]
