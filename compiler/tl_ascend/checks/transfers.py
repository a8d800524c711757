"""Where rows of a transfer between GM and the UB lie: on multiples of 32 bytes in the UB."""

from __future__ import annotations

from tl_ascend.checks.causes import repitched, row_resized, widened
from tl_ascend.checks.context import Call, CheckContext, shape_text
from tl_ascend.checks.padding import padding
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.expr import Expr, Scalar
from tl_ascend.ir.geometry import is_one, resolve_copy, transfer
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import BLOCK, elements, root, round_up
from tl_ascend.passes.row_shares import CORES
from tl_ascend.passes.vector_index import contiguous
from tl_ascend.target.hardware import Memory


def on_chip_alignment(call: Call, context: CheckContext) -> None:
    """Of rows in the UB: those in GM may lie at any byte."""
    source, target = call.arg("src"), call.arg("dst")
    if not isinstance(source, Region) or not isinstance(target, Region):
        return
    resolved = resolve_copy(source, target, call.arg("transpose") is True)
    if not isinstance(resolved, tuple):
        return
    memories = {context.memory(side) for side in resolved}
    for inside, outside in (resolved, resolved[::-1]):
        if context.memory(inside) is Memory.UB and context.memory(outside) is Memory.GM:
            _rows(call, inside, outside, context)
    if memories == {Memory.UB}:
        told = len(context.report.findings)
        for inside in resolved if not all(map(contiguous, resolved)) else ():
            _rows_within(call, inside, context)
        if len(context.report.findings) == told:
            _part_of_block(call, *resolved, context)


AS_ONE = (
    "This holds for upstream's compiler: the rows have no gaps on either side, and tl-ascend moves them "
    "as one."
)


def _rows(call: Call, region: Region, outside: Region, context: CheckContext) -> None:
    """How many rows a transfer has follows from its side in GM: one row fills a column, too."""
    as_one = contiguous(region) and contiguous(outside)
    if context.upstream == "none" and as_one:
        return
    rows = rows_of_a_core(transfer(outside).rows, region, context)
    pitch = _bytes(region, transfer(region).stride)
    if rows is None or rows < 2 or pitch is None or pitch % BLOCK == 0:
        return
    name, related = region.buffer.name, rows_of(region)
    fix = padding(region, context.before)
    context.report.add(
        "copy-align",
        call.op.span,
        f"{rows} rows of {name} with {pitch} bytes per row: a transfer of several rows puts each one "
        f"on a multiple of {BLOCK} bytes, where vector code does not look for it",
        notes=(
            f"Make the rows of {name} a multiple of {BLOCK} bytes long and copy a part of each, or "
            "use a one-dimensional tile where the rows lie next to each other in GM, too.",
            *([AS_ONE] if as_one else []),
        ),
        related=(related,),
        fixes=(fix,) if fix is not None else (),
        # A fix mends this tile alone.
        causes=(
            repitched(region, round_up(pitch, BLOCK)),
            row_resized(region) if fix else widened(region),
        ),
    )


def _rows_within(call: Call, region: Region, context: CheckContext) -> None:
    """A copy within the UB of rows with gaps goes row by row."""
    moved = transfer(region)
    rows, pitch = rows_of_a_core(moved.rows, region, context), _bytes(region, moved.stride)
    if rows is None or rows < 2 or pitch is None or pitch % BLOCK == 0:
        return
    context.report.add(
        "copy-align",
        call.op.span,
        f"{rows} rows of {region.buffer.name} with {pitch} bytes per row: within the UB each row is "
        f"copied by itself and must start at a multiple of {BLOCK} bytes",
        notes=(f"Make the rows of {region.buffer.name} a multiple of {BLOCK} bytes long.",),
        related=(rows_of(region),),
        causes=(repitched(region, round_up(pitch, BLOCK)), widened(region)),
    )


def _part_of_block(call: Call, source: Region, target: Region, context: CheckContext) -> None:
    """Upstream's copy within the UB moves whole blocks only: of all elements, or of each row."""
    plain = source.buffer.dtype == target.buffer.dtype and call.arg("transpose") is not True
    launch = context.before.launch
    halved = launch is not None and launch.threads == CORES
    if context.upstream == "none" or context.before.options.route != "ascendc":
        return
    if halved or not plain:
        return
    dense = contiguous(source) and contiguous(target)
    count = elements(target.extents) if dense else transfer(source).columns
    size = None if count is None else _bytes(source, count)
    if size is None or size % BLOCK == 0:
        return
    moved = size // BLOCK * BLOCK * 8 // source.buffer.dtype.bits
    what = f"{count} elements" if dense else f"a row of {count} elements"
    context.report.add(
        "copy-align",
        call.op.span,
        f"{what}, {size} bytes: upstream's copy within the UB moves whole blocks of {BLOCK} bytes, "
        f"which is {moved or 'none'} of them",
        notes=(f"The program of tl-ascend moves all of them. Copy a multiple of {BLOCK} bytes.",),
        severity=Severity.WARNING,
        causes=tuple(widened(r) for r in (source, target) if r.extents[-1] == r.buffer.shape[-1]),
    )


def rows_of(region: Region) -> Related:
    """Where the rows of a tile get their length."""
    buffer = region.buffer
    text = f"{buffer.name}: {buffer.dtype}{shape_text(buffer.shape)}"
    return Related(buffer.span, text)


def rows_of_a_core(rows: Scalar, tile: Region, context: CheckContext) -> int | None:
    """With threads=2 each vector core has half of the rows of a tile that is divided."""
    if isinstance(rows, Expr) or not isinstance(rows, int):
        return None
    buffer = root(tile.buffer)
    place = context.after.placements.get(buffer.uid)
    if place is None or not buffer.shape or is_one(tile.extents[0]):
        return rows
    return rows if place.shape[-buffer.rank] == buffer.shape[0] else rows // CORES


def _bytes(region: Region, count: Scalar) -> int | None:
    bits = region.buffer.dtype.bits
    if isinstance(count, Expr) or not isinstance(count, int) or bits % 8:
        return None
    return count * bits // 8
