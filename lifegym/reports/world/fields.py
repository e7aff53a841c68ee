"""The fields of a tool's result as a person reads them: money with its currency, times with their weekday."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import Any

from lifegym.reports.world.parts import Cell, Tone
from lifegym.world import clock

__all__ = ["amount", "cell", "day", "is_empty", "label", "moment", "status", "time_of"]

_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DECIMALS = {
    **dict.fromkeys(("CLP", "ISK", "JPY", "KRW", "PYG", "RWF", "UGX", "VND", "XAF", "XOF", "XPF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
}
"""Decimals of the currencies that have other than two."""

_TONES: dict[Tone, frozenset[str]] = {
    "pass": frozenset({
        "accepted", "active", "answered", "approved", "arrived", "available", "booked", "checked_in", "checked_out",
        "completed", "confirmed", "delivered", "filled", "flown", "good", "met", "offer", "on_time", "open", "paid",
        "passed", "picked_up", "posted", "received", "resolved", "returned", "settled", "ticketed", "trading",
        "verified", "vested",
    }),
    "fail": frozenset({
        "blocked", "bounced", "cancelled", "cancelled_by_carrier", "closed", "declined", "delisted", "emergency",
        "exception", "expired", "failed", "frozen", "halted", "lapsed", "lost", "missed", "overdue", "overruled",
        "refused", "rejected", "repealed", "stopped", "suspended", "void", "warning", "withdrawn",
    }),
    "warn": frozenset({
        "action_needed", "advisory", "carried", "countered", "delayed", "disputed", "draft", "due", "held", "pending",
        "processing", "rescheduled", "reserved", "stayed", "submitted", "tentative", "watch",
    }),
}  # fmt: skip
_LABELS = {
    "aqi": "AQI", "apr_bps": "Interest a year", "area_sqm": "Area m²", "humidity": "Humidity %", "pnr": "Reference",
    "precip_mm": "Rain mm", "precip_prob": "Rain chance %", "temp_max": "High °C", "temp_min": "Low °C", "url": "URL",
    "uv": "UV", "wind_ms": "Wind m/s", "qty": "Quantity", "sku_id": "SKU", "freq": "How often",
}  # fmt: skip
_STATUS_NAMES = frozenset({"status", "authority", "job_status", "listing_status", "merchant_status", "flight_status"})


def label(name: str) -> str:
    """The name of a field as words: ``price_total_minor`` is ``Price total``."""
    if name in _LABELS:
        return _LABELS[name]
    text = re.sub(r"_(minor|bps|milli)$", "", name).replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def is_empty(value: Any) -> bool:
    """Whether a field has nothing to show. Zero and no are something."""
    return value is None or value in ("", [], {}, ())


def cell(name: str, value: Any, row: Mapping[str, Any], zone: str) -> Cell:
    """A field's value as it is shown.

    Args:
        name: Of the field; it tells money, shares and states from other numbers and texts.
        value: A scalar or a list of scalars; deeper values are shown as ``name: value`` texts.
        row: The record that the field is of, for its currency.
        zone: The person's time zone.
    """
    if is_empty(value):
        return Cell("–")
    if isinstance(value, bool):
        return Cell("yes" if value else "no")
    if isinstance(value, (int, float)):
        return _number(name, value, row)
    if isinstance(value, str):
        return _text(name, value, zone)
    if isinstance(value, Mapping):
        pairs = [(key, part) for key, part in value.items() if not is_empty(part)]
        inner = {"currency": row.get("currency"), **value}
        return Cell("; ".join(f"{label(key)}: {cell(key, part, inner, zone).text}" for key, part in pairs) or "–")
    if isinstance(value, Sequence):
        return Cell(", ".join(cell(name, part, row, zone).text for part in value))
    return Cell(str(value))


def _number(name: str, value: float, row: Mapping[str, Any]) -> Cell:
    if name.endswith("_minor"):
        return Cell(amount(value, str(row.get("currency") or "")), "number")
    if name.endswith("_bps"):
        return Cell(f"{value / 100:g} %", "number")
    if name == "nav_milli" or name.endswith("_nav_milli"):
        currency = str(row.get("currency") or "")
        return Cell(f"{value / 1000 / 10 ** _decimals(currency):,.4f} {currency}".strip(), "number")
    if name.endswith("_milli"):
        return Cell(f"{value / 1000:,.3f}", "number")
    if name.endswith(("duration_min", "duration_minutes")) and value >= 60:
        return Cell(f"{int(value) // 60} h {int(value) % 60:02d} min", "number")
    return Cell(
        f"{value:,}" if abs(value) >= 10_000 else f"{value:g}" if isinstance(value, float) else str(value), "number"
    )


def _text(name: str, value: str, zone: str) -> Cell:
    if _INSTANT.fullmatch(value):
        return moment(value, zone)
    if _DAY.fullmatch(value):
        return Cell(day(value), "time")
    if name in _STATUS_NAMES:
        return status(value)
    return Cell(value, "id" if name.endswith(("_id", "_ref", "_no")) or name in ("pnr", "ref", "code") else "text")


def status(value: str) -> Cell:
    """A state as a tag: green where all is well, red where something has ended badly, yellow where it is pending."""
    tone: Tone = next((tone for tone, words in _TONES.items() if value.lower() in words), "")
    return Cell(value.replace("_", " "), "status", tone)


def amount(minor: float, currency: str) -> str:
    """Money: ``amount(888000, "CNY")`` is ``8,880.00 CNY``."""
    if not currency:
        return f"{minor:,} (minor units)"
    decimals = _decimals(currency)
    return f"{minor / 10**decimals:,.{decimals}f} {currency}".replace("-", "\u2212", 1)


def _decimals(currency: str) -> int:
    return _DECIMALS.get(currency, 2)


def day(text: str) -> str:
    """A date with its weekday: ``Mon 20 Apr 2026``. What is no date stays as it is."""
    try:
        date = dt.date.fromisoformat(text[:10])
    except ValueError:
        return text
    return f"{clock.weekday(date)[:3]} {date.day} {clock.month_name(date)[:3]} {date.year}"


def moment(text: str, zone: str) -> Cell:
    """An instant as its own place's clocks show it, and where these differ as the person's do."""
    try:
        there = dt.datetime.fromisoformat(text)
        home = clock.local(int(there.timestamp()), zone)
    except (ValueError, OverflowError):
        return Cell(text)
    shown = f"{day(text)} {there:%H:%M}"
    if there.utcoffset() == home.utcoffset():
        return Cell(shown, "time")
    same = there.date() == home.date()
    on = "" if same else f"{clock.weekday(home)[:3]} "
    return Cell(shown, "time", note=f"local time; at home {on}{home:%H:%M}")


def time_of(text: str, zone: str) -> dt.datetime:
    """An instant of a result, or the midnight of a date, on the person's clocks."""
    return clock.local(clock.parse_instant(text, zone), zone)
