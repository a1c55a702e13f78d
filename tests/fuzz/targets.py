"""What is fuzzed: each target takes any bytes; it swallows errors of this package, and anything else is a finding."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from sorry_env import Game, load_player, read_record, rules_from
from sorry_env.errors import RulesError, SorryError
from sorry_env.position import Position
from sorry_env.rules import PRESETS

TESTS: Final = Path(__file__).resolve().parent.parent
SPECS: Final = (*PRESETS, "points:players=2", "teams:swap_partner=yes", "classic:players=3,pawns=1")
RULES: Final = tuple(rules_from(spec) for spec in SPECS)
LONGEST: Final = 200  # bytes of a line of text
MOST_PLIES: Final = 6  # of records that are seeds


class Target(NamedTuple):
    """One thing to fuzz.

    Attributes:
        run: takes any bytes.
        seeds: inputs to begin with.
        longest: bytes of an input at most.
    """

    run: Callable[[bytes], None]
    seeds: Callable[[], Iterator[bytes]]
    longest: int


def _text(data: bytes) -> str:
    """The text that a program gets which reads bytes that may be no UTF-8."""
    return data.decode("utf-8", "surrogateescape")


def read_position(data: bytes) -> None:
    """A byte that picks the rules, then a position's text; one that is read prints as a text of the same position."""
    rules = RULES[data[0] % len(RULES)] if data else RULES[0]
    try:
        position = Position.parse(_text(data[1:]), rules)
    except SorryError as error:
        _check_message(error)
        return
    assert Position.parse(str(position), rules) == position
    if position.hand(position.mover) is not None:  # legal moves of a hand that is unknown are refused
        assert position.is_over or position.awaits_card or position.legal_moves()


def _lines_of_positions() -> list[str]:
    """The positions of `positions.txt`, classic rules, four players."""
    lines = (TESTS / "positions.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if re.fullmatch(r"R:\S+/B:\S+/Y:\S+/G:\S+ [rbyg] \S+ \S+", line)]


def position_seeds() -> Iterator[bytes]:
    """Positions of the collection, and the first ones of a game of each rule set."""
    yield from (b"\0" + line.encode() for line in _lines_of_positions())
    for k, rules in enumerate(RULES):
        game = Game(rules, 1)
        yield bytes([k]) + str(game).encode()
        game.play(game.legal_actions()[0])
        yield bytes([k]) + str(game.position.seen_by(0)).encode()


POSITIONS: Final = [Game(rules, seed).position for rules in RULES for seed in range(3)]


def read_move(data: bytes) -> None:
    """A byte that picks the position, then a move's text; one that is read is legal."""
    position = POSITIONS[data[0] % len(POSITIONS)] if data else POSITIONS[0]
    try:
        action = position.parse_move(_text(data[1:]))
    except SorryError as error:
        _check_message(error)
        return
    assert action in position.legal_actions()


def move_seeds() -> Iterator[bytes]:
    """Legal moves of the positions."""
    for k, position in enumerate(POSITIONS):
        yield from (bytes([k]) + move.encode() for move in position.legal_moves())


def read_rules(data: bytes) -> None:
    """Rules by name and options; those that are read print as a text of the same rules."""
    try:
        rules = rules_from(_text(data))
    except RulesError as error:
        _check_message(error)
        return
    assert rules_from(rules.spec()) == rules


def rules_seeds() -> Iterator[bytes]:
    """Names, and every option."""
    yield from (spec.encode() for spec in SPECS)
    yield from (b"classic:" + rules.spec().encode() for rules in RULES)
    yield b"classic:colors=RB,first_player=1,slide_on=own,x_forward4=yes,pawns_out=1,deck=55"
    yield b"points:players=2,start_cards=1.2,scoring=win,hand_size=3,two_draws_again=no,pawns=2"


def replay_record(data: bytes) -> None:
    """A record; one that is read is written as a record of the same game."""
    try:
        game = read_record(_text(data))
    except SorryError as error:
        _check_message(error)
        return
    assert read_record(game.record()).record() == game.record()


def record_seeds() -> Iterator[bytes]:
    """The first plies of the goldens' games, and of a game of each rule set."""
    for path in sorted((TESTS / "goldens").glob("*.txt")):
        whole = read_record(path.read_text(encoding="utf-8"))
        game = Game(whole.rules, 0, position=whole.start, explicit_chance=True)
        for _, event in whole.history[: 2 * MOST_PLIES]:
            game.draw(event[5:]) if event.startswith("draw ") else game.play(event)
        yield game.record().encode()


def load_policy(data: bytes) -> None:
    """A policy's or a value network's file, and its first answer."""
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(data)
        file.flush()
        try:
            player = load_player(file.name)
            player.bind(getattr(player, "rules", RULES[0]))
        except SorryError as error:
            _check_message(error)


def policy_seeds() -> Iterator[bytes]:
    """The files of released versions."""
    for path in sorted((TESTS / "compat").glob("*/*.onnx")):
        yield path.read_bytes()


def _check_message(error: SorryError) -> None:
    """Asserts that a message is one line that is not long. Long texts are quoted in part."""
    text = str(error)
    assert text, type(error)
    assert "\n" not in text, text
    assert len(text) < 4000, len(text)


TARGETS: Final[dict[str, Target]] = {
    "position": Target(read_position, position_seeds, LONGEST),
    "move": Target(read_move, move_seeds, LONGEST),
    "rules": Target(read_rules, rules_seeds, LONGEST),
    "record": Target(replay_record, record_seeds, 2000),
    "policy": Target(load_policy, policy_seeds, 120_000),
}
