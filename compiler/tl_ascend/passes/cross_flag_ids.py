"""Numbers for the flags between the cores.

Each signal gets one of its own while there are enough. Then signals of one direction share a number
where the sets come in the very order of the waits: the n-th wait then still belongs to the n-th set.
Their sets are of one pipe, which does them in order. If that is not enough, both directions use the
same numbers: each core counts what it is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from tl_ascend.passes.exchange import SIDES, Address
from tl_ascend.passes.signals import END, START, Call, Signal

MOST = 15  # what a counter holds

_Words: TypeAlias = "dict[Address, tuple[object, ...]]"


def numbered(signals: Sequence[Signal], free: Sequence[int]) -> list[int] | None:
    """A number for each signal; None where they do not suffice."""
    if len(signals) <= len(free):
        return list(free[: len(signals)])
    groups = _groups(signals)
    if len(groups) <= len(free):
        return _of(signals, groups, list(free))
    sides = [[g for g in groups if g[0].giver is side] for side in SIDES]
    if max(map(len, sides)) > len(free):
        return None
    given = {
        id(s): n for side in sides for group, n in zip(side, free, strict=False) for s in group
    }
    return [given[id(signal)] for signal in signals]


def _of(signals: Sequence[Signal], groups: list[list[Signal]], free: list[int]) -> list[int]:
    given = {id(s): n for group, n in zip(groups, free, strict=False) for s in group}
    return [given[id(signal)] for signal in signals]


def _groups(signals: Sequence[Signal]) -> list[list[Signal]]:
    """Signals that may have one number, each in the first group that takes it."""
    groups: list[list[Signal]] = []
    for signal in signals:
        for group in groups:
            if _together([*group, signal]):
                group.append(signal)
                break
        else:
            groups.append([signal])
    return groups


def _together(group: Sequence[Signal]) -> bool:
    if len({signal.giver for signal in group}) > 1 or len(group) > MOST:
        return False
    if len({call.pipe for signal in group for call in signal.sets}) > 1:
        return False
    if not all(signal.in_text for signal in group) or any(s.ahead > 1 for s in group):
        return False
    sets = _words([signal.sets for signal in group], START)
    waits = _words([signal.waits for signal in group], END)
    if sets != waits:
        return False
    if not any(signal.lent for signal in group):
        return True
    # Sent ahead once in the order of the group: the order of every round must be that one.
    whole = tuple(range(len(group)))
    return all(word == whole or not any(isinstance(w, int) for w in word) for word in sets.values())


def _words(members: Sequence[Sequence[Call]], apart: str) -> _Words:
    """By block of the text, the calls of the members in order, and the blocks in it that have some.
    Those at the start or the end of a core are left out."""
    calls = [
        (call.spot.point, call.spot.where, call.rank, number)
        for number, member in enumerate(members)
        for call in member
        if call.spot.where != apart
    ]
    entries: dict[Address, dict[tuple[object, ...], object]] = {}
    for point, where, rank, number in calls:
        key = (point[-1], 0 if where == "before" else 2, rank, number)
        entries.setdefault(point[:-1], {})[key] = number
        for cut in range(len(point) - 1, 0, -2):
            outer, index, branch = point[: cut - 2], point[cut - 2], point[cut - 1]
            entries.setdefault(outer, {})[(index, 1, branch, -1)] = (index, branch)
    return {block: tuple(found[key] for key in sorted(found)) for block, found in entries.items()}
