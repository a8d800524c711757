"""What we make of a kernel: the same about our plan and our synchronisation."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from tests.optional.npu_ir.clocks import Clocks
from tests.passes.happens_before import Run

from tl_ascend.diagnostics.report import Report
from tl_ascend.driver.check import KernelReport
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import Kernel, Region, Stmt, TileOp
from tl_ascend.ir.storage import BLOCK, bits_to_bytes, buffers, placed_bytes, root
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import lower
from tl_ascend.target.hardware import Memory

BEFORE = (
    "cross-core-sync"  # after it, what is compared begins: pipelining, planning, synchronisation
)


def before(report: KernelReport) -> Kernel:
    """A kernel as both are given it."""
    return lower(report.kernel, LowerOptions(report.platform), Report(), until=BEFORE)


def within(report: KernelReport, limit: int) -> Kernel | None:
    """The lowered kernel where the UB has so many bytes; None where it does not fit. Our planner reuses
    bytes only where it must."""
    memories = dict(report.platform.memories)
    memories[Memory.UB] = replace(memories[Memory.UB], plannable=limit)
    platform = replace(report.platform, memories=memories)
    kernel = lower(report.kernel, LowerOptions(platform), Report())
    return kernel if peak(kernel) <= limit else None


def least(report: KernelReport) -> int:
    """The fewest bytes of the UB in which a kernel fits."""
    low, high = 0, report.platform.memories[Memory.UB].plannable // BLOCK
    while low < high:
        middle = (low + high) // 2
        if within(report, middle * BLOCK) is None:
            low = middle + 1
        else:
            high = middle
    return high * BLOCK


def peak(kernel: Kernel) -> int:
    """Bytes of the UB up to the end of the last tile."""
    return max(_end(kernel, buffer.uid) for buffer in buffers(kernel))


def _end(kernel: Kernel, uid: int) -> int:
    place = kernel.placements[uid]
    buffer = next(one for one in buffers(kernel) if one.uid == uid)
    if place.memory is not Memory.UB or place.address is None:
        return 0
    return place.address + (placed_bytes(buffer, place) or 0)


def turns(kernel: Kernel, plain: Kernel) -> dict[int, int]:
    """How many halves pipelining gave each buffer that it doubled."""
    shapes = {buffer.name: buffer.shape for buffer in buffers(kernel)}
    found = {}
    for buffer in buffers(plain):
        shape = shapes.get(buffer.name, buffer.shape)
        if len(shape) > buffer.rank:
            found[buffer.uid] = int(shape[0])
    return found


@dataclass
class Ours(Run):
    """A run of the lowered kernel. Statements are their spans."""

    told: Clocks = field(default_factory=Clocks)

    def stmt(self, stmt: Stmt) -> None:
        if isinstance(stmt, TileOp) and self._synchronises(stmt):
            return
        super().stmt(stmt)

    def _synchronises(self, op: TileOp) -> bool:
        if op.op in ("set_flag", "wait_flag"):
            source, target = (str(arg).upper() for arg in op.args[:2])
            act = self.told.set if op.op == "set_flag" else self.told.wait
            act(source, target, self.number(op.args[2]))
        elif op.op in ("barrier_all", "pipe_barrier"):
            self.told.barrier("ALL" if op.op == "barrier_all" else str(op.args[0]).upper())
        return self.sync(op)

    def work(self, stmt: Stmt) -> None:
        super().work(stmt)
        for step in effect_of(stmt).steps if isinstance(stmt, TileOp) else ():
            reads = tuple(place for region in step.reads for place in self.place(region))
            writes = tuple(place for region in step.writes for place in self.place(region))
            self.told.issue(stmt.span, step.pipe.value, reads, writes)

    def place(self, region: Region) -> list[tuple[int, int]]:
        """The bytes of a region that lies in one piece."""
        buffer = root(region.buffer)
        place = self.kernel.placements.get(buffer.uid)
        if place is None or place.memory is not Memory.UB or place.address is None:
            return []
        size, start = 1, 0
        for extent, first, wide in zip(
            reversed(buffer.shape), reversed(region.starts), reversed(region.extents), strict=True
        ):
            start += self.number(first) * size
            size *= int(extent)
            assert wide == extent or self.number(wide) == 1 or buffer.rank == 1
        count = 1
        for wide in region.extents:
            count *= self.number(wide)
        bits = buffer.dtype.bits
        first = place.address + bits_to_bytes(start, bits)
        return [(first, first + bits_to_bytes(count, bits))]


def run(kernel: Kernel) -> Ours:
    """Run it, all of its iterations."""
    assert kernel.launch is not None
    found = Ours(kernel, random.Random(0))
    for var in (kernel.launch.block, kernel.launch.subblock):
        found.values[var] = 0
    found.block(kernel.body)
    return found
