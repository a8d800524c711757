"""Flags between the cores: counters, set on one side as often as they are waited for on the other.

The sets and waits of each core are counted for the first block. Where a value that decides on them is
known on the device only, nothing is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.known_values import Undecided, Values, first_block
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.expr import Expr, free_vars
from tl_ascend.ir.nodes import (
    Block,
    Break,
    CoreScope,
    For,
    If,
    Kernel,
    Let,
    Stmt,
    TileOp,
    exprs_of,
    walk_stmts,
)
from tl_ascend.target.hardware import Core

LIMIT = 16  # what a counter holds
MAX_STEPS = 5000
SET, WAIT = "set_cross_flag", "wait_cross_flag"
_Where = Mapping[tuple[str, int], TileOp]
_TOLD = ("cross-flag-unmatched", "core-race")
HALVES = 2  # the mode in which a cube core and both of its vector cores signal each other


@dataclass(slots=True)
class _Uses(Values):
    """How often a core sets (or waits for) each flag, and where first."""

    core: Core
    count: Counter[tuple[str, int]] = field(default_factory=Counter)
    where: dict[tuple[str, int], TileOp] = field(default_factory=dict)
    steps: int = 0

    def block(self, block: Block, times: int) -> None:
        for stmt in block:
            if isinstance(stmt, Let):
                self.bind(stmt)
            elif _uses_flags((stmt,)):
                self.stmt(stmt, times)

    def stmt(self, stmt: Stmt, times: int) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Undecided
        if isinstance(stmt, TileOp):
            self._flag(stmt, times)
        elif isinstance(stmt, CoreScope):
            self.block(stmt.body if stmt.core is self.core else (), times)
        elif isinstance(stmt, If):
            self.block(stmt.then if self.number(stmt.condition) else stmt.other, times)
        elif isinstance(stmt, For) and not any(isinstance(s, Break) for s in walk_stmts(stmt.body)):
            self._loop(stmt, times)
        else:
            raise Undecided

    def _loop(self, loop: For, times: int) -> None:
        if loop.kind == "persistent":
            raise Undecided
        start, extent = self.number(loop.start), self.number(loop.extent)
        if not _decides(loop):
            self.block(loop.body, times * max(extent, 0))
            return
        for at in range(start, start + extent):
            self.env[loop.var] = at
            self.block(loop.body, times)

    def _flag(self, stmt: TileOp, times: int) -> None:
        sets = stmt.op == SET
        if sets and stmt.args[2] != HALVES:
            raise Undecided
        key = stmt.op, self.number(stmt.args[1 if sets else 0])
        self.count[key] += times
        if times:
            self.where.setdefault(key, stmt)


def _uses_flags(block: Block) -> bool:
    return any(isinstance(s, TileOp) and s.op in (SET, WAIT) for s in walk_stmts(block))


def _decides(loop: For) -> bool:
    """True where the variable of a loop, or what is made of it, says which flags are used."""
    names: set[Expr] = {loop.var}
    for stmt in walk_stmts(loop.body):
        used = any(v in names for e in exprs_of(stmt) for v in free_vars(e))
        if isinstance(stmt, Let) and used:
            names.add(stmt.var)
        elif used and not isinstance(stmt, TileOp) and _uses_flags((stmt,)):
            return True
        elif used and isinstance(stmt, TileOp) and stmt.op in (SET, WAIT):
            return True
    return False


def cross_core_flags(context: CheckContext) -> None:
    """Counters that run over, and waits that nobody ends."""
    for side in _sides(context.before):
        _compare(side, context)


def left_set(context: CheckContext) -> None:
    """Sets that nobody waits for, where nothing else is wrong with the flags between the cores."""
    if any(finding.name in _TOLD for finding in context.report.findings):
        return
    for side in _sides(context.before):
        where, other = side.setting.get((SET, side.flag)), side.waiting.get((WAIT, side.flag))
        if side.sets > side.waits and where is not None:
            waits = _count(side.waits, "wait") if side.waits else "no wait"
            context.report.add(
                "cross-flag-unmatched",
                where.span,
                f"flag {side.flag}: {_count(side.sets, 'set')}, but {waits} on the other side: it is "
                "still set at the end of the kernel",
                notes=(
                    "CANN asks for a wait for each set and calls anything else undefined. Nothing but a "
                    "wait is said to take a set back: it may end a wait of the next launch.",
                ),
                related=(Related(other.span, "the wait"),) if other is not None else (),
                severity=Severity.WARNING,
            )


@dataclass(frozen=True, slots=True)
class _Side:
    """How often one half sets a flag, and the other waits for it."""

    flag: int
    sets: int
    waits: int
    setting: _Where
    waiting: _Where


def _sides(kernel: Kernel) -> list[_Side]:
    """Both directions of each flag; none where their counts are not known."""
    if kernel.launch is None or not _uses_flags(kernel.body) or not _only_in_scopes(kernel.body):
        return []
    try:
        cube = _of(kernel, Core.CUBE, 0)
        vectors = [_of(kernel, Core.VECTOR, core) for core in (0, 1)]
    except Undecided:
        return []
    flags = {flag for uses in (cube, *vectors) for _, flag in uses.count}
    if any(flag not in range(LIMIT) for flag in flags):
        return []  # told as such
    found = []
    for flag in sorted(flags):
        sets, waits = cube.count[SET, flag], max(v.count[WAIT, flag] for v in vectors)
        found.append(_Side(flag, sets, waits, cube.where, vectors[0].where | vectors[1].where))
        sets, waits = min(v.count[SET, flag] for v in vectors), cube.count[WAIT, flag]
        found.append(_Side(flag, sets, waits, vectors[0].where, cube.where))
    return found


def _only_in_scopes(block: Block) -> bool:
    return all(
        isinstance(stmt, CoreScope)
        or not _uses_flags((stmt,))
        or (isinstance(stmt, For) and _only_in_scopes(stmt.body))
        for stmt in block
    )


def _of(kernel: Kernel, core: Core, vector: int) -> _Uses:
    uses = _Uses(first_block(kernel, vector), core)
    uses.block(kernel.body, 1)
    return uses


def _compare(side: _Side, context: CheckContext) -> None:
    flag, sets, waits = side.flag, side.sets, side.waits
    where, other = side.setting.get((SET, flag)), side.waiting.get((WAIT, flag))
    if sets - waits >= LIMIT and where is not None and waits:
        context.report.add(
            "cross-flag-unmatched",
            where.span,
            f"flag {flag}: {_count(sets, 'set')} and {_count(waits, 'wait')} in a block; the counter "
            f"holds {LIMIT - 1}, less than {LIMIT}, and what is left over ends waits of later launches",
            notes=("Set the flag as often as the other side waits for it.",),
            related=(Related(other.span, "the wait"),) if other is not None else (),
        )
    elif waits > sets and other is not None:
        context.report.add(
            "cross-flag-unmatched",
            other.span,
            f"flag {flag}: {_count(waits, 'wait')}, but only {_count(sets, 'set')} on the other side: "
            "this core waits for ever",
            related=(Related(where.span, "the set"),) if where is not None else (),
        )


def _count(number: int, word: str) -> str:
    return f"{number} {word if number == 1 else word + 's'}"
