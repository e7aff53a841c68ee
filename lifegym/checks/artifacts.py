"""The files that a handbook asks for, read as typed rows."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import math
import re
from functools import lru_cache
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, model_validator

from lifegym.checks.budget import weight
from lifegym.checks.expressions import Missing
from lifegym.world.frozen import FrozenDict

__all__ = ["Artifact", "read_rows"]

ROW_LIMIT = 2000
"""Rows that a file may have: more are no evidence of anything, and would use up the budget of expressions."""

_NULLS = ("~", "null", "Null", "NULL")
"""What a YAML file writes where there is no value."""

_OFFSET = re.compile(r"([+-])(\d{2}):(\d{2})")


class Artifact(BaseModel):
    """What a file must look like to count as evidence.

    Attributes:
        columns: Name to type: ``str``, ``int``, ``float``, ``date``, ``time``, ``datetime``, ``bool``, a list of
            allowed values, or a mapping of zone labels to offsets (``{JST: "+09:00"}``).
        key: Column whose values must differ.
        at: ``[date, time, zone]``: three columns that together give each row an instant ``at``.
        format: ``csv`` or ``yaml``; a YAML file is a list of mappings. JSON is read where YAML is.
        optional: Columns that may be left out or empty; they read as None.
        also_accepted: Column to other spellings of its values: ``{status: {canceled: cancelled}}``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    columns: dict[str, str | list[str] | dict[str, str]]
    key: str | None = None
    at: tuple[str, str, str] | None = None
    format: Literal["csv", "yaml"] = "csv"
    optional: tuple[str, ...] = ()
    also_accepted: dict[str, dict[str, str]] = {}

    def __hash__(self) -> int:
        return id(self)

    @model_validator(mode="after")
    def _is_sound(self) -> Artifact:
        named = {"key": [self.key] if self.key else [], "at": self.at or (), "optional": self.optional,
                 "also_accepted": self.also_accepted}  # fmt: skip
        for attribute, names in named.items():
            for name in names:
                if name not in self.columns:
                    raise ValueError(f"{attribute}: there is no column {name!r}")
        if len({name.lower() for name in self.columns}) != len(self.columns):
            raise ValueError("two columns differ in case only")
        for name, kind in self.columns.items():
            if isinstance(kind, str) and kind != "str" and kind not in _READERS:
                known = ", ".join(["str", *_READERS])
                raise ValueError(f"{name}: unknown type {kind!r}; there are: {known}, a list of values, zone offsets")
            if isinstance(kind, dict) and not all(_OFFSET.fullmatch(offset) for offset in kind.values()):
                raise ValueError(f"{name}: an offset has the form +09:00")
        if self.at is not None:
            day, time, zone = (self.columns[name] for name in self.at)
            if day != "date" or time != "time" or not isinstance(zone, dict):
                raise ValueError("at: the three columns are a date, a time and a zone with its offsets")
        return self


@lru_cache(maxsize=8192)
def read_rows(artifact: Artifact, text: str) -> list[FrozenDict]:
    """The rows of a file.

    Raises:
        Missing: The file is not what the artifact says, with the line and the reason.
    """
    raw = _csv(artifact, text) if artifact.format == "csv" else _yaml(text)
    if len(raw) > ROW_LIMIT:
        raise Missing(f"the file has more than {ROW_LIMIT} rows")
    rows, seen = [], set()
    for number, fields in raw:
        row: dict[str, Any] = {}
        for name, kind in artifact.columns.items():
            row[name] = _typed(artifact, name, kind, fields, number)
        if artifact.key is not None:
            key = row[artifact.key]
            if key in seen:
                raise Missing(f"line {number}: {artifact.key} {key!r} stands there twice")
            seen.add(key)
        if artifact.at:
            day, time, zone = (row[name] for name in artifact.at)
            row["at"] = None
        if artifact.at and None not in (day, time, zone):
            offset = _OFFSET.fullmatch(artifact.columns[artifact.at[2]][zone])
            assert offset
            span = dt.timedelta(hours=int(offset[2]), minutes=int(offset[3])) * (1 if offset[1] == "+" else -1)
            row["at"] = dt.datetime.combine(day, time, dt.timezone(span))
        rows.append(FrozenDict(row))
    return rows


def _csv(artifact: Artifact, text: str) -> list[tuple[int, dict[str, Any]]]:
    text = text.lstrip("\ufeff")
    head = next(iter(text.splitlines()), "")
    delimiter = ";" if head.count(";") > head.count(",") else ","
    try:
        reader = csv.reader(io.StringIO(text, newline=None), delimiter=delimiter, skipinitialspace=True, strict=True)
        lines = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader]
    except csv.Error as error:
        raise Missing(f"the file is no CSV: {error}") from None
    lines = [(number, cells) for number, cells in lines if any(cells)]
    if not lines:
        raise Missing("the file is empty")
    header = [cell.lower() for cell in lines[0][1]]
    for name in header:
        if name and header.count(name) > 1:
            raise Missing(f"the heading {name!r} stands there twice")
    for name in artifact.columns:
        if name.lower() not in header and name not in artifact.optional:
            raise Missing(f"there is no heading {name!r}")
    rows = []
    for number, cells in lines[1:]:
        if len(cells) > len(header):
            raise Missing(f"line {number} has {len(cells)} cells under {len(header)} headings")
        rows.append((number, dict(zip(header, cells, strict=False))))
    return rows


def _yaml(text: str) -> list[tuple[int, dict[str, Any]]]:
    try:
        try:
            loaded = yaml.load(text, yaml.CBaseLoader)
        except yaml.YAMLError:
            if not text.lstrip().startswith(("[", "{")):
                raise
            loaded = json.loads(text)  # JSON that no YAML reader takes: indented with tabs, say
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Missing(f"the file is no YAML: {str(error).splitlines()[0] if str(error) else error}") from None
    if isinstance(loaded, dict) and len(loaded) == 1:
        loaded = next(iter(loaded.values()))
    if not isinstance(loaded, list) or not all(isinstance(item, dict) for item in loaded):
        raise Missing("the file is no list of entries")
    return [
        (number, {str(name).lower(): _cell(value) for name, value in item.items()})
        for number, item in enumerate(loaded, 1)
    ]


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, str) and value.strip() in _NULLS):
        return ""
    if isinstance(value, str):
        return value.strip()
    if weight(value) > 1000:  # aliases make a value of any size out of a few lines
        raise Missing("an entry is too large")
    return json.dumps(value, ensure_ascii=False)


def _typed(artifact: Artifact, name: str, kind: Any, fields: dict[str, Any], number: int) -> Any:
    text = fields.get(name.lower())
    if not text:
        if name in artifact.optional:
            return None
        if text is None:
            raise Missing(f"line {number} has no {name}")
    text = text or ""
    other = artifact.also_accepted.get(name)
    if other:
        text = next((value for spelling, value in other.items() if spelling.lower() == text.lower()), text)
    try:
        if kind == "str":
            return text
        if isinstance(kind, (list, dict)):
            match = next((value for value in kind if value.lower() == text.lower()), None)
            if match is None:
                raise ValueError
            return match
        return _READERS[kind](text)
    except ValueError:
        raise Missing(f"line {number}: {name} is {text[:40]!r}") from None


def _whole(text: str) -> int:
    if text.lstrip("+-").isdecimal():
        return int(text) if len(text) <= 25 else _refuse(text)
    number = _real(text)
    return int(number) if number.is_integer() and abs(number) < 1e15 else _refuse(text)


def _refuse(text: str) -> Any:
    raise ValueError(text)


def _real(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) and "_" not in text else _refuse(text)


def _clock_time(text: str) -> dt.time:
    time = dt.time.fromisoformat(text)
    return time if time.tzinfo is None else _refuse(text)


def _truth(text: str) -> bool:
    if text.lower() in ("y", "yes", "true", "1"):
        return True
    if text.lower() in ("n", "no", "false", "0"):
        return False
    raise ValueError


_READERS: dict[str, Any] = {
    "int": _whole,
    "float": _real,
    "date": dt.date.fromisoformat,
    "time": _clock_time,
    "datetime": dt.datetime.fromisoformat,
    "bool": _truth,
}
