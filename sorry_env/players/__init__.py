"""Players behind one protocol, from one registry of spec strings."""

from sorry_env.players.base import (
    Player,
    choose_move,
    known_players,
    load_player,
    register_file_player,
    register_folder_player,
    register_player,
)
from sorry_env.players.chances import ChancePlayer
from sorry_env.players.light import GreedyPlayer, RacePlayer, RandomPlayer, SolitairePlayer
from sorry_env.players.perfect import PerfectPlayer
from sorry_env.players.policy import PolicyPlayer, refuse_zip
from sorry_env.players.value import ValuePlayer, open_champion, open_expectimax, open_file

__all__ = [
    "ChancePlayer",
    "GreedyPlayer",
    "PerfectPlayer",
    "Player",
    "PolicyPlayer",
    "RacePlayer",
    "RandomPlayer",
    "SolitairePlayer",
    "ValuePlayer",
    "choose_move",
    "known_players",
    "load_player",
    "register_file_player",
    "register_folder_player",
    "register_player",
]

register_player("random", RandomPlayer)
register_player("greedy", GreedyPlayer)
register_player("race", RacePlayer)
register_player("solitaire", SolitairePlayer)
register_player("perfect", PerfectPlayer)
register_player("champion", open_champion)
register_player("expectimax", open_expectimax)
register_file_player(".onnx", open_file)
register_file_player(".zip", refuse_zip)
