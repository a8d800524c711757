"""What is ordered with what: the state of the synchronisation analysis.

For every access so far the state holds the pipes whose coming work is *not* certainly behind it. A
flag from p to q puts q behind all that p is behind; a barrier puts a pipe behind itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from tl_ascend.ir.affine import interval
from tl_ascend.ir.effects import Effect
from tl_ascend.ir.expr import Load, Scalar, Var, free_vars, walk
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.nodes import Kernel, Region
from tl_ascend.ir.storage import placed_bytes, root
from tl_ascend.target.hardware import Memory, Pipe

BIT = {pipe: 1 << at for at, pipe in enumerate(Pipe)}
ALL_PIPES = sum(bit for pipe, bit in BIT.items() if pipe is not Pipe.ALL)


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """A box of a buffer that a pipe touches; equal ones are the same object. `starts`: None where a
    dimension is not known any more; no dimensions at all where the whole buffer counts."""

    pipe: Pipe
    bit: int
    write: bool
    buffer: int
    name: str
    starts: tuple[Scalar | None, ...]
    extents: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Wait:
    """A wait on `pipe` for a flag of `source`: the flag must not be set again before it."""

    pipe: Pipe
    bit: int
    source: Pipe
    event: int


Key: TypeAlias = "Access | Wait"


@dataclass(slots=True)
class State:
    """`open`: flags that are set and not yet waited for, by number, with what they vouch for."""

    pending: dict[Key, int] = field(default_factory=dict)
    open: dict[int, set[Key]] = field(default_factory=dict)

    def copy(self) -> State:
        return State(dict(self.pending), {flag: set(keys) for flag, keys in self.open.items()})

    def record(self, keys: Iterable[Key], behind: int = 0) -> None:
        """New accesses: nothing is behind them yet but the pipes in `behind`."""
        for key in keys:
            self.pending[key] = ALL_PIPES & ~behind
            for vouched in self.open.values():
                vouched.discard(key)

    def set_flag(self, number: int, source: Pipe) -> None:
        bit = BIT[source]
        self.open[number] = {
            key for key, bits in self.pending.items() if key.bit == bit or not bits & bit
        }

    def wait_flag(self, number: int, target: Pipe) -> None:
        self._behind(self.open.pop(number, ()), BIT[target])

    def barrier(self, pipe: Pipe) -> None:
        """After it the pipe is behind its own work; after ALL every pipe is behind everything."""
        if pipe is Pipe.ALL:
            self.pending.clear()
        else:
            bit = BIT[pipe]
            self._behind([key for key in self.pending if key.bit == bit], bit)

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
            new = rename.key(key) if isinstance(key, Access) else key
            pending[new] = pending.get(new, 0) | bits
        return State(pending)


class Overlaps:
    """Makes accesses and knows which of them may touch the same bytes."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._made: dict[tuple[object, ...], Access] = {}
        self._known: dict[tuple[Access, Access], bool] = {}
        self._places: dict[int, tuple[Memory, int, int] | None] = {}

    def steps(self, effect: Effect) -> list[tuple[Pipe, list[Access], tuple[Pipe, ...]]]:
        """The accesses of a statement, pipe by pipe, and which pipes each step waits for itself."""
        steps = [(Pipe.S, effect.scalars, (), ())] if effect.scalars else []
        every = [*steps, *((s.pipe, s.reads, s.writes, s.behind) for s in effect.steps)]
        return [
            (pipe, self._accesses(pipe, reads, writes), behind)
            for pipe, reads, writes, behind in every
        ]

    def _accesses(
        self, pipe: Pipe, reads: Iterable[Region], writes: Iterable[Region]
    ) -> list[Access]:
        found: dict[Access, None] = {}
        for regions, write in ((reads, False), (writes, True)):
            for region in regions:
                access = self._access(region, pipe, write)
                if access is not None:
                    found[access] = None
        return list(found)

    def _access(self, region: Region, pipe: Pipe, write: bool) -> Access | None:
        """The access to a region; None for registers."""
        buffer = root(region.buffer)
        place = self._kernel.placements.get(buffer.uid)
        if place is None or place.memory is Memory.REGISTER:
            return None
        if buffer.uid not in self._places:
            size, address = placed_bytes(buffer, place), place.address
            known = None
            if size is not None and address is not None:
                known = (place.memory, address, address + size)
            self._places[buffer.uid] = known
        box = region.buffer is buffer and len(region.starts) == buffer.rank
        starts = tuple(map(_known, region.starts)) if box else ()
        extents = region.extents if box else ()
        return self.made(pipe, write, buffer.uid, buffer.name, starts, extents)

    def made(
        self,
        pipe: Pipe,
        write: bool,
        buffer: int,
        name: str,
        starts: tuple[Scalar | None, ...],
        extents: tuple[Scalar, ...],
    ) -> Access:
        """The one access of these properties."""
        key = (BIT[pipe], write, buffer, starts, extents)
        if key not in self._made:
            self._made[key] = Access(pipe, BIT[pipe], write, buffer, name, starts, extents)
        return self._made[key]

    def conflict(self, one: Access, other: Access) -> bool:
        """True where the order of the two may matter."""
        if not one.write and not other.write:
            return False
        pair = (one, other)
        found = self._known.get(pair)
        if found is None:
            found = self._known[pair] = self._overlap(one, other)
        return found

    def _overlap(self, one: Access, other: Access) -> bool:
        if one.buffer != other.buffer:
            a, b = self._places[one.buffer], self._places[other.buffer]
            return a is not None and b is not None and a[0] is b[0] and a[1] < b[2] and b[1] < a[2]
        if not one.starts or not other.starts:
            return True
        boxes = zip(one.starts, one.extents, other.starts, other.extents, strict=True)
        return not any(_apart(a, x, b) or _apart(b, y, a) for a, x, b, y in boxes)


def _known(start: Scalar) -> Scalar | None:
    """A start that is read from memory may change under the same name."""
    return None if any(isinstance(node, Load) for node in walk(start)) else start


def _apart(low: Scalar | None, extent: Scalar, high: Scalar | None) -> bool:
    """True where the box at `low` certainly ends before the one at `high` begins."""
    if low is None or high is None:
        return False
    gap = interval(binary("-", binary("-", high, low), extent))[0]
    return gap is not None and gap >= 0


class Rename:
    """Forget the names that a loop binds. `earlier` replaces the loop variable by that of some
    earlier iteration; without it the loop variable is forgotten too."""

    def __init__(
        self,
        overlaps: Overlaps,
        bound: frozenset[Var],
        var: Var | None = None,
        earlier: Var | None = None,
    ) -> None:
        self._overlaps, self._bound, self._var, self._earlier = overlaps, bound, var, earlier
        self._known: dict[Access, Access] = {}

    def key(self, key: Access) -> Access:
        new = self._known.get(key)
        if new is None:
            starts = tuple(map(self._start, key.starts))
            new = key
            if starts != key.starts:
                new = self._overlaps.made(
                    key.pipe, key.write, key.buffer, key.name, starts, key.extents
                )
            self._known[key] = new
        return new

    def _start(self, start: Scalar | None) -> Scalar | None:
        names = [] if start is None else free_vars(start)
        if any(name in self._bound for name in names):
            return None
        if self._var is None or self._var not in names or self._earlier in names:
            return start
        if self._earlier is None:
            return None
        past = binary("-", self._var, self._earlier)
        moved: Scalar = substitute(start, {self._var: past})
        return moved


def earlier(var: Var) -> Var:
    """By how much an earlier iteration differs: at least one."""
    return Var(f"{var.name}'", -var.uid, "loop", 1, None, var.type)
