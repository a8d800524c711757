"""Calls on the rows of tiles, one row in each iteration of a loop, as one call on all rows.

A `T.Parallel` with an operand of each row is a loop over rows. Those of its calls that have none
work on whole rows that lie one behind the other, and start once for all of them.
"""

from __future__ import annotations

from dataclasses import replace

from tl_ascend.ir.affine import same
from tl_ascend.ir.expr import Expr, Scalar, free_vars, loads
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Arg, For, Kernel, Region, Stmt, TileOp, regions_of
from tl_ascend.ir.text import show
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Memory

_MASKED = ("compare", "select")  # of bits, not of elements


def whole_rows(kernel: Kernel, call: TileOp, loop: For) -> TileOp | None:
    """The call for all iterations of a loop at once; None where it is not one on whole rows. That no
    iteration touches what another one does is for others to know."""
    row = TABLE[call.op]
    if not (row.by_element or "same_size" in row.checks) or call.extra:
        return None
    if row.name.endswith(_MASKED) or call.loop != loop.span:
        return None
    args = []
    for param, arg in zip(row.params, call.args, strict=False):
        made = _count(call, loop, arg) if param.name == "count" else _all(kernel, arg, loop)
        if made is None and arg is not None:
            return None
        args.append(made)
    rest = call.args[len(row.params) :]
    return None if any(arg is not None for arg in rest) else replace(call, args=(*args, *rest))


def own_of_a_row(call: Stmt, loop: For) -> str:
    """Which operand keeps a call of a `T.Parallel` to one iteration, for it is another number in each;
    empty where there is none."""
    if not isinstance(call, TileOp) or call.loop != loop.span:
        return ""
    for arg in call.args:
        if isinstance(arg, Expr) and loop.var in free_vars(arg):
            return f"{call.form} takes one number a call, and each row has its own {show(arg)}"
    return ""


def _all(kernel: Kernel, arg: Arg, loop: For) -> Arg:
    if isinstance(arg, Region):
        return _rows(kernel, arg, loop)
    if isinstance(arg, tuple):
        return None
    return None if not isinstance(arg, str) and (free_vars(arg) or loads(arg)) else arg


def _rows(kernel: Kernel, region: Region, loop: For) -> Region | None:
    """All rows that a loop takes one by one; None where they do not lie one behind the other."""
    buffer = region.buffer
    place = kernel.placements.get(buffer.uid)
    if buffer.alias_of is not None or place is None or place.memory is not Memory.UB:
        return None
    if place.layout != "ND" or place.shape != buffer.shape or len(region.starts) != buffer.rank:
        return None
    moving = [at for at, start in enumerate(region.starts) if loop.var in free_vars(start)]
    if len(moving) != 1 or any(map(loads, region.starts)):
        return None
    at = moving[0]
    first = binary("-", region.starts[at], loop.var)
    outside = all(same(extent, 1) is True for extent in region.extents[: at + 1])
    if loop.var in free_vars(first) or not outside or not _full(region, at + 1):
        return None
    low = binary("+", first, loop.start)
    return replace(
        region,
        starts=(*region.starts[:at], low, *region.starts[at + 1 :]),
        extents=(*region.extents[:at], loop.extent, *region.extents[at + 1 :]),
        form="slice",
    )


def _full(region: Region, since: int) -> bool:
    """True where a region has all of its buffer from a dimension on."""
    sides = zip(region.starts, region.extents, region.buffer.shape, strict=True)
    return all(same(a, 0) is True and same(b, c) is True for a, b, c in [*sides][since:])


def _count(call: TileOp, loop: For, count: Arg) -> Scalar | None:
    """How many elements all rows have, where a row's are given."""
    if not isinstance(count, int) or not isinstance(loop.extent, int):
        return None
    sizes = {_elements(region) for region in regions_of(call)}
    return count * loop.extent if sizes == {count} else None


def _elements(region: Region) -> int | None:
    count = 1
    for extent in region.extents:
        if not isinstance(extent, int):
            return None
        count *= extent
    return count
