"""The operands of a call that its text asks for without naming them."""

from __future__ import annotations

from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.views import product
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.nodes import Region


def written(call: Call) -> Region:
    """The first tile that is written."""
    for arg, param in zip(call.op.args, call.row.params, strict=False):
        if isinstance(arg, Region) and param.role.writes:
            return arg
    raise Refusal("not-lowered", call.op.span, f"T.{call.row.name} writes no tile")


def count(call: Call) -> Scalar:
    """How many elements the call writes."""
    return product(written(call).extents)


def hidden(call: Call) -> Region:
    """The hidden scratch that lowering attached. Errors: Refusal."""
    if call.op.extra:
        return call.op.extra[0]
    what = f"{call.form.name} needs scratch in the UB, and its size is not known"
    raise Refusal("dynamic-shape", call.op.span, what)
