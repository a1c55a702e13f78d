"""Measures and prints docs/skill.md: what skill is worth in Sorry!, what luck is, and what the champion sees.

python docs/print_skill.py                # about half an hour on two cores
python docs/print_skill.py --games 400    # a quick look, printed only
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from agents.evaluation import Score, evaluate  # noqa: E402  # the checkout is not installed
from sorry_env.arena import Arena  # noqa: E402
from sorry_env.batch import Batch  # noqa: E402
from sorry_env.players import load_player  # noqa: E402
from sorry_env.players.value import load_value  # noqa: E402
from sorry_env.position import Position  # noqa: E402
from sorry_env.rules import Rules, rules_from  # noqa: E402
from sorry_env.values import num_sides  # noqa: E402

PAGE = Path(__file__).parent / "skill.md"
GAMES = 10_000
LADDER = ("random", "greedy", "race", "solitaire", "champion", "expectimax:depth=1")
RULES = ("classic:players=2", "classic:players=3", "classic", "teams", "points:players=2", "points")
SHOWN = 8  # positions
WHY = """\
`solitaire` counts turns that its own pawns need, as if nobody else moved. What it does not see, in the positions
above: in a race it is the opponent's next turn that counts, so the last pawn is set back (11) or kept from its way
even where that brings one's own no nearer; Sorry! is worth the square that it lands on, one's own entrance rather
than the pawn furthest on; and where every pawn is nearly Home the cards that are left decide which of two splits of
a 7 can still be finished."""
LEAST_GAIN = 0.02  # of win probability, for a position to be shown


def win_rates(games: int) -> list[str]:
    """The ladder's matrix, adjusted, row against column."""
    rules = rules_from("classic:players=2")
    found: dict[tuple[str, str], Score] = {}
    for low, high in combinations(LADDER, 2):
        print(f"{high} v {low}", file=sys.stderr)
        found[high, low] = evaluate([high, low], rules, games, 0, adjust="champion")[0]
    columns = LADDER[:-1]
    rows = [f"| | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for k, high in enumerate(LADDER[1:], 1):
        cells = [f"{100 * found[high, low].adjusted:.1f} ± {_reach(found[high, low]):.1f}" for low in LADDER[:k]]
        rows.append(f"| {high} | {' | '.join(cells + [''] * (len(columns) - k))} |")
    return rows


def _reach(score: Score) -> float:
    return 50 * (score.adjusted_high - score.adjusted_low)


def luck(games: int) -> list[str]:
    """How much of a result is the luck of the draw: variance ratios of close and of unequal players."""
    rules = rules_from("classic:players=2")
    rows = ["| match | raw interval | less luck | as if so many times the games |", "|---|---|---|---|"]
    for other in ("expectimax:depth=1", "solitaire", "race", "random"):
        score = evaluate(["champion", other], rules, games, 1, adjust="champion")[0]
        raw = f"± {50 * (score.high - score.low):.2f}"
        rows.append(f"| champion v {other} | {raw} | ± {_reach(score):.2f} | {score.variance_ratio:.1f} |")
    return rows


@dataclass
class Choices:
    """What a game's decisions are like."""

    plies: float
    real: float
    branching: float
    most: int


def choices(rules: Rules, player: str, games: int) -> Choices:
    """Plays a player against itself and counts legal actions at every ply."""
    batch = Batch(rules, games, 0, auto_forced=False)
    counted: list[np.ndarray] = []
    seating = np.zeros((games, rules.players), np.int64)

    def watch(here: np.ndarray) -> None:
        counted.append(batch.counts[here])

    Arena(batch, [load_player(player, rules)], seating, np.random.default_rng(0), watch).reset()
    counts = np.concatenate(counted)
    real = counts[counts > 1]
    return Choices(float(batch.plies.mean()), len(real) / len(counts), float(real.mean()), int(counts.max()))


def choice_rows(games: int) -> list[str]:
    """One row a rule set and player."""
    rows = [
        "| rules | players of | plies a game | real decisions % | actions at those | most |",
        "|---|---|---|---|---|---|",
    ]
    for spec in RULES:
        rules = rules_from(spec)
        for player in ("random", "solitaire"):
            found = choices(rules, player, games)
            rows.append(
                f"| `{rules.spec()}` | {player} | {found.plies:.0f} | {100 * found.real:.0f} | "
                f"{found.branching:.1f} | {found.most} |"
            )
    return rows


@dataclass
class Difference:
    """A decision in which the champion and solitaire differ."""

    position: Position
    ours: int
    theirs: int
    gain: float


def differences(games: int) -> Iterator[tuple[str, Difference | None]]:
    """Every real decision of the champion's games against itself: the card, and the difference where there is one.

    The gain is of win probability, by one exact average over the next card after either move.
    """
    rules = rules_from("classic:players=2")
    model, light = load_value("champion", rules), load_player("solitaire", rules)
    champion, batch, rng = load_player("champion", rules), Batch(rules, games, 3), np.random.default_rng(3)
    batch.reset()
    while batch.is_open.any():
        here = np.flatnonzero(batch.is_open)
        shown = batch.observations[here], batch.masks[here], rng
        ours = champion.act(*shown, batch.positions(here))
        theirs = light.act(*shown, batch.positions(here))
        for k, e in enumerate(here):
            position = batch.position(int(e))
            found = None
            if ours[k] != theirs[k]:
                after = [position.after(int(action)) for action in (ours[k], theirs[k])]
                side = position.mover % num_sides(rules)
                worth = [1.0 if a.is_over else float(model.averages(a.row)[0, side]) for a in after]
                found = Difference(position, int(ours[k]), int(theirs[k]), worth[0] - worth[1])
            yield str(position.card), found
        actions = np.full(games, -1)
        actions[here] = ours
        batch.step(actions)


def difference_rows(games: int) -> tuple[list[str], list[str]]:
    """By card how often they differ and what it is worth; and the positions in which it is worth most."""
    decided, differing = Counter[str](), Counter[str]()
    gained: defaultdict[str, float] = defaultdict(float)
    best: list[Difference] = []
    for card, found in differences(games):
        decided[card] += 1
        if found:
            differing[card] += 1
            gained[card] += found.gain
            best.append(found)
    by_card = ["| card | real decisions | differ % | gain a game, % |", "|---|---|---|---|"]
    for card in sorted(decided, key=lambda card: -gained[card]):
        share = 100 * differing[card] / decided[card]
        by_card.append(f"| {card} | {decided[card]} | {share:.1f} | {100 * gained[card] / games:.2f} |")
    best.sort(key=lambda found: -found.gain)
    rows = ["| position | champion | solitaire | gain % |", "|---|---|---|---|"]
    for found in best[:SHOWN]:
        moves = dict(zip(found.position.legal_actions(), found.position.legal_moves(), strict=True))
        rows.append(
            f"| `{found.position}` | `{moves[found.ours]}` | `{moves[found.theirs]}` | {100 * found.gain:.1f} |"
        )
    return by_card, rows


def page(games: int) -> str:
    """The whole page."""
    by_card, positions = difference_rows(max(20, games // 20))
    lines = [
        "# Skill and luck",
        "",
        f"Measured and printed by `python docs/print_skill.py --games {games}`.",
        "",
        "## What skill is worth",
        "",
        "Classic, two players, row against column: win % less the luck of the draw, with its 95 % interval.",
        "",
        *win_rates(games),
        "",
        "## What luck is worth",
        "",
        "The same games told raw and less luck (the adjuster is the champion): how much of a result the cards decide.",
        "",
        *luck(games),
        "",
        "## How much there is to decide",
        "",
        "A real decision is one with two or more legal actions.",
        "",
        *choice_rows(max(20, games // 20)),
        "",
        "## What the champion sees",
        "",
        f"Where it differs from `solitaire` in {max(20, games // 20)} games against itself, and what that gains by one",
        "exact average over the next card, in win probability:",
        "",
        *by_card,
        "",
        "The positions in which it gains most (notation: [rules.md](rules.md); `sorry-env moves` lists what is legal):",
        "",
        *positions,
        "",
        WHY,
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=GAMES)
    chosen = parser.parse_args().games
    text = page(chosen)
    if chosen >= GAMES:
        PAGE.write_text(text, encoding="utf-8")
        print(f"wrote {PAGE}")
    else:
        print(text)
