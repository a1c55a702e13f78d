"""Regret: what a player gives away in a game that is solved, decision by decision, against perfect play.

Values of perfect play are win probabilities, so what a player's choices give away in a game adds up to what it wins
less often than half against the perfect player: win rate = 1/2 - regret a game, exactly, in expectation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from scipy import stats

from agents.evaluation import evaluate
from agents.intervals import CONFIDENCE
from sorry_env.players import PerfectPlayer, Player, load_player
from sorry_env.position import Positions
from sorry_env.rules import Rules
from sorry_env.solver import Solution

BLOCKS: Final = 20
TIE: Final = 1e-7  # values are exact to about that


@dataclass(frozen=True)
class Regret:
    """What one player gave away against perfect play.

    Attributes:
        player: spec string.
        games: games played.
        decisions: real decisions (two or more legal actions) in them.
        per_game: win probability given away a game.
        low: lower end of its 95 % interval, from blocks of games.
        high: upper end.
        per_decision: win probability given away a decision.
        not_optimal: share of decisions that were not among the best.
        win_rate: share of games won.
    """

    player: str
    games: int
    decisions: int
    per_game: float
    low: float
    high: float
    per_decision: float
    not_optimal: float
    win_rate: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class Watched:
    """A player whose decisions are compared with the best ones.

    Args:
        player: who decides.
        solution: values of perfect play.
    """

    def __init__(self, player: Player, solution: Solution) -> None:
        self.player, self.solution, self.name = player, solution, player.name
        self.lost, self.decisions, self.not_optimal = 0.0, 0, 0

    def bind(self, rules: Rules) -> None:
        """As the player's own."""
        self.player.bind(rules)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """The player's choices, noted down."""
        actions, worth, counts = self.solution.action_values(
            positions.rows
        )  # first: the rows are the player's to change
        chosen = np.asarray(self.player.act(observations, masks, rng, positions))
        legal = np.arange(actions.shape[1]) < counts[:, None]
        best = np.where(legal, worth, -1.0).max(axis=1)
        got = np.where(legal & (actions == chosen[:, None]), worth, -1.0).max(axis=1)
        self.lost += float((best - got).sum())
        self.decisions += int((counts > 1).sum())
        self.not_optimal += int((best - got > TIE).sum())
        return chosen


def measure_regret(
    spec: str, rules: Rules, games: int, seed: int, progress: Callable[[int, int], None] | None = None
) -> Regret:
    """Plays a player against perfect play, both seats in turn, the same decks.

    Raises:
        SorryError: a game that cannot be solved or is not, or a player that cannot play it.
    """
    perfect = load_player("perfect", rules)
    assert isinstance(perfect, PerfectPlayer)
    watched = Watched(load_player(spec, rules), perfect.solution)
    per_block, won, played = [], 0.0, 0
    seeds = np.random.SeedSequence(seed).generate_state(BLOCKS).tolist()
    for k, block_seed in enumerate(seeds):
        before = watched.lost
        pair: list[Player] = [watched, perfect]
        scores = evaluate([spec, "perfect"], rules, -(-games // BLOCKS), block_seed, players=pair)
        per_block.append((watched.lost - before) / scores[0].games)
        won += scores[0].win_rate * scores[0].games
        played += scores[0].games
        if progress:
            progress(k + 1, BLOCKS)
    mean = float(np.mean(per_block))
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, BLOCKS - 1) * np.std(per_block, ddof=1) / np.sqrt(BLOCKS))
    decisions = max(1, watched.decisions)
    return Regret(
        player=spec,
        games=played,
        decisions=watched.decisions,
        per_game=mean,
        low=max(0.0, mean - reach),
        high=mean + reach,
        per_decision=watched.lost / decisions,
        not_optimal=watched.not_optimal / decisions,
        win_rate=won / played,
    )
