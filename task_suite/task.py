"""A task: its bundle compiled once, and the scenarios that its variants are."""

from __future__ import annotations

import datetime as dt
import re
from collections import OrderedDict
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from lifegym.checks.check import Check, Each, Let
from lifegym.checks.evidence import EVIDENCE
from lifegym.checks.expressions import Expression, ExpressionError, Missing, compile_value, evaluate_value
from lifegym.checks.sources import joined, shared_sources, sources
from lifegym.checks.values import FUNCTIONS
from lifegym.garbage import collecting_seldom
from lifegym.services import catalogue
from lifegym.services.tools import ToolError
from lifegym.task_suite import briefing
from lifegym.task_suite.bundle import Bundle, read_bundle
from lifegym.task_suite.reader import BundleError
from lifegym.task_suite.schema import CheckModel, EffectModel, EventModel, GenerateModel, OtherwiseModel
from lifegym.task_suite.variants import draw_params, effective_seed, generator
from lifegym.timeline import Effect, Event, Otherwise, Scenario, Stage
from lifegym.world import World, clock
from lifegym.world.frozen import FrozenDict

__all__ = ["Task", "load_task"]

BUILD_NAMES = frozenset([*FUNCTIONS, "p", "t"])
"""What expressions in records, texts and times may name: they are evaluated before anything happens."""

PLAY_NAMES = frozenset([*FUNCTIONS, *EVIDENCE, "p"])
"""What expressions in events and checks may name."""

_KEPT_SCENARIOS = 64
_MOMENTS: tuple[Literal["midnight", "stage_end", "last_turn"], ...] = ("midnight", "stage_end", "last_turn")
_SHARED = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\( *[A-Za-z][A-Za-z0-9_]*( *, *[A-Za-z][A-Za-z0-9_]*)* *\))?")


class Task:
    """A compiled bundle.

    Args:
        bundle: What was read.
        source: How to load the same task again: its id or its folder.

    Raises:
        BundleError: An expression, a reference or a time is wrong.
    """

    def __init__(self, bundle: Bundle, source: str) -> None:
        self.bundle = bundle
        self.source = source
        meta = bundle.task
        self.id = meta.id
        self.title = meta.title
        self.domain = meta.domain
        self.services: tuple[str, ...] = tuple(meta.services)
        try:
            self.start = clock.parse_day(meta.start)
        except ValueError as error:
            raise BundleError(bundle.where("task.yaml", "start"), str(error)) from None
        self.solution: Any = None  # compiled on first use by lifegym.task_suite.solution
        self._scenarios: OrderedDict[tuple[str, int], Scenario] = OrderedDict()
        self._check_meta()
        self._workspace = {
            name: self._compiled(text, BUILD_NAMES, f"workspace/{name}") for name, text in bundle.workspace.items()
        }
        self._records = self._compile_records()
        self._generate = self._compile_generators()
        self._times = [
            self._compiled(event.at, BUILD_NAMES, "timeline.yaml", "events", i)
            for i, event in enumerate(bundle.timeline.events)
        ]
        self._events = [self._compile_event(i, event) for i, event in enumerate(bundle.timeline.events)]
        self._shared = self._compile_shared()
        self._reads = shared_sources({name: expression for name, (_, expression) in self._shared.items()})
        self._checks = [self._compile_check(i, check) for i, check in enumerate(bundle.checks.checks)]

    # -- compiling -----------------------------------------------------------------------------------------------

    def _check_meta(self) -> None:
        meta, where = self.bundle.task, self.bundle.where
        for i, name in enumerate(meta.services):
            if name not in catalogue.SERVICES:
                known = ", ".join(catalogue.SERVICES)
                raise BundleError(where("task.yaml", "services", i), f"unknown service {name!r}; there are: {known}")
        try:
            clock.zone(meta.zone)
        except ValueError as error:
            raise BundleError(where("task.yaml", "zone"), str(error)) from None
        if len(set(meta.stages)) != len(meta.stages):
            raise BundleError(where("task.yaml", "stages"), "a stage stands there twice")
        for file, names in (
            ("timeline.yaml", [event.id for event in self.bundle.timeline.events]),
            ("checks.yaml", [check.id for check in self.bundle.checks.checks]),
        ):
            for i, name in enumerate(names):
                if name in names[:i]:
                    raise BundleError(where(file, file[:-5].replace("timeline", "events"), i), f"{name} is used twice")

    def _compiled(self, value: Any, known: Collection[str], file: str, *place: Any) -> Any:
        try:
            return compile_value(value, known)
        except ExpressionError as error:
            raise BundleError(self.bundle.where(file, *place), str(error)) from None

    def _expression(
        self, source: str, known: Collection[str], file: str, *place: Any, own: Collection[str] = ()
    ) -> Expression:
        try:
            return Expression(source, known, own)
        except ExpressionError as error:
            raise BundleError(self.bundle.where(file, *place), str(error)) from None

    def _compile_records(self) -> list[tuple[str, str, str, tuple[Any, ...], Any]]:
        compiled = []
        for file, world in zip(self._world_names(), self.bundle.worlds, strict=True):
            for service, kinds in world.records.items():
                for kind, rows in kinds.items():
                    self._known_table(service, kind, file)
                    for i, row in enumerate(rows):
                        place = ("records", service, kind, i)
                        compiled.append((service, kind, file, place, self._compiled(row, BUILD_NAMES, file, *place)))
        return compiled

    def _world_names(self) -> list[str]:
        return [name for name in self.bundle.documents if name.startswith("world/")]

    def _known_table(self, service: str, kind: str, file: str) -> None:
        if service == "world" and kind == "methods":
            return
        where = self.bundle.where(file, "records", service, kind)
        if service not in self.services:
            raise BundleError(where, f"{service!r} is not among the task's services")
        kinds = catalogue.service_class(service).records
        if kind not in kinds:
            raise BundleError(where, f"{service} has no records {kind!r}; there are: {', '.join(kinds)}")

    def _compile_generators(self) -> list[tuple[str, GenerateModel, Any]]:
        compiled = []
        for file, world in zip(self._world_names(), self.bundle.worlds, strict=True):
            for i, block in enumerate(world.generate):
                service, _, verb = block.do.partition(".")
                where = self.bundle.where(file, "generate", i)
                if service not in self.services or verb not in catalogue.generators_of(service):
                    known = [f"{name}.{g}" for name in self.services for g in catalogue.generators_of(name)]
                    raise BundleError(where, f"there is no generator {block.do!r}; there are: {', '.join(known)}")
                compiled.append((where, block, self._compiled(block.with_, BUILD_NAMES, file, "generate", i)))
        return compiled

    @cached_property
    def _tables(self) -> dict[str, str]:
        return {"world.charges": "charge_id", "world.methods": "method_id", **catalogue.table_keys(self.services)}

    def _compile_effects(self, effects: list[EffectModel], *place: Any) -> tuple[Effect, ...]:
        compiled = []
        for i, effect in enumerate(effects):
            at = (*place, i)
            where = self.bundle.where("timeline.yaml", *at)
            if effect.do != "change":
                service, _, verb = effect.do.partition(".")
                if service not in self.services or verb not in catalogue.happenings_of(service):
                    known = [f"{name}.{h}" for name in self.services for h in catalogue.happenings_of(name)]
                    raise BundleError(where, f"there is no happening {effect.do!r}; there are: {', '.join(known)}")
                takes = catalogue.happening_arguments(service, verb)
                unknown = [name for name in effect.with_ if name not in takes.names]
                lacking = [name for name in takes.required if name not in effect.with_]
                if unknown or lacking:
                    raise BundleError(
                        where,
                        f"{effect.do} takes {', '.join(takes.names)}"
                        + (f"; not {', '.join(unknown)}" if unknown else "")
                        + (f"; {', '.join(lacking)} is missing" if lacking else ""),
                    )
            elif set(effect.with_) != {"table", "where", "set"}:
                raise BundleError(where, "change takes table, where and set")
            elif "${" not in str(effect.with_["table"]) and effect.with_["table"] not in self._tables:
                tables = ", ".join(self._tables)
                raise BundleError(where, f"there is no table {effect.with_['table']!r}; there are: {tables}")
            arguments = self._compiled(effect.with_, PLAY_NAMES, "timeline.yaml", *at)
            none: Any = effect.if_none
            if isinstance(none, list):
                none = self._compile_effects(none, *at, "if_none")
            compiled.append(Effect(effect.do, arguments, none))
        return tuple(compiled)

    def _compile_event(self, i: int, event: EventModel) -> Event:
        place = ("events", i)
        if event.stage not in self.bundle.task.stages:
            raise BundleError(self.bundle.where("timeline.yaml", *place), f"{event.id}: no stage {event.stage!r}")
        otherwise: OtherwiseModel | None = event.otherwise
        return Event(
            id=event.id,
            at=0,
            kind=event.kind,
            stage=event.stage,
            text=self._compiled(event.text, PLAY_NAMES, "timeline.yaml", *place, "text"),
            effects=self._compile_effects(event.effects, *place, "effects"),
            when=self._expression(event.when, PLAY_NAMES, "timeline.yaml", *place, "when") if event.when else None,
            otherwise=Otherwise(
                self._compiled(otherwise.text, PLAY_NAMES, "timeline.yaml", *place, "otherwise"),
                self._compile_effects(otherwise.effects, *place, "otherwise", "effects"),
            )
            if otherwise
            else None,
        )

    def _compile_shared(self) -> dict[str, tuple[tuple[str, ...], Expression]]:
        """Shared names of checks: ``total: expression`` or ``walked(row): expression``."""
        names = [key.partition("(")[0] for key in self.bundle.checks.shared]
        shared: dict[str, tuple[tuple[str, ...], Expression]] = {}
        for key, source in self.bundle.checks.shared.items():
            name, _, rest = key.partition("(")
            where = self.bundle.where("checks.yaml", "shared", key)
            if not _SHARED.fullmatch(key):
                raise BundleError(where, f"{key!r} is neither a name nor a function such as cost(row)")
            if names.count(name) > 1:
                raise BundleError(where, f"{name!r} stands there twice")
            parameters = tuple(part.strip() for part in rest.rstrip(")").split(",") if part.strip())
            if name in PLAY_NAMES:
                raise BundleError(where, f"{name!r} has a meaning already")
            known = PLAY_NAMES | set(names) | set(parameters)
            expression = self._expression(source, known, "checks.yaml", "shared", key, own=parameters)
            shared[name] = (parameters, expression)
        self._refuse_circles({name: set(expression.names) - set(given) for name, (given, expression) in shared.items()})
        return shared

    def _refuse_circles(self, uses: Mapping[str, Collection[str]]) -> None:
        """A shared name that needs itself would never come to an end."""
        done: set[str] = set()

        def visit(name: str, above: tuple[str, ...]) -> None:
            if name in above:
                key = next(key for key in self.bundle.checks.shared if key.partition("(")[0] == name)
                circle = " -> ".join([*above[above.index(name) :], name])
                raise BundleError(self.bundle.where("checks.yaml", "shared", key), f"{name!r} needs itself: {circle}")
            if len(above) > 50:
                raise BundleError(
                    self.bundle.where("checks.yaml", "shared"), "shared names build on each other too deeply"
                )
            if name in uses and name not in done:
                for other in sorted(uses[name]):
                    visit(other, (*above, name))
                done.add(name)

        for name in uses:
            visit(name, ())

    def _needed(self, names: Collection[str], found: dict[str, None]) -> None:
        for name in sorted(names):
            if name in self._shared and name not in found:
                self._needed(set(self._shared[name][1].names) - set(self._shared[name][0]), found)
                found[name] = None

    def _compile_check(self, i: int, model: CheckModel) -> tuple[CheckModel, tuple[Any, ...]]:
        place = ("checks", i)
        stages = self.bundle.task.stages
        where = self.bundle.where("checks.yaml", *place)
        spans = [model.stage] if model.stage else []
        if model.each:
            spans.extend([*(model.each.stage_end or ()), *(model.each.last_turn or ())])
        for stage in spans:
            if stage not in stages:
                raise BundleError(where, f"{model.id}: there is no stage {stage!r}")
        if model.each:
            for span in (model.each.stage_end, model.each.last_turn):
                if span and stages.index(span[0]) > stages.index(span[1]):
                    raise BundleError(where, f"{model.id}: stage {span[0]} does not come before {span[1]}")
        known = set(PLAY_NAMES) | set(self._shared)
        let = []
        for name, source in model.let.items():
            if name in PLAY_NAMES:
                line = self.bundle.where("checks.yaml", *place, "let", name)
                raise BundleError(line, f"{name!r} has a meaning already")
            let.append(Let(name, (), self._expression(source, known, "checks.yaml", *place, "let", name)))
            known.add(name)
        groups = [
            tuple(
                self._expression(source, known, "checks.yaml", *place, kind, j)
                for j, source in enumerate(getattr(model, kind))
            )
            for kind in ("gate", "all", "never")
        ]
        needed: dict[str, None] = {}
        own = [*(item.expression for item in let), *(e for group in groups for e in group)]
        for expression in own:
            self._needed(set(expression.names) - {item.name for item in let}, needed)
        # Where a check gives a shared name a meaning of its own, functions that use it give something else for it.
        alike = not self._shared.keys() & model.let.keys()
        shared = tuple(Let(name, *self._shared[name], shared=alike, reads=self._reads[name]) for name in needed)
        return model, (shared, tuple(let), *groups, joined(sources(expression, self._reads) for expression in own))

    # -- scenarios -----------------------------------------------------------------------------------------------

    def scenario(self, variant: str = "canonical", seed: int = 0) -> Scenario:
        """One variant of the task, built once and kept.

        Args:
            variant: ``canonical``, ``train`` or ``test``.
            seed: Which of the variant's draws; ignored for canonical.

        Raises:
            ValueError: An unknown variant or a seed out of range.
            BundleError: A record or an expression does not work out for these params.
        """
        effective_seed(variant, seed)
        key = (variant, 0 if variant == "canonical" else int(seed))
        found = self._scenarios.get(key)
        if found is None:
            found = self._scenarios[key] = self._build(*key)
            if len(self._scenarios) > _KEPT_SCENARIOS:
                self._scenarios.popitem(last=False)
        else:
            self._scenarios.move_to_end(key)
        return found

    def params(self, variant: str = "canonical", seed: int = 0) -> FrozenDict:
        """The params of a variant."""
        try:
            return draw_params(self.id, self.bundle.task.params, variant, seed)
        except ExpressionError as error:
            name = str(error).partition(":")[0].removeprefix("param ")
            raise BundleError(self.bundle.where("task.yaml", "params", name), str(error)) from None

    def _moment(self, text: str) -> int:
        return clock.moment(text, self.start, self.bundle.task.zone)

    def _world(self, identity: str) -> World:
        meta = self.bundle.task
        return World(self.services, self.start, meta.zone, meta.person.user_id, identity)

    @cached_property
    def _inventory(self) -> World:
        """The inventory that all variants share, generated once."""
        world = self._world(self.id)
        for number, (where, block, arguments) in enumerate(self._generate):
            if not block.per_variant:
                self._run_generator(world, number, where, block, arguments, {**FUNCTIONS, "p": {}, "t": self._t})
        return world

    def _t(self, text: str) -> dt.datetime:
        return clock.local(self._moment(text), self.bundle.task.zone)

    def _run_generator(
        self, world: World, number: int, where: str, block: GenerateModel, arguments: Any, names: Mapping[str, Any]
    ) -> None:
        service, _, verb = block.do.partition(".")
        try:
            takes = catalogue.generator_arguments(service, verb)
            given = takes.validate(evaluate_value(arguments, names))
            getattr(world.service(service), verb)(generator(world.identity, block.do, number), **given)
        except (ExpressionError, ToolError, ValueError, KeyError) as error:
            raise BundleError(where, f"{block.do}: {error}") from None

    def _build(self, variant: str, seed: int) -> Scenario:
        params = self.params(variant, seed)
        names = {**FUNCTIONS, "p": params, "t": self._t}
        meta = self.bundle.task
        world = self._inventory.fork()
        world.identity = f"{self.id}|{variant}|{seed}"
        person = self._evaluated(self._person, names, "task.yaml", "person")
        world.owner_name, world.owner_email = person["name"], person["email"]
        self._put_records(world, names)
        for number, (where, block, arguments) in enumerate(self._generate):
            if block.per_variant:
                self._run_generator(world, number, where, block, arguments, names)
        for name, text in self._workspace.items():
            filled = self._evaluated(text, names, f"workspace/{name}")
            world.workspace.write(name, str(filled), world.now)
        for service in self.services:
            try:
                world.service(service).start()
            except (ToolError, ValueError, KeyError, TypeError) as error:
                raise BundleError(
                    self.bundle.where("task.yaml", "services"),
                    f"the records of {service} do not fit together: {type(error).__name__}: {error}",
                ) from error
        end = self._day(self._after)
        events = self._place_events(names)
        stages = self._stages(events, end)
        checks = {model.id: self._place_check(model, parts, names, stages) for model, parts in self._checks}
        self._fill_agenda(world, events, checks)
        return Scenario(
            task=self.id,
            variant=variant,
            seed=seed,
            start=self.start,
            end=end,
            zone=meta.zone,
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

    @cached_property
    def _person(self) -> Any:
        person = self.bundle.task.person
        texts = {"name": person.name, "email": person.email, "about": person.about}
        return self._compiled(texts, BUILD_NAMES, "task.yaml", "person")

    def _evaluated(self, value: Any, names: Mapping[str, Any], file: str, *place: Any) -> Any:
        try:
            return evaluate_value(value, names)
        except (ExpressionError, Missing) as error:
            raise BundleError(self.bundle.where(file, *place), str(error)) from None
        except Exception as error:
            raise BundleError(self.bundle.where(file, *place), f"{type(error).__name__}: {error}") from None

    def _put_records(self, world: World, names: Mapping[str, Any]) -> None:
        context = {"start": self.start, "zone": self.bundle.task.zone}
        written: set[tuple[str, str, Any]] = set()
        for service, kind, file, place, row in self._records:
            fields = self._evaluated(row, names, file, *place)
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

    def _placed(self, moment: Any, file: str, *place: Any) -> int:
        try:
            return self._moment(str(moment))
        except ValueError as error:
            raise BundleError(self.bundle.where(file, *place), str(error)) from None

    def _place_events(self, names: Mapping[str, Any]) -> dict[str, Event]:
        placed = []
        for i, (event, at) in enumerate(zip(self._events, self._times, strict=True)):
            moment = self._evaluated(at, names, "timeline.yaml", "events", i)
            time = self._placed(moment, "timeline.yaml", "events", i, "at")
            if not self._day(self.start) <= time < self._day(self._after):
                where = self.bundle.where("timeline.yaml", "events", i)
                raise BundleError(where, f"{event.id} lies outside the window")
            placed.append(
                Event(event.id, time, event.kind, event.stage, event.text, event.effects, event.when, event.otherwise)
            )
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

    def _instant_of(self, text: str, names: Mapping[str, Any], *place: Any) -> int:
        """The instant of a check's moment, which lies inside the window."""
        compiled = self._compiled(text, BUILD_NAMES, "checks.yaml", *place)
        instant = self._placed(self._evaluated(compiled, names, "checks.yaml", *place), "checks.yaml", *place)
        if not self._day(self.start) <= instant <= self._day(self._after):
            raise BundleError(self.bundle.where("checks.yaml", *place), f"{text} lies outside the window")
        return instant

    def _day(self, day: dt.date) -> int:
        return clock.day_start(day, self.bundle.task.zone)

    @property
    def _after(self) -> dt.date:
        """The day after the window."""
        return self.start + dt.timedelta(days=self.bundle.task.days)

    def _place_check(
        self, model: CheckModel, parts: tuple[Any, ...], names: Mapping[str, Any], stages: tuple[Stage, ...]
    ) -> Check:
        shared, let, gate, all_, never, reads = parts
        at = each = None
        where = ("checks", next(i for i, check in enumerate(self.bundle.checks.checks) if check.id == model.id))
        if model.at is not None:
            at = self._instant_of(model.at, names, *where, "at")
        if model.each is not None:
            moment = next(m for m in _MOMENTS if getattr(model.each, m) is not None)
            first, last = getattr(model.each, moment)
            if moment == "midnight":
                first, last = (self._instant_of(text, names, *where, "each", moment) for text in (first, last))
                if first > last:
                    line = self.bundle.where("checks.yaml", *where, "each")
                    raise BundleError(line, f"{model.id}: the first midnight is after the last")
            each = Each(moment, first, last)
        return Check(
            id=model.id,
            tier=model.tier,
            weight=model.weight,
            axis=model.axis,
            what=model.what,
            stage=model.stage or "",
            let=(*shared, *let),
            gate=gate,
            all=all_,
            never=never,
            at=at,
            each=each,
            reads=reads,
        )

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


_loaded: dict[str, Task] = {}


def load_task(source: str | Path) -> Task:
    """The task of this id or in this folder, compiled once per process.

    Raises:
        BundleError: The bundle is malformed.
        KeyError: There is no task of this id; the message names the nearest.
    """
    key = str(source)
    task = _loaded.get(key)
    if task is None:
        from lifegym.task_suite.suite import task_path

        path = Path(source) if isinstance(source, Path) or "/" in key else task_path(key)
        with collecting_seldom():
            task = _loaded[key] = Task(read_bundle(path), key)
    return task
