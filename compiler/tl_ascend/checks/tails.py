"""What a division that was rounded down leaves out: rows of an output, products of a sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tl_ascend.checks.accumulation_fix import IN_ORDER
from tl_ascend.checks.accumulators import accumulator
from tl_ascend.checks.causes import of_length
from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.written import end_of, left_out, writes_of
from tl_ascend.diagnostics.report import LANGUAGE, Applicability, Edit, Fix, Related
from tl_ascend.ir.affine import affine
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.floors import FLOORS, Floor
from tl_ascend.ir.nodes import Break, Buffer, For, If, Region, Stmt, TileOp, While, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.split_vector_cores import ODD


def lost_rows(context: CheckContext) -> None:
    """What is left out of a dimension is exactly what a division leaves over: of that dimension, of the
    tiles that it is cut into, or of the rows of each tile."""
    floors: tuple[Floor, ...] = context.after.attrs.get(FLOORS, ())
    if not floors:
        return
    tensors = {tensor.uid: tensor for tensor in context.after.tensors}
    told: set[Floor] = set()
    for uid, regions in writes_of(context.after).items():
        _tensor(tensors[uid], regions, floors, told, context)


def _tensor(
    tensor: Buffer,
    regions: Sequence[Region],
    floors: Sequence[Floor],
    told: set[Floor],
    context: CheckContext,
) -> None:
    for dim, size in enumerate(tensor.shape):
        end = end_of(regions, dim)
        if end is None or not isinstance(size, int) or end >= size:
            continue
        of_rows = [f for f in floors if f.dividend == size and f.covered == end]
        of_tiles = [f for f in floors if _tiles_lost(f, size, end)]
        gaps = [] if of_rows or of_tiles else _gaps(floors, regions, dim, size)
        for floor in of_rows or of_tiles[:1] or gaps:
            if floor not in told:
                told.add(floor)
                _report(floor, _Lost(tensor, dim, size, end, regions), context)


def _tiles_lost(floor: Floor, size: int, end: int) -> bool:
    """True where a division of the number of tiles ends where the writes end."""
    unit, rest = divmod(end, floor.covered) if floor.covered else (0, 0)
    return unit > 1 and not rest and floor.dividend in (size // unit, -(-size // unit))


def _gaps(
    floors: Sequence[Floor], regions: Sequence[Region], dim: int, size: int
) -> Sequence[Floor]:
    """The division that leaves out the last rows of each tile, and these alone."""
    fitting = [floor for floor in floors if floor.covered and floor.dividend < size]
    lost = left_out(regions, dim, size) if fitting else ()
    for floor in fitting:
        if lost and lost == [n for n in range(size) if n % floor.dividend >= floor.covered]:
            return (floor,)
    return ()


@dataclass(frozen=True, slots=True)
class _Lost:
    """A dimension of a tensor that is written up to `end`, with gaps or without."""

    tensor: Buffer
    dim: int
    size: int
    end: int
    regions: Sequence[Region]

    @property
    def what(self) -> str:
        return "columns" if self.dim and self.dim == self.tensor.rank - 1 else "rows"


def _report(floor: Floor, lost: _Lost, context: CheckContext) -> None:
    fixes: tuple[Fix, ...] = ()
    if floor.dividend == lost.size:
        text, note = _rows_lost(floor, lost)
        fixes = (_round_up(floor, context),)
    elif _tiles_lost(floor, lost.size, lost.end):
        text, note = _whole_tiles_lost(floor, lost)
    else:
        text, note = _gaps_left(floor, lost)
    told = f"{floor.dividend} // {floor.divisor} is {floor.dividend // floor.divisor}{text}"
    about = (Related(lost.tensor.span, f"{lost.tensor.name}: {lost.size} {lost.what}"),)
    causes = of_length(floor.divisor)
    context.report.add(
        "tail", floor.span, told, notes=(note,), related=about, fixes=fixes, causes=causes
    )


def _up(floor: Floor) -> str:
    return "T.ceildiv({}, {})".format(*floor.text)


def _rows_lost(floor: Floor, lost: _Lost) -> tuple[str, str]:
    rest, what = lost.size - lost.end, lost.what
    return (
        f", which covers {lost.end}: the last {rest} {what} of {lost.tensor.name} are never written",
        f"{_up(floor)} has a block for the rest, too; T.copy leaves out what lies outside of a tensor.",
    )


def _whole_tiles_lost(floor: Floor, lost: _Lost) -> tuple[str, str]:
    unit, what = lost.end // floor.covered, lost.what
    return (
        f", which covers {floor.covered} of {floor.dividend} parts of {unit} {what}: {what} "
        f"{lost.end}..{lost.size - 1} of {lost.size} of {lost.tensor.name} are never written",
        f"{_up(floor)} covers them; what then begins behind the tensor's end needs a branch around it.",
    )


def _gaps_left(floor: Floor, lost: _Lost) -> tuple[str, str]:
    missing, what = left_out(lost.regions, lost.dim, lost.size), lost.what
    return (
        f": {len(missing)} of the {lost.size} {what} of {lost.tensor.name} are never written, "
        f"{what[:-1]} {missing[0]} the first",
        f"Choose a number that {floor.divisor} divides in place of {floor.dividend}.",
    )


def _round_up(floor: Floor, context: CheckContext) -> Fix:
    """One more block covers the rest, unless something keeps it from writing there."""
    left, right = floor.text
    edit = Edit(floor.span, f"{LANGUAGE}.ceildiv({left}, {right})")
    stmts = walk_stmts(context.before.body)
    whole = floor.counts and not any(isinstance(stmt, (If, While, Break)) for stmt in stmts)
    meant = whole and all(_is_cut_or_local(stmt) for stmt in stmts)
    safe = Applicability.SAFE if meant else Applicability.UNSAFE
    return Fix(f"Round up: {_up(floor)}", (edit,), safe)


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
                end = end_of(reads.get(region.buffer.uid, []), dim)
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
        causes=of_length(floor.divisor),
    )


def odd_halves(context: CheckContext) -> None:
    """With threads=2 each vector core has half of the rows of a tile; upstream rounds down."""
    odd: tuple[Buffer, ...] = context.after.attrs.get(ODD, ())
    for tile in odd:
        if tile.uid in context.outside:
            continue  # it has too few rows, which is told
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
            causes=of_length(rows),
        )
