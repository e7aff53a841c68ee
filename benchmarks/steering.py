"""Arguments that mean something in a world: ids that exist, fields that belong together, days near now."""

from __future__ import annotations

import datetime as dt
import random
import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import orjson

from conformance.interface import mutated, places
from conformance.plausible import PLAUSIBLE
from lifegym.services import ToolError, ToolSpec, catalogue
from lifegym.services.sampling import sample_arguments, sampler
from lifegym.services.tools import Arguments
from lifegym.world import World, clock

__all__ = ["Steering"]

SHARE = 0.8
"""How often a value is taken from the world where the world has one."""
_SAME: dict[str, tuple[str, ...]] = {
    "origin": ("code", "place_id", "city", "name"),
    "destination": ("code", "country_code", "city"),
    "dest": ("code", "place_id", "city", "name"),
    "origins": ("place_id",),
    "dests": ("place_id",),
    "address": ("name", "address"),
    "pickup_city": ("city",),
    "return_city": ("city",),
    "city_or_geo": ("city",),
    "area_or_community": ("district", "community", "city"),
    "pages": ("page_id",),
    "page_id": ("notion.pages.id",),
    "block_id": ("notion.blocks.id", "notion.pages.id"),
    "after": ("notion.blocks.id",),
    "database_id": ("notion.databases.id",),
    "draft_id": ("email_id",),
    "email_ids": ("email_id",),
    "in_reply_to": ("email_id",),
    "folder": ("email.folders.name",),
    "folder_name": ("email.folders.name",),
    "target_folder": ("email.folders.name",),
    "driver_user_id": ("user_id",),
    "payment_method": ("world.methods.method_id",),
    "payment_method_id": ("world.methods.method_id",),
    "source_hint": ("banking.accounts.account_id",),
    "keyword": ("title", "name", "topic"),
    "query": ("title", "name", "subject", "summary"),
    "item_ref": ("offer_id", "product_id", "listing_id"),
    "nationality": ("nationality",),
    "country_code": ("country_code",),
}
"""Parameters, and the fields that hold what they name."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SHOWN = re.compile(r"(^|_)(id|ids|ref|no|code|pnr|cursor|key|symbol|filename|name)$")
"""Fields of results that other calls may want."""
_NOWHERE: tuple[tuple[str, str], ...] = ()


class Steering:
    """Draws arguments for one world.

    Args:
        world: Whose records are named.
        seed: Everything drawn is a function of it and of the world.
    """

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.random = random.Random(seed)
        self._numpy = np.random.default_rng(seed)
        self._seen: dict[str, deque[Any]] = {}

    def arguments(self, spec: ToolSpec) -> dict[str, Any]:
        """Arguments that the tool's validator accepts, most of which name what there is."""
        drawn: dict[str, Any] = sample_arguments(spec, self._numpy)
        arguments = self._steered(spec.service, spec.arguments, drawn, joint_tables(spec))
        if self.random.random() < 0.12:  # odd, but such as the validator lets through
            changed = mutated(arguments, self._numpy, spec)
            return changed if _accepts(spec.arguments, changed) else arguments
        return arguments

    def happening(self, service: str, verb: str) -> dict[str, Any]:
        """Arguments for a happening, required ones and some others."""
        accepted = catalogue.happening_arguments(service, verb)
        drawn = {}
        for field, schema in accepted.schema["properties"].items():
            if field in accepted.required or self.random.random() < 0.4:
                drawn[field] = sampler(schema, field)(self.random.random, ())
        return self._steered(service, accepted, drawn, ())

    def remember(self, result: Any) -> None:
        """Keep the ids that a result shows, such as quotes and cursors, for later calls."""
        for holder, field in islice(places(result), 150):
            if type(field) is str and type(holder[field]) is str and holder[field] and _SHOWN.search(field):
                self._seen.setdefault(field, deque(maxlen=24)).append(holder[field])

    def row(self, table: str) -> Any:
        """A record of a table, recent ones more often; None if it is empty."""
        rows = list(self.world.table(table).rows())
        if not rows:
            return None
        if len(rows) > 8 and self.random.random() < 0.4:
            return rows[-1 - int(self.random.random() * 8)]
        return rows[int(self.random.random() * len(rows))]

    def day(self, first: int, last: int) -> str:
        """A day so many days from today."""
        return (self.world.today() + dt.timedelta(days=self.random.randint(first, last))).isoformat()

    def instant(self, first: int, last: int) -> str:
        """A full quarter of an hour so many hours from now."""
        at = self.world.now + self.random.randint(first * 4, last * 4) * 15 * clock.MINUTE
        return self.world.iso(at - at % (15 * clock.MINUTE))

    # -- inside --------------------------------------------------------------------------------------------------

    def _steered(
        self, service: str, accepted: Arguments, drawn: dict[str, Any], joint: Sequence[tuple[str, tuple[str, ...]]]
    ) -> dict[str, Any]:
        arguments: dict[str, Any] = orjson.loads(orjson.dumps(drawn))
        for field in [name for name in arguments if name in PLAUSIBLE and self.random.random() < SHARE]:
            form = self.random.choice(PLAUSIBLE[field])
            self._replace(accepted, arguments, arguments, field, self._filled(service, form))
        for holder, field in list(places(arguments)):
            name = field if isinstance(field, str) else next(iter(arguments))
            value = self._value(service, name, holder[field])
            if value is not None:
                self._replace(accepted, arguments, holder, field, value)
        if joint and self.random.random() < SHARE:
            table, fields = self.random.choice(joint)
            row = self.row(table)
            for field in fields if row else ():
                if field in arguments or field in accepted.required:
                    self._replace(accepted, arguments, arguments, field, row.get(field))
        return arguments

    def _replace(self, accepted: Arguments, arguments: Any, holder: Any, field: Any, value: Any) -> None:
        before = holder[field]
        if value == before:
            return
        holder[field] = value
        if not _accepts(accepted, arguments):
            holder[field] = before

    def _value(self, service: str, name: str, drawn: Any) -> Any:
        """A value for a parameter of this name in the place of a drawn one; None to keep that."""
        if isinstance(drawn, list) or not isinstance(drawn, (str, int)) or isinstance(drawn, bool):
            return None
        if isinstance(drawn, str) and _DAY.match(drawn) and self.random.random() < SHARE:
            return self._moment(drawn)
        if name in ("user_id", "driver_user_id") and self.random.random() < SHARE:
            return self.world.owner
        seen = self._seen.get(name)
        if seen and isinstance(drawn, str) and self.random.random() < 0.25:
            return seen[int(self.random.random() * len(seen))]
        sources = field_sources(service, name, self.world.services)
        if not sources or self.random.random() > SHARE:
            return None
        table, field = sources[int(self.random.random() * len(sources))]
        row = self.row(table)
        value = row.get(field) if row else None
        return value if type(value) is type(drawn) and value != "" else None

    def _moment(self, drawn: str) -> str:
        first, last = ((-30, 0), (0, 14), (1, 45))[int(self.random.random() * 3)]
        if len(drawn) == 10:
            return self.day(first, last)
        return self.instant(first * 24, last * 24)

    def _filled(self, service: str, form: Any) -> Any:
        """The form with values in the place of ``$field``."""
        if isinstance(form, dict):
            return {key: self._filled(service, value) for key, value in form.items()}
        if isinstance(form, list):
            return [self._filled(service, value) for value in form]
        if isinstance(form, str) and form.startswith("$"):
            sources = field_sources(service, form[1:], self.world.services)
            if sources:
                table, field = sources[int(self.random.random() * len(sources))]
                row = self.row(table)
                value = row.get(field) if row else None
                return next(iter(value)) if isinstance(value, list) and value else value or form
        return form


def _accepts(accepted: Arguments, arguments: dict[str, Any]) -> bool:
    try:
        accepted.validate(arguments)
    except ToolError:
        return False
    return True


@cache
def _fields(services: tuple[str, ...]) -> dict[str, list[tuple[str, str]]]:
    """Field name to the tables that have it, those of which it is the key first; full names as well."""
    found: dict[str, list[tuple[str, str]]] = {"world.methods.method_id": [("world.methods", "method_id")]}
    for name in services:
        for kind, model in catalogue.service_class(name).records.items():
            for number, field in enumerate(model.model_fields):
                entry = (f"{name}.{kind}", field)
                known = found.setdefault(field, [])
                known.insert(0, entry) if number == 0 else known.append(entry)
                found[f"{name}.{kind}.{field}"] = [entry]
    return found


@cache
def field_sources(service: str, name: str, services: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Where values for a parameter of this name are: in the service's own tables, else in others'."""
    fields = _fields(services)
    for tried in _names(name):
        found = fields.get(tried, [])
        own = [entry for entry in found if entry[0].startswith(f"{service}.")]
        keys = [entry for entry in own if entry[1] == next(iter(_model(entry[0]).model_fields))]
        if keys or own:
            return tuple(keys or own)
        if found and (tried in _SAME.get(name, ()) or tried.endswith("_id")):
            return tuple(found[:3])
    return _NOWHERE


def _names(name: str) -> Iterator[str]:
    yield from _SAME.get(name, ())
    yield name
    rest = name.partition("_")[2]  # to_account_id is an account_id
    if rest:
        yield rest
    if name.endswith("s"):
        yield name[:-1]


def _model(table: str) -> Any:
    service, _, kind = table.partition(".")
    return catalogue.service_class(service).records[kind]


@cache
def joint_tables(spec: ToolSpec) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The service's tables that have two or more of the parameters, so that one record can fill them together."""
    found = []
    for kind, model in catalogue.service_class(spec.service).records.items():
        shared = tuple(name for name in spec.arguments.names if name in model.model_fields)
        ids = [name for name in shared if _SHOWN.search(name) and name != "user_id"]
        if len(shared) >= 2 and ids:
            found.append((f"{spec.service}.{kind}", shared))
    return tuple(found)
