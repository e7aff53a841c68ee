"""``lifegym act``: one call at a time, from any program that can run a command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lifegym.cli.console import refuse, warn
from lifegym.cli.finding import find_scenario, find_task

if TYPE_CHECKING:
    from lifegym.rollouts.call_file import CallFile, Replay

__all__ = ["act", "open_calls"]


def act(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file that keeps the calls of the episode.")],
    call: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CALL",
            help='service.tool key=value key:=JSON, or reply "text", or wait, or JSON {"tool": .., "arguments": ..}.',
        ),
    ] = None,
    task: Annotated[str | None, typer.Option(help="Begin an episode of this task (id or folder).")] = None,
    variant: Annotated[str, typer.Option(help="With --task: canonical, train or test.")] = "canonical",
    seed: Annotated[int, typer.Option(help="With --task: the variant's seed.")] = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a file; go on although the task's files have changed.")
    ] = False,
) -> None:
    """Play an episode that is kept as a file of calls, one call for each command.

    `lifegym act --task japan-trip trip.jsonl` begins one and prints what an agent is told. Then, as often as needed,

        lifegym act trip.jsonl calendar.list_events order_by=startTime
        lifegym act trip.jsonl reply "Done."

    carry out one call and print what comes of it. Without a call the last observation is printed again.

    `lifegym score trip.jsonl` tells the score once the timeline has ended.
    """
    if task is not None:
        if call:
            refuse("begin the episode first; give the call in a command of its own, without --task")
        _begin(file, task, variant, seed, force)
        return
    calls, replay = open_calls(file, force)
    if call:
        replay = _carried_out(calls, replay, call)
    _show(replay)


def open_calls(file: Path, force: bool) -> tuple[CallFile, Replay]:
    """The calls in a file, and the episode that they make."""
    from lifegym.rollouts.call_file import CallFile, CallFileError
    from lifegym.task_suite import BundleError

    try:
        calls = CallFile.read(file)
    except FileNotFoundError:
        refuse(f"there is no file {file}; begin an episode with: lifegym act --task TASK {file}")
    except OSError as error:
        refuse(f"{file} cannot be read: {error.strerror}")
    except CallFileError as error:
        refuse(str(error))
    header = calls.header
    task = find_task(header.task)
    if task.bundle.content_hash != header.content_hash and not force:
        refuse(
            f"the task {task.id!r} has changed since {file} was begun (content hash {header.content_hash[:12]} then,"
            f" {task.bundle.content_hash[:12]} now), so the calls may no longer fit; begin another file, or use --force"
        )
    try:
        return calls, calls.replay(task)
    except (CallFileError, BundleError, ValueError) as error:
        refuse(str(error))


def _begin(file: Path, name: str, variant: str, seed: int, force: bool) -> None:
    from lifegym.episode import Episode
    from lifegym.rollouts.call_file import CallFile, Header, Replay

    task = find_task(name)
    scenario = find_scenario(task, variant, seed)
    episode = Episode(scenario)
    step = episode.begin()
    header = Header(task.source, task.bundle.content_hash, scenario.variant, scenario.seed)
    try:
        CallFile.begin(file, header, overwrite=force)
    except FileExistsError:
        refuse(f"{file} exists; name another file, or overwrite it with --force")
    except OSError as error:
        refuse(f"{file} cannot be written: {error.strerror}")
    _show(Replay(episode, step))


def _carried_out(calls: CallFile, replay: Replay, words: list[str]) -> Replay:
    from lifegym.cli.call_words import CallWordsError, parse_call

    if replay.episode.over:
        refuse(f"this episode has ended; see: lifegym score {calls.path}")
    try:
        action = parse_call(words)
    except CallWordsError as error:
        refuse(str(error))
    step = replay.episode.step(action)
    try:
        calls.append(action)
    except OSError as error:
        refuse(f"{calls.path} cannot be written: {error.strerror}; the call is not kept")
    return replay._replace(step=step)


def _show(replay: Replay) -> None:
    seen = replay.observation
    print(f"{seen['time']} {seen['kind']}\n{seen['text']}")
    if replay.episode.faults:
        warn("the environment failed in this episode; it will not be scored")
