"""Run a case and say in words where it differs from what it states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.harness.expectations import Case, Expected, parse

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.driver.check import KernelReport
from tl_ascend.ide.model import Diagnostic, Hint, Settings
from tl_ascend.ide.workspace import Analysis, Workspace
from tl_ascend.source.text import split_lines


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of a case on one platform."""

    target: str
    analysis: Analysis
    complaints: tuple[str, ...]

    @property
    def kernels(self) -> tuple[KernelReport, ...]:
        index = self.analysis.index
        return index.report.kernels if index is not None else ()


def run_file(path: Path) -> list[Outcome]:
    """Run a case from the disk. Errors: BadCase."""
    return run(str(path), None, path.read_bytes().decode("utf-8-sig", "replace"))


def run_text(text: str, path: str = "/case/kernel.py") -> list[Outcome]:
    """Run a case that exists only as text. Errors: BadCase."""
    return run(path, text, text)


def run(path: str, given: str | None, text: str) -> list[Outcome]:
    """Run on each platform that the case names."""
    case = parse(text)
    return [_on(case, path, given, target) for target in case.targets]


def analyse(path: str, text: str | None, target: str, upstream: str = "snapshot") -> Analysis:
    """One file in a workspace of its own."""
    workspace = Workspace(Settings(target, upstream), str(Path(path).parent))
    if text is not None:
        workspace.set_text(path, text)
    return workspace.analyse(path, lambda: False)


def _on(case: Case, path: str, given: str | None, target: str) -> Outcome:
    analysis = analyse(path, given, target, case.upstream)
    found = Outcome(target, analysis, ())
    complaints = [
        *_findings(case, analysis, target),
        *_hints(case, analysis, target),
        *_kernels(case, found.kernels),
    ]
    prefix = f"[{target}] " if len(case.targets) > 1 else ""
    return Outcome(target, analysis, tuple(prefix + c for c in complaints))


def match(case: Case, analysis: Analysis, target: str) -> tuple[list[Expected], list[Diagnostic]]:
    """Expectations that nothing meets, and errors and warnings that nothing states."""
    expected = [e for e in case.findings if e.target in ("", target)]
    left = list(analysis.diagnostics)
    missing: list[Expected] = []
    # Carets first: an expectation without them must not take the finding that carets mean.
    for item in sorted(expected, key=lambda e: e.columns is None):
        found = next((d for d in left if _is(item, d)), None)
        if found is None:
            missing.append(item)
        else:
            left.remove(found)
    return missing, [d for d in left if d.severity >= Severity.WARNING]


def _findings(case: Case, analysis: Analysis, target: str) -> list[str]:
    missing, loud = match(case, analysis, target)
    told = [_missing(item, list(analysis.diagnostics)) for item in missing]
    return told + [f"unexpected {describe(d)}" for d in loud]


def _is(item: Expected, found: Diagnostic) -> bool:
    start, end = found.range.start, found.range.end
    if (found.severity.label, found.code, start.row) != (item.level, item.code, item.row):
        return False
    if item.columns is not None and item.columns != (start.column, end.column):
        return False
    return item.text in found.message


def _missing(item: Expected, left: list[Diagnostic]) -> str:
    near = [d for d in left if d.range.start.row == item.row]
    seen = "; that line has " + ", ".join(map(describe, near)) if near else ""
    columns = f" in columns {item.columns[0]}-{item.columns[1]}" if item.columns else ""
    return f"missing on line {item.row}{columns}: {item}{seen}"


def describe(found: Diagnostic) -> str:
    """A finding as an expectation would state it, with its place."""
    start, end = found.range.start, found.range.end
    place = f"{start.row}:{start.column}-{end.column}"
    return f"{found.severity.label}[{found.code}] at {place}: {found.message}"


def hint_text(hint: Hint, lines: list[str]) -> str:
    """A hint as it reads in the editor: a label that starts with `:` belongs to the name before."""
    if not hint.label.startswith(":"):
        return hint.label
    name = re.search(r"\w*$", lines[hint.position.row - 1][: hint.position.column])
    return f"{name[0] if name else ''}{hint.label}"


def hints_on(analysis: Analysis, row: int) -> list[str]:
    """The hints of a line as they read."""
    lines = split_lines(analysis.text)
    return [hint_text(h, lines) for h in analysis.hints if h.position.row == row]


def _hints(case: Case, analysis: Analysis, target: str) -> list[str]:
    expected = [e for e in case.hints if e.target in ("", target)]
    complaints = []
    for row in sorted({e.row for e in expected}):
        want = [e.text for e in expected if e.row == row]
        got = hints_on(analysis, row)
        if sorted(want) != sorted(got):
            complaints.append(f"hints on line {row}: expected {want}, got {got}")
    return complaints


def _kernels(case: Case, kernels: tuple[KernelReport, ...]) -> list[str]:
    complaints = []
    checked = [k for k in kernels if k.status == "checked"]
    count = case.headers.get("kernels")
    if count is not None and int(count[0]) != len(kernels):
        complaints.append(f"{len(kernels)} kernels, expected {count[0]}")
    if count is None and not kernels:
        complaints.append("no kernel was found in this case")
    instances = case.headers.get("instance")
    got = [k.instance for k in checked]
    if instances is not None and sorted(instances) != sorted(got):
        complaints.append(f"instances: expected {instances}, got {got}")
    return complaints + _skipped(case, [k for k in kernels if k.status != "checked"])


def _skipped(case: Case, skipped: list[KernelReport]) -> list[str]:
    reasons = list(case.headers.get("skipped", []))
    complaints = []
    for kernel in skipped:
        if any(f.message == kernel.reason for f in kernel.findings):
            continue  # a finding says why, and findings are compared
        known = next((r for r in reasons if r in kernel.reason), None)
        if known is None:
            complaints.append(f"kernel {kernel.name} was not checked: {kernel.reason}")
        else:
            reasons.remove(known)
    return complaints + [f"no kernel was skipped because of {r!r}" for r in reasons]
