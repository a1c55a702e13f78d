"""The page that `help` shows in a game, as wide as the window."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

WIDEST: Final = 112  # columns; longer lines are hard to read

_MOVES: Final = (
    "A move is its number in the list, or its text: CARD:FROM>TO (5:4>9), where the card may be left out if one move "
    "fits (4>9). S is Start, H Home, 0 to 59 the squares, s0 to s4 the safety zone."
)
_EXAMPLES: Final = (
    ("1:S>4", "a pawn leaves Start"),
    ("7:5>8,20>24", "a split 7, in that order"),
    ("11:22<>50", "exchange, your pawn first"),
    ("X:S>32", "Sorry!"),
    ("pass", "no move, where there is none"),
    ("discard 5", "in the hand game"),
)
_PARTNER: Final = "In the partnership game a pawn of your partner's has its letter: 1:YS>34."
_COMMANDS: Final = (
    ("help, ?", "this"),
    ("hint", "what each move's chance to win is"),
    ("board", "the board again"),
    ("moves", "the list again"),
    ("undo", "back to your last decision"),
    ("auto", "play only moves unasked, or ask again"),
    ("save FILE", "save the game, and go on saving it there"),
    ("quit, Ctrl-D", "end; a saved game goes on with --from FILE"),
)


def help_text(columns: int) -> str:
    """The page in lines of at most so many columns, where words allow."""
    width = max(20, min(columns, WIDEST))
    return "\n".join(
        [
            *textwrap.wrap(_MOVES, width),
            *_table(_EXAMPLES, width),
            *textwrap.wrap(_PARTNER, width),
            "Commands:",
            *_table(_COMMANDS, width),
        ]
    )


def _table(entries: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    """A line an entry; what is said of it is wrapped beside its name."""
    name_width = max(len(name) for name, _ in entries) + 2
    for name, what in entries:
        yield from textwrap.wrap(f"  {name:<{name_width}}{what}", width, subsequent_indent=" " * (name_width + 2))
