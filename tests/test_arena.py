"""The arena: seats given to players, who are asked at their own decisions and refused what is no answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playing import Fixed, Watched

from sorry_env import Batch
from sorry_env.arena import LEARNER, Arena
from sorry_env.batch import SKIP
from sorry_env.errors import IllegalError, SorryError
from sorry_env.players import GreedyPlayer, Player, RandomPlayer


def test_arena_asks_each_seat() -> None:
    """Every player is asked at its own seats alone, games wait where a learner is to decide, SKIP marks ended ones."""
    batch, rng = Batch("classic", 40, 1), np.random.default_rng(1)
    seating = rng.permuted(np.tile([LEARNER, 0, 1, 2], (40, 1)), axis=1)
    low, high = Fixed("low", {}), Fixed("high", {"end": "high"})
    arena = Arena(batch, [low, GreedyPlayer(), high], seating, rng)
    assert low.bound == high.bound == [batch.rules]
    arena.reset()
    while batch.is_open.any():
        assert (arena.waiting() == np.where(batch.is_open, LEARNER, SKIP)).all()
        assert (seating[np.arange(40), batch.movers] == LEARNER)[batch.is_open].all()
        arena.step(np.where(batch.is_open, batch.sample(), SKIP))
    asked = (low.asked, high.asked)
    assert min(asked) > 40
    arena.run()
    assert (low.asked, high.asked) == asked


def test_arena_plays_to_the_end() -> None:
    """With players on all seats every game ends; equal seeds of games and players give equal games, others do not."""
    states = []
    for seed, player_seed in ((1, 1), (1, 1), (2, 1), (1, 2)):
        batch = Batch("points", 20, seed)
        seating = np.tile([0, 1, 2, 1], (20, 1))
        players: list[Player] = [RandomPlayer(), GreedyPlayer(), Watched()]
        Arena(batch, players, seating, np.random.default_rng(player_seed)).reset()
        assert batch.terminated.all()
        states.append(batch.states.tolist())
    assert states[0] == states[1]
    assert states[0] not in states[2:]


def test_player_derived_from_a_built_in_one() -> None:
    """A user's class derived from a built-in player is asked for its own choice."""

    class Mine(GreedyPlayer):
        asked = False

        def act(self, *shown: Any) -> np.ndarray:
            self.asked = True
            return super().act(*shown)

    mine, batch = Mine(), Batch("mini-1", 1, 1)
    Arena(batch, [mine], np.zeros((1, 2), np.int64), np.random.default_rng(1)).reset()
    assert mine.asked


class Cheat(Watched):
    """Answers with an id that is never legal."""

    def act(self, *shown: Any) -> np.ndarray:
        """Ids outside the space."""
        return np.full(len(shown[1]), -5)


def test_illegal_answer() -> None:
    """A player that answers with an illegal action is refused."""
    batch = Batch("classic", 3, 1)
    batch.reset()
    before = batch.states.tolist()
    with pytest.raises(IllegalError, match="action -5 is not legal"):
        Arena(batch, [Cheat()], np.zeros((3, 4), np.int64), np.random.default_rng(1)).run()
    assert batch.states.tolist() == before


class Answers(Watched):
    """Gives some answer to whatever it is asked; a few dozen questions are enough."""

    def __init__(self, answer: Any) -> None:
        self.answer, self.questions = answer, 0

    def act(self, *shown: Any) -> np.ndarray:
        """The answer for these masks."""
        self.questions += 1
        assert self.questions < 50, "asked again and again"
        result: np.ndarray = self.answer(shown[1])
        return result


ANSWERS = {
    "skips": lambda masks: np.full(len(masks), SKIP),
    "one for all": lambda masks: masks.argmax(axis=1)[:1],
    "a column": lambda masks: masks.argmax(axis=1)[:, None],
    "fractions": lambda masks: masks.argmax(axis=1) + 0.5,
    "truths": lambda masks: masks[:, 0] > 0,
    "nothing": lambda masks: None,
    "text": lambda masks: np.full(len(masks), "1:S>4"),
}


@pytest.mark.parametrize("what", ANSWERS)
def test_no_answer(what: str) -> None:
    """A player that does not answer with one legal integer a game is refused by name."""
    batch = Batch("classic", 4, 1)
    with pytest.raises(SorryError, match="watched"):
        Arena(batch, [Answers(ANSWERS[what])], np.zeros((4, 4), np.int64), np.random.default_rng(1)).reset()


SEATINGS = [
    np.zeros((4, 2), int),
    np.zeros((1, 4), int),
    np.full((4, 4), 1),
    np.full((4, 4), -2),
]
SEATED = [
    np.ones((4, 2), np.int8),
    np.ones((1, 4), np.int8),
    np.full((4, 4), 7, np.int8),
]


@pytest.mark.parametrize("seating", SEATINGS)
def test_bad_seating(seating: np.ndarray) -> None:
    """A seating that is not one known player, or LEARNER, for each seat of each game is refused."""
    with pytest.raises(SorryError):
        Arena(Batch("classic", 4, 1), [RandomPlayer()], seating, np.random.default_rng(1)).reset()


@pytest.mark.parametrize("seated", SEATED)
def test_bad_seated(seated: np.ndarray) -> None:
    """Compiled players that do not exist, or are not one a seat, are refused by the batch."""
    with pytest.raises(SorryError):
        Batch("classic", 4, 1).reset(seated=seated)
