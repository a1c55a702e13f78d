"""Checkpoints without pickles: safetensors beside JSON, written aside and renamed: a crash leaves the last one."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save_file

from agents import CHECKPOINT_FILE
from agents.files import write_text
from sorry_env.errors import PolicyError

CHECKPOINT_FORMAT: Final = 1


def save_checkpoint(folder: Path, tensors: dict[str, torch.Tensor], facts: dict[str, Any]) -> None:
    """Writes a checkpoint; the one before it is gone only once the new one stands.

    Args:
        folder: created where it is missing.
        tensors: weights and optimiser state by name.
        facts: JSON-able: counters, settings, random states.
    """
    folder.mkdir(parents=True, exist_ok=True)
    aside = folder / ".weights.part"
    save_file({key: tensor.detach().cpu().contiguous() for key, tensor in tensors.items()}, str(aside))
    digest = hashlib.sha256(aside.read_bytes()).hexdigest()
    name = f"weights-{facts['timesteps']}-{digest[:8]}.safetensors"  # never the name of the one before it
    os.replace(aside, folder / name)
    text = json.dumps({"format": CHECKPOINT_FORMAT, "weights": name, "sha256": digest, **facts}, indent=1)
    write_text(folder / CHECKPOINT_FILE, text)
    for old in folder.glob("weights-*.safetensors"):
        if old.name != name:
            old.unlink()


def load_run(folder: Path, learner: str, wanted: set[str]) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """A checkpoint of one learner. Raises PolicyError as `load_checkpoint`, and for what is not one of this learner.

    Args:
        folder: where it is.
        learner: as `train.py` names it.
        wanted: facts that it must hold.
    """
    tensors, facts = load_checkpoint(folder)
    missing = ", ".join(sorted(wanted - set(facts)))
    if missing:
        raise PolicyError(f"checkpoint in {str(folder)!r} is not of train.py {learner}: it lacks {missing}")
    return tensors, facts


def part_of(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    """The tensors whose names begin with `prefix`, without it."""
    return {key[len(prefix) :]: value for key, value in tensors.items() if key.startswith(prefix)}


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """What an optimiser has gathered, as tensors by name, for `restore_optimizer`."""
    states = optimizer.state_dict()["state"].items()
    return {f"optimizer.{index}.{key}": value for index, state in states for key, value in state.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: dict[str, torch.Tensor]) -> None:
    """Takes over what `optimizer_tensors` gave; step sizes stay as they are."""
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, value in part_of(tensors, "optimizer.").items():
        index, name = key.split(".", 1)
        state.setdefault(int(index), {})[name] = value
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def read_facts(folder: Path) -> dict[str, Any]:
    """What a folder's checkpoint says of itself. Raises PolicyError: no checkpoint, or one that is damaged."""
    path = folder / CHECKPOINT_FILE
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        if facts["format"] != CHECKPOINT_FORMAT:
            raise PolicyError(f"checkpoint {str(path)!r} has format {facts['format']}, not {CHECKPOINT_FORMAT}")
    except OSError as error:
        raise _unreadable(error) from None
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, PolicyError):
            raise
        raise PolicyError(f"checkpoint {str(path)!r} is damaged: {error}") from None
    return dict(facts)


def load_checkpoint(folder: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """Tensors and facts of a folder's checkpoint.

    Raises:
        PolicyError: no checkpoint, or one that is damaged.
    """
    facts = read_facts(folder)
    try:
        weights = folder / Path(facts["weights"]).name
        data, digest = weights.read_bytes(), facts["sha256"]
    except OSError as error:
        raise _unreadable(error) from None
    except (KeyError, TypeError) as error:
        raise PolicyError(f"checkpoint {str(folder / CHECKPOINT_FILE)!r} is damaged: {error}") from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise PolicyError(f"checkpoint {str(weights)!r} is damaged: its checksum is not the one in {CHECKPOINT_FILE}")
    try:
        return load(data), facts
    except SafetensorError as error:
        raise PolicyError(f"checkpoint {str(weights)!r} is damaged: {error}") from None


def _unreadable(error: OSError) -> PolicyError:
    reason = "no file" if isinstance(error, FileNotFoundError) else f"{error.strerror}:"
    return PolicyError(f"checkpoint: {reason} {error.filename!r}; give a folder that train.py wrote")
