"""The IR checker: what every stage may rely on. Its findings are our bugs, not the author's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tl_ascend.ir.drawn import ROLE
from tl_ascend.ir.expr import Load, Var, free_vars, walk
from tl_ascend.ir.handing import hands_on
from tl_ascend.ir.liveness import lives
from tl_ascend.ir.nodes import (
    Alloc,
    Block,
    Buffer,
    CoreScope,
    For,
    Kernel,
    Let,
    Stmt,
    Store,
    TileOp,
    While,
    blocks_of,
    exprs_of,
    regions_of,
    walk_stmts,
)
from tl_ascend.ir.storage import ON_CHIP, buffers, placed_bytes, root
from tl_ascend.ir.text import show, show_region
from tl_ascend.ops.row import Op
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import FLAG_IDS, Core


@dataclass(slots=True)
class _Checker:
    kernel: Kernel
    lowered: bool
    ranks: dict[int, int]
    problems: list[str] = field(default_factory=list)

    def block(self, block: Block, scope: set[int], core: Core, loop: bool) -> None:
        known = set(scope)
        self.problems += _idle_barriers(block)
        for stmt in block:
            self._names(stmt, known)
            if isinstance(stmt, (Let, Alloc)):
                known.add(stmt.var.uid if isinstance(stmt, Let) else stmt.buffer.uid)
            if isinstance(stmt, TileOp):
                self._operation(stmt)
            if isinstance(stmt, CoreScope) and core is not Core.ANY:
                self.problems.append(f"core scope {stmt.core.value} inside {core.value}")
            inner = stmt.core if isinstance(stmt, CoreScope) else core
            bound = {*known, stmt.var.uid} if isinstance(stmt, For) else known
            for nested in blocks_of(stmt):
                self.block(nested, bound, inner, loop or isinstance(stmt, (For, While)))

    def _names(self, stmt: Stmt, known: set[int]) -> None:
        for value in exprs_of(stmt):
            for var in free_vars(value):
                if var.role not in ("shape", ROLE) and var.uid not in known:
                    self.problems.append(f"{var.name} is used before it is bound: {show(value)}")
            for node in walk(value):
                if isinstance(node, Load):
                    self._buffer(node.buffer, known, len(node.indices))
        for region in regions_of(stmt):
            self._buffer(region.buffer, known, len(region.starts))
        if isinstance(stmt, Store):
            self._buffer(stmt.buffer, known, len(stmt.indices))

    def _buffer(self, buffer: Buffer, known: set[int], indices: int) -> None:
        if root(buffer).uid not in known and buffer.uid not in known:
            self.problems.append(f"{buffer.name} is used before it is allocated")
        rank = self.ranks.get(buffer.uid, buffer.rank)
        if buffer.rank != rank or self.lowered and indices != rank:
            used = f"is used with {indices} indices, as one of rank {buffer.rank}"
            self.problems.append(f"{buffer.name} of rank {rank} {used}")

    def _operation(self, op: TileOp) -> None:
        row = TABLE.get(op.op)
        if row is None:
            self.problems.append(f"no row for operation {op.op!r}")
            return
        if len(op.args) - len(row.params) not in ((0, 1) if row.vararg else (0,)):
            self.problems.append(f"{op.op} has {len(op.args)} arguments, not {len(row.params)}")
        if len(op.spans) != len(op.args):
            self.problems.append(f"{op.op} has {len(op.spans)} spans for {len(op.args)} arguments")
        self._event(op)
        if self.lowered:
            self._form(op, row)

    def _event(self, op: TileOp) -> None:
        """The ids of the author's flags, which have no reason, are his own affair."""
        event = op.args[2] if op.op in ("set_flag", "wait_flag") and op.reason else 0
        if isinstance(event, int) and not 0 <= event < FLAG_IDS:
            self.problems.append(f"{op.op} was added with id {event}, which no flag has")

    def _form(self, op: TileOp, row: Op) -> None:
        if row.forms and op.form not in {form.name for form in row.forms}:
            self.problems.append(f"{op.op} is lowered to {op.form!r}, which is no form of it")
        for region in regions_of(op):
            if len(region.starts) != len(region.extents):
                self.problems.append(f"{show_region(region)}: rank differs from the buffer's")


def _idle_barriers(block: Block) -> Iterator[str]:
    """Barriers that were added right behind what does the same."""
    for one, other in pairwise(block):
        if not isinstance(one, TileOp) or not isinstance(other, TileOp) or not other.reason:
            continue
        if other.op in ("barrier_all", "pipe_barrier") and one.op in ("barrier_all", other.op):
            if one.op == "barrier_all" or one.args == other.args:
                yield f"{other.op} was added right behind {one.op}"


def verify(
    kernel: Kernel, *, scoped: bool = False, lowered: bool = False, planned: bool = False
) -> list[str]:
    """Problems of a kernel after a stage. `scoped`: placements exist; `lowered`: forms are chosen;
    `planned`: addresses are set. A kernel whose author erred may fail `lowered` and `planned`."""
    checker = _Checker(kernel, lowered, _ranks(kernel))
    checker.block(kernel.body, _outer_names(kernel), Core.ANY, False)
    problems = list(dict.fromkeys(checker.problems))
    if scoped:
        problems += _unplaced(kernel)
    if planned and not problems:
        problems += _planned(kernel)
    return problems


def _unplaced(kernel: Kernel) -> Iterator[str]:
    for buffer in (*buffers(kernel), *kernel.tensors):
        place = kernel.placements.get(buffer.uid)
        if place is None:
            yield f"{buffer.name} has no placement"
        elif len(place.shape) != buffer.rank:
            yield f"{buffer.name} is of rank {buffer.rank}, but its place has {len(place.shape)}"


def _ranks(kernel: Kernel) -> dict[int, int]:
    """The ranks of buffers as they are declared. What uses them holds a description of its own."""
    declared = [stmt.buffer for stmt in walk_stmts(kernel.body) if isinstance(stmt, Alloc)]
    return {buffer.uid: buffer.rank for buffer in (*kernel.tensors, *kernel.scratch, *declared)}


def _outer_names(kernel: Kernel) -> set[int]:
    names = {param.value.uid for param in kernel.params}
    names |= {buffer.uid for buffer in kernel.scratch}
    if kernel.launch is not None:
        names |= {kernel.launch.block.uid, kernel.launch.subblock.uid}
    shapes: list[Any] = [d for t in kernel.tensors for d in t.shape]
    return names | {var.uid for d in shapes for var in free_vars(d) if isinstance(var, Var)}


def _planned(kernel: Kernel) -> list[str]:
    problems: list[str] = []
    placed = []
    alive = lives(kernel)
    for buffer in buffers(kernel):
        place = kernel.placements[buffer.uid]
        size = placed_bytes(buffer, place)
        if place.memory not in ON_CHIP or size is None:
            continue
        if place.address is None and buffer.uid in alive:
            problems.append(f"{buffer.name} has no address")
        elif place.address is None:
            continue
        elif place.address % 32 and not place.fixed:
            problems.append(f"{buffer.name} lies at {place.address}, which is no multiple of 32")
        else:
            placed.append((buffer, place, place.address, place.address + size))
    for at, (one, here, low, high) in enumerate(placed):
        for other, there, start, end in placed[at + 1 :]:
            if here.memory is not there.memory or here.fixed or there.fixed:
                continue
            a, b = alive.get(one.uid), alive.get(other.uid)
            if a is None or b is None or low >= end or start >= high:
                continue
            if low == start and (hands_on(a, b) or hands_on(b, a)):
                continue
            if a.minimal[0] <= b.minimal[1] and b.minimal[0] <= a.minimal[1]:
                problems.append(f"{one.name} and {other.name} share bytes while both are alive")
    return problems
