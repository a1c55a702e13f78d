"""The readable reference against RULES.md: positions worked out by hand, counts, notation and invariants."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import reference as ref
from reference_cases import CASES
from reference_rules import CARDS, PRESETS, awaits_card, deck_of

POSITIONS = (Path(__file__).parent / "positions.txt").read_text()
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in PRESETS),
    ("classic", {"players": 3}),
    ("classic", {"players": 4, "deck": "55", "slide_on": "any"}),
    ("classic", {"colors": "BY", "slide_on": "own", "pawns_out": 1, "deck": "44"}),
    ("teams", {"swap_partner": True, "x_forward4": True, "deck": "replacement"}),
    ("points", {"players": 4, "hand_size": 9}),
    ("points", {"hand_size": 1, "two_draws_again": False}),
    ("team-points", {"swap_partner": True, "slide_on": "any", "pawns": 2}),
    ("edition-2013", {"players": 4, "teams": True}),
]
PUBLIC = "R:S,S,S,4/Y:S,S,S,S r"


@dataclass
class Case:
    """A position with what must and what must not be legal in it."""

    title: str
    rules: ref.RefRules
    position: str
    moves: dict[str, str]
    banned: list[str]
    whole: bool


def read_rules(line: str) -> ref.RefRules:
    """The rules of an `@` line: a name, then field=value words."""
    name, *words = line.removeprefix("@ ").split()
    fields = dict(word.split("=") for word in words)
    return ref.make_rules(name, **{field: True if value == "True" else value for field, value in fields.items()})


def read_cases(text: str) -> list[Case]:
    """The cases of a text, blocks parted by empty lines; without an `@` line they are classic, four players."""
    cases = []
    for block in text.strip().split("\n\n"):
        lines = block.splitlines()
        title = [line for line in lines if line.startswith("#")][-1]
        body = [line for line in lines if not line.startswith("#")]
        if not body or body[0].startswith("  "):
            continue
        rules = read_rules(body.pop(0)) if body[0].startswith("@") else ref.make_rules(players=4)
        facts = [line.strip() for line in body[1:]]
        moves = dict(fact.split("  =  ") for fact in facts if "  =  " in fact)
        banned = [fact[2:] for fact in facts if fact.startswith("! ")]
        assert len(moves) + len(banned) + facts.count("...") == len(facts), title
        cases.append(Case(title, rules, body[0], moves, banned, "..." not in facts))
    return cases


@pytest.mark.parametrize("case", read_cases(POSITIONS) + read_cases(CASES), ids=lambda case: case.title[2:])
def test_position(case: Case) -> None:
    """A position has just the moves and results worked out by hand."""
    state = ref.parse(case.position, case.rules)
    got = {move: ref.format_pawns(after, case.rules) for move, after in ref.legal_moves(state, case.rules).items()}
    assert not set(case.banned) & set(got)
    if not case.whole:
        got = {move: pawns for move, pawns in got.items() if move in case.moves}
    assert got == case.moves


def test_positions_are_all_read() -> None:
    """No position of the two lists is skipped."""
    assert len(read_cases(POSITIONS)) == POSITIONS.count("\nR:") == 30
    assert len(read_cases(CASES)) == CASES.count("\n@ ") >= 40


@pytest.mark.parametrize(
    ("name", "players", "counts"),
    [
        ("classic", 2, [11, 122, 1366, 15670]),
        ("classic", 4, [11, 122, 1357, 15170]),
        ("teams", 4, [13, 173, 2397, 35381]),
    ],
)
def test_perft(name: str, players: int, counts: list[int]) -> None:
    """The counts are those of 9.1."""
    rules = ref.make_rules(name, players=players)
    start = ref.initial(rules, 0, random.Random(0))
    assert [ref.perft(start, depth, rules) for depth in range(1, 5)] == counts


@pytest.mark.parametrize(
    ("name", "overrides", "position", "move", "mover"),
    [
        ("classic", {"players": 3}, "R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S r 1 *", "1:S>4", "B"),
        ("classic", {"players": 3}, "R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S y 3 *", "pass", "R"),
        ("classic", {}, "R:S,S,S,S/Y:S,S,S,S r 2 *", "2:S>4", "R"),
        ("classic", {}, "R:s4,H,H,H/Y:S,S,S,S r 2 *", "pass", "R"),
        ("classic", {}, "R:H,H,H,s3/Y:S,S,S,S r 2 *", "2:s3>H", "R"),
        ("edition-2013", {}, "R:S,S,S/Y:S,S,S r 2 *", "2:S>4", "Y"),
        ("points", {}, "R:S,S,S,S/Y:S,S,S,S r 2.3.3.4.4/5.5.7.7.8 *", "2:S>4", "R"),
        ("points", {}, "R:s4,H,H,H/Y:S,S,S,S r 2.3.3.4.4/5.5.7.7.8 *", "4:s4>s0", "Y"),
        ("points", {}, "R:s4,H,H,H/Y:S,S,S,S r 2.3.3.5.5/7.7.8.8.8 *", "discard 2", "Y"),
        ("points", {"two_draws_again": False}, "R:S,S,S,S/Y:S,S,S,S r 2.3.3.4.4/5.5.7.7.8 *", "2:S>4", "Y"),
    ],
)
def test_who_is_next(name: str, overrides: dict[str, Any], position: str, move: str, mover: str) -> None:
    """After a ply the same player goes on or the next seat does, by 2.2, 3.5, 5.4 and 5.5."""
    rules = ref.make_rules(name, **overrides)
    after = ref.legal_moves(ref.parse(position, rules), rules)[move]
    assert after.next_mover == mover
    assert after.mover == ("R" if rules.hand_size else mover)
    if not after.over:
        assert {drawn.mover for drawn in ref.draw_outcomes(after, rules).values()} == {mover}


def test_end_on_a_two() -> None:
    """The last pawn Home on a 2 ends the game with no further draw (2.3)."""
    rules = ref.make_rules()
    after = ref.legal_moves(ref.parse("R:H,H,H,s3/Y:S,S,S,S r 2 *", rules), rules)["2:s3>H"]
    assert ref.format_state(after, rules) == "R:H,H,H,H/Y:S,S,S,S r - 53444444444"
    assert after.over
    assert not ref.legal_moves(after, rules)
    assert not ref.draw_odds(after, rules)
    assert ref.rewards(after, rules) == {"R": 1.0, "Y": -1.0}


def test_end_of_a_partnership() -> None:
    """A team wins only when both colours are Home, whoever of the two moved (6.2)."""
    rules = ref.make_rules("teams")
    one = ref.parse("R:s4,H,H,H/B:S,S,S,S/Y:s0,H,H,H/G:S,S,S,S r 1 *", rules)
    assert not ref.legal_moves(one, rules)["1:s4>H"].over
    last = ref.parse("R:H,H,H,H/B:S,S,S,S/Y:s4,H,H,H/G:S,S,S,S r 1 *", rules)
    after = ref.legal_moves(last, rules)["1:Ys4>H"]
    assert after.over
    assert after.mover == "R"
    assert ref.winners(after, rules) == ["R", "Y"]
    assert ref.rewards(after, rules) == {"R": 1.0, "B": -1.0, "Y": 1.0, "G": -1.0}


def test_hand_after_the_winning_play() -> None:
    """The winner's hand stays one short (5.2)."""
    rules = ref.make_rules("points")
    state = ref.parse("R:s4,H,H,H/Y:S,S,S,S r 1.3.3.5.5/7.7.8.8.8 *", rules)
    after = ref.legal_moves(state, rules)["1:s4>H"]
    assert after.over
    assert after.hands["R"] == ["3", "3", "5", "5"]
    assert ref.parse(ref.format_state(after, rules), rules) == after


def test_card_played_is_on_the_discards() -> None:
    """The card of a ply leaves the hand and is a discard before the refill (5.2, 3.2)."""
    rules = ref.make_rules("points")
    state = ref.parse("R:S,S,S,4/Y:S,S,S,S r 3.3.4.4.5/7.7.8.8.8 *", rules)
    after = ref.legal_moves(state, rules)["3:4>7"]
    assert ref.format_state(after, rules) == "R:S,S,S,7/Y:S,S,S,S r 3.4.4.5/7.7.8.8.8 54223214444"
    assert [card for card, count in ref.discards(after, rules).items() if count] == ["3"]


@pytest.mark.parametrize(
    ("name", "position", "odds"),
    [
        ("classic", f"{PUBLIC} - 10000000002", {"1": 1 / 3, "X": 2 / 3}),
        ("classic", f"{PUBLIC} - 00000000000", {card: (5 if card == "1" else 4) / 45 for card in CARDS}),
        ("mini-1", "R:S/Y:S r - *", {card: (5 if card == "1" else 4) / 45 for card in CARDS}),
        ("points", "R:S,S,S,4/Y:S,S,S,S r 1.1.1.1/2.2.2.2.3 00010000000", {"4": 1.0}),
        ("points", "R:S,S,S,4/Y:S,S,S,S r ?/2.2.2.2.3 00000000000", None),
    ],
)
def test_draw_odds(name: str, position: str, odds: dict[str, float] | None) -> None:
    """Each card comes by its share of the pile, of all discards when the pile is empty (3.1, 3.2)."""
    rules = ref.make_rules(name)
    if odds is None:
        with pytest.raises(ValueError, match="PILE"):
            ref.parse(position, rules)
        return
    assert ref.draw_odds(ref.parse(position, rules), rules) == pytest.approx(odds)


def test_reshuffle_keeps_hands() -> None:
    """A reshuffle takes the discards alone: the cards in hands stay there, the played card comes back (3.2)."""
    rules = ref.make_rules("points")
    state = ref.parse("R:S,S,S,4/Y:S,S,S,S r 3.3.4.4.5/7.7.8.8.8 00000000000", rules)
    after = ref.draw_outcomes(ref.legal_moves(state, rules)["3:4>7"], rules)["3"]
    assert ref.format_state(after, rules) == "R:S,S,S,7/Y:S,S,S,S y 3.3.4.4.5/7.7.8.8.8 54223214444"


def test_reshuffle_beside_an_unknown_hand() -> None:
    """With no more unseen cards than the unknown hands hold, the pile is empty and the discards come (3.2, 8.2)."""
    rules = ref.make_rules("points")
    state = ref.parse("R:S,S,S,4/Y:S,S,S,S r 3.3.4.4/? 50000000000", rules)
    assert set(ref.draw_odds(state, rules)) == set(CARDS) - {"1"}
    after = ref.draw_outcomes(state, rules)["3"]
    assert ref.format_state(after, rules) == "R:S,S,S,4/Y:S,S,S,S y 3.3.3.4.4/? 54124444444"


@pytest.mark.parametrize(
    ("name", "players", "position", "score"),
    [
        ("classic", 2, "R:H,H,H,H/Y:S,4,s2,S r - *", {"R": 20 + 20 + 100, "Y": 0}),
        ("classic", 2, "R:H,H,H,H/Y:S,4,s2,H r - *", {"R": 20 + 15 + 50, "Y": 5}),
        ("classic", 2, "R:S,S,H,H/Y:H,H,H,H y - *", {"R": 10, "Y": 20 + 10 + 25}),
        ("classic", 2, "R:S,H,H,H/Y:H,H,H,H y - *", {"R": 15, "Y": 20 + 5}),
        ("classic", 3, "R:H,H,H,H/B:S,S,S,H/Y:S,S,H,H r - *", {"R": 20 + 25 + 25, "B": 5, "Y": 10}),
        ("teams", 4, "R:H,H,H,H/B:S,S,H,H/Y:H,H,H,H/G:S,S,S,S y - *", {"R": 75, "B": 10, "Y": 75, "G": 0}),
    ],
)
def test_points(name: str, players: int, position: str, score: dict[str, int]) -> None:
    """The points at the end are those of 5.7, in partnerships those of section 7."""
    rules = ref.make_rules(name, players=players)
    assert ref.points(ref.parse(position, rules), rules) == score


def test_rewards_of_four() -> None:
    """The losers share the loss equally."""
    rules = ref.make_rules(players=4)
    state = ref.parse("R:S,S,S,S/B:H,H,H,H/Y:S,S,S,S/G:S,S,S,S b - *", rules)
    assert ref.rewards(state, rules) == pytest.approx({"R": -1 / 3, "B": 1.0, "Y": -1 / 3, "G": -1 / 3})


@pytest.mark.parametrize(
    ("field", "name", "overrides"),
    [
        ("players", "classic", {"players": 5}),
        ("players", "classic", {"players": 3, "colors": ("R", "Y")}),
        ("colors", "classic", {"colors": ("R", "R")}),
        ("colors", "classic", {"colors": ("R", "P")}),
        ("teams", "classic", {"teams": True}),
        ("hand_size", "points", {"hand_size": 10}),
        ("hand_size", "points", {"deck": "replacement"}),
        ("pawns", "classic", {"pawns": 0}),
        ("pawns_out", "classic", {"pawns_out": 2}),
        ("deck", "classic", {"deck": "46"}),
        ("slide_on", "classic", {"slide_on": "none"}),
        ("start_cards", "classic", {"start_cards": {"1", "4"}}),
        ("start_cards", "edition-2013", {"start_cards": {"X"}}),
        ("swap_partner", "classic", {"players": 4, "swap_partner": True}),
        ("first_player", "classic", {"first_player": 2}),
        ("scoring", "classic", {"scoring": "goals"}),
        ("name", "chess", {}),
        ("dice", "classic", {"dice": 2}),
    ],
)
def test_rules_refused(field: str, name: str, overrides: dict[str, Any]) -> None:
    """A combination that section 7 refuses is refused with the field's name."""
    with pytest.raises(ValueError, match=f"^{field}:"):
        ref.make_rules(name, **overrides)


@pytest.mark.parametrize(
    ("field", "position"),
    [
        ("position", f"{PUBLIC} 5"),
        ("position", f"{PUBLIC}  5 *"),
        ("PAWNS", "R:S,S,S,4/Y:S,S,S,4 r 5 *"),
        ("PAWNS", "R:S,S,4,4/Y:S,S,S,S r 5 *"),
        ("PAWNS", "R:S,S,s2,s2/Y:S,S,S,S r 5 *"),
        ("PAWNS", "R:S,S,S/Y:S,S,S,S r 5 *"),
        ("PAWNS", "Y:S,S,S,S/R:S,S,S,S r 5 *"),
        ("PAWNS", "R:S,S,S,60/Y:S,S,S,S r 5 *"),
        ("PAWNS", "R:S,S,S,04/Y:S,S,S,S r 5 *"),
        ("PAWNS", "R:S,S,S,S r 5 *"),
        ("MOVER", "R:S,S,S,4/Y:S,S,S,S b 5 *"),
        ("MOVER", "R:S,S,S,4/Y:S,S,S,S R 5 *"),
        ("MOVER", "R:H,H,H,H/Y:S,S,S,S y - *"),
        ("CARDS", f"{PUBLIC} 6 *"),
        ("CARDS", "R:H,H,H,H/Y:S,S,S,S r 5 *"),
        ("PILE", f"{PUBLIC} 5 54444444444"),
        ("PILE", f"{PUBLIC} 5 4434344444"),
        ("PILE", f"{PUBLIC} - 64444444444"),
    ],
)
def test_position_refused(field: str, position: str) -> None:
    """A text that 8.2 refuses is refused with the field's name."""
    with pytest.raises(ValueError, match=f"^{field}:"):
        ref.parse(position, ref.make_rules())


@pytest.mark.parametrize("cards", ["1.1.1.1.1", "1.1.1.1.1/2.2.2.2", "1.1.1.1.1/1.2.2.2.2", "1.1.1/2.2.2.2.3", "5/5"])
def test_hands_refused(cards: str) -> None:
    """Hands of a wrong number or size, or holding more of a card than the deck has, are refused (8.2)."""
    with pytest.raises(ValueError, match=r"^CARDS:"):
        ref.parse(f"{PUBLIC} {cards} *", ref.make_rules("points"))


@pytest.mark.parametrize(
    ("name", "text", "canonical"),
    [
        ("classic", f"{PUBLIC} 5 44343444444", f"{PUBLIC} 5 44343444444"),
        ("classic", f"{PUBLIC} 5 *", f"{PUBLIC} 5 54443444444"),
        ("classic", "R:H,3,s0,S/Y:S,S,S,S r - *", "R:S,3,s0,H/Y:S,S,S,S r - 54444444444"),
        ("edition-1939", f"{PUBLIC} 1 *", f"{PUBLIC} 1 34444444444"),
        ("mini-1", "R:S/Y:S r 5 *", "R:S/Y:S r 5 *"),
        ("points", f"{PUBLIC} 3.1.X.10/? *", f"{PUBLIC} 1.3.10.X/? 44344443443"),
        ("points", f"{PUBLIC} ?/? *", f"{PUBLIC} ?/? 54444444444"),
    ],
)
def test_canonical_text(name: str, text: str, canonical: str) -> None:
    """A text is printed back in its canonical form (8.2)."""
    rules = ref.make_rules(name)
    assert ref.format_state(ref.parse(text, rules), rules) == canonical


def cards_in_play(state: ref.State) -> int:
    """How many cards are in the pile, in known hands or drawn."""
    return sum(state.pile.values()) + sum(len(hand or []) for hand in state.hands.values()) + (state.card is not None)


def check_board(state: ref.State, rules: ref.RefRules) -> None:
    """Pawns are kept, none shares a square, and no card lies in two places (2.1, 3.2, 4.1)."""
    assert list(state.pawns) == list(rules.colors)
    assert all(len(places) == rules.pawns for places in state.pawns.values())
    ring = [place for places in state.pawns.values() for place in places if isinstance(place, int)]
    assert len(set(ring)) == len(ring)
    for places in state.pawns.values():
        zone = [place for place in places if str(place)[0] == "s"]
        assert len(set(zone)) == len(zone)
    left = ref.discards(state, rules) if rules.deck != "replacement" else {}
    assert all(0 <= count <= 5 for count in [*left.values(), *state.pile.values()])


def check_moves(state: ref.State, rules: ref.RefRules) -> list[ref.State]:
    """What holds of every decision; returns the positions after it."""
    moves = ref.legal_moves(state, rules)
    assert moves
    assert not ("pass" in moves and rules.hand_size)
    assert "pass" not in moves or all(move == "pass" or "<>" in move for move in moves)
    for after in moves.values():
        check_board(after, rules)
        assert after.over or awaits_card(after, rules)
        if rules.deck != "replacement":
            assert cards_in_play(after) == cards_in_play(state) - 1
    return list(moves.values())


def check_draw(state: ref.State, rules: ref.RefRules) -> list[ref.State]:
    """What holds of every draw; returns the positions after it."""
    outcomes = ref.draw_outcomes(state, rules)
    assert sum(ref.draw_odds(state, rules).values()) == pytest.approx(1)
    full = sum(deck_of(rules.deck).values())
    for after in outcomes.values():
        check_board(after, rules)
        if rules.deck != "replacement":
            assert cards_in_play(after) == (cards_in_play(state) if sum(state.pile.values()) else full)
    return list(outcomes.values())


def check_round_trip(state: ref.State, rules: ref.RefRules) -> None:
    """Printing and parsing give the position back (8.2), but for who follows a hand one short."""
    again = ref.parse(ref.format_state(state, rules), rules)
    again.next_mover = state.next_mover
    assert again == state


@pytest.mark.parametrize(("name", "overrides"), VARIANTS)
def test_random_play(name: str, overrides: dict[str, Any]) -> None:
    """Pawns and cards are kept, and the texts go round, at every position of random games."""
    rules = ref.make_rules(name, **overrides)
    rng = random.Random(name)
    state = ref.initial(rules, 0, rng)
    for _ in range(600):
        check_round_trip(state, rules)
        if state.over:
            assert sum(ref.rewards(state, rules).values()) == pytest.approx(0)
            assert set(ref.points(state, rules)) == set(rules.colors)
            state = ref.initial(rules, rng.randrange(rules.players), rng)
        step = check_draw if awaits_card(state, rules) else check_moves
        state = rng.choice(step(state, rules))


@pytest.mark.parametrize(("name", "overrides"), VARIANTS)
def test_random_positions(name: str, overrides: dict[str, Any]) -> None:
    """Random positions are sound, unfinished, open for a decision, and left alone by move generation."""
    rules = ref.make_rules(name, **overrides)
    rng = random.Random(name)
    for _ in range(200):
        state = ref.random_position(rules, rng)
        before = state.copy()
        check_board(state, rules)
        check_round_trip(state, rules)
        assert not state.over
        assert not awaits_card(state, rules)
        check_moves(state, rules)
        assert state == before
