"""Names that are bound in the body of a `T.Parallel` loop.

A name is as good as its value as long as nothing that the value reads is written in between. Where it
is, `t = a[j]; a[j] = b[j]; b[j] = t`, the value is kept in a tile of its own. So it is where several
statements use it and there is room, so that it is computed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tl_ascend.ir.expr import Expr, Load, Scalar, Var, free_vars, walk
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.nodes import (
    Block,
    For,
    If,
    Let,
    Stmt,
    Store,
    While,
    blocks_of,
    exprs_of,
    regions_of,
    walk_stmts,
)
from tl_ascend.ir.storage import root
from tl_ascend.passes.vector_tiles import Temporaries


def without_lets(block: Block, known: Mapping[Expr, Scalar]) -> Block | None:
    """Names that are bound in the body, replaced by their values; None where a statement needs them
    that values cannot be put into, and where a value is read again after it has changed."""
    if outdated(block):
        return None
    values = dict(known)
    done: list[Stmt] = []
    for stmt in block:
        if isinstance(stmt, Let):
            values[stmt.var] = substitute(stmt.value, values)
        elif not values:
            done.append(stmt)
        elif isinstance(stmt, Store):
            indices = substitute(stmt.indices, values)
            done.append(replace(stmt, indices=indices, value=substitute(stmt.value, values)))
        elif isinstance(stmt, If):
            then, other = (without_lets(side, values) for side in (stmt.then, stmt.other))
            if then is None or other is None:
                return None
            condition = substitute(stmt.condition, values)
            done.append(replace(stmt, condition=condition, then=then, other=other))
        else:
            return None
    return tuple(done)


def outdated(block: Block) -> set[Var]:
    """The names bound in a block that are used after something that their value reads was written."""
    lets = {stmt.var: stmt.value for stmt in block if isinstance(stmt, Let)}
    if not lets:
        return set()
    scan = _Scan(lets, {var: _reads(value, lets) for var, value in lets.items()})
    scan.block(block, set())
    return scan.found


@dataclass(slots=True)
class _Scan:
    """`found`: names that are used where their value has changed."""

    lets: Mapping[Var, Scalar]
    reads: Mapping[Var, set[int]]
    bound: set[Var] = field(default_factory=set)
    found: set[Var] = field(default_factory=set)

    def block(self, block: Block, changed: set[Var]) -> set[Var]:
        """The names whose values have changed after a block, from those before it."""
        for stmt in block:
            if isinstance(stmt, Let) and stmt.var in self.lets:
                self.bound.add(stmt.var)
                continue
            self.found |= changed & set(self._used(stmt))
            after = {var for var in self.bound if _written(stmt) & self.reads[var]}
            rounds = 2 if isinstance(stmt, (For, While)) else 1
            for _ in range(rounds):
                sides = [self.block(inner, set(changed)) for inner in blocks_of(stmt)]
                changed = changed.union(*sides)
            changed |= after
        return changed

    def _used(self, stmt: Stmt) -> Iterator[Var]:
        """The names in a statement itself, and those behind them."""
        pending = [var for value in exprs_of(stmt) for var in free_vars(value)]
        while pending:
            var = pending.pop()
            if var in self.lets:
                yield var
                pending.extend(free_vars(self.lets[var]))


def _reads(value: Scalar, lets: Mapping[Var, Scalar]) -> set[int]:
    """The buffers that a value reads, by itself or by the names in it."""
    found = {root(n.buffer).uid for n in walk(value) if isinstance(n, Load)}
    for var in free_vars(value):
        if var in lets:
            found |= _reads(lets[var], lets)
    return found


def _written(stmt: Stmt) -> set[int]:
    """The buffers that a statement itself writes, or may write."""
    if isinstance(stmt, Store):
        return {root(stmt.buffer).uid}
    return {root(region.buffer).uid for region in regions_of(stmt)}


def computed_again(block: Block, loops: Sequence[For]) -> set[Var]:
    """The names of computed values that several statements of a body use."""
    if any(isinstance(stmt, (For, While)) for stmt in block):
        return set()
    values: dict[Expr, Scalar] = {}
    for stmt in block:
        if isinstance(stmt, Let):
            values[stmt.var] = substitute(stmt.value, values)
    uses = Counter(
        var
        for stmt in walk_stmts(block)
        for var in {name for value in exprs_of(stmt) for name in free_vars(value)}
    )
    own = {loop.var for loop in loops}
    return {
        var
        for var, value in values.items()
        if isinstance(var, Var) and uses[var] > 1 and var.dtype.kind == "float"
        if not isinstance(value, Load) and not own.isdisjoint(free_vars(value))
    }


def kept_values(
    block: Block, loops: Sequence[For], temporaries: Temporaries, names: set[Var]
) -> tuple[Block, list[int]] | None:
    """The body with tiles for names, and the numbers of these tiles; None where their sizes are not
    known, and for conditions."""
    shape = tuple(loop.extent for loop in loops)
    if any(isinstance(size, Expr) for size in shape):
        return None
    at = tuple(binary("-", loop.var, loop.start) for loop in loops)
    values: dict[Expr, Scalar] = {}
    done: list[Stmt] = []
    made: list[int] = []
    for stmt in block:
        if not isinstance(stmt, Let) or stmt.var not in names:
            done.append(stmt)
            continue
        if stmt.var.dtype.kind == "bool":
            return None
        tile = temporaries.keep(
            stmt.var.name, tuple(int(s) for s in shape), stmt.var.dtype, stmt.span
        )
        made.append(tile.uid)
        done.append(Store(tile, at, stmt.value, stmt.span))
        values[stmt.var] = Load(tile, at)
        done.append(replace(stmt, value=values[stmt.var]))
    return tuple(done), made
