"""Which accesses of a kernel may touch the same bytes.

Accesses and waits are numbered, so that a set of them is an integer with a bit for each: the analysis
joins, compares and searches such sets at every statement of every walk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from tl_ascend.ir.affine import interval
from tl_ascend.ir.effects import Effect
from tl_ascend.ir.expr import Scalar, Var, free_vars, loads
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Kernel, Region
from tl_ascend.ir.periodic import apart, repeats
from tl_ascend.ir.phases import Phases, exclude
from tl_ascend.ir.storage import ON_CHIP, placed_bytes, root
from tl_ascend.target.hardware import Memory, Pipe


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """A box of a buffer that a pipe touches; equal ones are the same object. `starts`: None where a
    dimension is not known any more; no dimensions at all where the whole buffer counts. `phases`: of
    the branches that it stands in."""

    number: int
    pipe: Pipe
    write: bool
    buffer: int
    name: str
    starts: tuple[Scalar | None, ...]
    extents: tuple[Scalar, ...]
    phases: Phases = ()

    @property
    def bit(self) -> int:
        return 1 << self.number


@dataclass(slots=True, eq=False)
class Work:
    """What a statement does on one pipe. `behind`: pipes that it waits for itself; `through`: also for
    what these are behind; `before`: those whose coming work is behind it. `near`: what shares buffers
    with it, and of how many accesses that is known. `missing`: what it was found to conflict with, by
    what was not ordered before it."""

    pipe: Pipe
    accesses: tuple[Access, ...]
    behind: tuple[Pipe, ...] = ()
    before: tuple[Pipe, ...] = ()
    through: tuple[Pipe, ...] = ()
    keys: int = 0
    near: tuple[int, int] = (0, 0)
    missing: dict[int, tuple[Access, Access] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for access in self.accesses:
            self.keys |= access.bit


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """One id of a flag to `target` with `ids` of them. Iteration k of the loop over `var` waits for
    turn 0, and sets the turn of the iteration that is to wait for it. -1: some turn. `alike`: all of
    the flag, of which there is one for each turn. `run`: the variables of the loops, from inside out,
    through which its turns are counted on, where they are."""

    flag: int
    target: Pipe
    ids: int
    var: Var | None
    turn: int
    alike: list[Token]
    run: tuple[Var, ...] = ()

    def turned(self, by: int) -> Token:
        """The same id in the terms of a later iteration."""
        return self if self.turn < 0 else self.alike[(self.turn - by) % self.ids]

    def any(self) -> Token:
        """Some id of the flag."""
        return self.alike[-1]


def tokens(
    flag: int, target: Pipe, ids: int, var: Var | None, run: tuple[Var, ...] = ()
) -> list[Token]:
    """The ids of a flag, by turn; at the end some of them."""
    alike: list[Token] = []
    alike += [Token(flag, target, ids, var, turn, alike, run) for turn in range(ids)]
    if ids > 1:
        alike.append(Token(flag, target, ids, var, -1, alike, run))
    return alike


def numbers(keys: int) -> Iterator[int]:
    """The members of a set of keys, in the order in which they were made."""
    while keys:
        lowest = keys & -keys
        yield lowest.bit_length() - 1
        keys ^= lowest


class Overlaps:
    """Makes accesses and knows which of them may touch the same bytes. `of_pipe`: the keys of each
    pipe; `pipes`: those in use; `fixed`: the keys that no variable moves; `made_so_far`: how many
    accesses. A wait on a pipe for a flag is a key too, one of `all_waits`: the flag must not be set
    again before it."""

    def __init__(self, kernel: Kernel) -> None:
        self.of_pipe = dict.fromkeys(Pipe, 0)
        self.pipes = {Pipe.S}
        self.fixed = 0
        self.all_waits = 0
        self.made_so_far = 0
        self._kernel = kernel
        self._keys: list[Access | None] = []
        self._made: dict[tuple[object, ...], Access] = {}
        self._waits: dict[tuple[Token, int], int] = {}
        self._tokens: dict[int, tuple[Pipe, Pipe, int, Token]] = {}  # by number
        self._of_flag: dict[tuple[Pipe, Pipe, int], int] = {}
        self._places: dict[int, tuple[Memory, int, int] | None] = {}
        self._of_buffer: dict[int, int] = {}
        self._writes = 0
        self._near: dict[int, list[int]] = {}
        # By access: which accesses were compared with it, and which of them conflict.
        self._compared: dict[int, int] = {}
        self._conflicts: dict[int, int] = {}

    def works(self, effect: Effect, phases: Phases = ()) -> list[Work]:
        """The accesses of a statement, pipe by pipe."""
        works = [Work(Pipe.S, self._accesses(Pipe.S, effect.scalars, (), phases))]
        for step in effect.steps:
            accesses = self._accesses(step.pipe, step.reads, step.writes, phases)
            works.append(Work(step.pipe, accesses, step.behind))
        # The steps of one call follow each other by the call's own flags.
        later: tuple[Pipe, ...] = ()
        for work in reversed(works):
            work.before = (*later, Pipe.S) if work.pipe is Pipe.S else later
            later = (*later, work.pipe) if work.accesses else later
        return [work for work in works if work.accesses]

    def work(
        self,
        pipe: Pipe,
        reads: Iterable[Region],
        writes: Iterable[Region],
        behind: tuple[Pipe, ...],
    ) -> Work:
        """Accesses on one pipe."""
        return Work(pipe, self._accesses(pipe, reads, writes), behind)

    def _accesses(
        self, pipe: Pipe, reads: Iterable[Region], writes: Iterable[Region], phases: Phases = ()
    ) -> tuple[Access, ...]:
        every = [(region, False) for region in reads] + [(region, True) for region in writes]
        found = dict.fromkeys(self._access(region, pipe, write, phases) for region, write in every)
        return tuple(access for access in found if access is not None)

    def _access(self, region: Region, pipe: Pipe, write: bool, phases: Phases) -> Access | None:
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
        return self.made(pipe, write, buffer.uid, buffer.name, starts, extents, phases)

    def made(
        self,
        pipe: Pipe,
        write: bool,
        buffer: int,
        name: str,
        starts: tuple[Scalar | None, ...],
        extents: tuple[Scalar, ...],
        phases: Phases = (),
    ) -> Access:
        """The one access of these properties."""
        key = (pipe, write, buffer, starts, extents, phases)
        access = self._made.get(key)
        if access is None:
            access = Access(len(self._keys), pipe, write, buffer, name, starts, extents, phases)
            self._made[key] = access
            self.made_so_far += 1
            self._keys.append(access)
            self._enter(access)
        return access

    def _enter(self, access: Access) -> None:
        self.of_pipe[access.pipe] |= access.bit
        self.pipes.add(access.pipe)
        self._of_buffer[access.buffer] = self._of_buffer.get(access.buffer, 0) | access.bit
        if access.write:
            self._writes |= access.bit
        moving = any(start is not None and free_vars(start) for start in access.starts)
        if not moving and not access.phases:
            self.fixed |= access.bit

    def of_buffer(self, buffer: int) -> int:
        """The accesses to a buffer."""
        return self._of_buffer.get(buffer, 0)

    def written(self, buffer: object) -> bool:
        """True for a buffer that the code writes."""
        return isinstance(buffer, int) and self.of_buffer(buffer) & self._writes != 0

    def in_turns(self, buffer: object) -> bool:
        """True for what a loop may use in turns: buffers in a memory of the core, ids of flags."""
        if not isinstance(buffer, int):
            return True
        place = self._kernel.placements.get(buffer)
        return place is not None and place.memory in ON_CHIP

    def moved(self, access: Access, starts: tuple[Scalar | None, ...], phases: Phases) -> Access:
        """The same access elsewhere."""
        return self.made(
            access.pipe, access.write, access.buffer, access.name, starts, access.extents, phases
        )

    def wait(self, source: Pipe, target: Pipe, event: int, token: Token) -> int:
        """The set of one wait, for a flag whose first id is `event`."""
        found = self._waits.get((token, event))
        if found is None:
            self._tokens[len(self._keys)] = (source, target, event, token)
            found = self._waits[token, event] = 1 << len(self._keys)
            self._keys.append(None)
            self.of_pipe[target] |= found
            self.all_waits |= found
            if token.turn < 0 or token.ids == 1:
                self.fixed |= found
            for at in range(event, event + token.ids):
                key = source, target, at
                self._of_flag[key] = found | self._of_flag.get(key, 0)
        return found

    def later_wait(self, number: int, moved: Callable[[Token], Token]) -> int:
        """A wait in other terms."""
        source, target, event, token = self._tokens[number]
        return self.wait(source, target, event, moved(token))

    def waits(self, source: Pipe, target: Pipe, event: int, token: Token) -> int:
        """All waits for the ids that a flag has from `event` on. Of its own those that may be for
        this turn."""
        found = 0
        for at in range(event, event + token.ids):
            found |= self._of_flag.get((source, target, at), 0)
        for turn in range(token.ids) if token.ids > 1 else ():
            if turn != token.turn:
                found &= ~self._waits.get((token.alike[turn], event), 0)
        return found

    def waited(self, waits: int) -> Iterator[tuple[int, Token]]:
        """Of each wait the first id that its flag had, and for which of them it is."""
        for number in numbers(waits):
            _, _, event, token = self._tokens[number]
            yield event, token

    def access(self, number: int) -> Access | None:
        """The access of a number; None for a wait."""
        return self._keys[number]

    def conflicts(self, access: Access, among: int) -> int:
        """Those of a set whose order with the access may matter."""
        number = access.number
        fresh = among & ~self._compared.get(number, 0)
        if fresh:
            found = self._conflicts.get(number, 0)
            for at in numbers(fresh & self._sharing(access)):
                other = self._keys[at]
                if other is not None and _meet(access, other):
                    found |= 1 << at
            self._conflicts[number] = found
            self._compared[number] = fresh | self._compared.get(number, 0)
        return among & self._conflicts.get(number, 0)

    def near(self, work: Work) -> tuple[int, int]:
        """How many accesses there are, and those to buffers that share bytes with those of some work."""
        shared = 0
        for access in work.accesses:
            shared |= self._sharing(access)
        work.near = self.made_so_far, shared
        return work.near

    def use(self, pipe: Pipe) -> None:
        """There are calls of this pipe, or flags that lead to it or from it."""
        if pipe is not Pipe.ALL:
            self.pipes.add(pipe)

    def _sharing(self, access: Access) -> int:
        """The accesses to buffers that share bytes with that of this one; two reads need no order."""
        if access.buffer not in self._near:
            self._near[access.buffer] = [
                buffer for buffer in self._places if self._share(access.buffer, buffer)
            ]
        shared = 0
        for buffer in self._near[access.buffer]:
            shared |= self._of_buffer.get(buffer, 0)
        return shared if access.write else shared & self._writes

    def _share(self, one: int, other: int) -> bool:
        if one == other:
            return True
        a, b = self._places[one], self._places[other]
        return a is not None and b is not None and a[0] is b[0] and a[1] < b[2] and b[1] < a[2]


def _meet(one: Access, other: Access) -> bool:
    """True where the boxes of two accesses may overlap. Those of different buffers are not
    compared."""
    if one.phases and other.phases and exclude(one.phases, other.phases):
        return False
    if one.buffer != other.buffer or not one.starts or not other.starts:
        return True
    boxes = zip(one.starts, one.extents, other.starts, other.extents, strict=True)
    return not any(never_meet(a, x, b, y) for a, x, b, y in boxes)


def _known(start: Scalar) -> Scalar | None:
    """A start that is read from memory may change under the same name."""
    return None if loads(start) else start


@lru_cache(maxsize=16384)
def never_meet(low: Scalar | None, extent: Scalar, high: Scalar | None, size: Scalar) -> bool:
    """True where the boxes at `low` and at `high` certainly share nothing."""
    if low is None or high is None:
        return False
    if _ends(low, extent, high) or _ends(high, size, low):
        return True
    return (repeats(low) or repeats(high)) and apart(low, extent, high, size)


def _ends(low: Scalar, extent: Scalar, high: Scalar) -> bool:
    """True where the box at `low` certainly ends before the one at `high` begins."""
    gap = interval(binary("-", binary("-", high, low), extent))[0]
    return gap is not None and gap >= 0
