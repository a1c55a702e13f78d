"""Players behind one protocol: registry, random, greedy, policy files, what players are shown."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from playing import Fixed, after_compiled, ask, distance, legal_choice
from scipy import stats
from strategies import RULE_SETS, SPECS, random_positions
from tiny_policies import sizes, write_policy

from sorry_env import Batch, load_player, register_player
from sorry_env.arena import Arena
from sorry_env.engine.parameters import HANDS, MOVER, UNKNOWN
from sorry_env.errors import PolicyError, SorryError, SpecError
from sorry_env.players import GreedyPlayer, Player, PolicyPlayer, RandomPlayer, base, known_players
from sorry_env.players.onnx_file import METADATA_KEY, policy_metadata
from sorry_env.position import Position, Positions
from sorry_env.rules import Rules, rules_from

NOTHING = np.zeros((0, 0), np.float32)


# --- Registry ---


@pytest.fixture
def registry() -> Iterator[None]:
    """Takes back what a test registers."""
    kept = [(table, dict(table)) for table in (base._NAMED, base._SUFFIXES, base._FOLDERS)]
    yield
    for table, before in kept:
        table.clear()
        table.update(before)


def test_names() -> None:
    """Known names give players of that name, which satisfy the protocol; a player is handed through."""
    assert isinstance(load_player("random"), RandomPlayer)
    assert isinstance(load_player("greedy"), GreedyPlayer)
    assert {"random", "greedy", "FILE.onnx"} <= set(known_players())
    for spec in ("random", "greedy"):
        player = load_player(spec, rules_from("points"))
        assert isinstance(player, Player)
        assert player.name == spec
        assert load_player(player) is player


BAD_SPECS = [
    ("gredy", r"no player 'gredy'; did you mean 'greedy'\? known: .*greedy.*random"),
    ("zzz", r"no player 'zzz'; known: "),
    ("", "no player"),
    (":", "no player"),
    ("random:depth=2", r"'random:depth=2' has no option 'depth' \(it has: none\)"),
    ("greedy:depth=2,x=1", "no option 'depth'"),
    ("greedy:depth", "'depth' in 'greedy:depth' is not written option=value"),
    ("runs/nothing", "no player 'runs/nothing'"),
]


@pytest.mark.parametrize(("spec", "message"), BAD_SPECS)
def test_bad_specs(spec: str, message: str) -> None:
    """Unknown names are refused with a hint and the known ones, unknown options by name, on one line."""
    with pytest.raises(SpecError, match=message) as caught:
        load_player(spec)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("what", [3, None, object(), ["random"], RandomPlayer])
def test_not_a_player(what: Any) -> None:
    """What is neither a spec string nor a player is refused."""
    with pytest.raises(SpecError, match="neither"):
        load_player(what)


@pytest.mark.usefixtures("registry")
def test_own_player() -> None:
    """A user's registered class is a spec string everywhere, with its options, and is bound before it plays."""
    made: list[Fixed] = []

    def factory(spec: str, options: dict[str, str]) -> Fixed:
        made.append(Fixed(spec, options))
        return made[-1]

    register_player("fixed", factory)
    assert "fixed" in known_players()
    with pytest.raises(SpecError, match=r"no option 'ende' \(it has: end\)"):
        load_player("fixed:ende=low")
    env = gymnasium.make("Sorry-v0", rules="teams", opponents=["fixed", "random", "fixed:end=high"])
    assert [player.end for player in made] == ["low", "high"]
    _, info = env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(30):
        _, _, terminated, truncated, info = env.step(legal_choice(info["action_mask"], rng))
        if terminated or truncated:
            _, info = env.reset()
    for player in made:
        assert player.bound == [rules_from("teams")]
        assert player.asked > 0


# --- Random and greedy ---


@pytest.mark.parametrize("spec", ["classic", "teams", "points", "mini-1"])
def test_random_is_uniform(spec: str) -> None:
    """RandomPlayer draws every legal action equally often (chi-square on a fixed seed) and nothing else."""
    for position in random_positions(RULE_SETS[spec], 1, 8):
        legal = position.legal_actions()
        drawn = ask(RandomPlayer(), position, 3000)
        counts = [int(np.sum(drawn == action)) for action in legal]
        assert sum(counts) == 3000
        assert len(legal) == 1 or stats.chisquare(counts).pvalue > 1e-3


def test_random_over_a_batch() -> None:
    """RandomPlayer's choices in one batch are legal each in its own game, and differ with the generator alone."""
    batch = Batch("points", 200, 1)
    batch.reset()
    positions = batch.positions()
    chosen = [
        RandomPlayer().act(batch.observations, batch.masks, np.random.default_rng(seed), positions)
        for seed in (1, 1, 2)
    ]
    assert all((batch.masks[np.arange(200), actions] == 1).all() for actions in chosen)
    assert (chosen[0] == chosen[1]).all()
    assert (chosen[0] != chosen[2]).any()


def best_by_brute_force(position: Position) -> set[int]:
    """The legal actions after which the mover's side is closest to Home."""
    side = (position.mover, (position.mover + 2) % 4) if position.rules.teams else (position.mover,)
    after = {action: position.after(action) for action in position.legal_actions()}
    distances = {action: sum(distance(then, seat) for seat in side) for action, then in after.items()}
    least = min(distances.values())
    return {action for action, total in distances.items() if total == least}


@pytest.mark.parametrize("spec", SPECS)
def test_greedy(spec: str) -> None:
    """GreedyPlayer takes a move of least distance as a slow search over `Position.after` finds it, ties at random."""
    tied = 0
    for position in random_positions(RULE_SETS[spec], 7, 25):
        best = best_by_brute_force(position)
        chosen = ask(GreedyPlayer(), position, 12 * len(best) + 12)
        assert set(chosen.tolist()) <= best, position
        if 1 < len(best) <= 4:
            tied += 1
            assert len(set(chosen.tolist())) > 1, position
    assert tied or spec in ("mini-1", "classic:players=3,pawns=1")


@pytest.mark.parametrize("text", ["R:S,S,10,20/Y:S,S,S,S r 3 *", "R:10,20,33,50/Y:S,S,S,S r 5 *"])
def test_greedy_ties(text: str) -> None:
    """Equally good moves are drawn equally often (chi-square on a fixed seed)."""
    position = Position.parse(text, "classic", players=2)
    best = best_by_brute_force(position)
    assert len(best) > 1
    drawn = ask(GreedyPlayer(), position, 4000)
    assert stats.chisquare([int(np.sum(drawn == action)) for action in best]).pvalue > 1e-3


# --- What players are shown ---


class Nosy:
    """Keeps what it is shown and writes into all of it."""

    name = "nosy"

    def __init__(self, writes: bool) -> None:
        self.writes = writes
        self.hidden: list[np.ndarray] = []

    def bind(self, rules: Rules) -> None:
        """Plays any rules."""

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        """Lowest legal ids."""
        self.hidden.append(positions.rows.copy())
        actions = masks.argmax(axis=1)
        if self.writes:
            positions.rows[:] = 1
            observations[:] = 7
            masks[:] = 1
        return actions


@pytest.mark.parametrize("spec", ["points", "team-points", "points:players=2,hand_size=9,two_draws_again=no"])
def test_hidden_hands(spec: str) -> None:
    """A player is shown other hands as unknown, and whatever it writes into what it is shown changes no game."""
    rules = rules_from(spec)
    states = []
    for writes in (False, True):
        nosy, batch = Nosy(writes), Batch(rules, 16, 1)
        batch.reset()
        Arena(batch, [nosy], np.zeros((16, rules.players), np.int64), np.random.default_rng(1)).run()
        states.append(batch.states.tolist())
        for rows in nosy.hidden:
            for seat in range(rules.players):
                others = rows[:, MOVER] != seat
                assert (rows[others, HANDS + 11 * seat] == UNKNOWN).all()
                assert (rows[~others, HANDS + 11 * seat : HANDS + 11 * (seat + 1)].sum(axis=1) == rules.hand_size).all()
    assert states[0] == states[1]


def test_positions() -> None:
    """`positions` are what each mover may know, made only when asked for, and the player's own."""
    batch = Batch("points", 5, 1)
    batch.reset()
    positions = batch.positions()
    expected = [str(batch.position(e).seen_by(batch.movers[e])) for e in range(5)]
    assert len(positions) == 5
    assert [str(positions[e]) for e in range(5)] == expected
    assert positions[2].legal_actions() == batch.position(2).legal_actions()
    batch.step(batch.sample())
    assert [str(positions[e]) for e in range(5)] == expected


# --- Built-in players in compiled code ---


@pytest.mark.parametrize("spec", SPECS)
def test_compiled_players(spec: str) -> None:
    """Built-in players play the same in compiled code: greedy one of the best moves, random any, by their odds."""
    for position in random_positions(RULE_SETS[spec], 8, 12):
        if "2" in (position.card, *(position.hand(position.mover) or ())):
            continue
        after = {action: position.after(action).pawns_text() for action in position.legal_actions()}
        best = {after[action] for action in best_by_brute_force(position)}
        assert set(after_compiled(GreedyPlayer(), position, 40)) <= best
        reached = after_compiled(RandomPlayer(), position, 600)
        assert set(reached) <= set(after.values())
        odds = {text: sum(text == other for other in after.values()) / len(after) for text in after.values()}
        expected = [600 * share for share in odds.values()]
        assert len(odds) == 1 or stats.chisquare([reached.count(text) for text in odds], expected).pvalue > 1e-4


# --- Policy files ---

RULES = rules_from("classic", 2)


def damaged_metadata(**changes: Any) -> dict[str, Any]:
    """The metadata of a good policy, changed."""
    return policy_metadata(RULES) | changes


def test_policy_plays_its_best(tmp_path: Path) -> None:
    """A policy file plays the legal action of the highest logit, through its path and after a pickle, in any batch."""
    path = tmp_path / "linear.onnx"
    weights = write_policy(path, RULES)
    player = load_player(str(path), RULES)
    assert isinstance(player, PolicyPlayer)
    batch = Batch(RULES, 17, 1)
    batch.reset()
    for count in (1, 2, 17):
        for _ in range(5):
            seen, masks = batch.observations[:count], batch.masks[:count]
            logits, values = player.evaluate(seen, masks)
            np.testing.assert_allclose(logits, seen @ weights, rtol=1e-4, atol=1e-4)
            np.testing.assert_allclose(values, seen.sum(axis=1), rtol=1e-5)
            best = np.argmax(np.where(masks > 0, logits, -np.inf), axis=1)
            for each in (player, pickle.loads(pickle.dumps(player))):
                assert each.act(seen, masks, np.random.default_rng(0), batch.positions()).tolist() == best.tolist()
            batch.step(batch.sample())


FILES: list[tuple[str, dict[str, Any], str]] = [
    ("no metadata", {"metadata": ""}, "no metadata 'sorry_env'"),
    ("another format", {"metadata": damaged_metadata(format=99)}, "no metadata 'sorry_env' of format 1"),
    ("not JSON", {"metadata": "{not json"}, "no metadata"),
    ("JSON of another kind", {"metadata": "[1]"}, "no metadata"),
    ("unknown rules", {"metadata": damaged_metadata(rules="chess")}, "rules that cannot be read"),
    ("no rules", {"metadata": {"format": 1}}, "rules that cannot be read"),
]


@pytest.mark.parametrize(("what", "file", "message"), FILES, ids=[what for what, *_ in FILES])
def test_file_refused(tmp_path: Path, what: str, file: dict[str, Any], message: str) -> None:
    """An ONNX file that does not say what Sorry! game it is for is refused when it is opened, on one line."""
    path = tmp_path / "odd.onnx"
    write_policy(path, RULES, **file)
    with pytest.raises(PolicyError, match=message) as caught:
        load_player(str(path))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


UNFIT: list[tuple[str, dict[str, Any], str]] = [
    ("observation", {"metadata": damaged_metadata(observation={"version": 0, "hash": ""})}, "observation"),
    ("actions", {"metadata": damaged_metadata(actions=None)}, "actions"),
    ("features", {"shape": (7, sizes(RULES)[1])}, r"input observation is \['N', 7\], not \(N, 183\)"),
    ("mask", {"shape": (sizes(RULES)[0], 9)}, r"input action_mask is \['N', 9\], not \(N, 201\)"),
]


@pytest.mark.parametrize(("what", "file", "message"), UNFIT, ids=[what for what, *_ in UNFIT])
def test_file_does_not_fit(tmp_path: Path, what: str, file: dict[str, Any], message: str) -> None:
    """A policy of another observation, action table or size is refused when it is bound, with what differs."""
    path = tmp_path / "odd.onnx"
    write_policy(path, RULES, **file)
    with pytest.raises(PolicyError, match=message):
        load_player(str(path), RULES)


def test_unreadable_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing file, a folder, a text, a cut or too large file, and options of a file are refused on one line."""
    good = tmp_path / "good.onnx"
    write_policy(good, RULES)
    (tmp_path / "folder.onnx").mkdir()
    (tmp_path / "text.onnx").write_text("this is no model", encoding="utf-8")
    (tmp_path / "empty.onnx").touch()
    (tmp_path / "cut.onnx").write_bytes(good.read_bytes()[:-2000])
    expected = {
        "missing": "no file", "folder": "no file", "text": "not an ONNX file", "empty": "not an ONNX file",
        "cut": "not an ONNX file",
    }  # fmt: skip
    for name, message in expected.items():
        with pytest.raises(PolicyError, match=message) as caught:
            load_player(str(tmp_path / f"{name}.onnx"))
        assert "\n" not in str(caught.value)
    with pytest.raises(SpecError, match="no option 'depth'"):
        load_player(f"{good}:depth=2")
    monkeypatch.setattr("sorry_env.players.onnx_file.MAX_POLICY_BYTES", 1000)
    with pytest.raises(PolicyError, match="more than the 1000 allowed"):
        load_player(str(good))


def test_file_of_not_numbers(tmp_path: Path) -> None:
    """A policy whose logits are not numbers is refused when it is asked."""
    write_policy(tmp_path / "nan.onnx", RULES, np.full(sizes(RULES), np.nan, np.float32))
    with pytest.raises(PolicyError, match="not numbers"):
        ask(load_player(str(tmp_path / "nan.onnx"), RULES), Position.parse("R:S,S,S,9/Y:S,S,S,S r 1 *", RULES), 2)


def test_key() -> None:
    """The metadata key that other projects may read stays what the files that exist say."""
    assert METADATA_KEY == "sorry_env"
    assert issubclass(PolicyError, SorryError)
