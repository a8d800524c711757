"""Make one flag of two where ids are short: it is set behind the later one of their producers and
waited for before the earlier one of their consumers, so that it orders all that they did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from tl_ascend.passes.sync_access import Overlaps
from tl_ascend.passes.sync_place import Spot, at_breaks
from tl_ascend.passes.sync_tree import Kind, Node, Sync, Turn, walk_nodes


@dataclass(frozen=True, slots=True)
class Placed:
    """A flag that is set early, and where in its block it is set and waited for."""

    sync: Sync
    nodes: Sequence[Node]
    set: int
    wait: int


def can_merge(nodes: Sequence[Node], crowd: set[int]) -> bool:
    """True where two of some flags, given by number, could be one."""
    return any(_pairs(nodes, crowd))


def merge_two(nodes: Sequence[Node], crowd: set[int], overlaps: Overlaps) -> Sync | None:
    """Merge those two of some flags between which least work stands. The one that is gone; None
    where no two can be merged."""
    found = min(_pairs(nodes, crowd), key=lambda pair: _between(overlaps, *pair), default=None)
    if found is None:
        return None
    one, other = found
    _wait_last(one.sync, other.sync, nodes)
    _merge(one, other)
    for node in walk_nodes(nodes):
        node.left[:] = [entry for entry in node.left if entry[1] not in (one.sync, other.sync)]
    spot = Spot(max(one.set, other.set), one.sync.ahead)
    at_breaks(one.sync, spot, one.nodes, min(one.wait, other.wait))
    return other.sync


def _pairs(nodes: Sequence[Node], crowd: set[int]) -> Iterator[tuple[Placed, Placed]]:
    placed = [one for one in _placed(nodes) if one.sync.number in crowd]
    return (pair for pair in combinations(placed, 2) if _alike(*pair))


def _placed(nodes: Sequence[Node]) -> Iterator[Placed]:
    sets = {sync: at for at, node in enumerate(nodes) for sync in node.after}
    for at, node in enumerate(nodes):
        for sync in node.before:
            if sync.early and sync.kind is Kind.FLAG and sync in sets:
                yield Placed(sync, nodes, sets[sync], at)
        for block in node.blocks:
            yield from _placed(block)


def _alike(one: Placed, other: Placed) -> bool:
    """True where one flag could be both: neither then is set after it is waited for."""
    a, b = one.sync, other.sync
    return (
        one.nodes is other.nodes
        and (a.source, a.target, a.loop, a.home) == (b.source, b.target, b.loop, b.home)
        and (a.cut, a.branch, bool(a.ahead)) == (b.cut, b.branch, bool(b.ahead))
        and (a.ahead > 0 or max(one.set, other.set) < min(one.wait, other.wait))
    )


def _between(overlaps: Overlaps, one: Placed, other: Placed) -> int:
    """How much work the earlier set and the later wait are moved past."""
    first, last = sorted((one.set, other.set))
    source, target = overlaps.of_pipe[one.sync.source], overlaps.of_pipe[one.sync.target]
    delayed = sum(bool(node.inside & source) for node in one.nodes[first + 1 : last + 1])
    first, last = sorted((one.wait, other.wait))
    return delayed + sum(bool(node.inside & target) for node in one.nodes[first:last])


def _merge(one: Placed, other: Placed) -> None:
    a, b = one.sync, other.sync
    sets, waits = max(one.set, other.set), min(one.wait, other.wait)
    for placed in (one, other):
        placed.nodes[placed.set].after.remove(placed.sync)
        placed.nodes[placed.wait].before.remove(placed.sync)
    one.nodes[sets].after.append(a)
    one.nodes[waits].before.append(a)
    if b.home is not None:
        b.home.carried.remove(b)
    a.ahead = min(a.ahead, b.ahead)
    a.with_ids(a.ahead + (sets < waits) if a.ahead else max(a.ids, b.ids))
    a.reason = "; ".join(dict.fromkeys([*a.reason.split("; "), *b.reason.split("; ")]))


def _wait_last(a: Sync, b: Sync, nodes: Sequence[Node]) -> None:
    """Have one flag wait behind its loop where the first of two did."""
    places = [node for node in walk_nodes(nodes) if node.last]
    kept = a.kept & b.kept if a.own and b.own else set()
    a.kept.clear()
    b.kept.clear()
    for node in places:
        turns = {last.turn for last in node.last if last.sync in (a, b)} & (kept - a.kept)
        node.last[:] = [last for last in node.last if last.sync not in (a, b)]
        node.last += [Turn(a, turn) for turn in sorted(turns)]
        a.kept |= turns
