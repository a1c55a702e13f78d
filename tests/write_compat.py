"""Writes tests/compat/VERSION/: small files of this version that every later one must load, or refuse with a reason.

    python tests/write_compat.py

Run it once before a release. A released folder is never written again: what changed since then gets a new version
number (docs/compatibility.md).
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import numpy as np  # noqa: E402  # the checkout is not installed
import torch  # noqa: E402
from tiny_policies import write_policy  # noqa: E402
from tiny_values import random_network  # noqa: E402

from agents import CHECKPOINT_FILE, checkpoints, ppo  # noqa: E402
from agents.evaluation import evaluate  # noqa: E402
from agents.export import export_value  # noqa: E402
from agents.ppo import PPOLearner, PPOSettings  # noqa: E402
from agents.td import TDLearner, TDSettings  # noqa: E402
from sorry_env.actions import ACTION_VERSION  # noqa: E402
from sorry_env.batch import Batch  # noqa: E402
from sorry_env.game import Game  # noqa: E402
from sorry_env.observation import OBSERVATION_VERSION  # noqa: E402
from sorry_env.players.onnx_file import POLICY_FORMAT, policy_metadata  # noqa: E402
from sorry_env.players.value import value_metadata  # noqa: E402
from sorry_env.record import RECORD_VERSION  # noqa: E402
from sorry_env.registration import GYM_ID  # noqa: E402
from sorry_env.rules import rules_from  # noqa: E402
from sorry_env.values import VALUE_VERSION  # noqa: E402
from sorry_env.version import __version__  # noqa: E402

FOLDER = ROOT / "tests" / "compat"
# Of layouts and of games; three players are not promised yet (docs/compatibility.md).
RULES = (
    *("classic:players=2", "classic", "teams", "points:players=2", "points", "team-points", "edition-1939"),
    *("edition-2013:players=2", "mini-1", "mini-2"),
)
FILES = {"two": "mini-2", "four": "teams:pawns=1"}  # rules of policies and value networks
RECORDS = {"draw": "classic:players=2", "hand": "points:players=2"}
SMALL = (8, 8)  # hidden layers of the PPO checkpoint, which would else be large
TINY_TD: dict[str, Any] = {
    "rules": "mini-1", "games": 40, "block": 20, "wide": 8, "narrow": 4, "minibatch": 64, "threads": 1,
}  # fmt: skip
TINY_PPO: dict[str, Any] = {
    "rules": "mini-1", "timesteps": 256, "envs": 8, "steps": 16, "epochs": 1, "minibatch": 64, "self_every": 128,
    "opponents": ("random",), "selves": 1,
}  # fmt: skip


def game_digest(spec: str) -> str:
    """A hash of the positions that 8 games of seed 1 come to in 300 random plies each: of cards, rules and samples."""
    batch = Batch(spec, 8, 1, auto_forced=False, observation_dtype=None)
    batch.reset()
    told = hashlib.sha256()
    for _ in range(300):
        told.update("\n".join(str(batch.position(e)) for e in range(8)).encode())
        batch.step(batch.sample())
        batch.reset(~batch.is_open)
    return told.hexdigest()[:16]


def versions() -> dict[str, Any]:
    """The version numbers of everything that files hang on, and what each stands for."""
    records = {spec: rules_from(spec) for spec in RULES}
    return {
        "version": __version__,
        "environment": GYM_ID,
        "observation": OBSERVATION_VERSION,
        "actions": ACTION_VERSION,
        "inputs": VALUE_VERSION,
        "policy": POLICY_FORMAT,
        "record": RECORD_VERSION,
        "checkpoint": checkpoints.CHECKPOINT_FORMAT,
        "hashes": {
            spec: {
                "observation": policy_metadata(rules)["observation"]["hash"],
                "actions": policy_metadata(rules)["actions"]["hash"],
                "inputs": value_metadata(rules)["inputs"]["hash"],
                "games": game_digest(spec),
            }
            for spec, rules in records.items()
        },
    }


def evaluation() -> dict[str, Any]:
    """What `evaluate.py` tells of 100 games, as its `--json` writes it."""
    scores = evaluate(["greedy", "random"], rules_from("mini-1"), 100, 1)
    return {"scores": [score.as_dict() for score in scores]}


def random_game(spec: str) -> Game:
    """A game of uniformly random moves to its end."""
    rng = np.random.default_rng(1)
    game = Game(spec, 1)
    while not game.is_over:
        game.play(int(rng.choice(game.legal_actions())))
    return game


def write_checkpoint(learner: TDLearner | PPOLearner) -> None:
    """Trains and keeps nothing but the newest checkpoint."""
    out = learner.settings.out
    learner.learn(lambda _: None)
    facts = json.loads((out / CHECKPOINT_FILE).read_text(encoding="utf-8"))
    for path in out.iterdir():
        if path.name not in (CHECKPOINT_FILE, facts["weights"]):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def main() -> None:
    """Writes the folder of this version anew."""
    torch.set_num_threads(1)
    folder = FOLDER / __version__.rpartition(".")[0]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, spec in FILES.items():
        rules = rules_from(spec)
        write_policy(folder / f"policy-{name}.onnx", rules)
        export_value(random_network(rules, wide=4, narrow=4), folder / f"value-{name}.onnx")
    for name, spec in RECORDS.items():
        (folder / f"record-{name}.txt").write_text(random_game(spec).record(), encoding="utf-8", newline="\n")
    write_checkpoint(TDLearner(TDSettings(out=folder / "td", **TINY_TD)))
    setattr(ppo, "LAYERS", SMALL)  # noqa: B010  # mypy knows no such name
    write_checkpoint(PPOLearner(PPOSettings(out=folder / "ppo", **TINY_PPO)))
    for name, told in (("versions", versions()), ("evaluation", evaluation())):
        (folder / f"{name}.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(f"{folder}: {sum(path.stat().st_size for path in folder.rglob('*') if path.is_file())} bytes")


if __name__ == "__main__":
    main()
