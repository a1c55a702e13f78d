"""Luck adjustment: a control variate that takes the luck of the draw out of a game's result.

A card's luck, for each side, is what a fixed value model gives for the best reply to it less the exact mean of that
over every card that could have come (Zinkevich et al. 2006, "Optimal unbiased estimators for evaluating agent
performance"; White and Bowling 2009). Its mean is 0 whatever the model and whoever plays, so results less luck are
unbiased; how much narrower they are is the model's merit.
"""

from __future__ import annotations

import numpy as np

from sorry_env.batch import Batch
from sorry_env.errors import SorryError
from sorry_env.players.value import CHAMPION, champion_files, load_value
from sorry_env.rules import Rules
from sorry_env.values import ValueModel, num_sides

NONE = "none"
AUTO = "auto"


def open_adjuster(spec: str, rules: Rules) -> ValueModel | None:
    """The value network by which results are adjusted.

    Args:
        spec: `auto` (the champion where one is shipped for the rules), `none`, `champion`, or a value network's file.
        rules: the rules record.

    Raises:
        SorryError: a hand game, whose refills say too little of luck, or a model without chances to win.
        PolicyError, SpecError: no such model, or one for other rules.
    """
    if spec == NONE or (spec == AUTO and not _has_champion(rules)):
        return None
    if rules.hand_size:
        raise SorryError(f"--adjust: {rules.spec()!r} is a hand game; only the luck of draws is adjusted")
    model = load_value(CHAMPION if spec == AUTO else spec, rules)
    if not model.is_network:
        raise SorryError(f"--adjust: {spec!r} gives distances, not chances to win; give a value network's file")
    return model


def _has_champion(rules: Rules) -> bool:
    return not rules.hand_size and any(rules.plays_like(file.rules) for file in champion_files())


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
