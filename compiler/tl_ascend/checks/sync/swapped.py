"""Which call of a flag has its pipes the wrong way round, where a flag is waited for too often and one
that leads back is set too often. The program is executed with each of them turned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from tl_ascend.checks.sync.events import Event, Kind, Program
from tl_ascend.checks.sync.slots import MOST_TRIED, can_be_tried, ends_well, uses_of
from tl_ascend.diagnostics.report import Applicability, Edit, Fix
from tl_ascend.ir.nodes import TileOp
from tl_ascend.source.span import Span


@dataclass(frozen=True, slots=True)
class Swapped:
    """A call with its pipes swapped. `event`: its first use; `others`: calls that it may be as well."""

    event: Event
    others: tuple[Event, ...] = ()

    @property
    def stmt(self) -> TileOp:
        assert isinstance(self.event.stmt, TileOp)
        return self.event.stmt

    @property
    def sets(self) -> bool:
        """True for a set, not a wait."""
        return self.event.kind is Kind.SET

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """The change, for its author to decide."""
        source, target = (f'"{word}"' for word in self.stmt.args[:2])
        edits = Edit(self.stmt.spans[0], target), Edit(self.stmt.spans[1], source)
        return (Fix("Turn the pipes round", edits, Applicability.UNSAFE),)


def swapped(
    programs: Sequence[Program], flag: Any, others: Sequence[Program] = ()
) -> Swapped | None:
    """None where none lets all executions end, with everything in order. `flag`: what is waited for
    too often; `others`: executions of other blocks, which count where one mends them all."""
    back = flag[1], flag[0]
    first = programs[0]
    if not all(map(can_be_tried, programs)):
        return None
    calls = [
        events
        for kind, pipes in ((Kind.SET, back), (Kind.WAIT, flag[:2]))
        for events in uses_of(first, pipes).values()
        if events[0].kind is kind
    ]
    if not any(events[0].kind is Kind.SET for events in calls):
        return None
    found = [events[0] for events in calls[:MOST_TRIED] if _mends(events[0], programs, flag)]
    found = [event for event in found if _mends(event, others, flag)] or found
    found.sort(key=lambda event: _idle(event, first))
    return Swapped(found[0], tuple(found[1:])) if found else None


def _idle(event: Event, program: Program) -> bool:
    """True for a set that speaks for a pipe which has done nothing before it, when it is turned."""
    if event.kind is Kind.WAIT:
        return False
    before = takewhile(lambda one: one is not event, program.events)
    return not any(one.kind is Kind.WORK and one.pipe == event.flag[1] for one in before)


def _mends(event: Event, programs: Sequence[Program], flag: Any) -> bool:
    return all(_right(program, event.stmt.span, flag) for program in programs)


def _right(program: Program, span: Span, flag: Any) -> bool:
    turned = {
        id(event): _turned(event)
        for event in program.events
        if event.stmt.span == span and event.kind in (Kind.SET, Kind.WAIT)
    }
    return ends_well(program, turned, flag[:2])


def _turned(event: Event) -> Event:
    source, target, number = event.flag
    pipe = target if event.kind is Kind.SET else source
    return Event(event.kind, pipe, event.stmt, event.place, (), (target, source, number))
