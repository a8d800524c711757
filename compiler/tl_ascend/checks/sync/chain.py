"""Orders that lead over a third pipe: a set without its wait is why accesses of others have none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tl_ascend.checks.sync.apart import pair_key
from tl_ascend.checks.sync.events import PIPES
from tl_ascend.checks.sync.execute import execute, loose_pairs
from tl_ascend.checks.sync.faults import Fault
from tl_ascend.checks.sync.halves import Lost
from tl_ascend.checks.sync.proof import Added, with_calls
from tl_ascend.ir.nodes import Kernel


def broken(half: Lost, faults: Iterable[Fault], kernel: Kernel) -> list[Fault]:
    """The faults within a core that are none where somebody waits for this set: tried with the wait
    right behind it."""
    mine = [one for one in faults if not one.across and one.pair.pipes[0] == half.pipes[0]]
    if not mine or half.written is not None:
        return []
    source, target = (PIPES[number].value.lower() for number in half.pipes)
    added = Added(half.span, True, "wait_flag", (source, target, half.number))
    changed = with_calls(kernel, (added,))
    if changed is None:
        return []
    found = execute(changed)
    left = {pair_key(pair) for runs in found.groups for pair in loose_pairs(runs)}
    every = [runs for runs in found.groups if runs]
    ended = [runs[0].place for runs in every if not any(run.outcome.stuck for run in runs)]
    return [
        one
        for one in mine
        if one.place in ended and not left & {pair_key(pair) for pair in (one.pair, *one.more)}
    ]


def over(half: Lost, fault: Fault) -> Lost:
    """A set that nobody waits for, with what this leaves without an order."""
    pair = fault.pair
    does = "writes" if pair.second.write else "reads"
    pipe, name = PIPES[pair.pipes[1]].value, pair.second.buffer.name
    one_way = half.place is not None and half.place.given is not None
    where = "on that way" if one_way else "behind it"
    return replace(
        half,
        notes=(f"Add {half.wait(True)} {where}: {pipe} is kept back through it.", *half.notes),
        related=(*half.related, (pair.after.stmt.span, f"{pipe} {does} {name} without waiting")),
    )
