"""Kernels with other synchronisation than their authors wrote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tl_ascend.diagnostics.report import Report
from tl_ascend.driver.check import KernelReport
from tl_ascend.ir.nodes import (
    AUTO_SYNC,
    Block,
    Kernel,
    Stmt,
    TileOp,
    blocks_of,
    walk_stmts,
    with_blocks,
)
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import lower

FLAGS = ("set_flag", "wait_flag")
BARRIERS = ("pipe_barrier", "barrier_all", "sync_all")
BETWEEN = {"set_cross_flag": 1, "wait_cross_flag": 0}  # where the id stands
OF_A_CORE = (*FLAGS, "pipe_barrier", "barrier_all")


def without(kernel: Kernel, calls: frozenset[int]) -> Kernel:
    """The kernel without some calls, by `id()`."""

    def block(stmts: Block) -> Block:
        kept: list[Stmt] = []
        for stmt in stmts:
            if id(stmt) not in calls:
                inner = tuple(map(block, blocks_of(stmt)))
                kept.append(with_blocks(stmt, inner) if inner else stmt)
        return tuple(kept)

    return replace(kernel, body=block(kernel.body))


def by_compiler(report: KernelReport) -> Iterator[KernelReport]:
    """The same kernel with the synchronisation of the compiler in addition to its author's, and instead
    of it where both are within a core."""
    own = report.kernel
    calls = (s for s in walk_stmts(own.body) if isinstance(s, TileOp) and s.op in OF_A_CORE)
    for kernel in (own, without(own, frozenset(map(id, calls)))):
        options = kernel.options
        configs = {**options.pass_configs, AUTO_SYNC: True}
        kernel = replace(kernel, options=replace(options, pass_configs=configs))
        lowered = lower(kernel, LowerOptions(report.platform), Report())
        yield replace(report, kernel=kernel, lowered=lowered)
