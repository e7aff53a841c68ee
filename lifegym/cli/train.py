"""``lifegym train``: the policy gradient baseline learns tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lifegym.cli.console import console, print_json, refuse
from lifegym.counting import counted

if TYPE_CHECKING:
    from lifegym.baselines.reinforce import Settings, Trainer

__all__ = ["train"]

CHECKPOINT, CURVE, PICTURE = "policy.npz", "curve.json", "curve.svg"


def train(
    out: Annotated[Path, typer.Option(help="Folder for the checkpoint and the learning curve.")],
    tasks: Annotated[
        list[str] | None, typer.Option(help="Id, pattern such as 'travel/*', or folder; may be given several times.")
    ] = None,
    states: Annotated[int, typer.Option(min=1, help="In how many states all candidates are tried.")] = 4000,
    reward: Annotated[str, typer.Option(help="dense, stage or sparse.")] = "dense",
    seed: Annotated[int, typer.Option(min=0, help="Of everything that is drawn.")] = 0,
    measure_every: Annotated[
        int, typer.Option(min=0, help="States from one measurement to the next; 0 measures at the end only.")
    ] = 500,
    episodes: Annotated[int, typer.Option(min=1, help="Test episodes of each task in a measurement.")] = 2,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no last line.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the learning curve as JSON.")] = False,
) -> None:
    """Train `reinforce` on the train variants of tasks, and measure it on test variants that it never sees.

    The folder gets policy.npz (the checkpoint), curve.json and curve.svg. The same command again goes on from the
    checkpoint; with more states it trains further. Then: lifegym evaluate --agent reinforce --variant test
    --set checkpoint=OUT/policy.npz
    """
    from lifegym.baselines.reinforce import Settings
    from lifegym.rollouts.units import find_tasks
    from lifegym.task_suite import BundleError

    names = tasks or ["*"]
    try:
        found = tuple(task.source for task in find_tasks(names))
        settings = Settings(found, reward, states, seed)
        trainer = _begun(out, settings)
        curve = _train(trainer, out, measure_every, episodes, quiet or json)
    except KeyError as error:
        refuse(str(error.args[0]))
    except KeyboardInterrupt:
        kept = (
            f"the same command goes on from {out / CHECKPOINT}" if (out / CHECKPOINT).exists() else "nothing was kept"
        )
        refuse(f"interrupted; {kept}; the checkpoint is kept with each measurement (--measure-every)", 130)
    except OSError as error:
        refuse(f"{error.filename or out} cannot be written: {error.strerror}; name another folder with --out")
    except (BundleError, ValueError) as error:
        refuse(str(error))
    if json:
        print_json(curve)
    elif not quiet:
        last = curve["points"][-1]
        console().print(
            f"{last['score']:.1f} points on test variants after {counted(last['states'], 'state')}; {out / PICTURE}"
        )


def _begun(out: Path, settings: Settings) -> Trainer:
    """The trainer that a folder holds, or a new one.

    Raises:
        ValueError: What lies there is of other settings, or damaged.
    """
    import zipfile

    from lifegym.baselines.reinforce import Trainer

    file = out / CHECKPOINT
    out.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        return Trainer(settings)
    try:
        trainer = Trainer.load(file)
    except (ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile):
        raise ValueError(f"{file} is no checkpoint of this version; remove it, or name another folder") from None
    trainer.go_on(settings)
    return trainer


def _points(file: Path) -> list[dict[str, Any]]:
    """The measurements that were made before.

    Raises:
        ValueError: The file is damaged.
    """
    import orjson

    if not file.exists():
        return []
    try:
        points: list[dict[str, Any]] = orjson.loads(file.read_bytes())["points"]
    except (ValueError, TypeError, KeyError):
        raise ValueError(f"{file} is damaged; remove it: the curve then begins where the checkpoint is") from None
    return points


def _train(trainer: Trainer, out: Path, every: int, episodes: int, quiet: bool) -> dict[str, Any]:
    """Train, save and measure. Gives the learning curve."""
    import orjson
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from lifegym.baselines.reinforce import curve_svg, measure

    settings = trainer.settings
    kept = out / CURVE
    points = [point for point in _points(kept) if point["states"] <= trainer.states]

    def measured() -> dict[str, Any]:
        scores = {task: measure(trainer.policy, task, range(episodes), k=settings.k) for task in settings.tasks}
        mean = sum(sum(found) for found in scores.values()) / sum(len(found) for found in scores.values())
        return {"states": trainer.states, "episodes": trainer.episodes, "score": mean, "scores": scores}

    def save() -> dict[str, Any]:
        curve = {"tasks": settings.tasks, "reward": settings.reward, "seed": settings.seed, "points": points}
        kept.write_bytes(orjson.dumps(curve, option=orjson.OPT_INDENT_2))
        line = [(float(point["states"]), point["score"]) for point in points]
        svg = curve_svg("reinforce on unseen test variants", "states", {settings.reward: [line]})
        (out / PICTURE).write_text(svg, encoding="utf-8")
        trainer.save(out / CHECKPOINT)
        return curve

    err = console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=quiet or not err.is_terminal) as shown:
        bar = shown.add_task("untrained", total=settings.states, completed=trainer.states)
        if not points:
            points.append(measured())
        for progress in trainer.run():
            if every and progress.states - points[-1]["states"] >= every:
                points.append(measured())
                save()
            told = f"states, {points[-1]['score']:.1f} points, {counted(progress.episodes, 'episode')}"
            shown.update(bar, completed=progress.states, description=told)
        if points[-1]["states"] < trainer.states:
            points.append(measured())
    return save()
