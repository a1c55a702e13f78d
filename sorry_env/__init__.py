"""Sorry! as a reinforcement-learning environment."""
