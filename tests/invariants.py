"""What holds of every position (RULES 1 to 6, 8): one checker, called by every harness at every state."""

from __future__ import annotations

import random

import numpy as np

from sorry_env.actions import SEATS, Use, action_table, num_actions
from sorry_env.board import CIRCLE, ENTRANCE, HOME, SIDE, START
from sorry_env.cards import CARDS, NUM_CARDS
from sorry_env.engine import kernels
from sorry_env.engine.parameters import (
    AGAIN,
    AWAITING,
    CARD,
    HANDS,
    IN_HAND,
    LEFT,
    MOVER,
    NUM_FEATURES,
    OVER,
    PAWNS,
    PILE,
    UNKNOWN,
    parameter_row,
)
from sorry_env.errors import IllegalError
from sorry_env.game import Game
from sorry_env.observation import by_name, count_units, observation_layout
from sorry_env.position import Position
from sorry_env.rules import Rules


def check(position: Position, refused: int | None = 12) -> None:
    """Asserts all invariants of a position and of every position that a legal action or a card leads to.

    Args:
        position: any position.
        refused: how many illegal action ids must be refused, a sample that depends on the position; None: all of them.
    """
    check_state(position)
    if position.is_over or position.awaits_card:
        assert position.legal_actions() == []
    elif position.hand(position.mover) is not None:
        check_decision(position, refused)
    check_chance(position)


def check_state(position: Position) -> None:
    """Asserts what holds of a position by itself."""
    check_pawns(position)
    check_cards(position)
    check_end(position)
    check_text(position)


def check_pawns(position: Position) -> None:
    """Pawns kept, slots sorted, unused ones at Home; none on one ring square, none of a colour on one zone square."""
    rules, row = position.rules, position.row[0].tolist()
    assert 0 <= row[MOVER] < rules.players
    ring: list[int] = []
    for seat in range(rules.players):
        slots = row[PAWNS + SEATS * seat : PAWNS + SEATS * (seat + 1)]
        assert slots == sorted(slots)
        assert slots[rules.pawns :] == [HOME] * (SEATS - rules.pawns)
        assert all(START <= progress <= HOME for progress in slots)
        zone = [progress for progress in slots if ENTRANCE < progress < HOME]
        assert len(set(zone)) == len(zone)
        ring += [
            (SIDE * rules.color_ids[seat] + CIRCLE + progress) % 60
            for progress in slots
            if START < progress <= ENTRANCE
        ]
    assert len(set(ring)) == len(ring), f"two pawns on a square in {position}"


def hidden_cards(position: Position) -> int:
    """How many cards lie in unknown hands."""
    rules = position.rules
    return sum(rules.hand_size for seat in range(rules.players) if position.hand(seat) is None)


def known_cards(position: Position) -> np.ndarray:
    """How many of each kind the drawn card and the known hands hold: int64 (11,)."""
    shown = [position.card] if position.card else []
    shown += [card for seat in range(position.rules.players) for card in position.hand(seat) or ()]
    return np.array([shown.count(card) for card in CARDS])


def discards(position: Position) -> np.ndarray:
    """How many of each kind lie on the discards: int64 (11,)."""
    pile: np.ndarray = position.row[0, PILE : PILE + NUM_CARDS]
    left: np.ndarray = np.array(position.rules.deck_counts) - pile - known_cards(position)
    return left


def check_cards(position: Position) -> None:
    """No card is in two places: pile, hands, drawn card and discards are the deck; unseen cards and discards add up."""
    rules, row = position.rules, position.row[0]
    pile = row[PILE : PILE + NUM_CARDS]
    assert row[LEFT] == pile.sum()
    assert pile.min() >= 0
    assert row[LEFT] >= hidden_cards(position)
    if rules.deck == "replacement":
        assert pile.tolist() == list(rules.deck_counts)
        return
    assert discards(position).min() >= 0, f"more of a card than the deck has in {position}"
    for seat in range(rules.players):
        hand = position.hand(seat)
        short = seat == position.mover and row[CARD] == AWAITING
        assert hand is None or len(hand) == rules.hand_size - (short and rules.hand_size > 0)
    check_unseen(position)


def check_unseen(position: Position) -> None:
    """In each seat's eyes the unseen cards, the discards, its hand and the drawn card are the deck."""
    rules, p = position.rules, parameter_row(position.rules)
    at = by_name(observation_layout(rules))
    seen = np.zeros((1, p[0, NUM_FEATURES]), np.uint8)
    for seat in range(rules.players):
        kernels.observe(position.row, p, np.array([seat]), seen, count_units())
        total = seen[0, at["unseen"]] + seen[0, at["hand"]] + seen[0, at["card"]] + discards(position)
        assert total.tolist() == list(rules.deck_counts)
        assert int(seen[0, at["pile_size"]][0]) == position.row[0, LEFT] - hidden_cards(position)


def check_end(position: Position) -> None:
    """The game is over exactly when all pawns of the mover's side are Home (RULES 2.3, 6.2), and says who decides."""
    rules, row = position.rules, position.row[0]
    home = [set(position.pawns(seat)) == {"H"} for seat in range(rules.players)]
    if rules.teams:
        home = [home[seat] and home[(seat + 2) % SEATS] for seat in range(SEATS)]
    side = {position.mover, (position.mover + 2) % SEATS} if rules.teams else {position.mover}
    assert position.is_over == home[position.mover]
    assert not any(won for seat, won in enumerate(home) if seat not in side)
    assert position.winners == (tuple(sorted(side)) if position.is_over else ())
    if position.is_over:
        assert row[CARD] == AWAITING
    elif rules.hand_size:
        assert row[CARD] in (AWAITING, IN_HAND)
    else:
        assert row[CARD] == AWAITING or 0 <= row[CARD] < NUM_CARDS
    assert row[AGAIN] in (0, 1)
    assert not (row[AGAIN] and (row[CARD] != AWAITING or position.is_over or not rules.hand_size))


def check_text(position: Position) -> None:
    """Its text reads back as itself (RULES 8), down to the row, but for whether a 2 was played (8.2 does not tell)."""
    again = Position.parse(str(position), position.rules)
    assert again == position
    assert str(again) == str(position)
    row = position.row.copy()
    row[0, AGAIN] = 0
    assert (again.row == row).all()


def check_decision(position: Position, refused: int | None) -> None:
    """Legal actions: at least one, each applies, `pass` and discards only where allowed, and no other id."""
    rules = position.rules
    table = action_table(rules.pawns, rules.teams)
    legal, moves = position.legal_actions(), position.legal_moves()
    assert legal, f"no legal action in {position}"
    assert legal == sorted(set(legal))
    assert len(set(moves)) == len(moves)
    assert [position.parse_move(move) for move in moves] == legal
    uses = {table[action].use for action in legal}
    # 3.4, 3.9, 5.3: only where nothing but an exchange is possible may the card be forfeited, and then it may always.
    idle = {Use.DISCARD if rules.hand_size else Use.PASS}
    assert bool(uses & {Use.PASS, Use.DISCARD}) == (uses <= {Use.EXCHANGE} | idle)
    assert not uses & ({Use.PASS, Use.DISCARD} - idle)
    for action in legal:
        check_play(position, position.after(action), table[action].card)
    for action in illegal_ids(position, legal, refused):
        try:
            position.after(action)
        except IllegalError:
            continue
        raise AssertionError(f"illegal action {action} was played in {position}")


def check_play(before: Position, after: Position, card: int) -> None:
    """The position after a play is sound, and the card played, no other, has gone to the discards (RULES 3.2)."""
    check_state(after)
    if before.card is not None:
        card = CARDS.index(before.card)
    assert (before.row[0, PILE : PILE + NUM_CARDS] == after.row[0, PILE : PILE + NUM_CARDS]).all()
    if before.rules.deck != "replacement":
        gone = discards(after) - discards(before)
        assert gone[card] == 1
        assert gone.sum() == np.abs(gone).sum() == 1
    assert after.is_over or after.awaits_card


def illegal_ids(position: Position, legal: list[int], count: int | None) -> list[int]:
    """Illegal ids, out of range ones too: all, or a sample with the neighbours of the legal ids."""
    size = num_actions(position.rules.pawns, position.rules.teams)
    others = sorted(set(range(-1, size + 1)) - set(legal))
    if count is None:
        return others
    near = [action for action in others if action - 1 in legal or action + 1 in legal]
    rng = random.Random(str(position))
    return rng.sample(near, min(count // 2, len(near))) + rng.sample(others, min(count - count // 2, len(others)))


def check_chance(position: Position) -> None:
    """The odds of the awaited card are positive and add to 1, every card that may come does, and no other can."""
    outcomes = position.outcomes()
    if not position.awaits_card:
        assert outcomes == []
        return
    assert abs(sum(odds for _, odds in outcomes) - 1) < 1e-9
    assert all(odds > 0 for _, odds in outcomes)
    possible = [card for card, _ in outcomes]
    assert possible == sorted(set(possible), key=CARDS.index)
    for card in possible:
        after = position.with_card(card)
        check_state(after)
        assert not after.awaits_card
        assert (after.row[0, PAWNS : PAWNS + SEATS * SEATS] == position.row[0, PAWNS : PAWNS + SEATS * SEATS]).all()


# --- Games for harnesses ---


def play_random(rules: Rules, seed: int, max_plies: int = 5_000) -> Game:
    """A game of uniformly random moves."""
    rng = random.Random(seed)
    game = Game(rules, seed)
    while not game.is_over and game.num_plies < max_plies:
        game.play(rng.choice(game.legal_actions()))
    return game


# --- The same for a batch of rows, as far as arrays can tell ---


class BatchCheck:
    """Checks rows of open and finished games of one rules record, as `kernels.advance` leaves them.

    Args:
        rules: the rules record.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        table = action_table(rules.pawns, rules.teams)
        self.is_exchange = np.array([action.use == Use.EXCHANGE for action in table])
        self.is_idle = np.array([action.use in (Use.PASS, Use.DISCARD) for action in table])
        self.pass_id = len(table) - 1
        self.discard_ids = np.array([action.use == Use.DISCARD for action in table])
        self.bases = np.array(rules.color_ids)[:, None] * SIDE + CIRCLE
        self.deck = np.array(rules.deck_counts)

    def __call__(self, S: np.ndarray, is_open: np.ndarray, masks: np.ndarray, counts: np.ndarray) -> None:
        """Asserts the invariants of rows int16 (B, W), where `is_open` says which await a decision."""
        self._pawns(S)
        self._cards(S, is_open)
        self._masks(S, is_open, masks, counts)

    def _pawns(self, S: np.ndarray) -> None:
        rules = self.rules
        pawns = S[:, PAWNS : PAWNS + SEATS * rules.players].reshape(len(S), rules.players, SEATS)
        assert (pawns >= START).all()
        assert (pawns <= HOME).all()
        assert (pawns[:, :, rules.pawns :] == HOME).all()
        rising = np.diff(pawns)
        assert (rising >= 0).all()
        together = (rising == 0) & (pawns[:, :, 1:] != START) & (pawns[:, :, 1:] != HOME)
        assert not together.any()
        on_ring = (pawns > START) & (pawns <= ENTRANCE)
        square = np.where(on_ring, (pawns + self.bases) % 60, 100 + np.arange(rules.players * SEATS).reshape(-1, SEATS))
        square = np.sort(square.reshape(len(S), -1))
        assert (np.diff(square) > 0).all()
        assert ((S[:, MOVER] >= 0) & (S[:, MOVER] < rules.players)).all()
        home = (pawns == HOME).all(axis=2)
        if rules.teams:
            home &= home[:, [2, 3, 0, 1]]
        assert (home[np.arange(len(S)), S[:, MOVER]] == (S[:, OVER] == 1)).all()
        assert (home.sum(axis=1) == S[:, OVER] * (1 + rules.teams)).all()

    def _cards(self, S: np.ndarray, is_open: np.ndarray) -> None:
        pile = S[:, PILE : PILE + NUM_CARDS]
        assert (pile >= 0).all()
        assert (pile.sum(axis=1) == S[:, LEFT]).all()
        if self.rules.deck == "replacement":
            assert (pile == self.deck).all()
        if not self.rules.hand_size:
            assert ((S[:, CARD] >= 0) == is_open).all()
            assert ((S[:, CARD] == AWAITING) == (S[:, OVER] == 1)).all()
            shown = S[:, CARD, None] == np.arange(NUM_CARDS)
            assert self.rules.deck == "replacement" or (pile + shown <= self.deck).all()
            return
        hands = S[:, HANDS:].reshape(len(S), SEATS, NUM_CARDS)
        assert (hands != UNKNOWN).all()
        assert (hands >= 0).all()
        assert (pile + hands.sum(axis=1) <= self.deck).all()
        sizes = np.where(np.arange(SEATS) < self.rules.players, self.rules.hand_size, 0) * np.ones((len(S), 1), int)
        sizes[np.arange(len(S)), S[:, MOVER]] -= S[:, OVER]
        assert (hands.sum(axis=2) == sizes).all()
        assert (S[:, CARD] == np.where(S[:, OVER] == 1, AWAITING, IN_HAND)).all()

    def _masks(self, S: np.ndarray, is_open: np.ndarray, masks: np.ndarray, counts: np.ndarray) -> None:
        """A mask is empty just where no decision is open; idling is allowed just where only exchanges are possible."""
        assert (is_open == (S[:, OVER] == 0)).all()
        assert (masks.sum(axis=1) == counts).all()
        assert ((counts > 0) == is_open).all()
        legal = masks.astype(bool)
        obliged = (legal & ~self.is_exchange & ~self.is_idle).any(axis=1)
        assert ((legal & self.is_idle).any(axis=1) == (is_open & ~obliged)).all()
        if self.rules.hand_size:
            assert not legal[:, self.pass_id].any()
            held = S[:, HANDS:].reshape(len(S), SEATS, NUM_CARDS)[np.arange(len(S)), S[:, MOVER]] > 0
            idle = (is_open & ~obliged)[:, None]
            assert (legal[:, self.discard_ids] == (held & idle)).all()
        else:
            assert not legal[:, self.discard_ids].any()
