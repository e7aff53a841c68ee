"""One task as a Gymnasium environment."""

from __future__ import annotations

import copy
from typing import Any, Literal

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from lifegym.envs.rendering import Renderer
from lifegym.envs.spaces import ToolCallSpace, Unicode
from lifegym.episode import Episode, EpisodeOver, Step
from lifegym.scoring import Score
from lifegym.services import catalogue
from lifegym.task_suite import SEEDS, VARIANTS, Task, load_task
from lifegym.world import clock
from lifegym.world.frozen import freeze

__all__ = ["LifeEnv"]


class LifeEnv(gym.Env[dict[str, str], dict[str, Any]]):
    """A person's weeks: a world of services on a virtual clock, acted on by tool calls.

    An **action** is ``{"tool": "service.tool", "arguments": {...}}``. ``assistant.reply`` and ``assistant.wait`` end
    the turn; what happens next is the next observation. Anything else that is sent, well-formed or not, is answered in
    the observation and never raises.

    An **observation** is a dict of texts: ``text`` (what happened, or the JSON of the tool's result), ``kind``
    (``user_message``, ``notification``, ``world``, ``reminder``, ``alert``, ``result``, ``error`` or ``end``), ``time``
    (ISO 8601) and ``stage``.

    The **reward** of a step is the share of the total check weight that was paid in it, when stages close and at the
    end: 100 times its sum over an episode is the task's score (VibeLifeBench, section 3.2).

    **Info** has the same keys in every step: ``task``, ``variant``, ``variant_seed``, ``turn``, ``step``, ``ok``,
    ``error``, ``fault`` and ``result`` (the tool's result as read-only values; an empty one where there is none).

    Args:
        task: Id of a task, or the folder of a bundle.
        variant: ``canonical`` (the benchmark: the same world at every reset), ``train`` or ``test`` (a seed is drawn by
            the env's own generator at each reset).
        render_mode: ``ansi`` (``render`` returns text), ``human`` (printed as it happens), or None.
        max_calls_per_turn: Further calls in a turn are refused.
        max_steps: The episode is truncated after so many steps.

    Raises:
        KeyError: There is no such task.
        BundleError: The bundle is malformed.
        ValueError: Unknown variant or render mode, or a cap below 1.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 4}

    def __init__(
        self,
        task: str,
        variant: str = "canonical",
        render_mode: str | None = None,
        max_calls_per_turn: int = 100,
        max_steps: int = 5000,
    ) -> None:
        if variant not in VARIANTS:
            raise ValueError(f"unknown variant {variant!r}; use one of: {', '.join(VARIANTS)}")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"unknown render_mode {render_mode!r}; use 'ansi', 'human' or None")
        if max_calls_per_turn < 1 or max_steps < 1:
            raise ValueError("max_calls_per_turn and max_steps are at least 1")
        self.task: Task = load_task(task)
        self.variant = variant
        self.render_mode = render_mode
        self.max_calls_per_turn = max_calls_per_turn
        self.max_steps = max_steps
        self.action_space = ToolCallSpace(self.task.services)
        self.observation_space: Any = spaces.Dict({name: Unicode() for name in ("kind", "stage", "text", "time")})
        self._episode: Episode | None = None
        self._renderer = Renderer(render_mode) if render_mode else None

    # -- gymnasium's interface -----------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, str], dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: Seeds the env's generator, which draws the variant's seed.
            options: ``{"variant_seed": n}`` pins the variant's seed instead.

        Raises:
            ValueError: An unknown option, or a variant seed outside its range.
        """
        super().reset(seed=seed)
        unknown = set(options or {}) - {"variant_seed"}
        if unknown:
            raise ValueError(f"unknown reset option {sorted(unknown)[0]!r}; there is 'variant_seed'")
        pinned = (options or {}).get("variant_seed")
        if pinned is not None and (isinstance(pinned, bool) or not isinstance(pinned, (int, np.integer))):
            raise ValueError(f"variant_seed is a whole number, not {pinned!r}")
        drawn = 0 if self.variant == "canonical" else int(self.np_random.integers(SEEDS))
        scenario = self.task.scenario(self.variant, drawn if pinned is None else int(pinned))
        self._episode = Episode(scenario, self.max_calls_per_turn, self.max_steps)
        step = self._episode.begin()
        if self._renderer:
            self._renderer.begin(self.task.title, step.text)
        return self._episode.observation(step), self._info(step)

    def step(self, action: Any) -> tuple[dict[str, str], float, bool, bool, dict[str, Any]]:
        """Carry out one tool call.

        Raises:
            gymnasium.error.ResetNeeded: There was no reset, or the episode has ended.
        """
        episode = self._playing()
        try:
            step = episode.step(action)
        except EpisodeOver as error:
            raise gym.error.ResetNeeded(str(error)) from None
        if self._renderer:
            self._renderer.step(action, step, self._time())
        return episode.observation(step), step.reward, step.terminated, step.truncated, self._info(step)

    def render(self) -> str | None:
        """What happened since the last call, as text (``ansi``); None for ``human``, which prints at once."""
        return self._renderer.take() if self._renderer else None

    # -- beyond it -----------------------------------------------------------------------------------------------

    @property
    def episode(self) -> Episode:
        """The episode under way. It knows everything, the checks included: not for agents.

        Raises:
            gymnasium.error.ResetNeeded: There was no reset.
        """
        return self._playing()

    def tools(self, format: Literal["openai", "anthropic", "mcp", "json-schema"] = "openai") -> list[dict[str, Any]]:
        """The tools of this task in a model provider's form. The list is the caller's own."""
        return copy.deepcopy(catalogue.render_tools(self.task.services, format))

    def snapshot(self) -> Episode:
        """The state now, to come back to. It costs microseconds and is not touched by later steps."""
        return self._playing().fork()

    def restore(self, snapshot: Episode) -> None:
        """Go back to a snapshot, of this env or of another of the same task. It can be used again.

        Raises:
            ValueError: It is of another task.
        """
        if snapshot.scenario.task != self.task.id:
            raise ValueError(f"the snapshot is of {snapshot.scenario.task}, this env of {self.task.id}")
        self._episode = snapshot.fork()

    def fork(self) -> LifeEnv:
        """An independent env in the same state, generators included."""
        other = self._twin()
        other._episode = self._episode.fork() if self._episode else None
        other.action_space = copy.copy(self.action_space)
        if self.action_space._np_random is not None:
            other.action_space._np_random = _copied(self.action_space._np_random)
        other.observation_space = copy.deepcopy(self.observation_space)
        if self._np_random is not None:
            other.np_random = _copied(self._np_random)
            other._np_random_seed = self._np_random_seed
        return other

    def _twin(self) -> LifeEnv:
        """A new env like this one."""
        return LifeEnv(self.task.source, self.variant, self.render_mode, self.max_calls_per_turn, self.max_steps)

    def score(self) -> Score:
        """The score of the finished episode.

        Raises:
            NotOver: It goes on; scores stay sealed until the end.
        """
        return self._playing().score()

    def evaluation(self) -> list[dict[str, Any]]:
        """Every check of the finished episode: what it read, expected and found.

        Raises:
            NotOver: The episode goes on.
        """
        return self._playing().evaluation()

    # -- inside --------------------------------------------------------------------------------------------------

    def _playing(self) -> Episode:
        if self._episode is None:
            raise gym.error.ResetNeeded("call reset() first")
        return self._episode

    def _time(self) -> str:
        episode = self._playing()
        return clock.iso(episode.world.now, episode.world.zone)

    def _info(self, step: Step) -> dict[str, Any]:
        episode = self._playing()
        return {
            "task": episode.scenario.task,
            "variant": episode.scenario.variant,
            "variant_seed": episode.scenario.seed,
            "turn": len(episode.history.turns),
            "step": episode.steps,
            "ok": step.kind != "error",
            "error": step.code,
            "fault": bool(episode.faults),
            "result": Result(step.result),
        }

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state["task"] = self.task.source
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.task = load_task(state["task"])


class Result:
    """A tool's result as a value that nothing can change: ``value`` gives it as read-only JSON.

    It is an object rather than a dict so that vector environments keep one per sub-environment instead of merging them.
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    @property
    def value(self) -> Any:
        """Read-only dicts and lists; None where the step showed no result."""
        return freeze(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and bool(self._value == other._value)

    def __hash__(self) -> int:
        return hash(repr(self._value))

    def __repr__(self) -> str:
        return f"Result({self._value!r})"


def _copied(generator: np.random.Generator) -> np.random.Generator:
    bit_generator = type(generator.bit_generator)()
    bit_generator.state = generator.bit_generator.state
    return np.random.Generator(bit_generator)
