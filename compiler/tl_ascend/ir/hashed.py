"""Large values as keys: the hash is computed once, and the same object is equal without a look."""

from __future__ import annotations

from typing import Any

from tl_ascend.ir.nodes import Kernel


class Hashed:
    """A hashable value whose hash is remembered."""

    __slots__ = ("_hash", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.value)
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Hashed) and hash(self) == hash(other) and self.value == other.value


def kernel_content(kernel: Kernel) -> Hashed:
    """A kernel without its options, by content. Positions are not part of it: spans name nodes of
    the code, not places in the file."""
    maps = (kernel.attrs, kernel.layouts, kernel.addresses)
    return Hashed(
        (kernel.name, kernel.span, kernel.params, kernel.launch, kernel.body)
        + tuple(frozen(dict(m)) for m in maps)
    )


def frozen(value: Any) -> Any:
    """Dictionaries and lists as tuples, so that the whole can be hashed."""
    if isinstance(value, dict):
        return tuple((k, frozen(v)) for k, v in value.items())
    if isinstance(value, list):
        return tuple(map(frozen, value))
    return value
