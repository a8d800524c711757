"""Bytes of L0A and L0B that the template of a matrix product takes from address 0 on, and which of the
author's tiles are wanted behind such a call: written before it, and read after it as they were."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.liveness import fills
from tl_ascend.ir.nodes import (
    Block,
    Buffer,
    CoreScope,
    For,
    If,
    Kernel,
    Region,
    Stmt,
    TileOp,
    While,
    blocks_of,
    walk_stmts,
)
from tl_ascend.ir.storage import FRACTAL, root
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Memory

# K is walked in steps of this size.
K_STEP = 128
# Loops around each other that are followed into a second iteration.
MAX_LOOPS = 4


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
    """Each tile once, with the first call and read. `memory_of`: by the uid of a buffer."""
    scan = _Scan(kernel.options.route, memory_of)
    scan.block(kernel.body, _State(), 0)
    return list(scan.found.values())


@dataclass(slots=True)
class _State:
    """By which statement a tile was written, by uid, and behind which call it is now."""

    written: dict[int, tuple[Buffer, Stmt]] = field(default_factory=dict)
    behind: dict[int, TileOp] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(dict(self.written), dict(self.behind))


@dataclass(slots=True)
class _Scan:
    route: str
    memory_of: Mapping[int, Memory]
    found: dict[int, Wanted] = field(default_factory=dict)

    def block(self, block: Block, state: _State, loops: int) -> None:
        for stmt in block:
            if isinstance(stmt, (If, While)):
                self._perhaps(stmt, state, loops)
            elif isinstance(stmt, For):
                self._loop(stmt, state, loops)
            elif isinstance(stmt, CoreScope):
                self.block(stmt.body, state, loops)
            else:
                self._one(stmt, state)

    def _perhaps(self, stmt: If | While, state: _State, loops: int) -> None:
        """What may not run: certain in itself; behind it nothing is known of what it writes."""
        for nested in blocks_of(stmt):
            self.block(nested, state.copy(), loops)
        for uid in _writes(walk_stmts((stmt,))):
            state.written.pop(uid, None)
            state.behind.pop(uid, None)

    def _loop(self, loop: For, state: _State, loops: int) -> None:
        twice = isinstance(loop.extent, Expr) or loop.extent > 1
        again = twice and loops < MAX_LOOPS and any(map(has_slots, walk_stmts(loop.body)))
        if loop.extent == 0:
            return
        for _ in range(1 + again):
            self.block(loop.body, state, loops + 1)

    def _one(self, stmt: Stmt, state: _State) -> None:
        effect = effect_of(stmt)
        for region in effect.reads:
            uid = root(region.buffer).uid
            call = state.behind.get(uid)
            if call is not None and fills(region) and uid not in self.found:
                memory = self.memory_of[uid]
                taken = slots_of(call, self.route)[memory]
                self.found[uid] = Wanted(region, memory, call, stmt, taken)
        for uid, buffer in _writes((stmt,)).items():
            state.written[uid] = buffer, stmt
            state.behind.pop(uid, None)
        if isinstance(stmt, TileOp) and has_slots(stmt):
            self._takes(stmt, state)

    def _takes(self, call: TileOp, state: _State) -> None:
        taken = slots_of(call, self.route)
        for uid, (buffer, source) in state.written.items():
            memory = self.memory_of.get(uid)
            if memory in taken and not _same_data(buffer, memory, source, call):
                state.behind.setdefault(uid, call)


def _writes(stmts: Iterable[Stmt]) -> dict[int, Buffer]:
    regions = (region for stmt in stmts for region in effect_of(stmt).writes)
    return {root(region.buffer).uid: root(region.buffer) for region in regions}


def _same_data(buffer: Buffer, memory: Memory | None, source: Stmt, call: TileOp) -> bool:
    """True where a tile may hold just what the call moves to its place. In L0A the rows of fractals
    of a tile that takes several steps of K lie farther apart than those of a slot."""
    if memory is Memory.L0A and buffer.rank >= 2:
        rows, k = buffer.shape[-2:]
        if isinstance(rows, int) and isinstance(k, int) and rows > FRACTAL and k > K_STEP:
            return False
    reads = {root(r.buffer).uid for r in effect_of(source).reads}
    operands = {root(r.buffer).uid for r in effect_of(call).reads}
    return bool(reads & operands)
