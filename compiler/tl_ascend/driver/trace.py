"""What each stage of lowering makes of a kernel: its text, what changed, how long it took."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable
from dataclasses import dataclass

from tl_ascend.diagnostics.report import Report
from tl_ascend.driver.check import KernelReport
from tl_ascend.ir.nodes import Kernel
from tl_ascend.ir.text import kernel_text
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.pipeline import STAGES
from tl_ascend.source.span import Span

FRONT_END = "front-end"


@dataclass(frozen=True, slots=True)
class Step:
    """One stage. Unit: `ms` CPU milliseconds of this thread. `said`: findings of the stage."""

    name: str
    reason: str
    text: str
    diff: tuple[str, ...]
    ms: float
    said: tuple[str, ...] = ()

    @property
    def changed(self) -> tuple[int, int]:
        """Lines that came, lines that went."""
        return (
            sum(line.startswith("+") for line in self.diff),
            sum(line.startswith("-") for line in self.diff),
        )


def trace(
    report: KernelReport, upstream: str, locate: Callable[[Span], str] | None = None
) -> list[Step]:
    """Lower a kernel stage by stage. `locate` adds the place of each statement to the texts."""
    sink = Report()
    context = PassContext(report.platform, sink, upstream)
    kernel = report.kernel
    steps = [Step(FRONT_END, "The kernel as evaluated.", kernel_text(kernel, locate), (), 0.0)]
    for stage in STAGES:
        told = len(sink.findings)
        began = time.thread_time()
        kernel = stage.run(kernel, context)
        ms = (time.thread_time() - began) * 1000
        said = tuple(f"{f.name}: {f.message}" for f in sink.findings[told:])
        steps.append(_step(stage.name, stage.reason, kernel, steps[-1], ms, said, locate))
    return steps


def _step(
    name: str,
    reason: str,
    kernel: Kernel,
    before: Step,
    ms: float,
    said: tuple[str, ...],
    locate: Callable[[Span], str] | None,
) -> Step:
    text = kernel_text(kernel, locate)
    lines = difflib.unified_diff(before.text.splitlines(), text.splitlines(), lineterm="", n=2)
    diff = tuple(line for line in lines if not line.startswith(("---", "+++")))
    return Step(name, reason, text, diff, ms, said)
