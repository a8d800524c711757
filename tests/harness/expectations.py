"""The grammar of expectations in a case.

    T.copy(a, b)            # ~ error[TL201]: no data path       this line; a part of the message
    # ~v warning[TL105]                                          the next line of code (vv: the second)
    # ~^ error[TL302]: sizes                                     the line of code before
    T.copy(a, b)
    #      ^ error[TL201]: no data path                          carets: the columns, too
    a = T.alloc_ub((8,), "int32")   # ~ hint a: int32[8] UB 32 B
    # ~[A5] error[TL601]                                         only on that platform

Several stand in one comment, each behind its own `# ~`. A line that states a hint states all of its
hints. Headers, each on a line of its own:

    #@ target: A2, A5       platforms, one run for each (default: A3)
    #@ upstream: none       only the hardware's rules
    #@ instance: M=128      an instance that is checked; where one is stated, all are
    #@ skipped: reason      a kernel that is not checked; part of the reason
    #@ kernels: 0           how many kernels the file has, where not at least one
    #@ known-gap: reason    the case fails today and must
"""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass, field

from tl_ascend.source.text import split_lines

HEADERS = ("target", "upstream", "instance", "skipped", "kernels", "known-gap")

_LAYOUT = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.ENCODING,
)
_HEADER = re.compile(r"#@\s*([\w-]+):\s*(.*?)\s*$")
_STATED = re.compile(r"~(?P<where>[v^]*)(?:\[(?P<target>\w+)\])?\s+(?P<what>.*?)\s*$")
_FINDING = re.compile(
    r"(?P<level>error|warning|info|hint)\[(?P<code>TL\d{3})\](?::\s*(?P<text>.*))?$"
)
_CARETS = re.compile(r"#(?P<lead> *)(?P<carets>\^+) +(?P<what>\S.*?)\s*$")


class BadCase(Exception):
    """A case that does not follow the grammar."""


@dataclass(frozen=True, slots=True)
class Expected:
    """One expected finding. `columns`: 0-based, end exclusive, None where only the row counts.
    `comment`: the row of the comment that states it."""

    row: int
    level: str
    code: str
    text: str
    comment: int
    columns: tuple[int, int] | None = None
    target: str = ""

    def __str__(self) -> str:
        return f"{self.level}[{self.code}]" + (f": {self.text}" if self.text else "")


@dataclass(frozen=True, slots=True)
class ExpectedHint:
    """One expected inlay hint, with the name before it."""

    row: int
    text: str
    comment: int
    target: str = ""


@dataclass(slots=True)
class Case:
    """What a file states about itself."""

    findings: list[Expected] = field(default_factory=list)
    hints: list[ExpectedHint] = field(default_factory=list)
    headers: dict[str, list[str]] = field(default_factory=dict)

    @property
    def targets(self) -> list[str]:
        given = ", ".join(self.headers.get("target", []))
        return [t.strip().upper() for t in given.split(",") if t.strip()] or ["A3"]

    @property
    def upstream(self) -> str:
        return self.headers.get("upstream", ["snapshot"])[0]

    @property
    def known_gap(self) -> str:
        return "; ".join(self.headers.get("known-gap", []))


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its place. `alone`: nothing else stands on the line."""

    row: int
    column: int
    text: str
    alone: bool


def comments(text: str) -> tuple[list[Comment], list[int]]:
    """The comments of a file and the rows on which code starts. A case may be broken on purpose:
    what the tokenizer saw before it gave up counts."""
    found: list[Comment] = []
    code: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type == tokenize.COMMENT:
                alone = not token.line[: token.start[1]].strip()
                found.append(Comment(token.start[0], token.start[1], token.string, alone))
            elif token.type not in _LAYOUT:
                code.add(token.start[0])
    except (tokenize.TokenError, SyntaxError):
        _rest(text, found, code)
    return found, sorted(code)


def _rest(text: str, found: list[Comment], code: set[int]) -> None:
    """Behind the place where the tokenizer gave up: whole lines only."""
    seen = max([0, *code, *(c.row for c in found)])
    for row, line in enumerate(split_lines(text)[seen:], seen + 1):
        bare = line.strip()
        if bare.startswith("#"):
            found.append(Comment(row, line.index("#"), bare, True))
        elif bare:
            code.add(row)


def parse(text: str) -> Case:
    """Read the expectations of a case. Errors: BadCase."""
    case = Case()
    found, code = comments(text)
    for comment in found:
        header = _HEADER.match(comment.text)
        carets = _CARETS.match(comment.text)
        if header is not None:
            if header[1] not in HEADERS:
                raise BadCase(f"line {comment.row}: no header {header[1]!r}")
            case.headers.setdefault(header[1], []).append(header[2])
        elif carets is not None and comment.alone:
            _caret_line(case, comment, carets, code)
        elif "# ~" in comment.text:
            for part in comment.text.split("# ~")[1:]:
                _stated(case, comment, "~" + part.strip("\r\n"), code)
    return case


def _caret_line(case: Case, comment: Comment, carets: re.Match[str], code: list[int]) -> None:
    start = comment.column + 1 + len(carets["lead"])
    row = _neighbour(code, comment.row, "^")
    target, what = _target(carets["what"])
    finding = _finding(what, comment.row)
    columns = (start, start + len(carets["carets"]))
    case.findings.append(Expected(row, *finding, comment.row, columns, target))


def _target(what: str) -> tuple[str, str]:
    match = re.match(r"\[(\w+)\]\s+(.*)", what)
    return (match[1].upper(), match[2]) if match else ("", what)


def _stated(case: Case, comment: Comment, text: str, code: list[int]) -> None:
    match = _STATED.match(text)
    if match is None:
        raise BadCase(f"line {comment.row}: cannot read {text!r}")
    row = _neighbour(code, comment.row, match["where"])
    target, what = (match["target"] or "").upper(), match["what"]
    if what.startswith("hint "):
        hint = ExpectedHint(row, what.removeprefix("hint ").strip(), comment.row, target)
        case.hints.append(hint)
        return
    case.findings.append(Expected(row, *_finding(what, comment.row), comment.row, None, target))


def _finding(what: str, row: int) -> tuple[str, str, str]:
    match = _FINDING.match(what)
    if match is None:
        raise BadCase(f"line {row}: cannot read the expectation {what!r}")
    return match["level"], match["code"], (match["text"] or "").strip()


def _neighbour(code: list[int], row: int, where: str) -> int:
    """The row that a comment speaks of: its own, or a line of code `len(where)` lines away."""
    if not where:
        return row
    if len(set(where)) > 1:
        raise BadCase(f"line {row}: {where!r} points both up and down")
    rows = [r for r in code if (r < row if where[0] == "^" else r > row)]
    rows = rows[::-1] if where[0] == "^" else rows
    if len(rows) < len(where):
        raise BadCase(f"line {row}: no line of code there")
    return rows[len(where) - 1]
