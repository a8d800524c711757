"""Choose the device call of every tile operation, settle extents, and attach hidden scratch.

An operation that cannot be lowered because of a mistake in the kernel stays as it is, with an empty
form; the check that its row names says why.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tl_ascend.ir.expr import Load
from tl_ascend.ir.geometry import CopyFault, resolve_copy
from tl_ascend.ir.nodes import (
    Block,
    Buffer,
    Kernel,
    Placement,
    Region,
    TileOp,
    blocks_of,
    with_blocks,
)
from tl_ascend.ir.storage import bits_to_bytes, region_elements
from tl_ascend.ops.row import Op
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.context import PassContext
from tl_ascend.target.dtypes import UINT8
from tl_ascend.target.hardware import Memory

SCRATCH_NAME = "tmp_ub"


def lower_tile_ops(kernel: Kernel, context: PassContext) -> Kernel:
    """Every tile operation with a form, its regions with extents, its scratch attached."""
    kernel = replace(kernel, body=_block(kernel.body, kernel))
    return _attach_scratch(kernel)


def _block(block: Block, kernel: Kernel) -> Block:
    lowered = []
    for stmt in block:
        if isinstance(stmt, TileOp):
            stmt = lower_operation(stmt, kernel)
        inner = tuple(_block(b, kernel) for b in blocks_of(stmt))
        lowered.append(with_blocks(stmt, inner) if inner else stmt)
    return tuple(lowered)


def lower_operation(op: TileOp, kernel: Kernel) -> TileOp:
    """One operation with its form; as it was where the kernel is wrong there."""
    row = TABLE.get(op.op)
    if row is None or not row.forms or op.form:
        return op
    if row.choose == "memories":
        return _lower_copy(op, row, kernel)
    op = replace(op, args=tuple(map(_settled, op.args, _kinds(op, row))))
    if row.choose == "scalar":
        scalar = not isinstance(op.args[_operand_index(row)], Region)
        return replace(op, form=row.forms[-1 if scalar else 0].name)
    return replace(op, form=row.forms[0].name)


def _kinds(op: TileOp, row: Op) -> list[str]:
    kinds = [param.kind for param in row.params]
    return kinds + ["any"] * (len(op.args) - len(kinds))


def _settled(arg: Any, kind: str) -> Any:
    """A corner where a scalar may stand is the element itself."""
    if kind == "operand" and isinstance(arg, Region) and arg.form == "start":
        return Load(arg.buffer, arg.starts)
    return arg


def _operand_index(row: Op) -> int:
    return next(at for at, param in enumerate(row.params) if param.kind == "operand")


def _lower_copy(op: TileOp, row: Op, kernel: Kernel) -> TileOp:
    source, target = op.args[0], op.args[1]
    if not isinstance(source, Region) or not isinstance(target, Region):
        return op
    resolved = resolve_copy(source, target, op.args[3] is True)
    if isinstance(resolved, CopyFault):
        return op
    path = (kernel.memory(source.buffer), kernel.memory(target.buffer))
    for form in row.forms:
        if form.memories == path:
            return replace(op, args=(*resolved, *op.args[2:]), form=form.name)
    return op


@dataclass(slots=True)
class _Need:
    """The call that needs the most scratch, and how much."""

    size: int = 0
    op: TileOp | None = None


def _attach_scratch(kernel: Kernel) -> Kernel:
    """All calls share one scratch tile in the UB, as large as the largest need: they run on one
    queue, one after the other."""
    need = _Need()
    _find_need(kernel.body, need)
    if need.op is None:
        return kernel
    tile = Buffer(SCRATCH_NAME, kernel.next_uid, (need.size,), UINT8, "UB", need.op.span)
    place = Placement(
        Memory.UB, tile.shape, scope_reason=f"scratch of {need.op.form}", scope_cause=need.op.span
    )
    kernel = replace(
        kernel,
        body=_with_scratch(kernel.body, tile),
        scratch=(*kernel.scratch, tile),
        next_uid=kernel.next_uid + 1,
    )
    return kernel.with_placements({tile.uid: place})


def _find_need(block: Block, need: _Need) -> None:
    for stmt in block:
        if isinstance(stmt, TileOp):
            size = scratch_bytes(stmt)
            if size > need.size:
                need.size, need.op = size, stmt
        for inner in blocks_of(stmt):
            _find_need(inner, need)


def _with_scratch(block: Block, tile: Buffer) -> Block:
    changed = []
    for stmt in block:
        if isinstance(stmt, TileOp) and not stmt.extra:
            size = scratch_bytes(stmt)
            if size:
                used = Region(tile, (0,), (size,), "slice", stmt.span)
                stmt = replace(stmt, extra=(used,))
        inner = tuple(_with_scratch(b, tile) for b in blocks_of(stmt))
        changed.append(with_blocks(stmt, inner) if inner else stmt)
    return tuple(changed)


def scratch_bytes(op: TileOp) -> int:
    """Hidden scratch of a lowered call in bytes; 0 where it needs none or its size is symbolic."""
    row = TABLE.get(op.op)
    if row is None or not row.scratch or not op.form:
        return 0
    if row.scratch == "source":
        return _bytes(op.args[0])
    if row.scratch == "broadcast":
        return -(-_bytes(op.args[0]) // 4)
    raise KeyError(f"no scratch rule {row.scratch!r}")


def _bytes(arg: Any) -> int:
    if not isinstance(arg, Region):
        return 0
    return bits_to_bytes(region_elements(arg) or 0, arg.buffer.dtype.bits)
