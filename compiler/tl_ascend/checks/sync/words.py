"""The words for statements, flags and repairs."""

from __future__ import annotations

import itertools
from collections import defaultdict

from tl_ascend.checks.sync.events import PIPES
from tl_ascend.checks.sync.halves import Lost
from tl_ascend.checks.sync.outcome import Pair
from tl_ascend.ir.affine import interval
from tl_ascend.ir.effects import effect_of, form_of
from tl_ascend.ir.nodes import (
    Block,
    CoreScope,
    For,
    If,
    Kernel,
    Stmt,
    Store,
    TileOp,
    While,
    blocks_of,
    walk_stmts,
    within,
)
from tl_ascend.ops.table import TABLE
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import FLAG_IDS, Pipe

_CROSS_IDS = range(11)


class Words:
    """`order`: where each statement stands in the text."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._used: dict[tuple[str, str], set[object]] | None = None
        self._order = {id(stmt): at for at, stmt in enumerate(walk_stmts(kernel.body))}

    def of(self, stmt: Stmt) -> str:
        if isinstance(stmt, TileOp):
            return f"T.{stmt.op}"
        return "an element store" if isinstance(stmt, Store) else "an element read"

    def carried(self, pair: Pair) -> bool:
        """True where the first of two accesses stands behind the second in the text."""
        before, after = (self._order.get(id(e.stmt), 0) for e in (pair.before, pair.after))
        return before >= after and pair.cores[0] == pair.cores[1]

    def sides(self, pair: Pair) -> tuple[str, str]:
        """Whose pipes these are, of the second and of the first."""
        first, second = (" of a vector core" if c else " of the cube core" for c in pair.cores)
        return second, first if 0 in pair.cores else " of the other vector core"

    def advice(self, pair: Pair, half: Lost | None, flags: bool) -> tuple[str, ...]:
        """How to order the two."""
        source, target = (PIPES[number].value.lower() for number in pair.pipes)
        everything = "T.barrier_all() between the two orders everything."
        if half is not None:
            beside = any(s.span == half.span for s in _block_of(self._kernel.body, pair.after.stmt))
            wait = half.wait(beside)
            first = self._before_any_set(pair, half)
            since = ", from the first iteration on that finds it set" if first else ""
            return (f"Add {wait} before this{since}: the flag is set, and nobody waits for it.",)
        if not flags:
            return (f"No flag leads from {source.upper()} to {target.upper()}: {everything}",)
        number = self.free(source, target)
        if number is None:
            return (everything,)
        flag = f'("{source}", "{target}", {number})'
        behind, before = self._around(pair)
        wait = f"T.wait_flag{flag} before {before}"
        last = ""
        if self.carried(pair):
            last = " Set it once before the loop, too, and wait for it once behind."
        return (
            f"Add T.set_flag{flag} behind {behind} and {wait}.{last} {everything} "
            "Or leave it to the compiler: TL_ASCEND_AUTO_SYNC.",
        )

    def _before_any_set(self, pair: Pair, half: Lost) -> bool:
        """True where an access stands above all sets of a flag that iterations hand on."""
        pipes = [PIPES[number].value for number in half.pipes]
        sets = (
            self._order[id(stmt)]
            for stmt in walk_stmts(self._kernel.body)
            if isinstance(stmt, TileOp)
            and stmt.op == "set_flag"
            and [str(arg).upper() for arg in stmt.args[:2]] == pipes
        )
        first = self._order.get(id(pair.after.stmt), 0)
        return self.carried(pair) and min(sets, default=0) > first

    def _around(self, pair: Pair) -> tuple[str, str]:
        """Behind what a flag of two accesses is set and before what it is waited for, so that both
        happen equally often."""
        first, second = pair.before.stmt, pair.after.stmt
        paths = path_of(self._kernel.body, first), path_of(self._kernel.body, second)
        level = 0
        while level < min(map(len, paths)) - 1 and paths[0][level] is paths[1][level]:
            level += 1
        outer = [
            path[level] if path else stmt for path, stmt in zip(paths, (first, second), strict=True)
        ]
        before = "this"
        behind = self._last(first, outer[1], PIPES[pair.pipes[0]])
        if outer[0] is not first:
            behind = f"the {block_name(outer[0])} around {self.of(first)}"
        if outer[1] is not second:
            before = f"the {block_name(outer[1])} around this"
        return behind, before

    def _last(self, first: Stmt, second: Stmt, pipe: Pipe) -> str:
        """The last statement between two that gives work to the pipe of the first."""
        block = _block_of(self._kernel.body, first)
        at = {id(stmt): number for number, stmt in enumerate(block)}
        between = block[at[id(first)] + 1 : at.get(id(second), 0)] if block else ()
        last = [stmt for stmt in between if isinstance(stmt, TileOp) and works_on(stmt, pipe)]
        return f"the last {self.of(last[-1])} before this" if last else self.of(first)

    def of_other_pipe(self, pair: Pair) -> str | None:
        """A set behind the first of two accesses that names another pipe than the one that does it."""
        wrong = self._of_other_pipe(pair)
        if wrong is None:
            return None
        pipe, copy = PIPES[pair.pipes[0]].value, self.of(pair.before.stmt)
        return (
            f'T.set_cross_flag("{wrong.args[0]}", ...) behind {copy} does not wait for {pipe}, '
            f'which does the work there: write "{pipe}".'
        )

    def _of_other_pipe(self, pair: Pair) -> TileOp | None:
        """The set behind the first access that names another pipe, where the other half waits for that
        flag before the second access."""
        behind = self.beside(pair.before.stmt, "set_cross_flag", behind=True)
        waits = self.beside(pair.after.stmt, "wait_cross_flag", behind=False)
        asked = [_values(wait.args[0]) for wait in waits]
        right = PIPES[pair.pipes[0]].value
        sets = [stmt for stmt in behind if any(_values(stmt.args[1]) & ids for ids in asked)]
        if not sets or any(str(stmt.args[0]).upper() == right for stmt in sets):
            return None
        return sets[0]

    def above(self, stmt: Stmt) -> Block:
        """What stands above a statement in its block, the nearest first."""
        block = _block_of(self._kernel.body, stmt)
        return block[: next((at for at, one in enumerate(block) if one is stmt), 0)][::-1]

    def same_flag(self, one: object, other: object) -> bool:
        """True where two flags between the cores may be the same."""
        return bool(_values(one) & _values(other))

    def beside(self, stmt: Stmt, op: str, behind: bool) -> list[TileOp]:
        """The calls in the same block behind a statement, or before it and in branches before it, with
        nothing between that orders pipes."""
        block = _block_of(self._kernel.body, stmt)
        at = next((at for at, one in enumerate(block) if one is stmt), 0)
        part = block[at + 1 :] if behind else block[:at][::-1]
        every = (
            one
            for stmt in part
            for one in (within(stmt) if isinstance(stmt, If) and not behind else (stmt,))
        )
        calls = [one for one in every if isinstance(one, TileOp) and TABLE[one.op].kind == "sync"]
        near = itertools.takewhile(lambda call: not behind or "cross_flag" in call.op, calls)
        return [call for call in near if call.op == op]

    def free_between(self) -> int | None:
        """A flag between the cores that no call can use."""
        used: set[int] = set()
        for stmt in walk_stmts(self._kernel.body):
            if isinstance(stmt, TileOp) and stmt.op in ("set_cross_flag", "wait_cross_flag"):
                used |= _values(stmt.args[1 if stmt.op == "set_cross_flag" else 0])
        return next((n for n in _CROSS_IDS if n not in used), None)

    def free(self, source: str, target: str) -> int | None:
        """An id that neither the author nor a template uses for two pipes."""
        used = self._ids()[source, target]
        return next((n for n in range(FLAG_IDS) if n not in used), None)

    def _ids(self) -> dict[tuple[str, str], set[object]]:
        """The ids that are in use, by pipes."""
        if self._used is None:
            self._used = defaultdict(set)
            for stmt in walk_stmts(self._kernel.body):
                form = form_of(stmt) if isinstance(stmt, TileOp) else None
                for a, b, number in form.events if form is not None else ():
                    self._used[a.value.lower(), b.value.lower()].add(number)
                if isinstance(stmt, TileOp) and stmt.op in ("set_flag", "wait_flag"):
                    first, second, given = stmt.args[:3]
                    ids = (given,) if isinstance(given, int) else range(FLAG_IDS // 2)
                    self._used[str(first).lower(), str(second).lower()].update(ids)
        return self._used

    def again(self, pair: Pair) -> str:
        """A further place that the same flag is missing at."""
        does = "writes" if pair.second.write else "reads"
        pipes = " after ".join(PIPES[number].value for number in reversed(pair.pipes))
        return f"{pipes}: {does} {pair.second.buffer.name} without waiting, too"


def works_on(stmt: Stmt, pipe: Pipe) -> bool:
    """True where a statement, or one in it, gives work to a pipe."""
    return any(step.pipe is pipe for s in within(stmt) for step in effect_of(s).steps)


def busy_on(block: Block, pipe: Pipe) -> set[Span]:
    """The spans of the statements that give work to a pipe, or that hold one which does."""
    found: set[Span] = set()
    _busy(block, pipe, found)
    return found


def _busy(block: Block, pipe: Pipe, found: set[Span]) -> bool:
    some = False
    for stmt in block:
        works = False
        for step in effect_of(stmt).steps:
            works = works or step.pipe is pipe
        for body in blocks_of(stmt):
            works = _busy(body, pipe, found) or works
        if works:
            found.add(stmt.span)
            some = True
    return some


def block_name(stmt: Stmt) -> str:
    return "loop" if isinstance(stmt, (For, While)) else "branch"


def path_of(block: Block, sought: Stmt) -> list[Stmt]:
    """The statements around one, and that one itself; scopes are left out."""
    for stmt in block:
        if stmt is sought:
            return [stmt]
        for inner in blocks_of(stmt):
            found = path_of(inner, sought)
            if found:
                return found if isinstance(stmt, CoreScope) else [stmt, *found]
    return []


def _values(flag: object) -> set[int]:
    """The ids that a flag between the cores may have."""
    low, high = interval(flag)
    first, last = _CROSS_IDS[0], _CROSS_IDS[-1]
    return set(
        range(first if low is None else low, (last if high is None else min(high, last)) + 1)
    )


def _block_of(block: Block, stmt: Stmt) -> Block:
    """The block that holds a statement; empty where there is none."""
    if any(one is stmt for one in block):
        return block
    inner = (_block_of(b, stmt) for one in block for b in blocks_of(one))
    return next((found for found in inner if found), ())
