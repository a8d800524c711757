"""Kernels with other synchronisation than their authors wrote."""

from __future__ import annotations

import re
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


LEFT_SET = re.compile(r"flag (\d+) between cores is left set")


def left_set_by_author(report: KernelReport, why: str) -> bool:
    """Whether a flag between cores stays set whose calls are in the program just as the author wrote
    them."""
    found = LEFT_SET.search(why)
    if found is None or report.lowered is None:
        return False
    number = int(found[1])
    return _calls_of(report.kernel, number) == _calls_of(report.lowered, number)


def _calls_of(kernel: Kernel, number: int) -> list[str]:
    calls = (stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, TileOp))
    return [s.op for s in calls if s.op in BETWEEN and s.args[BETWEEN[s.op]] == number]
