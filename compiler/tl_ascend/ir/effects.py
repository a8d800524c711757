"""What a statement does to memory, and on which queues: read off its row, never off its name.

A device call runs on the pipe of its form; some work on two, one after the other. Scalars that a
statement takes from a buffer are read by the scalar unit before the call is issued. Element stores
are made by the scalar unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.ir.affine import same
from tl_ascend.ir.expr import Load, loads
from tl_ascend.ir.geometry import tile_of, transfer
from tl_ascend.ir.nodes import (
    AUTO_SYNC,
    MAX_STATEMENTS,
    Kernel,
    Options,
    Region,
    Stmt,
    Store,
    TileOp,
    exprs_of,
    walk_stmts,
)
from tl_ascend.ir.remember import by_identity
from tl_ascend.ops.row import Form, Op, Param, Role
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Core, Pipe

# By route, what a program waits for before the scalar unit takes an operand from a tile: upstream's
# has a full barrier there, or a flag from the vector unit.
_BEHIND_OPERAND = {"ascendc": Pipe.ALL, "pto": Pipe.V}


@dataclass(frozen=True, slots=True)
class Step:
    """Work of one pipe. `behind`: pipes whose earlier work the call itself waits for."""

    pipe: Pipe
    reads: tuple[Region, ...] = ()
    writes: tuple[Region, ...] = ()
    behind: tuple[Pipe, ...] = ()


@dataclass(frozen=True, slots=True)
class Effect:
    """`steps` come one after the other, by the call's own doing; before them the scalar unit reads
    `scalars`. `reads`, `writes`: of all steps."""

    core: Core
    steps: tuple[Step, ...] = ()
    scalars: tuple[Region, ...] = ()
    reads: tuple[Region, ...] = field(init=False)
    writes: tuple[Region, ...] = field(init=False)

    def __post_init__(self) -> None:
        reads: tuple[Region, ...] = ()
        writes: tuple[Region, ...] = ()
        for step in self.steps:
            reads += step.reads
            writes += step.writes
        object.__setattr__(self, "reads", reads)
        object.__setattr__(self, "writes", writes)


def form_of(op: TileOp) -> Form | None:
    """The form that lowering chose; None before that."""
    row = TABLE.get(op.op)
    return row.form(op.form) if row is not None and op.form else None


@by_identity(MAX_STATEMENTS)
def effect_of(stmt: Stmt) -> Effect:
    """The effect of one statement, without that of nested blocks."""
    scalars = tuple(scalar_reads(stmt))
    if isinstance(stmt, Store):
        target = Region(stmt.buffer, stmt.indices, (1,) * len(stmt.indices), "start", stmt.span)
        return Effect(Core.ANY, (Step(Pipe.S, writes=(target,)),), scalars)
    row = TABLE.get(stmt.op) if isinstance(stmt, TileOp) else None
    if not isinstance(stmt, TileOp) or row is None:
        return Effect(Core.ANY, (), scalars)
    form = form_of(stmt)
    core = row.core if form is None else form.core
    return Effect(core, tuple(_steps(stmt, row, form)), scalars)


def _steps(op: TileOp, row: Op, form: Form | None) -> Iterator[Step]:
    main = Pipe.S if form is None else form.pipe
    if form is not None and form.fill is not None and _partial(op):
        target = op.args[1]
        assert isinstance(target, Region)
        behind = tuple(source for source, pipe, _ in form.events if pipe is form.fill)
        yield Step(form.fill, writes=(target,), behind=behind)
    if op.clears and isinstance(op.args[1], Region):  # with a barrier behind it
        yield Step(main, writes=(tile_of(op.args[1]),))
    work: dict[Pipe, tuple[list[Region], list[Region]]] = {}
    for arg, param in zip(op.args, row.params, strict=False):
        role = _role(op, row, param)
        reads, writes = work.setdefault(param.pipe or main, ([], []))
        for region in _regions(arg):
            reads += [region] if role.reads else []
            writes += [region] if role.writes else []
    reads, writes = work.pop(main, ([], []))
    for pipe, (early, late) in work.items():
        yield Step(pipe, tuple(early), tuple(late))
    if reads or writes or op.extra:
        behind = (main,) if form is not None and form.waits else ()
        yield Step(main, (*reads, *op.extra), (*writes, *op.extra), behind)


def _partial(op: TileOp) -> bool:
    """True where a copy from GM may move less than the whole of its extents."""
    source = op.args[0]
    if not isinstance(source, Region) or not source.starts:
        return False
    if len(source.starts) != source.buffer.rank:
        return False
    moved = transfer(source)
    return not (
        same(moved.rows, moved.valid_rows) is True
        and same(moved.columns, moved.valid_columns) is True
    )


def _role(op: TileOp, row: Op, param: Param) -> Role:
    if param.overwritten_if and param.role is Role.READ_WRITE:
        if argument(op, row, param.overwritten_if) is True:
            return Role.WRITE
    return param.role


def _regions(arg: Any) -> Iterator[Region]:
    if isinstance(arg, Region):
        yield arg
    elif isinstance(arg, tuple):
        yield from (a for a in arg if isinstance(a, Region))


def argument(op: TileOp, row: Op, name: str) -> Any:
    """The argument for a parameter; None where the row has none of that name."""
    for arg, param in zip(op.args, row.params, strict=False):
        if param.name == name:
            return arg
    return None


def sets_scale(kernel: Kernel) -> bool:
    """Whether the author sets the register by which conversions from int32 to float16 multiply."""
    return any(isinstance(s, TileOp) and s.op == "set_deq_scale" for s in walk_stmts(kernel.body))


def scalar_reads(stmt: Stmt) -> Iterator[Region]:
    """Elements of buffers that the scalar unit reads for indices, conditions and scalars.
    Variables (`T.alloc_var`) have rank 0."""
    found = dict.fromkeys(node for value in exprs_of(stmt) for node in loads(value))
    for node in found:
        yield Region(node.buffer, node.indices, (1,) * len(node.indices), "start", stmt.span)


def operand_wait(op: TileOp, options: Options) -> Pipe | None:
    """What a call itself waits for before the scalar unit takes an operand from a tile; None where it
    takes none, or where flags of the compiler order that."""
    row = TABLE.get(op.op)
    if row is None or options.on(AUTO_SYNC):
        return None
    taken = any(
        param.kind == "operand" and isinstance(arg, Load) and arg.buffer.scope != "var"
        for arg, param in zip(op.args, row.params, strict=False)
    )
    return _BEHIND_OPERAND[options.route] if taken else None
