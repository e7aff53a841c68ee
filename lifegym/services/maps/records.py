"""What a map knows."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from lifegym.services.types import Currency, Day, Instant, Minor, RecordModel, Ref, TimeOfDay

__all__ = [
    "WEEKDAYS", "Change", "Closure", "Hours", "Incident", "Line", "Link", "Mode", "Place", "Stop", "Way", "Weekday",
]  # fmt: skip

Mode = Literal["driving", "walking", "transit", "cycling"]
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_SPAN = r"([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-4]):[0-5]\d"
Hours = Annotated[str, Field(pattern=rf"^(closed|{_SPAN}(, ?{_SPAN})*)$")]
"""``09:00-17:00``, ``11:30-14:00, 17:00-22:00``, ``18:00-02:00`` (past midnight) or ``closed``."""


class Closure(RecordModel):
    date_from: Day
    date_to: Day
    reason: str = ""


class Place(RecordModel):
    place_id: str
    name: str
    category: str
    aliases: list[str] = []
    lat: Annotated[float, Field(ge=-90, le=90)]
    lng: Annotated[float, Field(ge=-180, le=180)]
    address: str = ""
    city: str = ""
    zone: str = ""
    """IANA name of the zone of its clocks; the world's if empty."""
    hours: dict[Weekday, Hours] = {}
    """A weekday that is not listed is closed; nothing listed means that the hours are not known."""
    exceptions: dict[Day, Hours] = {}
    closures: list[Closure] = []
    rating: float | None = None
    phone: str = ""
    ticket_minor: Minor | None = None
    currency: Currency | None = None
    inside_km: Annotated[float, Field(ge=0)] = 0.0
    indoor: bool = False
    seated: bool = False
    notes: str = ""


class Way(RecordModel):
    via: str
    distance_m: Annotated[int, Field(ge=0)]
    duration_min: Annotated[int, Field(ge=0)]


class Link(RecordModel):
    """What is known of the way between two places, in both directions, in place of what geometry gives."""

    link_id: str
    """``pl_home|pl_office|driving``."""
    origin: Annotated[str, Ref("maps.places")]
    dest: Annotated[str, Ref("maps.places")]
    mode: Mode
    distance_m: Annotated[int, Field(ge=0)]
    duration_min: Annotated[int, Field(ge=0)]
    via: str = ""
    alternatives: list[Way] = []

    @model_validator(mode="after")
    def _has_its_key(self) -> Link:
        key = f"{self.origin}|{self.dest}|{self.mode}"
        if self.link_id != key:
            raise ValueError(f"the link_id of this link is {key!r}")
        return self


class Incident(RecordModel):
    """Something on the road between two places, in both directions."""

    incident_id: str
    origin: Annotated[str, Ref("maps.places")]
    dest: Annotated[str, Ref("maps.places")]
    via: str = ""
    extra_min: Annotated[int, Field(gt=0)]
    since: Instant
    until: Instant | None = None
    note: str = ""


class Stop(RecordModel):
    place_id: Annotated[str, Ref("maps.places")]
    minute: Annotated[int, Field(ge=0)]
    """Minutes after the line's departure from its first stop."""


class Line(RecordModel):
    line_id: str
    name: str
    kind: Literal["bus", "tram", "metro", "train", "van", "ferry"]
    stops: Annotated[list[Stop], Field(min_length=2)]
    weekdays: list[Weekday] = list(WEEKDAYS)
    departures: list[TimeOfDay] = []
    """Times at the first stop; where there are none, every_min from first to last."""
    first: TimeOfDay = "05:30"
    last: TimeOfDay = "23:00"
    every_min: Annotated[int, Field(gt=0)] = 10
    both_ways: bool = True
    fare_minor: Minor = 0
    currency: Currency | None = None


class Change(RecordModel):
    """A line that takes longer, or does not run, on some days."""

    change_id: str
    line_id: Annotated[str, Ref("maps.lines")]
    date_from: Day
    date_to: Day
    extra_min: Annotated[int, Field(ge=0)] = 0
    runs: bool = True
    note: str = ""
