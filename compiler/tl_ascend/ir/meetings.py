"""Which cores meet at T.sync_all."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import Buffer, CoreScope, Kernel, Stmt, TileOp, blocks_of, walk_stmts
from tl_ascend.target.hardware import Core

BOTH = frozenset({Core.CUBE, Core.VECTOR})


def joining(kernel: Kernel) -> frozenset[Core]:
    """The halves of which cores come to a T.sync_all, as far as scopes tell."""
    return frozenset(half for halves in _halves(kernel.body, BOTH) for half in halves)


def each_alone(kernel: Kernel) -> bool:
    """Both halves come to such calls, each of them in code of one half."""
    found = set(_halves(kernel.body, BOTH))
    return len(found) == 2 and BOTH not in found


def exchanged(kernel: Kernel) -> Buffer | None:
    """A tensor that one half writes and the other one touches, as far as scopes tell."""
    touched: dict[int, set[Core]] = {}
    written: dict[int, set[Core]] = {}
    for half, stmt in _inside(kernel.body, None):
        effect = effect_of(stmt)
        for regions, cores in ((effect.reads, touched), (effect.writes, written)):
            for region in regions:
                cores.setdefault(region.buffer.uid, set()).add(half)
    for tensor in kernel.tensors:
        writers = written.get(tensor.uid, set())
        if writers and len(writers | touched.get(tensor.uid, set())) == 2:
            return tensor
    return None


def _inside(block: tuple[Stmt, ...], half: Core | None) -> Iterator[tuple[Core, Stmt]]:
    for stmt in block:
        if half is not None:
            yield half, stmt
        inner = stmt.core if isinstance(stmt, CoreScope) else half
        for nested in blocks_of(stmt):
            yield from _inside(nested, inner)


def first_meeting(kernel: Kernel) -> TileOp | None:
    """The first T.sync_all of the text."""
    stmts = walk_stmts(kernel.body)
    return next((s for s in stmts if isinstance(s, TileOp) and s.op == "sync_all"), None)


def _halves(block: tuple[Stmt, ...], around: frozenset[Core]) -> Iterator[frozenset[Core]]:
    """For each call the halves that run it."""
    for stmt in block:
        if isinstance(stmt, TileOp) and stmt.op == "sync_all":
            yield around
        inside = around & {stmt.core} if isinstance(stmt, CoreScope) else around
        for nested in blocks_of(stmt):
            yield from _halves(nested, inside)
