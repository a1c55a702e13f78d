"""The Gymnasium environment: one learner's seat, the other seats played by opponents inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import gymnasium
import numpy as np

from sorry_env.actions import num_actions
from sorry_env.arena import LearnerBatch
from sorry_env.batch import DEFAULT_MAX_PLIES, Batch, describe_illegal
from sorry_env.drawing.frames import RENDER_FPS, RENDER_MODES, Frames
from sorry_env.errors import IllegalError, SorryError
from sorry_env.last_ply import LastPlyBatch
from sorry_env.observation import observation_layout
from sorry_env.players import Player, load_player
from sorry_env.rules import Rules, rules_from
from sorry_env.sorry_v0 import action_index, layout_box

ILLEGAL_CHOICES: Final = ("lose", "random", "raise")


class SorryEnv(gymnasium.Env[Any, int]):
    """Sorry! as a single-agent environment.

    Each step is one real decision of the learner; between his decisions the opponents play. The observation is float32
    (F,) as in `sorry_env.observation`, the mask of legal actions is in `info["action_mask"]` (int8) and from
    `action_masks()` (bool). The reward is the learner's final reward: 0 until the end.

    Args:
        rules: a name of RULES 7, name and options (`classic:slide_on=own`), or a rules record.
        players: 2 to 4; by default one more than there are opponents (two for a single one), or what `rules` say in
            the games for four.
        opponents: spec strings or players, clockwise from the learner's seat; one plays all other seats. In the
            partnership game the second is the partner.
        seat: the learner's seat 0..P-1, or "random": drawn anew for each game.
        render_mode: "ansi", "rgb_array", "human" or None, as in `sorry_v0`; opponents' hands are hidden.
        reward: "win" or "points"; by default the rules' scoring.
        observation: "flat", or "dict" for `{"observation", "action_mask"}` as in PettingZoo.
        illegal: what an illegal action gets: "lose" ends the game with the loser's reward -1 and
            `info["illegal_action"]` true; "random" plays a uniform legal action in its place, with the same info;
            "raise" raises IllegalError.
        auto_forced: play the learner's forced plies silently.
        max_plies: plies of all seats after which the game is truncated.
        **options: further fields of the rules record.

    Raises:
        SorryError: arguments that make no sense; PolicyError where a policy was made for other rules.
    """

    # Gymnasium declares an instance attribute, but every environment sets it on the class.
    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # type: ignore[misc]  # not ClassVar there

    def __init__(
        self,
        rules: str | Rules = "classic",
        players: int | None = None,
        opponents: Sequence[str | Player] = ("random",),
        seat: int | str = 0,
        render_mode: str | None = None,
        *,
        reward: str | None = None,
        observation: str = "flat",
        illegal: str = "lose",
        auto_forced: bool = True,
        max_plies: int = DEFAULT_MAX_PLIES,
        **options: Any,
    ) -> None:
        opponents = [opponents] if isinstance(opponents, str) or not isinstance(opponents, Sequence) else opponents
        self.rules = _gym_rules(rules, players, opponents, options)
        self._frames = Frames(render_mode, "Sorry-v0")
        _check_choice("reward", reward, (None, "win", "points"))
        _check_choice("observation", observation, ("flat", "dict"))
        _check_choice("illegal", illegal, ILLEGAL_CHOICES)
        _check_choice("seat", seat, ("random", *range(self.rules.players)))
        self.render_mode, self._illegal = render_mode, illegal
        self.scoring = reward or self.rules.scoring
        self._is_dict = observation == "dict"
        kind = Batch if render_mode is None else LastPlyBatch
        self._batch = kind(self.rules, 1, auto_forced=auto_forced, max_plies=max_plies)
        copies = 1 if len(opponents) > 1 else self.rules.players - 1
        self.opponents = [load_player(one) for one in opponents] * copies
        self._games = LearnerBatch(self._batch, self.opponents, np.random.default_rng(), seat, self.choose_opponents)
        size = num_actions(self.rules.pawns, self.rules.teams)
        self.action_space = gymnasium.spaces.Discrete(size)  # type: ignore[assignment]  # numpy integers
        box = layout_box(observation_layout(self.rules), np.float32)
        mask = gymnasium.spaces.Box(0, 1, (size,), np.int8)
        self.observation_space = (
            gymnasium.spaces.Dict({"observation": box, "action_mask": mask}) if self._is_dict else box
        )

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins a game and plays on to the learner's first decision.

        A game that ends before it (possible where the learner had only forced plies) is left out.

        Args:
            seed: begins all random streams anew.
            options: `first_player`: the seat that begins; others are left alone, as the checkers expect.
        """
        super().reset(seed=seed)
        options = options or {}
        if seed is not None:
            self._batch.seed(seed)
        self._games.rng = self._games.arena.rng = self.np_random
        self._games.begin(np.ones(1, bool), options.get("first_player"))
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def choose_opponents(self, rng: np.random.Generator, games: int) -> np.ndarray:
        """Who sits clockwise from the learner, integers (games, P - 1): always the opponents in the order given."""
        return np.tile(np.arange(len(self.opponents)), (games, 1))

    @property
    def seat(self) -> int:
        """The learner's seat in this game."""
        return int(self._games.seats[0])

    def action_masks(self) -> np.ndarray:
        """Bool (A,): true where the action is legal; all false once the game has ended."""
        return self._batch.masks[0] > 0

    def _observation(self) -> Any:
        seen = self._games.observations()[0]
        return {"observation": seen, "action_mask": self._batch.masks[0].copy()} if self._is_dict else seen

    def _info(self, **more: Any) -> dict[str, Any]:
        return {"action_mask": self._batch.masks[0].copy(), "seat": self.seat, **more}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays the learner's action and the opponents' until his next decision or the end.

        Raises:
            IllegalError: an illegal action with `illegal="raise"`, or a step without an open game.
        """
        if not self._batch.is_open[0]:
            raise IllegalError("no game is open: call reset first")
        action = action_index(action)
        more: dict[str, Any] = {}
        if not 0 <= action < len(self._batch.masks[0]) or not self._batch.masks[0, action]:
            if self._illegal == "raise":
                raise IllegalError(describe_illegal(self._batch.position(0), int(action)))
            more = {"illegal_action": True}
            if self._illegal == "lose":
                self._batch.forfeit(0)
                return self._observation(), -1.0, True, False, self._info(**more)
            action = int(self.np_random.choice(np.flatnonzero(self._batch.masks[0])))
        self._games.step(int(action))
        if self.render_mode == "human":
            self.render()
        reward = 0.0 if self._batch.is_open[0] else float(self._games.rewards(self.scoring)[0])
        ended = bool(self._batch.terminated[0]), bool(self._batch.truncated[0])
        return self._observation(), reward, *ended, self._info(**more)

    def render(self) -> Any:
        """The board and the last move, whoever made it, by `render_mode`: text, pixels, or nothing ("human"; None)."""
        last = (self._batch.last_move, self._batch.before) if isinstance(self._batch, LastPlyBatch) else ()
        return self._frames.render(self._batch.position(0).seen_by(self.seat), self.metadata["render_fps"], *last)

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._frames.close()


def _gym_rules(rules: str | Rules, players: int | None, opponents: Sequence[Any], options: dict[str, Any]) -> Rules:
    """Two seats for one opponent, unless the rules or the arguments want another number."""
    if not opponents:
        raise SorryError("opponents: give at least one, such as opponents=['greedy']")
    named = rules if isinstance(rules, Rules) else rules_from(rules)
    says_seats = isinstance(rules, Rules) or "players=" in rules or "colors=" in rules or "colors" in options
    if players is None and not says_seats and not named.teams and not options.get("teams"):
        players = len(opponents) + 1
    record = rules_from(rules, players, **options)
    if len(opponents) not in (1, record.players - 1):
        raise SorryError(
            f"opponents: {len(opponents)} given for {record.players} players; give {record.players - 1}, clockwise "
            "from the learner's seat, or one who plays all other seats"
        )
    return record


def _check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    if isinstance(value, bool) or value not in choices:
        raise SorryError(f"{name}: {value!r} is not one of {', '.join(map(str, choices))}")
