"""Rules as parameters of an OpenSpiel game, and what OpenSpiel wants to know of a game before it is played."""

from __future__ import annotations

from typing import Final

import pyspiel

from sorry_env.actions import num_actions
from sorry_env.cards import NUM_CARDS
from sorry_env.position import Position
from sorry_env.rules import Rules, rules_from

SHORT_NAME: Final = "python_sorry"
MOST_PLIES: Final = 1_000_000  # no game is cut off; random play has never come near
AS_RULES_SAY: Final = 0  # of the parameter players

# In OpenSpiel's game strings a comma ends a parameter and an equals sign its name.
_TO_GAME_STRING: Final = str.maketrans({",": ";", "=": ":"})
_FROM_GAME_STRING: Final = str.maketrans({";": ",", ":": "="})


def format_rules(rules: Rules) -> str:
    """Rules but for the number of players, as the parameter `rules`: `classic`, `classic:slide_on:own;deck:55`."""
    name, _, tail = rules.spec().partition(":")
    options = ",".join(option for option in tail.split(",") if not option.startswith("players="))
    return f"{name}:{options}".removesuffix(":").translate(_TO_GAME_STRING)


def parse_rules(text: str, players: int = AS_RULES_SAY) -> Rules:
    """The rules of the parameters; `text` may also be written as everywhere else (`classic:slide_on=own,deck=55`).

    Raises:
        RulesError: rules that make no sense.
    """
    name, colon, tail = text.partition(":")
    return rules_from(f"{name}{colon}{tail.translate(_FROM_GAME_STRING)}", None if players == AS_RULES_SAY else players)


def game_type(has_hands: bool) -> pyspiel.GameType:
    """The type of a draw game (perfect information) or of a hand game."""
    information = pyspiel.GameType.Information
    return pyspiel.GameType(
        short_name=SHORT_NAME,
        long_name="Sorry!",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=information.IMPERFECT_INFORMATION if has_hands else information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=4,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,  # a history has no bounded size
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification={"rules": "classic", "players": AS_RULES_SAY},
    )


def game_info(rules: Rules) -> pyspiel.GameInfo:
    """Sizes and bounds of the game."""
    bounds = _clear_win(rules).rewards()
    return pyspiel.GameInfo(
        num_distinct_actions=num_actions(rules.pawns, rules.teams),
        max_chance_outcomes=NUM_CARDS,
        num_players=rules.players,
        min_utility=min(bounds),
        max_utility=max(bounds),
        utility_sum=0.0,
        max_game_length=MOST_PLIES,
    )


def _clear_win(rules: Rules) -> Position:
    """The end that pays most and costs most, by wins and by points: the losers have no pawn Home."""
    winners = (0, 2) if rules.teams else (0,)
    places = {color: "H" if seat in winners else "S" for seat, color in enumerate(rules.colors)}
    pawns = "/".join(f"{color}:{','.join(place * rules.pawns)}" for color, place in places.items())
    cards = "/".join("?" * rules.players) if rules.hand_size else "-"
    return Position.parse(f"{pawns} {rules.colors[0].lower()} {cards} *", rules)
