"""Frames and loops of kernel text that stand for more than one statement: `T.If` with its branches,
and `T.Persistent`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from tl_ascend.frontend.assignments import assign
from tl_ascend.frontend.builder import Branches, Builder
from tl_ascend.frontend.expressions import truth_of
from tl_ascend.frontend.machine import Machine, Mistake
from tl_ascend.frontend.values import Env, Frame, LoopSpec, Unknown, first_unknown
from tl_ascend.ir import fold
from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Expr, Scalar, Var
from tl_ascend.ir.nodes import Break, For, If, Let
from tl_ascend.source.span import Span
from tl_ascend.source.units import span_of
from tl_ascend.target.dtypes import INT32


def enter_if(m: Machine, node: ast.With, frame: Frame, body: list[ast.stmt]) -> None:
    """`with T.If(condition):`, whose body holds the branches."""
    assert m.builder is not None
    condition = truth_of(frame.args[0])
    if isinstance(condition, Unknown):
        m.builder.fail(condition)
    branches = Branches()
    m.builder.branches.append(branches)
    try:
        m.run(body)
    finally:
        m.builder.branches.remove(branches)
    if isinstance(condition, Expr):
        span = span_of(node, "header")
        m.builder.emit(If(condition, branches.then, branches.other, span))
    elif isinstance(condition, bool):
        for stmt in branches.then if condition else branches.other:
            m.builder.emit(stmt)


def enter_branch(m: Machine, node: ast.With, frame: Frame, body: list[ast.stmt]) -> None:
    """`with T.Then():` or `with T.Else():`; names bound inside end with it."""
    assert m.builder is not None
    if not m.builder.branches:
        raise Mistake("kernel-form", node, f"T.{frame.kind} stands in no T.If")
    branches = m.builder.branches[-1]
    with m.builder.block() as inner, m.scope(Env(m.env)):
        m.run(body)
    if frame.kind == "Then":
        branches.then = tuple(inner)
    else:
        branches.other = tuple(inner)


def letter_of(call: ast.expr) -> Span | None:
    """Where the letter of a scope stands, where it is written as such."""
    if not isinstance(call, ast.Call) or len(call.args) != 1:
        return None
    return span_of(call.args[0]) if isinstance(call.args[0], ast.Constant) else None


def persistent(m: Machine, node: ast.For, spec: LoopSpec, names: list[ast.expr]) -> None:
    """Each block takes every `wave_size`-th tile of the domain: one loop over waves."""
    assert m.builder is not None
    unknown = first_unknown(spec.extents, dict(spec.annotations))
    if unknown is not None:
        _unknown_loop(m, node, names, unknown)
        return
    wave, index = spec.annotations["wave_size"], spec.annotations["index"]
    total: Scalar = 1
    for extent in spec.extents:
        total = fold.binary("*", total, extent)
    waves = fold.ceildiv(total, wave)
    last = waves - 1 if isinstance(waves, int) else None
    loop = Var("w", m.fresh(), "loop", 0, last, INT32)
    position = fold.binary("+", fold.binary("*", loop, wave), index)
    span = span_of(node, "header")
    with m.builder.block() as inner, m.scope(Env(m.env)):
        if not _full_waves(total, wave, index):
            outside = fold.compare("<=", total, position)
            m.builder.emit(If(outside, (Break(span),), (), span))
        values = coordinates(spec.extents, position, spec.annotations["group_size"])
        for name, value, extent in zip(names, values, spec.extents, strict=True):
            _bind(m, m.builder, name, value, extent)
        m.run(node.body)
    notes = (("domain", spec.extents), *spec.annotations.items())
    m.builder.emit(For(loop, 0, waves, "persistent", tuple(inner), span, notes))


def _unknown_loop(m: Machine, node: ast.For, names: list[ast.expr], unknown: Unknown) -> None:
    assert m.builder is not None
    m.builder.fail(unknown)
    with m.scope(Env(m.env)):
        for name in names:
            assign(m, name, unknown)
        m.run(node.body)


def _full_waves(total: Any, wave: Any, index: Any) -> bool:
    """True where every position is certainly a tile: the last wave is full, too."""
    low, high = interval(index)
    if not isinstance(total, int) or not isinstance(wave, int) or low is None or high is None:
        return False
    return total % wave == 0 and low >= 0 and high < wave


def coordinates(domain: Sequence[Any], position: Scalar, group: Any) -> list[Scalar]:
    """The tile at a position. Columns go in groups; within a group all rows come first."""
    columns = domain[-1]
    group = group_of(columns, group)
    sizes = [*domain[:-1], group]
    found: list[Scalar] = []
    for size in reversed(sizes):
        found.insert(0, fold.binary("%", position, size))
        position = fold.binary("//", position, size)
    found[-1] = fold.binary("+", fold.binary("*", position, group), found[-1])
    return found


def group_of(columns: Any, group: Any) -> Any:
    """The columns of a group: those asked for, or fewer where that does not divide all columns."""
    if not isinstance(columns, int) or not isinstance(group, int):
        return fold.binary("min", group, columns)
    size = max(1, min(group, columns))
    while columns % size:
        size -= 1
    return size


def _bind(m: Machine, builder: Builder, target: ast.expr, value: Scalar, extent: Any) -> None:
    name = target.id if isinstance(target, ast.Name) else "v"
    if isinstance(value, Expr):
        high = extent - 1 if isinstance(extent, int) else None
        var = Var(name, m.fresh(), "let", 0, high, INT32)
        builder.emit(Let(var, value, span_of(target)))
        value = var
    m.env.names[name] = value
    builder.note(span_of(target), name, value)
