"""Words of messages."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """`1 file`, `2 files`, `2 entries`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1]}ies" if noun.endswith("ry") else f"{count} {noun}s"


def is_are(count: int) -> str:
    """The verb of so many."""
    return "is" if count == 1 else "are"
