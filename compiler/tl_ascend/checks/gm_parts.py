"""The parts of tensors in GM that copies move, with the elements that they certainly are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.taken import Ranges
from tl_ascend.ir.affine import interval
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.geometry import resolve_copy
from tl_ascend.ir.nodes import Region, TileOp, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.target.hardware import Memory

Box: TypeAlias = "tuple[tuple[int, int], ...]"
VECTOR = frozenset({Memory.UB})
EITHER = VECTOR | {Memory.L1, Memory.L0C}


class Part(NamedTuple):
    """A part of a tensor that a copy moves."""

    stmt: TileOp
    region: Region
    writes: bool
    ranges: Ranges


def copied(context: CheckContext, memories: frozenset[Memory]) -> set[int]:
    """The tensors that are written and read, and of which nothing but parts that copies from and to
    some memories move is touched."""
    effects = [(stmt, effect_of(stmt)) for stmt in walk_stmts(context.before.body)]
    read = {region.buffer.uid for _, effect in effects for region in effect.reads}
    written = {region.buffer.uid for _, effect in effects for region in effect.writes}
    wanted = {tensor.uid for tensor in context.before.tensors} & read & written
    for stmt, effect in effects if wanted else ():
        touched = {r.buffer.uid for r in (*effect.reads, *effect.writes, *effect.scalars)}
        plain = isinstance(stmt, TileOp) and any(
            True for _ in parts_of(stmt, {}, context, memories)
        )
        wanted -= set() if plain else touched
    return wanted


def parts_of(
    stmt: TileOp, ranges: Ranges, context: CheckContext, memories: frozenset[Memory]
) -> Iterator[Part]:
    """What a copy between GM and one of some memories moves of a tensor."""
    source, target = stmt.args[:2] if len(stmt.args) > 1 else (None, None)
    if stmt.op != "copy" or not isinstance(source, Region) or not isinstance(target, Region):
        return
    resolved = resolve_copy(source, target, True)
    ends = context.memory(source), context.memory(target)
    inside = [memory for memory in ends if memory is not Memory.GM]
    if isinstance(resolved, tuple) and len(inside) == 1 and inside[0] in memories:
        stores = ends[1] is Memory.GM
        outside = resolved[stores]
        if root(outside.buffer) is outside.buffer:
            yield Part(stmt, outside, stores, ranges)


def box_of(part: Part, fixed: Mapping[Expr, int], end: int) -> Box | None:
    """The elements of a part, as far as the tensor has them; None where they are not certain."""
    for var, at in fixed.items():
        low, high = part.ranges.get(var, (at, at))
        if not low <= at <= high:
            return None
    values = {**{var: ends[end] for var, ends in part.ranges.items()}, **fixed}
    found = []
    region = part.region
    for start, extent, size in zip(region.starts, region.extents, region.buffer.shape, strict=True):
        first, length = substitute(start, values), substitute(extent, values)
        if type(first) is not int or type(length) is not int or type(size) is not int:
            return None
        found.append((first, min(first + length, size)))
    return tuple(found)


def may_write(region: Region, box: Box, fixed: Mapping[Expr, int]) -> bool:
    """Whether a core may write some of a box."""
    for start, extent, (low, high) in zip(region.starts, region.extents, box, strict=True):
        least, most = interval(substitute(start, fixed))
        length = interval(extent)[1]
        if least is not None and least >= high:
            return False
        if most is not None and length is not None and most + length <= low:
            return False
    return True


def common(one: Box | None, other: Box | None) -> Box | None:
    """The elements of both boxes; None where there are none, or where they are not known."""
    if one is None or other is None:
        return None
    both = []
    for (a, b), (c, d) in zip(one, other, strict=True):
        low, high = a if a > c else c, b if b < d else d
        if low >= high:
            return None
        both.append((low, high))
    return tuple(both)
