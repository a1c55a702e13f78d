"""Trained policies from ONNX files. Needs no torch."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from sorry_env.actions import action_table
from sorry_env.errors import PolicyError, one_line
from sorry_env.observation import observation_layout
from sorry_env.players.base import refuse_options
from sorry_env.players.onnx_file import POLICY, PolicyFile, open_policy_file, policy_metadata
from sorry_env.position import Positions
from sorry_env.rules import Rules


class PolicyPlayer:
    """Plays an exported policy: the legal action with the highest logit.

    Args:
        spec: path of the ONNX file (inputs `observation` float32 (N, F) and `action_mask` int8 (N, A); outputs
            `logits` float32 (N, A), masked, and `value` float32 (N,)).
        options: none are known.
        file: the file, where it is open already.

    Raises:
        PolicyError: a file that is missing, too large, damaged, or does not say what game it is for.
        SpecError: an option.
    """

    def __init__(self, spec: str, options: dict[str, str] | None = None, file: PolicyFile | None = None) -> None:
        refuse_options(spec, options or {})
        self.name = spec
        self._file = file or open_policy_file(spec)
        if self._file.kind != POLICY:
            raise PolicyError(f"policy {spec!r} is a file of kind {one_line(self._file.kind)!r}, not {POLICY!r}")
        self._session, self.metadata, self.rules = self._file.session, self._file.metadata, self._file.rules

    def bind(self, rules: Rules) -> None:
        """Raises PolicyError with what differs where the policy was made for another game."""
        self._file.check_rules(rules)
        here = policy_metadata(rules)
        for part in ("observation", "actions"):
            if self.metadata.get(part) != here[part]:
                raise PolicyError(
                    f"policy {self.name!r}: its {part} are {one_line(self.metadata.get(part))}, this version's "
                    f"{here[part]}; play it with the version that exported it, or export it anew"
                )
        features, actions = observation_layout(rules)[-1].stop, len(action_table(rules.pawns, rules.teams))
        self._check_inputs(features, actions)
        self._check_outputs(features, actions)

    def _check_inputs(self, features: int, actions: int) -> None:
        sizes = {port.name: port.shape for port in self._session.get_inputs()}
        for name, wanted in (("observation", features), ("action_mask", actions)):
            if name not in sizes or len(sizes[name]) != 2 or sizes[name][1] != wanted:
                raise PolicyError(f"policy {self.name!r}: input {name} is {sizes.get(name)}, not (N, {wanted})")

    def _check_outputs(self, features: int, actions: int) -> None:
        """Asks once for two observations of nothing: a file that cannot answer is refused before anything is played."""
        logits, values = self.evaluate(np.zeros((2, features), np.float32), np.ones((2, actions), np.int8))
        for name, found, shape in (("logits", logits, (2, actions)), ("value", values, (2,))):
            if not isinstance(found, np.ndarray) or found.dtype != np.float32 or found.shape != shape:
                told = f"{found.dtype} {found.shape}" if isinstance(found, np.ndarray) else type(found).__name__
                raise PolicyError(f"policy {self.name!r}: its output {name} is {told}, not float32 {shape}")
        self._check_logits(logits)

    def _check_logits(self, logits: np.ndarray) -> None:
        """Raises PolicyError where the logits of legal actions are not numbers."""
        if not np.isfinite(logits).all():
            raise PolicyError(f"policy {self.name!r} gives logits that are not numbers")

    def evaluate(self, observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Masked logits float32 (N, A) and values float32 (N,) of observations float32 (N, F), masks int8 (N, A).

        Raises PolicyError where the file cannot answer.
        """
        feed = {"observation": observations.astype(np.float32), "action_mask": masks.astype(np.int8)}
        try:
            logits, values = self._session.run(["logits", "value"], feed)
        except Exception as error:  # onnxruntime raises classes of its own, all derived from Exception alone
            raise PolicyError(f"policy {self.name!r} does not answer: {one_line(error)}") from None
        return logits, values

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """See `Player.act`. Raises PolicyError where the file's numbers are not numbers."""
        logits, _ = self.evaluate(observations, masks)
        self._check_logits(logits[masks > 0])
        return np.argmax(np.where(masks > 0, logits, -np.inf), axis=1)

    def __reduce__(self) -> tuple[Any, ...]:
        return PolicyPlayer, (self.name, None, self._file)


def refuse_zip(spec: str, options: dict[str, str]) -> PolicyPlayer:
    """Refuses a stable-baselines3 model: it holds pickles, and nothing here unpickles. Raises PolicyError."""
    if not os.path.isfile(spec):
        raise PolicyError(f"policy: no file {spec[:200]!r}; give the path of an exported .onnx file")
    raise PolicyError(
        f"policy {spec[:200]!r} is a zip, as stable-baselines3 saves: pickles in it can run any code. If you made it, "
        f"export it from a clone: python -m agents.sb3_zip MODEL.zip policy.onnx --rules RULES --trust-pickle"
    )
