"""What an editor offers at a place: repairs, all certain repairs at once, and to ignore a diagnostic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tl_ascend.driver.suppressions import Suppression, suppressions
from tl_ascend.ide.fixing import edited
from tl_ascend.ide.model import Diagnostic, TextEdit
from tl_ascend.source.span import Position, Range
from tl_ascend.source.text import SourceText


@dataclass(frozen=True, slots=True)
class Action:
    """A change of one file. `found`: what it is about; `preferred`: the repair that is certain."""

    title: str
    edits: tuple[TextEdit, ...]
    found: Diagnostic | None = None
    preferred: bool = False


def repairs(found: Sequence[Diagnostic], path: str) -> Iterator[Action]:
    """Repairs of diagnostics, each once: several instances may ask for the same."""
    seen = set()
    for one in found:
        for fix in one.fixes:
            if fix.edits not in seen and all(edit.range.path == path for edit in fix.edits):
                seen.add(fix.edits)
                yield Action(fix.title, fix.edits, one, fix.safe)


def all_repairs(edits: tuple[TextEdit, ...]) -> Action:
    """All that is certain, at once."""
    return Action("Fix all certain problems of tl-ascend", edits)


def ignoring(found: Sequence[Diagnostic], source: SourceText) -> Iterator[Action]:
    """A comment for each diagnostic by which it is not told on its line."""
    comments = suppressions(source)
    seen = set()
    for one in found:
        edit = _ignore(one, source, comments)
        if edit is not None and (one.name, edit.range) not in seen:
            seen.add((one.name, edit.range))
            yield Action(f"Ignore {one.name} on this line", (edit,), one)


def _ignore(
    found: Diagnostic, source: SourceText, comments: Sequence[Suppression]
) -> TextEdit | None:
    for row in dict.fromkeys((found.range.start.row, found.range.end.row)):
        edit = _comment(found, row, source, comments)
        text = SourceText(source.path, edited(source.path, source.text, [edit]))
        # In a string, or behind a backslash, it would be no comment.
        if any(c.covers(found.name, row, row) for c in suppressions(text) if not c.whole_file):
            return edit
    return None


def _comment(
    found: Diagnostic, row: int, source: SourceText, comments: Sequence[Suppression]
) -> TextEdit:
    for comment in comments:
        if comment.range.start.row == row and not comment.whole_file:
            names = ", ".join((*comment.names, found.name))
            return TextEdit(comment.range, f"# tl: ignore[{names}]")
    line = source.lines[row - 1]
    end = len(line.rstrip())
    place = Range(source.path, Position(row, end), Position(row, len(line)))
    return TextEdit(place, f"  # tl: ignore[{found.name}]")
