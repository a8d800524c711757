"""Where something stands, in a form that survives edits elsewhere in the file.

A file is cut into *units*, its top-level statements. A `Home` names a unit by the structure of its
code, not by its place; a `Span` names a node of that unit by its number in a pre-order walk. Results
that hold spans stay valid while the code of their units is the same, wherever it moves and however
its comments change; a `Locator` (see `units.py`) turns a span into today's lines and columns.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Home:
    """One top-level statement of one file: path, digest of its code, which one of equal ones."""

    path: str
    digest: str
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class Span:
    """A node of a unit, or a part of a node (`name`: the identifier of a def, attribute, keyword)."""

    home: Home
    node: int
    part: str = ""

    def __hash__(self) -> int:
        return hash((self.node, self.part))  # few units: their names need no look


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """Unit: 1-based row, 0-based column in characters (code points)."""

    row: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """A half-open range of text in one file."""

    path: str
    start: Position
    end: Position

    def contains(self, position: Position) -> bool:
        """True where the position is inside or at either end."""
        return self.start <= position <= self.end
