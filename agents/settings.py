"""What the settings of every training program have in common."""

from __future__ import annotations

from dataclasses import dataclass

from agents.matches import table_rules
from sorry_env.errors import SorryError
from sorry_env.rules import Rules


@dataclass
class RunSettings:
    """Settings that every learner has; each adds its own, with the comments as their help."""

    rules: str = "classic"
    """Rule set by name, options after a colon: classic, teams, points:players=2, mini-2, ..."""
    players: int | None = None
    """Number of players; by default two, in the partnership games four."""
    resume: bool = False
    """Go on from the checkpoint in the folder."""
    checkpoint_every: float = 30.0
    """Seconds between checkpoints."""
    eval_games: int = 4000
    """Games against each yardstick at the end."""

    def record(self) -> Rules:
        """The rules record that `rules` and `players` mean. Raises RulesError."""
        return table_rules(self.rules, self.players)

    def require(self, name: str, holds: bool, wanted: str) -> None:
        """Raises SorryError that the setting `name` is not `wanted`, unless that holds."""
        if not holds:
            raise SorryError(f"{option(name)}: {getattr(self, name)} is not {wanted}")


def option(name: str) -> str:
    """A setting as it is written on the command line."""
    return f"--{name.replace('_', '-')}"
