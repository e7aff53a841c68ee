"""What an alert or a subscription to a search looks for: a JSON object with some known keys."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from lifegym.services.tools import ToolError

__all__ = ["parse_wishes"]

_LIMIT = 4000


def parse_wishes(
    query_json: str | Mapping[str, Any],
    form: TypeAdapter[Any],
    known: Collection[str],
    example: str,
    idle: Collection[str] = (),
) -> dict[str, Any]:
    """The wishes in a query.

    Args:
        query_json: A JSON object, or its text.
        form: What each key may hold.
        known: The keys.
        example: An object that is a right one.
        idle: Keys that ask for nothing by themselves.

    Raises:
        ToolError: ``bad_query``.
    """
    keys = ", ".join(known)
    given: Any = query_json
    if isinstance(given, str):
        try:
            given = orjson.loads(given[: _LIMIT + 1])
        except orjson.JSONDecodeError:
            message = f"query_json is a JSON object such as {example}; its keys are {keys}"
            raise ToolError("bad_query", message) from None
    if not isinstance(given, Mapping):
        raise ToolError("bad_query", f"query_json is a JSON object with some of the keys {keys}")
    wishes = {key: value for key, value in given.items() if value is not None and value != ""}
    try:
        query = dict(form.validate_python(wishes))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = str(first["loc"][0])[:40] if first["loc"] else "query_json"
        raise ToolError("bad_query", f"{where}: {first['msg'].lower()}; the keys are {keys}") from None
    if all(key in idle for key in query):
        raise ToolError("bad_query", f"query_json asks for nothing; give at least one of {keys}")
    return query
