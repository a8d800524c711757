"""Flags between the cores: counters, set on one side as often as they are waited for on the other.

The sets and waits of each core are counted block by block, each vector core for itself. Where a value
that decides on them is known on the device only, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.sync.alike import loops_of
from tl_ascend.checks.sync.events import Kind, Program, joined, owned
from tl_ascend.checks.sync.execute import Followed
from tl_ascend.checks.sync.ids import Odd, Uses, odd_id, unequal
from tl_ascend.checks.sync.odd_turns import Turned, turned
from tl_ascend.checks.sync.sized import least, with_size
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import Kernel, Stmt, TileOp
from tl_ascend.target.hardware import Core

LIMIT = 16  # what a counter holds
Flags: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """How often one half sets flags, and the other waits for them. Each vector core has a counter of its
    own for what the cube core sets, and the cube core one for each of them: here are the uses of the
    vector core that goes with the other half least. `own`: the vector cores set flags together, and wait
    for them themselves. `cores`: its number, by flag, where the two differ;
    `from_cube`: the cube core sets; `when`: in which execution, in words; `alike`: calls of the
    setting half that tell cores of its own kind, by flag."""

    sets: Uses
    waits: Uses
    cores: Mapping[int, int]
    from_cube: bool
    when: str = ""
    own: bool = False
    alike: Mapping[int, TileOp] = field(default_factory=dict)

    def set_here(self, flags: Flags) -> str:
        """How often flags are set, for a message at the set."""
        where = "" if self.from_cube else self._on(flags)
        return _count(self._sets(flags), "set") + where + self.when

    def spare_set(self, flags: Flags) -> Stmt:
        """The set without which flags are set as often as they are waited for; else the first one."""
        more = {flag: self.sets.totals[flag] - self.waits.totals[flag] for flag in flags}
        return self.sets.spare(more) or self.sets.stmts(flags[0])[0]

    def doubled_wait(self, flags: Flags) -> Stmt | None:
        """The second of two waits that are alike, without which there are as many as sets."""
        more = {flag: self.waits.totals[flag] - self.sets.totals[flag] for flag in flags}
        return self.waits.spare(more, doubled=True)

    def waits_there(self, flags: Flags) -> str:
        """How often the other half waits for them."""
        number = self._waits(flags)
        there = self._on(flags) if self.from_cube else ""
        count = _count(number, "wait") if number else "no wait"
        return count + (there or self._other)

    def text(self, flags: Flags) -> str:
        """How often flags are waited for and set, for a wait that lacks its set."""
        waits, sets = self._waits(flags), self._sets(flags)
        here = self._on(flags) if self.from_cube else ""
        there = "" if self.from_cube else self._on(flags)
        return (
            f"{_named(flags)}: {_count(waits, 'wait')}{here}, but only {_count(sets, 'set')}"
            f"{there or self._other}{self.when}"
        )

    def advice(self, flags: Flags) -> str:
        """What a wait that lacks its set needs."""
        alike = self.alike.get(flags[0])
        if alike is not None:
            whom = "cube" if self.from_cube else "vector"
            return (
                f"Flag {flags[0]} is set with mode {alike.args[2]}, which tells {whom} cores alone: "
                "leave the mode out."
            )
        setter = "the cube core" if self.from_cube else "both vector cores"
        ids = f"flag {flags[0]}" if len(flags) == 1 else "each of them"
        ids += " with mode 1" if self.own else ""
        return (
            f"Have {setter} set {ids} as often as it is waited for: T.set_cross_flag, behind the work "
            "that is waited for here, and with the pipe of it."
        )

    def told_alike(self, flags: Flags) -> tuple[Related, ...]:
        """The calls that set flags for cores of their own kind."""
        found = [self.alike[flag] for flag in flags if flag in self.alike]
        return tuple(Related(stmt.span, f"mode {stmt.args[2]}") for stmt in found)

    def places(self, uses: Uses, flags: Iterable[int]) -> list[Flags]:
        """Those that a call uses in turn belong together, where the same core is short of them."""
        found: list[tuple[set[object], list[int]]] = []
        for flag in sorted(flags):
            keys: set[object] = {(s.span, self.cores.get(flag)) for s in uses.stmts(flag)}
            known = next((one for one in found if one[0] & keys), None)
            if known is None:
                found.append((keys, [flag]))
            else:
                known[0].update(keys)
                known[1].append(flag)
        return [tuple(group) for _, group in found]

    @property
    def _other(self) -> str:
        return " of both vector cores" if self.own else " on the other side"

    def _sets(self, flags: Flags) -> int:
        return sum(self.sets.totals[flag] for flag in flags)

    def _waits(self, flags: Flags) -> int:
        return sum(self.waits.totals[flag] for flag in flags)

    def _on(self, flags: Flags) -> str:
        return f" on vector core {self.cores[flags[0]]}" if flags[0] in self.cores else ""


@dataclass(frozen=True, slots=True)
class Ways:
    """One direction. `lacking`: with the vector core that sets least, or waits most; `surplus`: with the
    one that sets most, or waits least."""

    lacking: Way
    surplus: Way


def ways(found: Followed, kernel: Kernel) -> list[Ways]:
    """Both directions; none where not everything that decides on flags is known, or sizes alone
    decide, and always alike."""
    programs = found.programs[0].values()
    if all(program.sure(flag) for program in programs for flag in (None, *_flags(program))):
        return _ways(found, 0)
    at = least(found, kernel, _faults)
    return [] if at is None else _ways(found, at, with_size(found, kernel, at))


def _faults(found: Followed, at: int) -> frozenset[tuple[int, str, int]]:
    """By direction, the flags that are set too rarely, too often, and so often that it is an error."""
    every = []
    for way, one in enumerate(_ways(found, at)):
        lacking = unequal(one.lacking.sets.totals, one.lacking.waits.totals)[0]
        surplus = unequal(one.surplus.sets.totals, one.surplus.waits.totals)[1]
        every += [(way, "lacking", flag) for flag in lacking]
        every += [(way, "surplus", flag) for flag in surplus]
        every += [(way, "over", flag) for flag in surplus if _overflows(flag, one.surplus)]
    return frozenset(every)


def _ways(found: Followed, at: int, size: str = "") -> list[Ways]:
    """Those of one execution."""
    programs = found.programs[at]
    cube = programs.get((Core.CUBE, 0))
    vectors = [p for (core, _), p in programs.items() if core is Core.VECTOR]
    if cube is None or not vectors:
        return []
    every = [cube, *vectors]
    if any(flag not in range(LIMIT) for program in every for flag in _flags(program)):
        return []  # told as such
    when = (f" in block {found.place.block}" if found.place.block else "") + size
    given = found.place.given
    when += f" {given.way}" if given is not None else ""
    own = _own(cube, vectors)
    if own & {event.flag for event in cube.events if event.kind is Kind.SIGNAL}:
        return []  # a wait for all of them
    found_ways = [
        Ways(*(_way(cube, vectors, from_cube, most, when) for most in (from_cube, not from_cube)))
        for from_cube in (True, False)
    ]
    cubes = owned([cube])
    for way in (found_ways[1].lacking, found_ways[1].surplus):
        if cubes & set(way.sets.totals):
            return []  # a wait for either
        way.waits.leave(cubes)
    if own:
        for way in (found_ways[0].lacking, found_ways[0].surplus):
            way.waits.leave(own)
        found_ways.append(_together(vectors, own, when))
    return found_ways


def _own(cube: Program, vectors: Sequence[Program]) -> set[int]:
    """The flags that vector cores set for each other, with those that they wait for while the cube core
    sets none."""
    own = joined(vectors)
    if own and not any(event.kind is Kind.SIGNAL for event in cube.events):
        own |= {e.flag for vector in vectors for e in vector.events if e.kind is Kind.AWAIT}
    return own


def _together(vectors: Sequence[Program], own: set[int], when: str) -> Ways:
    """Of flags that are set when both vector cores have set them."""
    sets, _ = _chosen(vectors, Kind.JOIN, False)
    both = []
    for most in (True, False):
        waits, _ = _chosen(vectors, Kind.AWAIT, most)
        waits.leave({flag for flag in waits.totals if flag not in own})
        both.append(Way(sets, waits, {}, True, when, own=True))
    return Ways(*both)


def _flags(program: Program) -> set[int]:
    kinds = Kind.SIGNAL, Kind.JOIN, Kind.OWN, Kind.AWAIT
    return {event.flag for event in program.events if event.kind in kinds}


def _way(cube: Program, vectors: Sequence[Program], from_cube: bool, most: bool, when: str) -> Way:
    """`most`: with the vector core that uses a flag most often; else least."""
    if from_cube:
        waits, cores = _chosen(vectors, Kind.AWAIT, most)
        alike = _first(cube, Kind.OWN)
        return Way(Uses.of(cube, Kind.SIGNAL), waits, cores, from_cube, when, alike=alike)
    sets, cores = _chosen(vectors, Kind.SIGNAL, most)
    alike = _first(vectors[0], Kind.JOIN)
    return Way(sets, Uses.of(cube, Kind.AWAIT), cores, from_cube, when, alike=alike)


def _first(program: Program, kind: Kind) -> dict[int, TileOp]:
    """By flag, the first call of a kind."""
    found: dict[int, TileOp] = {}
    for event, _ in program.uses(kind):
        if isinstance(event.stmt, TileOp):
            found.setdefault(event.flag, event.stmt)
    return found


def _chosen(vectors: Sequence[Program], kind: Kind, most: bool) -> tuple[Uses, dict[int, int]]:
    """By flag, the uses of the vector core that has most (or least) of them, and which it is, where they
    differ."""
    every = [Uses.of(program, kind) for program in vectors]
    found, cores = Uses(), {}
    for flag in dict.fromkeys(flag for uses in every for flag in uses.totals):
        counts = [uses.totals[flag] for uses in every]
        at = counts.index((max if most else min)(counts))
        shown = next(one for one in every if flag in one.by_stmt)
        found.totals[flag] = counts[at]
        found.by_stmt[flag] = every[at].by_stmt.get(flag) or shown.by_stmt[flag]
        if min(counts) < max(counts):
            cores[flag] = at
    return found, cores


def unmatched(every: Sequence[Ways], context: CheckContext) -> bool:
    """Tell of waits that nobody ends, and of counters that run over; True where there are any."""
    told = False
    for one in every:
        way = one.lacking
        lacking, surplus = unequal(way.sets.totals, way.waits.totals)
        odd_call = turned(way.sets, way.waits, context.after) if lacking and surplus else None
        if odd_call is not None:
            _tell_turned(lacking[0], odd_call, way, context)
            told = True
            continue
        rest = list(surplus)
        never: list[Flags] = []
        alike: dict[object, list[Flags]] = {}
        for flags in way.places(way.waits, lacking):
            odd = odd_id(flags[0], sorted(rest), way.sets, way.waits)
            if odd is None and not any(way.sets.totals[flag] for flag in flags):
                never.append(flags)
                continue
            if odd is not None:
                _tell_lacking((flags,), odd, way, context)
                rest = []  # one wrong id lets two flags differ
            else:
                alike.setdefault(_loops(flags, way, context), []).append(flags)
        for group in alike.values():
            _tell_lacking(group, None, way, context)
        if never:
            _tell_never(never, way, context)
        for flags in _left(one.surplus) if rest or not lacking else ():
            over = tuple(f for f in flags if f not in lacking and _overflows(f, one.surplus))
            told = _runs_over(over, one.surplus, context) or told
        told = told or bool(lacking)
    return told


def left_over(way: Way) -> list[tuple[Flags, list[Stmt]]]:
    """The same, with their sets."""
    return [(flags, [s for flag in flags for s in way.sets.stmts(flag)]) for flags in _left(way)]


def _left(way: Way) -> list[Flags]:
    """The flags that are set more often than they are waited for."""
    return way.places(way.sets, unequal(way.sets.totals, way.waits.totals)[1])


def _tell_turned(flag: int, odd: Turned, way: Way, context: CheckContext) -> None:
    """A call of a ring that takes the slot of another turn."""
    here, there = ("set", "waited for") if odd.sets else ("waited for", "set")
    wait = way.waits.stmts(flag)[0]
    note = f"Take another slot, here flag {odd.right}" if odd.text is None else f"Write {odd.text}"
    related = [] if wait is odd.stmt else [Related(wait.span, f"waits for flag {flag}")]
    related += [Related(other.stmt.span, "or this is the wrong one") for other in odd.others]
    context.report.add(
        "cross-flag-unmatched",
        odd.stmt.span,
        f"flag {odd.wrong} is {here} here where flag {odd.right} is {there}; {way.text((flag,))}, and "
        "the wait for it never ends",
        notes=(f"{note}: each wait then finds its set.",),
        related=tuple(related),
        fixes=odd.fixes,
    )


def _loops(flags: Flags, way: Way, context: CheckContext) -> object:
    """Equal for flags that the same loops use, as often as each other: one of these may turn too rarely,
    or too often."""
    kernel, flag = context.after, flags[0]
    counts = way.waits.totals[flag], way.sets.totals[flag], way.cores.get(flag)
    waits = loops_of(kernel, way.waits.stmts(flag), alone=True)
    return counts, waits, loops_of(kernel, way.sets.stmts(flag), alone=False)


def _tell_lacking(group: Sequence[Flags], odd: Odd | None, way: Way, context: CheckContext) -> None:
    flags, *more = group
    flag = flags[0]
    wait, others = way.waits.stmts(flag)[0], way.sets.stmts(flag)
    if odd is not None and odd.sets:
        _add(
            odd.stmt,
            f"flag {odd.flag}: {way.set_here((odd.flag,))}, but {way.waits_there((odd.flag,))}, which "
            f"waits for flag {flag} instead, {_lack(flag, way)}, and stands still for ever",
            Related(wait.span, f"waits for flag {flag}"),
            context,
        )
        return
    stmt = odd.stmt if odd is not None else way.doubled_wait(flags) or wait
    related = None
    if odd is not None and odd.other is not None:
        related = Related(odd.other.span, "this set is never waited for")
    elif others:
        related = Related(others[0].span, "the set")
    notes = (way.advice(flags),) if odd is None else ()
    if more:
        notes = ("The loops of the waits and of the sets have to go round equally often.",)
    also = [Related(way.waits.stmts(o[0])[0].span, f"{way.text(o)}, either") for o in more]
    _add(stmt, f"{way.text(flags)}: this core waits for ever", related, context, notes, also)


def _tell_never(never: Sequence[Flags], way: Way, context: CheckContext) -> None:
    """One set with an id that is computed may be what lacks for all of them."""
    first, *others = never
    related = [
        Related(way.waits.stmts(flags[0])[0].span, f"{way.text(flags)}, either") for flags in others
    ]
    context.report.add(
        "cross-flag-unmatched",
        way.waits.stmts(first[0])[0].span,
        f"{way.text(first)}: this core waits for ever",
        notes=(way.advice(first),),
        related=(*way.told_alike(first), *related),
    )


def _lack(flag: int, way: Way) -> str:
    waits, sets = way.waits.totals[flag], way.sets.totals[flag]
    return f"{_count(waits, 'time')} for {_count(sets, 'set')}"


def _overflows(flag: int, way: Way) -> bool:
    sets, waits = way.sets.totals[flag], way.waits.totals[flag]
    return sets - waits >= LIMIT and waits > 0


def _runs_over(flags: Flags, way: Way, context: CheckContext) -> bool:
    if not flags:
        return False
    flag, *more = flags
    sets, waits = way.sets.totals[flag], way.waits.totals[flag]
    also = (f"So does that of {_named(tuple(more))}.",) if more else ()
    context.report.add(
        "cross-flag-unmatched",
        way.sets.stmts(flag)[0].span,
        f"flag {flag}: {_count(sets, 'set')} and {_count(waits, 'wait')} in a block{way.when}; the "
        f"counter holds {LIMIT - 1}, less than {LIMIT}, and what is left over ends waits of later "
        "launches",
        notes=(
            "Wait for each set, or set the flag no more often than the other side waits for it.",
            *also,
        ),
        related=(Related(way.waits.stmts(flag)[0].span, "the wait"),),
    )
    return True


def left_set(every: Sequence[Ways], context: CheckContext) -> bool:
    """Tell of sets that nobody waits for; True where there are any."""
    told = False
    for way in (one.surplus for one in every):
        for flags in _left(way):
            waits = way.waits.stmts(flags[0])
            it = "it is" if len(flags) == 1 else "they are"
            context.report.add(
                "cross-flag-unmatched",
                way.spare_set(flags).span,
                f"{_named(flags)}: {way.set_here(flags)}, but {way.waits_there(flags)}: {it} still set "
                "at the end of the kernel",
                notes=(
                    "CANN asks for a wait for each set and calls anything else undefined. Nothing but a "
                    "wait is said to take a set back: it may end a wait of the next launch.",
                ),
                related=(Related(waits[0].span, "the wait"),) if waits else (),
                severity=Severity.WARNING,
            )
            told = True
    return told


def _add(
    stmt: Stmt,
    text: str,
    related: Related | None,
    context: CheckContext,
    notes: tuple[str, ...] = (),
    more: Sequence[Related] = (),
) -> None:
    also = (*((related,) if related is not None else ()), *more)
    context.report.add("cross-flag-unmatched", stmt.span, text, notes=notes, related=also)


def _named(flags: Flags) -> str:
    """`flag 0`, `flags 0, 1 and 2`."""
    if len(flags) == 1:
        return f"flag {flags[0]}"
    return f"flags {', '.join(map(str, flags[:-1]))} and {flags[-1]}"


def _count(number: int, word: str) -> str:
    return f"{number} {word if number == 1 else word + 's'}"
