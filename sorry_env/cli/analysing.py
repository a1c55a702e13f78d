"""`sorry-env moves` and `sorry-env perft`: what can be said of one position."""

from __future__ import annotations

import json

from sorry_env.board import COLORS
from sorry_env.perft import perft, perft_divide
from sorry_env.position import Position
from sorry_env.rules import Rules, rules_from


def run_moves(position: str, rules: str, players: int | None, as_json: bool) -> None:
    """Prints the canonical position, then every legal move and the pawns after it. Raises SorryError."""
    parsed = Position.parse(position, rules_of(position, rules, players))
    legal = {move: parsed.after(move).pawns_text() for move in sorted(parsed.legal_moves())}
    if as_json:
        print(json.dumps({"position": str(parsed), "rules": parsed.rules.spec(), "legal": legal}, indent=2))
        return
    print(parsed)
    for move, pawns in legal.items():
        print(f"  {move}  =  {pawns}")


def run_perft(position: str, depth: int, rules: str, players: int | None, divide: bool) -> None:
    """Prints the count of RULES 9.1, with `divide` after a line a first move. Raises SorryError."""
    parsed = Position.parse(position, rules_of(position, rules, players))
    if divide:
        for move, count in perft_divide(parsed, depth):
            print(f"{move} {count}")
    print(perft(parsed, depth))


def rules_of(position: str, rules: str, players: int | None) -> Rules:
    """The rules record for a position's text, which says how many colours sit, and which.

    The text is followed where it seats fewer colours than the rule set, or other ones, unless `rules` or `players` say
    how many sit or which. Raises RulesError.
    """
    record = rules_from(rules, players=players)
    fields = position.partition(" ")[0].split("/")
    seated = "".join(field.partition(":")[0] for field in fields)
    if "colors=" in rules or not seated or len(seated) != len(fields) or any(seated.count(c) > 1 for c in seated):
        return record
    fixed = players is not None or "players=" in rules
    fits = len(seated) == record.players if fixed else 2 <= len(seated) <= record.players
    if not fits or not set(seated) <= set(COLORS) or sorted(seated, key=COLORS.index) != list(seated):
        return record
    return rules_from(rules, players=len(seated), colors=seated)
