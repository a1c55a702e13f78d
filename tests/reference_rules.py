"""The reference's board facts, rules record and position, straight from RULES.md sections 1, 2, 3 and 7.

Nothing here is shared with the engine: the tests hold the two equal.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

Location = int | str  # "S", a ring square 0..59, "s0".."s4" or "H" (8.1)
Pawns = dict[str, list[Location]]
Cards = dict[str, int]

# 1.1 Clockwise, and the first square of each colour's side.
COLORS = ("R", "B", "Y", "G")
BASE = {"R": 0, "B": 15, "Y": 30, "G": 45}
ENTRANCE = {color: base + 2 for color, base in BASE.items()}
CIRCLE = {color: base + 4 for color, base in BASE.items()}
# 1.1 Triangle -> (colour that owns the slide, the slide's end).
SLIDES = {base + 1: (color, base + 4) for color, base in BASE.items()} | {
    base + 9: (color, base + 13) for color, base in BASE.items()
}
ZONE = ("s0", "s1", "s2", "s3", "s4")
PARTNER = {"R": "Y", "Y": "R", "B": "G", "G": "B"}  # 6.1

CARDS = ("1", "2", "3", "4", "5", "7", "8", "10", "11", "12", "X")  # 8.1
FORWARD = {"1": 1, "2": 2, "3": 3, "5": 5, "7": 7, "8": 8, "10": 10, "11": 11, "12": 12}  # 3.3
BACKWARD = {"4": 4, "10": 1}  # 3.3
DECKS = ("45", "44", "55", "replacement")


def distance(color: str, place: Location) -> int:
    """Steps left to Home of a pawn of `color` (1.2)."""
    if isinstance(place, int):
        return (ENTRANCE[color] - place) % 60 + 6
    if place == "S":
        return 65
    if place == "H":
        return 0
    return 5 - ZONE.index(place)


def print_rank(color: str) -> dict[Location, int]:
    """Rank of each place in print: furthest from Home first, S before a ring square as far (8.2)."""
    places: list[Location] = ["S", *range(60), *ZONE, "H"]
    order = sorted(places, key=lambda place: -distance(color, place))
    return {place: rank for rank, place in enumerate(order)}


PRINT_RANK = {color: print_rank(color) for color in COLORS}


def deck_of(deck: str) -> Cards:
    """How many of each card a full deck holds (3.1); the replacement deck has the 45-card odds."""
    if deck == "55":
        return dict.fromkeys(CARDS, 5)
    return {card: 5 if card == "1" and deck != "44" else 4 for card in CARDS}


@dataclass(frozen=True)
class RefRules:
    """One field for every switch of section 7."""

    players: int = 2
    colors: tuple[str, ...] = ("R", "Y")
    teams: bool = False
    hand_size: int = 0
    pawns: int = 4
    pawns_out: int = 0
    deck: str = "45"
    slide_on: str = "other"
    start_cards: frozenset[str] = frozenset({"1", "2"})
    two_draws_again: bool = True
    x_forward4: bool = False
    swap_partner: bool = False
    first_player: int | str = "random"
    scoring: str = "win"


DEFAULT_COLORS = {2: ("R", "Y"), 3: ("R", "B", "Y"), 4: COLORS}  # 2.1

PRESETS: dict[str, dict[str, Any]] = {
    "classic": {},
    "teams": {"players": 4, "teams": True},
    "points": {"hand_size": 5, "pawns_out": 1, "scoring": "points"},
    "team-points": {"players": 4, "teams": True, "hand_size": 5, "pawns_out": 1, "scoring": "points"},
    "edition-1939": {"deck": "44"},
    "edition-2013": {
        "pawns": 3,
        "start_cards": frozenset(FORWARD),
        "two_draws_again": False,
        "x_forward4": True,
        "slide_on": "own",
    },
    "mini-1": {"pawns": 1, "deck": "replacement"},
    "mini-2": {"pawns": 2, "deck": "replacement"},
}


def make_rules(name: str = "classic", **overrides: Any) -> RefRules:
    """The rules of section 7 by name, with single fields changed.

    Raises ValueError, the field named, for what section 7 refuses.
    """
    if name not in PRESETS:
        raise ValueError(f"name: no rule set called {name!r}")
    for field in overrides:
        if field not in {known.name for known in fields(RefRules)}:
            raise ValueError(f"{field}: no such field")
    values = PRESETS[name] | overrides
    if "colors" in overrides and "players" not in overrides:
        values["players"] = len(values["colors"])
    if values.setdefault("players", 2) not in DEFAULT_COLORS:
        raise ValueError(f"players: {values['players']!r} is not 2, 3 or 4")
    values["colors"] = tuple(values.get("colors", DEFAULT_COLORS[values["players"]]))
    values["start_cards"] = frozenset(values.get("start_cards", ("1", "2")))
    rules = RefRules(**values)
    check_seats(rules)
    check_values(rules)
    check_deck(rules)
    return replace(rules, colors=tuple(color for color in COLORS if color in rules.colors))


def check_seats(rules: RefRules) -> None:
    """Refuse seats that section 7 refuses."""
    if any(color not in COLORS for color in rules.colors):
        raise ValueError(f"colors: {rules.colors!r} holds an unknown colour")
    if len(set(rules.colors)) != len(rules.colors):
        raise ValueError("colors: a colour sits twice")
    if len(rules.colors) != rules.players:
        raise ValueError(f"players: {rules.players} players but {len(rules.colors)} colors")
    if rules.teams and rules.players != 4:
        raise ValueError("teams: the partnership game needs four players")
    if rules.swap_partner and not rules.teams:
        raise ValueError("swap_partner: only in the partnership game (teams)")
    if rules.first_player != "random" and rules.first_player not in range(rules.players):
        raise ValueError(f"first_player: seat {rules.first_player!r} is not taken")


def check_values(rules: RefRules) -> None:
    """Refuse a value outside its field's list in section 7."""
    allowed: dict[str, Any] = {
        "teams": (False, True),
        "hand_size": range(10),
        "pawns": range(1, 5),
        "pawns_out": (0, 1),
        "deck": DECKS,
        "slide_on": ("other", "own", "any"),
        "two_draws_again": (False, True),
        "x_forward4": (False, True),
        "swap_partner": (False, True),
        "scoring": ("win", "points"),
    }
    for field, values in allowed.items():
        if getattr(rules, field) not in values:
            raise ValueError(f"{field}: {getattr(rules, field)!r} is not one of {list(values)}")
    if not rules.start_cards <= set(FORWARD):
        raise ValueError("start_cards: only cards with a forward number start a pawn, so not 4 and not X")


def check_deck(rules: RefRules) -> None:
    """Refuse hands that the deck cannot deal (section 7)."""
    if rules.hand_size and rules.deck == "replacement":
        raise ValueError("hand_size: the replacement deck deals no hands")
    if rules.players * rules.hand_size >= sum(deck_of(rules.deck).values()):
        raise ValueError("hand_size: the hands would take the whole deck")


@dataclass
class State:
    """A position: who stands where, who decides, and where the cards are.

    `card` serves the draw game, `hands` the hand game (None: an unknown hand). `pile` counts the draw pile,
    with the unknown hands if there are any; with the replacement deck it is always the full deck. `mover` decides,
    or in the hand game refills its hand; `next_mover` decides after that. When the game is over, `mover` made the
    last move.
    """

    pawns: Pawns
    mover: str
    card: str | None
    hands: dict[str, list[str] | None]
    pile: Cards
    over: bool = False
    next_mover: str = ""

    def __post_init__(self) -> None:
        """Let the mover be the next to decide unless told otherwise."""
        self.next_mover = self.next_mover or self.mover

    def copy(self) -> State:
        """A copy that shares nothing with this one."""
        hands = {color: None if hand is None else list(hand) for color, hand in self.hands.items()}
        pawns = {color: list(places) for color, places in self.pawns.items()}
        return replace(self, pawns=pawns, hands=hands, pile=dict(self.pile))


def sort_pawns(pawns: Pawns) -> None:
    """Put each colour's pawns in the order of print (8.2)."""
    for color, places in pawns.items():
        places.sort(key=PRINT_RANK[color].__getitem__)


def team_of(color: str, rules: RefRules) -> list[str]:
    """The colours that `color`'s player may move, its own first (6.1, 6.3)."""
    return [color, PARTNER[color]] if rules.teams else [color]


def opponents_of(color: str, rules: RefRules) -> list[str]:
    """The seated colours outside `color`'s team."""
    return [other for other in rules.colors if other not in team_of(color, rules)]


def next_seat(color: str, rules: RefRules) -> str:
    """The colour that acts after `color`, clockwise (2.2)."""
    return rules.colors[(rules.colors.index(color) + 1) % rules.players]


def team_is_home(pawns: Pawns, color: str, rules: RefRules) -> bool:
    """Whether all pawns of `color`'s team are Home (2.3, 6.2)."""
    return all(place == "H" for ours in team_of(color, rules) for place in pawns[ours])


def awaits_card(state: State, rules: RefRules) -> bool:
    """Whether a card must come before anyone decides: a draw, or the mover's refill (5.2)."""
    if state.over:
        return False
    if not rules.hand_size:
        return state.card is None
    hand = state.hands[state.mover]
    return hand is not None and len(hand) < rules.hand_size


def unseen_hands(state: State, rules: RefRules) -> int:
    """How many cards lie in unknown hands."""
    return sum(rules.hand_size for hand in state.hands.values() if hand is None)


def discards(state: State, rules: RefRules) -> Cards:
    """The discard pile: what of the deck lies nowhere else (3.2, 8.2)."""
    left = deck_of(rules.deck)
    for card, count in state.pile.items():
        left[card] -= count
    for hand in state.hands.values():
        for card in hand or []:
            left[card] -= 1
    if state.card is not None:
        left[state.card] -= 1
    return left
