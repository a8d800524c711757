"""Tensors that a kernel itself reads back and that are too short for its blocks: T.copy moves nothing of
what begins behind the end, so that a block has padding where it wrote something.

A block that has nothing else to do there is no fault: grids are rounded up. Told is one that writes a
part of an output which exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from tl_ascend.checks.certain import certain, launched, reached, told_where
from tl_ascend.checks.context import CheckContext, shape_text
from tl_ascend.checks.gm_parts import EITHER, Part, copied, parts_of
from tl_ascend.checks.taken import Ranges
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, free_vars
from tl_ascend.ir.geometry import active
from tl_ascend.ir.nodes import Launch, Region, TileOp, walk_stmts
from tl_ascend.ir.text import show_region
from tl_ascend.target.hardware import Memory

FIRST, LAST = 8, 2  # blocks that are looked at
Point: TypeAlias = Mapping[Expr, int]


def short_workspaces(context: CheckContext) -> None:
    """What a block hands on through GM exists. A tensor is told once."""
    launch = context.before.launch
    if launch is None or not isinstance(launch.blocks, int):
        return
    back = copied(context, EITHER) - context.outside
    if not back:
        return
    parts = list(_parts(context))
    final = _only_written(context)
    outputs = [p for p in parts if p.writes and p.region.buffer.uid in final]
    points = list(_points(launch))
    told: set[int] = set()
    for part in parts:
        uid = part.region.buffer.uid
        pairs = [p for p in parts if p.region.buffer.uid == uid and p.writes is not part.writes]
        if part.writes and uid in back - told and pairs:
            told |= {uid} if _short(part, pairs, outputs, points, context) else set()


def _parts(context: CheckContext) -> Iterator[Part]:
    for stmt, ranges, _ in certain(context.before.body, launched(context.before)):
        if isinstance(stmt, TileOp):
            yield from parts_of(stmt, ranges, context, EITHER)


def _only_written(context: CheckContext) -> set[int]:
    effects = [effect_of(stmt) for stmt in walk_stmts(context.before.body)]
    read = {r.buffer.uid for effect in effects for r in (*effect.reads, *effect.scalars)}
    return {r.buffer.uid for effect in effects for r in effect.writes} - read


def _points(launch: Launch) -> Iterator[Point]:
    assert isinstance(launch.blocks, int)
    count = int(launch.blocks)
    for block in sorted({*range(min(FIRST, count)), *range(max(0, count - LAST), count)}):
        for core in (0, 1)[: 1 if launch.threads == 1 else 2]:
            yield {launch.block: block, launch.subblock: core}


def _short(
    part: Part,
    pairs: Sequence[Part],
    outputs: Sequence[Part],
    points: Sequence[Point],
    context: CheckContext,
) -> bool:
    """True where that is told of a part: in some block it is written and read behind the end."""
    for point in points:
        dim = _behind(part, point, context)
        if dim is None:
            continue
        back = [p for p in pairs if _behind(p, {**point, **_second(point)}, context) is not None]
        writes = [p for p in outputs if _exists(p, point, context)]
        if back and writes:
            _report(part.region, dim, back[0].region, writes[0], point, context)
            return True
    return False


def _second(point: Point) -> Point:
    """The other half has all of what lies behind the end, too, where its last core has."""
    return {var: 1 for var in point if getattr(var, "role", "") == "subblock"}


def _on(part: Part, point: Point, context: CheckContext) -> Ranges | None:
    """What a part sees in a block and on a core, of which the cube core is the first; None where it does
    not run there."""
    vector = any(
        context.memory(arg) is Memory.UB for arg in part.stmt.args if isinstance(arg, Region)
    )
    found = dict(part.ranges)
    for var, at in point.items():
        value = at if vector or getattr(var, "role", "") != "subblock" else 0
        low, high = found.get(var, (value, value))
        if not low <= value <= high:
            return None
        found[var] = (value, value)
    return found


def _behind(part: Part, point: Point, context: CheckContext) -> int | None:
    """The dimension in which a part begins behind the end in all turns."""
    ranges = _on(part, point, context)
    for dim in active(part.region.extents)[-2:] if ranges is not None else ():
        size, first = part.region.buffer.shape[dim], reached(part.region.starts[dim], ranges or {})
        if isinstance(size, int) and first is not None and first[0] >= size:
            return dim
    return None


def _exists(part: Part, point: Point, context: CheckContext) -> bool:
    """Of an output that the block has a part of its own of, some turn writes something there."""
    ranges = _on(part, point, context)
    region = part.region
    if ranges is None or not any(var in point for s in region.starts for var in _names(s)):
        return False
    for start, size in zip(region.starts, region.buffer.shape, strict=True):
        ends = reached(start, ranges)
        if ends is None or not isinstance(size, int) or ends[1] >= size:
            return False
    return True


def _names(value: object) -> Sequence[Expr]:
    return tuple(free_vars(value)) if isinstance(value, Expr) else ()


def _report(
    region: Region, dim: int, back: Region, output: Part, point: Point, context: CheckContext
) -> None:
    buffer = region.buffer
    launch = context.before.launch
    assert launch is not None
    context.outside.add(buffer.uid)
    named = {var for start in region.starts for var in _names(start)}
    at = {var: value for var, value in point.items() if var in named}
    where = told_where(at, launched(context.before))
    context.report.add(
        "out-of-bounds",
        region.span,
        f"{show_region(region)} begins behind the end of dimension {dim} of {buffer.name}, "
        f"{shape_text(buffer.shape)},{where}: nothing of what is handed on there is kept",
        notes=(
            f"T.copy leaves out what lies outside of a tensor, and what reads {buffer.name} has "
            f"padding: make {buffer.name} as large as all blocks need.",
        ),
        related=(
            Related(back.span, "read back here"),
            Related(output.region.span, f"that block writes {show_region(output.region)}"),
            Related(buffer.span, f"{buffer.name}: {shape_text(buffer.shape)}"),
        ),
    )
