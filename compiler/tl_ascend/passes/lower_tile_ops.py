"""Choose the device call of every tile operation, settle extents, and attach hidden scratch.

An operation that cannot be lowered because of a mistake in the kernel stays as it is, with an empty
form; the check that its row names says why.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tl_ascend.ir.changed import changed
from tl_ascend.ir.clears import with_clears
from tl_ascend.ir.constants import as_product
from tl_ascend.ir.expr import Load
from tl_ascend.ir.facts import Facts
from tl_ascend.ir.geometry import CopyFault, certain_inside, resolve_copy
from tl_ascend.ir.nodes import Block, Kernel, Region, TileOp, blocks_of, with_blocks
from tl_ascend.ops.row import Op
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.scratch import attach_scratch
from tl_ascend.target.hardware import Memory


def lower_tile_ops(kernel: Kernel, context: PassContext) -> Kernel:
    """Every tile operation with a form, its regions with extents, its scratch attached."""
    facts = Facts().launched(kernel.launch)
    kernel = replace(kernel, body=_block(kernel.body, kernel, facts))
    return attach_scratch(with_clears(kernel))


def _block(block: Block, kernel: Kernel, facts: Facts) -> Block:
    lowered = []
    for stmt in block:
        if isinstance(stmt, TileOp):
            stmt = _bounded(lower_operation(stmt, kernel), kernel, facts)
        inner = tuple(
            _block(nested, kernel, facts.inside(stmt, at))
            for at, nested in enumerate(blocks_of(stmt))
        )
        lowered.append(with_blocks(stmt, inner) if inner else stmt)
        facts = facts.after(stmt)
    return tuple(lowered)


def _bounded(op: TileOp, kernel: Kernel, facts: Facts) -> TileOp:
    """A copy with what is certain of its end in GM."""
    if not op.form or TABLE[op.op].choose != "memories":
        return op
    args = tuple(
        certain_inside(arg, facts)
        if isinstance(arg, Region) and kernel.memory(arg.buffer) is Memory.GM
        else arg
        for arg in op.args
    )
    return changed(op, args=args)


def lower_operation(op: TileOp, kernel: Kernel) -> TileOp:
    """One operation with its form; as it was where the kernel is wrong there."""
    row = TABLE.get(op.op)
    if row is None or not row.forms or op.form:
        return op
    if row.choose == "memories":
        return _lower_copy(op, row, kernel)
    op = changed(op, args=tuple(map(_settled, op.args, _kinds(op, row))))
    if row.choose in ("scalar", "divisor"):
        return changed(op, form=row.forms[_by_operand(op, row)].name)
    if row.choose == "optional":
        return changed(op, form=row.forms[-1 if op.args[-1] is None else 0].name)
    return changed(op, form=row.forms[0].name)


def _kinds(op: TileOp, row: Op) -> list[str]:
    kinds = [param.kind for param in row.params]
    return kinds + ["any"] * (len(op.args) - len(kinds))


def _settled(arg: Any, kind: str) -> Any:
    """A corner where a scalar may stand is the element itself."""
    if kind == "operand" and isinstance(arg, Region) and arg.form == "start":
        return Load(arg.buffer, arg.starts)
    return arg


def _by_operand(op: TileOp, row: Op) -> int:
    """The form for a tile or a scalar as second source."""
    at = next(at for at, param in enumerate(row.params) if param.kind == "operand")
    given, target = op.args[at], op.args[0]
    if isinstance(given, Region):
        return 0
    if row.choose == "divisor" and isinstance(target, Region):
        return 1 if as_product(given, target.buffer.dtype) else 2
    return 1


def _lower_copy(op: TileOp, row: Op, kernel: Kernel) -> TileOp:
    at = row.index("src"), row.index("dst")
    source, target = (op.args[index] for index in at)
    if not isinstance(source, Region) or not isinstance(target, Region):
        return op
    # Only a plain copy compares the shapes of whole buffers.
    loose = row.name != "copy" or op.args[row.index("transpose")] is True
    resolved = resolve_copy(source, target, loose)
    if isinstance(resolved, CopyFault):
        return op
    args = list(op.args)
    args[at[0]], args[at[1]] = resolved
    path = (kernel.memory(source.buffer), kernel.memory(target.buffer))
    for form in row.forms:
        if form.memories == path:
            return changed(op, args=tuple(args), form=form.name)
    return op
