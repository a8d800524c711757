"""Which of two accesses of both cores has to wait: where a tensor holds nothing before the kernel writes
it, who reads it has to wait for the first write."""

from __future__ import annotations

from collections.abc import Iterable

from tl_ascend.checks.sync.events import Program
from tl_ascend.checks.sync.execute import Run, program_of
from tl_ascend.checks.sync.fresh import writes_of
from tl_ascend.checks.sync.outcome import Pair


def reader_last(pair: Pair, runs: Iterable[Run], fresh: frozenset[int]) -> Pair:
    """The pair with the reader as the one that has to wait, where nothing is written before."""
    across = pair.cores[0] != pair.cores[1]
    if not across or pair.first.write or not pair.second.write or pair.second.uid not in fresh:
        return pair
    program = program_of(pair.after, runs)
    if program is None or _written_before(pair, program):
        return pair
    return pair.turned


def _written_before(pair: Pair, program: Program) -> bool:
    """True where the core has written what is read before the write that follows."""
    return next(writes_of(program, pair.first), pair.after) is not pair.after
