"""Replace copies that have no data path by a way through a workspace in GM."""

from __future__ import annotations

from tl_ascend.ir.effects import form_of
from tl_ascend.ir.nodes import Kernel, TileOp, walk_stmts
from tl_ascend.passes.context import PassContext


def workspace_copies(kernel: Kernel, context: PassContext) -> Kernel:
    """Not lowered yet: the first such copy is reported and all of them stay."""
    for stmt in walk_stmts(kernel.body):
        form = form_of(stmt) if isinstance(stmt, TileOp) else None
        if form is None or not form.virtual or form.memories in context.platform.paths:
            continue
        assert form.memories is not None
        source, target = (memory.value for memory in form.memories)
        context.report.add(
            "not-lowered",
            stmt.span,
            f"{context.platform.name} has no data path from {source} to {target}: this copy goes "
            "through a workspace in GM, which tl-ascend does not lower yet",
        )
        break
    return kernel
