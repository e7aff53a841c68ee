"""Many episodes: an agent plays tasks several times each, here or on Ray, and everything is recorded."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from lifegym.rollouts.run_folder import RunFolder
from lifegym.rollouts.trajectory import Trajectory
from lifegym.rollouts.units import Key, Unit, find_tasks, plan
from lifegym.rollouts.worker import Caps, Played, play_unit
from lifegym.task_suite import Task

__all__ = ["EPISODE_TIMEOUT", "Evaluation", "Finished", "evaluate", "stream"]

EPISODE_TIMEOUT = 3600.0
"""Seconds that an episode may take on a worker, if nothing else is said."""

AgentLike = str | Callable[..., Any]
Play = Callable[[Iterator[Unit]], Iterator[tuple[Unit, Played]]]


@dataclass(frozen=True)
class Finished:
    """An episode that was played or given up.

    Attributes:
        key: What it is known by.
        row: Its line of ``results.jsonl``: ``score`` (0-100, None where there is none), ``error``, checks, counts.
        planned: How many episodes the evaluation has.
        before: How many of them were recorded by an earlier start.
    """

    key: Key
    row: dict[str, Any]
    planned: int
    before: int


@dataclass(frozen=True)
class Evaluation:
    """A finished evaluation.

    Attributes:
        rows: A line per episode, by task, seed and run.
        summary: Its statistics, as ``lifegym.statistics.summarize`` gives them.
        folder: Where it is recorded; None where it is not.
    """

    rows: Sequence[dict[str, Any]]
    summary: dict[str, Any]
    folder: RunFolder | None = None

    def trajectory(self, key: Key) -> Trajectory:
        """The trajectory of an episode of a recorded evaluation.

        Raises:
            RunError: There is none.
            ValueError: The evaluation was not recorded; give ``out``.
        """
        if self.folder is None:
            raise ValueError("this evaluation was not recorded; give out=FOLDER")
        return self.folder.trajectory(key)


def evaluate(
    agent: AgentLike,
    tasks: str | Path | Iterable[str | Path],
    *,
    watch: Callable[[Iterator[Finished]], Iterable[Finished]] = iter,
    **options: Any,
) -> Evaluation:
    """Play tasks with an agent, and say how it did.

    Args:
        agent: As of ``stream``.
        tasks: As of ``stream``.
        watch: Hands on every episode as it finishes, and may show how far it is: ``tqdm.tqdm``, for one.
        **options: Those of ``stream``.

    Raises:
        RunError: ``out`` holds another run, or cannot be written.
        KeyError: There is no such task or agent.
        ValueError: An unknown variant, a seed out of range, nothing to play, or an agent that cannot be made.
        OSError: There is no Ray at ``ray_address``, or no worker could start.
    """
    from lifegym.statistics import summarize

    episodes = watch(stream(agent, tasks, **options))
    out = options.get("out")
    if out is not None:
        for _ in episodes:
            pass
        folder = RunFolder.read(out)
        return Evaluation(folder.stored(), folder.summary(), folder)
    rows = [finished.row for finished in episodes]
    found = find_tasks(tasks)
    order = {task.id: i for i, task in enumerate(found)}
    rows.sort(key=lambda row: (order[row["task"]], row["seed"], row["run"]))
    return Evaluation(rows, {"agent": agent_name(agent), **summarize(rows, task_facts(found))})


def stream(
    agent: AgentLike,
    tasks: str | Path | Iterable[str | Path],
    *,
    runs: int = 3,
    variant: str = "canonical",
    seeds: Sequence[int] | None = None,
    workers: int | None = None,
    ray_address: str | None = None,
    concurrency: int = 1,
    out: Path | str | None = None,
    max_retries: int = 2,
    episode_timeout: float | None = EPISODE_TIMEOUT,
    max_calls_per_turn: int = 100,
    max_steps: int = 5000,
    settings: dict[str, Any] | None = None,
    trajectories: bool = True,
) -> Iterator[Finished]:
    """Play tasks with an agent; every episode is handed on as it finishes.

    Args:
        agent: A name (see ``lifegym agents``), ``module:attribute``, a class, or a factory that can be pickled.
        tasks: Ids, patterns such as ``travel/*``, bundles' folders, or a ``.txt`` file that lists these.
        runs: Episodes of each task on each world.
        variant: ``canonical``, ``train`` or ``test``.
        seeds: The variant's seeds, each played ``runs`` times; by default run i of a drawn variant has seed i.
        workers: Ray actors; 0 plays in this process; by default one for each core (of the cluster).
        ray_address: Address of a Ray cluster, or ``auto``. By default Ray is started on this machine and stopped again;
            where the caller has connected to Ray already, that connection is used and left open.
        concurrency: Episodes at once in an actor, for agents that wait for a remote model.
        out: Run folder. The same call again plays only what is missing or failed.
        max_retries: How often an episode is tried again if its worker is lost or hangs, or the agent raises.
        episode_timeout: Seconds an episode may take on a worker; None for no limit. It does not hold in this process.
        max_calls_per_turn: As in ``LifeEnv``.
        max_steps: As in ``LifeEnv``.
        settings: Keyword arguments for the agent; recorded in the manifest, so no keys belong there.
        trajectories: Whether a run folder gets them.

    Raises:
        RunError: ``out`` holds another run, is written by another process, or cannot be written.
        KeyError: There is no such task or agent.
        ValueError: An unknown variant, a seed out of range, nothing to play, or, as the first episode is asked for, an
            agent that cannot be made.
        OSError: As the first episode is asked for: there is no Ray at ``ray_address``, or no worker could start.
    """
    found = find_tasks(tasks)
    units = plan(found, runs, variant, seeds)
    if concurrency < 1 or max_retries < 0 or (workers is not None and workers < 0):
        raise ValueError("concurrency is at least 1; max_retries and workers are not negative")
    make, name = agent_maker(agent, settings or {}), agent_name(agent)
    caps = Caps(max_calls_per_turn, max_steps)
    record = out is not None and trajectories
    playing = partial(
        _player, make, name, caps, record, workers, ray_address, concurrency, episode_timeout, max_retries
    )
    if out is None:
        return (Finished(unit.key, played.row, len(units), 0) for unit, played in playing()(iter(units)))
    wanted = {
        "agent": name, "agent_settings": settings or {}, "variant": variant, "runs": runs,
        "seeds": list(seeds) if seeds is not None else None, **caps._asdict(), "trajectories": trajectories,
    }  # fmt: skip
    folder = RunFolder.open(out, {"settings": wanted, "tasks": task_facts(found), "versions": versions()})
    return _recorded(folder, units, playing)


def _recorded(folder: RunFolder, units: list[Unit], playing: Callable[[], Play]) -> Iterator[Finished]:
    with folder:
        done = folder.resume()
        missing = [unit for unit in units if unit.key not in done]
        if missing:
            for unit, played in playing()(iter(missing)):
                folder.add(unit.key, played)
                yield Finished(unit.key, played.row, len(units), len(units) - len(missing))
        folder.summarize()


def _player(
    make: Callable[[], Any],
    name: str,
    caps: Caps,
    record: bool,
    workers: int | None,
    address: str | None,
    concurrency: int,
    timeout: float | None,
    retries: int,
) -> Play:
    """How units are played: in this process, or on Ray. An agent that cannot be made is found before the first."""
    from lifegym.baselines.agent import made

    def here(units: Iterator[Unit]) -> Iterator[tuple[Unit, Played]]:
        made(make, name)
        for unit in units:
            for _ in range(retries + 1):
                played = play_unit(make, name, unit, caps, record)
                if not played.again:
                    break
            yield unit, played

    def on_ray(units: Iterator[Unit]) -> Iterator[tuple[Unit, Played]]:
        from lifegym.rollouts.connection import connected
        from lifegym.rollouts.pool import Pool

        with connected(workers, address) as size:
            yield from Pool(make, name, caps, record, size, concurrency, timeout, retries).play(units)

    return here if workers == 0 else on_ray


def agent_name(agent: AgentLike) -> str:
    """How an agent is called in records."""
    if isinstance(agent, str):
        return agent
    inner = agent.func if isinstance(agent, partial) else agent
    return f"{getattr(inner, '__module__', '')}:{getattr(inner, '__qualname__', type(inner).__name__)}".lstrip(":")


def agent_maker(agent: AgentLike, settings: dict[str, Any]) -> Callable[[], Any]:
    """What makes the agent, here or in another process.

    Raises:
        KeyError: There is no agent of this name; the message names the known ones.
    """
    if not isinstance(agent, str):
        return partial(agent, **settings)
    from lifegym.baselines import agent_names, make_agent

    if ":" not in agent and agent not in agent_names():
        raise KeyError(f"there is no agent {agent!r}; there are: {', '.join(agent_names())}; or give module:attribute")
    return partial(make_agent, agent, **settings)


def task_facts(tasks: Iterable[Task]) -> dict[str, dict[str, Any]]:
    """What a manifest says of each task."""
    return {
        task.id: {
            "source": task.source,
            "title": task.title,
            "domain": task.domain,
            "content_hash": task.bundle.content_hash,
            "factors": list(task.bundle.task.factors),
            "days": task.bundle.task.days,
            "events": len(task.bundle.timeline.events),
            "stages": list(task.bundle.task.stages),
        }
        for task in tasks
    }


def versions() -> dict[str, str]:
    """What the episodes were played with."""
    found = {"python": platform.python_version(), "platform": f"{sys.platform}-{platform.machine()}"}
    for package in ("lifegym", "gymnasium", "numpy", "orjson", "pydantic", "ray", "tinydb", "tzdata"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            from lifegym import __version__

            found[package] = __version__ if package == "lifegym" else ""
    return found
