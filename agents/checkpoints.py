"""Checkpoints without pickles: safetensors beside JSON, written aside, synced and renamed, with checksums of both.

A folder keeps the last three. Whatever a crash or a disk does to the newest, the newest good one is found by itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch.utils.tensorboard import SummaryWriter

from agents import CHECKPOINT_FILE
from agents.divergence import DivergenceError, check_finite
from agents.files import parse_json, read_bounded
from sorry_env.errors import PolicyError, in_short
from sorry_env.files import check_writable, write_bytes, write_text

CHECKPOINT_FORMAT: Final = 2
WITHOUT_CHECKSUM: Final = 1  # an earlier format: its facts have no checksum
NAMES: Final = (CHECKPOINT_FILE, "checkpoint-1.json", "checkpoint-2.json")  # the newest, and the ones before it
ADAM: Final = {"step", "exp_avg", "exp_avg_sq"}  # what the optimiser gathers for each parameter
WEIGHTS_NAME: Final = re.compile(r"weights-[0-9]{1,20}-[0-9a-f]{8}\.safetensors")
MOST_COUNT: Final = 2**53
MAX_FACTS_BYTES: Final = 16 * 1024 * 1024
MAX_WEIGHTS_BYTES: Final = 512 * 1024 * 1024

T = TypeVar("T")
Tensors = dict[str, torch.Tensor]
Facts = dict[str, Any]
Checkpoint = tuple[Tensors, Facts]


class DamageError(PolicyError):
    """A checkpoint that is not as it was written: the one before it may be good."""


def save_checkpoint(folder: Path, tensors: Tensors, facts: Facts) -> None:
    """Writes a checkpoint; the ones before it are touched only once its weights stand.

    Args:
        folder: created where it is missing.
        tensors: weights and optimiser state by name.
        facts: JSON-able: counters, settings, random states.

    Raises:
        OSError: what could not be written; the last checkpoint stands.
        DivergenceError: weights that are no numbers; the last checkpoint stands.
    """
    check_finite(tensors)
    folder.mkdir(parents=True, exist_ok=True)
    data = save({key: tensor.detach().cpu().contiguous() for key, tensor in tensors.items()})
    digest = hashlib.sha256(data).hexdigest()
    name = f"weights-{facts['timesteps']}-{digest[:8]}.safetensors"  # never the name of another one's
    write_bytes(folder / name, data)
    _keep_last(folder, name)
    whole = {"format": CHECKPOINT_FORMAT, "weights": name, "sha256": digest, **facts}
    write_text(folder / CHECKPOINT_FILE, json.dumps(whole | {"facts_sha256": facts_digest(whole)}, indent=1))
    kept = {name, *(_weights_name(folder / other) for other in NAMES)}
    for old in folder.glob("weights-*.safetensors"):
        if old.name not in kept:
            old.unlink()


def facts_digest(facts: Facts) -> str:
    """The checksum of a checkpoint's facts, but for the checksum itself."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _keep_last(folder: Path, weights: str) -> None:
    """Gives the newest checkpoint the name of the one before it, and that one the next; the newest keeps its own too.

    A checkpoint that is damaged, or has the weights of the one to come, takes no place of a good one.
    """
    newest, before, oldest = (folder / name for name in NAMES)
    try:
        text = read_bounded(newest, MAX_FACTS_BYTES)
        facts = load_one(newest)[1]
    except (OSError, PolicyError):
        return
    if facts["weights"] == weights:
        return
    if before.is_file() and before.read_bytes() != text:  # a crash may have left it a twin
        os.replace(before, oldest)
    write_bytes(before, text)


def _weights_name(path: Path) -> str:
    """The name of a checkpoint's weights, "" where it does not tell."""
    try:
        facts = parse_json(read_bounded(path, MAX_FACTS_BYTES))
        return str(facts["weights"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def load_run(folder: Path, learner: str, wanted: Mapping[str, type | tuple[type, ...]]) -> Checkpoint:
    """The newest good checkpoint of a folder, of one learner.

    Args:
        folder: where it is.
        learner: as `train.py` names it.
        wanted: facts that it must hold, and of what type.

    Raises:
        PolicyError: as `load_checkpoint`, and for what is not one of this learner.
    """
    tensors, facts = load_checkpoint(folder)
    missing = ", ".join(sorted(set(wanted) - set(facts)))
    if missing:
        raise PolicyError(f"checkpoint in {str(folder)!r} is not of train.py {learner}: it lacks {missing}")
    if facts.get("learner", learner) != learner:
        raise PolicyError(f"checkpoint in {str(folder)!r} is not of train.py {learner}: it is of another learner")
    for name, kinds in wanted.items():
        if not isinstance(facts[name], kinds) or (kinds is int and not 0 <= facts[name] <= MOST_COUNT):
            raise PolicyError(f"checkpoint in {str(folder)!r}: its {name} is {str(facts[name])[:80]!r}")
    return tensors, facts


def part_of(tensors: Tensors, prefix: str) -> Tensors:
    """The tensors whose names begin with `prefix`, without it."""
    return {key[len(prefix) :]: value for key, value in tensors.items() if key.startswith(prefix)}


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> Tensors:
    """What an optimiser has gathered, as tensors by name, for `restore_optimizer`."""
    states = optimizer.state_dict()["state"].items()
    return {f"optimizer.{index}.{key}": value for index, state in states for key, value in state.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Tensors) -> None:
    """Takes over what `optimizer_tensors` gave; step sizes stay. Raises ValueError for what does not fit."""
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    state: dict[int, Tensors] = {}
    for key, value in part_of(tensors, "optimizer.").items():
        index, name = key.split(".", 1)
        wanted = torch.zeros(()) if name == "step" else parameters[int(index)]
        state.setdefault(int(index), {})[name] = like(wanted, value)
    for number, names in state.items():
        if set(names) != ADAM:
            raise ValueError(f"of parameter {number} the optimiser has {sorted(names)}, not {sorted(ADAM)}")
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def like(mine: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """`value`, where it has the shape and dtype of `mine`; else raises ValueError."""
    if (value.shape, value.dtype) != (mine.shape, mine.dtype):
        raise ValueError(f"a tensor is {value.dtype} {tuple(value.shape)}, not {mine.dtype} {tuple(mine.shape)}")
    return value


@contextmanager
def fitting(folder: Path) -> Iterator[None]:
    """Raises PolicyError on one line where what a checkpoint holds does not fit what takes it over."""
    try:
        yield
    except PolicyError:
        raise
    except (ValueError, KeyError, TypeError, IndexError, RuntimeError, OverflowError) as error:
        raise PolicyError(f"checkpoint in {str(folder)!r} does not fit: {in_short(error)}") from None


def read_facts(folder: Path) -> Facts:
    """What a folder's newest checkpoint says of itself; its weights are not read. Raises as `load_checkpoint`."""
    return _newest(folder, _read_facts)[0]


def open_events(folder: Path, done: int) -> SummaryWriter:
    """The TensorBoard log of a run, in which what it wrote beyond its checkpoint before it was killed is not shown.

    Args:
        folder: the run's.
        done: the step of the checkpoint that it goes on from, 0 for none.

    Raises:
        OSError: a folder that cannot be written, before a thread of TensorBoard's meets it.
    """
    events = folder / "tensorboard"
    events.mkdir(parents=True, exist_ok=True)
    check_writable(events / "events")
    return SummaryWriter(str(events), purge_step=done + 1 if done else None)


def describe_last(folder: Path) -> str:
    """Which checkpoint of a folder stands, and how a run goes on from it, on one line."""
    try:
        (_, facts), path, _ = _newest(folder, load_one)
    except PolicyError:
        return "no checkpoint was written yet"
    done = f"{facts['games']} games" if "games" in facts else f"{facts['timesteps']} timesteps"
    return f"the checkpoint {str(path)!r} of {done} is good: the same line with --resume goes on from it"


def load_checkpoint(folder: Path) -> Checkpoint:
    """Tensors and facts of a folder's newest good checkpoint; one that is damaged is named on stderr and passed over.

    Raises:
        PolicyError: no checkpoint, none that is not damaged, or one of another version.
    """
    found, path, damages = _newest(folder, load_one)
    if damages:
        print(f"warning: {damages[0]}; {str(path)!r} is used instead", file=sys.stderr)
    return found


def _newest(folder: Path, read: Callable[[Path], T]) -> tuple[T, Path, list[str]]:
    """What `read` gives of the newest checkpoint that is good to it, where that is, and how newer ones are damaged."""
    damages: list[str] = []
    for path in (folder / name for name in NAMES):
        if damages and not path.is_file():
            continue
        try:
            return read(path), path, damages
        except DamageError as error:
            damages.append(str(error))
    raise PolicyError(damages[0])


def load_one(path: Path) -> Checkpoint:
    """Tensors and facts of one checkpoint.

    Args:
        path: its JSON.

    Raises:
        DamageError: not there, or damaged.
        PolicyError: of another version.
    """
    facts = _read_facts(path)
    weights = path.parent / facts["weights"]
    try:
        data = read_bounded(weights, MAX_WEIGHTS_BYTES)
    except OSError as error:
        raise _unreadable(error, weights) from None
    if hashlib.sha256(data).hexdigest() != facts["sha256"]:
        raise DamageError(f"checkpoint {str(weights)!r} is damaged: its checksum is not the one in {path.name}")
    try:
        tensors = load(data)
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise DamageError(f"checkpoint {str(weights)!r} is damaged: {error}") from None
    try:
        check_finite(tensors)
    except DivergenceError as error:
        raise DamageError(f"checkpoint {str(weights)!r} is damaged: {error}") from None
    return tensors, facts


def _read_facts(path: Path) -> Facts:
    try:
        facts = parse_json(read_bounded(path, MAX_FACTS_BYTES))
        found = facts["format"]
        if found not in (CHECKPOINT_FORMAT, WITHOUT_CHECKSUM):
            raise PolicyError(
                f"checkpoint {str(path)!r} has format {str(found)[:20]}, this version reads {CHECKPOINT_FORMAT}: "
                "go on with the version that wrote it, or begin the run anew"
            )
        if found == CHECKPOINT_FORMAT and facts.pop("facts_sha256") != facts_digest(facts):
            raise DamageError(f"checkpoint {str(path)!r} is damaged: its facts are not those of its checksum")
        if not WEIGHTS_NAME.fullmatch(facts["weights"]) or not isinstance(facts["sha256"], str):
            raise ValueError("it names no weights")
    except OSError as error:
        raise _unreadable(error, path) from None
    except PolicyError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamageError(f"checkpoint {str(path)!r} is damaged: {in_short(error)}") from None
    return dict(facts)


def _unreadable(error: OSError, path: Path) -> DamageError:
    reason = "no file" if isinstance(error, FileNotFoundError) else f"{error.strerror}:"
    return DamageError(f"checkpoint: {reason} {str(path)!r}; give a folder that train.py wrote")
