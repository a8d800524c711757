"""Room for the tiles of `T.Parallel` loops: whether all fit, and the loops in pieces where they do not.

A loop over a whole tile has intermediate results as large as that tile. In pieces, of as many rows as
fit or else of parts of a row, it takes as many operations more, but smaller tiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd

from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.expr import Expr, Load, Scalar, Var, walk
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Block, Buffer, For, Kernel, Store, exprs_of, walk_stmts
from tl_ascend.ir.storage import buffers, placed_bytes, root, round_up
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.cross_core_pipeline import cross_core_pipeline
from tl_ascend.passes.infer_layouts import infer_layouts
from tl_ascend.passes.lower_tile_ops import lower_tile_ops
from tl_ascend.passes.plan_memory import has_room
from tl_ascend.passes.software_pipeline import software_pipeline
from tl_ascend.passes.split_cores import split_cores
from tl_ascend.passes.workspace_copies import workspace_copies
from tl_ascend.target.hardware import Memory

LEAST = 32  # elements: whole blocks of every type
_SCRATCH = 8  # hidden scratch is not more than so many times the largest tile
# What makes tiles, and decides how long each is needed.
_AHEAD = (
    infer_layouts,
    lower_tile_ops,
    workspace_copies,
    cross_core_pipeline,
    split_cores,
    software_pipeline,
)
_TARGETS = ("ascendc", "pto")


def fits(kernel: Kernel, context: PassContext) -> bool:
    """True where the UB has room for all tiles, whatever the route."""
    return _roomy(kernel, context) or all(_fits(kernel, target, context) for target in _TARGETS)


def _roomy(kernel: Kernel, context: PassContext) -> bool:
    """True where all tiles fit side by side, as one sees without lowering anything."""
    if any(isinstance(s, For) and s.kind == "pipelined" for s in walk_stmts(kernel.body)):
        return False
    placed = [(buffer, kernel.placements.get(buffer.uid)) for buffer in buffers(kernel)]
    sizes = [
        placed_bytes(buffer, place) or 0
        for buffer, place in placed
        if place is not None and place.memory is Memory.UB
    ]
    room = context.platform.memories[Memory.UB].plannable
    return sum(sizes) + _SCRATCH * max(sizes, default=0) <= room


def _fits(kernel: Kernel, target: str, context: PassContext) -> bool:
    quiet = replace(context, report=Report())
    kernel = replace(kernel, options=replace(kernel.options, target=target))
    for stage in _AHEAD:
        kernel = stage(kernel, quiet)
    return has_room(kernel, Memory.UB, context)


@dataclass(frozen=True, slots=True)
class Pieces:
    """A parallel nest as several, one after the other. `count`: how many; `size`: of what."""

    code: Block
    count: Scalar
    size: str


def in_pieces(head: For, most: int, uid: int) -> Pieces | None:
    """A nest over pieces of at most so many elements; None where it cannot be cut. `uid`: of a
    variable that it may bind."""
    nest = _nest(head)
    if nest is None or not _independent(nest[-1].body):
        return None
    if len(nest) > 2:
        code = (replace(head, kind="serial"),)
        return Pieces(code, head.extent, f"a turn of {head.var.name}")
    width = nest[-1].extent
    if len(nest) == 2 and isinstance(width, int) and most >= width:
        unit = LEAST // gcd(width, LEAST)  # rows that make whole blocks
        rows = most // width
        return _cut(head, rows, unit if rows >= unit else 1, uid, "rows" if rows > 1 else "row")
    part = _cut(nest[-1], most, LEAST, uid, "elements")
    if part is None or len(nest) == 1:
        return part
    count = binary("*", head.extent, part.count)
    return Pieces((replace(head, kind="serial", body=part.code),), count, part.size)


def _nest(head: For) -> list[For] | None:
    """Parallel loops, one of them around the other alone."""
    loops = [head]
    while len(loops[-1].body) == 1 and isinstance(loops[-1].body[0], For):
        loops.append(loops[-1].body[0])
    inner = (stmt for stmt in walk_stmts(loops[-1].body) if isinstance(stmt, For))
    parallel = all(loop.kind == "parallel" for loop in loops)
    return loops if parallel and not any(inner) else None


def _cut(loop: For, most: int, unit: int, uid: int, word: str) -> Pieces | None:
    """A loop in pieces of nearly equal size, multiples of a unit."""
    extent, most = loop.extent, most // unit * unit
    if not isinstance(extent, int) or not 0 < most < extent:
        return None
    count = -(-extent // most)
    size = round_up(-(-extent // count), unit)
    name = Var(f"{loop.var.name}_piece", uid, "loop", 0, extent // size - 1, loop.var.type)
    first: Scalar = binary("+", loop.start, binary("*", name, size))
    piece = replace(loop, start=first, extent=size)
    code: list[For] = [For(name, 0, extent // size, "serial", (piece,), loop.span)]
    if extent % size:
        done = binary("+", loop.start, extent - extent % size)
        code.append(replace(loop, start=done, extent=extent % size))
    return Pieces(tuple(code), -(-extent // size), f"{size} {word}")


def _independent(body: Block) -> bool:
    """True where no element is read or written at another's turn, or a single statement says in which
    order that is done."""
    if len(body) == 1 and isinstance(body[0], Store):
        return True
    places: dict[int, set[tuple[Buffer, tuple[Scalar, ...]]]] = {}
    for buffer, indices, _ in _accesses(body):
        places.setdefault(root(buffer).uid, set()).add((buffer, tuple(indices)))
    written = {root(buffer).uid for buffer, _, write in _accesses(body) if write}
    return all(len(places[uid]) == 1 for uid in written)


def _accesses(body: Block) -> Iterator[tuple[Buffer, Sequence[Scalar], bool]]:
    for stmt in walk_stmts(body):
        if isinstance(stmt, Store):
            yield stmt.buffer, stmt.indices, True
        for value in exprs_of(stmt):
            for node in walk(value) if isinstance(value, Expr) else ():
                if isinstance(node, Load):
                    yield node.buffer, node.indices, False
