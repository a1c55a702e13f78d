"""What `sorry-env play --web` makes of troubles that pass: replays in a queue, two tabs, a file that is locked."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from browsing import Person
from serving import NEW, Serve, Server, Visitor, refusal, wait_for

from sorry_env.game import Game
from sorry_env.web import server as serving_module
from sorry_env.web.server import MOST_REPLAYS

TWO = "classic:players=2"
LATE = "R:S,S,4,20/Y:S,40,33,H r 12 *"


def test_replays_keep_nobody_waiting(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one replay is made, others wait and moves do not; a session's second and those beyond the queue get 429."""
    may_end, began = threading.Event(), threading.Semaphore(0)

    def slow(game: Game, names: Any = None) -> dict[str, Any]:
        began.release()
        assert may_end.wait(20)
        return {}

    monkeypatch.setattr(serving_module, "replay_of", slow)
    record = {"record": Game("mini-1", 1).record()}
    visitors = [server.visitor() for _ in range(MOST_REPLAYS)]
    for visitor in visitors:
        visitor.get("/")
    send: Callable[[Visitor], Any] = lambda visitor: visitor.post("/api/replays", json=record)  # noqa: E731
    with ThreadPoolExecutor(MOST_REPLAYS) as pool:
        waiting = [pool.submit(send, visitors[0])]
        assert began.acquire(timeout=20)
        again = send(visitors[0])
        refusal(again, 429, "one of yours")
        assert again.headers["retry-after"] == "1"
        waiting += [pool.submit(send, visitor) for visitor in visitors[1:]]
        late = server.visitor()
        late.get("/")
        refusal(wait_for(lambda: (answer := send(late)).status_code == 429 and answer, "the 429"), 429, "being made")
        late.go_on(late.new())
        assert not began.acquire(blocking=False)  # one at a time
        may_end.set()
        assert [each.result().status_code for each in waiting] == [200] * MOST_REPLAYS
    assert send(late).status_code == 200


@contextlib.contextmanager
def locked(server: Server, patience: int = 50) -> Iterator[None]:
    """Another program writes to the file of games; the server waits for it as many milliseconds."""
    other = sqlite3.connect(server.tables.storage.path, isolation_level=None)
    server.tables.storage._connection.execute(f"PRAGMA busy_timeout = {patience}")
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.close()
        server.tables.storage._connection.execute("PRAGMA busy_timeout = 5000")


DAMAGES = {
    "an event": ("UPDATE events SET event = 'draw Q' WHERE game = ?", False),
    "an event that is none": ("UPDATE events SET event = x'00ff' WHERE game = ?", False),
    "the start": ("UPDATE games SET start = 'R:' WHERE id = ?", False),
    "the rules": ("UPDATE games SET rules = 'bogus' WHERE id = ?", True),
    "the names": ("UPDATE games SET names = '[' WHERE id = ?", True),
    "the time": ("UPDATE games SET changed = 'noon' WHERE id = ?", True),
    "the state": ("UPDATE games SET state = 'asleep' WHERE id = ?", True),
    "the seat": ("UPDATE games SET you = 7 WHERE id = ?", True),
    "the seed": ("UPDATE games SET seed = 'x' WHERE id = ?", True),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_game(damage: str, visitor: Visitor, server: Server) -> None:
    """A damaged game is told in one line with 500, hides no other, and can be deleted."""
    damaged, whole = visitor.new(), visitor.new()
    statement, is_seen = DAMAGES[damage]
    server.tables.storage._connection.execute(statement, (damaged["id"],))
    address = f"/api/games/{damaged['id']}"
    refusal(visitor.get(address), 500, "is damaged")
    refusal(visitor.post(f"{address}/move", json={"at": damaged["at"], "move": "pass"}), 500, "is damaged")
    states = {game["id"]: game["state"] for game in visitor.get("/api/games").json()["games"]}
    assert states == {damaged["id"]: "damaged" if is_seen else "open", whole["id"]: "open"}
    assert visitor.get(f"/api/games/{whole['id']}").json() == whole
    visitor.state(visitor.delete(address))
    assert [game["id"] for game in visitor.get("/api/games").json()["games"]] == [whole["id"]]


def test_the_lobby_shows_damaged_games(person: Person) -> None:
    """A damaged game is listed as such, with nothing but a button to delete it."""
    game = person.sit_down(TWO, "red", ["greedy"], LATE)
    person.server.tables.storage._connection.execute("UPDATE games SET names = '[' WHERE id = ?", (game,))
    person.visit()
    line = wait_for(lambda: [text for text in person.text("#games").split("Delete") if "damaged" in text], "the line")
    assert "Go on" not in line[0].split("damaged")[1]
    person.server.tables.storage.delete(person.session, game)


def test_reads_wait_for_no_write(visitor: Visitor, server: Server) -> None:
    """While a write waits for another program's lock, games are shown as they stand."""
    state = visitor.yours()
    body = {"at": state["at"], "move": state["moves"][0]["move"]}
    with locked(server, 3000), ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(visitor.post, f"/api/games/{state['id']}/move", json=body)
        time.sleep(0.2)
        assert server.visitor(visitor.session).get(f"/api/games/{state['id']}").json() == state
        assert not waiting.done()
        answer = waiting.result()
    refusal(answer, 503, "locked", "nothing was changed")
    assert answer.headers["retry-after"] == "1"


def test_a_file_that_is_deleted(path: Path, serve: Serve) -> None:
    """Where the file of games is gone nothing is said to be kept: 503, also where another lies in its place."""
    visitor = serve().visitor()
    state = visitor.yours()
    for file in path.parent.glob("games.sqlite*"):
        file.unlink()
    for _ in range(2):
        refusal(visitor.post("/api/games", json=NEW), 503, "'games.sqlite' was moved or deleted")
        refusal(visitor.get(f"/api/games/{state['id']}"), 503, "'games.sqlite' was moved or deleted")
        path.write_bytes(b"")


def test_a_second_tab(person: Person) -> None:
    """A game that another tab plays on while opponents move goes on here, too, without a reload."""
    game = person.sit_down("classic", "red", ["greedy", "greedy", "greedy"], seed=3)
    tables = person.server.tables
    person.visit(f"?pause=600#g={game}")
    person.wait_for_turn()
    before = person.events()
    person.press("#moves li:first-child button, #forced:not([hidden])")
    wait_for(lambda: person.events() > before, "the move")
    tables.advance(person.session, game, person.events())
    assert person.wait_for_turn(before)
    assert len(person.log()) >= 4
    person.complaints()  # the browser tells of the 409
    state = tables.view(person.session, game)
    tables.play(person.session, game, state["at"], state["moves"][0]["move"])
    before = person.events()
    person.press("#moves li:first-child button, #forced:not([hidden])")  # of a position that is gone
    assert person.wait_for_turn(before)
    assert "load it again" in person.text("#alert")
    person.complaints()


def test_a_file_that_is_locked_for_a_while(person: Person) -> None:
    """While the file is locked the page tells and tries again; where it stays locked, a button loads the game again."""
    game = person.sit_down(TWO, "red", ["greedy"], LATE)
    with locked(person.server):
        person.click_place("ring-20")
        person.click_place("ring-32")
        wait_for(lambda: "Trying again" in person.text("#alert"), "the alert")
    person.wait_for_turn(1)
    assert person.log()[0] == "12:20>32"
    assert person.text("#alert") == ""
    person.visit(f"?pause=0#g={game}")
    person.wait_for_turn()
    with locked(person.server):
        person.press("#moves li:first-child button, #forced:not([hidden])")
        wait_for(lambda: person.count("#alert button"), "the button")
    before = person.events()
    person.press("#alert button")
    wait_for(lambda: person.text("#alert") == "" and person.events() == before, "the game")
    person.complaints()
