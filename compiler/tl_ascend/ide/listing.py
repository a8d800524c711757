"""What becomes of a kernel as text beside it: emitted source or lowered IR, with the lines behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tl_ascend.backends import registry
from tl_ascend.diagnostics.report import Report
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.driver.select import Selected
from tl_ascend.ir.text import kernel_lines
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import STAGES, lower
from tl_ascend.source.span import Span

FRONT_END = "front-end"
SOURCE, IR = "source", "ir"


@dataclass(frozen=True, slots=True)
class Listing:
    """`lines`: row of the text to row of the kernel's file, both from 1; `why`: why there is no
    text."""

    title: str
    language: str
    text: str = ""
    lines: tuple[tuple[int, int], ...] = ()
    why: str = ""


def stages() -> tuple[tuple[str, str], ...]:
    """Names of stages with their reasons, in order."""
    first = (FRONT_END, "The kernel as evaluated.")
    return (first, *((stage.name, stage.reason) for stage in STAGES))


def emitted_source(item: Selected, route: str) -> Listing:
    """The program of a kernel. `route`: empty for the one that its jit says."""
    title = f"{item.name}.{item.number}"
    try:
        backend = registry.meant(route or item.kernel.kernel.options.route)
    except registry.BadBackend as error:
        return Listing(title, "cpp", why=str(error))
    outcome = emit_kernel(item.kernel, backend)
    if outcome.emitted is None:
        reasons = (f"{f.rule.code} {f.name}: {f.message}" for f in outcome.blockers)
        return Listing(title, "cpp", why="; ".join(reasons))
    lines = _rows(item, outcome.emitted.source_map.lines)
    return Listing(f"{title}{backend.suffix}", "cpp", outcome.emitted.text, tuple(lines))


def lowered_ir(item: Selected, stage: str = "") -> Listing:
    """The kernel after a stage, by default the last."""
    names = [name for name, _ in stages()]
    stage = stage or names[-1]
    title = f"{item.name}.{item.number} after {stage}"
    if stage not in names:
        return Listing(title, "python", why=f"no stage {stage!r}; there are: {', '.join(names)}")
    kernel = item.kernel.kernel
    if item.kernel.status == "skipped":
        return Listing(title, "python", why=f"it is not lowered: {item.kernel.reason}")
    if stage != FRONT_END:
        kernel = lower(kernel, LowerOptions(item.kernel.platform), Report(), until=stage)
    found = list(kernel_lines(kernel))
    spans = ((row, span) for row, (_, span) in enumerate(found, 1) if span is not None)
    text = "".join(f"{line}\n" for line, _ in found)
    return Listing(title, "python", text, tuple(_rows(item, spans)))


def _rows(item: Selected, lines: Iterable[tuple[int, Span]]) -> Iterator[tuple[int, int]]:
    """Rows of the kernel's own file; what comes of another file is left out."""
    for row, span in lines:
        place = item.report.range_of(span)
        if place is not None and place.path == item.report.file.source.path:
            yield row, place.start.row
