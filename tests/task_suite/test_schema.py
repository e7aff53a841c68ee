"""What the files of a bundle may say: every rule of every file, each complaint with file and line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from lifegym.task_suite import read_bundle
from lifegym.task_suite.reader import BundleError
from lifegym.task_suite.schema import CheckModel, DrawModel, EachModel, EventModel, ParamModel, StepModel

CHECK = {"id": "c", "tier": "final", "weight": 1.0, "axis": "safety", "what": "x", "all": ["1"]}
EVENT = {"id": "e", "stage": "S1", "at": "D+0", "kind": "world", "text": "x"}


@pytest.mark.parametrize(
    ("model", "fields", "message"),
    [
        (DrawModel, {}, "a draw is one of choice, range"), (DrawModel, {"choice": [1], "range": [1, 2]},
         "a draw is one of"),
        (DrawModel, {"choice": []}, "nothing to draw from"), (DrawModel, {"shuffle": []}, "nothing to draw from"),
        (DrawModel, {"range": [1]}, "at least 2"), (DrawModel, {"range": [1, 2, 3, 4]}, "at most 3"),
        (DrawModel, {"range": [2, 1]}, "first is not after"),
        (DrawModel, {"range": [1, 2, 0]}, "step is positive"), (DrawModel, {"range": [1, 2.5]}, "valid integer"),
        (DrawModel, {"one_of": [1]}, "Extra inputs"),
        (ParamModel, {}, "a param has either"), (ParamModel, {"is": 1, "calc": "1"}, "a param has either"),
        (ParamModel, {"calc": "1", "draw": {"choice": [1]}}, "no draw of its own"),
        (ParamModel, {"draw": {"choice": [1]}}, "a param has either"),
        (EventModel, {**EVENT, "kind": "mutation"}, "a mutation is silent"),
        (EventModel, {**EVENT, "kind": "mutation", "text": None}, "has effects"),
        (EventModel, {**EVENT, "text": None}, "opens a turn has a text"),
        (EventModel, {**EVENT, "otherwise": {}}, "'otherwise' needs a 'when'"),
        (EventModel, {**EVENT, "kind": "surprise"}, "user_message"),
        (EventModel, {**EVENT, "at": "tomorrow"}, "pattern"),
        (EventModel, {**EVENT, "id": "a-b"}, "pattern"), (EventModel, {**EVENT, "id": "1a"}, "pattern"),
        (EventModel, {**EVENT, "id": "a" * 41}, "pattern"),
        (EventModel, {**EVENT, "effects": [{"do": "x", "if_none": "stop"}]}, "skip"),
        (EventModel, {**EVENT, "effects": [{"with": {}}]}, "Field required"),
        (EachModel, {}, "'each' is one of"), (EachModel, {"midnight": None}, "'each' is one of"),
        (EachModel, {"midnight": ["D+1"]}, "at least 2"),
        (EachModel, {"midnight": ["D+0", "D+1"], "stage_end": ["S1", "S2"]}, "'each' is one of"),
        (CheckModel, {**CHECK, "tier": "stage"}, "names its stage"),
        (CheckModel, {**CHECK, "stage": "S1"}, "names its stage"),
        (CheckModel, {**CHECK, "all": []}, "'all' or 'never'"),
        (CheckModel, {**CHECK, "all": [], "never": ["1"]}, "has a 'gate'"),
        (CheckModel, {**CHECK, "at": "D+1", "each": {"midnight": ["D+0", "D+1"]}}, "not both"),
        (CheckModel, {**CHECK, "weight": 0.0}, "greater than 0"),
        (CheckModel, {**CHECK, "weight": -1.0}, "greater than 0"),
        (CheckModel, {**CHECK, "weight": float("inf")}, "finite"),
        (CheckModel, {**CHECK, "weight": float("nan")}, "greater than 0|finite"),
        (CheckModel, {**CHECK, "weight": "1"}, "valid number"),
        (CheckModel, {**CHECK, "axis": "luck"}, "proactivity"), (CheckModel, {**CHECK, "all": "1"}, "valid list"),
        (CheckModel, {**CHECK, "let": {"1a": "1"}}, "pattern"),
        (StepModel, {}, "exactly one of"), (StepModel, {"do": "x", "bind": {"a": "1"}}, "exactly one of"),
        (StepModel, {"write": "x"}, "'write' goes with 'rows'"),
        (StepModel, {"do": "x", "rows": "[]"}, "'write' goes with 'rows'"),
        (StepModel, {"see": {"from": "x"}}, "'see' has 'from' and 'pattern'"),
        (StepModel, {"see": {"from": "x", "pattern": "y", "z": "1"}}, "'see' has 'from' and 'pattern'"),
        (StepModel, {"do": "x", "args": {}}, "Extra inputs"),
    ],
)  # fmt: skip
def test_rules(model: type[BaseModel], fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        model.model_validate(fields)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("task.yaml", "title:", "subtitle: x\ntitle:", "task.yaml:3: subtitle: unknown key"),
        ("task.yaml", "format: 1", "format: 2", "task.yaml:1: format: Input should be 1"),
        ("task.yaml", "format: 1", "format: '1'", "task.yaml:1: format: Input should be 1"),
        ("task.yaml", "id: small-debts", "id: Small_Debts", "task.yaml:2: id: String should match"),
        ("task.yaml", "days: 6", "days: 121", "task.yaml:6: days: Input should be less"),
        ("task.yaml", "days: 6", "days: 6.5", "task.yaml:6: days: Input should be a valid integer"),
        ("task.yaml", "start: 2026-03-02", "start: March", "task.yaml:5: start: String should match"),
        ("task.yaml", "factors: [C1]", "factors: [C3]", "task.yaml:14: factors.0: Input should be 'A1'"),
        ("task.yaml", "  email:", "  phone: x\n  email:", "task.yaml:11: person.phone: unknown key"),
        ("task.yaml", "  about: ", "  # about: ", "task.yaml:8: person.about: Field required"),
        ("task.yaml", "range: [4000, 9000, 500]", "range: [9000, 4000]", "task.yaml:18: params.debt.draw: a range is"),
        ("world/bank.yaml", "generate:", "produce:", "world/bank.yaml:13: produce: unknown key"),
        ("world/bank.yaml", "    per_variant", "    per_seed", "world/bank.yaml:16: generate.0.per_seed: unknown key"),
        ("timeline.yaml", "kind: mutation", "kind: mutation\n    text: x",
         "timeline.yaml:3: events.1: a mutation is silent"),
        ("timeline.yaml", "otherwise: {text:", "otherwise: {words:",
         "timeline.yaml:15: events.4.otherwise.words|events.3.otherwise.words: unknown key"),
        ("timeline.yaml", "at: D+3 12:00", "at: noon", "timeline.yaml:12: events.3.at: String should match"),
        ("checks.yaml", "weight: 3", "weigth: 3", r"checks.yaml:9: checks.0.weight: Field required \(and 1 more\)"),
        ("checks.yaml", "amount_minor: int", "amount_minor: integer",
         "checks.yaml:2: artifacts.debts.csv: amount_minor: unknown type 'integer'"),
        ("checks.yaml", "gate: [\"len(paid) == 1\"], all: [\"turn", "gates: [], all: [\"turn",
         "checks.yaml:11: checks.2.gates: unknown key"),
        ("solution.yaml", "do: banking.list_payees,", "do: banking.list_payees, see: {from: a, pattern: b},",
         "solution.yaml:[0-9]+: turns.0.steps.2: a step has exactly"),
        ("solution.yaml", "end: {reply: \"Paid", "end: {say: \"Paid", "solution.yaml:[0-9]+: turns.0.end"),
        ("solution.yaml", "    trips: [C4]", "    trip: [C4]", "solution.yaml:[0-9]+: violations.0.trip: unknown key"),
    ],
)  # fmt: skip
def test_complaints_name_file_line_and_place(
    change: Callable[..., Path], file: str, old: str, new: str, message: str
) -> None:
    with pytest.raises(BundleError, match=rf"^small-debts/.*({message})"):
        read_bundle(change(file, old, new))


@pytest.mark.parametrize("file", ["task.yaml", "world/bank.yaml", "timeline.yaml", "checks.yaml", "solution.yaml"])
@pytest.mark.parametrize("text", ["", "- a\n", "just text", "5", "a: 1\na: 1\n", "a: [\n", "a: &x 1\n", "\u0000"])
def test_a_file_of_another_shape_is_refused_by_its_name(change: Callable[..., Path], file: str, text: str) -> None:
    with pytest.raises(BundleError, match=f"^small-debts/{file}"):
        read_bundle(change(file, None, text))
