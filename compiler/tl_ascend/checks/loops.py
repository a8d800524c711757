"""Rules of T.Persistent, whose order of tiles upstream's compiler gets right only for some sizes."""

from __future__ import annotations

from typing import Any

from tl_ascend.checks.context import CheckContext
from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import For, walk_stmts


def persistent_loops(context: CheckContext) -> None:
    """Groups divide the columns, and one wave alone is full."""
    if context.upstream == "none":
        return
    for stmt in walk_stmts(context.before.body):
        if isinstance(stmt, For) and stmt.kind == "persistent":
            _groups(stmt, context)
            _single_wave(stmt, context)


def _groups(loop: For, context: CheckContext) -> None:
    columns, asked = loop.annotation("domain")[-1], loop.annotation("group_size")
    if not _known(columns, asked) or columns % min(columns, asked) == 0:
        return
    context.report.add(
        "kernel-form",
        loop.span,
        f"groups of {min(columns, asked)} do not divide the {columns} columns of the domain: "
        "upstream's compiler leaves tiles out and takes others beyond the domain",
        notes=("Give a group_size that divides the last extent of the domain.",),
    )


def _single_wave(loop: For, context: CheckContext) -> None:
    """Upstream leaves the loop at the end of the domain from two waves on, not in the only one."""
    total, wave = 1, loop.annotation("wave_size")
    for extent in loop.annotation("domain"):
        if not _known(extent):
            return
        total *= extent
    top = interval(loop.annotation("index"))[1]
    if _known(wave) and total < wave and top is not None and top >= total:
        context.report.add(
            "kernel-form",
            loop.span,
            f"the domain has {total} tiles and a wave {wave}: upstream's compiler does not stop the "
            f"blocks from {total} on, which take tiles beyond the domain",
            notes=("Launch no more blocks than there are tiles.",),
        )


def _known(*values: Any) -> bool:
    return all(isinstance(v, int) and not isinstance(v, Expr) and v > 0 for v in values)
