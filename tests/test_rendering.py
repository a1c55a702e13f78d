"""The board in a terminal: parsed back, for every square and rule set, with colours and without."""

from __future__ import annotations

import io
import random
import re

import pytest

from sorry_env.board import COLORS
from sorry_env.game import Game
from sorry_env.position import Position
from sorry_env.rendering import is_terminal, render_ansi, takes_boxes, use_color

ANSI = re.compile(r"\x1b\[[0-9;]*m")
PAWN = re.compile(r"\(([RBYG])\)")
RULE_SETS = (
    "classic",
    "classic:players=2",
    "classic:players=3",
    "classic:colors=BG,pawns=1",
    "teams",
    "points",
    "points:players=4,hand_size=9",
    "points:players=2,pawns=2,hand_size=1",
    "team-points:hand_size=7",
    "edition-2013:players=3",
    "mini-1",
)
# RULES 1.1: triangle, squares of the track, end of each side's two slides.
SLIDES = [(color, 15 * color + first, 15 * color + last) for color in range(4) for first, last in ((1, 4), (9, 13))]


def ring_place(square: int) -> tuple[int, int]:
    """Line and column where a pawn on a ring square must stand: worked out by sides, apart from the code."""
    side, along = divmod(square, 15)
    row, column = ((0, along), (along, 15), (15, 15 - along), (15 - along, 0))[side]
    return 2 * row + 1, 3 + 4 * column + 2


def zone_place(color: int, index: int) -> tuple[int, int]:
    """Line and column where a pawn on a zone square must stand."""
    row, column = ((1 + index, 2), (2, 14 - index), (14 - index, 13), (13, 1 + index))[color]
    return 2 * row + 1, 3 + 4 * column + 2


def found_pawns(text: str) -> list[tuple[str, tuple[int, int]]]:
    """Letter, line and column of every pawn on ring and zones."""
    return [
        (match[1], (number, match.start() + 1))
        for number, line in enumerate(text.split("\n"))
        for match in PAWN.finditer(line)
    ]


def one_pawn(color: int, location: str) -> Position:
    """A position with a single pawn outside of Start: the colour's, at a location of RULES 8.1."""
    letter = COLORS[color]
    pawns = "/".join(f"{seat}:S,S,S,{location if seat == letter else 'S'}" for seat in COLORS)
    return Position.parse(f"{pawns} {letter.lower()} - *")


def some_positions(rules: str, seed: int, count: int) -> list[Position]:
    """Positions all along a random game, its end among them."""
    game = Game(rules, seed)
    choice = random.Random(seed)
    positions = [game.position]
    while not game.is_over:
        game.play(choice.choice(game.legal_actions()))
        positions.append(game.position)
    return [*choice.sample(positions[:-1], min(count, len(positions) - 1)), positions[-1]]


@pytest.mark.rule("1.1")
@pytest.mark.parametrize("color", range(4))
def test_ring_squares_are_where_they_belong(color: int) -> None:
    """A pawn on each of the 60 squares is drawn once, as its letter, in the square's cell, whatever the style."""
    for square in range(60):
        position = one_pawn(color, str(square))
        for ascii_only in (False, True):
            text = render_ansi(position, color=False, ascii_only=ascii_only)
            assert found_pawns(text) == [(COLORS[color], ring_place(square))], square
    assert len({ring_place(square) for square in range(60)}) == 60


@pytest.mark.rule("1.2", "1.4")
@pytest.mark.parametrize("color", range(4))
def test_zone_squares_are_where_they_belong(color: int) -> None:
    """A pawn on each zone square of its colour is drawn once in that square's cell, inward from the entrance."""
    for index in range(5):
        text = render_ansi(one_pawn(color, f"s{index}"), color=False)
        assert found_pawns(text) == [(COLORS[color], zone_place(color, index))], index
    entrance, first = ring_place(15 * color + 2), zone_place(color, 0)
    assert abs(entrance[0] - first[0]) + abs(entrance[1] - first[1]) in (2, 4)  # the next cell


def test_every_square_is_labelled_beside_its_cell() -> None:
    """Each ring number and each zone name stands on the outer side of its cell."""
    lines = [line.ljust(71) for line in render_ansi(Game("classic", 0).position, color=False).split("\n")]

    def beside(place: tuple[int, int], side: int, label: str) -> bool:
        line, column = place
        above, right, below, left = (
            lines[max(line - 1, 0)][column - 1 :],
            lines[line][column + 3 :],
            lines[min(line + 1, 32)][column - 1 :],
            lines[line][: column - 2].rstrip(),
        )
        starts = (above.startswith(label), right.startswith(label), below.startswith(label), left.endswith(label))
        return starts[side]

    for square in range(60):
        assert beside(ring_place(square), square // 15, str(square)), square
    for color, side in enumerate((3, 0, 1, 2)):
        for index in range(5):
            assert beside(zone_place(color, index), side, f"s{index}"), (color, index)


@pytest.mark.rule("1.1", "1.5")
def test_slides_are_drawn_on_every_side() -> None:
    """Each of the eight slides shows its triangle, its track and its end, also on sides where nobody sits."""
    lines = render_ansi(Position.parse("R:S/Y:S r - *", "mini-1"), color=False).split("\n")
    for color, first, last in SLIDES:
        line, column = ring_place(first)
        assert lines[line][column] == "►▼◄▲"[color]
        for square in range(first + 1, last):
            line, column = ring_place(square % 60)
            assert lines[line][column] == "━┃━┃"[color]
        line, column = ring_place(last)
        assert lines[line][column] == "●"
    assert "".join(lines).count("●") == 8


def test_colours_only_add_codes() -> None:
    """Without its ANSI codes the coloured board is the plain one, line by line; the plain one has no code at all."""
    for rules in RULE_SETS:
        for position in some_positions(rules, 3, 4):
            plain, colored = render_ansi(position, color=False), render_ansi(position, color=True)
            assert "\x1b" not in plain
            assert ANSI.sub("", colored) == plain
            codes = [ANSI.findall(line) for line in colored.split("\n")]
            assert {line[-1] for line in codes if line} == {"\x1b[0m"}, "a line leaves its colour to the next"


def test_pawns_have_their_colour_behind_them() -> None:
    """A coloured pawn is its letter on a ground of its colour."""
    for color, ground in enumerate(("41", "44", "43", "42")):
        assert re.search(rf"\x1b\[0;\d+;{ground}m\({COLORS[color]}\)", render_ansi(one_pawn(color, "7"), color=True))


@pytest.mark.parametrize("rules", RULE_SETS)
def test_all_positions_fit_and_show_all_pawns(rules: str) -> None:
    """Any position of any rule set is 33 lines of at most 71 columns with every pawn at its place or counted."""
    for position in some_positions(rules, 5, 12):
        for shown in (position, position.seen_by(position.mover)):
            names = ["a-rather-long-name-of-a-player"] * position.rules.players
            text = render_ansi(shown, color=False, seat_names=names, last_move="Green 7:Y20>25,BY40>44 and more")
            lines = text.split("\n")
            assert len(lines) == 33
            assert max(map(len, lines)) <= 71
            assert sorted(found_pawns(text)) == sorted(expected_pawns(position))
            places = [place for seat in range(position.rules.players) for place in position.pawns(seat)]
            assert sum(map(int, re.findall(r"START (\d)", text))) == places.count("S")
            assert sum(map(int, re.findall(r"HOME (\d)", text))) == places.count("H")
            ascii_text = render_ansi(shown, color=False, ascii_only=True)
            assert ascii_text.isascii()
            assert sorted(found_pawns(ascii_text)) == sorted(expected_pawns(position))


def expected_pawns(position: Position) -> list[tuple[str, tuple[int, int]]]:
    """Where the pawns on ring and zones must be found."""
    expected = []
    for seat, color in enumerate(position.rules.color_ids):
        for place in position.pawns(seat):
            if place not in ("S", "H"):
                at = zone_place(color, int(place[1:])) if place[0] == "s" else ring_place(int(place))
                expected.append((COLORS[color], at))
    return expected


def test_start_and_home_show_counts_and_letters() -> None:
    """Start and Home have their count and as many letters; colours that are not seated have neither."""
    text = render_ansi(Position.parse("R:S,S,4,H/Y:S,H,H,H r 5 *", players=2), color=False)
    assert re.search(r"START 2 .*\n.*R R · ·", text)
    assert re.search(r"HOME 1 .*\n.*R · · ·", text)
    assert re.search(r"START 1 .*\n.*Y · · ·", text)
    assert re.search(r"HOME 3 .*\n.*Y Y Y ·", text)
    assert len(re.findall(r"START \d", text)) == 2
    assert all(name in text for name in ("RED", "BLUE", "YELLOW", "GREEN"))


def test_draw_game_panel() -> None:
    """The middle shows the drawn card, the mover, the last move, and pile and discards card by card."""
    position = Position.parse("R:S,S,S,4/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S b X 44343444443")
    text = render_ansi(position, color=False, last_move="Red 1:S>4")
    assert "│Sorry!│ Blue to move" in text
    assert "Last: Red 1:S>4" in text
    assert "Draw pile 41, discards 3" in text
    assert "card 1 2 3 4 5 7 8 10 11 12 X" in text
    assert "left 4 4 3 4 3 4 4  4  4  4 3" in text
    assert "gone 1 0 1 0 1 0 0  0  0  0 0" in text
    awaiting = render_ansi(Position.parse("R:S,S,S,4/Y:S,S,S,S r - *", players=2), color=False)
    assert "Red draws" in awaiting
    assert "each card from a full deck" in render_ansi(Game("mini-1", 1).position, color=False).lower()


def test_hand_game_panel_hides_what_is_unknown() -> None:
    """Known hands are listed, unknown ones are `?`, and the unseen cards are called so."""
    text = "R:S,S,S,4/B:S,S,S,19/Y:S,S,S,34 b ?/1.2.7.11.X/? *"
    shown = render_ansi(Position.parse(text, "points", players=3), color=False)
    assert re.search(r"Red +\? ", shown)
    assert re.search(r"► Blue +1 2 7 11 X", shown)
    assert re.search(r"Yellow +\? ", shown)
    assert "Unseen 40, discards 0" in shown
    full = render_ansi(Position.parse(text.replace("?", "3.3.4.4.5"), "points", players=3, deck="55"), color=False)
    assert "Draw pile 40, discards 0" in full
    assert full.count("3 3 4 4 5") == 2


def test_partners_and_winners_are_named() -> None:
    """In teams the partner is named beside the mover, at the end all winners are."""
    teams = "R:S,S,S,4/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S y 1 *"
    text = render_ansi(Position.parse(teams, "teams"), color=False)
    assert "Yellow to move" in text
    assert "(with Red)" in text
    end = "R:H,H,H,H/B:S,S,S,S/Y:H,H,H,H/G:S,S,S,S y - *"
    assert "*** Red and Yellow won ***" in render_ansi(Position.parse(end, "teams"), color=False)
    alone = "R:H,H,H,H/Y:S,S,S,S r - *"
    assert "*** Red won the game ***" in render_ansi(Position.parse(alone, players=2), color=False)


def test_names_are_shown_as_printable_text() -> None:
    """Names stand beside the colours; control characters in them never reach the terminal."""
    position = Game("classic:players=2", 1).position
    text = render_ansi(position, color=False, seat_names=["gre\x1b[2Jedy", "ran\ndom"], last_move="a\x07b")
    assert "gre?[2Jedy" in text
    assert "ran?dom" in text
    assert "a?b" in text
    assert len(text.split("\n")) == 33
    assert render_ansi(position, color=False, seat_names=["é", "ü"], ascii_only=True).isascii()
    with pytest.raises(ValueError, match="3 names for 2 seats"):
        render_ansi(position, color=False, seat_names=["a", "b", "c"])


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


def test_use_color_honours_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colour needs a terminal that is not dumb and no NO_COLOR with a value."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert use_color(Terminal())
    assert not use_color(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "")
    assert use_color(Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not use_color(Terminal())
    assert is_terminal(Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not use_color(Terminal())
    assert not is_terminal(Terminal())


def test_takes_boxes_asks_the_encoding() -> None:
    """Box characters need an encoding that has them all."""
    for encoding, takes in (("utf-8", True), ("ascii", False), ("latin-1", False)):
        assert takes_boxes(io.TextIOWrapper(io.BytesIO(), encoding=encoding)) is takes
    assert takes_boxes(io.StringIO())
