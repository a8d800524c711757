"""What depends on a variable: other variables, and what buffers hold."""

from __future__ import annotations

from collections.abc import Iterable

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, Load, Var, walk
from tl_ascend.ir.nodes import Block, For, If, Let, Region, Stmt, While, blocks_of, exprs_of
from tl_ascend.ir.storage import root


class Spread:
    """The variables and buffers of a body whose values depend on one variable, by data or by the
    branch that sets them. More may be named than really do."""

    def __init__(self, body: Block, seed: Var) -> None:
        self._vars: set[Var] = {seed}
        self._buffers: set[int] = set()
        self._same: set[int] = set()
        before = -1
        while before != len(self._vars) + len(self._buffers):
            before = len(self._vars) + len(self._buffers)
            self._same.clear()
            self._block(body, branch=False)

    def values(self, values: Iterable[object]) -> bool:
        """True where a scalar depends on the variable."""
        return any(self._node(n) for v in values if isinstance(v, Expr) for n in walk(v))

    def place(self, region: Region) -> bool:
        """True where it depends on the variable which elements a region names."""
        return self.values((*region.starts, *region.extents))

    def reads(self, stmt: Stmt) -> bool:
        """True where what a statement reads depends on the variable."""
        return self.values(exprs_of(stmt)) or any(
            root(region.buffer).uid in self._buffers or self.place(region)
            for region in (*effect_of(stmt).reads, *effect_of(stmt).scalars)
        )

    def own_data(self, stmt: Stmt) -> bool:
        """True where a statement reads a buffer that is never written but with what depends on the
        variable."""
        return any(
            root(region.buffer).uid in self._buffers - self._same
            for region in effect_of(stmt).reads
        )

    def _node(self, node: Expr) -> bool:
        if isinstance(node, Load):
            return root(node.buffer).uid in self._buffers
        return node in self._vars if isinstance(node, Var) else False

    def _block(self, block: Block, branch: bool) -> None:
        for stmt in block:
            moved = branch or self.reads(stmt)
            kept = self._buffers if moved else self._same
            kept.update(root(r.buffer).uid for r in effect_of(stmt).writes)
            if moved and isinstance(stmt, Let):
                self._vars.add(stmt.var)
            if moved and isinstance(stmt, For):
                self._vars.add(stmt.var)
            inner = branch or (moved and isinstance(stmt, (If, While, For)))
            for nested in blocks_of(stmt):
                self._block(nested, inner)
