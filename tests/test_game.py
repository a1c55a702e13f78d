"""`Game` as a user plays it: moves, undo, copies, explicit chance, streams, saving, set-up by position."""

from __future__ import annotations

import copy
import pickle
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from invariants import check, play_random
from results import board
from strategies import HAND_GAMES, RULE_SETS, SPECS, positions, random_positions, rules_records, seeds

from sorry_env.cards import CARDS
from sorry_env.errors import IllegalError, MalformedError, RulesError
from sorry_env.game import Game
from sorry_env.position import Position
from sorry_env.rules import Rules, rules_from

START = f"{board('RY')} r 1 *"


def finish(game: Game, seed: int = 0) -> list[str]:
    """Plays random moves to the end; returns the texts of what happened."""
    rng = random.Random(seed)
    while not game.is_over:
        game.play(rng.choice(game.legal_actions()))
    return [event for _, event in game.history]


@settings(max_examples=60)
@given(rules=rules_records(), seed=seeds)
def test_any_rules_play(rules: Rules, seed: int) -> None:
    """Every rules record that makes sense sets up and plays; its spec text reads back as the record."""
    assert rules_from(rules.spec()) == rules
    game = play_random(rules, seed, max_plies=12)
    for position, _ in game.history[-2:]:
        check(position, refused=2)


@pytest.mark.parametrize("spec", SPECS)
def test_same_seed_same_game(spec: str) -> None:
    """The same seed and moves give the same record, another seed another."""
    records = [play_random(RULE_SETS[spec], seed, max_plies=200).record() for seed in (3, 3, 4)]
    assert records[0] == records[1] != records[2]


def test_no_seed_is_no_seed() -> None:
    """Without a seed the system's entropy decides."""
    assert len({tuple(finish(Game("mini-1"))) for _ in range(5)}) > 1


def cards_of(events: list[str]) -> list[str]:
    """The cards drawn, in order."""
    return [event.removeprefix("draw ") for event in events if event.startswith("draw ")]


@pytest.mark.parametrize("spec", ["classic", "classic:players=2,deck=55", "teams", "edition-2013", "mini-2"])
def test_nth_card_of_a_seed(spec: str) -> None:
    """In the draw game the n-th card of a seed is the same whoever begins and whatever is played."""
    played = []
    for choice in range(4):
        game = Game(spec, 8, first_player=choice % 2) if choice else Game(spec, 8)
        played.append(cards_of(finish(game, choice)))
    shortest = min(map(len, played))
    assert shortest > 10
    assert len({tuple(cards[:shortest]) for cards in played}) == 1


def test_play_by_text_and_id() -> None:
    """A move may be given as text, with or without its card, or as an id."""
    game = Game(position=START, players=2, explicit_chance=True)
    twins = [game.copy() for _ in range(3)]
    twins[0].play("1:S>4")
    twins[1].play("S>4")
    twins[2].play(game.legal_actions()[0])
    assert {str(twin) for twin in twins} == {f"{board('RY', R='S,S,S,4')} y - 44444444444"}
    assert {twin.history[-1][1] for twin in twins} == {"1:S>4"}
    assert game.num_plies == 0


def test_refused_play() -> None:
    """An illegal or unreadable move, and one where no decision is open, are refused and change nothing."""
    game = Game(position=START, players=2, explicit_chance=True)
    for move, error in (("1:4>5", IllegalError), ("jump", MalformedError), (10_000, IllegalError), (-1, IllegalError)):
        with pytest.raises(error):
            game.play(move)
    assert str(game) == START.replace("*", "44444444444")
    assert game.history == []
    game.play("1:S>4")
    with pytest.raises(IllegalError, match="no decision is open"):
        game.play("1:S>4")
    with pytest.raises(IllegalError, match="no move"):
        Game("classic", 1).undo()


def test_explicit_chance() -> None:
    """With explicit chance every card is the caller's: odds add to 1, a card that cannot come is refused."""
    game = Game(position=f"{board('RY')} r - 10000000002", players=2, explicit_chance=True)
    assert game.awaits_card
    assert game.legal_actions() == []
    assert not game.legal_mask().any()
    assert dict(game.outcomes()) == pytest.approx({"1": 1 / 3, "X": 2 / 3})
    for card in ("2", "7", "no card", ""):
        with pytest.raises(IllegalError, match="cannot come"):
            game.draw(card)
    assert game.draw("X") == "X"
    with pytest.raises(IllegalError, match="no card is awaited"):
        game.draw("1")
    game.play("pass")
    assert game.draw() in ("1", "X")
    assert str(game.position).split()[1] == "y"


@settings(max_examples=60)
@given(position=positions())
def test_odds_add_up(position: Position) -> None:
    """Wherever a card is awaited the odds add to 1 and each card that has odds can come."""
    game = Game(position.rules, 1, position=position, explicit_chance=True)
    total = 0.0
    for card, odds in game.outcomes():
        twin = game.copy()
        twin.draw(card)
        assert not twin.awaits_card
        total += odds
    assert total == pytest.approx(1 if game.awaits_card else 0)


@pytest.mark.parametrize("spec", ["classic:players=3", *HAND_GAMES])
def test_opening_deals_by_outcomes(spec: str) -> None:
    """From an opening cards come by the odds of what is left: hands one card each in turn, then the first decides."""
    rules = RULE_SETS[spec]
    first, to_deal = rules.players - 1, rules.players * rules.hand_size or 1
    position, left = Position.opening(rules, first), dict(zip(CARDS, rules.deck_counts, strict=True))
    for k in range(to_deal):
        assert position.awaits_card
        assert position.legal_actions() == []
        assert position.mover == (first + k) % rules.players
        odds = {card: count / sum(left.values()) for card, count in left.items() if count}
        assert dict(position.outcomes()) == pytest.approx(odds)
        card = sorted(odds)[k % len(odds)]
        position, left = position.with_card(card), left | {card: left[card] - 1}
    assert position.mover == first
    assert position.legal_actions()
    assert position.pile() == left
    check(position, refused=2)


@pytest.mark.parametrize("spec", HAND_GAMES)
def test_unseen_cards_are_dealt_uniformly(spec: str) -> None:
    """`deal_unseen` fills unknown hands from the cards unseen, keeps what was known, and repeats by its generator."""
    for position in random_positions(RULE_SETS[spec], 3, 4):
        seen = position.seen_by(0)
        dealt = [seen.deal_unseen(np.random.default_rng(seed)) for seed in (1, 1, 2)]
        assert dealt[0] == dealt[1]
        for deal in dealt:
            check(deal, refused=2)
            assert deal.seen_by(0) == seen
        assert position.deal_unseen(np.random.default_rng(1)) == position


def test_unseen_cards_follow_the_odds() -> None:
    """A hidden card is each kind as often as the cards unseen have it, within five standard errors."""
    rules = "points:players=2,hand_size=1,pawns_out=0"
    seen, rng = Position.parse(f"{board('RY')} r 1/? 43200000001", rules), np.random.default_rng(5)
    count, dealt = 4000, Counter[str]()
    for _ in range(count):
        dealt.update(seen.deal_unseen(rng).hand(1))
    for card, share in {"1": 0.4, "2": 0.3, "3": 0.2, "X": 0.1}.items():
        assert abs(dealt[card] / count - share) < 5 * (share * (1 - share) / count) ** 0.5


def test_positions_are_their_own_copies() -> None:
    """A position cannot change, so copies of it, deep ones too, are itself."""
    position = Position.parse(START, "classic", players=2)
    assert copy.copy(position) is position
    assert copy.deepcopy({"a": [position]})["a"][0] is position


def test_stream_follows_the_odds() -> None:
    """The stream draws each card as often as its odds say."""
    drawn = []
    for seed in range(600):
        game = Game(position=f"{board('RY')} r - 10000000002", players=2, seed=seed, explicit_chance=True)
        drawn.append(game.draw())
    assert 150 < drawn.count("1") < 250
    assert drawn.count("1") + drawn.count("X") == 600


@pytest.mark.parametrize("spec", ["classic:players=2", "points", "team-points", "mini-2"])
@pytest.mark.parametrize("explicit", [False, True])
def test_undo(spec: str, explicit: bool) -> None:
    """Undo takes back one move with the cards after it, back to the first decision."""
    game = Game(spec, 5, explicit_chance=explicit)
    before = []
    rng = random.Random(1)
    for _ in range(30):
        while game.awaits_card:
            game.draw()
        if game.is_over:
            break
        before.append((str(game), game.num_plies))
        game.play(rng.choice(game.legal_moves()))
    while before:
        move = game.undo()
        text, plies = before.pop()
        assert (str(game), game.num_plies) == (text, plies)
        assert move in game.legal_moves()
    with pytest.raises(IllegalError, match="no move"):
        game.undo()


@pytest.mark.parametrize("spec", ["classic", "points"])
def test_copy_has_its_own_stream(spec: str) -> None:
    """A copy has position and history but never the cards to come, and neither moves the other."""
    game = Game(spec, 5)
    finish_some(game, 10)
    twin = game.copy(seed=1)
    assert (str(twin), twin.history, twin.rules) == (str(game), game.history, game.rules)
    before = str(game)
    finish(twin)
    assert str(game) == before
    assert len({tuple(cards_after(game.copy(seed))) for seed in range(5)}) == 5
    assert len({tuple(cards_after(game.copy())) for _ in range(3)}) == 3
    alone = Game(spec, 5)
    finish_some(alone, 10)
    assert cards_after(game.copy(7)) == cards_after(alone.copy(7))
    assert finish(game) == finish(alone)  # the copies took nothing from its stream


def finish_some(game: Game, plies: int) -> None:
    """Plays so many first legal moves."""
    for _ in range(plies):
        game.play(game.legal_actions()[0])


def cards_after(game: Game) -> list[str]:
    """What becomes visible over the next plies of first legal moves."""
    seen = []
    for _ in range(15):
        game.play(game.legal_actions()[0])
        seen.append(str(game))
    return seen


@pytest.mark.parametrize("spec", ["classic", "team-points", "mini-2"])
@pytest.mark.parametrize("how", ["pickle", "deepcopy"])
def test_saving_keeps_the_future(spec: str, how: str) -> None:
    """A pickled or deep-copied game, unlike a copy, goes on with the same cards, and shares nothing."""
    game = Game(spec, 6)
    finish_some(game, 8)
    again = pickle.loads(pickle.dumps(game)) if how == "pickle" else copy.deepcopy(game)
    assert again.history == game.history
    before = str(game)
    events = finish(again, 3)
    assert str(game) == before
    assert finish(game, 3) == events
    assert (again.points(), again.rewards(), again.winners) == (game.points(), game.rewards(), game.winners)
    assert (again.observation() == game.observation()).all()


def test_set_up_by_position() -> None:
    """A game may begin from a position or its text; one of other rules, or one that cannot be, is refused."""
    position = Position.parse(START, players=2)
    for start in (position, START):
        game = Game("classic", 1, players=2, position=start)
        assert game.position == position == game.start
        assert game.history == []
    awaiting = Game("classic", 1, players=2, position=f"{board('RY')} y - *")
    assert not awaiting.awaits_card
    assert [event[:4] for _, event in awaiting.history] == ["draw"]
    with pytest.raises(IllegalError, match=r"^position: "):
        Game("classic", 1, position=position)
    with pytest.raises(IllegalError, match=r"^PAWNS: "):
        Game("classic", 1, position=START)
    with pytest.raises(MalformedError, match=r"^position: "):
        Game("classic", 1, players=2, position="")
    over = Game("classic", 1, players=2, position=f"{board('RY', R='H,H,H,H')} r - *")
    assert over.is_over
    assert over.winners == (0,)
    assert over.rewards() == (1, -1)
    assert over.history == []


def test_first_player_and_options() -> None:
    """Options override the rules' fields; what makes no sense is refused."""
    game = Game("points", 1, players=3, first_player=2, hand_size=2)
    assert (game.rules.players, game.mover, game.rules.hand_size) == (3, 2, 2)
    assert all(len(game.position.hand(seat) or ()) == 2 for seat in range(3))
    with pytest.raises(RulesError, match=r"^first_player: "):
        Game("classic", 1, players=2, first_player=2)
    with pytest.raises(RulesError, match="no field 'colour'"):
        Game("classic", 1, colour="R")


@settings(max_examples=40)
@given(position=positions())
def test_mask_and_moves(position: Position) -> None:
    """Mask, ids and texts tell the same legal actions, and nothing where no decision is open."""
    game = Game(position.rules, 1, position=position, explicit_chance=True)
    mask = game.legal_mask()
    assert mask.dtype == np.int8
    assert mask.nonzero()[0].tolist() == game.legal_actions()
    assert len(game.legal_moves()) == mask.sum()
    assert bool(mask.any()) == (not game.is_over and not game.awaits_card)


def test_points_while_open() -> None:
    """Before the end nobody has the winner's part, and rewards are nothing."""
    game = Game(position="R:S,S,H,H/Y:S,H,H,H r 3 *", players=2, seed=1)
    assert game.points() == (10, 15)
    assert game.rewards() == (0, 0)
    assert game.winners == ()
