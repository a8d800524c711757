"""Statements that run for certain, with the values that loops and the index of the block take there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from tl_ascend.ir.affine import affine
from tl_ascend.ir.expr import Expr, Scalar
from tl_ascend.ir.nodes import Block, Break, CoreScope, For, Kernel, Stmt, While, walk_stmts

Ranges: TypeAlias = "Mapping[Expr, tuple[int, int]]"
_KINDS = frozenset({"serial", "parallel", "unroll", "vectorized", "pipelined"})


def launched(kernel: Kernel) -> Ranges:
    """The first vector core of a block is always there, so it alone is looked at."""
    launch = kernel.launch
    if launch is None:
        return {}
    first: dict[Expr, tuple[int, int]] = {launch.subblock: (0, 0)}
    if isinstance(launch.blocks, int) and launch.blocks > 0:
        first[launch.block] = (0, launch.blocks - 1)
    return first


def certain(
    block: Block, ranges: Ranges, parallel: bool = False
) -> Iterator[tuple[Stmt, Ranges, bool]]:
    """The statements that run, whatever the values on the device, and whether in T.Parallel."""
    for stmt in block:
        if isinstance(stmt, While):
            continue
        yield stmt, ranges, parallel
        if isinstance(stmt, CoreScope):
            yield from certain(stmt.body, ranges, parallel)
        elif isinstance(stmt, For) and runs_through(stmt):
            assert isinstance(stmt.start, int) and isinstance(stmt.extent, int)
            values = (stmt.start, stmt.start + stmt.extent - 1)
            inner = parallel or stmt.kind == "parallel"
            yield from certain(stmt.body, {**ranges, stmt.var: values}, inner)


def runs_through(loop: For) -> bool:
    known = isinstance(loop.start, int) and isinstance(loop.extent, int) and loop.extent > 0
    return (
        known
        and loop.kind in _KINDS
        and not any(isinstance(stmt, Break) for stmt in walk_stmts(loop.body))
    )


def reached(value: Scalar, ranges: Ranges) -> tuple[int, int] | None:
    """The least and the greatest value that an index takes."""
    form = affine(value)
    if form is None or any(atom not in ranges for atom in form.terms):
        return None
    low = high = form.constant
    for atom, factor in form.terms.items():
        ends = [factor * end for end in ranges[atom]]
        low, high = low + min(ends), high + max(ends)
    return low, high
