"""Tiles that are read although something else has overwritten them: written, then spoilt by another
statement, then read whole without a new write. Only what is so whenever the statements run is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.liveness import fills
from tl_ascend.ir.nodes import (
    Block,
    Buffer,
    CoreScope,
    For,
    If,
    Kernel,
    Region,
    Stmt,
    While,
    blocks_of,
    walk_stmts,
    within,
)
from tl_ascend.ir.storage import root

# Loops around each other that are followed into a second iteration.
MAX_LOOPS = 4


@dataclass(frozen=True, slots=True)
class Written:
    """A tile, and the statement that wrote it last."""

    buffer: Buffer
    by: Stmt


@dataclass(frozen=True, slots=True)
class Overwritten:
    """`read` takes the tile of `region` as it was before `by`."""

    region: Region
    by: Stmt
    read: Stmt


# The buffers (uid) that a statement overwrites without naming them, of those that were written.
Spoils = Callable[[Stmt, Mapping[int, Written]], Iterable[int]]


def overwritten(
    kernel: Kernel, spoils: Spoils, may_spoil: Callable[[Stmt], bool]
) -> list[Overwritten]:
    """Each tile once for each statement that overwrites it, with the first read. `may_spoil`: whether
    a statement can overwrite any; a loop without one is followed once."""
    if not any(map(may_spoil, walk_stmts(kernel.body))):
        return []
    scan = _Scan(spoils, may_spoil)
    scan.block(kernel.body, _State(), 0)
    return list(scan.found.values())


@dataclass(slots=True)
class _State:
    """What was written, by uid, and by what it is overwritten now."""

    written: dict[int, Written] = field(default_factory=dict)
    spoilt: dict[int, Stmt] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(dict(self.written), dict(self.spoilt))


@dataclass(slots=True)
class _Scan:
    spoils: Spoils
    may_spoil: Callable[[Stmt], bool]
    found: dict[tuple[int, int], Overwritten] = field(default_factory=dict)

    def block(self, block: Block, state: _State, loops: int) -> None:
        for stmt in block:
            if isinstance(stmt, (If, While)):
                self._perhaps(stmt, state, loops)
            elif isinstance(stmt, For):
                self._loop(stmt, state, loops)
            elif isinstance(stmt, CoreScope):
                self.block(stmt.body, state, loops)
            else:
                self._one(stmt, state)

    def _perhaps(self, stmt: If | While, state: _State, loops: int) -> None:
        """What may not run is certain in itself; behind it nothing is known of what it writes."""
        for nested in blocks_of(stmt):
            self.block(nested, state.copy(), loops)
        for uid in written_by(within(stmt)):
            state.written.pop(uid, None)
            state.spoilt.pop(uid, None)

    def _loop(self, loop: For, state: _State, loops: int) -> None:
        if loop.extent == 0:
            return
        twice = isinstance(loop.extent, Expr) or loop.extent > 1
        again = twice and loops < MAX_LOOPS and any(map(self.may_spoil, walk_stmts(loop.body)))
        for _ in range(1 + again):
            self.block(loop.body, state, loops + 1)

    def _one(self, stmt: Stmt, state: _State) -> None:
        for region in effect_of(stmt).reads:
            uid = root(region.buffer).uid
            by = state.spoilt.get(uid)
            if by is not None and fills(region):
                self.found.setdefault((uid, id(by)), Overwritten(region, by, stmt))
        for uid, buffer in written_by((stmt,)).items():
            state.written[uid] = Written(buffer, stmt)
            state.spoilt.pop(uid, None)
        for uid in self.spoils(stmt, state.written):
            state.spoilt.setdefault(uid, stmt)


def written_by(stmts: Iterable[Stmt]) -> dict[int, Buffer]:
    """The buffers with storage of their own that statements write, by uid."""
    found: dict[int, Buffer] = {}
    for stmt in stmts:
        for region in effect_of(stmt).writes:
            buffer = root(region.buffer)
            found[buffer.uid] = buffer
    return found
