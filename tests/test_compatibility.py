"""Files of every released version load, or are refused with what differs; what a number stands for does not change."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from programs import read_json
from write_compat import FILES, RECORDS, SMALL, TINY_PPO, TINY_TD, evaluation, game_digest, random_game, versions

from agents import ppo
from agents.ppo import PPOLearner, PPOSettings
from agents.td import TDLearner, TDSettings
from sorry_env import load_player
from sorry_env.arena import Arena
from sorry_env.batch import Batch
from sorry_env.errors import PolicyError, SorryError
from sorry_env.players import PolicyPlayer, ValuePlayer
from sorry_env.record import read_record
from sorry_env.rules import rules_from
from sorry_env.version import __version__

torch.set_num_threads(1)

COMPAT = Path(__file__).parent / "compat"
RELEASES = sorted(path.name for path in COMPAT.iterdir())
KINDS = [("policy", PolicyPlayer, "observation"), ("value", ValuePlayer, "inputs")]
NUMBERS = ("observation", "actions", "inputs", "policy", "record", "checkpoint")
PAGE = (Path(__file__).parent.parent / "docs" / "compatibility.md").read_text(encoding="utf-8")


def numbers_of(release: str) -> dict[str, Any]:
    """What a release says of its versions."""
    found: dict[str, Any] = read_json(COMPAT / release / "versions.json")
    return found


def test_this_version_is_there() -> None:
    """The files of the version at hand are written: `python tests/write_compat.py`."""
    assert __version__.rpartition(".")[0] in RELEASES
    assert numbers_of(__version__.rpartition(".")[0])["version"] == __version__


@pytest.mark.parametrize("release", RELEASES)
def test_numbers_stand_for_the_same(release: str) -> None:
    """A layout, action table or game that is not as it was then has another version number, or suffix, than then."""
    then, now = numbers_of(release), versions()
    for spec, hashes in then["hashes"].items():
        for part in ("observation", "actions", "inputs"):
            if then[part] == now[part]:
                assert now["hashes"][spec][part] == hashes[part], f"{part} of {spec} changed: raise its version"
        if then["environment"] == now["environment"]:
            assert now["hashes"][spec]["games"] == hashes["games"], f"games of {spec} changed: raise the suffix"


def test_game_digest_sees_the_rules() -> None:
    """The digest that stands for games tells rule sets apart that differ in one switch."""
    specs = ["classic:players=2", "classic:players=2,slide_on=own", "classic:players=2,pawns_out=1"]
    assert len({game_digest(spec) for spec in specs}) == 3


def check_plays(player: Any, spec: str) -> None:
    """A player plays some games against greedy to their end."""
    batch = Batch(rules_from(spec), 8, 1)
    players = [load_player(player) if isinstance(player, str) else player, load_player("greedy", batch.rules)]
    seating = np.tile(np.arange(batch.rules.players) % 2, (8, 1))
    arena = Arena(batch, players, seating, np.random.default_rng(1))
    arena.reset()
    assert batch.terminated.all()


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("kind", "cls", "part"), [("policy", PolicyPlayer, "observation"), ("value", ValuePlayer, "inputs")]
)
@pytest.mark.parametrize("name", sorted(FILES))
def test_players(release: str, kind: str, cls: type, part: str, name: str) -> None:
    """Policies and value networks of a release play, as long as their version numbers are today's; else a reason."""
    path, then, now = str(COMPAT / release / f"{kind}-{name}.onnx"), numbers_of(release), versions()
    same = all(then[each] == now[each] for each in ("policy", part, *(["actions"] if kind == "policy" else [])))
    if not same:
        with pytest.raises(PolicyError, match="version"):
            load_player(path, rules_from(FILES[name]))
        return
    assert isinstance(load_player(path), cls)
    check_plays(path, FILES[name])


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", sorted(RECORDS))
def test_records(release: str, name: str) -> None:
    """Records of a release play again to the same end, and are written as then."""
    text = (COMPAT / release / f"record-{name}.txt").read_text(encoding="utf-8")
    game = read_record(text)
    assert game.is_over
    assert game.record() == text
    if numbers_of(release)["environment"] == versions()["environment"]:
        assert random_game(RECORDS[name]).record() == text, "the same seed no longer gives the same game"


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("learner", ["td", "ppo"])
def test_checkpoints(release: str, learner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints of a release play, and are gone on with."""
    out = tmp_path / learner
    shutil.copytree(COMPAT / release / learner, out)
    check_plays(str(out), "mini-1")
    monkeypatch.setattr(ppo, "LAYERS", SMALL)
    if learner == "td":
        longer = TDLearner(TDSettings(out=out, resume=True, **TINY_TD | {"games": 60}))
        longer.learn(lambda _: None)
        assert longer.games == 60
    else:
        further = PPOLearner(PPOSettings(out=out, resume=True, **TINY_PPO | {"timesteps": 512}))
        further.learn(lambda _: None)
        assert further.model.num_timesteps == 512


@pytest.mark.parametrize("release", RELEASES)
def test_evaluation_json(release: str) -> None:
    """A program that reads a release's tables finds all that it found there, and the same games give the same."""
    then, now = read_json(COMPAT / release / "evaluation.json"), json.loads(json.dumps(evaluation()))
    assert len(then["scores"]) == len(now["scores"])
    for old, new in zip(then["scores"], now["scores"], strict=True):
        assert set(old) <= set(new)
        if numbers_of(release)["environment"] == versions()["environment"]:
            assert {key: new[key] for key in ("games", "win_rate")} == {key: old[key] for key in ("games", "win_rate")}


# --- A number that has gone up ---

NEXT: list[tuple[str, str, str, str]] = [
    ("policy-two.onnx", "sorry_env.players.onnx_file.OBSERVATION_VERSION", "its observation are", "version': 9"),
    ("policy-two.onnx", "sorry_env.players.onnx_file.ACTION_VERSION", "its actions are", "version': 9"),
    ("policy-two.onnx", "sorry_env.players.onnx_file.POLICY_FORMAT", "of format 9", "not exported for Sorry!"),
    ("value-two.onnx", "sorry_env.players.value.VALUE_VERSION", "its inputs are", "version': 9"),
    ("td", "agents.checkpoints.CHECKPOINT_FORMAT", "has format 2, this version reads 9", "begin the run anew"),
    ("ppo", "agents.checkpoints.CHECKPOINT_FORMAT", "has format 2, this version reads 9", "begin the run anew"),
]


@pytest.mark.parametrize(("name", "constant", "differs", "advice"), NEXT, ids=[f"{n} {c}" for n, c, *_ in NEXT])
def test_another_version(name: str, constant: str, differs: str, advice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of another version is refused on one line that says what differs and what to do."""
    monkeypatch.setattr(constant, 9)
    spec = FILES["two"] if name.endswith(".onnx") else "mini-1"
    with pytest.raises(PolicyError) as caught:
        load_player(str(COMPAT / RELEASES[-1] / name), rules_from(spec))
    text = str(caught.value)
    assert differs in text
    assert advice in text
    assert "\n" not in text


def test_another_record_version() -> None:
    """A record of another version is refused by that, not as nonsense."""
    text = (COMPAT / RELEASES[-1] / "record-draw.txt").read_text(encoding="utf-8")
    with pytest.raises(SorryError, match=r"written as 'sorry-record 7', this version reads 'sorry-record 1'"):
        read_record(text.replace("sorry-record 1", "sorry-record 7"))


def test_page_tells_the_numbers() -> None:
    """docs/compatibility.md has the table of this version's numbers."""
    now = versions()
    for part in NUMBERS:
        assert f"| {now[part]} |" in next(line for line in PAGE.splitlines() if line.startswith(f"| {part} "))
    assert f"`{now['environment']}`" in PAGE
