"""Which indices of a tensor's dimension a kernel may write: the others are never written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tl_ascend.checks.certain import each_value
from tl_ascend.ir.affine import affine, bounds_of, interval
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Compare, Expr, Logic, Scalar, free_vars, loads
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import Block, If, Kernel, Let, Region, Stmt, blocks_of

_NEGATED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}


def writes_of(kernel: Kernel) -> Mapping[int, Sequence[Region]]:
    """The regions of each tensor, by its number, that a kernel may write."""
    tensors = {tensor.uid for tensor in kernel.tensors}
    found: dict[int, list[Region]] = {}
    for stmt in _alive(kernel.body, {}):
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


def _alive(block: Block, names: Mapping[Expr, Scalar]) -> Iterator[Stmt]:
    """The statements but those of branches that are never taken."""
    known = dict(names)
    for stmt in block:
        yield stmt
        if isinstance(stmt, Let) and not loads(stmt.value):
            known[stmt.var] = substitute(stmt.value, known)
        for at, inner in enumerate(blocks_of(stmt)):
            if not (isinstance(stmt, If) and _never(substitute(stmt.condition, known), at == 1)):
                yield from _alive(inner, known)


def _never(condition: Scalar, negated: bool) -> bool:
    """True where a condition holds for no value of its variables."""
    if isinstance(condition, Logic) and condition.op == "not":
        return _never(condition.operands[0], not negated)
    if isinstance(condition, Logic):
        some = any if (condition.op == "and") is not negated else all
        return some(_never(operand, negated) for operand in condition.operands)
    if isinstance(condition, Compare):
        op = _NEGATED[condition.op] if negated else condition.op
        return _apart(op, condition.a, condition.b)
    return condition is negated


def _apart(op: str, a: Scalar, b: Scalar) -> bool:
    """True where two numbers never compare so."""
    first, second = affine(a), affine(b)
    if first is None or second is None:
        return False
    low, high = bounds_of(first.plus(second, -1))
    less, more = high is not None and high < 0, low is not None and low > 0
    never = {
        "==": less or more,
        "!=": low == high == 0,
        "<": low is not None and low >= 0,
        ">": high is not None and high <= 0,
        "<=": more,
        ">=": less,
    }
    return never[op]
