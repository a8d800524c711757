"""Read a tile back from its image in GM wherever it may be out of date.

Walked in program order: a use is served outside of as many loops as do not fill the image
themselves, and once for all uses up to the next write. A use that no write precedes belongs to code
whose order the text does not tell (the author's scopes, one loop for each core): it is served where
it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import (
    Block,
    Break,
    CoreScope,
    For,
    If,
    Stmt,
    TileOp,
    While,
    blocks_of,
    with_blocks,
    within,
)
from tl_ascend.ir.storage import root


@dataclass(slots=True)
class Reload:
    """`image`, `tile`: buffers by uid; `read`: the copy from the first to the second. `fresh`: the
    tile holds what the image does."""

    image: int
    tile: int
    read: TileOp
    fresh: bool = False
    filled: bool = False

    def block(self, block: Block) -> Block:
        return tuple(new for stmt in block for new in self._stmt(stmt))

    def _stmt(self, stmt: Stmt) -> Iterator[Stmt]:
        inside = list(within(stmt))
        fills = any(self._fills(s) for s in inside)
        uses = any(self._uses(s) for s in inside)
        nested = blocks_of(stmt)
        if uses and not self.fresh and not (nested and (fills or not self.filled)):
            yield self.read
            self.fresh = True
        if fills and not nested:
            self.filled, self.fresh = True, False
        yield self._inner(stmt) if nested and (fills or not self.filled) else stmt

    def _inner(self, stmt: Stmt) -> Stmt:
        before, after = self.fresh, []
        if isinstance(stmt, (For, While, CoreScope)):
            before = False  # an earlier iteration, or another core, may have filled it
        for block in blocks_of(stmt):
            self.fresh = before
            after.append((self.block(block), self.fresh))
        broken = any(isinstance(s, Break) for s in within(stmt))
        self.fresh = all(fresh for _, fresh in after) and isinstance(stmt, If) and not broken
        return with_blocks(stmt, tuple(block for block, _ in after))

    def _fills(self, stmt: Stmt) -> bool:
        return any(root(region.buffer).uid == self.image for region in effect_of(stmt).writes)

    def _uses(self, stmt: Stmt) -> bool:
        effect = effect_of(stmt)
        touched = (*effect.reads, *effect.scalars)
        return any(root(region.buffer).uid == self.tile for region in touched)
