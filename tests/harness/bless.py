"""Rewrite the expectations of a case to what the checker says now (TL_BLESS=1)."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from tests.harness.compare import Outcome, hints_on, match
from tests.harness.expectations import BadCase, Case, comments, parse

from tl_ascend.ide.model import Diagnostic
from tl_ascend.source.text import split_lines

WIDTH = 100


def wanted() -> bool:
    """True where the environment asks for it. Errors: BadCase in CI, where nobody would look."""
    if os.environ.get("TL_BLESS") != "1":
        return False
    if os.environ.get("CI"):
        raise BadCase("TL_BLESS is refused where CI is set")
    return True


@dataclass(slots=True)
class _Edits:
    """Changes by the rows of the text as it was."""

    lines: list[str]
    drop: set[int] = field(default_factory=set)
    behind: dict[int, list[str]] = field(default_factory=dict)

    def strip(self, row: int, column: int) -> None:
        """Remove a comment, and its line where nothing else stands there."""
        rest = self.lines[row - 1][:column].rstrip()
        self.lines[row - 1] = rest
        if not rest:
            self.drop.add(row)

    def add(self, row: int, what: str) -> None:
        """State something about a row: at its end where that fits, else on a line below it."""
        line = self.lines[row - 1]
        if len(line) + len(what) + 6 <= WIDTH and not line.rstrip().endswith("\\"):
            self.lines[row - 1] = f"{line}  # ~ {what}"
            return
        indent = line[: len(line) - len(line.lstrip())]
        text = f"{indent}# ~^ {what}"
        self.behind.setdefault(row, []).append(text[:WIDTH].rstrip())

    def result(self) -> str:
        out: list[str] = []
        for row, line in enumerate(self.lines, 1):
            if row not in self.drop:
                out.append(line)
            out.extend(self.behind.get(row, ()))
        return "\n".join(out)


def blessed(text: str, outcomes: list[Outcome]) -> str:
    """The case with the expectations that hold now. Errors: BadCase for several platforms."""
    if len(outcomes) != 1:
        raise BadCase("a case for several platforms cannot be blessed")
    case, (outcome,) = parse(text), outcomes
    missing, unexpected = match(case, outcome.analysis, outcome.target)
    wrong_hints = _rows_of_wrong_hints(case, outcome)
    edits = _Edits(split_lines(text))
    stale = {e.comment for e in missing}
    stale |= {h.comment for h in case.hints if h.row in wrong_hints}
    for comment in comments(text)[0]:
        if comment.row in stale:
            edits.strip(comment.row, comment.column)
    for item in case.findings:  # those that share a stale comment but hold
        if item.comment in stale and item not in missing:
            edits.add(item.row, str(item))
    for hint in case.hints:
        if hint.comment in stale and hint.row not in wrong_hints:
            edits.add(hint.row, f"hint {hint.text}")
    for found in unexpected:
        edits.add(found.range.start.row, _stated(found))
    for row in sorted(wrong_hints):
        for shown in hints_on(outcome.analysis, row):
            edits.add(row, f"hint {shown}")
    return edits.result()


def _rows_of_wrong_hints(case: Case, outcome: Outcome) -> set[int]:
    rows = {h.row for h in case.hints}
    return {
        row
        for row in rows
        if sorted(h.text for h in case.hints if h.row == row)
        != sorted(hints_on(outcome.analysis, row))
    }


def _stated(found: Diagnostic) -> str:
    return f"{found.severity.label}[{found.code}]: {found.message}"
