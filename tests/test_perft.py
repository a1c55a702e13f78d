"""Counts of RULES 9, of the whole tree and by first move."""

from __future__ import annotations

import pytest
import reference as ref
from results import board, position
from strategies import random_positions, reference_rules

from sorry_env.errors import RulesError
from sorry_env.perft import perft, perft_divide
from sorry_env.rules import rules_from

rule = pytest.mark.rule
TABLE = [
    (f"{board('RY')} r - *", "classic", [1, 11, 122, 1366, 15670]),
    (f"{board()} r - *", "classic", [1, 11, 122, 1357, 15170]),
    (f"{board()} r - *", "teams", [1, 13, 173, 2397, 35381]),
]


@rule("9.1")
@pytest.mark.parametrize(("text", "rules", "counts"), TABLE)
def test_table(text: str, rules: str, counts: list[int]) -> None:
    """The counts are those of the table to depth 4, whoever of the colours is on move."""
    start = position(text, rules)
    assert [perft(start, depth) for depth in range(5)] == counts
    turned = position(text.replace(" r ", " y "), rules)
    assert perft(turned, 3) == counts[3]


@rule("9.1")
@pytest.mark.parametrize(("text", "rules", "counts"), TABLE)
def test_divide_adds_up(text: str, rules: str, counts: list[int]) -> None:
    """The counts by first move add up to the whole, one line for moves that lead to one position."""
    start = position(text, rules)
    for depth in range(1, 5):
        lines = perft_divide(start, depth)
        assert sum(count for _, count in lines) == counts[depth]
        assert len({move for move, _ in lines}) == len(lines)
    firsts = [move for move, _ in perft_divide(start, 1)]
    assert [move for move in firsts if "pass" not in move] == [
        f"{card}:{sign}" for card in "12" for sign in (("S>4", "YS>34") if rules == "teams" else ("S>4",))
    ]


@rule("9.1")
def test_what_is_counted() -> None:
    """Pawns of a colour are alike, an allowed pass counts once, a finished game counts 1, and MOVER alone is used."""
    exchange = f"{board('RY', R='58,H,H,H', Y='S,S,S,40')} r"
    assert [move for move, _ in perft_divide(position(f"{exchange} - *"), 1) if move[:2] == "11"] == [
        "11:58<>40",
        "11:pass",
    ]
    assert perft(position(f"{board('RY', R='H,H,H,H')} r - *"), 3) == 1
    assert perft_divide(position(f"{board('RY', R='H,H,H,H')} r - *"), 3) == []
    one = f"{board('RY', R='s4,H,H,H', Y='S,H,H,H')} r"
    assert perft(position(f"{one} - *"), 1) == 11
    assert perft(position(f"{one} - *"), 2) == 1 + 10 * 11  # after the 1 the game is over
    assert perft(position(f"{one} 5 00000000000"), 2) == perft(position(f"{one} - *"), 2)
    lines = dict(perft_divide(position(f"{board('RY', R='20,23,H,H')} r - *"), 1))
    assert lines["7:20>22,23>28 = 7:23>28,20>22"] == 1


@rule("9.1")
@pytest.mark.parametrize("spec", ["classic:players=2", "teams:swap_partner=yes", "edition-2013", "mini-2"])
def test_reference_counts_the_same(spec: str) -> None:
    """From random positions engine and reference count alike, to depth 2."""
    rules = rules_from(spec)
    told = reference_rules(rules)
    for k, start in enumerate(random_positions(rules, 6, 12)):
        state = ref.parse(str(start), told)
        for depth in (1, 2) if k < 2 else (1,):
            assert perft(start, depth) == ref.perft(state, depth, told), str(start)


def test_refused() -> None:
    """Hand games and depths that make no sense are refused with the field named."""
    hand = position(f"{board('RY')} r ?/? *", "points")
    for depth in (0, 2):
        with pytest.raises(RulesError, match=r"^hand_size: "):
            perft(hand, depth)
    start = position(f"{board('RY')} r - *")
    with pytest.raises(RulesError, match=r"^depth: "):
        perft(start, -1)
    with pytest.raises(RulesError, match=r"^depth: "):
        perft_divide(start, 0)
