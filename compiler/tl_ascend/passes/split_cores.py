"""Cut the kernel into the code of the cube core and that of the vector cores.

Only with `tl.ascend_auto_cv_combine`. What decides is what a statement does: the core of its call,
the memory that it touches, the pipes that a flag joins. Scalars go to both sides and stay where
they are used; barriers go to both sides, since what they order may lie on either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Load, free_vars, walk
from tl_ascend.ir.nodes import (
    AUTO_CV_COMBINE,
    Alloc,
    Block,
    Break,
    CoreScope,
    For,
    Kernel,
    Let,
    Region,
    Stmt,
    Store,
    TileOp,
    blocks_of,
    exprs_of,
    regions_of,
    walk_stmts,
    with_blocks,
)
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.context import PassContext
from tl_ascend.target.hardware import Core, Memory, Pipe

SIDES = (Core.CUBE, Core.VECTOR)
_OF_CUBE = (Memory.L1, Memory.L0A, Memory.L0B, Memory.L0C)
_PIPES = {
    Pipe.M: Core.CUBE,
    Pipe.MTE1: Core.CUBE,
    Pipe.FIX: Core.CUBE,
    Pipe.V: Core.VECTOR,
    Pipe.MTE3: Core.VECTOR,
}


@dataclass(frozen=True, slots=True)
class _Split:
    """`flags`: the core that sets a cross-core flag, by its text."""

    kernel: Kernel
    flags: dict[object, Core]

    def side_of(self, stmt: Stmt, previous: Core) -> Core:
        """The core of a statement; ANY for both. `previous`: that of the last decided one."""
        if isinstance(stmt, TileOp):
            return self._operation(stmt, previous)
        if isinstance(stmt, (Store, Let)):
            return self._scalar(stmt)
        return Core.ANY

    def _operation(self, op: TileOp, previous: Core) -> Core:
        row = TABLE.get(op.op)
        if row is not None and row.kind == "sync":
            return self._sync(op, previous)
        core = effect_of(op).core
        if core in SIDES:
            return core
        touched = [self.owner(region) for region in regions_of(op)]
        return next((core for core in touched if core in SIDES), Core.ANY)

    def owner(self, region: Region) -> Core:
        place = self.kernel.placements.get(root(region.buffer).uid)
        memory = None if place is None else place.memory
        if memory in _OF_CUBE:
            return Core.CUBE
        return Core.VECTOR if memory is Memory.UB else Core.ANY

    def _sync(self, op: TileOp, previous: Core) -> Core:
        if op.op in ("barrier_all", "sync_all"):
            return Core.ANY
        if op.op == "wait_cross_flag":
            setter = self.flags.get(op.args[0])
            return _other(setter) if setter is not None else previous
        named = [_pipe_core(arg) for arg in op.args if isinstance(arg, str)]
        decided = [core for core in named if core in SIDES]
        if decided:
            return decided[0]
        return Core.ANY if op.op == "pipe_barrier" else previous

    def _scalar(self, stmt: Store | Let) -> Core:
        effect = effect_of(stmt)
        owners = [self.owner(region) for region in (*effect.writes, *effect.scalars)]
        for core in owners:
            if core in SIDES:
                return core
        if isinstance(stmt, Store) and self.kernel.memory(stmt.buffer) is Memory.GM:
            return Core.CUBE  # a single element in GM is written once: there is one cube core
        return Core.ANY


def _pipe_core(name: str) -> Core:
    for pipe, core in _PIPES.items():
        if pipe.value == name.upper():
            return core
    return Core.ANY


def _other(core: Core) -> Core:
    return Core.VECTOR if core is Core.CUBE else Core.CUBE


def split_cores(kernel: Kernel, context: PassContext) -> Kernel:
    """Two core scopes, cube first; a side without work of its own is left out."""
    if not kernel.options.on(AUTO_CV_COMBINE):
        return kernel
    split = _Split(kernel, _cross_flags(kernel))
    labelled = _label(kernel.body, split)
    allocations = tuple(stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, Alloc))
    scopes = []
    for side in SIDES:
        body = _prune(_take(labelled, side))
        if _has_work(body):
            _report_foreign(body, side, split, context)
            scopes.append(CoreScope(side, body, kernel.span, inferred=True))
    return replace(kernel, body=(*allocations, *scopes))


def _cross_flags(kernel: Kernel) -> dict[object, Core]:
    """Which core sets which flag, where the pipe or the scope of the set tells."""
    found: dict[object, Core] = {}

    def look(block: Block, scope: Core) -> None:
        for stmt in block:
            if isinstance(stmt, TileOp) and stmt.op == "set_cross_flag":
                core = scope if scope in SIDES else _pipe_core(str(stmt.args[0]))
                if core in SIDES:
                    found.setdefault(stmt.args[1], core)
            for inner in blocks_of(stmt):
                look(inner, stmt.core if isinstance(stmt, CoreScope) else scope)

    look(kernel.body, Core.ANY)
    return found


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A statement, its side, and its nested blocks likewise."""

    stmt: Stmt
    side: Core
    blocks: tuple[tuple[_Labelled, ...], ...]


def _label(body: Block, split: _Split) -> tuple[_Labelled, ...]:
    last = [Core.VECTOR]

    def go(block: Block, scope: Core) -> tuple[_Labelled, ...]:
        done: list[_Labelled] = []
        for stmt in block:
            if isinstance(stmt, CoreScope):
                done.extend(go(stmt.body, stmt.core))
                continue
            side = scope if scope in SIDES else split.side_of(stmt, last[0])
            if side in SIDES:
                last[0] = side
            inner = tuple(go(nested, scope) for nested in blocks_of(stmt))
            done.append(_Labelled(stmt, side, inner))
        return tuple(done)

    return go(body, Core.ANY)


def _take(block: tuple[_Labelled, ...], side: Core) -> Block:
    """What belongs to one side; allocations are kept apart."""
    return tuple(
        with_blocks(item.stmt, tuple(_take(nested, side) for nested in item.blocks))
        for item in block
        if item.side in (side, Core.ANY) and not isinstance(item.stmt, Alloc)
    )


def _has_work(block: Block) -> bool:
    """True where something is more than control, scalars and barriers."""
    for stmt in walk_stmts(block):
        if isinstance(stmt, TileOp) and stmt.op not in ("barrier_all", "pipe_barrier"):
            return True
        if isinstance(stmt, Store) and stmt.buffer.scope != "var":
            return True
    return False


def _prune(block: Block) -> Block:
    """Drop scalars that nothing on this side reads, and control around nothing."""
    while True:
        smaller = _without(block, set(_used(block)))
        if smaller == block:
            return block
        block = smaller


def _used(block: Block) -> Iterator[int]:
    for stmt in walk_stmts(block):
        for value in exprs_of(stmt):
            yield from (var.uid for var in free_vars(value))
            yield from (n.buffer.uid for n in walk(value) if isinstance(n, Load))


def _without(block: Block, used: set[int]) -> Block:
    kept: list[Stmt] = []
    for stmt in block:
        if isinstance(stmt, Let) and stmt.var.uid not in used:
            continue
        if isinstance(stmt, Store) and stmt.buffer.scope == "var" and stmt.buffer.uid not in used:
            continue
        inner = tuple(_without(nested, used) for nested in blocks_of(stmt))
        if inner and not any(map(_has_content, inner)):
            continue
        kept.append(with_blocks(stmt, inner) if inner else stmt)
    return tuple(kept)


def _has_content(block: Block) -> bool:
    """Work, or what steers work elsewhere: a scalar that is read, a way out of a loop."""
    return _has_work(block) or any(isinstance(stmt, (Store, Break)) for stmt in walk_stmts(block))


def _report_foreign(block: Block, side: Core, split: _Split, context: PassContext) -> None:
    """A scalar that this core cannot read, since it lies in the other core's memory."""
    bound = {stmt.var.uid for stmt in walk_stmts(block) if isinstance(stmt, (Let, For))}
    for stmt in walk_stmts(block):
        loads = effect_of(stmt).scalars
        foreign = [region for region in loads if split.owner(region) is _other(side)]
        unbound = [
            var.name
            for value in exprs_of(stmt)
            for var in free_vars(value)
            if var.role == "let" and var.uid not in bound
        ]
        if not foreign and not unbound:
            continue
        name = foreign[0].buffer.name if foreign else unbound[0]
        where = "cube" if side is Core.CUBE else "vector"
        context.report.add(
            "not-lowered",
            stmt.span,
            f"the {where} core needs the value of {name} here, which lies in the memory of the "
            "other core; passing it on is not lowered yet",
        )
        return
