"""Elements in GM that both vector cores of a block touch, with nothing that could order them.

Told where no core waits for another one anywhere in the kernel, and where only T.copy touches the
tensor, from and to the UB.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from tl_ascend.checks.certain import certain, launched
from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.taken import Ranges, where_holds
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.affine import interval
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, Var, free_vars, loads
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.geometry import resolve_copy
from tl_ascend.ir.nodes import (
    Block,
    If,
    Launch,
    Region,
    Stmt,
    TileOp,
    blocks_of,
    walk_stmts,
)
from tl_ascend.ir.storage import root
from tl_ascend.ir.text import show_region
from tl_ascend.target.hardware import Memory

CORES = (0, 1)
Box: TypeAlias = "tuple[tuple[int, int], ...]"


class _Part(NamedTuple):
    """A part of a tensor that a copy moves."""

    stmt: TileOp
    region: Region
    writes: bool
    ranges: Ranges


def exchanged_parts(context: CheckContext) -> None:
    """What one vector core writes, the other one does not read."""
    launch = context.before.launch
    if launch is None or launch.threads == 1 or _ordered(context):
        return
    tensors = _copied(context)
    if not tensors:
        return
    parts: dict[int, list[_Part]] = {}
    for stmt, ranges, _ in certain(context.before.body, launched(context.before)):
        for part in _parts(stmt, ranges, context) if isinstance(stmt, TileOp) else ():
            if part.region.buffer.uid in tensors:
                parts.setdefault(part.region.buffer.uid, []).append(part)
    for found in parts.values():
        _exchanged(found, launch, context)


def _ordered(context: CheckContext) -> bool:
    """True where cores wait for each other, be it by the compiler."""
    calls = (s for s in walk_stmts(context.after.body) if isinstance(s, TileOp))
    return any("cross" in call.op or call.op == "sync_all" for call in calls)


def _copied(context: CheckContext) -> set[int]:
    """The tensors that are written and read, and of which nothing but parts that vector cores copy is
    touched."""
    effects = [(stmt, effect_of(stmt)) for stmt in walk_stmts(context.before.body)]
    read = {region.buffer.uid for _, effect in effects for region in effect.reads}
    written = {region.buffer.uid for _, effect in effects for region in effect.writes}
    wanted = {tensor.uid for tensor in context.before.tensors} & read & written
    for stmt, effect in effects if wanted else ():
        touched = {r.buffer.uid for r in (*effect.reads, *effect.writes, *effect.scalars)}
        plain = isinstance(stmt, TileOp) and any(True for _ in _parts(stmt, {}, context))
        wanted -= set() if plain else touched
    return wanted


def _parts(stmt: TileOp, ranges: Ranges, context: CheckContext) -> Iterator[_Part]:
    source, target = stmt.args[:2] if len(stmt.args) > 1 else (None, None)
    if stmt.op != "copy" or not isinstance(source, Region) or not isinstance(target, Region):
        return
    resolved = resolve_copy(source, target, True)
    memories = context.memory(source), context.memory(target)
    if isinstance(resolved, tuple) and set(memories) == {Memory.GM, Memory.UB}:
        stores = memories[1] is Memory.GM
        outside = resolved[stores]
        if root(outside.buffer) is outside.buffer:
            yield _Part(stmt, outside, stores, ranges)


def _exchanged(parts: Sequence[_Part], launch: Launch, context: CheckContext) -> None:
    uid = parts[0].region.buffer.uid
    own = [
        [
            part.region
            for stmt in _run_by(context.before.body, launch.subblock, core)
            for part in (_parts(stmt, {}, context) if isinstance(stmt, TileOp) else ())
            if part.writes and part.region.buffer.uid == uid
        ]
        for core in CORES
    ]
    for read in (part for part in parts if not part.writes):
        for write in (part for part in parts if part.writes):
            for at in CORES:
                if _spoilt(write, read, own[1 - at], launch, at):
                    _report(write, read, at, context)
                    return


def _run_by(block: Block, core: Var, at: int) -> Iterator[Stmt]:
    """What a vector core may run."""
    for stmt in block:
        yield stmt
        taken = [True] * len(blocks_of(stmt))
        if isinstance(stmt, If) and set(free_vars(stmt.condition)) == {core}:
            if not loads(stmt.condition):
                here: dict[Expr, tuple[int, int]] = {core: (at, at)}
                taken = [any(where_holds(stmt.condition, here, way)) for way in (True, False)]
        for inner, runs in zip(blocks_of(stmt), taken, strict=True):
            yield from _run_by(inner, core, at) if runs else ()


def _spoilt(write: _Part, read: _Part, own: Sequence[Region], launch: Launch, at: int) -> bool:
    """True where one core writes what the other one reads and does not write itself, in the first or the
    last turns of a block. `own`: what the other one writes."""
    for end in (0, 1):
        block = read.ranges.get(launch.block, (0, 0))[end]
        mine: dict[Expr, int] = {launch.subblock: at, launch.block: block}
        other: dict[Expr, int] = {**mine, launch.subblock: 1 - at}
        one, two = _box(write, mine, end), _box(read, other, end)
        if one is None or two is None:
            continue
        both = tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(one, two, strict=True))
        if all(low < high for low, high in both):
            return not any(_may_write(region, both, other) for region in own)
    return False


def _box(part: _Part, fixed: Mapping[Expr, int], end: int) -> Box | None:
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
        if not all(type(n) is int for n in (first, length, size)):
            return None
        found.append((first, min(first + length, size)))
    return tuple(found)


def _may_write(region: Region, box: Box, fixed: Mapping[Expr, int]) -> bool:
    """Whether a core may write some of a box."""
    for start, extent, (low, high) in zip(region.starts, region.extents, box, strict=True):
        least, most = interval(substitute(start, fixed))
        length = interval(extent)[1]
        if least is not None and least >= high:
            return False
        if most is not None and length is not None and most + length <= low:
            return False
    return True


def _report(write: _Part, read: _Part, at: int, context: CheckContext) -> None:
    name = read.region.buffer.name
    context.report.add(
        "race",
        read.stmt.span,
        f"vector core {1 - at} reads {show_region(read.region)}, which vector core {at} writes as "
        f"{show_region(write.region)}, and nothing makes one wait for the other",
        notes=(
            "The two vector cores of a block run at the same time; barriers and flags within a core "
            "order its own pipes only.",
            f"Have each core read the parts of {name} that it wrote itself, or put T.sync_all() between "
            "the two.",
        ),
        related=(Related(write.stmt.span, f"vector core {at} writes it"),),
    )
