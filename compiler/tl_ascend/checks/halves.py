"""Tiles that upstream's compiler divides between the two vector cores (`threads=2`) to no good."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.checks.context import CheckContext
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.expr import Load, Var, loads
from tl_ascend.ir.nodes import Buffer, For, Store, exprs_of, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.passes.row_shares import CORES, gathered_tiles
from tl_ascend.target.hardware import Memory


def halved_tiles(context: CheckContext) -> None:
    """Every tile loses half of its first dimension, and every loop over that half of its rounds. A
    loop that counts the elements of one tile and the columns of another then misses columns."""
    launch = context.before.launch
    if context.upstream == "none" or launch is None or launch.threads != CORES:
        return
    exempt = set(gathered_tiles(context.after))
    told: set[int] = set()
    for loop in walk_stmts(context.before.body):
        if not isinstance(loop, For):
            continue
        first, later = _indexed(loop, context)
        lines = [b for b in first if b.rank == 1 and b.uid not in exempt and _even(b)]
        wide = [b for b in later if all(b.uid != line.uid for line in lines)]
        for line in lines:
            if wide and line.uid not in told:
                told.add(line.uid)
                _report(line, wide[0], loop, context)


def _even(buffer: Buffer) -> bool:
    size = buffer.shape[0]
    return isinstance(size, int) and size >= CORES and size % CORES == 0


def _indexed(loop: For, context: CheckContext) -> tuple[list[Buffer], list[Buffer]]:
    """The tiles of the UB whose first index a loop counts, and those of which it counts another."""
    first: dict[int, Buffer] = {}
    later: dict[int, Buffer] = {}
    for load in _elements(loop):
        buffer = root(load.buffer)
        place = context.after.placements.get(buffer.uid)
        if place is None or place.memory is not Memory.UB or load.buffer is not buffer:
            continue
        for at, index in enumerate(load.indices):
            if isinstance(index, Var) and index == loop.var:
                (later if at else first).setdefault(buffer.uid, buffer)
    return list(first.values()), list(later.values())


def _elements(loop: For) -> Iterator[Load]:
    for stmt in walk_stmts(loop.body):
        if isinstance(stmt, Store):
            yield Load(stmt.buffer, stmt.indices)
        for value in exprs_of(stmt):
            yield from loads(value)


def _report(line: Buffer, wide: Buffer, loop: For, context: CheckContext) -> None:
    size, name = line.shape[0], loop.var.name
    assert isinstance(size, int)
    context.report.add(
        "halved-tile",
        line.span,
        f"with threads=2 upstream's compiler leaves each vector core {size // CORES} of the {size} "
        f"elements of {line.name}, and {name}, which counts the columns of {wide.name}, too, stops "
        "halfway",
        notes=(
            f"It halves the first dimension of every tile. Give {line.name} a first dimension of its "
            "own, (1, n), and copy it row by row, or use threads=1.",
            "In the program of tl-ascend each of the two cores has the whole tile.",
        ),
        related=(Related(loop.span, f"{name} counts both"),),
    )
