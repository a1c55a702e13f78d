"""Matches over several games (RULES 5.7)."""

from __future__ import annotations

import random

import pytest

from sorry_env import IllegalError, Match, RulesError
from sorry_env.game import Game


def play_out(game: Game, rng: random.Random) -> None:
    """Plays random moves to the end."""
    while not game.is_over:
        game.play(rng.choice(game.legal_actions()))


def play_match(match: Match, seed: int = 0) -> Match:
    """Plays a match with random moves to its end."""
    rng = random.Random(seed)
    while not match.is_over:
        play_out(match.next_game(), rng)
    return match


@pytest.mark.rule("5.7")
@pytest.mark.parametrize("rules", ["points", "team-points", "classic:players=2", "points:players=3"])
def test_match_runs_to_its_total(rules: str) -> None:
    """It ends after, and not before, the game in which someone reaches the total; points add up over games."""
    match = play_match(Match(rules, seed=3, total=200))
    before = [sum(game.points()[seat] for game in match.games[:-1]) for seat in range(match.rules.players)]
    assert max(before) < 200 <= max(match.scores)
    assert match.scores == tuple(b + p for b, p in zip(before, match.games[-1].points(), strict=True))
    assert match.winners == tuple(s for s, score in enumerate(match.scores) if score == max(match.scores))


@pytest.mark.rule("5.7")
def test_winner_begins_the_next_game() -> None:
    """Who made the winning move of a game is on move at the start of the next."""
    match = play_match(Match("points", seed=5, total=600))
    assert len(match.games) > 3
    for last, game in zip(match.games, match.games[1:], strict=False):
        assert game.start.mover == last.mover
    assert len({game.start.mover for game in match.games}) > 1


@pytest.mark.rule("5.7")
def test_equal_totals_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seats with the same highest total win together; the default total is 300."""
    match = Match("points", seed=1)
    play_out(match.next_game(), random.Random(1))
    monkeypatch.setattr(Game, "points", lambda self: (300, 20, 300, 299))
    assert (match.is_over, match.winners) == (True, (0, 2))
    monkeypatch.setattr(Game, "points", lambda self: (299, 20, 0, 299))
    assert (match.is_over, match.winners) == (False, ())


def test_same_seed_same_match() -> None:
    """A seed fixes every game of a match, and no two games share their cards."""
    one, two = (play_match(Match("points:players=2", seed=9, total=300), 4) for _ in range(2))
    assert [game.record() for game in one.games] == [game.record() for game in two.games]
    assert len({str(game.start) for game in one.games}) == len(one.games)


def test_wrong_use_is_refused() -> None:
    """An open game, a match that is over and a senseless total: each a named error."""
    match = Match("mini-1", seed=1, total=1)
    match.next_game()
    with pytest.raises(IllegalError, match="game 1 is still open"):
        match.next_game()
    play_out(match.games[0], random.Random(0))
    with pytest.raises(IllegalError, match="it is over"):
        match.next_game()
    for total in (0, -5, 2.5, True):
        with pytest.raises(RulesError, match="total: "):
            Match("points", total=total)  # type: ignore[arg-type]  # wrong on purpose
