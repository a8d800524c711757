"""What a division that was rounded down leaves out: rows of an output, products of a sum."""

from __future__ import annotations

from tl_ascend.checks.accumulation_fix import IN_ORDER
from tl_ascend.checks.accumulators import accumulator
from tl_ascend.checks.context import CheckContext
from tl_ascend.diagnostics.report import LANGUAGE, Applicability, Edit, Fix, Related
from tl_ascend.ir.affine import affine, interval
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.floors import FLOORS, Floor
from tl_ascend.ir.nodes import Buffer, For, Region, Stmt, TileOp, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.split_vector_cores import ODD


def lost_rows(context: CheckContext) -> None:
    """What is left out of a dimension is exactly what a division of that dimension leaves over."""
    floors: tuple[Floor, ...] = context.after.attrs.get(FLOORS, ())
    if not floors:
        return
    tensors = {tensor.uid: tensor for tensor in context.after.tensors}
    written: dict[int, list[Region]] = {}
    for stmt in walk_stmts(context.after.body):
        for region in effect_of(stmt).writes:
            if region.buffer.uid in tensors:
                written.setdefault(region.buffer.uid, []).append(region)
    told: set[Floor] = set()
    for uid, regions in written.items():
        _tensor(tensors[uid], regions, [f for f in floors if f not in told], told, context)


def _tensor(
    tensor: Buffer,
    regions: list[Region],
    floors: list[Floor],
    told: set[Floor],
    context: CheckContext,
) -> None:
    for dim, size in enumerate(tensor.shape):
        end = _end(regions, dim)
        if end is None or isinstance(size, Expr) or end >= size:
            continue
        for floor in floors:
            if floor.dividend == size and floor.remainder == size - end:
                told.add(floor)
                _report(floor, tensor, dim, context)


def _end(regions: list[Region], dim: int) -> int | None:
    """One past the last index that is written in a dimension, where that is known."""
    ends: list[int] = []
    for region in regions:
        if len(region.starts) != region.buffer.rank:
            return None
        high, extent = interval(region.starts[dim])[1], interval(region.extents[dim])[1]
        if high is None or extent is None:
            return None
        ends.append(high + extent)
    return max(ends, default=None)


def _report(floor: Floor, tensor: Buffer, dim: int, context: CheckContext) -> None:
    what = "columns" if dim and dim == len(tensor.shape) - 1 else "rows"
    count, rest = floor.dividend // floor.divisor, floor.remainder
    left, right = floor.text
    context.report.add(
        "tail",
        floor.span,
        f"{floor.dividend} // {floor.divisor} is {count}, which covers {floor.dividend - rest}: the "
        f"last {rest} {what} of {tensor.name} are never written",
        notes=(
            f"T.ceildiv({left}, {right}) has a block for the rest, too; T.copy leaves out what lies "
            "outside of a tensor.",
        ),
        related=(Related(tensor.span, f"{tensor.name}: {floor.dividend} {what}"),),
        fixes=(_round_up(floor, context),),
    )


def _round_up(floor: Floor, context: CheckContext) -> Fix:
    left, right = floor.text
    edit = Edit(floor.span, f"{LANGUAGE}.ceildiv({left}, {right})")
    cut = all(_is_cut_or_local(stmt) for stmt in walk_stmts(context.before.body))
    meant = Applicability.SAFE if cut else Applicability.UNSAFE
    return Fix(f"Round up: T.ceildiv({left}, {right})", (edit,), meant)


def _is_cut_or_local(stmt: Stmt) -> bool:
    """True where rows that no tensor has neither are touched nor change those that it has."""
    effect = effect_of(stmt)
    touched = (*effect.reads, *effect.writes, *effect.scalars)
    outside = any(root(region.buffer).scope == "GM" for region in touched)
    row = TABLE.get(stmt.op) if isinstance(stmt, TileOp) else None
    if row is None:
        return not outside
    return row.name == "copy" if outside else row.family not in ("reduce", "sort")


def lost_products(context: CheckContext) -> None:
    """A loop over K that is rounded down leaves the end of both factors out of the sum."""
    floors: tuple[Floor, ...] = context.after.attrs.get(FLOORS, ())
    if not floors:
        return
    regions = _tensor_reads(context)
    told: set[Floor] = set()
    for loop in walk_stmts(context.before.body):
        if not isinstance(loop, For) or loop.kind not in IN_ORDER:
            continue
        for floor in floors:
            if loop.extent != floor.dividend // floor.divisor or floor in told:
                continue
            lost = _lost_in(loop, floor, regions)
            if lost is not None:
                told.add(floor)
                _report_products(floor, lost, context)


def _tensor_reads(context: CheckContext) -> dict[int, list[Region]]:
    tensors = {tensor.uid for tensor in context.after.tensors}
    found: dict[int, list[Region]] = {}
    for stmt in walk_stmts(context.after.body):
        effect = effect_of(stmt)
        for region in (*effect.reads, *effect.scalars):
            if region.buffer.uid in tensors:
                found.setdefault(region.buffer.uid, []).append(region)
    return found


def _lost_in(loop: For, floor: Floor, reads: dict[int, list[Region]]) -> Buffer | None:
    """The tensor whose parts feed a product of the loop, one after the other, up to where the
    division leaves off; nothing in the kernel reads the rest."""
    inside = walk_stmts(loop.body)
    if not any(isinstance(s, TileOp) and accumulator(s) is not None for s in inside):
        return None
    for region in (region for stmt in inside for region in effect_of(stmt).reads):
        for dim, start in enumerate(region.starts):
            form = affine(start)
            steps = form is not None and form.terms.get(loop.var) == floor.divisor
            if steps and region.buffer.shape[dim] == floor.dividend:
                end = _end(reads.get(region.buffer.uid, []), dim)
                if end == floor.dividend - floor.remainder:
                    return region.buffer
    return None


def _report_products(floor: Floor, tensor: Buffer, context: CheckContext) -> None:
    count, rest = floor.dividend // floor.divisor, floor.remainder
    left, right = floor.text
    edit = Edit(floor.span, f"{LANGUAGE}.ceildiv({left}, {right})")
    context.report.add(
        "tail",
        floor.span,
        f"{floor.dividend} // {floor.divisor} is {count}, which covers {floor.dividend - rest}: the "
        f"products leave out the last {rest} of {floor.dividend} along a dimension of {tensor.name}",
        notes=(f"T.ceildiv({left}, {right}) has an iteration for the rest, too.",),
        related=(Related(tensor.span, f"{tensor.name} is never read to its end"),),
        fixes=(Fix(f"Round up: T.ceildiv({left}, {right})", (edit,), Applicability.UNSAFE),),
    )


def odd_halves(context: CheckContext) -> None:
    """With threads=2 each vector core has half of the rows of a tile; upstream rounds down."""
    odd: tuple[Buffer, ...] = context.after.attrs.get(ODD, ())
    for tile in odd:
        rows = tile.shape[0]
        assert isinstance(rows, int)
        context.report.add(
            "tail",
            tile.span,
            f"{tile.name} has {rows} rows: with threads=2 each vector core has {rows // 2} of them in "
            "upstream's compiler, and the last row is left out",
            notes=(
                "Give the tile an even number of rows; T.copy leaves out what lies outside.",
                "In the program of tl-ascend each of the two cores does all rows.",
            ),
        )
