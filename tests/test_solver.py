"""The exact solver: its values obey their own equation, files keep them, and perfect play is what they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from strategies import random_positions

from agents.evaluation import evaluate
from agents.regret import Watched, measure_regret
from sorry_env import Batch, PolicyError, Position, RulesError, SorryError, SpecError, load_player, rules_from
from sorry_env.__main__ import main
from sorry_env.players import PerfectPlayer
from sorry_env.solver import Solution, count_states, load_solution, save_solution, solution_path, solve

MINI = rules_from("mini-1")


@pytest.fixture(scope="module")
def solution() -> Solution:
    """mini-1 solved."""
    return solve(MINI)


@pytest.fixture
def kept(solution: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The solution in a cache folder of the test's own."""
    monkeypatch.setenv("SORRY_ENV_CACHE", str(tmp_path / "cache"))
    save_solution(solution, solution_path(MINI))
    return solution_path(MINI)


def value_after(position: Position, solution: Solution) -> float:
    """Win probability of whoever draws next, by the exact odds of the card and the best of its moves."""
    total = 0.0
    for card, chance in position.outcomes():
        drawn = position.with_card(card)
        _, worth, counts = solution.action_values(drawn.row)
        total += chance * worth[0, : counts[0]].max()
    return total


def test_known_values(solution: Solution) -> None:
    """One pawn each: 4,296 states, and who begins wins 50.2161 %."""
    assert solution.num_states == 4296
    assert solution.first_mover == pytest.approx(0.502161, abs=1e-6)
    assert solve(rules_from("mini-1:colors=BG")).first_mover == pytest.approx(solution.first_mover, abs=1e-9)


@pytest.mark.parametrize(
    "spec", ["mini-1", "mini-1:slide_on=any,two_draws_again=no", "mini-1:start_cards=,pawns_out=1"]
)
def test_values_obey_their_equation(spec: str, solution: Solution) -> None:
    """A move is worth what the next draw is worth on average, to the mover if he goes on, else to the other."""
    rules = rules_from(spec)
    solved = solution if rules == MINI else solve(rules)
    checked = 0
    for position in random_positions(rules, 3, 40):
        actions, worth, counts = solved.action_values(position.row)
        assert actions[0, : counts[0]].tolist() == position.legal_actions()
        for k in range(int(counts[0])):
            after = position.after(int(actions[0, k]))
            if after.is_over:
                assert worth[0, k] == 1.0
            else:
                value = value_after(after, solved)
                assert worth[0, k] == pytest.approx(value if after.mover == position.mover else 1 - value, abs=1e-6)
                checked += 1
    assert checked > 40


def test_larger_games_are_refused() -> None:
    """Too many pawns, seats, hands, a deck that is used up, neighbours: refused, with the number of states."""
    for spec, field in (
        ("classic", "deck"),
        ("points", "deck"),
        ("mini-1:pawns=3", "pawns"),
        ("mini-1:players=4", "players"),
        ("mini-1:colors=RB", "players"),
    ):
        with pytest.raises(RulesError, match=rf"^{field}: .* states; the solver takes"):
            solve(rules_from(spec))
    assert count_states(MINI) == 67**2
    assert count_states(rules_from("mini-2")) == 2278**2


def test_file_keeps_the_values(solution: Solution, kept: Path) -> None:
    """A file gives back what was written, also to rules that differ in who begins alone."""
    again = load_solution(kept, MINI)
    assert (again.values == solution.values).all()
    assert again.num_states == solution.num_states
    assert (load_solution(kept, rules_from("mini-1:first_player=1")).values == solution.values).all()


def test_wrong_files_are_refused(solution: Solution, kept: Path, tmp_path: Path) -> None:
    """Missing, damaged, pickled, of another game or with values that are none: a PolicyError that names the file."""
    broken = tmp_path / "broken.npz"
    with pytest.raises(PolicyError, match="sorry-env solve mini-1"):
        load_solution(broken, MINI)
    for content in (b"", b"PK\x03\x04nothing", kept.read_bytes()[:2000]):
        broken.write_bytes(content)
        with pytest.raises(PolicyError, match=r"broken\.npz"):
            load_solution(broken, MINI)
    np.savez(broken, facts=np.array({"format": "x"}, object), values=solution.values)
    with pytest.raises(PolicyError, match=r"broken\.npz"):
        load_solution(broken, MINI)
    np.savez_compressed(broken, facts=np.array("{}"), values=np.zeros(60_000_000))
    with pytest.raises(PolicyError, match="unpacks to"):
        load_solution(broken, MINI)
    with pytest.raises(PolicyError, match="is for 'mini-1'"):
        load_solution(kept, rules_from("mini-1:slide_on=any"))
    save_solution(Solution(MINI, solution.values + 1, 1), broken)
    with pytest.raises(PolicyError, match="probabilities"):
        load_solution(broken, MINI)


def test_unwritable_place_is_named(solution: Solution, tmp_path: Path) -> None:
    """A folder that cannot be made is a SorryError, not a traceback."""
    (tmp_path / "file").write_text("")
    with pytest.raises(SorryError, match="cannot be written"):
        save_solution(solution, tmp_path / "file" / "x.npz")


def test_perfect_player_takes_a_best_action(kept: Path) -> None:
    """Its choices are among the best, and between equal ones it is not always the same."""
    player = load_player("perfect", MINI)
    assert isinstance(player, PerfectPlayer)
    watched = Watched(player, player.solution)
    batch = Batch(MINI, 200, 1)
    batch.reset()
    rng = np.random.default_rng(1)
    for _ in range(20):
        actions = watched.act(batch.observations, batch.masks, rng, batch.positions())
        batch.step(np.where(batch.is_open, actions, 0))
    assert watched.decisions > 400
    assert watched.lost == 0.0


def test_regret_is_what_is_won_less(kept: Path) -> None:
    """Win rate = 1/2 - regret a game: for random within four standard errors, for perfect play exactly none is lost."""
    regret = measure_regret("random", MINI, 6000, seed=2)
    assert regret.games == 6000
    assert 0.05 < regret.low < regret.per_game < regret.high < 0.07
    assert regret.win_rate == pytest.approx(0.5 - regret.per_game, abs=4 * 0.5 / np.sqrt(6000))
    assert regret.per_decision * regret.decisions == pytest.approx(regret.per_game * regret.games)
    assert 0.3 < regret.not_optimal < 0.7
    assert measure_regret("perfect", MINI, 400, seed=2).per_game == 0.0


def test_perfect_play_is_strong(kept: Path) -> None:
    """It beats greedy, and plays no game that it has no table for."""
    scores = evaluate(["perfect", "greedy"], MINI, 8000, 3)
    assert scores[0].low > 0.5
    with pytest.raises(RulesError, match="deck"):
        load_player("perfect", rules_from("classic"))
    with pytest.raises(PolicyError, match="sorry-env solve mini-1:slide_on=own"):
        load_player("perfect", rules_from("mini-1:slide_on=own"))
    with pytest.raises(SpecError, match="depth"):
        load_player("perfect:depth=2")
    load_player(f"perfect:table={kept}", MINI)


def test_solve_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`sorry-env solve` writes the file and prints states and first mover's value; wrong games end with code 2."""
    assert main(["solve", "mini-1", "--out", str(tmp_path / "table.npz")]) == 0
    printed = capsys.readouterr()
    assert "4296" in printed.out
    assert "50.2161" in printed.out
    load_player(f"perfect:table={tmp_path / 'table.npz'}", MINI)
    assert main(["solve", "classic"]) == 2
    assert "states" in capsys.readouterr().err
