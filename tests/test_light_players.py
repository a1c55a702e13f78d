"""Race and solitaire: choices against a slow search, the table of turns against the real game, what they may know."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from playing import after_compiled, ask, distance
from strategies import RULE_SETS, SPECS, random_positions

from agents.evaluation import evaluate
from agents.matches import table_rules
from sorry_env import Batch, load_player
from sorry_env.board import CIRCLE, HOME, START, format_location, parse_location
from sorry_env.cards import CARDS, DECKS, NUM_CARDS
from sorry_env.engine import kernels
from sorry_env.engine.parameters import HANDS, LEFT, MOVER, PILE, parameter_row
from sorry_env.engine.solitaire import card_odds, turns_to_home
from sorry_env.engine.weights import CAUTION, weight_rows
from sorry_env.players import Player, RacePlayer, SolitairePlayer
from sorry_env.position import Position, Positions
from sorry_env.rules import Rules, rules_from

Value = Callable[[Position, int], float]
CLOSE = 1e-7


# --- The table of turns ---


def lone_rules(rules: Rules, colors: str = "RY") -> Rules:
    """The same rules for two colours of one pawn each in a draw game."""
    changes = {"teams": False, "swap_partner": False, "hand_size": 0, "pawns": 1, "first_player": "random"}
    return rules.with_options(players=2, colors=colors, **changes)


@pytest.mark.parametrize("spec", SPECS)
def test_turns_satisfy_the_equation_of_the_real_game(spec: str) -> None:
    """A turn costs one, less where a 2 goes on, plus the least table entry over the real moves of a lone pawn."""
    rules = lone_rules(RULE_SETS[spec])
    turns, odds = turns_to_home(rules), card_odds(rules)
    assert turns[HOME] == 0
    for place in range(HOME):
        if place == START and not rules.start_cards:
            continue  # there a lone pawn can never leave
        expected = 0.0
        for card, chance in zip(CARDS, odds, strict=True):
            position = Position.parse(f"R:{format_location(0, place)}/Y:S r {card} *", rules)
            after = [position.after(action).pawns(0)[0] for action in position.legal_actions()]
            is_free = card == "2" and rules.two_draws_again
            expected += chance * (min(turns[parse_location(0, text)] for text in after) + (not is_free))
        assert turns[place] == pytest.approx(expected, abs=CLOSE)


def turns_of_deck(monkeypatch: pytest.MonkeyPatch, deck: dict[str, int], **options: bool) -> list[float]:
    """The table for a deck that no rule set has."""
    monkeypatch.setitem(DECKS, "55", tuple(deck.get(card, 0) for card in CARDS))
    turns: list[float] = turns_to_home.__wrapped__(rules_from("classic:deck=55", **options)).tolist()
    return turns


def test_a_deck_of_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """One turn to the circle, then 64 squares, of which three slides of 3 and three of 4 save 21."""
    turns = turns_of_deck(monkeypatch, {"1": 1})
    assert turns[START] == pytest.approx(1 + 64 - 3 * (3 + 4))
    assert turns[HOME - 5 : HOME] == pytest.approx([5, 4, 3, 2, 1])


def test_the_last_square(monkeypatch: pytest.MonkeyPatch) -> None:
    """On s4 a pawn waits for a 1; what a 2 draws again costs no turn; a 4 takes it back."""
    assert turns_of_deck(monkeypatch, {"1": 1, "3": 3})[HOME - 1] == pytest.approx(4)
    assert turns_of_deck(monkeypatch, {"1": 1, "2": 3})[HOME - 1] == pytest.approx(1)
    assert turns_of_deck(monkeypatch, {"1": 1, "2": 3}, two_draws_again=False)[HOME - 1] == pytest.approx(4)
    assert turns_of_deck(monkeypatch, {"1": 3, "4": 1})[HOME - 1] > 4 / 3


def test_where_only_sorry_starts() -> None:
    """Where no card starts a pawn, Start is worth a wait for a Sorry!: a number, more than any other place's."""
    turns = turns_to_home(rules_from("classic:start_cards=,pawns_out=1"))
    assert turns[START] == pytest.approx((1 - 4 / 45) / (4 / 45) + turns[CIRCLE])
    assert np.isfinite(turns).all()
    assert turns.argmax() == START


# --- Choices ---


def opposing_seats(rules: Rules, seat: int) -> list[int]:
    """Seats that play against `seat`."""
    return [other for other in range(rules.players) if other != seat and not (rules.teams and (other - seat) % 2 == 0)]


def less_mean_of_others(position: Position, mover: int, own: Value, others: Value) -> float:
    """The total of the mover's side less the mean over the opposing sides."""
    rules = position.rules
    against = opposing_seats(rules, mover)
    side = [seat for seat in range(rules.players) if seat not in against]
    num_sides = 1 if rules.teams else len(against)
    return sum(own(position, seat) for seat in side) - sum(others(position, seat) for seat in against) / num_sides


def race_value(position: Position, mover: int) -> float:
    """What race wants least."""
    return less_mean_of_others(position, mover, distance, distance)


def turns_of(position: Position, seat: int) -> float:
    """Turns that a seat's pawns need, each alone."""
    table, color = turns_to_home(position.rules), position.rules.color_ids[seat]
    return float(sum(table[parse_location(color, place)] for place in position.pawns(seat)))


@cache
def odds_of_bump(rules: Rules, color: str, place: str, target: str, square: str) -> float:
    """Odds that a pawn of `color` at `place`, alone against one of `target` on `square`, bumps it with its next card.

    Told by the game itself; exchanges are left out.
    """
    lone = lone_rules(rules, color + target)
    total = 0.0
    for card, odds in zip(CARDS, card_odds(rules), strict=True):
        fields = {color: place, target: square}
        pawns = "/".join(f"{letter}:{fields[letter]}" for letter in lone.colors)
        position = Position.parse(f"{pawns} {color.lower()} {card} *", lone)
        seat = lone.colors.index(target)
        moves = [move for move in position.legal_moves() if "<>" not in move]
        total += odds * any(position.after(move).pawns(seat) == ("S",) for move in moves)
    return total


def turns_at_risk(position: Position, seat: int) -> float:
    """As `turns_of`, with what each pawn on the ring would lose by a bump times the odds of one."""
    rules, table = position.rules, turns_to_home(position.rules)
    total = turns_of(position, seat)
    for square in filter(str.isdigit, position.pawns(seat)):
        odds = 0.0
        for other in opposing_seats(rules, seat):
            places = [place for place in position.pawns(other) if place not in ("S", "H")]
            places += ["S"] * ("S" in position.pawns(other))
            odds += sum(odds_of_bump(rules, rules.colors[other], place, rules.colors[seat], square) for place in places)
        total += CAUTION * odds * float(table[START] - table[parse_location(rules.color_ids[seat], square)])
    return total


def solitaire_value(position: Position, mover: int) -> float:
    """What solitaire wants least."""
    return less_mean_of_others(position, mover, turns_at_risk, turns_of)


def best_by_brute_force(position: Position, value: Value) -> set[int]:
    """The legal actions of least value, by a slow search over `Position.after`."""
    values = {action: value(position.after(action), position.mover) for action in position.legal_actions()}
    return {action for action, reached in values.items() if reached <= min(values.values()) + CLOSE}


def check_choices(player: Player, value: Value, rules: Rules, seed: int, count: int) -> None:
    """In random positions the player chooses what a slow search finds best, asked and, but for 2s, compiled."""
    for position in random_positions(rules, seed, count):
        best = best_by_brute_force(position, value)
        assert set(ask(player, position, 20).tolist()) <= best, position
        if "2" not in (position.card, *(position.hand(position.mover) or ())):
            reached = {position.after(action).pawns_text() for action in best}
            assert set(after_compiled(player, position, 20)) <= reached, position


@pytest.mark.parametrize("spec", SPECS)
def test_race_chooses_as_a_slow_search(spec: str) -> None:
    """Race takes a move of least own distance less the opposing sides' mean."""
    check_choices(RacePlayer(), race_value, RULE_SETS[spec], 11, 12)


@pytest.mark.parametrize("spec", SPECS)
def test_solitaire_chooses_as_a_slow_search(spec: str) -> None:
    """Solitaire takes a move of least turns and risk, less the opposing sides' mean turns; bumps told by the game."""
    check_choices(SolitairePlayer(), solitaire_value, RULE_SETS[spec], 12, 4)


def test_ties_at_random() -> None:
    """Moves that leave equal positions behind, such as the two orders of a split, are both taken."""
    position = Position.parse("R:S,S,10,20/Y:S,S,S,S r 7 *", "classic", players=2)
    orders = {position.parse_move(text) for text in ("7:10>11,20>26", "7:20>26,10>11")}
    for player, value in ((RacePlayer(), race_value), (SolitairePlayer(), solitaire_value)):
        best = best_by_brute_force(position, value)
        assert len(best) > 1
        assert set(ask(player, position, 400).tolist()) == best
    assert orders <= set(position.legal_actions())


EXAMPLES = [
    ("greedy", "R:S,S,S,10/Y:S,S,S,20 r 11 *", "11:10>21"),
    ("race", "R:S,S,S,10/Y:S,S,S,20 r 11 *", "11:10<>20"),
    ("race", "R:S,S,20,40/Y:S,S,S,45 r 5 *", "5:40>45"),
    ("solitaire", "R:S,S,S,4/Y:S,S,S,S r 4 *", "4:4>0"),
    ("solitaire", "R:S,S,s4,4/Y:S,S,S,S r 1 *", "1:s4>H"),
]


@pytest.mark.parametrize(("spec", "text", "move"), EXAMPLES)
def test_examples(spec: str, text: str, move: str) -> None:
    """What each player plays in positions that tell them apart."""
    position = Position.parse(text, "classic", players=2)
    chosen = set(ask(load_player(spec), position, 50).tolist())
    assert chosen == {position.parse_move(move)}


# --- What they may know ---


def redealt(rows: np.ndarray, rules: Rules, rng: np.random.Generator) -> np.ndarray:
    """The rows with all cards that the mover cannot see dealt anew; in the draw game with any cards in the pile."""
    changed = rows.copy()
    if not rules.hand_size:
        changed[:, PILE : PILE + NUM_CARDS] = rng.integers(0, 5, (len(rows), NUM_CARDS))
        changed[:, LEFT] = changed[:, PILE : PILE + NUM_CARDS].sum(axis=1)
        return changed
    for row in changed:
        others = [seat for seat in range(rules.players) if seat != row[MOVER]]
        slices = [slice(PILE, PILE + NUM_CARDS)]
        slices += [slice(HANDS + NUM_CARDS * seat, HANDS + NUM_CARDS * (seat + 1)) for seat in others]
        cards = rng.permutation(np.repeat(np.arange(NUM_CARDS), sum(row[part] for part in slices)))
        sizes = [int(row[part].sum()) for part in slices]
        for part, dealt in zip(slices, np.split(cards, np.cumsum(sizes)[:-1]), strict=True):
            row[part] = np.bincount(dealt, minlength=NUM_CARDS)
        row[LEFT] = row[PILE : PILE + NUM_CARDS].sum()
    return changed


@pytest.mark.parametrize("name", ["race", "solitaire"])
@pytest.mark.parametrize("spec", ["points", "team-points", "classic", "edition-2013:players=3,hand_size=3"])
def test_hidden_cards_do_not_matter(spec: str, name: str) -> None:
    """Other hands and the pile dealt anew change no choice, asked or by the compiled rule on whole rows."""
    player = load_player(name, rules_from(spec))
    batch = Batch(spec, 300, 1)
    batch.reset()
    rng = np.random.default_rng(1)
    for _ in range(25):
        batch.step(batch.sample())
    rows, p = batch.states[batch.is_open], parameter_row(batch.rules)
    assert len(rows) > 100
    changed = redealt(rows, batch.rules, rng)
    assert (changed != rows).any(axis=1).mean() > 0.9
    seen = batch.observations[batch.is_open], batch.masks[batch.is_open]
    asked = [player.act(*seen, np.random.default_rng(2), Positions(batch.rules, each)) for each in (rows, changed)]
    assert (asked[0] == asked[1]).all()
    weights = weight_rows(batch.rules)[vars(type(player))["compiled_as"] - kernels.GREEDY, None]
    for each in (rows, changed):
        chosen = np.empty(len(rows), np.int64)
        kernels.choose_best(each, p, weights, np.random.default_rng(2).random(len(rows)), chosen)
        assert (chosen == asked[0]).all()


# --- Strength ---

STRENGTH = [
    ("race", "random", "classic", 2, 0.70, 0.80),
    ("race", "greedy", "classic", 2, 0.515, 0.60),
    ("solitaire", "greedy", "classic", 2, 0.66, 0.78),
    ("solitaire", "race", "classic", 2, 0.61, 0.73),
    ("solitaire", "greedy", "classic", 4, 0.36, 0.54),
    ("solitaire", "race", "teams", 4, 0.74, 0.88),
    ("solitaire", "race", "points", 2, 0.53, 0.66),
]


@pytest.mark.parametrize(("one", "other", "rules", "players", "low", "high"), STRENGTH)
def test_strength(one: str, other: str, rules: str, players: int, low: float, high: float) -> None:
    """Each wins as often as measured, within bounds that a wrong sign or a lost term would leave."""
    scores = evaluate([one, other], table_rules(rules, players), 2000, 1)
    rate = next(score.win_rate for score in scores if score.player == one)
    assert low < rate < high
