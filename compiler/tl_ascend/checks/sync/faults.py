"""What nothing orders, put together by the flag that is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.sync.events import SCALAR, Kind
from tl_ascend.checks.sync.execute import Executions, Run, flagged, loose_pairs
from tl_ascend.checks.sync.fresh import fresh_tensors
from tl_ascend.checks.sync.halves import authors
from tl_ascend.checks.sync.outcome import Pair
from tl_ascend.checks.sync.places import Place
from tl_ascend.checks.sync.sized import Sizes
from tl_ascend.checks.sync.undefined import reader_last
from tl_ascend.ir.nodes import AUTO_CV_SYNC, AUTO_SYNC, For, Kernel, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.source.span import Span


@dataclass(slots=True)
class Fault:
    """A pair that nothing orders, with others that the same flag would order. `bare`: nothing at
    all is synchronised on its core; `barrier`: one barrier orders all of them."""

    pair: Pair
    place: Place
    more: list[Pair] = field(default_factory=list)
    bare: bool = False
    barrier: bool = False

    @property
    def across(self) -> bool:
        return self.pair.cores[0] != self.pair.cores[1]

    @property
    def own(self) -> bool:
        """True for two copies of one pipe."""
        return not self.across and self.pair.pipes[0] == self.pair.pipes[1]

    def notes(self, sizes: Sizes) -> tuple[str, ...]:
        """Where it happens, and with which sizes."""
        spans = {self.pair.before.stmt.span, self.pair.after.stmt.span}

        def shows(run: Run) -> bool:
            return any(
                {pair.before.stmt.span, pair.after.stmt.span} == spans
                for pair in run.outcome.loose.values()
            )

        return (*self.place.notes, *sizes.notes(self.place, shows, spans))


def unordered_pairs(
    found: Executions, kernel: Kernel, context: CheckContext
) -> Iterator[tuple[Pair, Place, bool]]:
    """Loose pairs, where they are, and whether their core has no synchronisation at all."""
    before, outside = context.before, context.outside
    pipelined = set(_pipelined(before))
    automatic = kernel.options.on(AUTO_SYNC)
    fresh, ordered = fresh_tensors(before), flagged(kernel)
    busy = {run.core for runs in found.groups for run in runs if _synchronised(run)}
    for runs in found.groups:
        bare = not any(run.core in busy for run in runs)
        for pair in loose_pairs(runs):
            across = pair.cores[0] != pair.cores[1]
            if outside & {root(pair.first.buffer).uid, root(pair.second.buffer).uid}:
                continue  # an index is wrong, so that flags of other parts do not order this one
            if kernel.options.on(AUTO_CV_SYNC) if across else automatic:
                continue
            if bare and not across and pair.pipes[0] == pair.pipes[1]:
                continue  # nothing else is there that an order could matter to
            if not (kernel.options.compiled or (ordered if across else not bare)):
                continue  # whoever compiles it may leave all this to the compiler
            if across and 0 not in pair.cores and _written_alike(pair, runs):
                continue
            if not {pair.before.stmt.span, pair.after.stmt.span} <= pipelined:
                yield reader_last(pair, runs, fresh), runs[0].place, bare and not across


def _written_alike(pair: Pair, runs: list[Run]) -> bool:
    """True where both vector cores write what they share, so that it may hold the same in any order."""
    if pair.first.write and pair.second.write:
        return pair.before.stmt is pair.after.stmt
    read, at = (pair.second, 1) if pair.first.write else (pair.first, 0)
    shared = [
        (max(a, c), min(b, d))
        for (a, b), (c, d) in zip(pair.first.box, pair.second.box, strict=True)
    ]
    return any(
        access.write
        and access.uid == read.uid
        and all(a < d and c < b for (a, b), (c, d) in zip(access.box, shared, strict=True))
        for run in runs
        if len(run.programs) > pair.cores[at]
        for event in run.programs[pair.cores[at]].events
        for access in event.accesses
    )


def _pipelined(kernel: Kernel) -> Iterator[Span]:
    """Statements of software pipelines, as written: in which order they run is the compiler's choice."""
    for loop in walk_stmts(kernel.body):
        if isinstance(loop, For) and loop.kind == "pipelined":
            yield from (stmt.span for stmt in walk_stmts(loop.body))


def _synchronised(run: Run) -> bool:
    """True where the author synchronises pipes at all."""
    return any(
        (event.kind is Kind.BARRIER and event.flag is None and event.pipe == SCALAR)
        or (event.kind in (Kind.SET, Kind.WAIT) and authors(event))
        for program in run.programs
        for event in program.events
    )


def merged(pairs: Iterable[tuple[Pair, Place, bool]]) -> list[Fault]:
    """One fault for each flag that is missing, one for a core without any, one for the order of the
    cores: where that is lost, all that they exchange is."""
    faults: list[Fault] = []
    by_key: dict[object, Fault] = {}
    for pair, place, bare in pairs:
        keys: list[object] = [(pair.after.stmt.span, pair.pipes), (pair.first.uid, pair.pipes)]
        keys += ["bare"] if bare else []
        keys += [("half", pair.half.place)] if pair.half is not None else []
        keys += [("early", pair.pipes)] if pair.early else []
        keys += ["across"] if pair.cores[0] != pair.cores[1] else []
        known = next((by_key[key] for key in keys if key in by_key), None)
        if known is not None:
            known.more.append(pair)
            continue
        fault = Fault(pair, place, bare=bare)
        faults.append(fault)
        by_key.update(dict.fromkeys(keys, fault))
    return faults
