"""Which element stores to GM only a vector core can make: their value, their place or what decides
about them is of one of the two vector cores, or comes out of a tile in the UB."""

from __future__ import annotations

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import free_vars
from tl_ascend.ir.nodes import Block, For, Kernel, Let, Stmt, Store, blocks_of, exprs_of, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.target.hardware import Memory


def vector_stores(kernel: Kernel) -> frozenset[int]:
    """The identities of these stores."""
    stores = [s for s in walk_stmts(kernel.body) if isinstance(s, Store)]
    if kernel.launch is None or not any(_in_gm(store, kernel) for store in stores):
        return frozenset()
    search = _Search(kernel, {kernel.launch.subblock.uid})
    while search.block(kernel.body, False):
        search.stores.clear()
    return frozenset(search.stores)


def _in_gm(store: Store, kernel: Kernel) -> bool:
    return kernel.memory(store.buffer) is Memory.GM


class _Search:
    """`names`: what depends on the vector core, names and variables by number."""

    def __init__(self, kernel: Kernel, names: set[int]) -> None:
        self.kernel, self.names = kernel, names
        self.stores: set[int] = set()

    def block(self, block: Block, decided: bool) -> bool:
        """True where it found another name. `decided`: a vector core decides whether this runs."""
        return any([self._stmt(stmt, decided) for stmt in block])

    def _stmt(self, stmt: Stmt, decided: bool) -> bool:
        decided = decided or self._depends(stmt)
        if decided and isinstance(stmt, Store) and _in_gm(stmt, self.kernel):
            self.stores.add(id(stmt))
        before = len(self.names)
        if decided and isinstance(stmt, (Let, For)):
            self.names.add(stmt.var.uid)
        if decided and isinstance(stmt, Store) and stmt.buffer.scope == "var":
            self.names.add(stmt.buffer.uid)
        found = [self.block(inner, decided) for inner in blocks_of(stmt)]
        return len(self.names) > before or any(found)

    def _depends(self, stmt: Stmt) -> bool:
        values = [var.uid for value in exprs_of(stmt) for var in free_vars(value)]
        read = [root(region.buffer) for region in effect_of(stmt).scalars]
        if any(uid in self.names for uid in (*values, *(buffer.uid for buffer in read))):
            return True
        return any(self._in_ub(buffer.uid) for buffer in read)

    def _in_ub(self, uid: int) -> bool:
        place = self.kernel.placements.get(uid)
        return place is not None and place.memory is Memory.UB
