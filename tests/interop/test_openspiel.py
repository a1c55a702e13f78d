"""The game in OpenSpiel: its own checks, chance and returns against `Game`, hidden hands."""

from __future__ import annotations

import importlib
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from openspiel_play import decisions, play
from playing import rewards_by_rules
from results import board
from strategies import HAND_GAMES, random_positions, rules_records

from sorry_env import Game, IllegalError, RulesError, rules_from
from sorry_env.cards import CARDS
from sorry_env.observation import by_name, observation_layout
from sorry_env.position import Position
from sorry_env.rules import PRESETS, Rules

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")
openspiel = importlib.import_module("sorry_env.interop.openspiel")

NAMED = [
    f"{name}:players={players}"
    for name in PRESETS
    for players in ((4,) if PRESETS[name].teams else (2,) if name.startswith("mini") else (2, 3, 4))
]


# --- OpenSpiel's own checks ---


@pytest.mark.parametrize("spec", NAMED)
def test_random_sim_test(spec: str) -> None:
    """OpenSpiel's random_sim_test passes, with serialisation, for every named rule set and number of players."""
    pyspiel.random_sim_test(openspiel.load_game(spec), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("spec", ["mini-2", "points:players=2,pawns=1"])
def test_playthrough(spec: str, tmp_path: Path) -> None:
    """A playthrough of OpenSpiel's, which shows all that a game tells of itself, is the same when it is replayed."""
    from absl import flags
    from open_spiel.python.algorithms import generate_playthrough

    flags.FLAGS.mark_as_parsed()  # `replay` asks for a flag, which only OpenSpiel's own programs parse
    path = tmp_path / "playthrough.txt"
    path.write_text(generate_playthrough.playthrough(str(openspiel.load_game(spec)), None, seed=3), encoding="utf-8")
    before, after = generate_playthrough.replay(path)
    assert after == before
    assert "Returns() = [" in before


# --- Parameters ---


@settings(max_examples=60)
@given(rules=rules_records())
def test_rules_survive_the_game_string(rules: Rules) -> None:
    """Any rules record comes back from OpenSpiel's game string, which `load_game` and serialisation read."""
    text = str(openspiel.load_game(rules))
    game = pyspiel.load_game(text)
    assert game.rules == rules
    assert str(game) == text


def test_game_strings() -> None:
    """What a user writes: defaults, players, options in both spellings, and the named error for what is wrong."""
    assert pyspiel.load_game("python_sorry").rules == rules_from("classic")
    assert pyspiel.load_game("python_sorry(players=2)").rules == rules_from("classic", players=2)
    assert str(openspiel.load_game("classic", players=2)) == "python_sorry(players=2,rules=classic)"
    wanted = rules_from("points:players=3,deck=55")
    assert pyspiel.load_game("python_sorry(rules=points:deck:55,players=3)").rules == wanted
    assert pyspiel.load_game("python_sorry", {"rules": "points:deck=55", "players": 3}).rules == wanted
    with pytest.raises(RulesError, match="did you mean 'classic'"):
        pyspiel.load_game("python_sorry(rules=clasic)")


@pytest.mark.parametrize(
    ("spec", "low", "high"),
    [
        ("classic:players=2", -1, 1),
        ("classic:players=4", -1 / 3, 1),
        ("teams", -1, 1),
        ("points:players=2", -0.7, 0.7),
        ("points:players=4", -0.45, 1.35),
        ("team-points", -0.8, 0.8),
    ],
)
def test_bounds(spec: str, low: float, high: float) -> None:
    """The bounds of utility are the most lopsided end's rewards (RULES 5.7, worked out by hand)."""
    game = openspiel.load_game(spec)
    assert game.min_utility() == pytest.approx(low)
    assert game.max_utility() == pytest.approx(high)
    assert game.utility_sum() == 0


@pytest.mark.parametrize("spec", ["classic", "points"])
def test_information_type(spec: str) -> None:
    """Draw games have perfect information, hand games imperfect."""
    kinds = pyspiel.GameType.Information
    wanted = kinds.IMPERFECT_INFORMATION if spec == "points" else kinds.PERFECT_INFORMATION
    assert openspiel.load_game(spec).get_type().information == wanted


# --- Chance, play and returns against Game ---


def dealt_odds(seen: Counter[str], deck: tuple[int, ...]) -> dict[int, float]:
    """Odds of the next card of a deal, by the cards not dealt yet."""
    left = {kind: count - seen[CARDS[kind]] for kind, count in enumerate(deck)}
    return {kind: count / sum(left.values()) for kind, count in left.items() if count}


@pytest.mark.parametrize("spec", [*NAMED, "classic:players=2,first_player=1", "points:colors=RB,hand_size=9,deck=44"])
def test_same_game_as_ours(spec: str) -> None:
    """On the same actions and cards the state is our Game's: odds, mover, legal actions, texts, returns."""
    openspiel_game = openspiel.load_game(spec)
    rules, twin, dealt = openspiel_game.rules, None, Counter[str]()
    to_deal = rules.players * rules.hand_size
    for state, action in play(openspiel_game, 5):
        odds = dict(state.chance_outcomes()) if state.is_chance_node() else {}
        assert not odds or sum(odds.values()) == pytest.approx(1, abs=1e-12)
        if state.draws_first:
            assert odds == dict.fromkeys(range(rules.players), 1 / rules.players)
        elif dealt.total() < to_deal:
            assert odds == pytest.approx(dealt_odds(dealt, rules.deck_counts))
            dealt[CARDS[action]] += 1
        else:
            twin = twin or Game(rules, explicit_chance=True, position=state.position)
            check_twin(state, twin, odds, action)
    assert twin is not None
    assert state.is_terminal()
    assert state.returns() == list(twin.rewards())
    assert state.returns() == pytest.approx(rewards_by_rules(state.position, rules.scoring))
    assert max(state.returns()) > 0 > min(state.returns())


def check_twin(state: Any, twin: Game, odds: dict[int, float], action: int) -> None:
    """State and Game agree; then the Game takes the same step."""
    assert str(state) == str(twin)
    assert odds == {CARDS.index(card): share for card, share in twin.outcomes()}
    if state.is_terminal():
        assert twin.is_over
    elif state.is_chance_node():
        twin.draw(CARDS[action])
    else:
        assert state.current_player() == twin.mover
        assert state.legal_actions() == twin.legal_actions()
        assert [state.action_to_string(a) for a in state.legal_actions()] == twin.legal_moves()
        twin.play(action)


@pytest.mark.parametrize("spec", ["classic:players=2", "points:players=3"])
def test_deal(spec: str) -> None:
    """The first player is drawn first; hands are dealt a card each in turn from him on; he then decides."""
    game = openspiel.load_game(spec)
    state = game.new_initial_state()
    assert state.draws_first
    state.apply_action(1)
    receivers = []
    while state.is_chance_node():
        receivers.append(state.position.mover)
        state.apply_action(state.legal_actions()[0])
    size = game.rules.hand_size
    assert receivers == ([1, 2, 0] * size if size else [1])
    assert state.current_player() == 1
    assert [len(state.position.hand(seat)) for seat in range(game.num_players())] == [size] * game.num_players()


def test_illegal_actions_raise() -> None:
    """Every action that is not legal raises, decision or chance, and leaves the state as it was."""
    game = openspiel.load_game("mini-2")
    for state in [game.new_initial_state(), *decisions(game, 1, 3)]:
        before, size = str(state), game.num_distinct_actions()
        for action in set(range(size)) - set(state.legal_actions()):
            with pytest.raises(IllegalError):
                state.apply_action(action)
        assert str(state) == before
        assert isinstance(state.action_to_string(0, size - 1), str)
    state = game.new_initial_state()
    state.apply_action(0)
    with pytest.raises(IllegalError, match="outcome 11"):
        state.apply_action(11)


@pytest.mark.parametrize("spec", ["classic:players=2", "points:players=2"])
def test_saving(spec: str) -> None:
    """A copy, a pickle and a serialised state go on alike, histories kept, and a copy leaves the first alone."""
    game = openspiel.load_game(spec)
    for state in decisions(game, 2, 30)[::10]:
        before = str(state)
        twins = [state.clone(), pickle.loads(pickle.dumps(state)), game.deserialize_state(state.serialize())]
        for twin in twins:
            assert (str(twin), twin.history()) == (before, state.history())
            assert twin.information_state_string(0) == state.information_state_string(0)
            twin.apply_action(twin.legal_actions()[-1])
        assert len({str(twin) for twin in twins}) == 1
        assert str(state) == before


# --- What seats see ---


def seen_by(state: Any, player: int) -> tuple[str, ...]:
    """All that a seat may learn of a state, as texts."""
    kinds, private = pyspiel.IIGObservationType, pyspiel.PrivateInfoType
    observers = [
        kinds(perfect_recall=recall, public_info=public, private_info=own)
        for recall in (False, True)
        for public, own in ((True, private.SINGLE_PLAYER), (True, private.NONE), (False, private.SINGLE_PLAYER))
    ]
    texts = [state.get_game().make_py_observer(kind).string_from(state, player) for kind in observers]
    tensor = np.array(state.observation_tensor(player))
    texts += [state.observation_string(player), state.information_state_string(player), tensor.tobytes().hex()]
    return tuple(texts)


@pytest.mark.parametrize("spec", HAND_GAMES)
def test_exchanged_hidden_cards_do_not_show(spec: str) -> None:
    """With hidden cards exchanged among other hands and pile a seat sees the same; their holders see it."""
    game, rng = openspiel.load_game(spec), np.random.default_rng(1)
    changed = 0
    for position in random_positions(game.rules, 1, 12):
        state = game.new_initial_state(position)
        for player in range(game.num_players()):
            other = game.new_initial_state(position.seen_by(player).deal_unseen(rng))
            assert seen_by(other, player) == seen_by(state, player)
            for holder in range(game.num_players()):
                if other.position.hand(holder) != position.hand(holder):
                    changed += 1
                    assert other.observation_string(holder) != state.observation_string(holder)
                    assert other.observation_tensor(holder) != state.observation_tensor(holder)
    assert changed > 10


def test_history_hides_dealt_and_drawn_cards() -> None:
    """Two histories that differ only in another seat's cards, dealt and drawn, read the same to a seat, not to him."""
    game = openspiel.load_game("points:players=2,first_player=0")
    states = []
    for dealt, refill in (("2.4.7.8.1", "3"), ("10.11.12.X.1", "5")):
        state = game.new_initial_state()
        for own, other in zip(("1", "3", "5", "8", "2"), dealt.split("."), strict=True):
            state.apply_action(CARDS.index(own))
            state.apply_action(CARDS.index(other))
        for move, card in (("5:4>9", "12"), ("1:34>35", refill)):
            state.apply_action(state.string_to_action(move))
            state.apply_action(CARDS.index(card))
        states.append(state)
    assert seen_by(states[0], 0) == seen_by(states[1], 0)
    assert states[0].information_state_string(0).split()[1:3] == ["+1", "+?"]
    for text, other in zip(seen_by(states[0], 1)[-3:], seen_by(states[1], 1)[-3:], strict=True):
        assert text != other


@pytest.mark.parametrize("spec", ["classic:players=2", "team-points"])
def test_information_state_recalls(spec: str) -> None:
    """A seat's information state begins with each earlier one, grows with every event, and so forgets nothing."""
    game = openspiel.load_game(spec)
    texts = [f"{color}" for color in game.rules.colors]
    for state, _ in play(game, 3):
        if len(state.history()) > 120:
            break
        for seat, before in enumerate(texts):
            texts[seat] = state.information_state_string(seat)
            assert texts[seat].startswith(before.rstrip())
            assert len(texts[seat].split()) == 1 + len(state.history())


def test_tensor_is_the_observation() -> None:
    """The tensor is our observation, in our layout by name; no seat is on move before the first is drawn."""
    for spec in ("classic:players=3", "points:players=2"):
        game = openspiel.load_game(spec)
        layout = observation_layout(game.rules)
        assert game.observation_tensor_shape() == [layout[-1].stop]
        observer = game.make_py_observer()
        for state in decisions(game, 4, 60)[::15]:
            twin = Game(game.rules, position=state.position)
            for seat in range(game.num_players()):
                np.testing.assert_array_equal(state.observation_tensor(seat), twin.observation(seat))
                observer.set_from(state, seat)
                for name, part in by_name(layout).items():
                    np.testing.assert_array_equal(observer.dict[name], twin.observation(seat)[part])
        first = game.new_initial_state().observation_tensor(0)
        assert not any(first[by_name(layout)["on_move"]])


def test_observers_refused() -> None:
    """An observer of all hands, and parameters of one, are refused by name."""
    game = openspiel.load_game("points")
    private = pyspiel.PrivateInfoType.ALL_PLAYERS
    with pytest.raises(ValueError, match="one seat's private information"):
        game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=False, private_info=private))
    with pytest.raises(ValueError, match="not known"):
        game.make_py_observer(None, {"planes": 3})


# --- Positions as states ---


def test_state_from_a_position() -> None:
    """A position or its text begins a state without a history; unknown hands and other rules are refused."""
    game = openspiel.load_game("classic:players=2")
    text = f"{board('RY')} r 1 34444444444"
    state = game.new_initial_state(text)
    assert (str(state), state.history(), state.current_player()) == (text, [], 0)
    state.apply_action(state.string_to_action("1:S>4"))
    assert state.clone().information_state_string(1).startswith(f"Y [{text}] R")
    with pytest.raises(IllegalError, match="of 'mini-1', the game of"):
        game.new_initial_state(Position.parse("R:S/Y:S r 1 *", "mini-1"))
    hands = openspiel.load_game("points:players=2")
    with pytest.raises(IllegalError, match="deal_unseen"):
        hands.new_initial_state("R:S,S,S,4/Y:S,S,S,34 r 1.2.3.4.5/? *")
