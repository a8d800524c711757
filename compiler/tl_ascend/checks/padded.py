"""Reductions that take the padding of a tile for data.

Followed are tiles that a copy fills as a whole, through operations on whole tiles in straight code.
Whatever else writes a tile makes its padding unknown, as do branches, and nothing is said then.
"""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.checks.certain import (
    launched,
    on_one_core,
    past_end,
    runs_through,
    told_where,
    where_reached,
)
from tl_ascend.checks.context import Call, CheckContext
from tl_ascend.checks.pad_values import (
    Pad,
    number,
    of_one,
    shown,
    spoils,
    with_itself,
    with_number,
    with_rows,
)
from tl_ascend.checks.taken import Ranges
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.affine import same
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.geometry import active, resolve_copy
from tl_ascend.ir.nodes import (
    Block,
    CoreScope,
    For,
    Region,
    Stmt,
    TileOp,
    blocks_of,
    within,
)
from tl_ascend.ir.storage import elements, root
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Memory

BINARY = frozenset(f"tile.{name}" for name in ("add", "sub", "mul", "div", "max", "min"))
REDUCTIONS = frozenset(("reduce_sum", "reduce_max", "reduce_min"))


def padded_reductions(context: CheckContext) -> None:
    """What a reduction goes over is data, or padding that changes nothing."""
    _Walk(context).block(context.before.body, on_one_core(launched(context.before)))


class _Walk:
    def __init__(self, context: CheckContext) -> None:
        self._context = context
        self._pads: dict[int, tuple[Pad, ...]] = {}
        self._rows: set[int] = set()  # tiles that hold one number in each row
        self._told: set[object] = set()

    def block(self, block: Block, ranges: Ranges) -> None:
        for stmt in block:
            inner = blocks_of(stmt)
            if not inner:
                self._statement(stmt, ranges)
            elif isinstance(stmt, CoreScope):
                self.block(stmt.body, ranges)
            else:
                self._forget(stmt)
                self._nested(stmt, ranges)
                self._forget(stmt)

    def _nested(self, stmt: Stmt, ranges: Ranges) -> None:
        if isinstance(stmt, For) and runs_through(stmt):
            assert isinstance(stmt.start, int) and isinstance(stmt.extent, int)
            values = (stmt.start, stmt.start + stmt.extent - 1)
            self.block(stmt.body, {**ranges, stmt.var: values})

    def _forget(self, outer: Stmt) -> None:
        for stmt in within(outer):
            for region in effect_of(stmt).writes:
                self._drop(region)

    def _drop(self, region: Region) -> None:
        uid = root(region.buffer).uid
        self._pads.pop(uid, None)
        self._rows.discard(uid)

    def _statement(self, stmt: Stmt, ranges: Ranges) -> None:
        if isinstance(stmt, TileOp) and stmt.op in REDUCTIONS:
            self._reduction(stmt)
        pads: tuple[Pad, ...] = ()
        rows, writes = False, effect_of(stmt).writes
        if isinstance(stmt, TileOp) and len(writes) == 1 and _whole(writes[0]):
            pads, rows = tuple(self._after(stmt, writes[0], ranges)), _one_each(stmt)
        for region in writes:
            self._drop(region)
        if pads:
            self._pads[writes[0].buffer.uid] = pads
        if rows:
            self._rows.add(writes[0].buffer.uid)

    def _after(self, stmt: TileOp, target: Region, ranges: Ranges) -> Iterator[Pad]:
        """The padding that a statement leaves in the tile that it writes as a whole."""
        tiles = [arg for arg in effect_of(stmt).reads if arg is not target]
        if stmt.op == "copy" and _from_tensor(stmt, self._context):
            yield from _filled(stmt, ranges)
        elif stmt.op in BINARY and len(stmt.args) > 2:
            yield from self._of_two(stmt.op, stmt.args[1], stmt.args[2])
        elif len(tiles) == 1 and _counted(stmt, target) and not _changed_copy(stmt):
            yield from _known(of_one(stmt.op, pad) for pad in self._of(tiles[0]))

    def _of(self, tile: object) -> tuple[Pad, ...]:
        if not isinstance(tile, Region) or not _whole(tile):
            return ()
        return self._pads.get(tile.buffer.uid, ())

    def _of_two(self, op: str, left: object, right: object) -> Iterator[Pad]:
        if isinstance(left, Region) and isinstance(right, Region):
            pads = self._of(left)
            if _whole(left) and _whole(right) and left.buffer is right.buffer:
                yield from _known(with_itself(op, pad) for pad in pads)
            elif _whole(right) and right.buffer.uid in self._rows:
                yield from _known(with_rows(op, pad) for pad in pads if pad.axis == -1)
            return
        tile, other = (left, right) if isinstance(left, Region) else (right, left)
        value = number(other)
        if value is not None:
            yield from _known(with_number(op, p, value, tile is left) for p in self._of(tile))

    def _reduction(self, stmt: TileOp) -> None:
        call = Call(stmt, TABLE[stmt.op])
        tile, dim = call.region("buffer"), call.arg("dim")
        if tile is None or call.arg("real_shape") is not None or not isinstance(dim, int):
            return
        axis = dim if dim < 0 else dim - len(tile.extents)
        for pad in self._of(tile):
            if pad.axis == axis and spoils(stmt.op, pad) and (stmt.span, axis) not in self._told:
                self._told.add((stmt.span, axis))
                _report(call, tile, pad, self._context)


def _known(pads: Iterator[Pad | None]) -> Iterator[Pad]:
    return (pad for pad in pads if pad is not None)


def _whole(region: Region) -> bool:
    """True for all of a buffer that is no view of another one."""
    return region.buffer.alias_of is None and all(
        same(extent, size) is True
        for extent, size in zip(region.extents, region.buffer.shape, strict=False)
    )


def _one_each(stmt: TileOp) -> bool:
    """True where a broadcast repeats one number along each row."""
    if stmt.op != "tile.broadcast":
        return False
    target, source = stmt.args[:2]
    return (
        isinstance(target, Region)
        and isinstance(source, Region)
        and len(source.extents) == len(target.extents) == 2
        and same(source.extents[-1], 1) is True
    )


def _counted(stmt: TileOp, target: Region) -> bool:
    """True where an operation that is given a number of elements is given all of them."""
    wanted = Call(stmt, TABLE[stmt.op]).arg("count")
    return wanted is None or wanted == elements(target.extents)


def _changed_copy(stmt: TileOp) -> bool:
    call = Call(stmt, TABLE[stmt.op])
    asked = call.arg("enable_relu"), call.arg("transpose")
    return any(isinstance(value, Expr) or bool(value) for value in asked)


def _from_tensor(stmt: TileOp, context: CheckContext) -> bool:
    source, target = stmt.args[:2]
    return (
        isinstance(source, Region)
        and isinstance(target, Region)
        and context.memory(source) is Memory.GM
        and context.memory(target) is Memory.UB
    )


def _filled(stmt: TileOp, ranges: Ranges) -> Iterator[Pad]:
    """The padding of a copy that goes over the end of a tensor in one of its iterations."""
    call = Call(stmt, TABLE[stmt.op])
    source, target = call.arg("src"), call.arg("dst")
    given = call.arg("pad_value")
    value = 0.0 if given is None else number(given)
    resolved = resolve_copy(source, target, True)
    if value is None or not isinstance(resolved, tuple) or _changed_copy(stmt):
        return
    outside, inside = resolved
    signed = inside.buffer.dtype.kind != "uint"
    for at, axis in zip(active(outside.extents)[-2:][::-1], (-1, -2), strict=False):
        if len(inside.extents) < -axis or same(inside.extents[axis], outside.extents[at]) is False:
            continue
        size, extent = outside.buffer.shape[at], outside.extents[at]
        last = past_end(outside, at, ranges)
        if last is not None and isinstance(size, int) and isinstance(extent, int):
            where = told_where(where_reached(outside.starts[at], ranges, True), ranges)
            rest = size - last
            yield Pad(axis, rest, extent, value, where, stmt.span, given is not None, signed)


def _report(call: Call, tile: Region, pad: Pad, context: CheckContext) -> None:
    what = "columns" if pad.axis == -1 else "rows"
    name = tile.buffer.name
    ways = f"Reduce the part that exists: real_shape with {pad.valid} {what}"
    if call.row.name != "reduce_sum":
        word = "-T.infinity" if call.row.name == "reduce_max" else "T.infinity"
        ways = f'Fill with what changes no result: pad_value={word}("{tile.buffer.dtype}")'
    context.report.add(
        "tail",
        call.op.span,
        f"{call.name} goes over {pad.size} {what} of {name}, of which{pad.where} only {pad.valid} are "
        f"data: the other {pad.size - pad.valid} are padding, which holds {shown(pad.value)} here",
        notes=(f"{ways}, or overwrite the padding before.",),
        related=(Related(pad.span, "this copy goes over the end of the tensor"),),
    )
