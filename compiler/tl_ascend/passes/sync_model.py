"""What is ordered with what: the state of the synchronisation analysis.

For every access so far the state holds the pipes whose coming work is *not* certainly behind it. A
flag from p to q puts q behind all that p is behind; a barrier puts a pipe behind itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Load, Scalar, Var, free_vars, walk
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.nodes import Kernel, Region
from tl_ascend.ir.storage import placed_bytes, root
from tl_ascend.target.hardware import Memory, Pipe

_ORDER = tuple(Pipe)
BIT = {pipe: 1 << at for at, pipe in enumerate(_ORDER)}
ALL_PIPES = sum(BIT[p] for p in _ORDER if p is not Pipe.ALL)


@dataclass(frozen=True, slots=True)
class Access:
    """A box of a buffer that a pipe touches. `starts`, `extents`: None where a dimension is not
    known any more; no dimensions at all where the whole buffer counts. `what`: for messages."""

    pipe: Pipe
    write: bool
    buffer: int
    name: str
    starts: tuple[Scalar | None, ...]
    extents: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait on `pipe` for a flag of `source`: the flag must not be set again before it."""

    pipe: Pipe
    source: Pipe
    event: int
    number: int


Key: TypeAlias = "Access | Wait"
Flag: TypeAlias = "tuple[Pipe, Pipe, int]"


@dataclass(slots=True)
class State:
    """`open`: flags that are set and not yet waited for, with what they vouch for."""

    pending: dict[Key, int] = field(default_factory=dict)
    open: dict[Flag, set[Key]] = field(default_factory=dict)

    def copy(self) -> State:
        return State(dict(self.pending), {flag: set(keys) for flag, keys in self.open.items()})

    def record(self, keys: Iterable[Key], behind: int = 0) -> None:
        """New accesses: nothing is behind them yet but the pipes in `behind`."""
        for key in keys:
            self.pending[key] = ALL_PIPES & ~behind
            for vouched in self.open.values():
                vouched.discard(key)

    def set_flag(self, flag: Flag) -> None:
        bit = BIT[flag[0]]
        self.open[flag] = {
            key
            for key, open_pipes in self.pending.items()
            if key.pipe is flag[0] or not open_pipes & bit
        }

    def wait_flag(self, flag: Flag) -> None:
        self._behind(self.open.pop(flag, set()), BIT[flag[1]])

    def barrier(self, pipe: Pipe) -> None:
        """After it the pipe is behind its own work; after ALL every pipe is behind everything."""
        if pipe is Pipe.ALL:
            self.pending.clear()
        else:
            self._behind([k for k in self.pending if k.pipe is pipe], BIT[pipe])

    def _behind(self, keys: Iterable[Key], bit: int) -> None:
        for key in keys:
            left = self.pending.get(key, 0) & ~bit
            if left:
                self.pending[key] = left
            else:
                self.pending.pop(key, None)

    def join(self, other: State) -> State:
        """What holds where either may have happened."""
        pending = dict(self.pending)
        for key, bits in other.pending.items():
            pending[key] = pending.get(key, 0) | bits
        shared = {f: keys & other.open[f] for f, keys in self.open.items() if f in other.open}
        return State(pending, shared)

    def renamed(self, rename: Rename) -> State:
        """The state in the terms of the next iteration, or of the code behind the loop."""
        pending: dict[Key, int] = {}
        for key, bits in self.pending.items():
            new = rename.key(key)
            pending[new] = pending.get(new, 0) | bits
        return State(pending)


@dataclass(frozen=True, slots=True)
class Rename:
    """Forget the names that a loop binds. `earlier` replaces the loop variable by that of some
    earlier iteration; without it the loop variable is forgotten too."""

    bound: frozenset[Var]
    var: Var | None
    earlier: Var | None = None

    def key(self, key: Key) -> Key:
        if isinstance(key, Wait):
            return key
        starts = tuple(map(self._start, key.starts))
        return key if starts == key.starts else replace(key, starts=starts)

    def _start(self, start: Scalar | None) -> Scalar | None:
        names = [] if start is None else free_vars(start)
        if any(name in self.bound for name in names):
            return None
        if self.var is None or self.var not in names or self.earlier in names:
            return start
        if self.earlier is None:
            return None
        past = binary("-", self.var, self.earlier)
        moved: Scalar = substitute(start, {self.var: past})
        return moved


def earlier(var: Var) -> Var:
    """By how much an earlier iteration differs: at least one."""
    return Var(f"{var.name}'", -var.uid, "loop", 1, None, var.type)


class Overlaps:
    """Which accesses may touch the same bytes. Decided once for each pair."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._known: dict[tuple[Access, Access], bool] = {}
        self._places: dict[int, tuple[Memory, int, int] | None] = {}

    def access(self, region: Region, pipe: Pipe, write: bool) -> Access | None:
        """The access to a region; None for registers."""
        buffer = root(region.buffer)
        place = self._kernel.placements.get(buffer.uid)
        if place is None or place.memory is Memory.REGISTER:
            return None
        if buffer.uid not in self._places:
            size = placed_bytes(buffer, place)
            known = place.address is not None and size is not None
            self._places[buffer.uid] = (
                (place.memory, place.address or 0, (place.address or 0) + (size or 0))
                if known
                else None
            )
        box = region.buffer is buffer and len(region.starts) == buffer.rank
        starts = tuple(map(_known, region.starts)) if box else ()
        return Access(pipe, write, buffer.uid, buffer.name, starts, region.extents if box else ())

    def conflict(self, one: Access, other: Access) -> bool:
        """True where the order of the two may matter."""
        if not one.write and not other.write:
            return False
        pair = (one, other)
        if pair not in self._known:
            self._known[pair] = self._overlap(one, other)
        return self._known[pair]

    def _overlap(self, one: Access, other: Access) -> bool:
        if one.buffer != other.buffer:
            a, b = self._places[one.buffer], self._places[other.buffer]
            return a is not None and b is not None and a[0] is b[0] and a[1] < b[2] and b[1] < a[2]
        if not one.starts or not other.starts:
            return True
        boxes = zip(one.starts, one.extents, other.starts, other.extents, strict=True)
        return not any(_apart(a, x, b, y) or _apart(b, y, a, x) for a, x, b, y in boxes)


def _known(start: Scalar) -> Scalar | None:
    """A start that is read from memory may change under the same name."""
    return None if any(isinstance(node, Load) for node in walk(start)) else start


def _apart(low: Scalar | None, extent: Scalar, high: Scalar | None, _: Scalar) -> bool:
    """True where the box at `low` certainly ends before the one at `high` begins."""
    if low is None or high is None:
        return False
    gap = interval(binary("-", binary("-", high, low), extent))[0]
    return gap is not None and gap >= 0


def accesses(
    overlaps: Overlaps, pipe: Pipe, reads: Iterable[Region], writes: Iterable[Region]
) -> Iterator[Access]:
    """The accesses of one step, each once."""
    seen: set[Access] = set()
    for regions, write in ((reads, False), (writes, True)):
        for region in regions:
            found = overlaps.access(region, pipe, write)
            if found is not None and found not in seen:
                seen.add(found)
                yield found
