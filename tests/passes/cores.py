"""Run the code of the cube core and of a vector core side by side: an oracle for cross-core flags.

Each core is one thread here (`happens_before` looks into a core). Flags are counters, one for each
core that is sent them; the n-th wait belongs to the n-th set. Found are waits that nothing ends, flags
left set, counters that run over, and accesses to the same bytes in GM that no flag orders, those of
the scalar unit among them. `outcome` is what such a run leaves in GM.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from tests.passes.happens_before import Box, Run
from tests.passes.interpret import Machine

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Call, Load, Var, free_vars, walk
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import (
    Block,
    CoreScope,
    For,
    Kernel,
    Stmt,
    Store,
    TileOp,
    blocks_of,
    with_blocks,
)
from tl_ascend.target.hardware import Core, Memory

SIDES = (Core.CUBE, Core.VECTOR)
MOST = 15


@dataclass
class Event:
    kind: str  # set, wait, touch, work
    flag: int = -1
    box: Box = (0, ())
    write: bool = False
    what: str = ""
    stmt: Stmt | None = None
    values: dict[Any, Any] = field(default_factory=dict)


@dataclass
class Trace(Run):
    """The events of one core. Values that the text does not fix are the same on both."""

    events: list[Event] = field(default_factory=list)
    shared: dict[Any, int] = field(default_factory=dict)
    variables: dict[int, int] = field(default_factory=dict)

    def stmt(self, stmt: Stmt) -> None:
        if isinstance(stmt, TileOp) and stmt.op in ("set_cross_flag", "wait_cross_flag"):
            kind = stmt.op.split("_")[0]
            self.events.append(Event(kind, self.number(stmt.args[1 if kind == "set" else 0])))
            return
        super().stmt(stmt)
        if isinstance(stmt, Store) and stmt.buffer.scope == "var":
            self.variables[stmt.buffer.uid] = self.number(stmt.value)

    def work(self, stmt: Stmt) -> None:
        effect = effect_of(stmt)
        if isinstance(stmt, TileOp):
            self.events.append(Event("work", stmt=stmt, values=dict(self.values)))
        reads = (*effect.scalars, *effect.reads)
        for regions, write in ((reads, False), (effect.writes, True)):
            for region in regions:
                if self.kernel.memory(region.buffer) is Memory.GM:
                    what = f"{'write' if write else 'read'} of {region.buffer.name}"
                    self.events.append(Event("touch", -1, self.box(region), write, what))

    def iterations(self, extent: int, loop: For) -> list[int]:
        """As many on both cores, whatever stands in their copies of the loop."""
        return list(range(min(extent, self.most)))

    def number(self, value: Any) -> int:
        for var in free_vars(value):
            if var not in self.values:
                self.values[var] = self.shared.setdefault(var, self._pick(var))
        known = {node: self._read(node) for node in walk(value) if isinstance(node, (Load, Call))}
        return int(substitute(value, {**self.values, **known}))

    def _read(self, node: Load | Call) -> int:
        """A variable has the value that this core gave it."""
        if isinstance(node, Load) and node.buffer.uid in self.variables:
            return self.variables[node.buffer.uid]
        return self.shared.setdefault(node, self.rng.randrange(2))

    def _pick(self, var: Var) -> int:
        low = max(var.low or 0, 1 if var.role == "shape" else 0)
        return self.rng.randint(low, min(low + 3, var.high or low + 3))


def code_of(block: Block, core: Core) -> Block:
    """The program of one core."""
    done: list[Stmt] = []
    for stmt in block:
        if isinstance(stmt, CoreScope):
            done.extend(stmt.body if stmt.core is core else ())
        else:
            inner = tuple(code_of(nested, core) for nested in blocks_of(stmt))
            done.append(with_blocks(stmt, inner) if inner else stmt)
    return tuple(done)


def traces(
    kernel: Kernel, seed: int = 0, most: int = 3, known: dict[Any, int] | None = None
) -> list[list[Event]]:
    """What each core does. Loops are cut to `most` iterations."""
    shared: dict[Any, int] = {**(known or {})}
    found = []
    for core in SIDES:
        run = Trace(kernel, random.Random(seed), most, shared=shared)
        run.block(code_of(kernel.body, core))
        found.append(run.events)
    return found


def disorder(kernel: Kernel, seed: int = 0, most: int = 3) -> list[str]:
    """What is wrong between the cores."""
    both = _Both(kernel, traces(kernel, seed, most))
    both.run()
    return list(dict.fromkeys([*both.problems, *_races(kernel, both.touched)]))


def outcome(kernel: Kernel, known: dict[Any, int]) -> dict[Any, Any]:
    """What is left in GM (see `interpret`), for the first block and vector core."""
    assert kernel.launch is not None
    first = {kernel.launch.block: 0, kernel.launch.subblock: 0, **known}
    both = _Both(kernel, traces(kernel, 0, 1 << 30, first), computes=True)
    both.run()
    return both.machine.result()


@dataclass
class _Both:
    """Both cores, each as far as it can go."""

    kernel: Kernel
    events: list[list[Event]]
    computes: bool = False
    at: list[int] = field(default_factory=lambda: [0, 0])
    clocks: list[list[int]] = field(default_factory=lambda: [[0, 0], [0, 0]])
    queues: dict[tuple[int, int], list[list[int]]] = field(default_factory=dict)
    touched: list[list[tuple[list[int], Event]]] = field(default_factory=lambda: [[], []])
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.machine = Machine(self.kernel, {})

    def run(self) -> None:
        while any([self._advance(me) for me in (0, 1)]):
            pass
        for me in (0, 1):
            if self.at[me] < len(self.events[me]):
                flag = self.events[me][self.at[me]].flag
                self.problems.append(f"{SIDES[me].value} waits for flag {flag} for ever")
        left = [flag for (_, flag), queue in self.queues.items() if queue]
        self.problems += [f"flag {flag} is left set" for flag in left]

    def _advance(self, me: int) -> bool:
        start = self.at[me]
        while self.at[me] < len(self.events[me]):
            event = self.events[me][self.at[me]]
            if event.kind == "wait":
                if not self.queues.get((me, event.flag)):
                    break
                stamp = self.queues[me, event.flag].pop(0)
                self.clocks[me] = [max(a, b) for a, b in zip(self.clocks[me], stamp, strict=True)]
            self.clocks[me][me] += 1
            self._do(me, event)
            self.at[me] += 1
        return self.at[me] > start

    def _do(self, me: int, event: Event) -> None:
        if event.kind == "set":
            queue = self.queues.setdefault((1 - me, event.flag), [])
            queue.append(list(self.clocks[me]))
            if len(queue) > MOST:
                self.problems.append(f"flag {event.flag} runs over")
        elif event.kind == "touch":
            self.touched[me].append((list(self.clocks[me]), event))
        elif event.stmt is not None and self.computes:
            self.machine.values = event.values
            self.machine.work(event.stmt)


def _races(kernel: Kernel, touched: list[list[tuple[list[int], Event]]]) -> list[str]:
    run = Run(kernel, random.Random(0))
    found = []
    for mine, one in touched[0]:
        for theirs, other in touched[1]:
            ordered = theirs[0] >= mine[0] or mine[1] >= theirs[1]
            if (one.write or other.write) and not ordered and run.overlap(one.box, other.box):
                found.append(f"nothing orders the {one.what} and the {other.what}")
    return found
