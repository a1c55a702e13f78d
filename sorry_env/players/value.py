"""Players that look at what their moves lead to: a value model's choice, or exact averages over the next cards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from sorry_env.engine import hand_searching, searching
from sorry_env.engine.parameters import parameter_row
from sorry_env.engine.rows import stream_rows
from sorry_env.engine.valuing import MOST_OUTPUTS
from sorry_env.errors import PolicyError, RulesError, SpecError, one_line
from sorry_env.players.base import Player, refuse_options
from sorry_env.players.chances import mean_over_cards
from sorry_env.players.onnx_file import POLICY_FORMAT, VALUE, PolicyFile, layout_hash, open_policy_file
from sorry_env.players.policy import PolicyPlayer
from sorry_env.position import Position, Positions
from sorry_env.rules import Rules
from sorry_env.values import (
    LIGHT_MODELS,
    VALUE_VERSION,
    ValueModel,
    light_model,
    network_model,
    num_inputs,
    num_sides,
    value_layout,
)

CHAMPIONS: Final = Path(__file__).parent.parent / "champions"
CHAMPION: Final = "champion"
LAYERS: Final = ("first", "first_bias", "second", "second_bias", "last", "last_bias")  # outputs that are its weights
BREADTH: Final = 3  # moves that a search looks at more closely
DEALS: Final = 16  # of the unseen cards, that a search of the hand game samples
MOST_DEPTH: Final = 2
_KERNELS: Final = (searching.choose, searching.choose_deep, searching.choose_deeper)


def value_metadata(rules: Rules, **more: Any) -> dict[str, Any]:
    """What a value network's file says of the game it was made for, as JSON under the metadata key `sorry_env`."""
    layout = value_layout(rules)
    inputs = {"version": VALUE_VERSION, "hash": layout_hash([(part.name, part.start, part.size) for part in layout])}
    return {"kind": VALUE, "format": POLICY_FORMAT, "rules": rules.spec(), "inputs": inputs, **more}


def read_model(file: PolicyFile) -> ValueModel:
    """The network of an opened file. Raises PolicyError where it is not one that this version can play."""
    if file.kind != VALUE:
        raise PolicyError(
            f"value {file.spec!r} is a file of kind {one_line(file.kind)!r}, not {VALUE!r}: it gives no values"
        )
    wanted = value_metadata(file.rules)["inputs"]
    if file.metadata.get("inputs") != wanted:
        raise PolicyError(
            f"value {file.spec!r}: its inputs are {one_line(file.metadata.get('inputs'))}, this version's {wanted}; "
            "play it with the version that exported it, or train it anew"
        )
    outputs = {port.name for port in file.session.get_outputs() if port.type == "tensor(float)"}
    if not outputs.issuperset(LAYERS):
        raise PolicyError(f"value {file.spec!r}: its float outputs are {sorted(outputs)}, not its layers {LAYERS}")
    try:
        nothing = np.zeros((0, num_inputs(file.rules)), np.float32)
        layers = file.session.run(LAYERS, {"features": nothing})
    except Exception as error:  # onnxruntime raises classes of its own, all derived from Exception alone
        raise PolicyError(f"value {file.spec!r}: its layers cannot be read: {one_line(error)}") from None
    try:
        return network_model(file.rules, layers)
    except PolicyError as error:
        raise PolicyError(f"value {file.spec!r}: {error}") from None


@lru_cache(maxsize=1)
def champion_files() -> tuple[PolicyFile, ...]:
    """The value networks that are shipped, opened."""
    return tuple(open_policy_file(str(path)) for path in sorted(CHAMPIONS.glob("*.onnx")))


def fitting_champions(rules: Rules) -> list[PolicyFile]:
    """Those of them that play these rules."""
    return [file for file in champion_files() if rules.plays_like(file.rules)]


def load_value(spec: str, rules: Rules) -> ValueModel:
    """The value model that a spec string means.

    Args:
        spec: `champion`, `greedy`, `race`, `solitaire`, or the path of a value network's `.onnx` file.
        rules: what it is to play.

    Raises:
        PolicyError: a file that cannot be read or is for other rules, or no champion for these rules.
        SpecError: no such model.
    """
    if spec in LIGHT_MODELS:
        return light_model(spec, rules)
    if spec == CHAMPION:
        fitting = fitting_champions(rules)
        if not fitting:
            known = ", ".join(file.rules.spec() for file in champion_files()) or "none"
            raise PolicyError(f"champion: none is shipped for the rules {rules.spec()!r}; there is one for: {known}")
        return read_model(fitting[0]).fitted_to(rules)
    if spec.endswith(".onnx"):
        file = open_policy_file(spec)
        file.check_rules(rules)
        return read_model(file).fitted_to(rules)
    raise SpecError(f"value: no value model {spec!r}; known: {CHAMPION}, {', '.join(LIGHT_MODELS)}, FILE.onnx")


def choose(model: ValueModel, rows: np.ndarray, depth: int, breadth: int) -> tuple[np.ndarray, np.ndarray]:
    """The best actions int64 (N,) of open decisions, rows int16 (N, W), and their worths by side float32 (N, 8).

    By `depth` exact averages, 0 to 2, of the `breadth` actions that the model likes best; in the hand game by none.
    """
    actions, worths = _answers(len(rows))
    _KERNELS[depth](np.ascontiguousarray(rows), parameter_row(model.rules), model.row, breadth, actions, worths)
    return actions, worths


def _answers(count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.empty(count, np.int64), np.empty((count, MOST_OUTPUTS), np.float32)


class ValuePlayer:
    """Plays for the highest worth after its move, directly or by exact averages over the cards that may come.

    Args:
        spec: the player's name.
        value: a model, or the spec string of one (`load_value`).
        depth: 0, or how many averages it looks through: the draw game's only.
        breadth: how many moves, those that the model likes best, are judged by averages.
        deals: how many deals of the unseen cards stand for all of them in the hand game.
    """

    model: ValueModel
    _bound: Rules | None = None

    def __init__(
        self, spec: str, value: str | ValueModel, depth: int = 0, breadth: int = BREADTH, deals: int = DEALS
    ) -> None:
        self.name, self.value, self.depth, self.breadth, self.deals = spec, value, depth, breadth, deals

    def bind(self, rules: Rules) -> None:
        """Reads the model. Raises PolicyError for rules it was not made for, RulesError for two averages with hands."""
        if self.depth > 1 and rules.hand_size:
            raise RulesError(f"player: {self.name!r} looks two cards ahead; in the hand game depth=1 is the most")
        if rules == self._bound:
            return
        if not isinstance(self.value, ValueModel):
            self.model = load_value(self.value, rules)
        elif rules.plays_like(self.value.rules):
            self.model = self.value.fitted_to(rules)
        else:
            made_for = self.value.rules.spec()
            raise PolicyError(f"value {self.name!r} was made for the rules {made_for!r}, not for {rules.spec()!r}")
        self._bound = rules

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """See `Player.act`."""
        if not (self.depth and positions.rules.hand_size):
            return choose(self.model, positions.rows, self.depth, self.breadth)[0]
        rows = np.ascontiguousarray(positions.rows)
        actions, worths = _answers(len(rows))
        streams = stream_rows(int(rng.integers(2**62)), len(rows))
        sizes, p = (self.breadth, self.deals), parameter_row(positions.rules)
        hand_searching.choose_by_deals(rows, streams, p, self.model.row, *sizes, actions, worths)
        return actions

    def win_chances(self, positions: Sequence[Position]) -> np.ndarray:
        """See `ChancePlayer.win_chances`: by the model, or by averages as it plays, but of every move.

        The chance to win alone counts, also where the rules count points. Raises SpecError where worths are distances.
        """
        model = self.model.fitted_to(self.model.rules.with_options(scoring="win"))
        if not model.is_network:
            raise SpecError(
                f"player: {self.name!r} weighs distances, and knows no chances to win; take {CHAMPION}, "
                "expectimax:depth=1 or a value network's .onnx file"
            )
        sides = num_sides(model.rules)
        if not positions:
            return np.zeros((0, sides))
        rows = np.concatenate([position.row for position in positions])
        if not self.depth:
            return _shares(model.worths(rows))
        if model.rules.hand_size:
            return _shares(model.deal_averages(rows, self.deals))
        if self.depth == 1:
            return _shares(model.averages(rows))
        return mean_over_cards(positions, lambda drawn: _shares(choose(model, drawn, 1, self.breadth)[1][:, :sides]))


def _shares(worths: np.ndarray) -> np.ndarray:
    """Chances in float64 that add up to 1 to the last digit."""
    exact = worths.astype(np.float64)
    return exact / exact.sum(axis=1, keepdims=True)


def open_champion(spec: str, options: dict[str, str]) -> Player:
    """`champion`: the shipped value network for the rules."""
    refuse_options(spec, options)
    return ValuePlayer(spec, CHAMPION)


def open_expectimax(spec: str, options: dict[str, str]) -> Player:
    """`expectimax:depth=1|2,value=champion|race|solitaire|FILE.onnx,breadth=3,deals=16`."""
    refuse_options(spec, options, ("depth", "value", "breadth", "deals"))
    depth = _whole_number(spec, options, "depth", 1, MOST_DEPTH)
    breadth = _whole_number(spec, options, "breadth", BREADTH, 600)
    deals = _whole_number(spec, options, "deals", DEALS, 10_000)
    return ValuePlayer(spec, options.get("value", CHAMPION), depth, breadth, deals)


def open_file(spec: str, options: dict[str, str]) -> Player:
    """A policy or a value network from an ONNX file."""
    refuse_options(spec, options)
    file = open_policy_file(spec)
    return PolicyPlayer(spec, file=file) if file.kind != VALUE else ValuePlayer(spec, read_model(file))


def _whole_number(spec: str, options: dict[str, str], key: str, default: int, most: int) -> int:
    text = options.get(key, str(default))
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= most:
        raise SpecError(f"player: {key} of {spec!r} is {text!r}, not a whole number from 1 to {most}")
    return int(text)
