"""What stands before every request: hosts, origins, sizes, rates, and the headers of every answer."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import secrets
import socket
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sorry_env.record import MAX_RECORD_CHARS
from sorry_env.web.refusal import RETRY_AFTER

COOKIE: Final = "sorry_session"
SESSION_BYTES: Final = 32
UPLOADS: Final = "/api/replays"  # the one request whose body may be long
_COOKIE_ATTRIBUTES: Final = "Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"
_SESSION: Final = re.compile(rf"(?:^|;)[ \t]*{COOKIE}=([A-Za-z0-9_-]{{43}})[ \t]*(?=;|$)")
_LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
_SAFE: Final = ("GET", "HEAD")
_MOST_CLIENTS: Final = 4096
_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Limits:
    """How much is taken from one client.

    Attributes:
        body: bytes of a request's body.
        upload: bytes of the body of an uploaded record.
        drained: bytes of a body that is too long which are still read, so that the refusal arrives.
        seconds: for a body to arrive.
        burst: requests that an address may send at once.
        rate: requests a second that it may send for long.
    """

    body: int = 16 * 1024
    upload: int = MAX_RECORD_CHARS + MAX_RECORD_CHARS // 8  # JSON escapes each line's end
    drained: int = 32 * 1024 * 1024
    seconds: float = 20.0
    burst: int = 1000
    rate: float = 100.0


def is_loopback(host: str) -> bool:
    """Whether a host to bind to is reached from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Hosts:
    """Which Host headers are meant for this server; others come from pages that aim a name of theirs at it.

    Args:
        host: what the server is bound to. Bound to all addresses, it takes every address as such, and this machine's
            names; an address cannot be aimed elsewhere, a foreign name can.
        port: where it listens.
    """

    def __init__(self, host: str, port: int) -> None:
        self._port = port
        self._names = {*_LOOPBACK, f"[{host}]" if ":" in host else host.lower()}
        self._is_wild = host in ("0.0.0.0", "::")
        here = {"0.0.0.0": "127.0.0.1", "localhost": "127.0.0.1", "::": "[::1]"}
        name = here.get(host) or (f"[{host}]" if ":" in host else host)
        self.address = f"http://{name}:{port}"  # the one to tell people: by another name a browser is another session
        if self._is_wild:
            self._names |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    def moves(self, scope: Scope, header: str) -> bool:
        """Whether a page was asked for by `localhost`, where it is at a number: both would keep games of their own."""
        is_page = scope["method"] in _SAFE and not scope["path"].startswith(("/api/", "/page/"))
        return is_page and header.lower().startswith("localhost:") and _is_address(self.address[7:].rpartition(":")[0])

    def allows(self, header: str) -> bool:
        """Whether a Host header is one of this server's."""
        name, colon, port = header.lower().rpartition(":")
        if not colon or port.endswith("]"):
            name, port = header.lower(), "80"
        return port == str(self._port) and (name in self._names or (self._is_wild and _is_address(name)))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


class _Rates:
    """A bucket of requests a client, filled at a steady rate."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def takes(self, client: str, now: float) -> bool:
        """Whether a client may send one more request."""
        left, then = self._buckets.pop(client, (float(self._limits.burst), now))
        left = min(self._limits.burst, left + (now - then) * self._limits.rate)
        while len(self._buckets) >= _MOST_CLIENTS:
            self._buckets.popitem(last=False)
        self._buckets[client] = (left - 1 if left >= 1 else left, now)
        return left >= 1


class _TooLongError(Exception):
    """A body beyond its limit."""


class Guard:
    """Refuses what is not for this server or too much, and gives each browser a session.

    Args:
        app: what answers the rest; it finds the session's secret in `scope["state"]["session"]`.
        hosts: which Host headers are taken.
        limits: how much is taken.
    """

    def __init__(self, app: ASGIApp, hosts: Hosts, limits: Limits) -> None:
        self._app, self._hosts, self._limits = app, hosts, limits
        self._rates = _Rates(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # a WebSocket is closed unanswered
        headers = Headers(scope=scope)
        session, is_new = _session_of(headers)
        scope.setdefault("state", {})["session"] = session

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                found = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    found[name] = value
                if is_new and message["status"] < 400:
                    found.append("set-cookie", f"{COOKIE}={session}; {_COOKIE_ATTRIBUTES}")
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(*refusal)(scope, receive, send_guarded)
            return
        if self._hosts.moves(scope, headers["host"]):
            query = scope["query_string"].decode("latin-1")
            path = quote(scope["path"], safe="/") + (f"?{query}" if query else "")
            await RedirectResponse(f"{self._hosts.address}{path}")(scope, receive, send_guarded)
            return
        try:
            body = await asyncio.wait_for(self._body(scope, headers, receive), self._limits.seconds)
        except _TooLongError as error:
            await _answer(413, str(error))(scope, receive, send_guarded)
            return
        except TimeoutError:
            line = f"body: it did not arrive within {self._limits.seconds:g} seconds"
            await _answer(408, line)(scope, receive, send_guarded)
            return
        if body is not None:
            await self._app(scope, _once(body, receive), send_guarded)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Status and line for a request that is refused by its head alone."""
        client = (scope.get("client") or ("",))[0]
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._rates.takes(client, time.monotonic()):
            return 429, f"rate: more than {self._limits.rate:g} requests a second; try again in a moment"
        if not self._hosts.allows(host):
            return 421, f"host: {host[:80]!r} is not this server; open the address that it printed"
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            return 403, f"origin: {origin[:80]!r} is another site; this server answers its own pages alone"
        is_api = scope["path"].startswith("/api/")
        if is_api and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "origin: the request comes from another site; this server answers its own pages alone"
        if (
            scope["method"] == "POST"
            and headers.get("content-type", "").partition(";")[0].strip() != "application/json"
        ):
            return 415, "content-type: a request's body must be application/json"
        return None

    async def _body(self, scope: Scope, headers: Headers, receive: Receive) -> bytes | None:
        """The whole body; None where the client is gone. Raises _TooLongError."""
        most = self._limits.upload if scope["path"] == UPLOADS else self._limits.body
        parts: list[bytes] = []
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            part, more = message.get("body", b""), message.get("more_body", False)
            size += len(part)
            if size <= most:
                parts.append(part)
            elif size > self._limits.drained:
                break
        if size > most:
            raise _TooLongError(f"body: more than the {most} bytes that this request may have")
        return b"".join(parts)


def _session_of(headers: Headers) -> tuple[str, bool]:
    """The session's secret, and whether it was made just now.

    Cookies know no port: other programs of this machine send theirs along, in whatever form, and these are passed over.
    """
    for line in headers.getlist("cookie"):
        if found := _SESSION.search(line):
            return found[1], False
    return secrets.token_urlsafe(SESSION_BYTES), True


def _once(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives a body read before, then waits for the client to go."""
    is_given = False

    async def receive_once() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_once


def _answer(status: int, line: str) -> JSONResponse:
    return JSONResponse({"error": line}, status, {"retry-after": str(RETRY_AFTER)} if status == 429 else None)
