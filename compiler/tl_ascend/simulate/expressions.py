"""Scalar expressions as Python functions of a core, built once for each expression.

Inside of a vectorised loop the variables are arrays, and so are the results; elsewhere they are
numbers. A number of the author's without a type takes that of the other operand, as in TVM's script.
Integers are computed exactly and wrap where they are stored, unsigned ones of 32 bits and more in each
operation; floats round after each operation.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tl_ascend.ir.constants import as_product, number_of
from tl_ascend.ir.expr import (
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    Load,
    Logic,
    Select,
    Var,
    promote,
    unsigned,
)
from tl_ascend.ir.fold import COMPARE
from tl_ascend.simulate.elements import by_scalar, element, saturated, wrapped
from tl_ascend.simulate.errors import EvaluationError
from tl_ascend.simulate.registry import value_semantic
from tl_ascend.target.dtypes import BOOL, FLOAT32, INT32, DType

if TYPE_CHECKING:
    from tl_ascend.simulate.core import Core

Run: TypeAlias = "Callable[[Core], Any]"
Compile: TypeAlias = "Callable[[Any], Run]"

WEAK_INT, WEAK_FLOAT = DType("int", 0, "", "int"), DType("float", 0, "", "float")


@lru_cache(maxsize=16384)
def type_of(value: Any) -> DType:
    """The element type of an expression; of a number without a type, one of the weak ones."""
    if isinstance(value, (Var, Const, Cast, Load)):
        return value.dtype
    if isinstance(value, Binary):
        found = _joined(type_of(value.a), type_of(value.b))
        return FLOAT32 if value.op == "/" and found.kind != "float" else found
    if isinstance(value, Select):
        return _joined(type_of(value.then), type_of(value.other))
    if isinstance(value, (Compare, Logic)):
        return BOOL
    if isinstance(value, Call):
        return value.dtype
    return BOOL if isinstance(value, bool) else WEAK_FLOAT if isinstance(value, float) else WEAK_INT


def _joined(a: DType, b: DType) -> DType:
    if a.bits and b.bits:
        return promote(a, b)
    strong, weak = (a, b) if a.bits else (b, a)
    if not strong.bits:
        return a if a.kind == "float" else b
    if weak.kind == "float" and strong.kind != "float":
        return FLOAT32
    return INT32 if strong == BOOL else strong


def build(value: Any, inner: Compile) -> Run:
    """The function of one expression; `inner` gives those of its operands."""
    if not isinstance(value, Expr):
        return lambda core: value
    for kind, make in _MAKERS.items():
        if isinstance(value, kind):
            return make(value, inner)
    raise EvaluationError(f"an expression of kind {type(value).__name__}")


# --- rounding ---------------------------------------------------------------------------------------


def rounder(dtype: DType) -> Callable[[Any], Any]:
    """What makes a computed value one of the type; integers stay exact."""
    if dtype.kind != "float" or not dtype.bits or dtype.name == "float64":
        return lambda value: value
    kind, name = element(dtype), dtype.name
    if name == "float32":
        single = np.float32
        return lambda v: v.astype(single) if isinstance(v, np.ndarray) else float(single(v))

    def apply(value: Any) -> Any:
        found = kind.round(np.asarray(value, np.float32)).astype(np.float32)
        return found if isinstance(value, np.ndarray) else found.item()

    return apply


def cast_to(value: Any, dtype: DType) -> Any:
    """A value in another type, as C converts: floats to integers towards zero."""
    if dtype.kind == "float":
        return rounder(dtype)(_as_float(value))
    if dtype.kind == "bool":
        return value != 0
    if not isinstance(value, np.ndarray):
        if isinstance(value, float):
            whole = saturated(np.trunc(np.asarray(value)), element(dtype).work)
            return int(whole.item())
        return wrapped(int(value), dtype)
    return element(dtype).decode(element(dtype).encode(value)).astype(np.int64)


def _as_float(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value if value.dtype.kind == "f" else value.astype(np.float64)
    return float(value)


# --- nodes ------------------------------------------------------------------------------------------


def _const(value: Const, inner: Compile) -> Run:
    number = cast_to(value.value, value.type) if value.type.bits > 4 else value.value
    return lambda core: number


def _var(value: Var, inner: Compile) -> Run:
    uid, name = value.uid, value.name

    def run(core: Core) -> Any:
        if uid in core.tainted:
            core.spoil(core.tainted[uid])
        try:
            return core.values[uid]
        except KeyError:
            raise EvaluationError(f"{name} has no value here") from None

    return run


def _load(value: Load, inner: Compile) -> Run:
    buffer, indices = value.buffer, [inner(index) for index in value.indices]
    return lambda core: core.load(buffer, [index(core) for index in indices])


def _divided(a: Any, b: Any) -> Any:
    if not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray):
        return float(np.float64(a) / np.float64(b))
    return np.true_divide(a, b)


def _by_known(a: Any, b: Any) -> Any:
    """In a T.Parallel: an operation with the reciprocal for each row."""
    tile = isinstance(a, np.ndarray) and a.dtype == np.float32 and _same_for_rows(a, b)
    return by_scalar(a, b) if tile else _divided(a, b)


def _same_for_rows(a: np.ndarray, b: Any) -> bool:
    return np.ndim(b) == 0 or (a.shape[-1:] != (1,) and b.shape[-1:] == (1,))


def _least(a: Any, b: Any) -> Any:
    many = isinstance(a, np.ndarray) or isinstance(b, np.ndarray)
    return np.minimum(a, b) if many else min(a, b)


def _greatest(a: Any, b: Any) -> Any:
    many = isinstance(a, np.ndarray) or isinstance(b, np.ndarray)
    return np.maximum(a, b) if many else max(a, b)


def _whole(operation: Callable[[Any, Any], Any], many: Callable[..., Any]) -> Any:
    """Floor division or remainder; lanes that are not taken may divide by zero."""

    def apply(a: Any, b: Any) -> Any:
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            return many(a, np.where(np.equal(b, 0), 1, b) if np.any(np.equal(b, 0)) else b)
        if b == 0:
            raise EvaluationError("division by zero")
        return operation(a, b)

    return apply


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divided,
    "//": _whole(operator.floordiv, np.floor_divide),
    "%": _whole(operator.mod, np.mod),
    "**": operator.pow,
    "min": _least,
    "max": _greatest,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


def _binary(value: Binary, inner: Compile) -> Run:
    a, b, apply = inner(value.a), inner(value.b), _OPERATORS[value.op]
    kind = type_of(value)
    if unsigned(value):
        return lambda core: wrapped(apply(a(core), b(core)), kind)
    if kind.kind != "float" or not kind.bits:
        return lambda core: apply(a(core), b(core))
    known = number_of(value.b) is not None
    if value.op == "/" and kind == FLOAT32 and known and as_product(value.b, kind):
        apply = _by_known
    done = rounder(kind)
    # A number of the author's has the type of the other operand before anything is computed.
    sides = [_of_type(side, run, kind) for side, run in ((value.a, a), (value.b, b))]
    left, right = sides
    return lambda core: done(apply(left(core), right(core)))


def _of_type(side: Any, run: Run, kind: DType) -> Run:
    if isinstance(side, Expr):
        if type_of(side).kind == "float":
            return lambda core: _single(run(core))
        return lambda core: _as_float(run(core))
    number = cast_to(side, kind)
    return lambda core: number


def _single(value: Any) -> Any:
    """Halves are computed in float and rounded once."""
    if isinstance(value, np.ndarray) and value.dtype == np.float16:
        return value.astype(np.float32)
    return value


def _compare(value: Compare, inner: Compile) -> Run:
    a, b, apply = inner(value.a), inner(value.b), COMPARE[value.op]
    return lambda core: apply(a(core), b(core))


def _logic(value: Logic, inner: Compile) -> Run:
    operands = [inner(part) for part in value.operands]
    if value.op == "not":
        (only,) = operands

        def negate(core: Core) -> Any:
            found = only(core)
            return ~_truth(found) if isinstance(found, np.ndarray) else not found

        return negate
    stops = value.op == "or"

    def run(core: Core) -> Any:
        found: Any = not stops
        for part in operands:
            if not isinstance(found, np.ndarray):
                if bool(found) is stops:
                    return found
                found = part(core)
            else:
                found = _next(core, part, found, stops)
        return found

    return run


def _next(core: Core, part: Run, found: Any, stops: bool) -> Any:
    """The next operand counts only where those before did not decide."""
    open_, before = _truth(found) != stops, core.taint
    core.taint = None
    value, poison = part(core), core.taint
    core.taint = before
    if poison is not None:
        core.spoil(poison & open_)
    value = _truth(value) if isinstance(value, np.ndarray) else bool(value)
    return (_truth(found) | value) if stops else (_truth(found) & value)


def _truth(value: Any) -> Any:
    return value if value.dtype == np.bool_ else value != 0


def _select(value: Select, inner: Compile) -> Run:
    condition, then, other = (inner(v) for v in (value.condition, value.then, value.other))
    kind = type_of(value)

    def run(core: Core) -> Any:
        taken = condition(core)
        if not isinstance(taken, np.ndarray):
            return _converted(then(core) if taken else other(core), kind)
        taken, before = _truth(taken), core.taint
        core.taint = None
        a, poison_a = then(core), core.taint
        core.taint = None
        b, poison_b = other(core), core.taint
        core.taint = before
        if poison_a is not None:
            core.spoil(poison_a & taken)
        if poison_b is not None:
            core.spoil(poison_b & ~taken)
        return np.where(taken, _converted(a, kind), _converted(b, kind))

    return run


def _converted(value: Any, kind: DType) -> Any:
    return rounder(kind)(_as_float(value)) if kind.kind == "float" and kind.bits else value


def _cast(value: Cast, inner: Compile) -> Run:
    run, kind = inner(value.value), value.type
    return lambda core: cast_to(run(core), kind)


def _call(value: Call, inner: Compile) -> Run:
    function = value_semantic(value.name)
    parts = value.args
    if value.name in ("reinterpret", "popcount", "clz"):
        parts = (type_of(parts[-1]).name, parts[-1])  # bits are those of a type
    arguments = [part if isinstance(part, str) else inner(part) for part in parts]
    done = rounder(value.type)

    def run(core: Core) -> Any:
        given = [part if isinstance(part, str) else part(core) for part in arguments]
        return done(function(value.type, *given))

    return run


_MAKERS: dict[type[Expr], Callable[[Any, Compile], Run]] = {
    Const: _const,
    Var: _var,
    Load: _load,
    Binary: _binary,
    Compare: _compare,
    Logic: _logic,
    Select: _select,
    Cast: _cast,
    Call: _call,
}
