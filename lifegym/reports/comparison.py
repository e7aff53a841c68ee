"""Two runs beside each other, paired by task: what differs, how surely, and which checks flipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifegym.reports.render import page
from lifegym.rollouts import RunError, RunFolder
from lifegym.statistics import paired_difference, part_shares, summarize
from lifegym.task_suite import BundleError, load_task

__all__ = ["compare", "comparison_page"]

TIERS = ("stage", "cross", "final")
HALF = 0.5
"""A check counts as passed by a run folder if more than this share of its episodes pass it."""


def compare(first: RunFolder, second: RunFolder) -> dict[str, Any]:
    """The differences ``second - first``, as JSON values.

    Tasks count if both runs scored them in the same version; the others are listed by name and left out.

    Returns:
        ``runs`` (each with ``path``, ``agent``, ``variant``), ``difference`` (``mean``, ``low``, ``high``, a 95 %
        bootstrap interval over tasks), ``better``, ``worse`` and ``equal`` (numbers of tasks), ``tasks`` (the most
        changed first), ``tiers``, ``axes``, ``costs``, ``flipped`` (checks that most episodes of one run pass and most
        of the other fail, the most changed first), ``left_out`` and ``notes``.

    Raises:
        RunError: One has no score yet, or they have no task in common.
    """
    rows = [_scored(run) for run in (first, second)]
    for run, found in zip((first, second), rows, strict=True):
        if not found:
            raise RunError(
                f"{run.path} has no score yet; the lifegym evaluate command that began it plays what is missing"
            )
    shared, left_out = _shared(first, second, rows)
    if not shared:
        raise RunError(
            f"{first.path} and {second.path} have no task in common that both have scored in the same version; "
            "lifegym runs lists what there is"
        )
    paired = [[row for row in found if row["task"] in shared] for found in rows]
    summaries = [summarize(found, run.tasks) for found, run in zip(paired, (first, second), strict=True)]
    tasks = [_task(id, first, summaries) for id in shared]
    averages = [[summary["tasks"][id]["avg"] for id in shared] for summary in summaries]
    difference = paired_difference(averages[0], averages[1])
    return {
        "runs": [
            {"path": run.path.absolute().name, "agent": run.agent, "variant": run.manifest["settings"]["variant"]}
            for run in (first, second)
        ],
        "averages": [summary["suite"]["avg"] for summary in summaries],
        "difference": difference._asdict(),
        "better": sum(task["difference"] > 0 for task in tasks),
        "worse": sum(task["difference"] < 0 for task in tasks),
        "equal": sum(task["difference"] == 0 for task in tasks),
        "tasks": sorted(tasks, key=lambda task: (-abs(task["difference"]), task["task"])),
        **{kind: _parts(kind, paired) for kind in ("tiers", "axes")},
        "costs": _costs(summaries),
        "flipped": sorted(
            (line for id in shared for line in _flipped(id, first, paired)),
            key=lambda line: -abs(line["second"] - line["first"]),
        ),
        "left_out": left_out,
        "notes": _notes(first, second),
    }


def comparison_page(found: Mapping[str, Any]) -> str:
    """What ``compare`` gives as a page of its own."""
    return page("compare.html", scripts=("dom.js", "tables.js", "plain.js"), found=found)


def _scored(run: RunFolder) -> list[dict[str, Any]]:
    return [row for row in run.rows() if row["score"] is not None and row["task"] in run.tasks]


def _shared(
    first: RunFolder, second: RunFolder, rows: Sequence[list[dict[str, Any]]]
) -> tuple[list[str], list[dict[str, str]]]:
    played = [{row["task"] for row in found} for found in rows]
    shared, left_out = [], []
    for id in dict.fromkeys([*first.tasks, *second.tasks]):
        hashes = [run.tasks[id]["content_hash"] if id in run.tasks else None for run in (first, second)]
        if None in hashes:
            left_out.append(
                {"task": id, "why": f"only in {(first if hashes[1] is None else second).path.absolute().name}"}
            )
        elif hashes[0] != hashes[1]:
            left_out.append({"task": id, "why": "the runs played different versions of it"})
        elif not all(id in found for found in played):
            left_out.append({"task": id, "why": "one of the runs has no score for it"})
        else:
            shared.append(id)
    return shared, left_out


def _task(id: str, run: RunFolder, summaries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    before, after = (summary["tasks"][id] for summary in summaries)
    return {
        "task": id,
        "title": run.tasks[id]["title"],
        "domain": run.tasks[id]["domain"],
        "first": before["avg"],
        "second": after["avg"],
        "difference": after["avg"] - before["avg"],
        "scores": [before["scores"], after["scores"]],
    }


def _parts(kind: str, rows: Sequence[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    before, after = (part_shares(found, kind) for found in rows)
    return [
        {"name": name, "first": before[name], "second": after[name], "difference": after[name] - before[name]}
        for name in (TIERS if kind == "tiers" else before)
        if name in before and name in after
    ]


def _costs(summaries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Means of an episode; seconds are left out, they say more of the machine."""
    before, after = (summary["cost"] for summary in summaries)
    return [
        {"name": name, "first": before[name]["mean"], "second": after[name]["mean"]}
        for name in before
        if name in after and name != "seconds"
    ]


def _flipped(id: str, run: RunFolder, rows: Sequence[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    rates = [_rates([row for row in found if row["task"] == id]) for found in rows]
    facts = _facts(run.tasks[id]["source"])
    lines = []
    for check in rates[0]:
        before, after = rates[0][check], rates[1].get(check)
        if after is not None and (before > HALF) != (after > HALF):
            known = facts.get(check, {"what": "", "weight": None, "axis": "", "stage": ""})
            lines.append(
                {"task": id, "check": check, "first": before, "second": after, "gained": after > before, **known}
            )
    return lines


def _rates(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    return {check: sum(row["checks"].get(check, False) for row in rows) / len(rows) for check in rows[0]["checks"]}


def _facts(source: str) -> dict[str, dict[str, Any]]:
    """What the checks of a task are, where it is installed."""
    try:
        checks = load_task(source).scenario("canonical", 0).checks.values()
    except (KeyError, BundleError, OSError):
        return {}
    return {
        check.id: {"what": check.what, "weight": check.weight, "axis": check.axis, "stage": check.stage or check.tier}
        for check in checks
    }


def _notes(first: RunFolder, second: RunFolder) -> list[str]:
    notes = []
    for name, what in (("variant", "variants"), ("seeds", "seeds"), ("runs", "numbers of runs a task")):
        values = [run.manifest["settings"].get(name) for run in (first, second)]
        if values[0] != values[1]:
            notes.append(f"The runs have different {what}: {values[0]} and {values[1]}.")
    versions = [run.manifest["versions"].get("lifegym") for run in (first, second)]
    if versions[0] != versions[1]:
        notes.append(f"They were played with different versions of lifegym: {versions[0]} and {versions[1]}.")
    return notes
