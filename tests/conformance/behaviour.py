"""What a service keeps while it is used: reads change nothing, refusals change nothing, records fit their models."""

from __future__ import annotations

import datetime as dt
import inspect
import random
import re
import typing
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import orjson
from pydantic import BeforeValidator, ValidationError

from lifegym.services import Ref, Service, ToolError, ToolSpec, catalogue, dispatch, types
from lifegym.services.dispatch import Call
from lifegym.services.sampling import sample_arguments, sampler
from lifegym.services.tools import Arguments
from lifegym.world import World, clock

from .interface import mutated, places
from .plausible import PLAUSIBLE

__all__ = ["filled_world", "happenings", "record_problems", "use"]

START = dt.date(2026, 4, 17)
ZONE = "Asia/Shanghai"
OWNER = "u_ann"
_OWN = {"user_id": OWNER, "owner": OWNER, "owner_id": OWNER, "zone": ZONE, "timezone": ZONE, "time_zone": ZONE}
"""Fields that have their meaning everywhere."""
_PLACES = ("iata", "code", "place_id", "city", "name")
_SAME = {"origin": _PLACES, "destination": _PLACES, "dest": _PLACES, "id": ("page_id", "block_id"), "city": ("name",)}
"""Parameters and the fields that hold what they name."""
_USUAL: dict[str, list[Any]] = {
    "first": ["2026-04-18"],
    "date_from": ["2026-04-18"],
    "last": ["2026-05-08"],
    "date_to": ["2026-05-08"],
    "user_id": [OWNER],
    "type": ["steps"],
}
"""What generators mostly want."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_STRANGER = "zz-none-0000"
_FAR_DAY = "2031-11-05"


# -- a world to use ----------------------------------------------------------------------------------------------------


def filled_world(services: Sequence[str], rng: np.random.Generator, records: int = 3) -> World:
    """A world with records that fit their models, and what the services' generators make around them.

    Args:
        services: Their names.
        rng: Where the randomness comes from.
        records: How many records of each kind to try; those that a service's invariants do not allow are left out.
    """
    world = World(services, START, ZONE, OWNER, "conformance", "Ann Lee", "ann@mail.example")
    world.now += 9 * clock.HOUR
    for name in services:
        service = world.service(name)
        for kind in service.records:
            for _ in range(records):
                _try_record(world, service, kind, rng)
        for verb in catalogue.generators_of(name):
            _generate(world, name, verb, rng)
    for name in services:
        for kind in world.service(name).records:
            if not world.table(f"{name}.{kind}"):
                _try_record(world, world.service(name), kind, rng)
        world.service(name).start()
    world.workspace.write("notes/plan.md", "one\ntwo\n", world.now)
    return world


def _try_record(world: World, service: Service, kind: str, rng: np.random.Generator) -> None:
    """Insert a random record if the service's invariants hold with it."""
    table = world.table(f"{service.name}.{kind}")
    for _ in range(4):
        fields = _random_record(world, service, kind, rng)
        if fields is None or table.find(fields[table.key]) is not None:
            continue
        service.put(kind, **fields)
        trial = world.fork()
        try:
            trial.service(service.name).check_invariants()
            trial.service(service.name).start()
            trial.service(service.name).check_invariants()
            trial.run_to(trial.now + 40 * clock.DAY)
            trial.service(service.name).check_invariants()
        except Exception:  # whatever goes wrong, this record is none that a task's author would write
            table.drop(fields[table.key])
            continue
        return


def _random_record(world: World, service: Service, kind: str, rng: np.random.Generator) -> dict[str, Any] | None:
    model = service.records[kind]
    schema = model.model_json_schema()
    schema["properties"] = {
        name: _inlined(inner, schema.get("$defs", {})) for name, inner in schema.get("properties", {}).items()
    }
    key = next(iter(model.model_fields))
    make = {name: sampler(inner, name) for name, inner in schema["properties"].items()}
    refs, moments = dict(_refs(model)), dict(_moments(model))
    for _ in range(30):
        fields: dict[str, Any] = {}
        for name, info in model.model_fields.items():
            if not info.is_required() and rng.random() < 0.5:
                continue
            value = make[name](rng.random, ())
            if name == key:
                value = f"{kind}_{int(rng.integers(10**6))}" if isinstance(value, str) else value
            elif name in refs and isinstance(value, (str, list)):
                keys = [row[world.table(refs[name]).key] for row in world.table(refs[name]).rows()]
                chosen = keys[int(rng.integers(len(keys)))] if keys else ""
                value = chosen if isinstance(value, str) else [chosen] * bool(keys)
            elif name in moments and isinstance(value, str):
                day = f"2026-04-{int(rng.integers(1, 17) if name.endswith('_at') else rng.integers(12, 30)):02d}"
                value = day if moments[name] == "day" else f"{day}T{int(rng.integers(8, 20)):02d}:00:00+08:00"
            elif name in _OWN:
                value = _OWN[name]
            fields[name] = value
        try:
            record = model.model_validate(fields).model_dump()
        except ValidationError:
            continue
        return {name: record[name] for name in fields}  # nested defaults are filled in, as in a bundle
    return None


def _inlined(schema: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    return {key: _inlined(value, definitions) for key, value in schema.items()}


def _generate(world: World, name: str, verb: str, rng: np.random.Generator) -> None:
    """Run a generator; what it has no default for comes from the records or from its schema."""
    arguments = catalogue.generator_arguments(name, verb)
    seen = _values_by_field(world)
    for _ in range(12):
        given = {field: _plausible(field, arguments, seen, rng) for field in arguments.required}
        trial = world.fork()
        try:
            given = arguments.validate(given)
            getattr(trial.service(name), verb)(random.Random(int(rng.integers(2**31))), **given)
            trial.service(name).check_invariants()
        except Exception:  # arguments that name nothing, or belong not together
            continue
        getattr(world.service(name), verb)(random.Random(7), **given)
        return


def _plausible(field: str, arguments: Arguments, seen: dict[str, list[Any]], rng: np.random.Generator) -> Any:
    values = _known(field, seen) or seen.get(field.rstrip("s") + "_id") or _USUAL.get(field, [])
    if values and rng.random() < 0.9:
        value = values[int(rng.integers(len(values)))]
        return [value] if arguments.schema["properties"][field].get("type") == "array" else value
    return sampler(arguments.schema["properties"][field], field)(rng.random, ())


def _values_by_field(world: World) -> dict[str, list[Any]]:
    """What the fields of the records hold, by name; keys under the table's name as well (``account_id``, ``payee``)."""
    found: dict[str, dict[Any, None]] = {}
    for name in sorted(world.store.tables()):
        for row in list(world.table(name).rows())[:60]:
            for field, value in row.items():
                if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
                    found.setdefault(field, {})[value] = None
                    if isinstance(value, str) and _DAY.match(value):
                        found.setdefault("any day", {})[value[:10]] = None
    return {field: list(values) for field, values in found.items()}


def _known(field: Any, seen: dict[str, list[Any]]) -> list[Any]:
    """The values under a field's own name, or under one that means the same here."""
    if not isinstance(field, str):  # an index
        return []
    names = (field, *_SAME.get(field, ()), field.partition("_")[2])  # to_account_id is an account_id
    return next((seen[name] for name in names if seen.get(name)), [])


# -- using it ----------------------------------------------------------------------------------------------------------


def use(
    world: World, services: Sequence[str], rng: np.random.Generator, count: int
) -> tuple[list[str], dict[str, int]]:
    """Call random tools with plausible arguments while time passes.

    Returns:
        What is wrong, and how often each tool was accepted.
    """
    problems: list[str] = []
    specs = [spec for name in services for spec in catalogue.tools_of(name).values()]
    accepted = dict.fromkeys((spec.name for spec in specs), 0)
    seen = _values_by_field(world)
    for number in range(count):
        spec = specs[number % len(specs)]
        if number % 15 == 14:
            world.run_to(world.now + int(rng.integers(1, 2 * clock.DAY)))
            for field, values in _values_by_field(world).items():
                seen[field] = [*values[-40:], *seen.get(field, ())[-20:]]
        arguments = plausible_arguments(spec, seen, rng)
        if rng.random() < 0.2:  # odd, but such as the validator lets through
            changed = mutated(arguments, rng, spec)
            arguments = changed if _accepted(spec, changed) else arguments
        call = dispatch.parse({"tool": spec.name, "arguments": arguments}, world.services)
        if not isinstance(call, Call):
            problems.append(f"{spec.name}: refuses {ascii(arguments)[:200]}: {call.text[:200]}")
            continue
        before = world.dump()
        outcome = dispatch.execute(world, call)
        accepted[spec.name] += outcome.ok
        if outcome.ok:
            _remember(orjson.loads(outcome.text), seen)
        if outcome.fault:
            problems.append(f"{spec.name}: a fault for {ascii(arguments)[:300]}: {_where(outcome.fault)}")
        elif not outcome.ok and world.dump() != before:
            problems.append(
                f"{spec.name}: refused with {outcome.code}, but the world changed: {ascii(arguments)[:300]}"
            )
        elif not outcome.ok and outcome.code not in spec.docs.errors:
            payment = "unknown_payment_method" in spec.docs.errors
            if not (payment and outcome.code in ("insufficient_funds", "account_closed", "currency_mismatch")):
                problems.append(f"{spec.name}: refused with {outcome.code}, which Errors: does not name")
        elif not spec.write and world.dump() != before:
            problems.append(f"{spec.name} is marked write=False, but the world changed: {ascii(arguments)[:300]}")
        if outcome.fault or len(problems) > 20:
            break
    return problems, accepted


def _where(fault: str) -> str:
    """The error of a traceback and the last place in a service that led to it."""
    lines = fault.strip().splitlines()
    places = [line.strip() for line in lines if "/services/" in line and "/dispatch.py" not in line]
    return f"{lines[-1]} {places[-1] if places else ''}"


def plausible_arguments(spec: ToolSpec, seen: dict[str, list[Any]], rng: np.random.Generator) -> dict[str, Any]:
    """Sampled arguments in which fields of the records' names mostly hold values of the records."""
    ids = [str(value) for field in ("id", f"{spec.service}_id") for value in seen.get(field, ())]
    arguments: dict[str, Any] = orjson.loads(orjson.dumps(sample_arguments(spec, rng, ids)))
    for field in [name for name in arguments if name in PLAUSIBLE and rng.random() < 0.8]:
        forms = PLAUSIBLE[field]
        changed = {**arguments, field: _filled(forms[int(rng.integers(len(forms)))], seen, rng)}
        if _accepted(spec, changed):
            arguments = changed
    for holder, field in list(places(arguments)):
        is_day = isinstance(holder[field], str) and _DAY.fullmatch(holder[field])
        known = seen.get("any day", []) if is_day else _known(field, seen)
        values = [value for value in known if type(value) is type(holder[field])]
        if values and rng.random() < 0.75:
            before = holder[field]
            holder[field] = values[-1 - int(rng.integers(min(len(values), 60)))]
            if not _accepted(spec, arguments):
                holder[field] = before
    return arguments


def _accepted(spec: ToolSpec, arguments: dict[str, Any]) -> bool:
    try:
        spec.arguments.validate(arguments)
    except ToolError:
        return False
    return True


def _filled(form: Any, seen: dict[str, list[Any]], rng: np.random.Generator) -> Any:
    """The form with values in the place of ``$field``."""
    if isinstance(form, dict):
        return {key: _filled(value, seen, rng) for key, value in form.items()}
    if isinstance(form, list):
        return [_filled(value, seen, rng) for value in form]
    if isinstance(form, str) and form.startswith("$"):
        values = _known(form[1:], seen)
        return values[int(rng.integers(len(values)))] if values else form
    return form


def _remember(result: Any, seen: dict[str, list[Any]]) -> None:
    """Add what a result shows to the values by field: the offers found, the draft just made."""
    for holder, field in list(places(result))[:400]:
        if isinstance(field, str) and isinstance(holder[field], (str, int)) and holder[field] != "":
            values = seen.setdefault(field, [])
            if holder[field] not in values:
                values.append(holder[field])


# -- what holds afterwards ---------------------------------------------------------------------------------------------


def record_problems(world: World, since: World | None = None) -> list[str]:
    """Records that do not fit their models or refer to nothing, and broken invariants.

    Args:
        world: Where to look.
        since: A world that it was forked from, whose records fit: those that are still the same need no second look.
    """
    problems = []
    for name in world.services:
        service = world.service(name)
        for kind, model in service.records.items():
            refs = _references(model)
            known = since.table(f"{name}.{kind}") if since else None
            for row in service.rows(kind):
                key = next(iter(row.values()))
                label = f"{name}.{kind} {key!r}"
                if known is None or known.find(key) is not row:
                    try:
                        model.model_validate(orjson.loads(orjson.dumps(row)))
                    except ValidationError as error:
                        problems.append(f"{label} does not fit {model.__name__}: {error.errors()[0]}")
                for field, table in refs.items():
                    if table.partition(".")[0] in world.services:
                        missing = [
                            key for key in _listed(row.get(field)) if key and world.table(table).find(key) is None
                        ]
                        problems.extend(f"{label}: {field} = {key!r} is no record of {table}" for key in missing)
        try:
            service.check_invariants()
        except AssertionError as error:
            problems.append(f"{name}: an invariant is broken: {error}")
    return problems[:20]


def happenings(name: str, world: World, rng: np.random.Generator) -> list[str]:
    """Each happening with keys that match nothing: it returns [] and changes nothing, or creates what it returns."""
    problems = []
    for verb, method in catalogue.happenings_of(name).items():
        label = f"{name}.{verb}"
        arguments = catalogue.happening_arguments(name, verb)
        if not inspect.getdoc(method):
            problems.append(f"{label}: say in a docstring what happens")
        for _ in range(6):
            given = {field: _matching_nothing(field, arguments, rng) for field in arguments.required}
            trial = world.fork()
            before = trial.dump()
            try:
                touched = getattr(trial.service(name), verb)(**arguments.validate(given))
            except (ToolError, ValueError) as error:
                # A combination that makes no sense may be refused, with a reason and without a trace.
                if trial.dump() != before:
                    problems.append(f"{label}: changed the world and then raised {error!r} for {given}")
                continue
            except Exception as error:
                problems.append(f"{label}: raised {error!r} for {given}; return [] where nothing matches")
                break
            if not isinstance(touched, list) or not all(isinstance(key, str) for key in touched):
                problems.append(f"{label}: return the list of keys touched, not {touched!r}")
            elif not touched and trial.dump() != before:
                problems.append(f"{label}: returned [] for {given}, but the world changed")
            elif touched and trial.dump() == before:
                problems.append(f"{label}: returned {touched} for {given}, but nothing changed")
            problems.extend(f"{label}: {problem}" for problem in record_problems(trial))
    return problems[:20]


def _matching_nothing(field: str, arguments: Arguments, rng: np.random.Generator) -> Any:
    schema = arguments.schema["properties"][field]
    value = sampler(schema, field)(rng.random, ())
    if isinstance(value, str) and not schema.keys() & {"enum", "const", "pattern"}:
        if value[:4].isdigit() and "T" in value:
            return f"{_FAR_DAY}T10:00:00+08:00"
        return _FAR_DAY if value[:4].isdigit() and value[4:5] == "-" else _STRANGER
    return value


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


@cache
def _references(model: type[types.RecordModel]) -> dict[str, str]:
    return dict(_refs(model))


def _refs(model: type[types.RecordModel]) -> Iterator[tuple[str, str]]:
    """The fields that hold keys of other tables."""
    for name, mark in _marks(model):
        if isinstance(mark, Ref):
            yield name, mark.table


def _moments(model: type[types.RecordModel]) -> Iterator[tuple[str, str]]:
    """The fields that hold instants and days."""
    for name, mark in _marks(model):
        if isinstance(mark, BeforeValidator):
            yield name, getattr(mark.func, "__name__", "").strip("_")


def _marks(model: type[types.RecordModel]) -> Iterator[tuple[str, Any]]:
    for name, info in model.model_fields.items():
        for mark in (*info.metadata, *_inside(info.annotation)):
            yield name, mark


def _inside(annotation: Any) -> Iterator[Any]:
    yield from getattr(annotation, "__metadata__", ())
    for part in typing.get_args(annotation):
        yield from _inside(part)
