"""Sorry! in OpenSpiel: a game in its rl_environment, then its MCTS bot as an opponent of our players.

Needs: pip install 'sorry-env[openspiel]'. Runs in a few seconds.

Goes wrong elsewhere: rewards read after one's own step; all final rewards stand in the last time step, which every
agent must be given. OpenSpiel's C++ MCTS bot crashes in `step` on any Python game; the bot below is its Python one.
"""

from typing import Any

import numpy as np
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import mcts, random_agent

from sorry_env import Batch, load_player
from sorry_env.arena import Arena
from sorry_env.interop.openspiel import BotPlayer, load_game

# One game of OpenSpiel's rl_environment; pyspiel.load_game("python_sorry(rules=classic,players=2)") is the same game.
game = load_game("classic", players=2)
env = rl_environment.Environment(game)
env.seed(1)
np.random.seed(1)  # OpenSpiel's random agent draws from it
agents = [random_agent.RandomAgent(seat, game.num_distinct_actions()) for seat in range(2)]
step = env.reset()
while not step.last():
    action = agents[step.current_player()].step(step).action  # from the legal actions in step.observations
    step = env.step([action])
for agent in agents:
    agent.step(step)  # each seat's own final reward is step.rewards[seat]
print("rl_environment: rewards", step.rewards)


# OpenSpiel's MCTS bot as one of our players, against another of ours: a small game, as often from either seat.
def make_bot(game: Any, seat: int, random_state: np.random.RandomState) -> Any:
    """MCTS with 20 simulations and one random rollout a leaf; `random_state` makes the games repeat."""
    evaluator = mcts.RandomRolloutEvaluator(1, random_state)
    return mcts.MCTSBot(game, uct_c=1.5, max_simulations=20, evaluator=evaluator, random_state=random_state)


players = [BotPlayer(make_bot, "openspiel-mcts"), load_player("greedy")]
batch = Batch("mini-1", 20, seed=1)
seating = np.array([[0, 1], [1, 0]] * 10)
arena = Arena(batch, players, seating, np.random.default_rng(1))
arena.reset()  # plays all games to their ends
rewards = np.take_along_axis(batch.rewards(), seating.argsort(axis=1), axis=1)  # by player instead of by seat
print("arena:", {player.name: int((rewards[:, k] > 0).sum()) for k, player in enumerate(players)}, "of 20 games")
