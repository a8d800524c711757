"""What the author's own synchronisation orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tl_ascend.ir.expr import loads
from tl_ascend.ir.nodes import TileOp
from tl_ascend.ir.periodic import apart
from tl_ascend.passes.sync_model import State, Told
from tl_ascend.passes.sync_tree import FLAGS, Node, flag_of, walk_nodes
from tl_ascend.target.hardware import Pipe

CALLS = ("barrier_all", "pipe_barrier", *FLAGS)


def authors_call(op: TileOp, state: State) -> None:
    """Barriers and flags count as they stand. A wait orders something only where its set is certain."""
    if op.op == "barrier_all":
        state.barrier(Pipe.ALL)
    elif op.op == "pipe_barrier":
        for pipe in Pipe:
            if pipe.value == str(op.args[0]).upper():
                state.barrier(pipe)
    elif op.op == "set_flag":
        _set(flag_of(op), state)
    elif op.op == "wait_flag":
        _wait(flag_of(op), state)


def flags_in(nodes: Sequence[Node]) -> Iterator[Told]:
    """The author's flags in a piece of code."""
    for node in walk_nodes(nodes):
        if isinstance(node.stmt, TileOp) and node.stmt.op in FLAGS:
            yield flag_of(node.stmt)


def _set(flag: Told, state: State) -> None:
    """The wait for it may be for a set before it that may have the same id."""
    source, target, event = flag
    if Pipe.ALL in (source, target) or loads(event):
        return
    unsure = state.unsure(source)
    for other in _alike(flag, state):
        unsure |= state.told[other]
    state.told[flag] = unsure


def _wait(flag: Told, state: State) -> None:
    """What may have the same id may have been waited for, too."""
    source, target, event = flag
    if Pipe.ALL in (source, target):
        return
    state.pending[target] &= -1 if loads(event) else state.told.get(flag, -1)
    for other in _alike(flag, state):
        del state.told[other]


def _alike(flag: Told, state: State) -> list[Told]:
    """Flags that are set and may be the same one."""
    source, target, event = flag
    return [
        other
        for other in state.told
        if other[:2] == (source, target) and not apart(event, 1, other[2], 1)
    ]
