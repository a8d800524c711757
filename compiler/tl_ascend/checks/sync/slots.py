"""Which call of a ring of flags takes the wrong slot: the one with whose ids moved on, or without
which, every wait finds its set. The program is executed with each change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tl_ascend.checks.sync.engine import Engine
from tl_ascend.checks.sync.events import Event, Kind, Program
from tl_ascend.diagnostics.report import Applicability, Edit, Fix
from tl_ascend.ir.expr import Binary, Expr, walk
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Region, TileOp
from tl_ascend.ir.text import show
from tl_ascend.source.span import Span

MOST_TRIED = 12
MOST_EVENTS = 1500
MOST_OTHERS = 4  # executions of other blocks and sizes that a change has to mend, too


@dataclass(frozen=True, slots=True)
class Slot:
    """A call that takes the wrong slot. `event`: its first use; `right`: the id that it ought to have;
    `text`: how to write that, where one text says it all; `ids`: what it ought to take for what it
    takes; `computed`: it takes several; `others`: calls that may be meant as well."""

    event: Event
    right: int
    text: str | None
    ids: dict[int, int]
    computed: bool
    others: tuple[Slot, ...] = ()

    @property
    def stmt(self) -> TileOp:
        assert isinstance(self.event.stmt, TileOp)
        return self.event.stmt

    @property
    def sets(self) -> bool:
        """True for a set, not a wait."""
        return self.event.kind is Kind.SET

    @property
    def wrong(self) -> int:
        """The id that it has."""
        return _id(self.event)

    def mends(self, program: Program) -> bool:
        """True where another program has no fault with the right ids."""
        pipes = self.event.flag[:2]
        events = uses_of(program, pipes).get(self.stmt.span, [])
        changed = {id(e): _with_id(e, self.ids.get(_id(e), _id(e))) for e in events}
        return ends_well(program, changed, pipes)

    def among(self, span: Span) -> bool:
        """True for this call, and for one that may be meant as well."""
        return any(one.stmt.span == span for one in (self, *self.others))

    @property
    def related(self) -> tuple[tuple[Span, str], ...]:
        """The other calls that it may be."""
        return tuple(
            (
                other.stmt.span,
                f"or this is the wrong one: id {other.right} instead of {other.wrong}",
            )
            for other in self.others
        )

    @property
    def note(self) -> str:
        """What to write."""
        finds = "each wait then finds its set"
        if self.text is None:
            return f"Take another slot, here id {self.right}: {finds}."
        return f"Write {self.text}: {finds}."

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """The change, for its author to decide."""
        if self.text is None:
            return ()
        edit = Edit(self.stmt.spans[2], self.text)
        return (Fix(f"Take id {self.text}", (edit,), Applicability.UNSAFE),)


def wrong_slot(
    program: Program, pipes: tuple[int, int], others: Sequence[Program] = ()
) -> Slot | None:
    """None where it is not clear which call it is: of those that compute their ids there may be one.
    `others`: executions of other blocks, which count where any change mends them all."""
    uses = uses_of(program, pipes)
    sets = [event.kind is Kind.SET for events in uses.values() for event in events]
    if sum(sets) * 2 != len(sets) or not can_be_tried(program):
        return None
    ring = sorted({_id(event) for events in uses.values() for event in events})
    tried = [
        slot
        for events in list(uses.values())[:MOST_TRIED]
        for slot in _moved(program, events, ring, pipes)
    ]
    everywhere = [slot for slot in tried if all(map(slot.mends, others))]
    tried = everywhere or [replace(slot, text=None) for slot in tried]
    computed = [slot for slot in tried if slot.computed]
    if not computed:
        return _neatest(tried, uses)
    found = [slot for slot in tried if _alone(slot, uses)] or computed
    return found[0] if len(found) == 1 else _strangest(found, program) or _rarest(found, program)


def can_be_tried(program: Program) -> bool:
    """True where it is known to its end, and short."""
    return program.whole and len(program.events) <= MOST_EVENTS


def _alone(slot: Slot, uses: dict[Span, list[Event]]) -> bool:
    """True where no other call takes an id that this one takes."""
    mine = {_id(event) for event in uses[slot.stmt.span]}
    others = {_id(e) for span, events in uses.items() if span != slot.stmt.span for e in events}
    return not mine <= others


def _strangest(slots: Sequence[Slot], program: Program) -> Slot | None:
    """Of several calls the one whose ids no other call takes as it does."""
    if not slots:
        return None
    ids: dict[Span, list[int]] = {}
    for event in program.events:
        if event.kind in (Kind.SET, Kind.WAIT) and event.flag[0] != "template":
            ids.setdefault(event.stmt.span, []).append(_id(event))
    alike = [sum(one == ids[slot.stmt.span] for one in ids.values()) for slot in slots]
    least = min(alike)
    return slots[alike.index(least)] if alike.count(least) == 1 else None


def _rarest(slots: Sequence[Slot], program: Program) -> Slot | None:
    """Of several calls the one whose id as it is written stands in the fewest others, ids and indices.
    The others are told, too."""
    if not slots:
        return None
    stmts = {id(e.stmt): e.stmt for e in program.events if isinstance(e.stmt, TileOp)}
    parts = [{part for arg in stmt.args for part in parts_of(arg)} for stmt in stmts.values()]
    ids = [slot.stmt.args[2] for slot in slots]
    used = [
        tuple(sum(one in every for every in parts) for one in (number, offset_of(number)[0]))
        for number in ids
    ]
    at = used.index(min(used))
    return replace(slots[at], others=(*slots[:at], *slots[at + 1 :]))


def parts_of(arg: object) -> Iterator[object]:
    """What an argument is computed from."""
    for value in arg.starts if isinstance(arg, Region) else (arg,):
        if isinstance(value, Expr):
            yield from (value, *walk(value))


def offset_of(number: Any) -> tuple[Any, int]:
    """An id without a constant that is added to it, the first id of a ring, and that."""
    if isinstance(number, Binary) and number.op == "+":
        for one, other in ((number.a, number.b), (number.b, number.a)):
            if isinstance(other, int):
                return one, other
    return number, 0


def _neatest(slots: Sequence[Slot], uses: dict[Span, list[Event]]) -> Slot | None:
    """Of calls with one id each, the one with whose right id calls of a kind count upwards most, or
    whose id no other takes. Any of them may be meant: the others are told, too."""
    if not slots:
        return None
    first, *others = sorted(slots, key=lambda one: (_steps_back(one, uses), not _alone(one, uses)))
    return replace(first, others=tuple(others))


def _steps_back(slot: Slot, uses: dict[Span, list[Event]]) -> int:
    """How often a call has no higher id than the call of its kind before it, with the right one."""
    back, last = 0, dict[Kind, int]()
    for span, events in uses.items():
        event = events[0]
        number = slot.right if span == slot.stmt.span else _id(event)
        back += number <= last.get(event.kind, -1)
        last[event.kind] = number
    return back


def spare_wait(program: Program, pipes: tuple[int, int]) -> Event | None:
    """The only wait without which all is right."""
    uses = uses_of(program, pipes)
    waits = [events for events in uses.values() if events[0].kind is Kind.WAIT]
    if len(waits) > MOST_TRIED or not can_be_tried(program):
        return None
    found = [
        events[0] for events in waits if ends_well(program, dict.fromkeys(map(id, events)), pipes)
    ]
    return found[0] if len(found) == 1 else None


def uses_of(program: Program, pipes: tuple[int, int]) -> dict[Span, list[Event]]:
    """The author's uses of flags between two pipes, by call."""
    found: dict[Span, list[Event]] = {}
    for event in program.events:
        if event.kind in (Kind.SET, Kind.WAIT) and event.flag[:2] == pipes:
            found.setdefault(event.stmt.span, []).append(event)
    return found


def _id(event: Event) -> int:
    return int(event.flag[2])


def _moved(
    program: Program, events: Sequence[Event], ring: Sequence[int], pipes: tuple[int, int]
) -> Iterator[Slot]:
    for step in range(1, len(ring)):
        ids = {number: ring[(at + step) % len(ring)] for at, number in enumerate(ring)}
        changed = {id(event): _with_id(event, ids[_id(event)]) for event in events}
        if ends_well(program, changed, pipes):
            first = events[0]
            text = _text(events, ids, step, ring)
            several = len({_id(e) for e in events}) > 1
            yield Slot(first, ids[_id(first)], text, ids, several)


def _with_id(event: Event, number: int) -> Event:
    flag: Any = (*event.flag[:2], number)
    return Event(event.kind, event.pipe, event.stmt, event.place, (), flag, event.branches)


def ends_well(program: Program, changed: dict[int, Any], pipes: tuple[int, int]) -> bool:
    """True where the program with changed events (None: without them) ends, and each flag is waited for
    once, and orders what it ought to."""
    every = (changed.get(id(event), event) for event in program.events)
    outcome = Engine([Program([event for event in every if event])], cross=False).run()
    bad = outcome.stuck or outcome.doubled or outcome.left
    return not bad and not any({*pair.pipes} == {*pipes} for pair in outcome.loose.values())


def _text(
    events: Sequence[Event], ids: dict[int, int], step: int, ring: Sequence[int]
) -> str | None:
    numbers = {event.stmt.args[2] for event in events if isinstance(event.stmt, TileOp)}
    return None if len(numbers) > 1 else written(next(iter(numbers)), ids, step, ring)


def written(number: Any, ids: dict[int, int], step: int, ring: Sequence[int]) -> str | None:
    """The id as the author would write it."""
    if isinstance(number, int):
        return str(ids[number])
    count, (inner, low) = len(ring), offset_of(number)
    number, low = (inner, low) if low == ring[0] else (number, 0)
    if not isinstance(number, Expr) or list(ring) != list(range(low, low + count)):
        return None
    inner = number.a if isinstance(number, Binary) and number.op == "%" else number
    if inner is not number and number.b != count:
        return None
    base, ahead = inner, step
    if isinstance(inner, Binary) and inner.op in ("+", "-") and isinstance(inner.b, int):
        base, ahead = inner.a, step + (inner.b if inner.op == "+" else -inner.b)
    right = binary("%", binary("+", base, ahead % count), count)
    return show(binary("+", right, low))
