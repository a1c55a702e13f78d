"""Stored games: an SQLite file in which every move is one transaction, so that a game outlives the server.

A game is kept as its rules, who sits where, its seed, its first position and its events (moves and `draw CARD`), as in
a record. The session that owns it is kept as a hash: whoever reads the file cannot take a game over.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sorry_env.errors import SorryError
from sorry_env.rules import rules_from
from sorry_env.web.refusal import RETRY_AFTER, RefusedError

SCHEMA_VERSION: Final = 1
MOST_GAMES_A_SESSION: Final = 500
MOST_GAMES: Final = 20_000
ID_BYTES: Final = 24
OPEN: Final = "open"
OVER: Final = "over"
RESIGNED: Final = "resigned"
DAMAGED: Final = "damaged"  # never stored
PATIENCE: Final = 5.0  # seconds that a write waits while another program writes to the file
_APPLICATION: Final = 0x534F5252  # "SORR": the file is one of games, not some other program's
_SCHEMA: Final = f"""
CREATE TABLE games (
    id TEXT PRIMARY KEY, session TEXT NOT NULL, rules TEXT NOT NULL, you INTEGER NOT NULL, names TEXT NOT NULL,
    seed TEXT NOT NULL, start TEXT NOT NULL, state TEXT NOT NULL, changed REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX games_by_session ON games (session, changed);
CREATE TABLE events (
    game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE, number INTEGER NOT NULL, event TEXT NOT NULL,
    PRIMARY KEY (game, number)
) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {SCHEMA_VERSION};
"""


@dataclass(frozen=True)
class StoredGame:
    """A game as it is kept.

    Attributes:
        id: unguessable.
        rules: spec of the rules record.
        you: the seat of the person who plays it.
        names: who plays each seat; `you` for that one.
        seed: of its cards and of its opponents' choices.
        start: text of its first position.
        events: moves and `draw CARD`, in order.
        state: OPEN, OVER or RESIGNED; DAMAGED where the rest of it cannot be read.
        changed: when it was changed last, in seconds since 1970.
    """

    id: str
    rules: str
    you: int
    names: tuple[str, ...]
    seed: int
    start: str
    events: tuple[str, ...]
    state: str
    changed: float


def default_path() -> Path:
    """Where games are kept by default: in the user's data folder, or in $SORRY_ENV_DATA."""
    folder = os.environ.get("SORRY_ENV_DATA")
    if folder:
        return Path(folder) / "games.sqlite"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "sorry-env" / "games.sqlite"


class Storage:
    """The file of games; any thread may call.

    Args:
        path: the file; it and its folder are made where they are missing.
        most_games: how many it keeps in all.
        most_games_a_session: how many of one session.

    Raises:
        SorryError: a file that cannot be opened, or that is none of games.
    """

    def __init__(
        self, path: Path, most_games: int = MOST_GAMES, most_games_a_session: int = MOST_GAMES_A_SESSION
    ) -> None:
        self.path = path
        self._most_games, self._most_games_a_session = most_games, most_games_a_session
        self._lock, self._reader_lock = threading.Lock(), threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._connect()
            self._prepare()
            self._reader = self._connect()  # of its own: no read waits for a write
            self._reader.execute("PRAGMA query_only = ON")
            self._file = _identity(path)
        except (sqlite3.Error, OSError) as error:
            raise SorryError(f"games: {str(path)!r} cannot be opened as a file of games: {error}") from None

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)

    def _prepare(self) -> None:
        run = self._connection.execute
        (application,), (version,) = run("PRAGMA application_id").fetchone(), run("PRAGMA user_version").fetchone()
        is_empty = not run("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not is_empty and (application, version) != (_APPLICATION, SCHEMA_VERSION):
            self._connection.close()
            raise SorryError(
                f"games: {str(self.path)!r} is no file of games of version {SCHEMA_VERSION} (its application is "
                f"{application:#x}, its version {version}); give another with --games"
            )
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")  # a move that was answered survives a power cut
        run("PRAGMA foreign_keys = ON")
        if is_empty:
            os.chmod(self.path, 0o600)
            self._connection.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}COMMIT;")

    def close(self) -> None:
        """Closes the file."""
        with self._lock, self._reader_lock:
            self._reader.close()
            self._connection.close()

    def _check_file(self) -> None:
        """Raises RefusedError (503) where the file is gone or another: what is written to it now would be lost."""
        if _identity(self.path) != self._file:
            raise RefusedError(503, f"games: {self.path.name!r} was moved or deleted; start the server again")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """The file as it stands at one moment. Raises RefusedError (503) where it is gone."""
        with self._reader_lock:
            self._check_file()
            self._reader.execute("BEGIN")
            try:
                yield self._reader
            finally:
                self._reader.execute("ROLLBACK")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing. Raises RefusedError (503) where the file cannot be written."""
        with self._lock:
            self._check_file()
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    yield self._connection
                except BaseException:
                    self._connection.execute("ROLLBACK")
                    raise
                self._connection.execute("COMMIT")
            except sqlite3.OperationalError as error:
                line = f"games: the file cannot be written now ({error}); nothing was changed"
                raise RefusedError(503, line, RETRY_AFTER) from None

    def create(
        self, session: str, rules: str, you: int, names: Sequence[str], seed: int, start: str, events: Sequence[str]
    ) -> str:
        """Stores a new game; returns its id. `start` may be any position of the rules. Raises RefusedError (429)."""
        owner, game = _hash(session), secrets.token_urlsafe(ID_BYTES)
        with self._transaction() as connection:
            (mine,) = connection.execute("SELECT count(*) FROM games WHERE session = ?", (owner,)).fetchone()
            (all_games,) = connection.execute("SELECT count(*) FROM games").fetchone()
            if mine >= self._most_games_a_session:
                raise RefusedError(429, f"games: you have {mine}, the most there may be; delete one first")
            if all_games >= self._most_games:
                raise RefusedError(429, f"games: this server keeps {all_games}, the most it may; delete one first")
            connection.execute(
                "INSERT INTO games (id, session, rules, you, names, seed, start, state, changed) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (game, owner, rules, you, json.dumps(list(names)), str(seed), start, OPEN, time.time()),
            )
            _insert_events(connection, game, 0, events)
        return game

    def load(self, session: str, game: str) -> StoredGame:
        """A game of this session. Raises RefusedError: 404, alike for other people's games and for none; 500."""
        with self._reading() as connection:
            found = connection.execute(
                "SELECT id, rules, you, names, seed, start, state, changed FROM games WHERE id = ? AND session = ?",
                (game, _hash(session)),
            ).fetchone()
            if found is None:
                raise RefusedError(404, "game: you have none with this id")
            rows = connection.execute("SELECT event FROM events WHERE game = ? ORDER BY number", (game,)).fetchall()
        stored = _stored(found, tuple(str(event) for (event,) in rows))
        if stored.state == DAMAGED:
            raise RefusedError(500, "game: what is kept of it is damaged")
        return stored

    def games_of(self, session: str) -> list[StoredGame]:
        """The games of a session without their events, the one changed last first; damaged ones as such."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT id, rules, you, names, seed, start, state, changed FROM games WHERE session = ? "
                "ORDER BY changed DESC",
                (_hash(session),),
            ).fetchall()
        return [_stored(row, ()) for row in rows]

    def append(self, session: str, game: str, number: int, events: Sequence[str], is_over: bool) -> None:
        """Adds events, the first of which is the game's `number`-th from 0; `is_over` after them.

        Raises:
            RefusedError: 404 as `load`; 409 where the game has gone on meanwhile, was resigned or has not come so far.
        """
        with self._transaction() as connection:
            state = self._state(connection, session, game)
            (length,) = connection.execute("SELECT count(*) FROM events WHERE game = ?", (game,)).fetchone()
            if length != number or state != OPEN:
                raise RefusedError(409, "game: it has gone on meanwhile; load it again")
            _insert_events(connection, game, number, events)
            self._change(connection, game, OVER if is_over else OPEN)

    def resign(self, session: str, game: str) -> None:
        """Gives an open game up. Raises RefusedError: 404 as `load`; 409 where it has ended."""
        with self._transaction() as connection:
            state = self._state(connection, session, game)
            if state != OPEN:
                raise RefusedError(409, f"game: it is {state} already")
            self._change(connection, game, RESIGNED)

    def delete(self, session: str, game: str) -> None:
        """Forgets a game. Raises RefusedError (404)."""
        with self._transaction() as connection:
            self._state(connection, session, game)
            connection.execute("DELETE FROM games WHERE id = ?", (game,))

    def _change(self, connection: sqlite3.Connection, game: str, state: str) -> None:
        connection.execute("UPDATE games SET state = ?, changed = ? WHERE id = ?", (state, time.time(), game))

    def _state(self, connection: sqlite3.Connection, session: str, game: str) -> str:
        """The state of a game of this session. Raises RefusedError (404)."""
        owner = (game, _hash(session))
        found = connection.execute("SELECT state FROM games WHERE id = ? AND session = ?", owner).fetchone()
        if found is None:
            raise RefusedError(404, "game: you have none with this id")
        return str(found[0])


def _hash(session: str) -> str:
    return hashlib.sha256(session.encode()).hexdigest()


def _insert_events(connection: sqlite3.Connection, game: str, number: int, events: Sequence[str]) -> None:
    rows = [(game, number + k, event) for k, event in enumerate(events)]
    connection.executemany("INSERT INTO events (game, number, event) VALUES (?, ?, ?)", rows)


def _stored(row: tuple[Any, ...], events: tuple[str, ...]) -> StoredGame:
    game, rules, you, names, seed, start, state, changed = row
    try:
        players = rules_from(rules).players
        seated = tuple(map(str, json.loads(names)))
        if len(seated) == players and you in range(players) and state in (OPEN, OVER, RESIGNED):
            return StoredGame(game, rules, you, seated, int(seed), start, events, state, float(changed))
    except (SorryError, ValueError, TypeError, AttributeError):
        pass
    return StoredGame(game, str(rules), 0, (), 0, "", (), DAMAGED, 0.0)


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and number of a file; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
