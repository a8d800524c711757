"""In which terms the iterations of a loop, and the code behind it, speak of what was done before."""

from __future__ import annotations

from dataclasses import dataclass

from tl_ascend.ir.expr import Scalar, Var, free_vars, loads
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import For, Let
from tl_ascend.passes.sync_access import Overlaps, numbers
from tl_ascend.passes.sync_author import flags_in
from tl_ascend.passes.sync_model import Behind, Into, Later, Rename, Skipped, waves_in
from tl_ascend.passes.sync_tree import Node, walk_nodes


@dataclass(frozen=True, slots=True)
class Terms:
    """Those of the first iteration (None: as before the loop), of the next one, and of the code
    behind the loop, if it was run and if not. `cycle`: the longest one that its places go in."""

    into: Rename | None
    later: Rename
    behind: Rename
    skipped: Rename
    cycle: int = 1


def terms_of(node: Node, overlaps: Overlaps) -> Terms:
    """The terms of a loop."""
    bound: set[Var] = set()
    for inner in walk_nodes(node.blocks[0]):
        if isinstance(inner.stmt, (For, Let)):
            bound.add(inner.stmt.var)
    names, loop = frozenset(bound), node.stmt
    if not isinstance(loop, For):
        later, behind = Later(overlaps, names), Behind(overlaps, names, None, None)
        return Terms(None, later, behind, behind)
    inside = [access for at in numbers(node.inside) if (access := overlaps.access(at)) is not None]
    waves = waves_in(inside, flags_in(node.blocks[0]), loop.var)
    known = not loads(loop.start) and loop.var not in free_vars(loop.start)
    first = loop.start if known else None
    return Terms(
        Into(overlaps, loop.var, loop.start, waves) if waves and known else None,
        Later(overlaps, names, loop.var),
        Behind(overlaps, names, loop.var, _last(node, names)),
        Skipped(overlaps, names, loop.var, first),
        max((wave.period for wave in waves.values()), default=1),
    )


def _last(node: Node, bound: frozenset[Var]) -> Scalar | None:
    """The last value of a loop variable; None where it is not known behind the loop."""
    loop = node.stmt
    assert isinstance(loop, For)
    if node.leaves or loads(loop.extent) or loads(loop.start) or bound & {*free_vars(loop.extent)}:
        return None
    return binary("+", loop.start, binary("-", loop.extent, 1))
