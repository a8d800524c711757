"""What each stage of lowering makes of a kernel: its text, what changed, how long it took; and the
program that comes of it."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from tl_ascend.backends.manifest import Backend
from tl_ascend.diagnostics.report import Finding, Report
from tl_ascend.driver.check import KernelReport
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.ir.nodes import Kernel
from tl_ascend.ir.text import kernel_text
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.pipeline import STAGES
from tl_ascend.source.span import Span

FRONT_END, EMISSION = "front-end", "emit"
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Step:
    """One stage. Unit: `ms` CPU milliseconds of this thread, of the front end for the whole file.
    `diff`: to the text before, None where that is of another kind. `said`: findings."""

    name: str
    reason: str
    text: str
    diff: tuple[str, ...] | None
    ms: float
    said: tuple[str, ...] = ()

    @property
    def changed(self) -> tuple[int, int]:
        """Lines that came, lines that went."""
        lines = self.diff or ()
        return (
            sum(line.startswith("+") for line in lines),
            sum(line.startswith("-") for line in lines),
        )

    def slow(self, limit: float | None) -> bool:
        """True where it took longer than `limit` milliseconds."""
        return limit is not None and self.ms > limit


def trace(
    report: KernelReport,
    upstream: str,
    evaluated_ms: float,
    locate: Callable[[Span], str] | None = None,
    backend: Backend | None = None,
) -> list[Step]:
    """Lower a kernel stage by stage, and emit it, where there is a back end. `locate` adds the place of
    each statement to the texts. `evaluated_ms`: what the front end took."""
    sink = Report()
    context = PassContext(report.platform, sink, upstream)
    kernel = report.kernel
    why = "The kernel as evaluated; the time is that of its whole file."
    steps = [Step(FRONT_END, why, kernel_text(kernel, locate), None, evaluated_ms)]
    for stage in STAGES:
        told = len(sink.findings)
        kernel, ms = _timed(partial(stage.run, kernel, context))
        said = _said(sink.findings[told:])
        steps.append(_step(stage.name, stage.reason, kernel, steps[-1], ms, said, locate))
    if backend is not None:
        steps.append(_emitted(report, kernel, backend))
    return steps


def emitted(steps: list[Step]) -> bool:
    """False where a program was asked for, and none came of the kernel."""
    return all(step.text for step in steps if step.name == EMISSION)


def _timed(work: Callable[[], Made]) -> tuple[Made, float]:
    began = time.thread_time()
    made = work()
    return made, (time.thread_time() - began) * 1000


def _said(findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(f"{f.name}: {f.message}" for f in findings)


def _emitted(report: KernelReport, lowered: Kernel, backend: Backend) -> Step:
    """A program, or why there is none."""
    whole = replace(report, lowered=lowered)
    outcome, ms = _timed(partial(emit_kernel, whole, backend))
    text = outcome.emitted.text if outcome.emitted is not None else ""
    title = f"The program of route {backend.name}: {backend.title}."
    return Step(EMISSION, title, text, None, ms, _said(outcome.blockers))


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
