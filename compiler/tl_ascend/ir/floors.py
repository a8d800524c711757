"""Divisions of a factory that leave a remainder: how rows get lost when a grid is computed by `//`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tl_ascend.source.span import Span

FLOORS = "floor_divisions"  # key in Kernel.attrs; a tuple of Floor
MAX_FLOORS = 64


@dataclass(frozen=True, slots=True)
class Floor:
    """`dividend // divisor` with a remainder, as written. `counts`: what it gives is a number of blocks
    or turns, which nothing rounds again."""

    span: Span
    dividend: int
    divisor: int
    text: tuple[str, str]
    counts: bool = False

    @property
    def covered(self) -> int:
        return self.dividend - self.remainder

    @property
    def remainder(self) -> int:
        return self.dividend % self.divisor


def is_floor(a: Any, b: Any) -> bool:
    """True for positive integers that do not divide."""
    return type(a) is int and type(b) is int and a > 0 and b > 1 and a % b != 0
