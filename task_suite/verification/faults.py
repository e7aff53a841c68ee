"""Gate ``faults``: the world's own changes happen in every run, whatever the agent did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from lifegym.episode import Episode
from lifegym.services import catalogue
from lifegym.task_suite.verification.context import Context, Variation
from lifegym.task_suite.verification.playthrough import Item, Playthrough
from lifegym.task_suite.verification.report import GateReport
from lifegym.timeline import Event, Scenario

__all__ = ["Otherwise", "faults"]

WAIT = {"tool": "assistant.wait", "arguments": {}}


class Otherwise:
    """The reference with other choices: where it books one of several things that it found, this takes another.

    It plays along with the solution; an id among the arguments of a writing call that stood in an earlier result, in a
    list with others of its kind, is replaced by the first other one that the world accepts.
    """

    def __init__(self, play: Playthrough) -> None:
        self.play = play
        self.lists: list[dict[str, list[str]]] = []
        self.chosen: dict[tuple[str, str], str] = {}

    def finish(self) -> Playthrough:
        """Play to the end."""
        while not self.play.over:
            done = len(self.play.actions)
            self.play.advance(self._other)
            for _, _, step in self.play.actions[done:]:
                if step.kind == "result":
                    found: dict[str, list[str]] = {}
                    _collect(orjson.loads(step.text), found)
                    self.lists.append(found)
        return self.play

    def _other(self, item: Item, action: dict[str, Any]) -> Iterable[dict[str, Any]]:
        spec = catalogue.find_tool(action["tool"])
        if item.step is None or spec is None or not spec.write or spec.service in catalogue.ALWAYS:
            return [action]
        for key, value in action["arguments"].items():
            for other in self._choices(key, value):
                changed = {**action, "arguments": {**action["arguments"], key: other}}
                if self.play.episode.fork().step(changed).kind == "result":
                    self.chosen[action["tool"], value] = other
                    return [changed]
        return [action]

    def _choices(self, key: str, value: Any) -> Iterator[str]:
        if isinstance(value, str):
            for found in reversed(self.lists):
                values = found.get(key, [])
                if value in values:
                    yield from (other for other in values if other != value)
                    return


def _collect(value: Any, found: dict[str, list[str]], key: str = "") -> None:
    if isinstance(value, dict):
        for name, each in value.items():
            _collect(each, found, name)
    elif isinstance(value, list):
        for each in value:
            _collect(each, found, key)
    elif isinstance(value, str) and key.endswith("_id") and value not in found.setdefault(key, []):
        found[key].append(value)


def faults(context: Context) -> GateReport:
    """That each mutation fires, and does something or takes what it declares for the case that it finds nothing."""
    report = GateReport("faults")
    applied: dict[str, set[str]] = {}
    for variation in context.variations:
        scenario = context.scenario(variation)
        runs = {"idle": _idle(scenario)}
        runs["reference"] = Playthrough(context.task, scenario, strict=False).finish().episode
        if variation[1] == 0:  # the first of each variant: it looks before each choice, which takes its time
            other = Otherwise(Playthrough(context.task, scenario, strict=False))
            runs["other choices"] = other.finish().episode
            report.figures["chosen otherwise"] = max(report.figures.get("chosen otherwise", 0), len(other.chosen))
        for name, episode in runs.items():
            _look(report, episode, name, variation, applied)
    mutations = [event for event in context.scenario().events.values() if event.kind == "mutation"]
    for event in mutations:
        if event.id not in applied:
            report.fail(
                f"{_verbs(event)} never applies: it found nothing to change in any run",
                subject=event.id,
                stage=event.stage,
                run="idle, the reference and the reference with other choices",
                advice="address a record that is there, or one that the reference makes",
            )
    report.figures["mutations"] = len(mutations)
    report.figures["applied"] = {name: sum(name in runs for runs in applied.values()) for name in RUNS}
    return report


RUNS = ("idle", "reference", "other choices")


def _verbs(event: Event) -> str:
    return ", ".join(effect.verb for effect in event.effects)


def _idle(scenario: Scenario) -> Episode:
    episode = Episode(scenario)
    episode.begin()
    while not episode.over:
        episode.step(WAIT)
    return episode


def _look(report: GateReport, episode: Episode, name: str, variation: Variation, applied: dict[str, set[str]]) -> None:
    run = f"{name}, {variation[0] if variation[0] == 'canonical' else f'{variation[0]} seed {variation[1]}'}"
    for event in episode.scenario.events.values():
        fault = next((fault for fault in episode.faults if fault.startswith(f"event {event.id}:")), "")
        if fault and not any(f.subject == event.id and f.message == fault for f in report.findings):
            report.fail(
                fault,
                subject=event.id,
                stage=event.stage,
                run=run,
                advice="declare if_none: skip, or other effects, for the case that nothing matches",
            )
        if event.kind != "mutation":
            continue
        fired = episode.history.fired.get(event.id)
        if fired is None:
            if not any(f.subject == event.id and f.message.startswith("it did not happen") for f in report.findings):
                report.fail("it did not happen", subject=event.id, stage=event.stage, run=run)
        elif fired.touched:
            applied.setdefault(event.id, set()).add(name)
    for fault in episode.faults:
        if not fault.startswith("event ") and not any(fault in f.message for f in report.findings):
            report.fail(f"a fault: {fault.strip().splitlines()[-1]}", run=run, advice="mend the bundle or the service")
