"""CHECK lines in comments, in the manner of LLVM's FileCheck: enough of it for emitted programs."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(r"^\s*#\s*CHECK(?P<kind>-NEXT|-NOT)?:\s?(?P<text>.*)$")
_HEADER = "#@ emit:"


@dataclass(frozen=True)
class Check:
    """One expectation. `kind`: empty (somewhere below), -NEXT (on the next line), -NOT (not before
    the next expectation that is met)."""

    row: int
    kind: str
    pattern: re.Pattern[str]
    text: str


def route(source: str) -> str:
    """What the header of a kernel file asks for; empty where it has none."""
    first = source.splitlines()[0] if source else ""
    return first[len(_HEADER) :].strip() if first.startswith(_HEADER) else ""


def checks(source: str) -> list[Check]:
    """The expectations of a kernel file. `{{...}}` holds a regular expression."""
    out = []
    for row, line in enumerate(source.splitlines(), 1):
        found = _LINE.match(line)
        if found is not None:
            text = found["text"].strip()
            parts = re.split(r"\{\{(.*?)\}\}", text)
            quoted = [re.escape(p) if at % 2 == 0 else f"(?:{p})" for at, p in enumerate(parts)]
            out.append(Check(row, found["kind"] or "", re.compile("".join(quoted)), text))
    return out


def complaint(expected: list[Check], text: str) -> str:
    """Empty where the text is as expected, else what differs and where."""
    lines, at = text.splitlines(), 0
    forbidden: list[Check] = []
    for check in expected:
        if check.kind == "-NOT":
            forbidden.append(check)
            continue
        stop = at + 1 if check.kind == "-NEXT" else len(lines)
        found = next((n for n in range(at, stop) if check.pattern.search(lines[n])), None)
        if found is None:
            seen = "\n".join(f"{n + 1:5} {lines[n]}" for n in range(at, min(at + 6, len(lines))))
            return f"line {check.row}: no {check.text!r} in\n{seen}"
        wrong = _forbidden(forbidden, lines, at, found)
        if wrong:
            return wrong
        forbidden, at = [], found + 1
    return _forbidden(forbidden, lines, at, len(lines))


def _forbidden(forbidden: list[Check], lines: list[str], start: int, stop: int) -> str:
    for check in forbidden:
        for n in range(start, stop):
            if check.pattern.search(lines[n]):
                return f"line {check.row}: {check.text!r} stands in line {n + 1}: {lines[n]}"
    return ""
