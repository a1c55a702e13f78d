"""Seats given to players: runs a batch until a learner is to decide, or to the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from sorry_env.batch import LOOK, NOBODY, SKIP, Batch
from sorry_env.engine.packing import Written
from sorry_env.errors import SorryError, in_short
from sorry_env.players.base import Player

LEARNER: Final = -1
LEARNER_NAME: Final = ""  # in a snapshot; no player has it
GONE: Final = -2

MOST_ATTEMPTS: Final = 1000


def _compiled_as(player: Player) -> int:
    """Which compiled player stands for this one; a class derived from a built-in one is asked for its own choices."""
    kind: int = vars(type(player)).get("compiled_as", NOBODY)
    return kind


class Arena(Written):
    """A batch whose seats belong to players; the seats of LEARNER are left to the caller.

    Built-in players (`compiled_as`) play in compiled code from the games' own streams; any other is asked once a round
    for all games that wait for it, but for forced plies, which are played.

    Args:
        batch: the games, with float32 observations.
        players: who may sit; players may be added while games run.
        seating: integers (B, P): index into `players`, or LEARNER; the caller may change it between games.
        rng: the only source of chance of the players that are asked.
        watch: called each round with the indices of the games in which a player's decision is open, before it is made;
            nobody plays in compiled code then.

    Raises:
        PolicyError, SpecError: a player that cannot play the batch's rules.
        SorryError: a seating that does not fit games and players.
    """

    def __init__(
        self,
        batch: Batch,
        players: Sequence[Player],
        seating: np.ndarray,
        rng: np.random.Generator,
        watch: Callable[[np.ndarray], None] | None = None,
    ) -> None:
        self.batch, self.players, self.seating, self.rng, self.watch = batch, players, seating, rng, watch
        self._check_seating()
        for player in players:
            player.bind(batch.rules)

    def _check_seating(self) -> None:
        shape = (self.batch.num_games, self.batch.rules.players)
        if self.seating.shape != shape or self.seating.dtype.kind not in "iu":
            raise SorryError(f"seating: integers {shape} are wanted, not {self.seating.dtype} {self.seating.shape}")
        if self.seating.min() < LEARNER or self.seating.max() >= len(self.players):
            raise SorryError(f"seating: an index is not in {LEARNER}..{len(self.players) - 1}")

    def _seated(self) -> np.ndarray:
        """int8 (B, P): which seats play in compiled code."""
        kinds = [NOBODY if self.watch else _compiled_as(player) for player in self.players]
        return np.array([*kinds, NOBODY], np.int8)[self.seating]  # LEARNER, -1, is the last

    def waiting(self) -> np.ndarray:
        """int64 (B,): whom each game waits for: an index into `players`, LEARNER, or SKIP where it has ended."""
        seats = self.seating[np.arange(self.batch.num_games), self.batch.movers]
        return np.where(self.batch.is_open, seats, SKIP)

    def reset(self, which: np.ndarray | None = None, first_player: int | None = None) -> None:
        """New games where `which`, played on until each waits for a learner or has ended."""
        self._check_seating()
        seated = self._seated()
        self.batch.reset(which, first_player, seated)
        self._run(seated)

    def step(self, actions: np.ndarray | int) -> None:
        """Plays learners' actions, then everyone else's, until each game waits for a learner or has ended.

        Raises:
            IllegalError: an action that is not legal; no game has then changed.
        """
        seated = self._seated()
        self.batch.step(actions, seated)
        self._run(seated)

    def run(self) -> None:
        """Plays on from where the games stand until each waits for a learner or has ended."""
        seated = self._seated()
        self.batch.step(LOOK, seated)
        self._run(seated)

    def _run(self, seated: np.ndarray) -> None:
        if not self.watch and all(_compiled_as(player) for player in self.players):
            return  # none is to be asked
        while True:
            waiting = self.waiting()
            here = np.flatnonzero(waiting >= 0)
            if not len(here):
                return
            if self.watch:
                self.watch(here)
            actions = np.full(self.batch.num_games, SKIP)
            is_forced = self.batch.counts[here] == 1
            actions[here[is_forced]] = self.batch.masks[here[is_forced]].argmax(axis=1)
            asked = here[~is_forced]
            for index in np.unique(waiting[asked]):
                games = asked[waiting[asked] == index]
                actions[games] = self._ask(self.players[index], games)
            self.batch.step(actions, seated)

    def _ask(self, player: Player, games: np.ndarray) -> np.ndarray:
        batch = self.batch
        shown = batch.observations[games], batch.masks[games]
        actions: np.ndarray = np.asarray(player.act(*shown, self.rng, batch.positions(games)))
        if actions.shape != (len(games),) or actions.dtype.kind not in "iu" or np.isin(actions, (SKIP, LOOK)).any():
            raise SorryError(
                f"player {player.name!r} answers {actions.dtype} {actions.shape}, not action ids ({len(games)},)"
            )
        return actions


class LearnerBatch(Written):
    """B games with one learner's seat each: what the single, the vector and the SB3 environment share.

    Args:
        batch: the games, with `auto_forced` as wanted.
        players: opponents; may grow while games run.
        rng: of seats, of `choose` and of the players that are asked.
        seat: the learner's seat, or "random": drawn anew for each game.
        choose: called with rng and a number of games; returns who sits clockwise from the learner, integers
            (games, P - 1): indices into `players`.
    """

    def __init__(
        self,
        batch: Batch,
        players: Sequence[Player],
        rng: np.random.Generator,
        seat: int | str,
        choose: Callable[[np.random.Generator, int], np.ndarray],
    ) -> None:
        self.batch, self.rng, self.seat, self.choose = batch, rng, seat, choose
        seating = np.full((batch.num_games, batch.rules.players), LEARNER)
        self.arena = Arena(batch, players, seating, rng)
        self.seats = np.zeros(batch.num_games, np.int64)

    def seed(self, seed: int | None, rng: np.random.Generator) -> None:
        """Begins the games' streams anew and takes another generator."""
        self.batch.seed(seed)
        self.rng = self.arena.rng = rng

    def begin(self, which: np.ndarray, first_player: int | None = None) -> None:
        """New games where `which`, bool (B,), each played on to the learner's first decision.

        A game that ends before it (possible where the learner had only forced plies) is begun again.

        Raises:
            SorryError: where that never leads to a decision.
        """
        players = self.batch.rules.players
        for _ in range(MOST_ATTEMPTS):
            if not which.any():
                return
            games = np.flatnonzero(which)
            if self.seat == "random":
                self.seats[games] = self.rng.integers(players, size=len(games))
            else:
                self.seats[games] = self.seat
            around = (self.seats[games, None] + np.arange(1, players)) % players
            self.arena.seating[games[:, None], around] = self.choose(self.rng, len(games))
            self.arena.seating[games, self.seats[games]] = LEARNER
            self.arena.reset(which, first_player)
            which = which & ~self.batch.is_open
        raise SorryError(f"max_plies: {self.batch.max_plies} leaves the learner no decision in {MOST_ATTEMPTS} games")

    def snapshot(self) -> dict[str, Any]:
        """The games, who sits where by name, and the generator, as JSON-able data for `restore`."""
        names = [LEARNER_NAME, *(player.name for player in self.arena.players)]
        seating = [[names[k + 1] for k in row] for row in self.arena.seating.tolist()]
        return {"seating": seating, "rng": self.rng.bit_generator.state, **self.batch.snapshot()}

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Takes over a `snapshot`; the games in it in which someone sits who is not here are begun anew.

        Raises:
            SorryError: what is no snapshot of so many games of these rules.
        """
        places = {player.name: k for k, player in enumerate(self.arena.players)} | {LEARNER_NAME: LEARNER}
        try:
            seating = [[places.get(name, GONE) for name in row] for row in snapshot["seating"]]
            seats = np.array([row.index(LEARNER) for row in seating])
            found = np.array(seating)
            self.rng.bit_generator.state = snapshot["rng"]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SorryError(f"snapshot: {in_short(error)}") from None
        if found.shape != self.arena.seating.shape or ((found == LEARNER).sum(axis=1) != 1).any():
            raise SorryError("snapshot: its seats are not those of these games")
        self.batch.restore(snapshot)
        if (self.batch.movers != seats).any():
            raise SorryError("snapshot: a game in it does not wait for the learner")
        self.seats[:] = seats
        self.arena.seating[:] = np.where(found == GONE, 0, found)
        self.begin((found == GONE).any(axis=1))

    def step(self, actions: np.ndarray | int) -> None:
        """Plays the learners' actions and everyone else's. Raises IllegalError before any game changes."""
        self.arena.step(actions)

    def observations(self) -> np.ndarray:
        """What each learner sees, also in ended games: (B, F), the caller's to keep."""
        return self.batch.observe(self.seats)

    def rivals(self) -> np.ndarray:
        """Who plays against each learner: integers (B, P - 1), in the partnership game (B, 2), as in `seating`."""
        rules = self.batch.rules
        ahead = np.array([1, 3]) if rules.teams else np.arange(1, rules.players)
        seats = (self.seats[:, None] + ahead) % rules.players
        return np.take_along_axis(self.arena.seating, seats, axis=1)

    def rewards(self, scoring: str | None = None) -> np.ndarray:
        """Each learner's own final reward: float64 (B,); 0 while the game is open."""
        return self.batch.rewards(scoring)[np.arange(self.batch.num_games), self.seats]
