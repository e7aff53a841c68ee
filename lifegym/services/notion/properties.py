"""Properties of databases and values of their rows: their types, how they are given, and how they read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from lifegym.services.notion.richtext import plain, rich_text
from lifegym.services.tools import ToolError
from lifegym.world import clock

__all__ = [
    "CHOICES", "TEXTS", "TIMES", "TITLE_LIMIT", "TYPES", "empty", "options_in", "parse_spec", "parse_value", "read",
    "title_text",
]  # fmt: skip

TEXTS = ("title", "rich_text", "url", "email", "phone_number")
CHOICES = ("select", "multi_select", "status")
TIMES = ("created_time", "last_edited_time")
TYPES = (*TEXTS, "number", *CHOICES, "date", "people", "checkbox", *TIMES)
TITLE_LIMIT = 500


def title_text(given: Any, where: str = "title") -> str:
    """A title's plain text from any way of writing it; "Untitled" where it is empty.

    Raises:
        ToolError: ``bad_property``.
    """
    value = given
    while isinstance(value, dict) and "title" in value:
        value = value["title"]
    text = plain(rich_text(value, where, "bad_property")).strip()
    if len(text) > TITLE_LIMIT:
        raise ToolError("bad_property", f"{where}: a title has at most {TITLE_LIMIT} characters")
    return text or "Untitled"


def parse_spec(name: str, given: Any) -> dict[str, Any]:
    """A property of a database, without its id.

    Raises:
        ToolError: ``bad_property``.
    """
    kind = given if isinstance(given, str) else None
    if isinstance(given, dict):
        kind = given.get("type") or next((key for key in given if key in TYPES), None)
    if kind not in TYPES or not name or len(name) > 100:
        raise ToolError(
            "bad_property",
            f'property {name[:60]!r}: written {{"{name[:30]}": {{"select": {{}}}}}}; the types are {", ".join(TYPES)}',
        )
    settings = given.get(kind) if isinstance(given, dict) else None
    config: dict[str, Any] = {}
    if kind in CHOICES:
        options = settings.get("options", []) if isinstance(settings, dict) else []
        if not isinstance(options, list) or len(options) > 200:
            raise ToolError("bad_property", f'property {name!r}: options is a list such as [{{"name": "Open"}}]')
        config = {"options": [{"name": _option(item, name)} for item in options]}
    elif kind == "number":
        form = settings.get("format") if isinstance(settings, dict) else None
        config = {"format": form if isinstance(form, str) and len(form) < 40 else "number"}
    return {"name": name, "type": kind, kind: config}


def _option(item: Any, name: str) -> str:
    text = item.get("name") if isinstance(item, dict) else item
    if not isinstance(text, str) or not text or len(text) > 100:
        raise ToolError("bad_property", f'property {name!r}: an option is {{"name": "..."}} of up to 100 characters')
    return text


def parse_value(spec: Mapping[str, Any], given: Any, zone: str, people: Collection[str]) -> Any:
    """A row's value for a property, from what was given for it.

    Args:
        spec: The property.
        given: ``{"number": 5}``, or shorter: ``5``.
        zone: Zone of times without offset.
        people: Ids of the users that there are.

    Raises:
        ToolError: ``bad_property``.
    """
    name, kind = spec["name"], spec["type"]
    if isinstance(given, dict) and kind in given:
        given = given[kind]
    elif isinstance(given, dict) and isinstance(given.get("type"), str) and given["type"] in TYPES:
        raise ToolError("bad_property", f"property {name!r} is a {kind}, not a {given['type']}")
    if kind in TIMES:
        raise ToolError("bad_property", f"property {name!r} is filled in by itself; leave it out")
    if kind == "rich_text":
        return rich_text([] if given is None else given, f"property {name!r}", "bad_property")
    if kind == "multi_select":
        items = given if isinstance(given, list) else [] if given is None else [given]
        return [{"name": text} for text in dict.fromkeys(_option(item, name) for item in items)]
    if kind == "people":
        items = given if isinstance(given, list) else [] if given is None else [given]
        return [{"object": "user", "id": _person(item, name, people)} for item in items]
    if kind == "checkbox":
        if type(given) is not bool:
            raise ToolError("bad_property", f'property {name!r} is written {{"checkbox": true}}')
        return given
    if given is None:
        return None
    if kind in ("select", "status"):
        return {"name": _option(given, name)}
    if kind == "number":
        if type(given) not in (int, float):
            raise ToolError("bad_property", f'property {name!r} is written {{"number": 5}}')
        return given
    if kind == "date":
        return _date(given, name, zone)
    if not isinstance(given, str) or len(given) > 2000:
        raise ToolError("bad_property", f'property {name!r} is written {{"{kind}": "..."}}')
    return given


def _person(item: Any, name: str, people: Collection[str]) -> str:
    user = item.get("id") if isinstance(item, dict) else item
    if not isinstance(user, str) or user not in people:
        raise ToolError(
            "bad_property", f'property {name!r} is written {{"people": [{{"id": "..."}}]}} with ids of get_users'
        )
    return user


def _date(given: Any, name: str, zone: str) -> dict[str, Any]:
    start = given.get("start") if isinstance(given, dict) else given
    end = given.get("end") if isinstance(given, dict) else None
    made = {"start": _moment(start, name, zone), "end": None if end is None else _moment(end, name, zone)}
    if made["end"] is not None and clock.parse_instant(made["end"], zone) < clock.parse_instant(
        made["start"] or "", zone
    ):
        raise ToolError("bad_property", f"property {name!r}: end is before start")
    return made


def _moment(text: Any, name: str, zone: str) -> str:
    try:
        return text if len(text) == 10 and clock.parse_day(text) else clock.iso(clock.parse_instant(text, zone), zone)
    except (TypeError, AttributeError, ValueError, OverflowError, OSError):
        raise ToolError(
            "bad_property", f'property {name!r} is written {{"date": {{"start": "2026-04-23"}}}} or with a date-time'
        ) from None


def empty(kind: str) -> Any:
    """The value of a property that was never given."""
    if kind == "checkbox":
        return False
    return [] if kind in ("title", "rich_text", "multi_select", "people") else None


def options_in(spec: Mapping[str, Any], value: Any) -> list[str]:
    """Names in a value that the property has no option for yet."""
    if spec["type"] not in CHOICES or not value:
        return []
    known = [option["name"] for option in spec[spec["type"]].get("options", [])]
    named = [item["name"] for item in (value if isinstance(value, list) else [value])]
    return [name for name in named if name not in known]


def read(row: Mapping[str, Any], spec: Mapping[str, Any]) -> Any:
    """A row's value in plain form: text, number, bool, list of names or ids, start of a date; None where empty."""
    kind = spec["type"]
    if kind == "title":
        return row["title"]
    if kind in TIMES:
        return row[kind]
    stored = row["properties"].get(spec["name"])
    value = empty(kind) if stored is None else stored[kind]
    if kind == "rich_text":
        return plain(value)
    if kind == "people":
        return [item["id"] for item in value]
    if kind == "multi_select":
        return [item["name"] for item in value]
    if kind in ("select", "status"):
        return value["name"] if value else None
    if kind == "date":
        return value["start"] if value else None
    return value
