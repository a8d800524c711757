"""Tiles that are read although nothing writes them, or only what comes later."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.checks.accumulators import accumulator, unset_sum
from tl_ascend.checks.context import CheckContext, shape_text, spans_of
from tl_ascend.checks.first_reads import first_reads
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Load, loads
from tl_ascend.ir.nodes import (
    MEMORY_PLANNING,
    Alloc,
    Buffer,
    Kernel,
    Region,
    Stmt,
    Store,
    TileOp,
    exprs_of,
    regions_of,
    walk_stmts,
)
from tl_ascend.ir.overwritten import written_by
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Memory


def written_later(context: CheckContext) -> None:
    """What a statement takes before anything can have written it is none of the kernel's numbers. Where
    something else is wrong with the call, such as operands that are turned round, that may be why."""
    kernel = context.before
    wrong = {f.span for f in context.report.findings if f.level >= Severity.WARNING}
    allocated = _allocated(kernel)
    for uid, read in first_reads(kernel).items():
        place = context.after.placements.get(uid)
        writers = [s for s in walk_stmts(kernel.body) if uid in written_by((s,))]
        if uid not in allocated or place is None or place.fixed or not writers:
            continue
        if not wrong.isdisjoint(spans_of(read.stmt)):
            continue
        if any(from_other_core(writer, place.memory, context) for writer in writers):
            continue
        if isinstance(read.stmt, TileOp) and accumulator(read.stmt) is read.region:
            unset_sum(read.stmt, context)
        else:
            _report_later(read.region, writers[0], context)


def never_written(context: CheckContext) -> None:
    """What no statement of the kernel writes holds what another kernel has left there. Buffers with
    an address of the author's may share it with others on purpose."""
    kernel = context.before
    if any(isinstance(s, TileOp) and s.op not in TABLE for s in walk_stmts(kernel.body)):
        return
    written = written_by(walk_stmts(kernel.body)).keys()
    left, variables = _allocated(kernel) - written, _variables(kernel) - written
    for stmt in walk_stmts(kernel.body):
        effect = effect_of(stmt)
        for region in (*effect.reads, *effect.scalars):
            uid = root(region.buffer).uid
            place = context.after.placements.get(uid)
            if uid in left and place is not None and not place.fixed:
                left.remove(uid)
                _report(region, context)
            elif uid in variables:
                variables.remove(uid)
                _report_variable(region, _named_at(stmt, region.buffer), context)


def never_used(context: CheckContext) -> None:
    """A tile that is allocated is for something. One with an address may be there for others' sake."""
    kernel = context.before
    stmts = walk_stmts(kernel.body)
    used = {root(b).uid for stmt in stmts for b in _named(stmt)}
    for stmt in stmts:
        buffer = stmt.buffer if isinstance(stmt, Alloc) else None
        if buffer is None or root(buffer) is not buffer or buffer.uid in used:
            continue
        if buffer.uid not in kernel.addresses:
            _report_unused(buffer, context)


def _named(stmt: Stmt) -> Iterator[Buffer]:
    if isinstance(stmt, Alloc) or isinstance(stmt, Store) and stmt.span == stmt.buffer.span:
        return  # nor what a variable is allocated with
    effect = effect_of(stmt)
    for region in (*effect.reads, *effect.writes, *effect.scalars, *regions_of(stmt)):
        yield region.buffer
    if isinstance(stmt, Store):
        yield stmt.buffer
    for value in exprs_of(stmt):
        for load in loads(value):
            yield load.buffer


def _report_unused(buffer: Buffer, context: CheckContext) -> None:
    planned = context.before.options.on(MEMORY_PLANNING)
    notes = (f"It takes room all the same without {MEMORY_PLANNING}.",) if buffer.shape else ()
    context.report.add(
        "unused-buffer",
        buffer.span,
        f"nothing in the kernel uses {buffer.name}",
        notes=() if planned else notes,
    )


def _allocated(kernel: Kernel) -> set[int]:
    """The tiles with storage of their own."""
    stmts = walk_stmts(kernel.body)
    return {s.buffer.uid for s in stmts if isinstance(s, Alloc) and s.buffer.shape}


def _variables(kernel: Kernel) -> set[int]:
    return {
        s.buffer.uid
        for s in walk_stmts(kernel.body)
        if isinstance(s, Alloc) and s.buffer.scope == "var"
    }


def _named_at(stmt: Stmt, variable: Buffer) -> Span:
    """The argument of a call that is a variable; else the statement that reads it somewhere."""
    if isinstance(stmt, TileOp):
        for arg, span in zip(stmt.args, stmt.spans, strict=False):
            if isinstance(arg, Load) and arg.buffer is variable:
                return span
    return stmt.span


def _report_variable(region: Region, place: Span, context: CheckContext) -> None:
    name = region.buffer.name
    context.report.add(
        "unwritten",
        place,
        f"{name} is read here, and nothing in the kernel assigns it",
        notes=("Upstream's compiler has it 0: give it a value, as init= of T.alloc_var or by =.",),
        severity=Severity.WARNING,
        related=(Related(region.buffer.span, f"{name}: {region.buffer.dtype}"),),
    )


def _report(region: Region, context: CheckContext) -> None:
    buffer = region.buffer
    context.report.add(
        "unwritten",
        region.span,
        f"{buffer.name} is read here, and nothing in the kernel writes it",
        notes=("It holds whatever was in that memory before.",),
        related=(Related(buffer.span, f"{buffer.name}: {buffer.dtype}{shape_text(buffer.shape)}"),),
    )


def from_other_core(writer: Stmt, memory: Memory, context: CheckContext) -> bool:
    """True where a tile comes through GM: which core is ahead there, the text does not say."""
    sources = [context.memory(region) for region in effect_of(writer).reads]
    on_chip = [m for m in sources if m is not None and m is not Memory.GM]
    return any((m is Memory.UB) != (memory is Memory.UB) for m in on_chip)


def _report_later(region: Region, later: Stmt, context: CheckContext) -> None:
    buffer = region.buffer
    context.report.add(
        "unwritten",
        region.span,
        f"{buffer.name} is read here before anything has written it",
        notes=("It holds whatever was in that memory before. T.tile.fill gives it a first value.",),
        severity=Severity.WARNING,
        related=(Related(later.span, f"{buffer.name} is first written here"),),
    )
