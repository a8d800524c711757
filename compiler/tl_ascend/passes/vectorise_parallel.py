"""Turn `T.Parallel` loops over element-wise stores into vector operations.

One or two nested parallel loops become the dimensions of the operations. Where the rows of a tile
do not lie next to each other, or an operand is the same for a whole row, the outer loop stays and
each row is one operation. What cannot become vector code stays a loop over single elements, which
the author is told with its cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod

from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.expr import Expr, Load, Scalar
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import (
    Block,
    For,
    Kernel,
    Let,
    Placement,
    Stmt,
    Store,
    TileOp,
    blocks_of,
    walk_stmts,
    with_blocks,
)
from tl_ascend.ir.text import show
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.vector_code import Temporaries, VectorCode
from tl_ascend.passes.vector_index import Axis, NotVector, repeats, two_repeats
from tl_ascend.target.hardware import Memory

MAX_AXES = 2


def vectorise_parallel(kernel: Kernel, context: PassContext) -> Kernel:
    """The kernel without parallel loops: vector operations, and loops over what is none."""
    work = _Work(kernel, context, Temporaries(kernel.next_uid))
    body = work.block(kernel.body)
    made = work.temporaries.made
    kernel = replace(
        kernel,
        body=body,
        scratch=(*kernel.scratch, *made),
        next_uid=work.temporaries.next_uid,
    )
    reason = "holds an intermediate result of a T.Parallel loop"
    return kernel.with_placements(
        {
            tile.uid: Placement(Memory.UB, tile.shape, scope_reason=reason, scope_cause=tile.span)
            for tile in made
        }
    )


@dataclass(slots=True)
class _Work:
    kernel: Kernel
    context: PassContext
    temporaries: Temporaries
    refused: set[int] = field(default_factory=set)

    def block(self, block: Block) -> Block:
        done: list[Stmt] = []
        for stmt in block:
            if isinstance(stmt, For) and stmt.kind == "parallel":
                done.extend(self._nest(stmt, (), stmt))
            else:
                inner = tuple(self.block(nested) for nested in blocks_of(stmt))
                done.append(with_blocks(stmt, inner) if inner else stmt)
        return tuple(done)

    def _nest(self, loop: For, outer: tuple[For, ...], head: For) -> list[Stmt]:
        """The statements of a parallel loop, each over all parallel loops around it."""
        loops = (*outer, loop)
        if len(loops) > MAX_AXES:
            return self._too_deep(loops, head)
        done: list[Stmt] = []
        for stmt in _without_lets(loop.body):
            if isinstance(stmt, For) and stmt.kind == "parallel":
                done.extend(self._nest(stmt, loops, head))
            elif isinstance(stmt, Store):
                done.extend(self._store(stmt, loops, head))
            else:
                self._report(head, loops, (stmt,), _other_statement(stmt))
                done.append(_scalar_loop(loops, (stmt,)))
        return done

    def _store(self, store: Store, loops: tuple[For, ...], head: For) -> list[Stmt]:
        try:
            return self._vector(store, loops)
        except NotVector as refusal:
            self._report(head, loops, (store,), refusal.reason)
            return [_scalar_loop(loops, (store,))]

    def _vector(self, store: Store, loops: tuple[For, ...]) -> list[Stmt]:
        """As one operation over all loops, or as one a row. Errors: NotVector."""
        axes = [_axis(loop) for loop in loops]
        whole = partial(self._attempt, store, axes)
        if len(axes) < MAX_AXES:
            return list(whole())
        mixed = two_repeats(store, axes)
        if mixed is not None and self.context.upstream != "none":
            self._report_two_repeats(store, *mixed)
        rows = partial(self._rows, store, loops[0], axes[1:])
        first, second = (rows, whole) if repeats(store, axes) else (whole, rows)
        try:
            return list(first())
        except NotVector as refusal:
            try:
                return list(second())
            except NotVector as other:
                raise (other if refusal.placing else refusal) from None

    def _rows(self, store: Store, outer: For, axes: Sequence[Axis]) -> Block:
        return (replace(outer, kind="serial", body=self._attempt(store, axes)),)

    def _attempt(self, store: Store, axes: Sequence[Axis]) -> Block:
        made = len(self.temporaries.made)
        try:
            return tuple(VectorCode(self.kernel, store, axes, self.temporaries).lower())
        except NotVector:
            self.temporaries.undo(made)
            raise

    def _too_deep(self, loops: tuple[For, ...], head: For) -> list[Stmt]:
        if id(head) not in self.refused:
            self.refused.add(id(head))
            self.context.report.add(
                "parallel-unsupported",
                head.span,
                f"{len(loops)} nested parallel loops: upstream's compiler takes one or two",
                notes=("Make the outermost a T.serial loop.",),
            )
        return [_scalar_loop(loops, loops[-1].body)]

    def _report_two_repeats(self, store: Store, column: Load, row: Load) -> None:
        self.context.report.add(
            "parallel-unsupported",
            store.span,
            f"{show(column)} and {show(row)} need two broadcasts in one operation; upstream's "
            f"compiler makes one and reads {row.buffer.name} as if it were one number",
            notes=("T.tile.broadcast both to tiles of the full shape first, then combine these.",),
        )

    def _report(
        self, head: For, loops: tuple[For, ...], stmts: Sequence[Stmt], reason: str
    ) -> None:
        stores = sum(isinstance(s, (Store, TileOp)) for s in walk_stmts(tuple(stmts)))
        extents = [loop.extent for loop in loops]
        cost = show_cost(extents, max(1, stores))
        self.context.report.add(
            "parallel-not-vectorised",
            head.span,
            f"lowered to {cost} scalar operations, one element after the other: {reason}",
            related=tuple(Related(stmt.span, "stays scalar code") for stmt in stmts),
        )


def show_cost(extents: Sequence[Scalar], stores: int) -> str:
    """How many element stores a loop nest makes."""
    known = [int(e) for e in extents if not isinstance(e, Expr)]
    symbolic = [show(e) for e in extents if isinstance(e, Expr)]
    return " x ".join([*symbolic, str(prod(known) * stores)])


def _axis(loop: For) -> Axis:
    if isinstance(loop.extent, Expr) or not isinstance(loop.extent, int):
        raise NotVector(f"the extent {show(loop.extent)} is not known at compile time")
    return Axis(loop.var, loop.start, loop.extent)


def _without_lets(block: Block) -> Block:
    """Names that are bound in the body, replaced by their values."""
    values: dict[Expr, Scalar] = {}
    done: list[Stmt] = []
    for stmt in block:
        if isinstance(stmt, Let):
            values[stmt.var] = substitute(stmt.value, values)
        elif isinstance(stmt, Store) and values:
            indices = substitute(stmt.indices, values)
            done.append(replace(stmt, indices=indices, value=substitute(stmt.value, values)))
        elif values:
            return block  # a statement that would need the names: leave all as it is
        else:
            done.append(stmt)
    return tuple(done)


def _other_statement(stmt: Stmt) -> str:
    kinds = {"If": "a branch in the body", "While": "a while loop in the body"}
    if isinstance(stmt, For):
        return f"a {stmt.kind} loop in the body"
    return kinds.get(type(stmt).__name__, "the body is more than element-wise stores")


def _scalar_loop(loops: Sequence[For], body: Block) -> Stmt:
    """The loops around one statement, one element after the other."""
    inner: Block = tuple(_serial(stmt) for stmt in body)
    for loop in reversed(loops):
        inner = (replace(loop, kind="serial", body=inner),)
    return inner[0]


def _serial(stmt: Stmt) -> Stmt:
    if isinstance(stmt, For) and stmt.kind == "parallel":
        stmt = replace(stmt, kind="serial")
    inner = tuple(tuple(_serial(s) for s in block) for block in blocks_of(stmt))
    return with_blocks(stmt, inner) if inner else stmt
