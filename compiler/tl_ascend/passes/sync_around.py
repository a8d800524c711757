"""Flags that a loop hands from one iteration to later ones, where another loop runs it again and again.

They are set once before the outer loop, if nothing else in it does what they speak of. Else they are
set before the inner loop each time, once the pipe that sets them knows that they were waited for.
"""

from __future__ import annotations

from tl_ascend.ir.nodes import For
from tl_ascend.passes.sync_place import Spot, at_breaks, conflicts
from tl_ascend.passes.sync_tree import Node, Sync, walk_nodes
from tl_ascend.passes.sync_walk import Walker
from tl_ascend.target.hardware import FLAG_PAIRS


def alone(sync: Sync, home: Node, outer: Node, walker: Walker) -> bool:
    """True where only the loop `home` does what its flag speaks of, not other code of the outer one."""
    rest = 0
    for node in outer.blocks[0]:
        rest |= node.inside if node is not home else 0
    keys = walker.terms(outer).ever(rest & walker.overlaps.of_pipe[sync.source])
    waiting = (node for node in walk_nodes([home]) if sync in node.before)
    return not any(conflicts(sync, node, keys, walker) for node in waiting)


def can_answer(sync: Sync, home: Node, outer: Node) -> bool:
    """True where a flag back can be set behind the loop `home` and waited for before it the next
    time: it must stand right in the outer one."""
    right_in = any(node is home for node in outer.blocks[0])
    return right_in and not outer.apart and (sync.target, sync.source) in FLAG_PAIRS


def answer_behind(sync: Sync, home: Node, outer: Node, walker: Walker) -> Sync:
    """Add that flag."""
    answer, nodes = walker.answer(sync), outer.blocks[0]
    answer.early, answer.ahead, answer.home, answer.cut = True, 1, outer, outer.cut
    answer.loop = outer.stmt if isinstance(outer.stmt, For) else None
    home.before.append(answer)
    home.after.append(answer)
    outer.carried.append(answer)
    at_breaks(answer, Spot(nodes.index(home), 1), nodes, nodes.index(home))
    return answer
