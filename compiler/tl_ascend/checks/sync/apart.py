"""Unordered accesses of both cores in groups, each of which one missing flag between them explains.

Tried is a flag from behind the last first access of one direction to before the earliest second one: the
kernel is executed with it, and what is ordered then belongs together. Where no verdict comes of it, or
one flag explains all, there is one group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tl_ascend.checks.sync.events import PIPES
from tl_ascend.checks.sync.execute import Executions, execute, loose_pairs
from tl_ascend.checks.sync.outcome import Pair
from tl_ascend.checks.sync.proof import Added, with_calls
from tl_ascend.checks.sync.words import path_of
from tl_ascend.ir.nodes import For, If, Kernel, Stmt, TileOp, walk_stmts
from tl_ascend.source.span import Span

# Flags that are tried: each is one more execution.
MOST_TRIED = 3
_Key = tuple[frozenset[Span], int]


@dataclass(slots=True)
class _Group:
    """Pairs that a flag orders; `left`: those that are loose with it."""

    pairs: list[Pair]
    left: set[_Key]


def apart(pairs: Sequence[Pair], kernel: Kernel, number: int | None) -> list[list[Pair]]:
    """`number`: a flag between the cores that is not in use."""
    if number is None:
        return [list(pairs)]
    groups: list[_Group] = []
    rest = list(pairs)
    while rest and len({pair_key(pair) for pair in pairs}) > 1 and len(groups) < MOST_TRIED:
        left = _left(rest, kernel, number)
        mended = [pair for pair in rest if left is not None and pair_key(pair) not in left]
        if left is None or not mended:
            break
        groups.append(_Group(mended, left))
        rest = [pair for pair in rest if pair_key(pair) in left]
    kept = _needed(groups)
    if not kept:
        return [list(pairs)]
    kept[0] += rest  # no verdict
    return kept


def _needed(groups: Sequence[_Group]) -> list[list[Pair]]:
    """Groups that no flag of another one explains."""
    kept: list[_Group] = []
    for group in groups:
        mine = [g for g in kept if all(pair_key(pair) not in group.left for pair in g.pairs)]
        explained = [pair for g in mine for pair in g.pairs]
        kept = [g for g in kept if g not in mine]
        kept.append(_Group([*group.pairs, *explained], group.left))
    return [group.pairs for group in kept]


def pair_key(pair: Pair) -> _Key:
    return frozenset((pair.before.stmt.span, pair.after.stmt.span)), pair.first.uid


def _left(pairs: Sequence[Pair], kernel: Kernel, number: int) -> set[_Key] | None:
    """What is loose with a flag for the pairs of the direction of the first, or for the first alone."""
    from_cube = pairs[0].cores[0] == 0
    alike = [pair for pair in pairs if (pair.cores[0] == 0) is from_cube]
    order = {id(stmt): at for at, stmt in enumerate(walk_stmts(kernel.body))}
    for chosen in (alike, alike[:1]):
        first = max(chosen, key=lambda pair: order.get(id(pair.before.stmt), 0))
        second = min(chosen, key=lambda pair: order.get(id(pair.after.stmt), 0))
        added = _flag(first, second, kernel, number)
        left = loose_with(added, kernel) if added else None
        if left is not None and pair_key(pairs[0]) not in left:
            return left
    return None


def orders(added: tuple[Added, ...], kernel: Kernel, pair: Pair) -> bool:
    """True where these calls order a pair, and have nobody read what is not written yet."""
    found = _tried(added, kernel)
    if found is None or pair_key(pair) in _loose(found):
        return False
    return not any(run.outcome.unset for runs in found.groups for run in runs)


def loose_with(added: tuple[Added, ...], kernel: Kernel) -> set[_Key] | None:
    """None where the cores do not come to their ends with these calls."""
    found = _tried(added, kernel)
    return None if found is None else _loose(found)


def _tried(added: tuple[Added, ...], kernel: Kernel) -> Executions | None:
    changed = with_calls(kernel, added)
    found = execute(changed) if changed is not None else Executions()
    stopped = any(place.jams or place.cores for place in found.places)
    return found if found.places and not stopped else None


def _loose(found: Executions) -> set[_Key]:
    return {pair_key(pair) for runs in found.groups for pair in loose_pairs(runs)}


def one_barrier(pairs: Sequence[Pair], kernel: Kernel) -> Pair | None:
    """Of accesses within a core that nothing orders the one before which a single barrier orders all,
    where the author orders with barriers."""
    calls = [stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, TileOp)]
    if not any(call.op == "barrier_all" and not call.reason for call in calls):
        return None
    keys = {pair_key(pair) for pair in pairs}
    places = {pair.after.stmt.span: pair for pair in pairs}
    for span, pair in list(places.items())[:MOST_TRIED]:
        changed = with_calls(kernel, (Added(span, False, "barrier_all", ()),))
        found = execute(changed) if changed is not None else None
        left = [pair for runs in found.groups for pair in loose_pairs(runs)] if found else []
        if found is not None and not keys & set(map(pair_key, left)):
            return pair
    return None


def _flag(first: Pair, second: Pair, kernel: Kernel, number: int) -> tuple[Added, ...]:
    """Calls in loops that turn as often on both sides."""
    before = path_of(kernel.body, first.before.stmt)
    after = path_of(kernel.body, second.after.stmt)
    if not before or not after:
        return ()
    level = alike_until(before, after)
    pipe, mode = PIPES[first.pipes[0]].value, None if 0 in first.cores else 1
    return (
        Added(before[level].span, True, "set_cross_flag", (pipe, number, mode)),
        Added(after[level].span, False, "wait_cross_flag", (number,)),
    )


def alike_until(one: Sequence[Stmt], other: Sequence[Stmt]) -> int:
    """How many statements around two others turn as often, or are entered alike."""
    level = 0
    while level < min(len(one), len(other)) - 1 and _alike(one[level], other[level]):
        level += 1
    return level


def _alike(one: Stmt, other: Stmt) -> bool:
    if isinstance(one, For) and isinstance(other, For):
        return one.extent == other.extent
    return isinstance(one, If) and isinstance(other, If) and one.condition == other.condition
