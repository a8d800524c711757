"""Function definitions: plain ones, macros, kernels, factories under jit."""

from __future__ import annotations

import ast
from typing import Any

from tl_ascend.frontend.kernels import build_kernel
from tl_ascend.frontend.machine import Machine
from tl_ascend.frontend.values import Builtin, Function, OpRef, Unknown


def define(m: Machine, node: ast.FunctionDef) -> Any:
    """The value of a `def` with its decorators applied."""
    decorators = [(d, m.eval(d)) for d in node.decorator_list]
    function = make_function(m, node)
    value: Any = function
    for place, decorator in reversed(decorators):
        value = _apply(m, place, decorator, value, function)
    return value


def make_function(m: Machine, node: ast.FunctionDef | ast.Lambda) -> Function:
    """The bare function, defaults evaluated. Names of a class are not in sight of its methods."""
    env = m.env
    while env.kind == "class" and env.parent is not None:
        env = env.parent
    return Function(
        node,
        env,
        m.module,
        tuple(m.eval(d) for d in node.args.defaults),
        tuple(Unknown("no default") if d is None else m.eval(d) for d in node.args.kw_defaults),
    )


def _apply(m: Machine, place: ast.expr, decorator: Any, value: Any, function: Function) -> Any:
    if isinstance(decorator, OpRef) and value is function:
        if decorator.row.name == "prim_func":
            return build_kernel(m, function)
        if decorator.row.name == "macro":
            function.kind = "macro"
            return function
    if isinstance(decorator, Builtin):
        return decorator.call(m, place, [value], {})
    if isinstance(decorator, Function):
        from tl_ascend.frontend.calls import call_function

        result = call_function(m, place, decorator, [value], {})
        return value if isinstance(result, Unknown) else result
    if isinstance(place, ast.Attribute) and place.attr in ("setter", "deleter"):
        return Unknown("a property with a setter")
    # An unknown decorator (a pytest mark, a cache) leaves the function callable as it is.
    return value
