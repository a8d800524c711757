"""What each row means: functions by the name of the row, registered by the files of the families.

A row has a semantic or a reason why it has none; a tidy test forbids gaps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from tl_ascend.simulate.errors import UnsupportedOperation

if TYPE_CHECKING:
    from tl_ascend.simulate.call import Call

Semantic: TypeAlias = "Callable[[Call], None]"
ValueSemantic: TypeAlias = "Callable[..., Any]"

SEMANTICS: dict[str, Semantic] = {}
VALUES: dict[str, ValueSemantic] = {}
# Rows that the executor handles itself, because they decide who runs next, and rows without a
# semantic, with the reason.
SYNCHRONISATION: set[str] = set()
UNSUPPORTED: dict[str, str] = {}


def semantic(*names: str) -> Callable[[Semantic], Semantic]:
    """Register what tile operations do, by the names of their rows."""

    def add(function: Semantic) -> Semantic:
        for name in names:
            SEMANTICS[name] = function
        return function

    return add


def value(*names: str) -> Callable[[ValueSemantic], ValueSemantic]:
    """Register scalar functions: they take the type of the result, then the arguments."""

    def add(function: ValueSemantic) -> ValueSemantic:
        for name in names:
            VALUES[name] = function
        return function

    return add


def unsupported(why: str, *names: str) -> None:
    """Register rows that have no semantic here."""
    UNSUPPORTED.update(dict.fromkeys(names, why))


def tile_semantic(name: str) -> Semantic:
    """What a tile operation does. Errors: UnsupportedOperation."""
    if name in SEMANTICS:
        return SEMANTICS[name]
    raise UnsupportedOperation(f"T.{name}: {UNSUPPORTED.get(name, 'it has no semantic')}")


def value_semantic(name: str) -> ValueSemantic:
    """What a scalar function yields. Errors: UnsupportedOperation."""
    if name in VALUES:
        return VALUES[name]
    raise UnsupportedOperation(f"T.{name}: {UNSUPPORTED.get(name, 'it has no semantic')}")
