"""RLlib's side of `agents.rllib`: the league's games as an environment, and the configuration of its PPO."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from agents.policies import LAYERS
from agents.settings import LeagueSettings
from sorry_env.arena import LEARNER
from sorry_env.interop.rllib import MaskedModule, SorryMultiAgentEnv
from sorry_env.players import Player

SHARED: Final = "shared"  # the one policy, whatever seats it has

Result = tuple[tuple[str, ...], bool]  # the names of whom the learner met, and whether it won


class LeagueEnv(SorryMultiAgentEnv):
    """Games of one learner against players of a league, or of the learner against itself in every seat.

    Args:
        config: `rules`, a rules record; `players`, the league's; `weights`, their chances of a seat; `self_play`, the
            share of games in which all seats are the learner's.

    Attributes:
        weights: float64 (players,).
        results: of the games against the league that ended since they were last taken.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        self.weights: np.ndarray = config["weights"]
        self.self_play: float = config["self_play"]
        self.results: list[Result] = []
        super().__init__({"rules": config["rules"]})
        self.take_league(config["players"], self.weights)

    def take_league(self, players: list[Player], weights: np.ndarray) -> None:
        """From now on seats are drawn from these players, who are bound already; a player's place keeps its games."""
        self.opponents[:] = players  # the list that the games read
        self.weights = weights

    def choose_opponents(self, rng: np.random.Generator, games: int) -> np.ndarray:
        """See `SorryMultiAgentEnv.choose_opponents`."""
        shape = games, self.rules.players - 1
        drawn = rng.choice(len(self.weights), size=shape, p=self.weights)
        return np.where(rng.random((games, 1)) < self.self_play, LEARNER, drawn)

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """See `SorryMultiAgentEnv.step`."""
        told = super().step(action_dict)
        rivals = self.games.rivals()[0]
        if not self.games.batch.is_open[0] and LEARNER not in rivals:
            names = tuple(self.opponents[k].name for k in rivals.tolist())
            self.results.append((names, bool(self.games.rewards()[0] > 0)))
        return told


def exchange(runner: Any, players: list[Player], weights: np.ndarray) -> list[Result]:
    """Hands a league to all games of an EnvRunner, and takes the results that they have gathered."""
    results: list[Result] = []
    for wrapped in runner.env.envs if runner.env else []:
        env: LeagueEnv = wrapped.unwrapped
        results += env.results
        env.results = []
        env.take_league(players, weights)
    return results


def ppo_config(settings: LeagueSettings, games: dict[str, Any], env_runners: int, **training: float) -> PPOConfig:
    """PPO with one shared policy.

    Args:
        settings: what all learners with a league have.
        games: see `LeagueEnv`.
        env_runners: Ray actors that play; 0: this process.
        **training: further options of `PPOConfig.training`.
    """
    decisions = settings.envs * settings.steps * max(1, env_runners)
    spec = RLModuleSpec(module_class=MaskedModule, model_config={"layers": list(LAYERS)})
    return (
        PPOConfig()
        # RLlib's check plays actions at random without their mask, which raises.
        .environment(LeagueEnv, env_config=games, disable_env_checking=True)
        .multi_agent(policies={SHARED}, policy_mapping_fn=lambda agent, episode, **_: SHARED)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={SHARED: spec}))
        # An illegal action ends the run: games that RLlib begins anew would hide it.
        .env_runners(num_env_runners=env_runners, num_envs_per_env_runner=settings.envs)
        .fault_tolerance(restart_failed_sub_environments=False)
        .learners(num_learners=0)
        .training(
            train_batch_size_per_learner=decisions,
            minibatch_size=min(settings.minibatch, decisions),
            num_epochs=settings.epochs,
            gamma=settings.gamma,
            lambda_=settings.gae_lambda,
            use_kl_loss=False,
            vf_loss_coeff=0.5,
            grad_clip=0.5,
            **training,
        )
        .debugging(seed=settings.seed, log_level="ERROR")
    )
