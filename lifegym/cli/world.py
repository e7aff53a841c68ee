"""``lifegym world``: a task's world as pages, at any moment of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lifegym.cli.console import console, refuse, warn
from lifegym.cli.finding import find_agent, find_scenario, find_task
from lifegym.counting import counted

if TYPE_CHECKING:
    from lifegym.rollouts.trajectory import Trajectory
    from lifegym.task_suite import Task

__all__ = ["world"]


def world(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Id of a task, or the folder of a bundle.")],
    at: Annotated[
        str,
        typer.Option(
            metavar="MOMENT",
            help="start (the first turn opens), a stage such as S5 (it closes), a moment such as 'D+12 09:00', or end.",
        ),
    ] = "start",
    agent: Annotated[str, typer.Option(help="Who plays until then (see `lifegym agents`).")] = "reference",
    trajectory: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Instead of an agent: the calls of a recorded episode.")
    ] = None,
    variant: Annotated[str, typer.Option(help="canonical, train or test.")] = "canonical",
    seed: Annotated[int, typer.Option(help="The variant's seed.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the pages; by default worlds/TASK-VARIANT-SEED-MOMENT, worlds/TASK-MOMENT if canonical.",
        ),
    ] = None,
    open: Annotated[bool, typer.Option("--open", help="Open the pages in a browser.")] = False,
) -> None:
    """Write a world as pages to browse: mail, calendar, bank, bookings, notes, files, whatever the task has.

    They show what the agent could have seen at that moment, and nothing else: every page is read with the world's own
    tools. The pages need nothing but a browser.
    """
    from lifegym.reports.world import MomentError, Recorded, reach, write

    found = find_task(task)
    if trajectory is not None:
        recorded = _recorded(trajectory, found)
        agent, variant, seed = recorded.agent, recorded.key.variant, recorded.key.seed
    scenario = find_scenario(found, variant, seed)
    player = None if at == "start" else Recorded(recorded.actions) if trajectory else find_agent(agent)
    try:
        moment = reach(scenario, player, found.source, at, seed)
    except MomentError as error:
        refuse(str(error))
    except Exception as error:  # an agent may raise anything
        refuse(f"the agent {agent!r} raised {type(error).__name__}: {error}", 1)
    named = "".join(letter if letter.isalnum() or letter in "+-" else "-" for letter in at)
    drawn = "" if variant == "canonical" else f"-{variant}-{seed}"
    folder = out or Path("worlds") / f"{found.id}{drawn}-{named}"
    try:
        files = write(folder, scenario, moment, found.title, agent if player else "")
    except OSError as error:
        refuse(f"{folder} cannot be written: {error.strerror}; name another folder with --out")
    console().print(f"{counted(len(files), 'page')}, {moment.world.iso()[:16].replace('T', ' ')}: {files[0]}")
    if open:
        import webbrowser

        webbrowser.open(files[0].resolve().as_uri())


def _recorded(file: Path, task: Task) -> Trajectory:
    """A recorded episode of a task."""
    from lifegym.rollouts.trajectory import read_trajectory

    try:
        found = read_trajectory(file)
    except OSError as error:
        refuse(f"{file} cannot be read: {error.strerror}")
    except ValueError as error:
        refuse(f"{error}; a run folder has them: RUN/trajectories/TASK/VARIANT-SEED-RUN.json.gz")
    if found.key.task != task.id:
        refuse(f"{file} is an episode of {found.key.task}, not of {task.id}")
    if found.content_hash != task.bundle.content_hash:
        warn(f"{task.id} has changed since the episode was recorded; what its calls do now may differ")
    return found
