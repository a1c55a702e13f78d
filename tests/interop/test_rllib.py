"""RLlib plays legally, learns every seat's own reward, and leaves a policy that plays without it."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

rllib = pytest.importorskip("ray.rllib", reason="RLlib is not installed: pip install 'sorry-env[ray]'")

os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}

import torch  # noqa: E402  # after the settings above
from ray.rllib.core.columns import Columns  # noqa: E402

from agents.checkpoints import optimizer_tensors  # noqa: E402
from agents.rllib import RLlibLearner, RLlibSettings  # noqa: E402
from sorry_env import Batch, load_player  # noqa: E402
from sorry_env.errors import IllegalError, SorryError  # noqa: E402
from sorry_env.interop.rllib import MaskedModule, SorryMultiAgentEnv  # noqa: E402
from sorry_env.players import PolicyPlayer  # noqa: E402

# Warnings of RLlib's about itself would be errors here.
pytestmark = pytest.mark.filterwarnings("ignore")

RULE_SETS = [("classic", 2), ("classic", 4), ("teams", 4), ("points", 3), ("mini-1", 2)]


# --- The environment ---


def play(env: SorryMultiAgentEnv, rng: np.random.Generator) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """One random game: the rewards that each agent was told, and what the last step returned."""
    told: dict[str, list[float]] = defaultdict(list)
    observations, infos = env.reset()
    assert infos == {}
    while True:
        assert list(observations) == [env.agent_on_move]
        (agent, seen), *_ = observations.items()
        assert env.get_observation_space(agent).contains(seen)
        action = rng.choice(np.flatnonzero(seen["action_mask"]))
        observations, rewards, ended, cut, _ = env.step({agent: action})
        for name, reward in rewards.items():
            told[name].append(reward)
        if ended["__all__"] or cut["__all__"]:
            return told, {"observations": observations, "rewards": rewards, "ended": ended, "cut": cut}


@pytest.mark.parametrize(("rules", "players"), RULE_SETS)
def test_every_seat_is_told_its_own_end(rules: str, players: int) -> None:
    """One agent at a time acts; at the end each has an observation, an empty mask, and its own share of nothing."""
    env = SorryMultiAgentEnv({"rules": rules, "players": players})
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(3):
        told, last = play(env, rng)
        assert set(last["observations"]) == set(env.possible_agents) == set(last["rewards"])
        assert last["ended"]["__all__"]
        assert not any(seen["action_mask"].any() for seen in last["observations"].values())
        assert [told[agent][-1] for agent in env.possible_agents] == env.games.batch.rewards()[0].tolist()
        assert not any(any(rewards[:-1]) for rewards in told.values())
        assert sum(last["rewards"].values()) == pytest.approx(0)
        assert min(last["rewards"].values()) < 0


def test_agents_are_seats_in_order() -> None:
    """Agents are named as in PettingZoo, clockwise, and their spaces are the same."""
    env = SorryMultiAgentEnv({"rules": "teams"})
    assert env.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    assert env.get_action_space("player_3").n == 582
    assert set(env.get_observation_space("player_0")) == {"observation", "action_mask"}


def test_same_seed_same_game() -> None:
    """A seed repeats cards, seats and opponents."""
    games = []
    for _ in range(2):
        env = SorryMultiAgentEnv({"players": 2, "opponents": ["greedy"]})
        env.reset(seed=11)
        rng = np.random.default_rng(0)
        games.append([play(env, rng)[0] for _ in range(3)])
    assert games[0] == games[1]


def test_opponents_inside() -> None:
    """With opponents one agent plays, in a seat drawn anew; the reward is its own; a truncated game says so."""
    env = SorryMultiAgentEnv({"players": 3, "opponents": ["random"]})
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    ends = [play(env, rng)[1]["rewards"] for _ in range(20)]
    assert all(len(rewards) == 1 for rewards in ends)
    assert {agent for rewards in ends for agent in rewards} == set(env.possible_agents)
    assert {reward for rewards in ends for reward in rewards.values()} == {1.0, -0.5}
    short = play(SorryMultiAgentEnv({"players": 2, "max_plies": 6}), rng)[1]
    assert (short["ended"], short["cut"]) == ({"__all__": False}, {"__all__": True})
    assert not any(short["rewards"].values())


def test_illegal_actions_raise() -> None:
    """What is not legal never passes: illegal ids, codes of the batch, other agents, several, none."""
    env = SorryMultiAgentEnv({"players": 2})
    with pytest.raises(IllegalError, match="reset"):
        env.step({"player_0": 0})
    observations, _ = env.reset(seed=1)
    (agent, seen), *_ = observations.items()
    other = next(name for name in env.possible_agents if name != agent)
    legal = int(np.flatnonzero(seen["action_mask"])[0])
    illegal = int(np.flatnonzero(seen["action_mask"] == 0)[0])
    wrong: list[dict[str, Any]] = [{agent: action} for action in (illegal, -1, -2, 10**6, 0.5, "1")]
    for actions in [*wrong, {other: legal}, {agent: legal, other: legal}, {}]:
        with pytest.raises(IllegalError):
            env.step(actions)
    assert env.agent_on_move == agent
    env.step({agent: np.int64(legal)})


BAD_CONFIGS: list[tuple[dict[str, Any], str]] = [
    ({"rules": "clasic"}, "did you mean 'classic'"),
    ({"players": 5}, "players: 5"),
    ({"opponents": ["gredy"]}, "did you mean 'greedy'"),
    ({"players": 4, "opponents": ["greedy", "random"]}, "opponents: 2 given for 4 players"),
    ({"reward": "lose"}, "reward: 'lose'"),
    ({"colour": "R"}, "colour"),
    ({"max_plies": 0}, "max_plies: 0"),
]


@pytest.mark.parametrize(("config", "words"), BAD_CONFIGS, ids=str)
def test_bad_configs(config: dict[str, Any], words: str) -> None:
    """A config that makes no sense is refused by name."""
    with pytest.raises(SorryError, match=words):
        SorryMultiAgentEnv(config)


# --- The module ---


def new_module(rules: str = "classic", players: int = 2) -> MaskedModule:
    """An untrained module."""
    env = SorryMultiAgentEnv({"rules": rules, "players": players})
    spaces = {
        "observation_space": env.get_observation_space("player_0"),
        "action_space": env.get_action_space("player_0"),
    }
    return MaskedModule(**spaces, model_config={"layers": [16]})


def seen_batch(games: int) -> tuple[dict[str, Any], np.ndarray]:
    """Observations of games at their first decisions, as RLlib's connectors hand them over, and their masks."""
    batch = Batch("classic", games, 5, players=2)
    batch.reset()
    masks = batch.masks.copy()
    seen = {"observation": torch.from_numpy(batch.observations.copy()), "action_mask": torch.from_numpy(masks)}
    return {Columns.OBS: seen}, masks


@pytest.mark.parametrize("forward", ["forward_inference", "forward_exploration", "forward_train"])
def test_masks(forward: str) -> None:
    """Illegal actions, although their logits are by far the highest, are never sampled and weigh nothing in entropy."""
    module = new_module()
    batch, masks = seen_batch(64)
    with torch.no_grad():
        last = [part for part in module.policy.modules() if isinstance(part, torch.nn.Linear)][-1]
        last.weight.zero_()
        last.bias.copy_(torch.from_numpy(np.where(masks.any(axis=0), 0.0, 50.0)))
    logits = getattr(module, forward)(batch)[Columns.ACTION_DIST_INPUTS]
    chances = module.get_exploration_action_dist_cls().from_logits(logits)
    for _ in range(50):
        assert masks[np.arange(64), chances.sample().numpy()].all()
    assert masks[np.arange(64), chances.to_deterministic().sample().numpy()].all()
    assert chances.entropy().detach().numpy() == pytest.approx(np.log(masks.sum(axis=1)), abs=1e-5)


def test_gradient_stops_at_the_mask() -> None:
    """No gradient of a legal action's log-probability reaches an illegal action's logit; an empty mask is safe."""
    module = new_module()
    batch, masks = seen_batch(1)
    actions = torch.from_numpy(masks.argmax(axis=1))
    logits = module.forward_train(batch)[Columns.ACTION_DIST_INPUTS]
    module.get_train_action_dist_cls().from_logits(logits).logp(actions).sum().backward()
    last = [part for part in module.policy.modules() if isinstance(part, torch.nn.Linear)][-1]
    gradient = last.bias.grad
    assert gradient is not None
    assert not gradient[masks[0] == 0].any()
    assert gradient[masks[0] > 0].any()
    batch[Columns.OBS]["action_mask"] = torch.zeros_like(batch[Columns.OBS]["action_mask"])
    ended = module.get_train_action_dist_cls().from_logits(module.forward_train(batch)[Columns.ACTION_DIST_INPUTS])
    assert torch.isfinite(ended.entropy()).all()
    assert torch.isfinite(ended.logp(actions)).all()


def test_values_look_at_the_observation() -> None:
    """Values have the shape that RLlib wants, and move with the features."""
    module = new_module()
    batch, _ = seen_batch(3)
    values = module.compute_values(batch)
    assert values.shape == (3,)
    batch[Columns.OBS]["observation"] += 1
    assert (module.compute_values(batch) != values).all()


def test_module_wants_masks() -> None:
    """Flattened observations, which have no mask any more, are refused."""
    env = SorryMultiAgentEnv({"players": 2})
    with pytest.raises(SorryError, match="action_mask"):
        MaskedModule(
            observation_space=env.get_observation_space("player_0")["observation"],
            action_space=env.get_action_space("player_0"),
        )


# --- Training ---


def settings(out: Path, **changes: Any) -> RLlibSettings:
    """A run of a few hundred decisions in the smallest game."""
    tiny: dict[str, Any] = {
        "rules": "mini-1", "out": out, "timesteps": 1024, "envs": 4, "steps": 32, "epochs": 2, "minibatch": 64,
        "opponents": ("random",), "self_every": 256, "selves": 2, "self_play": 0.5, "seed": 2,
    }  # fmt: skip
    return RLlibSettings(**tiny | changes)


class Watch:
    """What RLlib handed to its learner of each game, by agent: lengths, rewards and masks, chunk by chunk."""

    def __init__(self) -> None:
        self.rewards: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self.ended: set[str] = set()
        self.illegal = self.decisions = 0

    def take(self, samples: list[Any]) -> None:
        """Called with the episodes, and pieces of episodes, of each round."""
        for episode in samples:
            for agent, own in episode.agent_episodes.items():
                self.rewards[episode.id_][agent] += sum(own.get_rewards())
                masks = own.get_observations()["action_mask"][:-1]
                self.illegal += int((masks[np.arange(len(own)), own.get_actions()] == 0).sum())
                self.decisions += len(own)
            if episode.is_done:
                self.ended.add(episode.id_)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RLlibLearner, Watch]]:
    """A short run, its learner still open, and what was collected."""
    watch = Watch()
    out = tmp_path_factory.mktemp("runs") / "rllib"
    with pytest.MonkeyPatch.context() as patch:
        from agents import rllib_games

        config = rllib_games.ppo_config
        # A function, since RLlib copies whatever else it is given.
        hook = {"on_sample_end": lambda samples, **_: watch.take(samples)}
        patch.setattr(rllib_games, "ppo_config", lambda *a, **o: config(*a, **o).callbacks(**hook))
        learner = RLlibLearner(settings(out))
    learner.learn(lambda learner: None)
    yield learner, watch
    learner.close()


def test_losers_learn_of_their_loss(trained: tuple[RLlibLearner, Watch]) -> None:
    """In every collected game of the learner against itself one seat got 1 and the other -1, chunk by chunk added up.

    In games against the league the only agent got 1 or -1. The environment raises at an illegal action, and none was
    even collected.
    """
    learner, watch = trained
    sums = [sorted(watch.rewards[game].values()) for game in watch.ended]
    both = [pair for pair in sums if len(pair) == 2]
    alone = [one for one in sums if len(one) == 1]
    assert len(both) > 5
    assert all(pair == [-1, 1] for pair in both)
    assert {reward for (reward,) in alone} == {-1, 1}
    assert watch.illegal == 0
    assert learner.timesteps >= 1024
    assert learner.timesteps - 2 * learner.settings.envs <= watch.decisions <= learner.timesteps


def test_league_is_told(trained: tuple[RLlibLearner, Watch]) -> None:
    """Games against the league are counted by whom the learner met; earlier selves join it and are met."""
    learner, watch = trained
    league = learner.league
    assert learner.num_selves >= 3
    selves = [f"self-{learner.num_selves - k:04d}" for k in range(2)]
    assert {player.name for player in league.players} == {"random", *selves}
    alone = sum(len(watch.rewards[game]) == 1 for game in watch.ended)
    assert 0 < league.num_games[0] <= learner.games <= alone  # in self-play a seat may have had no decision
    tally = league.take_tally()
    assert tally["random"][0] == league.num_games[0]
    assert sum(games for games, _ in tally.values()) <= learner.games  # selves that have left are not reported
    assert np.isfinite(learner.figures["train/loss"])


@pytest.mark.parametrize("self_play", [0.0, 1.0])
def test_league_games(self_play: float) -> None:
    """Games against the league tell whom the learner met and whether it won; those of the learner alone nothing."""
    from agents.rllib_games import LeagueEnv

    players = [load_player("random"), load_player("greedy")]
    config = {"rules": "teams", "players": players, "weights": np.array([0.5, 0.5]), "self_play": self_play}
    env, rng = LeagueEnv(config), np.random.default_rng(4)
    env.reset(seed=4)
    ends = [play(env, rng)[1]["rewards"] for _ in range(8)]
    assert {len(rewards) for rewards in ends} == ({1} if self_play == 0 else {4})
    won = [1.0 in rewards.values() for rewards in ends]
    assert [result[1] for result in env.results] == (won if self_play == 0 else [])
    assert all(len(names) == 2 and set(names) <= {"random", "greedy"} for names, _ in env.results)


def test_exported_file_is_the_module(trained: tuple[RLlibLearner, Watch], tmp_path: Path) -> None:
    """The file's legal logits and values are those of RLlib's module, which training has changed."""
    from agents.export import export_policy

    learner, _ = trained
    export_policy(learner.body(), learner.rules, tmp_path / "policy.onnx")
    player = load_player(str(tmp_path / "policy.onnx"), learner.rules)
    assert isinstance(player, PolicyPlayer)
    batch = Batch("mini-1", 32, 7)
    batch.reset()
    logits, values = player.evaluate(batch.observations, batch.masks)
    module = learner.algorithm.get_module("shared")
    seen = {"observation": torch.from_numpy(batch.observations), "action_mask": torch.from_numpy(batch.masks)}
    wanted = module.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS].numpy()
    legal = batch.masks > 0
    assert logits[legal] == pytest.approx(wanted[legal], abs=1e-5)
    assert logits[~legal].max() < -1e6
    assert np.ptp(wanted[legal]) > 0.01
    assert values == pytest.approx(module.compute_values({Columns.OBS: seen}).detach().numpy(), abs=1e-5)


def test_checkpoint(trained: tuple[RLlibLearner, Watch]) -> None:
    """The folder is a player; a resumed run goes on with weights, optimiser, league and counters, and no pickles."""
    learner, _ = trained
    out, body = learner.settings.out, learner.body().state_dict()
    learner.close()
    assert {path.name.split("-")[0] for path in out.iterdir()} == {"checkpoint.json", "weights", "tensorboard"}
    player = load_player(str(out), learner.rules)
    again = RLlibLearner(settings(out, resume=True, timesteps=learner.timesteps + 128))
    try:
        for state in (again.body().state_dict(), player.body.state_dict()):  # type: ignore[attr-defined]
            assert state.keys() == body.keys()
            assert all(torch.equal(state[key], value) for key, value in body.items())
        assert again.league.results() == learner.league.results()
        assert again.num_selves == learner.num_selves
        assert (again.timesteps, again.games) == (learner.timesteps, learner.games)
        moments = again._on_learner(lambda one: optimizer_tensors(one.get_optimizer("shared")))
        assert len(moments) == 3 * len(body)
        runner = again.algorithm.env_runner
        assert torch.equal(next(runner.module["shared"].policy.parameters()), body["policy.0.weight"])
        seats = runner.env.envs[0].unwrapped
        assert [one.name for one in seats.opponents] == [one.name for one in again.league.players]
        again.learn(lambda learner: None)
        assert again.timesteps >= learner.timesteps + 128
        assert not torch.equal(again.body().state_dict()["policy.0.weight"], body["policy.0.weight"])
    finally:
        again.close()
