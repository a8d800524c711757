"""Flags between the cores that are set ahead: how far one core runs ahead of the other is their number,
so that a loop which gives them counts turn by turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tl_ascend.checks.sync.values import Unknown, Values, sure_of
from tl_ascend.ir.nodes import Block, For, If, Kernel, Let, TileOp, blocks_of, walk_stmts
from tl_ascend.ops.table import TABLE

MOST = 16  # what a counter holds
PERIOD = 8  # the longest round that is looked for, where no flags are set ahead


class Credits:
    """Those of a kernel, with the loops that use flags between the cores. `alone`: the loops that do
    nothing but set such flags, or wait for them, by the identity of each; `some`: there are flags set
    ahead; `slots`: a ring of slots in GM has so many at most."""

    def __init__(self, kernel: Kernel, loops: Sequence[For]) -> None:
        alone = [loop for loop in loops if _gives(loop)]
        self.alone = set(map(id, alone))
        self._extents = tuple(dict.fromkeys(loop.extent for loop in alone))
        single = Counter(_outside(kernel.body)) if loops else {}
        self._single = max(single.values(), default=0)
        self.some = bool(alone) or self._single > 1
        self.slots = MOST if self.some else PERIOD

    def ahead(self, values: Values) -> int:
        """How many rounds one core may at most run ahead of the other by flags that are set before its
        loop; 0: as always."""
        found = [self._single if self._single > 1 else 0]
        for extent in self._extents:
            try:
                turns = sure_of(extent)(values)
            except Unknown:
                continue
            found.append(turns if 1 < turns <= MOST else 0)
        return max(found)


def _gives(loop: For) -> bool:
    return all(
        isinstance(stmt, (Let, If, For))
        or (isinstance(stmt, TileOp) and TABLE[stmt.op].kind == "sync")
        for stmt in walk_stmts(loop.body)
    )


def _outside(block: Block) -> Iterator[Any]:
    """The flags of sets that stand in no loop."""
    for stmt in block:
        if isinstance(stmt, TileOp) and stmt.op == "set_cross_flag":
            yield stmt.args[1]
        elif not isinstance(stmt, For):
            for inner in blocks_of(stmt):
                yield from _outside(inner)
