"""When a subscription fires: its conditions, and how a report of a status or a price meets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from lifegym.services.search import fold
from lifegym.services.tools import ToolError

__all__ = ["KNOWN_CONDITIONS", "parse_condition", "price_meets", "status_meets", "watches_price"]

KNOWN_CONDITIONS = {
    "status": 'a status or a list of them, such as "cancelled"',
    "changed": "true: only if it differs from the last report",
    "below_minor": "a price at or below this many minor units",
    "above_minor": "a price at or above this many minor units",
}
_LENGTH_LIMIT = 2000


def parse_condition(given: str | Mapping[str, Any] | None) -> dict[str, Any]:
    """The condition that an argument means, as a dict; none is ``{}``.

    Raises:
        ToolError: ``bad_condition``, which lists what there is.
    """
    if given is None or given == "":
        return {}
    condition: Any = given
    if isinstance(given, str):
        try:
            condition = orjson.loads(given[: _LENGTH_LIMIT + 1])
        except orjson.JSONDecodeError as error:
            raise ToolError("bad_condition", f"condition_json is not JSON ({error}); {_help()}") from None
    if not isinstance(condition, dict):
        raise ToolError("bad_condition", f"condition_json is an object; {_help()}")
    for key, value in condition.items():
        if key not in KNOWN_CONDITIONS:
            raise ToolError("bad_condition", f"the condition {key[:40]!r} is unknown; {_help()}")
        if not _fits(key, value):
            raise ToolError("bad_condition", f"the value of {key!r} does not fit; {_help()}")
    if "status" in condition and not condition.keys().isdisjoint(("below_minor", "above_minor")):
        raise ToolError("bad_condition", "a subscription watches either a status or a price; create two")
    return dict(condition)


def _help() -> str:
    return "the conditions are " + "; ".join(f"{key}: {meaning}" for key, meaning in KNOWN_CONDITIONS.items())


def _fits(key: str, value: Any) -> bool:
    if key == "changed":
        return value is True
    if key == "status":
        wanted = value if isinstance(value, list) else [value]
        return 0 < len(wanted) <= 20 and all(isinstance(status, str) and 0 < len(status) <= 60 for status in wanted)
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**12


def watches_price(subscription: Mapping[str, Any]) -> bool:
    """Whether a subscription is about prices rather than about what happens: by its conditions, or by its type."""
    condition = subscription["condition"]
    if "status" in condition:
        return False
    return "below_minor" in condition or "above_minor" in condition or "price" in fold(subscription["type"])


def price_meets(condition: Mapping[str, Any], amount_minor: int, last_seen: str) -> bool:
    """Whether a reported price meets a condition."""
    if condition.get("changed") and last_seen == str(amount_minor):
        return False
    if "below_minor" in condition and amount_minor > condition["below_minor"]:
        return False
    return "above_minor" not in condition or amount_minor >= condition["above_minor"]


def status_meets(condition: Mapping[str, Any], status: str, last_seen: str) -> bool:
    """Whether a reported status meets a condition."""
    if condition.get("changed") and fold(last_seen) == fold(status):
        return False
    wanted = condition.get("status")
    if wanted is None:
        return True
    return fold(status) in [fold(each) for each in (wanted if isinstance(wanted, list) else [wanted])]
