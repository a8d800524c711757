"""Hidden scratch: which calls need a tile beyond their operands, of which type and size.

All calls of one type share one tile, as large as the largest need: they run on one queue, one after
the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tl_ascend.ir.nodes import (
    Block,
    Buffer,
    Kernel,
    Placement,
    Region,
    TileOp,
    blocks_of,
    with_blocks,
)
from tl_ascend.ir.storage import bits_to_bytes
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.scratch_needs import RULES, Need
from tl_ascend.passes.scratch_pto import PTO
from tl_ascend.target.dtypes import UINT8, DType
from tl_ascend.target.hardware import Memory

NAME = "tmp_ub"


def need_of(op: TileOp, route: str = "ascendc") -> Need:
    """The scratch of a lowered call on a route."""
    row = TABLE.get(op.op)
    if row is None or not row.scratch or not op.form:
        return Need()
    rule = PTO.get(row.scratch) if route == "pto" else RULES.get(row.scratch)
    return rule(op, row) if rule is not None else Need()


def scratch_bytes(op: TileOp, route: str = "ascendc") -> int:
    """The same in bytes."""
    need = need_of(op, route)
    return bits_to_bytes(need.elements, need.dtype.bits)


# --- tiles ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Largest:
    """The call that needs the most scratch of one type, and how much."""

    elements: int
    op: TileOp


def attach_scratch(kernel: Kernel) -> Kernel:
    """The kernel with a tile for each type of scratch, and every call with its part of one. Bytes
    are called tmp_ub, other types tmp_ub_1 and so on, as upstream calls them."""
    needs: dict[DType, _Largest] = {}
    route = kernel.options.route
    _find(kernel.body, needs, route)
    tiles: dict[DType, Buffer] = {}
    placed: dict[int, Placement] = {}
    for kind, largest in needs.items():
        typed = sum(other != UINT8 for other in tiles) + 1
        name = NAME if kind == UINT8 else f"{NAME}_{typed}"
        uid, span = kernel.next_uid + len(tiles), largest.op.span
        tile = tiles[kind] = Buffer(name, uid, (largest.elements,), kind, "UB", span)
        reason = f"scratch of {largest.op.form}"
        placed[uid] = Placement(Memory.UB, tile.shape, scope_reason=reason, scope_cause=span)
    if not tiles:
        return kernel
    kernel = replace(
        kernel,
        body=_attached(kernel.body, tiles, route),
        scratch=(*kernel.scratch, *tiles.values()),
        next_uid=kernel.next_uid + len(tiles),
    )
    return kernel.with_placements(placed)


def _find(block: Block, needs: dict[DType, _Largest], route: str) -> None:
    for stmt in block:
        need = need_of(stmt, route) if isinstance(stmt, TileOp) else Need()
        known = needs.get(need.dtype)
        if isinstance(stmt, TileOp) and need.elements > (known.elements if known else 0):
            needs[need.dtype] = _Largest(need.elements, stmt)
        for inner in blocks_of(stmt):
            _find(inner, needs, route)


def _attached(block: Block, tiles: dict[DType, Buffer], route: str) -> Block:
    changed = []
    for stmt in block:
        if isinstance(stmt, TileOp) and not stmt.extra:
            need = need_of(stmt, route)
            if need.elements:
                used = Region(tiles[need.dtype], (0,), (need.elements,), "slice", stmt.span)
                stmt = replace(stmt, extra=(used,))
        inner = tuple(_attached(nested, tiles, route) for nested in blocks_of(stmt))
        changed.append(with_blocks(stmt, inner) if inner else stmt)
    return tuple(changed)
