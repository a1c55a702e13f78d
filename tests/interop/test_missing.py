"""What a user is told who has the package but not the framework."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "framework", "extra", "package"),
    [("openspiel", "pyspiel", "openspiel", "open_spiel"), ("rllib", "ray", "ray", "'ray[rllib]'")],
)
def test_missing_framework_is_named(module: str, framework: str, extra: str, package: str) -> None:
    """Without its framework a module of interop/ says what to install, by this package's extra and by its own name."""
    program = f"import sys; sys.modules[{framework!r}] = None; import sorry_env.interop.{module}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert f"pip install 'sorry-env[{extra}]', or pip install {package}" in last
