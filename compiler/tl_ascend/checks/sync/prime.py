"""The repair of flags that a loop hands from one iteration to the next: set once before, and waited for
once behind it. Offered only where an execution of the whole program then ends with every flag waited
for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tl_ascend.checks.sync.engine import Engine
from tl_ascend.checks.sync.events import PIPES, Event, Kind, Program
from tl_ascend.checks.sync.outcome import Outcome, Stuck
from tl_ascend.diagnostics.report import LANGUAGE, Edit, Fix, Where
from tl_ascend.ir.nodes import Block, CoreScope, For, Kernel, Stmt, TileOp, walk_stmts

MAX_FLAGS = 16


@dataclass(frozen=True, slots=True)
class Prime:
    """`ids`: of the flags of the call at fault; `first`, `last`: what is set before the loop, and waited
    for behind it."""

    fix: Fix
    ids: list[int]
    first: tuple[Event, ...] = ()
    last: tuple[Event, ...] = ()

    def helps(self, program: Program) -> bool:
        """True where a program ends with this, and none of these flags is left."""
        outcome = _execute(program, self.first, self.last)
        flags = _flags((*self.first, *self.last))
        bad = outcome.stuck or outcome.doubled
        return not bad and not any(event.flag in flags for _, event in outcome.left)


def prime(
    program: Program, wait: Stuck, kernel: Kernel, others: Sequence[Program] = ()
) -> Prime | None:
    """None where setting flags before the loop does not let the program end. `others`: the same with
    other sizes."""
    found = _prime(program, wait, kernel) if _known(program, others) else None
    return found if found is not None and all(map(found.helps, others)) else None


def _prime(program: Program, wait: Stuck, kernel: Kernel) -> Prime | None:
    loop = _loop_of(wait.event.stmt, kernel)
    if loop is None:
        return None
    inside = {id(stmt) for stmt in walk_stmts(loop.body)}
    first: list[Event] = [wait.event]
    while len(first) <= MAX_FLAGS:
        outcome = _execute(program, first, [])
        if not outcome.stuck:
            return _repair(first, outcome, loop, kernel)
        early = _early(program, outcome, first, inside)
        if early is None:
            return None
        first.append(early)
    return None


def drain(
    program: Program, left: Sequence[Event], kernel: Kernel, others: Sequence[Program] = ()
) -> Prime | None:
    """The waits that are missing behind the loop of the first of some sets that nobody waits for, for
    all of them that stand in this loop and are waited for there. `others`: the same program with other
    sizes."""
    found = _drain(program, left, kernel) if _known(program, others) else None
    return found if found is not None and all(map(found.helps, others)) else None


def _drain(program: Program, left: Sequence[Event], kernel: Kernel) -> Prime | None:
    loop = _loop_of(left[0].stmt, kernel)
    if loop is None:
        return None
    inside = {id(stmt) for stmt in walk_stmts(loop.body)}
    waited = {e.flag for e in program.events if e.kind is Kind.WAIT and id(e.stmt) in inside}
    last = [e for e in left if id(e.stmt) in inside and e.flag in waited]
    if left[0] not in last or len(last) > MAX_FLAGS:
        return None
    outcome = _execute(program, [], last)
    if outcome.stuck or outcome.doubled or any(e.flag in _flags(last) for _, e in outcome.left):
        return None
    return _written([], last, loop, kernel)


def _known(program: Program, others: Sequence[Program]) -> bool:
    every = all(one.whole and not one.open for one in (program, *others))
    return every and (bool(others) or not program.sized)


def _flags(events: Sequence[Event]) -> list[Any]:
    return [event.flag for event in events]


def _early(
    program: Program, outcome: Outcome, first: list[Event], inside: set[int]
) -> Event | None:
    """The first wait that still stands before its set: of the author's, in this loop."""
    stuck = {id(s.event) for s in outcome.stuck if s.event.kind is Kind.WAIT}
    known = set(_flags(first))
    for event in program.events:
        if event.kind is Kind.SET:
            known.add(event.flag)
        elif id(event) in stuck and event.flag not in known and id(event.stmt) in inside:
            return event if _authors(event) else None
    return None


def _authors(event: Event) -> bool:
    flag: Any = event.flag
    return isinstance(flag, tuple) and flag[0] != "template"


def _execute(program: Program, first: Sequence[Event], last: Sequence[Event]) -> Outcome:
    """With some flags set before, and some waited for at the end."""
    sets = [Event(Kind.SET, e.flag[0], e.stmt, e.place, (), e.flag) for e in first]
    waits = [Event(Kind.WAIT, e.flag[1], e.stmt, e.place, (), e.flag) for e in last]
    return Engine([Program([*sets, *program.events, *waits])], cross=False).run()


def _repair(first: list[Event], outcome: Outcome, loop: For, kernel: Kernel) -> Prime | None:
    left = [event.flag for _, event in outcome.left]
    drained = [event for event in first if event.flag in left]
    if outcome.doubled or len(left) != len(drained) or _unordered(first, outcome):
        return None
    return _written(first, drained, loop, kernel)


def _unordered(first: list[Event], outcome: Outcome) -> bool:
    """True where the flags do not order what they ought to."""
    pipes = {frozenset(event.flag[:2]) for event in first}
    return any(frozenset(pair.pipes) in pipes for pair in outcome.loose.values())


def _written(first: list[Event], last: list[Event], loop: For, kernel: Kernel) -> Prime | None:
    """None where what stands beside the loop may use the flags, too."""
    body = next(b for b in _bodies(kernel) if _within(b, loop))
    before, behind = _beside(body, loop)
    for stmts, events in ((before, first), (behind, last)):
        for stmt in walk_stmts(tuple(stmts)):
            if any(_touches(stmt, event) for event in events):
                return None
    told = (first or last)[0]
    ids = sorted(e.flag[2] for e in first or last if _pair(e.stmt) == _pair(told.stmt))
    return Prime(_fix(loop, first, last), ids, tuple(first), tuple(last))


def _bodies(kernel: Kernel) -> list[Block]:
    return [s.body for s in kernel.body if isinstance(s, CoreScope)] or [kernel.body]


def _within(body: Block, stmt: Stmt) -> bool:
    return any(other is stmt for other in walk_stmts(body))


def _loop_of(stmt: Stmt, kernel: Kernel) -> For | None:
    found = (_loop_around(body, stmt) for body in _bodies(kernel))
    return next((loop for loop in found if loop is not None), None)


def _loop_around(body: Block, call: Stmt) -> For | None:
    """The outermost loop around a call."""
    for stmt in body:
        if isinstance(stmt, CoreScope):
            found = _loop_around(stmt.body, call)
            if found is not None:
                return found
        elif isinstance(stmt, For) and _within(stmt.body, call):
            return stmt
    return None


def _beside(body: Block, loop: For) -> tuple[list[Stmt], list[Stmt]]:
    """What stands before a loop and what behind it, in whichever scope."""
    before: list[Stmt] = []
    for at, stmt in enumerate(body):
        behind = list(body[at + 1 :])
        if stmt is loop:
            return before, behind
        if isinstance(stmt, CoreScope) and any(s is loop for s in stmt.body):
            within = _beside(stmt.body, loop)
            return before + within[0], within[1] + behind
        before.append(stmt)
    return before, []


def _touches(stmt: Stmt, event: Event) -> bool:
    """True for a call that may use a flag."""
    if not isinstance(stmt, TileOp) or stmt.op not in ("set_flag", "wait_flag"):
        return False
    number, flag = stmt.args[2], event.flag
    other = isinstance(number, int) and number != flag[2]
    return _pair(stmt) == _pair(event.stmt) and not other


def _pair(stmt: Stmt) -> list[str]:
    return [str(word).upper() for word in stmt.args[:2]] if isinstance(stmt, TileOp) else []


def _fix(loop: For, first: list[Event], last: list[Event]) -> Fix:
    whole = replace(loop.span, part="")
    edits = []
    if first:
        edits.append(Edit(whole, _calls("set_flag", first), Where.ABOVE))
    if last:
        edits.append(Edit(whole, _calls("wait_flag", last), Where.BELOW))
    behind = " and wait behind it" if first and last else ""
    if not first:
        return Fix(f"Wait for {_shown(last)} behind the loop", tuple(edits))
    return Fix(f"Set {_shown(first)} before the loop{behind}", tuple(edits))


def _calls(name: str, events: list[Event]) -> str:
    lines = []
    for words, numbers in _by_pipes(events).values():
        source, target = words
        lines += [f'{LANGUAGE}.{name}("{source}", "{target}", {n})' for n in numbers]
    return "\n".join(lines)


def _shown(events: list[Event]) -> str:
    texts = []
    for pipes, (_, numbers) in _by_pipes(events).items():
        names = "->".join(PIPES[number].value for number in pipes)
        plural = "s" if len(numbers) > 1 else ""
        texts.append(f"{names} id{plural} {', '.join(map(str, numbers))}")
    return " and ".join(texts)


def _by_pipes(events: list[Event]) -> dict[Any, tuple[list[str], list[int]]]:
    """The words for the pipes, and the ids in order, of flags of the same pipes."""
    found: dict[Any, tuple[list[str], list[int]]] = {}
    for event in events:
        assert isinstance(event.stmt, TileOp)
        flag: Any = event.flag
        words = [str(word) for word in event.stmt.args[:2]]
        found.setdefault(flag[:2], (words, []))[1].append(flag[2])
    for _, numbers in found.values():
        numbers.sort()
    return found
