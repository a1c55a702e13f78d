"""Engine against reference, decision by decision: what each harness compares, for tests and for the long run.

A difference is a line of text that names rules, position and what differs; no line means agreement. The engine is asked
through its kernels and `notation.format_move`, not through `Position`, as this runs millions of times.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import reference as ref
from reference_rules import BASE, CARDS, ZONE, Location, next_seat
from strategies import reference_rules

from sorry_env.actions import Action, Use, action_table
from sorry_env.engine import kernels
from sorry_env.engine.packing import NUM_FIRST, Pack
from sorry_env.engine.parameters import (
    AGAIN,
    AWAITING,
    CARD,
    HANDS,
    IN_HAND,
    LEFT,
    MOST_ACTIONS,
    MOVER,
    NUM_ACTIONS,
    OVER,
    PAWNS,
    PILE,
    WIDTH,
    parameter_row,
)
from sorry_env.engine.rows import stream_rows
from sorry_env.notation import format_move, format_position, parse_position
from sorry_env.rules import rules_from

NUM_CARDS = len(CARDS)
# Location by colour and progress, told anew: Start, ring from the diamond to the entrance, zone, Home.
PLACES: dict[str, list[Location]] = {
    color: ["S", *((base + 3 + step) % 60 for step in range(60)), *ZONE, "H"] for color, base in BASE.items()
}


class Comparison:
    """One rules record told to both sides; gathers what differs.

    Args:
        spec: the rules as `rules_from` reads them.
        seed: of the choice of moves and of everything else that is random.
    """

    def __init__(self, spec: str, seed: int) -> None:
        self.spec = spec
        self.rules = rules_from(spec)
        self.told = reference_rules(self.rules)
        self.p = parameter_row(self.rules)
        self.table = action_table(self.rules.pawns, self.rules.teams)
        self.rng = random.Random(f"{spec} {seed}")
        self.stream = stream_rows(seed, 1)
        self.legal = np.empty((1, MOST_ACTIONS), np.int16)
        self.shown: list[tuple[np.ndarray, list[int]]] = []
        self.decisions = 0
        self.differences: list[str] = []

    def differ(self, state: ref.State, what: str) -> None:
        """Notes a difference."""
        self.differences.append(f"{self.spec}  {ref.format_state(state, self.told)}  {what}")

    # --- Runs ---

    def play_games(self, decisions: int) -> Comparison:
        """Compares at every ply of random games from the set-up."""
        while self.decisions < decisions:
            row = np.zeros((1, self.p[0, WIDTH]), np.int16)
            kernels.set_up_one(row, self.p, self.stream, 0, self.rng.randrange(self.rules.players))
            state = ref.parse(format_position(row[0].tolist(), self.rules), self.told)
            self.compare_set_up(row, state)
            self.play_on(row, state, decisions)
        self.compare_masks()
        return self

    def try_positions(self, decisions: int, plies: int = 2) -> Comparison:
        """Compares at random positions and for a few random plies from each."""
        while self.decisions < decisions:
            state = ref.random_position(self.told, self.rng)
            row = parse_position(ref.format_state(state, self.told), self.rules)
            self.play_on(row, state, self.decisions + plies)
        self.compare_masks()
        return self

    def play_on(self, row: np.ndarray, state: ref.State, decisions: int) -> None:
        """Plays on until the game ends, the two differ, or so many decisions have been compared."""
        found = len(self.differences)
        while not state.over and self.decisions < decisions and len(self.differences) == found:
            if row[0, CARD] == AWAITING:
                row, state = self.compare_chance(row, state)
            else:
                row, state = self.compare_decision(row, state)

    # --- Comparisons ---

    def compare_set_up(self, row: np.ndarray, state: ref.State) -> None:
        """A new game has the pawns and the number of cards that RULES 2.1 and 5.1 give it."""
        first = self.rules.colors.index(state.mover)
        fresh = ref.initial(self.told, first, self.rng)
        same = state.pawns == fresh.pawns and sum(state.pile.values()) == sum(fresh.pile.values())
        sizes = [len(hand or []) for hand in state.hands.values()]
        if not same or sizes != [len(hand or []) for hand in fresh.hands.values()] or row[0, OVER]:
            self.differ(state, "set-up")

    def compare_decision(self, row: np.ndarray, state: ref.State) -> tuple[np.ndarray, ref.State]:
        """Legal moves, and what each leads to; goes on with one of them."""
        self.decisions += 1
        if format_position(row[0].tolist(), self.rules) != ref.format_state(state, self.told):
            self.differ(state, f"engine writes {format_position(row[0].tolist(), self.rules)}")
        expected = ref.legal_moves(state, self.told)
        ids = self.legal[0, : kernels.legal_ids(row, self.p, 0, self.legal)].tolist()
        line = row[0].tolist()
        texts = [format_move(line, self.rules, action) for action in ids]
        self.note_mask(row, ids)
        if len(texts) != len(expected) or set(texts) != expected.keys():
            missing, extra = sorted(expected.keys() - set(texts)), sorted(set(texts) - expected.keys())
            self.differ(state, f"legal moves: engine lacks {missing}, has too many {extra}")
            return row, state
        for action, text in zip(ids, texts, strict=True):
            if spell(self.table[action], state, self.told) != text:
                self.differ(state, f"action {action} is {self.table[action]}, written {text}")
        after = np.repeat(row, len(ids), axis=0)
        for k, action in enumerate(ids):
            kernels.play_one(after, self.p, k, action)
        for k, values in enumerate(after.tolist()):
            if not self.is_same(values, expected[texts[k]]):
                self.differ(state, f"after {texts[k]}: engine has {format_position(values, self.rules)}")
            elif values[OVER]:
                self.compare_scores(after[k : k + 1], expected[texts[k]])
        k = self.rng.randrange(len(ids))
        return after[k : k + 1].copy(), expected[texts[k]]

    def compare_chance(self, row: np.ndarray, state: ref.State) -> tuple[np.ndarray, ref.State]:
        """Which cards may come, with what odds, and what each leads to; goes on with one of them."""
        expected, odds = ref.draw_outcomes(state, self.told), ref.draw_odds(state, self.told)
        pile = row.copy()
        kernels.reshuffle_one(pile, self.p, 0)
        total = int(pile[0, LEFT])
        got = {
            card: count / total for card, count in zip(CARDS, pile[0, PILE : PILE + NUM_CARDS].tolist(), strict=True)
        }
        got = {card: chance for card, chance in got.items() if chance}
        if got.keys() != odds.keys() or any(abs(got[card] - odds[card]) > 1e-12 for card in odds):
            self.differ(state, f"odds: engine {got}, reference {odds}")
            return row, state
        after = np.repeat(row, len(got), axis=0)
        for k, card in enumerate(got):
            kernels.receive_one(after, self.p, k, CARDS.index(card))
            if not self.is_same(after[k].tolist(), expected[card]):
                self.differ(state, f"after draw {card}: engine has {format_position(after[k].tolist(), self.rules)}")
        k = self.rng.choices(range(len(got)), list(got.values()))[0]
        return after[k : k + 1].copy(), expected[list(got)[k]]

    def compare_scores(self, row: np.ndarray, state: ref.State) -> None:
        """Points, rewards by both scorings, and winners of a finished game."""
        colors = self.rules.colors
        points, rewards = np.zeros((1, len(colors)), np.int64), np.zeros((1, len(colors)))
        kernels.points(row, self.p, points)
        expected = ref.points(state, self.told)
        if points[0].tolist() != [expected[color] for color in colors]:
            self.differ(state, f"points: engine {points[0].tolist()}, reference {expected}")
        kernels.final_rewards(row, self.p, False, rewards)
        by_win = ref.rewards(state, self.told)
        if np.abs(rewards[0] - [by_win[color] for color in colors]).max() > 1e-9:
            self.differ(state, f"rewards: engine {rewards[0].tolist()}, reference {by_win}")
        if {color for color, reward in zip(colors, rewards[0], strict=True) if reward > 0} != set(
            ref.winners(state, self.told)
        ):
            self.differ(state, f"winners: engine rewards {rewards[0].tolist()}")
        kernels.final_rewards(row, self.p, True, rewards)
        mean = sum(expected.values()) / len(colors)
        if np.abs(rewards[0] - [(expected[color] - mean) / 100 for color in colors]).max() > 1e-9:
            self.differ(state, f"rewards by points: engine {rewards[0].tolist()}, points {expected}")

    def is_same(self, values: list[int], state: ref.State) -> bool:
        """Whether a row tells the reference's state: pawns, mover, who is next, end, cards."""
        for seat, color in enumerate(self.rules.colors):
            at = PAWNS + 4 * seat
            places = PLACES[color]
            if [places[progress] for progress in values[at : at + self.rules.pawns]] != state.pawns[color]:
                return False
        mover = self.rules.colors[values[MOVER]]
        return (
            mover == state.mover
            and bool(values[OVER]) == state.over
            and values[PILE : PILE + NUM_CARDS] == list(state.pile.values())
            and (self.is_same_hand_game if self.rules.hand_size else self.is_same_draw_game)(values, mover, state)
        )

    def is_same_draw_game(self, values: list[int], mover: str, state: ref.State) -> bool:
        """The drawn card, and who decides next."""
        card = CARDS[values[CARD]] if values[CARD] >= 0 else None
        return card == state.card and mover == state.next_mover and values[CARD] >= AWAITING

    def is_same_hand_game(self, values: list[int], mover: str, state: ref.State) -> bool:
        """The hands, whether a refill is awaited, and who decides after it."""
        if state.over:
            following, card = mover, AWAITING
        elif sum(values[HANDS : HANDS + 4 * NUM_CARDS]) < self.rules.hand_size * self.rules.players:
            following, card = mover if values[AGAIN] else next_seat(mover, self.told), AWAITING
        else:
            following, card = mover, IN_HAND
        if following != state.next_mover or values[CARD] != card:
            return False
        for seat, color in enumerate(self.rules.colors):
            at = HANDS + NUM_CARDS * seat
            if values[at : at + NUM_CARDS] != card_counts(tuple(state.hands[color] or ())):
                return False
        return True

    def note_mask(self, row: np.ndarray, ids: list[int]) -> None:
        """Remembers a decision, to look at its mask with many others."""
        self.shown.append((row, ids))
        if len(self.shown) == 256:
            self.compare_masks()

    def compare_masks(self) -> None:
        """The masks, counts and first ids that the batch kernel shows are those of the legal ids."""
        if not self.shown:
            return
        S = np.concatenate([row for row, _ in self.shown])
        size = len(S)
        masks, counts = np.zeros((size, self.p[0, NUM_ACTIONS]), np.int8), np.zeros(size, np.int64)
        look, status, plies = np.full(size, kernels.LOOK), np.zeros(size, np.int8), np.zeros(size, np.int64)
        firsts = np.zeros((size, NUM_FIRST), np.int16)
        seen, R = np.zeros((size, 0), np.uint8), stream_rows(0, size)
        pack = Pack(S, R, self.p, look, status, plies, masks, counts, firsts, seen, max_plies=1, auto_forced=False)
        pack.bind(kernels.advance)(kernels.EACH)
        for e, (row, ids) in enumerate(self.shown):
            first = ids[:NUM_FIRST]
            is_shown = masks[e].nonzero()[0].tolist() == ids and firsts[e, : len(first)].tolist() == first
            if not is_shown or counts[e] != len(ids) or (S[e] != row[0]).any():
                text = format_position(row[0].tolist(), self.rules)
                self.differences.append(f"{self.spec}  {text}  mask: {masks[e].nonzero()[0].tolist()}, legal {ids}")
        self.shown.clear()


@lru_cache(maxsize=4096)
def card_counts(hand: tuple[str, ...]) -> list[int]:
    """How many of each card a hand holds."""
    return [hand.count(card) for card in CARDS]


def spell(action: Action, state: ref.State, rules: ref.RefRules) -> str:
    """The move (RULES 8.3) that an action's documented meaning gives in a state: see `actions.Use`."""
    if action.use == Use.PASS:
        return "pass"
    card = CARDS[action.card]
    if action.use == Use.DISCARD:
        return f"discard {card}"
    seat = rules.colors.index(state.mover)
    side = action.first if action.use in (Use.START, Use.REPLACE) else action.first // rules.pawns
    color = rules.colors[(seat + 2 * side) % rules.players]
    sign = color if side else ""
    if action.use == Use.START:
        return f"{card}:{sign}S>{BASE[color] + 4}"
    if action.use == Use.STEP:
        return f"{card}:{_step(action.first, action.steps, state, rules)}"
    if action.use == Use.SPLIT:
        first = _step(action.first, action.steps, state, rules)
        return f"{card}:{first},{_step(action.second, 7 - action.steps, state, rules)}"
    away, slot = divmod(action.second, rules.pawns)
    target = state.pawns[rules.colors[(seat + away) % rules.players]][slot]
    if action.use == Use.REPLACE:
        return f"{card}:{sign}S>{target}"
    return f"{card}:{sign}{state.pawns[color][action.first % rules.pawns]}<>{target}"


def _step(pawn: int, steps: int, state: ref.State, rules: ref.RefRules) -> str:
    """A step of the mover's (or his partner's) pawn in this slot."""
    side, slot = divmod(pawn, rules.pawns)
    color = rules.colors[(rules.colors.index(state.mover) + 2 * side) % rules.players]
    place = state.pawns[color][slot]
    at = PLACES[color].index(place) + steps
    return f"{color if side else ''}{place}>{PLACES[color][at if at >= 1 else at + 60]}"


Task = tuple[str, str, int, int]  # rules, "games" or "positions", seed, decisions


def run_task(task: Task) -> tuple[int, list[str]]:
    """One share of a run: how many decisions were compared, and what differed."""
    spec, kind, seed, decisions = task
    comparison = Comparison(spec, seed)
    if kind == "games":
        comparison.play_games(decisions)
    else:
        comparison.try_positions(decisions)
    return comparison.decisions, comparison.differences


def weight(spec: str) -> float:
    """Decisions of a rule set in an even run: fewer where each has more legal moves, so that all take about as long."""
    rules = rules_from(spec)
    return (0.4 if rules.hand_size else 1.0) * (0.5 if rules.teams else 1.0)


def tasks(specs: Iterable[str], decisions: int, share: int, seed: int = 0) -> list[Task]:
    """Shares of about `share` decisions, games and positions of all rule sets in turn, `decisions` in all."""
    weights = {spec: weight(spec) for spec in specs}
    rounds = max(1, round(decisions / (2 * share * len(weights))))
    unit = decisions / (2 * rounds * sum(weights.values()))
    return [
        (spec, kind, seed + k, math.ceil(unit * weights[spec]))
        for k in range(rounds)
        for spec in weights
        for kind in ("games", "positions")
    ]
