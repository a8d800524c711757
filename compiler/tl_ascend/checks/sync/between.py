"""Flags between the cores: counters, set on one side as often as they are waited for on the other.

The sets and waits of each core are counted for the first block. Where a value that decides on them is
known on the device only, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    """How often one half sets flags, and the other waits for them. Of the vector cores those count
    that set less and wait more."""

    sets: Uses
    waits: Uses

    def text(self, flag: int) -> str:
        """How often a flag is waited for and set, for a wait that lacks its set."""
        waits, sets = self.waits.totals[flag], self.sets.totals[flag]
        return f"flag {flag}: {_count(waits, 'wait')}, but only {_count(sets, 'set')} on the other side"


def ways(found: Executions) -> list[Way]:
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
        Way(Uses.of(cube, Kind.SIGNAL), _chosen(vectors, Kind.AWAIT, most=True)),
        Way(_chosen(vectors, Kind.SIGNAL, most=False), Uses.of(cube, Kind.AWAIT)),
    ]


def _flags(program: Program) -> Iterator[int]:
    for event in program.events:
        if event.kind is Kind.SIGNAL or event.kind is Kind.AWAIT:
            yield event.flag


def _chosen(vectors: Sequence[Program], kind: Kind, most: bool) -> Uses:
    """By flag, the uses of the vector core that has most (or least) of them."""
    every = [Uses.of(program, kind) for program in vectors]
    found = Uses()
    for flag in dict.fromkeys(flag for uses in every for flag in uses.totals):
        uses = (max if most else min)(every, key=lambda one: one.totals[flag])
        shown = next(one for one in every if flag in one.by_stmt)
        found.totals[flag] = uses.totals[flag]
        found.by_stmt[flag] = uses.by_stmt.get(flag) or shown.by_stmt[flag]
    return found


def unmatched(every: Sequence[Way], context: CheckContext) -> bool:
    """Tell of waits that nobody ends, and of counters that run over; True where there are any."""
    told = False
    for way in every:
        lacking, surplus = unequal(way.sets.totals, way.waits.totals)
        rest = list(surplus)
        for flag in sorted(lacking):
            odd = odd_id(flag, sorted(rest), way.sets, way.waits)
            _tell_lacking(flag, odd, way, context)
            if odd is not None:
                rest = []  # one wrong id lets two flags differ
        for flag in sorted(rest):
            told = _runs_over(flag, way, context) or told
        told = told or bool(lacking)
    return told


def _tell_lacking(flag: int, odd: Odd | None, way: Way, context: CheckContext) -> None:
    wait, others = way.waits.stmts(flag)[0], way.sets.stmts(flag)
    if odd is not None and odd.sets:
        sets = way.sets.totals[odd.flag]
        _add(
            odd.stmt,
            f"flag {odd.flag}: {_count(sets, 'set')}, but {_waits(way.waits.totals[odd.flag])} on the "
            f"other side, which waits for flag {flag} instead, {_lack(flag, way)}, and stands still "
            "for ever",
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


def left_set(every: Sequence[Way], context: CheckContext) -> None:
    """Tell of sets that nobody waits for."""
    for way in every:
        for flag in sorted(unequal(way.sets.totals, way.waits.totals)[1]):
            waits = way.waits.stmts(flag)
            context.report.add(
                "cross-flag-unmatched",
                way.sets.stmts(flag)[0].span,
                f"flag {flag}: {_count(way.sets.totals[flag], 'set')}, but "
                f"{_waits(way.waits.totals[flag])} on the other side: it is still set at the end of "
                "the kernel",
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


def _waits(number: int) -> str:
    return _count(number, "wait") if number else "no wait"


def _count(number: int, word: str) -> str:
    return f"{number} {word if number == 1 else word + 's'}"
