"""Cores that wait for each other: cross-core flags as counters, and barriers of the launch.

Calls of one core take effect at once and in order, so that flags and barriers between its pipes have
nothing to do here; whether they suffice on a device is not what this evaluation tells.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.ir.nodes import Stmt, TileOp
from tl_ascend.ir.text import op_text
from tl_ascend.simulate.core import Core
from tl_ascend.simulate.errors import Deadlock, UnsupportedOperation
from tl_ascend.simulate.machine import Machine
from tl_ascend.simulate.registry import SYNCHRONISATION

SYNCHRONISATION.update(("set_flag", "wait_flag", "pipe_barrier", "barrier_all"))
SYNCHRONISATION.update(("set_cross_flag", "wait_cross_flag", "sync_all"))
# Who is told: all cores of one half, the vector cores of a block, the other half of a block.
ALL_BLOCKS, VECTOR_CORES, OTHER_HALF = 0, 1, 2


@dataclass(slots=True)
class Wait:
    """A core that cannot go on until `ready`."""

    core: Core
    stmt: Stmt
    ready: Callable[[], bool]

    def __str__(self) -> str:
        text = op_text(self.stmt) if isinstance(self.stmt, TileOp) else "a statement"
        return f"the {self.core} waits at {text}"


@dataclass
class Flags:
    """Cross-core flags of a launch. `counters`: what each core may still wait for, by flag."""

    cores: list[Core]
    counters: dict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))
    _sets: dict[Any, dict[int, int]] = field(default_factory=dict)

    def set(self, core: Core, flag: int, mode: int) -> None:
        """Count up for the receivers, once every setter of the group has come this far."""
        setters, receivers = self._group(core, mode)
        key = (mode, flag, tuple(map(id, setters)))
        counts = self._sets.setdefault(key, {id(setter): 0 for setter in setters})
        before = min(counts.values())
        counts[id(core)] += 1
        if min(counts.values()) > before:
            for receiver in receivers:
                self.counters[id(receiver), flag] += 1

    def _group(self, core: Core, mode: int) -> tuple[list[Core], list[Core]]:
        same = [other for other in self.cores if other.half is core.half]
        here = [other for other in self.cores if other.block == core.block]
        if mode == ALL_BLOCKS:
            return same, same
        mine = [other for other in here if other.half is core.half]
        if mode == VECTOR_CORES:
            return mine, mine
        if mode == OTHER_HALF:
            return mine, [other for other in here if other.half is not core.half]
        raise UnsupportedOperation(f"set_cross_flag with mode {mode}: modes are 0, 1 and 2")


@dataclass
class Barrier:
    """T.sync_all: nobody goes on before all that take part have come as often."""

    members: list[int]
    arrived: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def arrive(self, member: int) -> Callable[[], bool]:
        self.arrived[member] += 1
        times = self.arrived[member]
        return lambda: all(self.arrived[other] >= times for other in self.members)


def synchronise(machine: Machine, flags: Flags | None, op: TileOp, core: Core) -> Iterator[Wait]:
    """What a statement of this family makes a core do."""
    if op.op == "sync_all":
        barrier = machine.barrier
        assert barrier is not None
        yield Wait(core, op, barrier.arrive(id(core)))
    elif flags is not None and op.op == "set_cross_flag":
        mode = 2 if op.args[2] is None else core.integer(op.args[2], "the mode of a flag")
        flags.set(core, core.integer(op.args[1], "the number of a flag"), mode)
    elif flags is not None and op.op == "wait_cross_flag":
        key = id(core), core.integer(op.args[0], "the number of a flag")
        if flags.counters[key] <= 0:
            yield Wait(core, op, lambda: flags.counters[key] > 0)
        flags.counters[key] -= 1


def run_together(tasks: list[Iterator[Wait]]) -> None:
    """Run until all are done; each goes on as far as it can, in order. Errors: Deadlock."""
    waiting: list[tuple[Iterator[Wait], Wait | None]] = [(task, None) for task in tasks]
    while waiting:
        left: list[tuple[Iterator[Wait], Wait | None]] = []
        moved = False
        for task, wait in waiting:
            while wait is None or wait.ready():
                moved = True
                try:
                    wait = next(task)
                except StopIteration:
                    break
            else:
                left.append((task, wait))
        if left and not moved:
            waits = [wait for _, wait in left if wait is not None]
            text = "; ".join(map(str, waits[:6])) + (" ..." if len(waits) > 6 else "")
            raise Deadlock(f"no core can go on: {text}", waits[0].stmt.span)
        waiting = left
