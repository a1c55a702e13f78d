"""A game that knows its last ply, for pictures: kernels keep none of those that compiled players make."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np

from sorry_env.batch import Batch
from sorry_env.notation import format_move
from sorry_env.position import Position


class LastPlyBatch(Batch):
    """A batch of one game that plays as any other does, and says which ply was the last, whoever played it.

    Each call is done a second time on a copy, one ply less: streams are the games' own, so that the copy stops right
    before the last ply. That costs several times what a step does otherwise.

    Attributes:
        before: the position in which the last ply was made; None before the first one.
        last_move: the ply's text; of two splits with the same effect the first that is legal.
    """

    before: Position | None = None
    last_move: str | None = None

    def reset(
        self, which: np.ndarray | None = None, first_player: int | None = None, seated: np.ndarray | None = None
    ) -> None:
        """See `Batch.reset`."""
        again = copy.deepcopy(self)
        super().reset(which, first_player, seated)
        self.before = self.last_move = None
        if self.plies[0]:
            self._remember(again, lambda: Batch.reset(again, which, first_player, seated))

    def step(self, actions: np.ndarray | int, seated: np.ndarray | None = None) -> None:
        """See `Batch.step`."""
        again = copy.deepcopy(self)
        super().step(actions, seated)
        if self.plies[0] > again.plies[0]:
            is_first = self.plies[0] == again.plies[0] + 1
            self._remember(again, None if is_first else lambda: Batch.step(again, actions, seated))

    def _remember(self, again: LastPlyBatch, call: Callable[[], None] | None) -> None:
        """Keeps the last ply: `call` leads `again` to where it was made, unless it stands there."""
        if call is not None:
            again.max_plies = int(self.plies[0]) - 1
            again._share_out()
            call()
        self.before, now = again.position(0), self.position(0)
        action = next(action for action in self.before.legal_actions() if _leads_to(self.before, action, now))
        self.last_move = format_move(self.before.row[0].tolist(), self.rules, action)


def _leads_to(before: Position, action: int, now: Position) -> bool:
    """Whether an action and, where one is awaited, some card make the one position the other."""
    after = before.after(action)
    nexts = [after.with_card(card) for card, _ in after.outcomes()] if after.awaits_card else [after]
    return any(np.array_equal(each.row, now.row) for each in nexts)
