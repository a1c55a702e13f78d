"""Luck adjustment: its mean is zero whatever the network and whoever plays; a network that sees more narrows more."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tiny_policies import write_policy
from tiny_values import adjuster_of, race_network, random_network

from agents.crews import Processes
from agents.evaluation import Played, Terms, play_matches
from agents.export import export_value
from agents.intervals import mean_interval, win_rate_interval
from agents.luck import AUTO, NONE, open_adjuster
from agents.matches import plan_matches
from sorry_env.errors import PolicyError, SorryError, SpecError
from sorry_env.players import RacePlayer, ValuePlayer, load_player, value
from sorry_env.players.onnx_file import open_policy_file
from sorry_env.rules import rules_from
from sorry_env.values import ValueModel, num_sides

TWO = rules_from("classic", 2)
MINI = rules_from("mini-2")


def played(pair: tuple[str, ...], model: ValueModel, games: int, seed: int = 1) -> Played:
    """The first match of some players, adjusted by a network."""
    terms = Terms(pair, model.rules, games, seed, adjuster_of(model))
    return play_matches(plan_matches(len(pair), num_sides(model.rules))[:1], terms)[0]


@pytest.mark.parametrize(
    ("spec", "games"),
    [("classic:players=2", 1200), ("edition-1939:players=2", 600), ("mini-2", 2000), ("classic", 400), ("teams", 400)],
)
def test_luck_has_mean_zero(spec: str, games: int) -> None:
    """A network of random numbers takes out much, and on the average nothing: its luck is within 3.5 errors of 0."""
    rules = rules_from(spec)
    match = played(("race", "random"), random_network(rules), games)
    for player in match.match.measured:
        mine = match.outcome(player)
        lucky = mine.won - mine.fair
        assert lucky.std() > 0.05
        assert abs(lucky.mean()) < 3.5 * lucky.std(ddof=1) / np.sqrt(len(lucky))
    (score, *_) = match.scores(("race", "random"), 0)
    reach = np.hypot(score.half_width, (score.high - score.low) / 2)
    assert abs(score.win_rate - score.adjusted) < reach


def test_luck_of_all_sides_adds_up_to_zero() -> None:
    """What a card adds to one side's chances it takes from the others'."""
    found = played(("greedy", "random"), random_network(rules_from("classic", 3)), 60).results["luck"]
    assert np.abs(found).max() > 0.01
    assert np.abs(found.sum(axis=2)).max() < 1e-4


def test_a_network_that_sees_who_is_ahead_narrows() -> None:
    """Raw and adjusted rates agree, and the adjusted one has at most half the variance, as `variance_ratio` says."""
    match = played(("race", "greedy"), race_network(MINI), 2000)
    score = match.scores(("race", "greedy"), 0)[0]
    assert score.variance_ratio > 2
    mine = match.outcome(0)
    assert score.variance_ratio == pytest.approx(mine.won.var() / mine.fair.var())
    assert abs(score.win_rate - score.adjusted) < np.hypot(score.half_width, (score.high - score.low) / 2)
    assert score.adjusted_low < score.adjusted < score.adjusted_high
    assert score.half_width < 0.75 * (score.high - score.low) / 2


def test_mirror_match_covers_a_half() -> None:
    """Of 150 small evaluations of a player against itself about 95 % have 50 % in the interval, raw and adjusted."""
    mine = played(("race", "race"), race_network(MINI), 150 * 60, seed=5).outcome(0)
    least, most = stats.binom.ppf([0.0005, 0.9995], 150, 0.95)
    won, fair = mine.won.reshape(150, 30), mine.fair.reshape(150, 30)
    for intervals in ([win_rate_interval(won[k], 2, k) for k in range(150)], list(map(mean_interval, fair))):
        assert least <= sum(low <= 0.5 <= high for low, high in intervals) <= most
    assert fair.var() < 0.6 * won.var()


def test_workers_and_blocks() -> None:
    """Two workers and one give the same adjusted table, also where matches stop by the width of their intervals."""
    terms = Terms(("race", "random", "greedy"), MINI, 100, 3, adjuster_of(race_network(MINI)), 0.017)
    with Processes(2) as crew:
        tables = [play_matches(plan_matches(3, 2), terms, each) for each in (None, crew)]
    first, second = ([one.scores(terms.specs, 3) for one in played] for played in tables)
    assert first == second
    assert len({scores[0].decks for scores in first}) > 1, "matches should have stopped at different lengths"


# --- The adjuster ---


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a value network for two players."""
    path = tmp_path_factory.mktemp("values") / "race.onnx"
    export_value(race_network(TWO), path)
    return str(path)


def test_open_adjuster(network: str) -> None:
    """An adjuster is named by its file and its bytes' hash; `none` is none, and so is `auto` without a champion."""
    adjuster = open_adjuster(network, TWO)
    assert adjuster is not None
    digits = hashlib.sha256(Path(network).read_bytes()).hexdigest()
    assert adjuster.as_dict() == {"spec": network, "sha256": digits}
    assert adjuster.name == f"{network} (sha256 {digits[:12]})"
    assert np.array_equal(adjuster.model.row, race_network(TWO).row)
    assert open_adjuster(NONE, TWO) is None
    assert open_adjuster(AUTO, rules_from("points", 2)) is None
    assert open_adjuster(AUTO, rules_from("mini-1")) is None


def test_no_adjuster_of_hand_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A champion of a hand game plays there, and adjusts nothing."""
    rules = rules_from("points", 2)
    export_value(random_network(rules), tmp_path / "points.onnx")
    files = (open_policy_file(str(tmp_path / "points.onnx")),)
    monkeypatch.setattr(value, "champion_files", lambda: files)
    load_player("champion", rules)
    assert open_adjuster(AUTO, rules) is None


def test_is_played_by(network: str) -> None:
    """A player that decides by the adjuster is known, whatever it is called; others are not taken for it."""
    adjuster = open_adjuster(network, TWO)
    assert adjuster is not None
    same, search, other = ValuePlayer("a", network), ValuePlayer("b", race_network(TWO), 1), ValuePlayer("c", "race")
    for player in (same, search, other):
        player.bind(TWO)
    assert adjuster.is_played_by(same)
    assert adjuster.is_played_by(search)
    assert not adjuster.is_played_by(other)
    assert not adjuster.is_played_by(RacePlayer())


@pytest.mark.parametrize(
    ("spec", "rules", "error", "words"),
    [
        ("{network}", "classic", PolicyError, "was made for the rules"),
        ("{network}", "points:players=2", SorryError, "hand game"),
        ("champion", "points:players=2", SorryError, "hand game"),
        ("race", "classic:players=2", SorryError, "distances"),
        ("champion", "mini-1", PolicyError, "none is shipped"),
        ("nowhere.onnx", "classic:players=2", PolicyError, "no file"),
        ("{policy}", "mini-2", PolicyError, "gives no values"),
        ("sol", "classic:players=2", SpecError, "no value model"),
    ],
)
def test_refused_adjusters(
    spec: str, rules: str, error: type[SorryError], words: str, network: str, tmp_path: Path
) -> None:
    """What cannot adjust these rules is refused with what it is."""
    policy = tmp_path / "policy.onnx"
    write_policy(policy, rules_from("mini-2"))
    with pytest.raises(error, match=words):
        open_adjuster(spec.format(network=network, policy=policy), rules_from(rules))
