"""What the compiler says, and whom it concerns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

CONDITION = "a condition of the API does not hold"
_LINE = re.compile(r"^(?P<path>[^\s:][^:\n]*):(?P<row>\d+):(?P<column>\d+): (?P<what>.*)$")
_ERROR = re.compile(r"^(?:fatal )?error: ")
_CAUSE = re.compile(r"^note: (?:in instantiation|while substituting|in evaluation)")


@dataclass(frozen=True)
class Message:
    """An error, and the places that led to it: calls whose instantiation it is."""

    path: str
    row: int
    column: int
    text: str
    trail: tuple[tuple[str, int], ...] = ()

    @property
    def key(self) -> tuple[str, int, str]:
        return self.path, self.row, self.text

    def place(self, program: str) -> tuple[str, int]:
        """The place in a program that led to it; its own place where none did."""
        if self.path.startswith(program):
            return self.path, self.row
        found = [at for at in self.trail if at[0].startswith(program)]
        return found[-1] if found else (self.path, self.row)


def messages(text: str) -> list[Message]:
    """The errors that a compiler's output holds. It does not repeat the trail of the error before."""
    found: list[Message] = []
    fresh = False
    for line in text.splitlines():
        parts = _LINE.match(line)
        if parts is None:
            continue
        path, row, what = parts["path"], int(parts["row"]), parts["what"]
        if _ERROR.match(what):
            trail = found[-1].trail if found else ()
            found.append(Message(path, row, int(parts["column"]), _ERROR.sub("", what), trail))
            fresh = True
        elif found and _CAUSE.match(what):
            trail = () if fresh else found[-1].trail
            found[-1] = replace(found[-1], trail=(*trail, (path, row)))
            fresh = False
    return found


@cache
def lines(path: str) -> tuple[str, ...]:
    """The lines of a header; columns count bytes."""
    return tuple(Path(path).read_bytes().decode("latin-1").split("\n"))


def always_runs(path: str, row: int) -> bool:
    """Whether a statement of a header is reached whenever its function is: no branch on a value and no
    loop stands around it."""
    text = _code(path)
    at = sum(len(line) + 1 for line in text.split("\n")[: row - 1])
    return not any(_chooses(text, opened) for opened in _around(text, at))


@cache
def _code(path: str) -> str:
    """A header without comments, strings and preprocessor lines, of equally many lines."""
    text = re.sub(r"^\s*#.*(?:\\\n.*)*", _newlines, "\n".join(lines(path)), flags=re.MULTILINE)
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', _newlines, text, flags=re.DOTALL)


def _newlines(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _around(text: str, at: int) -> Iterator[int]:
    """Where the blocks open that hold a place, from the inside out."""
    depth = 0
    for place in range(at - 1, -1, -1):
        depth += {"}": 1, "{": -1}.get(text[place], 0)
        if depth < 0:
            depth = 0
            yield place


def _chooses(text: str, opened: int) -> bool:
    """Whether a block runs or not for reasons that compiling does not show."""
    depth, at = 0, opened - 1
    while at >= 0 and (depth or text[at] not in ";{}"):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        at -= 1
    head = text[at + 1 : opened].strip()
    after = re.match(r"else\b\s*", head)
    if after and at >= 0 and text[at] == "}" and _chooses(text, next(_around(text, at))):
        return True
    condition = head[after.end() :] if after else head
    plain = re.match(r"(if|for|while|switch|do)\b", condition)
    return bool(plain) and not re.match(r"if\s*(constexpr|ASCEND_IS)", condition)
