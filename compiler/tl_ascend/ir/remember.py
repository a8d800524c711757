"""Functions of statements and bodies that stages, rules and back ends ask over and over."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def by_identity(limit: int) -> Callable[[Callable[[K], V]], Callable[[K], V]]:
    """Remembers what a function of one immutable object gave, for `limit` objects at most. They are
    kept with it, so that no number stands for another object."""

    def decorate(function: Callable[[K], V]) -> Callable[[K], V]:
        known: dict[int, tuple[K, V]] = {}
        get = known.get

        @wraps(function)
        def remembered(item: K) -> V:
            found = get(id(item))
            if found is not None:
                return found[1]
            result = function(item)
            if len(known) >= limit:
                known.clear()
            known[id(item)] = item, result
            return result

        return remembered

    return decorate
