"""Tensors that hold nothing before the kernel writes them, and what is read of them before that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tl_ascend.checks.sync.events import Access, Event, Program
from tl_ascend.checks.sync.outcome import Unset
from tl_ascend.checks.sync.touched import overlap
from tl_ascend.ir.expr import Expr, loads
from tl_ascend.ir.nodes import Buffer, Kernel, Region, Stmt, TileOp, walk_stmts
from tl_ascend.ir.storage import root

ALL_BLOCKS = 0  # the mode of a flag that cores of all blocks set


def fresh_tensors(kernel: Kernel) -> frozenset[int]:
    """The workspaces and outputs that jit allocates, by uid."""
    options, count = kernel.options, len(kernel.params)
    chosen = {at % count for at in (*options.workspace_idx, *options.out_idx) if count}
    return frozenset(
        param.value.uid
        for at, param in enumerate(kernel.params)
        if at in chosen and isinstance(param.value, Buffer)
    )


def followed_tensors(kernel: Kernel, writes: Iterable[tuple[Stmt, Region]]) -> frozenset[int]:
    """Those of them of which each write is followed, and into which no block writes for another.
    `writes`: all of the kernel."""
    fresh = fresh_tensors(kernel)
    if not fresh or any(isinstance(s, TileOp) and _of_all(s) for s in walk_stmts(kernel.body)):
        return frozenset()
    for stmt, region in writes:
        uid = root(region.buffer).uid
        if uid in fresh and not (isinstance(stmt, TileOp) and _known(region)):
            fresh -= {uid}
    return fresh


def _of_all(stmt: TileOp) -> bool:
    return stmt.op == "sync_all" or (stmt.op == "set_cross_flag" and stmt.args[2] == ALL_BLOCKS)


def _known(region: Region) -> bool:
    """True where no memory decides on a part."""
    values = (*region.starts, *region.extents)
    whole = region.buffer.alias_of is None and len(region.starts) == region.buffer.rank
    return whole and not any(loads(value) for value in values if isinstance(value, Expr))


@dataclass(slots=True)
class Filled:
    """Follows what has been written, access by access."""

    found: list[Unset]
    writes: dict[int, list[tuple[Access, Event]]] = field(default_factory=dict)

    def touch(self, event: Event, access: Access) -> None:
        """An access to one of the tensors."""
        before = self.writes.setdefault(access.uid, [])
        if access.write:
            before.append((access, event))
        elif not any(_meet(one, access) for one, _ in before):
            self.found.append(Unset(event, access, before[-1][1] if before else None))


def _meet(one: Access, other: Access) -> bool:
    return len(one.box) != len(other.box) or overlap(one.box, other.box)


def writes_of(program: Program, access: Access) -> Iterator[Event]:
    """The events that write what an access touches."""
    for event in program.events:
        if any(o.write and o.uid == access.uid and _meet(o, access) for o in event.accesses):
            yield event
