"""The documented machine format; every severity is in it."""

from __future__ import annotations

from typing import Any, TextIO

from tl_ascend.cli.formats.run_data import Run
from tl_ascend.driver.strict_json import dumps
from tl_ascend.ide.model import Diagnostic
from tl_ascend.ide.result import KernelSummary
from tl_ascend.source.span import Range


def write(run: Run, out: TextIO) -> None:
    """One object."""
    told = {
        "version": 1,
        "diagnostics": [_diagnostic(d) for r in run.results for d in r.diagnostics],
        "kernels": [_kernel(k) for r in run.results for k in r.kernels],
        "summary": run.summary(),
    }
    out.write(dumps(told, indent=1) + "\n")


def _range(place: Range) -> dict[str, int]:
    return {
        "row": place.start.row,
        "column": place.start.column + 1,
        "end_row": place.end.row,
        "end_column": place.end.column + 1,
    }


def _diagnostic(found: Diagnostic) -> dict[str, Any]:
    return {
        "path": found.range.path,
        "code": found.code,
        "name": found.name,
        "severity": found.severity.label,
        "message": found.message,
        "notes": list(found.notes),
        **_range(found.range),
        "kernel": found.kernel or None,
        "instances": list(found.instances),
        "target": found.target or None,
        "related": [
            {"path": p.range.path, **_range(p.range), "message": p.message} for p in found.related
        ],
        "fixes": [
            {
                "title": f.title,
                "applicability": f.applicability.value,
                "edits": [{**_range(e.range), "new_text": e.new_text} for e in f.edits],
            }
            for f in found.fixes
        ],
    }


def _place(at: tuple[str, int, int] | None) -> dict[str, Any] | None:
    return None if at is None else dict(zip(("path", "row", "column"), at, strict=True))


def _kernel(kernel: KernelSummary) -> dict[str, Any]:
    return {
        "path": kernel.path,
        "factory": kernel.factory,
        "name": kernel.name,
        "row": kernel.row,
        "instance": kernel.instance,
        "status": kernel.status,
        "reason": kernel.reason,
        "reason_at": _place(kernel.reason_at),
        "lowered": dict(kernel.lowered),
        "buffers": [dict(b) for b in kernel.buffers],
        "operations": list(kernel.operations),
    }
