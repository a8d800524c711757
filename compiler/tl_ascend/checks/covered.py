"""Whether the blocks of a launch write all of an output, and each of them something."""

from __future__ import annotations

from collections.abc import Sequence

from tl_ascend.checks.causes import indexed
from tl_ascend.checks.certain import each_value
from tl_ascend.checks.context import CheckContext, count
from tl_ascend.checks.written import end_of, left_out, writes_of
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.affine import affine, interval
from tl_ascend.ir.expr import Expr, free_vars
from tl_ascend.ir.nodes import Buffer, Launch, Region
from tl_ascend.ir.text import show_region


def unwritten_outputs(context: CheckContext) -> None:
    """Each row of a tensor that jit allocates is written by some block, where they share the rows. Where
    a division was rounded down, that is told of the division."""
    kernel = context.before
    launch = kernel.launch
    told = any(finding.name == "tail" for finding in context.report.findings)
    if launch is None or not isinstance(launch.blocks, int) or launch.blocks < 1 or told:
        return
    parts = writes_of(context.after)
    for index in kernel.options.out_idx:
        at = index + len(kernel.params) if index < 0 else index
        output = kernel.params[at].value if 0 <= at < len(kernel.params) else None
        if isinstance(output, Buffer) and output.uid in parts:
            if not _rows(output, parts[output.uid], launch, context):
                _beside(output, parts[output.uid], context)


def _beside(output: Buffer, parts: Sequence[Region], context: CheckContext) -> None:
    """Elements of each row that nothing writes, where a part goes over the end of the rows instead."""
    axis = len(output.shape) - 1
    size = output.shape[axis]
    last = end_of(parts, axis)
    if axis == 0 or not isinstance(size, int) or last is None or last <= size:
        return
    missing = left_out(parts, axis, size)
    over = [p for p in parts if (end_of((p,), axis) or 0) > size]
    if not missing or not over:
        return
    few = "is" if len(missing) == 1 else "are"
    context.report.add(
        "tail",
        over[-1].span,
        f"{len(missing)} of the {size} columns of {output.name} {few} never written, column "
        f"{missing[0]} the first: {show_region(over[-1])} goes to column {last - 1}, and T.copy leaves "
        "out what lies outside",
        notes=(f"{output.name} is allocated by jit: what nothing writes holds anything.",),
        related=(Related(output.span, f"{output.name}: {size} columns"),),
    )


def _rows(output: Buffer, parts: Sequence[Region], launch: Launch, context: CheckContext) -> bool:
    """True where something is told."""
    size = output.shape[0] if output.shape else None
    if not isinstance(size, int):
        return False
    shared = all(launch.block in _names(part) for part in parts)
    if not shared or any(_reaches(part) >= size for part in parts):
        return False
    missing = left_out(parts, 0, size)
    if not missing:
        return False
    part = parts[-1]
    blocks = count(int(launch.blocks), "block") if isinstance(launch.blocks, int) else "blocks"
    context.report.add(
        "tail",
        part.span,
        f"{len(missing)} of the {size} rows of {output.name} are never written by {blocks}, row "
        f"{missing[0]} the first",
        notes=(f"{output.name} is allocated by jit: what nothing writes holds anything.",),
        related=(
            Related(output.span, f"{output.name}: {size} rows"),
            Related(launch.span, blocks),
        ),
        causes=indexed(part.starts[0], size),
    )
    return True


def _reaches(part: Region) -> int:
    """How many of the first rows are written without a gap, as far as that is plain: each index steps on
    by no more than what the others cover."""
    form, extent = affine(part.starts[0]), part.extents[0]
    if form is None or form.constant > 0 or not isinstance(extent, int):
        return 0
    covered = int(extent) + form.constant
    for var, step in sorted(form.terms.items(), key=lambda term: term[1]):
        low, high = interval(var)
        if low != 0 or high is None or not 0 < step <= covered:
            return 0
        covered += step * high
    return covered


def _names(part: Region) -> set[Expr]:
    first = part.starts[0] if part.starts else 0
    return set(free_vars(first)) if isinstance(first, Expr) else set()


def idle_blocks(context: CheckContext) -> None:
    """Each block has something to write: a copy leaves out what lies outside of a tensor."""
    launch = context.before.launch
    if launch is None or not isinstance(launch.blocks, int) or launch.blocks < 2:
        return
    parts = [part for found in writes_of(context.after).values() for part in found]
    firsts = [_first_idle(part, launch) for part in parts]
    known = [first for first in firsts if first is not None]
    if not parts or len(known) < len(parts):
        return
    first, last = max(known), int(launch.blocks) - 1
    what = f"block {first} has" if first == last else f"blocks {first} to {last} have"
    context.report.add(
        "perf-launch",
        launch.span,
        f"{what} nothing to write: {show_region(parts[-1])} begins behind the end of "
        f"{parts[-1].buffer.name} there",
        notes=(f"{first} blocks write all there is.",),
    )


def _first_idle(part: Region, launch: Launch) -> int | None:
    """The block from which on all begin behind the end of a tensor, in a dimension that only blocks
    count."""
    blocks = int(launch.blocks) if isinstance(launch.blocks, int) else 0
    for start, size in zip(part.starts, part.buffer.shape, strict=False):
        alone = isinstance(start, Expr) and set(free_vars(start)) == {launch.block}
        if not alone or not isinstance(size, int):
            continue
        values = each_value(start, {launch.block: (0, blocks - 1)})
        inside = [at[launch.block] for value, at in values.items() if value < size]
        if len(inside) < len(values) == blocks:
            first = max(inside, default=-1) + 1
            return first if first == len(inside) else None
    return None
