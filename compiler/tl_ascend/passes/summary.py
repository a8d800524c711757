"""What a lowered kernel amounts to: device calls, synchronisation, memory."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.ir.effects import form_of
from tl_ascend.ir.expr import Call, walk
from tl_ascend.ir.nodes import Kernel, Stmt, TileOp, exprs_of, walk_stmts
from tl_ascend.ir.storage import ON_CHIP, buffers, placed_bytes
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Memory, Platform

_COUNTS = {
    "set_flag": "set_flag",
    "wait_flag": "wait_flag",
    "pipe_barrier": "pipe_barrier",
    "barrier_all": "barrier_all",
    "set_cross_flag": "cross_set",
    "wait_cross_flag": "cross_wait",
    "sync_all": "sync_all",
}


def operations(kernel: Kernel) -> list[str]:
    """The device calls in source order, synchronisation left out. Code of the cube core comes
    before that of the vector cores where the compiler split them."""
    return [name for stmt in walk_stmts(kernel.body) for name in _calls(stmt)]


def _calls(stmt: Stmt) -> Iterator[str]:
    for value in exprs_of(stmt):
        for node in walk(value):
            row = TABLE.get(node.name) if isinstance(node, Call) else None
            if row is not None and row.forms:
                yield from row.forms[0].counted
    if isinstance(stmt, TileOp) and TABLE[stmt.op].kind != "sync":
        form = form_of(stmt)
        if form is not None:
            yield from form.counted


def sync_counts(kernel: Kernel) -> dict[str, int]:
    """How many of each synchronisation call the kernel holds, the author's and ours."""
    counts = dict.fromkeys(_COUNTS.values(), 0)
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, TileOp) and stmt.op in _COUNTS:
            whole = stmt.op == "pipe_barrier" and str(stmt.args[0]).upper() == "ALL"
            counts["barrier_all" if whole else _COUNTS[stmt.op]] += 1
    return counts


def memory_use(kernel: Kernel) -> dict[Memory, int]:
    """The bytes of each memory up to the end of its last buffer, as planned."""
    used: dict[Memory, int] = {}
    for buffer in buffers(kernel):
        place = kernel.placements.get(buffer.uid)
        size = None if place is None else placed_bytes(buffer, place)
        if place is None or size is None or place.address is None or place.memory not in ON_CHIP:
            continue
        used[place.memory] = max(used.get(place.memory, 0), place.address + size)
    return used


def unlowered(kernel: Kernel, platform: Platform) -> list[TileOp]:
    """Operations without a device call: a back end must refuse a kernel that has any."""
    return [
        stmt
        for stmt in walk_stmts(kernel.body)
        if isinstance(stmt, TileOp) and _needs_form(stmt, platform)
    ]


def _needs_form(op: TileOp, platform: Platform) -> bool:
    form = form_of(op)
    if form is None:
        return bool(TABLE[op.op].forms)
    return form.virtual and form.memories not in platform.paths
