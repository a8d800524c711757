"""Flags between the cores: counters, set on one side as often as they are waited for on the other.

The sets and waits of each core are counted for the first block, each vector core for itself. Where a
value that decides on them is known on the device only, nothing is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.sync.events import Kind, Program
from tl_ascend.checks.sync.execute import Executions
from tl_ascend.checks.sync.ids import Odd, Uses, odd_id, unequal
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import Stmt
from tl_ascend.target.hardware import Core

LIMIT = 16  # what a counter holds


@dataclass(frozen=True, slots=True)
class Way:
    """How often one half sets flags, and the other waits for them. Each vector core has a counter of its
    own for what the cube core sets, and the cube core one for each of them: here are the uses of the
    vector core that goes with the other half least. `cores`: its number, by flag, where the two differ;
    `from_cube`: the cube core sets."""

    sets: Uses
    waits: Uses
    cores: Mapping[int, int]
    from_cube: bool

    def set_here(self, flag: int) -> str:
        """How often a flag is set, for a message at the set."""
        return _count(self.sets.totals[flag], "set") + ("" if self.from_cube else self._on(flag))

    def waits_there(self, flag: int) -> str:
        """How often the other half waits for it."""
        number = self.waits.totals[flag]
        there = self._on(flag) if self.from_cube else ""
        return (_count(number, "wait") if number else "no wait") + (there or " on the other side")

    def text(self, flag: int) -> str:
        """How often a flag is waited for and set, for a wait that lacks its set."""
        waits, sets = self.waits.totals[flag], self.sets.totals[flag]
        here = self._on(flag) if self.from_cube else ""
        there = "" if self.from_cube else self._on(flag)
        return (
            f"flag {flag}: {_count(waits, 'wait')}{here}, but only {_count(sets, 'set')}"
            f"{there or ' on the other side'}"
        )

    def _on(self, flag: int) -> str:
        return f" on vector core {self.cores[flag]}" if flag in self.cores else ""


@dataclass(frozen=True, slots=True)
class Ways:
    """One direction. `lacking`: with the vector core that sets least, or waits most; `surplus`: with the
    one that sets most, or waits least."""

    lacking: Way
    surplus: Way


def ways(found: Executions) -> list[Ways]:
    """Both directions; none where not everything that decides on flags is known."""
    cube = found.programs.get((Core.CUBE, 0))
    vectors = [p for (core, _), p in found.programs.items() if core is Core.VECTOR]
    if not found.crosses or cube is None or not vectors:
        return []
    every = [cube, *vectors]
    if any(flag not in range(LIMIT) for program in every for flag in _flags(program)):
        return []  # told as such
    if not all(program.sure(flag) for program in every for flag in (None, *_flags(program))):
        return []
    return [
        Ways(*(_way(cube, vectors, from_cube, most) for most in (from_cube, not from_cube)))
        for from_cube in (True, False)
    ]


def _flags(program: Program) -> set[int]:
    signal, wait = Kind.SIGNAL, Kind.AWAIT
    return {event.flag for event in program.events if event.kind is signal or event.kind is wait}


def _way(cube: Program, vectors: Sequence[Program], from_cube: bool, most: bool) -> Way:
    """`most`: with the vector core that uses a flag most often; else least."""
    if from_cube:
        waits, cores = _chosen(vectors, Kind.AWAIT, most)
        return Way(Uses.of(cube, Kind.SIGNAL), waits, cores, from_cube)
    sets, cores = _chosen(vectors, Kind.SIGNAL, most)
    return Way(sets, Uses.of(cube, Kind.AWAIT), cores, from_cube)


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
        rest = list(surplus)
        for flag in sorted(lacking):
            odd = odd_id(flag, sorted(rest), way.sets, way.waits)
            _tell_lacking(flag, odd, way, context)
            if odd is not None:
                rest = []  # one wrong id lets two flags differ
        for flag in _left(one.surplus) if rest or not lacking else ():
            told = flag not in lacking and _runs_over(flag, one.surplus, context) or told
        told = told or bool(lacking)
    return told


def _left(way: Way) -> list[int]:
    """The flags that are set more often than they are waited for."""
    return sorted(unequal(way.sets.totals, way.waits.totals)[1])


def _tell_lacking(flag: int, odd: Odd | None, way: Way, context: CheckContext) -> None:
    wait, others = way.waits.stmts(flag)[0], way.sets.stmts(flag)
    if odd is not None and odd.sets:
        _add(
            odd.stmt,
            f"flag {odd.flag}: {way.set_here(odd.flag)}, but {way.waits_there(odd.flag)}, which waits "
            f"for flag {flag} instead, {_lack(flag, way)}, and stands still for ever",
            Related(wait.span, f"waits for flag {flag}"),
            context,
        )
        return
    stmt = odd.stmt if odd is not None else wait
    related = None
    if odd is not None and odd.other is not None:
        related = Related(odd.other.span, "this set is never waited for")
    elif others:
        related = Related(others[0].span, "the set")
    _add(stmt, f"{way.text(flag)}: this core waits for ever", related, context)


def _lack(flag: int, way: Way) -> str:
    waits, sets = way.waits.totals[flag], way.sets.totals[flag]
    return f"{_count(waits, 'time')} for {_count(sets, 'set')}"


def _runs_over(flag: int, way: Way, context: CheckContext) -> bool:
    sets, waits = way.sets.totals[flag], way.waits.totals[flag]
    if sets - waits < LIMIT or not waits:
        return False
    context.report.add(
        "cross-flag-unmatched",
        way.sets.stmts(flag)[0].span,
        f"flag {flag}: {_count(sets, 'set')} and {_count(waits, 'wait')} in a block; the counter "
        f"holds {LIMIT - 1}, less than {LIMIT}, and what is left over ends waits of later launches",
        notes=("Set the flag as often as the other side waits for it.",),
        related=(Related(way.waits.stmts(flag)[0].span, "the wait"),),
    )
    return True


def left_set(every: Sequence[Ways], context: CheckContext) -> None:
    """Tell of sets that nobody waits for."""
    for way in (one.surplus for one in every):
        for flag in _left(way):
            waits = way.waits.stmts(flag)
            context.report.add(
                "cross-flag-unmatched",
                way.sets.stmts(flag)[0].span,
                f"flag {flag}: {way.set_here(flag)}, but {way.waits_there(flag)}: it is still set at "
                "the end of the kernel",
                notes=(
                    "CANN asks for a wait for each set and calls anything else undefined. Nothing but a "
                    "wait is said to take a set back: it may end a wait of the next launch.",
                ),
                related=(Related(waits[0].span, "the wait"),) if waits else (),
                severity=Severity.WARNING,
            )


def _add(stmt: Stmt, text: str, related: Related | None, context: CheckContext) -> None:
    also = (related,) if related is not None else ()
    context.report.add("cross-flag-unmatched", stmt.span, text, related=also)


def _count(number: int, word: str) -> str:
    return f"{number} {word if number == 1 else word + 's'}"
