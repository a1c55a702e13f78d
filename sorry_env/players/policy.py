"""Trained policies from ONNX files. Needs no torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from sorry_env.actions import action_table
from sorry_env.errors import PolicyError
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
            raise PolicyError(f"policy {spec!r} is a file of kind {self._file.kind!r}, not {POLICY!r}")
        self._session, self.metadata, self.rules = self._file.session, self._file.metadata, self._file.rules

    def bind(self, rules: Rules) -> None:
        """Raises PolicyError with what differs where the policy was made for another game."""
        self._file.check_rules(rules)
        here = policy_metadata(rules)
        for part in ("observation", "actions"):
            if self.metadata.get(part) != here[part]:
                raise PolicyError(
                    f"policy {self.name!r}: its {part} are {self.metadata.get(part)}, this version's {here[part]}"
                )
        self._check_shapes(rules)

    def _check_shapes(self, rules: Rules) -> None:
        features = observation_layout(rules)[-1].stop
        actions = len(action_table(rules.pawns, rules.teams))
        sizes = {port.name: port.shape for port in self._session.get_inputs()}
        for name, wanted in (("observation", features), ("action_mask", actions)):
            if name not in sizes or len(sizes[name]) != 2 or sizes[name][1] != wanted:
                raise PolicyError(f"policy {self.name!r}: input {name} is {sizes.get(name)}, not (N, {wanted})")

    def evaluate(self, observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Masked logits float32 (N, A) and values float32 (N,) of observations float32 (N, F), masks int8 (N, A)."""
        feed = {"observation": observations.astype(np.float32), "action_mask": masks.astype(np.int8)}
        logits, values = self._session.run(["logits", "value"], feed)
        return logits, values

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """See `Player.act`. Raises PolicyError where the file's numbers are not numbers."""
        logits, _ = self.evaluate(observations, masks)
        if np.isnan(logits).any():
            raise PolicyError(f"policy {self.name!r} gives logits that are not numbers")
        return np.argmax(np.where(masks > 0, logits, -np.inf), axis=1)

    def __reduce__(self) -> tuple[Any, ...]:
        return PolicyPlayer, (self.name, None, self._file)
