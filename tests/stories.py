"""What games showed and what was played in them, as digests that are equal just where the games are, byte for byte."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from sorry_env import Batch, Game, sorry_v0

SEED: Final = 2024
WATCHED: Final = (0, 1, 5, 63)  # game ids
DECISIONS: Final = 150  # of each watched game at most; fewer where it ends


class Story:
    """One game's first decisions: position, mask, what the mover sees, and what he plays."""

    def __init__(self) -> None:
        self.actions: list[int] = []
        self.is_over = False
        self._digest = hashlib.sha256()

    def add(self, position: object, mask: np.ndarray, seen: np.ndarray, action: int) -> None:
        """Adds a decision."""
        for part in (str(position).encode(), mask.tobytes(), seen.tobytes()):
            self._digest.update(part)
        self.actions.append(action)

    def end(self) -> None:
        """The game has ended: no more is told."""
        self.is_over = True

    def digest(self) -> str:
        """A hash of all that was added."""
        told = self._digest.copy()
        told.update(repr((self.actions, self.is_over)).encode())
        return told.hexdigest()


def batch_stories(batch: Batch, places: Sequence[int], decisions: int = DECISIONS) -> list[Story]:
    """Stories of the games at some places of a batch that plays what it samples."""
    stories = [Story() for _ in places]
    batch.reset()
    for _ in range(decisions):
        actions = batch.sample()
        for story, e in zip(stories, places, strict=True):
            if not story.is_over:
                story.add(batch.position(e), batch.masks[e], batch.observations[e], int(actions[e]))
        batch.step(actions)
        ended = batch.terminated | batch.truncated
        for story, e in zip(stories, places, strict=True):
            if ended[e]:
                story.end()
    return stories


def one_by_one(spec: str, **options: Any) -> list[Story]:
    """Each watched game in a batch of its own."""
    return [batch_stories(Batch(spec, 1, SEED, games=np.array([e]), **options), [0])[0] for e in WATCHED]


def among(spec: str, number: int = 4096, **options: Any) -> list[Story]:
    """The watched games among many."""
    return batch_stories(Batch(spec, number, SEED, **options), WATCHED)


def shuffled(spec: str, **options: Any) -> list[Story]:
    """The watched games at other places of a large batch."""
    order = np.random.default_rng(0).permutation(4096)
    places = [int(np.flatnonzero(order == e)[0]) for e in WATCHED]
    return batch_stories(Batch(spec, 4096, SEED, games=order, **options), places)


def as_game(spec: str, actions: Sequence[int]) -> Story:
    """Game 0 as a `Game`, which is told what to play."""
    game, story = Game(spec, SEED), Story()
    for action in actions:
        story.add(game.position, game.legal_mask(), game.observation(), action)
        game.play(action)
    story.is_over = game.is_over
    return story


def as_aec(spec: str, actions: Sequence[int]) -> Story:
    """Game 0 in the AEC environment."""
    env, story = sorry_v0.raw_env(rules=spec), Story()
    env.reset(seed=SEED)
    for action in actions:
        shown = env.observe(env.agent_selection)
        story.add(env.position, shown["action_mask"], shown["observation"], action)
        env.step(action)
    story.is_over = any(env.terminations.values())
    return story


def digests(stories: Sequence[Story]) -> list[str]:
    """The digest of each."""
    return [story.digest() for story in stories]


def tell(specs: Sequence[str]) -> None:
    """Prints the digests of the watched games of some rules, forced plies shown and not, for another process."""
    for spec in specs:
        for auto_forced in (False, True):
            print(spec, auto_forced, *digests(one_by_one(spec, auto_forced=auto_forced)))


if __name__ == "__main__":
    tell(sys.argv[1:])
