"""Tails that upstream's template leaves as they are: it fills the rest of a tile for elements of 16 and
32 bits only."""

from __future__ import annotations

from tl_ascend.checks.certain import certain, launched, on_one_core, past_end
from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.taken import Ranges
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.geometry import active, resolve_copy
from tl_ascend.ir.nodes import Region, TileOp
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Memory

UNFILLED_BITS = (8, 64)


def unpadded_tails(context: CheckContext) -> None:
    """Where a copy goes over the end of a tensor, the rest of the tile gets a value."""
    kernel = context.before
    if context.upstream == "none" or kernel.options.route != "ascendc":
        return
    told: set[int] = set()
    for stmt, ranges, _ in certain(kernel.body, launched(kernel)):
        if not isinstance(stmt, TileOp) or stmt.op != "copy":
            continue
        source, target = stmt.args[:2]
        if isinstance(source, Region) and isinstance(target, Region):
            inside = _tail(source, target, on_one_core(ranges), context)
            if inside is not None and inside.buffer.uid not in told:
                told.add(inside.buffer.uid)
                _report(stmt, inside, context)


def _tail(source: Region, target: Region, ranges: Ranges, context: CheckContext) -> Region | None:
    """The tile of a copy from GM that certainly goes over the end of the tensor."""
    if target.buffer.dtype.bits not in UNFILLED_BITS or context.memory(target) is not Memory.UB:
        return None
    resolved = resolve_copy(source, target, True)
    if context.memory(source) is not Memory.GM or not isinstance(resolved, tuple):
        return None
    outside, inside = resolved
    cut = active(outside.extents)[-2:]
    return inside if any(past_end(outside, at, ranges) is not None for at in cut) else None


def _report(stmt: TileOp, inside: Region, context: CheckContext) -> None:
    row, name = TABLE[stmt.op], inside.buffer.name
    given = dict(zip((p.name for p in row.params), stmt.args, strict=False)).get("pad_value")
    value = "" if given is None else ", not even with a pad_value,"
    context.report.add(
        "unpadded-tail",
        stmt.span,
        f"the rest of {name} keeps what was there: this copy goes over the end of the tensor, and "
        f"upstream's template fills no elements of {inside.buffer.dtype}{value}",
        notes=(
            "It fills 16- and 32-bit types. Fill the tile before the copy, or use only the part that is "
            "data. Programs of tl-ascend fill it.",
        ),
        related=(Related(inside.buffer.span, f"{name} holds {inside.buffer.dtype}"),),
        severity=Severity.INFO if given is None else Severity.WARNING,
    )
