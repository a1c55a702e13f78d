"""A game in the terminal as a person plays it: moves, commands, refusals, what stays hidden; replays."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from test_cli import Run
from tiny_values import swapped

from sorry_env.cli.help_text import help_text
from sorry_env.cli.serving import listen
from sorry_env.cli.showing import chance_bars
from sorry_env.errors import SpecError
from sorry_env.game import Game
from sorry_env.position import Position
from sorry_env.record import read_record
from sorry_env.rules import rules_from

ROOT = Path(__file__).resolve().parent.parent
QUICK = ("--rules", "mini-1", "--against", "greedy", "--seed", "3")


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Nothing is typed unless a test says so."""
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    return monkeypatch


def play(capsys: pytest.CaptureFixture[str], keys: pytest.MonkeyPatch, text: str, *arguments: str) -> Run:
    """A session: what is typed, and the command line after `play`."""
    keys.setattr("sys.stdin", io.StringIO(text))
    return Run(capsys, "play", *arguments)


def record_of(file: Path) -> Game:
    """The game of a record's file."""
    return read_record(file.read_text(encoding="utf-8"))


def saved_position(file: Path, text: str, rules: str) -> str:
    """A record without a ply that stands in a position; its file."""
    game = Game(rules, 0, position=text, explicit_chance=True)
    file.write_text(game.record(), encoding="utf-8")
    return str(file)


def said(run: Run) -> list[str]:
    """Lines that are no part of a board."""
    return [line for line in run.out.splitlines() if line and not re.search(r"[│┌├└]", line)]


# --- Whole games ---


@pytest.mark.parametrize(
    "arguments",
    [
        ("--rules", "mini-2", "--against", "greedy"),
        ("--players", "2", "--you", "yellow", "--against", "champion"),
        ("--players", "3", "--you", "B", "--against", "random", "greedy"),
        ("--rules", "teams", "--you", "green", "--against", "greedy"),
        ("--rules", "points:players=2", "--against", "random"),
        ("--rules", "mini-1", "--you", "red", "yellow"),
    ],
)
def test_a_whole_game(
    arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch
) -> None:
    """Who types 1 at every decision plays a game to its end, which is saved; the last line says who has won."""
    file = tmp_path / "game.txt"
    run = play(capsys, typed, "1\n" * 2000, *arguments, "--seed", "5", "--save", str(file))
    assert (run.code, run.err) == (0, "")
    game = record_of(file)
    assert game.is_over
    winners = " and ".join({"R": "Red", "B": "Blue", "Y": "Yellow", "G": "Green"}[game.rules.colors[seat]]
                           for seat in game.winners)  # fmt: skip
    assert said(run)[-1].startswith(f"{winners} won after {game.num_plies} plies")
    assert said(run)[-1].endswith("; seed 5")
    made = [line for line in said(run) if re.match(r"(Red|Blue|Yellow|Green) \(", line)]
    assert len(made) == game.num_plies
    again = play(capsys, typed, "1\n" * 2000, *arguments, "--seed", "5")
    assert again.out == run.out


def test_number_and_text_are_the_same_move(capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch) -> None:
    """A move by its number, its text, or its text without the card leads to the same game."""
    start = ("--players", "2", "--seed", "7", "--against", "greedy", "--auto-forced")
    first = play(capsys, typed, "2\nquit\n", *start)
    listed = re.findall(r"^ +1  (\S+) +2  (\S+)", first.out, re.MULTILINE)[0]
    for text in (listed[1], listed[1].partition(":")[2]):
        other = play(capsys, typed, f"{text}\nquit\n", *start)
        assert said(other)[-1] == said(first)[-1]
        moves = [[line for line in said(run) if line.startswith("Red (you)")] for run in (first, other)]
        assert moves[0] == moves[1]
        assert moves[0][-1].startswith(f"Red (you): {listed[1]}")


def test_opponents_sit_in_turn(capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch) -> None:
    """Several opponents take the other seats in turn round the table, a single one takes all."""
    run = play(capsys, typed, "", "--you", "blue", "--against", "random", "greedy", "race", "--seed", "1")
    for line in ("Red    random", "Blue   you", "Yellow greedy", "Green  race"):
        assert line in run.out
    run = play(capsys, typed, "", "--against", "random", "--seed", "1")
    assert run.out.count("random │") == 0
    assert all(f"{color:<7}random" in run.out for color in ("Blue", "Yellow", "Green"))


def test_champion_is_the_default(capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch) -> None:
    """The champion plays and gives hints where one is shipped for the rules; else greedy, and a hint says why not."""
    run = play(capsys, typed, "hint\n", "--players", "2", "--seed", "1")
    assert "Yellow champion" in run.out
    assert "Chance to win after each move, by champion:" in said(run)
    run = play(capsys, typed, "hint\n", "--rules", "edition-1939:players=2", "--seed", "1")
    assert "Yellow greedy" in run.out
    assert any(line.startswith("no hints (champion: none is shipped for the rules 'edition-1939") for line in said(run))
    run = play(capsys, typed, "", "--rules", "edition-1939:players=2", "--seed", "1", "--hints-always")
    assert sum(line.startswith("no hints (champion: none is shipped") for line in said(run)) == 1
    run = play(capsys, typed, "hint\n", "--players", "2", "--seed", "1", "--hints", "none")
    assert "no hints: --hints none was given" in said(run)


def test_only_moves(capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch) -> None:
    """An only move waits for Enter, or is played at once with --auto-forced."""
    start = ("--players", "2", "--seed", "1", "--against", "greedy")
    run = play(capsys, typed, "\n", *start)
    assert run.out.count("Your only move: pass") == 2
    assert "Red (you): drew 8, pass" in said(run)
    run = play(capsys, typed, "", *start, "--auto-forced")
    assert "only move" not in run.out
    asked = [line for line in said(run) if "your move" in line]
    assert len(asked) == 1
    assert "(1 to " in asked[0]


def test_a_newcomer_is_told(capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch) -> None:
    """Before the first prompt, once: what a move's text means, and how only moves are played unasked."""
    start = ("--players", "2", "--seed", "1", "--against", "greedy")
    run = play(capsys, typed, "\n\n", *start)
    assert run.out.count("1:S>4 is card 1, from Start to square 4") == 1
    assert run.out.count("auto (or --auto-forced) plays it unasked") == 1
    assert run.out.index("--auto-forced") < run.out.index("your move")
    assert "--auto-forced)" not in play(capsys, typed, "\n", *start, "--auto-forced").out


def test_auto(capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch) -> None:
    """`auto` plays the only move that waits and all later ones unasked, and asks again when typed again."""
    start = ("--players", "2", "--seed", "1", "--against", "greedy")
    run = play(capsys, typed, "auto\n", *start)
    unasked = play(capsys, typed, "", *start, "--auto-forced")
    assert run.out.count("Your only move") == 1
    assert [line for line in said(run) if line.startswith("Red (you)")] == [
        line for line in said(unasked) if line.startswith("Red (you)")
    ]
    assert "Only moves wait for Enter." in said(play(capsys, typed, "auto\nauto\n", *start))


# --- Commands ---


def test_hints(tmp_path: Path, capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch) -> None:
    """A hint ranks every legal move by its number, the winning one first with 100 %; --hints-always asks for none."""
    file = saved_position(tmp_path / "start.txt", "R:58,H,H,H/Y:S,S,S,34 r 10 *", "classic:players=2")
    for keys, more in (("hint\n", ()), ("", ("--hints-always",)), ("", ("--hints-always", "--hints", "champion"))):
        run = play(capsys, typed, keys, "--from", file, *more)
        at = next(k for k, line in enumerate(said(run)) if line.startswith("Chance to win"))
        first, second = said(run)[at + 1 : at + 3]
        assert re.fullmatch(r"  1  10:58>H +100\.0 %", first)
        assert re.fullmatch(r"  2  10:58>57 +\d\d\.\d %  -\d+\.\d", second)
    run = play(capsys, typed, "hint\n1\n", "--from", file)
    assert said(run)[-1].startswith("Red won after 1 plies")


def test_board_moves_and_help(capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch) -> None:
    """`board` and `moves` show again what was shown, `help` and `?` the page, in any case; nothing is played."""
    run = play(capsys, typed, "board\nMOVES\nhelp\n?\n", "--players", "2", "--seed", "1", "--against", "greedy")
    assert run.out.count("┌0──┬") == 2
    assert run.out.count("Your only move: pass") == 2
    assert run.out.count(help_text(80)) == 2
    assert not [line for line in said(run) if line.startswith("Red (you)")]


def test_help_examples_are_moves() -> None:
    """Every example of a move on the help page is one where its position has it."""
    for text, rules, position in (
        ("1:S>4", "classic:players=2", "R:S,S,S,S/Y:S,S,S,S r 1 *"),
        ("5:4>9", "classic:players=2", "R:S,S,S,4/Y:S,S,S,S r 5 *"),
        ("7:5>8,20>24", "classic:players=2", "R:S,S,5,20/Y:S,S,S,S r 7 *"),
        ("11:22<>50", "classic:players=2", "R:S,S,S,22/Y:S,S,S,50 r 11 *"),
        ("X:S>32", "classic:players=2", "R:S,S,S,S/Y:S,S,S,32 r X *"),
        ("1:YS>34", "teams", "R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S r 1 *"),
    ):
        assert text in help_text(80)
        assert text in Position.parse(position, rules).legal_moves()


def test_undo(tmp_path: Path, capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch) -> None:
    """`undo` goes back to before the last choice, past forced moves and other seats, as often as there are choices."""
    file = tmp_path / "game.txt"
    start = ("--players", "2", "--seed", "7", "--against", "greedy", "--auto-forced")
    play(capsys, typed, "save " + str(file) + "\n", *start)
    before = [str(record_of(file).position)]
    for count in (1, 2):
        play(capsys, typed, "1\n" * count + f"save {file}\n", *start)
        before.append(str(record_of(file).position))
    assert len(set(before)) == 3
    for count in (1, 2):
        run = play(capsys, typed, "1\n1\n" + "undo\n" * count + f"save {file}\n", *start)
        assert str(record_of(file).position) == before[2 - count]
    assert said(run)[-1].startswith("Left after ")
    run = play(capsys, typed, "1\n" + "undo\n" * 2, *start)
    assert "undo: you have not chosen a move yet" in said(run)


# --- What goes wrong ---


WORDS = {
    "foo": "move: 'foo' is not written as CARD:PART",
    "99": "move: there is no number 99, they go from 1 to 2",
    "0": "move: there is no number 0, they go from 1 to 2",
    "9" * 5000: "move: there is no number 9999",
    "": "type a move's number, 1 to 2, its text, or help",
    "5:4>9": "move: '5:4>9' is not legal in",
    "4>3,4>5": "move: '4>3,4>5' is not legal in",
    "undo": "undo: you have not chosen a move yet",
    "undo 2": "undo: it stands alone, without '2'",
    "save": "save: name the file",
    "save no/such/folder/game.txt": "save: 'no/such/folder/game.txt': No such file or directory",
    "save .": "save: '.': Is a directory",
    "save \0": "save: '\\x00'",
    "\x1b[A\x07": "move: '\\x1b[A\\x07' is not written",
    "\udcff": "move: '\\udcff' is not written",
}


@pytest.mark.parametrize("text", WORDS)
def test_nonsense_is_answered_in_one_line(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch
) -> None:
    """What is no command and no legal move is answered in one line, nothing is played, and it is asked again."""
    file = saved_position(tmp_path / "start.txt", "R:58,H,H,H/Y:S,S,S,34 r 10 *", "classic:players=2")
    run = play(capsys, typed, f"{text}\n", "--from", file, "--against", "greedy")
    assert (run.code, run.err) == (0, "")
    lines = said(run)
    prompts = [k for k, line in enumerate(lines) if line.startswith("Red, your move (1 to 2, or help): ")]
    assert len(prompts) == 2
    assert prompts[1] - prompts[0] == 2
    assert lines[prompts[0] + 1].startswith(WORDS[text])
    assert lines[-1].startswith("Left after 0 plies, not saved")


def test_what_is_typed_steers_no_terminal(capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch) -> None:
    """What is typed through a pipe stands in the transcript with ? for control characters."""
    run = play(capsys, typed, "\x1b[31mred\x07\x9b\n", "--players", "2", "--seed", "1")
    assert "help): ?[31mred??\n" in run.out
    assert "\x1b" not in run.out


def test_ambiguous_text(tmp_path: Path, capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch) -> None:
    """A text without its card that two cards of the hand would fit is answered with both."""
    position = "R:S,S,S,S/Y:S,S,S,34 r 1.2.3.4.5/1.1.3.4.5 *"
    file = saved_position(tmp_path / "start.txt", position, "points:players=2,pawns_out=0")
    run = play(capsys, typed, "S>4\n", "--from", file)
    assert "move: 'S>4' may be 1:S>4 or 2:S>4; write the card" in said(run)


REFUSED = {
    "--you purple": "--you: 'purple' does not play; who does: red, blue, yellow, green",
    "--you blue --players 2": "--you: 'blue' does not play; who does: red, yellow",
    "--you": "--you: name a colour (red, blue, yellow, green); to look on, use: sorry-env watch",
    "--you red r": "--you: red is named twice",
    "--against greedy random": "--against: 2 given, but Blue, Yellow, Green are to play: give one, or 3",
    "--players 2 --against greedy random": "--against: 2 given, but Yellow is to play: give one",
    "--players 2 --you r y --against greedy": "--against: 1 given, but no seat is left",
    "--against nobody": "no player 'nobody'",
    "--rules edition-1939 --against champion": "champion: none is shipped for the rules 'edition-1939'",
    "--hints greedy": "judge: 'greedy' chooses moves, but knows no chances to win; take champion",
    "--hints expectimax:value=race": "weighs distances, and knows no chances to win; take champion",
    "--from no-such-file.txt": "'no-such-file.txt': No such file",
    "--from pyproject.toml": "not 'sorry-record 1'",
    "--from pyproject.toml --rules teams": "--from: the record says which rules",
    "--save no/such/folder/game.txt": "'no/such/folder/game.txt': No such file",
    "--players 7": "players: 7 is not from 2 to 4",
    "--rules classic:players=99999999999": "players: 99999999999 is not from 2 to 4",
    "--rules classic:players=two": "players: 'two' is not a whole number from 2 to 4",
    "--seed -1": "--seed: '-1' is not a whole number",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_wrong_command_lines(arguments: str, capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch) -> None:
    """Exit code 2, nothing on stdout, one line on stderr that says what was wrong and what would be right."""
    typed.chdir(ROOT)
    run = play(capsys, typed, "", *arguments.split())
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert REFUSED[arguments] in run.err


def test_an_address_in_use() -> None:
    """A port that is taken is told with its address and the reason, each once; no host is not every address."""
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="Address already in use") as caught:
            listen("127.0.0.1", port)
    with pytest.raises(SpecError, match="--host: it is empty; name an address"):
        listen("", 0)
    assert (caught.value.strerror, caught.value.filename) == ("Address already in use", f"127.0.0.1:{port}")


# --- What stays hidden ---


def test_other_hands_stay_hidden(tmp_path: Path, capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch) -> None:
    """Whatever the others hold, a person is shown the same: board, hints, errors; others' hands are question marks."""
    rules = rules_from("points:players=2")
    position = Position.parse("R:S,S,S,4/Y:S,S,S,34 r 1.3.5.7.X/2.4.8.10.12 *", rules)
    other = Position(rules, swapped(position.row, rules, 1))
    assert (other != position, other.hand(0)) == (True, position.hand(0))
    shown = []
    for each in (position, other):
        file = saved_position(tmp_path / "start.txt", str(each), rules.spec())
        keys = "hint\n4>6\nfoo\nboard\nmoves\nsave\nundo\n"
        shown.append(play(capsys, typed, keys, "--from", file, "--hints", "expectimax:depth=1").out)
    assert shown[0] == shown[1]
    assert "1 3 5 7 X" in shown[0]
    assert re.search(r"Yellow champion.*\n.* {3}\? ", shown[0])
    assert "2.4.8.10.12" not in shown[0]


def test_two_people_and_their_hands(capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch) -> None:
    """With several people a hand is shown after Enter only, and then only the one of who is next."""
    arguments = ("--rules", "points:players=2", "--you", "red", "yellow", "--seed", "1")
    run = play(capsys, typed, "\n1\n\n", *arguments)
    parts = re.split(r"(Red|Yellow) \(you\) is next; Enter shows the hand: ", run.out)
    assert len(parts) == 5
    assert parts[1] != parts[3]
    for part in (parts[2], parts[4]):
        assert part.count("?") == 1
    assert "your move" not in parts[0]


def test_commands_before_a_hand_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], typed: pytest.MonkeyPatch
) -> None:
    """Before Enter shows a hand commands are obeyed that do not show it, and what would is answered in one line."""
    arguments = ("--rules", "points:players=2", "--you", "red", "yellow", "--seed", "1")
    file = tmp_path / "game.txt"
    run = play(capsys, typed, f"help\nhint\nboard\n1\nundo\nsave {file}\nquit\n\n", *arguments)
    assert run.code == 0
    assert help_text(80) in run.out
    assert run.out.count("Enter shows the hand first; until then: ") == 3
    assert "undo: you have not chosen a move yet" in said(run)
    assert record_of(file).num_plies == 0
    assert "┌" not in run.out
    assert said(run)[-1].startswith("Left after 0 plies")
    run = play(capsys, typed, "\n1\nundo\n", *arguments)
    assert re.findall(r"(\w+) \(you\) is next", run.out) == ["Yellow", "Red", "Yellow"]


# --- Replays with values ---


def test_replay_with_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each frame has a bar a side, the last 100 % for who has won; the table's mistakes are sorted and replayable."""
    file = tmp_path / "game.txt"
    Run(capsys, "watch", "random", "--players", "2", "--seed", "4", "--save", str(file))
    game = record_of(file)
    run = Run(capsys, "replay", str(file), "--values")
    assert (run.code, run.err) == (0, "")
    bars = re.findall(r"^(Red|Yellow) +([#.]{40}) +(\d+\.\d) %$", run.out, re.MULTILINE)
    assert len(bars) == 2 * (game.num_plies + 1)
    for one, other in zip(bars[::2], bars[1::2], strict=True):
        assert float(one[2]) + float(other[2]) == pytest.approx(100, abs=0.11)
        assert one[1].count("#") == pytest.approx(0.4 * float(one[2]), abs=0.6)
    assert [float(bar[2]) for bar in bars[-2:]] == [100.0 * (seat in game.winners) for seat in range(2)]
    head, *rows = run.out.split("The biggest mistakes, by expectimax:depth=1:\n")[1].splitlines()
    assert head.split("  ")[0] == "ply"
    plies = [(position, event) for position, event in game.history if not event.startswith("draw ")]
    lost = []
    for row in rows:
        ply, who, card, played, better, loss, _ = row.split()
        position, event = plies[int(ply) - 1]
        assert (who, card, played) == (("Red", "Yellow")[position.mover], position.card, event)
        assert better in position.legal_moves()
        lost.append(float(loss))
    assert lost == sorted(lost, reverse=True)
    assert len(lost) == 10


def test_replay_values_by_a_player(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--values takes who judges; who knows no chances, and rules without a champion, are refused in one line."""
    file = tmp_path / "game.txt"
    Run(capsys, "watch", "greedy", "--rules", "teams", "--seed", "4", "--save", str(file))
    run = Run(capsys, "replay", str(file), "--values", "champion")
    assert "Red and Yellow  " in run.out
    assert "by champion" in run.out
    for values, words in (("greedy", "knows no chances"), ("no.onnx", "no file 'no.onnx'")):
        run = Run(capsys, "replay", str(file), "--values", values)
        assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
        assert words in run.err
    Run(capsys, "watch", "greedy", "--rules", "edition-1939", "--seed", "4", "--save", str(file))
    run = Run(capsys, "replay", str(file), "--values")
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert re.search("champion: none is shipped .*; --values PLAYER names another judge", run.err)


def test_bars() -> None:
    """A bar is as long as the chance, names are padded, a team is one side."""
    assert chance_bars(rules_from("classic:players=2"), (0.25, 0.75)) == [
        "Red     " + "#" * 10 + "." * 30 + "   25.0 %",
        "Yellow  " + "#" * 30 + "." * 10 + "   75.0 %",
    ]
    assert [bar[:16] for bar in chance_bars(rules_from("teams"), (1, 0, 1, 0))] == [
        "Red and Yellow  ",
        "Blue and Green  ",
    ]
