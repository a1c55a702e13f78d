"""The server of `sorry-env play --web` under bad input: clear answers, nothing lost."""

from __future__ import annotations

import http.client
import json
import socket
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
import tiny_policies
from serving import JSON, NEW, Serve, Server, Visitor, refusal
from starlette.datastructures import Headers

from sorry_env.game import Game
from sorry_env.record import MAX_RECORD_CHARS
from sorry_env.rules import rules_from
from sorry_env.web.guard import COOKIE, Hosts, Limits, _session_of
from sorry_env.web.opponents import NAMED

# --- Moves that are none ---


NO_MOVES = (
    "",
    "7",
    "7:5>8,",
    "99:1>2",
    "DROP TABLE games",
    "7:" + "9" * 5000,
    "\u202e",
    "\ud800",
    "../..",
    "1:S>4\x00",
    "pass\n",
    "draw 5",
)


def test_moves_that_are_none(visitor: Visitor) -> None:
    """Malformed, illegal, late and early moves are refused in one line; the game stands as it stood."""
    state = visitor.yours()
    address = f"/api/games/{state['id']}"
    for move in NO_MOVES:
        body = json.dumps({"at": state["at"], "move": move})
        line = refusal(visitor.post(f"{address}/move", content=body, headers=JSON), 400)
        assert line.startswith("move: ")
        assert len(line) < 1000
    at = state["at"]
    refusal(visitor.post(f"{address}/move", json={"at": at, "move": "12:3>15"}), 400, "is not legal", "legal: ")
    refusal(visitor.post(f"{address}/move", json={"at": at - 1, "move": "pass"}), 409, "load it again")
    refusal(visitor.post(f"{address}/move", json={"at": 10**30, "move": "pass"}), 409, "load it again")
    refusal(visitor.post(f"{address}/advance", json={"at": at}), 409, "your turn")
    assert visitor.get(address).json() == state


def test_one_move_of_two_at_the_same_time(visitor: Visitor) -> None:
    """Of eight threads that send a move for the same state one plays it; the others are told to load it again."""
    state = visitor.yours()
    body = {"at": state["at"], "move": state["moves"][0]["move"]}
    with ThreadPoolExecutor(8) as pool:
        send = lambda _: visitor.post(f"/api/games/{state['id']}/move", json=body)  # noqa: E731
        answers = list(pool.map(send, range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
    assert len(visitor.get(f"/api/games/{state['id']}").json()["log"]) == len(state["log"]) + 1


def test_no_move_after_the_end(visitor: Visitor) -> None:
    """A resigned game takes no more moves and is not resigned twice; a deleted one is gone."""
    state = visitor.yours()
    address = f"/api/games/{state['id']}"
    resigned = visitor.state(visitor.post(f"{address}/resign", json={}))
    assert (resigned["state"], resigned["moves"], resigned["yours"]) == ("resigned", [], False)
    refusal(visitor.post(f"{address}/move", json={"at": state["at"], "move": state["moves"][0]["move"]}), 409, "over")
    refusal(visitor.post(f"{address}/resign", json={}), 409, "already")
    assert visitor.state(visitor.delete(address)) == {"deleted": state["id"]}
    refusal(visitor.get(address), 404)
    refusal(visitor.delete(address), 404)
    assert visitor.get("/api/games").json() == {"games": []}


# --- Bodies that are none ---

BODIES = (
    (b"", "not JSON"),
    (b"{", "not JSON"),
    (b"[" * 8000, "not JSON"),
    (b'{"a":' * 3000, "not JSON"),
    (b"\xff\xfe", "not JSON"),
    (b"[]", "not an object"),
    (b'"move"', "not an object"),
    (b"null", "not an object"),
    (b"{}", "at: "),
    (b'{"at": 1.0, "move": "pass"}', "at: "),
    (b'{"at": true, "move": "pass"}', "at: "),
    (b'{"at": "1", "move": "pass"}', "at: "),
    (b'{"at": NaN, "move": "pass"}', "at: "),
    (b'{"at": 1, "move": ["pass"]}', "move: "),
    (b'{"at": 1, "move": null}', "move: "),
    (b'{"at": 1, "move": "pass", "position": "R:H,H,H,H"}', "no field 'position'"),
    (b'{"at": ' + b"9" * 9000 + b', "move": "pass"}', "not JSON"),
)


@pytest.mark.parametrize(("body", "words"), BODIES, ids=[words + str(k) for k, (_, words) in enumerate(BODIES)])
def test_bodies_that_are_none(body: bytes, words: str, visitor: Visitor) -> None:
    """A body that is not the JSON object asked for is answered with 400 and what is wrong with it."""
    state = visitor.new()
    refusal(visitor.post(f"/api/games/{state['id']}/move", content=body, headers=JSON), 400, words)
    assert visitor.get(f"/api/games/{state['id']}").json() == state


NO_GAMES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"rules": "chess"}, "unknown rule set"),
    ({"rules": "classic:pawns=99"}, "pawns"),
    ({"rules": "classic:" + "a=b," * 3000}, "no field"),
    ({"rules": "../../etc/passwd"}, "unknown rule set"),
    ({"players": 7}, "players"),
    ({"players": 10**20}, "players"),
    ({"players": -1}, "players"),
    ({"you": "pink"}, "you: "),
    ({"you": "blue"}, "red, yellow"),
    ({"opponents": []}, "opponents: 0 given"),
    ({"opponents": ["greedy"] * 300}, "opponents: 300 given"),
    ({"opponents": [3]}, "opponents: "),
    ({"opponents": ["nobody"]}, "not listed"),
    ({"opponents": ["you"]}, "not listed"),
    ({"opponents": ["perfect"]}, "deck"),
    ({"rules": "classic:slide_on=any", "players": 3, "opponents": ["champion", "greedy"]}, "champion: none is shipped"),
    ({"start": "R:H,H,H,H/Y:S,S,S,S r 1 *"}, "no field 'start'"),
    ({"seed": 1}, "no field 'seed'"),
)


@pytest.mark.parametrize(("changes", "words"), NO_GAMES, ids=[f"{k}-{words}" for k, (_, words) in enumerate(NO_GAMES)])
def test_games_that_are_none(changes: dict[str, Any], words: str, visitor: Visitor) -> None:
    """Rules, seats and opponents that make no sense, and anything that would choose cards, open no game."""
    refusal(visitor.post("/api/games", json=NEW | changes), 400, words)
    assert visitor.get("/api/games").json() == {"games": []}


def test_long_bodies(visitor: Visitor) -> None:
    """10 MB are refused with 413 on every address that takes a body; a record may be long, but not without end."""
    state = visitor.new()
    for rest in ("/move", "/advance", "/resign", "/nothing"):
        answer = visitor.post(f"/api/games/{state['id']}{rest}", content=b"x" * 10_000_000, headers=JSON)
        refusal(answer, 413, "16384 bytes")
    refusal(visitor.post("/api/games", content=b" " * 16_385, headers=JSON), 413)
    refusal(visitor.post("/api/games", content=b" " * 16_384, headers=JSON), 400, "not JSON")
    refusal(visitor.post("/api/replays", content=b"x" * 10_000_000, headers=JSON), 413)
    refusal(visitor.post("/api/replays", json={"record": "x" * (MAX_RECORD_CHARS + 1)}), 400, "characters")
    endless = (b"y" * 1000 for _ in range(20_000))  # sent in pieces, without a length
    refusal(visitor.post("/api/games", content=endless, headers=JSON), 413)
    assert visitor.get(f"/api/games/{state['id']}").json() == state


def test_records_that_are_none(visitor: Visitor) -> None:
    """An uploaded text that is no record, or one too long to show, is refused with the line that is wrong."""
    record = Game("classic", 1, players=2).record()
    for text, words in (
        ("", "an empty text"),
        ("hello", "'hello'"),
        (record.replace("classic", "chess"), "record line 2"),
        (record.replace("start R:S", "start R:s9"), "record line 3"),
        (record.replace("end R:S", "end R:H"), "where it leads"),
        (record.replace("\nend", "\nr 99:1>2\nend"), "record line"),
        ("sorry-record 1\n" * 100_000, "lines"),
        ("\ud800", "begins with"),
    ):
        refusal(visitor.post("/api/replays", content=json.dumps({"record": text}), headers=JSON), 400, words)


# --- Other people's games, paths, hosts, origins ---


def test_other_peoples_games(server: Server) -> None:
    """Who knows the id of another browser's game can neither see nor change it: the same 404 as for no game."""
    owner, stranger = server.visitor(), server.visitor()
    state = owner.yours()
    stranger.get("/")
    nothing = refusal(stranger.get("/api/games/nothing"), 404)
    address = f"/api/games/{state['id']}"
    for rest in ("", "/record", "/replay"):
        assert refusal(stranger.get(f"{address}{rest}"), 404) == nothing
    move = {"at": state["at"], "move": state["moves"][0]["move"]}
    for rest, body in (("/move", move), ("/advance", {"at": state["at"]}), ("/resign", {})):
        assert refusal(stranger.post(f"{address}{rest}", json=body), 404) == nothing
    assert refusal(stranger.delete(address), 404) == nothing
    assert stranger.get("/api/games").json() == {"games": []}
    for cookie in ("", "x", "a" * 43, "' OR 1=1 --", owner.session[:-1]):
        refusal(server.visitor(cookie).get(address), 404)
    assert owner.get(address).json() == state


OTHER_COOKIES = (
    'theme={"dark":true}',
    "a b=c",
    "caf\u00e9=1",
    'x="unterminated',
    "=",
    "",
    "sorry_session=short",
    "a=1,b=2",
)


@pytest.mark.parametrize("other", OTHER_COOKIES)
@pytest.mark.parametrize("form", ["{other}; {mine}", "{mine}; {other}", "{other};{mine};{other}"])
def test_cookies_of_other_programs(other: str, form: str, server: Server) -> None:
    """A session is found among cookies of any form, the first one where there are several, and is not replaced."""
    secret = "s" * 42 + "-"
    line = form.format(other=other, mine=f"{COOKIE}={secret}; {COOKIE}={'t' * 43}")
    found, is_new = _session_of(Headers(raw=[(b"cookie", line.encode("latin-1"))]))
    assert (found, is_new) == (secret, False)
    answer = server.visitor().get("/", headers={b"cookie": line.strip().encode("latin-1")})
    assert "set-cookie" not in answer.headers
    for none in (other, f"x{COOKIE}={secret}", f"{COOKIE}={secret}x", f'y="{COOKIE}={secret}"'):
        assert _session_of(Headers(raw=[(b"cookie", none.encode("latin-1"))]))[1]


def test_ids_and_sessions_cannot_be_guessed(path: Path, serve: Serve) -> None:
    """Ids hold 192 random bits, sessions 256; the file of games holds no session, only hashes, for its owner's eyes."""
    server = serve()
    visitor = server.visitor()
    ids = {visitor.new()["id"] for _ in range(20)}
    assert len(ids) == 20
    assert all(len(each) == 32 for each in ids)
    secret = visitor.session
    assert len(secret) == 43
    answer = server.visitor().get("/")
    told = answer.headers["set-cookie"]
    assert "HttpOnly" in told
    assert "SameSite=Strict" in told
    assert answer.cookies[COOKIE] != secret
    kept = b"".join(file.read_bytes() for file in path.parent.glob("games.sqlite*"))
    assert secret.encode() not in kept
    assert next(iter(ids)).encode() in kept
    assert path.stat().st_mode & 0o077 == 0


PATHS = (
    "/page/../storage.py",
    "/page/..%2fstorage.py",
    "/page/%2e%2e/%2e%2e/rules.py",
    "/page//etc/passwd",
    "/page/index.html%00.js",
    "/page/",
    "/etc/passwd",
    "/api/games/..%2f..%2fetc",
    "/api",
    "/replay/../api/games/x",
    "/" + "a" * 5000,
)


@pytest.mark.parametrize("tried", PATHS, ids=[tried[:30] for tried in PATHS])
def test_path_tricks(tried: str, server: Server) -> None:
    """No path leads to a file but the pages' own."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)  # httpx would tidy the path up
    connection.request("GET", tried, headers={"host": f"127.0.0.1:{server.port}"})
    answer = connection.getresponse()
    refusal(httpx.Response(answer.status, headers=dict(answer.getheaders()), content=answer.read()), 404)
    connection.close()


def test_policies_by_name_alone(tmp_path: Path, serve: Serve) -> None:
    """A folder's policies are offered and play; no other file is reached, whatever name a client sends."""
    folder, rules = tmp_path / "policies", rules_from("classic", players=2)
    folder.mkdir()
    tiny_policies.write_policy(folder / "mine.onnx", rules)
    tiny_policies.write_policy(tmp_path / "hidden.onnx", rules)
    (folder / "broken.onnx").write_bytes(b"no policy")
    (folder / "folder.onnx").mkdir()
    visitor = serve(policies=folder).visitor()
    listed = visitor.get("/api/opponents?rules=classic&players=2").json()["opponents"]
    assert [each["name"] for each in listed] == [*NAMED, "broken.onnx", "mine.onnx"]
    why_not = {each["name"]: each["why_not"] for each in listed}
    assert why_not["mine.onnx"] == ""
    assert "not an ONNX file" in why_not["broken.onnx"]
    assert str(tmp_path) not in json.dumps(listed)
    hidden = tmp_path / "hidden.onnx"
    for name in (
        "../hidden.onnx", str(hidden), "mine.onnx:depth=1", "./mine.onnx", f"file://{hidden}", "mine.onnx\x00", "mine",
        "expectimax:value=../hidden.onnx", f"expectimax:value={hidden}", "perfect:table=/etc/passwd", "folder.onnx", "",
        "a" * 9000,
    ):  # fmt: skip
        refusal(visitor.post("/api/games", json=NEW | {"opponents": [name]}), 400, "not listed")
    refusal(visitor.post("/api/games", json=NEW | {"opponents": ["broken.onnx"]}), 400, "not an ONNX file")
    state = visitor.yours(opponents=["mine.onnx"])
    state = visitor.go_on(visitor.go_on(state))
    other = visitor.get("/api/opponents?rules=classic&players=4").json()["opponents"]
    assert "was made for the rules" in {each["name"]: each["why_not"] for each in other}["mine.onnx"]


def test_policies_that_vanish(tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is deleted while the folder is looked through is told of in the listing, and refused as opponent."""
    folder, rules = tmp_path / "policies", rules_from("classic", players=2)
    folder.mkdir()
    visitor = serve(policies=folder).visitor()
    look = Path.stat

    def look_once(path: Path, **options: Any) -> Any:
        found = look(path, **options)
        if path.name == "gone.onnx":
            path.unlink()
        return found

    tiny_policies.write_policy(folder / "gone.onnx", rules)
    monkeypatch.setattr(Path, "stat", look_once)
    listed = visitor.state(visitor.get("/api/opponents?rules=classic&players=2"))["opponents"]
    assert "no file 'gone.onnx'" in {each["name"]: each["why_not"] for each in listed}["gone.onnx"]
    refusal(visitor.post("/api/games", json=NEW | {"opponents": ["gone.onnx"]}), 400, "not listed")
    tiny_policies.write_policy(folder / "gone.onnx", rules)
    refusal(visitor.post("/api/games", json=NEW | {"opponents": ["gone.onnx"]}), 400, "no file 'gone.onnx'")


HOSTS = ("evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.2:{port}", "", "[::1", "a:b:c")


@pytest.mark.parametrize("host", HOSTS)
def test_foreign_hosts(host: str, server: Server) -> None:
    """A name that was aimed at this machine from elsewhere gets nothing, not even a page."""
    for path in ("/", "/api/games"):
        refusal(server.visitor().get(path, headers={"host": host.format(port=server.port)}), 421, "host: ")


def test_own_hosts() -> None:
    """The bound host and this machine's own names are taken, with the port; bound to all, every address is, no name."""
    here = Hosts("127.0.0.1", 8765)
    assert all(here.allows(f"{name}:8765") for name in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"))
    assert Hosts("play.example", 80).allows("play.example")
    everywhere = Hosts("0.0.0.0", 8765)
    assert everywhere.allows("192.168.1.7:8765")
    assert everywhere.allows("[fe80::1]:8765")
    assert not everywhere.allows("evil.example:8765")
    assert not here.allows("192.168.1.7:8765")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:{port}"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "http://localhost:{port}"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
def test_foreign_origins(headers: dict[str, str], visitor: Visitor, server: Server) -> None:
    """What a page of another site sends is refused, also with the browser's cookie."""
    headers = {name: value.format(port=server.port) for name, value in headers.items()}
    state = visitor.yours()
    move = {"at": state["at"], "move": state["moves"][0]["move"]}
    refusal(visitor.post(f"/api/games/{state['id']}/move", json=move, headers=headers), 403, "origin: ")
    refusal(visitor.get(f"/api/games/{state['id']}", headers=headers), 403, "origin: ")
    assert visitor.get(f"/api/games/{state['id']}").json() == state


def test_forms_of_other_sites(visitor: Visitor) -> None:
    """A body that a plain form can send is none: only application/json is read."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        refusal(visitor.post("/api/games", content=json.dumps(NEW), headers={"content-type": kind}), 415)


def test_methods(visitor: Visitor) -> None:
    """Other methods are refused in one line."""
    for method, path in (("PUT", "/api/games"), ("DELETE", "/"), ("PATCH", "/api/games/x"), ("OPTIONS", "/api/games")):
        refusal(visitor.request(method, path), 405, method)


# --- Limits ---


def test_a_body_that_never_comes(serve: Serve) -> None:
    """Who announces a body and sends none is told so after a while; others are answered meanwhile."""
    server = serve(limits=Limits(seconds=0.4))
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as line:
        head = f"POST /api/games HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\ncontent-type: application/json\r\n"
        line.sendall(f"{head}content-length: 100\r\n\r\n{{".encode())
        assert server.visitor().get("/api/games").status_code == 200
        answer = ""
        while not answer.endswith("}"):  # head and body may come apart
            part = line.recv(4096)
            assert part, answer
            answer += part.decode()
    assert answer.startswith("HTTP/1.1 408 ")
    assert "did not arrive within 0.4 seconds" in answer


def test_too_many_requests(serve: Serve) -> None:
    """Beyond its burst an address gets 429, and answers again after a moment."""
    visitor = serve(limits=Limits(burst=20, rate=5)).visitor()
    codes = [visitor.get("/api/games").status_code for _ in range(60)]
    assert codes[:20] == [200] * 20
    assert 429 in codes
    refused = next(answer for answer in iter(lambda: visitor.get("/api/games"), None) if answer.status_code == 429)
    refusal(refused, 429, "rate: ")
    time.sleep(0.4)
    assert visitor.get("/api/games").status_code == 200


def test_too_many_games(serve: Serve) -> None:
    """A session, and the whole server, keep so many games; deleting one makes room for another."""
    server = serve(most_games=5, most_games_a_session=3)
    visitor, other = server.visitor(), server.visitor()
    states = [visitor.new() for _ in range(3)]
    refusal(visitor.post("/api/games", json=NEW), 429, "you have 3")
    visitor.delete(f"/api/games/{states[0]['id']}")
    visitor.new()
    other.new(), other.new()
    refusal(other.post("/api/games", json=NEW), 429, "keeps 5")


def test_a_full_disk_changes_nothing(serve: Serve) -> None:
    """Where the file cannot be written the answer is 503, and the game stands as it stood."""
    server = serve()
    visitor = server.visitor()
    state = visitor.yours()
    server.tables.storage._connection.execute("PRAGMA query_only = ON")
    body = {"at": state["at"], "move": state["moves"][0]["move"]}
    refusal(visitor.post(f"/api/games/{state['id']}/move", json=body), 503, "nothing was changed")
    refusal(visitor.post("/api/games", json=NEW), 503)
    server.tables.storage._connection.execute("PRAGMA query_only = OFF")
    assert visitor.get(f"/api/games/{state['id']}").json() == state
    visitor.go_on(state)


def test_files_that_are_none(tmp_path: Path) -> None:
    """A file of another program, or none at all, is refused in one line and left as it was."""
    text, other = tmp_path / "text", tmp_path / "other.sqlite"
    text.write_text("not a database " * 100, encoding="utf-8")
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE songs (name TEXT)")
    connection.close()
    for file in (text, other, tmp_path):
        before = file.read_bytes() if file.is_file() else b""
        done = subprocess.run(
            [sys.executable, "-m", "sorry_env", "play", "--web", "--no-open", "--port", "0", "--games", file],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert done.stderr.startswith("sorry-env: games: ")
        assert done.stderr.count("\n") == 1
        assert (file.read_bytes() if file.is_file() else b"") == before
