"""Ids of flags: their range, and those that device templates set and wait for themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from tl_ascend.checks.certain import certain, launched, reached, told_where, where_reached
from tl_ascend.checks.context import Call, CheckContext, calls_of
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import form_of
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.geometry import transfer
from tl_ascend.ir.nodes import Kernel, Region, Stmt, TileOp, walk_stmts
from tl_ascend.ops.table import TABLE
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Core, Pipe

CROSS_IDS = range(16)
ALL_CORES_IDS = range(11, 15)  # which T.sync_all uses
IDS = range(8)
_PIPES = tuple(pipe.value for pipe in Pipe)
_Flag = tuple[str, str, int]


def cross_flag_id(call: Call, context: CheckContext) -> None:
    """Between the cores there are 16 counters."""
    number = call.arg("flag")
    if type(number) is int and number not in CROSS_IDS:
        context.report.add(
            "cross-flag-id",
            call.span("flag"),
            f"there is no flag {number} between the cores: ids are 0..15",
            notes=("Take one of 0..10; 11 to 14 are used by T.sync_all.",),
        )


def ids_of_all_cores(context: CheckContext) -> None:
    """Where all cores wait for each other, the counters with which they do it are taken."""
    calls = list(calls_of(walk_stmts(context.before.body)))
    everyone = next((call.op for call in calls if call.op.op == "sync_all"), None)
    if everyone is None:
        return
    told: set[int] = set()
    for call in (call for call in calls if "cross_flag_id" in call.row.checks):
        number = call.arg("flag")
        if type(number) is not int or number not in ALL_CORES_IDS or number in told:
            continue
        told.add(number)
        context.report.add(
            "cross-flag-id",
            call.span("flag"),
            f"flag {number}: T.sync_all, which this kernel calls, uses 11 to 14",
            notes=("Take one of 0 to 10, or 15, here and where it is waited for.",),
            related=(Related(everyone.span, "all cores wait for each other with these flags"),),
        )


def event_id(call: Call, context: CheckContext) -> None:
    """Within a core the documentation gives each pair of pipes eight events."""
    number = call.arg("eventId")
    if type(number) is int and number not in IDS:
        _beyond(call, number, "", context)


def computed_ids(context: CheckContext) -> None:
    """The same of ids that loops compute, where the flag is set or waited for in any case."""
    told: set[Span] = set()
    for stmt, ranges, _ in certain(context.before.body, launched(context.before)):
        row = TABLE.get(stmt.op) if isinstance(stmt, TileOp) and stmt.span not in told else None
        if row is None or not isinstance(stmt, TileOp) or "event_id" not in row.checks:
            continue
        call = Call(stmt, row)
        number = call.arg("eventId")
        ends = reached(number, ranges) if isinstance(number, Expr) else None
        if ends is not None and not (ends[0] in IDS and ends[1] in IDS):
            high = ends[1] not in IDS
            at = told_where(where_reached(number, ranges, high), ranges)
            told.add(stmt.span)
            _beyond(call, ends[high], at, context)


def _beyond(call: Call, number: int, where: str, context: CheckContext) -> None:
    context.report.add(
        "flag-id",
        call.span("eventId"),
        f"event id {number}{where}: the documented ids of a pair of pipes are 0..7",
        severity=Severity.INFO,  # larger ones are used, and nobody has reported what they do
    )


def pipe_names(context: CheckContext) -> None:
    """Pipes go by their names; upstream hands what is written to the device compiler. A word is told
    once, with all its places."""
    places: dict[str, list[Span]] = {}
    for call in calls_of(walk_stmts(context.before.body)):
        for param in ("src", "dst", "pipe") if call.row.kind == "sync" else ():
            word = call.arg(param)
            if isinstance(word, str) and word and word.upper() not in _PIPES:
                places.setdefault(word, []).append(call.span(param))
    for word, spans in places.items():
        near = get_close_matches(word.upper(), _PIPES, 1)
        first, *others = dict.fromkeys(spans)
        context.report.add(
            "kernel-form",
            first,
            f"there is no pipe {word!r}: they are {', '.join(p.lower() for p in _PIPES)}",
            notes=(f"Did you mean {near[0].lower()!r}?",) if near else (),
            related=tuple(Related(span, "here, too") for span in others),
        )


@dataclass(frozen=True, slots=True)
class _Held:
    """A flag that the author has set and not yet waited for."""

    stmt: TileOp
    flag: _Flag


def template_ids(context: CheckContext) -> None:
    """A flag that is held across a template which uses its id is set twice without a wait."""
    told: set[_Flag] = set()
    for core in (Core.CUBE, Core.VECTOR):
        held: dict[_Flag, _Held] = {}
        for stmt in _of_core(context.after, core):
            flag = _flag(stmt)
            if flag is not None and stmt.op == "set_flag":
                held[flag] = _Held(stmt, flag)
            elif flag is not None:
                held.pop(flag, None)
            else:
                _clash(stmt, held, told, context)


def _of_core(kernel: Kernel, core: Core) -> Iterator[TileOp]:
    """The author's calls in the order of the text."""
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, TileOp) and not _is_ours(stmt):
            form = form_of(stmt)
            if form is None or form.core in (core, Core.ANY):
                yield stmt


def _is_ours(stmt: Stmt) -> bool:
    return isinstance(stmt, TileOp) and TABLE[stmt.op].kind == "sync" and bool(stmt.reason)


def _flag(stmt: TileOp) -> _Flag | None:
    if stmt.op not in ("set_flag", "wait_flag"):
        return None
    source, target, number = stmt.args[:3]
    if isinstance(source, str) and isinstance(target, str) and type(number) is int:
        return source.upper(), target.upper(), number
    return None


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
        )
