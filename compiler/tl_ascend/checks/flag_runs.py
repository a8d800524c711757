"""Flags that cannot pair, found by running the flags of each core: nothing else of a kernel matters.

Calls are issued in the order of the text; each pipe works through its own queue and stops at a wait
whose flag nobody has set. Where pipes stop in a ring, nothing ever moves again, whatever comes later:
that holds for the beginning of a long program, too.
Where a value that decides on flags is known on the device only, nothing is said.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.flag_fix import prime_and_drain
from tl_ascend.checks.known_values import Undecided, Values, first_block
from tl_ascend.diagnostics.report import Fix, Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import (
    AUTO_SYNC,
    Block,
    Break,
    CoreScope,
    For,
    If,
    Kernel,
    Let,
    Stmt,
    TileOp,
    While,
    walk_stmts,
)
from tl_ascend.target.hardware import Pipe

MAX_CALLS = 4000
_Flag = tuple[Pipe, Pipe, int]
_FLAGS = ("set_flag", "wait_flag")


class _Enough(Exception):
    """The beginning of the program has been read."""


@dataclass(slots=True)
class _Call:
    """An entry of a queue. `flag`: set or waited for; None for work."""

    stmt: Stmt
    order: int
    waits: bool = False
    flag: _Flag | None = None


@dataclass(slots=True)
class _Queues(Values):
    """What each pipe of a core has to do, in order. `barriers` stop all pipes."""

    parts: list[dict[Pipe, deque[_Call]]] = field(default_factory=lambda: [{}])
    count: int = 0

    def add(self, pipe: Pipe, stmt: Stmt, waits: bool = False, flag: _Flag | None = None) -> None:
        self.count += 1
        if self.count > MAX_CALLS:
            raise _Enough
        queue = self.parts[-1].setdefault(pipe, deque())
        queue.append(_Call(stmt, self.count, waits, flag))

    def block(self, block: Block) -> None:
        for stmt in block:
            self.stmt(stmt)

    def stmt(self, stmt: Stmt) -> None:
        if isinstance(stmt, TileOp):
            self._operation(stmt)
        elif isinstance(stmt, CoreScope):
            self.block(stmt.body)
        elif not _has_flags((stmt,)):
            if isinstance(stmt, Let):
                self.bind(stmt)
        elif isinstance(stmt, For):
            start, extent = self.number(stmt.start), self.number(stmt.extent)
            for at in range(start, start + extent):
                self.count += 1
                self.env[stmt.var] = at
                self.block(stmt.body)
        elif isinstance(stmt, If):
            self.block(stmt.then if self.number(stmt.condition) else stmt.other)
        else:
            raise Undecided

    def _operation(self, stmt: TileOp) -> None:
        if stmt.op in _FLAGS:
            source, target = (_pipe(a) for a in stmt.args[:2])
            waits = stmt.op == "wait_flag"
            flag = source, target, self.number(stmt.args[2])
            self.add(target if waits else source, stmt, waits, flag)
        elif stmt.op == "barrier_all":
            self.parts.append({})
        else:
            for step in effect_of(stmt).steps:
                self.add(step.pipe, stmt)


def _pipe(value: Any) -> Pipe:
    try:
        return Pipe(str(value).upper())
    except ValueError:
        raise Undecided from None


def _has_flags(block: Block) -> bool:
    return any(
        isinstance(s, (Break, While))
        or (isinstance(s, TileOp) and s.op in (*_FLAGS, "barrier_all"))
        for s in walk_stmts(block)
    )


def flags_of_a_core(context: CheckContext) -> None:
    """Waits within a core that stop all pipes for ever."""
    kernel = context.after
    if kernel.launch is None or not _has_author_flags(kernel):
        return
    for body in _programs(kernel):
        queues = _Queues(first_block(kernel))
        try:
            queues.block(body)
        except Undecided:
            continue
        except _Enough:
            pass
        ring = _ring(queues)
        if ring:
            _report(ring, queues, _repair(body, ring[0], kernel), context)


def _repair(body: Block, first: _Call, kernel: Kernel) -> Fix | None:
    assert isinstance(first.stmt, TileOp)

    def run(flags: Iterable[_Flag]) -> tuple[tuple[_Flag, Stmt] | None, dict[_Flag, int]]:
        queues = _Queues(first_block(kernel))
        queues.block(body)
        held = dict.fromkeys(flags, 1)
        stuck = _ring(queues, held)
        call = stuck[0] if stuck else None
        return (call.flag, call.stmt) if call is not None and call.flag else None, held

    try:
        return prime_and_drain(body, first.stmt, run)
    except (Undecided, _Enough):
        return None


def _has_author_flags(kernel: Kernel) -> bool:
    if kernel.options.on(AUTO_SYNC):
        return False
    return any(isinstance(s, TileOp) and s.op in _FLAGS for s in walk_stmts(kernel.body))


def _programs(kernel: Kernel) -> Iterator[Block]:
    scopes = [s.body for s in kernel.body if isinstance(s, CoreScope)]
    yield from scopes or [kernel.body]


def _ring(queues: _Queues, held: dict[_Flag, int] | None = None) -> list[_Call]:
    """The waits that stop each other, the first in the order of the text first. `held`: flags that
    are set before, and then those that are left."""
    held = {} if held is None else held
    for part in queues.parts:
        stuck = _run(part, held)
        ring = _cycle(stuck)
        if ring or stuck:
            return ring
    return []


def _run(part: Mapping[Pipe, deque[_Call]], held: dict[_Flag, int]) -> dict[Pipe, _Call]:
    """Work through the queues between two barriers; what each pipe that stops waits for."""
    moving = True
    while moving:
        moving = False
        for queue in part.values():
            while queue:
                call = queue[0]
                if call.flag is not None:
                    if call.waits and not held.get(call.flag):
                        break
                    held[call.flag] = held.get(call.flag, 0) + (-1 if call.waits else 1)
                queue.popleft()
                moving = True
    return {pipe: queue[0] for pipe, queue in part.items() if queue}


def _cycle(stuck: Mapping[Pipe, _Call]) -> list[_Call]:
    for first in stuck:
        seen: list[Pipe] = []
        pipe = first
        while pipe in stuck and pipe not in seen:
            seen.append(pipe)
            flag = stuck[pipe].flag
            assert flag is not None
            pipe = flag[0]
        if pipe in seen:
            ring = [stuck[p] for p in seen[seen.index(pipe) :]]
            return sorted(ring, key=lambda call: call.order)
    return []


def _report(ring: list[_Call], queues: _Queues, fix: Fix | None, context: CheckContext) -> None:
    first = ring[0]
    assert first.flag is not None
    source, target, _ = first.flag
    ids = sorted(
        {
            call.flag[2]
            for part in queues.parts
            for queue in part.values()
            for call in queue
            if call.waits and call.flag and call.stmt is first.stmt
        }
    )
    shown = f"ids {', '.join(map(str, ids[:-1]))} and {ids[-1]}" if len(ids) > 1 else f"id {ids[0]}"
    others = [call.flag[1].value for call in ring[1:] if call.flag]
    behind = f", and {' and '.join(others)} behind it" if others else ""
    context.report.add(
        "flag-unmatched",
        first.stmt.span,
        f"{source.value}->{target.value} {shown}: the wait comes before the first set, so "
        f"{target.value} stands still for ever{behind}",
        notes=("Set the flag once before, for each id, and wait for it once behind the loop.",),
        related=tuple(Related(call.stmt.span, "waits for ever, too") for call in ring[1:]),
        fixes=(fix,) if fix else (),
    )
