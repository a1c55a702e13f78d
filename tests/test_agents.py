"""What learners stand on: SB3's vector environment, the league, checkpoints. Learning itself: `test_learning.py`."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from hostile import rewrite_facts
from playing import legal_choice
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

from agents import CHECKPOINT_FILE
from agents.checkpoints import load_checkpoint, save_checkpoint
from agents.league import FLOOR, MEMORY, PRIOR_GAMES, League
from agents.vec_env import SorryVecEnv
from sorry_env import load_player
from sorry_env.errors import PolicyError
from sorry_env.observation import by_name, observation_layout
from sorry_env.players import RandomPlayer
from sorry_env.rules import Rules, rules_from

torch.set_num_threads(1)


def rules_of(spec: str) -> Rules:
    """A record by its text."""
    return rules_from(spec)


# --- Vector environment ---


def begun(spec: str, num_envs: int = 24, seed: int = 1, **options: Any) -> SorryVecEnv:
    """A vector environment of 24 games against random, reset."""
    rules = rules_of(spec)
    env = SorryVecEnv(rules, League(rules, [RandomPlayer()]), num_envs, seed, **options)
    env.reset()
    return env


def choose(env: SorryVecEnv, rng: np.random.Generator) -> np.ndarray:
    """A legal action for each game."""
    return np.array([legal_choice(mask, rng) for mask in get_action_masks(env)])


def won_by_sight(seen: np.ndarray, rules: Rules) -> bool:
    """Whether an observation shows the observer's side with all pawns Home."""
    at = by_name(observation_layout(rules))
    return bool(seen[at["seat0_home"]].all() and (not rules.teams or seen[at["seat2_home"]].all()))


@pytest.mark.parametrize("spec", ["mini-2", "classic:players=3,pawns=1", "teams:pawns=1", "edition-2013:players=2"])
def test_vec_env(spec: str) -> None:
    """SB3's contract: shapes, dtypes, games that begin anew by themselves, +1 exactly when the learner's seat won."""
    env, rng = begun(spec), np.random.default_rng(1)
    rules = env.batch.rules
    at = by_name(observation_layout(rules))
    loss = -1.0 if rules.teams else -1 / (rules.players - 1)
    rewards_seen, ended, seats = set(), 0, set()
    for _ in range(120):
        seats |= set(env.batch.movers.tolist())
        seen, rewards, dones, infos = env.step(choose(env, rng))
        assert isinstance(seen, np.ndarray)
        assert [str(array.dtype) for array in (seen, rewards, dones)] == ["float32", "float32", "bool"]
        assert all(env.observation_space.contains(row) for row in seen)
        assert (rewards.shape, dones.shape, len(infos)) == ((24,), (24,), 24)
        assert (seen[:, at["on_move"]] == np.eye(rules.players)[0]).all()
        assert not seen[:, at["over"]].any()
        assert get_action_masks(env).sum(axis=1).min() > 1
        for e in range(24):
            assert ("terminal_observation" in infos[e]) == dones[e]
            if not dones[e]:
                assert rewards[e] == 0
                continue
            ended += 1
            last = infos[e]["terminal_observation"]
            assert last[at["over"]] == 1
            assert infos[e]["TimeLimit.truncated"] is False
            assert rewards[e] == pytest.approx(1 if won_by_sight(last, rules) else loss)
            assert infos[e]["episode"]["r"] == rewards[e]
            rewards_seen.add(float(rewards[e]))
    assert ended == env.games_ended > 20
    assert len(rewards_seen) == 2
    assert seats == set(range(rules.players))


def test_vec_env_truncates() -> None:
    """A game cut off at `max_plies` is done with reward 0 and `TimeLimit.truncated`; its last observation is open."""
    env, rng = begun("points", max_plies=60), np.random.default_rng(1)
    at = by_name(observation_layout(rules_from("classic")))
    truncated = 0
    for _ in range(30):
        _, rewards, dones, infos = env.step(choose(env, rng))
        for e in np.flatnonzero(dones).tolist():
            truncated += 1
            assert infos[e]["TimeLimit.truncated"] is True
            assert rewards[e] == 0
            assert not infos[e]["terminal_observation"][at["over"]].any()
    assert truncated >= 24


def test_vec_env_masks() -> None:
    """Masks come by SB3-contrib's own ways, bool, equal to the batch's; other per-game calls are refused."""
    env = begun("classic:players=2", 5)
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.dtype == bool
    assert (masks == (env.batch.masks > 0)).all()
    assert [mask.tolist() for mask in env.env_method("action_masks", indices=[3, 1])] == masks[[3, 1]].tolist()
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 5
    assert env.get_attr("render_mode", [0, 2]) == [None, None]
    for call in (
        lambda: env.env_method("fly"),
        lambda: env.get_attr("wings"),
        lambda: env.set_attr("wings", 2),
    ):
        with pytest.raises(AttributeError):
            call()
    masks[:] = True
    assert not get_action_masks(env).all()


def test_vec_env_wrapped_and_seeded() -> None:
    """SB3's own wrapper goes around it; one seed gives one run, and arrays handed out are never written again."""
    runs = []
    for seed in (3, 3, 4):
        env = begun("mini-2", 8, seed)
        monitored, rng = VecMonitor(env), np.random.default_rng(0)
        kept = [np.asarray(monitored.reset())]
        copies = [kept[0].copy()]
        for _ in range(60):
            seen, rewards, *_ = monitored.step(choose(env, rng))
            kept += [np.asarray(seen), rewards]
            copies += [np.array(seen), rewards.copy()]
        assert all((array == copy).all() for array, copy in zip(kept, copies, strict=True))
        runs.append([array.tolist() for array in kept])
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]
    env.seed(3)
    first = env.reset()
    env.seed(3)
    assert np.array_equal(np.asarray(env.reset()), np.asarray(first))


# --- League ---


class Named(RandomPlayer):
    """A random player by another name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


def reported(league: League, win_rates: list[float], games: int = 2000) -> League:
    """The league after many games against each, won at these rates, wins and losses spread evenly."""
    for k, rate in enumerate(win_rates):
        for game in range(games):
            league.report(np.array([k]), won=int((game + 1) * rate) > int(game * rate))
    return league


@pytest.mark.parametrize(("hardness", "odds"), [(0.0, [1, 1, 1]), (1.0, [1, 2, 3]), (2.0, [1, 4, 9])])
def test_league_weights(hardness: float, odds: list[float]) -> None:
    """Who is beaten with probability p is drawn in proportion to (1 - p)^hardness beside an even tenth; selves too."""
    league = League(rules_of("mini-1"), [Named("a"), Named("b")], hardness=hardness)
    league.add_self(Named("self-0001"))
    reported(league, [0.75, 0.5, 0.25])
    np.testing.assert_allclose(league.win_rates, [0.75, 0.5, 0.25], atol=0.01)
    wanted = [(1 - FLOOR) * odd / sum(odds) + FLOOR / 3 for odd in odds]
    np.testing.assert_allclose(league.weights, wanted, atol=0.02)
    assert league.weights.sum() == pytest.approx(1)


def test_league_draws_by_weight() -> None:
    """Draws follow the weights."""
    league = reported(League(rules_of("mini-1"), [Named("a"), Named("b"), Named("c")]), [1.0, 0.6, 0.1])
    drawn = league.draw(np.random.default_rng(1), (6000, 2))
    assert drawn.shape == (6000, 2)
    np.testing.assert_allclose(np.bincount(drawn.ravel()) / 12_000, league.weights, atol=0.015)


@pytest.mark.parametrize("hardness", [0.0, 1.0, 50.0])
def test_league_forgets_nobody(hardness: float) -> None:
    """Whoever always loses still gets a share of the even tenth; where all always lose, all are drawn alike."""
    league = reported(League(rules_of("mini-1"), [Named("a"), Named("b")], hardness=hardness), [1.0, 0.5], games=9000)
    assert league.weights.min() >= FLOOR / 2
    reported(league, [1.0, 1.0], games=9000)
    assert league.weights.tolist() == pytest.approx([0.5, 0.5])


def test_league_replaces_the_oldest() -> None:
    """Beyond `max_selves` the oldest self's place is taken, and its win rate forgotten; fixed players stay."""
    league = League(rules_of("mini-1"), [Named("a")], max_selves=2)
    for number in range(1, 6):
        league.add_self(Named(f"self-{number:04d}"))
        league.report(np.arange(len(league.players)), won=True)
        names = {player.name for player in league.players}
        assert names == {"a", *(f"self-{kept:04d}" for kept in range(max(1, number - 1), number + 1))}
    league.add_self(Named("self-0006"))
    (new,) = np.flatnonzero(league.num_games == 0)
    assert league.players[new].name == "self-0006"
    assert league.win_rates[new] == 0.5
    assert (np.delete(league.win_rates, new) > 0.5).all()


def test_league_after_ten_thousand_selves() -> None:
    """The oldest self is told by its number."""
    league = League(rules_of("mini-1"), [Named("a")], max_selves=2)
    for number in (9999, 10_000, 10_001):
        league.add_self(Named(f"self-{number:04d}"))
    assert [player.name for player in league.players[1:]] == ["self-10001", "self-10000"]


def test_league_win_rates() -> None:
    """Win rates start at a half and follow the latest games, for the opponents of each game alone."""
    league = League(rules_of("mini-1"), [Named("a"), Named("b")])
    assert league.win_rates.tolist() == [0.5, 0.5]
    league.report(np.array([0]), won=False)
    assert league.win_rates[0] == pytest.approx(MEMORY * PRIOR_GAMES / 2 / (MEMORY * PRIOR_GAMES + 1))
    league.report(np.array([1, 0]), won=True)
    assert league.num_games.tolist() == [2, 1]
    assert league.win_rates[1] > league.win_rates[0]
    reported(league, [0.9])
    assert league.win_rates[0] == pytest.approx(0.9, abs=0.01)
    reported(league, [0.2], games=300)
    assert league.win_rates[0] == pytest.approx(0.2, abs=0.05)


def test_league_restores_by_name() -> None:
    """Results go with the name, wherever the player stands now; whoever was not there begins anew."""
    league = reported(League(rules_of("mini-1"), [Named("a"), Named("b")]), [0.8, 0.3])
    other = League(rules_of("mini-1"), [Named("b"), Named("new"), Named("a")])
    other.restore(json.loads(json.dumps(league.results())))
    assert other.win_rates.tolist() == [league.win_rates[1], 0.5, league.win_rates[0]]
    assert other.num_games.tolist() == [2000, 0, 2000]
    for each, k in ((league, 0), (other, 2)):
        each.report(np.array([k]), won=True)
    assert other.win_rates[2] == league.win_rates[0]


@pytest.mark.parametrize(
    ("spec", "rivals"), [("mini-2", 1), ("points:players=3,pawns=1", 2), ("classic:pawns=1", 3), ("teams:pawns=1", 2)]
)
def test_league_is_told_of_rivals(spec: str, rivals: int) -> None:
    """Each game is reported against those who played against the learner, not against its partner."""
    told = []

    class Telling(League):
        def report(self, opponents: np.ndarray, won: bool) -> None:
            told.append((opponents.tolist(), won))

    rules = rules_of(spec)
    league = Telling(rules, [Named(letter) for letter in "abcdef"])
    env, rng = SorryVecEnv(rules, league, 24, 1), np.random.default_rng(1)
    env.reset()
    expected = []
    while env.games_ended < 40:
        seats, seating = env.games.seats.copy(), env.games.arena.seating.copy()
        _, rewards, dones, _ = env.step(choose(env, rng))
        for e in np.flatnonzero(dones).tolist():
            against = [
                seating[e, seat]
                for seat in np.roll(range(rules.players), -seats[e])[1:].tolist()
                if not rules.teams or (seat - seats[e]) % 2
            ]
            assert len(against) == rivals
            expected.append((against, bool(rewards[e] > 0)))
    assert told == expected


# --- Checkpoints ---


def tensors(value: float) -> dict[str, torch.Tensor]:
    """Something to save."""
    return {"a.weight": torch.full((3, 2), value), "bytes": torch.arange(5, dtype=torch.uint8)}


def assert_saved(folder: Path, value: float, facts: dict[str, Any]) -> None:
    """The folder's checkpoint holds `tensors(value)` and the facts."""
    loaded, told = load_checkpoint(folder)
    assert loaded.keys() == tensors(value).keys()
    assert all(torch.equal(loaded[name], tensor) for name, tensor in tensors(value).items())
    assert all(told[key] == fact for key, fact in facts.items())


def test_checkpoint_round_trip(tmp_path: Path) -> None:
    """What is saved is loaded, nothing in it is a pickle, and the one before is kept."""
    folder = tmp_path / "new" / "run"
    for number in (1, 2):
        save_checkpoint(folder, tensors(number), {"timesteps": number, "rules": "classic"})
        assert_saved(folder, number, {"timesteps": number, "rules": "classic"})
    kept = sorted(file.name.rpartition("-")[0] or file.name for file in folder.iterdir())
    assert kept == ["checkpoint", CHECKPOINT_FILE, "weights-1", "weights-2"]
    assert all(b"pickle" not in file.read_bytes() for file in folder.iterdir())


def spoil(folder: Path, **changes: Any) -> None:
    """Changes facts of a saved checkpoint; None takes one away."""

    def change(facts: dict[str, Any]) -> None:
        facts |= changes
        for key in [key for key, fact in changes.items() if fact is None]:
            del facts[key]

    rewrite_facts(folder, change)


def weights_of(folder: Path) -> Path:
    """The weights beside the JSON."""
    (path,) = folder.glob("weights-*.safetensors")
    return path


def cut(folder: Path) -> None:
    """Takes the end off the weights."""
    weights = weights_of(folder)
    weights.write_bytes(weights.read_bytes()[:-3])


def flip(folder: Path) -> None:
    """Changes one bit of the weights."""
    weights = weights_of(folder)
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)


DAMAGES = [
    cut,
    flip,
    lambda folder: (weights_of(folder)).unlink(),
    lambda folder: (folder / CHECKPOINT_FILE).unlink(),
    lambda folder: (folder / CHECKPOINT_FILE).write_text("{", encoding="utf-8"),
    lambda folder: (folder / CHECKPOINT_FILE).write_text("[1]", encoding="utf-8"),
    lambda folder: (folder / CHECKPOINT_FILE).write_bytes(b"\xff\xfe"),
    lambda folder: spoil(folder, format=99),
    lambda folder: spoil(folder, format=None),
    lambda folder: spoil(folder, weights=None),
    lambda folder: spoil(folder, weights="../../etc/passwd"),
    lambda folder: spoil(folder, sha256="0"),
    lambda folder: spoil(folder, sha256=None),
    lambda folder: spoil(folder, weights=".."),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_checkpoint(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    """A damaged or missing part, or another format, is a PolicyError of one line that names the folder."""
    save_checkpoint(tmp_path, tensors(1), {"timesteps": 1})
    damage(tmp_path)
    with pytest.raises(PolicyError, match="checkpoint") as caught:
        load_checkpoint(tmp_path)
    assert "\n" not in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_checkpoint_of_something_else(tmp_path: Path) -> None:
    """A sound checkpoint that holds no policy is no player."""
    save_checkpoint(tmp_path, tensors(1), {"timesteps": 1})
    with pytest.raises(PolicyError):
        load_player(str(tmp_path))


@pytest.mark.parametrize("interrupted_at", [0, 1, 2, 3])
@pytest.mark.parametrize("timesteps", [6, 5])
def test_interrupted_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, timesteps: int, interrupted_at: int
) -> None:
    """A write that is interrupted at any rename leaves the old checkpoint whole, also one of the same timesteps."""
    for number in (8, 9, 1):
        save_checkpoint(tmp_path, tensors(number), {"timesteps": 5})
    real, calls = os.replace, itertools.count()

    def replace(source: Any, target: Any) -> None:
        if next(calls) == interrupted_at:
            raise KeyboardInterrupt
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        with pytest.raises(KeyboardInterrupt):
            save_checkpoint(tmp_path, tensors(2), {"timesteps": timesteps})
    assert_saved(tmp_path, 1, {"timesteps": 5})
    save_checkpoint(tmp_path, tensors(3), {"timesteps": 7})
    assert_saved(tmp_path, 3, {"timesteps": 7})
