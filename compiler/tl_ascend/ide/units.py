"""Sizes as people read them."""

from __future__ import annotations


def size(count: int) -> str:
    """Unit: bytes. Whole KiB where exact, else the plain number with thousands."""
    if count >= 1024 and count % 1024 == 0:
        return f"{count // 1024} KiB"
    return f"{count:,} B"
