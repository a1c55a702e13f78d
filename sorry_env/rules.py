"""The rules record (RULES 7): every switch is one field, every named rule set a record."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import cached_property, lru_cache
from numbers import Integral
from typing import Any, Final, Literal

from sorry_env.board import COLORS, SLIDES_BY_OPTION
from sorry_env.cards import CARDS, DECKS, FORWARD
from sorry_env.errors import RulesError, quoted

_DEFAULT_COLORS: Final = {2: "RY", 3: "RBY", 4: "RBYG"}
_FORWARD_CARDS: Final = tuple(card for card, steps in zip(CARDS, FORWARD, strict=True) if steps)
_RANGES: Final = {"players": (2, 4), "hand_size": (0, 9), "pawns": (1, 4), "pawns_out": (0, 1)}
_FLAGS: Final = ("teams", "two_draws_again", "x_forward4", "swap_partner")
_CHOICES: Final = {"deck": tuple(DECKS), "slide_on": tuple(SLIDES_BY_OPTION), "scoring": ("win", "points")}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Every switch of the game; fields, defaults and refusals are those of the table in RULES 7.

    Attributes:
        players: seats taken, 2 to 4.
        colors: letters of the seated colours, clockwise; by default opposite seats for two (RULES 2.1).
        teams: partnership game (RULES 6).
        hand_size: cards in each hand, 0 to 9; 0 is the draw game.
        pawns: pawns of each colour, 1 to 4.
        pawns_out: pawns of each colour that begin on the circle, 0 or 1.
        deck: "45", "44", "55" or "replacement" (RULES 3.1).
        slide_on: whose triangles are ridden: "other", "own" or "any" (RULES 4.2).
        start_cards: cards that start a pawn, in card order.
        two_draws_again: a 2 gives the same player another ply (RULES 3.5).
        x_forward4: Sorry! may instead move a pawn forward 4.
        swap_partner: the exchange also works between the two colours of a team (RULES 6.7).
        first_player: "random", or the seat that begins.
        scoring: "win" or "points" (RULES 5.7).

    Raises:
        RulesError: naming the field, where a value or a combination does not make sense.
    """

    players: int = 4
    colors: str = ""
    teams: bool = False
    hand_size: int = 0
    pawns: int = 4
    pawns_out: int = 0
    deck: str = "45"
    slide_on: str = "other"
    start_cards: tuple[str, ...] = ("1", "2")
    two_draws_again: bool = True
    x_forward4: bool = False
    swap_partner: bool = False
    first_player: int | Literal["random"] = "random"
    scoring: str = "win"

    def __post_init__(self) -> None:
        """Puts `colors` and `start_cards` into canonical order and refuses what makes no sense."""
        self._check_values()
        object.__setattr__(self, "colors", self._seated_colors())
        object.__setattr__(self, "start_cards", _ordered_cards(self.start_cards))
        self._check_combinations()

    def _check_values(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = whole_number(getattr(self, name))
            if value is None:
                raise RulesError(f"{name}: {getattr(self, name)!r} is not a whole number from {low} to {high}")
            if not low <= value <= high:
                raise RulesError(f"{name}: {value} is not from {low} to {high}")
            object.__setattr__(self, name, value)
        for name in _FLAGS:
            if not isinstance(getattr(self, name), bool):
                raise RulesError(f"{name}: {getattr(self, name)!r} is neither yes (True) nor no (False)")
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise RulesError(f"{name}: {getattr(self, name)!r} is not one of {', '.join(allowed)}")

    def _seated_colors(self) -> str:
        given = "".join(_texts(self.colors)).upper() or _DEFAULT_COLORS[self.players]
        for letter in given:
            if letter not in COLORS:
                raise RulesError(f"colors: {letter!r} is not one of the letters R, B, Y, G")
            if given.count(letter) > 1:
                raise RulesError(f"colors: {letter!r} is seated twice")
        if len(given) != self.players:
            raise RulesError(f"colors: {given!r} seats {len(given)}, but players is {self.players}")
        return "".join(sorted(given, key=COLORS.index))

    def _check_combinations(self) -> None:
        if self.teams and self.players != 4:
            raise RulesError(f"teams: needs four players, but players is {self.players}")
        if self.swap_partner and not self.teams:
            raise RulesError("swap_partner: needs the partnership game (teams)")
        if self.hand_size and self.deck == "replacement":
            raise RulesError("hand_size: a hand game cannot be dealt from the replacement deck")
        if self.hand_size * self.players >= sum(DECKS[self.deck]):
            raise RulesError(
                f"hand_size: {self.players} hands of {self.hand_size} take the whole deck of {sum(DECKS[self.deck])}"
            )
        if not self.start_cards and not self.pawns_out:
            raise RulesError("start_cards: with no card that starts a pawn and pawns_out 0 no pawn ever moves")
        if self.first_player != "random":
            seat = whole_number(self.first_player)
            if seat is None or not 0 <= seat < self.players:
                raise RulesError(
                    f"first_player: {self.first_player!r} is neither 'random' nor a seat from 0 to {self.players - 1}"
                )
            object.__setattr__(self, "first_player", seat)

    @property
    def is_evenly_seated(self) -> bool:
        """Whether the board looks alike from every seat: two opposite seats, or all four."""
        gaps = {
            (after - color) % 4
            for color, after in zip(self.color_ids, self.color_ids[1:] + self.color_ids[:1], strict=True)
        }
        return len(gaps) == 1

    @property
    def deck_counts(self) -> tuple[int, ...]:
        """How many of each card kind the whole deck holds, in card order."""
        return DECKS[self.deck]

    @cached_property
    def color_ids(self) -> tuple[int, ...]:
        """Colour number (0..3, RULES 1.1) of each seat."""
        return tuple(COLORS.index(letter) for letter in self.colors)

    def with_options(self, **options: Any) -> Rules:
        """This record with some fields changed; a new number of players takes its default colours."""
        return _override(self, options)

    def plays_like(self, other: Rules) -> bool:
        """Whether all but who begins and how the end is scored is the same: what a policy sees and may do."""
        free: dict[str, Any] = {"first_player": "random", "scoring": "win"}
        return replace(self, **free) == replace(other, **free)

    def spec(self) -> str:
        """The shortest text that `rules_from` reads back as this record, such as `classic:players=2,slide_on=own`."""
        name = min(PRESETS, key=lambda key: len(_differences(PRESETS[key], self)))
        options = ",".join(f"{key}={_format_value(value)}" for key, value in _differences(PRESETS[name], self).items())
        return f"{name}:{options}" if options else name


def whole_number(value: Any) -> int | None:
    """A Python or NumPy integer as int; None for anything else, a bool too."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        return None
    return int(value)


def _texts(value: Any) -> list[str]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        value = [value]
    return [str(part) for part in value]


def _ordered_cards(cards: Iterable[str]) -> tuple[str, ...]:
    given = _texts(cards)
    for card in given:
        if card not in _FORWARD_CARDS:
            raise RulesError(f"start_cards: {card!r} is not a card with a forward number ({', '.join(_FORWARD_CARDS)})")
    return tuple(card for card in _FORWARD_CARDS if card in given)


PRESETS: Final = {
    "classic": Rules(),
    "teams": Rules(teams=True),
    "points": Rules(hand_size=5, pawns_out=1, scoring="points"),
    "team-points": Rules(teams=True, hand_size=5, pawns_out=1, scoring="points"),
    "edition-1939": Rules(deck="44"),
    "edition-2013": Rules(pawns=3, start_cards=_FORWARD_CARDS, two_draws_again=False, x_forward4=True, slide_on="own"),
    "mini-1": Rules(players=2, pawns=1, deck="replacement"),
    "mini-2": Rules(players=2, pawns=2, deck="replacement"),
}


MOST_CHARS: Final = 1000  # of a rules text


def rules_from(rules: str | Rules = "classic", players: int | None = None, **options: Any) -> Rules:
    """The rules record that a user means.

    Args:
        rules: a record, a name of RULES 7, or name and options in one text (`classic:players=2,slide_on=own`).
        players: number of players, where it differs from the record's.
        **options: further fields to change.

    Raises:
        RulesError: an unknown name, field or value, or a combination that makes no sense.
    """
    if not isinstance(rules, str | Rules):
        raise RulesError(f"rules: {rules!r} is neither a name nor a rules record")
    if isinstance(rules, str) and len(rules) > MOST_CHARS:
        raise RulesError(f"rules: {quoted(rules)} has {len(rules)} characters, more than {MOST_CHARS}")
    record = rules if isinstance(rules, Rules) else _parse_spec(rules)
    if players is not None:
        options["players"] = players
    return _override(record, options)


@lru_cache(maxsize=64)
def _parse_spec(text: str) -> Rules:
    name, _, tail = text.partition(":")
    if name not in PRESETS:
        near = get_close_matches(name, PRESETS, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise RulesError(f"rules: unknown rule set {quoted(name)}{hint} (known: {', '.join(PRESETS)})")
    options: dict[str, Any] = {}
    for part in filter(None, tail.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise RulesError(f"rules: {quoted(part)} in {quoted(text)} is not written field=value")
        options[key] = _parse_value(key, value)
    return _override(PRESETS[name], options)


def _override(record: Rules, options: dict[str, Any]) -> Rules:
    known = [field.name for field in fields(Rules)]
    for key in options:
        if key not in known:
            raise RulesError(f"rules: no field {quoted(key)} (fields: {', '.join(known)})")
    options = dict(options)
    if options.get("colors") and "players" not in options:
        options["players"] = len("".join(_texts(options["colors"])))
    if "players" in options and "colors" not in options and options["players"] != record.players:
        options["colors"] = ""
    return replace(record, **options)


def _differences(preset: Rules, record: Rules) -> dict[str, Any]:
    changed = {
        field.name: getattr(record, field.name)
        for field in fields(Rules)
        if getattr(record, field.name) != getattr(preset, field.name)
    }
    if record.colors == _DEFAULT_COLORS[record.players]:
        changed.pop("colors", None)
    return changed


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ".".join(value) if isinstance(value, tuple) else str(value)


def _parse_value(key: str, text: str) -> Any:
    if key in _FLAGS:
        return {"yes": True, "true": True, "no": False, "false": False}.get(text.lower(), text)
    if key == "start_cards":
        return tuple(filter(None, text.split(".")))
    if key in _RANGES or (key == "first_player" and text != "random"):
        return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else text
    return text
