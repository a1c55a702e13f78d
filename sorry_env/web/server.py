"""The server of `sorry-env play --web`: one page, its files, and what they ask for as JSON."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sorry_env.board import COLOR_NAMES
from sorry_env.errors import MalformedError, SorryError
from sorry_env.record import MAX_RECORD_CHARS, read_record
from sorry_env.rules import PRESETS, Rules, rules_from
from sorry_env.web.guard import UPLOADS, Guard, Hosts, Limits
from sorry_env.web.refusal import RETRY_AFTER, RefusedError
from sorry_env.web.replaying import MOST_PLIES, PAGE, replay_of
from sorry_env.web.tables import Tables, new_names
from sorry_env.web.teaching import how_to_play

MOST_LINES: Final = 3 * MOST_PLIES  # a card a ply at most, and comments
THREADS: Final = 4  # that play, search and read at once; requests wait for one of them, not for each other's network
MOST_REPLAYS: Final = 8  # on their way at once, of which one is made: seconds each, which no move shall wait for
_TYPES: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_PAGES: Final = {"/": "index.html", "/replay": "replay.html"}
ABOUT: Final = {
    "classic": "A card is drawn each turn; who has all four pawns Home first wins.",
    "teams": "Red and Yellow against Blue and Green; a card may move any pawn of the team.",
    "points": "Everybody plays from a hand of five cards, for points.",
    "team-points": "Two teams, a hand of five cards each, for points.",
    "edition-1939": "As classic, with one card 1 fewer.",
    "edition-2013": "Three pawns, which most cards start; Sorry! may also move forward 4.",
    "mini-1": "One pawn each: over in a minute.",
    "mini-2": "Two pawns each: a short game.",
}
T = TypeVar("T")


def create_app(tables: Tables, hosts: Hosts, limits: Limits | None = None) -> Guard:
    """The application.

    Args:
        tables: games and opponents.
        hosts: which Host headers it takes.
        limits: how much it takes from one client.
    """
    api = Api(tables)
    files = {path.name: path for path in PAGE.iterdir() if path.suffix in _TYPES}
    pages = [Route(address, _file(files[name])) for address, name in _PAGES.items()]
    others = [Route(f"/page/{name}", _file(path)) for name, path in files.items() if name not in _PAGES.values()]
    app = Starlette(
        routes=[*pages, *others, *api.routes()],
        exception_handlers={
            SorryError: _refuse,
            sqlite3.Error: _refuse_storage,
            HTTPException: _refuse_http,
            Exception: _fail,
        },
    )
    return Guard(app, hosts, limits or Limits())  # outermost: its headers are on answers to errors, too


def _file(path: Path) -> Callable[[Request], Awaitable[Response]]:
    """Answers with a file that is read once: no path of a request ever meets the file system."""
    content = path.read_bytes()

    async def answer(request: Request) -> Response:
        return Response(content, media_type=_TYPES[path.suffix])

    return answer


class Api:
    """What the page asks for; every answer is one JSON object.

    Args:
        tables: games and opponents.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._threads = anyio.CapacityLimiter(THREADS)
        self._replay_thread = anyio.CapacityLimiter(1)
        self._replaying: set[str] = set()  # sessions

    def routes(self) -> list[Route]:
        """All addresses."""
        game = "/api/games/{game}"
        return [
            Route("/api/rules", self.rules),
            Route("/api/help", self.help),
            Route("/api/opponents", self.opponents),
            Route("/api/games", self.games),
            Route("/api/games", self.open, methods=["POST"]),
            Route(game, self.view),
            Route(game, self.delete, methods=["DELETE"]),
            Route(f"{game}/move", self.move, methods=["POST"]),
            Route(f"{game}/advance", self.advance, methods=["POST"]),
            Route(f"{game}/resign", self.resign, methods=["POST"]),
            Route(f"{game}/record", self.record),
            Route(f"{game}/replay", self.replay),
            Route(UPLOADS, self.upload, methods=["POST"]),
        ]

    async def _run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls in a thread, so that no search keeps other requests waiting."""
        return await anyio.to_thread.run_sync(partial(function, *arguments), limiter=self._threads)

    async def _run_replay(self, session: str, function: Callable[..., T], *arguments: Any) -> T:
        """Calls in the thread of replays. Raises RefusedError (429) where the session has one coming, or many have."""
        if session in self._replaying:
            raise RefusedError(429, "replay: one of yours is being made; try again when it has come", RETRY_AFTER)
        if len(self._replaying) >= MOST_REPLAYS:
            raise RefusedError(429, f"replay: {MOST_REPLAYS} are being made already; try again soon", RETRY_AFTER)
        self._replaying.add(session)
        try:
            return await anyio.to_thread.run_sync(partial(function, *arguments), limiter=self._replay_thread)
        finally:
            self._replaying.discard(session)

    async def rules(self, request: Request) -> Response:
        """Rule sets with the numbers of players and the colours that they seat."""
        found = []
        for name, preset in PRESETS.items():
            counts = [4] if preset.teams else [2] if preset.players == 2 else [2, 3, 4]
            seats = {count: [COLOR_NAMES[c] for c in rules_from(name, players=count).color_ids] for count in counts}
            found.append({"name": name, "about": ABOUT[name], "players": counts, "colors": seats})
        return _json({"rules": found})

    async def help(self, request: Request) -> Response:
        """How to play the rules `?rules=SPEC`, `&players=N` where the text does not say."""
        return _json(how_to_play(_asked_rules(request)))

    async def opponents(self, request: Request) -> Response:
        """Who may sit down, and why others cannot, for `?rules=NAME&players=N`."""
        choices = await self._run(self._tables.opponents.choices, _asked_rules(request))
        return _json({"opponents": [asdict(choice) for choice in choices]})

    async def games(self, request: Request) -> Response:
        """The session's games, the one changed last first."""
        stored = await self._run(self._tables.storage.games_of, _session(request))
        kept = ("id", "rules", "you", "names", "state", "changed")
        return _json({"games": [{key: getattr(game, key) for key in kept} for game in stored]})

    async def open(self, request: Request) -> Response:
        """A new game: `rules`, `players`, `you` (a colour), `opponents` (names, clockwise from the first seat)."""
        body = await _body(request, rules=str, players=int, you=str, opponents=list)
        rules = rules_from(body["rules"][:200], players=body["players"])
        names = [name for name in body["opponents"] if isinstance(name, str)]
        if len(names) != len(body["opponents"]):
            raise MalformedError("opponents: each must be a name in quotes")
        you, seated = new_names(rules, body["you"], names)
        session = _session(request)
        game = await self._run(self._tables.open, session, rules, you, seated)
        return _json(await self._run(self._tables.view, session, game), 201)

    async def view(self, request: Request) -> Response:
        """The game as the person sees it."""
        return _json(await self._run(self._tables.view, *_game(request)))

    async def move(self, request: Request) -> Response:
        """The person's move: `at` (number of events that the page has seen) and `move`."""
        body = await _body(request, at=int, move=str)
        return _json(await self._run(self._tables.play, *_game(request), body["at"], body["move"]))

    async def advance(self, request: Request) -> Response:
        """The move of the opponent whose turn it is: `at` as in `move`."""
        body = await _body(request, at=int)
        return _json(await self._run(self._tables.advance, *_game(request), body["at"]))

    async def resign(self, request: Request) -> Response:
        """Gives the game up."""
        await _body(request)
        await self._run(self._tables.storage.resign, *_game(request))
        return await self.view(request)

    async def delete(self, request: Request) -> Response:
        """Forgets the game."""
        await self._run(self._tables.storage.delete, *_game(request))
        return _json({"deleted": request.path_params["game"]})

    async def record(self, request: Request) -> Response:
        """The game's record as a text file."""
        text = await self._run(self._tables.record, *_game(request))
        saved = {"content-disposition": 'attachment; filename="sorry-game.txt"'}
        return Response(text, media_type="text/plain", headers=saved)

    async def replay(self, request: Request) -> Response:
        """The game step by step, with chances and mistakes."""
        stored, game = await self._run(self._tables.open_cards, *_game(request))
        return _json(await self._run_replay(_session(request), replay_of, game, stored.names))

    async def upload(self, request: Request) -> Response:
        """The same of an uploaded `record`."""
        body = await _body(request, record=str)
        return _json(await self._run_replay(_session(request), _read_replay, body["record"]))


# --- Reading requests ---


def _session(request: Request) -> str:
    session: str = request.state.session
    return session


def _game(request: Request) -> tuple[str, str]:
    return _session(request), request.path_params["game"][:100]


def _asked_rules(request: Request) -> Rules:
    query = request.query_params
    return rules_from(query.get("rules", "classic")[:200], players=_whole(query.get("players"), "players"))


def _whole(text: str | None, name: str) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise MalformedError(f"{name}: {text[:40]!r} is not a whole number")
    return int(text)


async def _body(request: Request, **fields: type) -> dict[str, Any]:
    """The fields of a body that is one JSON object with exactly these. Raises MalformedError."""
    try:
        body = json.loads(await request.body(), parse_constant=float)
    except (ValueError, RecursionError):
        raise MalformedError("body: it is not JSON") from None
    if not isinstance(body, dict):
        raise MalformedError(f"body: it is not an object with the fields {', '.join(fields) or 'none'}")
    for name, kind in fields.items():
        if type(body.get(name)) is not kind:  # a bool is no int here
            raise MalformedError(f"{name}: {str(body.get(name))[:40]!r} is missing or not of the kind {kind.__name__}")
    unknown = [name for name in body if name not in fields]
    if unknown:
        raise MalformedError(f"body: no field {unknown[0][:40]!r} (fields: {', '.join(fields) or 'none'})")
    return body


def _read_replay(record: str) -> dict[str, Any]:
    """A record's replay; one that is too long to show is refused before it is played. Raises SorryError."""
    lines = record.count("\n")
    if len(record) <= MAX_RECORD_CHARS and lines > MOST_LINES:
        raise MalformedError(f"record: {lines} lines are more than the {MOST_LINES} of a game that is shown")
    return replay_of(read_record(record))


# --- Answers ---


def _json(value: dict[str, Any], status: int = 200, retry_after: int = 0) -> Response:
    headers = {"retry-after": str(retry_after)} if retry_after else None
    return Response(json.dumps(value, separators=(",", ":")), status, headers, "application/json")


def _refuse(request: Request, error: Exception) -> Response:
    refused = error if isinstance(error, RefusedError) else RefusedError(400, str(error))
    return _json({"error": str(error)}, refused.status, refused.retry_after)


def _refuse_storage(request: Request, error: Exception) -> Response:
    retry = RETRY_AFTER if isinstance(error, sqlite3.OperationalError) else 0  # locked or full, not damaged
    return _json({"error": f"games: the file cannot be read or written now ({error})"}, 503, retry)


def _refuse_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    what = {404: "address: there is nothing here", 405: f"method: {request.method} is not for this address"}
    return _json({"error": what.get(error.status_code, error.detail)}, error.status_code)


def _fail(request: Request, error: Exception) -> Response:
    return _json({"error": "server: this went wrong here; what happened is in the terminal that runs it"}, 500)
