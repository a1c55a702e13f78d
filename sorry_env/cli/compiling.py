"""What the first game after an installation waits for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from sorry_env.engine import kernels
from sorry_env.rendering import is_terminal


def announce_compiling() -> None:
    """Says on a terminal that the rules are compiled, where that is still to be done."""
    if is_terminal(sys.stdout) and not is_compiled(kernels.legal_ids):
        print("Compiling the rules once, about 15 seconds ...", flush=True)


def is_compiled(entry: Any) -> bool:
    """Whether a kernel's compiled code lies on disk, as far as a look at its folder tells: newer than its source."""
    if not hasattr(entry, "stats"):  # Numba is disabled
        return True
    source = Path(entry.py_func.__code__.co_filename)
    name = f"{source.stem}.{entry.py_func.__name__}-*.nbi"
    written = [index.stat().st_mtime for index in Path(entry.stats.cache_path or "").glob(name)]
    return max(written, default=0.0) >= source.stat().st_mtime
