"""Records with some of their fields changed, as `dataclasses.replace`, in a fraction of its time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

T = TypeVar("T")
_known: dict[type, tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]] = {}


def changed(record: T, **changes: Any) -> T:
    """A copy of a dataclass of several fields, all of which its constructor takes."""
    kind = record.__class__
    names, values = _known.get(kind) or _look_at(kind)
    return kind(**{**dict(zip(names, values(record), strict=True)), **changes})


def _look_at(kind: Any) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    names = tuple(field.name for field in fields(kind))
    _known[kind] = names, attrgetter(*names)
    return _known[kind]
