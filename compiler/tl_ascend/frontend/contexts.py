"""`with` in plain Python: what a context manager gives, and what it may keep from its caller."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from tl_ascend.frontend.assignments import assign
from tl_ascend.frontend.calls import FAILING, call_function
from tl_ascend.frontend.generators import Managed
from tl_ascend.frontend.machine import UNDECIDED, Machine, Raised, statement
from tl_ascend.frontend.models.inspection import is_instance
from tl_ascend.frontend.models.outcomes import Suppress
from tl_ascend.frontend.reach import by_code
from tl_ascend.frontend.values import Function, Instance, Namespace, Unknown
from tl_ascend.source.units import preorder, span_of


@statement(ast.With)
def _with(m: Machine, node: ast.With) -> None:
    _entered(m, node, 0)


def _entered(m: Machine, node: ast.With, position: int) -> None:
    """Enter the context managers from this one on, and run the body within."""
    if position == len(node.items):
        m.run(node.body)
        return
    item = node.items[position]
    manager = m.eval(item.context_expr)
    value = _given(m, item, manager)
    if item.optional_vars is not None:
        assign(m, item.optional_vars, value)
    _within(m, item.context_expr, manager, lambda: _entered(m, node, position + 1))
    if isinstance(manager, Managed):
        manager.leave()


def _given(m: Machine, item: ast.withitem, manager: Any) -> Any:
    if isinstance(manager, Managed):
        return manager.value
    enter = _method(manager, "__enter__")
    if enter is not None:
        return call_function(m, item.context_expr, enter, [manager], {})
    return Unknown("a context manager's value", span_of(item.context_expr))


def _method(manager: Any, name: str) -> Function | None:
    if not isinstance(manager, Instance):
        return None
    try:
        found = manager.cls.find(name)
    except KeyError:
        return None
    return found if isinstance(found, Function) else None


def _within(m: Machine, node: ast.expr, manager: Any, run: Callable[[], None]) -> None:
    if _fails(node, manager):
        _failing(m, run)
    elif isinstance(manager, Suppress):
        _suppressing(m, manager, run)
    elif _may_swallow(m, node, manager):
        _doubted(m, run)
    else:
        run()


def _fails(node: ast.expr, manager: Any) -> bool:
    """True for `pytest.raises` and its like: the body is expected to raise."""
    if isinstance(manager, Namespace):
        return manager.name == "pytest.raises"
    named = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return isinstance(manager, Unknown) and named and node.func.attr in FAILING  # type: ignore[attr-defined]


def _failing(m: Machine, run: Callable[[], None]) -> None:
    m.expecting_failure += 1
    try:
        run()
    except Raised:
        pass
    finally:
        m.expecting_failure -= 1


def _suppressing(m: Machine, manager: Suppress, run: Callable[[], None]) -> None:
    try:
        with m.tolerating(), m.catching():
            run()
    except Raised as error:
        if is_instance(error.exception, manager.kinds) is False:
            raise


def _doubted(m: Machine, run: Callable[[], None]) -> None:
    """Whether an exception gets out of here is not known."""
    try:
        with m.doubted():
            run()
    except Raised:
        m.doubter.doubt += 1


def _may_swallow(m: Machine, node: ast.expr, manager: Any) -> bool:
    """True where the context manager may keep an exception of its body to itself."""
    if isinstance(manager, Managed):
        return manager.swallows
    if isinstance(manager, Instance):
        leave = _method(manager, "__exit__")
        return _returns(leave.node) if leave is not None else manager.cls.kind == "unknown"
    if not isinstance(manager, Unknown) or manager == UNDECIDED:
        return False
    called = node.func if isinstance(node, ast.Call) else node
    if isinstance(called, ast.Attribute) and called.attr in ("ExitStack", "subTest"):
        return called.attr == "ExitStack"
    while isinstance(called, (ast.Attribute, ast.Call, ast.Subscript)):
        called = called.func if isinstance(called, ast.Call) else called.value
    return not (isinstance(called, ast.Name) and _modelled(m, called.id))


def _modelled(m: Machine, name: str) -> bool:
    """True for a library that we know, in which nothing else swallows exceptions."""
    found = m.env.lookup(name)
    if found is None:
        return hasattr(builtins, name)
    return isinstance(found[0], Namespace) and found[0].name in m.program.externals


@by_code
def _returns(node: ast.AST) -> bool:
    """True where a function may return something that counts as true."""
    found = [n.value for n in preorder(node) if isinstance(n, ast.Return)]
    return any(
        value is not None and not (isinstance(value, ast.Constant) and not value.value)
        for value in found
    )
