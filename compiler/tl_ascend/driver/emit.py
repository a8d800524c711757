"""From a checked kernel to its program, or to the findings that stand in the way."""

from __future__ import annotations

from dataclasses import dataclass

from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Backend, Emitted
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Finding, Report
from tl_ascend.driver.check import OURS, KernelReport, internal, on_route
from tl_ascend.ir.nodes import For, Kernel, Options, walk_stmts
from tl_ascend.target.hardware import Platform


@dataclass(frozen=True, slots=True)
class Outcome:
    """Either a program, or why there is none. `lowered`: what it was made of."""

    emitted: Emitted | None
    blockers: tuple[Finding, ...] = ()
    lowered: Kernel | None = None


def emit_kernel(kernel: KernelReport, backend: Backend) -> Outcome:
    """Emit one kernel. No program comes of a kernel that is certainly wrong, or that lowering left
    undone in part."""
    if kernel.lowered is None or kernel.status != "checked":
        reason = f"this kernel is not known whole, so it cannot be emitted: {kernel.reason}"
        return Outcome(None, (Finding("not-lowered", kernel.span, reason),))
    kernel = on_route(kernel, Options(target=backend.name).route)
    if kernel.lowered is None:
        return Outcome(None, tuple(kernel.findings))
    blockers = tuple(f for f in kernel.findings if blocks(f, kernel.lowered))
    if blockers:
        return Outcome(None, blockers)
    if not backend.serves(kernel.platform):
        text = f"route {backend.name} has no programs for {kernel.platform.name}: {backend.title}"
        return Outcome(None, (Finding("not-lowered", kernel.span, text),))
    return _emit(kernel.lowered, kernel.platform, backend)


def refusals(lowered: Kernel, platform: Platform) -> tuple[Finding, ...] | None:
    """Why the route that a kernel chose has no program for it: empty where it has one, None where the
    route does not serve the platform."""
    backend = registry.backend(lowered.options.route)
    return _emit(lowered, platform, backend).blockers if backend.serves(platform) else None


def _emit(lowered: Kernel, platform: Platform, backend: Backend) -> Outcome:
    report = Report()
    try:
        emitted = backend.emit(lowered, platform, report)
        if emitted is None and not report.findings:
            raise ValueError("it gave neither a program nor a reason")
    except Exception as error:  # a bug, told once with its kernel
        internal(report, lowered.span, error, f"kernel {lowered.name}", _author(backend))
        emitted = None
    return Outcome(emitted, () if emitted is not None else tuple(report.findings), lowered)


def _author(backend: Backend) -> str:
    """Whose bug it is: code of others runs here, too."""
    if registry.is_ours(backend):
        return OURS
    return f"the back end {backend.name!r} ({backend.emit.__module__})"


def blocks(finding: Finding, lowered: Kernel) -> bool:
    """Errors block as their rule says, and so does what is not lowered; a loop that could overlap its
    iterations and does not is only slower."""
    if finding.name != "not-lowered":
        return finding.level >= Severity.ERROR and finding.rule.blocks and finding.blocks
    loops = (stmt.span for stmt in walk_stmts(lowered.body) if isinstance(stmt, For))
    return finding.span not in loops
