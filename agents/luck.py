"""Luck adjustment: a control variate that takes the luck of the draw out of a game's result.

A card's luck, for each side, is what a fixed value model gives for the best reply to it less the exact mean of that
over every card that could have come (Zinkevich et al. 2006, "Optimal unbiased estimators for evaluating agent
performance"; White and Bowling 2009). Its mean is 0 whatever the model and whoever plays, so results less luck are
unbiased; how much narrower they are is the model's merit.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sorry_env.batch import Batch
from sorry_env.errors import SorryError
from sorry_env.players import Player, ValuePlayer
from sorry_env.players.value import CHAMPION, fitting_champions, load_value
from sorry_env.rules import Rules
from sorry_env.values import ValueModel, num_sides

NONE = "none"
AUTO = "auto"


@dataclass(frozen=True)
class Adjuster:
    """The value network by which results are adjusted, read once, before anything is played.

    Attributes:
        spec: what names it: `champion`, or its file.
        sha256: of the file's bytes, in hexadecimal digits.
        model: the network.
    """

    spec: str
    sha256: str
    model: ValueModel

    @property
    def name(self) -> str:
        """For tables: what names it and the first digits of its hash."""
        return f"{self.spec} (sha256 {self.sha256[:12]})"

    def as_dict(self) -> dict[str, str]:
        """For JSON."""
        return {"spec": self.spec, "sha256": self.sha256}

    def is_played_by(self, player: Player) -> bool:
        """Whether a player decides by this very network."""
        return isinstance(player, ValuePlayer) and np.array_equal(player.model.row, self.model.row)


def open_adjuster(spec: str, rules: Rules) -> Adjuster | None:
    """The value network by which results are adjusted.

    Args:
        spec: `auto` (the champion where one is shipped for the rules), `none`, `champion`, or a value network's file.
        rules: the rules record.

    Raises:
        SorryError: a hand game, whose refills say too little of luck, or a model without chances to win.
        PolicyError, SpecError: no such model, or one for other rules.
    """
    fitting = fitting_champions(rules)
    if spec == NONE or (spec == AUTO and (rules.hand_size or not fitting)):
        return None
    if rules.hand_size:
        raise SorryError(f"--adjust: {rules.spec()!r} is a hand game; only the luck of draws is adjusted")
    spec = CHAMPION if spec == AUTO else spec
    model = load_value(spec, rules)
    if not model.is_network:
        raise SorryError(f"--adjust: {spec!r} gives distances, not chances to win; give a value network's file")
    path = Path(fitting[0].spec if spec == CHAMPION else spec)
    return Adjuster(spec, hashlib.sha256(path.read_bytes()).hexdigest(), model)


class LuckMeter:
    """Adds up the luck of every draw of a batch's games; its `watch` is an `Arena`'s.

    Args:
        batch: the games; forced plies must be shown (`auto_forced=False`), since their cards are luck, too.
        model: the fixed value network.

    Attributes:
        luck: float64 (B, sides): what the cards so far have added to each side's chance to win.
    """

    def __init__(self, batch: Batch, model: ValueModel) -> None:
        assert not batch.auto_forced
        self.batch, self.model = batch, model
        self.luck = np.zeros((batch.num_games, num_sides(batch.rules)))

    def watch(self, games: np.ndarray) -> None:
        """Takes in the cards just drawn in some games."""
        self.luck[games] += self.model.luck(self.batch.states[games])
