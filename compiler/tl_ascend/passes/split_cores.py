"""Cut the kernel into the code of the cube core and that of the vector cores.

With `tl.ascend_auto_cv_combine`, and where flags are left to the compiler and a core's code stands in
several scopes: what one of them leaves in a tile, the next one or the next iteration finds. What
decides is what a statement does: the core of its call, the memory that it touches, the pipes that a
flag joins. Scalars go to both sides and stay where they are used; barriers go to both sides, since what
they order may lie on either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from types import MappingProxyType

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Load, free_vars, walk
from tl_ascend.ir.nodes import (
    AUTO_CV_COMBINE,
    AUTO_SYNC,
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
from tl_ascend.ir.reasons import Reason
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.tile_origins import FromOrigin, Origins, origin_of
from tl_ascend.passes.vector_scalars import vector_stores
from tl_ascend.target.hardware import Core, Memory, Pipe

SEQUENCE = "sequence"  # attribute: the code of both cores as one, in the order of the text
SIDES = (Core.CUBE, Core.VECTOR)
CORE_NAMES = {Core.CUBE: "cube", Core.VECTOR: "vector", Core.ANY: "cube and vector"}
_OF_CUBE = (Memory.L1, Memory.L0A, Memory.L0B, Memory.L0C)
_PIPES = {
    Pipe.M: Core.CUBE,
    Pipe.MTE1: Core.CUBE,
    Pipe.FIX: Core.CUBE,
    Pipe.V: Core.VECTOR,
    Pipe.MTE3: Core.VECTOR,
}


Side = tuple[Core, str]


@dataclass(frozen=True, slots=True)
class _Split:
    """`flags`: the core that sets a cross-core flag, by its text; `divided`: element stores of the
    vector cores, by identity."""

    kernel: Kernel
    flags: dict[object, Core]
    divided: frozenset[int]

    def side_of(self, stmt: Stmt, previous: Core) -> Side:
        """The core of a statement, ANY for both, and why. `previous`: that of the last decided
        one."""
        if isinstance(stmt, TileOp):
            return self._operation(stmt, previous)
        if isinstance(stmt, (Store, Let)):
            return self._scalar(stmt)
        return Core.ANY, "control goes with what it steers"

    def _operation(self, op: TileOp, previous: Core) -> Side:
        row = TABLE.get(op.op)
        if row is not None and row.kind == "sync":
            return self._sync(op, previous)
        core = effect_of(op).core
        if core in SIDES:
            return core, f"{op.form or op.op} runs on this core only"
        return self._first_owner(regions_of(op)) or (Core.ANY, f"{op.op} runs on both")

    def _first_owner(self, regions: Iterable[Region]) -> Side | None:
        """The core of the first region that lies in the memory of one."""
        for region in regions:
            core = self.owner(region)
            if core in SIDES:
                memory = self.kernel.memory(region.buffer).value
                return core, f"{region.buffer.name} lies in its {memory}"
        return None

    def owner(self, region: Region) -> Core:
        place = self.kernel.placements.get(root(region.buffer).uid)
        memory = None if place is None else place.memory
        if memory in _OF_CUBE:
            return Core.CUBE
        return Core.VECTOR if memory is Memory.UB else Core.ANY

    def foreign(self, stmt: Stmt, side: Core) -> list[Region]:
        """Elements that a statement needs and that lie in the memory of the other core."""
        return [r for r in effect_of(stmt).scalars if self.owner(r) is side.other]

    def _sync(self, op: TileOp, previous: Core) -> Side:
        beside = previous, "the statement before it runs there"
        if op.op in ("barrier_all", "sync_all"):
            return Core.ANY, "what it orders may lie on either core"
        if op.op == "wait_cross_flag":
            setter = self.flags.get(op.args[0])
            return beside if setter is None else (setter.other, "the other core sets this flag")
        for name in (arg for arg in op.args if isinstance(arg, str)):
            core = pipe_core(name)
            if core in SIDES:
                return core, f"only it has pipe {name.upper()}"
        return (Core.ANY, "both cores have this pipe") if op.op == "pipe_barrier" else beside

    def _scalar(self, stmt: Store | Let) -> Side:
        effect = effect_of(stmt)
        found = self._first_owner((*effect.writes, *effect.scalars))
        if found is not None and not _names_value(stmt):
            return found
        if id(stmt) in self.divided:
            return Core.VECTOR, "what it writes or where depends on the vector core"
        if isinstance(stmt, Store) and self.kernel.memory(stmt.buffer) is Memory.GM:
            return Core.CUBE, "a single element in GM is written once: there is one cube core"
        return Core.ANY, "a scalar is computed wherever it is used"


def _names_value(stmt: Stmt) -> bool:
    """A name or a variable gets a value: the core that uses it needs it, wherever it comes from."""
    return isinstance(stmt, Let) or isinstance(stmt, Store) and stmt.buffer.scope == "var"


def pipe_core(name: str) -> Core:
    """The only core that has a pipe of this name, else ANY."""
    for pipe, core in _PIPES.items():
        if pipe.value == name.upper():
            return core
    return Core.ANY


def split_cores(kernel: Kernel, context: PassContext) -> Kernel:
    """Two core scopes, cube first; a side without work of its own is left out."""
    if not kernel.options.on(AUTO_CV_COMBINE) and not _in_pieces(kernel):
        return kernel
    split = _Split(kernel, _cross_flags(kernel), vector_stores(kernel))
    labelled = _from_origins(_label(kernel.body, split), split)
    allocations = tuple(stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, Alloc))
    scopes = []
    for side in SIDES:
        body = _prune(_take(labelled, side))
        if _has_work(body):
            _report_foreign(body, side, split, context)
            scopes.append(CoreScope(side, body, kernel.span, inferred=True))
    if not any(isinstance(stmt, CoreScope) for stmt in walk_stmts(kernel.body)):
        attrs = MappingProxyType({**kernel.attrs, SEQUENCE: _whole(labelled)})
        kernel = replace(kernel, attrs=attrs)
    return replace(kernel, body=(*allocations, *scopes)).because(*_reasons(labelled))


def _in_pieces(kernel: Kernel) -> bool:
    """True where flags must look beyond a scope: it stands in a loop or a branch, or is not the only
    one of its core."""
    scopes = [s for s in walk_stmts(kernel.body) if isinstance(s, CoreScope)]
    if not scopes or not kernel.options.on(AUTO_SYNC):
        return False
    outermost = sum(isinstance(stmt, CoreScope) for stmt in kernel.body)
    return outermost < len(scopes) or len({s.core for s in scopes}) < len(scopes)


def _whole(block: Labelled) -> Block:
    """The code of both sides."""
    return tuple(with_blocks(item.stmt, tuple(map(_whole, item.blocks))) for item in block)


def _reasons(block: Labelled) -> Iterator[Reason]:
    """Why each statement is on its core; control needs none of its own."""
    for item in block:
        if isinstance(item.stmt, (TileOp, Store, Let)):
            yield Reason("core", item.stmt.span, CORE_NAMES[item.side], item.why)
        for inner in item.blocks:
            yield from _reasons(inner)


def _cross_flags(kernel: Kernel) -> dict[object, Core]:
    """Which core sets which flag, where the pipe or the scope of the set tells."""
    found: dict[object, Core] = {}

    def look(block: Block, scope: Core) -> None:
        for stmt in block:
            if isinstance(stmt, TileOp) and stmt.op == "set_cross_flag":
                core = scope if scope in SIDES else pipe_core(str(stmt.args[0]))
                if core in SIDES:
                    found.setdefault(stmt.args[1], core)
            for inner in blocks_of(stmt):
                look(inner, stmt.core if isinstance(stmt, CoreScope) else scope)

    look(kernel.body, Core.ANY)
    return found


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A statement, its side and why, and its nested blocks likewise."""

    stmt: Stmt
    side: Core
    why: str
    blocks: tuple[Labelled, ...]


Labelled = tuple[_Labelled, ...]


def _label(body: Block, split: _Split) -> Labelled:
    """Each statement is an object of its own from here on: it tells its place in the text."""
    last = [Core.VECTOR]
    seen: set[int] = set()

    def go(block: Block, scope: Core) -> Labelled:
        done: list[_Labelled] = []
        for stmt in block:
            if isinstance(stmt, CoreScope):
                done.extend(go(stmt.body, stmt.core))
                continue
            side, why = scope, f'it stands in T.Scope("{scope.value}")'
            if scope not in SIDES:
                side, why = split.side_of(stmt, last[0])
            stmt = replace(stmt) if id(stmt) in seen else stmt
            seen.add(id(stmt))
            if side in SIDES:
                last[0] = side
            inner = tuple(go(nested, scope) for nested in blocks_of(stmt))
            done.append(_Labelled(stmt, side, why, inner))
        return tuple(done)

    return go(body, Core.ANY)


def _from_origins(block: Labelled, split: _Split) -> Labelled:
    """What the cube core needs of tiles in the UB it reads where they came from, if it can."""
    body = _prune(_take(block, Core.CUBE))
    needed = [s for s in walk_stmts(body) if split.foreign(s, Core.CUBE)]
    if not needed:
        return block
    spans = {stmt.span for stmt in needed}

    def go(block: Labelled, known: Origins) -> Labelled:
        done: list[_Labelled] = []
        for item in block:
            stmt = item.stmt
            if item.side is not Core.VECTOR and stmt.span in spans:
                stmt = FromOrigin(known).head(stmt)
            blocks = tuple(go(inner, known) for inner in item.blocks)
            done.append(replace(item, stmt=stmt, blocks=blocks))
            known = {**known, **origin_of(stmt, split.kernel)}
        return tuple(done)

    return go(block, {})


def _take(block: Labelled, side: Core) -> Block:
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
        foreign = split.foreign(stmt, side)
        unbound = [
            var.name
            for value in exprs_of(stmt)
            for var in free_vars(value)
            if var.role == "let" and var.uid not in bound
        ]
        if not foreign and not unbound:
            continue
        name = foreign[0].buffer.name if foreign else unbound[0]
        where = CORE_NAMES[side]
        context.report.add(
            "not-lowered",
            stmt.span,
            f"the {where} core needs the value of {name} here, which lies in the memory of the "
            "other core; T.copy it to a tensor in GM, and use the element there",
        )
        return
