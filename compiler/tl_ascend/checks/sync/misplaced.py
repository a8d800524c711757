"""Flags between the cores that are set too early, or not waited for in each turn: what is there already,
moved, or waited for once more, orders the accesses. Each is tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tl_ascend.checks.sync.apart import alike_until, orders
from tl_ascend.checks.sync.events import PIPES
from tl_ascend.checks.sync.outcome import Pair
from tl_ascend.checks.sync.proof import Added, without
from tl_ascend.checks.sync.words import Words, path_of
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.fold import compare, substitute
from tl_ascend.ir.nodes import For, If, Kernel, Stmt, TileOp
from tl_ascend.ir.text import show

_MOST_SETS = 2
_MOST_AHEAD = 4  # turns by which a ring of slots lets a core be ahead
_Found = tuple[str, tuple[Related, ...]]


def set_early(pair: Pair, words: Words, kernel: Kernel) -> _Found | None:
    """A set above the first of two accesses, of its pipe, that orders them where it stands behind it."""
    first = pair.before.stmt
    for call in list(_above(pair, words))[:_MOST_SETS]:
        moved = Added(first.span, True, call.op, call.args)
        if orders((moved,), replace(kernel, body=without(kernel.body, call)), pair):
            name, done = words.of(first), "written" if pair.first.write else "read"
            return (
                f'T.{call.op}("{call.args[0]}", {show(call.args[1])}) stands before {name}, and tells '
                f"nothing of it: move it behind {name}.",
                (Related(call.span, f"set before {pair.first.buffer.name} is {done}"),),
            )
    return None


def _above(pair: Pair, words: Words) -> Iterator[TileOp]:
    pipe = PIPES[pair.pipes[0]].value
    for stmt in words.above(pair.before.stmt):
        if isinstance(stmt, TileOp) and stmt.op == "set_cross_flag":
            if str(stmt.args[0]).upper() == pipe:
                yield stmt


@dataclass(frozen=True, slots=True)
class _Later(Added):
    """A call of the turns from some on."""

    turn: Expr
    first: int

    @property
    def code(self) -> Stmt:
        call = self.call
        return If(compare(">=", self.turn, self.first), (call,), (), call.span)


def later_turns(pair: Pair, stmt: TileOp, kernel: Kernel) -> _Found | None:
    """A wait for a set, in the turns behind those for which a ring has room."""
    sets, after = path_of(kernel.body, stmt), path_of(kernel.body, pair.after.stmt)
    level = alike_until(sets, after)
    loop = after[level - 1] if sets and after and level else None
    if not isinstance(loop, For) or loop.start != 0:
        return None
    names: dict[Expr, Expr] = {
        one.var: other.var
        for one, other in zip(sets[:level], after[:level], strict=True)
        if isinstance(one, For) and isinstance(other, For)
    }
    flag = substitute(stmt.args[1], names)
    for turns in range(1, _MOST_AHEAD + 1):
        added = _Later(after[level].span, False, "wait_cross_flag", (flag,), loop.var, turns)
        if orders((added,), kernel, pair):
            return (
                f"Add `if {show(loop.var)} >= {turns}: T.wait_cross_flag({show(flag)})` before this: "
                "the flag is set, and nobody waits for it in the loop.",
                (Related(stmt.span, "set, and not waited for in the loop"),),
            )
    return None
