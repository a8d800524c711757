"""Runs statements on a group of cores.

A group is one core of a kernel whose author wrote the programs of both halves and the flags between
them, or all cores of a block otherwise: then statements run in program order, each on the cores that
own it, and cores that take different branches take one after the other. Generators, so that a core
can wait.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from tl_ascend.ir.expr import Load, free_vars, walk
from tl_ascend.ir.nodes import (
    Alloc,
    Block,
    Break,
    CoreScope,
    For,
    If,
    Let,
    Region,
    Stmt,
    Store,
    TileOp,
    While,
    exprs_of,
    walk_stmts,
    within,
)
from tl_ascend.ops.row import Op
from tl_ascend.ops.table import TABLE
from tl_ascend.simulate.call import Call
from tl_ascend.simulate.core import CUBE_MEMORIES, Core
from tl_ascend.simulate.errors import EvaluationError, UnsupportedOperation
from tl_ascend.simulate.expressions import cast_to
from tl_ascend.simulate.machine import Machine
from tl_ascend.simulate.parallel import Vectorised, run_vectorised, vectorised
from tl_ascend.simulate.registry import SYNCHRONISATION, tile_semantic
from tl_ascend.simulate.sync import Flags, Wait, synchronise
from tl_ascend.simulate.turns import Turns
from tl_ascend.target.hardware import Core as Half
from tl_ascend.target.hardware import Memory

Cores: TypeAlias = "list[Core]"
MOST_TURNS = 1_000_000  # of a loop with a condition
Steps: TypeAlias = "Generator[Wait, None, list[Core]]"  # returns who did not leave a loop
# The two copies that join the halves: they end in a tile of the first core named here.
_JOINING = {(Memory.L0C, Memory.UB): Half.VECTOR, (Memory.UB, Memory.L1): Half.VECTOR}


@dataclass
class Plan:
    """What is known of statements before they run; keys are their identities. `scopes`: the half
    that the author wrote a statement for."""

    machine: Machine
    scopes: dict[int, Half] = field(default_factory=dict)
    owners: dict[int, Half] = field(default_factory=dict)
    loops: dict[int, Vectorised | None] = field(default_factory=dict)
    has_cube_work: bool = False

    def __post_init__(self) -> None:
        for stmt in walk_stmts(self.machine.kernel.body):
            if isinstance(stmt, CoreScope):
                self.scopes.update((id(inner), stmt.core) for inner in walk_stmts(stmt.body))
            if isinstance(stmt, TileOp) and self.owner(stmt) is Half.CUBE:
                self.has_cube_work = True

    def owner(self, stmt: Stmt) -> Half:
        """The half that a statement belongs to; ANY for both."""
        found = self.owners.get(id(stmt))
        if found is None:
            if isinstance(stmt, TileOp):
                found = self._of_operation(stmt)
            else:
                found = self._of_stores(stmt)
            self.owners[id(stmt)] = found
        return found

    def _of_operation(self, op: TileOp) -> Half:
        row = TABLE.get(op.op)
        if row is None or row.kind == "sync":
            return Half.ANY
        if row.choose == "memories":
            path = self._path(op, row)
            if path in _JOINING:
                return _JOINING[path]
            found = {form.core for form in row.forms if form.memories == path}
            return found.pop() if found else Half.ANY
        if row.core is not Half.ANY:
            return row.core
        memories = {self.machine.memory(a.buffer) for a in op.args if isinstance(a, Region)}
        return self._of_memories(memories)

    def _path(self, op: TileOp, row: Op) -> tuple[Memory, ...]:
        ends = (op.args[row.index(name)] for name in ("src", "dst"))
        return tuple(self.machine.memory(end.buffer) for end in ends if isinstance(end, Region))

    def joins(self, stmt: Stmt) -> bool:
        """True for a copy from a tile of one half to one of the other."""
        row = TABLE.get(stmt.op) if isinstance(stmt, TileOp) else None
        if not isinstance(stmt, TileOp) or row is None or row.choose != "memories":
            return False
        return self._path(stmt, row) in _JOINING

    @staticmethod
    def _of_memories(memories: set[Memory]) -> Half:
        if Memory.UB in memories:
            return Half.VECTOR
        return Half.CUBE if memories & set(CUBE_MEMORIES) else Half.ANY

    def _of_stores(self, stmt: Stmt) -> Half:
        """Element stores and loops of them: where they touch tiles says whose they are. A tensor is
        written once: by the cube core, if there is work for it and nothing depends on `vid`."""
        launch = self.machine.kernel.launch
        assert launch is not None
        memories: set[Memory] = set()
        by_core = False
        stores = [s for s in within(stmt) if isinstance(s, Store)]
        for inner in within(stmt):
            for value in exprs_of(inner):
                nodes = walk(value)
                loads = (n for n in nodes if isinstance(n, Load) and n.buffer.scope != "var")
                memories |= {self.machine.memory(load.buffer) for load in loads}
                by_core = by_core or launch.subblock in free_vars(value)
        targets = {self.machine.memory(store.buffer) for store in stores}
        if targets == {Memory.REGISTER}:
            return Half.ANY
        if Memory.UB in memories | targets:
            return Half.VECTOR
        if Memory.GM in targets:
            return Half.CUBE if self.has_cube_work and not by_core else Half.VECTOR
        return self._of_memories(memories | targets)

    def loop(self, stmt: For) -> Vectorised | None:
        """How a T.Parallel loop runs on whole arrays; None where it must run step by step."""
        if id(stmt) not in self.loops:
            self.loops[id(stmt)] = vectorised(stmt)
        return self.loops[id(stmt)]


class Executor:
    """`flags` is None for a whole block: program order keeps its cores apart."""

    def __init__(
        self, plan: Plan, cores: Cores, flags: Flags | None, turns: Turns | None = None
    ) -> None:
        self.plan, self.machine, self.cores, self.flags = plan, plan.machine, cores, flags
        self.turns = turns

    def run(self) -> Iterator[Wait]:
        """All of the kernel. Yields what it waits for."""
        yield from self._block(self.machine.kernel.body, self.cores)

    def _block(self, block: Block, cores: Cores) -> Steps:
        for stmt in block:
            if not cores:
                break
            if self.turns is not None:
                yield from self.turns.before(stmt, cores)
            self.machine.current = stmt
            came, handler = cores, _SIMPLE.get(type(stmt))
            if handler is not None:
                self._guarded(handler, stmt, cores)
            elif isinstance(stmt, TileOp):
                yield from self._operation(stmt, cores)
            else:
                cores = yield from _CONTROL[type(stmt)](self, stmt, cores)
            if self.turns is not None:
                self.turns.after(stmt, came)
        return cores

    def _guarded(self, handler: Callable[..., Any], stmt: Stmt, *rest: Any) -> Any:
        try:
            return handler(self, stmt, *rest)
        except EvaluationError as error:
            error.span = error.span or stmt.span
            raise

    def _takers(self, stmt: Stmt, cores: Cores) -> Cores:
        """The cores of the group that execute a statement with an owner."""
        owner = self.plan.owner(stmt)
        if owner is Half.ANY:
            return cores
        found = [core for core in cores if core.half is owner]
        if found or not cores:
            return found
        scope = self.plan.scopes.get(id(stmt))
        if scope is None or scope is owner:
            return []
        if self._joins(stmt):
            return [self._lent(cores[0], other) for other in _peers(cores[0], owner)]
        half = "cube core" if scope is Half.CUBE else "vector cores"
        raise UnsupportedOperation(f"the {half} cannot do this: it is work of the other half")

    def _lent(self, core: Core, other: Core) -> Core:
        """A core of the other half that does part of this one's program: its own memory and index,
        and the variables of the program."""
        launch = self.machine.kernel.launch
        assert launch is not None
        own = {launch.subblock.uid: other.index}
        return replace(other, values={**core.values, **own}, variables=core.variables)

    def _joins(self, stmt: Stmt) -> bool:
        row = TABLE.get(stmt.op) if isinstance(stmt, TileOp) else None
        return row is not None and row.choose == "memories"

    # --- statements ---------------------------------------------------------------------------

    def _store(self, stmt: Store, cores: Cores) -> None:
        for core in self._takers(stmt, cores):
            indices = [core.decide(index, "an index") for index in stmt.indices]
            value, poison = core.evaluate(stmt.value)
            if stmt.buffer.scope == "var":
                value = cast_to(value, stmt.buffer.dtype)
            core.store(stmt.buffer, indices, value, poison)

    def _let(self, stmt: Let, cores: Cores) -> None:
        for core in cores:
            core.values[stmt.var.uid], poison = core.evaluate(stmt.value)
            core.set_taint(stmt.var.uid, poison)

    def _nothing(self, stmt: Stmt, cores: Cores) -> None:
        """Tiles come to life when they are first touched."""

    def _operation(self, op: TileOp, cores: Cores) -> Iterator[Wait]:
        if op.op in SYNCHRONISATION:
            if op.op == "sync_all" or self.flags is not None:
                for core in self._waiting(op, cores):
                    yield from self._guarded(_synchronise, op, core)
            return
        self._guarded(_apply, op, cores)

    def _waiting(self, op: TileOp, cores: Cores) -> Cores:
        """A block in program order comes to a barrier of the launch once."""
        return cores[:1] if op.op == "sync_all" and self.flags is None else cores

    def _for(self, stmt: For, cores: Cores) -> Steps:
        if stmt.kind == "parallel":
            loop = self.plan.loop(stmt)
            if loop is not None:
                self._guarded(_vector_loop, stmt, loop, cores)
                return cores
        ranges = self._guarded(_ranges, stmt, cores)
        running, step, uid = list(cores), 0, stmt.var.uid
        while running:
            running = [core for core in running if step < ranges[core][1]]
            for core in running:
                core.values[uid] = ranges[core][0] + step
            running = yield from self._block(stmt.body, running)
            step += 1
        return cores

    def _while(self, stmt: While, cores: Cores) -> Steps:
        running, turns = list(cores), 0
        while running:
            turns += 1
            if turns > MOST_TURNS:
                raise EvaluationError(f"a while loop does not end in {MOST_TURNS} turns", stmt.span)
            self.machine.current = stmt
            holds = self._guarded(_conditions, stmt, running)
            running = [core for core in running if holds[core]]
            running = yield from self._block(stmt.body, running)
        return cores

    def _if(self, stmt: If, cores: Cores) -> Steps:
        holds = self._guarded(_conditions, stmt, cores)
        yes = [core for core in cores if holds[core]]
        no = [core for core in cores if not holds[core]]
        left: list[Core] = []
        for block, taking in ((stmt.then, yes), (stmt.other, no)):
            if taking:
                left += yield from self._block(block, taking)
        return [core for core in cores if core in left]

    def _scope(self, stmt: CoreScope, cores: Cores) -> Steps:
        inside = [core for core in cores if core.half is stmt.core]
        left = (yield from self._block(stmt.body, inside)) if inside else []
        return [core for core in cores if core in left or core not in inside]

    def _break(self, stmt: Break, cores: Cores) -> Steps:
        return []
        yield  # a generator like the others


def _peers(core: Core, half: Half) -> Cores:
    assert core.peers is not None
    return [other for other in core.peers.cores if other.half is half]


def _ranges(self: Executor, stmt: For, cores: Cores) -> dict[Core, tuple[int, int]]:
    return {
        core: (core.integer(stmt.start, "a bound"), core.integer(stmt.extent, "a bound"))
        for core in cores
    }


def _conditions(self: Executor, stmt: If | While, cores: Cores) -> dict[Core, bool]:
    return {core: bool(core.decide(stmt.condition, "a condition")) for core in cores}


def _vector_loop(self: Executor, stmt: For, loop: Vectorised, cores: Cores) -> None:
    for core in self._takers(stmt, cores):
        run_vectorised(loop, core)


def _apply(self: Executor, op: TileOp, cores: Cores) -> None:
    takers = self._takers(op, cores)
    if takers:
        row, run = TABLE[op.op], tile_semantic(op.op)
        for core in takers:
            run(Call(self.machine, core, op, row))


def _synchronise(self: Executor, op: TileOp, core: Core) -> Iterator[Wait]:
    return synchronise(self.machine, self.flags, op, core)


_SIMPLE: dict[type, Callable[..., Any]] = {
    Store: Executor._store,
    Let: Executor._let,
    Alloc: Executor._nothing,
}
_CONTROL: dict[type, Callable[..., Steps]] = {
    For: Executor._for,
    While: Executor._while,
    If: Executor._if,
    CoreScope: Executor._scope,
    Break: Executor._break,
}
