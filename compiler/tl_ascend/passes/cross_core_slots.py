"""How far the writer of a tensor may be ahead of its reader on the other core.

Where iterations write to slots in turns, a slot is free again once those before it in the ring were
read: as many flags are sent ahead as there are slots. Where no iteration writes what another one
reads, none is needed at all, as long as the counter of the way forth holds all that may be sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tl_ascend.ir.expr import Expr, Scalar, Var, loads
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.nodes import (
    Block,
    For,
    If,
    Kernel,
    Let,
    Region,
    Stmt,
    While,
    blocks_of,
    walk_stmts,
)
from tl_ascend.passes.cross_core_pipeline import VERSIONS
from tl_ascend.passes.cross_flag_ids import MOST
from tl_ascend.passes.exchange import Exchange, Site, other
from tl_ascend.passes.signals import END, START, Call, Signal
from tl_ascend.passes.sync_access import never_meet

AHEAD = 8  # more than that evens out nothing


def with_slots(kernel: Kernel, exchange: Exchange, signals: list[Signal]) -> list[Signal]:
    """The signals of an exchange, the way back as often ahead as its slots allow, or left out."""
    if len(signals) != 2 or len(exchange.buffers) != 1:
        return signals
    if exchange.buffers[0].uid in kernel.attrs.get(VERSIONS, {}):
        return signals
    forth, back = signals
    ring = _ring(kernel, exchange, forth, back)
    if ring is None:
        return signals
    count = ring.slots()
    if count is None:
        return [replace(forth, ahead=MOST)]
    sets, waits = _repeated(back.sets, START, count), _repeated(back.waits, END, count)
    return [replace(forth, ahead=count), replace(back, ahead=count, sets=sets, waits=waits)]


def _repeated(calls: Sequence[Call], where: str, count: int) -> list[Call]:
    return [call for call in calls for _ in range(count if call.spot.where == where else 1)]


@dataclass(frozen=True, slots=True)
class _Ring:
    """A hand-over in each iteration of the two loops, or (`some`) in some, the same of both."""

    writer: For
    reader: For
    writes: tuple[Region, ...]
    reads: tuple[Region, ...]
    some: bool

    def slots(self) -> int | None:
        """How many iterations the writer may be ahead; None for any number."""
        often = self.writer.extent
        for ahead in range(1, MOST + 1):
            if isinstance(often, int) and ahead >= often:
                return None
            if not self._apart(ahead):
                return 1 if self.some else min(ahead, AHEAD)
        return 1 if self.some else AHEAD

    def _apart(self, ahead: int) -> bool:
        """True where what an iteration reads and another one writes, so much later, is apart."""
        first = binary("-", self.writer.start, self.reader.start)
        now = binary("+", self.reader.var, binary("+", first, ahead))
        later = _values(self.writer, now, renamed=True)
        values = _values(self.reader, self.reader.var, renamed=False)
        return all(
            _share_nothing(_at(read, values), _at(write, later))
            for read in self.reads
            for write in self.writes
        )


def _ring(kernel: Kernel, exchange: Exchange, forth: Signal, back: Signal) -> _Ring | None:
    """None where the hand-over is none of that kind."""
    if forth.lent or not back.lent or forth.giver is back.giver:
        return None
    starts, sets = _split(back.sets, START)
    ends, waits = _split(back.waits, END)
    if not (len(starts) == len(ends) == len(sets) == len(waits) == 1):
        return None
    if len(forth.sets) != 1 or len(forth.waits) != 1:
        return None
    sides = exchange.of(forth.giver), exchange.of(other(forth.giver))
    if not all(s.write for s in sides[0]) or any(s.write for s in sides[1]):
        return None
    calls = (waits[0], forth.sets[0]), (forth.waits[0], sets[0])
    around = [_around(kernel, *pair) for pair in calls]
    if around[0] is None or around[1] is None:
        return None
    some = around[0][1] or around[1][1]
    loops = around[0][0], around[1][0]
    inside = all(_inside(loop, side) for loop, side in zip(loops, sides, strict=True))
    if not inside or (some and not (forth.in_text and back.in_text)):
        return None
    writes, reads = (tuple(s.region for s in side if s.region is not None) for side in sides)
    return _Ring(loops[0], loops[1], writes, reads, some)


def _split(calls: Sequence[Call], where: str) -> tuple[list[Call], list[Call]]:
    return (
        [call for call in calls if call.spot.where == where],
        [call for call in calls if call.spot.where != where],
    )


def _around(kernel: Kernel, one: Call, two: Call) -> tuple[For, bool] | None:
    """The only loop around two calls of one block, and whether a branch in it decides about them."""
    prefix = one.spot.address[:-1]
    if prefix != two.spot.address[:-1]:
        return None
    found, some = None, False
    for stmt in _trail(kernel.body, prefix):
        if isinstance(stmt, While) or found and isinstance(stmt, For):
            return None
        if isinstance(stmt, For):
            found = stmt
        some = some or isinstance(stmt, If)
    return None if found is None else (found, some)


def _trail(block: Block, prefix: Sequence[int]) -> Iterator[Stmt]:
    for at in range(0, len(prefix), 2):
        stmt = block[prefix[at]]
        yield stmt
        block = blocks_of(stmt)[prefix[at + 1]]


def _inside(loop: For, sites: Sequence[Site]) -> bool:
    return all(any(around.stmt is loop for around in site.trail) for site in sites)


def _values(loop: For, iteration: Scalar, renamed: bool) -> dict[Expr, Scalar]:
    """What the names of a loop stand for in an iteration. `renamed`: what it counts itself is of that
    iteration, no matter what has the same name in another one."""
    values: dict[Expr, Scalar] = {loop.var: iteration}
    for stmt in walk_stmts(loop.body):
        if isinstance(stmt, Let) and not loads(stmt.value):
            values[stmt.var] = substitute(stmt.value, values)
        elif isinstance(stmt, (For, Let)) and renamed:
            v = stmt.var
            values[v] = Var(v.name, -v.uid, v.role, v.low, v.high, v.type)
    return values


def _at(region: Region, values: dict[Expr, Scalar]) -> list[tuple[Scalar, Scalar]]:
    return [
        (substitute(start, values), substitute(extent, values))
        for start, extent in zip(region.starts, region.extents, strict=True)
    ]


def _share_nothing(
    one: Sequence[tuple[Scalar, Scalar]], two: Sequence[tuple[Scalar, Scalar]]
) -> bool:
    if len(one) != len(two):
        return False
    return any(
        not any(map(loads, (*a, *b))) and never_meet(*a, *b) for a, b in zip(one, two, strict=True)
    )
