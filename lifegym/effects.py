"""What events of the timeline do to the world: happenings of services, and changes of records named by their fields."""

from __future__ import annotations

from typing import Any

from lifegym.checks.evidence import Evidence
from lifegym.checks.expressions import ExpressionError, Missing, evaluate_value
from lifegym.services import catalogue
from lifegym.timeline import Effect, Event
from lifegym.world.world import World

__all__ = ["apply", "holds"]


def holds(event: Event, evidence: Evidence) -> bool:
    """Whether an event's condition holds. One over evidence that is not there does not.

    Raises:
        ExpressionError: The condition does not work out: a defect of the task.
    """
    if event.when is None:
        return True
    try:
        return bool(event.when.evaluate(evidence.scope()))
    except Missing:
        return False


def apply(effect: Effect, evidence: Evidence) -> list[str]:
    """Let an effect happen to the world of the evidence. Returns the keys of the records that it touched.

    Raises:
        ExpressionError: Nothing matches, and the effect does not say what holds then: a defect of the task.
    """
    arguments = evaluate_value(effect.arguments, evidence.scope())
    if effect.verb == "change":
        touched = _change(evidence.world, **arguments)
    else:
        service, _, verb = effect.verb.partition(".")
        valid = catalogue.happening_arguments(service, verb).validate(arguments)
        touched = list(getattr(evidence.world.service(service), verb)(**valid))
    if touched:
        return touched
    if effect.if_none is None:
        raise ExpressionError(f"{effect.verb} found nothing and declares no if_none")
    if effect.if_none == "skip":
        return []
    return [key for other in effect.if_none for key in apply(other, evidence)]


def _change(world: World, table: str, where: dict[str, Any], set: dict[str, Any]) -> list[str]:
    records = world.store.table(table)
    keys = [row[records.key] for row in records.rows() if all(row.get(k) == v for k, v in where.items())]
    for key in keys:
        records.patch(key, **set)
    return keys
