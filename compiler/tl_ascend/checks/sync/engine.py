"""Executes the programs of cores on their pipes, with a clock for each that says what it is behind.

The scalar unit issues the events of a core in order; each pipe works through its queue and stops at a
wait whose flag is not set. A flag hands on what its setter is behind; so an access that the clock of
another pipe does not cover may happen at the same time.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.checks.sync.copies import differ
from tl_ascend.checks.sync.events import (
    LOOSE,
    PIPES,
    SCALAR,
    Access,
    Event,
    Kind,
    Program,
    joined,
    owned,
)
from tl_ascend.checks.sync.fresh import Filled
from tl_ascend.checks.sync.outcome import Outcome, Pair, Stuck, Twice
from tl_ascend.checks.sync.touched import BITS, COUNT, Entry, Overlaps, Touched, overlap

_BITS = 24  # of a number for the span of a statement
_FIRST = _BITS + 8  # where the first place stands in the key of a pair
Clock = list[int]
_Access = tuple[Event, Access, int]  # `int`: its pipe, of all cores
_Copied = tuple[Event, Access, int]  # `int`: its number on its pipe
_WORK, _SET, _WAIT = Kind.WORK, Kind.SET, Kind.WAIT
_SIGNALS = frozenset({Kind.SIGNAL, Kind.JOIN, Kind.OWN})
_FEW = 4  # copies to a buffer that are remembered


@dataclass(slots=True)
class _Core:
    """`issued`: what the scalar unit is behind, for what it issues from here on; `seen`: the version
    of it that each pipe has taken over."""

    number: int
    events: Sequence[Event]
    issued: Clock
    base: int
    at: int = 0
    version: int = 0
    seen: list[int] = field(default_factory=lambda: [0] * COUNT)
    queues: list[deque[tuple[Event, Clock, int, int]]] = field(
        default_factory=lambda: [deque() for _ in PIPES]
    )


class Engine:
    """One execution of several cores. `cross`: they are the cube core and its vector cores, in this
    order, and flags between them count. `overlaps`: what is known of boxes, by their numbers;
    `watched`: buffers to which copies of one pipe may have no order; `fresh`: tensors that hold nothing
    yet."""

    def __init__(
        self,
        programs: Sequence[Program],
        cross: bool,
        overlaps: Overlaps | None = None,
        watched: frozenset[int] = frozenset(),
        fresh: frozenset[int] = frozenset(),
    ) -> None:
        size = len(programs) * COUNT
        # What a barrier orders counts where it is loose in another execution.
        self._alone = len(programs) == 1 and not (programs[0].open or programs[0].sized)
        self.out = Outcome()
        self._fresh, self._filled = fresh, Filled(self.out.unset)
        self._cross = cross
        self._time = 0
        self._overlaps = {} if overlaps is None else overlaps
        self._cores = [
            _Core(n, one.events, [0] * size, n * COUNT) for n, one in enumerate(programs)
        ]
        self._clocks: list[Clock] = [[0] * size for _ in range(size)]
        self._memory: dict[tuple[int, int], Touched] = defaultdict(Touched)
        self._flags: dict[tuple[int, Any], deque[tuple[Clock, Event]]] = defaultdict(deque)
        self._watched = watched
        self._done = [0] * size  # of each pipe, up to which of its own accesses it knows to be over
        self._copied: dict[tuple[int, int], deque[_Copied]] = defaultdict(_few)
        self._waiting: dict[object, int] = {}
        self._signals: dict[tuple[int, int, object], deque[tuple[Clock, Event]]] = defaultdict(
            deque
        )
        self._spare: dict[tuple[int, Any], int] = {}
        self._surplus = [
            self._unequal(core) if program.whole else []
            for core, program in zip(self._cores, programs, strict=True)
        ]
        self._joined, self._owned = joined(programs), owned(programs)
        self._members = [c for c in self._cores if Kind.MEET in [e.kind for e in c.events]]

    def _unequal(self, core: _Core) -> list[tuple[Any, ...]]:
        """The flags that a core sets more often than it waits for them."""
        count: dict[Any, int] = defaultdict(int)
        sets, waits = Kind.SET, Kind.WAIT
        for event in core.events:
            if event.kind is sets:
                count[event.flag] += 1
            elif event.kind is waits:
                count[event.flag] -= 1
        found = [flag for flag, number in count.items() if number > 0]
        self._spare.update({(core.number, flag): count[flag] for flag in found})
        return found

    def run(self) -> Outcome:
        """Until nothing moves any more."""
        moving = True
        while moving:
            moving = False
            for core in self._cores:
                begin = core.at
                self._issue(core)
                moving = moving or core.at > begin
        for core in self._cores:
            waits = [(queue[0][0], queue[0][3]) for queue in core.queues if queue]
            if core.at < len(core.events):
                waits.append((core.events[core.at], core.at))
                self.out.halted.add(core.number)
            self.out.stuck += [Stuck(core.number, event, at) for event, at in waits]
        self.out.unbalanced = any(self._signals.values())
        self.out.left += [
            (core, event) for (core, _), entries in self._flags.items() for _, event in entries
        ]
        self._forget()
        return self.out

    # --- issue -----------------------------------------------------------------------------------

    def _issue(self, core: _Core) -> None:
        """Give events to their pipes, up to one for which the scalar unit itself has to wait."""
        events, at, queues = core.events, core.at, core.queues
        end = len(events)
        while at < end:
            event = events[at]
            pipe = event.pipe
            if pipe == SCALAR:
                if not self._on_scalar(core, event):
                    return
            else:
                queue = queues[pipe]
                if queue or not self._execute(core, event, core.issued, core.version, at):
                    queue.append((event, core.issued, core.version, at))
                    if len(queue) == 1:
                        self._waiting[core.number, event.flag] = pipe
            at = core.at = at + 1

    def _on_scalar(self, core: _Core, event: Event) -> bool:
        kind = event.kind
        if kind is Kind.WORK:
            clock = core.issued.copy()
            self._touch(core, event, SCALAR, clock, core.at)
            if clock != core.issued:
                core.issued, core.version = clock, core.version + 1
        elif kind is Kind.SET:
            stamp = core.issued.copy()
            stamp[core.base] = self._clocks[core.base][core.base]
            self._set(core, event, stamp, core.at)
        elif kind is Kind.BARRIER:
            return self._barrier(core)
        elif kind is Kind.WAIT:
            return self._await(core, [self._flags[core.number, event.flag]])
        elif kind is Kind.AWAIT and self._cross:
            sets = [self._signals[n, core.number, event.flag] for n in self._setters(core, event)]
            return self._await(core, sets)
        elif kind is Kind.AWAIT:
            return self._barrier(core)  # what the other core does may order anything
        elif kind is Kind.MEET:
            return self._meet(core)
        return True

    def _barrier(self, core: _Core) -> bool:
        if any(core.queues):
            return False
        stamp = core.issued.copy()
        stamp = list(map(max, stamp, *self._clocks[core.base : core.base + COUNT]))
        core.issued, core.version = stamp, core.version + 1
        if self._alone:
            self._forget()
        return True

    def _await(self, core: _Core, flags: list[deque[tuple[Clock, Event]]]) -> bool:
        if not all(flags):
            return False
        for sets in flags:
            core.issued = list(map(max, core.issued, sets.popleft()[0]))
        core.version += 1
        return True

    def _meet(self, core: _Core) -> bool:
        """A barrier of the launch: those who take part come to it, and go on together."""
        if len(self._members) == 1:
            return self._barrier(core)
        if any(
            other.at >= len(other.events)
            or other.events[other.at].kind is not Kind.MEET
            or any(other.queues)
            for other in self._members
        ):
            return False
        stamp = core.issued
        for other in self._members:
            for clock in (other.issued, *self._clocks[other.base : other.base + COUNT]):
                stamp = list(map(max, stamp, clock))
        for other in self._members:
            other.issued, other.version = stamp, other.version + 1
            other.at += other is not core
        return True

    # --- execution -------------------------------------------------------------------------------

    def _execute(self, core: _Core, event: Event, issued: Clock, version: int, order: int) -> bool:
        """Do what comes next on a pipe; False where it has to wait."""
        pipe = event.pipe
        own = core.base + pipe
        clock = self._clocks[own]
        if core.seen[pipe] < version:
            core.seen[pipe] = version
            clock[:] = [a if a > b else b for a, b in zip(clock, issued, strict=True)]
            if self._done[own] < issued[own]:
                self._done[own] = issued[own]
        kind = event.kind
        if kind is _WORK:
            self._touch(core, event, pipe, clock, order)
        elif kind is _WAIT:
            sets = self._flags[core.number, event.flag]
            if not sets:
                return False
            stamp = sets.popleft()[0]
            clock[:] = [a if a > b else b for a, b in zip(clock, stamp, strict=True)]
            if self._done[own] < stamp[own]:
                self._done[own] = stamp[own]
        elif kind is _SET:
            self._set(core, event, clock.copy(), order)
        elif kind is Kind.BARRIER:
            self._done[own] = clock[own]
        elif self._cross and kind in _SIGNALS:
            self._signal(core, event, clock.copy())
        return True

    def _set(self, core: _Core, event: Event, stamp: Clock, order: int) -> None:
        key = core.number, event.flag
        sets = self._flags[key]
        if sets and event.flag[0] != "template":
            self.out.doubled.append(Twice(sets[-1][1], event, order))
        sets.append((stamp, event))
        pipe = self._waiting.pop(key, None) if self._waiting else None
        if pipe is not None:
            self._drain(core, pipe)

    def _drain(self, core: _Core, pipe: int) -> None:
        queue = core.queues[pipe]
        while queue:
            event, issued, version, order = queue[0]
            if not self._execute(core, event, issued, version, order):
                self._waiting[core.number, event.flag] = pipe
                return
            queue.popleft()

    def _setters(self, core: _Core, event: Event) -> list[int]:
        """The cores that all have to set a flag that one waits for."""
        if not core.number and event.flag in self._owned:
            return [core.number]
        if core.number and event.flag in self._joined:
            return [other.number for other in self._cores if other.number]
        return [c.number for c in self._cores if (c.number == 0) != (core.number == 0)]

    def _signal(self, core: _Core, event: Event, stamp: Clock) -> None:
        """The cube core tells both vector cores, each of them tells the cube core, or both; or it tells
        itself, with those of other blocks."""
        if event.kind is Kind.OWN:
            self._signals[core.number, core.number, event.flag].append((stamp, event))
            return
        joins = event.kind is Kind.JOIN
        for other in self._cores:
            if other.number if joins else (other.number == 0) != (core.number == 0):
                self._signals[core.number, other.number, event.flag].append((stamp, event))

    # --- memory ----------------------------------------------------------------------------------

    def _touch(self, core: _Core, event: Event, pipe: int, clock: Clock, order: int) -> None:
        base, own, met = core.base, core.base + pipe, self.out.met
        number = self._clocks[own][own] = self._clocks[own][own] + 1
        mark, half = event.place << 8 | pipe, event.place << _FIRST | pipe << 4
        watched, end, where = self._watched, base + COUNT, core.number
        time = self._time = self._time + 1
        for access in event.accesses:
            _, uid, _, box, write, gm, added = access
            touched = self._memory[-1 if gm else where, uid]
            entry = (touched.writes if write else touched.reads).get(
                box << 6 | own << 1 | added
            ) or touched.entry(event, access, own, self._overlaps)
            late: list[Entry] | None = None
            for rival in entry.rivals:
                other = rival.pipe
                within = base <= other < end
                # What stands behind this and has happened before it is too early.
                if clock[other] < rival.number or (within and rival.order > order):
                    late = [rival] if late is None else [*late, rival]
                else:
                    met.add((rival.mark | mark) << 1 | within)
            if gm and not entry.first and uid in self._fresh:
                self._filled.touch(event, access)
            if watched and write and uid in watched and pipe in LOOSE:
                self._copy(event, access, own, number, order)
            if late is not None:
                self._late(core, late, (event, access, own), entry.time, clock, order)
            entry.event, entry.number, entry.first = event, number, entry.first or number
            entry.time, entry.order, entry.mark = time, order, half

    def _late(
        self,
        core: _Core,
        late: list[Entry],
        second: _Access,
        before: int,
        clock: Clock,
        order: int,
    ) -> None:
        """Accesses that an access may not be behind, the latest first: what that is behind needs no
        word of its own. `before`: when the second was made the last time."""
        for entry in sorted(late, key=_latest):
            within = entry.pipe // COUNT == core.number
            ahead = within and entry.order > order
            if ahead or clock[entry.pipe] < entry.number:
                # The other core may have run ahead: then this comes before its next round.
                round_ = not within and clock[entry.pipe] >= entry.first
                ahead = ahead or (round_ and not self._behind(entry, second, before))
                self._unordered(core, entry, second, clock, ahead, order)
            else:
                place, own = second[0].place, second[2]
                self.out.met.add(_pair_key(entry.event.place, place, entry.pipe, own))

    def _copy(self, event: Event, access: Access, own: int, number: int, order: int) -> None:
        """A copy to where the pipe has copied something else: one may overtake the other."""
        before, out, known = self._copied[own, access.uid], self.out, self._overlaps
        pipe, half = own % COUNT, event.place << 8 | own % COUNT << 4 | own % COUNT
        for other, first, at in before:
            boxes = first.number << BITS | access.number
            if boxes not in known:
                known[boxes] = overlap(first.box, access.box)
            key = (other.place << _FIRST | half) << 1 | 1
            if not known[boxes] or key in out.loose:
                continue
            if at <= self._done[own]:
                if key not in out.met:
                    out.met.add(key)
            elif differ((other, first), (event, access)):
                out.met.add(key)
                cores = (own // COUNT,) * 2
                out.loose[key] = Pair(other, event, (pipe, pipe), cores, first, access, order=order)
        before.append((event, access, number))

    def _behind(self, entry: Entry, second: _Access, before: int) -> bool:
        """True where an access has waited for the round before: it has not run ahead."""
        key = _pair_key(second[0].place, entry.event.place, second[2], entry.pipe)
        return 0 < before < entry.time and key not in self.out.loose

    def _forget(self) -> None:
        for touched in self._memory.values():
            if touched.reads or touched.writes:
                touched.clear()

    def _unordered(
        self,
        core: _Core,
        entry: Entry,
        second: _Access,
        clock: Clock,
        ahead: bool,
        order: int,
    ) -> None:
        """Write it down; from here on the second is behind the first. `ahead`: it comes before."""
        other, pipe = entry.pipe, second[2] - core.base
        half = None if ahead else self._take(core, pipe, other, entry, clock)
        self._loose(entry, second, ahead, half, order)
        clock[:] = map(max, clock, self._stamp(other))

    def _take(self, core: _Core, pipe: int, other: int, entry: Entry, clock: Clock) -> Event | None:
        """A flag to a pipe that would keep it behind an access, and that is set more often than it is
        waited for: as if the wait were here, so that the next ones wait for their own sets again."""
        for key in self._surplus[core.number]:
            spare = self._spare[core.number, key]
            sets = self._flags.get((core.number, key)) if key[1] == pipe and spare else None
            behind = (
                at for at, (stamp, _) in enumerate(sets or ()) if stamp[other] >= entry.number
            )
            count = next(behind, spare) + 1
            if sets and count <= spare:
                self._spare[core.number, key] -= count
                taken = [sets.popleft() for _ in range(count)]
                self.out.left += [(core.number, event) for _, event in taken]
                clock[:] = map(max, clock, taken[-1][0])
                return taken[-1][1]
        return None

    def _stamp(self, pipe: int) -> Clock:
        """What a flag that is set now on a pipe would hand on."""
        stamp = self._clocks[pipe]
        if pipe % COUNT == SCALAR:
            stamp = list(map(max, stamp, self._cores[pipe // COUNT].issued))
        return stamp

    def _loose(
        self,
        entry: Entry,
        second: _Access,
        ahead: bool,
        half: Event | None,
        order: int,
    ) -> None:
        """Write down that nothing orders two accesses. `ahead`: the second comes before the first."""
        first = entry.event, entry.access, entry.pipe
        if ahead:
            first, second = second, first
        cores = first[2] // COUNT, second[2] // COUNT
        key = _pair_key(first[0].place, second[0].place, first[2], second[2])
        self.out.met.add(key)
        if key not in self.out.loose:
            numbers = first[2] % COUNT, second[2] % COUNT
            early = ahead and cores[0] == cores[1]
            self.out.loose[key] = Pair(
                first[0], second[0], numbers, cores, first[1], second[1], half, early, order
            )


def _few() -> deque[_Copied]:
    return deque(maxlen=_FEW)


def _latest(entry: Entry) -> tuple[int, bool]:
    return -entry.time, entry.access.write


def _pair_key(first: int, second: int, one: int, other: int) -> int:
    """Equal for equal places and pipes, within a core and between cores."""
    pipes = one % COUNT << 4 | other % COUNT
    return (first << _FIRST | second << 8 | pipes) << 1 | (one // COUNT == other // COUNT)
