"""B games as arrays, for people who write their own loops; every environment here stands on this."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from sorry_env.engine import kernels
from sorry_env.engine.kernels import GREEDY, LOOK, NEW_GAME, NOBODY, OPEN, RANDOM, SKIP, TERMINATED, TRUNCATED
from sorry_env.engine.parameters import (
    MOVER,
    NUM_ACTIONS,
    NUM_FEATURES,
    NUM_STATE_FEATURES,
    WIDTH,
    parameter_row,
)
from sorry_env.engine.rows import stream_rows
from sorry_env.errors import IllegalError, SorryError
from sorry_env.notation import format_move
from sorry_env.observation import count_units, float_units
from sorry_env.position import Position, Positions
from sorry_env.rules import Rules, rules_from

__all__ = ["DEFAULT_MAX_PLIES", "GREEDY", "LOOK", "NOBODY", "RANDOM", "SKIP", "Batch"]

DEFAULT_MAX_PLIES: Final = 5000


class Batch:
    """B games in step. Each game has its own random stream: results do not depend on B or on the order of games.

    After `reset` every game stands at a decision, and `masks`, `counts`, `observations` and `movers` show it. `step`
    plays one action in each open game. Games that have ended stay as they are until they are reset.

    Args:
        rules: rules record, name, or name with options (see `rules_from`).
        num_games: B.
        seed: seed of all games; None takes entropy from the system.
        games: ids of the games within the seed, integers (B,), by default 0..B-1; equal ids draw equal cards.
        auto_forced: play forced plies (one legal action) silently.
        max_plies: plies after which a game is truncated, forced ones counted.
        observation_dtype: np.float32 (counts scaled to 0..1), np.uint8 (plain counts), or None for no observations.
        **options: players and fields of the rules record to change.

    Attributes:
        masks: int8 (B, A), 1 where the action is legal; all 0 where the game has ended.
        counts: int64 (B,), number of legal actions.
        observations: (B, F), what the mover of each game sees (layout: `observation.py`).
        plies: int64 (B,), plies played.

    All four are written in place by every call: copy what you keep.
    """

    def __init__(
        self,
        rules: str | Rules = "classic",
        num_games: int = 1,
        seed: int | None = None,
        *,
        games: np.ndarray | None = None,
        auto_forced: bool = True,
        max_plies: int = DEFAULT_MAX_PLIES,
        observation_dtype: type[np.float32] | type[np.uint8] | None = np.float32,
        **options: Any,
    ) -> None:
        self.rules = rules_from(rules, **options)
        _check_counts(num_games=num_games, max_plies=max_plies)
        if observation_dtype not in (np.float32, np.uint8, None):
            raise SorryError(f"observation_dtype: {observation_dtype!r} is not np.float32, np.uint8 or None")
        self.num_games, self.max_plies, self.auto_forced = num_games, max_plies, auto_forced
        self.parameters = parameter_row(self.rules)
        p = self.parameters[0]
        self.states = np.zeros((num_games, p[WIDTH]), np.int16)
        self._games = np.arange(num_games) if games is None else np.asarray(games)
        if self._games.shape != (num_games,) or self._games.dtype.kind not in "iu":
            raise SorryError(f"games: {num_games} integer ids are wanted, not an array {self._games.shape}")
        self._status = np.full(num_games, TRUNCATED, np.int8)
        self.plies = np.zeros(num_games, np.int64)
        self.counts = np.zeros(num_games, np.int64)
        self.masks = np.zeros((num_games, p[NUM_ACTIONS]), np.int8)
        self._dtype = observation_dtype or np.float32
        self.observations = np.zeros((num_games, p[NUM_FEATURES] if observation_dtype else 0), self._dtype)
        self._units = count_units() if observation_dtype is np.uint8 else float_units()
        self._actions = np.zeros(num_games, np.int64)
        self.seed(seed)

    def seed(self, seed: int | None) -> None:
        """Begins the random streams of all games anew; takes effect with the next draw.

        Raises:
            SorryError: a seed that is neither None nor an integer from 0.
        """
        if seed is not None and (not isinstance(seed, int | np.integer) or seed < 0):
            raise SorryError(f"seed: {seed!r} is neither None nor an integer from 0")
        self._streams = stream_rows(seed, self._games)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["parameters"]  # shared and read-only: a copy of it would be another type to Numba
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.parameters = parameter_row(self.rules)

    @property
    def movers(self) -> np.ndarray:
        """int64 (B,): seat on move; of ended games, who made the last move."""
        return self.states[:, MOVER].astype(np.int64)

    @property
    def terminated(self) -> np.ndarray:
        """Bool (B,): games that ended by the rules."""
        return self._status == TERMINATED

    @property
    def truncated(self) -> np.ndarray:
        """Bool (B,): games cut off at `max_plies` (and all games before the first reset)."""
        return self._status == TRUNCATED

    @property
    def is_open(self) -> np.ndarray:
        """Bool (B,): games with an open decision."""
        return self._status == OPEN

    def reset(
        self, which: np.ndarray | None = None, first_player: int | None = None, seated: np.ndarray | None = None
    ) -> None:
        """New games, everywhere or where `which`, bool (B,), is true; a game's stream goes on where it stands.

        Args:
            which: games to begin anew.
            first_player: seat that begins; by default as the rules say.
            seated: as for `step`.

        Raises:
            RulesError: a first player that is no seat.
        """
        if first_player is not None:
            self.rules.with_options(first_player=first_player)  # refuses what is no seat
        first = self.rules.first_player if first_player is None else first_player
        self._actions[:] = NEW_GAME if which is None else np.where(which, NEW_GAME, SKIP)
        self.counts[self._actions == NEW_GAME] = -1 if first == "random" else first
        self._advance(seated)

    def step(self, actions: np.ndarray | int, seated: np.ndarray | None = None) -> None:
        """Plays actions[e] in each open game e; what stands there for ended games does not matter.

        Args:
            actions: integers (B,), or one for all; SKIP leaves a game alone, LOOK plays nothing.
            seated: who plays which seat in compiled code, int8 (B, P): NOBODY, RANDOM or GREEDY. Each game then runs
                on to the next decision of a seat that is nobody's.

        Raises:
            IllegalError: an action that is not legal. No game has then been changed.
        """
        if not isinstance(actions, int):
            actions = np.asarray(actions)
            if actions.dtype.kind not in "iu":
                raise IllegalError(f"actions are {actions.dtype}, not integers")
        self._actions[:] = actions
        begins = self._actions == NEW_GAME  # `reset` alone may say so
        illegal = int(np.argmax(begins)) if begins.any() else self._advance(seated)
        if illegal >= 0:
            action = int(self._actions[illegal])
            raise IllegalError(describe_illegal(self.position(illegal), action, f"game {illegal}: "))

    def _advance(self, seated: np.ndarray | None = None) -> int:
        arguments = (
            self.states, self._streams, self.parameters, self._actions, self._status, self.plies, self.max_plies,
            self.auto_forced, self.masks, self.counts, self.observations, self._units,
        )  # fmt: skip
        if seated is None:
            return kernels.advance(*arguments)
        shape = (self.num_games, self.rules.players)
        if seated.shape != shape or seated.dtype != np.int8 or seated.min() < NOBODY or seated.max() > GREEDY:
            raise SorryError(f"seated: int8 {shape} of {NOBODY}..{GREEDY} is wanted, not {seated.dtype} {seated.shape}")
        return kernels.advance_to_learner(*arguments, seated)

    def place(self, e: int, position: Position) -> None:
        """Puts game e into a position; an awaited card is drawn, `plies` begins at 0.

        Raises:
            SorryError: what is no Position.
            IllegalError: a position of other rules, of a finished game, or with an unknown hand.
        """
        if not isinstance(position, Position):
            raise SorryError(f"position: {position!r} is neither a Position nor its text")
        if None in [position.hand(seat) for seat in range(position.rules.players)]:
            raise IllegalError(f"position: {str(position)!r} has an unknown hand, from which nothing can be played")
        if position.rules != self.rules or position.is_over:
            raise IllegalError(f"position: {position!r} is over or not of {self.rules.spec()!r}")
        self.states[e] = position.row[0]
        self._status[e], self.plies[e] = OPEN, 0
        self._actions[:] = SKIP
        self._actions[e] = LOOK
        self._advance()

    def forfeit(self, e: int) -> None:
        """Cuts game e off as it stands: no decision is open there any more, and no one has won."""
        self._status[e] = TRUNCATED
        self.masks[e] = 0
        self.counts[e] = 0

    def sample(self) -> np.ndarray:
        """Uniform legal actions from the games' own streams: int64 (B,); -1 where the game has ended."""
        actions = np.empty(self.num_games, np.int64)
        kernels.sample_legal(self.states, self.parameters, self.counts, self._streams, actions)
        return actions

    def rewards(self, scoring: str | None = None) -> np.ndarray:
        """Final zero-sum rewards: float64 (B, P); 0 where no winner is known.

        Args:
            scoring: "win" (winner +1, the losers share -1) or "points" (RULES 5.7 less the mean, in hundreds); by
                default the rules' own.
        """
        if scoring not in (None, "win", "points"):
            raise SorryError(f"scoring: {scoring!r} is not one of win, points or None")
        out = np.zeros((self.num_games, self.rules.players))
        kernels.final_rewards(self.states, self.parameters, (scoring or self.rules.scoring) == "points", out)
        return out

    def points(self) -> np.ndarray:
        """Points by RULES 5.7 as the games stand: int64 (B, P)."""
        out = np.zeros((self.num_games, self.rules.players), np.int64)
        kernels.points(self.states, self.parameters, out)
        return out

    def observe(self, seats: np.ndarray) -> np.ndarray:
        """What seats[e] sees of game e: (B, F) in the batch's dtype. Raises SorryError where a seat is not seated."""
        seats = np.ascontiguousarray(seats, np.int64)
        if seats.shape != (self.num_games,) or seats.min() < 0 or seats.max() >= self.rules.players:
            raise SorryError(f"seats: one of 0..{self.rules.players - 1} is wanted for each of {self.num_games} games")
        out = np.empty((self.num_games, self.parameters[0, NUM_FEATURES]), self._dtype)
        kernels.observe(self.states, self.parameters, seats, out, self._units)
        return out

    def whole_states(self) -> np.ndarray:
        """Everything, hidden cards included, for centralised critics: (B, G) in the batch's dtype (`state_layout`)."""
        out = np.empty((self.num_games, self.parameters[0, NUM_STATE_FEATURES]), self._dtype)
        kernels.whole_state(self.states, self.parameters, out, self._units)
        return out

    def positions(self, which: np.ndarray | slice = slice(None)) -> Positions:
        """Public positions of some games, as each one's mover may know them."""
        return Positions(self.rules, np.ascontiguousarray(self.states[which]))

    def position(self, e: int) -> Position:
        """The whole position of game e, hidden hands included."""
        return Position(self.rules, self.states[e : e + 1])


def _check_counts(**counts: Any) -> None:
    for name, value in counts.items():
        if not isinstance(value, int | np.integer) or value < 1:
            raise SorryError(f"{name}: {value!r} is not a whole number from 1")


def describe_illegal(position: Position, action: int, where: str = "") -> str:
    """One line that says which action is illegal where, and what is legal."""
    legal = position.legal_actions()
    row = position.row[0].tolist()
    moves = ", ".join(f"{a} ({format_move(row, position.rules, a)})" for a in legal[:40])
    more = f" and {len(legal) - 40} more" if len(legal) > 40 else ""
    return f"{where}action {action} is not legal in {str(position)!r}; legal: {moves or 'none, the game is over'}{more}"
