"""GitLab's report of code quality, the subset of Code Climate's format that it reads."""

from __future__ import annotations

import json
from typing import Any, TextIO

from tl_ascend.cli.formats.run_data import Run, shown_path
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ide.model import Diagnostic
from tl_ascend.source.span import Position

_SEVERITIES = {
    Severity.ERROR: "major",
    Severity.WARNING: "minor",
    Severity.INFO: "info",
    Severity.HINT: "info",
}


def write(run: Run, out: TextIO) -> None:
    """An array of issues."""
    json.dump([_issue(found) for _, found in run.findings()], out, indent=1)
    out.write("\n")


def _issue(found: Diagnostic) -> dict[str, Any]:
    place = found.range
    return {
        "description": f"{found.code} {found.name}: {found.message}",
        "check_name": found.code,
        "fingerprint": found.fingerprint,
        "severity": _SEVERITIES[found.severity],
        "location": {
            "path": shown_path(place.path),
            "positions": {"begin": _position(place.start), "end": _position(place.end)},
        },
    }


def _position(place: Position) -> dict[str, int]:
    return {"line": place.row, "column": place.column + 1}
