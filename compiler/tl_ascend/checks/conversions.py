"""Conversions of element types within the UB: that the vector unit has them, and rounds that way."""

from __future__ import annotations

from typing import Any

from tl_ascend.checks.causes import retyped
from tl_ascend.checks.context import Call, CheckContext
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Applicability, Edit, Fix, Related
from tl_ascend.ir.effects import sets_scale
from tl_ascend.ir.nodes import Region
from tl_ascend.target.conversions import (
    CONVERSIONS,
    NEAREST,
    NONE,
    PLATFORMS,
    ROUNDINGS,
    SCALED,
    copied_upstream,
    modes,
    pair_of,
    way,
)
from tl_ascend.target.dtypes import DType
from tl_ascend.target.hardware import Memory


def converted_types(call: Call, context: CheckContext) -> None:
    """Between the two types there is a conversion."""
    found = _tiles(call, context)
    if found is None:
        return
    source, target = found
    kinds = source.buffer.dtype, target.buffer.dtype
    if modes(*kinds):
        return
    first, last = pair_of(*kinds)
    context.report.add(
        "dtype-unsupported",
        call.op.span,
        f"{source.buffer.name} holds {kinds[0]} and {target.buffer.name} {kinds[1]}: the vector unit "
        f"of {context.platform.name} has no such conversion",
        notes=(_way_out(*kinds),),
        related=tuple(Related(r.buffer.span, f"{r.buffer.name}: {r.buffer.dtype}") for r in found),
        causes=(
            *retyped(target, *(b for a, b in CONVERSIONS if a == first)),
            *retyped(source, *(a for a, b in CONVERSIONS if b == last)),
        ),
    )


def conversion_mode(call: Call, context: CheckContext) -> None:
    """The conversion knows the mode."""
    found, mode = _tiles(call, context), call.arg("mode")
    if found is None or mode not in ROUNDINGS:
        return
    kinds, route = (found[0].buffer.dtype, found[1].buffer.dtype), context.before.options.route
    taken = modes(*kinds, route)
    if not taken or mode in taken:
        return
    does = "rounds otherwise" if route == "pto" else "writes nothing"
    better = NONE if NONE in taken else NEAREST
    context.report.add(
        "cast-mode",
        call.span("mode"),
        f"{mode} from {kinds[0]} to {kinds[1]}: the vector unit takes {_listed(taken)} there, and "
        f"with another mode it {does}",
        fixes=(
            Fix(f"Write {better}", (Edit(call.span("mode"), f'"{better}"'),), Applicability.UNSAFE),
        ),
    )


def copied_mode(call: Call, context: CheckContext) -> None:
    """Upstream's template for copies asks for a mode that the conversion knows."""
    found = _tiles(call, context)
    if found is None or context.upstream == "none" or context.before.options.route == "pto":
        return
    kinds = found[0].buffer.dtype, found[1].buffer.dtype
    if not modes(*kinds) or copied_upstream(*kinds):
        return
    context.report.add(
        "cast-mode",
        call.op.span,
        f"{call.name} from {kinds[0]} to {kinds[1]}: upstream's template asks for {NEAREST}, with which "
        "the vector unit writes nothing",
        severity=Severity.WARNING,
        notes=(
            f'T.tile.cast(dst, src, "{NONE}", count) converts. The programs of tl-ascend do so '
            "themselves.",
        ),
    )


def conversion_scale(call: Call, context: CheckContext) -> None:
    """The register by which the conversion multiplies is set."""
    found = _tiles(call, context)
    if found is None or context.upstream == "none" or context.before.options.route == "pto":
        return
    kinds = found[0].buffer.dtype, found[1].buffer.dtype
    if pair_of(*kinds) != SCALED or sets_scale(context.before):
        return
    context.report.add(
        "cast-mode",
        call.op.span,
        f"{call.name} from {kinds[0]} to {kinds[1]}: the vector unit multiplies by a register that "
        "nothing sets in this kernel",
        severity=Severity.WARNING,
        notes=(
            "Write T.set_deq_scale(1.0) before. The programs of tl-ascend set it to 1 themselves.",
        ),
    )


def _tiles(call: Call, context: CheckContext) -> tuple[Region, Region] | None:
    """What is converted, and where to; None where that is something else, or not known."""
    source, target = call.arg("src"), call.arg("dst")
    if not (isinstance(source, Region) and isinstance(target, Region)):
        return None
    if context.platform.name not in PLATFORMS:
        return None
    if call.row.name == "copy" and not _within_ub(source, target, context):
        return None
    return source, target


def _within_ub(source: Region, target: Region, context: CheckContext) -> bool:
    """A copy that converts."""
    first, last = pair_of(source.buffer.dtype, target.buffer.dtype)
    return first != last and all(context.memory(r) is Memory.UB for r in (source, target))


def _way_out(source: DType, target: DType) -> str:
    if pair_of(source, target)[0] == pair_of(source, target)[1]:
        return "T.copy moves elements of one type."
    between = way(source, target)[1:-1]
    if between:
        return f"Convert to {' and then to '.join(between)} first, in a tile of that type."
    return f"Store them one by one: the scalar unit converts {source} in a T.Parallel loop."


def _listed(taken: Any) -> str:
    names = [name for name in ROUNDINGS if name in taken]
    return names[0] + " only" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
