"""The operands of a call that its text asks for without naming them."""

from __future__ import annotations

from dataclasses import replace

from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.views import product
from tl_ascend.ir.expr import Binary, Cast, Expr, Scalar
from tl_ascend.ir.nodes import Region
from tl_ascend.target.dtypes import FLOAT32


def written(call: Call) -> Region:
    """The first tile that is written."""
    for arg, param in zip(call.op.args, call.row.params, strict=False):
        if isinstance(arg, Region) and param.role.writes:
            return arg
    raise Refusal("not-lowered", call.op.span, f"T.{call.row.name} writes no tile")


def count(call: Call) -> Scalar:
    """How many elements the call writes."""
    return product(written(call).extents)


def with_scalar(call: Call, scalar: Scalar) -> Call:
    """The same call with another scalar as its second source."""
    args = tuple(
        scalar if param.name == "src1" else arg
        for param, arg in zip(call.row.params, call.op.args, strict=True)
    )
    return replace(call, op=replace(call.op, args=args))


def inverse(scalar: Scalar) -> Scalar:
    """One divided by a scalar, as a float."""
    return Binary("/", 1.0, Cast(FLOAT32, scalar) if isinstance(scalar, Expr) else scalar)


def hidden(call: Call) -> Region:
    """The hidden scratch that lowering attached. Errors: Refusal."""
    if call.op.extra:
        return call.op.extra[0]
    what = f"{call.form.name} needs scratch in the UB, and its size is not known"
    raise Refusal("dynamic-shape", call.op.span, what)
