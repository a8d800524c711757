"""Elements beside a part of a row that a copy from GM overwrites: transfers write whole blocks.

Told where those elements were written before, and their values are stored, summed up or multiplied
afterwards. What a branch or loop may write is not known behind it, and no view is followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tl_ascend.checks.context import Call, CheckContext
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.affine import same
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.geometry import resolve_copy, transfer
from tl_ascend.ir.liveness import fills
from tl_ascend.ir.nodes import Block, CoreScope, Region, Stmt, TileOp, blocks_of, within
from tl_ascend.ir.overwritten import written_by
from tl_ascend.ir.storage import BLOCK
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Memory

PRODUCTS = frozenset({"gemm_v0"})


@dataclass(frozen=True, slots=True)
class _Spoilt:
    """Columns `first` to `end` of the rows of `part` are not what `before` wrote."""

    part: Region
    first: int
    end: int
    by: Stmt
    before: Stmt


@dataclass(slots=True)
class _State:
    """By uid: what wrote a tile as a whole, and what has been spoilt of it."""

    written: dict[int, Stmt] = field(default_factory=dict)
    spoilt: dict[int, _Spoilt] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(dict(self.written), dict(self.spoilt))


def spoilt_blocks(context: CheckContext) -> None:
    """What is read of a block is what was written there."""
    _Walk(context, set()).block(context.before.body, _State())


@dataclass(slots=True)
class _Walk:
    context: CheckContext
    told: set[object]

    def block(self, block: Block, state: _State) -> None:
        for stmt in block:
            nested = blocks_of(stmt)
            if isinstance(stmt, CoreScope):
                self.block(stmt.body, state)
            elif nested:
                for inner in nested:
                    self.block(inner, state.copy())  # of a loop the first turn
                _forget(stmt, state)
            else:
                self._one(stmt, state)

    def _one(self, stmt: Stmt, state: _State) -> None:
        for region in _shown(stmt, self.context):
            spoilt = state.spoilt.get(region.buffer.uid)
            if spoilt is not None and _meets(region, spoilt) and spoilt.by.span not in self.told:
                self.told.add(spoilt.by.span)
                _report(spoilt, stmt, self.context)
        for uid in written_by((stmt,)):
            state.spoilt.pop(uid, None)
        spoilt = _spoilt_by(stmt, state, self.context)
        if spoilt is not None:
            state.spoilt[spoilt.part.buffer.uid] = spoilt
        for region in effect_of(stmt).writes:
            if region.buffer.alias_of is None and fills(region):
                state.written[region.buffer.uid] = stmt


def _forget(stmt: Stmt, state: _State) -> None:
    for uid in written_by(within(stmt)):
        state.spoilt.pop(uid, None)


def _sides(stmt: Stmt) -> tuple[Region, Region] | None:
    """Source and target of a copy with their extents."""
    if not isinstance(stmt, TileOp) or stmt.op != "copy":
        return None
    call = Call(stmt, TABLE[stmt.op])
    source, target = call.arg("src"), call.arg("dst")
    if not (isinstance(source, Region) and isinstance(target, Region)):
        return None
    resolved = resolve_copy(source, target, call.arg("transpose") is True)
    return resolved if isinstance(resolved, tuple) else None


def _moves_all(outside: Region, inside: Region) -> bool:
    """True where the part in GM exists, and has the rows and columns of the other one."""
    moved, tile = transfer(outside), transfer(inside)
    pairs = (
        (moved.valid_rows, moved.rows),
        (moved.valid_columns, moved.columns),
        (moved.rows, tile.rows),
        (moved.columns, tile.columns),
    )
    return all(same(a, b) is True for a, b in pairs)


def _spoilt_by(stmt: Stmt, state: _State, context: CheckContext) -> _Spoilt | None:
    sides = _sides(stmt)
    if sides is None or context.memory(sides[0]) is not Memory.GM:
        return None
    source, part = sides
    before = state.written.get(part.buffer.uid)
    bits, start, width = part.buffer.dtype.bits, part.starts[-1], part.extents[-1]
    wide = part.buffer.shape[-1]
    if before is None or context.memory(part) not in (Memory.UB, Memory.L1) or bits % 8:
        return None
    if not (isinstance(start, int) and isinstance(width, int) and isinstance(wide, int)):
        return None
    unit = BLOCK * 8 // bits
    end = min(start + width + -width % unit, wide)
    if start % unit or end == start + width or not _moves_all(source, part):
        return None
    return _Spoilt(part, start + width, end, stmt, before)


def _shown(stmt: Stmt, context: CheckContext) -> Iterator[Region]:
    """The tiles of which every element decides on what comes out."""
    if not isinstance(stmt, TileOp) or stmt.op not in TABLE:
        return
    call, sides = Call(stmt, TABLE[stmt.op]), _sides(stmt)
    if sides is not None:
        if context.memory(sides[1]) is Memory.GM and _moves_all(sides[1], sides[0]):
            yield sides[0]
    elif stmt.op in PRODUCTS:
        yield from (tile for tile in map(call.region, "AB") if tile is not None)
    elif stmt.op == "reduce_sum" and call.arg("real_shape") is None:
        tile, dim = call.region("buffer"), call.arg("dim")
        if tile is not None and dim in (-1, len(tile.extents) - 1):
            yield tile


def _meets(region: Region, spoilt: _Spoilt) -> bool:
    """True where a tile certainly has elements that were spoilt."""
    part = spoilt.part
    sides = (region.starts, region.extents, part.starts, part.extents, region.buffer.shape)
    rows = all(_overlap(*axis) for axis in [*zip(*sides, strict=True)][:-1])
    size = spoilt.end - spoilt.first
    return rows and _overlap(region.starts[-1], region.extents[-1], spoilt.first, size, 0)


def _overlap(a: Scalar, wide: Scalar, b: Scalar, other: Scalar, size: Scalar) -> bool:
    if same(wide, size) is True or (same(a, b) is True and same(wide, other) is True):
        return True
    if isinstance(a, int) and isinstance(wide, int) and isinstance(b, int):
        return isinstance(other, int) and a < b + other and b < a + wide
    return False


def _report(spoilt: _Spoilt, read: Stmt, context: CheckContext) -> None:
    buffer, part = spoilt.part.buffer, spoilt.part
    in_l1 = context.memory(part) is Memory.L1
    one = spoilt.end - spoilt.first == 1
    which = f"column {spoilt.first}" if one else f"columns {spoilt.first} to {spoilt.end - 1}"
    holds = "0" if in_l1 else "any number"
    context.report.add(
        "copy-align",
        spoilt.by.span,
        f"a transfer writes whole blocks of {BLOCK} bytes: behind a row of {part.extents[-1]} elements "
        f"of {buffer.dtype}, {which} of {buffer.name} {'holds' if one else 'hold'} {holds} afterwards, "
        "and not what was written there before",
        notes=(
            f"Copy rows of a multiple of {BLOCK} bytes, copy before the rest is written, or copy to a "
            "tile of its own.",
        ),
        related=(
            Related(spoilt.before.span, f"{buffer.name} is written here"),
            Related(read.span, f"{buffer.name} is read here"),
        ),
    )
