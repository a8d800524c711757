"""Bytes of L0A and L0B that the template of a matrix product takes from address 0 on, and which of the
author's tiles are wanted behind such a call: written before it, and read after it as they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import Kernel, Region, Stmt, TileOp
from tl_ascend.ir.overwritten import Written, overwritten
from tl_ascend.ir.storage import FRACTAL, root
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Memory

# K is walked in steps of this size.
K_STEP = 128


def depth_of(k: int, route: str) -> int:
    """How many elements of K lie in L0 at one time: one step, and a second where K is longer. The
    PTO route keeps one."""
    first, rest = min(k, K_STEP), max(0, k - K_STEP)
    return first if route == "pto" else first + min(rest, K_STEP)


def has_slots(stmt: Stmt) -> bool:
    """True for an operation whose template moves its operands to L0 itself."""
    row = TABLE.get(stmt.op) if isinstance(stmt, TileOp) else None
    return row is not None and "gemm_slots" in row.checks


def slots_of(stmt: Stmt, route: str) -> dict[Memory, int]:
    """The bytes that a call surely takes, by memory; nothing where sizes are unknown."""
    if not isinstance(stmt, TileOp) or not has_slots(stmt):
        return {}
    row = TABLE[stmt.op]
    args = {p.name: arg for p, arg in zip(row.params, stmt.args, strict=False)}
    found = {}
    for memory, name, turned in ((Memory.L0A, "A", True), (Memory.L0B, "B", False)):
        tile = args.get(name)
        if not isinstance(tile, Region) or len(tile.extents) < 2:
            return {}
        sizes = tile.extents[-2:]
        if any(isinstance(size, Expr) for size in sizes):
            return {}
        first, second = map(int, sizes)
        k_last = turned is not (args.get(f"transpose_{name}") is True)
        width, k = (first, second) if k_last else (second, first)
        found[memory] = width * depth_of(k, route) * tile.buffer.dtype.bits // 8
    return found


@dataclass(frozen=True, slots=True)
class Wanted:
    """A tile that `read` takes as it was before `call`. `bytes`: of the slots of the call."""

    region: Region
    memory: Memory
    call: TileOp
    read: Stmt
    bytes: int


def wanted_behind(kernel: Kernel, memory_of: Mapping[int, Memory]) -> list[Wanted]:
    """The tiles that are wanted behind a call with slots. `memory_of`: by the uid of a buffer."""
    route = kernel.options.route

    def spoils(stmt: Stmt, written: Mapping[int, Written]) -> Iterator[int]:
        taken = slots_of(stmt, route)
        for uid, one in written.items() if taken else ():
            if memory_of.get(uid) in taken and not _same_data(one, memory_of[uid], stmt):
                yield uid

    found: dict[int, Wanted] = {}
    for one in overwritten(kernel, spoils, has_slots):
        uid = root(one.region.buffer).uid
        memory = memory_of[uid]
        assert isinstance(one.by, TileOp)
        taken = slots_of(one.by, route)[memory]
        found.setdefault(uid, Wanted(one.region, memory, one.by, one.read, taken))
    return list(found.values())


def _same_data(tile: Written, memory: Memory, call: Stmt) -> bool:
    """True where a tile may hold just what the call moves to its place. In L0A the rows of fractals
    of a tile that takes several steps of K lie farther apart than those of a slot."""
    if memory is Memory.L0A and tile.buffer.rank >= 2:
        rows, k = tile.buffer.shape[-2:]
        if isinstance(rows, int) and isinstance(k, int) and rows > FRACTAL and k > K_STEP:
            return False
    reads = {root(r.buffer).uid for r in effect_of(tile.by).reads}
    operands = {root(r.buffer).uid for r in effect_of(call).reads}
    return bool(reads & operands)
