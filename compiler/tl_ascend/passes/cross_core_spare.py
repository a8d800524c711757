"""Take out flags between the cores whose order others give anyway.

That a tensor was read, the core that writes it next often knows already: it has waited for what the
other one made of it. Each flag has a mark, made by the last accesses to GM before its sets; where
every wait stands behind the latest mark without that flag, on any way through the code of both cores,
the flag is taken out. What counts is what is there in any case: the other flags, the order in which
calls are issued and in which a pipe takes them, and the order of accesses to one tile, which
`insert_sync` gives after this.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from tl_ascend.ir.nodes import (
    AUTO_CV_SYNC,
    AUTO_SYNC,
    Block,
    For,
    Kernel,
    Stmt,
    TileOp,
    blocks_of,
    walk_stmts,
    with_blocks,
    within,
)
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.cross_core_known import PIPES, Code, touches
from tl_ascend.passes.cross_core_order import (
    SET,
    SIDES,
    Item,
    NoOrder,
    code_of,
    flag_of,
    order,
)
from tl_ascend.passes.signals import FIRST_TIME, LAST_TIME, SEVERAL
from tl_ascend.target.hardware import Pipe


def cross_core_spare(kernel: Kernel, context: PassContext) -> Kernel:
    """The kernel without flags of the compiler between the cores that others do for."""
    if not (kernel.options.on(AUTO_CV_SYNC) and kernel.options.on(AUTO_SYNC)):
        return kernel
    if len({flag_of(stmt) for stmt in walk_stmts(kernel.body)}) < 3:  # of calls that are none, None
        return kernel
    try:
        spare = _Search(kernel, order(kernel)).spare()
    except NoOrder:
        return kernel
    return replace(kernel, body=_without(kernel.body, spare)) if spare else kernel


class _Search:
    """Tries the flags of one kernel. `bits`: a mark for each; `ahead`: those that are set ahead."""

    def __init__(self, kernel: Kernel, items: Sequence[Item]) -> None:
        self._kernel = kernel
        self._marks: dict[tuple[int, Pipe], int] = defaultdict(int)
        self._asked: dict[int, int] = {}
        self._bits: dict[int, int] = {}
        self._ahead: set[int] = set()
        for core in SIDES:
            code = code_of(kernel, core)
            self._enter(code, code)
        self._code = Code(kernel, items, self._marks, self._asked)

    def _enter(self, block: Block, code: Block) -> None:
        """The calls of a block, and what is in its statements."""
        for at, stmt in enumerate(block):
            flag = flag_of(stmt)
            if flag is not None and isinstance(stmt, TileOp):
                bit = self._bits.setdefault(flag, 1 << len(self._bits))
                if stmt.op == SET and stmt.reason.endswith(FIRST_TIME):
                    self._ahead.add(flag)
                elif stmt.op == SET:
                    self._mark(stmt, block[:at], code, bit)
                elif not stmt.reason.endswith(LAST_TIME):
                    self._asked[id(stmt)] = bit
            for inner in blocks_of(stmt):
                self._enter(inner, code)

    def _mark(self, call: TileOp, before: Block, code: Block, bit: int) -> None:
        """What a flag may speak of: the work of its pipe, of all where a barrier stands before it, and
        what the scalar unit did before."""
        pipes = [pipe for pipe in PIPES if pipe.value == call.args[0] or pipe is Pipe.S]
        for pipe in PIPES if before and _several(before[-1]) else pipes:
            found, certain = _last(self._kernel, before, pipe)
            if not certain:
                found = [s for s in walk_stmts(code) if touches(self._kernel, s, pipe)]
            for stmt in found:
                self._marks[id(stmt), pipe] |= bit

    def spare(self) -> set[int]:
        """The flags that are not needed. First all at once that are set ahead, for mostly those that
        lead forth do for them; then one by one, these first."""
        forth = set(self._bits) - self._ahead
        spare = self._ahead - self._needed(self._ahead, forth)
        kept = set(self._bits) - spare
        for flag in [*sorted(kept - forth), *sorted(forth)]:
            if not self._needed({flag}, kept - {flag}):
                kept.remove(flag)
                spare.add(flag)
        return spare

    def _needed(self, among: set[int], flags: set[int]) -> set[int]:
        """Those of some flags that are needed beside others."""
        missing = self._code.missing(flags)
        return {flag for flag in among if missing & self._bits[flag]}


def _last(kernel: Kernel, before: Block, pipe: Pipe) -> tuple[list[Stmt], bool]:
    """What touches GM last on a pipe in a block, and whether it certainly does."""
    found: list[Stmt] = []
    for stmt in reversed(before):
        inner = [s for s in within(stmt) if touches(kernel, s, pipe)]
        found += inner
        runs = isinstance(stmt, For) and isinstance(stmt.extent, int) and stmt.extent > 0
        if stmt in inner or inner and runs and _last(kernel, blocks_of(stmt)[0], pipe)[1]:
            return found, True
    return found, False


def _several(stmt: Stmt) -> bool:
    """True for the barrier before a flag that several pipes lead to."""
    return isinstance(stmt, TileOp) and stmt.op == "barrier_all" and stmt.reason.endswith(SEVERAL)


def _without(block: Block, flags: set[int]) -> Block:
    done: list[Stmt] = []
    for stmt in block:
        if flag_of(stmt) in flags:
            if isinstance(stmt, TileOp) and stmt.op == SET and done and _several(done[-1]):
                done.pop()
            continue
        inner = tuple(_without(nested, flags) for nested in blocks_of(stmt))
        done.append(with_blocks(stmt, inner) if inner else stmt)
    return tuple(done)
