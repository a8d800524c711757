"""Which indices of a tensor's dimension a kernel may write: the others are never written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tl_ascend.checks.certain import each_value
from tl_ascend.ir.affine import interval
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, Scalar, free_vars
from tl_ascend.ir.nodes import Kernel, Region, walk_stmts


def writes_of(kernel: Kernel) -> Mapping[int, Sequence[Region]]:
    """The regions of each tensor, by its number, that a kernel may write."""
    tensors = {tensor.uid for tensor in kernel.tensors}
    found: dict[int, list[Region]] = {}
    for stmt in walk_stmts(kernel.body):
        for region in effect_of(stmt).writes:
            if region.buffer.uid in tensors:
                found.setdefault(region.buffer.uid, []).append(region)
    return found


def end_of(regions: Sequence[Region], dim: int) -> int | None:
    """One past the last index that may be written in a dimension, where that is known."""
    ends: list[int] = []
    for region in regions:
        if len(region.starts) != region.buffer.rank:
            return None
        high, extent = interval(region.starts[dim])[1], interval(region.extents[dim])[1]
        if high is None or extent is None:
            return None
        ends.append(high + extent)
    return max(ends, default=None)


def left_out(regions: Sequence[Region], dim: int, size: int) -> Sequence[int]:
    """The indices of a dimension that nothing writes; none where that is not known."""
    written = bytearray(size)
    for region in regions:
        extent = (
            interval(region.extents[dim])[1] if len(region.starts) == region.buffer.rank else None
        )
        starts = _starts(region.starts[dim]) if extent is not None else {}
        if extent is None or not starts:
            return ()
        for start in starts:
            first, end = max(start, 0), min(start + extent, size)
            written[first:end] = b"\1" * max(end - first, 0)
    return [at for at, done in enumerate(written) if not done]


def _starts(value: Scalar) -> Mapping[int, object]:
    ranges: dict[Expr, tuple[int, int]] = {}
    for var in free_vars(value) if isinstance(value, Expr) else ():
        low, high = interval(var)
        if low is None or high is None:
            return {}
        ranges[var] = (low, high)
    return each_value(value, ranges)
