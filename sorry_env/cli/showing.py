"""`sorry-env watch` and `sorry-env replay`: a game in the terminal, a frame a ply."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from sorry_env.board import COLOR_NAMES
from sorry_env.errors import SpecError
from sorry_env.game import Game
from sorry_env.players import Player, load_player
from sorry_env.position import Position, Positions
from sorry_env.record import MAX_RECORD_CHARS, read_record
from sorry_env.rendering import HEIGHT, WIDTH, is_terminal, render_ansi, takes_boxes, use_color
from sorry_env.rules import Rules, rules_from

TERMINAL_DELAY: Final = 0.5


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
    seed = secrets.randbits(32) if seed is None else seed
    game = Game(record, seed)
    screen = Screen(delay, [player.name for player in seated])
    with contextlib.ExitStack() as finally_do:
        if save is not None:
            file = finally_do.enter_context(Path(save).open("w", encoding="utf-8", newline="\n"))
            finally_do.callback(lambda: file.write(game.record()))
        last_move = None
        for move in play_moves(game, seated, seed):
            screen.show(game.position, last_move)
            last_move = f"{color_name(record, game.mover)} {move}"
            game.play(move)
        screen.show(game.position, last_move)
        screen.say(f"{result_text(game)}; seed {seed}")


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
    rng = np.random.default_rng([seed, 1])  # not the stream of the cards
    while not game.is_over:
        asked = Positions(game.rules, game.position.row)
        actions = seated[game.mover].act(game.observation()[None], game.legal_mask()[None], rng, asked)
        legal = dict(zip(game.legal_actions(), game.legal_moves(), strict=True))
        yield legal[int(actions[0])]


def run_replay(file: str, delay: float | None) -> None:
    """Shows a record.

    Raises:
        SorryError: a file that is not a record, or whose moves are not legal.
        OSError: a file that cannot be read.
    """
    with Path(file).open(encoding="utf-8", errors="replace", newline="") as text:
        game = read_record(text.read(MAX_RECORD_CHARS + 1))
    screen = Screen(delay)
    last_move = None
    for position, event in game.history:
        if not event.startswith("draw "):
            screen.show(position, last_move)
            last_move = f"{color_name(game.rules, position.mover)} {event}"
    screen.show(game.position, last_move)
    screen.say(result_text(game))


def color_name(rules: Rules, seat: int) -> str:
    """The colour of a seat, as text for people."""
    return COLOR_NAMES[rules.color_ids[seat]].capitalize()


def result_text(game: Game) -> str:
    """Who has won after how many plies, and the points where the game is scored by points (RULES 5.7)."""
    winners = " and ".join(color_name(game.rules, seat) for seat in game.winners)
    text = f"{winners} won after {game.num_plies} plies" if winners else f"not over after {game.num_plies} plies"
    if game.rules.scoring == "points" and winners:
        text += "; points: " + ", ".join(
            f"{color_name(game.rules, seat)} {points}" for seat, points in enumerate(game.points())
        )
    return text


class Screen:
    """Frames on stdout: over one another on a terminal that is large enough, else one after another.

    Args:
        delay: pause after each frame in seconds; None for the default.
        seat_names: one name a seat to show beside the colours.
    """

    def __init__(self, delay: float | None, seat_names: Sequence[str] | None = None) -> None:
        self._names = seat_names
        terminal = is_terminal(sys.stdout)
        self._delay = TERMINAL_DELAY * terminal if delay is None else delay
        size = shutil.get_terminal_size()
        self._over = terminal and size.lines > HEIGHT + 1 and size.columns >= WIDTH
        self._shown = 0
        if terminal and not self._over:
            self.say(f"The board needs {HEIGHT + 2} lines of {WIDTH} columns, here are {size.lines} of {size.columns}.")

    def show(self, position: Position, last_move: str | None) -> None:
        """One frame, and the pause after it."""
        if self._shown:
            time.sleep(self._delay)
        color, ascii_only = use_color(sys.stdout), not takes_boxes(sys.stdout)
        board = render_ansi(position, color=color, ascii_only=ascii_only, seat_names=self._names, last_move=last_move)
        if self._over:
            clear = "" if self._shown else "\x1b[2J"
            board = f"{clear}\x1b[H" + board.replace("\n", "\x1b[K\n") + "\x1b[K\n\x1b[J"
        elif self._shown:
            board = f"\n{board}\n"
        else:
            board += "\n"
        self._shown += 1
        self._write(board)

    def say(self, text: str) -> None:
        """A line below."""
        self._write(f"{text}\n")

    def _write(self, text: str) -> None:
        encoding = sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
        sys.stdout.flush()
