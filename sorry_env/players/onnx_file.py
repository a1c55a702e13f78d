"""ONNX files of trained players: opening them, and what they must say of the game they were made for."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from sorry_env.actions import ACTION_VERSION, action_table
from sorry_env.errors import PolicyError, RulesError, one_line
from sorry_env.observation import OBSERVATION_VERSION, observation_layout
from sorry_env.players.onnx_wire import what_is_wrong
from sorry_env.rules import Rules, rules_from

METADATA_KEY: Final = "sorry_env"
POLICY_FORMAT: Final = 1
MAX_POLICY_BYTES: Final = 64 * 1024 * 1024
MAX_SESSION_BYTES: Final = 2 * 1024**3  # of working memory, all sessions of a process together
POLICY: Final = "policy"  # kinds of file
VALUE: Final = "value"


def layout_hash(*parts: object) -> str:
    """A short hash of plain data."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def observation_hash(rules: Rules) -> str:
    """Hash of the observation's layout: names, places and scales of all slices."""
    layout = observation_layout(rules)
    return layout_hash([(part.name, part.start, part.size, part.high) for part in layout])


def action_hash(rules: Rules) -> str:
    """Hash of the action table."""
    table = action_table(rules.pawns, rules.teams)
    return layout_hash([(a.card, int(a.use), a.first, a.second, a.steps) for a in table])


def policy_metadata(rules: Rules, **more: Any) -> dict[str, Any]:
    """What a policy file says of the game it was made for, as JSON under the metadata key `sorry_env`."""
    return {
        "format": POLICY_FORMAT,
        "rules": rules.spec(),
        "observation": {"version": OBSERVATION_VERSION, "hash": observation_hash(rules)},
        "actions": {"version": ACTION_VERSION, "hash": action_hash(rules)},
        **more,
    }


@dataclass(frozen=True)
class PolicyFile:
    """An opened file.

    Attributes:
        spec: its path.
        data: its bytes; a pickled file carries them and needs no path.
        session: onnxruntime's session.
        metadata: what it says of itself.
        rules: what it was made for.
    """

    spec: str
    data: bytes
    session: Any
    metadata: dict[str, Any]
    rules: Rules

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_file, (self.spec, self.data)

    @property
    def kind(self) -> str:
        """POLICY or VALUE; files that do not say are policies."""
        kind: str = self.metadata.get("kind", POLICY)
        return kind

    def check_rules(self, rules: Rules) -> None:
        """Raises PolicyError with what differs where the file was made for another game."""
        if not rules.plays_like(self.rules):
            raise PolicyError(
                f"policy {self.spec!r} was made for the rules {self.rules.spec()!r}, not for {rules.spec()!r}"
            )


def open_policy_file(spec: str) -> PolicyFile:
    """Opens a file. Raises PolicyError where it is missing, too large, damaged, or does not say what game it is for."""
    path = Path(spec)
    try:
        if not path.is_file():
            raise PolicyError(f"policy: no file {spec!r}; give the path of an exported .onnx file")
        size = path.stat().st_size
        if size > MAX_POLICY_BYTES:
            raise PolicyError(f"policy {spec!r} has {size} bytes, more than the {MAX_POLICY_BYTES} allowed")
        return _read_file(spec, path.read_bytes())
    except OSError as error:
        raise PolicyError(f"policy {spec[:200]!r} cannot be read: {error.strerror}") from None


def _read_file(spec: str, data: bytes) -> PolicyFile:
    session = _open_session(spec, data)
    metadata = _read_metadata(spec, session)
    return PolicyFile(spec, data, session, metadata, _read_rules(spec, metadata))


def _open_session(spec: str, data: bytes) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise PolicyError(
            f"policy {spec!r} needs onnxruntime: pip install 'sorry-env[policy]', or pip install onnxruntime"
        ) from None
    wrong = what_is_wrong(data)
    if wrong:
        raise PolicyError(f"policy {spec!r} is not an ONNX file that can be read: {one_line(wrong)}")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    _bound_memory()
    options.add_session_config_entry("session.use_env_allocators", "1")
    chosen: dict[str, Any] = {"providers": ["CPUExecutionProvider"]}
    chosen["enable_fallback"] = 0  # else it tries a damaged file again and prints why
    chosen["read_config_from_model"] = 0  # else a file may change the options
    try:
        return onnxruntime.InferenceSession(data, options, **chosen)
    except Exception as error:  # onnxruntime raises classes of its own, all derived from Exception alone
        raise PolicyError(f"policy {spec!r} is not an ONNX file that can be read: {one_line(error)}") from None


@cache
def _bound_memory() -> None:
    """The memory that all sessions of the process share: a file that asks for more raises instead of taking it."""
    import onnxruntime

    kinds = onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    arena = onnxruntime.OrtArenaCfg({"max_mem": MAX_SESSION_BYTES})
    onnxruntime.create_and_register_allocator(onnxruntime.OrtMemoryInfo("Cpu", *kinds), arena)


def _read_metadata(spec: str, session: Any) -> dict[str, Any]:
    try:
        text = session.get_modelmeta().custom_metadata_map.get(METADATA_KEY)  # it raises where that is not UTF-8
        metadata = json.loads(text) if text else None
    except (ValueError, RecursionError):
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
        raise PolicyError(f"policy {spec!r}: its metadata names rules that cannot be read: {one_line(error)}") from None
