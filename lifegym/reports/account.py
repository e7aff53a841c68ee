"""An episode as its page tells it: turns, calls, events, checks, and what became of records and files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lifegym.reports.changes import Change, Moment
from lifegym.reports.notes import page_text
from lifegym.reports.retelling import Deed, Retelling
from lifegym.reports.turning_points import TurningPoint, turning_points
from lifegym.rollouts.rescoring import replay
from lifegym.rollouts.trajectory import Trajectory
from lifegym.services import catalogue
from lifegym.task_suite import BundleError, load_task

__all__ = ["account"]

LABELS = ("subject", "summary", "title", "name", "description", "payee", "merchant", "text", "memo")
"""Fields of records by which people call them, the best first."""


def account(recorded: Trajectory, row: Mapping[str, Any], alike: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the page of an episode shows, as JSON values.

    The recorded calls are replayed, since only the world knows what they changed. Where the task is not installed here,
    there is what was recorded: what was seen and sent, and which checks passed.

    Args:
        recorded: Its trajectory.
        row: Its line of ``results.jsonl``.
        alike: The account of an episode that went the same way step by step, so that this one need not be replayed.
    """
    head = {
        **recorded.key._asdict(),
        "agent": recorded.agent,
        "row": {name: value for name, value in row.items() if name not in ("checks", "probes", "trajectory")},
    }
    if alike is not None:
        return {**alike, **head}
    told: dict[str, Any] = {
        **head,
        **_turns(recorded),
        "notes": [],
    }
    try:
        changed = load_task(recorded.source).bundle.content_hash != recorded.content_hash
        episode, divergence = replay(recorded, Retelling)
    except (KeyError, BundleError, OSError) as error:
        reason = str(error.args[0]) if error.args else type(error).__name__
        told["notes"].append(
            f"The task cannot be loaded here ({reason}), so this page has what was recorded and nothing of the world. "
            "Install the version of the task that was played, and make the report again."
        )
        return {**told, "checks": _bare_checks(row)}
    except Exception as error:  # a defect of the world must not take the other pages with it
        told["notes"].append(
            f"The episode cannot be replayed here ({type(error).__name__}: {error}); this page has what was recorded."
        )
        return {**told, "checks": _bare_checks(row)}
    if changed:
        told["notes"].append(
            "The task's files are others than when this was played; checks are explained as they are today."
        )
    if divergence is not None:
        told["notes"].append(
            f"The world answers otherwise from step {divergence.step} on. What was seen and sent is as recorded; what "
            "changed in the world, and why checks passed or failed, is what a replay in today's world gives."
        )
    differ = [
        id for id, verdict in episode.verdicts.items() if row.get("checks", {}).get(id) not in (None, verdict.passed)
    ]
    if differ:
        told["notes"].append(f"Decided otherwise when it was played: {', '.join(differ)}.")
    told |= _told(episode)
    _link(told, episode)
    episode.world.unbind()
    return told


# -- what was recorded -----------------------------------------------------------------------------------------------


def _turns(recorded: Trajectory) -> dict[str, Any]:
    turns: list[dict[str, Any]] = []
    steps: list[dict[str, Any]] = []
    for number, seen in enumerate(recorded.observations):
        if seen["kind"] not in ("result", "error", "end"):
            opening = {name: seen[name] for name in ("kind", "stage", "text")}
            turns.append({**opening, "opened": seen["time"], "closed": None, "ended_by": "", "steps": [], "events": []})
        if number >= len(recorded.actions):
            break
        after = recorded.observations[number + 1]
        step = _step(number + 1, recorded, after)
        steps.append(step)
        if turns:
            turns[-1]["steps"].append(number + 1)
            if step["ends"]:
                turns[-1] |= {"closed": seen["time"], "ended_by": step["tool"].rpartition(".")[2]}
    last = recorded.observations[-1] if recorded.observations else {"text": "", "time": None, "kind": ""}
    return {"turns": turns, "steps": steps, "ending": last["text"] if last["kind"] == "end" else ""}


def _step(number: int, recorded: Trajectory, after: Mapping[str, str]) -> dict[str, Any]:
    action, code = recorded.actions[number - 1], recorded.codes[number - 1]
    named = action.get("tool") if isinstance(action, dict) else None
    spec = catalogue.find_tool(named) if isinstance(named, str) else None
    ends = after["kind"] not in ("result", "error")
    proper = isinstance(action, dict) and not set(action) - {"tool", "arguments"} and isinstance(named, str)
    return {
        "n": number,
        "tool": spec.name if spec else str(named or "not a call")[:200],
        "arguments": (action.get("arguments") or {}) if proper else action,
        "write": bool(spec and spec.write),
        "code": code,
        "ends": ends,
        "text": "" if ends else after["text"],
        "time": after["time"] if not ends else recorded.observations[number - 1]["time"],
        "reward": recorded.rewards[number - 1],
    }


def _bare_checks(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"id": id, "passed": passed} for id, passed in row.get("checks", {}).items()]


# -- what the world knows --------------------------------------------------------------------------------------------


def _told(episode: Retelling) -> dict[str, Any]:
    scenario, world = episode.scenario, episode.world
    score = episode.score()
    history = episode.history
    turn_of = {event: turn.number for turn in history.turns for event in turn.events}
    files = _files(episode)
    deeds = [_deed(deed, world.iso(deed.at)) for deed in episode.deeds]
    return {
        "zone": scenario.zone,
        "start": world.iso(scenario.stages[0].start) if scenario.stages else None,
        "begin": scenario.start.isoformat(),
        "end": world.iso(scenario.end),
        "stages": [
            {
                "id": stage.id,
                "start": world.iso(stage.start),
                "end": world.iso(min(stage.end, scenario.end)),
                "step": episode.closed_by.get(stage.id),
                **score.stages.get(stage.id, {}),
            }
            for stage in scenario.stages
        ],
        "events": [
            {
                "id": event.id,
                "kind": event.kind,
                "stage": event.stage,
                "at": world.iso(fired.at if (fired := history.fired.get(event.id)) else event.at),
                "fired": fired is not None,
                "held": fired is None or fired.held,
                "when": event.when.source if event.when else "",
                "does": [_verb(effect) for effect in event.effects],
                "turn": turn_of.get(event.id),
            }
            for event in scenario.events.values()
        ],
        "deeds": deeds,
        "files": files,
        "pages": _pages(episode),
        "records": _records(episode),
        "checks": [_check(row, point, episode) for row, point in _explained(episode)],
        "total": score.total,
        "earned": score.earned,
        "faults": [fault.splitlines()[-1] for fault in score.faults],
    }


def _verb(effect: Any) -> str:
    return f"change {effect.arguments['table']}" if effect.verb == "change" else str(effect.verb)


def _link(told: dict[str, Any], episode: Retelling) -> None:
    """Put the timeline's events to the turns that they opened."""
    for turn, found in zip(told["turns"], episode.history.turns, strict=False):
        turn["events"] = list(found.events)


def _explained(episode: Retelling) -> Iterable[tuple[dict[str, Any], TurningPoint | None]]:
    points = turning_points(episode)
    return [(row, points.get(row["id"])) for row in episode.evaluation()]


def _check(row: dict[str, Any], point: TurningPoint | None, episode: Retelling) -> dict[str, Any]:
    paid = episode.closed_by.get(row["stage"]) if row["stage"] else episode.steps
    return {**row, "point": point._asdict() if point else None, "paid": paid}


# -- changes ---------------------------------------------------------------------------------------------------------


def _files(episode: Retelling) -> dict[str, list[dict[str, Any]]]:
    """Every version of each file that was written, changed or removed; the first may be from before the beginning."""
    found: dict[str, list[dict[str, Any]]] = {}
    for deed in episode.deeds:
        for change in deed.changes:
            if change.table == "file":
                versions = found.setdefault(change.id, [])
                if not versions and change.before is not None:
                    versions.append(_version("begin", "", None, change.before))
                versions.append(_version(deed.by, deed.name, episode.world.iso(deed.at), change.after))
    return dict(sorted(found.items()))


def _pages(episode: Retelling) -> list[dict[str, Any]]:
    """Every version of each page of the notes that was written or changed."""
    begin = episode.scenario.world.fork()
    found: dict[str, dict[str, Any]] = {}
    for deed in episode.deeds:
        at = episode.world.iso(deed.at)
        for id, page in deed.pages.items():
            if id not in found:
                first = page_text(begin, id)
                found[id] = {"title": "", "versions": []}
                if first is not None:
                    found[id] = {"title": first[0], "versions": [_version("begin", "", None, first[1])]}
            versions = found[id]["versions"]
            text = page and page[1]
            found[id]["title"] = page[0] if page else found[id]["title"]
            if not versions or versions[-1]["text"] != text:
                versions.append(_version(deed.by, deed.name, at, text))
    begin.unbind()
    return [page for page in found.values() if len(page["versions"]) > 1 or page["versions"][0]["by"] != "begin"]


def _version(by: str, name: Any, at: str | None, text: str | None) -> dict[str, Any]:
    return {"by": by, "name": name, "at": at, "text": text}


def _deed(deed: Deed, at: str) -> dict[str, Any]:
    changes = [_changed(change) for change in deed.changes]
    return {"by": deed.by, "name": deed.name, "at": at, "changes": changes}


def _changed(change: Change) -> dict[str, Any]:
    """A change with the fields that differ; a file's text is among its versions."""
    how = "added" if change.before is None else "removed" if change.after is None else "changed"
    made = {"table": change.table, "id": change.id, "how": how}
    if change.table == "file":
        return made
    made["label"] = _label(change.after or change.before)
    if how == "changed":
        names = dict.fromkeys([*change.before, *change.after])
        pairs = {name: [change.before.get(name), change.after.get(name)] for name in names}
        return {**made, "fields": {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}}
    return {**made, "record": dict(change.after or change.before)}


def _label(record: Mapping[str, Any]) -> str:
    content = record.get("content")
    if isinstance(content, Mapping) and isinstance(content.get("rich_text"), (list, tuple)):
        return "".join(str(part.get("plain_text", "")) for part in content["rich_text"])[:120]
    found = next((value for name in LABELS if isinstance(value := record.get(name), str) and value), "")
    return found[:120]


def _records(episode: Retelling) -> list[dict[str, Any]]:
    """What differs between the beginning and the end of the episode, with who had a hand in it."""
    hands: dict[tuple[str, str], list[list[Any]]] = {}
    for deed in episode.deeds:
        for change in deed.changes:
            hand = [deed.by, deed.name]
            known = hands.setdefault((change.table, change.id), [])
            if hand not in known:
                known.append(hand)
    changes = Moment(episode.scenario.world).changes(episode.world)
    return [
        {**_changed(change), "by": hands.get((change.table, change.id), [])}
        for change in changes
        if change.table != "file"
    ]
