"""The repair of pipes that stand still in a loop: its flags are set once before, and waited for once
behind it. Offered only where an execution of the whole program then ends with every flag waited for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tl_ascend.checks.sync.engine import Engine
from tl_ascend.checks.sync.events import PIPES, Event, Kind, Program
from tl_ascend.checks.sync.outcome import Outcome, Stuck
from tl_ascend.diagnostics.report import LANGUAGE, Edit, Fix, Where
from tl_ascend.ir.nodes import Block, CoreScope, For, Kernel, Stmt, TileOp, walk_stmts

MAX_FLAGS = 8


@dataclass(frozen=True, slots=True)
class Prime:
    """`ids`: of the flags that are set before the loop."""

    fix: Fix
    ids: list[int]


def prime(program: Program, wait: Stuck, kernel: Kernel) -> Prime | None:
    """None where setting flags before the loop does not let the program end."""
    if not program.whole or program.open or program.sized:
        return None
    flags: list[Any] = [wait.event.flag]
    while len(flags) <= MAX_FLAGS:
        outcome = _execute(program, flags, wait.event)
        waits = [s.event for s in outcome.stuck if s.event.stmt is wait.event.stmt]
        if not outcome.stuck:
            return _repair(flags, outcome, wait.event, kernel)
        if not waits or waits[0].flag in flags:
            return None
        flags.append(waits[0].flag)
    return None


def _execute(program: Program, flags: list[Any], wait: Event) -> Outcome:
    """With some flags set before."""
    sets = [Event(Kind.SET, flag[0], wait.stmt, wait.place, (), flag) for flag in flags]
    return Engine([Program([*sets, *program.events])], cross=False).run()


def _repair(flags: list[Any], outcome: Outcome, wait: Event, kernel: Kernel) -> Prime | None:
    left = [event.flag for _, event in outcome.left]
    drained = sorted(flag[2] for flag in flags if flag in left)
    if outcome.doubled or len(left) != len(drained):
        return None
    for body in [s.body for s in kernel.body if isinstance(s, CoreScope)] or [kernel.body]:
        loop = _loop_around(body, wait.stmt)
        if loop is not None:
            ids = sorted(flag[2] for flag in flags)
            before = walk_stmts(tuple(_before(body, loop)))
            if any(_touches(stmt, wait.stmt, ids) for stmt in before):
                return None
            return Prime(_fix(loop, wait, ids, drained), ids)
    return None


def _loop_around(body: Block, wait: Stmt) -> For | None:
    """The outermost loop around a wait."""
    for stmt in body:
        if isinstance(stmt, CoreScope):
            found = _loop_around(stmt.body, wait)
            if found is not None:
                return found
        elif isinstance(stmt, For) and any(s is wait for s in walk_stmts(stmt.body)):
            return stmt
    return None


def _before(body: Block, loop: For) -> list[Stmt]:
    """What stands before a loop, in whichever scope."""
    found: list[Stmt] = []
    for stmt in body:
        if stmt is loop:
            break
        if isinstance(stmt, CoreScope) and any(s is loop for s in stmt.body):
            found += _before(stmt.body, loop)
            break
        found.append(stmt)
    return found


def _touches(stmt: Stmt, wait: Stmt, ids: list[int]) -> bool:
    """True for a call that may use one of the flags."""
    if not isinstance(stmt, TileOp) or stmt.op not in ("set_flag", "wait_flag"):
        return False
    return _pair(stmt) == _pair(wait) and not (
        isinstance(stmt.args[2], int) and stmt.args[2] not in ids
    )


def _pair(stmt: Stmt) -> list[str]:
    return [str(word).upper() for word in stmt.args[:2]] if isinstance(stmt, TileOp) else []


def _fix(loop: For, wait: Event, ids: list[int], drained: list[int]) -> Fix:
    assert isinstance(wait.stmt, TileOp)
    source, target = (str(word) for word in wait.stmt.args[:2])

    def calls(name: str, numbers: list[int]) -> str:
        return "\n".join(f'{LANGUAGE}.{name}("{source}", "{target}", {n})' for n in numbers)

    whole = replace(loop.span, part="")
    edits = [Edit(whole, calls("set_flag", ids), Where.ABOVE)]
    if drained:
        edits.append(Edit(whole, calls("wait_flag", drained), Where.BELOW))
    shown = f"id{'s' if len(ids) > 1 else ''} {', '.join(map(str, ids))}"
    behind = " and wait behind it" if drained else ""
    pipes = "->".join(PIPES[number].value for number in wait.flag[:2])
    return Fix(f"Set {pipes} {shown} before the loop{behind}", tuple(edits))
