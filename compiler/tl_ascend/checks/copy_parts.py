"""Copies between two parts that are both written out, and do not agree.

Upstream moves as many rows and columns as the part in GM has. What the part on the chip has beyond them
is padded or left as it is, and not stored.
"""

from __future__ import annotations

from tl_ascend.checks.causes import resized, resized_part
from tl_ascend.checks.context import Call, CheckContext, count, shape_text
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.geometry import active
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import elements
from tl_ascend.ir.text import show_region
from tl_ascend.target.hardware import Memory


def stated_parts(call: Call, source: Region, target: Region, context: CheckContext) -> None:
    """Two slices of constant extents have the same rows and columns. A whole tile may be filled in part,
    but a single row is no tail of it. Where a value for padding is given, the author means to pad."""
    if call.row.name != "copy" or call.arg("transpose") is True:
        return
    memories = context.memory(source), context.memory(target)
    if memories == (Memory.UB, Memory.UB):
        _within_ub(call, source, target, context)
        return
    loads = memories[0] is Memory.GM
    if loads == (memories[1] is Memory.GM) or call.arg("pad_value") is not None:
        return
    outside, inside = (source, target) if loads else (target, source)
    if outside.form != "slice" or inside.form == "start":
        return
    moved, room = _rows_and_columns(outside), _rows_and_columns(inside)
    if moved is None or room is None or moved[0] * moved[1] == room[0] * room[1]:
        return
    if inside.form == "whole" and not (moved[0] == 1 < room[0]):
        return  # a tail, or more than there is room for, which is told elsewhere
    context.report.add(
        "copy-shape",
        call.op.span,
        f"{show_region(outside)} is {_text(moved)}, and {show_region(inside)} {_text(room)}",
        notes=(_effect(moved, room, loads),),
        related=(Related(inside.buffer.span, f"{inside.buffer.name} is allocated here"),),
        causes=(
            *resized_part(inside, outside.extents),
            *resized_part(outside, inside.extents),
        ),
        severity=Severity.WARNING,
    )


def _within_ub(call: Call, source: Region, target: Region, context: CheckContext) -> None:
    """Of two tiles, too, where one of them is written as a part."""
    sizes = elements(source.extents), elements(target.extents)
    if "start" in (source.form, target.form) or None in sizes or sizes[0] == sizes[1]:
        return
    context.report.add(
        "copy-shape",
        call.op.span,
        f"{show_region(source)} has {sizes[0]} elements, {shape_text(source.extents)}, and "
        f"{show_region(target)} {sizes[1]}, {shape_text(target.extents)}",
        notes=(
            "Where their rows are whole, upstream's copy moves as many elements as the target has, else "
            "the rows and columns of the source: what the smaller one lacks lies outside of it.",
        ),
        related=tuple(
            Related(r.buffer.span, f"{r.buffer.name} is allocated here") for r in (source, target)
        ),
        causes=(*resized(target, source.extents), *resized(source, target.extents)),
        severity=Severity.WARNING,
    )


def _rows_and_columns(region: Region) -> tuple[int, int] | None:
    """What a transfer walks; None where that is not known, or has more dimensions."""
    sizes = [extent for extent in region.extents if not isinstance(extent, Expr)]
    axes = active(region.extents)
    if len(sizes) < len(region.extents) or len(axes) > 2:
        return None
    rows = int(sizes[axes[-2]]) if len(axes) > 1 else 1
    return rows, int(sizes[axes[-1]])


def _text(part: tuple[int, int]) -> str:
    return f"{count(part[0], 'row')} of {count(part[1], 'element')}"


def _effect(moved: tuple[int, int], room: tuple[int, int], loads: bool) -> str:
    verb, end = ("loads", "gets nothing of it") if loads else ("stores", "is not stored")
    more = moved[0] > room[0] or moved[1] > room[1]
    rest = (
        "that is more than the part on the chip has"
        if more
        else f"the rest of the other part {end}"
    )
    return f"T.copy {verb} what the part in GM says, {_text(moved)}: {rest}."
