"""Findings as text with excerpts, as one line each, and as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ide.model import Diagnostic
from tl_ascend.ide.result import FileResult as Result
from tl_ascend.ide.result import KernelSummary, shown_rows
from tl_ascend.source.span import Range

MAX_WIDTH = 200
_STYLES = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.INFO: "bold blue",
    Severity.HINT: "bold cyan",
}


# --- text ------------------------------------------------------------------------------------


def console_for(color: str) -> Console:
    """The standard output. `color`: auto, always, never."""
    forced = {"always": True, "never": False}.get(color)
    return Console(
        file=sys.stdout,
        force_terminal=forced,
        no_color=color == "never",
        highlight=False,
        soft_wrap=True,
        markup=False,
        emoji=False,
    )


def full(results: Sequence[Result], level: Severity, seconds: float, color: str) -> None:
    """Each finding with its lines, carets, notes and the other places it speaks of."""
    console = console_for(color)
    for item in results:
        for found in item.diagnostics:
            if found.severity >= level:
                console.print(_finding(item, found))
    console.print(_summary(results, seconds))


def _finding(item: Result, found: Diagnostic) -> Text:
    style = _STYLES[found.severity]
    out = Text()
    out.append(f"{found.severity.label}[{found.code}]", style)
    out.append(f" {found.name}: ", style)
    out.append(f"{found.message}\n", "bold")
    _excerpt(out, item, found.range, style, "")
    for place in found.related:
        _excerpt(out, item, place.range, "bold blue", place.message)
    for note in found.notes:
        out.append("  = note: ", "bold blue")
        out.append(f"{note}\n")
    if found.instances:
        out.append("  = instance: ", "bold blue")
        out.append(_instances(found) + "\n")
    for fix in found.fixes:
        out.append("  = fix: ", "bold green")
        out.append(f"{fix.title}\n")
    return out


def _instances(found: Diagnostic) -> str:
    shown = "; ".join(found.instances[:2])
    more = len(found.instances) - 2
    return f"{shown}; and {more} more" if more > 0 else shown


def _excerpt(out: Text, item: Result, place: Range, style: str, label: str) -> None:
    row, column = place.start.row, place.start.column + 1
    known = item.excerpts.get(place.path, {})
    rows = [number for number in shown_rows(place) if number in known]
    width = len(str(rows[-1] if rows else row))
    out.append(" " * width + "--> ", "bold blue")
    out.append(f"{place.path}:{row}:{column}\n")
    for number in rows:
        out.append(f"{number:>{width}} | ", "bold blue")
        begin, end = _marked(known[number], number, place)
        shown, begin, end = _window(visible(known[number]), begin, end)
        out.append(shown + "\n")
        out.append(" " * width + " | ", "bold blue")
        said = f" {label}" if label and number == rows[-1] else ""
        out.append(" " * begin + "^" * max(end - begin, 1) + said + "\n", style)


def _window(line: str, begin: int, end: int) -> tuple[str, int, int]:
    """The part of a very long line around what is marked."""
    if len(line) <= MAX_WIDTH:
        return line, begin, end
    first = max(0, begin - MAX_WIDTH // 4)
    shown = line[first : first + MAX_WIDTH]
    return shown, begin - first, min(end - first, len(shown))


def _marked(line: str, number: int, place: Range) -> tuple[int, int]:
    begin = place.start.column if number == place.start.row else len(line) - len(line.lstrip())
    end = place.end.column if number == place.end.row else len(line)
    return len(visible(line[:begin])), len(visible(line[:end]))


def visible(text: str) -> str:
    """A source line that cannot disturb the terminal: tabs widened, control characters shown."""
    text = text.expandtabs(4)
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def concise(results: Sequence[Result], level: Severity, seconds: float, color: str) -> None:
    """One line a finding."""
    console = console_for(color)
    for item in results:
        for found in item.diagnostics:
            if found.severity >= level:
                start = found.range.start
                head = f"{found.range.path}:{start.row}:{start.column + 1}: "
                text = Text(head, "bold")
                text.append(f"{found.severity.label}[{found.code}]", _STYLES[found.severity])
                text.append(f" {found.name}: {found.message}")
                console.print(text)
    console.print(_summary(results, seconds))


def _summary(results: Sequence[Result], seconds: float) -> Text:
    count = summary(results, seconds)
    kernels = [k for r in results for k in r.kernels]
    skipped = sum(k.status == "skipped" for k in kernels)
    parts = [
        _plural(count["errors"], "error"),
        _plural(count["warnings"], "warning"),
        f"in {_plural(count['kernels'], 'kernel instance')} of {_plural(count['files'], 'file')}",
    ]
    text = f"{parts[0]}, {parts[1]} {parts[2]}"
    if skipped:
        first = next(k for k in kernels if k.status == "skipped")
        text += f"; {skipped} not checked, first {first.path}:{first.row}: {first.reason}"
    return Text(text, "bold red" if count["errors"] else "bold green")


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def summary(results: Sequence[Result], seconds: float) -> dict[str, Any]:
    """Counts over a run."""
    found = [d for r in results for d in r.diagnostics]
    return {
        "files": len(results),
        "kernels": sum(len(r.kernels) for r in results),
        "errors": sum(d.severity is Severity.ERROR for d in found),
        "warnings": sum(d.severity is Severity.WARNING for d in found),
        "seconds": round(seconds, 3),
    }


# --- JSON ------------------------------------------------------------------------------------


def as_json(results: Sequence[Result], level: Severity, seconds: float, color: str) -> None:
    """The documented machine format; every severity is in it."""
    out = {
        "version": 1,
        "diagnostics": [_json_diagnostic(d) for r in results for d in r.diagnostics],
        "kernels": [_json_kernel(k) for r in results for k in r.kernels],
        "summary": summary(results, seconds),
    }
    json.dump(out, sys.stdout, indent=1, ensure_ascii=True)
    sys.stdout.write("\n")


def _json_range(place: Range) -> dict[str, int]:
    return {
        "row": place.start.row,
        "column": place.start.column + 1,
        "end_row": place.end.row,
        "end_column": place.end.column + 1,
    }


def _json_diagnostic(found: Diagnostic) -> dict[str, Any]:
    return {
        "path": found.range.path,
        "code": found.code,
        "name": found.name,
        "severity": found.severity.label,
        "message": found.message,
        "notes": list(found.notes),
        **_json_range(found.range),
        "kernel": found.kernel or None,
        "instances": list(found.instances),
        "target": found.target or None,
        "related": [
            {"path": p.range.path, **_json_range(p.range), "message": p.message}
            for p in found.related
        ],
        "fixes": [
            {
                "title": f.title,
                "edits": [{**_json_range(e.range), "new_text": e.new_text} for e in f.edits],
            }
            for f in found.fixes
        ],
    }


def _json_kernel(kernel: KernelSummary) -> dict[str, Any]:
    return {
        "path": kernel.path,
        "factory": kernel.factory,
        "name": kernel.name,
        "row": kernel.row,
        "instance": kernel.instance,
        "status": kernel.status,
        "reason": kernel.reason,
        "lowered": dict(kernel.lowered),
        "buffers": [dict(b) for b in kernel.buffers],
        "operations": list(kernel.operations),
    }


Writer = Callable[[Sequence[Result], Severity, float, str], None]
WRITERS: dict[str, Writer] = {"full": full, "concise": concise, "json": as_json}
