"""Waits between the cores that stand under a condition, and are left out where an access needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from tl_ascend.checks.sync.events import PIPES
from tl_ascend.checks.sync.outcome import Pair
from tl_ascend.checks.sync.proof import Added, without
from tl_ascend.checks.sync.words import Words
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import If, Kernel, TileOp, within
from tl_ascend.ir.text import show

_WAIT = "wait_cross_flag"
Ordered = Callable[[tuple[Added, ...], Kernel, Pair], bool]


def of_condition(
    pair: Pair, words: Words, kernel: Kernel, ordered: Ordered, surplus: Iterable[int]
) -> tuple[str, tuple[Related, ...]] | None:
    """How to have all wait for a flag that is set behind the first of two accesses, and waited for
    before the second under a condition alone. `ordered`: tries calls that are added; `surplus`: flags
    that are set more often than they are waited for."""
    pipe = PIPES[pair.pipes[0]].value
    sets = [
        call
        for call in words.beside(pair.before.stmt, "set_cross_flag", behind=True)
        if str(call.args[0]).upper() == pipe
    ]
    for branch, wait in _waits(pair, words):
        call = next((s for s in sets if words.same_flag(s.args[1], wait.args[0])), None)
        if call is None:
            continue
        word = f"T.{_WAIT}({show(wait.args[0])})"
        related = (
            Related(wait.span, "waits under a condition alone"),
            Related(call.span, "the set"),
        )
        added = Added(branch.span, False, _WAIT, (wait.args[0],))
        if ordered((added,), _without(kernel, wait), pair):
            return (
                f"{word} stands under a condition, and who does not meet it does not wait: put it before"
                " the branch.",
                related,
            )
        if not any(words.same_flag(flag, wait.args[0]) for flag in surplus):
            continue
        return (
            f"The condition of {word} keeps it from waiting where it is needed: let it wait in each "
            "iteration that finds the flag set.",
            related,
        )
    return None


def _waits(pair: Pair, words: Words) -> Iterator[tuple[If, TileOp]]:
    """The waits in branches above the second access, the nearest first."""
    for stmt in words.above(pair.after.stmt):
        if isinstance(stmt, If):
            for one in within(stmt):
                if isinstance(one, TileOp) and one.op == _WAIT:
                    yield stmt, one


def _without(kernel: Kernel, stmt: TileOp) -> Kernel:
    return replace(kernel, body=without(kernel.body, stmt))
