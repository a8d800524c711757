"""Workflow commands of GitHub Actions: annotations at the lines of a pull request."""

from __future__ import annotations

from typing import TextIO

from tl_ascend.cli.formats.run_data import Run, shown_path
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ide.model import Diagnostic

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning"}


def write(run: Run, out: TextIO) -> None:
    """One command a finding."""
    for _, found in run.findings():
        out.write(_command(found) + "\n")
    for failure in run.failures:
        out.write(f"::error title=tl-check::{data(failure)}\n")


def _command(found: Diagnostic) -> str:
    start, end = found.range.start, found.range.end
    fields = {
        "title": f"{found.code} {found.name}",
        "file": shown_path(found.range.path),
        "line": str(start.row),
        "endLine": str(end.row),
    }
    if start.row == end.row:  # columns of a range over several lines are refused
        fields |= {"col": str(start.column + 1), "endColumn": str(end.column + 1)}
    told = ",".join(f"{name}={_property(value)}" for name, value in fields.items())
    text = "\n".join((found.message, *found.notes))
    return f"::{_COMMANDS.get(found.severity, 'notice')} {told}::{data(text)}"


def data(text: str) -> str:
    """The message of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return data(text).replace(":", "%3A").replace(",", "%2C")
