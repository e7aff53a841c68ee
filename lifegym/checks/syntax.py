"""From a text to a function: every node is checked against a whitelist, every operation goes through ``operations``."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Collection
from typing import Any, NamedTuple, TypeVar

from lifegym.checks.budget import ExpressionError, size_steps
from lifegym.checks.functions import EVIDENCE
from lifegym.checks.operations import OPERATIONS, bounded
from lifegym.checks.values import FUNCTIONS

__all__ = ["SOURCE_LIMIT", "Compiled", "compile_source", "parse"]

SOURCE_LIMIT = 4000
"""Characters that an expression may have."""

_NODE_LIMIT, _DEPTH_LIMIT = 600, 40
_CHEAP = frozenset(
    {"abs", "date", "days", "first", "get", "hours", "instant", "int", "last", "len", "minutes", "money", "now", "num",
     "one", "pad", "round", "str", "time", "today"}
)  # fmt: skip
"""Functions that cost the same whatever they are given; their calls spend nothing, their loops already do."""

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


_Node = TypeVar("_Node", ast.expr, ast.arg, ast.keyword, ast.Lambda)


def _placed(node: _Node) -> _Node:
    """Give a made node the place in a source that the compiler asks for (``fix_missing_locations`` walks all of it)."""
    node.lineno = node.end_lineno = 1
    node.col_offset = node.end_col_offset = 0
    return node


def _name(name: str) -> ast.expr:
    return _placed(ast.Name(name, ast.Load()))


def _hook(method: str) -> ast.expr:
    """A method of the budget."""
    return _placed(ast.Attribute(_name("_steps"), method, ast.Load()))


class _Loop(NamedTuple):
    """A loop, the call that gives its values, and the size of what was rewritten before its round."""

    node: ast.comprehension
    call: ast.Call
    begins: int


class _Rewriter:
    """Checks the nodes of one expression and rewrites them.

    Args:
        known, own, careful: See ``compile_source``.
    """

    def __init__(self, known: Collection[str] | None, own: Collection[str], careful: bool) -> None:
        self.known = known
        self.functions = FUNCTIONS.keys() - set(own)
        self.careful = careful
        self.bound: list[set[str]] = []
        self.nodes = self.size = 0
        self.names: set[str] = set()
        self.values: set[str] = set()

    def rewrite(self, node: ast.AST, depth: int = 0) -> ast.expr:
        self.nodes += 1
        self.size += 8 if isinstance(node, (ast.List, ast.Tuple, ast.Dict)) else 1
        if self.nodes > _NODE_LIMIT or depth > _DEPTH_LIMIT:
            raise ExpressionError("the expression is too long or too deeply nested; split it with let")
        method = getattr(self, f"visit_{type(node).__name__.lower()}", None)
        if method is None:
            raise ExpressionError(f"{type(node).__name__} is not part of the expression language")
        result: ast.expr = method(node, depth + 1)
        return _placed(result)

    def _call(self, operation: str, *args: ast.expr) -> ast.expr:
        return _placed(ast.Call(_name(operation), [_placed(arg) for arg in args], []))

    def visit_constant(self, node: ast.Constant, depth: int) -> ast.expr:
        if node.value is not None and type(node.value) not in (str, int, float, bool):
            raise ExpressionError(f"a {type(node.value).__name__} constant is not part of the expression language")
        bounded(node.value)
        return node

    def visit_name(self, node: ast.Name, depth: int) -> ast.expr:
        if self._check_name(node.id):
            if node.id in self.functions:
                raise ExpressionError(f"{node.id} is a function: call it")
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
        return self._part("_field", self.rewrite(node.value, depth), ast.Constant(node.attr))

    def _part(self, operation: str, value: ast.expr, key: ast.expr) -> ast.expr:
        """A field or an item. Python's own item costs a fifth of the operation, but is no field of a date."""
        if self.careful or not isinstance(value, (ast.Name, ast.Call, ast.Subscript)):
            return self._call(operation, value, key)
        return ast.Subscript(value, _placed(key), ast.Load())

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
        return self._part("_item", value, self.rewrite(node.slice, depth))

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
                parts.append(_placed(ast.Compare(self.rewrite(left, depth), [op], [_placed(ast.Constant(None))])))
            else:
                operation = _COMPARE[type(op)]
                native = _native(op, left, right)
                if native is not None:
                    parts.append(
                        _placed(ast.Compare(self.rewrite(left, depth), [native], [self.rewrite(right, depth)]))
                    )
                    continue
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
            keywords.append(_placed(ast.keyword(keyword.arg, self.rewrite(keyword.value, depth))))
        name, function = node.func.id, _name(node.func.id)
        # What is neither a function of the language nor evidence is made of expressions, which spend for themselves.
        if not keywords and (name in _CHEAP or (name not in self.functions and name not in EVIDENCE)):
            return ast.Call(function, args, keywords)
        return ast.Call(_hook("call_one" if len(args) == 1 and not keywords else "call"), [function, *args], keywords)

    def visit_list(self, node: ast.List, depth: int) -> ast.expr:
        return ast.List([self.rewrite(item, depth) for item in node.elts], ast.Load())

    def visit_tuple(self, node: ast.Tuple, depth: int) -> ast.expr:
        return ast.List([self.rewrite(item, depth) for item in node.elts], ast.Load())

    def visit_dict(self, node: ast.Dict, depth: int) -> ast.expr:
        if any(key is None for key in node.keys):
            raise ExpressionError("entries are given one by one; there is no **")
        keys: list[ast.expr | None] = [self._key(key, depth) for key in node.keys if key is not None]
        return ast.Dict(keys, [self.rewrite(value, depth) for value in node.values])

    def _key(self, node: ast.expr, depth: int) -> ast.expr:
        key = self.rewrite(node, depth)
        return key if isinstance(key, ast.Constant) else self._call("_key", key)

    def visit_listcomp(self, node: ast.ListComp, depth: int) -> ast.expr:
        loops = self._loops(node.generators, depth)
        return ast.ListComp(self.rewrite(node.elt, depth), self._closed(loops))

    def visit_generatorexp(self, node: ast.GeneratorExp, depth: int) -> ast.expr:
        return self.visit_listcomp(ast.ListComp(node.elt, node.generators), depth)

    def visit_dictcomp(self, node: ast.DictComp, depth: int) -> ast.expr:
        loops = self._loops(node.generators, depth)
        return ast.DictComp(self._key(node.key, depth), self.rewrite(node.value, depth), self._closed(loops))

    def _loops(self, nodes: list[ast.comprehension], depth: int) -> list[_Loop]:
        """Begin loops, each around the next."""
        loops = []
        for node in nodes:
            if node.is_async:
                raise ExpressionError("'async' is not part of the expression language")
            values = ast.Call(_hook("iterate"), [self.rewrite(node.iter, depth)], [])
            begins = self.size
            names = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
            targets: list[ast.expr] = []
            for name in names:
                if not isinstance(name, ast.Name) or name.id.startswith("_"):
                    raise ExpressionError("a loop variable is a plain name")
                targets.append(_placed(ast.Name(name.id, ast.Store())))
            self.bound.append({name.id for name in targets if isinstance(name, ast.Name)})
            together = isinstance(node.target, ast.Tuple)
            target: ast.expr = _placed(ast.Tuple(targets, ast.Store())) if together else targets[0]
            tests = [self.rewrite(test, depth) for test in node.ifs]
            loops.append(_Loop(ast.comprehension(target, _placed(values), tests, 0), values, begins))
        return loops

    def _closed(self, loops: list[_Loop]) -> list[ast.comprehension]:
        """End loops whose innermost round is rewritten too, so that it can be told what a round of each takes."""
        ends = self.size
        for loop in reversed(loops):
            steps = size_steps(ends - loop.begins)
            if steps:
                loop.call.args.append(_placed(ast.Constant(1 + steps)))
            ends = loop.begins
            self.bound.pop()
        return [loop.node for loop in loops]


def _native(op: ast.cmpop, left: ast.expr, right: ast.expr) -> ast.cmpop | None:
    """The comparison itself where Python's own does the same for less: with constants that are no dates or times."""
    if isinstance(op, (ast.Eq, ast.NotEq)) and (_plain_constant(left) or _plain_constant(right)):
        return op
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(right, (ast.List, ast.Tuple)) and right.elts:
        return op if all(_plain_constant(each) for each in right.elts) else None
    return None


def _plain_constant(node: ast.expr) -> bool:
    """A short text without digits (no date, no time), a number, a truth value or None."""
    if not isinstance(node, ast.Constant):
        return False
    if isinstance(node.value, str):
        return len(node.value) < 100 and not any(ch.isdigit() for ch in node.value)
    return True


def parse(source: str) -> ast.expr:
    if len(source) > SOURCE_LIMIT:
        raise ExpressionError(f"an expression has at most {SOURCE_LIMIT} characters")
    try:
        return ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        message = error.msg if isinstance(error, SyntaxError) else type(error).__name__
        raise ExpressionError(f"not an expression ({message}): {source.strip()[:200]}") from None


class Compiled(NamedTuple):
    """What became of an expression's text.

    Attributes:
        function: Of the budget, and of a value for each of ``needs``.
        names: All that come from outside, functions of the language too.
        needs: Those of them that a scope must have.
        values: How many of these, the first, are used as values, not only called.
        size: What evaluating it takes, see ``size_steps``.
    """

    function: Callable[..., Any]
    names: tuple[str, ...]
    needs: tuple[str, ...]
    values: int
    size: int


def compile_source(
    source: str, known: Collection[str] | None, own: Collection[str] = (), careful: bool = True
) -> Compiled:
    """Compile an expression.

    Args:
        source: Its text.
        known: Names that will be there at evaluation; None leaves that to evaluation.
        own: Names that here mean a value where the language has a function of that name, such as a parameter ``first``.
        careful: Whether fields and items go through ``operations``. Else they are Python's own items of mappings and
            lists: where that raises anything, the careful form tells whether it is a value or an error.

    Raises:
        ExpressionError: It is not of the language.
    """
    rewriter = _Rewriter(known, own, careful)
    try:
        body = rewriter.rewrite(parse(source))
    except ExpressionError as error:
        raise ExpressionError(f"{error} (in: {source.strip()[:200]})") from None
    called = rewriter.names - rewriter.values - rewriter.functions
    needs = (*sorted(rewriter.values), *sorted(called))
    parameters = [_placed(ast.arg(name)) for name in ("_steps", *needs)]
    signature = ast.arguments(posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=[])
    tree = ast.Expression(_placed(ast.Lambda(signature, body)))
    try:
        code = compile(tree, "<expression>", "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        message = error.msg if isinstance(error, SyntaxError) else type(error).__name__
        raise ExpressionError(f"not an expression ({message}): {source.strip()[:200]}") from None
    function: Callable[..., Any] = eval(code, _GLOBALS)
    return Compiled(function, tuple(sorted(rewriter.names)), needs, len(rewriter.values), rewriter.size)


_GLOBALS: dict[str, Any] = {"__builtins__": {}, **FUNCTIONS, **OPERATIONS}
"""All that a compiled expression can reach beside its parameters."""
