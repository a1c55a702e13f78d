"""Writes tests/goldens/*.txt: records of whole games that together use every card in every way, in every rule set.

    python tests/write_goldens.py

Run it only when the rules' behaviour is meant to change, and commit what it writes apart from that change.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from sorry_env import Game
from sorry_env.actions import Action, Use, action_table
from sorry_env.cards import CARDS

FOLDER = Path(__file__).parent / "goldens"

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("classic", {"players": 2}),
    ("classic", {"players": 3}),
    ("classic", {"players": 4}),
    ("classic", {"players": 2, "colors": "RB"}),
    ("classic", {"players": 4, "slide_on": "any"}),
    ("classic", {"players": 2, "slide_on": "own", "deck": "55"}),
    ("classic", {"players": 4, "pawns": 3, "pawns_out": 1, "x_forward4": True}),
    ("teams", {}),
    ("teams", {"swap_partner": True}),
    ("teams", {"pawns": 2, "slide_on": "any", "swap_partner": True}),
    ("points", {"players": 2}),
    ("points", {"players": 3, "pawns_out": 0}),
    ("points", {"players": 4}),
    ("points", {"players": 2, "hand_size": 1}),
    ("points", {"players": 4, "hand_size": 2, "pawns": 2, "pawns_out": 0, "start_cards": "2"}),
    ("team-points", {}),
    ("team-points", {"swap_partner": True, "hand_size": 3}),
    ("edition-1939", {"players": 2}),
    ("edition-1939", {"players": 4}),
    ("edition-2013", {"players": 2}),
    ("edition-2013", {"players": 4}),
    ("edition-2013", {"players": 4, "teams": True}),
    ("mini-1", {}),
    ("mini-2", {}),
]


def kind_of(action: Action) -> tuple[str, str, bool]:
    """Card, use and direction: what the goldens are to cover."""
    card = CARDS[action.card] if action.card >= 0 else "any"
    return card, action.use.name, action.steps < 0


def play_golden(rules: str, options: dict[str, Any], seed: int, uses: dict[tuple[str, str, bool], int]) -> Game:
    """A game by seed that prefers the uses played least so far, but every third move is any legal one."""
    game = Game(rules, seed, **options)
    table = action_table(game.rules.pawns, game.rules.teams)
    chance = random.Random(seed)
    while not game.is_over:
        legal = game.legal_actions()
        rarest = min(legal, key=lambda action: (uses.get(kind_of(table[action]), 0), chance.random()))
        action = rarest if chance.random() < 0.67 else chance.choice(legal)
        uses[kind_of(table[action])] = uses.get(kind_of(table[action]), 0) + 1
        game.play(action)
    return game


def uses_of(game: Game) -> set[tuple[str, str, bool]]:
    """The kinds of uses that a game's moves are."""
    table = action_table(game.rules.pawns, game.rules.teams)
    return {
        kind_of(table[position.parse_move(event)]) for position, event in game.history if not event.startswith("draw ")
    }


def all_uses() -> set[tuple[str, str, bool]]:
    """Every kind of use that some rule set allows."""
    return {kind_of(action) for action in action_table(4, True)} | {("any", Use.PASS.name, False)}


def main() -> None:
    """Plays and writes all of them, and says which uses they do not cover."""
    uses: dict[tuple[str, str, bool], int] = {}
    for seed, (rules, options) in enumerate(GAMES):
        game = play_golden(rules, options, seed, uses)
        path = FOLDER / f"{seed:02d}-{rules}-{game.rules.players}.txt"
        path.write_text(game.record(), encoding="utf-8")
        print(f"{path.name}: {game.num_plies} plies, won by {game.winners}")
    print("not covered:", sorted(all_uses() - set(uses)) or "nothing")


if __name__ == "__main__":
    main()
