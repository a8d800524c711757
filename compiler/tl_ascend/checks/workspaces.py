"""Tensors that serve as workspaces: jit allocates those that workspace_idx names."""

from __future__ import annotations

from dataclasses import replace

from tl_ascend.checks.context import CheckContext
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import Buffer, Kernel, TileOp, regions_of, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE


def workspace_idx(context: CheckContext) -> None:
    """Where some tensors are workspaces, one that is used like them and not named is an oversight."""
    kernel = context.before
    options = kernel.options
    if not options.workspace_idx:
        return
    count = len(kernel.params)
    chosen = {i % count for i in (*options.workspace_idx, *options.out_idx) if -count <= i < count}
    used = _written_then_read(kernel)
    for at, param in enumerate(kernel.params):
        if at in chosen or not isinstance(param.value, Buffer) or param.value.uid not in used:
            continue
        listed = ", ".join(map(str, options.workspace_idx))
        span = options.spans.get("workspace_idx")
        context.report.add(
            "workspace",
            replace(param.span, part="name"),
            f"{param.name} (index {at}) is written before it is read, like a workspace, but "
            f"workspace_idx is [{listed}]: callers have to pass it",
            notes=(f"Add {at} to workspace_idx, or to out_idx if callers want it.",),
            related=(Related(span, "the workspaces"),) if span is not None else (),
        )


def _written_then_read(kernel: Kernel) -> set[int]:
    """Tensors that the text writes before it reads them, and reads after that. Those that other
    devices write, too, are the caller's."""
    written: set[int] = set()
    read: set[int] = set()
    both: set[int] = set()
    for stmt in walk_stmts(kernel.body):
        effect = effect_of(stmt)
        if isinstance(stmt, TileOp) and TABLE[stmt.op].family == "remote":
            read.update(root(r.buffer).uid for r in regions_of(stmt))
        for region in (*effect.reads, *effect.scalars):
            uid = root(region.buffer).uid
            (both if uid in written else read).add(uid)
        written.update(root(r.buffer).uid for r in effect.writes)
    return both - read
