"""Scalars of `T`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from tl_ascend.frontend.language import HANDLERS, handler
from tl_ascend.frontend.language_alloc import dtype_argument
from tl_ascend.frontend.machine import Machine, python_error
from tl_ascend.frontend.values import Unknown, first_unknown
from tl_ascend.ir import fold
from tl_ascend.ir.expr import Call, Cast, Const, Expr, Var, dtype_of
from tl_ascend.ops.values import BIT_OPERATORS
from tl_ascend.source.units import span_of
from tl_ascend.target.dtypes import BOOL, DType


def _pair(name: str, op: Callable[[Any, Any], Any], names: tuple[str, str] = ("a", "b")) -> None:
    def apply(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
        from tl_ascend.frontend.expressions import as_scalar

        a, b = (as_scalar(bound[k]) for k in names)
        unknown = first_unknown(a, b)
        if unknown is not None:
            return unknown
        try:
            return op(a, b)
        except ZeroDivisionError:
            raise python_error(node, ZeroDivisionError(f"division by zero in T.{name}")) from None
        except TypeError:
            return Unknown(f"operands of T.{name} are not evaluated", span_of(node))

    HANDLERS[name] = apply


_pair("ceildiv", fold.ceildiv, ("lhs", "rhs"))
_pair("floordiv", lambda a, b: fold.binary("//", a, b))
_pair("floormod", lambda a, b: fold.binary("%", a, b))
_pair("truncdiv", lambda a, b: _truncated("//", a, b))
_pair("truncmod", lambda a, b: _truncated("%", a, b))
_pair("min", lambda a, b: fold.binary("min", a, b))
_pair("max", lambda a, b: fold.binary("max", a, b))
for _name, _operator in BIT_OPERATORS.items():
    _pair(_name, partial(fold.binary, _operator), ("x", "y"))
_pair("And", lambda a, b: fold.logic("and", (a, b)))
_pair("Or", lambda a, b: fold.logic("or", (a, b)))


@handler("bitwise_not")
def _bitwise_not(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import as_scalar, is_scalar

    value = as_scalar(bound["x"])
    known = is_scalar(value) and dtype_of(value).kind in ("int", "uint")
    if not known:
        return first_unknown(value) or Unknown("the operand is not evaluated", span_of(node))
    return fold.binary("^", value, -1)


@handler("likely")
def _likely(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    return bound["cond"]


def _truncated(op: str, a: Any, b: Any) -> Any:
    """Division towards zero: of sizes without signs, turned where one of the two is negative. Errors:
    TypeError, ZeroDivisionError."""
    if any(dtype_of(value).kind not in ("int", "uint") for value in (a, b)):
        raise TypeError
    below = [fold.compare("<", value, 0) for value in (a, b)]
    sizes = [
        fold.select(less, fold.binary("-", 0, value), value)
        for less, value in zip(below, (a, b), strict=True)
    ]
    found = fold.binary("//", *sizes)
    only = [
        fold.logic("and", (one, fold.logic("not", (other,)))) for one, other in (below, below[::-1])
    ]
    found = fold.select(fold.logic("or", tuple(only)), fold.binary("-", 0, found), found)
    return found if op == "//" else fold.binary("-", a, fold.binary("*", b, found))


@handler("Not")
def _not(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import as_scalar

    value = as_scalar(bound["a"])
    return value if isinstance(value, Unknown) else fold.logic("not", (value,))


@handler("if_then_else", "Select")
def _if_then_else(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import as_scalar, is_scalar

    condition, then, other = map(as_scalar, bound.values())
    unknown = first_unknown(condition, then, other)
    if unknown is None and not all(is_scalar(v) for v in (condition, then, other)):
        return Unknown("a choice between values that are no numbers", span_of(node))
    return unknown or fold.select(condition, then, other)


@handler("symbolic")
def _symbolic(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    kind = dtype_argument(m, node, bound["dtype"])
    if not isinstance(bound["name"], str) or isinstance(kind, Unknown):
        return Unknown("a symbolic dimension without a name", span_of(node))
    symbol = Var(bound["name"], m.fresh(), "shape", 1, None, kind)
    m.program.symbols.add(symbol)
    return symbol


@handler("infinity", "min_value", "max_value")
def _limit(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    kind = dtype_argument(m, node, bound["dtype"])
    name = (
        node.func.attr
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else "infinity"
    )
    return kind if isinstance(kind, Unknown) else Call(name, (), kind)


@handler("reinterpret")
def _reinterpret(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    """The same bits under another type: no conversion."""
    from tl_ascend.frontend.expressions import as_scalar, is_scalar

    kind, value = dtype_argument(m, node, bound["dtype"]), as_scalar(bound["value"])
    if isinstance(kind, Unknown) or not is_scalar(value):
        return first_unknown(kind, value) or Unknown("T.reinterpret of this value", span_of(node))
    return Call("reinterpret", (value,), kind)


@handler("cast", "Cast")
def _cast(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    kind = dtype_argument(m, node, bound["dtype"])
    value = bound["src"] if "src" in bound else bound["value"]
    return kind if isinstance(kind, Unknown) else converted(value, kind)


def converted(value: Any, kind: DType) -> Any:
    """A scalar of an explicit element type."""
    from tl_ascend.frontend.expressions import as_scalar

    value = as_scalar(value)
    if isinstance(value, Expr):
        return value if value.dtype == kind else Cast(kind, value)
    if isinstance(value, (int, float)):
        return Const(bool(value) if kind == BOOL else value, kind)
    return first_unknown(value) or Unknown("this value is not converted")


@handler("clamp")
def _clamp(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import as_scalar, is_scalar

    values = [as_scalar(bound[k]) for k in ("dst", "min_val", "max_val")]
    if not all(map(is_scalar, values)):
        return first_unknown(values) or Unknown("operands of T.clamp are not evaluated")
    value, low, high = values
    return fold.binary("min", fold.binary("max", value, low), high)


@handler("meta_var")
def _meta_var(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    return bound["value"]
