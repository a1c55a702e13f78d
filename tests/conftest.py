"""Options, markers and Hypothesis settings that all tests share."""

from __future__ import annotations

import os

import pytest
import strategies
from hypothesis import settings

# Windows open nowhere.
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

# No deadline: the first example may compile a kernel. Derandomized: a red test is red for everybody.
settings.register_profile("sorry", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None, derandomize=False, print_blob=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the sizes of the long runs."""
    parser.addoption("--decisions", type=int, default=1_000_000, help="decisions of engine against reference")
    parser.addoption("--examples", type=int, default=1, help="times as many, then random, examples of arbitrary texts")
    parser.addoption("--games", type=int, default=500, help="games a rule set in the vectorised invariants")


def pytest_configure(config: pytest.Config) -> None:
    """Registers the markers; sets how hard Hypothesis tries."""
    strategies.factor = config.getoption("--examples")
    settings.load_profile("sorry" if strategies.factor == 1 else "fuzz")
    config.addinivalue_line("markers", "rule(number): the rulings of RULES.md that the test holds")


@pytest.fixture(scope="session")
def decisions(request: pytest.FixtureRequest) -> int:
    """How many decisions engine and reference are compared on, all rule sets together."""
    return int(request.config.getoption("--decisions"))


@pytest.fixture(scope="session")
def games(request: pytest.FixtureRequest) -> int:
    """How many games of each rule set the vectorised invariants watch."""
    return int(request.config.getoption("--games"))
