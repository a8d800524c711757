"""Parts of tiles that are no run of elements: vector calls take an address and a number."""

from __future__ import annotations

from tl_ascend.checks.context import Call, CheckContext, count, size
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.text import show_region
from tl_ascend.passes.vector_index import contiguous

# The families whose device calls walk consecutive elements. Copies have pitches.
CONSECUTIVE = frozenset(("vector", "bitwise", "math", "reduce", "gather", "sort"))


def consecutive_operands(call: Call, context: CheckContext) -> None:
    """Every tile of a vector call is one run of elements. `real_shape` of a reduction is another
    way to say what is read of a tile; `count` says how many elements follow its start. Our programs
    go row by row where they can."""
    if context.upstream == "none":
        return
    named = {param.name for param in call.row.params}
    if call.row.family not in CONSECUTIVE or "count" in named or call.arg("real_shape") is not None:
        return
    for param in call.row.params:
        tile = call.region(param.name)
        pieces = None if tile is None else _pieces(tile)
        if tile is not None and pieces is not None:
            _report(call, tile, pieces, context)
            return


def _pieces(tile: Region) -> tuple[int, int, int] | None:
    """How many runs the part has, how long each is, and how far apart they start; None for a single
    run, and where a size is not known."""
    shape = tile.buffer.shape
    if len(tile.starts) != len(shape) or size(tile) is None or _unknown(shape):
        return None
    if contiguous(tile):
        return None
    run, pitch, at = 1, 1, len(shape) - 1
    while at >= 0 and tile.extents[at] == shape[at]:
        run, pitch, at = run * int(shape[at]), pitch * int(shape[at]), at - 1
    run, pitch = run * int(tile.extents[at]), pitch * int(shape[at])
    total = size(tile)
    assert total is not None
    return total // run, run, pitch


def _unknown(shape: tuple[object, ...]) -> bool:
    return any(isinstance(extent, Expr) for extent in shape)


def _report(call: Call, tile: Region, pieces: tuple[int, int, int], context: CheckContext) -> None:
    number, run, pitch = pieces
    buffer = tile.buffer
    context.report.add(
        "slice-noncontiguous",
        tile.span,
        f"{show_region(tile)} is {count(number, 'piece')} of {run} elements, {pitch} apart; "
        f"{call.name} works on {number * run} consecutive ones",
        notes=(
            "The device call gets the address of the first element and a number: it reads or writes "
            "what lies between the pieces, and misses the last of them.",
            f"Call it once for each row, or copy the part to a tile of its own first, with rows of "
            f"{run} elements.",
        ),
        related=(Related(buffer.span, f"{buffer.name}: rows of {pitch} elements"),),
    )
