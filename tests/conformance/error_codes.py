"""Which error codes a tool can raise, read from its code.

The walk starts at the tool's method and goes through everything of the same package and of lifegym that it calls:
methods of the service, of its base classes and of the world, functions of modules, constructors, properties. Codes that
are passed on as arguments, or taken from a caught error, are followed. What a handler catches does not count.

The walk takes every branch for possible. Where a code cannot come (a helper refuses what was checked before), rather
call something that does not refuse; where that is not sensible, name the pair in ``UNREACHABLE`` with the reason.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from types import FunctionType, ModuleType
from typing import Any, get_type_hints

from lifegym.services import Service, ToolError, ToolSpec, catalogue
from lifegym.world import Agenda, RecordTable, Store, Workspace, World

__all__ = ["PAYMENT_REFUSALS", "UNREACHABLE", "raised_codes"]

PAYMENT_REFUSALS = frozenset({"insufficient_funds", "account_closed", "currency_mismatch"})
"""What the services that hold money refuse a charge with; a tool that pays may sum them up in its documentation."""

UNREACHABLE: dict[tuple[str, str], str] = {
    ("workspace.edit_file", "workspace_full"): "the file exists",
    ("workspace.edit_file", "is_folder"): "the file exists",
    ("workspace.edit_file", "not_a_folder"): "the file exists",
    ("workspace.move_file", "workspace_full"): "the file at the old place is removed first",
    ("workspace.move_file", "file_too_large"): "the text was in a file before",
}
"""Tool and code that the walk finds although it cannot come, and why."""

_ATTRIBUTES: dict[str, type] = {"world": World, "workspace": Workspace, "store": Store, "agenda": Agenda}


@dataclass(frozen=True)
class _Parameter:
    """A code that the function was given under this name."""

    name: str


UNKNOWN = "?"
Code = str | _Parameter
Effect = tuple[type[BaseException], Code]
Effects = frozenset[Effect]
_NONE: Effects = frozenset()


def raised_codes(service: type[Service], spec: ToolSpec) -> frozenset[str]:
    """The codes of the errors that this tool can raise; ``?`` where the code of one is not to be seen in the source."""
    found = _Walk.of(service.__module__.partition(".")[0]).effects(spec.method, service)
    codes = {code if isinstance(code, str) else UNKNOWN for kind, code in found if issubclass(kind, ToolError)}
    return frozenset(code for code in codes if (spec.name, code) not in UNREACHABLE)


def uncaught_errors(service: type[Service], spec: ToolSpec) -> list[str]:
    """Errors with a code that are not ToolErrors and that nothing catches: they would be faults."""
    found = _Walk.of(service.__module__.partition(".")[0]).effects(spec.method, service)
    return sorted({f"{kind.__name__}({code!r})" for kind, code in found if not issubclass(kind, ToolError)})


@dataclass
class _Scope:
    """A function under examination, and what its names stand for."""

    function: FunctionType
    owner: type | None
    parameters: frozenset[str]
    values: dict[str, list[ast.expr]] = field(default_factory=dict)
    caught: dict[str, Effects] = field(default_factory=dict)
    reraise: list[Effects] = field(default_factory=list)


class _Walk:
    """The walk through one package; results are kept, and computed again until they no longer grow."""

    @staticmethod
    @cache
    def of(package: str) -> _Walk:
        return _Walk(package)

    def __init__(self, package: str) -> None:
        self._packages = ("lifegym", package)
        self._known: dict[tuple[FunctionType, type | None], Effects] = {}
        self._pass: set[tuple[FunctionType, type | None]] = set()
        self._grew = False

    def effects(self, function: Callable[..., Any], owner: type | None) -> Effects:
        """The errors that a function can raise, until recursion adds no more."""
        while True:
            self._pass.clear()
            self._grew = False
            found = self._examine(function, owner)
            if not self._grew:
                return found

    def _examine(self, function: Callable[..., Any], owner: type | None) -> Effects:
        plain = inspect.unwrap(function)
        if not isinstance(plain, FunctionType) or plain.__module__.partition(".")[0] not in self._packages:
            return _NONE
        key = (plain, owner)
        if key in self._pass:
            return self._known.get(key, _NONE)
        self._pass.add(key)
        if plain is World.charge:
            found: Effects = frozenset((ToolError, code) for code in PAYMENT_REFUSALS)
        else:
            node = _source(plain)
            scope = _Scope(plain, owner, frozenset(arg.arg for arg in _arguments(node)))
            _collect_values(node, scope)
            found = self._block(node.body, scope)
        if not found <= self._known.get(key, _NONE):
            self._known[key] = self._known.get(key, _NONE) | found
            self._grew = True
        return self._known.get(key, _NONE)

    # -- statements ----------------------------------------------------------------------------------------------

    def _block(self, nodes: Iterable[ast.AST], scope: _Scope) -> Effects:
        return frozenset().union(*(self._node(node, scope) for node in nodes))

    def _node(self, node: ast.AST, scope: _Scope) -> Effects:
        if isinstance(node, ast.Try):
            return self._try(node, scope)
        if isinstance(node, ast.Raise) and node.exc is None:
            return scope.reraise[-1] if scope.reraise else _NONE
        if isinstance(node, ast.Raise) and node.exc is not None:
            return self._node(node.exc, scope) | self._errors(node.exc, scope)
        if isinstance(node, ast.With):
            return self._with(node, scope)
        if isinstance(node, ast.Call):
            called = node.func.value if isinstance(node.func, ast.Attribute) else node.func
            return self._block([called, *node.args, *node.keywords], scope) | self._call(node, scope)
        found = self._block(ast.iter_child_nodes(node), scope)
        if isinstance(node, ast.Attribute):
            # A property, or a method that is handed on.
            return found | frozenset().union(*(self._examine(f, o) for f, o in self._members(node, scope)))
        return found

    def _try(self, node: ast.Try, scope: _Scope) -> Effects:
        escaping, found = self._block(node.body, scope), self._block([*node.orelse, *node.finalbody], scope)
        for handler in node.handlers:
            kinds = self._exceptions(handler.type, scope)
            caught = frozenset(effect for effect in escaping if issubclass(effect[0], kinds))
            escaping -= caught
            scope.reraise.append(caught)
            if handler.name:
                scope.caught[handler.name] = caught
            found |= self._block(handler.body, scope)
            scope.reraise.pop()
        return escaping | found

    def _with(self, node: ast.With, scope: _Scope) -> Effects:
        found = self._block(node.body, scope)
        for item in node.items:
            expression = item.context_expr
            if isinstance(expression, ast.Call) and ast.unparse(expression.func).endswith("suppress"):
                kinds = tuple(kind for arg in expression.args for kind in self._exceptions(arg, scope))
                found = frozenset(effect for effect in found if not issubclass(effect[0], kinds))
            else:
                found |= self._node(expression, scope)
        return found

    def _exceptions(self, node: ast.expr | None, scope: _Scope) -> tuple[type[BaseException], ...]:
        if node is None:
            return (BaseException,)
        if isinstance(node, ast.Tuple):
            return tuple(kind for item in node.elts for kind in self._exceptions(item, scope))
        found = self._object(node, scope)
        return (found,) if isinstance(found, type) and issubclass(found, BaseException) else ()

    # -- calls ---------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call, scope: _Scope) -> Effects:
        target = self._object(node.func, scope)
        if isinstance(target, type):
            constructor = inspect.getattr_static(target, "__init__", None)
            if isinstance(constructor, FunctionType) and self._ours(target):
                return self._with_arguments(self._examine(constructor, target), constructor, node, scope, 1)
            return _NONE
        if isinstance(target, (FunctionType, staticmethod)) or hasattr(target, "__wrapped__"):
            return self._with_arguments(self._examine(target, None), target, node, scope, 0)
        found = _NONE
        if isinstance(node.func, ast.Attribute):
            for function, owner in self._members(node.func, scope):
                found |= self._with_arguments(self._examine(function, owner), function, node, scope, 1)
        return found

    def _errors(self, node: ast.expr, scope: _Scope, depth: int = 0) -> Effects:
        """The errors with codes that an expression after ``raise`` can be."""
        if depth > 6:
            return _NONE
        if isinstance(node, ast.Name):
            if node.id in scope.caught:
                return scope.caught[node.id]
            values = scope.values.get(node.id, ())
            return frozenset().union(*(self._errors(value, scope, depth + 1) for value in values))
        if isinstance(node, ast.IfExp):
            return self._errors(node.body, scope, depth + 1) | self._errors(node.orelse, scope, depth + 1)
        if isinstance(node, ast.BoolOp):
            return frozenset().union(*(self._errors(value, scope, depth + 1) for value in node.values))
        if not isinstance(node, ast.Call):
            return _NONE
        target = self._object(node.func, scope)
        if isinstance(target, type) and issubclass(target, Exception):
            if not self._ours(target) or "code" not in inspect.signature(target).parameters:
                return _NONE
            return frozenset((target, code) for code in self._codes(self._first_code(node), scope))
        found = _NONE
        for function, inner, value in self._returns(node, scope):
            found |= self._with_arguments(self._errors(value, inner, depth + 1), function, node, scope, 1)
        return found

    @staticmethod
    def _first_code(node: ast.Call) -> ast.expr | None:
        named = {keyword.arg: keyword.value for keyword in node.keywords}
        return named.get("code") or (node.args[0] if node.args else None)

    def _with_arguments(self, effects: Effects, function: Any, call: ast.Call, scope: _Scope, skip: int) -> Effects:
        """The effects with the codes that the call passes in the place of the function's parameters."""
        if not any(isinstance(code, _Parameter) for _, code in effects):
            return effects
        plain = inspect.unwrap(function)
        node = _source(plain)
        names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
        if skip and names and names[0] in ("self", "cls"):
            names = names[1:]
        passed: dict[str, ast.expr] = dict(zip(names, call.args, strict=False))
        passed |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        defaults = _defaults(node)
        found: set[Effect] = set()
        for kind, code in effects:
            if isinstance(code, str):
                found.add((kind, code))
            elif code.name in passed:
                found.update((kind, given) for given in self._codes(passed[code.name], scope))
            else:
                found.update((kind, given) for given in self._codes(defaults.get(code.name), scope))
        return frozenset(found)

    # -- what an expression is -------------------------------------------------------------------------------------

    def _codes(self, node: ast.expr | None, scope: _Scope, depth: int = 0) -> set[Code]:
        """The texts that an expression for a code can be."""
        if isinstance(node, ast.Starred):
            node = node.value
        if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str)):
            return {node.value} if node.value else set()
        if depth > 6 or node is None:
            return {UNKNOWN}
        if isinstance(node, ast.IfExp):
            return self._codes(node.body, scope, depth + 1) | self._codes(node.orelse, scope, depth + 1)
        if isinstance(node, ast.BoolOp):
            return set().union(*(self._codes(value, scope, depth + 1) for value in node.values))
        if isinstance(node, ast.Tuple):  # (code, message)
            return self._codes(node.elts[0], scope, depth + 1) if node.elts else {UNKNOWN}
        if isinstance(node, ast.Attribute) and node.attr == "code" and isinstance(node.value, ast.Name):
            return self._codes(node.value, scope, depth + 1)
        if isinstance(node, ast.Name):
            if node.id in scope.caught:
                return {code for _, code in scope.caught[node.id]}
            if node.id in scope.values:
                return set().union(*(self._codes(value, scope, depth + 1) for value in scope.values[node.id]))
            if node.id in scope.parameters:
                return {_Parameter(node.id)}
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr == "get":
                constant = self._constant(node.func.value, scope)
                if isinstance(constant, dict):
                    rest = self._codes(node.args[1], scope, depth + 1) if len(node.args) > 1 else set()
                    return _texts(constant.values()) | rest
            return self._returned(node, scope)
        if isinstance(node, ast.Subscript):
            constant = self._constant(node.value, scope)
            if isinstance(constant, dict):
                return _texts(constant.values())
            if isinstance(node.value, ast.Name):  # refusal[0] of a (code, message)
                return self._codes(node.value, scope, depth + 1)
        constant = self._constant(node, scope)
        return {constant} if isinstance(constant, str) else {UNKNOWN}

    def _returned(self, call: ast.Call, scope: _Scope) -> set[Code]:
        """The codes among what a function returns: ``return code`` or ``return code, message``."""
        codes: set[Code] = set()
        for _, inner, value in self._returns(call, scope):
            codes |= self._codes(value, inner, 4)
        return codes or {UNKNOWN}

    def _returns(self, call: ast.Call, scope: _Scope) -> Iterator[tuple[FunctionType, _Scope, ast.expr]]:
        """What the called function returns, None left out, with the scope to read it in."""
        target = self._object(call.func, scope)
        found: list[tuple[Any, type | None]] = [(target, None)] if isinstance(target, FunctionType) else []
        if not found and isinstance(call.func, ast.Attribute):
            found = list(self._members(call.func, scope))
        for function, owner in found:
            plain = inspect.unwrap(function)
            node = _source(plain)
            inner = _Scope(plain, owner, frozenset(arg.arg for arg in _arguments(node)))
            _collect_values(node, inner)
            for statement in ast.walk(node):
                value = statement.value if isinstance(statement, ast.Return) else None
                if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
                    yield plain, inner, value

    def _constant(self, node: ast.expr, scope: _Scope) -> Any:
        found = self._object(node, scope)
        return found if isinstance(found, (str, dict)) else None

    def _object(self, node: ast.expr, scope: _Scope) -> Any:
        """The class, function, module or constant that a name of the source stands for."""
        if isinstance(node, ast.Name):
            if node.id in scope.values or node.id in scope.parameters:
                return None
            names = scope.function.__globals__
            return names[node.id] if node.id in names else getattr(builtins, node.id, None)
        if isinstance(node, ast.Attribute):
            base = self._object(node.value, scope)
            if isinstance(base, ModuleType):
                return getattr(base, node.attr, None)
            if isinstance(base, type):
                found = inspect.getattr_static(base, node.attr, None)
                return found.__func__ if isinstance(found, (staticmethod, classmethod)) else found
        return None

    def _type(self, node: ast.expr, scope: _Scope, depth: int = 0) -> type | None:
        """The class of the object that an expression gives, as far as it can be told."""
        if depth > 5:
            return None
        if isinstance(node, ast.Name):
            if node.id in ("self", "cls"):
                return scope.owner
            for value in scope.values.get(node.id, ()):
                found = self._type(value, scope, depth + 1)
                if found is not None:
                    return found
            annotation = {arg.arg: arg.annotation for arg in _arguments(_source(scope.function))}.get(node.id)
            named = self._object(annotation, scope) if isinstance(annotation, (ast.Name, ast.Attribute)) else None
            return named if isinstance(named, type) and self._ours(named) else None
        if isinstance(node, ast.Attribute):
            return _ATTRIBUTES.get(node.attr)
        if isinstance(node, ast.Call):
            target = self._object(node.func, scope)
            if isinstance(target, type):
                return target
            if isinstance(node.func, ast.Attribute) and node.func.attr == "service" and len(node.args) == 1:
                return _service(node.args[0])
            if isinstance(node.func, ast.Attribute) and node.func.attr == "table":
                return RecordTable
            functions = [target] if isinstance(target, FunctionType) else []
            if not functions and isinstance(node.func, ast.Attribute):
                functions = [function for function, _ in self._members(node.func, scope, depth + 1)]
            for function in functions:
                given = _returned_class(function)
                if given is not None and self._ours(given):
                    return given
        return None

    def _members(self, node: ast.Attribute, scope: _Scope, depth: int = 0) -> Iterator[tuple[Any, type | None]]:
        """The methods or the property that ``object.name`` means."""
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "super":
            owner = scope.owner
            mro = owner.__mro__ if owner else ()
            place = next((i for i, cls in enumerate(mro) if scope.function in map(_plain, vars(cls).values())), 0)
            found = next((vars(cls)[node.attr] for cls in mro[place + 1 :] if node.attr in vars(cls)), None)
        else:
            owner = self._type(node.value, scope, depth)
            found = inspect.getattr_static(owner, node.attr, None) if owner else None
        plain = _plain(found)
        if isinstance(plain, FunctionType):
            yield plain, owner

    def _ours(self, kind: type) -> bool:
        return kind.__module__.partition(".")[0] in self._packages


def _plain(member: Any) -> Any:
    """The function behind a method, a property or a cached property."""
    if isinstance(member, (staticmethod, classmethod)):
        member = member.__func__
    elif isinstance(member, property):
        member = member.fget
    elif hasattr(member, "func") and not isinstance(member, FunctionType):
        member = member.func
    return inspect.unwrap(member) if callable(member) else member


def _service(name: ast.expr) -> type | None:
    if not (isinstance(name, ast.Constant) and name.value in {**catalogue.SERVICES, **catalogue.ALWAYS}):
        return None
    try:
        return catalogue.service_class(name.value)
    except (ImportError, AttributeError):
        return None


@cache
def _returned_class(function: FunctionType) -> type | None:
    try:
        given = get_type_hints(function).get("return")
    except NameError:  # a name that exists for type checkers only
        return None
    return given if isinstance(given, type) else None


@cache
def _source(function: FunctionType) -> ast.FunctionDef:
    """The function's definition; an empty one where there is none to read (a lambda, a generated constructor)."""
    try:
        [node] = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, SyntaxError):
        node = ast.Pass()
    if isinstance(node, ast.FunctionDef):
        return node
    [empty] = ast.parse("def empty(): pass").body
    assert isinstance(empty, ast.FunctionDef)
    return empty


def _arguments(node: ast.FunctionDef) -> list[ast.arg]:
    rest = [arg for arg in (node.args.vararg, node.args.kwarg) if arg]
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, *rest]


def _defaults(node: ast.FunctionDef) -> dict[str, ast.expr]:
    positional = [*node.args.posonlyargs, *node.args.args]
    found = {arg.arg: value for arg, value in zip(reversed(positional), reversed(node.args.defaults), strict=False)}
    pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    return found | {arg.arg: value for arg, value in pairs if value}


def _collect_values(node: ast.FunctionDef, scope: _Scope) -> None:
    """What the function assigns to its names, loops over literal tuples included."""
    for statement in ast.walk(node):
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                _assign(target, statement.value, scope)
        elif isinstance(statement, (ast.AnnAssign, ast.NamedExpr)) and statement.value is not None:
            _assign(statement.target, statement.value, scope)
        elif isinstance(statement, (ast.For, ast.comprehension)) and isinstance(statement.iter, (ast.Tuple, ast.List)):
            for item in statement.iter.elts:
                _assign(statement.target, item, scope)


def _assign(target: ast.expr, value: ast.expr, scope: _Scope) -> None:
    if isinstance(target, ast.Name):
        scope.values.setdefault(target.id, []).append(value)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for inner, part in zip(target.elts, value.elts, strict=True):
            _assign(inner, part, scope)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Call) and isinstance(target.elts[0], ast.Name):
        scope.values.setdefault(target.elts[0].id, []).append(value)  # code, message = self._why(...)


def _texts(values: Iterable[Any]) -> set[Code]:
    return {value for value in values if isinstance(value, str)}
