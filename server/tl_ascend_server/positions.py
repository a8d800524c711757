"""Columns: characters here, code units of the negotiated encoding in the client."""

from __future__ import annotations

from collections.abc import Callable

from tl_ascend.source.span import Position
from tl_ascend.source.text import SourceText


def _utf8(char: str) -> int:
    code = ord(char)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def _utf16(char: str) -> int:
    return 1 if ord(char) < 0x10000 else 2


_WIDTHS: dict[str, Callable[[str], int]] = {"utf-8": _utf8, "utf-16": _utf16}


class Encoding:
    """Converts columns of one line. Unit: code units of `name`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._width = _WIDTHS.get(name)

    def to_units(self, line: str, column: int) -> int:
        """Code units before a character, clamped to the line."""
        column = max(0, min(column, len(line)))
        if self._width is None or line.isascii():
            return column
        return sum(map(self._width, line[:column]))

    def to_column(self, line: str, units: int) -> int:
        """Characters that end at or before a code unit, clamped to the line."""
        if self._width is None or line.isascii():
            return max(0, min(units, len(line)))
        for column, char in enumerate(line):
            units -= self._width(char)
            if units < 0:
                return column
        return len(line)


def to_client(source: SourceText, encoding: Encoding, position: Position) -> tuple[int, int]:
    """0-based line and code unit of a position, clamped to the text."""
    row = max(1, min(position.row, len(source.lines)))
    column = position.column if row == position.row else 0
    return row - 1, encoding.to_units(source.lines[row - 1], column)


def from_client(source: SourceText, encoding: Encoding, line: int, unit: int) -> Position:
    """The position of a 0-based line and code unit; behind the last line is the end of the text."""
    last = len(source.lines) - 1
    if line > last:
        return Position(last + 1, len(source.lines[last]))
    line = max(0, line)
    return Position(line + 1, encoding.to_column(source.lines[line], unit))
