"""What the expressions of a bundle refer to: evidence, events, tables, tools, params. Read off their text, not run."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from lifegym.checks.functions import EVIDENCE
from lifegym.services import catalogue
from lifegym.task_suite.task import Task

__all__ = ["LOOKS", "Reference", "bad_references", "reads", "syntax"]

CLOCK = frozenset({"now", "stage", "t", "today"})
"""Functions that tell the time, not what anybody did."""

LOOKS = EVIDENCE - CLOCK
"""Functions that look at the episode."""

_EVENT_KEYS = frozenset({"after", "before", "since", "until"})
Shared = Mapping[str, tuple[tuple[str, ...], Any]]


class Reference(NamedTuple):
    """Something that an expression names: its kind (``event``, ``table``, ``tool``, ``param``, ``stage``) and name."""

    kind: str
    name: str


@lru_cache(maxsize=4096)
def syntax(source: str) -> ast.expr:
    """The syntax tree of an expression that compiles."""
    return ast.parse(source.strip(), mode="eval").body


def reads(source: str, shared: Shared, let: Mapping[str, str] | None = None) -> frozenset[str]:
    """The functions of the check language that an expression comes to call, through what it names too."""
    found: set[str] = set()
    seen: set[str] = set()

    def visit(text: str) -> None:
        names = {node.id for node in ast.walk(syntax(text)) if isinstance(node, ast.Name)}
        for name in sorted(names):
            if let and name in let:
                if name not in seen:
                    seen.add(name)
                    visit(let[name])
            elif name in shared:
                if name not in seen:
                    seen.add(name)
                    visit(shared[name][1].source)
            elif name in EVIDENCE:
                found.add(name)

    visit(source)
    return frozenset(found)


def references(
    source: str, shared: Shared, bound: Mapping[str, Any] | None = None, depth: int = 0
) -> Iterator[Reference]:
    """Every event, table, tool, stage and param that an expression names by a literal, through shared functions too."""
    bound = bound or {}

    def literal(node: ast.expr | None) -> Iterator[str]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Name) and node.id in bound:
            yield bound[node.id]

    for node in ast.walk(syntax(source)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "p":
            yield Reference("param", node.attr)
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        name = node.func.id
        given = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        first = node.args[0] if node.args else None
        if name in ("turn", "event"):
            yield from (Reference("event", x) for x in literal(first or given.get("event") or given.get("id")))
        elif name == "replies":
            yield from (Reference("event", x) for x in literal(given.get("event") or first))
            yield from (Reference("stage", x) for x in literal(given.get("stage")))
        elif name == "stage":
            yield from (Reference("stage", x) for x in literal(first))
        elif name in ("records", "diff"):
            yield from (Reference("table", x) for x in literal(first))
        elif name in ("calls", "read"):
            yield from (Reference("tool", x) for x in literal(first))
        if name in LOOKS and name != "read":
            for key in _EVENT_KEYS & set(given):
                yield from (Reference("instant", x) for x in literal(given[key]))
            if name == "calls":
                yield from (Reference("event", x) for x in literal(given.get("turn")))
        if name in shared and depth < 20:
            parameters, expression = shared[name]
            values = {
                parameter: value
                for parameter, argument in zip(parameters, node.args, strict=False)
                for value in literal(argument)
            }
            if values:
                yield from references(expression.source, shared, values, depth + 1)


def _near(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
    return f"do you mean {' or '.join(near)}?" if near else f"there are: {', '.join(names[:40])}"


def bad_references(source: str, task: Task) -> Iterator[str]:
    """What an expression names and the task does not have."""
    bundle = task.bundle
    known = {"event": list(bundle.events), "param": list(bundle.task.params), "stage": bundle.task.stages}
    for kind, name in dict.fromkeys(references(source, task.compiled.shared)):
        if kind == "instant":
            if name[:2] == "D+" or name[:1].isdigit():
                continue
            kind = "event"
        if kind in known and name not in known[kind]:
            yield f"there is no {kind} {name!r}; {_near(name, known[kind])}"
        elif kind == "table":
            service, _, table = name.partition(".")
            if service == "world":
                continue
            if service not in task.services:
                yield f"records of {name!r}: {service} is not among the task's services"
            elif table not in catalogue.service_class(service).records:
                tables = ", ".join(catalogue.service_class(service).records)
                yield f"{service} has no records {table!r}; there are: {tables}"
        elif kind == "tool" and not name.endswith("*"):
            service = name.partition(".")[0]
            if catalogue.find_tool(name) is None:
                yield f"there is no tool {name!r}; {_near(name, catalogue.tool_names(task.services))}"
            elif service not in task.services and service not in catalogue.ALWAYS:
                yield f"the tool {name!r} belongs to a service that the task does not enable"
