"""Flags between the cores before they have a number: who sets and who waits, and where.

A signal is what one core tells the other about some tensors. Its n-th wait belongs to its n-th set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tl_ascend.ir.nodes import (
    Block,
    Buffer,
    CoreScope,
    Stmt,
    TileOp,
    blocks_of,
    with_blocks,
)
from tl_ascend.passes.exchange import Address, Site, other
from tl_ascend.passes.scalar_cache import emptied
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Core, Pipe

START, END = "start", "end"  # of the code of a core
BEFORE, AFTER = "before", "after"  # a statement
_MODE = 2  # between a cube core and its vector cores
# How the reasons end of sets before anything was done, of waits for what nothing comes after, and of
# barriers before a set.
FIRST_TIME, LAST_TIME, SEVERAL = "for the first time", "sets it", "not by one pipe alone"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a call is put. `address`: of the statement in the lowered kernel, `point` in the text
    of both cores; neither at the start and at the end."""

    where: str
    address: Address = ()
    point: Address = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A set or a wait. Of calls at one place those of a lower `rank` come first: what others wait
    for. `caches`: tensors whose elements the scalar unit keeps in its cache."""

    spot: Spot
    pipe: Pipe
    span: Span
    why: str
    rank: int = 0
    barrier: bool = False
    caches: tuple[Buffer, ...] = ()


@dataclass(slots=True)
class Signal:
    """`giver` sets, the other core waits. `lent`: the first set at the start has nothing before it,
    so one is waited for at the end. `ahead`: how often it may be set and not waited for yet."""

    giver: Core
    names: str
    first: Span
    sets: list[Call] = field(default_factory=list)
    waits: list[Call] = field(default_factory=list)
    ahead: int = 1

    @property
    def lent(self) -> bool:
        return any(call.spot.where == START for call in self.sets)

    @property
    def in_text(self) -> bool:
        """True where every place is known in the text of both cores."""
        calls = (*self.sets, *self.waits)
        return all(call.spot.point or call.spot.where in (START, END) for call in calls)


def flag_pipe(sites: Sequence[Site]) -> tuple[Pipe, bool]:
    """The pipe that sets a flag behind some accesses, and whether it needs a barrier: a flag stands
    behind the work of one pipe. The scalar unit has read what decides on its way, or went into a
    call, before it goes on; it sets no flags itself."""
    pipes = list(dict.fromkeys(site.pipe for site in sites if site.pipe is not Pipe.S))
    scalar = any(site.pipe is Pipe.S and _lingers(site) for site in sites)
    pipe = pipes[-1] if pipes else Pipe.MTE2
    return pipe, len(pipes) > 1 or scalar


def _lingers(site: Site) -> bool:
    taken = bool(blocks_of(site.stmt)) or isinstance(site.stmt, TileOp)
    return site.write or not taken


def caches(sites: Sequence[Site], write: bool) -> tuple[Buffer, ...]:
    """The tensors whose elements the scalar unit reads or writes itself."""
    found = (site.buffer for site in sites if site.pipe is Pipe.S and site.write is write)
    return tuple(dict.fromkeys(found))


_Order = tuple[Address, int]


@dataclass(slots=True)
class Insertions:
    """What is put where: `near` by place and address, `ends` by core."""

    near: dict[tuple[str, Address], list[tuple[_Order, list[TileOp]]]] = field(default_factory=dict)
    ends: dict[tuple[str, Core], list[TileOp]] = field(default_factory=dict)

    def add(self, signal: Signal, flag: int) -> None:
        for call in signal.sets:
            clean = [_clean(buffer, call) for buffer in call.caches]
            barrier = [_made("barrier_all", (), call, f"{call.why}, {SEVERAL}")]
            set_flag = _made("set_cross_flag", (call.pipe.value, flag, _MODE), call, call.why)
            self._put(call, signal.giver, [*clean, *barrier[: call.barrier], set_flag])
        for call in signal.waits:
            wait = _made("wait_cross_flag", (flag, call.pipe.value), call, call.why)
            clean = [_clean(buffer, call) for buffer in call.caches]
            self._put(call, other(signal.giver), [wait, *clean])

    def _put(self, call: Call, core: Core, made: list[TileOp]) -> None:
        spot = call.spot
        if spot.where in (START, END):
            self.ends.setdefault((spot.where, core), []).extend(made)
        else:
            entry = (spot.point, call.rank), made
            self.near.setdefault((spot.where, spot.address), []).append(entry)

    def applied(self, body: Block) -> Block:
        """The code with all that was added."""
        body = self._inserted(body, ())
        for (where, core), calls in self.ends.items():
            if where == START:
                body = _first(body, core, tuple(calls))
            else:
                body = _first(body[::-1], core, tuple(calls), backwards=True)[::-1]
        return body

    def _inserted(self, block: Block, prefix: Address) -> Block:
        done: list[Stmt] = []
        for index, stmt in enumerate(block):
            here = (*prefix, index)
            inner = tuple(
                self._inserted(nested, (*here, branch))
                for branch, nested in enumerate(blocks_of(stmt))
            )
            done.extend(self._at(BEFORE, here))
            done.append(with_blocks(stmt, inner) if inner else stmt)
            done.extend(self._at(AFTER, here))
        return tuple(done)

    def _at(self, where: str, address: Address) -> Iterator[TileOp]:
        entries = self.near.get((where, address), ())
        for _, made in sorted(entries, key=lambda entry: entry[0]):
            yield from made


def _first(body: Block, core: Core, calls: Block, backwards: bool = False) -> Block:
    """Calls in the first scope of a core; in one of their own where its scopes stand in loops."""
    for at, stmt in enumerate(body):
        if isinstance(stmt, CoreScope) and stmt.core is core:
            inner = (*stmt.body, *calls) if backwards else (*calls, *stmt.body)
            return (*body[:at], replace(stmt, body=inner), *body[at + 1 :])
        if blocks_of(stmt) and not isinstance(stmt, CoreScope):
            break
    return (CoreScope(core, calls, calls[0].span, inferred=True), *body)


def _made(name: str, args: tuple[str | int, ...], at: Call, why: str) -> TileOp:
    return TileOp(name, args, at.span, (at.span,) * len(args), form=name, reason=why)


def _clean(buffer: Buffer, at: Call) -> TileOp:
    why = f"the scalar unit has {buffer.name} in its cache, which the other core does not see"
    return emptied(buffer, at.span, why)
