"""The one expression language of a bundle: a small, safe subset of Python expressions, compiled once.

An expression is parsed with ``ast``, every node is checked against a whitelist, and what remains is rewritten so that
each operation that could be abused goes through a function here: fields are read by ``_field`` (records and a few
listed attributes, never Python's own), arithmetic is bounded, and loops, calls and whatever walks through large
values spend from a budget. There are no methods, no functions as values, no lambdas, no power operator, no string
repetition, no names that begin with an underscore.

A text compared with a date, a time or an instant is read as one, so that records (which hold ISO texts) and computed
values meet.
"""

from __future__ import annotations

import ast
import datetime as dt
import difflib
import operator
from collections.abc import Callable, Collection, Mapping
from contextvars import ContextVar
from typing import Any

from lifegym.world.frozen import FrozenDict, FrozenList

__all__ = [
    "BUDGET",
    "Expression",
    "ExpressionError",
    "Missing",
    "NoSuchField",
    "Template",
    "compile_value",
    "evaluate_value",
    "plain",
]

BUDGET = 200_000
"""Steps (loop rounds, calls, and the sizes of what is passed to them) that one evaluation may take."""

_OVER = f"the expression takes more than {BUDGET} steps"
_SOURCE_LIMIT, _NODE_LIMIT, _DEPTH_LIMIT = 4000, 600, 40
_TEXT_LIMIT, _LIST_LIMIT, _INT_LIMIT = 400_000, 50_000, 1 << 100
_BRACE_LIMIT, _TEMPLATE_LIMIT = 200, 2000
_MACRO_STEPS = 10
_CONTAINERS = frozenset({list, dict, FrozenList, FrozenDict})
_LONG = 1024


class ExpressionError(Exception):
    """An expression that cannot be compiled or evaluated: a defect of the bundle."""


class NoSuchField(ExpressionError):
    """A field that the value does not have."""


class Missing(Exception):
    """Evidence that is not there or cannot be read: fails a check, and is no defect of the bundle."""


class _Steps:
    """What is left of the budget of one evaluation."""

    left = BUDGET

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise ExpressionError(_OVER)

    def iterate(self, values: Any) -> list[Any]:
        if isinstance(values, dict):
            values = list(values)
        elif not isinstance(values, (list, tuple, range)):
            raise ExpressionError(f"cannot loop over {type(values).__name__}")
        self.left -= 1 + len(values)
        if self.left < 0:
            raise ExpressionError(_OVER)
        return values if type(values) is list else list(values)

    def call(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        steps = 1
        for value in args:
            kind = type(value)
            if kind is str:
                steps += len(value) >> 6
            elif kind in _CONTAINERS:
                steps += len(value)
        if kwargs:
            steps += sum(weight(value) for value in kwargs.values())
        self.left -= steps
        if self.left < 0:
            raise ExpressionError(_OVER)
        result = function(*args, **kwargs)
        kind = type(result)
        if kind is list:
            self.spend(len(result))
        elif kind is str:
            self.spend(len(result) >> 6)
        return result


_spending: ContextVar[_Steps | None] = ContextVar("lifegym_spending", default=None)
"""The budget of the evaluation under way: expressions that it calls spend from the same one."""


def spend(steps: int) -> None:
    """Take steps from the budget of the evaluation under way, for work that the size of the arguments does not show.

    Raises:
        ExpressionError: The budget is used up.
    """
    steps_left = _spending.get()
    if steps_left is not None:
        steps_left.spend(steps)


def weight(value: Any) -> int:
    """How many values a value holds, a shared part as often as it occurs; counted up to a little over the budget.

    Lists can share their parts, so a few short expressions make one whose text would not fit into any memory. Whatever
    goes to the bottom of a value (comparing, sorting, showing) asks for its weight first.
    """
    count, waiting = 0, [value]
    while waiting and count <= BUDGET:
        item = waiting.pop()
        count += 1
        if isinstance(item, str):
            count += len(item) >> 6
        elif isinstance(item, (list, tuple)):
            count += len(item) >> 3
            waiting.extend(item)
        elif isinstance(item, dict):
            count += len(item) >> 3
            waiting.extend(item.values())
    return count


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

    def __call__(self, *args: Any) -> Any:
        if len(args) != len(self.parameters):
            raise ExpressionError(f"it takes {', '.join(self.parameters)}, not {len(args)} values")
        spend(_MACRO_STEPS)
        names = dict(zip(self.parameters, args, strict=True))
        try:
            for name in self.expression.names:
                if name not in names:
                    names[name] = self.scope[name]
        except KeyError as error:
            raise ExpressionError(f"unknown name {error} (in: {self.expression.source[:200]})") from None
        return self.expression.evaluate(names)


# -- operations --------------------------------------------------------------------------------------------------------

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
"""In English whatever the process's locale."""

_INSTANT_FIELDS: dict[type, dict[str, Callable[[Any], Any]]] = {
    dt.datetime: {
        "date": lambda v: v.date(),
        "time": lambda v: v.time(),
        "weekday": lambda v: WEEKDAYS[v.weekday()][:3],
        "iso": lambda v: v.isoformat(),
        **{name: operator.attrgetter(name) for name in ("year", "month", "day", "hour", "minute", "second")},
    },
    dt.date: {
        "weekday": lambda v: WEEKDAYS[v.weekday()][:3],
        "iso": lambda v: v.isoformat(),
        **{name: operator.attrgetter(name) for name in ("year", "month", "day")},
    },
    dt.time: {name: operator.attrgetter(name) for name in ("hour", "minute", "second")},
    dt.timedelta: {
        "days": lambda v: v / dt.timedelta(days=1),
        "hours": lambda v: v / dt.timedelta(hours=1),
        "minutes": lambda v: v / dt.timedelta(minutes=1),
        "seconds": lambda v: v / dt.timedelta(seconds=1),
    },
}


def _field(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        try:
            return value[name]
        except KeyError:
            known = ", ".join(sorted(str(key) for key in value)[:20])
            raise NoSuchField(f"there is no field {name!r}; there are: {known}") from None
    kind = type(value)
    readers = _INSTANT_FIELDS.get(kind)
    if readers is not None and name in readers:
        return readers[name](value)
    if name in getattr(kind, "readable_fields", ()):
        return getattr(value, name)
    if value is None:
        raise NoSuchField(f"there is no value to read {name!r} from")
    raise NoSuchField(f"a {kind.__name__} has no field {name!r}")


def _item(value: Any, index: Any) -> Any:
    try:
        if isinstance(value, (dict, list, tuple, str)):
            return value[index]
    except (KeyError, IndexError):
        raise Missing(f"there is no item {index!r}") from None
    except TypeError as error:
        raise ExpressionError(f"cannot take item {index!r}: {error}") from None
    raise ExpressionError(f"a {type(value).__name__} has no items")


def _slice(value: Any, start: Any, stop: Any) -> Any:
    if not isinstance(value, (list, tuple, str)):
        raise ExpressionError(f"a {type(value).__name__} cannot be cut")
    part = value[start:stop]
    spend(len(part) >> 6 if isinstance(part, str) else len(part))
    return part


_TIMES = (dt.date, dt.time, dt.timedelta)


def _number(value: Any) -> bool:
    return type(value) in (int, float)


def _bounded(value: Any) -> Any:
    if isinstance(value, int) and not -_INT_LIMIT < value < _INT_LIMIT:
        raise ExpressionError("a number is too large")
    if isinstance(value, str) and len(value) > _TEXT_LIMIT:
        raise ExpressionError("a text is too long")
    if isinstance(value, list) and len(value) > _LIST_LIMIT:
        raise ExpressionError("a list is too long")
    return value


def _present(*values: Any) -> None:
    """An optional cell that is empty is evidence that is missing, no defect of the bundle."""
    if any(value is None for value in values):
        raise Missing("there is no value to calculate with")


def _same_awareness(a: Any, b: Any) -> None:
    """An instant without an offset comes from what an agent wrote: it cannot be placed in time."""
    if (
        isinstance(a, (dt.datetime, dt.time))
        and isinstance(b, (dt.datetime, dt.time))
        and (a.tzinfo is None) != (b.tzinfo is None)
    ):
        raise Missing(f"{(a if a.tzinfo is None else b).isoformat()} has no offset")


def _add(a: Any, b: Any) -> Any:
    if (
        (_number(a) and _number(b))
        or (isinstance(a, str) and isinstance(b, str))
        or (isinstance(a, list) and isinstance(b, list))
        or (isinstance(a, _TIMES) and isinstance(b, _TIMES))
    ):
        if isinstance(a, list):
            spend(len(a) + len(b))
            return _bounded([*a, *b])
        if isinstance(a, str):
            spend((len(a) + len(b)) >> 6)
        return _bounded(a + b)
    _present(a, b)
    raise ExpressionError(f"cannot add {type(a).__name__} and {type(b).__name__}")


def _subtract(a: Any, b: Any) -> Any:
    if (_number(a) and _number(b)) or (isinstance(a, _TIMES) and isinstance(b, _TIMES)):
        _same_awareness(a, b)
        return _bounded(a - b)
    if isinstance(a, (str, dt.date)) and isinstance(b, (str, dt.date)):
        left, right = _aligned(a, b)
        if not isinstance(left, str):
            _present(left, right)
            _same_awareness(left, right)
            return left - right
    _present(a, b)
    raise ExpressionError(f"cannot subtract {type(b).__name__} from {type(a).__name__}")


def _multiply(a: Any, b: Any) -> Any:
    if (_number(a) or isinstance(a, dt.timedelta)) and (_number(b) or isinstance(b, dt.timedelta)):
        return _bounded(a * b)
    _present(a, b)
    raise ExpressionError(f"cannot multiply {type(a).__name__} and {type(b).__name__}")


def _divided(name: str, divide: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def operate(a: Any, b: Any) -> Any:
        if not ((_number(a) and _number(b)) or (isinstance(a, dt.timedelta) and _number(b)) or (
            isinstance(a, dt.timedelta) and isinstance(b, dt.timedelta))):  # fmt: skip
            _present(a, b)
            raise ExpressionError(f"cannot {name} {type(a).__name__} by {type(b).__name__}")
        try:
            return divide(a, b)
        except ZeroDivisionError:
            raise ExpressionError("division by zero") from None

    return operate


def _negative(a: Any) -> Any:
    if _number(a) or isinstance(a, dt.timedelta):
        return -a
    _present(a)
    raise ExpressionError(f"cannot negate {type(a).__name__}")


def _read_time(text: str, like: Any) -> Any:
    try:
        if isinstance(like, dt.datetime):
            value = dt.datetime.fromisoformat(text)
            return value if value.tzinfo or not like.tzinfo else value.replace(tzinfo=like.tzinfo)
        if isinstance(like, dt.time):
            return dt.time.fromisoformat(text)
        return dt.date.fromisoformat(text[:10])
    except ValueError:
        return None


def _aligned(a: Any, b: Any) -> tuple[Any, Any]:
    """Both values, a text beside a date, time or instant read as one (None where it is none)."""
    if isinstance(a, str) and isinstance(b, (dt.date, dt.time)):
        return _read_time(a, b), b
    if isinstance(b, str) and isinstance(a, (dt.date, dt.time)):
        return a, _read_time(b, a)
    return a, b


def _equal(a: Any, b: Any) -> bool:
    kind = type(a)
    if kind is type(b):
        if kind is str:
            if len(a) > _LONG:
                spend(len(a) >> 6)
        elif kind in _CONTAINERS:
            spend(weight(a) + weight(b))
        return a == b  # type: ignore[no-any-return]
    if kind in _CONTAINERS and type(b) in _CONTAINERS:
        spend(weight(a) + weight(b))
    a, b = _aligned(a, b)
    return a == b  # type: ignore[no-any-return]


def _equal_short(a: Any, b: Any) -> bool:
    """As ``_equal`` where one side is a constant, so that the comparison is cheap whatever the other is."""
    return a == b if type(a) is type(b) else _equal(a, b)


def comparable(*values: Any, times: int = 1) -> None:
    """Spend what it takes to compare these values, each so many times."""
    for value in values:
        kind = type(value)
        if kind in _CONTAINERS or (kind is str and len(value) > _LONG):
            spend(weight(value) * times)


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def operate(a: Any, b: Any) -> bool:
        kind = type(a)
        if kind is not type(b):
            a, b = _aligned(a, b)
        if a is None or b is None:
            raise Missing("there is no value to compare")
        if kind is str or kind in _CONTAINERS:
            comparable(a, b)
        try:
            return bool(compare(a, b))
        except TypeError:
            _same_awareness(a, b)
            raise ExpressionError(f"cannot compare {type(a).__name__} with {type(b).__name__}") from None

    return operate


def _contains(values: Any, value: Any) -> bool:
    if isinstance(values, str):
        if not isinstance(value, str):
            raise ExpressionError(f"a text cannot contain {type(value).__name__}")
        spend(len(values) >> 6)
        return value in values
    if isinstance(values, dict):
        return value in values
    if isinstance(values, (list, tuple)):
        spend(len(values))
        return any(_equal(value, other) for other in values)
    raise ExpressionError(f"cannot look for a value in {type(values).__name__}")


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "_field": _field,
    "_item": _item,
    "_slice": _slice,
    "_add": _add,
    "_subtract": _subtract,
    "_multiply": _multiply,
    "_divide": _divided("divide", operator.truediv),
    "_floor": _divided("divide", operator.floordiv),
    "_modulo": _divided("divide", operator.mod),
    "_negative": _negative,
    "_equal": _equal,
    "_equal_short": _equal_short,
    "_unequal": lambda a, b: not _equal(a, b),
    "_less": _ordered(operator.lt),
    "_less_equal": _ordered(operator.le),
    "_greater": _ordered(operator.gt),
    "_greater_equal": _ordered(operator.ge),
    "_in": lambda a, b: _contains(b, a),
    "_not_in": lambda a, b: not _contains(b, a),
}
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "_add",
    ast.Sub: "_subtract",
    ast.Mult: "_multiply",
    ast.Div: "_divide",
    ast.FloorDiv: "_floor",
    ast.Mod: "_modulo",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "_equal",
    ast.NotEq: "_unequal",
    ast.Lt: "_less",
    ast.LtE: "_less_equal",
    ast.Gt: "_greater",
    ast.GtE: "_greater_equal",
    ast.In: "_in",
    ast.NotIn: "_not_in",
}


# -- compiling ---------------------------------------------------------------------------------------------------------


class _Rewriter:
    """Checks the nodes of one expression and rewrites them."""

    def __init__(self, known: Collection[str] | None) -> None:
        self.known = known
        self.bound: list[set[str]] = []
        self.nodes = 0
        self.names: set[str] = set()
        self.values: set[str] = set()

    def rewrite(self, node: ast.AST, depth: int = 0) -> ast.expr:
        self.nodes += 1
        if self.nodes > _NODE_LIMIT or depth > _DEPTH_LIMIT:
            raise ExpressionError("the expression is too long or too deeply nested; split it with let")
        method = getattr(self, f"visit_{type(node).__name__.lower()}", None)
        if method is None:
            raise ExpressionError(f"{type(node).__name__} is not part of the expression language")
        result: ast.expr = method(node, depth + 1)
        return result

    def _call(self, operation: str, *args: ast.expr) -> ast.expr:
        return ast.Call(ast.Name(operation, ast.Load()), list(args), [])

    def visit_constant(self, node: ast.Constant, depth: int) -> ast.expr:
        if node.value is not None and type(node.value) not in (str, int, float, bool):
            raise ExpressionError(f"a {type(node.value).__name__} constant is not part of the expression language")
        _bounded(node.value)
        return node

    def visit_name(self, node: ast.Name, depth: int) -> ast.expr:
        if self._check_name(node.id):
            self.values.add(node.id)
        return ast.Name(node.id, ast.Load())

    def _check_name(self, name: str) -> bool:
        """Whether the name comes from outside; a loop variable does not."""
        if name.startswith("_"):
            raise ExpressionError(f"{name!r}: a name does not begin with an underscore")
        if any(name in scope for scope in self.bound):
            return False
        self.names.add(name)
        if self.known is not None and name not in self.known:
            near = difflib.get_close_matches(name, sorted(self.known), n=3)
            raise ExpressionError(f"unknown name {name!r}" + (f"; do you mean {' or '.join(near)}?" if near else ""))
        return True

    def visit_attribute(self, node: ast.Attribute, depth: int) -> ast.expr:
        if node.attr.startswith("_"):
            raise ExpressionError(f"{node.attr!r}: a field does not begin with an underscore")
        return self._call("_field", self.rewrite(node.value, depth), ast.Constant(node.attr))

    def visit_subscript(self, node: ast.Subscript, depth: int) -> ast.expr:
        value = self.rewrite(node.value, depth)
        if isinstance(node.slice, ast.Slice):
            if node.slice.step is not None:
                raise ExpressionError("a slice has no step")
            ends = [
                ast.Constant(None) if end is None else self.rewrite(end, depth)
                for end in (node.slice.lower, node.slice.upper)
            ]
            return self._call("_slice", value, *ends)
        return self._call("_item", value, self.rewrite(node.slice, depth))

    def visit_boolop(self, node: ast.BoolOp, depth: int) -> ast.expr:
        return ast.BoolOp(node.op, [self.rewrite(value, depth) for value in node.values])

    def visit_unaryop(self, node: ast.UnaryOp, depth: int) -> ast.expr:
        operand = self.rewrite(node.operand, depth)
        if isinstance(node.op, ast.Not):
            return ast.UnaryOp(node.op, operand)
        if isinstance(node.op, ast.USub):
            return self._call("_negative", operand)
        raise ExpressionError(f"{type(node.op).__name__} is not part of the expression language")

    def visit_binop(self, node: ast.BinOp, depth: int) -> ast.expr:
        operation = _BINARY.get(type(node.op))
        if operation is None:
            raise ExpressionError(f"{type(node.op).__name__} is not part of the expression language")
        return self._call(operation, self.rewrite(node.left, depth), self.rewrite(node.right, depth))

    def visit_compare(self, node: ast.Compare, depth: int) -> ast.expr:
        sides = [node.left, *node.comparators]
        parts: list[ast.expr] = []
        for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if isinstance(op, (ast.Is, ast.IsNot)):
                if not (isinstance(right, ast.Constant) and right.value is None):
                    raise ExpressionError("'is' compares with None only; use ==")
                parts.append(ast.Compare(self.rewrite(left, depth), [op], [ast.Constant(None)]))
            else:
                operation = _COMPARE[type(op)]
                if operation == "_equal" and (isinstance(left, ast.Constant) or isinstance(right, ast.Constant)):
                    operation = "_equal_short"
                parts.append(self._call(operation, self.rewrite(left, depth), self.rewrite(right, depth)))
        return parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)

    def visit_ifexp(self, node: ast.IfExp, depth: int) -> ast.expr:
        test, body, orelse = (self.rewrite(part, depth) for part in (node.test, node.body, node.orelse))
        return ast.IfExp(test, body, orelse)

    def visit_call(self, node: ast.Call, depth: int) -> ast.expr:
        if not isinstance(node.func, ast.Name):
            raise ExpressionError("only the listed functions can be called, by their names; there are no methods")
        if any(node.func.id in scope for scope in self.bound):
            raise ExpressionError(f"{node.func.id!r} is a variable here and cannot be called")
        self._check_name(node.func.id)
        args = [self.rewrite(arg, depth) for arg in node.args]
        keywords = []
        for keyword in node.keywords:
            if keyword.arg is None:
                raise ExpressionError("arguments are given one by one; there is no **")
            if keyword.arg.startswith("_"):
                raise ExpressionError(f"{keyword.arg!r}: an argument's name does not begin with an underscore")
            keywords.append(ast.keyword(keyword.arg, self.rewrite(keyword.value, depth)))
        function = ast.Name(node.func.id, ast.Load())
        return ast.Call(ast.Name("_call", ast.Load()), [function, *args], keywords)

    def visit_list(self, node: ast.List, depth: int) -> ast.expr:
        return ast.List([self.rewrite(item, depth) for item in node.elts], ast.Load())

    def visit_tuple(self, node: ast.Tuple, depth: int) -> ast.expr:
        return ast.List([self.rewrite(item, depth) for item in node.elts], ast.Load())

    def visit_dict(self, node: ast.Dict, depth: int) -> ast.expr:
        if any(key is None for key in node.keys):
            raise ExpressionError("entries are given one by one; there is no **")
        keys = [self.rewrite(key, depth) for key in node.keys if key is not None]
        return ast.Dict(list(keys), [self.rewrite(value, depth) for value in node.values])

    def visit_listcomp(self, node: ast.ListComp, depth: int) -> ast.expr:
        generators, scopes = self._generators(node.generators, depth)
        result = ast.ListComp(self.rewrite(node.elt, depth), generators)
        del self.bound[len(self.bound) - scopes :]
        return result

    def visit_generatorexp(self, node: ast.GeneratorExp, depth: int) -> ast.expr:
        return self.visit_listcomp(ast.ListComp(node.elt, node.generators), depth)

    def visit_dictcomp(self, node: ast.DictComp, depth: int) -> ast.expr:
        generators, scopes = self._generators(node.generators, depth)
        result = ast.DictComp(self.rewrite(node.key, depth), self.rewrite(node.value, depth), generators)
        del self.bound[len(self.bound) - scopes :]
        return result

    def _generators(self, nodes: list[ast.comprehension], depth: int) -> tuple[list[ast.comprehension], int]:
        generators = []
        for node in nodes:
            if node.is_async:
                raise ExpressionError("'async' is not part of the expression language")
            values = self._call("_iterate", self.rewrite(node.iter, depth))
            names = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
            targets: list[ast.expr] = []
            for name in names:
                if not isinstance(name, ast.Name) or name.id.startswith("_"):
                    raise ExpressionError("a loop variable is a plain name")
                targets.append(ast.Name(name.id, ast.Store()))
            self.bound.append({name.id for name in targets if isinstance(name, ast.Name)})
            target: ast.expr = ast.Tuple(targets, ast.Store()) if isinstance(node.target, ast.Tuple) else targets[0]
            tests = [self.rewrite(test, depth) for test in node.ifs]
            generators.append(ast.comprehension(target, values, tests, 0))
        return generators, len(nodes)


def _parse(source: str) -> ast.expr:
    if len(source) > _SOURCE_LIMIT:
        raise ExpressionError(f"an expression has at most {_SOURCE_LIMIT} characters")
    try:
        return ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        message = error.msg if isinstance(error, SyntaxError) else type(error).__name__
        raise ExpressionError(f"not an expression ({message}): {source.strip()[:200]}") from None


def _compile(source: str, known: Collection[str] | None) -> tuple[Callable[..., Any], tuple[str, ...], int]:
    """A function of the budget's two hooks and of the names that the expression uses.

    Returns:
        The function, its names, and how many of these (the first) are used as values, not only called.
    """
    rewriter = _Rewriter(known)
    try:
        body = rewriter.rewrite(_parse(source))
    except ExpressionError as error:
        raise ExpressionError(f"{error} (in: {source.strip()[:200]})") from None
    names = (*sorted(rewriter.values), *sorted(rewriter.names - rewriter.values))
    parameters = [ast.arg(name) for name in ("_iterate", "_call", *names)]
    signature = ast.arguments(posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=[])
    tree = ast.fix_missing_locations(ast.Expression(ast.Lambda(signature, body)))
    try:
        code = compile(tree, "<expression>", "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        message = error.msg if isinstance(error, SyntaxError) else type(error).__name__
        raise ExpressionError(f"not an expression ({message}): {source.strip()[:200]}") from None
    function: Callable[..., Any] = eval(code, _GLOBALS)
    return function, names, len(rewriter.values)


_GLOBALS: dict[str, Any] = {"__builtins__": {}, **_OPERATIONS}
"""All that a compiled expression can reach beside its parameters."""


class Expression:
    """A compiled expression.

    Args:
        source: The text.
        known: Names that will be there at evaluation; an unknown one is refused now. None leaves that to evaluation.

    Raises:
        ExpressionError: It is not of the language.
    """

    __slots__ = ("_function", "_values", "names", "source")

    def __init__(self, source: str, known: Collection[str] | None = None) -> None:
        self.source = source.strip()
        self._function, self.names, self._values = _compile(source, known)

    def evaluate(self, names: Mapping[str, Any]) -> Any:
        """The value, with these names in scope.

        Raises:
            Missing: Evidence is not there.
            ExpressionError: Anything else that does not work out.
        """
        outer = _spending.get()
        steps = outer or _Steps()
        try:
            values = [names[name] for name in self.names]
        except KeyError as error:
            raise ExpressionError(f"unknown name {error} (in: {self.source[:200]})") from None
        for value in values[: self._values]:
            if callable(value):
                name = next(name for name, other in zip(self.names, values, strict=True) if other is value)
                raise ExpressionError(f"{name} is a function: call it (in: {self.source[:200]})")
        token = None if outer else _spending.set(steps)
        try:
            return self._function(steps.iterate, steps.call, *values)
        except (Missing, ExpressionError):
            raise
        except RecursionError:
            raise ExpressionError(f"too deeply nested (in: {self.source[:200]})") from None
        except Exception as error:
            raise ExpressionError(f"{type(error).__name__}: {error} (in: {self.source[:200]})") from error
        finally:
            if token is not None:
                _spending.reset(token)

    def parts(self) -> list[Expression]:
        """The sides of its comparisons, for explaining a verdict: values worth showing beside the whole."""
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

        collect(_parse(self.source))
        sides = [ast.unparse(node) for node in found if not isinstance(node, ast.Constant)]
        parts = []
        for side in dict.fromkeys(sides):
            try:
                parts.append(Expression(side))
            except ExpressionError:  # spelled out by Python, a side can be longer than the whole was
                continue
        return parts

    def __reduce__(self) -> tuple[Any, ...]:
        return (Expression, (self.source,))

    def __repr__(self) -> str:
        return f"Expression({self.source!r})"


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
        end = text.find("}", end, start + _SOURCE_LIMIT)
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
    if isinstance(value, dt.datetime):
        return value.isoformat()
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, dt.time):
        return value.strftime("%H:%M")
    if isinstance(value, dt.timedelta):
        return value.total_seconds() / 60
    if isinstance(value, (dict, list, tuple)):
        if weight(value) > BUDGET:
            raise ExpressionError("a value is too large")
        return _plain(value)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return plain(value)
