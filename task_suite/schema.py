"""What the YAML files of a bundle may say."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from lifegym.checks.artifacts import Artifact
from lifegym.checks.check import AXES

__all__ = [
    "ChecksFile", "CheckModel", "EffectModel", "EventModel", "IncludeModel", "ParamModel", "PersonModel",
    "SolutionFile", "StepModel", "TaskFile", "TimelineFile", "TurnModel", "WorldFile",
]  # fmt: skip

Axis = Literal["proactivity", "persistence", "propagation", "safety", "coordination", "accuracy"]
assert set(AXES) == set(Axis.__args__)  # type: ignore[attr-defined]
Factor = Literal["A1", "A2", "B1", "B2", "C1", "C2"]
Identifier = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,39}$")]
_PAIR = Field(min_length=2, max_length=2)
Moment = Annotated[str, Field(pattern=r"^(D\+|\$\{)")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class DrawModel(_Model):
    """How a param varies: one of several, or a whole number from a range (both ends included)."""

    choice: list[Any] | None = None
    range: Annotated[list[int], Field(min_length=2, max_length=3)] | None = None
    shuffle: list[Any] | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> DrawModel:
        if sum(value is not None for value in (self.choice, self.range, self.shuffle)) != 1:
            raise ValueError("a draw is one of choice, range [first, last, step] or shuffle")
        if self.choice == [] or self.shuffle == []:
            raise ValueError("there is nothing to draw from")
        if self.range is not None and (self.range[0] > self.range[1] or (self.range[2:] and self.range[2] < 1)):
            raise ValueError(
                "a range is [first, last] or [first, last, step]; first is not after last, step is positive"
            )
        return self


class ParamModel(_Model):
    """A param: its canonical value and how it varies, or an expression over params before it."""

    is_: Any = Field(None, alias="is")
    draw: DrawModel | None = None
    calc: str | None = None

    @model_validator(mode="after")
    def _has_value(self) -> ParamModel:
        if (self.calc is None) == ("is_" not in self.model_fields_set):
            raise ValueError("a param has either 'is' (with an optional 'draw') or 'calc'")
        if self.calc is not None and self.draw is not None:
            raise ValueError("a calculated param has no draw of its own")
        return self


class PersonModel(_Model):
    """The person whose affairs these are."""

    user_id: str
    name: str
    email: str
    about: str


class IncludeModel(_Model):
    """A storyline that the task includes, at a version, with its own names, amounts and times."""

    use: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*@[1-9][0-9]*$")]
    as_: Identifier = Field(alias="as")
    with_: dict[str, Any] = Field({}, alias="with")


class TaskFile(_Model):
    """``task.yaml``."""

    format: Literal[1]
    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
    title: str
    domain: str
    start: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    days: Annotated[int, Field(ge=1, le=120)]
    zone: str
    person: PersonModel
    services: list[str]
    factors: list[Factor]
    stages: list[Identifier]
    params: dict[Identifier, ParamModel] = {}
    storylines: list[IncludeModel] = []


class GenerateModel(_Model):
    """A call of a service's generator of inventory."""

    do: str
    with_: dict[str, Any] = Field({}, alias="with")
    per_variant: bool = False


class WorldFile(_Model):
    """``world/*.yaml``: records by service and kind, and inventory to generate."""

    records: dict[str, dict[str, list[dict[str, Any]]]] = {}
    generate: list[GenerateModel] = []


class EffectModel(_Model):
    """What an event changes."""

    do: str
    with_: dict[str, Any] = Field({}, alias="with")
    if_none: Literal["skip"] | list[EffectModel] | None = None


class OtherwiseModel(_Model):
    """Where an event's condition does not hold."""

    text: str | None = None
    effects: list[EffectModel] = []


class EventModel(_Model):
    """An entry of ``timeline.yaml``."""

    id: Identifier
    stage: Identifier
    at: Moment
    kind: Literal["user_message", "notification", "world", "mutation"]
    text: str | None = None
    effects: list[EffectModel] = []
    when: str | None = None
    otherwise: OtherwiseModel | None = None
    noticed_by: str | None = None
    decoy: bool = False

    @model_validator(mode="after")
    def _fits_kind(self) -> EventModel:
        if self.kind == "mutation":
            if self.text is not None:
                raise ValueError("a mutation is silent: it has no text")
            if not self.effects:
                raise ValueError("a mutation has effects")
        elif self.text is None:
            raise ValueError("an event that opens a turn has a text")
        if self.otherwise is not None and self.when is None:
            raise ValueError("'otherwise' needs a 'when'")
        return self


class TimelineFile(_Model):
    """``timeline.yaml``."""

    events: list[EventModel]


class EachModel(_Model):
    """Several moments of a check."""

    midnight: Annotated[list[Moment], _PAIR] | None = None
    stage_end: Annotated[list[Identifier], _PAIR] | None = None
    last_turn: Annotated[list[Identifier], _PAIR] | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> EachModel:
        if sum(value is not None for value in (self.midnight, self.stage_end, self.last_turn)) != 1:
            raise ValueError("'each' is one of midnight, stage_end or last_turn, with a first and a last")
        return self


class CheckModel(_Model):
    """A check of ``checks.yaml``."""

    id: Identifier
    tier: Literal["stage", "cross", "final"]
    stage: Identifier | None = None
    weight: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    axis: Axis
    what: str
    at: Moment | None = None
    each: EachModel | None = None
    let: dict[Identifier, str] = {}
    gate: list[str] = []
    all: list[str] = []
    never: list[str] = []

    @model_validator(mode="after")
    def _is_whole(self) -> CheckModel:
        if (self.tier == "stage") != (self.stage is not None):
            raise ValueError("a check of tier stage names its stage, and only such a check")
        if not (self.all or self.never):
            raise ValueError("a check has 'all' or 'never' clauses")
        if self.never and not (self.gate or self.all):
            raise ValueError("a check with 'never' has a 'gate': the work without which it pays nothing")
        if self.at is not None and self.each is not None:
            raise ValueError("a check has 'at' or 'each', not both")
        return self


class ChecksFile(_Model):
    """``checks.yaml``."""

    artifacts: dict[str, Artifact] = {}
    shared: dict[str, str] = {}
    checks: list[CheckModel]


class StepModel(_Model):
    """A step of the reference solution.

    ``do`` calls a tool; ``bind`` computes values out of what was seen; ``see`` reads a text that was seen; ``write``
    writes an artifact from rows.
    """

    id: Identifier | None = None
    do: str | None = None
    with_: dict[str, Any] = Field({}, alias="with")
    bind: dict[Identifier, str] | None = None
    see: dict[str, str] | None = None
    write: str | None = None
    rows: str | None = None
    as_: Identifier | None = Field(None, alias="as")
    again: Identifier | None = None
    needs: list[Identifier] = []
    refused: str | None = None
    not_before: str | None = None
    harmless: str | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> StepModel:
        kinds = [name for name in ("do", "bind", "see", "write") if getattr(self, name) is not None]
        if len(kinds) != 1:
            raise ValueError("a step has exactly one of do, bind, see or write")
        if (self.write is not None) != (self.rows is not None):
            raise ValueError("'write' goes with 'rows'")
        if self.see is not None and set(self.see) != {"from", "pattern"}:
            raise ValueError("'see' has 'from' and 'pattern'")
        return self


class EndModel(_Model):
    """A turn that ends with a reply."""

    reply: str
    harmless: str | None = None


class TurnModel(_Model):
    """What the reference solution does in the turn of an event."""

    turn: Identifier
    steps: list[StepModel] = []
    end: Literal["wait"] | EndModel = "wait"


class ViolationModel(_Model):
    """Steps that must trip a check's never-rule (or, as a near miss, must not)."""

    id: Identifier
    trips: list[Identifier] = []
    also: list[Identifier] = []
    spares: list[Identifier] = []
    turn: Identifier
    steps: list[StepModel] = []
    reply: str | None = None
    what: str


class SolutionFile(_Model):
    """``solution.yaml``."""

    shared: dict[str, str] = {}
    turns: list[TurnModel]
    violations: list[ViolationModel] = []
    near_misses: list[ViolationModel] = []
    forms: dict[str, list[str | dict[str, Any]]] = {}
