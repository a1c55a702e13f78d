"""Prints docs/spaces.md from the tables that the code itself uses; a test holds the page equal to them."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from sorry_env.actions import ACTION_VERSION, Use, action_table
from sorry_env.cards import CARDS
from sorry_env.observation import OBSERVATION_VERSION, OWN_SEAT, Slice, num_features, observation_layout, state_layout
from sorry_env.rules import rules_from
from sorry_env.values import VALUE_VERSION, value_layout

PAGE = Path(__file__).parent / "spaces.md"
USES = {
    Use.PASS: "no legal use, or an 11 not exchanged",
    Use.START: "start a pawn of the side",
    Use.STEP: "one pawn, by slot",
    Use.SPLIT: "first pawn, squares of the first half 1..6, second pawn",
    Use.EXCHANGE: "own pawn, target seat clockwise, target pawn",
    Use.REPLACE: "side that leaves Start, target seat clockwise, target pawn",
    Use.DISCARD: "hand game, nothing playable",
}


def layout_table(layout: tuple[Slice, ...]) -> list[str]:
    """One row a slice."""
    rows = ["| features | name | float32 | uint8 | meaning |", "|---|---|---|---|---|"]
    for part in layout:
        span = f"{part.start}..{part.stop - 1}" if part.size > 1 else f"{part.start}"
        scale = f"count / {part.high}" if part.high > 1 else "0 or 1"
        rows.append(f"| {span} | `{part.name}` | {scale} | 0..{part.high} | {part.meaning} |")
    return rows


def input_table(layout: tuple[Slice, ...]) -> list[str]:
    """One row a slice of a value network's inputs, all float32 within 0..1."""
    rows = ["| inputs | name | meaning |", "|---|---|---|"]
    for part in layout:
        span = f"{part.start}..{part.stop - 1}" if part.size > 1 else f"{part.start}"
        rows.append(f"| {span} | `{part.name}` | {part.meaning} |")
    return rows


def action_rows(pawns: int, teams: bool) -> list[str]:
    """One row a run of ids with the same card, use and direction."""
    rows = ["| ids | card | use | what varies | first of them |", "|---|---|---|---|---|"]
    table = list(enumerate(action_table(pawns, teams)))
    for (card, use, _), group in groupby(table, lambda pair: (pair[1].card, pair[1].use, pair[1].steps < 0)):
        ids = list(group)
        first, last = ids[0][0], ids[-1][0]
        span = f"{first}..{last}" if last > first else f"{first}"
        name = CARDS[card] if card >= 0 else "any"
        rows.append(f"| {span} | {name} | {use.name.lower()} | {USES[use]} | {ids[0][1].describe(pawns, teams)} |")
    return rows


def page() -> str:
    """The whole page."""
    sizes = ["| pawns a side | alone | in teams |", "|---|---|---|"]
    sizes += [f"| {k} | {len(action_table(k, False))} | {len(action_table(k, True))} |" for k in range(1, 5)]
    features = ["| pawns a side | two players | three | four |", "|---|---|---|---|"]
    for k in range(1, 5):
        counts = [str(num_features(observation_layout(rules_from("classic", n, pawns=k)))) for n in (2, 3, 4)]
        features.append(f"| {k} | {' | '.join(counts)} |")
    pair, hands = rules_from("classic", 2), rules_from("points", 2)
    lines = [
        "# Actions, observations, states",
        "",
        "This page is printed by `python docs/print_spaces.py` from the tables that the code uses.",
        "",
        f"## Observation (layout version {OBSERVATION_VERSION})",
        "",
        "Number of features F, the same in draw and hand games:",
        "",
        *features,
        "",
        "Two players, four pawns a side:",
        "",
        *layout_table(observation_layout(pair)),
        "",
        "Three players, or two neighbours, are unevenly spaced: how far the others are from their entrances depends on",
        "which seat looks. There one slice more tells it. Three players, four pawns a side:",
        "",
        *layout_table(observation_layout(rules_from("classic", 3))[-1:]),
        "",
        "## State, for centralised critics",
        "",
        "Two players, four pawns a side:",
        "",
        *layout_table(state_layout(pair)),
        "",
        f"## Inputs of value networks (layout version {VALUE_VERSION})",
        "",
        "What `train.py td` learns from and value networks read (`sorry_env.values.value_inputs`): a position before a",
        "draw, seen by who draws next, in the hand game by who moved. Two players, four pawns a side:",
        "",
        *input_table(value_layout(pair)),
        "",
        f"Where seats are unevenly spaced `{OWN_SEAT}` of the observation stands before the cards.",
        "",
        "In the hand game:",
        "",
        *input_table(tuple(part for part in value_layout(hands) if not part.name.startswith("seat"))),
        "",
        f"## Actions (codec version {ACTION_VERSION})",
        "",
        "Number of actions A, the same in draw and hand games and for any number of players:",
        "",
        *sizes,
        "",
        "Pawns are slots, furthest from Home first (pawns in Start before those on the diamond). Seats are clockwise",
        "from the mover. Four pawns a side:",
        "",
        *action_rows(4, False),
        "",
        "Four pawns a side in teams (side 1 is the partner's colour):",
        "",
        *action_rows(4, True),
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
