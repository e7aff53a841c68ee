"""What is compiled once from a bundle: all that is the same for each of the task's variants."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from lifegym.checks.check import Check, Let
from lifegym.checks.expressions import Expression, ExpressionError, compile_value
from lifegym.checks.functions import EVIDENCE
from lifegym.checks.sources import joined, shared_sources, sources
from lifegym.checks.values import FUNCTIONS
from lifegym.services import catalogue
from lifegym.task_suite.bundle import Bundle
from lifegym.task_suite.reader import BundleError
from lifegym.task_suite.schema import CheckModel, EffectModel, EventModel, GenerateModel, OtherwiseModel
from lifegym.timeline import Effect, Event, Otherwise
from lifegym.world import clock

__all__ = [
    "BUILD_NAMES", "PLAY_NAMES", "CompiledBundle", "CompiledGenerator", "CompiledRecord", "SharedName", "signature",
]  # fmt: skip

BUILD_NAMES = frozenset([*FUNCTIONS, "p", "t"])
"""What expressions in records, texts and times may name: they are evaluated before anything happens."""

PLAY_NAMES = frozenset([*FUNCTIONS, *EVIDENCE, "p"])
"""What expressions in events and checks may name."""

_SHARED = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\( *[A-Za-z][A-Za-z0-9_]*( *, *[A-Za-z][A-Za-z0-9_]*)* *\))?")


class CompiledRecord(NamedTuple):
    """A record of a world file.

    Attributes:
        service: Whose record it is, or ``world``.
        kind: The table, by its name within the service.
        file: Where it stands.
        place: Its keys in the file.
        fields: Compiled fields.
    """

    service: str
    kind: str
    file: str
    place: tuple[Any, ...]
    fields: Any


class CompiledGenerator(NamedTuple):
    """A call of a generator in a world file.

    Attributes:
        where: ``file:line`` of it.
        model: As it stands in the bundle.
        arguments: Compiled arguments.
    """

    where: str
    model: GenerateModel
    arguments: Any


class SharedName(NamedTuple):
    """What a name stands for that expressions share; with parameters it is a function of them."""

    parameters: tuple[str, ...]
    expression: Expression

    @property
    def needs(self) -> set[str]:
        """The names that it takes from elsewhere."""
        return set(self.expression.names) - set(self.parameters)


def signature(key: str) -> tuple[str, tuple[str, ...]]:
    """Name and parameters of a key under ``shared``, such as ``total`` or ``cost(row, day)``."""
    name, _, rest = key.partition("(")
    return name, tuple(part.strip() for part in rest.rstrip(")").split(",") if part.strip())


class CompiledBundle:
    """A bundle with its expressions compiled and its references looked up.

    Args:
        bundle: What was read.

    Attributes:
        bundle: What was read.
        start: First day.
        services: The services of the task.
        workspace: Compiled texts of its files, by path.
        records: Of the world files, in their order.
        generators: Of the world files, in their order.
        times: When the events happen, compiled, in the order of the timeline file.
        events: The events themselves in the same order, their time still 0.
        shared: The names that checks share.
        checks: In the order of the file, their moments not yet placed.

    Raises:
        BundleError: An expression, a reference or a time is wrong.
    """

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.services: tuple[str, ...] = tuple(bundle.task.services)
        try:
            self.start = clock.parse_day(bundle.task.start)
        except ValueError as error:
            raise BundleError(bundle.where("task.yaml", "start"), str(error)) from None
        self._check_meta()
        self.workspace = {
            name: self.compile(text, BUILD_NAMES, f"workspace/{name}") for name, text in bundle.workspace.items()
        }
        self.records = self._compile_records()
        self.generators = self._compile_generators()
        self.times = [
            self.compile(event.at, BUILD_NAMES, "timeline.yaml", "events", i)
            for i, event in enumerate(bundle.timeline.events)
        ]
        self.events = [self._compile_event(i, event) for i, event in enumerate(bundle.timeline.events)]
        self.shared = self._compile_shared()
        self._reads = shared_sources({name: each.expression for name, each in self.shared.items()})
        self.checks = [self._compile_check(i, check) for i, check in enumerate(bundle.checks.checks)]

    @cached_property
    def person(self) -> dict[str, Any]:
        """Compiled name, email and description of the person: of use only once a scenario is built."""
        person = self.bundle.task.person
        texts = {"name": person.name, "email": person.email, "about": person.about}
        compiled: dict[str, Any] = self.compile(texts, BUILD_NAMES, "task.yaml", "person")
        return compiled

    def compile(self, value: Any, known: Collection[str], file: str, *place: Any) -> Any:
        """A value of the bundle with its texts compiled.

        Raises:
            BundleError: One of them is no expression over known names; names the place's line.
        """
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
        for file, key, names in (
            ("timeline.yaml", "events", [event.id for event in self.bundle.timeline.events]),
            ("checks.yaml", "checks", [check.id for check in self.bundle.checks.checks]),
        ):
            for i, name in enumerate(names):
                if name in names[:i]:
                    raise BundleError(where(file, key, i), f"{name} is used twice")

    # -- the world -----------------------------------------------------------------------------------------------

    def _world_names(self) -> list[str]:
        return [name for name in self.bundle.documents if name.startswith("world/")]

    def _compile_records(self) -> list[CompiledRecord]:
        compiled = []
        for file, world in zip(self._world_names(), self.bundle.worlds, strict=True):
            for service, kinds in world.records.items():
                for kind, rows in kinds.items():
                    self._known_table(service, kind, file)
                    for i, row in enumerate(rows):
                        place = ("records", service, kind, i)
                        fields = self.compile(row, BUILD_NAMES, file, *place)
                        compiled.append(CompiledRecord(service, kind, file, place, fields))
        return compiled

    def _known_table(self, service: str, kind: str, file: str) -> None:
        if service == "world" and kind == "methods":
            return
        where = self.bundle.where(file, "records", service, kind)
        if service not in self.services:
            raise BundleError(where, f"{service!r} is not among the task's services")
        kinds = catalogue.service_class(service).records
        if kind not in kinds:
            raise BundleError(where, f"{service} has no records {kind!r}; there are: {', '.join(kinds)}")

    def _compile_generators(self) -> list[CompiledGenerator]:
        compiled = []
        for file, world in zip(self._world_names(), self.bundle.worlds, strict=True):
            for i, model in enumerate(world.generate):
                service, _, verb = model.do.partition(".")
                where = self.bundle.where(file, "generate", i)
                if service not in self.services or verb not in catalogue.generators_of(service):
                    known = [f"{name}.{g}" for name in self.services for g in catalogue.generators_of(name)]
                    raise BundleError(where, f"there is no generator {model.do!r}; there are: {', '.join(known)}")
                arguments = self.compile(model.with_, BUILD_NAMES, file, "generate", i)
                compiled.append(CompiledGenerator(where, model, arguments))
        return compiled

    # -- the timeline --------------------------------------------------------------------------------------------

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
            text=self.compile(event.text, PLAY_NAMES, "timeline.yaml", *place, "text"),
            effects=self._compile_effects(event.effects, *place, "effects"),
            when=self._expression(event.when, PLAY_NAMES, "timeline.yaml", *place, "when") if event.when else None,
            otherwise=Otherwise(
                self.compile(otherwise.text, PLAY_NAMES, "timeline.yaml", *place, "otherwise"),
                self._compile_effects(otherwise.effects, *place, "otherwise", "effects"),
            )
            if otherwise
            else None,
        )

    def _compile_effects(self, effects: list[EffectModel], *place: Any) -> tuple[Effect, ...]:
        compiled = []
        for i, effect in enumerate(effects):
            at = (*place, i)
            self._known_effect(effect, self.bundle.where("timeline.yaml", *at))
            arguments = self.compile(effect.with_, PLAY_NAMES, "timeline.yaml", *at)
            none: Any = effect.if_none
            if isinstance(none, list):
                none = self._compile_effects(none, *at, "if_none")
            compiled.append(Effect(effect.do, arguments, none))
        return tuple(compiled)

    def _known_effect(self, effect: EffectModel, where: str) -> None:
        if effect.do == "change":
            if set(effect.with_) != {"table", "where", "set"}:
                raise BundleError(where, "change takes table, where and set")
            if "${" not in str(effect.with_["table"]) and effect.with_["table"] not in self._tables:
                tables = ", ".join(self._tables)
                raise BundleError(where, f"there is no table {effect.with_['table']!r}; there are: {tables}")
            return
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

    @cached_property
    def _tables(self) -> dict[str, str]:
        return catalogue.world_keys(self.services)

    # -- the checks ----------------------------------------------------------------------------------------------

    def _compile_shared(self) -> dict[str, SharedName]:
        """Shared names of checks: ``total: expression`` or ``walked(row): expression``."""
        names = [signature(key)[0] for key in self.bundle.checks.shared]
        shared: dict[str, SharedName] = {}
        for key, source in self.bundle.checks.shared.items():
            name, parameters = signature(key)
            where = self.bundle.where("checks.yaml", "shared", key)
            if not _SHARED.fullmatch(key):
                raise BundleError(where, f"{key!r} is neither a name nor a function such as cost(row)")
            if names.count(name) > 1:
                raise BundleError(where, f"{name!r} stands there twice")
            if name in PLAY_NAMES:
                raise BundleError(where, f"{name!r} has a meaning already")
            known = PLAY_NAMES | set(names) | set(parameters)
            expression = self._expression(source, known, "checks.yaml", "shared", key, own=parameters)
            shared[name] = SharedName(parameters, expression)
        self._refuse_circles({name: each.needs for name, each in shared.items()})
        return shared

    def _refuse_circles(self, uses: Mapping[str, Collection[str]]) -> None:
        """A shared name that needs itself would never come to an end."""
        done: set[str] = set()

        def visit(name: str, above: tuple[str, ...]) -> None:
            if name in above:
                key = next(key for key in self.bundle.checks.shared if signature(key)[0] == name)
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
            if name in self.shared and name not in found:
                self._needed(self.shared[name].needs, found)
                found[name] = None

    def _compile_check(self, i: int, model: CheckModel) -> Check:
        place = ("checks", i)
        self._known_stages(model, self.bundle.where("checks.yaml", *place))
        known = set(PLAY_NAMES) | set(self.shared)
        let = []
        for name, source in model.let.items():
            if name in PLAY_NAMES:
                line = self.bundle.where("checks.yaml", *place, "let", name)
                raise BundleError(line, f"{name!r} has a meaning already")
            let.append(Let(name, (), self._expression(source, known, "checks.yaml", *place, "let", name)))
            known.add(name)
        gate, all_, never = (
            tuple(
                self._expression(source, known, "checks.yaml", *place, kind, j)
                for j, source in enumerate(getattr(model, kind))
            )
            for kind in ("gate", "all", "never")
        )
        needed: dict[str, None] = {}
        own = [*(item.expression for item in let), *gate, *all_, *never]
        for expression in own:
            self._needed(set(expression.names) - {item.name for item in let}, needed)
        # Where a check gives a shared name a meaning of its own, functions that use it give something else for it.
        alike = not self.shared.keys() & model.let.keys()
        shared = (Let(name, *self.shared[name], shared=alike, reads=self._reads[name]) for name in needed)
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
            reads=joined(sources(expression, self._reads) for expression in own),
        )

    def _known_stages(self, model: CheckModel, where: str) -> None:
        stages = self.bundle.task.stages
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
