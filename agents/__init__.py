"""Who plays and how they learn: learners, league, checkpoints, export, evaluation. torch lives here alone.

Not installed as a package: its name is too common for site-packages. `train.py` and `evaluate.py` import it from the
checkout. Importing it makes checkpoint folders (`runs/x`) spec strings of `sorry_env.load_player`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sorry_env.players import register_folder_player
from sorry_env.players.base import refuse_options

CHECKPOINT_FILE = "checkpoint.json"


def _open_checkpoint(spec: str, options: dict[str, str]) -> Any:
    from agents import ppo, rllib, td
    from agents.checkpoints import read_facts

    refuse_options(spec, options)
    rooms = {td.LEARNER: td.load_checkpoint_player, rllib.LEARNER: rllib.load_checkpoint_player}
    return rooms.get(read_facts(Path(spec)).get("learner", ""), ppo.load_checkpoint_player)(spec)


register_folder_player(CHECKPOINT_FILE, _open_checkpoint)
