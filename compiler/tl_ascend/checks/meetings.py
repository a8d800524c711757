"""T.sync_all of one half of the cores: on route ascendc upstream's compiler has all cores wait there, on
route pto those of this half alone, so that the halves cannot meet in code of their own."""

from __future__ import annotations

from tl_ascend.checks.context import CheckContext
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ir.meetings import each_alone, exchanged, first_meeting, joining
from tl_ascend.ir.nodes import Kernel, TileOp, walk_stmts
from tl_ascend.target.hardware import Core

_NAMES = {Core.CUBE: ("cube", "C"), Core.VECTOR: ("vector", "V")}


def meetings_of_one_half(context: CheckContext) -> None:
    """Both halves come to T.sync_all, if any does."""
    kernel = context.before
    joined, call = joining(kernel), first_meeting(kernel)
    if (
        call is None
        or len(joined) != 1
        or context.upstream == "none"
        or kernel.options.route != "ascendc"
    ):
        return
    (half,) = joined
    here, (other, scope) = _NAMES[half][0], _NAMES[half.other]
    context.report.add(
        "cross-flag-unmatched",
        call.span,
        f"only {here} cores come to T.sync_all, where upstream's compiler has all cores wait: the "
        f"{other} cores never come, and the program hangs",
        notes=(
            f'Call T.sync_all as often in T.Scope("{scope}").',
            f"tl-ascend has the {here} cores wait for each other only; upstream does so on route pto.",
        ),
        severity=Severity.WARNING,
    )


def meetings_of_each_half(context: CheckContext) -> None:
    """What one half hands to the other is not ordered by calls that keep to themselves."""
    kernel = context.before
    call = first_meeting(kernel)
    if call is None or context.upstream == "none" or kernel.options.route != "pto":
        return
    tensor = exchanged(kernel) if each_alone(kernel) and not _flags(kernel) else None
    if tensor is None:
        return
    context.report.add(
        "cross-flag-unmatched",
        call.span,
        "both halves of the cores call T.sync_all in scopes of their own: on route pto upstream's "
        f"compiler has each meet alone, so that neither waits for the other, and "
        f"nothing orders {tensor.name}",
        notes=(
            "Order the halves with T.set_cross_flag and T.wait_cross_flag.",
            "tl-ascend has all cores wait for each other there.",
        ),
        severity=Severity.WARNING,
    )


def _flags(kernel: Kernel) -> bool:
    calls = (stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, TileOp))
    return any(call.op in ("set_cross_flag", "wait_cross_flag") for call in calls)
