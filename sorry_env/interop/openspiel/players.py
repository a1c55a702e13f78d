"""An OpenSpiel bot as a player of this package, and a player of this package as an OpenSpiel bot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

from sorry_env.errors import SorryError
from sorry_env.interop.openspiel.game import SorryGame, SorryState, load_game
from sorry_env.players import Player, load_player
from sorry_env.position import Positions
from sorry_env.rules import Rules

MakeBot = Callable[[SorryGame, int, np.random.RandomState], Any]


class BotPlayer:
    """An OpenSpiel bot as a player (see `sorry_env.Player`).

    The bot gets each position as a state that begins there: it has no history, and `restart` comes before each `step`.
    In the hand game the bot's state holds a full deal, in which the cards that the seat has not seen are dealt at
    random (RULES 5.6), anew for each decision: a bot that looks into other hands takes that deal for the truth, and an
    ISMCTS bot deals again by `SorryState.resample_from_infostate`. No bot sees a card that is really hidden.

    Args:
        make_bot: called with the game, the seat that the bot plays and a `numpy.random.RandomState`; returns the bot.
            Called anew for each call of `act`; chance that the bot takes from that generator repeats by seed.
        name: what tables show.
    """

    def __init__(self, make_bot: MakeBot, name: str = "openspiel") -> None:
        self.name = name
        self._make_bot = make_bot
        self._game: SorryGame | None = None

    def bind(self, rules: Rules) -> None:
        """Loads the OpenSpiel game of the rules."""
        self._game = load_game(rules)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """See `Player.act`. Raises SorryError where the bot answers an action that is not legal."""
        if self._game is None:
            raise SorryError(f"player {self.name!r}: bind comes before act")
        random_state = np.random.RandomState(rng.bit_generator)
        bots: dict[int, Any] = {}
        actions = np.empty(len(positions), np.int64)
        for k in range(len(positions)):
            position = positions[k].deal_unseen(rng)
            if position.mover not in bots:
                bots[position.mover] = self._make_bot(self._game, position.mover, random_state)
            bots[position.mover].restart()
            actions[k] = bots[position.mover].step(self._game.new_initial_state(position))
            if not 0 <= actions[k] < masks.shape[1] or not masks[k, actions[k]]:
                raise SorryError(
                    f"player {self.name!r} answers {actions[k]} in {str(position)!r}; legal: {position.legal_actions()}"
                )
        return actions


class PlayerBot(pyspiel.Bot):
    """A player of this package as an OpenSpiel bot of `python_sorry`; any seat, any history.

    Args:
        player: a player or its spec string.
        game: the game to play.
        seed: of the player's choices; None takes entropy from the system.

    Raises:
        SpecError, PolicyError: no such player, or one that cannot play these rules.
    """

    def __init__(self, player: str | Player, game: SorryGame, seed: int | None = None) -> None:
        super().__init__()
        self._player = load_player(player, game.rules)
        self._rng = np.random.default_rng(seed)

    def step(self, state: SorryState) -> int:
        """The player's action in a state where a decision is open."""
        position = state.position
        seen, mask = position.observation()[None], position.legal_mask()[None]
        return int(self._player.act(seen, mask, self._rng, Positions(position.rules, position.row))[0])

    def restart_at(self, state: SorryState) -> None:
        """Nothing is remembered."""
