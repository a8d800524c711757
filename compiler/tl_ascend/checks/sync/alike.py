"""One fault that shows in several ways: in blocks whose loops turn differently often, and in several
flags of the same loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tl_ascend.checks.sync.halves import Lost
from tl_ascend.checks.sync.words import path_of
from tl_ascend.ir.nodes import For, Kernel, Stmt
from tl_ascend.source.span import Span


def one_each(halves: Iterable[Lost]) -> list[Lost]:
    """Without those of other blocks that show or name the same calls; a wait rather than a set, where
    both stand for the fault."""
    kept: list[Lost] = []
    for half in halves:
        at = next((at for at, one in enumerate(kept) if _same(one, half)), None)
        if at is None:
            kept.append(half)
        elif _rather(half, kept[at]):
            kept[at] = half
    return kept


def _same(one: Lost, other: Lost) -> bool:
    apart = one.place is not None and other.place is not None
    blocks = (one.place.block, other.place.block) if one.place and other.place else (0, 0)
    return (
        apart
        and blocks[0] != blocks[1]
        and one.pipes == other.pipes
        and bool(_spans(one) & _spans(other))
    )


def _rather(one: Lost, other: Lost) -> bool:
    """True where a call is the one that both have in common, and waits if both are."""
    mine, theirs = one.span in _spans(other), other.span in _spans(one)
    return mine and (not theirs or (_waits(one) and not _waits(other)))


def _waits(half: Lost) -> bool:
    return half.call is not None and half.call.op == "wait_flag"


def _spans(half: Lost) -> set[Span]:
    return {half.span, *(span for span, _ in half.related)}


def loops_of(kernel: Kernel, stmts: Sequence[Stmt], alone: bool) -> tuple[int, ...]:
    """The innermost loops around statements, by identity. `alone`: one that stands in none is its own;
    else all of these are alike, as where a loop turns once."""
    found = []
    for stmt in stmts:
        around = [one for one in path_of(kernel.body, stmt)[:-1] if isinstance(one, For)]
        found.append(id(around[-1]) if around else id(stmt) * alone)
    return tuple(dict.fromkeys(found))
