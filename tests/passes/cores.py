"""Run the code of the cube core and of a vector core side by side: an oracle for cross-core flags.

Each core is one thread here (`happens_before` looks into a core). Flags are counters; the n-th wait
belongs to the n-th set. Found are waits that nothing ends, flags left set, counters that run over,
and accesses to the same bytes in GM that no flag orders.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from tests.passes.happens_before import Box, Run

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Call, Load, Var, free_vars, walk
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import Block, CoreScope, Kernel, Stmt, TileOp, blocks_of, with_blocks
from tl_ascend.target.hardware import Core, Memory

SIDES = (Core.CUBE, Core.VECTOR)
MOST = 15


@dataclass
class Event:
    kind: str  # set, wait, touch
    flag: int = -1
    box: Box = (0, ())
    write: bool = False
    what: str = ""


@dataclass
class Trace(Run):
    """The events of one core. Values that the text does not fix are the same on both."""

    events: list[Event] = field(default_factory=list)
    shared: dict[Any, int] = field(default_factory=dict)

    def stmt(self, stmt: Stmt) -> None:
        if isinstance(stmt, TileOp) and stmt.op in ("set_cross_flag", "wait_cross_flag"):
            kind = stmt.op.split("_")[0]
            self.events.append(Event(kind, self.number(stmt.args[1 if kind == "set" else 0])))
            return
        super().stmt(stmt)

    def work(self, stmt: Stmt) -> None:
        effect = effect_of(stmt)
        for regions, write in ((effect.reads, False), (effect.writes, True)):
            for region in regions:
                if self.kernel.memory(region.buffer) is Memory.GM:
                    what = f"{'write' if write else 'read'} of {region.buffer.name}"
                    self.events.append(Event("touch", -1, self.box(region), write, what))

    def number(self, value: Any) -> int:
        for var in free_vars(value):
            if var not in self.values:
                self.values[var] = self.shared.setdefault(var, self._pick(var))
        known = {
            node: self.shared.setdefault(node, self.rng.randrange(2))
            for node in walk(value)
            if isinstance(node, (Load, Call))
        }
        return int(substitute(value, {**self.values, **known}))

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


def traces(kernel: Kernel, seed: int = 0, most: int = 3) -> list[list[Event]]:
    """What each core does. Loops are cut to `most` iterations."""
    shared: dict[Any, int] = {}
    found = []
    for core in SIDES:
        run = Trace(kernel, random.Random(seed), most, shared=shared)
        run.block(code_of(kernel.body, core))
        found.append(run.events)
    return found


def disorder(kernel: Kernel, seed: int = 0, most: int = 3) -> list[str]:
    """What is wrong between the cores."""
    events, at, clocks = traces(kernel, seed, most), [0, 0], [[0, 0], [0, 0]]
    queues: dict[int, list[list[int]]] = {}
    touched: list[list[tuple[list[int], Event]]] = [[], []]
    problems: list[str] = []
    moving = True
    while moving:
        moving = False
        for me in (0, 1):
            while at[me] < len(events[me]):
                event = events[me][at[me]]
                if event.kind == "wait":
                    if not queues.get(event.flag):
                        break
                    stamp = queues[event.flag].pop(0)
                    clocks[me] = [max(a, b) for a, b in zip(clocks[me], stamp, strict=True)]
                clocks[me][me] += 1
                if event.kind == "set":
                    queues.setdefault(event.flag, []).append(list(clocks[me]))
                    if len(queues[event.flag]) > MOST:
                        problems.append(f"flag {event.flag} runs over")
                if event.kind == "touch":
                    touched[me].append((list(clocks[me]), event))
                at[me] += 1
                moving = True
    for me in (0, 1):
        if at[me] < len(events[me]):
            problems.append(f"{SIDES[me].value} waits for flag {events[me][at[me]].flag} for ever")
    problems += [f"flag {flag} is left set" for flag, queue in queues.items() if queue]
    return list(dict.fromkeys([*problems, *_races(kernel, touched)]))


def _races(kernel: Kernel, touched: list[list[tuple[list[int], Event]]]) -> list[str]:
    run = Run(kernel, random.Random(0))
    found = []
    for mine, one in touched[0]:
        for theirs, other in touched[1]:
            ordered = theirs[0] >= mine[0] or mine[1] >= theirs[1]
            if (one.write or other.write) and not ordered and run.overlap(one.box, other.box):
                found.append(f"nothing orders the {one.what} and the {other.what}")
    return found
