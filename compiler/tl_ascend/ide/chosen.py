"""What is told of what was found: the rules of the project and the comments of the author."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tl_ascend.diagnostics.catalogue import BY_CODE, BY_NAME
from tl_ascend.driver.rules import Rules, no_such
from tl_ascend.driver.suppressions import Suppression, known_name
from tl_ascend.ide.model import Diagnostic, QuickFix, TextEdit
from tl_ascend.source.span import Position, Range

if TYPE_CHECKING:  # results from the cache are told without the compiler, which is slow to load
    from tl_ascend.driver.check import FileReport

UNUSED = "unused-ignore"


def chosen(
    found: Sequence[Diagnostic], comments: Sequence[Suppression], rules: Rules, path: str
) -> tuple[Diagnostic, ...]:
    """Diagnostics without those that a comment suppresses or that the rules leave out, with the
    severity that the rules give them. `path` is relative to the project."""
    told = []
    for one in found:
        rule = BY_CODE[one.code]
        if rules.tells(rule, path) and not any(_covers(c, one) for c in comments):
            told.append(replace(one, severity=rules.level(rule, one.severity)))
    return tuple(told)


def _covers(comment: Suppression, found: Diagnostic) -> bool:
    return comment.covers(found.name, found.range.start.row, found.range.end.row)


def everything_was_checked(report: FileReport) -> bool:
    """Whether a finding that is not there is known to be absent."""
    skipped = any(kernel.status != "checked" for kernel in report.kernels)
    cut = any(f.name in ("budget-exceeded", "unchecked-instances") for f in report.findings)
    broken = report.file.problems or report.file.source.problem
    return not (skipped or cut or broken or report.partly)


def unused_ignores(
    found: Sequence[Diagnostic],
    comments: Sequence[Suppression],
    lines: Sequence[str],
    complete: bool,
) -> list[Diagnostic]:
    """A diagnostic for each comment with names that suppress nothing. Where not all of the file was
    checked, only what can never suppress anything is told."""
    out = []
    for comment in comments:
        idle = [word for word in comment.names if _idle(word, comment, found, complete)]
        if idle or not comment.names:
            out.append(_unused(comment, idle, found, lines))
    return out


def _idle(word: str, comment: Suppression, found: Sequence[Diagnostic], complete: bool) -> bool:
    name = known_name(word)
    if name == UNUSED:
        return False
    used = any(one.name == name and _covers(comment, one) for one in found)
    return not name or (complete and not used)


def _unused(
    comment: Suppression, idle: list[str], found: Sequence[Diagnostic], lines: Sequence[str]
) -> Diagnostic:
    rule = BY_NAME[UNUSED]
    place = "file" if comment.whole_file else "line"
    unknown = [no_such(word) for word in idle if not known_name(word)]
    known = [word for word in idle if known_name(word)]
    parts = list(unknown)
    if known:
        parts.append(f"this {place} has no {' and no '.join(known)}: the comment ignores nothing")
    if not comment.names:
        parts.append(_nameless(comment, found))
    fixes = (_without(comment, idle, lines),) if comment.names else ()
    return Diagnostic(
        comment.range, rule.severity, rule.code, rule.name, "; ".join(parts), fixes=fixes
    )


def _nameless(comment: Suppression, found: Sequence[Diagnostic]) -> str:
    row = comment.range.start.row
    here = {d.name: None for d in found if comment.whole_file or d.range.start.row == row}
    word = "ignore-file" if comment.whole_file else "ignore"
    return f"say what is to be ignored: # tl: {word}[{', '.join(here) or 'name'}]"


def _without(comment: Suppression, idle: list[str], lines: Sequence[str]) -> QuickFix:
    """The comment with the names that do something, or none."""
    left = [word for word in comment.names if word not in idle]
    place = comment.range
    if left:
        word = "ignore-file" if comment.whole_file else "ignore"
        return QuickFix(
            f"Ignore only {', '.join(left)}",
            (TextEdit(place, f"# tl: {word}[{', '.join(left)}]"),),
        )
    start, end = place.start, place.end
    line = lines[start.row - 1]
    if not comment.alone:
        start = Position(start.row, len(line[: start.column].rstrip()))
    elif start.row < len(lines):
        start, end = Position(start.row, 0), Position(start.row + 1, 0)
    else:
        start, end = Position(start.row, 0), Position(start.row, len(line))
    return QuickFix("Remove the comment", (TextEdit(Range(place.path, start, end), ""),))
