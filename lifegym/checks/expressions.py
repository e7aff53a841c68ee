"""The one expression language of a bundle: a small, safe subset of Python expressions, compiled once.

An expression is parsed with ``ast``, every node is checked against a whitelist (``syntax``), and what remains is
rewritten so that each operation that could be abused goes through a function of ``operations``: fields are read from
records and a few listed attributes, never Python's own, arithmetic is bounded, and loops (by what stands in them),
calls and whatever walks through large values spend from a ``budget``. There are no methods, no functions as values, no
lambdas, no power operator, no string repetition, no names that begin with an underscore.
"""

from __future__ import annotations

import ast
import datetime as dt
from collections.abc import Callable, Collection, Mapping
from typing import Any

from lifegym.checks.budget import (
    BUDGET,
    SPARE,
    ExpressionError,
    Missing,
    NoSuchField,
    size_steps,
    spend,
    spending,
    weight,
)
from lifegym.checks.syntax import SOURCE_LIMIT, compile_source, parse

__all__ = [
    "BUDGET",
    "Expression",
    "ExpressionError",
    "Macro",
    "Missing",
    "NoSuchField",
    "Template",
    "compile_value",
    "evaluate_value",
    "plain",
]

_BRACE_LIMIT, _TEMPLATE_LIMIT = 200, 2000
_MACRO_STEPS = 10


class Expression:
    """A compiled expression.

    Args:
        source: The text.
        known: Names that will be there at evaluation; an unknown one is refused now. None leaves that to evaluation.
        own: Names that here mean a value where the language has a function of that name, such as a parameter ``first``.

    Raises:
        ExpressionError: It is not of the language.
    """

    __slots__ = (
        "_careful", "_function", "_needs", "_own", "_parts", "_places", "_values", "names", "source", "steps",
    )  # fmt: skip

    def __init__(self, source: str, known: Collection[str] | None = None, own: Collection[str] = ()) -> None:
        self.source = source.strip()
        self._own = tuple(own)
        compiled = compile_source(source, known, own, careful=False)
        self._function, self.names, self._needs, self._values = compiled[:4]
        self.steps = size_steps(compiled.size)
        self._careful: Callable[..., Any] | None = None  # compiled when it is first needed
        self._places: tuple[tuple[str, ...], list[tuple[str, int | None]]] | None = None
        self._parts: list[Expression] | None = None

    def evaluate(self, names: Mapping[str, Any]) -> Any:
        """The value, with these names in scope.

        Raises:
            Missing: Evidence is not there.
            ExpressionError: Anything else that does not work out.
        """
        try:
            values = [names[name] for name in self._needs]
        except KeyError as error:
            raise ExpressionError(f"unknown name {error} (in: {self.source[:200]})") from None
        return self.apply(values)

    def apply(self, values: list[Any]) -> Any:
        """The value, with a value for each name that it needs, as ``places`` lists them.

        Raises:
            Missing: Evidence is not there.
            ExpressionError: Anything else that does not work out.
        """
        for value in values[: self._values]:
            if callable(value):
                name = next(name for name, other in zip(self._needs, values, strict=True) if other is value)
                raise ExpressionError(f"{name} is a function: call it (in: {self.source[:200]})")
        steps = spending.steps
        outermost = not steps.open
        left = BUDGET if outermost else steps.left
        function = self._function  # another thread, or the function itself, may put the careful one in its place
        try:
            if outermost:
                steps.left, steps.spare, steps.open = BUDGET, SPARE, True
            return function(steps, *values)
        except (Missing, ExpressionError):
            raise
        except Exception as error:
            if function is self._careful or isinstance(error, RecursionError):
                raise self._failed(error) from error
            steps.give_back(left)
            return self._apply_carefully(values)
        finally:
            if outermost:
                steps.open = False

    def _apply_carefully(self, values: list[Any]) -> Any:
        """The value by way of ``operations``, which say what went wrong; where nothing did, this way from now on.

        The first attempt left no trace: the budget is set back, and expressions change nothing.
        """
        try:
            if self._careful is None:
                self._careful = compile_source(self.source, None, self._own).function
            result = self._careful(spending.steps, *values)
        except (Missing, ExpressionError):
            raise
        except Exception as error:
            raise self._failed(error) from error
        self._function = self._careful
        return result

    def _failed(self, error: Exception) -> ExpressionError:
        where = f"(in: {self.source[:200]})"
        if isinstance(error, RecursionError):
            return ExpressionError(f"too deeply nested {where}")
        return ExpressionError(f"{type(error).__name__}: {error} {where}")

    def places(self, parameters: tuple[str, ...]) -> list[tuple[str, int | None]]:
        """The names that it needs, each with its place among some parameters, or None."""
        if self._places is None or self._places[0] != parameters:
            order = {name: place for place, name in enumerate(parameters)}
            self._places = (parameters, [(name, order.get(name)) for name in self._needs])
        return self._places[1]

    def parts(self) -> list[Expression]:
        """The sides of its comparisons, for explaining a verdict: values worth showing beside the whole."""
        if self._parts is None:
            self._parts = self._compiled_parts()
        return self._parts

    def _compiled_parts(self) -> list[Expression]:
        found: list[ast.expr] = []

        def collect(node: ast.expr) -> None:
            if isinstance(node, ast.BoolOp):
                for value in node.values:
                    collect(value)
            elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
                collect(node.operand)
            elif isinstance(node, ast.Compare):
                found.extend([node.left, *node.comparators])
            elif isinstance(node, ast.Call):
                found.extend(node.args)

        collect(parse(self.source))
        sides = [ast.unparse(node) for node in found if not isinstance(node, ast.Constant)]
        parts = []
        for side in dict.fromkeys(sides):
            try:
                parts.append(Expression(side, None, self._own))
            except ExpressionError:  # spelled out by Python, a side can be longer than the whole was
                continue
        return parts

    def __reduce__(self) -> tuple[Any, ...]:
        return (Expression, (self.source, None, self._own))

    def __repr__(self) -> str:
        return f"Expression({self.source!r})"


class Macro:
    """An expression with parameters, callable from others: ``walked(row): sum(...)``.

    Args:
        parameters: Their names.
        expression: What is evaluated.
        scope: Where its other names are looked up, when it is called.
    """

    def __init__(self, parameters: tuple[str, ...], expression: Expression, scope: Mapping[str, Any]) -> None:
        self.parameters = parameters
        self.expression = expression
        self.scope = scope
        self.places = expression.places(parameters)
        self.steps = _MACRO_STEPS + expression.steps

    def __call__(self, *args: Any) -> Any:
        if len(args) != len(self.parameters):
            raise ExpressionError(f"it takes {', '.join(self.parameters)}, not {len(args)} values")
        spend(self.steps)
        scope = self.scope
        try:
            values = [scope[name] if place is None else args[place] for name, place in self.places]
        except KeyError as error:
            raise ExpressionError(f"unknown name {error} (in: {self.expression.source[:200]})") from None
        return self.expression.apply(values)


class Template:
    """A text with ``${expression}`` in it. Where it is nothing but one, its value keeps its type."""

    __slots__ = ("names", "parts", "source")

    def __init__(self, source: str, known: Collection[str] | None = None) -> None:
        self.source = source
        self.parts: list[str | Expression] = []
        end = 0
        while (start := source.find("${", end)) >= 0:
            if len(self.parts) > _TEMPLATE_LIMIT:
                raise ExpressionError(f"a text has at most {_TEMPLATE_LIMIT // 2} expressions")
            if start > end:
                self.parts.append(source[end:start])
            end = _closing_brace(source, start + 2)
            self.parts.append(Expression(source[start + 2 : end], known))
            end += 1
        if end < len(source) or not self.parts:
            self.parts.append(source[end:])
        self.names = frozenset(n for part in self.parts if isinstance(part, Expression) for n in part.names)

    @property
    def constant(self) -> bool:
        """Whether there is no expression in it."""
        return all(isinstance(part, str) for part in self.parts)

    def evaluate(self, names: Mapping[str, Any]) -> Any:
        """The text with its values, or the one value."""
        if len(self.parts) == 1:
            part = self.parts[0]
            return part if isinstance(part, str) else part.evaluate(names)
        return "".join(part if isinstance(part, str) else _shown(part.evaluate(names)) for part in self.parts)

    def __repr__(self) -> str:
        return f"Template({self.source!r})"


def _shown(value: Any) -> str:
    if isinstance(value, (dt.datetime, dt.date)):
        return value.isoformat()
    if isinstance(value, dt.time):
        return value.strftime("%H:%M")
    if isinstance(value, (str, int, float)):
        return str(value)
    raise ExpressionError(f"a {type(value).__name__} cannot stand inside a text")


def _closing_brace(text: str, start: int) -> int:
    """Where the expression that begins at ``start`` ends: the first brace at which what lies before is one."""
    end = start
    for _ in range(_BRACE_LIMIT):
        end = text.find("}", end, start + SOURCE_LIMIT)
        if end < 0:
            break
        try:
            ast.parse(text[start:end].strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            end += 1
            continue
        return end
    raise ExpressionError(f"'${{' without a matching '}}': {text[start - 2 : start + 80]}")


def compile_value(value: Any, known: Collection[str] | None = None) -> Any:
    """A JSON-like value with its texts compiled: ``evaluate_value`` gives it back with values in place."""
    if isinstance(value, str):
        template = Template(value, known) if "${" in value else None
        return value if template is None or template.constant else template
    if isinstance(value, list):
        return [compile_value(item, known) for item in value]
    if isinstance(value, dict):
        return {key: compile_value(item, known) for key, item in value.items()}
    return value


def evaluate_value(value: Any, names: Mapping[str, Any]) -> Any:
    """A compiled value with its expressions evaluated; dates and instants become ISO texts."""
    if isinstance(value, Template):
        return plain(value.evaluate(names))
    if isinstance(value, list):
        return [evaluate_value(item, names) for item in value]
    if isinstance(value, dict):
        return {key: evaluate_value(item, names) for key, item in value.items()}
    return value


def plain(value: Any) -> Any:
    """JSON values: dates, times and instants as ISO texts, everything else as it is.

    Raises:
        ExpressionError: There is too much of it.
    """
    if type(value) in _ATOMS:
        return value
    if weight(value) > BUDGET:
        raise ExpressionError("a value is too large")
    try:
        return _plain(value)
    except RecursionError:
        raise ExpressionError("a value is too deeply nested") from None


_ATOMS = frozenset({str, int, float, bool, type(None)})


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind in _ATOMS:
        return value
    if isinstance(value, dict):
        return {key: item if type(item) in _ATOMS else _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [item if type(item) in _ATOMS else _plain(item) for item in value]
    if isinstance(value, dt.date):  # instants are dates too
        return value.isoformat()
    if isinstance(value, dt.time):
        return value.strftime("%H:%M")
    if isinstance(value, dt.timedelta):
        return value.total_seconds() / 60
    return value
