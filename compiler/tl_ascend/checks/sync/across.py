"""What orders accesses of two cores. Each advice is tried: the kernel is executed with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from tl_ascend.checks.sync.apart import alike_until, loose_with, orders, pair_key
from tl_ascend.checks.sync.between import Ways, left_over
from tl_ascend.checks.sync.events import PIPES
from tl_ascend.checks.sync.guarded import of_condition
from tl_ascend.checks.sync.misplaced import later_turns, set_early
from tl_ascend.checks.sync.outcome import Pair
from tl_ascend.checks.sync.proof import Added, without
from tl_ascend.checks.sync.words import Words, block_name, path_of
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import CoreScope, For, Kernel, Stmt, TileOp, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.ir.text import show

MOST_TRIED = 3
_SET, _WAIT = "set_cross_flag", "wait_cross_flag"


@dataclass(frozen=True, slots=True)
class Advice:
    """How to order `pair`."""

    pair: Pair
    notes: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()


def advice(
    pairs: Sequence[Pair], between: Sequence[Sequence[Ways]], words: Words, kernel: Kernel
) -> Advice:
    """How to order the first of some pairs that one flag may explain; where another one of them is seen
    to be the cause, that one."""
    every = (*pairs, pairs[0].turned)
    for pair in list({(p.cores, p.pipes): p for p in reversed(every)}.values())[::-1]:
        found = _existing(pair, between, words, kernel)
        if found is not None:
            return found
    for stmt in _never_waited(pairs[0], between)[:MOST_TRIED]:
        after = _guarded(stmt, kernel)
        found = _waited(pairs[0], stmt, kernel, after) if after is not None else None
        if found is not None:
            return found
    # Which core has run ahead does not always show.
    tried: dict[tuple[int, int], Pair] = {}
    for pair in every:
        tried.setdefault(pair.cores, pair)
    for pair in tried.values():
        new = _new(pair, words, kernel)
        if new is not None:
            return Advice(pair, (new,))
    return _unproved(pairs[0], between)


def _existing(
    pair: Pair, between: Sequence[Sequence[Ways]], words: Words, kernel: Kernel
) -> Advice | None:
    """What is seen to order two accesses, of flags that there are."""
    other = words.of_other_pipe(pair)
    if other is not None:
        return Advice(pair, (other,))
    early = set_early(pair, words, kernel)
    if early is not None:
        return Advice(pair, (early[0],), early[1])
    for flags, stmt in list(_unwaited(pair, between))[:MOST_TRIED]:
        found = _taken_away(pair, flags, stmt, kernel) or _waited(pair, stmt, kernel)
        if found is not None:
            return found
    surplus = {
        f
        for every in between
        for one in every
        for flags, _ in left_over(one.surplus)
        for f in flags
    }
    guarded = of_condition(pair, words, kernel, orders, surplus)
    if guarded is not None:
        return Advice(pair, (guarded[0],), guarded[1])
    for _, stmt in list(_unwaited(pair, between))[:1]:
        later = later_turns(pair, stmt, kernel)
        if later is not None:
            return Advice(pair, (later[0],), later[1])
    return None


def _unproved(pair: Pair, between: Sequence[Sequence[Ways]]) -> Advice:
    sets = list(_unwaited(pair, between))
    if not sets:
        return Advice(
            pair, ("No flag of its own orders the two: look at which part each of them takes.",)
        )
    flags, stmt = sets[0]
    named = f"flag {flags[0]}" if len(flags) == 1 else f"flags {', '.join(map(str, flags))}"
    return Advice(
        pair,
        (f"{named[0].upper()}{named[1:]}: set more often than waited for. Wait for each set.",),
        (Related(stmt.span, "set too often, or not waited for"),),
    )


def _unwaited(
    pair: Pair, between: Sequence[Sequence[Ways]]
) -> Iterator[tuple[tuple[int, ...], TileOp]]:
    """The sets that are not all waited for, of the pipe of the first access, for the core of the
    second; those of its loops first."""
    pipe = PIPES[pair.pipes[0]].value
    found: dict[int, tuple[tuple[int, ...], TileOp]] = {}
    for way in (one.surplus for every in between for one in every):
        if way.own is (0 in pair.cores) or way.from_cube is not (way.own or pair.cores[0] == 0):
            continue
        for flags, stmts in left_over(way):
            for stmt in stmts:
                if isinstance(stmt, TileOp) and str(stmt.args[0]).upper() == pipe:
                    found.setdefault(id(stmt), (flags, stmt))
    computed = [one for one in found.values() if not isinstance(one[1].args[1], int)]
    yield from computed
    yield from [one for one in found.values() if one not in computed][::-1]


def _never_waited(pair: Pair, between: Sequence[Sequence[Ways]]) -> list[TileOp]:
    """The sets of the core of the first access, of whichever pipe, that the other core never waits
    for."""
    found: dict[int, TileOp] = {}
    for way in (one.surplus for every in between for one in every):
        if way.own or way.from_cube is not (pair.cores[0] == 0):
            continue
        for flags, stmts in left_over(way):
            if not any(way.waits.totals[flag] for flag in flags):
                found.update((id(s), s) for s in stmts if isinstance(s, TileOp))
    return list(found.values())


def _guarded(stmt: TileOp, kernel: Kernel) -> TileOp | None:
    """The first call of the other core that touches the tensor which the core of a set has touched last
    before it."""
    tensors = {tensor.uid for tensor in kernel.tensors}
    scopes = [s for s in walk_stmts(kernel.body) if isinstance(s, CoreScope)]
    mine = next((s for s in scopes if any(o is stmt for o in walk_stmts(s.body))), None)
    if mine is None:
        return None
    before = list(takewhile(lambda one: one is not stmt, walk_stmts(mine.body)))
    shared = next((uids for s in before[::-1] if (uids := _touched(s) & tensors)), set())
    others = (s for scope in scopes if scope.core is not mine.core for s in walk_stmts(scope.body))
    return next((s for s in others if isinstance(s, TileOp) and _touched(s) & shared), None)


def _touched(stmt: Stmt) -> set[int]:
    if not isinstance(stmt, TileOp):
        return set()
    effect = effect_of(stmt)
    return {root(region.buffer).uid for region in (*effect.reads, *effect.writes)}


def _waited(pair: Pair, stmt: TileOp, kernel: Kernel, other: TileOp | None = None) -> Advice | None:
    """A wait for a set, where that orders the pair. `other`: before another access."""
    second = pair.after.stmt if other is None else other
    sets, after = path_of(kernel.body, stmt), path_of(kernel.body, second)
    if not sets or not after:
        return None
    level = alike_until(sets, after)
    names: dict[Expr, Expr] = {
        one.var: other.var
        for one, other in zip(sets[:level], after[:level], strict=True)
        if isinstance(one, For) and isinstance(other, For)
    }
    flag = substitute(stmt.args[1], names)
    if other is not None and isinstance(flag, int):
        level = len(after) - 1
    added = Added(after[level].span, False, _WAIT, (flag,))
    if not orders((added,), kernel, pair):
        return None
    this = "this" if other is None else f"T.{other.op}"
    where = this if after[level] is second else _around(after[level], this)
    return Advice(
        pair,
        (
            f"Add T.wait_cross_flag({show(flag)}) before {where}: the flag is set, and nobody waits "
            "for it.",
        ),
        (
            Related(stmt.span, "set, and not waited for"),
            *([] if other is None else [Related(other.span, "the wait belongs before this")]),
        ),
    )


def _taken_away(pair: Pair, flags: tuple[int, ...], stmt: TileOp, kernel: Kernel) -> Advice | None:
    """A set too many, that lets the other core go before anything is done."""
    left = loose_with((), replace(kernel, body=without(kernel.body, stmt)))
    if left is None or pair_key(pair) in left:
        return None
    return Advice(
        pair,
        (
            f"Flag {flags[0]} is set more often than it is waited for, which lets "
            f"{PIPES[pair.pipes[1]].value} go too early: take one set away.",
        ),
        (Related(stmt.span, "a set too many"),),
    )


def _new(pair: Pair, words: Words, kernel: Kernel) -> str | None:
    """A flag of its own; one that leads back to an earlier round of a loop is set before it, too."""
    number = words.free_between()
    before, after = path_of(kernel.body, pair.before.stmt), path_of(kernel.body, pair.after.stmt)
    if number is None or not before or not after:
        return None
    level = alike_until(before, after)
    first, second = before[level], after[level]
    pipe, mode = PIPES[pair.pipes[0]].value, None if 0 in pair.cores else 1
    flag = (pipe, number, mode)
    sets, waits = Added(first.span, True, _SET, flag), Added(second.span, False, _WAIT, (number,))
    call = f'T.set_cross_flag("{pipe}", {number}{"" if mode is None else ", 1"})'
    behind = words.of(pair.before.stmt) if first is pair.before.stmt else _around(first, "it")
    ahead = "this" if second is pair.after.stmt else _around(second, "this")
    text = f"Add {call} behind {behind} and T.wait_cross_flag({number}) before {ahead}."
    if orders((sets, waits), kernel, pair):
        return text
    if not level:
        return None
    prime = Added(before[0].span, False, _SET, flag)
    drain = Added(after[0].span, True, _WAIT, (number,))
    if not orders((sets, waits, prime, drain), kernel, pair):
        return None
    return (
        f"{text} Set it once before the loop there, too, and wait for it once behind the loop here."
    )


def _around(stmt: Stmt, what: str) -> str:
    return f"the {block_name(stmt)} around {what}"
