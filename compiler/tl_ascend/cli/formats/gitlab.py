"""GitLab's report of code quality, the subset of Code Climate's format that it reads."""

from __future__ import annotations

from typing import Any, TextIO

from tl_ascend.cli.formats.run_data import Run, shown_path
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.driver.strict_json import dumps
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
    out.write(dumps([_issue(found) for _, found in run.findings()], indent=1) + "\n")


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
