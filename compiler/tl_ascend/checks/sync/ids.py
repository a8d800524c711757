"""Which call has the wrong id, where a flag lacks sets that another one has too many of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.checks.sync.events import Event, Kind, Program
from tl_ascend.ir.nodes import Stmt, TileOp


@dataclass(slots=True)
class Uses:
    """How often each flag is set (or waited for), and by which statements how often."""

    totals: Counter[Any] = field(default_factory=Counter)
    by_stmt: dict[Any, dict[int, tuple[Stmt, int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, program: Program, kind: Kind) -> Uses:
        """Those of one core."""
        found = cls()
        for event, count in program.uses(kind):
            found.add(event, count)
        return found

    def add(self, event: Event, count: int) -> None:
        self.totals[event.flag] += count
        stmts = self.by_stmt.setdefault(event.flag, {})
        stmts[event.place] = event.stmt, stmts.get(event.place, (event.stmt, 0))[1] + count

    def leave(self, flags: Iterable[Any]) -> None:
        """Leave some flags out."""
        for flag in flags:
            self.totals.pop(flag, None)
            self.by_stmt.pop(flag, None)

    def stmts(self, flag: object) -> list[Stmt]:
        """Those that use a flag, in the order in which they come to it."""
        return [stmt for stmt, _ in self.by_stmt.get(flag, {}).values()]

    def exactly(self, flag: object, count: int) -> Stmt | None:
        """The only one of several statements that uses a flag so often."""
        every = self.by_stmt.get(flag, {}).values()
        found = [stmt for stmt, number in every if number == count]
        return found[0] if len(found) == 1 and len(every) > 1 else None

    def spare(self, counts: Mapping[Any, int], doubled: bool = False) -> Stmt | None:
        """The statement that uses all of these flags so often, of several that are alike the last one;
        None where they are different ones. `doubled`: only where there are several."""
        every = [self.by_stmt.get(flag, {}) for flag in counts]
        found = [
            stmt
            for place, (stmt, _) in (every[0] if every else {}).items()
            if all(
                uses.get(place, (stmt, 0))[1] == count
                for uses, count in zip(every, counts.values(), strict=True)
            )
        ]
        alike = {stmt.args if isinstance(stmt, TileOp) else None for stmt in found}
        return found[-1] if len(alike) == 1 and len(found) > doubled else None


@dataclass(frozen=True, slots=True)
class Odd:
    """A call with an id that does not go with the others. `flag`: of it; `sets`: it is a set;
    `other`: a call of the flag that was meant, if there is one."""

    stmt: Stmt
    flag: Any
    sets: bool
    other: Stmt | None


def odd_id(flag: Any, surplus: Iterable[Any], sets: Uses, waits: Uses) -> Odd | None:
    """The call whose id is another one than that of its half. `flag` is waited for more often than it
    is set, those of `surplus`, between the same pipes, are set more often."""
    lack = waits.totals[flag] - sets.totals[flag]
    many = [f for f in surplus if sets.totals[f] - waits.totals[f] > 0]
    alike = [f for f in many if sets.totals[f] - waits.totals[f] == lack] or many[:1]
    if not alike:
        return None
    spare, asked = alike[0], waits.stmts(flag)
    offered = sets.stmts(spare)
    never_set, never_waited = not sets.totals[flag], not waits.totals[spare]
    strange_set = Odd(offered[0], spare, True, asked[0])
    strange_wait = Odd(asked[0], flag, False, offered[0])
    if never_waited and not never_set:
        return strange_set
    if never_set and never_waited:
        known = _familiar(spare, sets, waits) >= _familiar(flag, sets, waits)
        return strange_wait if known else strange_set
    if never_set and not _elsewhere(flag, sets, waits):
        return strange_wait
    extra = sets.exactly(spare, sets.totals[spare] - waits.totals[spare])
    wait = asked[0] if never_set else _backward(waits, flag, lack)
    if extra is not None and (wait is None or never_set):
        return Odd(extra, spare, True, asked[0])
    return None if wait is None else Odd(wait, flag, False, offered[0])


def _backward(uses: Uses, flag: Any, count: int) -> Stmt | None:
    """Of several calls that use a flag so often the one whose id does not go on from those before it."""
    alike = [s for s, number in uses.by_stmt.get(flag, {}).values() if number == count]
    return uses.exactly(flag, count) or (alike[0] if len(alike) > 1 else None)


def _familiar(flag: Any, sets: Uses, waits: Uses) -> tuple[int, int]:
    """How far an id is one that the author works with: used for other pipes, too; else the lower one,
    since ids are counted from 0."""
    return _elsewhere(flag, sets, waits), -(_number(flag) or 0)


def _elsewhere(flag: Any, sets: Uses, waits: Uses) -> int:
    """How many calls of the author's use the same id for other pipes."""
    return sum(
        len(stmts)
        for uses in (sets, waits)
        for other, stmts in uses.by_stmt.items()
        if other != flag and _number(other) == _number(flag)
    )


def _number(flag: Any) -> int | None:
    """The id: of a flag within a core, or between the cores; None within a template."""
    if not isinstance(flag, tuple):
        return int(flag)
    return None if flag[0] == "template" else flag[2]


def unequal(sets: Mapping[Any, int], waits: Mapping[Any, int]) -> tuple[list[Any], list[Any]]:
    """The flags that are waited for more often than they are set, and those that are set more
    often."""
    every = dict.fromkeys((*sets, *waits))
    lacking = [flag for flag in every if waits.get(flag, 0) > sets.get(flag, 0)]
    return lacking, [flag for flag in every if sets.get(flag, 0) > waits.get(flag, 0)]
