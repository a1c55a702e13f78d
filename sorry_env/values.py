"""Value models: what positions before a draw are worth to each side, as a table of inputs and a row of numbers.

A network reads what the seat sees that draws next, in the hand game, where hands are hidden, who moved: the board is
turned to it as in observations. It has two hidden layers; its outputs are the sides' chances to win (softmax),
clockwise from that seat, and, where the rules count points, the sides' expected points in hundreds. In the partnership
game a side is a team.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from sorry_env.cards import NUM_CARDS
from sorry_env.engine import hand_searching, searching, valuing
from sorry_env.engine.layers import padded
from sorry_env.engine.parameters import MOVER, parameter_row
from sorry_env.engine.rows import stream_rows
from sorry_env.engine.weights import KIND, NUM_WEIGHTS, weight_rows
from sorry_env.errors import PolicyError
from sorry_env.observation import OWN_SEAT, Slice, observation_layout
from sorry_env.rules import Rules

VALUE_VERSION: Final = 1  # of the inputs
MOST_HIDDEN: Final = 1024
LIGHT_MODELS: Final = ("greedy", "race", "solitaire")  # rows of `weight_rows`


@lru_cache(maxsize=64)
def value_layout(rules: Rules) -> tuple[Slice, ...]:
    """Slices of a network's inputs: the observation's pawns and own seat, then cards. All numbers are within 0..1."""
    is_hand_game = rules.hand_size > 0
    pawn_parts = [part for part in observation_layout(rules) if part.name.startswith("seat")]
    at = pawn_parts[-1].stop
    who = "of all that the viewer has not seen" if is_hand_game else "of the pile, a whole deck where that is empty"
    parts = [(part.name, part.size, part.meaning) for part in observation_layout(rules) if part.name == OWN_SEAT]
    parts += [("odds", NUM_CARDS, f"odds of each card kind: its share {who}"), ("pile_size", 1, "pile over deck")]
    if is_hand_game:
        parts += [("hand", NUM_CARDS, "share of each kind in the viewer's full hand"), ("again", 1, "1: decides again")]
    slices = []
    for name, size, meaning in parts:
        slices.append(Slice(name, at, size, 1, meaning))
        at += size
    return (*pawn_parts, *slices)


def num_inputs(rules: Rules) -> int:
    """I, the number of a network's inputs."""
    return value_layout(rules)[-1].stop


def num_card_inputs(rules: Rules) -> int:
    """C, how many of them, the last ones, are cards."""
    layout = value_layout(rules)
    return layout[-1].stop - next(part.start for part in layout if part.name == "odds")


def num_sides(rules: Rules) -> int:
    """Seats, or teams in the partnership game; seat % num_sides is a seat's side."""
    return 2 if rules.teams else rules.players


def num_outputs(rules: Rules) -> int:
    """O: a chance to win for each side and, where the rules count points, expected points for each."""
    return num_sides(rules) * (2 if rules.scoring == "points" else 1)


@dataclass(frozen=True)
class ValueModel:
    """What positions before a draw are worth.

    Attributes:
        rules: the rules record.
        row: float32 (1, *), read-only: see `engine/valuing.py`.
    """

    rules: Rules
    row: np.ndarray

    @property
    def is_network(self) -> bool:
        """Whether its worths are chances to win (and points), rather than a light player's distances."""
        return bool(self.row[0, KIND] == valuing.NETWORK)

    def layers(self) -> list[np.ndarray]:
        """A network's layers as `network_model` takes them."""
        head = [valuing.INPUTS, valuing.WIDE, valuing.NARROW, valuing.COLUMNS, valuing.OUTPUTS]
        inputs, wide, narrow, columns, outputs = self.row[0, head].astype(int).tolist()
        cuts = np.cumsum([valuing.LAYERS, inputs * wide, wide, wide * columns, columns, outputs * narrow])
        _, first, bias, second, second_bias, last, last_bias = np.split(self.row[0], cuts)
        first, second = first.reshape(inputs, wide).T, second.reshape(wide, columns)[:, :narrow].T
        return [np.ascontiguousarray(first), bias, np.ascontiguousarray(second), second_bias[:narrow],
                last.reshape(outputs, narrow), last_bias]  # fmt: skip

    def fitted_to(self, rules: Rules) -> ValueModel:
        """The model for rules that it plays: where they count no points it plays for its chance to win alone."""
        if not self.is_network or num_outputs(self.rules) <= num_outputs(rules):
            return self
        *hidden, last, bias = self.layers()
        return network_model(rules, [*hidden, last[: num_outputs(rules)], bias[: num_outputs(rules)]])

    def worths(self, rows: np.ndarray) -> np.ndarray:
        """What positions before a draw, rows int16 (N, W), are worth: float32 (N, O), by side."""
        out = np.zeros((len(rows), valuing.MOST_OUTPUTS), np.float32)
        searching.worths(np.ascontiguousarray(rows), parameter_row(self.rules), self.row, out)
        return out[:, : num_outputs(self.rules)]

    def outputs(self, rows: np.ndarray) -> np.ndarray:
        """The same in the order of a network's outputs: the sides clockwise from the viewer."""
        sides = num_sides(self.rules)
        worths = self.worths(rows).reshape(len(rows), -1, sides)
        turned = (rows[:, MOVER, None] + np.arange(sides)) % sides
        ordered: np.ndarray = np.take_along_axis(worths, turned[:, None].repeat(worths.shape[1], axis=1), axis=2)
        return ordered.reshape(len(rows), -1)

    def averages(self, rows: np.ndarray) -> np.ndarray:
        """What positions before a draw are worth by one exact average over its card: (N, O). Draw games only."""
        out = np.zeros((len(rows), valuing.MOST_OUTPUTS), np.float32)
        searching.average_worth(np.ascontiguousarray(rows), parameter_row(self.rules), self.row, out)
        return out[:, : num_outputs(self.rules)]

    def deal_averages(self, rows: np.ndarray, deals: int) -> np.ndarray:
        """What positions of the hand game before a refill are worth, as the mover may know them: (N, O).

        The mean of his next move's worth over `deals` deals of the unseen cards, the same for every row and call.
        """
        out = np.zeros((len(rows), valuing.MOST_OUTPUTS), np.float32)
        stream, p = stream_rows(0, 1), parameter_row(self.rules)
        hand_searching.average_by_deals(np.ascontiguousarray(rows), stream, p, self.row, deals, out)
        return out[:, : num_outputs(self.rules)]

    def luck(self, rows: np.ndarray) -> np.ndarray:
        """What the drawn card of open decisions of the draw game, rows int16 (N, W), adds to each side's chance to win.

        The worth of the best reply to it less the mean of that over all cards that could have come: of mean 0, whatever
        the model. float64 (N, sides).
        """
        out = np.zeros((len(rows), num_sides(self.rules)))
        searching.add_luck(np.ascontiguousarray(rows), parameter_row(self.rules), self.row, out)
        return out


def light_model(name: str, rules: Rules) -> ValueModel:
    """The weights of `greedy`, `race` or `solitaire` as a model: worths are distances, more is better."""
    row = weight_rows(rules)[LIGHT_MODELS.index(name), None].astype(np.float32)
    assert row.shape[1] == NUM_WEIGHTS
    row.flags.writeable = False
    return ValueModel(rules, row)


def network_model(rules: Rules, layers: Sequence[np.ndarray]) -> ValueModel:
    """A network as a model.

    Args:
        rules: what it is for.
        layers: weights and bias of each layer: (H, I), (H,), (J, H), (J,), (O, J), (O,).

    Raises:
        PolicyError: shapes that do not fit each other or the rules, or numbers that are not finite floats.
    """
    first, bias, second, second_bias, last, last_bias = layers
    inputs, wide, narrow, outputs = num_inputs(rules), bias.size, second_bias.size, num_outputs(rules)
    wanted = [(wide, inputs), (wide,), (narrow, wide), (narrow,), (outputs, narrow), (outputs,)]
    found = [array.shape for array in layers]
    if found != wanted or not 0 < wide <= MOST_HIDDEN or not 0 < narrow <= MOST_HIDDEN:
        raise PolicyError(
            f"value network: its layers are {found}, {rules.spec()!r} needs {wanted}, none of more than {MOST_HIDDEN}"
        )
    kinds = sorted({str(array.dtype) for array in layers if array.dtype.kind != "f"})
    if kinds:
        raise PolicyError(f"value network: its layers hold {', '.join(kinds)}, not floats")
    head = np.zeros(valuing.LAYERS)
    head[[KIND, valuing.INPUTS, valuing.WIDE, valuing.NARROW]] = valuing.NETWORK, inputs, wide, narrow
    head[[valuing.OUTPUTS, valuing.COLUMNS]] = outputs, padded(narrow)
    filling = (0, padded(narrow) - narrow)
    second, second_bias = np.pad(second.T, ((0, 0), filling)), np.pad(second_bias, filling)
    parts = [head, first.T.ravel(), bias, second.ravel(), second_bias, last.ravel(), last_bias]
    with np.errstate(over="ignore"):  # what float32 cannot hold is refused below
        row = np.concatenate(parts).astype(np.float32)[None]
    if not np.isfinite(row).all():
        raise PolicyError("value network: it holds numbers that are not finite")
    row.flags.writeable = False
    return ValueModel(rules, row)


def value_parts(rules: Rules, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inputs of positions before a draw, rows int16 (N, W), as few numbers.

    Returns:
        int32 (N, P K): which inputs are 1, one for each pawn, and where seats are unevenly spaced one more, the seat's;
        float32 (N, C): the other inputs, cards.
    """
    places = np.empty((len(rows), rules.players * rules.pawns + (not rules.is_evenly_seated)), np.int32)
    cards = np.empty((len(rows), num_card_inputs(rules)), np.float32)
    searching.inputs(rows, parameter_row(rules), places, cards)
    return places, cards


def value_inputs(rules: Rules, rows: np.ndarray) -> np.ndarray:
    """Inputs of positions before a draw, rows int16 (N, W): float32 (N, I) (`value_layout`)."""
    places, cards = value_parts(rules, rows)
    out = np.zeros((len(rows), num_inputs(rules)), np.float32)
    np.put_along_axis(out, places.astype(np.int64), 1, axis=1)
    out[:, out.shape[1] - cards.shape[1] :] = cards
    return out
