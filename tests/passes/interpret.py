"""Run a kernel in program order on values that remember how they were made.

Every operation writes, to each element, a digest of its name and of all that it read. Two kernels
that leave the same digests in GM compute the same; where tiles lie and which call is synchronised
with which plays no part.
"""

from __future__ import annotations

import random
from itertools import product
from typing import Any

from tests.passes.happens_before import Run

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, Load, free_vars, loads
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import Kernel, Region, Stmt, TileOp
from tl_ascend.ir.storage import root
from tl_ascend.target.hardware import Memory

Cell = tuple[int, tuple[int, ...]]


class Machine(Run):
    """`given`: symbolic dimensions and the like, by name."""

    def __init__(self, kernel: Kernel, given: dict[str, int]) -> None:
        super().__init__(kernel, random.Random(0), most=1 << 30)
        self.given = given
        self.cells: dict[Cell, Any] = {}

    def number(self, value: Any) -> int:
        for var in [node for node in free_vars(value) if node not in self.values]:
            self.values[var] = self.given.get(var.name, 0)
        while loads(value):
            inner = next(load for load in loads(value) if not any(map(loads, load.indices)))
            value = substitute(value, {inner: self._element(inner)})
        return super().number(value)

    def _element(self, load: Load) -> int:
        """What a scalar holds, a small number."""
        cell = root(load.buffer).uid, tuple(map(self.number, load.indices))
        return hash(self.cells.get(cell, cell)) % 3

    def elements(self, region: Region) -> list[Cell]:
        starts = [self.number(s) for s in region.starts]
        extents = [self.number(e) for e in region.extents]
        spans = [range(s, s + e) for s, e in zip(starts, extents, strict=True)]
        return [(root(region.buffer).uid, index) for index in product(*spans)]

    def work(self, stmt: Stmt) -> None:
        if not isinstance(stmt, TileOp):
            return
        effect = effect_of(stmt)
        seen = [
            self.cells.get(c, c if self._gm(r) else None)
            for r in (*effect.reads, *effect.scalars)
            for c in self.elements(r)
        ]
        plain = [a for a in stmt.args if not isinstance(a, (Region, Expr))]
        digest = hash((stmt.form, tuple(map(str, plain)), tuple(seen)))
        for region in effect.writes:
            for number, cell in enumerate(self.elements(region)):
                self.cells[cell] = hash((digest, number))

    def _gm(self, region: Region) -> bool:
        """What the caller passes: its values have names. A workspace holds nothing at first."""
        name = region.buffer.name
        return self.kernel.memory(region.buffer) is Memory.GM and not name.startswith("workspace")

    def result(self) -> dict[Cell, Any]:
        gm = {tensor.uid for tensor in self.kernel.tensors}
        return {cell: value for cell, value in self.cells.items() if cell[0] in gm}


def result_of(kernel: Kernel, **given: int) -> dict[Cell, Any]:
    """What the kernel leaves in GM."""
    machine = Machine(kernel, given)
    machine.block(kernel.body)
    return machine.result()
