"""A task's merged timeline: what happens, in its order, wherever it was written."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

from rich.console import Console

from lifegym.checks.expressions import ExpressionError, Missing, evaluate_value
from lifegym.checks.values import FUNCTIONS
from lifegym.cli.console import table
from lifegym.task_suite import Task
from lifegym.timeline import Effect, Event, Scenario
from lifegym.world import clock

__all__ = ["print_story", "story"]


def story(task: Task, scenario: Scenario) -> list[dict[str, Any]]:
    """Every event of a scenario: when, in which stage, of which kind, what is said and done, on which condition.

    Texts have the scenario's params in them; what depends on the episode stays as it is written. ``storyline`` is the
    storyline that an event comes from, or "".
    """
    bundle = task.bundle
    written = {event.id: event for event in bundle.timeline.events}
    told = []
    for event in scenario.events.values():
        model = written[event.id]
        told.append(
            {
                "at": scenario.world.iso(event.at),
                "stage": event.stage,
                "kind": event.kind,
                "event": event.id,
                "storyline": bundle.storyline("timeline.yaml", "events", bundle.events[event.id]),
                "text": _said(event, model.text, scenario),
                "does": list(_verbs(event.effects)),
                "when": model.when or "",
                "otherwise": (model.otherwise.text or "nothing happens") if model.otherwise else "",
            }
        )
    return told


def _said(event: Event, written: str | None, scenario: Scenario) -> str:
    def moment(text: str) -> dt.datetime:
        return clock.local(clock.moment(text, scenario.start, scenario.zone), scenario.zone)

    try:
        return str(evaluate_value(event.text, {**FUNCTIONS, "p": scenario.params, "t": moment}) or "")
    except (ExpressionError, Missing, NameError, KeyError):
        return written or ""


def _verbs(effects: Iterable[Effect]) -> Iterable[str]:
    for effect in effects:
        yield f"change {effect.arguments['table']}" if effect.verb == "change" else effect.verb


def print_story(out: Console, events: list[dict[str, Any]]) -> None:
    """Print it for people, a line of the table an event."""
    shown = table("Timeline", "at", "stage", "event", "kind", "what")
    for event in events:
        kind = "mutation (silent)" if event["kind"] == "mutation" else event["kind"]
        parts = [event["text"], f"does: {', '.join(event['does'])}" if event["does"] else ""]
        parts += [f"when: {event['when']}" if event["when"] else ""]
        parts += [f"otherwise: {event['otherwise']}" if event["otherwise"] else ""]
        parts += [f"storyline {event['storyline']}" if event["storyline"] else ""]
        what = "\n".join(part.strip() for part in parts if part)
        shown.add_row(event["at"][:16].replace("T", " "), event["stage"], event["event"], kind, what)
    out.print(shown)
