"""The properties of a database as a whole: exactly one title, unique names, and how they change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifegym.services.notion.properties import CHOICES, TYPES, parse_spec
from lifegym.services.tools import ToolError

__all__ = ["changed_schema", "new_schema"]

MOST_PROPERTIES = 60


def new_schema(given: Mapping[str, Any]) -> dict[str, Any]:
    """The properties of a new database, without ids; a title "Name" is added where there is none.

    Raises:
        ToolError: ``bad_property``.
    """
    schema = {name: parse_spec(name, value) for name, value in given.items()}
    if not any(spec["type"] == "title" for spec in schema.values()):
        title = "Name" if "Name" not in schema else "Title"
        schema = {title: parse_spec(title, "title"), **schema}
    return _checked(schema)


def changed_schema(old: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The properties of a database after some changes, and what names became of old ones ("" for removed ones).

    Raises:
        ToolError: ``bad_property``.
    """
    schema: dict[str, Any] = {}
    names: dict[str, str] = {}
    changes = {_name(old, key): value for key, value in given.items()}
    for name, spec in old.items():
        if name not in changes:
            made = spec
        elif changes[name] is None:
            names[name] = ""
            continue
        else:
            made = _changed(spec, changes[name])
        if made["name"] != name:
            names[name] = made["name"]
        if made["name"] in schema or (made["name"] != name and made["name"] in old):
            raise ToolError("bad_property", f"there is a property {made['name']!r} already")
        schema[made["name"]] = made
    for name, value in changes.items():
        if name not in old:
            if value is None:
                raise ToolError("bad_property", f"there is no property {name[:60]!r}; there are: {', '.join(old)}")
            schema[name] = parse_spec(name, value)
    return _checked(schema), names


def _name(old: Mapping[str, Any], key: str) -> str:
    """The name of a property that is given by name or id."""
    return next((name for name, spec in old.items() if key == spec["id"] and key not in old), key)


def _changed(spec: Mapping[str, Any], given: Any) -> dict[str, Any]:
    """A property that is renamed, or that gets more options or another number format."""
    kind = spec["type"]
    fields: Mapping[str, Any] = given if isinstance(given, dict) else {"type": given}
    name = fields.get("name", spec["name"])
    named = fields.get("type") or next((key for key in fields if key in TYPES), kind)
    if not isinstance(name, str) or not name or len(name) > 100 or named != kind:
        raise ToolError(
            "bad_property", f'property {spec["name"]!r} is a {kind} and stays one; rename it with {{"name": "..."}}'
        )
    made = {**spec, "name": name}
    if kind in fields:
        made[kind] = parse_spec(name, {kind: fields[kind]})[kind]
    if kind in CHOICES:
        new = [option for option in made[kind]["options"] if option not in spec[kind]["options"]]
        made[kind] = {"options": [*spec[kind]["options"], *new]}
    return made


def _checked(schema: dict[str, Any]) -> dict[str, Any]:
    if [spec["type"] for spec in schema.values()].count("title") != 1:
        raise ToolError("bad_property", "a database has exactly one property of type title")
    if len(schema) > MOST_PROPERTIES:
        raise ToolError("bad_property", f"a database has at most {MOST_PROPERTIES} properties")
    return schema
