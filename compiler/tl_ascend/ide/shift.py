"""Where things of an older text stand in a newer one: hints must not jump or vanish while typing.

Lines outside of the edit move as a whole. Inside it, a line keeps its hints when it is the same,
and a changed line keeps those whose token the edit did not touch.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from tl_ascend.ide.model import Hint
from tl_ascend.source.span import Position
from tl_ascend.source.text import split_lines

# Comparing larger edits line by line takes longer than an analysis.
MAX_WINDOW = 2000


def shift_hints(hints: tuple[Hint, ...], old_text: str, new_text: str) -> tuple[Hint, ...]:
    """The hints of the old text at their places in the new one, without those that are gone."""
    if old_text == new_text or not hints:
        return hints
    lines = _Lines(split_lines(old_text), split_lines(new_text))
    places = ((hint, lines.moved(hint.position)) for hint in hints)
    return tuple(
        hint if place == hint.position else Hint(place, hint.label, hint.kind, hint.tooltip)
        for hint, place in places
        if place is not None
    )


def row_before(old_text: str, new_text: str, row: int) -> int | None:
    """The row of the old text that is this row of the new one, where the line is the same."""
    lines = _Lines(split_lines(new_text), split_lines(old_text))
    found = lines.row(row - 1)
    return None if found is None else found + 1


class _Lines:
    """Which line of `old` is which of `new`. Indices count from 0."""

    def __init__(self, old: list[str], new: list[str]) -> None:
        self._old, self._new = old, new
        self._head, tail = _common_ends(old, new)
        self._tail = len(old) - tail
        self._delta = len(new) - len(old)
        self._same: dict[int, int] = {}
        self._starts: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._compare()

    def row(self, index: int) -> int | None:
        """Where an unchanged line is."""
        if index < self._head:
            return index
        if index >= self._tail:
            return index + self._delta if index < len(self._old) else None
        return self._same.get(index)

    def moved(self, position: Position) -> Position | None:
        """Where a place is whose token is still there."""
        index = position.row - 1
        row = self.row(index)
        if row is not None:
            return position if row == index else Position(row + 1, position.column)
        return self._from_start(index, position.column) or self._from_end(index, position.column)

    def _from_start(self, index: int, column: int) -> Position | None:
        """The edit is behind the place."""
        row = self._starts.get(index)
        if row is None:
            return None
        old, new = self._old[index], self._new[row]
        if old[:column] != new[:column]:
            return None
        if _word(old[column - 1 : column]) and _word(new[column : column + 1]):
            return None
        return Position(row + 1, column)

    def _from_end(self, index: int, column: int) -> Position | None:
        """The edit is before the token that ends at the place."""
        row = self._ends.get(index)
        if row is None:
            return None
        old, new = self._old[index], self._new[row]
        start = _token_start(old, column)
        moved = start + len(new) - len(old)
        if moved < 0 or old[start:] != new[moved:]:
            return None
        if _word(old[start : start + 1]) and moved and _word(new[moved - 1]):
            return None
        return Position(row + 1, column - start + moved)

    def _compare(self) -> None:
        """Pair the lines of the edited window."""
        old = self._old[self._head : self._tail]
        new = self._new[self._head : self._tail + self._delta]
        if not old or not new:
            return
        if len(old) == 1 or len(new) == 1:
            self._pair(0, len(old), 0, len(new))
        elif max(len(old), len(new)) <= MAX_WINDOW:
            for tag, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
                if tag == "equal":
                    self._same |= zip(self._rows(a, b), self._rows(c, d), strict=True)
                elif tag == "replace":
                    self._pair(a, b, c, d)

    def _pair(self, a: int, b: int, c: int, d: int) -> None:
        """Lines a to b became c to d. Of a split or joined line only the outer ends are certain."""
        if b - a == d - c:
            pairs = dict(zip(self._rows(a, b), self._rows(c, d), strict=True))
            self._starts |= pairs
            self._ends |= pairs
        else:
            self._starts[self._head + a] = self._head + c
            self._ends[self._head + b - 1] = self._head + d - 1

    def _rows(self, start: int, end: int) -> range:
        return range(self._head + start, self._head + end)


def _common_ends(old: list[str], new: list[str]) -> tuple[int, int]:
    """How many lines are equal at the start, and how many of the rest at the end."""
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    return head, tail


def _word(text: str) -> bool:
    return text.isalnum() or text == "_"


def _token_start(line: str, column: int) -> int:
    """Where the name or the single character that ends at a column begins."""
    end = start = min(column, len(line))
    while start > 0 and _word(line[start - 1]):
        start -= 1
    return start if start < end else max(0, end - 1)
