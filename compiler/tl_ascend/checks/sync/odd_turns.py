"""Which call of a ring of flags between the cores takes the wrong slot: where turns do not come out
even, flags are waited for more often than set, and with the ids of that call moved on they match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tl_ascend.checks.sync.ids import Uses, unequal
from tl_ascend.checks.sync.slots import offset_of, parts_of, written
from tl_ascend.diagnostics.report import Applicability, Edit, Fix
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import Kernel, Stmt, TileOp, walk_stmts


@dataclass(frozen=True, slots=True)
class Turned:
    """A call that takes the slot of another turn. `wrong`, `right`: the first id that it takes, and what
    that ought to be; `text`: how to write it; `others`: calls that may be meant as well."""

    stmt: Stmt
    sets: bool
    wrong: int
    right: int
    text: str | None
    others: tuple[Turned, ...] = ()

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """The change, for its author to decide."""
        if self.text is None or self.others or not isinstance(self.stmt, TileOp):
            return ()
        edit = Edit(self.stmt.spans[_place(self.stmt)], self.text)
        return (Fix(f"Take flag {self.text}", (edit,), Applicability.UNSAFE),)


def turned(sets: Uses, waits: Uses, kernel: Kernel) -> Turned | None:
    """None where no call with its ids moved on makes all match."""
    found = [*_moved(sets, waits, True), *_moved(waits, sets, False)]
    if not found:
        return None
    calls = [stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, TileOp)]
    every = [{part for arg in call.args for part in parts_of(arg)} for call in calls]
    first, *others = sorted(found, key=lambda one: _familiar(one.stmt, every))
    alike = [one for one in others if _familiar(one.stmt, every) == _familiar(first.stmt, every)]
    return Turned(first.stmt, first.sets, first.wrong, first.right, first.text, tuple(alike))


def _familiar(stmt: Stmt, every: Sequence[set[Any]]) -> tuple[int, int]:
    """How many calls use the id as it is written, and without its first id."""
    assert isinstance(stmt, TileOp)
    number = stmt.args[_place(stmt)]
    names = (number, offset_of(number)[0])
    full, bare = (sum(one in parts for parts in every) for one in names)
    return full, bare


def _place(stmt: TileOp) -> int:
    return 0 if stmt.op == "wait_cross_flag" else 1


def _moved(uses: Uses, others: Uses, sets: bool) -> Iterator[Turned]:
    """The calls of one half that compute their ids, where these moved on make both halves alike."""
    by_place: dict[int, dict[int, tuple[Stmt, int]]] = {}
    for flag, stmts in uses.by_stmt.items():
        for place, one in stmts.items():
            by_place.setdefault(place, {})[flag] = one
    for flags in by_place.values():
        stmt = next(iter(flags.values()))[0]
        ring = sorted(flags)
        if not isinstance(stmt, TileOp) or len(ring) < 2:
            continue
        number = stmt.args[_place(stmt)]
        for step in range(1, len(ring) if isinstance(number, Expr) else 1):
            ids = {flag: ring[(at + step) % len(ring)] for at, flag in enumerate(ring)}
            totals = Counter(uses.totals)
            for flag, (_, count) in flags.items():
                totals[flag] -= count
                totals[ids[flag]] += count
            if unequal(totals, others.totals) == ([], []):
                wrong = next(iter(flags))
                text = written(number, ids, step, ring)
                yield Turned(stmt, sets, wrong, ids[wrong], text)
