"""A natively batched VecEnv for stable-baselines3: one learner's seat a game, opponents from a pool inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from agents.league import League
from sorry_env.arena import LearnerBatch
from sorry_env.batch import DEFAULT_MAX_PLIES, Batch
from sorry_env.gym_env import SorryEnv
from sorry_env.rules import Rules


class SorryVecEnv(VecEnv):
    """B games in one compiled batch; each step is one real decision of the learner in every game.

    The learner's seat is drawn anew for each game, and so is every opponent, from the league. Observations float32
    (B, F); masks by `env_method("action_masks")`, bool (A,) a game. Games begin anew by themselves, SB3's way: the
    last observation of an ended game is in `infos[e]["terminal_observation"]`, its mask is the new game's.

    Args:
        rules: the rules record.
        league: where opponents come from; it is told each game's result.
        num_envs: B.
        seed: seed of cards, seats and opponents.
        max_plies: plies after which a game is truncated.
    """

    def __init__(
        self, rules: Rules, league: League, num_envs: int, seed: int, max_plies: int = DEFAULT_MAX_PLIES
    ) -> None:
        self.league = league
        self.render_mode = None
        self.batch = Batch(rules, num_envs, seed, max_plies=max_plies)
        seats = rules.players - 1
        self.games = LearnerBatch(
            self.batch,
            league.players,  # the league's own list: it grows while games run
            np.random.default_rng(seed),
            "random",
            lambda rng, games: league.draw(rng, (games, seats)),
        )
        self.games_ended = 0
        single = SorryEnv(rules, opponents=["random"])
        super().__init__(num_envs, single.observation_space, single.action_space)

    @property
    def rng(self) -> np.random.Generator:
        """Of seats, opponents and their choices."""
        return self.games.rng

    def reset(self) -> VecEnvObs:
        """New games everywhere; observations float32 (B, F)."""
        self.games.begin(np.ones(self.num_envs, bool))
        return self.batch.observations.copy()

    def snapshot(self) -> dict[str, Any]:
        """All that decides how the games go on, JSON-able, for `restore`."""
        return {"ended": self.games_ended, **self.games.snapshot()}

    def restore(self, snapshot: dict[str, Any]) -> VecEnvObs:
        """Takes over a `snapshot` in place of `reset`; observations float32 (B, F). Raises SorryError."""
        self.games.restore(snapshot)
        self.games_ended = int(snapshot["ended"])
        return self.batch.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Keeps the actions, integers (B,), for `step_wait`."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the learner's actions and everyone else's until each learner decides again."""
        self.games.step(self._actions)
        done = ~self.batch.is_open
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        rewards = np.zeros(self.num_envs, np.float32)
        if done.any():
            rewards[:] = self.games.rewards()
            self._report(np.flatnonzero(done), rewards, infos)
            self.games.begin(done)
        return self.batch.observations.copy(), rewards, done, infos

    def _report(self, games: np.ndarray, rewards: np.ndarray, infos: list[dict[str, Any]]) -> None:
        """Fills the infos of ended games and tells the league against whom each was won or lost."""
        self.games_ended += len(games)
        seen, rivals = self.games.observations(), self.games.rivals()
        truncated, plies = self.batch.truncated, self.batch.plies
        for e in games.tolist():
            infos[e] = {
                "terminal_observation": seen[e],
                "TimeLimit.truncated": bool(truncated[e]),
                "episode": {"r": float(rewards[e]), "l": int(plies[e]), "t": 0.0},
            }
            self.league.report(rivals[e], won=bool(rewards[e] > 0))

    def action_masks(self) -> np.ndarray:
        """Bool (B, A): legal actions of each learner's decision."""
        return self.batch.masks > 0

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **options: Any) -> list[Any]:
        """`action_masks` alone: the games are rows, not objects."""
        if method_name != "action_masks":
            raise AttributeError(f"SorryVecEnv has no method {method_name!r} a game, only 'action_masks'")
        return list(self.action_masks()[list(self._get_indices(indices))])

    def has_attr(self, attr_name: str) -> bool:
        """Whether `get_attr` (or `env_method`) knows the name."""
        return attr_name in ("action_masks", "render_mode")

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """`render_mode`, the same for all games."""
        if attr_name != "render_mode":
            raise AttributeError(f"SorryVecEnv has no attribute {attr_name!r} a game")
        return [None for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Nothing can be set for single games."""
        raise AttributeError(f"SorryVecEnv: {attr_name!r} cannot be set for single games")

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """No game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Begins all random streams anew."""
        self.games.seed(seed, np.random.default_rng(seed))
        return [seed] * self.num_envs

    def close(self) -> None:
        """Nothing is held open."""
