"""Run the checks on a kernel that is built by hand."""

from __future__ import annotations

from tl_ascend.checks.run import check
from tl_ascend.diagnostics.report import Finding, Report
from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.nodes import Kernel
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import lower
from tl_ascend.target.hardware import A3


def checked(kernel: Kernel | KernelBuilder, upstream: str = "snapshot") -> list[Finding]:
    """What the checks say, without what lowering says, and without that nothing fills or uses tiles of
    a kernel that is a single call."""
    if isinstance(kernel, KernelBuilder):
        kernel.frame or kernel.launch(1)
        kernel = kernel.build()
    report = Report()
    after = lower(kernel, LowerOptions(upstream=upstream), Report())
    check(kernel, after, A3, report, upstream)
    return [f for f in report.findings if f.name not in ("unwritten", "unused-buffer")]


def only(kernel: Kernel | KernelBuilder, upstream: str = "snapshot") -> Finding:
    found = checked(kernel, upstream)
    assert len(found) == 1, [f.message for f in found]
    return found[0]


def holds(finding: Finding, *facts: str) -> bool:
    """True where every fact occurs in the message or its notes."""
    text = " ".join([finding.message, *finding.notes])
    return all(fact in text for fact in facts)
