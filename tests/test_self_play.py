"""Self-play: each row's transitions are its own seat's, and none is lost."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from strategies import SPECS

from sorry_env import Batch, IllegalError, SelfPlay
from sorry_env.self_play import Transitions


def run(play: SelfPlay, steps: int) -> list[Transitions]:
    """Plays sampled actions."""
    return [play.step(play.batch.sample()) for _ in range(steps)]


@pytest.mark.parametrize("auto_forced", [True, False])
@pytest.mark.parametrize("spec", [*SPECS[::4], "mini-1", "teams"])
def test_rows_are_what_their_seats_went_through(spec: str, auto_forced: bool) -> None:
    """Against a log of the same games kept seat by seat: observations, actions, next ones, ends, own rewards."""
    play = SelfPlay(spec, 6, seed=4, auto_forced=auto_forced)
    batch, players = play.batch, play.batch.rules.players
    log: dict[int, list[tuple[np.ndarray, np.ndarray, int]]] = defaultdict(list)
    for _ in range(400):
        rows, actions = play.rows, batch.sample()
        for e, row in enumerate(rows.tolist()):
            log[row].append((batch.observations[e].copy(), batch.masks[e].copy(), int(actions[e])))
        got = play.step(actions)
        is_end = got.terminated | got.truncated
        expected = {row for row in play.rows.tolist() if log[row] and not is_over(batch, row // players)}
        expected |= {row for row in log if log[row] and is_over(batch, row // players)}
        assert set(got.rows.tolist()) == expected
        assert len(set(got.rows.tolist())) == len(got.rows)
        for t, row in enumerate(got.rows.tolist()):
            game, seat = divmod(row, players)
            seen, mask, action = log[row].pop()
            assert (got.observations[t] == seen).all()
            assert (got.masks[t] == mask).all()
            assert got.actions[t] == action
            assert is_end[t] == is_over(batch, game)
            assert got.rewards[t] == (batch.rewards()[game, seat] if is_end[t] else 0.0)
            following = batch.final_observations[game, seat] if is_end[t] else batch.observations[game]
            assert (got.next_observations[t] == following).all()
            assert (got.next_masks[t] == (0 if is_end[t] else batch.masks[game])).all()
            assert not log[row]


def is_over(batch: Batch, game: int) -> bool:
    """Whether the game's last step ended a game."""
    return bool(batch.terminated[game] or batch.truncated[game])


def test_every_seat_gets_its_own_reward() -> None:
    """Of each finished game every seat that decided has one end, the winner's alone with a positive reward."""
    play = SelfPlay("classic", 32, seed=1)
    ends = [t for t in run(play, 3000) if t.terminated.any()]
    won = lost = 0
    for t in ends:
        for game in np.unique(t.rows[t.terminated] // 4):
            rewards = t.rewards[t.terminated & (t.rows // 4 == game)]
            assert sorted(rewards.tolist())[-1] == 1.0
            assert np.isclose(rewards[rewards < 0], -1 / 3).all()
            won, lost = won + 1, lost + len(rewards) - 1
    assert won > 50
    assert lost > 2 * won


def test_truncation_is_told_apart() -> None:
    """Games cut off give every seat an end without reward."""
    play = SelfPlay("classic", 8, seed=1, max_plies=30)
    ends = [t for t in run(play, 200) if t.truncated.any()]
    assert ends
    for t in ends:
        assert not (t.terminated & t.truncated).any()
        assert (t.rewards[t.truncated] == 0).all()


def test_illegal_action_changes_nothing() -> None:
    """A refused step leaves the rows as they were."""
    play, twin = (SelfPlay("classic", 4, seed=2) for _ in range(2))
    for each in (play, twin):
        run(each, 10)
    wrong = np.array([int(np.flatnonzero(mask == 0)[0]) for mask in play.batch.masks])
    with pytest.raises(IllegalError):
        play.step(wrong)
    for one, other in zip(run(play, 50), run(twin, 50), strict=True):
        assert all((a == b).all() for a, b in zip(one, other, strict=True))
