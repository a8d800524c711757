"""Ids of flags: their range, and those that device templates set and wait for themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tl_ascend.checks.certain import (
    certain,
    each_value,
    launched,
    on_one_core,
    runs_through,
    told_where,
)
from tl_ascend.checks.context import Call, CheckContext
from tl_ascend.checks.taken import Ranges
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import form_of
from tl_ascend.ir.expr import Expr, Scalar
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.geometry import transfer
from tl_ascend.ir.meetings import first_meeting
from tl_ascend.ir.nodes import Block, For, Region, Stmt, TileOp, blocks_of
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Core

CROSS_IDS = range(16)
ALL_CORES_IDS = range(11, 15)  # which T.sync_all uses
IDS = range(8)
_Flag = tuple[str, str, int]


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


@dataclass(frozen=True, slots=True)
class _Held:
    """A flag that the author has set and not yet waited for."""

    stmt: TileOp
    flag: _Flag


# Loops around each other that are followed into a second iteration.
MAX_LOOPS = 3
_Values: TypeAlias = "Mapping[Expr, Scalar]"


def template_ids(context: CheckContext) -> None:
    """A flag that is held across a template which uses its id is set twice without a wait."""
    told: set[_Flag] = set()
    for core in (Core.CUBE, Core.VECTOR):
        held: dict[_Flag, _Held] = {}
        for stmt, values in _turns(context.after.body, {}, 0):
            if _is_ours(stmt) or not _runs_on(stmt, core):
                continue
            if stmt.op == "set_flag":
                flag = _flag(stmt, values)
                held |= {} if flag is None else {flag: _Held(stmt, flag)}
            elif stmt.op == "wait_flag":
                _returned(stmt, held, values)
            else:
                _clash(stmt, held, told, context)


def _turns(block: Block, values: _Values, depth: int) -> Iterator[tuple[TileOp, _Values]]:
    """The calls in the order of the text, those of loops for their first two iterations."""
    for stmt in block:
        if isinstance(stmt, TileOp):
            yield stmt, values
        elif isinstance(stmt, For) and runs_through(stmt) and depth < MAX_LOOPS:
            assert isinstance(stmt.start, int) and isinstance(stmt.extent, int)
            for at in range(stmt.start, stmt.start + min(stmt.extent, 2)):
                yield from _turns(stmt.body, {**values, stmt.var: at}, depth + 1)
        else:
            for inner in blocks_of(stmt):
                yield from _turns(inner, values, depth)


def _runs_on(stmt: TileOp, core: Core) -> bool:
    form = form_of(stmt)
    return form is None or form.core in (core, Core.ANY)


def _returned(stmt: TileOp, held: dict[_Flag, _Held], values: _Values) -> None:
    """Of a flag that is not known any may have been waited for."""
    flag = _flag(stmt, values)
    for one in list(held):
        if one == flag or flag is None and one[:2] == _pair(stmt):
            del held[one]


def _is_ours(stmt: Stmt) -> bool:
    return isinstance(stmt, TileOp) and TABLE[stmt.op].kind == "sync" and bool(stmt.reason)


def _pair(stmt: TileOp) -> tuple[str, str]:
    source, target = stmt.args[:2]
    return str(source).upper(), str(target).upper()


def _flag(stmt: TileOp, values: _Values) -> _Flag | None:
    number = substitute(stmt.args[2], values)
    return (*_pair(stmt), number) if type(number) is int else None


def _fills(stmt: TileOp) -> bool:
    """A copy from GM fills its tile first, with flags of its own, where a part of it is missing; only
    what is missing for certain counts."""
    source = stmt.args[0]
    if not isinstance(source, Region):
        return False
    moved = transfer(source)
    pairs = ((moved.rows, moved.valid_rows), (moved.columns, moved.valid_columns))
    return any(
        isinstance(all_, int) and isinstance(some, int) and some < all_ for all_, some in pairs
    )


def _clash(stmt: TileOp, held: dict[_Flag, _Held], told: set[_Flag], context: CheckContext) -> None:
    form = form_of(stmt)
    route = context.after.options.route
    taken = form is not None and (form.fill is None or _fills(stmt))
    events = form.events_on(route) if form is not None and taken else ()
    names = {(a.value.upper(), b.value.upper(), number) for a, b, number in events}
    for flag in sorted(names & held.keys() - told):
        told.add(flag)
        source, target, number = flag
        same = sorted(n for a, b, n in names if (a, b) == (source, target))
        ids = f"ids {' and '.join(map(str, same))}" if len(same) > 1 else f"id {same[0]}"
        context.report.add(
            "flag-id",
            held[flag].stmt.span,
            f"{source}->{target} id {number} is held across T.{stmt.op}, whose template sets it, too: "
            f"{stmt.op} uses {ids} of this pair",
            notes=(
                "A flag that is set twice without a wait is undefined. Take another id, 2 to 5.",
            ),
            related=(Related(stmt.span, f"uses {source}->{target} {ids}"),),
            causes=(("held", held[flag].stmt.span),),
        )
