"""T.sync_all of one half of the cores: on route ascendc upstream's compiler has all cores wait there."""

from __future__ import annotations

from tl_ascend.checks.context import CheckContext
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ir.meetings import first_meeting, joining
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
