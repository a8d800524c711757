"""Branches in the body of `T.Parallel`: stores under a condition as stores of a choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tl_ascend.ir.expr import Expr, Load, Logic, Scalar, Select, free_vars, walk
from tl_ascend.ir.nodes import Block, Buffer, For, If, Kernel, Store, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.passes.vector_index import NotVector
from tl_ascend.target.hardware import Memory


def is_common(branch: If, loops: Sequence[For]) -> bool:
    """True where a condition is the same for all elements, before and after the branch."""
    names = {loop.var for loop in loops}
    if any(name in names for name in free_vars(branch.condition)):
        return False
    written = _written((*branch.then, *branch.other))
    return not any(root(b).uid in written for b in _read(branch.condition))


def guarded_stores(branch: If, kernel: Kernel) -> list[Store]:
    """The stores of a branch, each of a choice by its condition. Errors: NotVector."""
    stores = _flat(branch.then, branch.other, branch.condition)
    written = _written(stores)
    once = len(written) == len(stores) == 1
    if not once and any(root(b).uid in written for b in _read(branch.condition)):
        raise NotVector("the body changes what the condition reads")
    for store in stores:
        place = kernel.placements.get(root(store.buffer).uid)
        if place is None or place.memory is not Memory.UB:
            raise NotVector(f"{store.buffer.name} is written under a condition, and not in UB")
    return stores


def _flat(then: Block, other: Block, condition: Scalar) -> list[Store]:
    pairs = list(zip(then, other, strict=False))
    if len(then) == len(other) and all(_same_target(a, b) for a, b in pairs):
        return [
            _with_value(a, Select(condition, a.value, b.value))
            for a, b in pairs
            if isinstance(a, Store) and isinstance(b, Store)
        ]
    opposite = Logic("not", (condition,))
    return [*_under(then, condition), *_under(other, opposite)]


def _under(block: Block, condition: Scalar) -> list[Store]:
    done: list[Store] = []
    for stmt in block:
        if isinstance(stmt, Store):
            old = Load(stmt.buffer, stmt.indices)
            done.append(_with_value(stmt, Select(condition, stmt.value, old)))
        elif isinstance(stmt, If):
            both = Logic("and", (condition, stmt.condition))
            neither = Logic("and", (condition, Logic("not", (stmt.condition,))))
            done += [*_under(stmt.then, both), *_under(stmt.other, neither)]
        else:
            raise NotVector("a branch over more than element-wise stores in the body")
    return done


def _same_target(a: object, b: object) -> bool:
    if not (isinstance(a, Store) and isinstance(b, Store)):
        return False
    return a.buffer.uid == b.buffer.uid and a.indices == b.indices


def _with_value(store: Store, value: Expr) -> Store:
    return replace(store, value=value)


def _written(block: Sequence[object]) -> set[int]:
    stores = (s for s in walk_stmts(tuple(block)) if isinstance(s, Store))  # type: ignore[arg-type]
    return {root(store.buffer).uid for store in stores}


def _read(value: Scalar) -> list[Buffer]:
    return [node.buffer for node in walk(value) if isinstance(node, Load)]
