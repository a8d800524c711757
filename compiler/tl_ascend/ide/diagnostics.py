"""Findings as an editor and `tl-check` show them: located, merged over instances, sorted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tl_ascend.diagnostics.catalogue import BY_NAME
from tl_ascend.diagnostics.report import Finding
from tl_ascend.driver.check import FileReport, KernelReport
from tl_ascend.driver.suppressions import suppressions
from tl_ascend.ide.chosen import chosen, everything_was_checked, unused_ignores
from tl_ascend.ide.edits import located_fix
from tl_ascend.ide.merged import merged
from tl_ascend.ide.model import Diagnostic, RelatedPlace
from tl_ascend.source.span import Position, Range, Span


@dataclass(slots=True)
class _Group:
    finding: Finding
    kernel: str = ""
    place: Span | None = None
    target: str = ""
    instances: list[str] = field(default_factory=list)


def diagnostics(report: FileReport) -> tuple[Diagnostic, ...]:
    """What is told of a file under the settings of its project."""
    source, project = report.file.source, report.project
    found, comments = all_diagnostics(report), suppressions(source)
    return chosen(found, comments, project.rules, project.relative(source.path))


def all_diagnostics(report: FileReport) -> tuple[Diagnostic, ...]:
    """All findings of a file, also those that a comment suppresses. What several instances have at
    one place is one finding that names them."""
    groups: dict[Finding, _Group] = {}
    for finding in report.findings:
        groups.setdefault(finding, _Group(finding))
    for kernel in report.kernels:
        for finding in told_of(kernel, report.kernels):
            _join(groups, finding, kernel)
    found = [_diagnostic(report, g) for g in groups.values()]
    path = report.file.source.path
    located = merged(d for d in found if d is not None and d.range.path == path)
    located += [] if report.partly else _syntax(report)
    source, complete = report.file.source, everything_was_checked(report)
    located += unused_ignores(located, suppressions(source), source.lines, complete)
    return tuple(sorted(located, key=_order))


def told_of(kernel: KernelReport, kernels: Iterable[KernelReport]) -> Iterator[Finding]:
    """The findings of a kernel that are certain: where it is one of several ways in which its instance
    may be compiled, what all of these have; of some rules, what all instances have."""
    same = [k for k in kernels if k.span == kernel.span and k.status == "checked"]
    ways = []
    if kernel.variant:
        ways = [_places(k) for k in same if k.instance == kernel.instance and k.variant]
    for finding in kernel.findings:
        others = [_places(k) for k in same] if finding.rule.everywhere else ways
        if all((finding.name, finding.span) in way for way in others):
            yield finding


def _places(kernel: KernelReport) -> set[tuple[str, Span]]:
    return {(f.name, f.span) for f in kernel.findings}


def _join(groups: dict[Finding, _Group], finding: Finding, kernel: KernelReport) -> None:
    group = groups.setdefault(finding, _Group(finding))
    group.kernel, group.target, group.place = kernel.name, kernel.target, kernel.span
    if kernel.instance and kernel.instance not in group.instances:
        group.instances.append(kernel.instance)


def _order(item: Diagnostic) -> tuple[Position, int, str, str]:
    return item.range.start, -item.severity, item.code, item.message


def _diagnostic(report: FileReport, group: _Group) -> Diagnostic | None:
    finding = group.finding
    place = report.range_of(finding.span)
    if place is None:
        return None
    related = tuple(
        RelatedPlace(where, other.message)
        for other in finding.related
        if (where := report.range_of(other.span)) is not None
    )
    fixes = tuple(fix for f in finding.fixes if (fix := located_fix(report, f)) is not None)
    return Diagnostic(
        place,
        finding.level,
        finding.rule.code,
        finding.name,
        finding.message,
        finding.notes,
        related,
        fixes,
        group.kernel,
        tuple(group.instances),
        group.target,
        subject=None if finding.subject is None else (group.place, finding.subject),
    )


def _syntax(report: FileReport) -> list[Diagnostic]:
    source = report.file.source
    out: list[Diagnostic] = []
    if source.problem:
        rule = BY_NAME["unreadable-file"]
        start = Range(source.path, Position(1, 0), Position(1, 0))
        # What Python makes of such bytes is no news.
        return [Diagnostic(start, rule.severity, rule.code, rule.name, source.problem)]
    for problem in report.file.problems:
        rule = BY_NAME[problem.rule]
        place = Range(source.path, problem.start, problem.end)
        out.append(Diagnostic(place, rule.severity, rule.code, rule.name, problem.message))
    return out
