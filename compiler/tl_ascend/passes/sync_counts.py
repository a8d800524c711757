"""Loops in loops whose slots are counted on: in `(i * 5 + k) % 2` the last iteration of the inner loop
is followed by the first one of its next run, and ids of flags that are counted alike go on, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tl_ascend.ir.affine import Affine, affine, interval
from tl_ascend.ir.expr import Binary, Scalar, Var, free_vars, loads, walk
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import For
from tl_ascend.ir.periodic import multiplied, slope
from tl_ascend.passes.sync_access import Overlaps, numbers
from tl_ascend.passes.sync_tree import Count, Node


def counts_of(
    nodes: Sequence[Node], overlaps: Overlaps, around: tuple[Node, ...] = ()
) -> Iterator[tuple[Var, Count]]:
    """By variable, what the iterations of loops count. `around`: the loops around, from inside out,
    each right in the next one."""
    for node in nodes:
        loop = node.stmt
        own = (node, *around) if isinstance(loop, For) and not node.cut else ()
        for block in node.blocks:
            yield from counts_of(block, overlaps, own)
        found = _count(own, overlaps) if len(own) > 1 else None
        if found is not None and isinstance(loop, For):
            yield loop.var, found


def _count(nodes: Sequence[Node], overlaps: Overlaps) -> Count | None:
    loops = [node.stmt for node in nodes if isinstance(node.stmt, For)]
    for form in _forms(nodes[0], loops[0].var, overlaps):
        run = list(_run(form, loops))
        if len(run) > 1:
            expr: Scalar = 0
            for term, k in form.terms.items():
                expr = binary("+", expr, binary("*", term, k))
            return Count(expr, tuple(run))
    return None


def _forms(node: Node, var: Var, overlaps: Overlaps) -> Iterator[Affine]:
    """What the places of a loop are remainders of, where that grows by one with a variable."""
    for at in numbers(node.inside):
        access = overlaps.access(at)
        for start in access.starts if access is not None else ():
            for part in walk(start) if start is not None and var in free_vars(start) else ():
                inner = part.a if isinstance(part, Binary) and part.op == "%" else 0
                form = affine(inner)
                if form is not None and form.terms.get(var) == 1:
                    yield form


def _run(form: Affine, loops: Sequence[For]) -> Iterator[For]:
    """The loops through which it is counted on, each iteration of one by as much as the one in it
    counts in all."""
    step: Scalar = 1
    names = {loop.var for loop in loops}
    for loop in loops:
        if loads(loop.start) or names & {*free_vars(loop.start)}:
            return
        if not _grows(form, loop.var, step):
            return
        yield loop
        low = interval(loop.extent)[0]
        if low is None or low < 0 or loads(loop.extent) or names & {*free_vars(loop.extent)}:
            return
        step = binary("*", step, loop.extent)


def _grows(form: Affine, var: Var, step: Scalar) -> bool:
    """True where a form grows by so much with each step of a variable."""
    grown = affine(binary("-", 0, step))
    for term, k in form.terms.items():
        part = affine(slope(term, var)) if var in free_vars(term) else Affine(0, {})
        if part is None or grown is None:
            return False
        grown = grown.plus(part, k)
    return grown is not None and multiplied(grown) == Affine(0, {})
