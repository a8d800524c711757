"""The IR checker after every stage of lowering."""

from __future__ import annotations

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Finding, Report
from tl_ascend.ir.nodes import Kernel
from tl_ascend.ir.verify import verify
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import Stage, lower


def lower_verified(
    kernel: Kernel, options: LowerOptions
) -> tuple[Kernel, list[Finding], list[str]]:
    """The kernel after all stages, what lowering reported, and what the checker found after which
    stage. A kernel whose author erred need not be lowered or planned whole."""
    report, problems = Report(), list[str]()
    known = dict.fromkeys(("scoped", "lowered", "planned"), False)

    def look(stage: Stage, now: Kernel) -> None:
        known.update({stage.establishes: True} if stage.establishes else {})
        wrong = any(finding.level >= Severity.ERROR for finding in report.findings)
        properties = {"scoped": known["scoped"]} if wrong else known
        problems.extend(f"after {stage.name}: {text}" for text in verify(now, **properties))

    lowered = lower(kernel, options, report, observe=look)
    return lowered, report.findings, problems
