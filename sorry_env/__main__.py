"""The console program `sorry-env`, also `python -m sorry_env`: its command line and what its exit codes say.

Exit codes: 0 done; 2 wrong input, with one line on stderr that says what was wrong; 130 interrupted; 141 nobody reads
the output any more. Commands live in `sorry_env.cli` and are imported when they are run, so that `--help` is instant.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

from sorry_env.errors import SorryError

PROGRAM: Final = "sorry-env"
WRONG_INPUT: Final = 2
INTERRUPTED: Final = 130
NO_READER: Final = 141
LONGEST_DELAY: Final = 3600.0
HIGHEST_PORT: Final = 65535

_EXAMPLES: Final = """\
examples:
  sorry-env play --players 2 --against champion
  sorry-env play --web
  sorry-env watch greedy random --players 2 --seed 1
  sorry-env moves "R:S,S,S,4/Y:S,S,S,S r 5 *"
  sorry-env perft "R:S,S,S,S/Y:S,S,S,S r - *" 4 --divide
  sorry-env trace --rules points --players 3 --games 10 --seed 7 > games.jsonl
  sorry-env solve mini-1

RULES is a rule set's name, with options after a colon: classic, teams, points, team-points, edition-1939, edition-2013,
mini-1, mini-2; classic:players=2,slide_on=own
POSITION is text: PAWNS MOVER CARDS PILE.
PLAYER is random, greedy, race, solitaire, champion, expectimax:depth=1, perfect (of games that were solved),
name:option=value, or the path of a policy file.
"""


class _UsageError(Exception):
    """A command line that cannot be read."""


class _Parser(argparse.ArgumentParser):
    """Tells of errors in one line, and of nothing by abbreviation."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        raise _UsageError(f"{message} (see {self.prog} --help)")


class _Version(argparse.Action):
    """Prints the versions and ends."""

    def __init__(self, **options: Any) -> None:
        super().__init__(nargs=0, **(options | {"dest": argparse.SUPPRESS, "default": argparse.SUPPRESS}))

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from sorry_env.cli.versions import version_lines

        print("\n".join(version_lines()))
        parser.exit()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        argv: the command line without the program's name; by default the process's own.

    Returns:
        The exit code.
    """
    try:
        options = vars(_parser().parse_args(argv))
        run: Callable[..., None] = options.pop("run")
        run(**options)
        sys.stdout.flush()
    except SystemExit as end:  # argparse ends --help and --version so
        return int(end.code or 0)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _discard_output()
        return NO_READER
    except OSError as error:
        where = f"{str(error.filename)!r}: " if error.filename is not None else ""
        return _complain(f"{where}{error.strerror or error}", WRONG_INPUT)
    except (_UsageError, SorryError) as error:
        return _complain(str(error), WRONG_INPUT)
    return 0


def _complain(message: str, code: int) -> int:
    line = "".join(char if char.isprintable() else " " for char in message)
    with contextlib.suppress(OSError):
        print(f"{PROGRAM}: {line}", file=sys.stderr)
    return code


def _discard_output() -> None:
    """Makes the interpreter's last flush of stdout succeed although its reader is gone."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --- The command line ---


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        description="Positions, counts and games of Sorry! on the command line.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, help="print the versions of all that takes part, and end")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    for add in (_add_play, _add_watch, _add_replay, _add_moves, _add_perft, _add_trace, _add_solve):
        add(commands)
    return parser


def _add_play(commands: Any) -> None:
    command = _command(commands, "play", _play, "play a game in the terminal or, with --web, in the browser")
    command.add_argument("--you", nargs="*", metavar="COLOUR", help="what you play, one or several (the first to sit)")
    command.add_argument(
        "--against",
        nargs="+",
        metavar="PLAYER",
        help="who plays the other seats, one for all or one each (champion where there is one, else greedy)",
    )
    command.add_argument("--rules", help="rule set: a name, options after a colon (classic)")
    command.add_argument("--players", type=_whole, help="how many, 2 to 4 (as the rules say)")
    command.add_argument("--seed", type=_whole, help="seed of cards and players (taken from the system)")
    command.add_argument(
        "--hints",
        metavar="PLAYER",
        help="who tells chances to win: champion, expectimax:depth=1, a value network's file, or none (champion)",
    )
    command.add_argument("--hints-always", action="store_true", help="hints at every move, unasked")
    command.add_argument("--auto-forced", action="store_true", help="your only moves are played without asking")
    command.add_argument("--save", metavar="FILE", help="keep the game's record there, as it goes on; overwrites FILE")
    command.add_argument("--from", dest="from_file", metavar="FILE", help="go on with a record")
    _add_delay(command)
    web = command.add_argument_group("in the browser, where all else is chosen on the page")
    web.add_argument("--web", action="store_true", help="serve the page and open it")
    web.add_argument("--host", help="address to listen at (127.0.0.1: this machine alone)")
    web.add_argument("--port", type=_port, help="port to listen at, 0 for any that is free (8765)")
    web.add_argument("--policies", metavar="FOLDER", help="offer its .onnx files as opponents")
    web.add_argument("--games", metavar="FILE", help="where games are kept (games.sqlite in the user's data folder)")
    web.add_argument("--no-open", action="store_true", help="do not open a browser")


def _add_watch(commands: Any) -> None:
    command = _command(commands, "watch", _watch, "play one game and show it, a frame a ply")
    command.add_argument(
        "specs", nargs="*", default=[], metavar="PLAYER", help="who plays, in turn round the table (random)"
    )
    _add_rules(command)
    command.add_argument("--seed", type=_whole, help="seed of cards and players (taken from the system)")
    _add_delay(command)
    command.add_argument("--save", metavar="FILE", help="write the game's record, as far as it came; overwrites FILE")


def _add_replay(commands: Any) -> None:
    command = _command(commands, "replay", _replay, "show a record, a frame a ply")
    command.add_argument("file", metavar="FILE", help="a record, such as watch --save writes")
    command.add_argument(
        "--values",
        nargs="?",
        const="",
        metavar="PLAYER",
        help="chances to win at every ply and the biggest mistakes, by a player (expectimax:depth=1 on the champion)",
    )
    command.add_argument("--html", metavar="OUT", help="write it as one HTML file instead, with chances and mistakes")
    _add_delay(command)


def _add_moves(commands: Any) -> None:
    command = _command(commands, "moves", _moves, "list the legal moves of a position and the pawns after each")
    command.add_argument("position", metavar="POSITION", help="the four fields in one argument")
    _add_rules(command)
    command.add_argument("--json", action="store_true", dest="as_json", help="one JSON object: position, rules, legal")


def _add_perft(commands: Any) -> None:
    command = _command(commands, "perft", _perft, "count positions to a depth, to check move generators")
    command.add_argument("position", metavar="POSITION", help="the four fields in one argument; cards do not matter")
    command.add_argument("depth", type=_whole, metavar="DEPTH", help="plies")
    _add_rules(command)
    command.add_argument("--divide", action="store_true", help="a line a first move before the total: MOVE COUNT")


def _add_trace(commands: Any) -> None:
    command = _command(commands, "trace", _trace, "play random games and write them as JSON lines")
    _add_rules(command)
    command.add_argument("--games", type=_whole, default=1, help="how many (%(default)s)")
    command.add_argument("--seed", type=_whole, default=0, help="same seed, same bytes (%(default)s)")


def _add_solve(commands: Any) -> None:
    command = _command(commands, "solve", _solve, "solve a small game exactly, for the player perfect")
    command.add_argument("rules", metavar="RULES", help="mini-1 (a moment) or mini-2 (about two minutes, 1 GB)")
    command.add_argument("--out", metavar="FILE", help="where to write the values (the cache folder)")


def _command(commands: Any, name: str, run: Callable[..., None], what: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
    command.set_defaults(run=run)
    return command


def _add_rules(command: argparse.ArgumentParser) -> None:
    command.add_argument("--rules", default="classic", help="rule set: a name, options after a colon (%(default)s)")
    command.add_argument("--players", type=_whole, help="how many, 2 to 4 (as the rules or the position say)")


def _add_delay(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--delay", type=_seconds, metavar="SECONDS", help="pause after each frame (0.5 on a terminal, else none)"
    )


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number from 0")
    return int(text)


def _port(text: str) -> int:
    port = _whole(text)
    if port > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to {HIGHEST_PORT}")
    return port


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= LONGEST_DELAY:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number of seconds from 0 to {LONGEST_DELAY:g}")
    return seconds


# --- The commands ---


_FOR_WEB: Final = ("host", "port", "policies", "games", "no_open")


def _play(**options: Any) -> None:
    is_web = options.pop("web")
    web = {name: options.pop(name) for name in _FOR_WEB}
    for name, value in (options if is_web else web).items():
        if value not in (None, False):
            option = f"--{name.removesuffix('_file').replace('_', '-')}"
            raise _UsageError(f"{option}: {'chosen on the page with' if is_web else 'goes with'} --web")
    if is_web:
        from sorry_env.cli.serving import run_web

        run_web(**web)
        return
    from sorry_env.cli.playing import run_play

    run_play(**options)


def _watch(**options: Any) -> None:
    from sorry_env.cli.showing import run_watch

    run_watch(**options)


def _replay(**options: Any) -> None:
    out = options.pop("html")
    if out is not None:
        if options["delay"] is not None:
            raise _UsageError("--delay: a page runs at its own pace; leave it out with --html")
        from sorry_env.cli.serving import write_replay

        write_replay(options["file"], out, options["values"] or "")
        return
    from sorry_env.cli.showing import run_replay

    run_replay(**options)


def _moves(**options: Any) -> None:
    from sorry_env.cli.analysing import run_moves

    run_moves(**options)


def _perft(**options: Any) -> None:
    from sorry_env.cli.analysing import run_perft

    run_perft(**options)


def _trace(**options: Any) -> None:
    from sorry_env.cli.tracing import run_trace

    run_trace(**options)


def _solve(**options: Any) -> None:
    from sorry_env.cli.solving import run_solve

    run_solve(**options)


if __name__ == "__main__":
    sys.exit(main())
