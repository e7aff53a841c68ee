"""Field types of records and parameters: instants, days, money, references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo

from lifegym.world import clock

__all__ = ["Currency", "Day", "Instant", "Minor", "RecordModel", "Ref", "TimeOfDay"]


class RecordModel(BaseModel):
    """What a record of a table must look like. The first field is the table's unique key."""

    model_config = ConfigDict(extra="forbid", strict=True)


@dataclass(frozen=True)
class Ref:
    """Marks a field that holds the key of a record in another table, such as ``Ref("banking.accounts")``.

    None and the empty string refer to nothing and are allowed where the field's type allows them.
    """

    table: str


def _moments(info: ValidationInfo) -> Any:
    """``{"start": date, "zone": str}`` where records are read from a bundle, else None."""
    return (info.context or {}).get("start") and info.context


def _instant(value: Any, info: ValidationInfo) -> Any:
    if not isinstance(value, str):
        return value
    context = _moments(info)
    if context:
        if value.startswith("D+"):
            return clock.iso(clock.moment(value, context["start"], context["zone"]), context["zone"])
        clock.parse_instant(value, context["zone"])
        return value if len(value) > 19 else clock.iso(clock.parse_instant(value, context["zone"]), context["zone"])
    if len(value) < 20:
        raise ValueError(f"{value!r} has no offset; an instant is ISO 8601 such as 2026-04-17T09:00:00+08:00")
    clock.parse_instant(value, "UTC")
    return value


def _day(value: Any, info: ValidationInfo) -> Any:
    context = _moments(info)
    if context and isinstance(value, str) and value.startswith("D+"):
        return clock.local(clock.moment(value, context["start"], context["zone"]), context["zone"]).date().isoformat()
    return value


def _is_day(value: str) -> str:
    clock.parse_day(value)
    return value


Instant = Annotated[str, BeforeValidator(_instant)]
"""ISO 8601 date-time with offset. In a bundle also ``D+3 09:30``, or a local date-time in the task's zone."""

Day = Annotated[str, BeforeValidator(_day), AfterValidator(_is_day)]
"""``YYYY-MM-DD``. In a bundle also ``D+3``."""

TimeOfDay = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
"""``HH:MM``."""

Minor = int
"""Money in minor units (cents, fen; yen have none), always beside a currency."""

Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
"""ISO 4217 code."""
