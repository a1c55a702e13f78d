"""`sorry-env watch` and `sorry-env replay`: a game in the terminal, a frame a ply."""

from __future__ import annotations

import secrets
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from sorry_env.analysis import GameAnalysis, Judge, critic_of
from sorry_env.board import COLOR_NAMES
from sorry_env.cli.compiling import announce_compiling
from sorry_env.errors import SorryError, SpecError
from sorry_env.files import check_writable, write_text
from sorry_env.game import Game
from sorry_env.players import Player, choose_move, load_player
from sorry_env.position import Position
from sorry_env.record import MAX_RECORD_CHARS, read_record
from sorry_env.rendering import HEIGHT, WIDTH, is_terminal, render_ansi, takes_boxes, use_color
from sorry_env.rules import Rules, rules_from
from sorry_env.values import num_sides

TERMINAL_DELAY: Final = 0.5
BAR: Final = 40  # columns of a whole chance
MOST_MISTAKES: Final = 10
LEAST_SHOWN: Final = 0.0005  # chance that a mistake has lost


def run_watch(
    specs: Sequence[str], rules: str, players: int | None, seed: int | None, delay: float | None, save: str | None
) -> None:
    """Plays one game and shows it; `save` gets its record, also of a game that is broken off.

    Raises:
        SorryError: rules or players that make no sense.
        OSError: `save` cannot be written.
    """
    record = rules_from(rules, players=players)
    seated = seat_players(specs or ["random"], record)
    announce_compiling()
    seed = secrets.randbits(32) if seed is None else seed
    game = Game(record, seed)
    screen = Screen(delay, [player.name for player in seated])
    if save is not None:
        check_writable(Path(save))  # now, not after the game
    try:
        last_move = None
        for move in play_moves(game, seated, seed):
            screen.show(game.position, last_move)
            last_move = f"{color_name(record, game.mover)} {move}"
            game.play(move)
        screen.show(game.position, last_move)
        screen.say(f"{result_text(game)}; seed {seed}")
    finally:
        if save is not None:
            write_text(Path(save), game.record())


def seat_players(specs: Sequence[str], rules: Rules) -> list[Player]:
    """A player for each seat: the specs in turn round the table. Raises SpecError, PolicyError."""
    if rules.players % len(specs):
        raise SpecError(
            f"player: {len(specs)} players given for {rules.players} seats; give one, {rules.players}, or as many as "
            "go round evenly"
        )
    loaded = [load_player(spec, rules) for spec in specs]
    return [loaded[seat % len(loaded)] for seat in range(rules.players)]


def play_moves(game: Game, seated: Sequence[Player], seed: int) -> Iterator[str]:
    """Texts of the moves that the players choose; whoever asks for the next plays the last in the game first."""
    rng = players_stream(seed)
    while not game.is_over:
        yield choose_move(game, seated[game.mover], rng)


def players_stream(seed: int) -> np.random.Generator:
    """What players draw from: another stream than that of the cards."""
    return np.random.default_rng([seed, 1])


def run_replay(file: str, delay: float | None, values: str | None) -> None:
    """Shows a record; with `values`, a player's spec string or "" for the default one, also what it thinks of it.

    Raises:
        SorryError: a file that is not a record, or whose moves are not legal, or a player that knows no chances.
        OSError: a file that cannot be read.
    """
    announce_compiling()
    game = open_record(file)
    analysis = None if values is None else open_judge(values, game.rules).game(game)
    screen = Screen(delay, lines_below=0 if analysis is None else num_sides(game.rules))
    last_move = None
    for ply, (position, move) in enumerate([*game.plies, (game.position, "")]):
        bars = chance_bars(game.rules, analysis.chances[ply]) if analysis else ()
        screen.show(position, last_move, bars)
        last_move = f"{color_name(game.rules, position.mover)} {move}"
    screen.say(result_text(game))
    if analysis:
        screen.say(mistakes_text(game.rules, analysis))


def open_judge(values: str, rules: Rules) -> Judge:
    """The judge that is named, or the default one. Raises SorryError for one that does not judge these rules."""
    try:
        return Judge(values or critic_of(rules), rules)
    except SorryError as error:
        if values:
            raise
        raise type(error)(f"{error}; --values PLAYER names another judge, such as a value network's file") from None


def chance_bars(rules: Rules, chances: Sequence[float]) -> list[str]:
    """A bar a side with its chance to win."""
    sides = num_sides(rules)
    names = [side_name(rules, side) for side in range(sides)]
    width = max(map(len, names))
    return [
        f"{name:<{width}}  {'#' * round(BAR * chances[side]):.<{BAR}}  {100 * chances[side]:5.1f} %"
        for side, name in enumerate(names)
    ]


def mistakes_text(rules: Rules, analysis: GameAnalysis) -> str:
    """The biggest mistakes of a game as a table."""
    told = [mistake for mistake in analysis.mistakes if mistake.loss >= LEAST_SHOWN][:MOST_MISTAKES]
    if not told:
        return f"No mistakes found by {analysis.judge}."
    rows = [("ply", "who", "card", "played", "better", "chance lost")]
    for one in told:
        who = color_name(rules, one.seat)
        rows.append((str(one.ply), who, one.card, one.played, one.better, f"{100 * one.loss:.1f} %"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([f"The biggest mistakes, by {analysis.judge}:", *lines])


def open_record(file: str) -> Game:
    """The game of a record's file. Raises SorryError, OSError."""
    with Path(file).open(encoding="utf-8", errors="replace", newline="") as text:
        return read_record(text.read(MAX_RECORD_CHARS + 1))


def color_name(rules: Rules, seat: int) -> str:
    """The colour of a seat, as text for people."""
    return COLOR_NAMES[rules.color_ids[seat]].capitalize()


def side_name(rules: Rules, side: int) -> str:
    """The colours of a side: a seat, or in the partnership game a team."""
    return " and ".join(color_name(rules, seat) for seat in range(side, rules.players, num_sides(rules)))


def result_text(game: Game) -> str:
    """Who has won after how many plies, and the points where the game is scored by points (RULES 5.7)."""
    winners = " and ".join(color_name(game.rules, seat) for seat in game.winners)
    text = f"{winners} won after {game.num_plies} plies" if winners else f"not over after {game.num_plies} plies"
    if game.rules.scoring == "points" and winners:
        text += "; points: " + ", ".join(
            f"{color_name(game.rules, seat)} {points}" for seat, points in enumerate(game.points())
        )
    return text


def text_frame(position: Position, seat_names: Sequence[str] | None, last_move: str | None) -> str:
    """What a position shows, for a window too narrow for the board: a line a seat, then cards and last move."""
    lines = []
    for seat in range(position.rules.players):
        mark = ">" if seat == position.mover and not position.is_over else " "
        name = f" ({seat_names[seat]})" if seat_names else ""
        lines.append(f"{mark} {color_name(position.rules, seat)}{name}: {' '.join(position.pawns(seat))}")
        hand = position.hand(seat)
        if position.rules.hand_size:
            lines.append(f"    hand: {'?' if hand is None else ' '.join(hand)}")
    if position.card:
        lines.append(f"Card: {position.card}")
    if position.rules.deck != "replacement":
        left = " ".join(f"{card}x{count}" for card, count in position.pile().items() if count)
        lines.append(f"Unseen: {left}" if position.rules.hand_size else f"Draw pile: {left or 'empty'}")
    return "\n".join([*lines, *([f"Last: {last_move}"] if last_move else [])])


class Screen:
    """Frames on stdout: over one another on a terminal that is large enough, else one after another.

    Args:
        delay: pause after each frame in seconds; None for the default.
        seat_names: one name a seat to show beside the colours.
        over: whether frames may be drawn over one another; if not, `pause` makes the pauses, and in a window too narrow
            for the board frames are text.
        lines_below: how many lines each frame has below the board.
    """

    def __init__(
        self,
        delay: float | None,
        seat_names: Sequence[str] | None = None,
        over: bool = True,
        lines_below: int = 0,
    ) -> None:
        self._names = seat_names
        self._terminal = is_terminal(sys.stdout)
        self._delay = TERMINAL_DELAY * self._terminal if delay is None else delay
        self._height = HEIGHT + lines_below
        self._over = over
        self._shown = 0
        self._was_over = False  # whether the last frame was drawn over others
        if over and self._terminal and not self._fits_over():
            size = shutil.get_terminal_size()
            needed = f"{self._height + 2} lines of {WIDTH} columns"
            self.say(f"The board needs {needed}, here are {size.lines} of {size.columns}.")

    @property
    def columns(self) -> int:
        """Width of the window as it is now."""
        return shutil.get_terminal_size().columns

    def _fits_over(self) -> bool:
        size = shutil.get_terminal_size()
        return size.lines > self._height + 1 and size.columns >= WIDTH

    def show(self, position: Position, last_move: str | None, below: Sequence[str] = ()) -> None:
        """One frame, with lines below it, and the pause after it."""
        if self._shown and self._over:
            self.pause()
        board = "\n".join([self._frame(position, last_move), *below])
        draws_over = self._over and self._terminal and self._fits_over()
        if draws_over:
            clear = "" if self._was_over else "\x1b[2J"
            board = f"{clear}\x1b[H" + board.replace("\n", "\x1b[K\n") + "\x1b[K\n\x1b[J"
        elif self._shown:
            board = f"\n{board}\n"
        else:
            board += "\n"
        self._shown += 1
        self._was_over = draws_over
        self._write(board)

    def _frame(self, position: Position, last_move: str | None) -> str:
        if not self._over and self._terminal and self.columns < WIDTH:
            return text_frame(position, self._names, last_move)
        color, ascii_only = use_color(sys.stdout), not takes_boxes(sys.stdout)
        return render_ansi(position, color=color, ascii_only=ascii_only, seat_names=self._names, last_move=last_move)

    def pause(self) -> None:
        """The pause between two frames."""
        time.sleep(self._delay)

    def clear(self) -> None:
        """An empty window, where there is one."""
        if is_terminal(sys.stdout):
            self._write("\x1b[2J\x1b[H")

    def say(self, text: str) -> None:
        """A line below."""
        self._write(f"{text}\n")

    def _write(self, text: str) -> None:
        encoding = sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
        sys.stdout.flush()
