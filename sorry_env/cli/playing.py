"""`sorry-env play`: a game in the terminal against players, or between people."""

from __future__ import annotations

import contextlib
import importlib
import io
import secrets
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sorry_env.analysis import DEFAULT_JUDGE, Judge, MoveValue
from sorry_env.board import COLOR_NAMES, COLORS
from sorry_env.cli.compiling import announce_compiling
from sorry_env.cli.help_text import help_text
from sorry_env.cli.showing import Screen, color_name, open_record, players_stream, result_text
from sorry_env.errors import IllegalError, MalformedError, SorryError, SpecError, printable
from sorry_env.files import write_text
from sorry_env.game import Game
from sorry_env.players import Player, choose_move, load_player
from sorry_env.players.value import fitting_champions
from sorry_env.position import Position
from sorry_env.rules import Rules, rules_from

NO_HINTS: Final = "none"
DEFAULT_OPPONENT: Final = "greedy"  # where no champion is shipped for the rules
YOU: Final = "you"

NEW_HERE: Final = """\
A move's text says card, from and to: 1:S>4 is card 1, from Start to square 4. help tells more."""
ONLY_MOVES: Final = """\
An only move, such as pass, waits for Enter; auto (or --auto-forced) plays it unasked."""


def run_play(
    you: Sequence[str] | None,
    against: Sequence[str] | None,
    rules: str | None,
    players: int | None,
    seed: int | None,
    hints: str | None,
    hints_always: bool,
    auto_forced: bool,
    save: str | None,
    from_file: str | None,
    delay: float | None,
) -> None:
    """Plays a game with whoever sits at the terminal.

    Raises:
        SorryError: rules, colours, players or a record that make no sense.
        OSError: a file that cannot be read or written.
        KeyboardInterrupt: after it was said how to go on.
    """
    _prepare_input()
    announce_compiling()
    seed = secrets.randbits(32) if seed is None else seed
    game = _begin(rules, players, seed, from_file)
    humans = human_seats(you, game.rules)
    seated = seat_opponents(against, humans, game.rules)
    judge = _open_judge(hints, game.rules)
    names = [YOU if player is None else player.name for player in seated]
    again = _options(you=you, against=against, hints=hints, hints_always=hints_always, delay=delay)
    table = _Table(game, seated, judge, Screen(delay, names, over=False), again, auto_forced, hints_always, save)
    table.play(seed)


def _prepare_input() -> None:
    """Lets a terminal's line be edited, and bytes that are no text be read as something that is no move.

    Raises:
        SorryError: there is no input.
    """
    if sys.stdin is None:  # what Python makes of a closed descriptor
        raise SorryError("play: standard input is closed; moves are read from there (or use --web)")
    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            importlib.import_module("readline")
    if isinstance(sys.stdin, io.TextIOWrapper):  # a file or a terminal, not what a program puts in its place
        sys.stdin.reconfigure(errors="replace")


def _options(**given: Sequence[str] | str | float | bool | None) -> list[str]:
    """Options as they are written on a command line, without those that were not given."""
    written: list[str] = []
    for name, value in given.items():
        if value is None or value is False:
            continue
        written.append(f"--{name.replace('_', '-')}")
        if value is not True:
            written += [f"{value:g}"] if isinstance(value, float) else [value] if isinstance(value, str) else value
    return written


def _begin(rules: str | None, players: int | None, seed: int, from_file: str | None) -> Game:
    """A new game, or a record's, whose coming cards are the seed's."""
    if from_file is None:
        return Game(rules_from(rules or "classic", players=players), seed)
    if rules is not None or players is not None:
        raise SpecError("--from: the record says which rules and how many players; leave out --rules and --players")
    game = open_record(from_file).copy(seed)
    game.explicit_chance = False
    while game.awaits_card:
        game.draw()
    return game


def human_seats(you: Sequence[str] | None, rules: Rules) -> list[int]:
    """The seats of colours, by name or letter; by default the first. Raises SpecError."""
    seated = [color_name(rules, seat).lower() for seat in range(rules.players)]
    if you is None:
        return [0]
    if not you:
        raise SpecError(f"--you: name a colour ({', '.join(seated)}); to look on, use: sorry-env watch")
    seats: list[int] = []
    for name in you:
        full = COLOR_NAMES[COLORS.index(name.upper())] if name.upper() in list(COLORS) else name.lower()
        if full not in seated:
            raise SpecError(f"--you: {name[:40]!r} does not play; who does: {', '.join(seated)}")
        if seated.index(full) in seats:
            raise SpecError(f"--you: {full} is named twice")
        seats.append(seated.index(full))
    return sorted(seats)


def seat_opponents(against: Sequence[str] | None, humans: Sequence[int], rules: Rules) -> list[Player | None]:
    """Who plays each seat, None for people: one player for all others, or one each, in turn round the table.

    Raises:
        SpecError, PolicyError: players that do not exist, do not play the rules, or do not fit the seats.
    """
    others = [seat for seat in range(rules.players) if seat not in humans]
    colors = ", ".join(color_name(rules, seat) for seat in others)
    if against is not None and len(against) not in ({1, len(others)} if others else {0}):
        wanted = f"{colors} {'is' if len(others) == 1 else 'are'} to play: give one" if others else "no seat is left"
        more = f", or {len(others)}" if len(others) > 1 else ""
        raise SpecError(f"--against: {len(against)} given, but {wanted}{more}")
    specs = list(against or [DEFAULT_JUDGE if fitting_champions(rules) else DEFAULT_OPPONENT])
    loaded = [load_player(spec, rules) for spec in specs] if others else []
    seated: list[Player | None] = [None] * rules.players
    for k, seat in enumerate(others):
        seated[seat] = loaded[k % len(loaded)]
    return seated


def _open_judge(hints: str | None, rules: Rules) -> Judge | str:
    """Who gives hints, or why nobody does. Raises SorryError where the one that is asked for does not fit."""
    if hints == NO_HINTS:
        return "no hints: --hints none was given"
    try:
        return Judge(hints or DEFAULT_JUDGE, rules)
    except SorryError as error:
        if hints is not None:
            raise
        return f"no hints ({error}); --hints PLAYER names who gives them"


class _Left(Exception):  # noqa: N818  # no error
    """The person ends the game."""


@dataclass
class _Table:
    """A game, who sits round it, and the talk with those at the terminal.

    Attributes:
        game: the game.
        seated: who plays each seat, None for people.
        judge: who gives hints, or why nobody does.
        screen: where all is written.
        again: options that a game that goes on needs, but --auto-forced and --save.
        auto_forced: whether only moves are played without asking.
        hints_always: whether hints come unasked.
        save: the record's file.
        last_move: who made which move last.
        is_greeted: whether a newcomer was told what a move's text means.
    """

    game: Game
    seated: list[Player | None]
    judge: Judge | str
    screen: Screen
    again: list[str]
    auto_forced: bool
    hints_always: bool
    save: str | None
    last_move: str | None = None
    is_greeted: bool = False

    def play(self, seed: int) -> None:
        """The whole game.

        Raises:
            OSError: the game cannot be saved, before it begins or once it has ended.
            KeyboardInterrupt: after it was said how to go on.
        """
        rng = players_stream(seed)
        self._store()  # now, not after an hour of play
        if self.hints_always and not isinstance(self.judge, Judge):
            self.screen.say(printable(self.judge))
        try:
            while not self.game.is_over:
                player = self.seated[self.game.mover]
                if player is None:
                    self._ask()
                else:
                    self._make(choose_move(self.game, player, rng))
                    self.screen.pause()
        except _Left:
            self._part()
        except KeyboardInterrupt:
            self.screen.say("")
            self._part()
            raise
        else:
            self.screen.show(self.game.position, self.last_move)
            self.screen.say(f"{result_text(self.game)}; seed {seed}")
        finally:
            self._store()

    def _make(self, move: str) -> None:
        """Plays a move and says so."""
        before = self.game.position
        self.game.play(move)
        drew = f"drew {before.card}, " if before.card and move == "pass" else ""
        self.last_move = f"{color_name(before.rules, before.mover)} {move}"
        self.screen.say(f"{self._who(before.mover)}: {drew}{move}{_sent_back(before, self.game.position)}")

    def _who(self, seat: int) -> str:
        player = self.seated[seat]
        return f"{color_name(self.game.rules, seat)} ({YOU if player is None else player.name})"

    def _store(self) -> None:
        """Saves the game, where it is saved at all. Raises OSError, ValueError (a null character in the name)."""
        if self.save is not None:
            write_text(Path(self.save), self.game.record())

    def _keep(self) -> bool:
        """Saves the game and returns whether that was possible; if not it is said in one line, and the game goes on."""
        try:
            self._store()
        except OSError as error:
            self.screen.say(f"Not saved: {self.save!r}: {error.strerror}; save FILE keeps the game elsewhere")
            return False
        return True

    def _part(self) -> None:
        """Says where the game stands and how it goes on."""
        plies = "1 ply" if self.game.num_plies == 1 else f"{self.game.num_plies} plies"
        if self.save is None:
            self.screen.say(f"Left after {plies}, not saved; --save FILE, or save FILE at the prompt, keeps a game.")
            return
        saved = "" if self._keep() else ", the last ones not saved"
        options = [*self.again, *(["--auto-forced"] if self.auto_forced else []), "--save", self.save]
        command = shlex.join(["sorry-env", "play", "--from", self.save, *options])
        self.screen.say(f"Left after {plies}{saved}; to go on, other cards to come: {command}")

    # --- A person's decision ---

    def _ask(self) -> None:
        """One decision of a person: shows it, and obeys until a move is made or taken back."""
        self._keep()
        if self.auto_forced and len(self.game.legal_actions()) == 1:
            self._make(self.game.legal_moves()[0])
            return
        if self.game.rules.hand_size and self.seated.count(None) > 1:
            self.screen.clear()
            while text := self._read(f"{self._who(self.game.mover)} is next; Enter shows the hand: "):
                if self._obey(text, is_hidden=True):
                    return
        self._show_board()
        self._show_moves()
        self._greet()
        while not self._obey(self._read(self._prompt())):
            pass

    @property
    def _view(self) -> Position:
        """The position as the person on move may know it."""
        return self.game.position.seen_by(self.game.mover)

    def _prompt(self) -> str:
        color, count = color_name(self.game.rules, self.game.mover), len(self.game.legal_actions())
        return f"{color}, your move ({'Enter' if count == 1 else f'1 to {count}'}, or help): "

    def _read(self, prompt: str) -> str:
        """What is typed; raises _Left at the end of input."""
        try:
            text = input(prompt)
        except EOFError:
            self.screen.say("")
            raise _Left from None
        if not sys.stdin.isatty():
            self.screen.say(printable(text))  # so that a transcript reads as a session does
        return text.strip()

    def _greet(self) -> None:
        """Says once what a newcomer does not know."""
        if not self.is_greeted:
            self.screen.say(NEW_HERE if self.auto_forced else f"{NEW_HERE}\n{ONLY_MOVES}")
        self.is_greeted = True

    def _obey(self, text: str, is_hidden: bool = False) -> bool:
        """Does what is asked and returns whether the decision is done with; a hidden hand stays hidden."""
        word, _, rest = text.partition(" ")
        commands: dict[str, Callable[[], bool | None]] = {
            "help": self._show_help, "?": self._show_help, "undo": self._undo, "auto": self._switch_auto,
            "quit": self._quit, "q": self._quit, "exit": self._quit,
        }  # fmt: skip
        if not is_hidden:
            commands |= {"hint": self._show_hints, "board": self._show_board, "moves": self._show_moves}
        try:
            if word.lower() == "save":
                return self._save_as(rest.strip())
            if word.lower() in commands:
                if rest:
                    raise MalformedError(f"{word.lower()}: it stands alone, without {rest[:40]!r}")
                return bool(commands[word.lower()]())
            if is_hidden:
                raise IllegalError("Enter shows the hand first; until then: help, undo, auto, save FILE, quit")
            return self._make_typed(text)
        except SorryError as error:
            self.screen.say(printable(str(error)))
            return False

    def _make_typed(self, text: str) -> bool:
        """Plays a move by its number or text, or the only one. Raises SorryError for what is none."""
        moves = self._view.legal_moves()
        if not text and len(moves) > 1:
            raise IllegalError(f"type a move's number, 1 to {len(moves)}, its text, or help")
        if text.isascii() and text.isdigit():
            if not (len(text) < 6 and 1 <= int(text) <= len(moves)):
                raise IllegalError(f"move: there is no number {text[:40]}, they go from 1 to {len(moves)}")
            move = moves[int(text) - 1]
        else:  # from what may be known: the error shows the position
            action = self._view.parse_move(text) if text else self._view.legal_actions()[0]
            move = dict(zip(self._view.legal_actions(), moves, strict=True))[action]
        self._make(move)
        return True

    def _show_board(self) -> None:
        self.screen.show(self._view, self.last_move)

    def _show_moves(self) -> None:
        """The legal moves with their numbers, in as many columns as fit."""
        moves = self._view.legal_moves()
        if len(moves) == 1:
            self.screen.say(f"Your only move: {moves[0]}")
        elif self.hints_always and isinstance(self.judge, Judge):
            self._show_hints()
        else:
            cells = [f"{number:>3}  {move}" for number, move in enumerate(moves, 1)]
            width = max(map(len, cells)) + 3
            columns = max(1, self.screen.columns // width)
            rows = -(-len(cells) // columns)
            for row in range(rows):
                self.screen.say("".join(f"{cell:<{width}}" for cell in cells[row::rows]).rstrip())

    def _show_hints(self) -> None:
        if not isinstance(self.judge, Judge):
            self.screen.say(printable(self.judge))
            return
        view = self._view
        numbers = {move: number for number, move in enumerate(view.legal_moves(), 1)}
        ranked = self.judge.moves(view)
        self.screen.say(f"Chance to win after each move, by {self.judge.name}:")
        width = max(len(each.move) for each in ranked)
        for each in ranked:
            self.screen.say(_hint_line(each, numbers[each.move], width, view.mover))

    def _undo(self) -> bool:
        """Back to the last decision of a person that was a choice; raises IllegalError where there is none."""
        choices = [
            k
            for k, (position, event) in enumerate(self.game.history)
            if not event.startswith("draw ")
            and self.seated[position.mover] is None
            and len(position.legal_actions()) > 1
        ]
        if not choices:
            raise IllegalError("undo: you have not chosen a move yet")
        while len(self.game.history) > choices[-1]:
            taken = self.game.undo()
        self.last_move = None
        self.screen.say(f"Taken back to before {taken}; the cards to come are other ones.")
        return True

    def _save_as(self, name: str) -> bool:
        if not name:
            raise SpecError("save: name the file, such as: save game.txt")
        before, self.save = self.save, name
        try:
            self._store()
        except (OSError, ValueError) as error:  # a null character in a name is a ValueError
            self.save = before
            raise SpecError(f"save: {name[:80]!r}: {getattr(error, 'strerror', None) or error}") from None
        self.screen.say(f"Saved in {name}, and so it will be as the game goes on.")
        return False

    def _show_help(self) -> None:
        self.screen.say(help_text(self.screen.columns))

    def _switch_auto(self) -> bool:
        """Only moves are played unasked from now on, or asked for again; an only move is then played by _ask."""
        self.auto_forced = not self.auto_forced
        self.screen.say("Only moves are played unasked." if self.auto_forced else "Only moves wait for Enter.")
        return self.auto_forced and len(self.game.legal_actions()) == 1

    def _quit(self) -> bool:
        raise _Left


def _hint_line(value: MoveValue, number: int, width: int, mover: int) -> str:
    less = f"  -{100 * value.loss:.1f}" if value.loss >= 0.0005 else ""
    return f"{number:>3}  {value.move:<{width}}  {100 * value.chances[mover]:5.1f} %{less}"


def _sent_back(before: Position, after: Position) -> str:
    """Whose pawns a move has sent back to Start."""
    told = []
    for seat in range(before.rules.players):
        more = after.pawns(seat).count("S") - before.pawns(seat).count("S")
        if more > 0:
            pawns = "a pawn" if more == 1 else f"{more} pawns"
            told.append(f"{pawns} of {color_name(before.rules, seat)} back to Start")
    return f" ({', '.join(told)})" if told else ""
