"""What a judge thinks of positions, moves and games: mistakes are found, nothing hidden is seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from playing import ask
from strategies import random_positions
from tiny_policies import write_policy
from tiny_values import before_draws, finished, random_network, swapped

from sorry_env.analysis import Judge, critic_of
from sorry_env.cli.showing import play_moves, seat_players
from sorry_env.errors import IllegalError, PolicyError, SorryError, SpecError
from sorry_env.game import Game
from sorry_env.players import ValuePlayer, load_player
from sorry_env.position import Position, Positions
from sorry_env.rules import Rules, rules_from
from sorry_env.solver import save_solution, solve

SPECS = ("classic:players=2", "classic:players=3", "teams", "points:players=2", "team-points", "edition-2013", "mini-2")


def judge_of(spec: str, depth: int = 0, breadth: int = 600, deals: int = 8) -> Judge:
    """A judge by a small random network."""
    rules = rules_from(spec)
    return Judge(ValuePlayer("net", random_network(rules, 1), depth, breadth, deals), rules)


def played(spec: str, seed: int, *players: str) -> Game:
    """A finished game."""
    game = Game(spec, seed)
    for move in play_moves(game, seat_players(players, game.rules), seed):
        game.play(move)
    return game


# --- Chances ---


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize("spec", SPECS)
def test_chances_add_up(spec: str, depth: int) -> None:
    """Chances are from 0 to 1, add up to 1 over sides, at the end are 1 and 0; team mates share one."""
    judge = judge_of(spec, depth)
    rules = judge.rules
    positions = [*random_positions(rules, 2, 6), *before_draws(rules, 3, 6)]
    for position in positions:
        chances = judge.chances(position)
        assert len(chances) == rules.players
        assert all(0 <= chance <= 1 for chance in chances)
        assert sum(chances) == pytest.approx(2 if rules.teams else 1, abs=1e-12)
        assert not rules.teams or (chances[0], chances[1]) == (chances[2], chances[3])
    for position in random_positions(rules, 2, 3):
        end = finished(position)
        assert judge.chances(end) == tuple(float(seat in end.winners) for seat in range(rules.players))


@pytest.mark.parametrize("spec", SPECS)
def test_moves_are_ranked(spec: str) -> None:
    """Every legal move is listed once, the best first with loss 0, losses are what the mover's chance is less."""
    judge = judge_of(spec)
    for position in random_positions(judge.rules, 4, 8):
        moves, mover = judge.moves(position), position.mover
        assert sorted(each.action for each in moves) == position.legal_actions()
        assert {each.move for each in moves} == set(position.legal_moves())
        assert moves[0].loss == 0
        assert judge.chances(position) == moves[0].chances
        own = [each.chances[mover] for each in moves]
        assert own == sorted(own, reverse=True)
        assert [each.loss for each in moves] == pytest.approx([own[0] - chance for chance in own], abs=1e-12)
        for each in moves:
            after = position.after(each.action)
            assert judge.chances(after) == pytest.approx(each.chances, abs=1e-6)


@pytest.mark.parametrize(("spec", "depth"), [("mini-2", 0), ("mini-2", 1), ("mini-2", 2), ("classic:players=3", 1)])
def test_judge_agrees_with_the_player(spec: str, depth: int) -> None:
    """The best move is the one that the same player, looking at all moves, chooses."""
    judge = judge_of(spec, depth)
    player = ValuePlayer("net", random_network(judge.rules, 1), depth, 600)
    player.bind(judge.rules)
    for position in random_positions(judge.rules, 5, 12 if depth < 2 else 4):
        chosen = int(ask(player, position, 1)[0])
        loss = next(each.loss for each in judge.moves(position) if each.action == chosen)
        assert loss < 1e-5


def test_an_average_is_the_mean_of_the_next_decisions() -> None:
    """One average: the chances of a position before a draw are the mean over cards of what the best reply leads to."""
    plain, ahead = judge_of("classic:players=3"), judge_of("classic:players=3", 1)
    for position in before_draws(plain.rules, 6, 8):
        if not position.is_over:
            parts = [np.array(plain.chances(position.with_card(card))) * odds for card, odds in position.outcomes()]
            assert ahead.chances(position) == pytest.approx(tuple(np.sum(parts, axis=0)), abs=1e-5)


def test_perfect_judges_by_the_solution(tmp_path: Path) -> None:
    """`perfect` gives the solved chances, which are their own averages; the set-up's is the solution's."""
    rules = rules_from("mini-1")
    solution = solve(rules)
    save_solution(solution, tmp_path / "mini-1.npz")
    judge = Judge(f"perfect:table={tmp_path / 'mini-1.npz'}", rules)
    assert judge.chances(Position.opening(rules, 0))[0] == pytest.approx(solution.first_mover, abs=1e-6)
    assert judge.chances(Position.opening(rules, 1))[1] == pytest.approx(solution.first_mover, abs=1e-6)
    for position in random_positions(rules, 1, 30):
        moves = judge.moves(position)
        actions, qualities, counts = solution.action_values(position.row)
        wanted = dict(zip(actions[0, : counts[0]].tolist(), qualities[0, : counts[0]].tolist(), strict=True))
        assert {each.action: each.chances[position.mover] for each in moves} == pytest.approx(wanted, abs=1e-6)


def test_points_are_not_chances() -> None:
    """Where the rules count points the chance to win is judged: losses are the same as without points."""
    scored, plain = rules_from("points:players=2"), rules_from("points:players=2,scoring=win")
    for spec in ("champion", "expectimax:depth=1"):
        one, other = Judge(spec, scored), Judge(spec, plain)
        for position in random_positions(scored, 5, 5):
            assert one.moves(position) == other.moves(Position(plain, position.row))


# --- The hand game ---


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize("spec", ["points:players=2", "team-points"])
def test_hidden_hands_are_not_used(spec: str, depth: int) -> None:
    """Other cards in the opponents' hands change nothing, nor does it whether they are shown at all."""
    judge = judge_of(spec, depth)
    changed = 0
    for position in [*random_positions(judge.rules, 7, 5), *before_draws(judge.rules, 8, 5)]:
        other = Position(judge.rules, swapped(position.row, judge.rules, 1))
        changed += other != position
        assert judge.chances(other) == judge.chances(position) == judge.chances(position.seen_by(position.mover))
        if position.legal_actions():
            assert judge.moves(other) == judge.moves(position) == judge.moves(position.seen_by(position.mover))
    assert changed > 5


def test_unknown_hand_is_refused() -> None:
    """Whose own hand is unknown or still being dealt cannot be judged, which the error says."""
    judge = judge_of("points:players=2")
    position = random_positions(judge.rules, 1, 1)[0]
    with pytest.raises(IllegalError, match=r"hand of [RY], who is on move, is unknown"):
        judge.moves(position.seen_by(1 - position.mover))
    with pytest.raises(IllegalError, match="still being dealt"):
        judge.chances(Position.opening(judge.rules, 0))


# --- Games ---


@pytest.mark.parametrize("spec", ["classic:players=2", "teams", "points:players=2"])
def test_game_analysis(spec: str) -> None:
    """A row of chances a ply and one at the end, which is 1 and 0; mistakes are its losses, the biggest first."""
    game = played(spec, 3, "random")
    judge = Judge("champion", game.rules)
    analysis = judge.game(game)
    assert len(analysis.chances) == game.num_plies + 1
    assert analysis.chances[-1] == tuple(float(seat in game.winners) for seat in range(game.rules.players))
    losses = [mistake.loss for mistake in analysis.mistakes]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] > 0
    plies = [(position, event) for position, event in game.history if not event.startswith("draw ")]
    for mistake in analysis.mistakes:
        position, event = plies[mistake.ply - 1]
        assert (mistake.seat, mistake.played) == (position.mover, event)
        moves = {each.move: each for each in judge.moves(position)}
        assert moves[mistake.better].loss == 0
        assert moves[mistake.played].loss == pytest.approx(mistake.loss)
        assert mistake.card in (position.card, event.partition(":")[0], event.removeprefix("discard "))


DRAW_GAME = ("classic:players=2", "R:58,H,H,H/Y:S,S,S,34 r 10 *", "draw 3", "10:58>57", "10:58>H")
HAND_GAME = (
    "points:players=2",
    "R:58,H,H,H/Y:S,S,S,34 r 3.5.8.10.12/1.1.3.4.5 *",
    "draw 7",
    "3:58>1",
    "10:58>H",
)


@pytest.mark.parametrize(("spec", "start", "draw", "blunder", "winning"), [DRAW_GAME, HAND_GAME])
@pytest.mark.parametrize("depth", ["champion", "search"])
def test_not_winning_is_the_biggest_mistake(
    spec: str, start: str, draw: str, blunder: str, winning: str, depth: str
) -> None:
    """Going Home to win has chance 1 and loss 0; who does otherwise is told of it first, with what it has cost."""
    game = Game(spec, 0, position=start, explicit_chance=True)
    judge = Judge("champion" if depth == "champion" else critic_of(game.rules), game.rules)
    best = judge.moves(game.position)[0]
    assert (best.move, best.chances, best.loss) == (winning, (1, 0), 0)
    for event in (blunder, draw, "3:34>37"):
        game.draw(event[5:]) if event.startswith("draw ") else game.play(event)
    analysis = judge.game(game)
    first = analysis.mistakes[0]
    assert (first.ply, first.seat, first.card) == (1, 0, blunder.partition(":")[0])
    assert (first.played, first.better) == (blunder, winning)
    assert first.loss > 0.01
    assert [row[0] == 1 for row in analysis.chances] == [True, False, False, False][: len(analysis.chances)]


def test_seeds_make_no_difference() -> None:
    """The same game is judged alike by a judge of another time, whatever was judged before."""
    game = played("points:players=2", 4, "greedy", "random")
    first = Judge(critic_of(game.rules), game.rules)
    second = Judge(critic_of(game.rules), game.rules)
    second.chances(random_positions(game.rules, 9, 1)[0])
    assert first.game(game) == second.game(game)


def test_open_game_and_no_ply() -> None:
    """A game that is not over ends with the chances as it stands; one without a ply has them alone."""
    game = Game("classic:players=2", 1)
    judge = Judge("champion", game.rules)
    assert judge.game(game).chances == (judge.chances(game.position),)
    assert judge.game(game).mistakes == ()
    game.play(game.legal_actions()[0])
    assert len(judge.game(game).chances) == 2


class Optimist:
    """A user's own player: plays the first action, and is sure that Red wins."""

    name = "optimist"

    def bind(self, rules: Rules) -> None:
        """Plays any rules of two."""

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """The lowest legal id."""
        return masks.argmax(axis=1)

    def win_chances(self, positions: Sequence[Position]) -> np.ndarray:
        """Red, whatever happens."""
        return np.tile([1.0, 0.0], (len(positions), 1))


def test_own_player_as_judge() -> None:
    """Any player with `win_chances` judges; only a finished game is not its to judge."""
    rules = rules_from("classic:players=2")
    judge = Judge(Optimist(), rules)
    game = Game(rules, 2)
    assert judge.name == "optimist"
    assert {each.loss for each in judge.moves(game.position)} == {0}
    assert judge.chances(game.position) == (1, 0)
    end = Position.parse("R:S,S,S,S/Y:H,H,H,H y - *", rules)
    assert judge.chances(end) == (0, 1)


# --- What is refused ---


@pytest.mark.parametrize(
    "spec", ["random", "greedy", "race", "expectimax:value=race", "expectimax:depth=2,value=solitaire"]
)
def test_who_knows_no_chances_is_refused(spec: str) -> None:
    """A player that weighs distances or just chooses is refused, and the error says who would do."""
    with pytest.raises(SpecError, match=r"^(judge|player): .*no chances to win; take champion, expectimax:depth=1"):
        Judge(spec, rules_from("classic:players=2"))


def test_a_policy_knows_no_chances(tmp_path: Path) -> None:
    """A policy file gives moves; the error says who would do."""
    path = tmp_path / "policy.onnx"
    write_policy(path, rules_from("classic:players=2"))
    with pytest.raises(SpecError, match="knows no chances to win; take champion"):
        Judge(load_player(str(path)), rules_from("classic:players=2"))


@pytest.mark.parametrize("spec", ["champion", "expectimax:depth=1", "perfect", "nobody"])
def test_rules_that_do_not_fit_are_refused(spec: str) -> None:
    """No champion for the rules, a game too large to solve, no such player: the player's own error."""
    with pytest.raises(SorryError):
        Judge(spec, rules_from("edition-1939"))
    judge = Judge("champion", rules_from("classic:players=2"))
    with pytest.raises(IllegalError, match="position: it is of"):
        judge.chances(Position.opening(rules_from("classic:players=4"), 0))
    with pytest.raises(IllegalError, match="no decision is open"):
        judge.moves(Position.opening(judge.rules, 0))
    with pytest.raises(PolicyError, match="there is one for"):
        Judge("champion", rules_from("edition-1939"))
