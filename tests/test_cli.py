"""The console program as a user runs it: outputs parsed and replayed, wrong input answered in one line."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sorry_env import __main__ as program
from sorry_env.cli.analysing import rules_of
from sorry_env.game import Game
from sorry_env.perft import perft
from sorry_env.position import Position
from sorry_env.record import read_record
from sorry_env.rules import rules_from
from sorry_env.version import __version__

POSITIONS = Path(__file__).with_name("positions.txt")
TWO = "R:S,S,S,S/Y:S,S,S,S r - *"
FOUR = "R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S r - *"
TRACED = (
    "classic",
    "classic:players=3,slide_on=any",
    "teams",
    "points:players=3",
    "team-points",
    "edition-2013:players=2",
    "mini-1",
    "classic:first_player=2",
)


class Run:
    """What a command gave."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> None:
        self.code = program.main(arguments)
        self.out, self.err = capsys.readouterr()

    def lines(self) -> list[str]:
        """Lines of the output of a command that went well."""
        assert (self.code, self.err) == (0, "")
        return self.out.splitlines()


# --- Help, versions ---


def test_help_names_every_command_and_loads_no_engine() -> None:
    """`--help` ends with 0, names the commands and imports neither numba nor torch."""
    script = (
        "import sys; from sorry_env.__main__ import main; code = main(['--help']);"
        "print(code, [name for name in ('numba', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"
    for command in ("play", "watch", "replay", "moves", "perft", "trace"):
        assert re.search(rf"^ +{command} +\w", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("command", ["play", "watch", "replay", "moves", "perft", "trace"])
def test_each_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`COMMAND --help` ends with 0 and shows its usage."""
    run = Run(capsys, command, "--help")
    assert run.lines()[0].startswith(f"usage: sorry-env {command}")


def test_version_lists_name_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    """`--version` prints this package, Python, the machine and what is needed, a line each."""
    versions = dict(line.split(" ", 1) for line in Run(capsys, "--version").lines())
    first = ["sorry_env", "python", "platform", "cpus", "numpy", "numba", "llvmlite", "gymnasium", "pettingzoo"]
    assert list(versions)[: len(first)] == first
    assert versions["sorry_env"] == __version__
    assert int(versions.pop("cpus")) >= 1
    assert all(re.match(r"\d+\.\d+", version) for name, version in versions.items() if name != "platform")


def test_version_imports_nothing_and_finds_what_is_installed(tmp_path: Path) -> None:
    """Versions come from metadata: an optional package that cannot be imported is listed with its version."""
    info = tmp_path / "ray-9.8.7.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ray\nVersion: 9.8.7\n", encoding="utf-8")
    (tmp_path / "ray.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "from sorry_env.__main__ import main; main(['--version']);"
        "print([name for name in ('numba', 'torch', 'onnxruntime', 'ray') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True)
    assert "ray 9.8.7" in done.stdout.splitlines()
    assert done.stdout.splitlines()[-1] == "[]"


# --- moves ---


def stored_positions() -> list[tuple[str, list[str]]]:
    """Positions of positions.txt with their lines of moves."""
    found: list[tuple[str, list[str]]] = []
    for line in POSITIONS.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found[-1][1].append(line)
        elif line and not line.startswith("#"):
            found.append((line, []))
    return found


def test_moves_prints_the_stored_positions(capsys: pytest.CaptureFixture[str]) -> None:
    """For every position of positions.txt, `moves` prints the canonical text and exactly the stored lines."""
    stored = stored_positions()
    assert len(stored) >= 30
    for position, moves in stored:
        canonical, *lines = Run(capsys, "moves", position).lines()
        assert canonical == str(Position.parse(position))
        assert lines == moves


def test_moves_json_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """`moves --json` is one object with position, rules and the moves that the plain form lists."""
    position = "R:20,23,H,H/Y:S,S,S,40 r 7 *"
    said = json.loads(Run(capsys, "moves", position, "--json").out)
    canonical, *lines = Run(capsys, "moves", position).lines()
    assert set(said) == {"position", "rules", "legal"}
    assert said["position"] == canonical
    assert said["rules"] == "classic:players=2"
    assert lines == [f"  {move}  =  {pawns}" for move, pawns in said["legal"].items()]


def test_moves_of_closed_positions_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    """Before a draw and after the end there is a position and no move."""
    assert len(Run(capsys, "moves", TWO).lines()) == 1
    assert len(Run(capsys, "moves", "R:H,H,H,H/Y:S,S,S,S r - *").lines()) == 1


def test_players_come_from_the_position() -> None:
    """The text's colours decide where it seats fewer or other colours, unless rules or players say otherwise."""
    assert rules_of(TWO, "classic", None) == rules_from("classic", 2)
    assert rules_of("R:S,S,S,S/B:S,S,S,S r - *", "classic", None).colors == "RB"
    assert rules_of("B:S,S,S,S/G:S,S,S,S b - *", "classic", 2).colors == "BG"
    assert rules_of("B:S,S,S,S/G:S,S,S,S b - *", "classic:players=2", None).colors == "BG"
    assert rules_of(FOUR, "classic", None) == rules_from("classic")
    for rules, players in (("classic", 4), ("classic:players=3", None), ("classic:colors=RB", None)):
        assert rules_of(TWO, rules, players) == rules_from(rules, players)
    for nonsense in ("", "x", "R:S/R:S", "R:S/Q:S", "RB:S/Y:S", "Y:S/R:S"):
        assert rules_of(nonsense, "classic", None) == rules_from("classic")


# --- perft ---


@pytest.mark.rule("9.1")
@pytest.mark.parametrize(
    ("position", "rules", "counts"),
    [(TWO, "classic", [1, 11, 122, 1366]), (FOUR, "classic", [1, 11, 122, 1357]), (FOUR, "teams", [1, 13, 173, 2397])],
)
def test_perft_counts(position: str, rules: str, counts: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    """`perft` prints RULES 9.1's numbers, alone on their line."""
    for depth, count in enumerate(counts):
        assert Run(capsys, "perft", position, str(depth), "--rules", rules).lines() == [str(count)]


def test_perft_divide_adds_up(capsys: pytest.CaptureFixture[str]) -> None:
    """The counts by first move add up to the last line."""
    position = "R:S,20,23,H/Y:S,S,S,40 r - *"
    *moves, total = Run(capsys, "perft", position, "2", "--divide").lines()
    counts = [line.rpartition(" ") for line in moves]
    assert sum(int(count) for _, _, count in counts) == int(total) == perft(Position.parse(position, players=2), 2)
    assert all(re.match(r"\d+:|X:", move) for move, _, _ in counts)


# --- trace ---


def traced(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Output of a `trace`."""
    run = Run(capsys, "trace", *arguments)
    assert (run.code, run.err) == (0, "")
    return run.out


def test_trace_depends_on_nothing_but_its_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    """Same seed, same bytes, whatever the number of games; another seed or number, another game."""
    two = traced(capsys, "--games", "2", "--seed", "5")
    assert two == traced(capsys, "--games", "2", "--seed", "5")
    assert two.startswith(traced(capsys, "--games", "1", "--seed", "5"))
    assert two != traced(capsys, "--games", "2", "--seed", "6")
    decisions = [line for line in map(json.loads, two.splitlines()) if "ply" in line]
    first, second = ([line["position"] for line in decisions if line["game"] == number] for number in (0, 1))
    assert first != second
    assert traced(capsys, "--games", "0") == ""
    done = subprocess.run(
        [sys.executable, "-m", "sorry_env", "trace", "--games", "2", "--seed", "5"], capture_output=True, check=True
    )
    assert done.stdout == two.encode("ascii")


@pytest.mark.parametrize("rules", TRACED)
def test_trace_replays(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines are what `Game` and `Position` say of that game: all positions and ends, every third one's legal moves."""
    record = rules_from(rules)
    lines = [json.loads(line) for line in traced(capsys, "--rules", rules, "--games", "2", "--seed", "9").splitlines()]
    for number in range(2):
        *decisions, end = [line for line in lines if line["game"] == number]
        game = Game(record, 9, position=decisions[0]["position"], explicit_chance=True)
        if number == 0:
            assert str(Game(record, 9).position) == decisions[0]["position"]
        for ply, line in enumerate(decisions):
            assert list(line) == ["game", "ply", "position", "legal", "move"]
            assert line["ply"] == ply
            assert line["move"] in line["legal"]
            if ply % 3 == number:
                check_decision(line, record)
            if game.awaits_card:
                draw_towards(game, line["position"])
            assert str(game.position) == line["position"]
            game.play(line["move"])
        names = [f"player_{seat}" for seat in range(record.players)]
        assert game.is_over
        assert end == {
            "game": number,
            "winner": [names[seat] for seat in game.winners],
            "rewards": dict(zip(names, game.rewards(), strict=True)),
            "points": dict(zip(names, game.points(), strict=True)),
        }


def check_decision(line: dict[str, Any], rules: Any) -> None:
    """A line's position is canonical and its legal moves and results are `Position`'s."""
    position = Position.parse(line["position"], rules)
    assert str(position) == line["position"]
    assert line["legal"] == {move: position.after(move).pawns_text() for move in position.legal_moves()}


def draw_towards(game: Game, position: str) -> None:
    """Brings the card that leads to a position: in a draw game the one that it shows."""
    if not game.rules.hand_size:
        game.draw(position.split(" ")[2])
        return
    fitting = [card for card, _ in game.outcomes() if str(game.position.with_card(card)) == position]
    assert len(fitting) == 1
    game.draw(fitting[0])


def test_traced_moves_are_uniform(capsys: pytest.CaptureFixture[str]) -> None:
    """Where two moves are legal, the first is chosen in half of the cases (within five standard deviations)."""
    lines = [json.loads(line) for line in traced(capsys, "--games", "30", "--seed", "1").splitlines()]
    pairs = [list(line["legal"]).index(line["move"]) for line in lines if len(line.get("legal", ())) == 2]
    assert len(pairs) > 500
    assert abs(sum(pairs) - len(pairs) / 2) < 2.5 * len(pairs) ** 0.5


# --- watch and replay ---


def test_watch_shows_a_frame_a_ply_and_saves_a_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`watch` prints a board a ply, then the end; its record replays to the same boards."""
    file = tmp_path / "game.txt"
    arguments = ("watch", "greedy", "random", "--players", "2", "--seed", "4")
    watched = Run(capsys, *arguments, "--save", str(file))
    game = read_record(file.read_text(encoding="utf-8"))
    assert game.is_over
    assert watched.code == 0
    assert watched.out.count("┌0──┬") == game.num_plies + 1
    winner = ("Red", "Yellow")[game.winners[0]]
    assert watched.out.splitlines()[-1] == f"{winner} won after {game.num_plies} plies; seed 4"
    assert "greedy" in watched.out
    assert watched.out == Run(capsys, *arguments).out
    replayed = Run(capsys, "replay", str(file))
    assert replayed.out.count("┌0──┬") == game.num_plies + 1
    assert replayed.out.splitlines()[-1] == watched.out.splitlines()[-1].partition(";")[0]
    assert replayed.out.count("Last: ") == game.num_plies


def test_watch_plays_every_rule_set_by_default_at_random(capsys: pytest.CaptureFixture[str]) -> None:
    """Without players four random ones play, hands open; points are told at the end of a points game."""
    run = Run(capsys, "watch", "--rules", "team-points", "--seed", "2")
    assert re.search(r"(Red and Yellow|Blue and Green) won after \d+ plies; points: Red \d+, Blue", run.lines()[-1])
    assert run.out.count("► ") >= run.out.count("┌0──┬") - 1
    assert "?" not in run.out


def test_watch_writes_what_was_played_before_an_interrupt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C ends with 130 and one line, and the record holds the game so far; until then an old one stands."""
    calls = []
    file = tmp_path / "game.txt"
    file.write_text("old", encoding="utf-8")

    def stop(seconds: float) -> None:
        calls.append(seconds)
        assert file.read_text(encoding="utf-8") == "old"
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("sorry_env.cli.showing.time.sleep", stop)
    run = Run(capsys, "watch", "--seed", "1", "--delay", "0.25", "--save", str(file))
    assert (run.code, run.err) == (130, "sorry-env: interrupted\n")
    assert calls == [0.25] * 3
    assert read_record(file.read_text(encoding="utf-8")).num_plies == 3


class Terminal(io.TextIOWrapper):
    """Bytes that say they are a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


def shown_on_terminal(monkeypatch: pytest.MonkeyPatch, file: Path, encoding: str, lines: int) -> str:
    """What `replay` writes to a terminal."""
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", Terminal(raw, encoding=encoding, write_through=True))
    monkeypatch.setenv("LINES", str(lines))
    monkeypatch.setenv("COLUMNS", "100")
    assert program.main(["replay", str(file), "--delay", "0"]) == 0
    return raw.getvalue().decode(encoding)


def test_frames_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large terminal gets colours and frames over one another, a small one frames in turn and a word about its size;
    NO_COLOR, TERM=dumb and an ASCII encoding are honoured.
    """
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    file = tmp_path / "game.txt"
    game = Game("mini-1", 3)
    for _ in range(4):
        game.play(game.legal_actions()[0])
    file.write_text(game.record(), encoding="utf-8")
    text = shown_on_terminal(monkeypatch, file, "utf-8", 50)
    assert (text.count("\x1b[2J"), text.count("\x1b[H"), text.count("┌0")) == (1, 5, 5)
    assert "97;41m" in text or "30;43m" in text
    assert text.splitlines()[-1] == "\x1b[Jnot over after 4 plies"
    small = shown_on_terminal(monkeypatch, file, "utf-8", 24)
    assert small.startswith("The board needs 35 lines of 71 columns, here are 24 of 100.")
    assert "\x1b[H" not in small
    ascii_text = shown_on_terminal(monkeypatch, file, "ascii", 50)
    assert ascii_text.count("\x1b[H") == 5
    assert "|" in ascii_text
    monkeypatch.setenv("NO_COLOR", "1")
    assert "30;43m" not in shown_on_terminal(monkeypatch, file, "utf-8", 50)
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in shown_on_terminal(monkeypatch, file, "utf-8", 50)


# --- Wrong input ---


WRONG = {
    "": "COMMAND",
    "fly": "invalid choice: 'fly'",
    "moves x": "'x' has 1 fields",
    "moves": "POSITION",
    f"moves {TWO.replace(' ', '_')}": "fields",
    "perft x 1": "'x' has 1 fields",
    "perft x -1": "DEPTH: '-1' is not a whole number from 0",
    "perft x 1.5": "DEPTH: '1.5' is not a whole number from 0",
    "trace --games -1": "--games: '-1' is not a whole number from 0",
    "trace --seed x": "--seed: 'x' is not a whole number",
    "trace --seed": "--seed: expected one argument",
    "trace --game 1": "unrecognized arguments: --game",
    "trace --rules clasic": "did you mean 'classic'?",
    "trace --rules classic:foo=1": "no field 'foo'",
    "trace --rules teams --players 3": "teams: needs four players",
    "trace --players 5": "players: 5 is not from 2 to 4",
    "watch gredy": "did you mean 'greedy'?",
    "watch greedy:depth=1": "has no option 'depth'",
    "watch no-such-file.onnx": "no file 'no-such-file.onnx'",
    "watch greedy random greedy": "3 players given for 4 seats",
    "watch --delay -1": "--delay: '-1' is not a number of seconds",
    "watch --delay nan": "--delay: 'nan' is not a number of seconds",
    "watch --save no/such/folder/game.txt": "'no/such/folder/game.txt': No such file",
    "replay no-such-file.txt": "'no-such-file.txt': No such file",
    "replay tests": "'tests': Is a directory",
    "replay pyproject.toml": "not 'sorry-record 1'",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_input_is_answered_in_one_line(
    arguments: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2, nothing on stdout, and one line on stderr that names what was wrong."""
    monkeypatch.chdir(Path(__file__).parents[1])
    run = Run(capsys, *arguments.split())
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("sorry-env: ")
    assert run.err.count("\n") == 1
    assert WRONG[arguments] in run.err


@pytest.mark.parametrize(
    ("position", "word"),
    [
        ("R:S,S,S,S/Y:S,S,S r 5 *", "PAWNS"),
        ("R:7,S,S,S/Y:7,S,S,S r 5 *", "both stand on 7"),
        ("R:S,S,S,S/Y:S,S,S,S b 5 *", "MOVER"),
        ("R:S,S,S,S/Y:S,S,S,S r 6 *", "CARDS"),
        ("R:S,S,S,S/Y:S,S,S,S r 5 55555555555", "PILE"),
        ("R:S,S,S,S/Y:S,S,S,S r\n5 *", "fields"),
        ("R:S,S,S,S/Q:S,S,S,S r 5 *", "PAWNS"),
    ],
)
def test_impossible_positions_name_the_field(position: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A position that cannot be is refused by `moves` and `perft` in one line that names its field."""
    for command in (("moves", position), ("perft", position, "1")):
        run = Run(capsys, *command)
        assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
        assert word in run.err


def test_refusals_of_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    """A hidden hand on move, perft of a hand game and a divided depth 0 are refused."""
    hidden = "R:S,S,S,4/B:S,S,S,19/Y:S,S,S,34 b ?/?/? *"
    for arguments, word in (
        (("moves", hidden, "--rules", "points"), "is unknown"),
        (("perft", hidden, "1", "--rules", "points"), "draw games only"),
        (("perft", TWO, "0", "--divide"), "no first move"),
    ):
        run = Run(capsys, *arguments)
        assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
        assert word in run.err


def test_interrupt_and_lost_reader(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is 130 with a line; an output that nobody reads is 141 without one."""

    def interrupt(**_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "_trace", interrupt)
    run = Run(capsys, "trace")
    assert (run.code, run.err) == (130, "sorry-env: interrupted\n")
    with subprocess.Popen(
        [sys.executable, "-m", "sorry_env", "trace", "--games", "1000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["game"] == 0
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == program.NO_READER
