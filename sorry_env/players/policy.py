"""Trained policies from ONNX files: what a file must say of itself, and the player that runs it. Needs no torch."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from sorry_env.actions import ACTION_VERSION, action_table
from sorry_env.errors import PolicyError, RulesError
from sorry_env.observation import OBSERVATION_VERSION, observation_layout
from sorry_env.players.base import refuse_options
from sorry_env.position import Positions
from sorry_env.rules import Rules, rules_from

METADATA_KEY: Final = "sorry_env"
POLICY_FORMAT: Final = 1
MAX_POLICY_BYTES: Final = 64 * 1024 * 1024


def _hash(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def observation_hash(rules: Rules) -> str:
    """Hash of the observation's layout: names, places and scales of all slices."""
    layout = observation_layout(rules.players, rules.pawns)
    return _hash([(part.name, part.start, part.size, part.high) for part in layout])


def action_hash(rules: Rules) -> str:
    """Hash of the action table."""
    table = action_table(rules.pawns, rules.teams)
    return _hash([(a.card, int(a.use), a.first, a.second, a.steps) for a in table])


def policy_metadata(rules: Rules, **more: Any) -> dict[str, Any]:
    """What a policy file says of the game it was made for, as JSON under the metadata key `sorry_env`."""
    return {
        "format": POLICY_FORMAT,
        "rules": rules.spec(),
        "observation": {"version": OBSERVATION_VERSION, "hash": observation_hash(rules)},
        "actions": {"version": ACTION_VERSION, "hash": action_hash(rules)},
        **more,
    }


class PolicyPlayer:
    """Plays an exported policy: the legal action with the highest logit.

    Args:
        spec: path of the ONNX file (inputs `observation` float32 (N, F) and `action_mask` int8 (N, A); outputs
            `logits` float32 (N, A), masked, and `value` float32 (N,)).
        options: none are known.

    Raises:
        PolicyError: a file that is missing, too large, damaged, or does not say what game it is for.
        SpecError: an option.
    """

    def __init__(self, spec: str, options: dict[str, str] | None = None) -> None:
        refuse_options(spec, options or {})
        self.name = spec
        self._session = _open_session(Path(spec))
        self.metadata = _read_metadata(spec, self._session)
        self.rules = _read_rules(spec, self.metadata)

    def bind(self, rules: Rules) -> None:
        """Raises PolicyError with what differs where the policy was made for another game."""
        if not rules.plays_like(self.rules):
            raise PolicyError(
                f"policy {self.name!r} was made for the rules {self.rules.spec()!r}, not for {rules.spec()!r}"
            )
        here = policy_metadata(rules)
        for part in ("observation", "actions"):
            if self.metadata.get(part) != here[part]:
                raise PolicyError(
                    f"policy {self.name!r}: its {part} are {self.metadata.get(part)}, this version's {here[part]}"
                )
        self._check_shapes(rules)

    def _check_shapes(self, rules: Rules) -> None:
        features = observation_layout(rules.players, rules.pawns)[-1].stop
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
        return PolicyPlayer, (self.name,)


def _open_session(path: Path) -> Any:
    if not path.is_file():
        raise PolicyError(f"policy: no file {str(path)!r}; give the path of an exported .onnx file")
    size = path.stat().st_size
    if size > MAX_POLICY_BYTES:
        raise PolicyError(f"policy {str(path)!r} has {size} bytes, more than the {MAX_POLICY_BYTES} allowed")
    try:
        import onnxruntime
    except ImportError:
        raise PolicyError(
            f"policy {str(path)!r} needs onnxruntime: pip install 'sorry-env[policy]', or pip install onnxruntime"
        ) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises classes of its own, all derived from Exception alone
        reason = str(error).splitlines()[0][:160]
        raise PolicyError(f"policy {str(path)!r} is not an ONNX file that can be read: {reason}") from None


def _read_metadata(spec: str, session: Any) -> dict[str, Any]:
    text = session.get_modelmeta().custom_metadata_map.get(METADATA_KEY)
    try:
        metadata = json.loads(text) if text else None
    except ValueError:
        metadata = None
    if not isinstance(metadata, dict) or metadata.get("format") != POLICY_FORMAT:
        raise PolicyError(
            f"policy {spec!r} carries no metadata {METADATA_KEY!r} of format {POLICY_FORMAT}: "
            "it was not exported for Sorry!"
        )
    return metadata


def _read_rules(spec: str, metadata: dict[str, Any]) -> Rules:
    try:
        return rules_from(metadata.get("rules", ""))
    except RulesError as error:
        raise PolicyError(f"policy {spec!r}: its metadata names rules that cannot be read: {error}") from None
