"""Games, environments and batches driven in any order, always together with a copy that must show the same.

`pytest -k arbitrary --examples N` tries N times as many, then at random.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from invariants import check_state
from strategies import examples, seeds
from twins import Twins, choices, pick, specs, wrong_actions

import sorry_env.batch
from sorry_env import Batch, Game, read_record, sorry_v0
from sorry_env.batch import LOOK, SKIP
from sorry_env.gym_env import SorryEnv
from sorry_env.vector_env import SorryVectorEnv


class ArbitraryGame(Twins):
    """`Game`: moves by id and text, cards, undo, copies, records."""

    @initialize(spec=specs, seed=seeds, explicit=st.booleans())
    def begin(self, spec: str, seed: int, explicit: bool) -> None:
        """A new game."""
        self.set_up(Game(spec, seed, explicit_chance=explicit))

    @precondition(lambda self: self.one.legal_actions())
    @rule(choice=choices, by_text=st.booleans())
    def play(self, choice: int, by_text: bool) -> None:
        """A legal move."""
        legal = self.one.legal_moves() if by_text else self.one.legal_actions()
        assert self.both(lambda game: game.play(legal[choice % len(legal)])) is None

    @rule(action=wrong_actions)
    def play_illegal(self, action: int) -> None:
        """An action that is not legal is refused."""
        if action not in self.one.legal_actions():
            self.refused(lambda game: game.play(action), lambda game: (str(game), game.history))

    @rule()
    def draw(self) -> None:
        """A card from the stream, where one is awaited."""
        if self.one.awaits_card:
            outcomes = dict(self.one.outcomes())
            assert self.both(lambda game: game.draw()) in outcomes
        else:
            self.refused(lambda game: game.draw(), str)

    @rule(choice=choices)
    def draw_given(self, choice: int) -> None:
        """A card from the caller."""
        if self.one.awaits_card:
            outcomes = self.one.outcomes()
            self.both(lambda game: game.draw(outcomes[choice % len(outcomes)][0]))

    @rule()
    def undo(self) -> None:
        """The last move is taken back."""
        plies = self.one.num_plies
        if plies:
            self.both(lambda game: game.undo())
            assert self.one.num_plies == plies - 1
        else:
            self.refused(lambda game: game.undo(), str)

    @rule(seed=seeds)
    def copy_with_a_stream(self, seed: int) -> None:
        """`Game.copy` shows the same game and goes on by a stream of its own."""
        before = self.one.record()
        twins = [self.one.copy(seed), self.other.copy(seed)]
        for twin in twins:
            assert twin.record() == before
            if twin.legal_actions():
                twin.play(twin.legal_actions()[0])
        assert twins[0].record() == twins[1].record()
        assert self.one.record() == before
        self.one, self.other = twins

    @rule()
    def record(self) -> None:
        """The record plays again to the same end."""
        text = self.both(lambda game: game.record())
        assert read_record(text).record() == text

    @invariant()
    def holds(self) -> None:
        """Twins are equal, the position is sound, and the mask is empty just where no decision is open."""
        if hasattr(self, "one"):
            assert (str(self.one), self.one.history) == (str(self.other), self.other.history)
            check_state(self.one.position)
            is_open = not (self.one.is_over or self.one.awaits_card)
            assert self.one.legal_mask().any() == is_open
            assert np.flatnonzero(self.one.legal_mask()).tolist() == self.one.legal_actions()


class ArbitraryAEC(Twins):
    """The AEC environment, raw or with PettingZoo's wrappers."""

    raw = False
    begun = False

    @initialize(spec=specs, raw=st.booleans(), auto_forced=st.booleans())
    def begin(self, spec: str, raw: bool, auto_forced: bool) -> None:
        """A new environment."""
        make = sorry_v0.raw_env if raw else sorry_v0.env
        self.raw, self.begun = raw, False
        self.set_up(make(rules=spec, render_mode="ansi", auto_forced=auto_forced, max_plies=200))

    @rule(seed=st.none() | seeds)
    def reset(self, seed: int | None) -> None:
        """A new game, from a seed or by the stream as it stands."""
        if seed is None and not self.begun:
            seed = 0  # streams of unseeded copies are equal too, but then no failure could be repeated
        self.both(lambda env: env.reset(seed=seed))
        self.begun = True

    def mask(self) -> np.ndarray:
        """Of the agent on move."""
        mask: np.ndarray = self.one.observe(self.one.agent_selection)["action_mask"]
        return mask

    @precondition(lambda self: self.begun and self.one.agents)
    @rule(choice=choices)
    def step(self, choice: int) -> None:
        """A legal action, or None for an agent whose game has ended."""
        agent = self.one.agent_selection
        ended = self.one.terminations[agent] or self.one.truncations[agent]
        action = None if ended else pick(self.mask(), choice)
        assert self.both(lambda env: env.step(action)) is None

    @precondition(lambda self: self.raw and not (self.begun and self.one.agents))
    @rule(choice=choices)
    def step_without_a_game(self, choice: int) -> None:
        """A step before the first reset, or after the last agent has left, is refused by name."""
        assert self.both(lambda env: env.step(choice % 201)) == ("IllegalError", "no game is open: call reset first")

    @precondition(lambda self: self.begun and self.one.agents)
    @rule(action=wrong_actions)
    def step_illegal(self, action: int) -> None:
        """The raw environment refuses and changes nothing; the wrapped one ends the game, -1 for who played it."""
        agent, mask = self.one.agent_selection, self.mask()
        ended = self.one.terminations[agent] or self.one.truncations[agent]
        if ended or (0 <= action < len(mask) and mask[action]):
            return
        if self.raw:
            self.refused(lambda env: env.step(action), lambda env: (str(env.position), env.observe(agent)))
        elif 0 <= action < len(mask):
            self.both(lambda env: env.step(action))
            assert all(self.one.terminations.values())
            assert self.one.rewards[agent] == -1

    @precondition(lambda self: self.begun)
    @rule()
    def render(self) -> None:
        """A frame of text."""
        assert len(self.both(lambda env: env.render())) > 100

    @rule()
    def close(self) -> None:
        """Closing closes windows; the game stays."""
        self.both(lambda env: env.close())

    @invariant()
    def holds(self) -> None:
        """Twins show the same to every agent; only the agent on move has legal actions, while the game is open."""
        if not self.begun or not self.one.agents:
            return
        seen = self.both(lambda env: [env.observe(agent) for agent in env.possible_agents])
        facts = "agents", "agent_selection", "rewards", "terminations", "truncations", "_cumulative_rewards"
        self.both(lambda env: [getattr(env.unwrapped, name) for name in facts])
        assert self.both(lambda env: str(env.unwrapped.position))
        over = any(self.one.terminations.values()) or any(self.one.truncations.values())
        for agent, shown in zip(self.one.possible_agents, seen, strict=True):
            if not over:
                assert shown["action_mask"].any() == (agent == self.one.agent_selection)
            assert np.isfinite(shown["observation"]).all()


class ArbitraryGymnasium(Twins):
    """The Gymnasium environment with opponents of every kind and every answer to illegal actions."""

    is_open = False
    illegal = "lose"

    @initialize(
        opponents=st.sampled_from([["random"], ["greedy"], ["random", "greedy", "race"]]),
        seat=st.sampled_from([0, 1, "random"]),
        illegal=st.sampled_from(["lose", "random", "raise"]),
    )
    def begin(self, opponents: list[str], seat: int | str, illegal: str) -> None:
        """A new environment."""
        self.is_open, self.illegal = False, illegal
        self.set_up(SorryEnv("classic", opponents=opponents, seat=seat, illegal=illegal, render_mode="ansi"))

    @rule(seed=seeds)
    def reset(self, seed: int) -> None:
        """A new game from a seed."""
        self.both(lambda env: env.reset(seed=seed))
        self.is_open = True

    @precondition(lambda self: self.is_open)
    @rule()
    def reset_by_the_stream(self) -> None:
        """A new game by the stream as it stands."""
        self.both(lambda env: env.reset())

    @precondition(lambda self: self.is_open)
    @rule(choice=choices)
    def step(self, choice: int) -> None:
        """A legal action."""
        action = pick(self.one.action_masks(), choice)
        _, reward, terminated, truncated, info = self.both(lambda env: env.step(action))
        self.is_open = not (terminated or truncated)
        assert info["action_mask"].any() == self.is_open
        assert reward == 0 or not self.is_open

    @precondition(lambda self: self.is_open)
    @rule(action=wrong_actions)
    def step_illegal(self, action: int) -> None:
        """An illegal action loses, is replaced, or is refused and changes nothing."""
        mask = self.one.action_masks()
        if 0 <= action < len(mask) and mask[action]:
            return
        if self.illegal == "raise":
            self.refused(lambda env: env.step(action), lambda env: (env.action_masks(), env.render()))
            return
        _, reward, terminated, truncated, info = self.both(lambda env: env.step(action))
        assert info["illegal_action"] is True
        self.is_open = not (terminated or truncated)
        assert self.illegal == "random" or (reward, terminated) == (-1, True)

    @precondition(lambda self: not self.is_open)
    @rule(action=wrong_actions)
    def step_without_a_game(self, action: int) -> None:
        """A step without an open game is refused by name."""
        assert self.both(lambda env: env.step(action)) == ("IllegalError", "no game is open: call reset first")

    @rule()
    def close(self) -> None:
        """Closing closes windows; the game stays."""
        self.both(lambda env: env.close())

    @invariant()
    def holds(self) -> None:
        """Twins show the same; a decision is open just as the last call said."""
        if hasattr(self, "one"):
            masks = self.both(lambda env: env.action_masks())
            assert masks.any() == self.is_open
            if self.is_open:
                assert self.both(lambda env: env.render())


class ArbitraryVector(Twins):
    """The native vector environment in every autoreset mode."""

    N = 5
    mode = "NextStep"
    illegal = "lose"
    begun = False
    infos: dict[str, Any]

    @initialize(
        spec=st.sampled_from(["mini-1", "classic"]),
        mode=st.sampled_from(["NextStep", "SameStep", "Disabled"]),
        illegal=st.sampled_from(["lose", "random", "raise"]),
        most=st.none() | st.integers(1, 20),
    )
    def begin(self, spec: str, mode: str, illegal: str, most: int | None) -> None:
        """A new environment."""
        self.mode, self.illegal, self.begun = mode, illegal, False
        told: dict[str, Any] = {"autoreset_mode": mode, "illegal": illegal, "max_episode_steps": most}
        self.set_up(SorryVectorEnv(self.N, spec, opponents=["greedy"], **told))

    @rule(seed=seeds)
    def reset(self, seed: int) -> None:
        """New games everywhere from a seed."""
        _, self.infos = self.both(lambda env: env.reset(seed=seed))
        self.begun = True

    @precondition(lambda self: self.begun)
    @rule(which=st.lists(st.booleans(), min_size=N, max_size=N).filter(any))
    def reset_some(self, which: list[bool]) -> None:
        """New games where a mask says so."""
        _, self.infos = self.both(lambda env: env.reset(options={"reset_mask": np.array(which)}))
        assert self.infos["action_mask"][which].any(axis=1).all()

    @precondition(lambda self: self.begun)
    @rule(choice=choices)
    def step(self, choice: int) -> None:
        """Legal actions everywhere."""
        self.play(self.legal(choice))

    @precondition(lambda self: self.begun)
    @rule(choice=choices, e=st.integers(0, N - 1), action=wrong_actions)
    def step_illegal(self, choice: int, e: int, action: int) -> None:
        """One illegal action among legal ones."""
        actions, masks = self.legal(choice), self.one.action_masks()
        legal = 0 <= action < masks.shape[1] and masks[e, action]
        actions[e] = action
        if self.illegal == "raise" and masks[e].any() and not legal and not self.one._ended.any():
            self.refused(lambda env: env.step(actions), lambda env: (env.action_masks(), env._observations()))
        elif self.illegal != "raise":
            self.play(actions)

    def legal(self, choice: int) -> np.ndarray:
        """Legal actions, 0 where none is."""
        return np.array([pick(mask, choice + e) if mask.any() else 0 for e, mask in enumerate(self.one.action_masks())])

    def play(self, actions: np.ndarray) -> None:
        """Steps and looks at what is said."""
        kept = actions.copy()
        seen, rewards, terminated, truncated, infos = self.both(lambda env: env.step(actions))
        assert (actions == kept).all()
        assert np.isfinite(seen).all()
        assert not (terminated & truncated).any()
        assert not rewards[~(terminated | truncated)].any()
        is_open = infos["action_mask"].any(axis=1)
        assert is_open.all() if self.mode == "SameStep" else (is_open | terminated | truncated).all()

    @precondition(lambda self: not self.begun)
    @rule()
    def step_without_a_game(self) -> None:
        """A step before the first reset is refused by name."""
        told = self.both(lambda env: env.step(np.zeros(self.N, int)))
        assert told == ("IllegalError", "no game is open: call reset first")

    @rule()
    def close(self) -> None:
        """Closing holds nothing back; the games stay."""
        self.both(lambda env: env.close())


class ArbitraryBatch(Twins):
    """`Batch`, with threads and without: the twin has another number of threads."""

    B = 7
    auto_reset = False

    @initialize(spec=specs, seed=seeds, auto_reset=st.booleans(), auto_forced=st.booleans(), threads=st.integers(1, 3))
    def begin(self, spec: str, seed: int, auto_reset: bool, auto_forced: bool, threads: int) -> None:
        """A new batch."""
        self.auto_reset = auto_reset
        told: dict[str, Any] = {"auto_reset": auto_reset, "auto_forced": auto_forced, "max_plies": 60}
        self.set_up(Batch(spec, self.B, seed, threads=threads, **told))
        self.other = Batch(spec, self.B, seed, threads=1, **told)

    @rule(which=st.none() | st.lists(st.booleans(), min_size=B, max_size=B))
    def reset(self, which: list[bool] | None) -> None:
        """New games, everywhere or here and there."""
        self.both(lambda batch: batch.reset(None if which is None else np.array(which)))

    @rule(seed=seeds)
    def seed(self, seed: int) -> None:
        """New streams."""
        self.both(lambda batch: batch.seed(seed))

    @rule(skips=st.lists(st.sampled_from([None, SKIP, LOOK]), min_size=B, max_size=B))
    def step(self, skips: list[int | None]) -> None:
        """Sampled actions; some games are left alone or looked at."""
        sampled = self.both(lambda batch: batch.sample())
        actions = np.array([a if skip is None else skip for a, skip in zip(sampled, skips, strict=True)])
        assert self.both(lambda batch: batch.step(actions)) is None

    @rule(e=st.integers(0, B - 1), action=wrong_actions)
    def step_illegal(self, e: int, action: int) -> None:
        """One illegal action in an open game: the whole step is refused and nothing has changed."""
        mask = self.one.masks[e]
        if not mask.any() or action in (SKIP, LOOK) or (0 <= action < len(mask) and mask[action]):
            return
        actions = self.both(lambda batch: batch.sample())
        actions[e] = action
        self.refused(lambda batch: batch.step(actions), self.shown)

    @rule(e=st.integers(0, B - 1))
    def forfeit(self, e: int) -> None:
        """A game is cut off."""
        self.both(lambda batch: batch.forfeit(e))
        assert not self.one.masks[e].any()

    @rule(e=st.integers(0, B - 1), into=st.integers(0, B - 1))
    def place(self, e: int, into: int) -> None:
        """A game's position is put into another."""
        self.both(lambda batch: batch.place(into, batch.position(e)))

    @rule()
    def snapshot(self) -> None:
        """What a snapshot kept is restored after the games have gone on."""
        kept = self.both(lambda batch: batch.snapshot())
        if not isinstance(kept, dict):
            return
        masks = self.one.masks.copy()
        self.both(lambda batch: batch.step(batch.sample()))
        assert self.both(lambda batch: batch.restore(kept)) is None
        assert (self.one.masks == masks).all()

    @staticmethod
    def shown(batch: Batch) -> list[Any]:
        """All that a batch shows."""
        arrays = [batch.states, batch.masks, batch.counts, batch.plies, batch.rewards(), batch.points(), batch.movers]
        return [*(array.copy() for array in arrays), batch.terminated, batch.truncated, batch.is_open]

    @invariant()
    def holds(self) -> None:
        """Twins show the same; a mask is empty just where no decision is open."""
        if hasattr(self, "one"):
            self.both(self.shown)
            self.both(lambda batch: batch.observations[batch.is_open])
            assert (self.one.masks.any(axis=1) == self.one.is_open).all()
            assert (self.one.masks.sum(axis=1) == self.one.counts).all()


MACHINES: dict[type[Twins], int] = {  # sequences of calls in a short run
    ArbitraryGame: 25,
    ArbitraryAEC: 15,
    ArbitraryGymnasium: 25,
    ArbitraryVector: 25,
    ArbitraryBatch: 25,
}


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.__name__)
def test_arbitrary_calls(machine: type[Twins], monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls in any order, legal or not, never break a thing or part it from its copy, and refusals change nothing."""
    from hypothesis.stateful import run_state_machine_as_test

    monkeypatch.setattr(sorry_env.batch, "LEAST_SHARE", 1)  # threads for few games
    slow = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    most = settings(examples(MACHINES[machine]), stateful_step_count=40, suppress_health_check=slow)
    run_state_machine_as_test(machine, settings=most)


class Forgetful(Game):
    """A game whose copies have forgotten a ply."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        twin = self.copy(1)
        if twin.num_plies > 3:
            twin.undo()
        return twin


def test_machines_can_fail() -> None:
    """A copy that forgets a ply is found."""
    from hypothesis.stateful import run_state_machine_as_test

    class Wrong(ArbitraryGame):
        def set_up(self, made: Any) -> None:
            super().set_up(Forgetful(made.rules, 1))

    unshrunk = settings(max_examples=50, stateful_step_count=40)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(Wrong, settings=unshrunk)
