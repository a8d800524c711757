"""Memory as bytes with a mark on each that was written, and what reads and writes boxes of it.

Views share bytes. What nothing wrote is *poison*: reading it is allowed, its traces are followed, and
only a result that shows it is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np

from tl_ascend.simulate.elements import Array, Element
from tl_ascend.simulate.errors import OutOfBounds

Poison = Any  # None, or an array of bool: True where an element depends on unwritten memory

_MARKS = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
_WRITTEN = {size: int.from_bytes(b"\x01" * size, "little") for size in (1, 2, 4, 8)}
# Poison that was stored differs from what was never stored to.
_SPOILED = {size: int.from_bytes(b"\x02" * size, "little") for size in (1, 2, 4, 8)}


class Tile(NamedTuple):
    """Values, and which of them are poison."""

    values: Array
    poison: Poison = None

    def moved(self, move: Any) -> Tile:
        """The same elements elsewhere: `move` takes an array and picks elements of it."""
        poison = None if self.poison is None else move(self.poison)
        return Tile(move(self.values), poison)

    def flat(self) -> Tile:
        return self.moved(np.ravel)


def either(*poisons: Poison) -> Poison:
    """Poison where any operand is."""
    found: Poison = None
    for poison in poisons:
        if poison is not None:
            found = poison if found is None else found | poison
    return found


class Storage:
    """The bytes of one buffer. `origin`: what first wrote poison here."""

    def __init__(self, name: str, size: int) -> None:
        self.name, self.size = name, size
        room = -(-size // 8) * 8
        self.raw = np.full(room, 0xFF, np.uint8)
        self.live = np.zeros(room, np.uint8)
        self.live[size:] = 1
        self.complete = size == 0
        self.origin: Any = None

    def grow(self, size: int) -> None:
        """Room for a view that is larger than the buffer: authors use the part that exists."""
        if size > self.size:
            more = Storage(self.name, size)
            more.raw[: self.size], more.live[: self.size] = (
                self.raw[: self.size],
                self.live[: self.size],
            )
            self.raw, self.live, self.size, self.complete = more.raw, more.live, size, False

    def fill(self, data: bytes) -> None:
        """Give every byte a value."""
        self.raw[: self.size] = np.frombuffer(data, np.uint8)
        self.live[:] = 1
        self.complete = True

    def cells(self, kind: Element, count: int) -> Array:
        return self.raw[: count * kind.size].view(kind.store)

    def marks(self, kind: Element, count: int) -> Array:
        return self.live[: count * kind.size].view(_MARKS[kind.size])

    def poison(self, kind: Element, marks: Array) -> Poison:
        """What of some elements is poison."""
        if self.complete:
            return None
        found = marks != _WRITTEN[kind.size]
        return found if found.any() else None


@dataclass(slots=True)
class View:
    """A buffer as elements of a type and a shape."""

    name: str
    storage: Storage
    kind: Element
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    count: int
    _cells: Any = None
    _bytes: Any = None

    @classmethod
    def of(cls, name: str, storage: Storage, kind: Element, shape: tuple[int, ...]) -> View:
        strides: list[int] = []
        step = 1
        for extent in reversed(shape):
            strides.insert(0, step)
            step *= extent
        return cls(name, storage, kind, shape, tuple(strides), step)

    def cells(self) -> Array:
        return self.storage.cells(self.kind, self.count).reshape(self.shape)

    def spoiled(self) -> Array:
        """Which elements poison was stored to."""
        marks = self.marks()
        found: Array = (marks != _WRITTEN[self.kind.size]) & (marks != 0)
        return found

    def flat(self) -> Array:
        """All elements in one row. Bytes move where a storage grows."""
        if self._bytes is not self.storage.raw:
            self._bytes = self.storage.raw
            self._cells = self.storage.cells(self.kind, self.count)
        found: Array = self._cells
        return found

    def marks(self) -> Array:
        return self.storage.marks(self.kind, self.count).reshape(self.shape)


@dataclass(slots=True)
class Box:
    """A part of a view: first index and extent of each dimension."""

    view: View
    starts: tuple[int, ...]
    extents: tuple[int, ...]

    @property
    def count(self) -> int:
        return prod(self.extents)

    @property
    def kind(self) -> Element:
        return self.view.kind

    @property
    def offset(self) -> int:
        return sum(s * step for s, step in zip(self.starts, self.view.strides, strict=True))

    def index(self) -> tuple[slice, ...]:
        """What numpy takes to find it. Errors: OutOfBounds."""
        for start, extent, size in zip(self.starts, self.extents, self.view.shape, strict=True):
            if start < 0 or start + extent > size:
                raise OutOfBounds(f"{self} reaches beyond {self.view.name}{list(self.view.shape)}")
        return tuple(slice(s, s + e) for s, e in zip(self.starts, self.extents, strict=True))

    def __str__(self) -> str:
        parts = [f"{s}:{s + e}" for s, e in zip(self.starts, self.extents, strict=True)]
        return f"{self.view.name}[{', '.join(parts)}]"

    def read(self) -> Tile:
        """The elements, in the shape of the box. Errors: OutOfBounds."""
        index, storage = self.index(), self.view.storage
        values = self.kind.decode(self.view.cells()[index])
        if storage.complete:
            return Tile(values)
        return Tile(values, storage.poison(self.kind, self.view.marks()[index]))

    def write(self, values: Any, poison: Poison = None) -> None:
        """Set the elements; values may be of any numeric type. Errors: OutOfBounds."""
        index = self.index()
        self.view.cells()[index] = self.kind.encode(values)
        _mark(self.view, self.view.marks(), index, poison)

    def read_run(self, count: int) -> Tile:
        """So many consecutive elements from the first on, whatever the extents: as device calls read
        that are given a pointer and a count. Errors: OutOfBounds."""
        if count == self.count and self.dense:
            return self.read().flat()
        where, storage = self._run(count), self.view.storage
        values = self.kind.decode(storage.cells(self.kind, self.view.count)[where])
        return Tile(
            values, storage.poison(self.kind, storage.marks(self.kind, self.view.count)[where])
        )

    def write_run(self, values: Any, poison: Poison = None) -> None:
        """Set consecutive elements from the first on. Errors: OutOfBounds."""
        where, storage = self._run(len(values)), self.view.storage
        storage.cells(self.kind, self.view.count)[where] = self.kind.encode(values)
        _mark(self.view, storage.marks(self.kind, self.view.count), (where,), poison)

    def _run(self, count: int) -> slice:
        start = self.offset
        if start < 0 or start + count > self.view.count:
            text = f"{count} elements from {self} on reach beyond {self.view.name}"
            raise OutOfBounds(f"{text}{list(self.view.shape)}")
        return slice(start, start + count)

    @property
    def dense(self) -> bool:
        """True where the elements follow each other without gaps."""
        inside = True
        for extent, size in zip(reversed(self.extents), reversed(self.view.shape), strict=True):
            if not inside and extent != 1:
                return False
            inside = inside and extent == size
        return True


def _mark(view: View, marks: Array, index: Any, poison: Poison) -> None:
    storage = view.storage
    if storage.complete and poison is None:
        return
    written = _WRITTEN[view.kind.size]
    if poison is None:
        marks[index] = written
        storage.complete = bool(storage.live.all())
        return
    marks[index] = np.where(poison, _SPOILED[view.kind.size], written)
    storage.complete = False


def scatter(view: View, flat: Array, values: Any, poison: Poison) -> None:
    """Set single elements, by their offsets."""
    storage = view.storage
    view.flat()[flat] = view.kind.encode(values)
    if not storage.complete or poison is not None:
        _mark(view, storage.marks(view.kind, view.count), flat, poison)


def gather(view: View, flat: Array) -> Tile:
    """Single elements, by their offsets."""
    storage = view.storage
    values = view.kind.decode(view.flat()[flat])
    if storage.complete:
        return Tile(values)
    return Tile(values, storage.poison(view.kind, storage.marks(view.kind, view.count)[flat]))
