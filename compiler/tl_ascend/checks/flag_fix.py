"""The repair of pipes that stand still in a loop: its flags are set once before, and waited for once
behind it. Offered only where a run of the whole program then ends with every flag waited for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from tl_ascend.diagnostics.report import LANGUAGE, Edit, Fix, Where
from tl_ascend.ir.nodes import Block, CoreScope, For, Stmt, TileOp, walk_stmts
from tl_ascend.target.hardware import Pipe

MAX_FLAGS = 8
Flag = tuple[Pipe, Pipe, int]
# Runs a program with some flags set: the flag that the first pipe of a ring waits for and the
# statement of that wait (None where nothing stands still), and how often each flag is set at the end.
Run = Callable[[Iterable[Flag]], tuple[tuple[Flag, Stmt] | None, dict[Flag, int]]]


def prime_and_drain(body: Block, wait: TileOp, run: Run) -> Fix | None:
    """None where setting flags before the loop does not let the program end."""
    flags: list[Flag] = []
    while len(flags) <= MAX_FLAGS:
        stuck, left = run(flags)
        if stuck is None:
            break
        flag, stmt = stuck
        if stmt is not wait or flag in flags:
            return None
        flags.append(flag)
    else:
        return None
    loop = _loop_around(body, wait)
    if loop is None or any(left.get(flag) != 1 for flag in flags):
        return None
    return _fix(loop, wait, sorted(number for _, _, number in flags))


def _loop_around(body: Block, wait: TileOp) -> For | None:
    """The outermost loop around a wait, if all uses of its pair of pipes are in it."""
    for stmt in body:
        if isinstance(stmt, CoreScope):
            found = _loop_around(stmt.body, wait)
            if found is not None:
                return found
        elif isinstance(stmt, For) and any(s is wait for s in walk_stmts(stmt.body)):
            outside = [s for other in body if other is not stmt for s in walk_stmts((other,))]
            return None if any(_same_pair(s, wait) for s in outside) else stmt
    return None


def _same_pair(stmt: Stmt, wait: TileOp) -> bool:
    uses = isinstance(stmt, TileOp) and stmt.op in ("set_flag", "wait_flag")
    return uses and _pair(stmt) == _pair(wait)


def _pair(stmt: Stmt) -> list[str]:
    return [str(word).upper() for word in stmt.args[:2]] if isinstance(stmt, TileOp) else []


def _fix(loop: For, wait: TileOp, numbers: list[int]) -> Fix:
    source, target = (str(word) for word in wait.args[:2])

    def calls(name: str) -> str:
        return "\n".join(f'{LANGUAGE}.{name}("{source}", "{target}", {n})' for n in numbers)

    whole = replace(loop.span, part="")
    edits = (
        Edit(whole, calls("set_flag"), Where.ABOVE),
        Edit(whole, calls("wait_flag"), Where.BELOW),
    )
    ids = f"id{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
    title = f"Set {source}->{target} {ids} before the loop and wait behind it"
    return Fix(title, edits)
