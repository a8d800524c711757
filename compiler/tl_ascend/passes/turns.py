"""Where the cores take turns on tensors in GM, for code that both of them have from one text.

At each place of the text one core has the tensors: it may touch them. It passes them on by setting a
flag for which the other one waits, both at places of one block, which the cores reach equally often.
So the order of the text is one in which no wait lacks its set, whatever else the code holds.

Where a block is entered again and again, as a loop's, it must end as it began. If another core comes
last than first, the tensors are on their way to the first one at both ends: the last core sets the
flag behind its work, and the first one waits for it only before its own next work. Before the first
round they are sent on their way by hand, and received after the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from tl_ascend.ir.affine import same
from tl_ascend.ir.expr import Var, free_vars
from tl_ascend.ir.nodes import For, If, Region, Stmt, While, blocks_of, exprs_of
from tl_ascend.passes.exchange import SIDES, Address, Exchange, Site, in_order, other
from tl_ascend.passes.places import Places
from tl_ascend.passes.signals import (
    AFTER,
    BEFORE,
    END,
    FIRST_TIME,
    LAST_TIME,
    START,
    Call,
    Signal,
    Spot,
    caches,
    flag_pipe,
)
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Core


class NoTurns(Exception):
    """Why the cores cannot take turns, and where."""

    def __init__(self, span: Span, why: str) -> None:
        super().__init__(why)
        self.span = span


def take_turns(exchange: Exchange, places: Places, core: Var) -> list[Signal]:
    """The signals that keep the tensors of an exchange in order. `core`: the number of the vector
    core. Errors: NoTurns."""
    return _Turns(exchange, places, core).signals()


@dataclass(frozen=True, slots=True)
class _State:
    """Which core has the tensors, or (`coming`) is to receive them before it touches them."""

    core: Core
    coming: bool = False


@dataclass(frozen=True, slots=True)
class _Item:
    """What one statement of a block does. `compound`: both cores are at work inside of it."""

    sites: tuple[Site, ...]
    compound: bool

    @property
    def real(self) -> bool:
        return any(site.region is not None for site in self.sites)

    @property
    def first(self) -> Core:
        return next(site.core for site in self.sites if site.region is not None)

    def of(self, core: Core) -> Site | None:
        return next((site for site in self.sites if site.core is core), None)


@dataclass(frozen=True, slots=True)
class _Block:
    """The items of a block. `leaving`: what must hold at a way out of the loop around."""

    items: list[_Item]
    depth: int
    leaving: _State | None

    @property
    def prefix(self) -> Address:
        return self.items[0].sites[0].point[: 2 * self.depth]


_Emitted = tuple[Core, bool, Call]  # a core, whether it gives, and how
_Dirty = dict[Core, tuple[Site, ...]]


@dataclass(slots=True)
class _Turns:
    """`dirty`: what each core did since it last passed the tensors on; `left`: at ways out."""

    exchange: Exchange
    places: Places
    subblock: Var
    emitted: list[_Emitted] = field(default_factory=list)
    dirty: _Dirty = field(default_factory=lambda: dict.fromkeys(SIDES, ()))
    left: list[_Dirty] = field(default_factory=list)

    def signals(self) -> list[Signal]:
        items = self._items(in_order((*self.exchange.sites, *self.places.ways_out)), 0)
        start = next(self._need(item, 0) for item in items if item.real)
        if start.coming:
            self._lend(start.core)
        state = self._walk(_Block(items, 0, None), start)
        if state.coming:
            self._receive_last(state.core)
        givers = dict.fromkeys(core if gives else other(core) for core, gives, _ in self.emitted)
        return sorted(map(self._signal, givers), key=lambda signal: signal.lent)

    def _signal(self, giver: Core) -> Signal:
        signal = Signal(giver, self.exchange.name, self.exchange.sites[0].stmt.span)
        for core, gives, call in self.emitted:
            if gives and core is giver:
                signal.sets.append(call)
            elif not gives and core is not giver:
                signal.waits.append(call)
        return signal

    # --- what the code looks like -----------------------------------------------------------------

    def _items(self, sites: Sequence[Site], depth: int) -> list[_Item]:
        """What each statement of a block does, in order."""
        found: list[_Item] = []
        for _, group in groupby(sites, lambda site: site.point[2 * depth]):
            found.extend(self._item(tuple(group), depth))
        return found

    def _item(self, group: tuple[Site, ...], depth: int) -> Iterator[_Item]:
        real = tuple(site for site in group if site.region is not None)
        stmt = _stmt(group[0], depth)
        loop = isinstance(stmt, (For, While))
        if not blocks_of(stmt):
            for core in SIDES:
                own = tuple(site for site in group if site.core is core)
                if own and real:
                    yield _Item(own, False)
            if not real:
                yield _Item(group, False)
        elif len({site.core for site in real}) == 1 and (loop or len(real) == len(group)):
            yield _Item(real, False)
        elif real or not loop:
            self._check(stmt, real, depth)
            yield _Item(group, True)

    def _check(self, stmt: Stmt, real: Sequence[Site], depth: int) -> None:
        """Both cores must take the same way."""
        name = self.exchange.name
        heads = {site.core for site in real if len(site.point) == 2 * depth + 1}
        if len(heads) > (1 if isinstance(stmt, If) else 0):
            raise NoTurns(stmt.span, f"{name} decides here on what both of them do with it")
        if real and any(self.subblock in free_vars(value) for value in exprs_of(stmt)):
            why = f"only one vector core may come to the place where they hand {name} on"
            raise NoTurns(stmt.span, why)

    def _branches(self, item: _Item, depth: int) -> list[list[_Item]]:
        """The blocks of a compound statement that matter."""
        inner = [site for site in item.sites if len(site.point) > 2 * depth + 1]
        groups = groupby(inner, lambda site: site.point[2 * depth + 1])
        found = [self._items(list(group), depth + 1) for _, group in groups]
        return [items for items in found if items]

    def _need(self, item: _Item, depth: int) -> _State:
        """What must hold before an item that touches the tensors, and holds again behind it."""
        head = next((s for s in item.sites if len(s.point) == 2 * depth + 1 and s.region), None)
        if not item.compound or head is not None:
            return _State(item.first)
        branches = [items for items in self._branches(item, depth) if any(i.real for i in items)]
        if self._plain(item, depth):
            return self._need(branches[0][0], depth + 1)
        ends = [self._ends(items, depth + 1) for items in branches]
        first = self._first_core(item, ends, depth)
        return _State(first, any(end != (first, first) for end in ends))

    def _first_core(self, item: _Item, ends: list[tuple[Core, Core]], depth: int) -> Core:
        """The core that has the tensors at the start of each branch; it needs code where it does not
        come first."""
        for core in dict.fromkeys(first for first, _ in ends):
            prefixes = {s.point[: 2 * depth + 2] for s in item.sites if s.region is not None}
            if all(self.places.has(core, prefix) for prefix in prefixes):
                return core
        why = f"each branch has another core that hands {self.exchange.name} on"
        raise NoTurns(_stmt(item.sites[0], depth).span, why)

    def _ends(self, items: Sequence[_Item], depth: int) -> tuple[Core, Core]:
        """The cores that come first and last in a block."""
        real = [item for item in items if item.real]
        last = real[-1]
        if self._plain(last, depth):
            end = self._ends(self._branches(last, depth)[0], depth + 1)[1]
        else:
            state = self._need(last, depth)
            end = other(state.core) if state.coming else state.core
        return self._need(real[0], depth).core, end

    def _plain(self, item: _Item, depth: int) -> bool:
        """True for a loop that runs once, without a way out."""
        stmt = _stmt(item.sites[0], depth)
        leaves = any(site.region is None for site in item.sites)
        return item.compound and isinstance(stmt, For) and stmt.extent == 1 and not leaves

    # --- passing on -------------------------------------------------------------------------------

    def _walk(self, block: _Block, state: _State) -> _State:
        for at, item in enumerate(block.items):
            if not item.real:
                state = self._way_out(block, at, state)
                continue
            need = self._need(item, block.depth)
            self._move(block, at, state, need)
            state = need
            if self._plain(item, block.depth):
                (items,) = self._branches(item, block.depth)
                state = self._walk(_Block(items, block.depth + 1, None), need)
            elif item.compound:
                self._inside(block, item, need)
            else:
                self._did(item)
        return state

    def _way_out(self, block: _Block, at: int, state: _State) -> _State:
        """A `break`, or a branch with nothing but some."""
        if block.leaving is None:
            return state
        stmt = _stmt(block.items[at].sites[0], block.depth)
        if any(self.subblock in free_vars(value) for value in exprs_of(stmt)):
            raise NoTurns(stmt.span, f"one vector core may stop handing {self.exchange.name} on")
        self._move(block, at, state, block.leaving)
        self.left.append(dict(self.dirty))
        return block.leaving

    def _inside(self, block: _Block, item: _Item, need: _State) -> None:
        if not isinstance(_stmt(item.sites[0], block.depth), (For, While)):
            self._once(block, item, need, block.leaving)
            return
        outer, self.left, known = self.left, [], len(self.emitted)
        self._once(block, item, need, need)
        del self.emitted[known:]  # only now is known what an earlier round leaves
        self._once(block, item, need, need)
        self.dirty, self.left = _either([self.dirty, *self.left]), outer

    def _once(self, block: _Block, item: _Item, need: _State, leaving: _State | None) -> None:
        """The branches of a statement, each from the same state back to it."""
        entry = self.dirty
        ends = [entry]
        for items in self._branches(item, block.depth):
            self.dirty = dict(entry)
            inner = _Block(items, block.depth + 1, leaving)
            head = [s for s in item.sites if len(s.point) == 2 * block.depth + 1 and s.region]
            if head:
                self.dirty[need.core] = (*self.dirty[need.core], *head)
            self._move(inner, len(items), self._walk(inner, need), need)
            ends.append(self.dirty)
        self.dirty = _either(ends)

    def _did(self, item: _Item) -> None:
        """An overwritten place needs no order of its own: the core itself keeps it."""
        for site in item.sites:
            before = self.dirty[site.core]
            if site.write:
                before = tuple(old for old in before if not _same_place(old, site))
            self.dirty[site.core] = (*(old for old in before if old is not site), site)

    def _move(self, block: _Block, at: int, now: _State, then: _State) -> None:
        """Flags that lead from a state to another one before the item `at` of a block."""
        if now == then:
            return
        if now.core is then.core:
            if then.coming:
                self._give(block, at, other(now.core))
            else:
                self._take(block, at, now.core)
            return
        if now.coming:
            self._take(block, at, now.core, through=True)
        self._give(block, at, now.core, through=now.coming)
        if not then.coming:
            self._take(block, at, then.core)

    def _give(self, block: _Block, at: int, core: Core, through: bool = False) -> None:
        """As early as the core's own work allows. `through`: it has just received them."""
        done = [site for item in block.items[:at] for site in (item.of(core),) if site is not None]
        if through:
            spot = self._exactly(block, at, core)
        elif done:
            site = done[-1]
            spot = Spot(AFTER, site.address(block.depth + 1), site.point[: 2 * block.depth + 1])
        else:
            spot = self._exactly(block, 0, core)
        self.emitted.append((core, True, self._set(core, spot, 2 if through else 0)))

    def _take(self, block: _Block, at: int, core: Core, through: bool = False) -> None:
        here = block.items[at].of(core) if at < len(block.items) else None
        if here is None:
            spot = self._exactly(block, at, core)
        else:
            spot = Spot(BEFORE, here.address(block.depth + 1), here.point[: 2 * block.depth + 1])
        self.emitted.append((core, False, self._wait(core, spot, 1 if through else 3)))

    def _exactly(self, block: _Block, at: int, core: Core) -> Spot:
        """A place in the code of a core that has no item there."""
        index = block.items[at].sites[0].point[2 * block.depth] if at < len(block.items) else None
        spot = self.places.spot(core, block.prefix, index)
        if spot is None:
            site = block.items[0].sites[0]
            raise NoTurns(site.stmt.span, f"one core has no code where {self.exchange.name} is due")
        return spot

    def _set(self, core: Core, spot: Spot, rank: int) -> Call:
        sites = self.dirty[core]
        self.dirty[core] = ()
        name = self.exchange.name
        if not sites:
            own = self.exchange.of(core)[0]
            why = f"{name} may be {self._verb(other(core))} {FIRST_TIME}"
            return Call(spot, flag_pipe([own])[0], own.stmt.span, why, rank)
        pipe, barrier = flag_pipe(sites)
        why = f"{name} is {self._verb(core)}"
        clean = caches(sites, True)
        return Call(spot, pipe, sites[-1].stmt.span, why, rank, barrier, clean)

    def _wait(self, core: Core, spot: Spot, rank: int) -> Call:
        own = self.exchange.of(core)
        name = self.exchange.name
        why = f"{name} is {self._verb(other(core))} by the other core"
        return Call(spot, own[0].pipe, own[0].stmt.span, why, rank, caches=caches(own, False))

    def _verb(self, core: Core) -> str:
        return "written" if any(site.write for site in self.exchange.of(core)) else "read"

    def _lend(self, core: Core) -> None:
        call = self._set(other(core), Spot(START), 0)
        self.emitted.append((other(core), True, call))

    def _receive_last(self, core: Core) -> None:
        last = "write" if self._verb(other(core)) == "written" else "read"
        site = self.exchange.of(core)[-1]
        why = f"the last {last} of {self.exchange.name} {LAST_TIME}"
        self.emitted.append((core, False, Call(Spot(END), site.pipe, site.stmt.span, why, 3)))


def _stmt(site: Site, depth: int) -> Stmt:
    """The statement at a depth of the text that is or contains the site."""
    at = depth + 1  # the scope of the core is around it
    return site.trail[at].stmt if at < len(site.trail) else site.stmt


def _either(ends: Sequence[_Dirty]) -> _Dirty:
    return {
        core: tuple({id(site): site for end in ends for site in end[core]}.values())
        for core in SIDES
    }


def _same_place(one: Site, two: Site) -> bool:
    a, b = one.region, two.region
    if a is None or b is None or a.buffer is not b.buffer:
        return False
    return all(same(x, y) is True for x, y in _bounds(a, b))


def _bounds(a: Region, b: Region) -> Iterator[tuple[object, object]]:
    yield from zip((*a.starts, *a.extents), (*b.starts, *b.extents), strict=True)
