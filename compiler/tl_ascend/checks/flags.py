"""Ids of flags: their range, and those that device templates set and wait for themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tl_ascend.checks.certain import (
    certain,
    each_value,
    launched,
    on_one_core,
    told_where,
)
from tl_ascend.checks.context import Call, CheckContext
from tl_ascend.checks.taken import Ranges
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.meetings import first_meeting
from tl_ascend.ir.nodes import TileOp
from tl_ascend.ops.table import TABLE

CROSS_IDS = range(16)
ALL_CORES_IDS = range(11, 15)  # which T.sync_all uses
IDS = range(8)


def cross_flag_id(call: Call, context: CheckContext) -> None:
    """Between the cores there are 16 counters."""
    _between_cores(_Id(call, "flag", {}), context)


def event_id(call: Call, context: CheckContext) -> None:
    """Within a core the documentation gives each pair of pipes eight events."""
    _within_core(_Id(call, "eventId", {}), context)


def computed_ids(context: CheckContext) -> None:
    """The same of ids that loops compute, where the flag is set or waited for in any case. One of which
    T.sync_all uses now and then only, behind a branch, may have been done with before."""
    always = certain(context.before.body, launched(context.before), branches=False)
    plain = {id(stmt) for stmt, _, _ in always if isinstance(stmt, TileOp)}
    for stmt, ranges, _ in certain(context.before.body, launched(context.before)):
        row = TABLE.get(stmt.op) if isinstance(stmt, TileOp) else None
        if not isinstance(stmt, TileOp) or row is None or row.kind != "sync":
            continue
        here = on_one_core(ranges)
        if "cross_flag_id" in row.checks:
            one = _Id(Call(stmt, row), "flag", here)
            _between_cores(one, context, always=id(stmt) in plain)
        elif "event_id" in row.checks:
            _within_core(_Id(Call(stmt, row), "eventId", here), context)


@dataclass(frozen=True, slots=True)
class _Id:
    """An id as it was written, and the values of what it is computed from."""

    call: Call
    name: str
    ranges: Ranges

    def first(self, wanted: Callable[[int], bool]) -> tuple[int, str] | None:
        """The least of the values that are wanted, and where it is taken."""
        values = each_value(self.call.arg(self.name), self.ranges)
        found = min(filter(wanted, values), default=None)
        return None if found is None else (found, told_where(values[found], self.ranges))


def _between_cores(one: _Id, context: CheckContext, always: bool = True) -> None:
    """There are 16 counters; where all cores wait for each other, some of them are taken."""
    beyond = one.first(lambda number: number not in CROSS_IDS)
    taken = one.first(lambda number: number in ALL_CORES_IDS) if always else None
    if beyond is not None:
        context.report.add(
            "cross-flag-id",
            one.call.span("flag"),
            f"there is no flag {beyond[0]} between the cores{beyond[1]}: ids are 0..15",
            notes=("Take one of 0..10; 11 to 14 are used by T.sync_all.",),
            causes=(("cross flag", beyond[0]),),
        )
    elif taken is not None and (everyone := first_meeting(context.before)) is not None:
        context.report.add(
            "cross-flag-id",
            one.call.span("flag"),
            f"flag {taken[0]}{taken[1]}: T.sync_all, which this kernel calls, uses 11 to 14",
            notes=("Take one of 0 to 10, or 15, here and where it is waited for.",),
            related=(Related(everyone.span, "all cores wait for each other with these flags"),),
            causes=(("cross flag", taken[0]),),
        )


def _within_core(one: _Id, context: CheckContext) -> None:
    """Within a core the documentation gives each pair of pipes eight events. On route ascendc larger
    ones are used, and nobody has reported what they do."""
    beyond = one.first(lambda number: number not in IDS)
    if beyond is None:
        return
    ignored = context.upstream != "none" and context.before.options.route == "pto"
    call = one.call
    note = "Upstream's template for pto ignores others: nothing is set or waited for."
    context.report.add(
        "flag-id",
        call.span("eventId"),
        f"event id {beyond[0]}{beyond[1]}: the documented ids of a pair of pipes are 0..7",
        notes=(note,) if ignored else (),
        severity=Severity.WARNING if ignored else Severity.INFO,
        causes=(("event", call.arg("src"), call.arg("dst"), beyond[0]),),
    )
