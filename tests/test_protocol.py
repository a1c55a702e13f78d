"""The benchmark protocol and what else `evaluate.py` was taught: named adjusters, warnings, refusals in one line."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from programs import check_refusal, in_process, program, without_progress
from tiny_policies import write_policy
from tiny_values import race_network

from agents import evaluation, protocol
from agents.evaluation import Score
from agents.export import export_value
from agents.protocol import PROTOCOLS, Mean, Section, headline, open_everywhere, open_pinned, run_protocol
from sorry_env.errors import SorryError, SpecError
from sorry_env.players import value
from sorry_env.players.onnx_file import open_policy_file
from sorry_env.rules import rules_from

TWO = rules_from("classic", 2)
FIXED = PROTOCOLS["sorry-bench-1"]


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a value network for two players of the classic game."""
    path = tmp_path_factory.mktemp("values") / "race.onnx"
    export_value(race_network(TWO), path)
    return str(path)


@pytest.fixture
def champion(network: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """That network shipped as a champion, the only one."""
    files = (open_policy_file(network),)
    monkeypatch.setattr(value, "champion_files", lambda: files)
    return network


@pytest.fixture
def short(champion: str, monkeypatch: pytest.MonkeyPatch) -> protocol.Protocol:
    """The protocol with that champion pinned, of two rule sets and few games."""
    pins = {"classic:players=2": hashlib.sha256(Path(champion).read_bytes()).hexdigest()}
    found = replace(FIXED, games=12, pins=pins, seeds={"classic:players=2": 1, "classic": 2})
    monkeypatch.setitem(PROTOCOLS, FIXED.name, found)
    return found


# --- The protocol as data ---


def test_pins_are_the_shipped_champions() -> None:
    """Each pinned hash is that of the champion that is shipped."""
    for spec, pin in FIXED.pins.items():
        fitting = [file for file in value.champion_files() if rules_from(spec).plays_like(file.rules)]
        hashes = [hashlib.sha256(Path(file.spec).read_bytes()).hexdigest() for file in fitting[:1]]
        assert hashes == [pin], f"{spec}: pin the shipped champion's sha256 in agents/protocol.py"


def test_protocol_is_fixed() -> None:
    """What a published protocol plays: a change here needs a new name."""
    assert FIXED.seeds == {"classic:players=2": 1, "classic": 2, "teams": 3, "points:players=2": 4}
    assert FIXED.opponents == ("random", "greedy", "race", "solitaire")
    assert (FIXED.games, set(FIXED.pins)) == (4000, {"classic:players=2", "classic", "teams"})
    for spec in FIXED.seeds:
        assert rules_from(spec).spec() == spec


def test_open_pinned(short: protocol.Protocol) -> None:
    """The adjuster is the champion with the pinned hash; another and a missing one are refused."""
    (adjuster,) = open_pinned(short).values()
    assert adjuster.sha256 == short.pins["classic:players=2"]
    for pins, words in (
        ({"classic:players=2": "0" * 64}, "the protocol's has 000000000000"),
        ({"teams": "0" * 64}, "none is shipped here"),
    ):
        with pytest.raises(SorryError, match=words):
            open_pinned(replace(short, pins=pins))


def test_players_that_cannot(network: str) -> None:
    """Rule sets that a player cannot play are told with the reason; one that plays none is refused, as is no player."""
    found = open_everywhere(FIXED, network)
    assert not isinstance(found["classic:players=2"], str)
    assert all("was made for" in str(found[name]) for name in ("classic", "teams", "points:players=2"))
    assert not any(isinstance(player, str) for player in open_everywhere(FIXED, "greedy").values())
    with pytest.raises(SorryError, match="none of its rule sets"):
        open_everywhere(replace(FIXED, seeds={"teams": 1}), network)
    with pytest.raises(SpecError, match="did you mean 'greedy'"):
        open_everywhere(FIXED, "gredy")


def test_run_protocol(short: protocol.Protocol) -> None:
    """Each rule set gets a row for each opponent and their mean, adjusted where it is pinned, the same every time."""
    told: list[float] = []
    arguments = short, "race", open_everywhere(short, "race"), open_pinned(short)
    sections = run_protocol(*arguments, progress=lambda part, note: told.append(part))
    assert sections == run_protocol(*arguments)
    assert [(section.rules, bool(section.adjuster)) for section in sections] == [
        ("classic:players=2", True),
        ("classic", False),
    ]
    assert told == sorted(told)
    assert told[-1] == 1
    for section, even in zip(sections, (0.5, 0.25), strict=True):
        opponents = [score.against.removeprefix("3 x ") for score in section.scores]
        assert opponents == list(short.opponents)
        assert {(score.player, score.games, score.even) for score in section.scores} == {("race", 12, even)}
        assert section.mean is not None
        assert section.mean.win_rate == pytest.approx(np.mean([score.adjusted for score in section.scores]))
        assert section.mean.low < section.mean.win_rate < section.mean.high
    assert sections[0].scores[0].adjusted != sections[0].scores[0].win_rate
    assert sections[1].scores[0].adjusted == sections[1].scores[0].win_rate


def test_headline() -> None:
    """The score is the mean of the rule sets' means, its half width theirs as squares; none if one was not played."""
    sections = [Section("a", None, mean=Mean(0.6, 0.57, 0.63)), Section("b", None, mean=Mean(0.4, 0.36, 0.44))]
    found = headline(sections)
    assert found is not None
    assert (found.win_rate, found.low, found.high) == pytest.approx((0.5, 0.475, 0.525))
    assert headline([*sections, Section("c", None, reason="no")]) is None


# --- evaluate.py ---


def run(line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    """evaluate.py with some arguments: exit code, stdout, and stderr without progress."""
    code, stdout, stderr = in_process(["evaluate.py", *line.split()], capsys, monkeypatch)
    return code, stdout, without_progress(stderr)


@pytest.mark.usefixtures("short")
def test_protocol_as_a_program(
    network: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One table with what cannot be played and why; a player that is the adjuster is warned of."""
    file = tmp_path / "table.json"
    code, stdout, stderr = run(f"{network} --protocol sorry-bench-1 --json {file}", capsys, monkeypatch)
    assert code == 0
    assert "cannot be played" in stdout
    assert "score: none" in stdout
    assert stderr.count("\n") == 1
    assert stderr.startswith("evaluate.py: warning: the adjuster champion (sha256 ")
    table = json.loads(file.read_text(encoding="utf-8"))
    assert (table["protocol"], table["player"], table["score"]) == ("sorry-bench-1", network, None)
    played, refused = table["sections"]
    assert played["adjuster"]["sha256"] == hashlib.sha256(Path(network).read_bytes()).hexdigest()
    assert [Score(**score).against for score in played["scores"]] == list(FIXED.opponents)
    assert (refused["rules"], refused["scores"], refused["mean"]) == ("classic", [], None)
    assert "was made for" in refused["reason"]
    code, stdout, stderr = run("race --protocol sorry-bench-1 --json -", capsys, monkeypatch)
    assert (code, stderr) == (0, "")
    assert 0 < json.loads(stdout)["score"]["win_rate"] < 1


def test_adjusted_table(network: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The adjuster is named under the table and in the JSON, beside raw and adjusted rates."""
    line = f"race random --games 40 --adjust {network}"
    code, stdout, stderr = run(line, capsys, monkeypatch)
    assert (code, stderr) == (0, "")
    digits = hashlib.sha256(Path(network).read_bytes()).hexdigest()
    assert "adjusted, 95 %" in " ".join(stdout.split())
    assert f"(sha256 {digits[:12]})" in stdout
    _, stdout, _ = run(f"{line} --json -", capsys, monkeypatch)
    table = json.loads(stdout)
    assert table["adjuster"] == {"spec": network, "sha256": digits}
    assert table["scores"][0]["adjusted"] != table["scores"][0]["win_rate"]


def test_auto(champion: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a champion is shipped for the rules it adjusts; else, and with `none`, nothing does."""
    adjusters = []
    for line in ("", " --adjust none", " --rules mini-1", " --rules points"):
        code, stdout, stderr = run(f"race random --games 4 --json -{line}", capsys, monkeypatch)
        assert (code, stderr) == (0, "")
        adjusters.append(json.loads(stdout)["adjuster"])
    digits = hashlib.sha256(Path(champion).read_bytes()).hexdigest()
    assert adjusters == [{"spec": "champion", "sha256": digits}, None, None, None]


@pytest.mark.parametrize("player", ["{network}", "expectimax:depth=1,value={network}"])
def test_adjuster_under_test(
    player: str, network: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A player that decides by the adjuster is warned of in one line; the table is printed all the same."""
    player = player.format(network=network)
    code, stdout, stderr = run(f"{player} random --games 4 --adjust {network}", capsys, monkeypatch)
    assert code == 0
    assert "adjusted by" in stdout
    assert stderr.count("\n") == 1
    assert f"is under test itself, as {player!r}; results stay unbiased" in stderr


def square(text: str) -> dict[str, list[str]]:
    """The cells of a printed table by the first one of their row."""
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if line.startswith("│")]
    return {name: cells for name, *cells in rows}


def test_mixed_tables(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Mixed tables print win rates, ratings and what each player's presence adds."""
    line = "greedy race random solitaire --players 3 --tables mixed --games 240"
    code, stdout, stderr = run(line, capsys, monkeypatch)
    assert (code, stderr) == (0, "")
    for words in ("mixed tables", "Plackett-Luce ratings", "kingmaking"):
        assert words in stdout
    cells = square(stdout.partition("kingmaking")[2])
    _, stdout, _ = run(f"{line} --json -", capsys, monkeypatch)
    table = json.loads(stdout)
    assert [len(table[key]) for key in ("scores", "ratings", "influences")] == [4, 4, 12]
    names = line.split()[:4]
    for one in table["influences"]:
        assert cells[one["present"]][names.index(one["player"])].split()[0] == f"{100 * one['added']:+.1f}"
    _, stdout, _ = run("greedy race random --players 3 --tables mixed --games 24", capsys, monkeypatch)
    assert "kingmaking" not in stdout, "with as many players as seats there is no table without one of them"


@pytest.mark.parametrize("line", ["greedy race random", "greedy race random --players 3 --tables field"])
def test_cross_table(line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Three players get a cross-table whose cells are the rows' win rates; a single match gets none."""
    code, stdout, _ = run(f"{line} --games 60", capsys, monkeypatch)
    assert code == 0
    cells = square(stdout.partition("cross-table")[2])
    _, told, _ = run(f"{line} --games 60 --json -", capsys, monkeypatch)
    names = line.split()[:3]
    for score in json.loads(told)["scores"]:
        cell = cells[score["player"]][names.index(score["against"].removeprefix("2 x "))]
        assert cell.split()[0] == f"{100 * score['adjusted']:.1f}"
    assert all(cells[name][k] == "" for k, name in enumerate(names))
    _, stdout, _ = run("greedy race --games 4", capsys, monkeypatch)
    assert "cross-table" not in stdout


def test_until_as_a_program(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`--until` is in percentage points; where the most games end a match first, the table says so."""
    line = "greedy random --rules mini-1 --until 2.5"
    code, stdout, _ = run(f"{line} --json -", capsys, monkeypatch)
    assert code == 0
    table = json.loads(stdout)
    assert table["until"] == 2.5
    assert all(score["adjusted_high"] - score["adjusted_low"] <= 0.05 for score in table["scores"])
    monkeypatch.setattr(evaluation, "MOST_GAMES", 600)
    _, stdout, _ = run(line, capsys, monkeypatch)
    assert "2 rows ended at 600 games, wider than 2.5" in stdout


REFUSED: list[tuple[str, str]] = [
    ("greedy random --until 0", "--until: 0.0"),
    ("greedy random --until 50", "--until: 50.0"),
    ("greedy random --until nan", "--until: nan"),
    ("greedy random --adjust nowhere.onnx", "no file 'nowhere.onnx'"),
    ("greedy random --adjust {network} --players 4", "was made for the rules"),
    ("greedy random --adjust {network} --rules points", "hand game"),
    ("greedy random --adjust {policy} --rules mini-2", "gives no values"),
    ("greedy random --adjust race", "distances"),
    ("greedy random --adjust chmpion", "no value model 'chmpion'"),
    ("greedy random --adjust champion --rules mini-1", "none is shipped"),
    ("greedy random --tables mixed", "three or four sides"),
    ("greedy random --tables mixed --rules teams", "three or four sides"),
    ("greedy --tables mixed --players 4", "two or more"),
    ("greedy --regret --rules mini-1 --until 1", "--regret"),
    ("greedy --regret --rules mini-1 --adjust none", "--regret"),
    ("greedy --regret --rules mini-1 --tables field", "--regret"),
    ("greedy --protocol sorry-bench-2", "known: sorry-bench-1"),
    ("greedy random --protocol sorry-bench-1", "one player, not 2"),
    ("gredy --protocol sorry-bench-1", "did you mean 'greedy'"),
    ("{policy} --protocol sorry-bench-1", "none of its rule sets"),
    ("nowhere.onnx --protocol sorry-bench-1", "no file 'nowhere.onnx'"),
    ("greedy --protocol sorry-bench-1 --games 1000", "leave out --games"),
    ("greedy --protocol=sorry-bench-1 --seed=0", "leave out --seed"),
    ("greedy --protocol sorry-bench-1 --rules teams --adjust none", "leave out --adjust, --rules"),
    ("greedy --protocol sorry-bench-1 --regret", "leave out --regret"),
    ("greedy --protocol sorry-bench-1 --until 1 --tables mixed --players 3", "leave out --players, --tables, --until"),
    ("greedy --protocol sorry-bench-1 --workers 0", "--workers: 0"),
]


@pytest.mark.parametrize(("line", "words"), REFUSED, ids=[line for line, _ in REFUSED])
def test_refused(
    line: str,
    words: str,
    network: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What makes no sense is one line on stderr and exit code 2, before anything is played."""
    policy = tmp_path / "policy.onnx"
    write_policy(policy, rules_from("mini-2"))
    check_refusal(*run(line.format(network=network, policy=policy), capsys, monkeypatch), "evaluate.py", words)


@pytest.mark.usefixtures("champion")
def test_another_champion(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A champion that is not the protocol's is refused in one line."""
    monkeypatch.setitem(PROTOCOLS, FIXED.name, replace(FIXED, pins={"classic:players=2": "0" * 64}))
    refusal = run("greedy --protocol sorry-bench-1", capsys, monkeypatch)
    check_refusal(*refusal, "evaluate.py", "the protocol's has 000000000000")


def test_without_choix(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ratings without their library are refused before anything is played."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refusal = run("greedy race random --players 3 --tables mixed", capsys, monkeypatch)
    check_refusal(*refusal, "evaluate.py", "pip install choix")


def test_refused_as_a_user() -> None:
    """The same in a process of its own."""
    process = program("evaluate.py", "greedy", "--protocol", "sorry-bench-1", "--games", "5")
    check_refusal(process.returncode, process.stdout, process.stderr, "evaluate.py", "leave out --games")
