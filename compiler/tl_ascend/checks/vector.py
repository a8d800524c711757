"""Rules of vector operations: sizes that agree, modes that exist, shapes that can be broadcast."""

from __future__ import annotations

from tl_ascend.checks.context import Call, CheckContext, shape_text, size
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.text import show_region

CAST_MODES = ("NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD")


def same_size(call: Call, context: CheckContext) -> None:
    """The destination sets the number of elements; no source may have fewer, and the first source
    and slices must have as many."""
    target = call.region("dst")
    wanted = size(target)
    if target is None or wanted is None:
        return
    for param in call.row.params[1:]:
        tile = call.region(param.name)
        have = size(tile)
        if tile is None or have is None or have == wanted:
            continue
        # A whole second operand that is larger is read in part: odd, but what it says.
        if param.name == "src1" and tile.form == "whole" and have > wanted:
            continue
        _sizes_differ(call, target, wanted, tile, have, context)


def _sizes_differ(
    call: Call, target: Region, wanted: int, tile: Region, have: int, context: CheckContext
) -> None:
    context.report.add(
        "operand-size",
        tile.span,
        f"{show_region(tile)} has {have} elements, {shape_text(tile.extents)}, and the destination "
        f"{show_region(target)} has {wanted}, {shape_text(target.extents)}",
        notes=(f"{call.name} works on as many elements as the destination has.",),
        related=(
            Related(target.span, f"{wanted} elements"),
            Related(tile.buffer.span, f"{tile.buffer.name}: {shape_text(tile.buffer.shape)}"),
        ),
    )


def cast_mode(call: Call, context: CheckContext) -> None:
    """The rounding mode is one that exists."""
    mode = call.arg("mode")
    if not isinstance(mode, str) or mode.removeprefix("CAST_") in CAST_MODES:
        return
    context.report.add(
        "kernel-form",
        call.span("mode"),
        f"no rounding mode {mode!r}: it is one of CAST_{', CAST_'.join(CAST_MODES)}",
    )


def broadcast_shape(call: Call, context: CheckContext) -> None:
    """One of the two dimensions of the source is 1, or missing; the other is that of the target."""
    target, source, axis = call.region("dst"), call.region("src"), call.arg("axis")
    if target is None or source is None or size(target) is None or size(source) is None:
        return
    a, b = target.extents[-2:], source.extents[-2:]
    problem = _broadcast_problem(tuple(map(int, a)), tuple(map(int, b)), axis)
    if problem:
        context.report.add(
            "operand-size",
            call.op.span,
            f"{show_region(source)} {shape_text(b)} cannot be repeated to {show_region(target)} "
            f"{shape_text(a)}: {problem}",
        )


def _broadcast_problem(target: tuple[int, ...], source: tuple[int, ...], axis: object) -> str:
    if axis not in (None, 0, 1):
        return f"axis is 0 or 1, not {axis}"
    if len(source) == 1 and len(target) == 2:
        for at in (0, 1):
            if axis in (at, None) and target[1 - at] == source[0]:
                return ""
        return (
            f"{source[0]} is the length of neither dimension" if axis is None else "lengths differ"
        )
    if len(source) != len(target):
        return "the number of dimensions differs"
    if len(target) == 1:
        return "" if source[0] in (1, target[0]) else "the length is neither 1 nor the same"
    along = axis if isinstance(axis, int) else (1 if source[0] != 1 and source[1] == 1 else 0)
    if source[along] == 1:
        same = source[1 - along] == target[1 - along]
        return "" if same else f"dimension {1 - along} differs"
    return "" if source == target else f"dimension {along} of the source is not 1"
