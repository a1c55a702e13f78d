"""Compiled entry points: loops over the games of a batch around the rules. B 1 serves single games.

Arrays: S int16 (B, W) game rows, R int64 (B, 4) streams, p int16 (1, *) parameters, masks int8 (B, A), observations
float32 or uint8 (B, F), units (1, 2) their scales. All are written in place. Kernels that take `address` and `kind` get
all that a batch's step works on from a `packing.Pack`, by its `bind`.
"""

# mypy: disable-error-code="no-untyped-def"
# Rows are lists, arrays or pointers: what they are is numba's to infer.

from __future__ import annotations

from typing import Final

import numpy as np

from sorry_env.cards import NUM_CARDS
from sorry_env.engine.choosing import best_action
from sorry_env.engine.dealing import draw, receive, reshuffle_if_empty, sample_card, set_up
from sorry_env.engine.encoding import hide_hand, write_observation, write_points, write_rewards, write_state
from sorry_env.engine.legal import legal_actions
from sorry_env.engine.packing import NUM_FIRST, unpack
from sorry_env.engine.parameters import (
    AWAITING,
    CARD,
    HAND_SIZE,
    HANDS,
    MOST_ACTIONS,
    MOVER,
    NUM_ACTIONS,
    OVER,
    PLAYERS,
)
from sorry_env.engine.playing import copy_row, play, play_on_copy
from sorry_env.engine.rows import CHOICE_STREAM, below, keep, kernel, next_number, once, row, rule

OPEN: Final = 0
TERMINATED: Final = 1
TRUNCATED: Final = 2
NEW: Final = 3  # to be set up by the next call, its first player in `counts` (-1: drawn)
SKIP: Final = -3
LOOK: Final = -1001  # far from ids that a user may get wrong by one
EACH: Final = -1002  # each game has its own action
MOST_GAMES_A_STEP: Final = 1000
NOBODY: Final = 0  # who plays a seat in compiled code
RANDOM: Final = 1
GREEDY: Final = 2  # from here on by the rows of `weights.weight_rows`, in their order
RACE: Final = 3
SOLITAIRE: Final = 4


@once
def run_on(s, p, r, action, legal, status, plies, counts, e, max_plies, auto_forced):
    """Plays `action` (LOOK: nothing) in game e, which is open or NEW, and runs on to its next open decision.

    Draws the awaited cards and, with `auto_forced`, plays forced plies. Leaves the legal ids in `legal`.
    """
    if status[e] == NEW:
        set_up(s, p, r, counts[e])
        status[e] = OPEN
        plies[e] = 0
        action = LOOK
    while True:
        if action >= 0:
            play(s, p, action)
            plies[e] += 1
        if s[OVER]:
            status[e] = TERMINATED
        elif plies[e] >= max_plies:
            status[e] = TRUNCATED
        counts[e] = 0
        if s[CARD] == AWAITING and not s[OVER]:
            draw(s, p, r)
        if status[e] != OPEN:
            return
        counts[e] = legal_actions(s, p, legal)
        if counts[e] > 1 or not auto_forced:
            return
        action = legal[0]


@rule
def first_illegal(actions, status, masks):
    """Index of the first open game whose action is neither legal nor a code; -1 where there is none."""
    for e in range(len(actions)):
        action = actions[e]
        is_code = action == SKIP or action == LOOK
        if status[e] == OPEN and not is_code and (action < 0 or action >= masks.shape[1] or masks[e, action] == 0):
            return e
    return -1


@once
def is_left_alone(action, status):
    """Whether a game keeps as it is: told so, or ended."""
    return action == SKIP or status == TERMINATED or status == TRUNCATED


@once
def keep_first(legal, first):
    """The first legal ids, whether there are so many or not."""
    for k in range(NUM_FIRST):
        first[k] = legal[k]


@once
def show(s, p, legal, mask, count, observation, num_seen, units):
    """Mask of the legal ids and what the mover sees, where `num_seen` columns are wanted."""
    for action in range(p[NUM_ACTIONS]):
        mask[action] = 0
    for k in range(count):
        mask[legal[k]] = 1
    if num_seen > 0:
        write_observation(s, p, s[MOVER], observation, units)


@kernel
def advance(address, kind, action):
    """For each game: plays actions[e], runs on to its next decision, and shows what is legal and what the mover sees.

    All actions[e] are `action`, unless that is EACH. They may also be LOOK, which plays nothing, or SKIP, which leaves
    the game and all that is shown of it alone, as any action does in an ended game. A NEW game is set up, whatever the
    action. Masks and counts are 0 for ended games; observations of no columns are left out.

    Returns -1; or the index of a game whose action is not legal, and then no game has changed.
    """
    S, R, p, actions, status, plies, masks, counts, firsts, observations, units, legal, max_plies, auto_forced = unpack(
        address, kind
    )
    if action != EACH:
        actions[:] = action
    illegal = first_illegal(actions, status, masks)
    if illegal >= 0:
        return illegal
    for e in range(len(S)):
        if not is_left_alone(actions[e], status[e]):
            s, q, out = row(S, e), row(p, 0), row(legal, 0)
            run_on(s, q, row(R, e), actions[e], out, status, plies, counts, e, max_plies, auto_forced)
            show(s, q, out, row(masks, e), counts[e], row(observations, e), observations.shape[1], row(units, 0))
            keep_first(out, row(firsts, e))
    return -1


@kernel
def advance_to_learner(address, kind, seated, weights, action):
    """As `advance`, but seats with seated[e, seat] RANDOM to SOLITAIRE play on from their games' choice streams.

    Each game runs on to the next decision of a seat that is NOBODY's, or to its end. seated is int8 (B, P), weights
    float64 (3, *).
    """
    S, R, p, actions, status, plies, masks, counts, firsts, observations, units, legal, max_plies, auto_forced = unpack(
        address, kind
    )
    if action != EACH:
        actions[:] = action
    illegal = first_illegal(actions, status, masks)
    if illegal >= 0:
        return illegal
    work = np.empty((1, S.shape[1]), np.int16)
    for e in range(len(S)):
        if is_left_alone(actions[e], status[e]):
            continue
        s, q, r, out = row(S, e), row(p, 0), row(R, e), row(legal, 0)
        action = actions[e]
        while True:
            run_on(s, q, r, action, out, status, plies, counts, e, max_plies, auto_forced)
            if status[e] != OPEN or seated[e, s[MOVER]] == NOBODY:
                break
            if seated[e, s[MOVER]] == RANDOM:
                action = int(out[below(r, CHOICE_STREAM, counts[e])])
            else:
                chance = next_number(r, CHOICE_STREAM) / 4294967296.0
                w = row(weights, seated[e, s[MOVER]] - GREEDY)
                action = int(best_action(s, q, w, out, counts[e], row(work, 0), chance))
        show(s, q, out, row(masks, e), counts[e], row(observations, e), observations.shape[1], row(units, 0))
        keep_first(out, row(firsts, e))
    keep(work)
    return -1


@kernel
def advance_and_renew(address, kind, first, ended, rewards, by_points, finals, action):
    """As `advance`, but a game that ends is at once followed by a new one; how it ended is kept.

    `first` begins the new games (-1: drawn). ended int8 (B,): TERMINATED or TRUNCATED where a game ended in this call,
    else OPEN; rewards float64 (B, P): every seat's final reward there, else 0; finals (B P, F): what every seat saw
    last, written where a game ended. A new game that ends before its first decision is followed by another, at most
    MOST_GAMES_A_STEP times: then it stays ended until the next call.
    """
    S, R, p, actions, status, plies, masks, counts, firsts, observations, units, legal, max_plies, auto_forced = unpack(
        address, kind
    )
    if action != EACH:
        actions[:] = action
    illegal = first_illegal(actions, status, masks)
    if illegal >= 0:
        return illegal
    q = row(p, 0)
    for e in range(len(S)):
        if ended[e] != OPEN:
            ended[e] = OPEN
            for seat in range(q[PLAYERS]):
                rewards[e, seat] = 0
        if actions[e] == SKIP:
            continue
        s, out = row(S, e), row(legal, 0)
        for _ in range(MOST_GAMES_A_STEP):
            begins = status[e] != OPEN
            if begins:
                status[e] = NEW
                counts[e] = first
            run_on(s, q, row(R, e), actions[e], out, status, plies, counts, e, max_plies, auto_forced)
            if status[e] == OPEN:
                break
            if not begins:
                ended[e] = status[e]
                write_rewards(s, q, by_points, row(rewards, e))
                for seat in range(q[PLAYERS]):
                    write_observation(s, q, seat, row(finals, q[PLAYERS] * e + seat), row(units, 0))
        show(s, q, out, row(masks, e), counts[e], row(observations, e), observations.shape[1], row(units, 0))
        keep_first(out, row(firsts, e))
    return -1


@kernel
def find_illegal(actions, status, masks):
    """Index of the first game whose action would be refused; -1 where there is none."""
    return first_illegal(actions, status, masks)


@kernel
def afterstates(S, p, counts, starts, actions, seats, ends, features, units):
    """Every position that a legal action leads to, before the next card, in each game with an open decision.

    Game e's are starts[e] .. starts[e] + counts[e] of: actions int16 (M,), ascending within a game; seats int8 (M,),
    who looks: in the draw game who draws next, in the hand game, where hands are hidden, who moved; ends bool (M,),
    whether the game is then over; features (M, F), what that seat sees.
    """
    legal = np.empty((1, MOST_ACTIONS), np.int16)
    work = np.empty((1, S.shape[1]), np.int16)
    q, out, after = row(p, 0), row(legal, 0), row(work, 0)
    for e in range(len(S)):
        if counts[e] == 0:
            continue
        s = row(S, e)
        n = legal_actions(s, q, out)
        for k in range(n):
            play_on_copy(s, q, out[k], after)
            at = starts[e] + k
            actions[at] = out[k]
            seats[at] = after[MOVER]
            ends[at] = after[OVER]
            write_observation(after, q, after[MOVER], row(features, at), row(units, 0))
    keep(legal)
    keep(work)


@kernel
def observe(S, p, seats, observations, units):
    """Observations of the games from seats[e]; returns whether all are seats."""
    q = row(p, 0)
    for e in range(len(S)):
        if seats[e] < 0 or seats[e] >= q[PLAYERS]:
            return False
        write_observation(row(S, e), q, seats[e], row(observations, e), row(units, 0))
    return True


@kernel
def hide_hands(S, p, seats, out):
    """Rows as seats[e] may know them: other full hands unknown, their cards counted with the pile (RULES 5.6, 8.2)."""
    q = row(p, 0)
    for e in range(len(S)):
        s = row(S, e)
        o = row(out, e)
        copy_row(s, q, o)
        if q[HAND_SIZE]:
            for seat in range(q[PLAYERS]):
                if seat != seats[e] and (seat != s[MOVER] or s[CARD] != AWAITING):
                    hide_hand(o, HANDS + NUM_CARDS * seat)


@kernel
def whole_state(S, p, states, units):
    """The whole state of each game, hidden cards included."""
    for e in range(len(S)):
        write_state(row(S, e), row(p, 0), row(states, e), row(units, 0))


@kernel
def final_rewards(S, p, by_points, rewards):
    """Zero-sum rewards of every seat, float64 (B, P); zero where the game is open."""
    for e in range(len(S)):
        write_rewards(row(S, e), row(p, 0), by_points, row(rewards, e))


@kernel
def points(S, p, out):
    """Points of every seat by RULES 5.7, int64 (B, P)."""
    for e in range(len(S)):
        write_points(row(S, e), row(p, 0), row(out, e))


@kernel
def sample_legal(address, kind, chosen):
    """A uniform legal action for each open game from its own choice stream into chosen int64 (B,); -1 in ended ones."""
    S, R, p, _, _, _, _, counts, firsts, _, _, legal, _, _ = unpack(address, kind)
    out = row(legal, 0)
    for e in range(len(S)):
        chosen[e] = -1
        if counts[e] > 0:
            k = below(row(R, e), CHOICE_STREAM, counts[e])
            if k < NUM_FIRST:
                chosen[e] = firsts[e, k]
            else:
                legal_actions(row(S, e), row(p, 0), out)
                chosen[e] = out[k]


@kernel
def legal_ids(S, p, e, out):
    """Legal ids of game e into out int16 (1, 600), ascending; returns how many."""
    return legal_actions(row(S, e), row(p, 0), row(out, 0))


@kernel
def play_one(S, p, e, action):
    """Plays a legal action in game e and leaves it before the draw."""
    play(row(S, e), row(p, 0), action)


@kernel
def sample_one(S, p, R, e):
    """The kind that the stream gives for the awaited card of game e, which does not receive it yet."""
    reshuffle_if_empty(row(S, e), row(p, 0))
    return sample_card(row(S, e), row(p, 0), row(R, e))


@kernel
def reshuffle_one(S, p, e):
    """Makes the discards of game e its new draw pile if that is empty."""
    reshuffle_if_empty(row(S, e), row(p, 0))


@kernel
def receive_one(S, p, e, card):
    """Gives game e the awaited card, which must be left."""
    reshuffle_if_empty(row(S, e), row(p, 0))
    receive(row(S, e), row(p, 0), card)


@kernel
def set_up_one(S, p, R, e, first):
    """A new game e, the draw game before its first card."""
    set_up(row(S, e), row(p, 0), row(R, e), first)


@kernel
def choose_best(S, p, weights, chances, actions):
    """For each game the action that stands best by weights float64 (1, *); ties by chances float64 (B,) in [0, 1)."""
    legal = np.empty((1, MOST_ACTIONS), np.int16)
    after = np.empty((1, S.shape[1]), np.int16)
    for e in range(len(S)):
        n = legal_actions(row(S, e), row(p, 0), row(legal, 0))
        actions[e] = best_action(row(S, e), row(p, 0), row(weights, 0), row(legal, 0), n, row(after, 0), chances[e])
    keep(legal)
    keep(after)


@kernel
def successors(S, p, e, card, out):
    """Rows of game e after each legal action of `card` (draw game, RULES 9.1), into out int16 (600, W); returns n."""
    legal = np.empty((1, MOST_ACTIONS), np.int16)
    s = row(S, e)
    s[CARD] = card
    n = legal_actions(s, row(p, 0), row(legal, 0))
    for k in range(n):
        play_on_copy(s, row(p, 0), row(legal, 0)[k], row(out, k))
    keep(legal)
    return n


@kernel
def unfold_one(S, R, p, e, legal, after):
    """Draws the awaited card of game e, then looks at every legal action of the open decision.

    Ids go into `legal` int16 (1, 600), the row after each (before the next draw) into `after` int16 (600, W). Returns
    how many there are (0 when the game is over) and the index of the one that the choice stream picks, uniformly.
    """
    s = row(S, e)
    if s[OVER]:
        return 0, 0
    if s[CARD] == AWAITING:
        draw(s, row(p, 0), row(R, e))
    n = legal_actions(s, row(p, 0), row(legal, 0))
    for k in range(n):
        play_on_copy(s, row(p, 0), row(legal, 0)[k], row(after, k))
    return n, below(row(R, e), CHOICE_STREAM, n)


@kernel
def play_at_random(S, R, p, num_plies, masks, observations, units):
    """Plays uniform legal actions in each game, `num_plies` of them, a new game beginning wherever one ends.

    Shows mask and observation at every decision; of no columns, neither. Returns the number of games that ended.
    """
    legal = np.empty((1, MOST_ACTIONS), np.int16)
    ended = 0
    q = row(p, 0)
    out = row(legal, 0)
    for e in range(len(S)):
        s = row(S, e)
        r = row(R, e)
        for _ in range(num_plies):
            chance = next_number(r, CHOICE_STREAM)  # ahead of its use, to run beside the draw's
            if s[OVER]:
                ended += 1
                set_up(s, q, r, -1)
            if s[CARD] == AWAITING:
                draw(s, q, r)
            n = legal_actions(s, q, out)
            if masks.shape[1] > 0:
                show(s, q, out, row(masks, e), n, row(observations, e), observations.shape[1], row(units, 0))
            play(s, q, out[(chance * n) >> 32])
    keep(legal)
    return ended
