"""Run the copies of `T.Pipelined` loops ahead of the work on them."""

from __future__ import annotations

from dataclasses import replace

from tl_ascend.ir.nodes import Block, For, Kernel, blocks_of, with_blocks
from tl_ascend.passes.context import PassContext


def software_pipeline(kernel: Kernel, context: PassContext) -> Kernel:
    """Not lowered yet: such a loop runs one iteration after the other: right, but slower."""
    return replace(kernel, body=_block(kernel.body, context))


def _block(block: Block, context: PassContext) -> Block:
    done = []
    for stmt in block:
        if isinstance(stmt, For) and stmt.kind == "pipelined":
            _report(stmt, context)
            stmt = replace(stmt, kind="serial")
        inner = tuple(_block(nested, context) for nested in blocks_of(stmt))
        done.append(with_blocks(stmt, inner) if inner else stmt)
    return tuple(done)


def _report(loop: For, context: PassContext) -> None:
    stages = loop.annotation("num_stages", 0)
    if isinstance(stages, int) and stages > 1:
        context.report.add(
            "not-lowered",
            loop.span,
            f"T.Pipelined with num_stages={stages} is lowered to a plain loop: tl-ascend does not "
            "overlap its iterations yet",
        )
