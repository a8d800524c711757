"""Which accesses of the two cores belong together where each core has a text of its own.

What orders them is that both happen equally often: the n-th hand-over of the writer is the n-th of
the reader. A hand-over is one access, or a run of accesses of one kind; it lies in as many loops on
each side as certainly give the same number of them.

So it is too for tensors with versions, whose loops `cross_core_pipeline` has taken apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from tl_ascend.ir.expr import free_vars
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.nodes import CoreScope, For, If, Kernel, exprs_of
from tl_ascend.passes.exchange import SIDES, Address, Around, Exchange, Site
from tl_ascend.passes.repetitions import Repetitions
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
from tl_ascend.target.hardware import Core

Versions = tuple[int, int]  # how many, and of which loop
Apart = tuple[Address, Address]  # loops of the cube core and of the vector cores


@dataclass(frozen=True, slots=True)
class _Half:
    """One side of a hand-over: from before its first site to behind its last."""

    sites: tuple[Site, ...]
    depth: int

    @property
    def core(self) -> Core:
        return self.sites[0].core

    @property
    def writes(self) -> bool:
        return self.sites[0].write


@dataclass(frozen=True, slots=True)
class _HandOver:
    """`often`: it may happen more than once, with the same version where there are some."""

    writer: _Half
    reader: _Half
    often: bool


def match(kernel: Kernel, exchange: Exchange, versions: Versions | None) -> list[Signal] | None:
    """The signals that keep the order; None where the two sides do not match."""
    pairs = _Matching(kernel, None if versions is None else versions[1]).pairs(exchange)
    return None if pairs is None else _signals(exchange, pairs, versions)


def match_apart(kernel: Kernel, exchange: Exchange) -> tuple[list[Signal], list[Apart]] | None:
    """The same for one text in which each core has loops of its own, as if it were two: their
    iterations belong together where both move over the tensor alike. Also which loops these are."""
    pairs = _Matching(kernel, None).pairs(exchange)
    apart = [found for pair in pairs or () for found in (_apart(pair),) if found is not None]
    return (_signals(exchange, pairs, None), apart) if pairs and apart else None


def _apart(pair: _HandOver) -> Apart | None:
    """The statements that hold the loops of each core, where they are not the same."""
    level = _shared_levels([*pair.writer.sites, *pair.reader.sites])
    loops = [_loops(half, level + 1) for half in (pair.writer, pair.reader)]
    if not all(loops) or len(loops[0]) != len(loops[1]):
        return None
    if len({half.sites[0].point[: 2 * level + 1] for half in (pair.writer, pair.reader)}) == 1:
        return None
    moves = [_moves(half, own) for half, own in zip((pair.writer, pair.reader), loops, strict=True)]
    if None in moves or moves[0] != moves[1]:
        return None
    first, second = (h.sites[0] for h in (pair.writer, pair.reader))
    found = {site.core: site.point[: 2 * level + 1] for site in (first, second)}
    return found[Core.CUBE], found[Core.VECTOR]


def _loops(half: _Half, low: int) -> list[For]:
    """The loops that a half lies in, from a depth on."""
    stmts = (around.stmt for around in half.sites[0].trail[low : half.depth])
    return [stmt for stmt in stmts if isinstance(stmt, For) and stmt.extent != 1]


def _moves(half: _Half, loops: Sequence[For]) -> list[tuple[object, ...]] | None:
    """How far an iteration of each loop moves the start of what is touched; None where that is not
    one number."""
    found: list[tuple[object, ...]] = []
    for site in half.sites:
        assert site.region is not None
        for loop in loops:
            ahead = binary("+", loop.var, 1)
            steps = [
                binary("-", substitute(start, {loop.var: ahead}), start)
                for start in site.region.starts
            ]
            if not all(isinstance(step, int) for step in steps):
                return None
            found.append(tuple(steps))
    return list(dict.fromkeys(found))


def _signals(
    exchange: Exchange, pairs: Sequence[_HandOver], versions: Versions | None
) -> list[Signal]:
    signals = []
    for writer in dict.fromkeys(pair.writer.core for pair in pairs):
        own = [pair for pair in pairs if pair.writer.core is writer]
        signals.append(_signal(exchange, own, back=False))
        if _needs_way_back(pairs):
            signals.append(_signal(exchange, own, back=True))
            _lend(signals[-1], exchange, own, versions)
    return signals


def _needs_way_back(every: Sequence[_HandOver]) -> bool:
    """Not where each write answers one of the other core, which came after its own read."""
    answers = [a.writer.core is not b.writer.core for a, b in _neighbours(every)]
    return not all(answers) if len(every) > 1 else every[0].often


def _neighbours(every: Sequence[_HandOver]) -> Iterator[tuple[_HandOver, _HandOver]]:
    yield from zip(every, every[1:], strict=False)
    if any(hand_over.often for hand_over in every):
        yield every[-1], every[0]


def _signal(exchange: Exchange, pairs: Sequence[_HandOver], back: bool) -> Signal:
    giver = pairs[0].reader.core if back else pairs[0].writer.core
    signal = Signal(giver, exchange.name, exchange.sites[0].stmt.span)
    what = f"{exchange.name} is {'read' if back else 'written'}"
    for pair in pairs:
        given, taken = (pair.reader, pair.writer) if back else (pair.writer, pair.reader)
        last, first = given.sites[-1], taken.sites[0]
        pipe, barrier = flag_pipe(given.sites)
        spot = Spot(AFTER, last.address(given.depth))
        clean = caches(given.sites, True)
        signal.sets.append(Call(spot, pipe, last.stmt.span, what, 0, barrier, clean))
        spot = Spot(BEFORE, first.address(taken.depth))
        why, clean = f"{what} by the other core", caches(taken.sites, False)
        signal.waits.append(Call(spot, first.pipe, first.stmt.span, why, 3, caches=clean))
    return signal


def _lend(
    signal: Signal, exchange: Exchange, pairs: Sequence[_HandOver], versions: Versions | None
) -> None:
    """One write is free at the start, so one flag is left at the end. Of a workspace with versions
    as many writes are free as it has versions, each time that its loop begins."""
    reader, writer = pairs[0].reader.sites[0], pairs[-1].writer.sites[-1]
    name = exchange.name
    count, start, end = 1, Spot(START), Spot(END)
    if versions is not None:
        count = versions[0]
        start = Spot(BEFORE, _around(reader, versions[1]))
        end = Spot(AFTER, _around(writer, versions[1]))
    why = f"{name} may be written {FIRST_TIME}"
    signal.sets += [Call(start, flag_pipe([reader])[0], reader.stmt.span, why)] * count
    why = f"the last read of {name} {LAST_TIME}"
    signal.waits += [Call(end, writer.pipe, writer.stmt.span, why, 3)] * count


def _around(site: Site, loop: int) -> tuple[int, ...]:
    """The loop over groups that an access is in."""
    return site.address(_depth_of(site, loop))


def _depth_of(site: Site, loop: int) -> int:
    return next(
        at
        for at, around in enumerate(site.trail)
        if isinstance(around.stmt, For) and around.stmt.var.uid == loop
    )


@dataclass(frozen=True, slots=True)
class _Matching:
    """`loop`: the one whose parts the hand-overs lie in, if any."""

    kernel: Kernel
    loop: int | None

    def pairs(self, exchange: Exchange) -> list[_HandOver] | None:
        sides = [exchange.of(core) for core in SIDES]
        for group in (_each, _runs):
            one, two = group(sides[0]), group(sides[1])
            kinds = [(a[0].write, b[0].write) for a, b in zip(one, two, strict=False)]
            if one and len(one) == len(two) and all(a is not b for a, b in kinds):
                found = [self._hand_over(a, b) for a, b in zip(one, two, strict=True)]
                return None if None in found else [pair for pair in found if pair is not None]
        return None

    def _hand_over(self, one: list[Site], two: list[Site]) -> _HandOver | None:
        """At the deepest pair of places that are passed equally often."""
        best: tuple[int, int, int] | None = None
        many = False
        counts = Repetitions(self.kernel)
        shared = _shared_levels([*one, *two])
        level = 2 * shared + 1
        if one[0].point and one[0].point[:level] == two[0].point[:level]:
            return None  # one statement does both
        low, other_low = self._low(one[0], shared), self._low(two[0], shared)
        if any(self._alone(around) for around in one[0].trail[:low]):
            return None
        for a in self._depths(one, low):
            count = counts.of(one[0], low, a)
            for b in self._depths(two, other_low):
                equal = count == counts.of(two[0], other_low, b)
                if equal and (best is None or a + b >= best[0]):
                    # Each iteration of a group has a version of its own.
                    again = a if self.loop is None else low
                    best, many = (a + b, a, b), not counts.once(one[0], again)
        if best is None:
            return None
        halves = _Half(tuple(one), best[1]), _Half(tuple(two), best[2])
        writer, reader = halves if one[0].write else halves[::-1]
        return _HandOver(writer, reader, many)

    def _low(self, site: Site, shared: int) -> int:
        """Inside the scope of the core, and inside of what both have in common."""
        if self.loop is not None:
            return 1 + _depth_of(site, self.loop)
        scopes = [n for n, step in enumerate(site.trail) if isinstance(step.stmt, CoreScope)]
        return 1 + max(scopes) + shared

    def _depths(self, run: list[Site], low: int) -> range:
        """Depths that all sites share, outside of what only one vector core may run."""
        trail, high = run[0].trail, low
        while high < len(trail) and all(_same(s.trail, trail, high) for s in run):
            if self._alone(trail[high]):
                break
            # Versions are taken in turns by iterations, not by what some of them do.
            if self.loop is not None and isinstance(trail[high].stmt, If):
                break
            high += 1
        return range(low, high + 1)

    def _alone(self, around: Around) -> bool:
        assert self.kernel.launch is not None
        core = self.kernel.launch.subblock
        return any(core in free_vars(value) for value in exprs_of(around.stmt))


def _shared_levels(sites: Sequence[Site]) -> int:
    """How many statements of the text hold all sites."""
    points = [site.point for site in sites]
    level = 0
    while 2 * level + 2 < min(map(len, points)) and len({p[: 2 * level + 2] for p in points}) == 1:
        level += 1
    return level


def _each(sites: Sequence[Site]) -> list[list[Site]]:
    return [[site] for site in sites]


def _runs(sites: Sequence[Site]) -> list[list[Site]]:
    return [list(run) for _, run in groupby(sites, lambda site: site.write)]


def _same(one: tuple[Around, ...], two: tuple[Around, ...], at: int) -> bool:
    if at >= len(one):
        return False
    return (one[at].index, one[at].branch) == (two[at].index, two[at].branch)
