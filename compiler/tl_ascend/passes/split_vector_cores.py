"""Divide the work on the UB between the two vector cores of a block (`threads=2`).

Every UB tile keeps half of its first dimension; core `vid` has the half that starts at `vid` times
that size. A copy from or to another memory is moved by as much there; a loop over the first
dimension runs half as far, and its variable stands for the row in the whole tile everywhere but in
the index of a divided tile.

Not divided: tiles whose first dimension is 1, and tiles that are gathered (copied from or to places
in GM that are read from the UB). Where the rule cannot be applied the kernel is left whole, and the
author is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from tl_ascend.ir.affine import same
from tl_ascend.ir.expr import Expr, Load, Scalar, Var, walk
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import (
    Alloc,
    Block,
    Buffer,
    For,
    Kernel,
    Placement,
    Region,
    Stmt,
    Store,
    TileOp,
    exprs_of,
    regions_of,
    walk_stmts,
)
from tl_ascend.ir.reasons import Place, Reason
from tl_ascend.ir.rewrite import Rewriter
from tl_ascend.ir.storage import elements, root
from tl_ascend.ir.text import show, show_region
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.context import PassContext
from tl_ascend.target.hardware import Memory

CORES = 2
UNDIVIDED = "undivided"  # attribute of a kernel whose tiles should be halved but are not


class _Refusal(Exception):
    """The rule cannot be applied here."""


def split_vector_cores(kernel: Kernel, context: PassContext) -> Kernel:
    """The program of one vector core."""
    launch = kernel.launch
    if launch is None or launch.threads != CORES:
        return kernel
    halves = _halves(kernel)
    try:
        split = _Splitter(kernel, halves, launch.subblock)
        body = split.block(kernel.body)
    except _Refusal as refusal:
        context.report.add(
            "not-lowered",
            launch.span,
            "threads=2 divides the UB tiles between the two vector cores, which tl-ascend cannot "
            f"do here: {refusal}. Sizes, addresses and device code are those of the whole tiles.",
        )
        attrs = MappingProxyType({**kernel.attrs, UNDIVIDED: True})
        return replace(kernel, attrs=attrs)
    placements: dict[int, Placement] = {}
    for uid, buffer in halves.items():
        if buffer.alias_of is None:
            placements[uid] = replace(kernel.placements[uid], shape=buffer.shape)
    kernel = kernel.because(*_reasons(kernel, halves))
    return replace(kernel, body=body).with_placements(placements)


def _reasons(kernel: Kernel, halves: dict[int, Buffer]) -> Iterator[Reason]:
    """Which tiles of the UB are divided, and why the others are not."""
    assert kernel.launch is not None
    threads = (Place("threads=2", kernel.launch.span),)
    gathered = set(_gathered(kernel))
    for stmt in walk_stmts(kernel.body):
        buffer = stmt.buffer if isinstance(stmt, Alloc) else None
        if buffer is None or kernel.memory(buffer) is not Memory.UB or not buffer.shape:
            continue
        if buffer.uid in halves:
            decision = f"{halves[buffer.uid].shape[0]} of {show(buffer.shape[0])} rows"
            why = "threads=2: each vector core has half of the tile"
        else:
            decision = "the whole tile on each vector core"
            why = "its first dimension cannot be halved"
            if buffer.alias_of is not None:
                why = "a view that has other rows than the tile under it"
            elif buffer.uid in gathered:
                why = "it is copied from or to places in GM that are read from the UB"
        yield Reason("share", buffer.span, decision, why, threads)


def _halves(kernel: Kernel) -> dict[int, Buffer]:
    """The divided tiles, by uid."""
    gathered = set(_gathered(kernel))
    found: dict[int, Buffer] = {}
    for stmt in walk_stmts(kernel.body):
        buffer = stmt.buffer if isinstance(stmt, Alloc) else None
        if buffer is None or buffer.alias_of is not None or buffer.uid in gathered:
            continue
        if kernel.memory(buffer) is not Memory.UB or not buffer.shape:
            continue
        rows = buffer.shape[0]
        if isinstance(rows, int) and rows >= CORES:
            found[buffer.uid] = replace(buffer, shape=(rows // CORES, *buffer.shape[1:]))
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, Alloc) and _alike(stmt.buffer, found):
            whole, source = stmt.buffer, stmt.buffer.alias_of
            assert source is not None
            shape = (found[source.uid].shape[0], *whole.shape[1:])
            found[whole.uid] = replace(whole, shape=shape, alias_of=found[source.uid])
    return found


def _alike(buffer: Buffer, halves: dict[int, Buffer]) -> bool:
    """True for a view of a divided tile that has the same rows, of the same bytes."""
    source = buffer.alias_of
    if source is None or source.uid not in halves or buffer.shape[:1] != source.shape[:1]:
        return False
    count, whole = elements(buffer.shape), elements(source.shape)
    if count is None or whole is None:
        return False
    return count * buffer.dtype.bits == whole * source.dtype.bits


def _is_copy(op: TileOp) -> bool:
    """True for what moves a tile between memories."""
    return op.op in TABLE and TABLE[op.op].choose == "memories"


def _gathered(kernel: Kernel) -> Iterator[int]:
    for stmt in walk_stmts(kernel.body):
        if not isinstance(stmt, TileOp) or not _is_copy(stmt):
            continue
        regions = list(regions_of(stmt))
        if any(_reads_ub(region, kernel) for region in regions):
            yield from (root(region.buffer).uid for region in regions)


def _reads_ub(region: Region, kernel: Kernel) -> bool:
    if kernel.memory(region.buffer) is not Memory.GM:
        return False
    nodes = [node for start in region.starts for node in walk(start)]
    return any(isinstance(n, Load) and kernel.memory(n.buffer) is Memory.UB for n in nodes)


class _Splitter(Rewriter):
    def __init__(self, kernel: Kernel, halves: dict[int, Buffer], core: Var) -> None:
        self._kernel, self._halves, self._core = kernel, halves, core
        # Loops over divided rows: half of their extent, and the variable that runs so far.
        self._rows: dict[Var, tuple[int, Var]] = {}

    def buffer(self, buffer: Buffer) -> Buffer:
        known = buffer.uid in self._halves
        if buffer.alias_of is not None and root(buffer).uid in self._halves and not known:
            raise _Refusal(f"{buffer.name} is a view of a divided tile")
        return self._halves.get(buffer.uid, buffer)

    def stmt(self, stmt: Stmt) -> Block:
        if isinstance(stmt, For) and self._walks_rows(stmt):
            if not isinstance(stmt.extent, int) or stmt.extent % CORES or stmt.start != 0:
                raise _Refusal(f"the loop over {stmt.var.name} does not run over whole halves")
            half = stmt.extent // CORES
            old = stmt.var
            var = Var(old.name, old.uid, old.role, 0, half - 1, old.type)
            self._rows[old] = half, var
            body = self.block(stmt.body)
            del self._rows[old]
            return (replace(stmt, var=var, extent=half, body=body),)
        if isinstance(stmt, TileOp) and _is_copy(stmt):
            return (self._copy(stmt),)
        if isinstance(stmt, TileOp):
            return (self._operation(stmt),)
        return super().stmt(stmt)

    def _walks_rows(self, loop: For) -> bool:
        """True where the loop's variable is the first index of a divided tile."""
        for stmt in walk_stmts(loop.body):
            for buffer, index in _first_indices(stmt):
                if buffer.uid in self._halves and index is loop.var:
                    return True
        return False

    def leaf(self, value: Expr) -> Any:
        row = self._rows.get(value) if isinstance(value, Var) else None
        if row is None:
            return value
        half, var = row
        return binary("+", var, binary("*", self._core, half))

    def load(self, load: Load) -> Any:
        if load.buffer.uid not in self._halves:
            return super().load(load)
        first = self._local(load.buffer, load.indices[0])
        rest = tuple(map(self.expr, load.indices[1:]))
        return Load(self.buffer(load.buffer), (first, *rest))

    def _local(self, buffer: Buffer, index: Scalar) -> Scalar:
        """A row of a divided tile: only a loop over its rows says which core has it."""
        if isinstance(index, Var) and index in self._rows:
            return self._rows[index][1]
        raise _Refusal(f"{buffer.name} is indexed with {show(index)}")

    def region(self, region: Region) -> Region:
        """A part of a tile; in its first dimension either all rows, or one of a loop over them."""
        old, new = region.buffer, self.buffer(region.buffer)
        if old is new or not region.starts:
            return super().region(region)
        start, extent = region.starts[0], region.extents[0]
        if same(start, 0) is True and (
            same(extent, old.shape[0]) is True or region.form == "start"
        ):
            first, length = start, extent if region.form == "start" else new.shape[0]
        elif same(extent, 1) is True:
            first, length = self._local(old, start), extent
        else:
            raise _Refusal(f"{show_region(region)} takes a part of the rows")
        rest = super().region(replace(region, buffer=new))
        return replace(rest, starts=(first, *rest.starts[1:]), extents=(length, *rest.extents[1:]))

    def _operation(self, op: TileOp) -> TileOp:
        row = TABLE.get(op.op)
        args = [self.arg(arg) for arg in op.args]
        for at, param in enumerate(row.params if row else ()):
            if param.name == "count":
                args[at] = self._count(op, args[at])
            if param.name == "real_shape" and isinstance(args[at], tuple) and args[at]:
                rows = args[at][0]
                if self._divided(op) and isinstance(rows, int) and rows > 1:
                    args[at] = (rows // CORES, *args[at][1:])
        return replace(op, args=tuple(args))

    def _divided(self, op: TileOp) -> bool:
        return any(region.buffer.uid in self._halves for region in regions_of(op))

    def _count(self, op: TileOp, count: Any) -> Any:
        return binary("//", count, CORES) if self._divided(op) and count is not None else count

    def _copy(self, op: TileOp) -> TileOp:
        regions = [(at, arg) for at, arg in enumerate(op.args) if isinstance(arg, Region)]
        if len(regions) != 2:
            return replace(op, args=tuple(map(self.arg, op.args)))
        args = [arg if isinstance(arg, Region) else self.arg(arg) for arg in op.args]
        (first, one), (second, other) = regions
        divided = [region.buffer.uid in self._halves for region in (one, other)]
        if divided[0] == divided[1]:
            args[first], args[second] = self.region(one), self.region(other)
        elif divided[0]:
            args[first], args[second] = self.region(one), self._moved(other, one)
        else:
            args[second], args[first] = self.region(other), self._moved(one, other)
        return replace(op, args=tuple(args))

    def _moved(self, other: Region, tile: Region) -> Region:
        """The other side of a copy, moved to what belongs to this core."""
        at = other.buffer.rank - tile.buffer.rank
        if at < 0:
            raise _Refusal(f"{tile.buffer.name} has more dimensions than {other.buffer.name}")
        new = super().region(other)
        if same(tile.extents[0], 1) is True and tile.form != "start":
            return new
        half = self.buffer(tile.buffer).shape[0]
        whole = tile.buffer.shape[0]
        starts, extents = list(new.starts), list(new.extents)
        starts[at] = binary("+", starts[at], binary("*", self._core, half))
        if other.form != "start":
            if same(extents[at], whole) is not True:
                raise _Refusal(f"{show_region(other)} is not as high as {tile.buffer.name}")
            extents[at] = half
        form = "slice" if other.form == "whole" else other.form
        return replace(new, starts=tuple(starts), extents=tuple(extents), form=form)


def _first_indices(stmt: Stmt) -> Iterator[tuple[Buffer, Scalar]]:
    if isinstance(stmt, Store) and stmt.indices:
        yield stmt.buffer, stmt.indices[0]
    for region in regions_of(stmt):
        if region.starts:
            yield region.buffer, region.starts[0]
    for value in exprs_of(stmt):
        for node in walk(value):
            if isinstance(node, Load) and node.indices:
                yield node.buffer, node.indices[0]
