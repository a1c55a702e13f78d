"""The PettingZoo face: options of `reset`, and arguments that make no sense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playing import play_aec

from sorry_env import sorry_v0
from sorry_env.errors import IllegalError, MalformedError, SorryError
from sorry_env.position import Position

faces = pytest.mark.parametrize("make", [sorry_v0.env, sorry_v0.raw_env], ids=["env", "raw_env"])


@faces
def test_first_player(make: Any) -> None:
    """The option `first_player` says which seat begins, for that game alone; without it all seats do."""
    env = make()
    for seat in (3, 0, 2, 1):
        env.reset(seed=1, options={"first_player": seat})
        assert env.agent_selection == f"player_{seat}"
    starters = set()
    for _ in range(60):
        env.reset()
        starters.add(env.agent_selection)
    assert starters == set(env.possible_agents)
    fixed = make(first_player=2)
    fixed.reset(seed=4)
    assert fixed.agent_selection == "player_2"


@faces
@pytest.mark.parametrize("as_text", [True, False])
def test_position(make: Any, as_text: bool) -> None:
    """The option `position`, text or Position, begins there; an awaited card is drawn."""
    env = make(rules="teams")
    text = "R:S,S,5,8/B:S,S,S,S/Y:S,S,50,s1/G:S,H,H,H y 7 54444344444"
    env.reset(seed=1, options={"position": text if as_text else Position.parse(text, "teams")})
    assert str(env.unwrapped.position) == text
    assert env.agent_selection == "player_2"
    assert env.last()[0]["action_mask"].sum() == len(env.unwrapped.position.legal_actions())
    env.reset(seed=1, options={"position": "R:S,S,5,8/B:S,S,S,S/Y:S,S,50,s1/G:S,H,H,H b - *"})
    assert env.unwrapped.position.card is not None
    assert env.agent_selection == "player_1"
    assert env.unwrapped.position.pawns(2) == ("S", "S", "50", "s1")


BAD_OPTIONS: list[tuple[dict[str, Any], type[SorryError]]] = [
    ({"first_player": 2}, SorryError),
    ({"first_player": -1}, SorryError),
    ({"first_player": "red"}, SorryError),
    ({"first_player": True}, SorryError),
    ({"position": "R:S,S,S,S/Y:S,S,S,S r 5"}, MalformedError),
    ({"position": "R:S,S,S,S/Y:S,S,S,S b 5 *"}, IllegalError),
    ({"position": "R:H,H,H,H/Y:S,S,S,S r - *"}, IllegalError),
    ({"position": Position.parse("R:S,S,S,S/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S r 5 *")}, IllegalError),
]


@faces
@pytest.mark.parametrize(("options", "error"), BAD_OPTIONS)
def test_bad_options(make: Any, options: dict[str, Any], error: type[SorryError]) -> None:
    """Options of `reset` that make no sense are refused by name, and the environment can be reset again."""
    env = make(players=2)
    with pytest.raises(error, match=r"position|first_player|MOVER|PAWNS"):
        env.reset(seed=1, options=options)
    env.reset(seed=1)
    assert play_aec(env, np.random.default_rng(1), 10) == 10


@pytest.mark.parametrize("hands", ["1.1.3.4.5/?", "?/1.1.3.4.5", "?/?"])
def test_position_with_unknown_hands(hands: str) -> None:
    """A position with an unknown hand cannot be played from and is refused."""
    env = sorry_v0.raw_env(rules="points", players=2)
    with pytest.raises(SorryError):
        env.reset(seed=1, options={"position": f"R:S,S,S,4/Y:S,S,S,34 r {hands} *"})


def test_position_of_another_type() -> None:
    """A position that is neither text nor Position is refused with a SorryError."""
    with pytest.raises(SorryError):
        sorry_v0.raw_env().reset(options={"position": 3})


BAD_ARGUMENTS: list[Any] = [
    {"rules": "clasic"},
    {"rules": 3},
    {"rules": "classic:colour=R"},
    {"players": 1},
    {"players": 5},
    {"players": "2"},
    {"rules": "teams", "players": 3},
    {"colour": "R"},
    {"render_mode": "depth_array"},
    {"reward": "money"},
    {"max_plies": 0},
    {"swap_partner": True},
    {"hand_size": 5, "deck": "replacement"},
    {"rules": ["classic"]},
    {"max_plies": 2.5},
    {"observation_dtype": np.float64},
    {"observation_dtype": None},
]


@faces
@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=str)
def test_bad_arguments(make: Any, arguments: dict[str, Any]) -> None:
    """Every argument that makes no sense is refused with a SorryError of one line."""
    with pytest.raises(SorryError) as caught:
        make(**arguments)
    assert "\n" not in str(caught.value)
