"""The native vector environment behind `gymnasium.make_vec("sorry_env:Sorry-v0", num_envs=N)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from sorry_env.arena import LearnerBatch
from sorry_env.batch import DEFAULT_MAX_PLIES, SKIP, Batch, describe_illegal, integer_actions
from sorry_env.engine.packing import Written
from sorry_env.errors import IllegalError, SorryError
from sorry_env.gym_env import SorryEnv
from sorry_env.players import Player
from sorry_env.rules import Rules


class SorryVectorEnv(Written, gymnasium.vector.VectorEnv[Any, Any, Any]):
    """N games of one learner each, as arrays; the same games and infos as N single environments, many times faster.

    Observations float32 (N, F), rewards float64 (N,), ends bool (N,), `infos["action_mask"]` int8 (N, A). Games that
    have ended begin anew by `autoreset_mode`, as Gymnasium 1.x defines the modes: NEXT_STEP (default), SAME_STEP (the
    last observation and info in `infos["final_obs"]` and `infos["final_info"]`), or DISABLED (`options["reset_mask"]`).

    Args:
        num_envs: N.
        rules, players, opponents, seat, reward, illegal, auto_forced, max_plies, options: as for `SorryEnv`.
        max_episode_steps: a learner's decisions after which a game is truncated; None for no such limit.
        threads: how many share the games, as for `Batch`.
        autoreset_mode: a mode or its value ("NextStep", "SameStep", "Disabled").
        render_mode: None only; render single games.

    Raises:
        SorryError: arguments that make no sense; PolicyError where a policy was made for other rules.
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | Rules = "classic",
        players: int | None = None,
        opponents: Sequence[str | Player] = ("random",),
        seat: int | str = 0,
        *,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        illegal: str = "lose",
        reward: str | None = None,
        auto_forced: bool = True,
        max_plies: int = DEFAULT_MAX_PLIES,
        threads: int = 1,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if num_envs < 1:
            raise SorryError(f"num_envs: {num_envs} is not 1 or more")
        if render_mode is not None:
            raise SorryError(f"render_mode: {render_mode!r} shows single games; use gymnasium.make for it")
        single = SorryEnv(
            rules, players, opponents, seat, reward=reward, illegal=illegal, max_plies=max_plies, **options
        )
        self.rules, self._scoring, self._illegal = single.rules, single.scoring, illegal
        self.num_envs, self.max_episode_steps = num_envs, max_episode_steps
        self._mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self._mode}
        self.single_observation_space, self.single_action_space = single.observation_space, single.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._batch = Batch(self.rules, num_envs, auto_forced=auto_forced, max_plies=max_plies, threads=threads)
        self._games = LearnerBatch(self._batch, single.opponents, self.np_random, seat, single.choose_opponents)
        self._steps = np.zeros(num_envs, np.int64)
        self._ended = np.zeros(num_envs, bool)
        self._is_begun = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """New games everywhere, or where `options["reset_mask"]`, bool (N,), is true.

        Args:
            seed: begins all random streams anew.
            options: `reset_mask`; `first_player`: the seat that begins.
        """
        super().reset(seed=seed)
        options = options or {}
        if seed is not None:
            self._games.seed(seed, self.np_random)
        which = options.get("reset_mask")
        self._begin(np.ones(self.num_envs, bool) if which is None else which, options.get("first_player"))
        return self._observations(), self._infos()

    def _begin(self, which: np.ndarray, first_player: int | None = None) -> None:
        self._games.begin(which, first_player)
        self._is_begun = True
        self._steps[which] = 0
        self._ended[which] = False

    def _observations(self) -> np.ndarray:
        return self._games.observations()

    def _infos(self) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, bool)
        return {
            "action_mask": self._batch.masks.copy(),
            "_action_mask": everywhere,
            "seat": self._games.seats.copy(),
            "_seat": everywhere.copy(),
        }

    def action_masks(self) -> np.ndarray:
        """Bool (N, A): true where the action is legal; all false for games that have ended."""
        return self._batch.masks > 0

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Plays the learners' actions, integers (N,), and the opponents' until each learner decides again.

        Raises:
            IllegalError: actions that are not integers, an illegal one with `illegal="raise"`, or a step before the
                first reset; no game has then changed.
        """
        if not self._is_begun:
            raise IllegalError("no game is open: call reset first")
        actions = np.array(np.broadcast_to(integer_actions(actions, self.num_envs), self.num_envs), np.int64)
        began_anew = self._ended.copy()
        if self._mode is AutoresetMode.NEXT_STEP and began_anew.any():
            self._begin(began_anew)
        actions, illegal = self._settle_illegal(actions, began_anew)
        self._games.step(actions)
        self._steps += ~began_anew
        rewards = np.where(self._batch.is_open, 0.0, self._games.rewards(self._scoring))
        terminated, truncated = self._batch.terminated, self._batch.truncated
        if self._illegal == "lose":
            rewards[illegal], terminated[illegal], truncated[illegal] = -1.0, True, False
        if self.max_episode_steps is not None:
            truncated |= self._batch.is_open & (self._steps >= self.max_episode_steps)
        return self._finish(rewards, terminated, truncated, illegal)

    def _settle_illegal(self, actions: np.ndarray, began_anew: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Actions to play, SKIP where a game only began anew, and where they were illegal: bool (N,)."""
        masks = self._batch.masks
        inside = (actions >= 0) & (actions < masks.shape[1])
        legal = inside & (masks[np.arange(self.num_envs), np.where(inside, actions, 0)] > 0)
        illegal = ~legal & ~began_anew & self._batch.is_open
        actions[began_anew] = SKIP
        if illegal.any():
            if self._illegal == "raise":
                first = int(np.argmax(illegal))
                where = f"game {first}: "
                raise IllegalError(describe_illegal(self._batch.position(first), int(actions[first]), where))
            for e in np.flatnonzero(illegal).tolist():
                if self._illegal == "lose":
                    self._batch.forfeit(e)
                else:
                    actions[e] = self.np_random.choice(np.flatnonzero(masks[e]))
        return actions, illegal

    def _finish(
        self, rewards: np.ndarray, terminated: np.ndarray, truncated: np.ndarray, illegal: np.ndarray
    ) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        ended = terminated | truncated
        self._ended = ended.copy()
        final: dict[str, Any] = {}
        if self._mode is AutoresetMode.SAME_STEP and ended.any():
            final = self._final_infos(ended)
            self._begin(ended)
        infos = self._infos() | final
        if illegal.any():
            infos |= {"illegal_action": illegal, "_illegal_action": illegal.copy()}
        return self._observations(), rewards, terminated, truncated, infos

    def _final_infos(self, ended: np.ndarray) -> dict[str, Any]:
        """What SAME_STEP tells of the games that have just ended."""
        seen = self._observations()
        final_obs = np.full(self.num_envs, None, object)
        for e in np.flatnonzero(ended):
            final_obs[e] = seen[e]
        infos = self._infos() | {"_action_mask": ended.copy(), "_seat": ended.copy()}
        return {"final_obs": final_obs, "_final_obs": ended.copy(), "final_info": infos, "_final_info": ended.copy()}

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing is held open."""
