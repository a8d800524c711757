"""Objects that change in place, and what is left of them where it is not known whether they did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tl_ascend.frontend.limits import TooLong
from tl_ascend.frontend.values import ClassValue, Env, Instance, Namespace, Unknown


class Unclear(TooLong):
    """Walking over values came to one that is not known."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown.cause)
        self.unknown = unknown


class Stream:
    """An iterator: `zip(a, b)`, a generator expression, `iter(x)`. `name`: of its type."""

    __slots__ = ("_items", "name")

    def __init__(self, items: Iterable[Any], name: str) -> None:
        self._items = iter(items)
        self.name = name

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return next(self._items)
        except StopIteration:
            raise
        except Exception as error:
            why = error.unknown if isinstance(error, Unclear) else Unknown(str(error))
            self.forget(why)
            raise

    def forget(self, why: Unknown) -> None:
        """From here on it may give anything."""

        def unclear() -> Iterator[Any]:
            raise Unclear(why)
            yield

        self._items = unclear()


def is_many(value: Any) -> bool:
    """True for a container of which not even the number of elements is known."""
    if not isinstance(value, (list, dict, set)) or len(value) != 1:
        return False
    only = next(iter(value))
    return isinstance(only, Unknown) and only.many


def forget(value: Any, why: Unknown, name: str = "") -> None:
    """A container or object may have been changed. `name`: only this attribute of it."""
    mark = Unknown(why.cause, why.span, why.reported, many=True)
    if isinstance(value, list):
        value[:] = [mark]
    elif isinstance(value, dict):
        value.clear()
        value[mark] = mark
    elif isinstance(value, set):
        value.clear()
        value.add(mark)
    elif isinstance(value, Stream):
        value.forget(why)
    elif isinstance(value, Env):
        value.names[name] = why
    elif isinstance(value, (Instance, ClassValue, Namespace)) and name:
        value.attributes[name] = why
    elif isinstance(value, Instance):
        value.loose = True
        value.attributes.update(dict.fromkeys(value.attributes, why))


class Changes:
    """What was changed since somebody began to listen, each object once."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, str], tuple[Any, str]] = {}

    def add(self, value: Any, name: str = "") -> None:
        self._found[id(value), name] = value, name

    def update(self, other: Changes) -> None:
        self._found.update(other._found)

    def forget(self, why: Unknown) -> None:
        for value, name in self._found.values():
            forget(value, why, name)
