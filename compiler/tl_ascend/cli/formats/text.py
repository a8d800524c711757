"""Findings for people: with excerpts, as one line each, and counted."""

from __future__ import annotations

from collections import Counter
from typing import TextIO

from rich.console import Console
from rich.text import Text

from tl_ascend.cli.formats.run_data import Run
from tl_ascend.diagnostics.catalogue import BY_CODE, Severity
from tl_ascend.ide.model import Diagnostic
from tl_ascend.ide.result import FileResult as Result
from tl_ascend.ide.result import shown_rows
from tl_ascend.source.span import Range
from tl_ascend.source.words import counted

MAX_WIDTH = 200
_STYLES = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.INFO: "bold blue",
    Severity.HINT: "bold cyan",
}


def console_for(out: TextIO, colored: bool) -> Console:
    """A console that writes plain lines, with colours where they are wanted."""
    return Console(
        file=out,
        force_terminal=colored,
        color_system="standard" if colored else None,
        no_color=not colored,
        highlight=False,
        soft_wrap=True,
        markup=False,
        emoji=False,
    )


def full(run: Run, out: TextIO) -> None:
    """Each finding with its lines, carets, notes and the other places it speaks of."""
    console = console_for(out, run.colored)
    for item, found in run.findings():
        console.print(_finding(item, found))
    console.print(_summary(run))


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
        out.append(f"{fix.title}{'' if fix.safe else ' (unsafe)'}\n")
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


def concise(run: Run, out: TextIO) -> None:
    """One line a finding."""
    console = console_for(out, run.colored)
    for _, found in run.findings():
        start = found.range.start
        head = f"{found.range.path}:{start.row}:{start.column + 1}: "
        text = Text(head, "bold")
        text.append(f"{found.severity.label}[{found.code}]", _STYLES[found.severity])
        text.append(f" {found.name}: {found.message}")
        console.print(text)
    console.print(_summary(run))


def statistics(run: Run, out: TextIO) -> None:
    """How often each diagnostic was found, the most frequent first; `*` where fixes are offered."""
    console = console_for(out, run.colored)
    count, fixable = Counter[str](), Counter[str]()
    for _, found in run.findings():
        count[found.code] += 1
        fixable[found.code] += bool(found.fixes)
    width = len(str(max(count.values(), default=0)))
    for code, number in sorted(count.items(), key=lambda item: (-item[1], item[0])):
        text = Text(f"{number:>{width}}  {code}  ", "bold")
        text.append(f"[{'*' if fixable[code] else ' '}]  {BY_CODE[code].name}")
        console.print(text)
    console.print(_summary(run))


def _summary(run: Run) -> Text:
    count = run.summary()
    kernels = [k for r in run.results for k in r.kernels]
    skipped = sum(k.status == "skipped" for k in kernels)
    parts = [
        counted(count["errors"], "error"),
        counted(count["warnings"], "warning"),
        f"in {counted(count['kernels'], 'kernel instance')} of {counted(count['files'], 'file')}",
    ]
    text = f"{parts[0]}, {parts[1]} {parts[2]}"
    if skipped:
        first = next(k for k in kernels if k.status == "skipped")
        text += f"; {skipped} not checked, first {first.place}: {first.reason}"
    return Text(text, "bold red" if count["errors"] else "bold green")
