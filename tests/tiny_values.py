"""Small value networks: one of random numbers, and one that sees who is ahead."""

from __future__ import annotations

import numpy as np

from agents.luck import Adjuster
from sorry_env.rules import Rules
from sorry_env.values import ValueModel, network_model, num_inputs, num_outputs, value_layout

RING = 60
EXIT = 4  # squares past the diamond


def random_network(rules: Rules, seed: int = 0) -> ValueModel:
    """A network that knows nothing, whose opinions differ much from position to position."""
    rng = np.random.default_rng(seed)
    inputs, outputs = num_inputs(rules), num_outputs(rules)
    shapes = [(4, inputs), (4,), (4, 4), (4,), (outputs, 4), (outputs,)]
    return network_model(rules, [rng.normal(size=shape) for shape in shapes])


def race_network(rules: Rules) -> ValueModel:
    """Two players: chances by the difference of the shares of the way that the pawns have gone."""
    gone = np.zeros(num_inputs(rules))
    for part in value_layout(rules.players, rules.pawns, False):
        seat, _, place = part.name.partition("_")
        sign = {"seat0": 1.0, "seat1": -1.0}.get(seat, 0.0)
        squares = (np.arange(part.size) - EXIT - (RING // 2 if seat == "seat1" else 0)) % RING
        ways = {"ring": squares / RING, "zone": np.ones(part.size), "home": np.ones(part.size)}
        gone[part.start : part.stop] = sign * ways.get(place, np.zeros(part.size))
    first = np.stack([gone, -gone, 0 * gone, 0 * gone])
    second = np.eye(2, 4)
    last = np.array([[0.1, -0.1], [-0.1, 0.1]])
    bias = np.array([rules.pawns, rules.pawns, 0, 0])
    return network_model(rules, [first, bias, second, np.zeros(2), last, np.zeros(2)])


def adjuster_of(model: ValueModel) -> Adjuster:
    """A network as what results are adjusted by."""
    return Adjuster("tiny", "0" * 64, model)
