"""`sorry-env play --web`: the server; and `sorry-env replay --html`: a replay as one file."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Final

from sorry_env.cli.showing import open_record
from sorry_env.errors import SorryError, SpecError
from sorry_env.files import write_text
from sorry_env.web.opponents import Opponents
from sorry_env.web.replaying import replay_html, replay_of
from sorry_env.web.storage import Storage, default_path
from sorry_env.web.tables import Tables

HOST: Final = "127.0.0.1"
PORT: Final = 8765
BACKLOG: Final = 512
MOST_CONNECTIONS: Final = 1000


def run_web(host: str | None, port: int | None, policies: str | None, games: str | None, no_open: bool) -> None:
    """Serves until it is interrupted.

    Raises:
        SorryError: a folder or file that is none, or the extra `play` is not installed.
        OSError: an address that cannot be listened at.
    """
    try:
        import uvicorn

        from sorry_env.web.guard import Hosts, is_loopback
        from sorry_env.web.server import create_app
    except ImportError as error:
        raise SorryError(f'play --web needs {error.name}: pip install "sorry-env[play]"') from None
    opponents = Opponents(Path(policies) if policies else None)
    storage = Storage(Path(games) if games else default_path())
    host = HOST if host is None else host
    listener = listen(host, PORT if port is None else port)
    number = listener.getsockname()[1]
    hosts = Hosts(host, number)
    app, address = create_app(Tables(storage, opponents), hosts), f"{hosts.address}/"
    if not is_loopback(host):
        print(
            f"Warning: listening at {host}, whoever reaches this machine can play here, and hears and is heard by all "
            "on the way: there is no encryption.",
            file=sys.stderr,
        )
    print(f"Sorry! is at {address} (Ctrl-C ends it; games are kept in {storage.path})", flush=True)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, proxy_headers=False, server_header=False, ws="none",
        limit_concurrency=MOST_CONNECTIONS, timeout_keep_alive=15, timeout_graceful_shutdown=3,
    )  # fmt: skip
    if not no_open:
        threading.Timer(0.5, webbrowser.open, (address,)).start()
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        storage.close()
        listener.close()


def listen(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises:
        OSError: an address that cannot be listened at, named.
        SpecError: a host without a name, which would be every address of the machine.
    """
    if not host:
        raise SpecError(f"--host: it is empty; name an address, such as {HOST}, or 0.0.0.0 for all of this machine's")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while ")[0]  # which names the address once more
        raise OSError(error.errno, reason, f"{host}:{port}") from None
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # inherited; else every answer waits 40 ms
    return listener


def write_replay(file: str, out: str, judge: str) -> None:
    """Writes a record's replay as one HTML file.

    Raises:
        SorryError: a file that is no record, or a judge that knows no chances.
        OSError: a file that cannot be read or written.
    """
    page = replay_html(replay_of(open_record(file), judge=judge))
    write_text(Path(out), page)
    print(f"{out}: {len(page.encode()) / 1000:.0f} kB; it opens in any browser and needs no network")
