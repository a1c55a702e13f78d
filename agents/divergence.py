"""Training that goes wrong: gradients, losses or weights that no sound run has, noticed at the step that makes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import save

from sorry_env.errors import SorryError
from sorry_env.files import write_bytes

MOST_LOSS: Final = 100.0  # chances that know nothing cost ln 4, points' squared errors below 10
MOST_WEIGHT: Final = 1000.0  # sound networks stay below 10
BATCH_FILE: Final = "diverged.safetensors"


class DivergenceError(SorryError):
    """Training whose loss, gradients or weights are no numbers, or beyond what any sound run has."""


def check_finite(tensors: Mapping[str, torch.Tensor]) -> None:
    """Raises DivergenceError with the name of a tensor that holds what is no finite number."""
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not torch.isfinite(tensor).all():
            raise DivergenceError(f"{name[:80]!r} holds numbers that are not finite")


def check_loss(loss: float) -> None:
    """Raises DivergenceError for a loss that is not finite, or beyond what a network that knows nothing has."""
    if not abs(loss) <= MOST_LOSS:
        raise DivergenceError(f"the loss is {loss:.6g}")


def watch(optimizer: torch.optim.Optimizer) -> None:
    """From now on a step of `optimizer` raises DivergenceError: before it for gradients, after it for weights.

    Weights are thus never moved by a gradient that is no number.
    """
    parameters = [each for group in optimizer.param_groups for each in group["params"]]

    def before(*_: Any) -> None:
        size = _largest(each.grad for each in parameters if each.grad is not None)
        if not math.isfinite(size):
            raise DivergenceError(f"a gradient is {size}")

    def after(*_: Any) -> None:
        size = _largest(each.detach() for each in parameters)
        if not size <= MOST_WEIGHT:
            raise DivergenceError(f"a weight is {size:.6g}")

    optimizer.register_step_pre_hook(before)
    optimizer.register_step_post_hook(after)


def _largest(tensors: Iterable[torch.Tensor]) -> float:
    """The largest absolute value; no number where one of them is none."""
    return float(torch.stack(torch._foreach_norm(list(tensors), math.inf)).max())


def stop_diverged(
    error: DivergenceError, when: str, folder: Path, batch: Callable[[], Mapping[str, torch.Tensor]]
) -> DivergenceError:
    """What a run raises instead: the same said to its user, once what it was learning from is saved.

    Args:
        error: what was noticed.
        when: after how many games or decisions.
        folder: the run's.
        batch: what it was learning from, by name; NaN may be in it.
    """
    path = folder / BATCH_FILE
    try:
        write_bytes(path, save({key: tensor.detach().contiguous() for key, tensor in batch().items()}))
        kept = f"what it was learning from is in {str(path)!r}"
    except OSError as failure:
        kept = f"what it was learning from could not be saved: {failure.strerror}"
    return DivergenceError(f"training diverged: {error} {when}; try a lower --learning-rate; {kept}")
