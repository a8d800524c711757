"""Overlap and order the work of cube and vector cores that exchange tiles through GM."""

from __future__ import annotations

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import (
    AUTO_CV_SYNC,
    Block,
    CoreScope,
    Kernel,
    Stmt,
    TileOp,
    blocks_of,
)
from tl_ascend.ir.storage import root
from tl_ascend.passes.context import PassContext
from tl_ascend.target.hardware import Core, Memory


def cross_core_sync(kernel: Kernel, context: PassContext) -> Kernel:
    """Flags between the cores are not inserted yet: the first exchange is reported."""
    if not kernel.options.on(AUTO_CV_SYNC):
        return kernel
    writers: dict[int, Core] = {}
    found = _exchange(kernel.body, Core.ANY, kernel, writers)
    if found is not None:
        stmt, name = found
        context.report.add(
            "not-lowered",
            stmt.span,
            f"{name} is written by one core and read here by the other; the flags that "
            "tl.ascend_auto_cross_core_sync asks for are not inserted by tl-ascend yet",
        )
    return kernel


def _exchange(
    block: Block, core: Core, kernel: Kernel, writers: dict[int, Core]
) -> tuple[Stmt, str] | None:
    for stmt in block:
        if isinstance(stmt, TileOp):
            effect = effect_of(stmt)
            for region in effect.reads:
                writer = writers.get(root(region.buffer).uid, core)
                if writer is not core and Core.ANY not in (writer, core):
                    return stmt, region.buffer.name
            for region in effect.writes:
                if kernel.memory(region.buffer) is Memory.GM:
                    writers.setdefault(root(region.buffer).uid, core)
        for inner in blocks_of(stmt):
            scope = stmt.core if isinstance(stmt, CoreScope) else core
            found = _exchange(inner, scope, kernel, writers)
            if found is not None:
                return found
    return None
