"""The games of `sorry-env play --web`: whole ones, many at once, restarts, and the command itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from serving import JSON, Serve, Server, Visitor, refusal

from sorry_env.record import read_record
from sorry_env.rules import PRESETS, rules_from
from sorry_env.web.guard import is_loopback
from sorry_env.web.opponents import Opponents
from sorry_env.web.storage import Storage
from sorry_env.web.tables import Tables, new_names

GIVEN = "R:S,S,4,20/Y:S,40,33,H r 7 *"

# --- Games ---


@pytest.mark.parametrize("name", list(PRESETS))
def test_games_of_each_rule_set(name: str, visitor: Visitor) -> None:
    """Each rule set plays 40 moves, a short one to its end, through the API; its record plays again to the same."""
    rules = rules_from(name)
    state = visitor.new(rules=name, players=rules.players, opponents=["greedy"] * (rules.players - 1))
    moves = 0
    while state["state"] == "open" and (moves < 40 or name == "mini-1"):
        moves += 1
        state = visitor.go_on(state)
    assert len(state["log"]) == moves
    if state["state"] == "open":
        visitor.state(visitor.post(f"/api/games/{state['id']}/resign", json={}))
    game = read_record(visitor.get(f"/api/games/{state['id']}/record").text)
    assert list(game.winners) == state["winners"]
    assert bool(state["winners"]) == (state["state"] == "over")  # mini-2 may end as early, by its cards
    assert state["winners"] or name != "mini-1"
    played = [event for _, event in game.history if not event.startswith("draw ")]
    assert played == [move for _, move, _ in state["log"]]


def test_same_seed_same_game_after_every_restart(tmp_path: Path) -> None:
    """A game whose server is restarted before each move goes on as one whose server never was."""
    records = []
    for name, restarts in (("steady", False), ("restarted", True)):
        session, rules, path = "s" * 43, rules_from("points:players=2"), tmp_path / f"{name}.sqlite"
        tables = Tables(Storage(path), Opponents(None))
        game = tables.open(session, rules, *new_names(rules, "red", ["random"]), seed=5)
        state = tables.view(session, game)
        while state["state"] == "open" and state["at"] < 60:
            if restarts:
                tables.storage.close()
                tables = Tables(Storage(path), Opponents(None))
            if state["yours"]:
                state = tables.play(session, game, state["at"], state["moves"][-1]["move"])
            else:
                state = tables.advance(session, game, state["at"])
        records.append(tables.game(session, game)[1].record())
        tables.storage.close()
    assert records[0] == records[1]


def test_restart_keeps_games_and_their_owners(serve: Serve) -> None:
    """After a restart a browser finds all its games as they stood, and nobody else finds them."""
    visitor = serve().visitor()
    states = [visitor.new(you=color) for color in ("red", "yellow", "red")]
    states = [visitor.go_on(visitor.go_on(state)) for state in states]
    server = serve()
    later = server.visitor(visitor.session)
    assert {game["id"] for game in later.get("/api/games").json()["games"]} == {state["id"] for state in states}
    for state in states:
        assert later.get(f"/api/games/{state['id']}").json() == state
    stranger = server.visitor()
    assert stranger.get("/api/games").json() == {"games": []}


def test_kill_loses_no_answered_move(path: Path) -> None:
    """A server that is killed without warning after an answer has the answered move in its file."""
    program = (
        "import os, sys; from pathlib import Path; from sorry_env.rules import rules_from;"
        "from sorry_env.web.tables import Tables; from sorry_env.web.storage import Storage;"
        "from sorry_env.web.opponents import Opponents;"
        "tables = Tables(Storage(Path(sys.argv[1])), Opponents(None)); rules = rules_from('classic', players=2);"
        "game = tables.open('s' * 43, rules, 0, ['you', 'greedy'], 1, sys.argv[2]);"
        "state = tables.play('s' * 43, game, 0, '7:20>27');"
        "print(game, state['at'], flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", program, path, GIVEN], capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    game, at = done.stdout.split()
    state = Tables(Storage(path), Opponents(None)).view("s" * 43, game)
    assert state["at"] == int(at)
    assert state["log"] == [[0, "7:20>27", "Red pawn from square 20 to square 27"]]


def test_two_hundred_games_at_once(server: Server) -> None:
    """200 browsers in 16 threads play 3 moves each against each other's load: no request fails, nothing is lost."""
    visitors = [server.visitor() for _ in range(200)]

    def play(visitor: Visitor) -> Any:
        state = visitor.new()
        for _ in range(3):
            state = visitor.go_on(state)
        return state

    with ThreadPoolExecutor(16) as pool:
        states = list(pool.map(play, visitors))
    assert len({state["id"] for state in states}) == 200
    for visitor, state in zip(visitors, states, strict=True):
        assert [game["id"] for game in visitor.get("/api/games").json()["games"]] == [state["id"]]
        assert visitor.get(f"/api/games/{state['id']}").json()["log"] == state["log"]
        assert len(state["log"]) == 3


def test_a_thinking_opponent_keeps_nobody_waiting(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """While an opponent thinks, other requests are answered."""
    is_thinking, may_move = threading.Event(), threading.Event()

    class Thinker:
        name = "thinker"

        def bind(self, rules: Any) -> None:
            """Any rules."""

        def act(self, observations: Any, masks: np.ndarray, rng: Any, positions: Any) -> np.ndarray:
            is_thinking.set()
            assert may_move.wait(20)
            return np.argmax(masks, axis=1)

    monkeypatch.setattr(Opponents, "player", lambda opponents, name, rules: Thinker())
    state = visitor.new()
    while state["yours"]:
        state = visitor.go_on(state)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(visitor.go_on, state)
        assert is_thinking.wait(20)
        for _ in range(20):
            assert visitor.get(f"/api/games/{state['id']}").json() == state
        assert not waiting.done()
        may_move.set()
        assert waiting.result()["at"] > state["at"]


# --- What nobody may know ---


def test_hidden_cards_stay_hidden(visitor: Visitor) -> None:
    """In a hand game no answer tells an opponent's cards, the pile's make-up or the seed, until it is over."""
    state = visitor.yours(rules="points", opponents=["random"])
    address = f"/api/games/{state['id']}"
    for _ in range(3):
        mine, theirs = state["position"].split(" ")[2].split("/")
        assert (mine.count(".") >= 3, theirs) == (True, "?")
        assert 'data-color="yellow"' not in "".join(
            part for part in state["svg"].split("<g ") if 'class="card hand"' in part
        )
        assert (state["chances"] is None) == (not state["yours"])
        assert "seed" not in json.dumps(state)
        if state["yours"]:
            wrong = visitor.post(f"{address}/move", json={"at": state["at"], "move": "12:0>12"})
            assert f"{mine}/?" in refusal(wrong, 400, "is not legal")
        refusal(visitor.get(f"{address}/record"), 409, "hidden")
        refusal(visitor.get(f"{address}/replay"), 409, "hidden")
        state = visitor.go_on(state)
    visitor.state(visitor.post(f"{address}/resign", json={}))
    assert "?" not in visitor.get(f"{address}/record").text


# --- The page of promises, and the command ---


def test_promises_name_their_tests() -> None:
    """Every test that docs/play_browser.md names is one of tests/web/."""
    folder = Path(__file__).parent
    page = (folder.parents[1] / "docs" / "play_browser.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    written = "".join(file.read_text(encoding="utf-8") for file in folder.glob("test_*.py"))
    assert len(named) > 15
    assert named <= set(re.findall(r"^def (test_\w+)\(", written, re.MULTILINE))


def test_loopback_unless_asked() -> None:
    """Only loopback addresses need no warning."""
    assert [is_loopback(host) for host in ("127.0.0.1", "127.8.8.8", "localhost", "::1")] == [True] * 4
    assert [is_loopback(host) for host in ("0.0.0.0", "192.168.1.7", "::", "play.example", "")] == [False] * 5


@pytest.mark.parametrize("host", [None, "0.0.0.0"])
def test_the_command_serves(host: str | None, tmp_path: Path) -> None:
    """`play --web` tells its address, is bound to loopback unless --host says so, then warns; Ctrl-C ends it."""
    options = ["--no-open", "--port", "0", "--games", "games.sqlite", *(["--host", host] if host else [])]
    command = [sys.executable, "-m", "sorry_env", "play", "--web", *options]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        assert served.stderr is not None
        address = served.stdout.readline().split()[3]
        assert address.startswith("http://127.0.0.1:")
        answer = httpx.get(f"{address}api/rules")
        assert [rules["name"] for rules in answer.json()["rules"]] == list(PRESETS)
        raw = httpx.post(f"{address}api/games", content=b"x" * 10_000_000, headers=JSON)
        refusal(raw, 413)
        port = int(address.split(":")[2].strip("/"))
        bound = Path("/proc/net/tcp")
        if bound.exists():
            lines = [line.split() for line in bound.read_text(encoding="utf-8").splitlines()[1:]]
            listening = {
                line[1].split(":")[0] for line in lines if line[3] == "0A" and int(line[1].split(":")[1], 16) == port
            }
            assert listening == {"00000000" if host else "0100007F"}
        served.send_signal(2)
        served.wait(20)
        warned = served.stderr.read()
    assert "Traceback" not in warned
    assert warned.startswith("Warning: listening at 0.0.0.0") == bool(host)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--web", "--you", "red"], "--you: chosen on the page with --web"),
        (["--port", "80"], "--port: goes with --web"),
        (["--web", "--port", "70000"], "is not a port"),
        (["--web", "--policies", "nowhere"], "'nowhere' is not a folder"),
        (["--web", "--no-open", "--host", "203.0.113.1", "--games", "games.sqlite"], "203.0.113.1:8765"),
    ],
)
def test_wrong_options(arguments: list[str], words: str, tmp_path: Path) -> None:
    """Options that do not go together, and places that are none, are one line and exit code 2."""
    command = [sys.executable, "-m", "sorry_env", "play", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert words in done.stderr


def test_the_extra_is_named() -> None:
    """Without the server's libraries one line says what to install."""
    without = "import sys; sys.modules['uvicorn'] = None; from sorry_env.__main__ import main;"
    program = f"{without} sys.exit(main(['play', '--web']))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    expected = 'sorry-env: play --web needs uvicorn: pip install "sorry-env[play]"\n'
    assert (done.returncode, done.stdout, done.stderr) == (2, "", expected)
