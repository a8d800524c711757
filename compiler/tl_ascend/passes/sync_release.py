"""The author's flags between the cores, seen from inside one of them.

Who waits for such a flag takes it that all accesses to what the cores share are done that stand before
the set. The set happens on one pipe, and other pipes may be behind: so it counts as one more access to
each of these tensors, which orders what came before and leaves nothing behind it to be ordered.
"""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import Block, CoreScope, Kernel, Region, Stmt, TileOp, blocks_of, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.passes.sync_access import Overlaps, Work
from tl_ascend.passes.sync_tree import Further
from tl_ascend.target.hardware import Core, Memory, Pipe


def releases(block: Block, core: Core, kernel: Kernel, overlaps: Overlaps) -> Further:
    """By the identity of a set in the code of a core, what has to be done before it."""
    sets = [s for s in walk_stmts(block) if _authors_set(s)]
    if not sets:
        return {}
    read, written = _of_others(kernel, core)
    found: dict[int, list[Work]] = {}
    for op in sets:
        assert isinstance(op, TileOp)
        pipe = next((p for p in Pipe if p.value == str(op.args[0]).upper()), Pipe.ALL)
        if pipe is not Pipe.ALL:
            overlaps.use(pipe)
            # What the scalar unit reads it has before it goes on.
            done = overlaps.work(pipe, read, written, behind=(pipe, Pipe.S))
            seen = overlaps.work(pipe, [*read, *written], (), behind=(pipe,))
            done.keys = seen.keys = 0
            found[id(op)] = [done, seen]
    return found


def _authors_set(stmt: Stmt) -> bool:
    return isinstance(stmt, TileOp) and stmt.op == "set_cross_flag" and not stmt.reason


def _of_others(kernel: Kernel, core: Core) -> tuple[list[Region], list[Region]]:
    """The tensors that other cores' code reads alone, and those that it writes."""
    read: dict[int, Region] = {}
    written: dict[int, Region] = {}
    for stmt in _code_of_others(kernel.body, core):
        effect = effect_of(stmt)
        for regions, into in (((*effect.reads, *effect.scalars), read), (effect.writes, written)):
            for region in regions:
                buffer = root(region.buffer)
                place = kernel.placements.get(buffer.uid)
                if place is not None and place.memory is Memory.GM:
                    starts = (0,) * buffer.rank
                    into[buffer.uid] = Region(buffer, starts, buffer.shape, "whole", region.span)
    return [region for uid, region in read.items() if uid not in written], [*written.values()]


def _code_of_others(block: Block, core: Core) -> Iterator[Stmt]:
    for stmt in block:
        if isinstance(stmt, CoreScope):
            yield from walk_stmts(stmt.body) if stmt.core is not core else ()
        else:
            for inner in blocks_of(stmt):
                yield from _code_of_others(inner, core)
