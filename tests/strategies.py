"""Shared inputs: rule sets that cover every switch, and Hypothesis strategies for rules, positions and seeds.

Positions are written as text by RULES 8.2 and read by the engine, so that nothing here knows the engine's rows.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

import reference as ref
from hypothesis import settings
from hypothesis import strategies as st

from sorry_env.cards import CARDS
from sorry_env.position import Position
from sorry_env.rules import PRESETS, Rules, rules_from

SPECS = (
    "classic",
    "classic:players=2",
    "classic:players=3",
    "classic:colors=RB,first_player=1",
    "classic:colors=BYG,slide_on=any",
    "classic:colors=YG,pawns_out=1,deck=55",
    "classic:players=2,slide_on=own,x_forward4=yes",
    "classic:deck=replacement,two_draws_again=no",
    "classic:start_cards=1.3.7.12,scoring=points,pawns=2",
    "classic:players=3,pawns=1",
    "teams",
    "teams:swap_partner=yes",
    "teams:swap_partner=yes,x_forward4=yes,slide_on=any,pawns=3",
    "teams:pawns=1,deck=replacement,start_cards=,pawns_out=1",
    "points",
    "points:players=2",
    "points:players=3,hand_size=1",
    "points:players=2,hand_size=9,two_draws_again=no",
    "points:colors=RG,hand_size=2,scoring=win,pawns_out=0,x_forward4=yes",
    "team-points",
    "team-points:swap_partner=yes,slide_on=own,x_forward4=yes,pawns=2",
    "edition-1939",
    "edition-1939:players=2",
    "edition-2013",
    "edition-2013:players=2",
    "edition-2013:teams=yes,swap_partner=yes",
    "edition-2013:players=3,hand_size=3,two_draws_again=yes",
    "mini-1",
    "mini-2",
)
RULE_SETS = {spec: rules_from(spec) for spec in SPECS}
HAND_GAMES = {spec: rules for spec, rules in RULE_SETS.items() if rules.hand_size}

_LETTERS = "RBYG"
_FORWARD_CARDS = tuple(card for card in CARDS if card not in ("4", "X"))


def reference_rules(rules: Rules) -> ref.RefRules:
    """The reference's record of the same rules."""
    fields: dict[str, Any] = dataclasses.asdict(rules) | {
        "colors": tuple(rules.colors),
        "start_cards": frozenset(rules.start_cards),
    }
    return ref.make_rules("classic", **fields)


def engine_rules(told: ref.RefRules) -> dict[str, Any]:
    """The reference's record as fields of the engine's, but for who sits."""
    fields = {field.name: getattr(told, field.name) for field in dataclasses.fields(told)}
    return {key: value for key, value in fields.items() if key not in ("players", "colors")}


def position_of(state: ref.State, rules: Rules) -> Position:
    """The engine's position for a state of the reference."""
    return Position.parse(ref.format_state(state, reference_rules(rules)), rules)


def random_positions(rules: Rules, seed: int, count: int) -> list[Position]:
    """Unfinished positions with an open decision, their pawns anywhere that RULES 8.2 lets them stand."""
    rng, record = random.Random(seed), reference_rules(rules)
    return [position_of(ref.random_position(record, rng), rules) for _ in range(count)]


factor = 1  # set by the option --examples


def examples(count: int) -> settings:
    """How many examples of arbitrary texts a test tries: so many, times the option `--examples`."""
    return settings(max_examples=count * factor)


seeds = st.integers(0, 2**63)
presets = st.sampled_from(sorted(PRESETS)).map(rules_from)


@st.composite
def rules_records(draw: Callable[..., Any]) -> Rules:
    """Any rules record that makes sense, every switch of RULES 7 drawn by itself."""
    colors = "".join(sorted(draw(st.sets(st.sampled_from(_LETTERS), min_size=2)), key=_LETTERS.index))
    teams = len(colors) == 4 and draw(st.booleans())
    deck = draw(st.sampled_from(["45", "44", "55", "replacement"]))
    pawns_out = draw(st.integers(0, 1))
    return Rules(
        players=len(colors),
        colors=colors,
        teams=teams,
        hand_size=0 if deck == "replacement" else draw(st.integers(0, 9)),
        pawns=draw(st.integers(1, 4)),
        pawns_out=pawns_out,
        deck=deck,
        slide_on=draw(st.sampled_from(["other", "own", "any"])),
        start_cards=tuple(draw(st.sets(st.sampled_from(_FORWARD_CARDS), min_size=1 - pawns_out))),
        two_draws_again=draw(st.booleans()),
        x_forward4=draw(st.booleans()),
        swap_partner=teams and draw(st.booleans()),
        first_player=draw(st.sampled_from(["random", *range(len(colors))])),
        scoring=draw(st.sampled_from(["win", "points"])),
    )


@st.composite
def pawns_fields(draw: Callable[..., Any], rules: Rules) -> str:
    """A PAWNS field, no two pawns on a ring square or of a colour on a zone square; crowded or sparse."""
    total = rules.players * rules.pawns
    start, width = draw(st.integers(0, 59)), draw(st.sampled_from([60, total + 8]))
    squares = [str((start + offset) % 60) for offset in range(width)]
    ring = draw(st.lists(st.sampled_from(squares), min_size=total, max_size=total, unique=True))
    fields = []
    for letter in rules.colors:
        zone = draw(st.permutations(["s0", "s1", "s2", "s3", "s4"]))
        kinds = draw(st.lists(st.sampled_from("RRRZSH"), min_size=rules.pawns, max_size=rules.pawns))
        places = [{"R": ring, "Z": zone}[kind].pop() if kind in "RZ" else kind for kind in kinds]
        fields.append(f"{letter}:{','.join(places)}")
    return "/".join(fields)


def _finished(pawns: str, rules: Rules) -> set[str]:
    """Letters of the colours whose side has all pawns Home."""
    home = {field[0] for field in pawns.split("/") if set(field[2:].split(",")) == {"H"}}
    if not rules.teams:
        return home
    return {letter for letter in home if _LETTERS[(_LETTERS.index(letter) + 2) % 4] in home}


@st.composite
def position_texts(draw: Callable[..., Any], rules: Rules, hidden: bool = True) -> str:
    """Canonical texts of positions, open, awaiting a card or finished; with `hidden` also hands that are unknown."""
    pawns = draw(pawns_fields(rules))
    won = _finished(pawns, rules)
    if won and (len(won) > 1 + rules.teams or not draw(st.booleans())):
        pawns = "/".join("S".join(field.rsplit("H", 1)) if field[0] in won else field for field in pawns.split("/"))
        won = set()
    mover = draw(st.sampled_from(sorted(won) or list(rules.colors)))
    deck = [card for card, count in zip(CARDS, rules.deck_counts, strict=True) for _ in range(count)]
    deck = draw(st.permutations(deck))
    if rules.hand_size:
        short = bool(won) or draw(st.booleans())
        cards, unknown = draw(_hands(rules, mover, short, deck, hidden))
    else:
        cards, unknown = "-" if won else draw(st.sampled_from(["-", deck.pop()])), 0
    kept = deck[: draw(st.integers(unknown, len(deck)))]
    pile = "*" if rules.deck == "replacement" else "".join(str(kept.count(card)) for card in CARDS)
    return str(Position.parse(f"{pawns} {mover.lower()} {cards} {pile}", rules))


@st.composite
def _hands(draw: Callable[..., Any], rules: Rules, mover: str, short: bool, deck: list[str], hidden: bool) -> Any:
    """A CARDS field dealt off `deck`, and how many cards of the rest lie in unknown hands."""
    hands, unknown = [], 0
    for letter in rules.colors:
        if hidden and not (short and letter == mover) and draw(st.booleans()):
            hands.append("?")
            unknown += rules.hand_size
        else:
            size = rules.hand_size - (short and letter == mover)
            hands.append(".".join(deck.pop() for _ in range(size)))
    return "/".join(hands), unknown


@st.composite
def positions(draw: Callable[..., Any], rules: Rules | None = None, hidden: bool = False) -> Position:
    """Positions of the given rules, or of any."""
    record = rules if rules is not None else draw(rules_records())
    return Position.parse(draw(position_texts(record, hidden)), record)
