"""Blocks whose parts of a tensor overlap, with different data in what they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypeAlias

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.spread import Spread
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.affine import interval
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, Scalar, Var, free_vars
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.geometry import resolve_copy
from tl_ascend.ir.liveness import fills
from tl_ascend.ir.nodes import (
    Block,
    For,
    If,
    Launch,
    Region,
    Stmt,
    TileOp,
    While,
    blocks_of,
    walk_stmts,
)
from tl_ascend.ir.storage import root
from tl_ascend.ir.tabulate import Column, tabulate
from tl_ascend.ir.text import show, show_region

# Neighbours, and the first block with each other one, show the steps of a grid.
MOST = 256
Pair: TypeAlias = "tuple[int, int]"


class Meeting(NamedTuple):
    """A copy to GM with pairs of blocks whose parts share elements."""

    stmt: TileOp
    target: Region
    pairs: list[Pair]


def meetings(stmts: Iterable[Stmt], grid: Grid) -> list[Meeting]:
    """Those among the statements of a kernel."""
    found = []
    for stmt in stmts:
        target = target_of(stmt) if isinstance(stmt, TileOp) else None
        if target is None or not isinstance(stmt, TileOp) or grid.block not in _vars(target):
            continue
        pairs = [pair for pair in _near(target, grid) if _meet(target, grid, pair)]
        if pairs:
            found.append(Meeting(stmt, target, pairs))
    return found


def overlap(
    meeting: Meeting, launch: Launch, grid: Grid, always: Sequence[Stmt], context: CheckContext
) -> bool:
    """Reports blocks that write different data to what they share; True where it did. `always`: the
    statements that every block runs."""
    sources = sources_of(meeting.stmt, always, context)
    for pair in meeting.pairs:
        step = grid.step(meeting.target, pair)
        if sources.differ(partial(_differs, grid=grid, pair=pair, step=step)):
            _report(meeting.stmt, meeting.target, launch, grid.blocks(pair), context)
            return True
    return False


class Grid:
    """The blocks that are looked at, and where the first core of each begins to read or write. A pair
    names two of these by their place among them."""

    def __init__(self, launch: Launch, blocks: int) -> None:
        most = min(blocks, MOST)
        rest = [blocks - 2, blocks - 1] if blocks > most else []
        self.block = launch.block
        self._core: dict[Expr, Scalar] = {launch.subblock: 0}
        self.points = [*range(most), *rest]
        self.pairs = [(at, at + 1) for at in range(most - 1)]
        self.pairs += [(0, at) for at in range(2, most)]
        self.pairs += [(most, most + 1)] if rest else []
        self._columns: dict[Scalar, Column | None] = {}

    def column(self, value: Scalar) -> Column | None:
        if value not in self._columns:
            self._columns[value] = tabulate(self.of_the_first(value), self.block, self.points)
        return self._columns[value]

    def of_the_first(self, value: Scalar) -> Scalar:
        """A scalar on the first vector core."""
        return substitute(value, self._core) if isinstance(value, Expr) else value

    def step(self, region: Region, pair: Pair) -> tuple[int, ...] | None:
        """How far the second block's part lies behind the first one's; None where that is not known."""
        steps = []
        for start in region.starts:
            column = self.column(start)
            by = None if column is None else column.step(*pair)
            if by is None:
                return None
            steps.append(by)
        return tuple(steps)

    def blocks(self, pair: Pair) -> Pair:
        return self.points[pair[0]], self.points[pair[1]]


def always_run(block: Block, spread: Spread) -> Iterator[Stmt]:
    """The statements that every block runs."""
    for stmt in block:
        yield stmt
        if isinstance(stmt, (If, While)):
            continue
        if isinstance(stmt, For) and spread.values((stmt.start, stmt.extent)):
            continue
        for inner in blocks_of(stmt):
            yield from always_run(inner, spread)


def target_of(stmt: TileOp) -> Region | None:
    """Where a copy writes, with its extents."""
    source, target = stmt.args[:2] if len(stmt.args) > 1 else (None, None)
    if stmt.op != "copy" or not isinstance(source, Region) or not isinstance(target, Region):
        return None
    resolved = resolve_copy(source, target, True)
    return resolved[1] if isinstance(resolved, tuple) else None


def _vars(region: Region) -> list[Var]:
    return [var for start in region.starts for var in free_vars(start)]


def _near(region: Region, grid: Grid) -> list[Pair]:
    """The pairs whose parts are less than their extents apart."""
    pairs = grid.pairs
    for start, extent in zip(region.starts, region.extents, strict=True):
        column = grid.column(start)
        if column is None or not isinstance(extent, int):
            return []
        if column.rests is not None:
            pairs = [pair for pair in pairs if column.step(*pair) is not None]
        at = column.numbers
        pairs = [(a, b) for a, b in pairs if -extent < at[b] - at[a] < extent]
    return pairs


def _meet(region: Region, grid: Grid, pair: Pair) -> bool:
    """True where both parts begin at elements that the tensor has."""
    for start, size in zip(region.starts, region.buffer.shape, strict=True):
        for at in grid.blocks(pair):
            least = interval(substitute(grid.of_the_first(start), {grid.block: at}))[0]
            if not isinstance(size, int) or least is None or least >= size:
                return False
    return True


@dataclass(slots=True)
class Sources:
    """What the data of a copy come of: parts of tensors, and scalars among the operands. `perhaps`: what
    each statement in a branch takes; `begun`: one that runs in any case puts something there to begin
    with."""

    sure: list[Region | Scalar] = field(default_factory=list)
    perhaps: list[list[Region | Scalar]] = field(default_factory=list)
    begun: bool = False

    def differ(self, differs: Callable[[Region | Scalar], bool]) -> bool:
        """True where the data differ, whichever branches are taken, by what is known of sources."""
        if not all(any(map(differs, each)) for each in self.perhaps):
            return False
        return any(map(differs, self.sure)) or (bool(self.perhaps) and not self.begun)


def sources_of(stmt: TileOp, always: Sequence[Stmt], context: CheckContext) -> Sources:
    """`always`: the statements that run in any case."""
    tensors = {tensor.uid for tensor in context.before.tensors}
    wanted = {root(r.buffer).uid for r in effect_of(stmt).reads}
    sure = {id(other) for other in always}
    found = Sources()
    before = walk_stmts(context.before.body)
    at = next(at for at, other in enumerate(before) if other is stmt)
    for other in reversed(before[:at]):
        if not _writes(other, wanted - tensors):
            continue
        effect, operands = effect_of(other), list(_operands(other, tensors))
        reads = {root(r.buffer).uid for r in effect.reads}
        if id(other) in sure:
            wanted -= {region.buffer.uid for region in effect.writes if fills(region)}
            found.sure += operands
            found.begun |= reads <= tensors
        else:
            found.perhaps.append(operands)
        wanted |= reads
    return found


def _writes(stmt: Stmt, wanted: set[int]) -> bool:
    return any(root(region.buffer).uid in wanted for region in effect_of(stmt).writes)


def _operands(stmt: Stmt, tensors: set[int]) -> Iterator[Region | Scalar]:
    yield from (r for r in effect_of(stmt).reads if r.buffer.uid in tensors)
    if isinstance(stmt, TileOp):
        yield from (arg for arg in stmt.args if isinstance(arg, Expr))


def _differs(source: Region | Scalar, grid: Grid, pair: Pair, step: tuple[int, ...] | None) -> bool:
    """True for what is certainly not the same in the shared elements: a part of a tensor that moves
    by another step, a scalar that changes."""
    if isinstance(source, Region):
        moved = grid.step(source, pair)
        return moved is not None and any(moved) and moves(moved) != moves(step or ())
    if grid.block not in free_vars(source):
        return False
    column = grid.column(source)
    return column is not None and bool(column.step(*pair))


def moves(step: tuple[int, ...]) -> list[int]:
    return [by for by in step if by]


def _report(
    stmt: TileOp, target: Region, launch: Launch, pair: Pair, context: CheckContext
) -> None:
    index = launch.block.name
    parts = [_box(target, launch.block, at) for at in pair]
    context.report.add(
        "race",
        stmt.span,
        f"blocks write parts of {target.buffer.name} that overlap, each with data of its own: "
        f"{parts[0]} for {index} = {pair[0]} and {parts[1]} for {index} = {pair[1]}",
        notes=(
            "Blocks run at the same time and in any order, so what stays in the shared elements is "
            "that of any one of them.",
            f"Let {show_region(target)} move on by as much as a block writes.",
        ),
        related=(Related(launch.span, f"{index} counts the blocks"),),
    )


def _box(region: Region, block: Var, at: int) -> str:
    """The part that one block writes."""
    parts = []
    for start, extent in zip(region.starts, region.extents, strict=True):
        first = substitute(start, {block: at})
        end = binary("+", first, extent)
        parts.append(show(first) if extent == 1 else f"{show(first)}:{show(end)}")
    return f"{region.buffer.name}[{', '.join(parts)}]"
