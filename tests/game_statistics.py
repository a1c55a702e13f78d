"""Random games by the engine and by the reference, their figures side by side.

    python tests/game_statistics.py --games 200000 --reference-games 2000 --json figures.json

Agreement at each decision does not say that cards, seats and ends come in the right proportions; this does. Every game
is played to its end, so that long games count as often as short ones. A difference is told in standard errors of the
difference, from the variance of both samples together; the exit code is 1 if any is above LIMIT.

The file is not called statistics.py, which would hide the standard library's module from all that is imported here.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import reference as ref
from strategies import reference_rules

from sorry_env import Batch
from sorry_env.actions import Use, action_table
from sorry_env.rules import Rules, rules_from

SPECS = (
    *(f"classic:players={players}" for players in (2, 3, 4)),
    "teams",
    *(f"points:players={players}" for players in (2, 4)),
    "team-points",
    "edition-1939",
    "edition-2013",
    "mini-1",
    "mini-2",
)
LIMIT = 4.0
BATCH = 4096
MOST_PLIES = 1_000_000  # far above any game: none is cut off
NAMES = ("passes", "starts", "steps", "splits", "exchanges", "replacements", "discards")  # by Use


@dataclass
class Games:
    """What is told of N finished games of P seats, one row a game.

    Attributes:
        uses: int64 (N, 7): plies of each `Use`.
        forced: int64 (N,): plies with one legal action.
        offered: int64 (N,): legal actions over all plies.
        again: int64 (N,): plies of the seat that had made the ply before, too.
        first: int64 (N,): seat that began.
        last: int64 (N,): seat that made the last move.
        won: bool (N, P): seats that won.
        points: int64 (N, P): points by RULES 5.7.
    """

    uses: np.ndarray
    forced: np.ndarray
    offered: np.ndarray
    again: np.ndarray
    first: np.ndarray
    last: np.ndarray
    won: np.ndarray
    points: np.ndarray


@dataclass
class Row:
    """One figure of one rule set on both sides.

    Attributes:
        rules: spec of the rule set.
        figure: its name.
        engine, reference: means over the games.
        engine_error, reference_error: their standard errors.
        difference: of the means, in standard errors of the difference.
    """

    rules: str
    figure: str
    engine: float
    engine_error: float
    reference: float
    reference_error: float
    difference: float


class Progress:
    """Lines on stderr with rate and time left, at most one every so many seconds.

    Args:
        label: what is going on.
        total: games to play.
        every: seconds.
    """

    def __init__(self, label: str, total: int, every: float) -> None:
        self.label, self.total, self.every = label, total, every
        self.began = self.shown = time.monotonic()

    def show(self, done: int) -> None:
        """Tells how many games have been played, if it is time to."""
        now = time.monotonic()
        if now - self.shown < self.every:
            return
        self.shown, rate = now, max(done, 1) / (now - self.began)
        left = (self.total - done) / rate / 60
        print(
            f"{self.label}: {done} of {self.total} games, {rate:.0f} a second, {left:.1f} min left",
            file=sys.stderr,
            flush=True,
        )


# --- Playing ---


def play_engine(rules: Rules, total: int, seed: int, progress: Progress) -> list[Games]:
    """Plays so many games in batches, choosing by the games' own streams."""
    played = []
    for start in range(0, total, BATCH):
        ids = np.arange(start, min(start + BATCH, total))
        played.append(play_batch(rules, seed, ids))
        progress.show(int(ids[-1]) + 1)
    return played


def play_batch(rules: Rules, seed: int, ids: np.ndarray) -> Games:
    """Plays one batch to the end of its last game."""
    batch = Batch(rules, len(ids), seed, games=ids, auto_forced=False, max_plies=MOST_PLIES, observation_dtype=None)
    use_of = np.array([action.use for action in action_table(rules.pawns, rules.teams)])
    batch.reset()
    first, before = batch.movers, np.full(len(ids), -1)
    uses = np.zeros((len(ids), len(Use)), np.int64)
    forced, offered, again = (np.zeros(len(ids), np.int64) for _ in range(3))
    while (is_open := batch.is_open).any():
        actions, movers = batch.sample(), batch.movers
        uses[is_open, use_of[actions[is_open]]] += 1
        forced += is_open & (batch.counts == 1)
        offered += np.where(is_open, batch.counts, 0)
        again += is_open & (movers == before)
        before = movers
        batch.step(actions)
    if not batch.terminated.all() or (uses.sum(axis=1) != batch.plies).any():
        raise RuntimeError(f"{rules.spec()}: a game did not end within {MOST_PLIES} plies, or plies were lost")
    return Games(uses, forced, offered, again, first, batch.movers, batch.rewards("win") > 0, batch.points())


def play_reference(rules: Rules, total: int, seed: int, progress: Progress) -> list[Games]:
    """Plays so many games by the reference alone: its set-up, its odds, its moves, its end, its points."""
    told, rng = reference_rules(rules), random.Random(f"{rules.spec()} {seed}")
    played = []
    for done in range(1, total + 1):
        played.append(play_reference_game(told, rng))
        progress.show(done)
    return played


def play_reference_game(told: ref.RefRules, rng: random.Random) -> Games:
    """Plays one game."""
    first = rng.randrange(told.players)
    state = ref.initial(told, first, rng)
    uses = np.zeros((1, len(Use)), np.int64)
    forced = offered = again = 0
    before, last = -1, -1
    while not state.over:
        if odds := ref.draw_odds(state, told):
            card = rng.choices(list(odds), list(odds.values()))[0]
            state = ref.draw_outcomes(state, told)[card]
            continue
        moves = ref.legal_moves(state, told)
        move = rng.choice(list(moves))
        before, last = last, told.colors.index(state.mover)
        uses[0, use_of_text(move)] += 1
        forced += len(moves) == 1
        offered += len(moves)
        again += last == before
        state = moves[move]
    winners, points = ref.winners(state, told), ref.points(state, told)
    return Games(
        uses=uses,
        forced=np.array([forced]),
        offered=np.array([offered]),
        again=np.array([again]),
        first=np.array([first]),
        last=np.array([last]),
        won=np.array([[color in winners for color in told.colors]]),
        points=np.array([[points[color] for color in told.colors]]),
    )


def use_of_text(move: str) -> Use:
    """What a card is used for, read off a move's text (RULES 8.3)."""
    signs = {"pass": Use.PASS, "discard": Use.DISCARD, "<>": Use.EXCHANGE, ",": Use.SPLIT}
    for sign, use in signs.items():
        if sign in move:
            return use
    if "S>" not in move:
        return Use.STEP
    return Use.REPLACE if move.startswith("X:") else Use.START


# --- Figures ---


def figures_of(games: Games, rules: Rules) -> dict[str, np.ndarray]:
    """Each figure's value in every game, float64 (N,)."""
    plies = games.uses.sum(axis=1)
    values = {"plies": plies, "forced plies": games.forced, "plies of the seat before": games.again}
    values["legal actions a ply"] = games.offered / plies
    idle = {Use.PASS} if rules.hand_size else {Use.DISCARD}
    values |= {NAMES[use]: games.uses[:, use] for use in Use if use not in idle}
    values["points of winners"] = np.where(games.won, games.points, 0).sum(axis=1)
    values["points of losers"] = np.where(games.won, 0, games.points).sum(axis=1)
    for seat in range(rules.players):
        values[f"won by {rules.colors[seat]}"] = games.won[:, seat]
    rows = np.arange(len(games.first))
    for place in range(rules.players):
        values[f"won by first + {place}"] = games.won[rows, (games.first + place) % rules.players]
    if rules.teams:
        for place in range(rules.players):
            values[f"ended by first + {place}"] = games.last == (games.first + place) % rules.players
    return {name: column.astype(float) for name, column in values.items()}


def gather(played: list[Games], rules: Rules) -> dict[str, np.ndarray]:
    """The figures of all games on one side."""
    parts = [figures_of(games, rules) for games in played]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def compare(spec: str, figure: str, engine: np.ndarray, reference: np.ndarray) -> Row:
    """Means, standard errors, and the difference by the variance of both samples together."""
    n, m = len(engine), len(reference)
    spread = (n * engine.var() + m * reference.var()) / (n + m - 2)
    error = math.sqrt(spread * (1 / n + 1 / m))
    distance = float(engine.mean() - reference.mean())
    difference = 0.0 if distance == 0 else distance / error if error else math.copysign(math.inf, distance)
    return Row(
        spec,
        figure,
        float(engine.mean()),
        float(engine.std(ddof=1) / math.sqrt(n)),
        float(reference.mean()),
        float(reference.std(ddof=1) / math.sqrt(m)),
        difference,
    )


def format_row(row: Row) -> str:
    """One line of the table."""
    mark = "  <-- differs" if abs(row.difference) > LIMIT else ""
    return (
        f"  {row.figure:<26} {row.engine:>9.4f} ± {row.engine_error:<7.4f} "
        f"{row.reference:>9.4f} ± {row.reference_error:<7.4f} {row.difference:>6.2f}{mark}"
    )


# --- The program ---


def read_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200_000, help="games of each rule set by the engine")
    parser.add_argument("--reference-games", type=int, default=2_000, help="games of each rule set by the reference")
    parser.add_argument("--rules", nargs="+", default=list(SPECS), metavar="SPEC", help="rule sets (all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every figure there")
    parser.add_argument("--every", type=float, default=15, help="seconds between lines of progress")
    arguments = parser.parse_args()
    if min(arguments.games, arguments.reference_games) < 2:
        parser.error("a standard error needs 2 games or more on each side")
    return arguments


def main() -> int:
    """Returns the exit code: 1 if any figure differs."""
    arguments = read_arguments()
    began, rows = time.monotonic(), list[Row]()
    print(f"engine: {arguments.games} games a rule set, reference: {arguments.reference_games}")
    print(f"  {'a game':<26} {'engine':>9} ± {'error':<7} {'reference':>9} ± {'error':<7} difference in errors")
    for number, spec in enumerate(arguments.rules, 1):
        rules, label = rules_from(spec), f"{number}/{len(arguments.rules)} {spec}"
        sides = [
            gather(play(rules, total, arguments.seed, Progress(f"{label}, {side}", total, arguments.every)), rules)
            for side, play, total in (
                ("engine", play_engine, arguments.games),
                ("reference", play_reference, arguments.reference_games),
            )
        ]
        found = [compare(spec, name, sides[0][name], sides[1][name]) for name in sides[0]]
        print("\n".join([spec, *map(format_row, found)]), flush=True)
        rows += found
    far = [row for row in rows if abs(row.difference) > LIMIT]
    minutes = (time.monotonic() - began) / 60
    print(f"{len(rows)} figures, {len(far)} differ by more than {LIMIT:g} errors, {minutes:.1f} minutes")
    if arguments.json:
        facts = {"games": arguments.games, "reference_games": arguments.reference_games, "seed": arguments.seed}
        arguments.json.write_text(json.dumps(facts | {"figures": [asdict(row) for row in rows]}, indent=1) + "\n")
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
