"""The statements of a pipelined loop that are to be placed: names in it give way to their values."""

from __future__ import annotations

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, Scalar, free_vars, loads
from tl_ascend.ir.nodes import Block, Let, Stmt, blocks_of, exprs_of, walk_stmts
from tl_ascend.ir.rewrite import Rewriter
from tl_ascend.ir.storage import root


class _Values(Rewriter):
    def __init__(self, values: dict[Expr, Scalar]) -> None:
        self._values = values

    def leaf(self, value: Expr) -> Scalar:
        return self._values.get(value, value)


def without_lets(body: Block) -> Block:
    """The body with the values of its names in their place. Where memory that a value is read from
    changes before the last use of its name, it keeps the name, and the loop its plain form."""
    values: dict[Expr, Scalar] = {}
    done: list[Stmt] = []
    for at, stmt in enumerate(body):
        (new,) = _Values(dict(values)).stmt(stmt)
        if isinstance(new, Let) and not changed_under(new, body[at + 1 :]):
            values[new.var] = new.value
        else:
            done.append(new)
    return tuple(done)


def why_named(body: Block) -> str:
    """Why a name is left in a body; empty where none is."""
    for at, stmt in enumerate(body):
        if isinstance(stmt, Let):
            changed = changed_under(stmt, body[at + 1 :])
            return f"{stmt.var.name} keeps a value of {changed}, which changes before its last use"
    return ""


def changed_under(let: Let, behind: Block) -> str:
    """What of the memory that a value is read from is written before the last use of its name."""
    sources = {root(load.buffer).uid for load in loads(let.value)}
    if not sources:
        return ""
    names: set[Expr] = {let.var}
    changed = ""
    for stmt in behind:
        used = not names.isdisjoint(_names(stmt))
        # A call takes its scalars before it writes; a loop may come back to them.
        changed = changed or (_written(stmt, sources) if blocks_of(stmt) else "")
        if used and changed:
            return changed
        if used and isinstance(stmt, Let):
            names.add(stmt.var)
        changed = changed or _written(stmt, sources)
    return ""


def _names(stmt: Stmt) -> set[Expr]:
    found: set[Expr] = set()
    for inner in walk_stmts((stmt,)):
        for value in exprs_of(inner):
            found |= set(free_vars(value))
    return found


def _written(stmt: Stmt, uids: set[int]) -> str:
    """The name of one of some buffers that a statement writes; empty where it writes none."""
    for inner in walk_stmts((stmt,)):
        for region in effect_of(inner).writes:
            if root(region.buffer).uid in uids:
                return region.buffer.name
    return ""
