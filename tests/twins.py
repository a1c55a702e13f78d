"""State machines that drive a thing and a copy of it: what they share."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from sorry_env.batch import LOOK, SKIP
from sorry_env.errors import SorryError

SPECS = ["classic:players=2", "classic", "teams:swap_partner=yes", "points:players=3", "team-points", "mini-1"]
specs = st.sampled_from(SPECS)
choices = st.integers(0, 2**32)  # of the legal actions, modulo their number
wrong_actions = st.one_of(st.integers(-3, 700), st.sampled_from([LOOK, SKIP, -(10**9), 2**31, 2**63 - 1]))
COPIES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda it: pickle.loads(pickle.dumps(it)),
}


def plain(it: Any) -> Any:
    """Arrays of arrays as lists, which NumPy can compare."""
    if isinstance(it, dict):
        return {key: plain(value) for key, value in it.items()}
    if isinstance(it, tuple):
        return [plain(value) for value in it]
    return list(it) if isinstance(it, np.ndarray) and it.dtype == object else it


class Twins(RuleBasedStateMachine):
    """One thing under test and a copy of it. Every call is made of both, and must come out the same."""

    one: Any
    other: Any

    def set_up(self, made: Any) -> None:
        """Begins with a thing and its copy."""
        self.one, self.other = made, copy.deepcopy(made)

    def both(self, call: Callable[[Any], Any]) -> Any:
        """What a call of the thing gives, or the SorryError that it raises; any other error is a finding."""
        found = []
        for it in (self.one, self.other):
            try:
                found.append(call(it))
            except SorryError as error:
                found.append((type(error).__name__, str(error)))
        np.testing.assert_equal(*map(plain, found))
        return found[0]

    def refused(self, call: Callable[[Any], Any], shown: Callable[[Any], Any]) -> None:
        """Asserts that a call is refused by an IllegalError and changes nothing of what is shown."""
        before = shown(self.one)
        assert self.both(call)[0] == "IllegalError"
        np.testing.assert_equal(shown(self.one), before)

    @rule(how=st.sampled_from(sorted(COPIES)), swaps=st.booleans())
    def copy(self, how: str, swaps: bool) -> None:
        """The copy is made anew; perhaps the two change places."""
        self.other = COPIES[how](self.one)
        if swaps:
            self.one, self.other = self.other, self.one


def pick(mask: np.ndarray, choice: int) -> int:
    """A legal action of a mask."""
    legal = np.flatnonzero(mask)
    return int(legal[choice % len(legal)])
