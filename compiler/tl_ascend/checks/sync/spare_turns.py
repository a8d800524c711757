"""Flags that are at fault because a loop takes a turn too many, which shows in an index, too: without
that turn the flags are right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tl_ascend.checks.context import CheckContext, spans_of
from tl_ascend.checks.sync.missing import synchronisation
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Cause, Finding, Report
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import compare
from tl_ascend.ir.nodes import Block, If, Kernel, Stmt, TileOp, blocks_of, walk_stmts, with_blocks
from tl_ascend.source.span import Span

MOST_TRIED = 3
_OPERATORS = {"turns": "<=", "turns from": ">="}
_ORDER = frozenset({"sync-missing", "core-race", "flag-unmatched", "cross-flag-unmatched"})


def spare_turns(context: CheckContext) -> None:
    """Faults of flags get the cause of an index that is out of range in the same turn."""
    findings = context.report.findings
    if not any(map(_of_order, findings)):
        return
    tried: dict[Cause, Finding] = {
        cause: one
        for one in findings
        if one.name == "out-of-bounds" and one.level is Severity.ERROR
        for cause in one.causes
        if isinstance(cause, tuple) and cause[0] in _OPERATORS
    }
    for cause, one in list(tried.items())[:MOST_TRIED]:
        _try(cause, one.span, context)


def _of_order(finding: Finding) -> bool:
    return finding.name in _ORDER and finding.level >= Severity.WARNING


def _try(cause: Cause, place: Span, context: CheckContext) -> None:
    assert isinstance(cause, tuple)
    what, var, turn = cause
    condition = compare(_OPERATORS[what], var, turn)
    found = context.report.findings
    order = {span for one in found if _of_order(one) for span in _named(one)}
    for beside in (None, order):
        body = _guarded(context.after.body, place, condition, beside)
        if body != context.after.body and _right(replace(context.after, body=body), context):
            found[:] = [
                replace(one, causes=(*one.causes, cause)) if _of_order(one) else one
                for one in found
            ]
            return


def _named(finding: Finding) -> tuple[Span, ...]:
    return finding.span, *(place.span for place in finding.related)


def _right(kernel: Kernel, context: CheckContext) -> bool:
    """True where nothing is told of the flags of a kernel."""
    report = Report([one for one in context.report.findings if not _of_order(one)])
    synchronisation(replace(context, after=kernel, report=report, outside=set()))
    return not any(map(_of_order, report.findings))


def _guarded(block: Block, place: Span, condition: Scalar, beside: set[Span] | None) -> Block:
    """The block in which what stands around a call is done where a condition holds: all of its block, or
    what there is from there to these other calls."""
    if not any(place in _spans(stmt) for stmt in block):
        return tuple(_within(stmt, place, condition, beside) for stmt in block)
    first, last = 0, len(block)
    if beside is not None:
        wanted = {place, *beside}
        at = [n for n, stmt in enumerate(block) if not wanted.isdisjoint(_all_spans(stmt))]
        first, last = at[0], at[-1] + 1
    return (*block[:first], If(condition, block[first:last], (), place), *block[last:])


def _within(stmt: Stmt, place: Span, condition: Scalar, beside: set[Span] | None) -> Stmt:
    inner = blocks_of(stmt)
    changed = tuple(_guarded(block, place, condition, beside) for block in inner)
    return stmt if changed == inner else with_blocks(stmt, changed)


def _all_spans(stmt: Stmt) -> set[Span]:
    return {span for one in walk_stmts((stmt,)) for span in _spans(one)}


def _spans(stmt: Stmt) -> Iterator[Span]:
    if isinstance(stmt, TileOp):
        yield from spans_of(stmt)
