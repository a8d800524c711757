"""Comments by which an author says that a diagnostic is not to be told.

`# tl: ignore[ub-overflow, TL205]` holds for its line, `# tl: ignore-file[tail]` for the file.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from tl_ascend.diagnostics.catalogue import BY_CODE, BY_NAME
from tl_ascend.source.span import Position, Range
from tl_ascend.source.text import SourceText

_COMMENT = re.compile(r"#\s*tl:\s*ignore(?P<file>-file)?(?![\w-])[ \t]*(?:\[(?P<names>[^\]#]*)\])?")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment. `range`: from its `#` to its `]`; `names`: of diagnostics, as written; `alone`:
    nothing else is on its line."""

    range: Range
    names: tuple[str, ...]
    whole_file: bool = False
    alone: bool = False

    def covers(self, name: str, first: int, last: int) -> bool:
        """Whether a finding of that name on these rows is meant."""
        if not any(known_name(word) == name for word in self.names):
            return False
        return self.whole_file or self.range.start.row in (first, last)


def known_name(word: str) -> str:
    """The name of a diagnostic that goes by its code or its name; empty where there is none."""
    rule = BY_NAME.get(word) or BY_CODE.get(word)
    return rule.name if rule is not None else ""


def suppressions(source: SourceText) -> tuple[Suppression, ...]:
    """All such comments of a file; what only looks like one, in a string, is none."""
    if "tl:" not in source.text or not _COMMENT.search(source.text):
        return ()
    found: list[Suppression] = []
    for row, column, text in _comments(source):
        for match in _COMMENT.finditer(text):
            found.append(_suppression(source, row, column, match))
    return tuple(found)


def _suppression(source: SourceText, row: int, column: int, match: re.Match[str]) -> Suppression:
    start, end = column + match.start(), column + match.end()
    if match["names"] is None:
        end -= len(match[0]) - len(match[0].rstrip())
    names = tuple(n.strip() for n in (match["names"] or "").split(",") if n.strip())
    line = source.lines[row - 1]
    alone = not line[:start].strip() and not line[end:].strip()
    place = Range(source.path, Position(row, start), Position(row, end))
    return Suppression(place, names, match["file"] is not None, alone)


def _comments(source: SourceText) -> Iterator[tuple[int, int, str]]:
    """Rows, columns and texts of comments; of a text that breaks off, those up to there."""
    lines = iter([line + "\n" for line in SourceText("", source.parseable).lines])
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.start[1], token.string
    except (tokenize.TokenError, SyntaxError):
        return
