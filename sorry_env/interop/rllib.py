"""Sorry! in RLlib's new API stack: an environment of several agents, and a policy module that knows masks.

Needs `pip install 'sorry-env[ray]'`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import gymnasium
import numpy as np

try:
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.models.configs import MLPHeadConfig
    from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.rllib.utils.framework import try_import_torch
except ImportError as error:
    raise ImportError(
        "sorry_env.interop.rllib needs RLlib: pip install 'sorry-env[ray]', or pip install 'ray[rllib]'"
    ) from error

from sorry_env.arena import LEARNER, LearnerBatch
from sorry_env.batch import DEFAULT_MAX_PLIES, Batch, describe_illegal
from sorry_env.errors import IllegalError, SorryError
from sorry_env.players import Player, load_player
from sorry_env.rules import Rules, rules_from
from sorry_env.sorry_v0 import Observation, action_index, raw_env

__all__ = ["MaskedModule", "SorryMultiAgentEnv"]

LAYERS: Final = (256, 128)
MASKED_LOGIT: Final = -1e8

torch, _ = try_import_torch()


class SorryMultiAgentEnv(MultiAgentEnv):  # type: ignore[misc]  # untyped base
    """Sorry! for RLlib's `MultiAgentEnvRunner`.

    The agents are `player_0` .. `player_{P-1}`, seats clockwise, always in this order (`possible_agents`). Each
    observation is `{"observation": float32 (F,), "action_mask": int8 (A,)}`, and only the agent on move is given one:
    that is how RLlib knows who acts. At the end every agent is given its last observation (its mask all 0) and its own
    final reward, so that the losers, who do not move last, learn of it, too. RLlib leaves out an agent that never had
    a decision.

    Forced plies are played silently, as in the Gymnasium environment: they are a third to a half of all plies in the
    classic game, cost as much as others, and nothing can be learned from them.

    Give RLlib `disable_env_checking=True`: its check plays actions at random without their mask, which here raises.

    Args:
        config: RLlib's `env_config`, a dict with any of
            rules: a name of RULES 7, name and options, or a rules record ("classic").
            players: 2 to 4; by default the rules' own (four in the classic game).
            opponents: spec strings or players who sit inside the environment; none by default, so that all seats are
                agents. One plays all seats but one; P - 1 sit clockwise from the agent's. The agent's seat is drawn
                anew for each game, and the other names of `possible_agents` then have no part in it.
            reward: "win" or "points"; by default the rules' scoring.
            max_plies: plies of all seats after which a game is truncated.
            and further fields of the rules record.

    Attributes:
        games: the one game and who sits in it.

    Raises:
        SorryError: a config that makes no sense; PolicyError where an opponent was made for other rules.
    """

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        super().__init__()
        self._open(**(config or {}))

    def _open(
        self,
        rules: str | Rules = "classic",
        players: int | None = None,
        opponents: Sequence[str | Player] = (),
        reward: str | None = None,
        max_plies: int = DEFAULT_MAX_PLIES,
        **options: Any,
    ) -> None:
        self.rules = rules_from(rules, players, **options)
        spaces = raw_env(self.rules, reward=reward)  # also refuses a reward that makes no sense
        self.possible_agents = spaces.possible_agents
        self.agents = self.possible_agents[:]
        self.observation_spaces, self.action_spaces = spaces.observation_spaces, spaces.action_spaces
        self.scoring = reward or self.rules.scoring
        opponents = [opponents] if isinstance(opponents, str) or not isinstance(opponents, Sequence) else opponents
        if len(opponents) not in (0, 1, self.rules.players - 1):
            raise SorryError(
                f"opponents: {len(opponents)} given for {self.rules.players} players; give none, one who plays all "
                f"seats but the agent's, or {self.rules.players - 1}"
            )
        self.opponents: list[Player] = [load_player(one) for one in opponents]
        self._batch = Batch(self.rules, 1, max_plies=max_plies)
        rng = np.random.default_rng()
        self.games = LearnerBatch(self._batch, self.opponents, rng, "random", self.choose_opponents)

    def choose_opponents(self, rng: np.random.Generator, games: int) -> np.ndarray:
        """Who sits clockwise from an agent's seat, integers (games, P - 1): indices into `opponents`, or LEARNER."""
        others = self.rules.players - 1
        chosen = np.arange(others) % len(self.opponents) if self.opponents else np.full(others, LEARNER)
        return np.tile(chosen, (games, 1))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Any]]:
        """Begins a game and plays on to an agent's first decision; returns its observation by name, and no infos.

        Args:
            seed: begins all random streams anew.
            options: `first_player`: the seat that begins.
        """
        super().reset(seed=seed)
        if seed is not None:
            self.games.seed(seed, np.random.default_rng(seed))
        self.games.begin(np.ones(1, bool), (options or {}).get("first_player"))
        return self._shown(), {}

    @property
    def agent_on_move(self) -> str:
        """Whose decision is open."""
        agent: str = self.possible_agents[self._batch.movers[0]]
        return agent

    def _shown(self) -> dict[str, Observation]:
        """What the agent on move sees."""
        seen, mask = self._batch.observations[0].copy(), self._batch.masks[0].copy()
        return {self.agent_on_move: {"observation": seen, "action_mask": mask}}

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Plays the action of the agent on move, and opponents' until an agent is to decide again.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent, as RLlib wants them.

        Raises:
            IllegalError: an illegal action, or actions of others than the agent on move.
        """
        if not self._batch.is_open[0]:
            raise IllegalError("no game is open: call reset first")
        agent = self.agent_on_move
        if list(action_dict) != [agent]:
            raise IllegalError(f"actions are of {', '.join(action_dict) or 'nobody'}; {agent} alone is on move")
        action = action_index(action_dict[agent])
        if action < 0:  # perhaps a code that the batch would take
            raise IllegalError(describe_illegal(self._batch.position(0), action))
        self.games.step(action)
        if self._batch.is_open[0]:
            return self._shown(), {agent: 0.0}, {"__all__": False}, {"__all__": False}, {}
        return self._ending()

    def _ending(self) -> tuple[dict[str, Any], ...]:
        """What every agent of the game is told at its end."""
        rewards = self._batch.rewards(self.scoring)[0]
        observations, own = {}, {}
        for seat in np.flatnonzero(self.games.arena.seating[0] == LEARNER).tolist():
            agent = self.possible_agents[seat]
            seen = self._batch.observe(np.array([seat]))[0]
            observations[agent] = {"observation": seen, "action_mask": self._batch.masks[0].copy()}
            own[agent] = float(rewards[seat])
        is_over = bool(self._batch.terminated[0])
        return observations, own, {"__all__": is_over}, {"__all__": not is_over}, {}


class MaskedModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]  # untyped bases
    """Policy and value for PPO (new API stack): illegal actions have no chance, in play and in training.

    Observations are those of `SorryMultiAgentEnv`, through RLlib's default connectors. `policy` and `value` are
    networks of their own, from features float32 (N, F) to logits (N, A) and to values (N, 1).

    `model_config` may hold `layers`, the widths of their hidden layers, by default 256 and 128.

    Raises:
        SorryError: an observation space without a mask, such as one that a connector has flattened.
    """

    def setup(self) -> None:
        """Builds the networks; RLlib calls it."""
        space = self.observation_space
        if not isinstance(space, gymnasium.spaces.Dict) or set(space) != {"observation", "action_mask"}:
            raise SorryError(f"MaskedModule: observations are {space}, not 'observation' and 'action_mask'")
        layers = list((self.model_config or {}).get("layers", LAYERS))
        features, actions = gymnasium.spaces.flatdim(space["observation"]), int(self.action_space.n)
        self.policy, self.value = (
            MLPHeadConfig(
                input_dims=[features],
                hidden_layer_dims=layers,
                hidden_layer_activation="relu",
                output_layer_dim=outputs,
                output_layer_activation="linear",
            ).build(framework="torch")
            for outputs in (actions, 1)
        )

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Masked logits, for play and training alike (RLlib's default for all three of its forward passes).

        Where the mask is all 0, as in a game's last observation, all logits are alike: such steps are in no loss.
        """
        logits = self.policy(batch[Columns.OBS]["observation"])
        is_legal = batch[Columns.OBS]["action_mask"] > 0
        return {Columns.ACTION_DIST_INPUTS: torch.where(is_legal, logits, MASKED_LOGIT)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """Values float32 (N,): the expected final reward of whoever observes."""
        return self.value(batch[Columns.OBS]["observation"]).squeeze(-1)
