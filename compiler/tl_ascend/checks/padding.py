"""The repair of a pitch: the rows of a tile become whole blocks, and copies move the part in use.

Certain where nothing but copies, and operations on this tile alone that go element by element, take
the tile, each time by its name.
"""

from __future__ import annotations

from tl_ascend.diagnostics.report import LANGUAGE, Edit, Fix, OfLength, Where
from tl_ascend.ir.nodes import Buffer, Kernel, Region, TileOp, walk_stmts
from tl_ascend.ir.storage import BLOCK, root, round_up
from tl_ascend.ops.table import TABLE
from tl_ascend.source.span import Span


def padding(region: Region, kernel: Kernel) -> Fix | None:
    """None where the kernel uses the tile in another way."""
    buffer = region.buffer
    length = buffer.shape[-1] if buffer.rank > 1 else None
    if not isinstance(length, int) or buffer.alias_of is not None or buffer.dtype.bits % 8:
        return None
    unit = BLOCK * 8 // buffer.dtype.bits
    wide = round_up(length, unit)
    before = ":, " * (buffer.rank - 1)
    part, named = f"[{before}0:{length}]", OfLength(buffer.span, f"[{before}0:{{length}}]")
    rounded = OfLength(buffer.span, f"{LANGUAGE}.ceildiv({{length}}, {unit}) * {unit}")
    edits = [Edit(buffer.span, str(wide), Where.LENGTH, of_length=rounded)]
    others: set[Span] = set()
    for stmt in walk_stmts(kernel.body):
        if not isinstance(stmt, TileOp):
            continue
        mine = [a for a in stmt.args if isinstance(a, Region) and root(a.buffer) is buffer]
        others |= {span for a, span in zip(stmt.args, stmt.spans, strict=False) if a not in mine}
        if not mine:
            continue
        if any(a.form != "whole" or a.buffer is not buffer for a in mine):
            return None
        if stmt.op == "copy":
            if not all(_as_many(a, buffer) for a in stmt.args if isinstance(a, Region)):
                return None  # once its part is named, the two differ
            edits += [Edit(a.span, part, Where.BEHIND, of_length=named) for a in mine]
        elif not _alone(stmt):
            return None
    spans = [edit.span for edit in edits]
    if len(set(spans)) != len(spans) or set(spans) & others:
        return None  # code that stands for several tiles
    return Fix(
        f"Make the rows of {buffer.name} {wide} long and copy {length} of each", tuple(edits)
    )


def _as_many(region: Region, tile: Buffer) -> bool:
    """True for as many rows as a tile has, and where the other side alone says how many."""
    if region.form != "slice":
        return True
    rows = [extent for extent in region.extents[:-1] if extent != 1]
    return rows == [extent for extent in tile.shape[:-1] if extent != 1]


def _alone(stmt: TileOp) -> bool:
    """True for an operation element by element on one tile, whose padding concerns nobody."""
    tiles = {root(a.buffer).uid for a in stmt.args if isinstance(a, Region)}
    row = TABLE.get(stmt.op)
    return len(tiles) == 1 and row is not None and "same_size" in row.checks
