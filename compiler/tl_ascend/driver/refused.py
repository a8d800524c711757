"""Kernels for which a route has no program, and how that is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Finding, Related, Report
from tl_ascend.ir.nodes import Kernel, TileOp, walk_stmts
from tl_ascend.target.hardware import Platform


def refused_by_all(kernel: Kernel, lowered: Kernel, platform: Platform, report: Report) -> bool:
    """True where no route that serves the platform has a program for the kernel. The reason is a
    finding, unless one of lowering says already why there can be none, or an error what is wrong."""
    from tl_ascend.driver.emit import blocks, refusals

    found = refusals(lowered, platform)
    wrong = any(f.level >= Severity.ERROR or blocks(f, lowered) for f in report.findings)
    reasons = [f for f in found or () if f.name != "internal-error"]
    report.findings += [f for f in found or () if f.name == "internal-error"]
    if reasons and not wrong:
        _not_emitted(kernel, reasons, report)
    return found is None or bool(found)


def _not_emitted(kernel: Kernel, reasons: Sequence[Finding], report: Report) -> None:
    """That a kernel has no program is told once, with all places; as a note, where a warning already
    says of such a statement what is wrong."""
    calls = {
        span: stmt.span
        for stmt in walk_stmts(kernel.body)
        for span in (stmt.span, *(stmt.spans if isinstance(stmt, TileOp) else ()))
    }
    warned = {
        calls[f.span]: at
        for at, f in enumerate(report.findings)
        if f.level is Severity.WARNING and f.span in calls
    }
    rest: list[Finding] = []
    for reason in reasons:
        at = warned.get(calls.get(reason.span, reason.span))
        if at is None:
            rest.append(reason)
            continue
        notes = (*report.findings[at].notes, f"No program can be emitted: {reason.message}.")
        report.findings[at] = replace(report.findings[at], notes=notes)
    if rest:
        first, *others = rest
        text = f"no program can be emitted: {first.message}"
        related = tuple(Related(f.span, f"here, too: {f.message}") for f in others)
        report.add("not-lowered", first.span, text, notes=first.notes, related=related)
