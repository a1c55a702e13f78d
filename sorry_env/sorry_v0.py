"""The PettingZoo AEC environment of Sorry!: `env` with the usual guards, `raw_env` lean."""

from __future__ import annotations

import operator
from typing import Any, TypedDict

import gymnasium
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from sorry_env.actions import num_actions
from sorry_env.batch import DEFAULT_MAX_PLIES, Batch, describe_illegal
from sorry_env.drawing.frames import RENDER_FPS, RENDER_MODES, Frames
from sorry_env.engine.parameters import MOST_ACTIONS, MOVER
from sorry_env.errors import IllegalError, SorryError
from sorry_env.notation import format_move
from sorry_env.observation import Slice, highs, observation_layout, state_layout
from sorry_env.position import Position
from sorry_env.rules import Rules, rules_from

__all__ = ["env", "raw_env"]


class Observation(TypedDict):
    """What an agent is given: features (layout in `sorry_env.observation`) and the mask of legal actions."""

    observation: np.ndarray
    action_mask: np.ndarray


def env(**options: Any) -> Any:
    """The environment with PettingZoo's guards; arguments as for `raw_env`.

    An illegal action ends the game: -1 for who played it, 0 for the others (TerminateIllegalWrapper).
    """
    guarded = wrappers.TerminateIllegalWrapper(raw_env(**options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(guarded))


def layout_box(layout: tuple[Slice, ...], dtype: Any) -> gymnasium.spaces.Box:
    """The space of a layout's features: float32 in 0..1, or uint8 up to each feature's highest count."""
    high = highs(layout)
    if dtype is np.uint8:
        return gymnasium.spaces.Box(np.zeros(len(high), np.uint8), high.astype(np.uint8), dtype=np.uint8)
    return gymnasium.spaces.Box(0.0, 1.0, (len(high),), np.float32)


def action_index(action: Any) -> int:
    """The action as an int; integers and integer arrays of no dimension will do. Raises IllegalError for others."""
    try:
        return int(operator.index(action))
    except TypeError:
        raise IllegalError(f"action {action!r} is not an integer; sample with action_space.sample(mask)") from None


class raw_env(AECEnv[str, Observation, int]):  # type: ignore[misc]  # noqa: N801  # untyped base; PettingZoo's name
    """Sorry! as an AEC environment.

    | fact | value |
    |---|---|
    | agents | `player_0` .. `player_{P-1}`, seats clockwise |
    | one step | one card draw (draw game) or one card chosen from the hand (hand game) |
    | action space | `Discrete(A)`: A = 201 for four pawns a side, 582 in teams (`sorry_env.actions`) |
    | observation | `{"observation": float32 (F,), "action_mask": int8 (A,)}`; F = 183 for two, 331 for four players |
    | mask | also in `infos[agent]["action_mask"]`; all 0 for agents not on move |
    | rewards | at the end only, zero-sum: winner +1, the others share -1; team mates alike; or `reward="points"` |
    | truncation | after `max_plies` plies; all rewards 0 |
    | version | the suffix goes up when behaviour changes |

    Args:
        rules: a name of RULES 7, name and options (`classic:slide_on=own`), or a rules record.
        players: 2 to 4; by default the rules' own (four in the classic game).
        render_mode: "ansi" (`render` returns text), "rgb_array" (it returns pixels, uint8 (512, 512, 3)), "human" (each
            step is shown in a window, at `metadata["render_fps"]` a second), or None. Pixels and window need the extra
            `draw`.
        reward: "win" or "points" (RULES 5.7 less the mean over the seats, in hundreds); by default the rules' scoring.
        auto_forced: play forced plies (one legal action) silently; False shows each card draw as a step.
        max_plies: plies after which the game is truncated.
        observation_dtype: np.float32 (counts scaled to 0..1) or np.uint8 (plain counts).
        **options: further fields of the rules record.

    Raises:
        RulesError, SorryError: arguments that make no sense.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # PettingZoo wants a plain class attribute
        "name": "sorry_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        rules: str | Rules = "classic",
        players: int | None = None,
        render_mode: str | None = None,
        *,
        reward: str | None = None,
        auto_forced: bool = False,
        max_plies: int = DEFAULT_MAX_PLIES,
        observation_dtype: type[np.float32] | type[np.uint8] = np.float32,
        **options: Any,
    ) -> None:
        super().__init__()
        self.rules = rules_from(rules, players, **options)
        self._frames = Frames(render_mode, "sorry_v0")
        if reward not in (None, "win", "points"):
            raise SorryError(f"reward: {reward!r} is not one of win, points or None")
        if observation_dtype not in (np.float32, np.uint8):
            raise SorryError(f"observation_dtype: {observation_dtype!r} is neither np.float32 nor np.uint8")
        self.render_mode = render_mode
        self._scoring = reward or self.rules.scoring
        self._batch = Batch(
            self.rules, 1, auto_forced=auto_forced, max_plies=max_plies, observation_dtype=observation_dtype
        )
        self._take_views()
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._make_spaces(observation_dtype)
        self.agents: list[str] = []
        self._no_mask = np.zeros_like(self._batch.masks[0])
        self._no_mask.flags.writeable = False
        self._mover = self.possible_agents[0]
        self._last_move: str | None = None
        self._before: Position | None = None

    def _take_views(self) -> None:
        """The rows that the batch writes in place: taken once, as indexing costs as much as copying."""
        self._mask, self._seen = self._batch.masks[0], self._batch.observations[0]
        self._row, self._counts = self._batch.states[0].data, self._batch.counts.data

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for name in ("_mask", "_seen", "_row", "_counts"):
            del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._take_views()

    def _make_spaces(self, dtype: type[np.float32] | type[np.uint8]) -> None:
        size = num_actions(self.rules.pawns, self.rules.teams)
        self.observation_spaces = {}
        self.action_spaces = {}
        for agent in self.possible_agents:
            self.observation_spaces[agent] = gymnasium.spaces.Dict(
                {
                    "observation": layout_box(observation_layout(self.rules), dtype),
                    "action_mask": gymnasium.spaces.Box(0, 1, (size,), np.int8),
                }
            )
            self.action_spaces[agent] = gymnasium.spaces.Discrete(size)
        self.state_space = layout_box(state_layout(self.rules), dtype)

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same space object for the same agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same space object for the same agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game.

        Args:
            seed: begins the random stream anew; None goes on with the stream as it stands.
            options: `first_player`: the seat that begins; `position`: a Position or its text to begin from. Others are
                left alone, as PettingZoo's checkers expect.

        Raises:
            SorryError: options that make no sense.
        """
        options = options or {}
        if seed is not None:
            self._batch.seed(seed)
        self._batch.reset(first_player=options.get("first_player"))
        if "position" in options:
            position = options["position"]
            self._batch.place(0, Position.parse(position, self.rules) if isinstance(position, str) else position)
        self._last_move = self._before = None
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._idle = {agent: {"action_mask": self._no_mask} for agent in self.agents}
        self.infos = dict(self._idle)
        self.agent_selection = self._mover = self.agents[0]
        self._skip_agent_selection = None
        self._show()

    def _show(self) -> None:
        """Sets the agent on move, his mask and the end flags from the game."""
        infos = self.infos
        infos[self._mover] = self._idle[self._mover]
        self.agent_selection = self._mover = agent = self.possible_agents[self._row[MOVER]]
        infos[agent] = {"action_mask": self._mask.copy()}
        if not self._counts[0]:
            is_over = bool(self._batch.terminated[0])
            self.terminations = dict.fromkeys(self.agents, is_over)
            self.truncations = dict.fromkeys(self.agents, not is_over)
            self.rewards = self._final_rewards()
            self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _final_rewards(self) -> dict[str, float]:
        return dict(zip(self.possible_agents, self._batch.rewards(self._scoring)[0].tolist(), strict=True))

    def step(self, action: int | None) -> None:
        """Plays an action of the agent on move; `None` for an agent whose game has ended.

        Raises:
            IllegalError: no game is open, or the action is not legal: position, action and legal moves are shown.
        """
        if not self.agents:
            raise IllegalError("no game is open: call reset first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        index = action if type(action) is int else action_index(action)
        before = self.position if self.render_mode is not None else None
        if not 0 <= index < MOST_ACTIONS or self._batch.advance(index) >= 0:
            raise IllegalError(describe_illegal(self._batch.position(0), index))
        self._cumulative_rewards[agent] = 0.0
        if before is not None:
            self._before, self._last_move = before, format_move(before.row[0].tolist(), self.rules, index)
        self._show()

    def observe(self, agent: str) -> Observation:
        """What an agent may know now; arrays are the caller's to keep."""
        if agent == self._mover:
            return {"observation": self._seen.copy(), "action_mask": self._mask.copy()}
        seat = np.array([self._seats[agent]])
        return {"observation": self._batch.observe(seat)[0], "action_mask": self._no_mask.copy()}

    def state(self) -> np.ndarray:
        """Everything, hidden cards included, as in `state_space` (layout: `observation.state_layout`)."""
        state: np.ndarray = self._batch.whole_states()[0]
        return state

    @property
    def position(self) -> Position:
        """The whole position, hidden cards included."""
        return self._batch.position(0)

    def render(self) -> str | np.ndarray | None:
        """The board by `render_mode`: text ("ansi"), pixels ("rgb_array"), or nothing ("human" shows it; None)."""
        return self._frames.render(self.position, self.metadata["render_fps"], self._last_move, self._before)

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._frames.close()
