"""Flags that an inner loop hands from one iteration to later ones are set once before the loop around
it, not before each run: there the first iteration would be held up by what the pipe that sets them does
or waits for in between, which it need not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from tl_ascend.passes.sync_around import alone
from tl_ascend.passes.sync_ids import loops_around, returns_to
from tl_ascend.passes.sync_place import set_at_end
from tl_ascend.passes.sync_tree import Kind, Node, Sync, walk_nodes
from tl_ascend.passes.sync_trials import MOST_ALIKE, put_one_before, settled, stands
from tl_ascend.passes.sync_walk import Walker


@dataclass(frozen=True, slots=True, eq=False)
class _Change:
    """A flag of a loop that the one around it may hand on."""

    sync: Sync
    loop: Node
    outer: Node

    def make(self) -> None:
        sync = self.sync
        if sync.early:
            self.loop.carried.remove(sync)
        else:
            sync.early, sync.ahead = True, 1
            self.loop.blocks[0][-1].after.append(sync)
        self.outer.carried.append(sync)
        sync.home = self.outer


def set_once(nodes: Sequence[Node], walker: Walker) -> None:
    """Have outer loops hand on what inner ones do, where nothing is missing then."""
    loops = loops_around(nodes)
    while True:
        changes = list(_changes(loops, walker))
        if not changes or not _try(changes, nodes, walker):
            return


def _try(changes: Sequence[_Change], nodes: Sequence[Node], walker: Walker) -> bool:
    """True where all of some changes stand, so that loops further out may follow."""
    late = {change for change in changes if not change.sync.early}
    if len(changes) > 1 and stands(nodes, walker, partial(_make, changes)):
        made = list(changes)
    else:
        made = [change for change in changes if _alone(change, nodes, walker)]
    for change in made:
        if change in late:
            put_one_before(nodes, change.loop, change.sync.source, walker)
    return len(made) == len(changes)


def _alone(change: _Change, nodes: Sequence[Node], walker: Walker) -> bool:
    further = partial(settled, nodes, walker, change.sync, change.outer)
    pair = change.sync.source, change.sync.target
    return stands(nodes, walker, change.make, further, pair)


def _make(changes: Sequence[_Change]) -> None:
    for change in changes:
        change.make()


def _changes(loops: dict[Node, Node | None], walker: Walker) -> Iterator[_Change]:
    for loop, outer in loops.items():
        if outer is None or outer.cut:
            continue
        late = () if loop.cut else set_at_end(loop, walker)
        for sync in (*loop.carried, *late):
            if _room(sync, outer) and _held_up(sync, loop, outer, walker):
                if (not sync.early or returns_to(sync, outer)) and alone(sync, loop, outer, walker):
                    yield _Change(sync, loop, outer)


def _held_up(sync: Sync, loop: Node, outer: Node, walker: Walker) -> bool:
    """True where the pipe that sets a flag does or waits for something between two runs of a loop."""
    own = walker.overlaps.of_pipe[sync.source] & ~walker.overlaps.all_waits
    for node in outer.blocks[0]:
        parts = [node] if node is loop else walk_nodes([node])
        if node is not loop and node.inside & own:
            return True
        if any(other.target is sync.source for part in parts for other in part.before):
            return True
    return False


def _room(sync: Sync, outer: Node) -> bool:
    """True where there are ids for all flags between the two pipes in a loop at once."""
    pair = sync.source, sync.target
    found = {other for node in walk_nodes([outer]) for other in node.before}
    alike = [o for o in found if o.kind is Kind.FLAG and (o.source, o.target) == pair]
    return sum(other.ids for other in alike) <= MOST_ALIKE
