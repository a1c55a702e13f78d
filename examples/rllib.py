"""Sorry! in RLlib's new API stack: PPO with one shared policy that plays all seats, then its win rate against random.

Needs: pip install 'sorry-env[ray]'. Runs in about a minute on one core.

Goes wrong elsewhere: losers that are given nothing at the end, since they do not move last; here every agent is given
its last observation and its own final reward. And RLlib's check of environments, which plays without the mask.
"""

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from sorry_env.interop.rllib import MaskedModule, SorryMultiAgentEnv

ITERATIONS = 8

ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="error")
module = RLModuleSpec(module_class=MaskedModule, model_config={"layers": [256, 128]})
config = (
    PPOConfig()
    # RLlib's check of environments plays actions without their mask; without opponents every seat is an agent.
    .environment(SorryMultiAgentEnv, env_config={"rules": "classic", "players": 2}, disable_env_checking=True)
    .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **kwargs: "shared")
    .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": module}))
    .env_runners(num_env_runners=0, num_envs_per_env_runner=64)
    .training(lr=5e-4, gamma=1.0, lambda_=0.6, entropy_coeff=0.01, use_kl_loss=False, grad_clip=0.5)
    .training(train_batch_size_per_learner=4096, minibatch_size=1024, num_epochs=4)
    .evaluation(
        evaluation_duration=200,  # games
        evaluation_duration_unit="episodes",
        # The agent's seat is drawn anew for each game; RLlib takes the best action instead of sampling.
        evaluation_config={
            "env_config": {"rules": "classic", "players": 2, "opponents": ["random"]},
            "explore": False,
        },
    )
    .debugging(seed=1, log_level="ERROR")
)
algorithm = config.build_algo()
for iteration in range(ITERATIONS):
    result = algorithm.train()
    loss = result["learners"]["shared"]["vf_loss"]
    print(f"iteration {iteration + 1}: {result['num_env_steps_sampled_lifetime']:.0f} decisions, value loss {loss:.3f}")
reward = algorithm.evaluate()["env_runners"]["episode_return_mean"]  # of the only agent: 1 for a win, -1 for a loss
print(f"against random: mean reward {reward:.2f}, win rate {50 + 50 * reward:.0f} %")
algorithm.stop()
ray.shutdown()
