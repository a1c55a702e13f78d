"""Looking ahead written out over `Position`: best replies, exact averages over the cards, expectimax with a breadth."""

from __future__ import annotations

import numpy as np

from sorry_env.position import Position
from sorry_env.values import ValueModel, num_outputs, num_sides


class SlowSearch:
    """Searches by recursion over positions; only what a single position is worth comes from the model.

    Args:
        model: what positions before a draw are worth.
        breadth: how many moves, those that the model likes best, are judged by averages.
    """

    def __init__(self, model: ValueModel, breadth: int = 4) -> None:
        self.model, self.breadth = model, breadth
        self.sides = num_sides(model.rules)

    def utility(self, worth: np.ndarray, side: int) -> float:
        """Points less their mean where the model tells points, else the side's chance to win."""
        points = worth[self.sides :]
        return float(points[side] - points.mean()) if len(points) and self.model.is_network else float(worth[side])

    def uses(self, worths: np.ndarray, position: Position) -> list[float]:
        """What the mover plays for after each of its moves."""
        return [self.utility(worth, position.mover % self.sides) for worth in worths]

    def judged(self, position: Position) -> tuple[list[int], list[Position], np.ndarray]:
        """The legal actions, what they lead to, and the model's worths of that, float64 (N, O)."""
        actions = position.legal_actions()
        afters = [position.after(action) for action in actions]
        rows = np.concatenate([after.row for after in afters])
        return actions, afters, self.model.worths(rows).astype(np.float64)

    def candidates(self, position: Position, depth: int) -> tuple[list[int], np.ndarray]:
        """The actions that are compared in the end, in the order of comparison, and their worths."""
        actions, afters, worths = self.judged(position)
        if not depth:
            return actions, worths
        uses = self.uses(worths, position)
        order = sorted(range(len(actions)), key=lambda k: -uses[k])[: self.breadth]
        return [actions[k] for k in order], np.array([self.average(afters[k], depth) for k in order])

    def reply(self, position: Position, depth: int) -> np.ndarray:
        """The worth of the best action."""
        _, worths = self.candidates(position, depth)
        return worths[int(np.argmax(self.uses(worths, position)))]

    def average(self, position: Position, depth: int) -> np.ndarray:
        """Worth of a position before a draw: over each card, the best reply's, looked at one level less deeply."""
        if position.is_over:
            return self.model.worths(position.row.copy())[0].astype(np.float64)
        mean = np.zeros(num_outputs(self.model.rules))
        for card, chance in position.outcomes():
            mean += chance * self.reply(position.with_card(card), depth - 1)
        return mean
