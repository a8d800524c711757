"""Divide the work on the UB between the two vector cores of a block (`threads=2`).

Every UB tile keeps half of its first dimension; core `vid` has the half that starts at `vid` times
that size. A copy from or to another memory is moved by as much there; a loop over the first
dimension runs half as far, and its variable stands for the row in the whole tile everywhere but in
the index of a divided tile.

Which tiles are divided `row_shares` decides. Where the two cores would meet in GM the kernel is left
whole, and the author is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from tl_ascend.ir.affine import same
from tl_ascend.ir.expr import Expr, Load, Scalar, Var
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import (
    Block,
    Buffer,
    For,
    Kernel,
    Placement,
    Region,
    Stmt,
    TileOp,
    regions_of,
)
from tl_ascend.ir.reasons import Place, Reason
from tl_ascend.ir.rewrite import Rewriter
from tl_ascend.ir.storage import root
from tl_ascend.ir.text import show, show_region
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.row_shares import CORES, divided_tiles, tiles_of
from tl_ascend.passes.share_access import Divided, Refusal, counts_rows, is_copy, is_full
from tl_ascend.passes.shared_tensors import agree_on_tensors

UNDIVIDED = "undivided"  # attribute of a kernel whose tiles should be halved but are not
ODD = "odd rows"  # attribute: the tiles that are whole because their rows are odd in number


def split_vector_cores(kernel: Kernel, context: PassContext) -> Kernel:
    """The program of one vector core."""
    launch = kernel.launch
    if launch is None or launch.threads != CORES:
        return kernel
    divided = divided_tiles(kernel)
    halves = _halves(kernel, divided)
    try:
        agree_on_tensors(kernel, divided)
        split = _Splitter(divided, halves, launch.subblock)
        body = split.block(kernel.body)
    except Refusal as refusal:
        context.report.add(
            "not-lowered",
            refusal.span or launch.span,
            "threads=2 divides the UB tiles between the two vector cores, which tl-ascend cannot "
            f"do here: {refusal}. Sizes, addresses and device code are those of the whole tiles.",
        )
        return _with_attr(kernel, UNDIVIDED, True)
    placements: dict[int, Placement] = {}
    for uid, buffer in halves.items():
        if buffer.alias_of is None:
            placements[uid] = replace(kernel.placements[uid], shape=buffer.shape)
    kernel = kernel.because(*_reasons(kernel, divided, halves))
    kernel = _with_attr(kernel, ODD, tuple(divided.odd))
    return replace(kernel, body=body).with_placements(placements)


def _with_attr(kernel: Kernel, name: str, value: Any) -> Kernel:
    return replace(kernel, attrs=MappingProxyType({**kernel.attrs, name: value}))


def _reasons(kernel: Kernel, divided: Divided, halves: dict[int, Buffer]) -> Iterator[Reason]:
    """Which tiles of the UB are divided, and why the others are not."""
    assert kernel.launch is not None
    threads = (Place("threads=2", kernel.launch.span),)
    for buffer in tiles_of(kernel):
        if buffer.uid in halves:
            decision = f"{halves[buffer.uid].shape[0]} of {show(buffer.shape[0])} rows"
            why = "threads=2: each vector core has half of the tile"
        else:
            decision = "the whole tile on each vector core"
            why = divided.whole[root(buffer).uid]
            if buffer.alias_of is not None:
                why = f"{root(buffer).name} is whole: {why}"
        yield Reason("share", buffer.span, decision, why, threads)


def _halves(kernel: Kernel, divided: Divided) -> dict[int, Buffer]:
    """The divided tiles and their views, by uid, as one core has them."""
    found: dict[int, Buffer] = {}
    for buffer in tiles_of(kernel):
        rows, source = buffer.shape[0], buffer.alias_of
        if divided.has(buffer) and isinstance(rows, int):
            under = None if source is None else found[source.uid]
            shape = (rows // CORES, *buffer.shape[1:])
            found[buffer.uid] = replace(buffer, shape=shape, alias_of=under)
    return found


class _Splitter(Rewriter):
    def __init__(self, divided: Divided, halves: dict[int, Buffer], core: Var) -> None:
        self._divided, self._halves, self._core = divided, halves, core
        # Loops over divided rows: half of their extent, and the variable that runs so far.
        self._rows: dict[Var, tuple[int, Var]] = {}

    def buffer(self, buffer: Buffer) -> Buffer:
        known = buffer.uid in self._halves
        if buffer.alias_of is not None and root(buffer).uid in self._halves and not known:
            raise Refusal(f"{buffer.name} is a view of a divided tile")
        return self._halves.get(buffer.uid, buffer)

    def stmt(self, stmt: Stmt) -> Block:
        if isinstance(stmt, For) and counts_rows(stmt, self._divided):
            if not isinstance(stmt.extent, int) or stmt.extent % CORES or stmt.start != 0:
                raise Refusal(f"the loop over {stmt.var.name} does not run over whole halves")
            half = stmt.extent // CORES
            old = stmt.var
            var = Var(old.name, old.uid, old.role, 0, half - 1, old.type)
            self._rows[old] = half, var
            body = self.block(stmt.body)
            del self._rows[old]
            return (replace(stmt, var=var, extent=half, body=body),)
        if isinstance(stmt, TileOp):
            return (self._tile_op(stmt),)
        return super().stmt(stmt)

    def _tile_op(self, op: TileOp) -> TileOp:
        try:
            return self._copy(op) if is_copy(op) else self._operation(op)
        except Refusal as refusal:
            raise Refusal(str(refusal), op.span) from refusal

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
        raise Refusal(f"{buffer.name} is indexed with {show(index)}")

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
            raise Refusal(f"{show_region(region)} takes a part of the rows")
        rest = super().region(replace(region, buffer=new))
        return replace(rest, starts=(first, *rest.starts[1:]), extents=(length, *rest.extents[1:]))

    def _operation(self, op: TileOp) -> TileOp:
        row = TABLE.get(op.op)
        args = [self.arg(arg) for arg in op.args]
        for at, param in enumerate(row.params if row and self._is_halved(op) else ()):
            if param.name == "count" and args[at] is not None:
                args[at] = binary("//", args[at], CORES)
            if param.name == "real_shape" and isinstance(args[at], tuple) and args[at]:
                args[at] = (binary("//", args[at][0], CORES), *args[at][1:])
        return replace(op, args=tuple(args))

    def _is_halved(self, op: TileOp) -> bool:
        """True for an operation on all rows of divided tiles; a loop over them takes one at a time."""
        divided = (r for r in regions_of(op) if r.buffer.uid in self._halves)
        return any(is_full(region) for region in divided)

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
        new = super().region(other)
        if same(tile.extents[0], 1) is True and tile.form != "start":
            return new
        at = other.buffer.rank - tile.buffer.rank
        if at < 0:
            raise Refusal(f"{tile.buffer.name} has more dimensions than {other.buffer.name}")
        half = self.buffer(tile.buffer).shape[0]
        whole = tile.buffer.shape[0]
        starts, extents = list(new.starts), list(new.extents)
        starts[at] = binary("+", starts[at], binary("*", self._core, half))
        if other.form != "start":
            if same(extents[at], whole) is not True:
                raise Refusal(f"{show_region(other)} is not as high as {tile.buffer.name}")
            extents[at] = half
        form = "slice" if other.form == "whole" else other.form
        return replace(new, starts=tuple(starts), extents=tuple(extents), form=form)
