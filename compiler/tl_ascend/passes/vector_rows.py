"""Functions of what is the same for a whole row: the scalar unit has none of them, so that they are
computed for all rows at once, and the operation of each row takes its element of the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tl_ascend.ir.expr import Binary, Call, Expr, Load, Scalar, Var, free_vars, walk
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import For, Store
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.vector_choice import lies_inside

_POWERS = range(1, 5)  # that scalar code writes as products
_FLOATS = frozenset({"float16", "float32"})


def row_values(store: Store, outer: For, inner: Sequence[Var]) -> list[Expr]:
    """The largest parts of a value with such functions that the rows alone tell apart."""
    if not isinstance(outer.extent, int):
        return []
    found = _parts(store.value, outer.var, frozenset(inner))
    return [value for value in dict.fromkeys(found) if _early(value, store)]


def row_index(outer: For) -> tuple[Scalar, ...]:
    """Where the element of a row is in a tile for all of them."""
    return (binary("-", outer.var, outer.start),)


def _parts(value: Scalar, row: Var, inner: frozenset[Var]) -> Iterator[Expr]:
    if not isinstance(value, Expr) or not any(map(_only_vector, walk(value))):
        return
    names = free_vars(value)
    if row in names and inner.isdisjoint(names) and value.dtype.name in _FLOATS:
        yield value
        return
    for part in value.children:
        yield from _parts(part, row, inner)


def _only_vector(node: Expr) -> bool:
    """True for a function that scalar code cannot have."""
    if isinstance(node, Binary) and node.op == "**":
        return not _whole(node.b)
    if not isinstance(node, Call):
        return False
    if node.name == "pow":
        return not _whole(node.args[1])
    row = TABLE.get(node.name)
    return row is not None and bool(row.unwritten)


def _whole(exponent: Scalar) -> bool:
    return isinstance(exponent, int) and exponent in _POWERS


def _early(value: Expr, store: Store) -> bool:
    """True where a value may be computed before the loops: no condition keeps it inside of its buffers,
    and the loops do not write what it reads."""
    loads = [node for node in walk(value) if isinstance(node, Load)]
    target = root(store.buffer).uid
    return all(lies_inside(load) and root(load.buffer).uid != target for load in loads)
