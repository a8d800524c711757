"""Turn `T.Parallel` loops over element-wise stores into vector operations.

One or two nested parallel loops become the dimensions of the operations. Where the rows of a tile
do not lie next to each other, or an operand is the same for a whole row, the outer loop stays and
each row is one operation. What cannot become vector code stays a loop over single elements, which
the author is told with its cost.

Intermediate results get tiles as large as a loop, where the UB has room for all. Where it has not, loops
are done in pieces of rows, or of parts of a row, as large as fit; and element by element only where
even that is too much. The author is told that, too.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.nodes import Kernel, Placement
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.vector_nests import Nests
from tl_ascend.passes.vector_room import fits
from tl_ascend.passes.vector_tiles import Temporaries, tile_bytes
from tl_ascend.target.hardware import Memory


def vectorise_parallel(kernel: Kernel, context: PassContext) -> Kernel:
    """The kernel without parallel loops: vector operations, and loops over what is none."""
    chosen = _vectorised(kernel, context)
    if chosen.temporaries.made and not fits(chosen.result, context):
        chosen = _smaller(kernel, context, chosen)
    for finding in chosen.report.findings:
        if finding not in context.report.findings:
            context.report.findings.append(finding)
    return chosen.result


def _smaller(kernel: Kernel, context: PassContext, whole: Nests) -> Nests:
    """With smaller tiles for intermediate results, as large as there is room for; the smallest where
    none would do."""
    tried: dict[int | None, Nests] = {}

    def fit(limit: int | None) -> bool:
        tried[limit] = _vectorised(kernel, context, limit, spare=False)
        return fits(tried[limit].result, context)

    if whole.kept and fit(None):
        return tried[None]
    if not fit(0):
        return tried[0]  # what is told is then what no size of pieces would save
    largest = max(tile_bytes(tile) for tile in whole.temporaries.made)
    limits = [largest >> step for step in range(1, largest.bit_length())]
    at = bisect_left(limits, True, key=fit)
    return tried[limits[at] if at < len(limits) else 0]


def _vectorised(
    kernel: Kernel, context: PassContext, limit: int | None = None, spare: bool = True
) -> Nests:
    quiet = replace(context, report=Report())
    work = Nests(kernel, quiet, Temporaries(kernel.next_uid), limit, spare)
    body = work.block(kernel.body)
    made = work.temporaries.made
    kernel = replace(
        kernel,
        body=body,
        scratch=(*kernel.scratch, *made),
        next_uid=work.temporaries.next_uid,
    )
    reason = "holds an intermediate result of a T.Parallel loop"
    work.result = kernel.with_placements(
        {
            tile.uid: Placement(Memory.UB, tile.shape, scope_reason=reason, scope_cause=tile.span)
            for tile in made
        }
    )
    return work
