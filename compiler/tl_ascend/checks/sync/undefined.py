"""Which of two accesses of both cores has to wait: where a tensor holds nothing before the kernel writes
it, who reads it has to wait for the first write."""

from __future__ import annotations

from collections.abc import Iterable

from tl_ascend.checks.sync.events import Event, Program
from tl_ascend.checks.sync.execute import Run, program_of
from tl_ascend.checks.sync.outcome import Pair
from tl_ascend.ir.nodes import Buffer, Kernel


def fresh_tensors(kernel: Kernel) -> frozenset[int]:
    """The workspaces and outputs that jit allocates, by uid."""
    options, count = kernel.options, len(kernel.params)
    chosen = {at % count for at in (*options.workspace_idx, *options.out_idx) if count}
    return frozenset(
        param.value.uid
        for at, param in enumerate(kernel.params)
        if at in chosen and isinstance(param.value, Buffer)
    )


def reader_last(pair: Pair, runs: Iterable[Run], fresh: frozenset[int]) -> Pair:
    """The pair with the reader as the one that has to wait, where nothing is written before."""
    across = pair.cores[0] != pair.cores[1]
    if not across or pair.first.write or not pair.second.write or pair.second.uid not in fresh:
        return pair
    program = program_of(pair.after, runs)
    if program is None or _written_before(pair.second.uid, pair.after, program):
        return pair
    return pair.turned


def _written_before(uid: int, event: Event, program: Program) -> bool:
    for other in program.events:
        if other is event:
            return False
        if any(access.write and access.uid == uid for access in other.accesses):
            return True
    return False
