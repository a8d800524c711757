"""Names in emitted programs: legal in C++, and each meaning one thing where it is visible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tl_ascend.backends.common import helpers
from tl_ascend.ir.expr import Var
from tl_ascend.target.dtypes import DType

_KEYWORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class
compl const const_cast constexpr continue decltype default delete do double dynamic_cast else enum
explicit export extern false float for friend goto if inline int long mutable namespace new noexcept
not not_eq nullptr operator or or_eq private protected public register reinterpret_cast return short
signed sizeof static static_assert static_cast struct switch template this thread_local throw true
try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
"""
# What the device compiler, system headers and every program give a meaning.
_TAKEN = """
half bfloat16_t int4b_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t
call stream fftsAddr fftsLen tl std main GM_ADDR NULL assert
block_idx event_t pipe_t signbit isinf isnan
"""
RESERVED = frozenset(_KEYWORDS.split()) | frozenset(_TAKEN.split()) | helpers.NAMES
# Macros of the device compiler and of system headers, by their patterns.
_MACRO = re.compile(r"(PIPE|ASCEND|KERNEL|CUDART|EVENT|TL|INT\d+|UINT\d+)_[A-Z0-9_]+|__.*|_[A-Z].*")


@dataclass(frozen=True, slots=True)
class Named:
    """A variable of the program with the type that it has there."""

    text: str
    type: DType


def spelled(name: str) -> str:
    """A Python name in the characters that every C++ compiler takes."""
    return "".join(c if c.isascii() else f"u{ord(c):04x}" for c in name) or "x"


class Names:
    """Names by the number (`uid`) of what they stand for. Blocks may reuse names of closed ones.
    `version` changes whenever a variable may mean something else. `taken`: words that the headers of
    a route give a meaning."""

    def __init__(self, taken: str = "") -> None:
        self.version = 0
        self._reserved = RESERVED | frozenset(taken.split())
        self._live: set[str] = set()
        self._vars: dict[int, Named] = {}

    def fresh(self, name: str) -> str:
        """A name that nothing visible has: the author's, with a number where that is taken."""
        base = spelled(name)
        if base in self._reserved or _MACRO.fullmatch(base):
            base += "_"
        text, count = base, 0
        while text in self._live:
            count += 1
            text = f"{base}_{count}"
        self._live.add(text)
        return text

    def bind(self, var: Var, type: DType) -> str:
        """Name a variable from here to the end of the block."""
        text = self.fresh(var.name)
        self._vars[var.uid] = Named(text, type)
        self.version += 1
        return text

    def of(self, var: Var) -> Named | None:
        """The name of a variable; None where it is not visible."""
        return self._vars.get(var.uid)

    @contextmanager
    def block(self) -> Iterator[None]:
        """Names given inside end with the block."""
        live, known = set(self._live), dict(self._vars)
        try:
            yield
        finally:
            self._live, self._vars = live, known
            self.version += 1
