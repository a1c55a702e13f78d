"""B games as arrays, for people who write their own loops; every environment here stands on this."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from sorry_env.engine import kernels
from sorry_env.engine.kernels import (
    EACH,
    GREEDY,
    LOOK,
    NEW,
    NOBODY,
    OPEN,
    RACE,
    RANDOM,
    SKIP,
    SOLITAIRE,
    TERMINATED,
    TRUNCATED,
)
from sorry_env.engine.packing import NUM_FIRST, Pack, Written
from sorry_env.engine.parameters import (
    MOST_ACTIONS,
    MOVER,
    NUM_ACTIONS,
    NUM_FEATURES,
    NUM_STATE_FEATURES,
    WIDTH,
    parameter_row,
)
from sorry_env.engine.rows import STREAM_WIDTH, stream_rows
from sorry_env.engine.weights import weight_rows
from sorry_env.errors import IllegalError, SorryError, in_short
from sorry_env.notation import format_move
from sorry_env.observation import count_units, float_units
from sorry_env.position import Position, Positions
from sorry_env.rules import Rules, rules_from

__all__ = [
    "DEFAULT_MAX_PLIES",
    "GREEDY",
    "LOOK",
    "NOBODY",
    "RACE",
    "RANDOM",
    "SKIP",
    "SOLITAIRE",
    "Afterstates",
    "Batch",
]

DEFAULT_MAX_PLIES: Final = 5000
NO_ACTION: Final = -1  # neither an id nor a code
LEAST_SHARE: Final = 512  # games below which handing them to a thread costs more than it saves


class Afterstates(NamedTuple):
    """Every position that a legal action of a batch's open decisions leads to, before the next card.

    Attributes:
        starts: int64 (B + 1,): those of game e are starts[e] .. starts[e + 1] of the rest.
        actions: int16 (M,), ascending within a game.
        seats: int8 (M,), who looks: in the draw game who draws next, in the hand game who moved.
        ends: bool (M,), whether the game is then over, won by the side that moved.
        features: (M, F), what that seat sees, in the batch's dtype (layout: `observation.py`).
    """

    starts: np.ndarray
    actions: np.ndarray
    seats: np.ndarray
    ends: np.ndarray
    features: np.ndarray


class Batch(Written):
    """B games in step. Each has its own random stream: results do not depend on B, on threads or on the games' order.

    After `reset` every game stands at a decision, and `masks`, `counts`, `observations` and `movers` show it. `step`
    plays one action in each open game. Games that have ended stay as they are until they are reset, or, with
    `auto_reset`, a new game takes their place in the same call.

    Args:
        rules: rules record, name, or name with options (see `rules_from`).
        num_games: B.
        seed: seed of all games; None takes entropy from the system.
        games: ids of the games within the seed, integers (B,), by default 0..B-1; equal ids draw equal cards.
        auto_forced: play forced plies (one legal action) silently.
        max_plies: plies after which a game is truncated, forced ones counted.
        auto_reset: begin a new game wherever one ends. `terminated`, `truncated`, `rewards()` and
            `final_observations` then tell of the games that ended in the last step.
        threads: how many threads share the games at most; a thread is used for every LEAST_SHARE games.
        observation_dtype: np.float32 (counts scaled to 0..1), np.uint8 (plain counts), or None for no observations.
        **options: players and fields of the rules record to change.

    Attributes:
        masks: int8 (B, A), 1 where the action is legal; all 0 where the game has ended.
        counts: int64 (B,), number of legal actions.
        observations: (B, F), what the mover of each game sees (layout: `observation.py`).
        plies: int64 (B,), plies played.
        final_observations: (B, P, F), with `auto_reset` only: what every seat saw last of the game that ended in the
            last step; elsewhere of an earlier one.
        advance: `step` without its checks, for loops that step one game at a time: plays an action id in every open
            game and returns -1, or the index of a game where it is not legal, and then no game has changed.

    The first five are written in place by every call: copy what you keep.
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
        auto_reset: bool = False,
        threads: int = 1,
        observation_dtype: type[np.float32] | type[np.uint8] | None = np.float32,
        **options: Any,
    ) -> None:
        self.rules = rules_from(rules, **options)
        _check_counts(num_games=num_games, max_plies=max_plies, threads=threads)
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
        self._firsts = np.zeros((num_games, NUM_FIRST), np.int16)
        self._dtype = observation_dtype or np.float32
        self.observations = np.zeros((num_games, p[NUM_FEATURES] if observation_dtype else 0), self._dtype)
        self._units = count_units() if observation_dtype is np.uint8 else float_units()
        self._actions = np.zeros(num_games, np.int64)
        self._streams = np.zeros((num_games, STREAM_WIDTH), np.int64)
        self.auto_reset, self.threads = auto_reset, threads
        if auto_reset:
            self._ended = np.full(num_games, OPEN, np.int8)
            self._final_rewards = np.zeros((num_games, self.rules.players))
            shape = num_games, self.rules.players, p[NUM_FEATURES]
            self.final_observations = np.full(shape, 0, self._dtype)  # not `zeros`: steps would wait for its pages
        self._share_out()
        self.seed(seed)

    def _share_out(self) -> None:
        """Who works on which games, and what the kernels are called with, which is the same in every step."""
        number = max(1, min(self.threads, self.num_games // LEAST_SHARE))
        bounds = np.linspace(0, self.num_games, number + 1).astype(int).tolist()
        self._shares = [slice(a, b) for a, b in pairwise(bounds)]
        self._pools: dict[int, ThreadPoolExecutor] = {}
        self._packs = [self._pack(share) for share in self._shares]
        self._runs = [pack.bind(kernels.advance) for pack in self._packs]
        self._samplers = [pack.bind(kernels.sample_legal) for pack in self._packs]
        runs = self._runs
        if self.auto_reset:
            pairs = zip(self._packs, self._shares, strict=True)
            runs = [pack.bind(kernels.advance_and_renew, *self._renewal_of(share)) for pack, share in pairs]
        self.advance = runs[0] if len(runs) == 1 else partial(self._run, runs)

    def _pack(self, share: slice) -> Pack:
        return Pack(
            states=self.states[share],
            streams=self._streams[share],
            parameters=self.parameters,
            actions=self._actions[share],
            status=self._status[share],
            plies=self.plies[share],
            masks=self.masks[share],
            counts=self.counts[share],
            firsts=self._firsts[share],
            observations=self.observations[share],
            max_plies=self.max_plies,
            auto_forced=self.auto_forced,
        )

    def _renewal_of(self, share: slice) -> tuple[Any, ...]:
        """What `auto_reset` hands to its kernel besides."""
        first = -1 if self.rules.first_player == "random" else self.rules.first_player
        finals = self.final_observations[share].reshape(-1, self.final_observations.shape[2])
        return first, self._ended[share], self._final_rewards[share], self.rules.scoring == "points", finals

    def seed(self, seed: int | None) -> None:
        """Begins the random streams of all games anew; takes effect with the next draw.

        Raises:
            SorryError: a seed that is neither None nor an integer from 0.
        """
        self._streams[:] = stream_rows(seed, self._games)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for name in ("parameters", "_shares", "_pools", "_packs", "_runs", "_samplers", "advance"):
            del state[name]  # shared, or of arrays that a copy has of its own
        state.pop("_weights", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.parameters = parameter_row(self.rules)
        self._share_out()

    @cached_property
    def _weights(self) -> np.ndarray:
        """What the compiled players weigh positions by; made when the first one sits down."""
        return weight_rows(self.rules)

    @property
    def movers(self) -> np.ndarray:
        """int64 (B,): seat on move; of ended games, who made the last move."""
        return self.states[:, MOVER].astype(np.int64)

    @property
    def terminated(self) -> np.ndarray:
        """Bool (B,): games that ended by the rules."""
        return (self._ended if self.auto_reset else self._status) == TERMINATED

    @property
    def truncated(self) -> np.ndarray:
        """Bool (B,): games cut off at `max_plies` (and all games before the first reset)."""
        return (self._ended if self.auto_reset else self._status) == TRUNCATED

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
            SorryError: `which` is no array of truth values, one a game.
        """
        if first_player is not None:
            self.rules.with_options(first_player=first_player)  # refuses what is no seat
        first = self.rules.first_player if first_player is None else first_player
        which = np.ones(self.num_games, bool) if which is None else np.asarray(which)
        if which.shape != (self.num_games,) or which.dtype != np.bool_:
            raise SorryError(f"which: bool ({self.num_games},) is wanted, not {which.dtype} {which.shape}")
        self._actions[:] = SKIP
        self._actions[which] = LOOK
        self._status[which] = NEW
        self.counts[which] = -1 if first == "random" else first
        if self.auto_reset:
            self._ended[which] = OPEN
        self._advance(seated)

    def step(self, actions: np.ndarray | int, seated: np.ndarray | None = None) -> None:
        """Plays actions[e] in each open game e; what stands there for ended games does not matter.

        Args:
            actions: integers (B,), or one for all; SKIP leaves a game alone, LOOK plays nothing.
            seated: who plays which seat in compiled code, int8 (B, P): NOBODY, RANDOM, GREEDY, RACE or
                SOLITAIRE. Each game then runs on to the next decision of a seat that is nobody's.

        Raises:
            IllegalError: actions that are not integers, one a game, or not legal. No game has then been changed.
        """
        action = EACH
        if isinstance(actions, int):
            action = int(actions) if LOOK <= actions < MOST_ACTIONS else NO_ACTION
        else:
            self._actions[:] = integer_actions(actions, self.num_games)
        illegal = self.advance(action) if seated is None else self._advance(seated, action)
        if illegal >= 0:
            where = f"game {illegal}: " if self.num_games > 1 else ""
            action = actions if isinstance(actions, int) else int(self._actions[illegal])
            raise IllegalError(describe_illegal(self.position(illegal), action, where))

    def _advance(self, seated: np.ndarray | None = None, action: int = EACH) -> int:
        """As `advance`, but no game is begun anew, and compiled players may play on."""
        if seated is None:
            return self._run(self._runs, action)
        self._check_seated(seated)
        pairs = zip(self._packs, self._shares, strict=True)
        kernel = kernels.advance_to_learner
        return self._run([pack.bind(kernel, seated[share], self._weights) for pack, share in pairs], action)

    def _run(self, runs: list[partial[Any]], action: int) -> int:
        """Calls each thread's kernel on its share of the games."""
        if len(runs) == 1:
            return int(runs[0](action))
        if action != EACH:
            self._actions.fill(action)
        illegal = int(kernels.find_illegal(self._actions, self._status, self.masks))
        if illegal < 0:
            self._in_threads(lambda k: runs[k](EACH))
        return illegal

    def _check_seated(self, seated: np.ndarray) -> None:
        shape = (self.num_games, self.rules.players)
        if self.auto_reset:
            raise SorryError("seated: compiled players and auto_reset do not go together")
        if seated.shape != shape or seated.dtype != np.int8 or seated.min() < NOBODY or seated.max() > SOLITAIRE:
            raise SorryError(
                f"seated: int8 {shape} of {NOBODY}..{SOLITAIRE} is wanted, not {seated.dtype} {seated.shape}"
            )

    def _in_threads(self, work: Callable[[int], Any]) -> None:
        """Calls work(k) for the k-th share of the games, each in a thread of its own; the caller's takes the first."""
        others = [self._pool().submit(work, k) for k in range(1, len(self._shares))]
        work(0)
        for other in others:
            other.result()

    def _pool(self) -> ThreadPoolExecutor:
        """This process's threads: a forked child has a copy of its parent's pool, but none of its threads."""
        process = os.getpid()
        if process not in self._pools:
            self._pools = {process: ThreadPoolExecutor(len(self._shares) - 1)}
        return self._pools[process]

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
        if not position.awaits_card and not (position.legal_actions() and position.is_readable()):
            raise IllegalError(f"position: {str(position)!r} cannot be, as of a game that was never begun")
        self.states[e] = position.row[0]
        self._status[e], self.plies[e] = OPEN, 0
        self._actions[:] = SKIP
        self._actions[e] = LOOK
        self._advance()

    def snapshot(self) -> dict[str, Any]:
        """Open games and all random streams as JSON-able data, for `restore`: positions as texts.

        Raises:
            SorryError: where a game is not open.
        """
        if not self.is_open.all():
            raise SorryError(f"snapshot: game {int(np.argmin(self.is_open))} is not open")
        positions = [str(self.position(e)) for e in range(self.num_games)]
        return {"positions": positions, "plies": self.plies.tolist(), "streams": self._streams.tolist()}

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Takes over the games and streams of a `snapshot`, from which all goes on as it would have there.

        Raises:
            SorryError: what is no snapshot of so many games of these rules; nothing has then changed.
        """
        try:
            positions = [Position.parse(text, self.rules) for text in snapshot["positions"]]
            plies, streams = (np.array(snapshot[name], np.int64) for name in ("plies", "streams"))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise SorryError(f"snapshot: {in_short(error)}") from None
        if (len(positions), plies.shape, streams.shape) != (self.num_games, self.plies.shape, self._streams.shape):
            raise SorryError(f"snapshot: it is not of {self.num_games} games")
        if any("?" in str(position) for position in positions):
            raise SorryError("snapshot: a hand in it is unknown")
        if plies.min() < 0 or plies.max() >= self.max_plies or not all(each.legal_actions() for each in positions):
            raise SorryError("snapshot: a game in it is not open")
        for e, position in enumerate(positions):
            self.states[e] = position.row[0]
        self._status[:], self.plies[:] = OPEN, plies
        self._actions[:] = LOOK
        self._streams[:] = streams
        self._advance()

    def forfeit(self, e: int) -> None:
        """Cuts game e off as it stands: no decision is open there any more, and no one has won."""
        self._status[e] = TRUNCATED
        self.masks[e] = 0
        self.counts[e] = 0

    def sample(self) -> np.ndarray:
        """Uniform legal actions from the games' own streams: int64 (B,); -1 where the game has ended."""
        actions = np.empty(self.num_games, np.int64)
        self._in_threads(lambda k: self._samplers[k](actions[self._shares[k]]))
        return actions

    def afterstates(self, out: Afterstates | None = None) -> Afterstates:
        """Every position that a legal action leads to, before the next card, with its features: for value learners.

        Args:
            out: an earlier result whose arrays are written again where they fit and are long enough, which spares large
                batches most of the time; by default new arrays.
        """
        starts = np.concatenate([[0], np.cumsum(self.counts)])
        total = int(starts[-1])
        width = (int(self.parameters[0, NUM_FEATURES]),)
        kinds: list[tuple[Any, tuple[int, ...]]] = [(np.int16, ()), (np.int8, ()), (np.bool_, ()), (self._dtype, width)]
        whole = list(out[1:]) if out is not None else []
        if not whole or any(
            array.dtype != dtype or array.shape[1:] != rest or len(array) < total or not array.flags.c_contiguous
            for array, (dtype, rest) in zip(whole, kinds, strict=True)
        ):
            whole = [np.empty((total, *rest), dtype) for dtype, rest in kinds]

        def work(k: int) -> None:
            share = self._shares[k]
            own = self.states[share], self.parameters, self.counts[share], starts[share]
            kernels.afterstates(*own, *whole, self._units)

        self._in_threads(work)
        return Afterstates(starts, *(array[:total] for array in whole))

    def rewards(self, scoring: str | None = None) -> np.ndarray:
        """Final zero-sum rewards: float64 (B, P); 0 where no winner is known.

        Args:
            scoring: "win" (winner +1, the losers share -1) or "points" (RULES 5.7 less the mean, in hundreds); by
                default the rules' own.
        """
        if scoring not in (None, "win", "points"):
            raise SorryError(f"scoring: {scoring!r} is not one of win, points or None")
        if self.auto_reset:
            if scoring not in (None, self.rules.scoring):
                raise SorryError(f"scoring: with auto_reset only the rules' own, {self.rules.scoring!r}, is kept")
            return self._final_rewards.copy()
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
        out = np.empty((self.num_games, self.parameters[0, NUM_FEATURES]), self._dtype)
        if seats.shape != (self.num_games,) or not kernels.observe(
            self.states, self.parameters, seats, out, self._units
        ):
            raise SorryError(f"seats: one of 0..{self.rules.players - 1} is wanted for each of {self.num_games} games")
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


def integer_actions(actions: Any, num_games: int) -> np.ndarray:
    """Actions as an array of integers, (B,) or one for all. Raises IllegalError for what is none."""
    actions = np.asarray(actions)
    if actions.dtype.kind not in "iu" or actions.shape not in ((num_games,), ()):
        raise IllegalError(f"actions are {actions.dtype} {actions.shape}, not integers ({num_games},)")
    whole: np.ndarray = actions
    return whole


def describe_illegal(position: Position, action: int, where: str = "") -> str:
    """One line that says which action is illegal where, and what is legal."""
    legal = position.legal_actions()
    row = position.row[0].tolist()
    moves = ", ".join(f"{a} ({format_move(row, position.rules, a)})" for a in legal[:40])
    more = f" and {len(legal) - 40} more" if len(legal) > 40 else ""
    return f"{where}action {action} is not legal in {str(position)!r}; legal: {moves or 'none, the game is over'}{more}"
