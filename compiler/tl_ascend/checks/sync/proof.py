"""Repairs that are tried: the lowered kernel is looked at again with the calls that they add."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tl_ascend.checks.context import CheckContext
from tl_ascend.diagnostics.report import Applicability, Finding, Fix, Report
from tl_ascend.ir.nodes import Block, Kernel, Stmt, TileOp, blocks_of, with_blocks
from tl_ascend.source.span import Span

# Repairs of a kernel that are tried: each is one more execution.
MOST_TRIED = 3
Look = Callable[[CheckContext], object]


@dataclass(frozen=True, slots=True)
class Added:
    """A flag's call above or below a statement of the author's."""

    place: Span
    below: bool
    name: str
    args: tuple[Any, ...]

    @property
    def call(self) -> TileOp:
        span = replace(self.place, part="added")
        return TileOp(self.name, self.args, span, (span,) * len(self.args))

    @property
    def code(self) -> Stmt:
        return self.call


def proved(
    findings: Sequence[Finding],
    tried: dict[Fix, tuple[Added, ...]],
    context: CheckContext,
    look: Look,
) -> list[Finding]:
    """The findings, where a repair that is seen to take one away and to bring none is a safe one, and
    one that is seen to leave one or to bring another is not offered. Of several the first is taken."""
    left = MOST_TRIED
    out: list[Finding] = []
    for finding in findings:
        kept: list[Fix] = []
        for fix in finding.fixes:
            verdict = None
            if fix in tried and left:
                left -= 1
                verdict = _repairs(finding, tried[fix], findings, context, look)
            if verdict is None and _copied(tried.get(fix, ()), context.before):
                continue  # it changes several places at one time
            if verdict:
                kept = [replace(fix, applicability=Applicability.SAFE)]
                break
            if verdict is None:
                kept.append(fix)
        out.append(replace(finding, fixes=tuple(kept)))
    return out


def _repairs(
    finding: Finding,
    added: tuple[Added, ...],
    findings: Sequence[Finding],
    context: CheckContext,
    look: Look,
) -> bool | None:
    """None where it cannot be tried."""
    kernel = with_calls(context.after, added, context.before)
    if kernel is None:
        return None
    report = Report()
    look(replace(context, after=kernel, report=report))
    others = {(f.name, f.span) for f in findings if f is not finding}
    return {(f.name, f.span) for f in report.findings} <= others


def _copied(added: Sequence[Added], kernel: Kernel) -> bool:
    return any(_copies(kernel.body, one.place) > 1 for one in added)


def _copies(block: Block, place: Span) -> int:
    """How often a statement of the author's stands in a block: that of a macro once for each call. The
    loops of one statement, one in the other, are one."""
    return sum(
        1 if stmt.span == place else sum(_copies(inner, place) for inner in blocks_of(stmt))
        for stmt in block
    )


def with_calls(
    kernel: Kernel, added: Sequence[Added], written: Kernel | None = None
) -> Kernel | None:
    """The kernel with calls that the author may add; None where a place is not a single one.
    `written`: as the author wrote it, where a place may be in a macro, which all of its calls have."""
    body = kernel.body
    for one in added:
        copies = _copies(written.body, one.place) if written is not None else 1
        if copies > 1:
            body, count = _in_copies(body, one)
            if count != copies:
                return None
            continue
        changed = _with_call(body, one)
        if len(changed) != 1:
            return None
        body = changed[0]
    return replace(kernel, body=body)


def _in_copies(block: Block, one: Added) -> tuple[Block, int]:
    """The block with the call at each copy of a statement, and how many these are. What became of one
    copy stands together, but for what the compiler adds."""
    out: list[Stmt] = []
    last, count = -1, 0  # where a copy ends in `out`
    for stmt in block:
        if one.place in _places(stmt):
            if last < 0:
                count += 1
                out += () if one.below else (one.call,)
            out.append(stmt)
            last = len(out)
            continue
        if last >= 0 and not (isinstance(stmt, TileOp) and stmt.reason):
            out[last:last] = (one.call,) if one.below else ()
            last = -1
        inner = [_in_copies(each, one) for each in blocks_of(stmt)]
        changed = any(number for _, number in inner)
        out.append(with_blocks(stmt, tuple(each for each, _ in inner)) if changed else stmt)
        count += sum(number for _, number in inner)
    if last >= 0 and one.below:
        out.insert(last, one.call)
    return tuple(out), count


def _with_call(block: Block, one: Added) -> list[Block]:
    """The block with the call, once for each place where the statement stands."""
    here = [at for at, stmt in enumerate(block) if one.place in _places(stmt)]
    if here:
        at = here[-1] + 1 if one.below else here[0]
        return [(*block[:at], one.code, *block[at:])]
    found: list[Block] = []
    for at, stmt in enumerate(block):
        for changed in _within(stmt, one):
            found.append((*block[:at], changed, *block[at + 1 :]))
    return found


def _places(stmt: Stmt) -> tuple[Span | None, ...]:
    """Where a statement stands for the author: that of a T.Parallel is its loop."""
    return (stmt.span, stmt.loop) if isinstance(stmt, TileOp) else (stmt.span,)


def _within(stmt: Stmt, one: Added) -> list[Stmt]:
    blocks = blocks_of(stmt)
    return [
        with_blocks(stmt, (*blocks[:at], changed, *blocks[at + 1 :]))
        for at, inner in enumerate(blocks)
        for changed in _with_call(inner, one)
    ]


def without(block: Block, stmt: Stmt) -> Block:
    """The block, with all that stands in it, without a statement."""
    kept = (one for one in block if one is not stmt)
    return tuple(
        with_blocks(one, tuple(without(inner, stmt) for inner in blocks_of(one)))
        if blocks_of(one)
        else one
        for one in kept
    )
