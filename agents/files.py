"""Files of training runs that may come from anyone, read within bounds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sorry_env.errors import PolicyError


def read_bounded(path: Path, most: int) -> bytes:
    """The bytes of a file that may come from anyone. Raises OSError, and PolicyError for one that is too large."""
    with path.open("rb") as file:
        data = file.read(most + 1)  # the size that a device or a pipe tells is not its own
    if len(data) > most:
        raise PolicyError(f"{str(path)!r} has more than the {most} bytes allowed")
    return data


def parse_json(data: bytes | str) -> Any:
    """JSON that may come from anyone. Raises ValueError for what is none, however deep it is nested."""
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
