"""The literals of a reference solution: what its author wrote down rather than bound, and where it ends up."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lifegym.checks.expressions import Expression, Template
from lifegym.task_suite.solution import CompiledStep
from lifegym.task_suite.verification.references import syntax

__all__ = [
    "PROSE", "Literal", "expression_literals", "shared_names", "step_literals", "step_sources", "template_sources",
    "value_literals",
]  # fmt: skip

PROSE = frozenset(
    [
        "bio", "body", "children", "comment", "content", "description", "details", "html_body", "label", "message",
        "note", "notes", "query", "reason", "remarks", "reply", "rich_text", "special_requests", "subject", "summary",
        "text", "title",
    ]
)  # fmt: skip
"""Arguments in which the assistant writes in its own words."""

_COMPARING = frozenset({"has", "starts", "get", "exact"})
_WRAPPING = frozenset({"date", "float", "instant", "int", "lower", "str", "strip", "time", "upper"})
_FORMATTING = frozenset(
    {"dates", "days", "hours", "join", "minutes", "num", "pad", "replace", "round", "split", "strf"}
)


class Literal(NamedTuple):
    """A literal.

    Attributes:
        value: A text or a number.
        place: Argument that it stands in, such as ``to`` or ``body``; "" for one of a bind or of rows.
        inside: It stands inside an expression; else it is sent as it is.
        compared: It is compared with something.
    """

    value: Any
    place: str = ""
    inside: bool = False
    compared: bool = False


def value_literals(compiled: Any, place: str = "") -> Iterator[Literal]:
    """The literals of compiled arguments: plain values, the texts around expressions, and those inside them."""
    if isinstance(compiled, Template):
        for part in compiled.parts:
            if isinstance(part, Expression):
                yield from expression_literals(part.source, place)
            else:
                yield Literal(part, place)
    elif isinstance(compiled, dict):
        for key, each in compiled.items():
            yield from value_literals(each, place if place in PROSE else key)
    elif isinstance(compiled, list):
        for each in compiled:
            yield from value_literals(each, place)
    elif isinstance(compiled, str) or (isinstance(compiled, (int, float)) and not isinstance(compiled, bool)):
        yield Literal(compiled, place)


def step_literals(step: CompiledStep) -> Iterator[Literal]:
    """The literals of a step's own expressions and arguments."""
    yield from value_literals(step.arguments)
    if step.rows is not None:
        yield from expression_literals(step.rows.source)
    for expression in step.bind.values():
        yield from expression_literals(expression.source)


def expression_literals(source: str, place: str = "") -> Iterator[Literal]:
    """The literals of an expression. Keys, field names, formats and single signs are left out."""
    tree = syntax(source)
    skipped: set[ast.AST] = set()
    compared: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            skipped.update(key for key in node.keys if key is not None)
        elif isinstance(node, ast.Subscript):
            skipped.add(node.slice)
        elif isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            if any(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops) and _is_keys(node.comparators[-1]):
                skipped.add(node.left)
            compared.update(inner for operand in operands for inner in _operand(operand))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _COMPARING:
                compared.update(node.args[1:])
            elif node.func.id in _FORMATTING:
                skipped.update(argument for argument in node.args if isinstance(argument, ast.Constant))
            skipped.update(k.value for k in node.keywords if k.arg in ("by", "on", "down"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node not in skipped and not isinstance(node.value, (bool, type(None))):
            yield Literal(node.value, place, True, node in compared)


def _is_keys(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "keys"


def _operand(node: ast.expr) -> Iterator[ast.expr]:
    """The literals that an operand of a comparison consists of."""
    if isinstance(node, ast.Constant):
        yield node
    elif isinstance(node, (ast.List, ast.Tuple)):
        for each in node.elts:
            yield from _operand(each)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _WRAPPING:
        for each in node.args:
            yield from _operand(each)


def shared_names(sources: Iterator[str], shared: Mapping[str, Any]) -> set[str]:
    """The shared names of the solution that some expressions come to use."""
    found: set[str] = set()
    todo = list(sources)
    while todo:
        for node in ast.walk(syntax(todo.pop())):
            if isinstance(node, ast.Name) and node.id in shared and node.id not in found:
                found.add(node.id)
                todo.append(shared[node.id][1].source)
    return found


def step_sources(step: CompiledStep) -> Iterator[str]:
    """The expressions of a step."""
    yield from template_sources(step.arguments)
    if step.rows is not None:
        yield step.rows.source
    for expression in step.bind.values():
        yield expression.source


def template_sources(compiled: Any) -> Iterator[str]:
    """The expressions in compiled arguments."""
    if isinstance(compiled, Template):
        yield from (part.source for part in compiled.parts if isinstance(part, Expression))
    elif isinstance(compiled, dict):
        for each in compiled.values():
            yield from template_sources(each)
    elif isinstance(compiled, list):
        for each in compiled:
            yield from template_sources(each)
