"""`sorry-env --version`: what a bug report needs, read from metadata without importing any of it."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from sorry_env.version import __version__

REQUIRED: Final = ("numpy", "numba", "llvmlite", "gymnasium", "pettingzoo")
OPTIONAL: Final = (
    "torch",
    "stable-baselines3",
    "sb3-contrib",
    "torchrl",
    "tianshou",
    "ray",
    "open_spiel",
    "onnxruntime",
    "onnx",
)


def version_lines() -> list[str]:
    """A line each, `NAME VERSION`: this package, Python, the machine, what it needs, and what else is installed."""
    lines = [
        f"sorry_env {__version__}",
        f"python {platform.python_version()}",
        f"platform {platform.platform()}",
        f"cpus {os.cpu_count()}",
        *(f"{name} {_installed(name) or 'is not installed'}" for name in REQUIRED),
    ]
    return lines + [f"{name} {found}" for name in OPTIONAL if (found := _installed(name))]


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
