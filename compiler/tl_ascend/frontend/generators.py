"""Functions that yield. What such a function gives is known where nothing but its arguments decides:
then it may as well be run to its end at once."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.changes import Changes, Stream, forget
from tl_ascend.frontend.machine import (
    UNDECIDED,
    Machine,
    Mistake,
    Raised,
    Returned,
    bound_names,
    expression,
)
from tl_ascend.frontend.reach import by_code
from tl_ascend.frontend.streams import drained, plain
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
    """Whether a function yields, and whether it only reckons with its arguments. `guarded`: it
    may catch what is raised at its yield."""

    __slots__ = ("found", "guarded", "simple")

    def __init__(self, node: ast.AST) -> None:
        self.found = self.guarded = False
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
            caught = isinstance(inner, ast.Try) and bool(inner.handlers)
            self.guarded = self.guarded or caught or isinstance(inner, ast.With)
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


def give(m: Machine, node: ast.Yield | ast.YieldFrom) -> None:
    """A statement that yields. Whoever wants only the first value gets it here."""
    frame = m.frames[-1] if m.frames else None
    if frame is not None and stops_at_yield(frame.function):
        raise Returned(_first(m, node))
    if frame is None or frame.yielded is None:
        return
    if isinstance(node, ast.Yield):
        frame.yielded.append(m.eval(node.value) if node.value is not None else None)
    else:
        frame.yielded.extend(drained(m, node, m.eval(node.value)))


def _first(m: Machine, node: ast.Yield | ast.YieldFrom) -> Any:
    if isinstance(node, ast.Yield):
        return m.eval(node.value) if node.value is not None else None
    return Unknown("what is yielded from another generator", span_of(node))


@expression(ast.Yield, ast.YieldFrom)
def _sent(m: Machine, node: ast.Yield | ast.YieldFrom) -> Any:
    give(m, node)
    return Unknown("a value sent to a generator", span_of(node))


def stops_at_yield(function: Function) -> bool:
    """True where what is yielded first is what the caller gets: fixtures and context managers."""
    return "contextmanager" in function.decorated or "fixture" in function.decorated


class Managed:
    """A context manager made of a generator. `swallows`: the body may raise without its caller
    seeing that."""

    __slots__ = ("_arguments", "_changes", "swallows", "value")

    def __init__(self, value: Any, frame: FactoryFrame, changes: Changes) -> None:
        self.value = value
        self.swallows = _yields(frame.function.node).guarded
        self._changes = changes
        self._arguments = [value for _, value in frame.arguments]

    def leave(self) -> None:
        """What it changes after its yield is not evaluated."""
        self._changes.forget(UNDECIDED)
        for value in self._arguments:
            forget(value, UNDECIDED)


def until_yield(m: Machine, frame: FactoryFrame) -> Any:
    """What the caller gets of a fixture or context manager that yields."""
    assert isinstance(frame.function.node, ast.FunctionDef)
    value: Any = Unknown("a generator that yields nothing", span_of(frame.function.node))
    with m.listening() as changes:
        try:
            m.run(frame.function.node.body)
        except Returned as returned:
            value = returned.value
    if any(other is not value and other != value for other in frame.maybe):
        value = Unknown("the branches yield different values")
    return value if "fixture" in frame.function.decorated else Managed(value, frame, changes)


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
