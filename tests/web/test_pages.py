"""The pages' files, and replays as data and as one file."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from serving import Visitor
from strategies import SPECS

from sorry_env.drawing import position_svg
from sorry_env.game import Game
from sorry_env.record import read_record
from sorry_env.web.describing import KINDS, describe_move
from sorry_env.web.replaying import PAGE, replay_html, replay_of

# --- Pages and replays ---


def test_pages_and_their_policy(visitor: Visitor) -> None:
    """Every page and file is served with a policy that allows this server alone, and names no other host."""
    files = {file.name for file in PAGE.iterdir()}
    assert {"index.html", "replay.html", "style.css", "play.js", "replay.js"} <= files
    for address in ("/", "/replay", *(f"/page/{name}" for name in sorted(files - {"index.html", "replay.html"}))):
        answer = visitor.get(address)
        assert answer.status_code == 200, address
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        told = answer.text.replace("http://www.w3.org/2000/svg", "").replace("http://www.w3.org/1999/xhtml", "")
        assert "http:" not in told
        assert "https:" not in told


def played(rules: str, seed: int, **options: Any) -> Game:
    """A game that was played at random."""
    game, rng = Game(rules, seed, **options), np.random.default_rng(seed)
    while not game.is_over:
        game.play(str(rng.choice(game.legal_moves())))
    return game


def test_replay_of_a_record(visitor: Visitor) -> None:
    """A replay has a picture for each ply, chances that end with the winner's certainty, and mistakes in order."""
    game = played("classic", 3, players=2)
    replay = visitor.state(visitor.post("/api/replays", json={"record": game.record()}))
    assert len(replay["frames"]) == len(replay["chances"]) == game.num_plies + 1
    assert replay["chances"][-1] == [float(seat in game.winners) for seat in range(2)]
    assert all(abs(sum(row) - 1) < 1e-3 for row in replay["chances"])
    losses = [mistake["loss"] for mistake in replay["mistakes"]]
    assert losses
    assert losses == sorted(losses, reverse=True)
    for mistake in replay["mistakes"]:
        assert replay["frames"][mistake["ply"]]["move"] == mistake["played"]
    for frame in (replay["frames"][0], replay["frames"][-1]):
        runs = [replay["pieces"][first : first + count] for first, count in zip(*[iter(frame["svg"])] * 2, strict=True)]
        assert "".join(piece for run in runs for piece in run).count('class="pawn"') == 8
    assert read_record(replay["record"]).position == game.position


def test_replay_without_a_judge(visitor: Visitor) -> None:
    """Rules that no trained player knows are replayed without chances, and the page is told why."""
    replay = visitor.state(
        visitor.post("/api/replays", json={"record": played("classic:slide_on=any", 3, players=3).record()})
    )
    assert replay["chances"] is None
    assert replay["mistakes"] == []
    assert "none is shipped" in replay["note"]


def test_html_of_a_replay_is_alone(tmp_path: Path) -> None:
    """The written file names no address and holds its data, which no text in it can break out of."""
    game = played("mini-1", 3)
    replay = replay_of(game, ["</script><script>alert(1)</script>", "b"])
    page = replay_html(replay)
    data = page.split('id="replay-data">')[1].split("</script>")[0]
    assert json.loads(data) == replay
    for word in ("src=", "href=", "@import", "url(", "import ", "export ", "served"):
        assert word not in page.split("<script", 1)[0] + page.split('<script type="module">')[1], word
    (tmp_path / "game.txt").write_text(game.record(), encoding="utf-8")
    command = [sys.executable, "-m", "sorry_env", "replay", "game.txt", "--html", "out.html"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.startswith("out.html: ")
    assert (tmp_path / "out.html").read_text(encoding="utf-8").startswith("<!doctype html>")


# --- Moves as the page gets them ---


@pytest.mark.parametrize("spec", SPECS)
def test_clicks_tell_moves_apart(spec: str) -> None:
    """Card and places name each legal move, but for a step onto the square of an exchange; they fit pawns and ways.

    Along a game at random: every pawn named stands where it is said to (the second of a split after the first half).
    """
    game, rng = Game(spec, 7), np.random.default_rng(7)
    for _ in range(150):
        if game.is_over:
            break
        seen: dict[tuple[Any, ...], str] = {}
        for move in map(partial(describe_move, game.position), game.legal_moves()):
            assert move.kind in KINDS
            assert move.card in (
                game.position.hand(game.mover) or (game.position.card,)
            )  # what the page asks for first
            key = (move.card, *((part.source, part.target) for part in move.parts))
            assert seen.setdefault(key, move.kind) == move.kind or {seen[key], move.kind} == {"step", "exchange"}
            first = [way.places[0] for way in move.ways if way.kind in ("step", "jump")]
            last = [way.places[-1] for way in move.ways if way.kind in ("step", "jump")]
            for part in move.parts:
                assert part.source in first
                assert part.target in last
                assert part.color in move.spoken.lower()
            if move.parts:
                part, svg = move.parts[0], position_svg(game.position)
                assert f'class="pawn" data-color="{part.color}" data-place="{part.source}"' in svg
        assert len(seen) >= len({move.partition(":")[0] for move in game.legal_moves()})
        game.play(str(rng.choice(game.legal_moves())))
