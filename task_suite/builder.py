"""What builds the scenario of a variant out of a compiled bundle."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

from pydantic import ValidationError

from lifegym.checks.check import Check, Each
from lifegym.checks.expressions import ExpressionError, Missing, evaluate_value
from lifegym.checks.values import FUNCTIONS
from lifegym.services import catalogue
from lifegym.services.tools import ToolError
from lifegym.task_suite import briefing
from lifegym.task_suite.compilation import BUILD_NAMES, CompiledBundle, CompiledGenerator
from lifegym.task_suite.reader import BundleError
from lifegym.task_suite.schema import CheckModel, EachModel
from lifegym.task_suite.variants import draw_params, generator
from lifegym.timeline import Event, Scenario, Stage
from lifegym.world import World, clock
from lifegym.world.frozen import FrozenDict

__all__ = ["Builder"]

_MOMENTS: tuple[Literal["midnight", "stage_end", "last_turn"], ...] = ("midnight", "stage_end", "last_turn")


class Builder:
    """Builds scenarios of one task. What all variants share of a world is generated with the first of them.

    Args:
        compiled: The task's bundle.
        source: How to load the task again: its id or its folder.
    """

    def __init__(self, compiled: CompiledBundle, source: str) -> None:
        self.compiled = compiled
        self.bundle = compiled.bundle
        self.source = source
        meta = self.bundle.task
        self.zone = meta.zone
        self.start = compiled.start
        self.after = self.start + dt.timedelta(days=meta.days)  # the day after the window

    def build(self, variant: str, seed: int) -> Scenario:
        """The scenario of a variant.

        Args:
            variant: ``canonical``, ``train`` or ``test``.
            seed: Which of the variant's draws; 0 for canonical.

        Raises:
            BundleError: A record or an expression does not work out for these params.
        """
        meta = self.bundle.task
        params = self.params(variant, seed)
        names = self.scope(params)
        world = self._inventory.fork()
        world.identity = f"{meta.id}|{variant}|{seed}"
        person = self._evaluated(self.compiled.person, names, "task.yaml", "person")
        world.owner_name, world.owner_email = person["name"], person["email"]
        self._put_records(world, names)
        self._generate(world, names, per_variant=True)
        for name, text in self.compiled.workspace.items():
            filled = self._evaluated(text, names, f"workspace/{name}")
            world.workspace.write(name, str(filled), world.now)
        self._start_services(world)
        end = self._day(self.after)
        events = self._place_events(names)
        stages = self._stages(events, end)
        checks = self._place_checks(names)
        self._fill_agenda(world, events, checks)
        return Scenario(
            task=meta.id,
            variant=variant,
            seed=seed,
            start=self.start,
            end=end,
            zone=self.zone,
            params=params,
            world=world,
            events=events,
            stages=stages,
            checks=checks,
            artifacts=self.bundle.checks.artifacts,
            factors=tuple(meta.factors),
            briefing=briefing.compose(meta, world, person["about"]),
            key=(self.source, variant, seed),
        )

    def params(self, variant: str, seed: int) -> FrozenDict:
        """The params of a variant.

        Raises:
            BundleError: One of them does not work out.
        """
        meta = self.bundle.task
        try:
            return draw_params(meta.id, meta.params, variant, seed)
        except ExpressionError as error:
            name = str(error).partition(":")[0].removeprefix("param ")
            raise BundleError(self.bundle.where("task.yaml", "params", name), str(error)) from None

    def scope(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """What the names mean that records, texts and times use: a value each of ``BUILD_NAMES``."""
        return {**FUNCTIONS, "p": params, "t": self._t}

    def _t(self, text: str) -> dt.datetime:
        return clock.local(self._moment(text), self.zone)

    def _moment(self, text: str) -> int:
        return clock.moment(text, self.start, self.zone)

    def _day(self, day: dt.date) -> int:
        return clock.day_start(day, self.zone)

    def _evaluated(self, value: Any, names: Mapping[str, Any], file: str, *place: Any) -> Any:
        try:
            return evaluate_value(value, names)
        except (ExpressionError, Missing) as error:
            raise BundleError(self.bundle.where(file, *place), str(error)) from None
        except Exception as error:
            raise BundleError(self.bundle.where(file, *place), f"{type(error).__name__}: {error}") from None

    # -- the world -----------------------------------------------------------------------------------------------

    @cached_property
    def _inventory(self) -> World:
        """The inventory that all variants share, generated once."""
        meta = self.bundle.task
        world = World(self.compiled.services, self.start, self.zone, meta.person.user_id, meta.id)
        self._generate(world, self.scope({}), per_variant=False)
        return world

    def _generate(self, world: World, names: Mapping[str, Any], per_variant: bool) -> None:
        for number, each in enumerate(self.compiled.generators):
            if each.model.per_variant == per_variant:
                self._run_generator(world, number, each, names)

    def _run_generator(self, world: World, number: int, compiled: CompiledGenerator, names: Mapping[str, Any]) -> None:
        do = compiled.model.do
        service, _, verb = do.partition(".")
        try:
            takes = catalogue.generator_arguments(service, verb)
            given = takes.validate(evaluate_value(compiled.arguments, names))
            getattr(world.service(service), verb)(generator(world.identity, do, number), **given)
        except (ExpressionError, ToolError, ValueError, KeyError) as error:
            raise BundleError(compiled.where, f"{do}: {error}") from None

    def _put_records(self, world: World, names: Mapping[str, Any]) -> None:
        context = {"start": self.start, "zone": self.zone}
        written: set[tuple[str, str, Any]] = set()
        for service, kind, file, place, compiled in self.compiled.records:
            fields = self._evaluated(compiled, names, file, *place)
            if service == "world":
                try:
                    world.table(f"world.{kind}").put(fields)
                except KeyError as error:
                    raise BundleError(self.bundle.where(file, *place), f"world.{kind}: there is no {error}") from None
                continue
            model = catalogue.service_class(service).records[kind]
            try:
                record = model.model_validate(fields, context=context)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                where = self.bundle.where(file, *place, *first["loc"])
                shown = ".".join(str(part) for part in first["loc"])
                raise BundleError(where, f"{service}.{kind}: {shown}: {first['msg']}") from None
            table = world.service(service).table(kind)
            values = record.model_dump()
            if (service, kind, values[table.key]) in written:
                where = self.bundle.where(file, *place)
                raise BundleError(where, f"{service}.{kind}: {table.key} {values[table.key]!r} stands there twice")
            written.add((service, kind, values[table.key]))
            table.put(values)

    def _start_services(self, world: World) -> None:
        for service in self.compiled.services:
            try:
                world.service(service).start()
            except (ToolError, ValueError, KeyError, TypeError) as error:
                raise BundleError(
                    self.bundle.where("task.yaml", "services"),
                    f"the records of {service} do not fit together: {type(error).__name__}: {error}",
                ) from error

    # -- the timeline --------------------------------------------------------------------------------------------

    def _placed(self, moment: Any, file: str, *place: Any) -> int:
        try:
            return self._moment(str(moment))
        except ValueError as error:
            raise BundleError(self.bundle.where(file, *place), str(error)) from None

    def _place_events(self, names: Mapping[str, Any]) -> dict[str, Event]:
        placed = []
        for i, (event, at) in enumerate(zip(self.compiled.events, self.compiled.times, strict=True)):
            moment = self._evaluated(at, names, "timeline.yaml", "events", i)
            time = self._placed(moment, "timeline.yaml", "events", i, "at")
            if not self._day(self.start) <= time < self._day(self.after):
                where = self.bundle.where("timeline.yaml", "events", i)
                raise BundleError(where, f"{event.id} lies outside the window")
            placed.append(replace(event, at=time))
        placed.sort(key=lambda event: event.at)
        return {event.id: event for event in placed}

    def _stages(self, events: Mapping[str, Event], end: int) -> tuple[Stage, ...]:
        firsts: dict[str, int] = {}
        for event in events.values():
            firsts.setdefault(event.stage, event.at)
        order = self.bundle.task.stages
        for name in order:
            if name not in firsts:
                raise BundleError(self.bundle.where("task.yaml", "stages"), f"stage {name} has no event")
        times = [firsts[name] for name in order]
        if times != sorted(times) or len(set(times)) != len(times):
            raise BundleError(self.bundle.where("task.yaml", "stages"), "the stages do not begin one after the other")
        return tuple(
            Stage(name, start, following)
            for name, start, following in zip(order, times, [*times[1:], end], strict=True)
        )

    # -- the checks ----------------------------------------------------------------------------------------------

    def _place_checks(self, names: Mapping[str, Any]) -> dict[str, Check]:
        models = self.bundle.checks.checks
        return {
            check.id: self._place_check(check, model, names, "checks", i)
            for i, (check, model) in enumerate(zip(self.compiled.checks, models, strict=True))
        }

    def _place_check(self, check: Check, model: CheckModel, names: Mapping[str, Any], *place: Any) -> Check:
        if model.at is not None:
            return replace(check, at=self._instant(model.at, names, *place, "at"))
        if model.each is not None:
            return replace(check, each=self._each(model.id, model.each, names, *place, "each"))
        return check

    def _each(self, id: str, model: EachModel, names: Mapping[str, Any], *place: Any) -> Each:
        moment = next(m for m in _MOMENTS if getattr(model, m) is not None)
        first, last = getattr(model, moment)
        if moment == "midnight":
            first, last = (self._instant(text, names, *place, moment) for text in (first, last))
            if first > last:
                line = self.bundle.where("checks.yaml", *place)
                raise BundleError(line, f"{id}: the first midnight is after the last")
        return Each(moment, first, last)

    def _instant(self, text: str, names: Mapping[str, Any], *place: Any) -> int:
        """The instant of a check's moment, which lies inside the window."""
        compiled = self.compiled.compile(text, BUILD_NAMES, "checks.yaml", *place)
        instant = self._placed(self._evaluated(compiled, names, "checks.yaml", *place), "checks.yaml", *place)
        if not self._day(self.start) <= instant <= self._day(self.after):
            raise BundleError(self.bundle.where("checks.yaml", *place), f"{text} lies outside the window")
        return instant

    def _fill_agenda(self, world: World, events: Mapping[str, Event], checks: Mapping[str, Check]) -> None:
        for event in events.values():
            world.agenda.add(event.at, "timeline", event.id)
        for check in checks.values():
            if check.at is not None:
                world.agenda.add(check.at, "sample", "at", early=True, check=check.id)
            elif check.each is not None and check.each.moment == "midnight":
                day = clock.local(check.each.first, world.zone).date()
                while clock.day_start(day, world.zone) <= check.each.last:
                    midnight = clock.day_start(day + dt.timedelta(days=1), world.zone)
                    world.agenda.add(midnight - 1, "sample", day.isoformat(), early=True, check=check.id)
                    day += dt.timedelta(days=1)
