"""What orders accesses of two cores. Each advice is tried: the kernel is executed with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tl_ascend.checks.sync.apart import alike_until, loose_with, pair_key, path_of
from tl_ascend.checks.sync.between import Ways, left_over
from tl_ascend.checks.sync.events import PIPES
from tl_ascend.checks.sync.outcome import Pair
from tl_ascend.checks.sync.proof import Added
from tl_ascend.checks.sync.words import Words
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import Block, For, Kernel, Stmt, TileOp, blocks_of, with_blocks
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
    """How to order the first of some pairs that one flag may explain; where nothing does, another one
    of them: which core has run ahead does not always show."""
    tried: dict[tuple[int, int], Pair] = {}
    for pair in (*pairs, pairs[0].turned):
        tried.setdefault(pair.cores, pair)
    for pair in tried.values():
        found = _advice(pair, between, words, kernel)
        if found is not None:
            return found
    return _unproved(pairs[0], between)


def _advice(
    pair: Pair, between: Sequence[Sequence[Ways]], words: Words, kernel: Kernel
) -> Advice | None:
    """What is seen to order two accesses."""
    other = words.of_other_pipe(pair)
    if other is not None:
        return Advice(pair, (other,))
    sets = list(_unwaited(pair, between))
    for flags, stmt in sets[:MOST_TRIED]:
        found = _taken_away(pair, flags, stmt, kernel) or _waited(pair, stmt, kernel)
        if found is not None:
            return found
    new = _new(pair, words, kernel)
    return None if new is None else Advice(pair, (new,))


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


def _waited(pair: Pair, stmt: TileOp, kernel: Kernel) -> Advice | None:
    """A wait for a set, where that orders the pair."""
    sets, after = path_of(kernel.body, stmt), path_of(kernel.body, pair.after.stmt)
    if not sets or not after:
        return None
    level = alike_until(sets, after)
    names: dict[Expr, Expr] = {
        one.var: other.var
        for one, other in zip(sets[:level], after[:level], strict=True)
        if isinstance(one, For) and isinstance(other, For)
    }
    flag = substitute(stmt.args[1], names)
    added = Added(after[level].span, False, _WAIT, (flag,))
    if not _ordered(pair, (added,), kernel):
        return None
    where = "this" if after[level] is pair.after.stmt else "the loop around this"
    return Advice(
        pair,
        (
            f"Add T.wait_cross_flag({show(flag)}) before {where}: the flag is set, and nobody waits "
            "for it.",
        ),
        (Related(stmt.span, "set, and not waited for"),),
    )


def _taken_away(pair: Pair, flags: tuple[int, ...], stmt: TileOp, kernel: Kernel) -> Advice | None:
    """A set too many, that lets the other core go before anything is done."""
    left = loose_with((), replace(kernel, body=_without(kernel.body, stmt)))
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


def _ordered(pair: Pair, added: tuple[Added, ...], kernel: Kernel) -> bool:
    left = loose_with(added, kernel)
    return left is not None and pair_key(pair) not in left


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
    if _ordered(pair, (sets, waits), kernel):
        return text
    if not level:
        return None
    prime = Added(before[0].span, False, _SET, flag)
    drain = Added(after[0].span, True, _WAIT, (number,))
    if not _ordered(pair, (sets, waits, prime, drain), kernel):
        return None
    return (
        f"{text} Set it once before the loop there, too, and wait for it once behind the loop here."
    )


def _around(stmt: Stmt, what: str) -> str:
    return f"the {'loop' if isinstance(stmt, For) else 'branch'} around {what}"


def _without(block: Block, stmt: Stmt) -> Block:
    kept = (one for one in block if one is not stmt)
    return tuple(
        with_blocks(one, tuple(_without(inner, stmt) for inner in blocks_of(one)))
        if blocks_of(one)
        else one
        for one in kept
    )
