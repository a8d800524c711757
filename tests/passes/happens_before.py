"""Run the synchronisation of a lowered kernel and look for races: an oracle for `insert_sync`.

Calls are executed in program order with concrete indices; vector clocks say which calls of other
pipes (and of the same pipe, which overlap too) are certainly done. Unlike the pass this knows nothing
of loops or joins: it sees one run.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from math import lcm, prod
from typing import Any

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Binary, Call, Load, Var, free_vars, walk
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import (
    Block,
    Break,
    CoreScope,
    For,
    If,
    Kernel,
    Let,
    Region,
    Stmt,
    TileOp,
    While,
    exprs_of,
    walk_stmts,
)
from tl_ascend.ir.storage import placed_bytes, root
from tl_ascend.target.hardware import FLAG_IDS, Memory, Pipe

PIPES = [p for p in Pipe if p is not Pipe.ALL]
MAX_CYCLE = 16
Box = tuple[int, tuple[tuple[int, int], ...]]


class _Leave(Exception):
    pass


@dataclass
class Done:
    pipe: Pipe
    number: int
    box: Box
    write: bool
    what: str


@dataclass
class Run:
    """One execution of the code of one core."""

    kernel: Kernel
    rng: random.Random
    most: int = 3
    limit: int = 4  # numbers in memory are below it
    values: dict[Any, Any] = field(default_factory=dict)
    issued: dict[Pipe, int] = field(default_factory=lambda: dict.fromkeys(PIPES, 0))
    clocks: dict[Pipe, dict[Pipe, int]] = field(
        default_factory=lambda: {p: dict.fromkeys(PIPES, 0) for p in PIPES}
    )
    flags: dict[tuple[Pipe, Pipe, int], dict[Pipe, int]] = field(default_factory=dict)
    waits: dict[tuple[Pipe, Pipe, int], int] = field(default_factory=dict)
    # By buffer, the last one of each kind: what is behind it is behind those before it.
    done: dict[int, dict[tuple[Pipe, Box, bool], Done]] = field(default_factory=dict)
    sharing: dict[tuple[int, int], bool] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    cycle: int = 1

    def __post_init__(self) -> None:
        exprs = (value for stmt in walk_stmts(self.kernel.body) for value in exprs_of(stmt))
        nodes = (node for value in exprs for node in walk(value))
        self.cycle = lcm(*(cycle for node in nodes if (cycle := _cycle(node)) > 1))

    def block(self, block: Block) -> None:
        for stmt in block:
            self.stmt(stmt)

    def stmt(self, stmt: Stmt) -> None:
        if isinstance(stmt, TileOp) and self.sync(stmt):
            return
        self.work(stmt)
        if isinstance(stmt, Let):
            self.values[stmt.var] = self.number(stmt.value)
        elif isinstance(stmt, For):
            self.loop(stmt)
        elif isinstance(stmt, If):
            self.block(stmt.then if self.number(stmt.condition) else stmt.other)
        elif isinstance(stmt, While):
            try:
                for _ in range(self.rng.randrange(self.most + 1)):
                    self.block(stmt.body)
                    self.work(stmt)
            except _Leave:
                pass
        elif isinstance(stmt, CoreScope):
            self.block(stmt.body)
        elif isinstance(stmt, Break):
            raise _Leave

    def loop(self, loop: For) -> None:
        start, extent = self.number(loop.start), self.number(loop.extent)
        try:
            for i in self.iterations(extent, loop):
                self.values[loop.var] = start + i
                self.block(loop.body)
                self.work(loop)
        except _Leave:
            pass

    def iterations(self, extent: int, loop: For) -> list[int]:
        """The first and the last ones: those left out are a whole number of cycles. Loops that take
        ids as they come are run as a whole."""
        inner = any(isinstance(stmt, (For, While)) for stmt in walk_stmts(loop.body))
        if extent <= (self.most if inner else max(self.most, FLAG_IDS)):
            return list(range(extent))
        run = self.most if self.most > self.cycle else self.cycle + 1
        run += (extent - run) % self.cycle
        if run >= extent:
            return list(range(extent))
        first = run - run // 2
        return [*range(first), *range(extent - run + first, extent)]

    def number(self, value: Any) -> int:
        for var in free_vars(value):
            if var not in self.values:
                low = max(var.low or 0, 1 if var.role == "shape" else 0)
                self.values[var] = self.rng.randint(low, min(low + 3, var.high or low + 3))
        loads = {
            n: self.rng.randrange(self.limit) for n in walk(value) if isinstance(n, (Load, Call))
        }
        return int(substitute(value, {**self.values, **loads}))

    def box(self, region: Region) -> Box:
        buffer = root(region.buffer)
        if region.buffer is not buffer:
            return buffer.uid, ()
        starts = [self.number(s) for s in region.starts]
        extents = [self.number(e) for e in region.extents]
        return buffer.uid, tuple(zip(starts, extents, strict=True))

    def overlap(self, a: Box, b: Box) -> bool:
        if a[0] == b[0]:
            if not a[1] or not b[1]:
                return True
            return all(x < y + m and y < x + n for (x, n), (y, m) in zip(a[1], b[1], strict=True))
        return self.share(a[0], b[0])

    def share(self, one: int, other: int) -> bool:
        """True where two buffers have bytes in common."""
        if one == other:
            return True
        if (one, other) not in self.sharing:
            a, b = self.bytes(one), self.bytes(other)
            known = a is not None and b is not None and a[0] is b[0]
            self.sharing[one, other] = known and a[1] < b[2] and b[1] < a[2]  # type: ignore
        return self.sharing[one, other]

    def bytes(self, uid: int) -> tuple[Memory, int, int] | None:
        place = self.kernel.placements[uid]
        if place.address is None:
            return None
        for buffer in (*self.kernel.scratch, *_buffers(self.kernel)):
            if buffer.uid == uid:
                size = placed_bytes(buffer, place) or 0
                return place.memory, place.address, place.address + size
        return None

    def work(self, stmt: Stmt) -> None:
        effect = effect_of(stmt)
        steps = [(Pipe.S, effect.scalars, (), ())] if effect.scalars else []
        steps += [(s.pipe, s.reads, s.writes, s.behind) for s in effect.steps]
        name = stmt.form if isinstance(stmt, TileOp) else type(stmt).__name__
        before: Pipe | None = None
        for pipe, reads, writes, behind in steps:
            if before is not None:
                self.join(pipe, self.stamp(before))
            self.issued[pipe] += 1
            fresh = []
            for regions, write in ((reads, False), (writes, True)):
                for region in regions:
                    if self.kernel.memory(region.buffer) is Memory.REGISTER:
                        continue
                    one = Done(
                        pipe,
                        self.issued[pipe],
                        self.box(region),
                        write,
                        f"{name} {region.buffer.name}",
                    )
                    self.check(one, behind)
                    fresh.append(one)
            for one in fresh:
                self.done.setdefault(one.box[0], {})[one.pipe, one.box, one.write] = one
            self.clocks[Pipe.S][Pipe.S] = self.issued[Pipe.S]
            before = pipe

    def check(self, now: Done, behind: tuple[Pipe, ...]) -> None:
        near = [uid for uid in self.done if self.share(uid, now.box[0])]
        for old in (old for uid in near for old in self.done[uid].values()):
            if not (old.write or now.write) or old.pipe in behind:
                continue
            if self.clocks[now.pipe][old.pipe] >= old.number or not self.overlap(old.box, now.box):
                continue
            self.problems.append(
                f"{now.what} on {now.pipe.value} is not behind {old.what} on {old.pipe.value}"
            )

    def stamp(self, pipe: Pipe) -> dict[Pipe, int]:
        return {**self.clocks[pipe], pipe: self.issued[pipe]}

    def join(self, pipe: Pipe, stamp: dict[Pipe, int]) -> None:
        mine = self.clocks[pipe]
        for other, number in stamp.items():
            mine[other] = max(mine[other], number)

    def sync(self, op: TileOp) -> bool:
        if op.op == "barrier_all":
            for pipe in PIPES:
                self.join(pipe, self.issued)
        elif op.op == "pipe_barrier":
            pipe = Pipe(str(op.args[0]).upper())
            self.clocks[pipe][pipe] = self.issued[pipe]
        elif op.op in ("set_flag", "wait_flag"):
            source, target = (Pipe(str(a).upper()) for a in op.args[:2])
            flag = (source, target, self.number(op.args[2]))
            if op.op == "set_flag":
                self.set(flag)
            else:
                self.wait(flag)
        else:
            return False
        return True

    def set(self, flag: tuple[Pipe, Pipe, int]) -> None:
        source, target, event = flag
        if flag in self.flags:
            self.problems.append(f"{source.value}->{target.value} {event} is set twice")
        # The scalar unit issues the calls of all pipes: what it waited for came before this call.
        if target is not Pipe.S and self.clocks[source][target] < self.waits.get(flag, 0):
            self.problems.append(
                f"{source.value}->{target.value} {event} may be set before its wait"
            )
        self.flags[flag] = self.stamp(source)

    def wait(self, flag: tuple[Pipe, Pipe, int]) -> None:
        stamp = self.flags.pop(flag, None)
        if stamp is None:
            self.problems.append(f"wait for {flag[0].value}->{flag[1].value} {flag[2]} without set")
            return
        target = flag[1]
        self.join(target, stamp)
        self.issued[target] += 1
        self.waits[flag] = self.issued[target]


def _cycle(node: Any) -> int:
    """After how many steps of what is in it an expression is the same again."""
    if not isinstance(node, Binary) or node.op not in ("%", "&"):
        return 1
    numbers = [n for n in node.children if isinstance(n, int)]
    inner = [n.b for n in node.children if isinstance(n, Binary) and n.op == "//"]
    cycle = prod([n + (node.op == "&") for n in numbers] + [n for n in inner if isinstance(n, int)])
    return cycle if cycle <= MAX_CYCLE else 1  # of blocks and rows, not of slots and ids


def _buffers(kernel: Kernel) -> list[Any]:
    from tl_ascend.ir.storage import buffers

    return [*buffers(kernel), *kernel.tensors]


def races(kernel: Kernel, seed: int = 0, runs: int = 3) -> list[str]:
    """What is wrong in a few runs of each core's code."""
    found: list[str] = []
    scopes = [s.body for s in kernel.body if isinstance(s, CoreScope)] or [kernel.body]
    for body in scopes:
        for number in range(runs):
            run = Run(kernel, random.Random(seed * 31 + number))
            for var in _launch_vars(kernel):
                run.values[var] = run.rng.randint(var.low or 0, min(var.high or 0, 3))
            run.block(body)
            if run.flags:
                run.problems.append(f"flags left set: {sorted(map(str, run.flags))}")
            found += run.problems
    return list(dict.fromkeys(found))


def _launch_vars(kernel: Kernel) -> list[Var]:
    assert kernel.launch is not None
    return [kernel.launch.block, kernel.launch.subblock]
