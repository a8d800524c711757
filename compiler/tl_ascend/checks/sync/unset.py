"""Parts of a tensor that jit allocates which are read before their block has written them: in an order
that flags keep, but not the one that was meant."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.sync.execute import Executions, Run, whole
from tl_ascend.checks.sync.outcome import Unset
from tl_ascend.checks.sync.sized import Sizes
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import Kernel, Region, TileOp, regions_of
from tl_ascend.ir.storage import root
from tl_ascend.ir.text import show_region


def tell_unset(sizes: Sizes, context: CheckContext) -> None:
    """The first such read of each tensor."""
    told: set[int] = set()
    for run, unset in _certain(sizes.found, sizes.kernel):
        uid, stmt = unset.access.uid, unset.event.stmt
        region = _region(stmt, uid) if isinstance(stmt, TileOp) else None
        if region is None or uid in told or uid in context.outside:
            continue
        told.add(uid)
        _tell(run, unset, region, sizes, context)


def _certain(found: Executions, kernel: Kernel) -> Iterator[tuple[Run, Unset]]:
    """Where nothing is left out of an execution, and the device decides on nothing in it."""
    for place in found.places:
        for run in place.together:
            if run.outcome.unset and not any(program.open for program in run.programs):
                outcome = whole(kernel, run)
                yield from ((run, unset) for unset in (outcome.unset if outcome else ()))


def _region(stmt: TileOp, uid: int) -> Region | None:
    return next((r for r in regions_of(stmt) if root(r.buffer).uid == uid), None)


def _tell(run: Run, unset: Unset, region: Region, sizes: Sizes, context: CheckContext) -> None:
    stmt, name = unset.event.stmt, region.buffer.name

    def shows(other: Run) -> bool:
        return any(one.event.stmt is stmt for one in other.outcome.unset)

    other = unset.written.stmt if unset.written is not None else None
    also = () if other is None else (Related(other.span, f"of {name} this is written before"),)
    context.report.add(
        "unwritten",
        region.span,
        f"{show_region(region)} is read here before anything of its block has written that part",
        notes=(
            f"{name} is allocated by jit: it holds whatever was in that memory before. Look at which "
            "part each side takes.",
            *run.place.notes,
            *sizes.notes(run.place, shows, {stmt.span}),
        ),
        related=also,
        severity=Severity.WARNING,
    )
