"""Sorry! in OpenSpiel, and OpenSpiel's bots as players here.

Importing this module registers the game `python_sorry`. Needs `pip install 'sorry-env[openspiel]'`.
"""

try:
    import pyspiel  # noqa: F401 - asked for here, so that whoever lacks it is told what to install
except ImportError as error:
    raise ImportError(
        "sorry_env.interop.openspiel needs OpenSpiel: pip install 'sorry-env[openspiel]', or pip install open_spiel"
    ) from error

from sorry_env.interop.openspiel.game import SorryGame, SorryState, load_game
from sorry_env.interop.openspiel.observer import SorryObserver
from sorry_env.interop.openspiel.parameters import format_rules, parse_rules
from sorry_env.interop.openspiel.players import BotPlayer, PlayerBot

__all__ = [
    "BotPlayer",
    "PlayerBot",
    "SorryGame",
    "SorryObserver",
    "SorryState",
    "format_rules",
    "load_game",
    "parse_rules",
]
