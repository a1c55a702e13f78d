"""Sorry! as a reinforcement-learning environment.

| write | and get |
|---|---|
| `sorry_v0.env(rules="classic", players=4)` | a PettingZoo AEC environment |
| `gymnasium.make("sorry_env:Sorry-v0", opponents=["greedy"])` | one learner's seat |
| `Game("classic", seed=1)` | one game to play with, search, copy, save |
| `Batch("classic", 1024)` | many games as arrays |
| `Match("points", seed=1)` | games to a total of points |
| `SelfPlay("classic", 256)` | every seat of many games as rows to learn from |
| `load_player("greedy")` | an opponent |

Nothing heavy is imported before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sorry_env.registration import register_everywhere
from sorry_env.version import __version__

if TYPE_CHECKING:
    from sorry_env import batch, sorry_v0
    from sorry_env.batch import Batch
    from sorry_env.errors import (
        AmbiguousError,
        IllegalError,
        MalformedError,
        PolicyError,
        RulesError,
        SorryError,
        SpecError,
    )
    from sorry_env.game import Game
    from sorry_env.match import Match
    from sorry_env.players import Player, load_player, register_player
    from sorry_env.position import Position
    from sorry_env.record import read_record
    from sorry_env.rules import Rules, rules_from
    from sorry_env.self_play import SelfPlay

_HOMES = {
    "Batch": "batch",
    "Game": "game",
    "Match": "match",
    "Player": "players",
    "Position": "position",
    "Rules": "rules",
    "SelfPlay": "self_play",
    "load_player": "players",
    "read_record": "record",
    "register_player": "players",
    "rules_from": "rules",
} | dict.fromkeys(
    (
        "AmbiguousError",
        "IllegalError",
        "MalformedError",
        "PolicyError",
        "RulesError",
        "SorryError",
        "SpecError",
    ),
    "errors",
)
_MODULES = ("batch", "sorry_v0")

__all__ = [
    "AmbiguousError",
    "Batch",
    "Game",
    "IllegalError",
    "MalformedError",
    "Match",
    "Player",
    "PolicyError",
    "Position",
    "Rules",
    "RulesError",
    "SelfPlay",
    "SorryError",
    "SpecError",
    "__version__",
    "batch",
    "load_player",
    "read_record",
    "register_player",
    "rules_from",
    "sorry_v0",
]

register_everywhere()


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"sorry_env.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(f"sorry_env.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'sorry_env' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
