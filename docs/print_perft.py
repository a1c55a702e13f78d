"""Prints docs/perft.md: counts of RULES 9.1 for other programs to check theirs against.

    python docs/print_perft.py

A test holds the page equal to this, and the counts equal to those of the independent reference in `tests/`.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sorry_env.perft import perft
from sorry_env.position import Position

PAGE: Final = Path(__file__).parent / "perft.md"
DEEPEST: Final = 4


@dataclass(frozen=True)
class Entry:
    """One line of the table.

    Attributes:
        what: what it is good for.
        rules: spec of the rules.
        board: PAWNS and MOVER (RULES 8.2).
        depth: plies to which it is counted, about a second's work.
    """

    what: str
    rules: str
    board: str
    depth: int = 3

    @property
    def position(self) -> str:
        """The whole text: no card drawn, a full pile."""
        return f"{self.board} - *"

    @property
    def command(self) -> str:
        """The command line that prints the deepest count."""
        return f'sorry-env perft "{self.position}" {self.depth} --rules {shlex.quote(self.rules)}'

    def counts(self) -> list[int]:
        """The counts for depth 1 to `depth`."""
        position = Position.parse(self.position, self.rules)
        return [perft(position, depth) for depth in range(1, self.depth + 1)]


ENTRIES: Final = (
    Entry("opening, two opposite", "classic:players=2", "R:S,S,S,S/Y:S,S,S,S r", 4),
    Entry("opening, three", "classic:players=3", "R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S r", 4),
    Entry("opening, four", "classic", "R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S r", 4),
    Entry("opening, a pawn out", "classic:players=2,pawns_out=1", "R:S,S,S,4/Y:S,S,S,34 r", 4),
    Entry("opening, teams", "teams", "R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S r", 4),
    Entry("opening, edition-2013", "edition-2013", "R:S,S,S/B:S,S,S/Y:S,S,S/G:S,S,S r", 4),
    Entry("dense middle game of two", "classic:players=2", "R:15,20,22,H/Y:S,8,25,H r"),
    Entry("dense middle game of four", "classic", "R:S,14,54,H/B:S,4,s1,H/Y:S,9,28,H/G:S,17,s0,H b"),
    Entry("pawns on triangles and discs, own and other", "classic:players=2", "R:9,13,39,43/Y:S,S,H,H r"),
    Entry("pawns on each other's triangles", "classic:players=2", "R:S,16,24,H/Y:S,46,1,H y"),
    Entry("split 7s in front of a slide (3.11)", "classic:players=2", "R:20,21,23,28/Y:S,S,S,24 r"),
    Entry("zones side by side, ways in and out (1.4, 4.5)", "classic:players=2", "R:59,s0,s2,H/Y:2,31,s0,s2 r"),
    Entry("own slides only", "classic:players=2,slide_on=own", "R:S,8,59,H/Y:37,2,29,H r"),
    Entry("all slides", "classic:players=2,slide_on=any", "R:S,8,15,H/Y:2,23,H,H y"),
    Entry("an X moves 4, too", "classic:players=2,x_forward4=yes", "R:S,12,52,s0/Y:S,20,s2,H r"),
    Entry("no second card", "classic:players=2,two_draws_again=no", "R:S,18,23,s4/Y:S,3,10,H y"),
    Entry("three players with three pawns", "classic:players=3,pawns=3", "R:S,18,54/B:30,4,s3/Y:S,36,9 b"),
    Entry("teams", "teams", "R:S,14,s3,H/B:S,9,H,H/Y:4,H,H,H/G:S,22,H,H g"),
    Entry("teams, one colour Home (6.8)", "teams", "R:H,H,H,H/B:S,S,29,s2/Y:S,20,30,H/G:S,47,H,H r"),
    Entry("teams, an X for the partner (6.6)", "teams", "R:S,20,s2,H/B:S,S,S,s1/Y:S,40,H,H/G:S,S,s3,H r"),
    Entry("partners exchange (6.7)", "teams:swap_partner=yes", "R:S,20,58,H/B:S,12,H,H/Y:S,28,H,H/G:S,S,H,H y"),
    Entry("partners exchange on a triangle", "teams:swap_partner=yes", "R:S,20,H,H/B:S,S,S,H/Y:S,54,s4,H/G:S,S,H,H y"),
    Entry("edition-2013, two", "edition-2013:players=2", "R:S,24,0/Y:S,29,s1 r"),
    Entry("edition-2013, four", "edition-2013", "R:S,8,46/B:23,14,s0/Y:S,4,31/G:S,45,s2 g"),
    Entry(
        "edition-2013 in teams",
        "edition-2013:teams=yes,swap_partner=yes",
        "R:S,8,H/B:S,14,H/Y:S,H,H/G:S,45,H r",
    ),
    Entry("two pawns each, replacement deck", "mini-2", "R:12,58/Y:24,s3 r"),
    Entry("all in the zones", "classic:players=2", "R:s0,s3,H,H/Y:s1,s4,H,H r", 4),
    Entry("one step from the end (2.3)", "classic:players=2", "R:s4,H,H,H/Y:S,S,s3,H r", 4),
    Entry("teams near the end (6.2)", "teams", "R:s4,H,H,H/B:S,S,S,S/Y:s2,H,H,H/G:S,S,S,20 r", 4),
    Entry("finished: Yellow has won", "classic:players=2", "R:S,S,20,H/Y:H,H,H,H y", 4),
)


def table(entries: tuple[Entry, ...]) -> list[str]:
    """One row an entry."""
    depths = range(1, DEEPEST + 1)
    rows = [f"| | what | rules | position | {' | '.join(map(str, depths))} |", "|---|---|---|---|" + "---:|" * DEEPEST]
    for number, entry in enumerate(entries, 1):
        counts = [*map(str, entry.counts()), *[""] * DEEPEST][:DEEPEST]
        cells = [str(number), entry.what, f"`{entry.rules}`", f"`{entry.position}`", *counts]
        rows.append("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|")
    return rows


def page() -> str:
    """The whole page."""
    lines = [
        "# Perft",
        "",
        "This page is printed by `python docs/print_perft.py`. A test holds every count of depth 2, and many of",
        "depth 3, equal to those of an independent reference.",
        "",
        "A count is what [ruling 9.1](rules.md#9-counts-for-checking) says: over all eleven kinds of card, the number",
        "of different positions so many plies on, pawns of a colour being alike. The colour on move is that of the",
        "position; its card and its draw pile do not matter. Columns are depths in plies.",
        "",
        *table(ENTRIES),
        "",
        "The command for the last count of each line, in the same order. A smaller depth prints the counts before it,",
        "and `--divide` one line a first move, which is how a difference is found.",
        "",
        "```sh",
        *(entry.command for entry in ENTRIES),
        "```",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
