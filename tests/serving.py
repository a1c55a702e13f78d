"""A server of `sorry-env play --web` in a thread, and who talks to it without a browser."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from sorry_env.cli.serving import listen
from sorry_env.web.guard import COOKIE, Hosts, Limits
from sorry_env.web.opponents import Opponents
from sorry_env.web.server import create_app
from sorry_env.web.storage import Storage
from sorry_env.web.tables import Tables

PATIENCE = 20.0  # seconds until what is waited for must be there
MANY = Limits(burst=100_000, rate=100_000)
JSON = {"content-type": "application/json"}
NEW: dict[str, Any] = {"rules": "classic", "players": 2, "you": "red", "opponents": ["greedy"]}


def wait_for(is_so: Callable[[], Any], what: str) -> Any:
    """The first true answer. Fails where there is none in time."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = is_so()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited {PATIENCE:g} s in vain for {what}")


class Server:
    """A server on a port of its own, with its tables at hand: tests set positions there, no request can.

    Args:
        path: the file of games.
        policies: the folder of policies.
        limits: how much it takes of one address.
        port: where it listens; 0 for any that is free.
        **most: bounds of the storage.
    """

    def __init__(
        self, path: Path, policies: Path | None = None, limits: Limits = MANY, port: int = 0, **most: int
    ) -> None:
        self.tables = Tables(Storage(path, **most), Opponents(policies))
        self._visitors: list[Visitor] = []
        self._listener = listen("127.0.0.1", port)
        self.port: int = self._listener.getsockname()[1]
        app = create_app(self.tables, Hosts("127.0.0.1", self.port), limits)
        self._server = uvicorn.Server(
            uvicorn.Config(
                app,
                log_level="critical",
                access_log=False,
                ws="none",
                timeout_keep_alive=60,
                timeout_graceful_shutdown=1,
            )
        )
        run = {"sockets": [self._listener]}
        self._thread = threading.Thread(target=self._server.run, kwargs=run, daemon=True)
        self._thread.start()
        wait_for(lambda: self._server.started, "the server")

    @property
    def address(self) -> str:
        """Where its page is, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def visitor(self, session: str | None = None) -> Visitor:
        """A browser at it, as it comes for the first time or with a session's secret."""
        self._visitors.append(Visitor(self.address, session))
        return self._visitors[-1]

    def stop(self) -> None:
        """Ends it, as Ctrl-C does."""
        for visitor in self._visitors:
            visitor.close()
        self._server.should_exit = True
        self._thread.join()
        self._listener.close()
        self.tables.storage.close()


class Visitor(httpx.Client):
    """A browser: it keeps its cookie and tells its origin."""

    def __init__(self, address: str, session: str | None) -> None:
        cookies = {COOKIE: session} if session else None
        super().__init__(base_url=address, headers={"origin": address}, cookies=cookies, timeout=60)

    @property
    def session(self) -> str:
        """The secret of its cookie."""
        return str(self.cookies[COOKIE])

    def state(self, answer: httpx.Response, status: int = 200) -> Any:
        """What an answer holds; its status must be as told."""
        assert answer.status_code == status, answer.text
        return answer.json()

    def new(self, **changes: Any) -> Any:
        """A new game as its page gets it."""
        return self.state(self.post("/api/games", json=NEW | changes), 201)

    def go_on(self, state: Any) -> Any:
        """One more move: the person's first legal one, or the opponent's."""
        rest, body = ("move", {"move": state["moves"][0]["move"]}) if state["yours"] else ("advance", {})
        return self.state(self.post(f"/api/games/{state['id']}/{rest}", json=body | {"at": state["at"]}))

    def yours(self, **changes: Any) -> Any:
        """A new game in which the person is on move."""
        state = self.new(**changes)
        while not state["yours"]:
            state = self.go_on(state)
        return state


def refusal(answer: httpx.Response, status: int, *words: str) -> str:
    """The line of a refusal: JSON, one line, without a traceback or a path of this machine, with these words."""
    assert answer.status_code == status, (answer.status_code, answer.text[:300])
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert set(body) == {"error"}
    line = str(body["error"])
    assert line
    assert line.isprintable()
    assert "Traceback" not in line
    assert str(Path(__file__).parent) not in line
    for word in words:
        assert word in line, line
    return line


Serve = Callable[..., Server]  # makes servers on one file, with options as of `Server`
