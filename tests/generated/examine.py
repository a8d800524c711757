"""Make a kernel from a seed, and find what is wrong with what becomes of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tests.generated import matrices, vectors, wider
from tests.generated.writer import Writer
from tests.harness.stages import lower_verified
from tests.passes.cores import disorder
from tests.passes.happens_before import races

from tl_ascend.backends import registry
from tl_ascend.diagnostics.catalogue import Owner, Severity
from tl_ascend.diagnostics.report import Finding
from tl_ascend.driver.check import Checker, FileReport, KernelReport
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.driver.files import Files
from tl_ascend.ide.facts import Facts
from tl_ascend.ide.why import as_markdown
from tl_ascend.ide.why_buffer import reasons_of_buffer
from tl_ascend.ide.why_statement import reasons_of_statement
from tl_ascend.ir.nodes import Alloc, CoreScope, Kernel, TileOp, walk_stmts
from tl_ascend.ir.text import kernel_text
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.sync_tree import AGAIN, FIRST, LAST, LEFT

_ORDERING = ("set_flag", "wait_flag", "pipe_barrier")
FAMILIES = (*vectors.FAMILIES, *matrices.FAMILIES, *wider.FAMILIES)


@dataclass(frozen=True)
class Case:
    """A file with one kernel."""

    seed: int
    family: str
    text: str


def case(seed: int) -> Case:
    """The kernel of a seed: families in turn."""
    family = FAMILIES[seed % len(FAMILIES)]
    writer = Writer(random.Random(seed))
    family(writer)
    return Case(seed, family.__name__, writer.text(family.__name__, seed))


def problems(made: Case) -> list[str]:
    """What is wrong: nothing should be."""
    report = checked(made)
    found = [f"{f.name}: {f.message}" for f in report.findings]
    if not report.kernels:
        return [*found, "no kernel"]
    for kernel in report.kernels:
        found += [f"{f.name}: {f.message}" for f in kernel.findings if not _allowed(f)]
        if kernel.status != "checked" or kernel.lowered is None:
            found.append(f"{kernel.status}: {kernel.reason}")
            continue
        found += lower_verified(kernel.kernel, LowerOptions(kernel.platform))[2]
        found += _order(kernel.lowered)
        found += _emission(kernel)
        found += _reasons(report, kernel)
    if not found and texts(report) != texts(checked(made)):
        found.append("lowered and emitted again, it is another text")
    return found


def _allowed(finding: Finding) -> bool:
    """True for a hint about cost, and for what upstream's compiler does wrong with a right kernel."""
    warns = finding.rule.owner is Owner.UPSTREAM and finding.level <= Severity.WARNING
    return warns or finding.level <= Severity.HINT


def checked(made: Case) -> FileReport:
    """The file, checked anew."""
    files = Files()
    files.set_text("case.py", made.text)
    return Checker(files).check("case.py")


def texts(report: FileReport) -> list[tuple[str, str]]:
    """The lowered text and the program of each kernel."""
    backend = registry.backend("ascendc")
    out = []
    for kernel in report.kernels:
        program = emit_kernel(kernel, backend).emitted
        assert kernel.lowered is not None and program is not None
        out.append((kernel_text(kernel.lowered), program.text))
    return out


def _order(lowered: Kernel) -> Iterator[str]:
    """Races within a core, and flags between the cores that do not fit, in a few runs."""
    yield from races(lowered)
    if any(isinstance(stmt, CoreScope) for stmt in lowered.body):
        yield from disorder(lowered)


def _emission(kernel: KernelReport) -> Iterator[str]:
    outcome = emit_kernel(kernel, registry.backend("ascendc"))
    yield from (f"not emitted: {f.message}" for f in outcome.blockers)
    if outcome.emitted is None:
        yield "no program"
    elif "__aicore__" not in outcome.emitted.text:
        yield "the program has no kernel"


def _reasons(report: FileReport, kernel: KernelReport) -> Iterator[str]:
    """Every statement and every buffer has reasons; so has all synchronisation that was added."""
    facts = Facts(report, kernel)
    for stmt in walk_stmts(kernel.kernel.body):
        reasons = list(reasons_of_statement(facts, stmt.span))
        if isinstance(stmt, Alloc):
            reasons = list(reasons_of_buffer(facts, stmt.buffer))
        if not reasons or not as_markdown(facts, reasons):
            yield f"no reasons for {stmt}"
    for number, call in enumerate(facts.statements):
        if isinstance(call, TileOp) and call.op in _ORDERING and call.reason:
            alone = any(text in call.reason for text in (FIRST, LAST, LEFT, AGAIN))
            if not facts.hazards.get(number) and not alone:
                yield f"nothing is found that {call.op} orders: {call.reason}"
