"""Real decisions a second of each player, on one core, asked in batches as `evaluate.py` asks them.

    python bench/players.py                       # classic, two players
    python bench/players.py --rules points:players=2 --players solitaire expectimax:value=solitaire

A real decision has two or more legal actions; those of games of `solitaire` against itself are asked about.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np

from sorry_env.batch import Batch
from sorry_env.players import load_player
from sorry_env.position import Positions
from sorry_env.rules import Rules, rules_from

PLAYERS = ("random", "greedy", "race", "solitaire", "champion", "expectimax:depth=1", "expectimax:depth=2")
GAMES = 2048
PLIES = (10, 20, 30, 40)  # real decisions of a game after which positions are taken


def decisions(rules: Rules) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Observations (N, F), masks (N, A) and game rows (N, W) of open decisions of games by `solitaire`."""
    batch, light, rng = Batch(rules, GAMES, 1), load_player("solitaire", rules), np.random.default_rng(1)
    batch.reset()
    seen, masks, rows = [], [], []
    for ply in range(max(PLIES) + 1):
        here = np.flatnonzero(batch.is_open)
        if ply in PLIES:
            seen.append(batch.observations[here])
            masks.append(batch.masks[here])
            rows.append(batch.states[here])
        actions = np.full(GAMES, -1)
        actions[here] = light.act(batch.observations[here], batch.masks[here], rng, batch.positions(here))
        batch.step(actions)
    return np.concatenate(seen), np.concatenate(masks), np.concatenate(rows)


def rate(spec: str, rules: Rules, asked: tuple[np.ndarray, np.ndarray, np.ndarray], repeats: int) -> list[float]:
    """Decisions a second of some runs of at least half a second each."""
    player, rng = load_player(spec, rules), np.random.default_rng(0)
    seen, masks, rows = asked
    player.act(seen[:2], masks[:2], rng, Positions(rules, rows[:2]))  # compiles
    size, rates = len(rows), []
    for _ in range(repeats):
        made, begun = 0, time.perf_counter()
        while time.perf_counter() - begun < 0.5:
            player.act(seen[:size], masks[:size], rng, Positions(rules, rows[:size]))
            made += size
            if time.perf_counter() - begun > 2:  # a slow player: fewer at once
                size = max(16, size // 8)
        rates.append(made / (time.perf_counter() - begun))
    return rates


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="classic:players=2")
    parser.add_argument("--players", nargs="+", default=PLAYERS)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    rules = rules_from(arguments.rules)
    asked = decisions(rules)
    print(f"{rules.spec()}, {len(asked[0])} positions, real decisions a second, {arguments.repeats} repeats")
    print(f"{'player':<32}{'median':>12}{'min':>12}{'max':>12}")
    for spec in arguments.players:
        rates = rate(spec, rules, asked, arguments.repeats)
        print(f"{spec:<32}{statistics.median(rates):>12,.0f}{min(rates):>12,.0f}{max(rates):>12,.0f}")


if __name__ == "__main__":
    main()
