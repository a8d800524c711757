"""Variables that count the iterations of a loop, as what they are: `p = 1 - p` behind each is `k % 2`.

So slots that are chosen by such a variable are known to be taken in turns. Only where it is read in its
loop: it is still set as before, for whoever reads it behind the loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeAlias

from tl_ascend.ir.expr import Binary, Expr, Load, Scalar, loads
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import (
    Block,
    Break,
    CoreScope,
    For,
    If,
    Kernel,
    Stmt,
    Store,
    blocks_of,
    regions_of,
    walk_stmts,
    with_blocks,
)
from tl_ascend.ir.rewrite import Rewriter
from tl_ascend.passes.context import PassContext
from tl_ascend.target.dtypes import INT32

_NONE: Mapping[int, int] = MappingProxyType({})
Count: TypeAlias = "Callable[[Scalar], Scalar]"  # the value after so many iterations


def count_turns(kernel: Kernel, context: PassContext) -> Kernel:
    """The kernel with the values of such variables where their loops read them."""
    counters = set(_set_twice(kernel))
    return replace(kernel, body=_block(kernel.body, counters)) if counters else kernel


def _set_twice(kernel: Kernel) -> Iterator[int]:
    """Variables that are set at two places, and by no operation: by uid."""
    stmts = walk_stmts(kernel.body)
    passed = {region.buffer.uid for stmt in stmts for region in regions_of(stmt)}
    sets = Counter(
        stmt.buffer.uid
        for stmt in stmts
        if isinstance(stmt, Store) and stmt.buffer.scope == "var" and stmt.buffer.dtype == INT32
    )
    return (uid for uid, count in sets.items() if count == 2 and uid not in passed)


def _block(block: Block, counters: set[int], known: Mapping[int, int] = _NONE) -> Block:
    """`known`: what variables hold where the block begins."""
    first = dict(known)
    done: list[Stmt] = []
    for stmt in block:
        if isinstance(stmt, Store) and stmt.buffer.uid in counters and type(stmt.value) is int:
            first[stmt.buffer.uid] = stmt.value
        elif isinstance(stmt, For):
            stmt = _loop(stmt, first, 0)
        once = first if isinstance(stmt, (CoreScope, If)) else _NONE
        inner = tuple(_block(nested, counters, once) for nested in blocks_of(stmt))
        done.append(with_blocks(stmt, inner) if inner else stmt)
    return tuple(done)


def _loop(loop: For, first: Mapping[int, int], before: Scalar) -> For:
    """The loop with the values of the variables that its body sets behind a known first value.
    `before`: how many iterations of it there were in earlier ones of the loops around."""
    if loop.kind == "parallel" or loads(loop.start):
        return loop
    turn = binary("+", before, binary("-", loop.var, loop.start))
    body = loop.body
    for at, stmt in enumerate(loop.body):
        if isinstance(stmt, For) and _whole(stmt):
            inner = _loop(stmt, first, binary("*", turn, stmt.extent))
            body = (*body[:at], inner, *body[at + 1 :])
        if not isinstance(stmt, Store) or stmt.buffer.uid not in first:
            continue
        count = _count(stmt, first[stmt.buffer.uid])
        if count is not None:
            now = _Known(stmt.buffer.uid, count(turn))
            then = _Known(stmt.buffer.uid, count(binary("+", turn, 1)))
            body = (*now.block(body[:at]), body[at], *then.block(body[at + 1 :]))
    return replace(loop, body=body)


def _whole(loop: For) -> bool:
    """True for a loop of a known number of iterations, none of which may leave it."""
    leaves = any(isinstance(stmt, Break) for stmt in walk_stmts(loop.body))
    return isinstance(loop.extent, int) and loop.extent > 0 and not leaves


class _Known(Rewriter):
    def __init__(self, uid: int, value: Scalar) -> None:
        self._uid, self._value = uid, value

    def load(self, load: Load) -> Any:
        return self._value if load.buffer.uid == self._uid else super().load(load)


def _count(store: Store, first: int) -> Count | None:
    """What a variable holds that is set so in each iteration; None where that is no count."""
    own, value = Load(store.buffer, ()), store.value
    step = _step(value, own)
    if step is not None:
        return _line(step, first)
    if not isinstance(value, Binary):
        return None
    a, b = value.a, value.b
    step = _step(a, own)
    if value.op == "%" and type(b) is int and b > first >= 0 and step is not None and step > 0:
        return _line(step, first, b)
    if value.op in ("-", "^") and b is own and type(a) is int:
        return _to_and_fro(first, a - first if value.op == "-" else a ^ first)
    if value.op == "^" and a is own and type(b) is int:
        return _to_and_fro(first, b ^ first)
    return None


def _step(value: Scalar, own: Expr) -> int | None:
    """By how much a value is more than that of the variable."""
    if not isinstance(value, Binary) or value.op not in ("+", "-"):
        return None
    a, b = (value.b, value.a) if value.op == "+" and value.b is own else (value.a, value.b)
    if a is not own or type(b) is not int:
        return None
    return b if value.op == "+" else -b


def _line(step: int, first: int, modulus: int | None = None) -> Count:
    def count(turn: Scalar) -> Scalar:
        line = binary("+", binary("*", turn, step), first)
        return line if modulus is None else binary("%", line, modulus)

    return count


def _to_and_fro(first: int, second: int) -> Count:
    def count(turn: Scalar) -> Scalar:
        return binary("+", binary("*", binary("%", turn, 2), second - first), first)

    return count
