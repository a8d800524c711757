"""Flags that one branch of a condition sets and the other does not, where the data decide which one is
taken and the wait comes in any case: whenever the other one is taken, a set lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.sync.words import path_of
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.expr import Expr, Load, walk
from tl_ascend.ir.nodes import Block, Break, For, If, Kernel, Stmt, TileOp, While, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.ir.text import show

_SETS = {"set_flag": "wait_flag", "set_cross_flag": "wait_cross_flag"}


def one_branch(context: CheckContext) -> None:
    """Nothing is said where there are other sets or waits of the flag: these may make up for it."""
    kernel = context.before
    calls = [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp)]
    uses = [call for call in calls if call.op in _SETS or call.op in _SETS.values()]
    for call in uses:
        alike = [one for one in uses if _flag(one) == _flag(call)]
        if call.op not in _SETS or len(alike) != 2 or not isinstance(_flag(call)[-1], int):
            continue
        (wait,) = (one for one in alike if one is not call)
        branch = _lacking(call, wait, kernel)
        if branch is not None and wait.op == _SETS[call.op]:
            _tell(call, wait, branch, context)


def _flag(call: TileOp) -> tuple[Any, ...]:
    if "cross" in call.op:
        return ("cross", call.args[call.op == "set_cross_flag"])
    return tuple(str(arg).lower() for arg in call.args[:2]) + (call.args[2],)


def _lacking(call: TileOp, wait: TileOp, kernel: Kernel) -> If | None:
    """The condition on data of which the other branch has no set, where loops turn equally often around
    it and the wait."""
    sets, waits = path_of(kernel.body, call), path_of(kernel.body, wait)
    at = next((at for at, one in enumerate(sets) if isinstance(one, If)), None)
    branch = sets[at] if at is not None else None
    if not isinstance(branch, If) or at is None or not _of_data(branch.condition):
        return None
    loops, others = sets[:at], waits[:-1]
    whole = all(isinstance(one, For) and not any(_leaves(one.body)) for one in (*loops, *others))
    same = [getattr(one, "extent", None) for one in loops] == [
        getattr(one, "extent", None) for one in others
    ]
    in_branch = all(isinstance(one, (If, TileOp)) for one in sets[at:])
    return branch if whole and same and in_branch else None


def _leaves(block: Block) -> Iterator[Stmt]:
    yield from (stmt for stmt in walk_stmts(block) if isinstance(stmt, (While, Break)))


def _of_data(condition: object) -> bool:
    """True where a condition goes by elements of tensors, not by variables of the kernel."""
    parts = (condition, *walk(condition)) if isinstance(condition, Expr) else ()
    loads = [one for one in parts if isinstance(one, Load)]
    return bool(loads) and all(root(one.buffer).scope == "GM" for one in loads)


def _tell(call: TileOp, wait: TileOp, branch: If, context: CheckContext) -> None:
    cross = "cross" in call.op
    number = _flag(call)[-1]
    pipes = "->".join(str(arg).upper() for arg in call.args[:2])
    flag = f"flag {number}" if cross else f"{pipes} id {number}"
    context.report.add(
        "cross-flag-unmatched" if cross else "flag-unmatched",
        call.span,
        f"{flag} is set on one way through `if {show(branch.condition)}` only, and waited for on "
        "either: where the data take the other way, the wait never ends",
        notes=("Set it in the other branch, too, or behind the condition.",),
        related=(Related(branch.span, "decided by data"), Related(wait.span, "waits in any case")),
        severity=Severity.WARNING,
    )
