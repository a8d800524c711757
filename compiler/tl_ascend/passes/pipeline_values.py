"""Whether a tile holds a value that goes into a loop or comes out of it."""

from __future__ import annotations

from dataclasses import dataclass

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.liveness import fills
from tl_ascend.ir.nodes import Block, For, If, Stmt, TileOp, While, blocks_of, within
from tl_ascend.ir.storage import root


def leaks(body: Block, uid: int, loop: For) -> bool:
    """True where code outside of a loop may read what the loop leaves in a tile: all that is not
    certainly filled before. The loop itself fills the tile before it reads it."""
    search = _Outside(uid, loop)
    search.block(body, False)
    return search.found


@dataclass(slots=True)
class _Outside:
    uid: int
    loop: For
    found: bool = False

    def block(self, block: Block, filled: bool) -> bool:
        """True where the tile is filled behind a block."""
        for stmt in block:
            if stmt is self.loop:
                filled = False
                continue
            filled = self._statement(stmt, filled)
        return filled

    def _statement(self, stmt: Stmt, filled: bool) -> bool:
        """The same of a statement."""
        effect = effect_of(stmt)
        read = any(root(r.buffer).uid == self.uid for r in (*effect.reads, *effect.scalars))
        written = [region for region in effect.writes if root(region.buffer).uid == self.uid]
        whole = any(map(fills, written)) and isinstance(stmt, TileOp)
        if not filled and (read or (written and not whole)):
            self.found = True
        filled = filled or whole
        again = isinstance(stmt, (For, While)) and any(s is self.loop for s in within(stmt))
        begins = filled and not again  # an iteration begins where the loop has ended
        ends = [self.block(inner, begins) for inner in blocks_of(stmt)]
        if isinstance(stmt, If):
            return all(ends) if len(ends) > 1 else filled and all(ends)
        if isinstance(stmt, (For, While)):
            return filled and all(ends)
        return all(ends) if ends else filled
