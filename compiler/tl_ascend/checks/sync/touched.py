"""What touched the bytes of a buffer, and which of it has to be ordered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tl_ascend.checks.sync.events import PIPES, SCALAR, Access, Box, Event

COUNT = len(PIPES)
MOST = 16  # reads, and writes, of a buffer that are remembered before another one
BITS = 24  # of a number for a box
Overlaps = dict[int, bool]  # of boxes, by their numbers


@dataclass(slots=True, eq=False)
class Entry:
    """The latest of equal accesses. `pipe`: of all cores; `rivals`: what it has to be ordered with;
    `number`: of the access on its pipe; `first`: of the first one; `order`: where it stands in the
    program; `mark`: its half of the key of a pair. The entry is made before its first access is."""

    event: Event
    access: Access
    pipe: int
    rivals: list[Entry] = field(default_factory=list)
    number: int = 0
    first: int = 0
    time: int = 0
    order: int = 0
    mark: int = 0


@dataclass(slots=True)
class Touched:
    """The accesses of a buffer. Which are rivals is found once for each."""

    reads: dict[int, Entry] = field(default_factory=dict)
    writes: dict[int, Entry] = field(default_factory=dict)

    def entry(self, event: Event, access: Access, pipe: int, overlaps: Overlaps) -> Entry:
        """Of an access on a pipe."""
        entries = self.writes if access.write else self.reads
        key = access.number << 6 | pipe << 1 | access.added
        found = entries.get(key)
        if found is None:
            if len(entries) > MOST:
                _forget(entries.pop(next(iter(entries))))
            found = Entry(event, access, pipe)
            self._meet(found, overlaps)
            entries[key] = found
        return found

    def clear(self) -> None:
        """Forget everything: entries that know each other would wait for the collector."""
        for entries in (self.reads, self.writes):
            for entry in entries.values():
                entry.rivals.clear()
            entries.clear()

    def _meet(self, new: Entry, overlaps: Overlaps) -> None:
        others = (self.reads, self.writes) if new.access.write else (self.writes,)
        for entries in filter(None, others):
            for old in _rivals(new, entries.values(), overlaps):
                # The scalar unit has its value before it goes on.
                if old.access.write or old.pipe % COUNT != SCALAR:
                    new.rivals.append(old)
                if new.access.write or new.pipe % COUNT != SCALAR:
                    old.rivals.append(new)


def _forget(entry: Entry) -> None:
    for rival in entry.rivals:
        if entry in rival.rivals:
            rival.rivals.remove(entry)


def _rivals(new: Entry, entries: Iterable[Entry], overlaps: Overlaps) -> list[Entry]:
    """Those of other pipes that touch what an access touches."""
    access, found = new.access, []
    for old in entries:
        other = old.access
        if old.pipe == new.pipe or (access.added and other.added):
            continue
        if other.number != access.number:
            key = other.number << BITS | access.number
            known = overlaps.get(key)
            if known is None:
                known = overlaps[key] = overlap(other.box, access.box)
            if not known:
                continue
        found.append(old)
    return found


def overlap(one: Box, other: Box) -> bool:
    """True where two boxes of a buffer have bytes in common."""
    if len(one) != len(other):
        return False
    return all(a < d and c < b for (a, b), (c, d) in zip(one, other, strict=True))
