"""The protocol of every player, and the registry that turns spec strings into players."""

from __future__ import annotations

import os
from collections.abc import Callable
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

import numpy as np

from sorry_env.errors import SpecError, quoted
from sorry_env.game import Game
from sorry_env.position import Positions
from sorry_env.rules import Rules


@runtime_checkable
class Player(Protocol):
    """Whoever chooses actions: asked for a whole batch of decisions at once.

    A built-in player may also have `compiled_as` (a constant of `sorry_env.batch` such as GREEDY): the arena then
    plays its seats in compiled code and does not ask it.

    Attributes:
        name: the spec string, or what tables should show.
    """

    name: str

    def bind(self, rules: Rules) -> None:
        """Called before play. Raises PolicyError or SpecError where the player cannot play these rules."""
        ...

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """Chooses actions.

        Args:
            observations: float32 (N, F), what each mover sees.
            masks: int8 (N, A), 1 where legal.
            rng: the only source of chance.
            positions: the public positions, for search players; made only when asked for.

        Returns:
            Legal action ids, int64 (N,).
        """
        ...


MOST_SPEC_CHARS: Final = 4096

Factory = Callable[[str, dict[str, str]], Player]

_NAMED: Final[dict[str, Factory]] = {}
_SUFFIXES: Final[dict[str, Factory]] = {}
_FOLDERS: Final[dict[str, Factory]] = {}


def register_player(name: str, factory: Factory) -> None:
    """Makes `name` (and `name:option=value,...`) a spec string.

    Args:
        name: the word before the colon.
        factory: called with the whole spec and its options; raises SpecError for options it does not know.
    """
    _NAMED[name] = factory


def register_file_player(suffix: str, factory: Factory) -> None:
    """Makes every path that ends in `suffix` (such as `.onnx`) a spec string; `factory` gets the path and options."""
    _SUFFIXES[suffix] = factory


def register_folder_player(marker: str, factory: Factory) -> None:
    """Makes every folder that holds a file named `marker` a spec string; `factory` gets the folder and options."""
    _FOLDERS[marker] = factory


def load_player(spec: str | PathLike[str] | Player, rules: Rules | None = None) -> Player:
    """The player that a spec string means; a player is handed through.

    Args:
        spec: `random`, `greedy`, `race`, `solitaire`, `name:option=value,...`, or the path of a policy file (as text or
            as a Path).
        rules: where given, the player is bound to them.

    Raises:
        SpecError: no such player, or an option that it does not have.
        PolicyError: a file that is missing, damaged or made for another game.
    """
    player = _open(os.fspath(spec)) if isinstance(spec, str | PathLike) else spec
    if not isinstance(player, Player):
        raise SpecError(f"player: {spec!r} is neither a spec string nor has it name, bind and act")
    if rules is not None:
        player.bind(rules)
    return player


def choose_move(game: Game, player: Player, rng: np.random.Generator) -> str:
    """Text of the move that a player chooses for the seat on move."""
    asked = Positions(game.rules, game.position.row)
    actions = player.act(game.observation()[None], game.legal_mask()[None], rng, asked)
    legal = dict(zip(game.legal_actions(), game.legal_moves(), strict=True))
    return legal[int(actions[0])]


def known_players() -> list[str]:
    """The spec strings' names, files as `FILE.onnx`."""
    return [*sorted(_NAMED), *(f"FILE{suffix}" for suffix in sorted(_SUFFIXES))]


def _open(spec: str) -> Player:
    if len(spec) > MOST_SPEC_CHARS:
        raise SpecError(f"player: {quoted(spec)} has {len(spec)} characters, more than {MOST_SPEC_CHARS}")
    name, _, tail = spec.partition(":")
    if name in _NAMED:
        return _NAMED[name](spec, _parse_options(spec, tail))
    for suffix, factory in _SUFFIXES.items():
        path, found, tail = spec.partition(suffix)
        if found and (not tail or tail.startswith(":")):
            return factory(path + suffix, _parse_options(spec, tail[1:]))
    for marker, factory in _FOLDERS.items():
        if os.path.isfile(Path(spec) / marker):  # unlike `Path.is_file` false for names that no file can have
            return factory(spec, {})
    near = get_close_matches(name, _NAMED, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise SpecError(f"player: no player {quoted(spec)}; {hint}known: {', '.join(known_players())}")


def _parse_options(spec: str, tail: str) -> dict[str, str]:
    options = {}
    for part in filter(None, tail.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise SpecError(f"player: {quoted(part)} in {quoted(spec)} is not written option=value")
        options[key] = value
    return options


def refuse_options(spec: str, options: dict[str, str], known: tuple[str, ...] = ()) -> None:
    """Raises SpecError where `options` holds a key that is not `known`."""
    for key in options:
        if key not in known:
            raise SpecError(
                f"player: {quoted(spec)} has no option {quoted(key)} (it has: {', '.join(known) or 'none'})"
            )
