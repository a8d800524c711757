"""Which of several flags that a pipe waits for at one place vouches for more."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tl_ascend.passes.sync_model import State
from tl_ascend.passes.sync_tree import FLAG, Sync


def widest_first(syncs: Sequence[Sync], state: State) -> list[Sync]:
    """The same, but where one flag vouches for all that another one does, it is waited for first, so
    that the other one is found to order nothing. Only where their order is free otherwise: where no
    pipe waits that then sets a flag."""
    targets = [sync.target for sync in syncs if sync.kind is FLAG]
    if len({*targets}) == len(targets):
        return list(syncs)
    found: list[Sync] = []
    for flags, group in groupby(syncs, lambda sync: sync.kind is FLAG):
        run = list(group)
        waiting = {sync.target for sync in run}
        free = flags and not any(sync.source in waiting for sync in run if not sync.early)
        found += _sorted(run, state) if free else run
    return found


def _sorted(waits: list[Sync], state: State) -> list[Sync]:
    gains = {sync: _gain(sync, state) for sync in waits} if _meet(waits) else {}
    found: list[Sync] = []
    for sync in waits if gains else ():
        narrow = (at for at, other in enumerate(found) if _within(other, sync, gains))
        found.insert(next(narrow, len(found)), sync)
    return found or waits


def _meet(waits: Sequence[Sync]) -> bool:
    """True where two are of one pipe."""
    return len({sync.target for sync in waits}) < len(waits)


def _gain(sync: Sync, state: State) -> int:
    """What the pipe that waits is behind afterwards, and was not before."""
    unsure = state.open.get(sync.token(0), -1) if sync.early else state.unsure(sync.source)
    return state.pending[sync.target] & ~unsure


def _within(one: Sync, other: Sync, gains: dict[Sync, int]) -> bool:
    """True where one flag vouches for less than another."""
    if one.target is not other.target or gains[one] == gains[other]:
        return False
    return not gains[one] & ~gains[other]
