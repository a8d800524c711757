"""Parallel loops as vector operations, one nest after the other; what is none, element by element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tl_ascend.diagnostics.report import Related, Report
from tl_ascend.ir.expr import Expr, Load, Var
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import (
    Block,
    Buffer,
    For,
    If,
    Kernel,
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
from tl_ascend.passes.vector_branches import guarded_stores, is_common
from tl_ascend.passes.vector_choice import uniform
from tl_ascend.passes.vector_code import VectorCode
from tl_ascend.passes.vector_costs import operations, other_statement, scalar_loop, show_cost
from tl_ascend.passes.vector_index import (
    MAX_AXES,
    Axis,
    NotVector,
    is_turned,
    repeats,
    two_repeats,
)
from tl_ascend.passes.vector_names import computed_again, kept_values, outdated, without_lets
from tl_ascend.passes.vector_room import Pieces, in_pieces
from tl_ascend.passes.vector_rows import row_index, row_values
from tl_ascend.passes.vector_tiles import Temporaries, tile_bytes, tile_elements
from tl_ascend.target.hardware import Memory

_BRANCH = "a branch in the body"


class _NoRoom(Exception):
    """A piece needs tiles that are too large."""


@dataclass(slots=True)
class Nests:
    """One way to do it. `most`: bytes that a tile for intermediate results may have, None for all of
    a loop's; `spare`: names that are used again are kept in tiles, as they were where `kept` says so."""

    kernel: Kernel
    context: PassContext
    temporaries: Temporaries
    most: int | None
    spare: bool
    kept: bool = False
    refused: set[int] = field(default_factory=set)
    limit: str = ""
    more: bool = False  # upstream's compiler makes no tiles for this nest
    pieces: int = 0  # in how many loops over pieces
    scalar: bool = False  # only what needs no tiles is vector code
    outer: For | None = None  # is around a branch, counts for costs, and upstream's are told
    result: Kernel = field(init=False)

    @property
    def report(self) -> Report:
        return self.context.report

    def block(self, block: Block) -> Block:
        done: list[Stmt] = []
        for stmt in block:
            if isinstance(stmt, For) and stmt.kind == "parallel":
                done += self._whole(stmt)
            else:
                inner = tuple(self.block(nested) for nested in blocks_of(stmt))
                done.append(with_blocks(stmt, inner) if inner else stmt)
        return tuple(done)

    def _whole(self, head: For) -> Block:
        """A parallel nest, in pieces where its tiles are too large."""
        mark, told = self.temporaries.mark(), len(self.report.findings)
        self.more = False
        code = self._complete(head)
        largest = self.temporaries.largest(code)
        ours = self.more or self.context.upstream == "none"
        if self.most is None or largest is None or tile_bytes(largest) <= self.most or not ours:
            return code
        self.temporaries.undo(mark)
        pieces = None if self.scalar else self._in_pieces(head, largest, code)
        if pieces is not None:
            return pieces
        if self.pieces:
            raise _NoRoom
        self.temporaries.undo(mark)
        del self.report.findings[told:]
        self.refused.discard(id(head))
        self.scalar = True
        code = self._complete(head)
        self.scalar = False
        return code

    def _in_pieces(self, head: For, largest: Buffer, whole: Block) -> Block | None:
        """None where there is no room for a piece either."""
        elements = (self.most or 0) * tile_elements(largest) // tile_bytes(largest)
        pieces = in_pieces(head, elements, self.temporaries.next_uid)
        if pieces is None:
            return None
        self._report_pieces(head, pieces, tile_bytes(largest), whole)
        self.temporaries.next_uid += 1
        before, self.outer = self.outer, replace(head, extent=pieces.count)
        self.pieces += 1
        try:
            return self.block(pieces.code)
        except _NoRoom:
            return None
        finally:
            self.pieces -= 1
            self.outer = before

    def _complete(self, head: For) -> Block:
        self.temporaries.begin()
        made = self._nest(head, (), head)
        return _came_of(head, (*self.temporaries.before, *made))

    def _nest(self, loop: For, outer: tuple[For, ...], head: For) -> list[Stmt]:
        """The statements of a parallel loop, each over all parallel loops around it."""
        loops = (*outer, loop)
        if len(loops) > MAX_AXES:
            self._report_too_deep(loops, head)
            inner = tuple(self._nest(loop, outer[1:], head))
            return [replace(outer[0], kind="serial", body=inner)]
        done: list[Stmt] = []
        body = self._plain(loop.body, loops)
        if body is None:
            self._report(head, loops, loop.body, "the body is more than element-wise stores")
            return [scalar_loop(loops, loop.body)]
        for stmt in body:
            if isinstance(stmt, For) and stmt.kind == "parallel":
                done.extend(self._nest(stmt, loops, head))
            elif isinstance(stmt, Store):
                done.extend(self._store(stmt, loops, head))
            elif isinstance(stmt, If):
                done.extend(self._branch(stmt, loops, head))
            else:
                self._report(head, loops, (stmt,), other_statement(stmt))
                done.append(scalar_loop(loops, (stmt,)))
        return done

    def _plain(self, block: Block, loops: tuple[For, ...]) -> Block | None:
        """The body without names; None where that cannot be."""
        names = outdated(block)
        staged = self._kept(block, loops, names)
        if staged is None:
            return None if names else without_lets(block, {})
        shape = tuple(loop.extent for loop in loops)
        self.kernel = self.kernel.with_placements(
            {uid: Placement(Memory.UB, shape) for uid in staged[1]}
        )
        return without_lets(staged[0], {})

    def _kept(
        self, block: Block, loops: tuple[For, ...], names: set[Var]
    ) -> tuple[Block, list[int]] | None:
        """Tiles for the values of names that must have one, and of those that are computed once in it
        where there is room."""
        if self.scalar:
            return None
        self.more = self.more or bool(names)
        again, mark = computed_again(block, loops) - names, self.temporaries.mark()
        again = again if self.spare else set()
        if again:
            staged = kept_values(block, loops, self.temporaries, names | again)
            if staged is not None:
                self.kept = True
                return staged
            self.temporaries.undo(mark)
        return kept_values(block, loops, self.temporaries, names) if names else None

    def _store(self, store: Store, loops: tuple[For, ...], head: For) -> list[Stmt]:
        return self._stores([store], (store,), loops, head)

    def _stores(
        self,
        stores: Sequence[Store],
        written: Block,
        loops: tuple[For, ...],
        head: For,
        limit: str = "",
    ) -> list[Stmt]:
        """`stores`, which do what the author has `written`, as vector code, or that as it is.
        `limit`: why upstream's compiler leaves it scalar, empty where that is for us to find."""
        self.limit = limit
        try:
            done = [stmt for store in stores for stmt in self._vector(store, loops)]
        except NotVector as refusal:
            self._report(head, loops, written, refusal.reason)
            return [scalar_loop(loops, written)]
        if self.limit and self.context.upstream != "none" and self.outer is None:
            self._report(head, loops, written, self.limit, "upstream's compiler makes ")
        return done

    def _branch(self, branch: If, loops: tuple[For, ...], head: For) -> list[Stmt]:
        """A condition that is the same for all elements goes around the loops, one on elements
        becomes a choice between the new and the old value."""
        try:
            if is_common(branch, loops):
                return [self._sides(branch, loops, head)]
            if len(loops) == MAX_AXES and is_common(branch, loops[1:]):
                if self.context.upstream != "none" and self.outer is None:
                    self._report(head, loops, (branch,), _BRANCH, "upstream's compiler makes ")
                body = (self._sides(branch, loops[1:], head, loops[0]),)
                return [replace(loops[0], kind="serial", body=body)]
            stores = guarded_stores(branch, self.kernel)
        except NotVector as refusal:
            self._report(head, loops, (branch,), refusal.reason)
            return [scalar_loop(loops, (branch,))]
        return self._stores(stores, (branch,), loops, head, _BRANCH)

    def _sides(
        self, branch: If, loops: tuple[For, ...], head: For, outer: For | None = None
    ) -> Stmt:
        """The branch around the loops. `outer`: a loop that stays around it."""
        before, self.outer = self.outer, outer or self.outer
        sides = (branch.then, branch.other)
        then, other = (tuple(self._side(block, loops, head)) for block in sides)
        self.outer = before
        return replace(branch, then=then, other=other)

    def _side(self, block: Block, loops: tuple[For, ...], head: For) -> list[Stmt]:
        if not block:
            return []
        innermost = replace(loops[-1], body=block)
        return self._nest(innermost, loops[:-1], head)

    def _vector(self, store: Store, loops: tuple[For, ...]) -> list[Stmt]:
        """As one operation over all loops, or as one a row. Errors: NotVector."""
        if not is_turned(store, loops):
            return self._in_order(store, loops)
        reason, limit = f"{store.buffer.name} is written transposed", self.limit
        try:
            done = self._in_order(store, loops[::-1])
        except NotVector as refusal:
            why = f"{reason}; with the loops exchanged, {refusal.reason}"
            raise NotVector(why, refusal.placing, refusal.room) from None
        self.limit = limit or reason
        return done

    def _in_order(self, store: Store, loops: tuple[For, ...]) -> list[Stmt]:
        if len(loops) == MAX_AXES and isinstance(loops[0].extent, Expr):
            return list(self._rows(store, loops[0], [_axis(loops[1])]))
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
                raise (other if refusal.placing or other.room else refusal) from None

    def _rows(self, store: Store, outer: For, axes: Sequence[Axis]) -> Block:
        mark = self.temporaries.mark()
        try:
            store, before = self._computed(store, outer, axes)
            return (*before, replace(outer, kind="serial", body=self._attempt(store, axes)))
        except NotVector:
            self.temporaries.undo(mark)
            raise

    def _computed(self, store: Store, outer: For, axes: Sequence[Axis]) -> tuple[Store, Block]:
        """A store that takes what only vector code can compute for a row out of tiles, and what fills
        these. Errors: NotVector."""
        before: list[Stmt] = []
        tiles: dict[Expr, Expr] = {}
        for value in row_values(store, outer, [axis.var for axis in axes]):
            rows, at = _axis(outer), row_index(outer)
            tile = self.temporaries.keep("row", (rows.extent,), value.dtype, store.span)
            before += self._code(Store(tile, at, value, store.span), [rows])
            tiles[value], self.more = Load(tile, at), True
        return replace(store, value=substitute(store.value, tiles)), tuple(before)

    def _attempt(self, store: Store, axes: Sequence[Axis]) -> Block:
        """A condition that is the same for all elements becomes a branch around two attempts."""
        if store.value == Load(store.buffer, store.indices):
            return ()  # the old value
        atom = uniform(store, axes)
        if atom is None:
            return self._code(store, axes)
        then, other = (
            self._attempt(replace(store, value=substitute(store.value, {atom: side})), axes)
            for side in (True, False)
        )
        self.limit = self.limit or "a choice between two values has no vector form there"
        return (If(atom, then, other, store.span),)

    def _code(self, store: Store, axes: Sequence[Axis]) -> Block:
        mark = self.temporaries.mark()
        code = VectorCode(self.kernel, store, axes, self.temporaries)
        try:
            calls = tuple(code.lower())
            self.more = self.more or bool(code.more)
            if self.scalar and len(self.temporaries.made) > mark[0]:
                raise NotVector("tiles for intermediate results do not fit into UB", room=True)
            self.limit = self.limit or code.limit
            return calls
        except NotVector:
            self.temporaries.undo(mark)
            raise

    def _report_too_deep(self, loops: tuple[For, ...], head: For) -> None:
        if id(head) in self.refused or self.context.upstream == "none":
            return
        self.refused.add(id(head))
        self.context.report.add(
            "parallel-unsupported",
            head.span,
            f"{len(loops)} nested parallel loops: upstream's compiler takes one or two",
            notes=("Make the outermost a T.serial loop.",),
        )

    def _report_pieces(
        self, head: For, pieces: Pieces, size: int, made: Block | list[Stmt]
    ) -> None:
        calls = sum(isinstance(stmt, TileOp) for stmt in walk_stmts(tuple(made)))
        self.context.report.add(
            "parallel-not-vectorised",
            head.span,
            f"lowered to {show(pieces.count)} pieces of {pieces.size}, with {calls} vector operations "
            f"each: tiles of {size} bytes for the intermediate results of all do not fit into UB",
        )

    def _report_two_repeats(self, store: Store, column: Load, row: Load) -> None:
        self.context.report.add(
            "parallel-unsupported",
            store.value_span or store.span,
            f"{show(column)} and {show(row)} need two broadcasts in one operation; upstream's "
            f"compiler makes one and reads {row.buffer.name} as if it were one number",
            notes=("T.tile.broadcast both to tiles of the full shape first, then combine these.",),
        )

    def _report(
        self,
        head: For,
        loops: tuple[For, ...],
        stmts: Sequence[Stmt],
        reason: str,
        lead: str = "lowered to ",
    ) -> None:
        stores = operations(stmts)
        extents = [loop.extent for loop in ((self.outer,) if self.outer else ()) + loops]
        cost = show_cost(extents, max(1, stores))
        about = "stays scalar code" if lead == "lowered to " else "scalar code there"
        self.context.report.add(
            "parallel-not-vectorised",
            head.span,
            f"{lead}{cost} scalar operations, one element after the other: {reason}",
            related=tuple(Related(stmt.span, about) for stmt in stmts),
        )


def _axis(loop: For) -> Axis:
    if isinstance(loop.extent, Expr) or not isinstance(loop.extent, int):
        raise NotVector(f"the extent {show(loop.extent)} is not known at compile time")
    return Axis(loop.var, loop.start, loop.extent)


def _came_of(loop: For, block: Block) -> Block:
    """The statements with the loop that they came of on each call."""
    done: list[Stmt] = []
    for stmt in block:
        if isinstance(stmt, TileOp):
            done.append(replace(stmt, loop=loop.span))
        else:
            inner = tuple(_came_of(loop, nested) for nested in blocks_of(stmt))
            done.append(with_blocks(stmt, inner) if inner else stmt)
    return tuple(done)
