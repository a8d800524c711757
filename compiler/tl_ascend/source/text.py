"""Text of a file as Python's tokenizer sees it: only LF, CR LF and CR end a line."""

from __future__ import annotations

import re
import tokenize
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path

from tl_ascend.source.span import Position

MAX_HEAD = 4096  # bytes; the first two lines are in them
_LINE_END = re.compile(r"\r\n|\r|\n")
_SURROGATE = re.compile("[\ud800-\udfff]")


def split_lines(text: str) -> list[str]:
    """Lines without their ends. Form feed, U+0085, U+2028 and the like stay inside a line."""
    return _LINE_END.split(text)


@dataclass(frozen=True)
class SourceText:
    """One version of one file. `problem` says why the bytes on disk could not be read as text."""

    path: str
    text: str
    problem: str = ""

    @cached_property
    def lines(self) -> list[str]:
        return split_lines(self.text)

    @cached_property
    def parseable(self) -> str:
        """The text with what `ast` refuses outright (lone surrogates, NUL) replaced one for one."""
        return _SURROGATE.sub("?", self.text).replace("\0", "?")

    @cached_property
    def _parse_lines(self) -> list[str]:
        return split_lines(self.parseable)

    def position(self, row: int, byte_column: int) -> Position:
        """`ast` counts UTF-8 bytes from 0; we count characters. Out of range is clamped."""
        if not 1 <= row <= len(self._parse_lines):
            return Position(max(1, min(row, len(self._parse_lines))), 0)
        line = self._parse_lines[row - 1]
        if line.isascii():
            return Position(row, min(byte_column, len(line)))
        head = line.encode("utf-8")[:byte_column]
        return Position(row, len(head.decode("utf-8", "ignore")))

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0] + [m.end() for m in _LINE_END.finditer(self.text)]

    def offset(self, position: Position) -> int:
        """Character offset of a position, clamped to its line."""
        if position.row > len(self.lines):
            return len(self.text)
        start = self._line_starts[position.row - 1]
        return start + min(position.column, len(self.lines[position.row - 1]))

    def position_at(self, offset: int) -> Position:
        """The position of a character offset."""
        row = bisect_right(self._line_starts, offset)
        return Position(row, offset - self._line_starts[row - 1])


def read_source(path: Path) -> SourceText:
    """Read a file as Python does. Errors: OSError only (missing, unreadable)."""
    return decoded(str(path), path.read_bytes())


def decoded(path: str, data: bytes) -> SourceText:
    """Bytes as Python reads them: in the encoding that the first lines name, else in UTF-8. What
    cannot be read so gives a text with `problem` set, never an exception."""
    encoding, problem = source_encoding(data)
    if problem:
        return SourceText(path, data.decode("utf-8-sig", "replace"), problem)
    try:
        return SourceText(path, data.decode(encoding))
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        name = "UTF-8" if encoding == "utf-8-sig" else encoding
        reason = f"line {row} is not valid {name} (byte 0x{data[error.start]:02x})"
        return SourceText(path, data.decode(encoding, "replace"), reason)


def source_encoding(data: bytes) -> tuple[str, str]:
    """How Python decodes a file, and why it cannot."""
    named = b"coding" in data[:MAX_HEAD]
    if not named:  # nearly always, and quick
        return "utf-8-sig", ""
    try:
        name = tokenize.detect_encoding(BytesIO(data).readline)[0]
        b" ".decode(name)
    except SyntaxError as error:  # an unknown name, or bytes in front of it that are not UTF-8
        text = str(error)
        return "utf-8-sig", text if text.startswith("unknown encoding") else ""
    except (LookupError, ValueError):
        return "utf-8-sig", f"unknown encoding: {name}"
    return ("utf-8-sig" if name.startswith("utf-8") else name), ""
