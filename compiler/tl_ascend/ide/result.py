"""What `tl-check` prints of a file: plain data that can be kept on disk and sent between processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tl_ascend.driver.rules import Rules
from tl_ascend.driver.settings import project_settings
from tl_ascend.driver.suppressions import Suppression, suppressions
from tl_ascend.ide.fingerprints import with_fingerprints
from tl_ascend.ide.model import Diagnostic
from tl_ascend.source.span import Range

if TYPE_CHECKING:
    from tl_ascend.driver.check import FileReport, KernelReport

EXCERPT_ROWS = 3


@dataclass(frozen=True, slots=True)
class KernelSummary:
    """One kernel of one instance, as documented for `tl-check --format json`."""

    path: str
    factory: str | None
    name: str
    row: int
    instance: str
    status: str
    reason: str
    lowered: Mapping[str, bool]
    buffers: tuple[Mapping[str, Any], ...]
    operations: tuple[str, ...]
    origin: str = "call"  # call, stated, defaults or symbolic; not part of the JSON
    reason_at: tuple[str, int, int] | None = None  # path, row and column, 1-based

    @property
    def place(self) -> str:
        """Where the reason stands, or the kernel: `path:row`."""
        path, row = self.reason_at[:2] if self.reason_at is not None else (self.path, self.row)
        return f"{path}:{row}"


@dataclass(frozen=True, slots=True)
class FileResult:
    """One file, checked. `diagnostics` are all until `told` is asked. `excerpts`: the source lines that
    they show, by path and row; `comments`: what the author suppresses; `failure`: why the file could
    not be read (then there is nothing else); `called`: other files of which its calls make kernels;
    `partly`: only what calls of other files make of it was looked at."""

    path: str
    diagnostics: tuple[Diagnostic, ...] = ()
    kernels: tuple[KernelSummary, ...] = ()
    excerpts: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    comments: tuple[Suppression, ...] = ()
    failure: str = ""
    called: tuple[str, ...] = ()
    partly: bool = False


def file_result(path: str, report: FileReport) -> FileResult:
    """A file's report as plain data."""
    from tl_ascend.ide.diagnostics import all_diagnostics

    found = all_diagnostics(report)
    excerpts = _excerpts(report, found)
    found = with_fingerprints(found, excerpts, report.project.named(path))
    kernels = tuple(_kernel(report, k, path) for k in report.kernels)
    comments = suppressions(report.file.source)
    return FileResult(path, found, kernels, excerpts, comments, "", report.called, report.partly)


def told(result: FileResult, rules: Rules) -> FileResult:
    """The result with what comments, the project and a command line leave of it."""
    from tl_ascend.ide.chosen import chosen

    project = project_settings(result.path)
    place = project.relative(result.path)
    found = chosen(result.diagnostics, result.comments, rules.over(project.rules), place)
    return replace(result, diagnostics=found)


def _excerpts(report: FileReport, found: tuple[Diagnostic, ...]) -> dict[str, dict[int, str]]:
    out: dict[str, dict[int, str]] = {}
    for item in found:
        edited = (edit.range for fix in item.fixes for edit in fix.edits)
        for place in (item.range, *(r.range for r in item.related), *edited):
            file = report.files.get(place.path)
            lines = file.source.lines if file is not None else []
            for row in (*shown_rows(place), place.end.row):
                if row <= len(lines):
                    out.setdefault(place.path, {})[row] = lines[row - 1]
    return out


def shown_rows(place: Range) -> range:
    """The rows of a range that an excerpt shows."""
    last = min(place.end.row, place.start.row + EXCERPT_ROWS - 1)
    return range(place.start.row, max(last, place.start.row) + 1)


def _kernel(report: FileReport, kernel: KernelReport, path: str) -> KernelSummary:
    from tl_ascend.passes.summary import operations

    place = report.range_of(kernel.span)
    reason = report.range_of(kernel.reason_at) if kernel.reason_at is not None else None
    return KernelSummary(
        place.path if place is not None else path,
        kernel.factory,
        kernel.name,
        place.start.row if place is not None else 1,
        kernel.instance,
        kernel.status,
        kernel.reason,
        dict(kernel.routes),
        _buffers(kernel),
        tuple(operations(kernel.lowered)) if kernel.lowered is not None else (),
        kernel.origin,
        (reason.path, reason.start.row, reason.start.column + 1) if reason is not None else None,
    )


def _buffers(kernel: KernelReport) -> tuple[dict[str, Any], ...]:
    from tl_ascend.ir.storage import buffers

    if kernel.lowered is None:
        return ()
    found = [*kernel.lowered.tensors, *buffers(kernel.lowered)]
    return tuple(_buffer(kernel, b) for b in found if b.scope != "var")


def _buffer(kernel: KernelReport, buffer: Any) -> dict[str, Any]:
    from tl_ascend.ir.expr import Expr
    from tl_ascend.ir.storage import placed_bytes
    from tl_ascend.ir.text import show

    assert kernel.lowered is not None
    place = kernel.lowered.placements.get(buffer.uid)
    shape = place.shape if place is not None else buffer.shape
    return {
        "name": buffer.name,
        "memory": place.memory.value if place is not None else "GM",
        "dtype": buffer.dtype.name,
        "shape": [show(s) if isinstance(s, Expr) else s for s in shape],
        "bytes": placed_bytes(buffer, place) if place is not None else None,
        "address": place.address if place is not None else None,
    }
