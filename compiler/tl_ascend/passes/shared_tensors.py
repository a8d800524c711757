"""Tensors in GM that both vector cores of a block use under `threads=2`: neither waits for the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tl_ascend.ir.affine import affine, same
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Scalar, free_vars
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import (
    Block,
    Buffer,
    For,
    Kernel,
    Region,
    Stmt,
    Store,
    TileOp,
    blocks_of,
    regions_of,
)
from tl_ascend.passes.share_access import Divided, Refusal, counts_rows, is_copy
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Memory


@dataclass(frozen=True, slots=True)
class _Use:
    """`first`: where the rows of the two cores start together; None where each core uses all."""

    writes: bool
    span: Span
    first: Scalar | None


def agree_on_tensors(kernel: Kernel, divided: Divided) -> None:
    """No core may read what the other writes, or add what the other adds. Errors: Refusal."""
    uses: dict[int, tuple[Buffer, list[_Use]]] = {}
    for stmt, row in _statements(kernel.body, None, divided):
        if row is None and isinstance(stmt, TileOp) and stmt.op == "tile.atomic_add":
            _added_once(stmt, kernel, divided)
        for buffer, use in _uses(stmt, row, kernel, divided):
            uses.setdefault(buffer.uid, (buffer, []))[1].append(use)
    for buffer, found in uses.values():
        _agree(buffer, found)


def _statements(
    block: Block, row: For | None, divided: Divided
) -> Iterator[tuple[Stmt, For | None]]:
    for stmt in block:
        yield stmt, row
        inner = stmt if isinstance(stmt, For) and counts_rows(stmt, divided) else row
        for nested in blocks_of(stmt):
            yield from _statements(nested, inner, divided)


def _added_once(op: TileOp, kernel: Kernel, divided: Divided) -> None:
    source = op.args[1]
    if isinstance(source, Region) and kernel.memory(source.buffer) is Memory.UB:
        if not divided.has(source.buffer):
            name = source.buffer.name
            raise Refusal(f"each of them has all of {name}, and would add it", op.span)


def _uses(
    stmt: Stmt, row: For | None, kernel: Kernel, divided: Divided
) -> Iterator[tuple[Buffer, _Use]]:
    effect = effect_of(stmt)
    tiles = [r for r in regions_of(stmt) if kernel.memory(r.buffer) is Memory.UB]
    adds = isinstance(stmt, TileOp) and stmt.op == "tile.atomic_add"
    moved = (*effect.reads, *effect.writes) if tiles or isinstance(stmt, Store) else ()
    for region in (*moved, *effect.scalars):
        if region.buffer.scope != "GM" or (adds and region in effect.reads):
            continue
        first = _first(region, stmt, tiles, row, divided)
        yield region.buffer, _Use(region in effect.writes, stmt.span, first)


def _first(
    region: Region, stmt: Stmt, tiles: list[Region], row: For | None, divided: Divided
) -> Scalar | None:
    if row is not None:
        starts = [s for s in region.starts if row.var in free_vars(s)]
        return substitute(starts[0], {row.var: 0}) if len(starts) == 1 else None
    if isinstance(stmt, TileOp) and is_copy(stmt) and tiles and divided.has(tiles[0].buffer):
        return region.starts[region.buffer.rank - tiles[0].buffer.rank]
    return None


def _agree(tensor: Buffer, uses: list[_Use]) -> None:
    written = [use for use in uses if use.writes]
    if not written or len(written) == len(uses):
        return
    first = uses[0].first
    for use in uses:
        known = first is not None and use.first is not None and affine(first) is not None
        if not known or same(first, use.first) is not True:
            raise Refusal(
                f"{tensor.name} is read, too, and one core does not wait for what the other writes",
                written[0].span,
            )
