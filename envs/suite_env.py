"""Many tasks as one environment: a task is drawn at each reset."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gymnasium import spaces

from lifegym.envs.life_env import LifeEnv
from lifegym.envs.spaces import ToolCallSpace, Unicode
from lifegym.task_suite import load_task, match_tasks

__all__ = ["SuiteEnv"]


class SuiteEnv(LifeEnv):
    """Tasks of a domain, or of the whole suite, one drawn by the env's own generator at each reset.

    It is a ``LifeEnv`` in all but that: ``info["task"]`` says which task an episode is of, and the services of a world
    are told in its first observation. The action space has the tools of all tasks; one whose service is not there is
    answered ``service_unavailable``.

    Args:
        tasks: Ids, patterns such as ``travel/*``, or bundles' folders.
        variant: ``train`` (default) and ``test`` draw another world at each reset, from disjoint seeds; ``canonical``
            is each task's benchmark world.
        settings: ``render_mode``, ``max_calls_per_turn`` and ``max_steps`` as in ``LifeEnv``.

    Raises:
        KeyError: There is no such task.
        BundleError: A bundle is malformed.
    """

    def __init__(self, tasks: str | Iterable[str] = "*", variant: str = "train", **settings: Any) -> None:
        names = [tasks] if isinstance(tasks, str) else list(tasks)
        folders = [name for name in names if "/" in name and not any(sign in name for sign in "*?[")]
        patterns = [name for name in names if name not in folders]
        self.tasks = tuple(dict.fromkeys([*(match_tasks(*patterns) if patterns else ()), *folders]))
        """How the tasks are loaded: ids, or folders."""
        super().__init__(self.tasks[0], variant, **settings)
        used = {service: None for source in self.tasks for service in load_task(source).services}
        self.action_space = ToolCallSpace(used)
        self.observation_space: Any = spaces.Dict({name: Unicode() for name in ("kind", "stage", "text", "time")})

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, str], dict[str, Any]]:
        """Begin an episode of a drawn task.

        Args:
            seed: Seeds the env's generator, which draws the task and then the variant's seed.
            options: ``{"task": id}`` names the task, ``{"variant_seed": n}`` pins its variant's seed.

        Raises:
            ValueError: An unknown option, a task that is not among these, or a variant seed outside its range.
        """
        left = dict(options or {})
        named = left.pop("task", None)
        if named is not None and named not in self.tasks:
            raise ValueError(f"{named!r} is not among the tasks: {', '.join(self.tasks)}")
        if seed is not None:
            super(LifeEnv, self).reset(seed=seed)
        drawn = self.tasks[int(self.np_random.integers(len(self.tasks)))]
        self.task = load_task(named or drawn)
        return super().reset(options=left or None)

    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot, of this env or of another one of these tasks.

        Raises:
            ValueError: It is of a task that is not among these.
        """
        source = next((name for name in self.tasks if load_task(name).id == snapshot.scenario.task), None)
        if source is None:
            raise ValueError(f"the snapshot is of {snapshot.scenario.task}, which is not among the tasks")
        self.task = load_task(source)
        super().restore(snapshot)

    def _twin(self) -> LifeEnv:
        other = SuiteEnv(
            self.tasks,
            self.variant,
            render_mode=self.render_mode,
            max_calls_per_turn=self.max_calls_per_turn,
            max_steps=self.max_steps,
        )
        other.task = self.task
        return other
