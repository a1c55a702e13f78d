"""Who plays and how they learn: learners, league, checkpoints, export, evaluation. torch lives here alone.

Not installed as a package: its name is too common for site-packages. `train.py` and `evaluate.py` import it from the
checkout. Importing it makes checkpoint folders (`runs/x`) spec strings of `sorry_env.load_player`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sorry_env.errors import PolicyError
from sorry_env.players import register_folder_player
from sorry_env.players.base import refuse_options

CHECKPOINT_FILE = "checkpoint.json"


def _open_checkpoint(spec: str, options: dict[str, str]) -> Any:
    from agents import ppo, rllib, td
    from agents.checkpoints import read_facts

    refuse_options(spec, options)
    learner = read_facts(Path(spec)).get("learner", ppo.LEARNER)  # which earlier versions did not tell of ppo
    rooms = {room.LEARNER: room for room in (td, ppo, rllib)}
    if not isinstance(learner, str) or learner not in rooms:
        raise PolicyError(f"checkpoint in {spec!r} is of the learner {str(learner)[:80]!r}; known: {', '.join(rooms)}")
    return rooms[learner].load_checkpoint_player(spec)


register_folder_player(CHECKPOINT_FILE, _open_checkpoint)
