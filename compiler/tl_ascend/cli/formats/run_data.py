"""What one run of `tl-check` gave, as the formats read it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ide.model import Diagnostic
from tl_ascend.ide.result import FileResult


@dataclass(frozen=True, slots=True)
class Run:
    """`level`: the quietest severity that is written; `colored`: whether the text may have colours;
    `failures`: what the tool could not do."""

    results: Sequence[FileResult]
    level: Severity = Severity.INFO
    seconds: float = 0.0
    colored: bool = False
    failures: Sequence[str] = ()

    def findings(self) -> Iterator[tuple[FileResult, Diagnostic]]:
        """What is to be written, in order."""
        for result in self.results:
            for found in result.diagnostics:
                if found.severity >= self.level:
                    yield result, found

    def summary(self) -> dict[str, Any]:
        """Counts, of all severities."""
        found = [d for r in self.results for d in r.diagnostics]
        return {
            "files": len(self.results),
            "kernels": sum(len(r.kernels) for r in self.results),
            "errors": sum(d.severity is Severity.ERROR for d in found),
            "warnings": sum(d.severity is Severity.WARNING for d in found),
            "seconds": round(self.seconds, 3),
        }


def shown_path(path: str) -> str:
    """A path as other tools want it: from the working directory where it lies below, with `/`."""
    relative = os.path.relpath(path)
    outside = relative.startswith(os.pardir) or os.path.isabs(relative)
    return Path(os.path.abspath(path) if outside else relative).as_posix()
