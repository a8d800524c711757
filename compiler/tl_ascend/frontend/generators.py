"""Functions that yield. What such a function gives is known where nothing but its arguments decides:
then it may as well be run to its end at once."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.changes import Stream, forget
from tl_ascend.frontend.machine import Machine, Mistake, Raised, Returned, bound_names
from tl_ascend.frontend.reach import by_code
from tl_ascend.frontend.streams import plain
from tl_ascend.frontend.values import Function, Unknown
from tl_ascend.source.units import children, span_of

if TYPE_CHECKING:
    from tl_ascend.frontend.machine import FactoryFrame

# Calls of these change nothing, and come to an end.
_CALLS = frozenset("range len abs min max int float str bool zip enumerate sorted reversed".split())
_PLAIN = (
    *(ast.For, ast.If, ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Pass, ast.Continue),
    *(ast.Break, ast.Yield, ast.YieldFrom, ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp),
    *(ast.BoolOp, ast.Compare, ast.IfExp, ast.Tuple, ast.Call, ast.expr_context, ast.operator),
    *(ast.unaryop, ast.boolop, ast.cmpop, ast.JoinedStr, ast.FormattedValue),
)


class _Yields:
    """Whether a function yields, and whether it only reckons with its arguments."""

    __slots__ = ("found", "simple")

    def __init__(self, node: ast.AST) -> None:
        self.found = False
        arguments = getattr(node, "args", None)
        names = {a.arg for a in getattr(arguments, "args", ())} | set(_CALLS)
        body = list(getattr(node, "body", ())) if isinstance(node, ast.FunctionDef) else []
        for statement in body:
            names.update(bound_names(statement))
        self.simple = True
        stack: list[ast.AST] = list(body)
        while stack:
            inner = stack.pop()
            self.found = self.found or isinstance(inner, (ast.Yield, ast.YieldFrom))
            self.simple = self.simple and _is_simple(inner, names)
            if not isinstance(inner, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
                stack += children(inner)


def _is_simple(node: ast.AST, names: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _CALLS
    if isinstance(node, (ast.Assign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        kinds = (ast.Name, ast.Tuple)
        return all(isinstance(t, kinds) for t in targets) and not _holds_yield(node.value)
    return isinstance(node, _PLAIN)


def _holds_yield(node: ast.AST) -> bool:
    return isinstance(node, (ast.Yield, ast.YieldFrom))


_yields = by_code(_Yields)


def is_generator(function: Function) -> bool:
    """True for a function that yields."""
    return _yields(function.node).found


def generator(m: Machine, function: Function, frame: FactoryFrame) -> Any:
    """What a call of it gives."""
    assert isinstance(function.node, ast.FunctionDef)
    fixed = all(plain(v, False) and not _changes(v) for _, v in frame.arguments)
    if fixed and _yields(function.node).simple and not m.program.reaches(function):
        frame.yielded = []
        try:
            with m.tolerating(), m.catching():
                m.run(function.node.body)
            return Stream(frame.yielded, "generator")
        except Returned:
            return Stream(frame.yielded, "generator")
        except (Raised, Mistake):  # it would be raised later, or never
            pass
    why = Unknown("a generator function is not evaluated", span_of(function.node))
    for _, value in frame.arguments:
        forget(value, why)
    return why


def _changes(value: Any) -> bool:
    return isinstance(value, (list, dict, set))
