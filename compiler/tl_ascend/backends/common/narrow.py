"""What a branch tells about variables: inside `if k < 31` k is at most 30.

A fact replaces a variable by itself with closer bounds; folding then sees that a tile lies inside
its tensor, or that a quotient needs no care for negative numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from tl_ascend.ir.affine import Affine, affine
from tl_ascend.ir.expr import Compare, Expr, Logic, Scalar, Var
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import For, If, Let, Region, Stmt, Store, TileOp, While

Facts: TypeAlias = Mapping[Expr, Scalar]

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def facts_of(condition: Any, holds: bool) -> dict[Expr, Scalar]:
    """Closer bounds of variables where a condition holds, or where it does not."""
    if isinstance(condition, Logic) and condition.op == ("and" if holds else "or"):
        out: dict[Expr, Scalar] = {}
        for part in condition.operands:
            out.update(facts_of(substitute(part, out), holds))
        return out
    if isinstance(condition, Logic) and condition.op == "not":
        return facts_of(condition.operands[0], not holds)
    if isinstance(condition, Compare):
        return _bounds(condition, condition.op if holds else _OPPOSITE[condition.op])
    return {}


def _bounds(condition: Compare, op: str) -> dict[Expr, Scalar]:
    a, b = affine(condition.a), affine(condition.b)
    if a is None or b is None:
        return {}
    form = a.plus(b, -1)
    if len(form.terms) != 1 or op == "!=":
        return {}
    ((var, _),) = form.terms.items()
    if not isinstance(var, Var):
        return {}
    for part in ("<=", ">=") if op == "==" else (op,):
        var = _bounded(var, form, part)
    return {next(iter(form.terms)): var}


def _bounded(var: Var, form: Affine, op: str) -> Var:
    """`factor * var + constant op 0`, as a bound of the variable."""
    ((_, factor),) = form.terms.items()
    constant = form.constant
    if op in (">", ">="):
        factor, constant, op = -factor, -constant, "<" if op == ">" else "<="
    if op == "<":
        constant += 1  # integers: x < 0 is x + 1 <= 0
    low, high = var.low, var.high
    if factor > 0:
        most = -constant // factor
        high = most if high is None else min(high, most)
    else:
        least = -(-constant // -factor)
        low = least if low is None else max(low, least)
    return Var(var.name, var.uid, var.role, low, high, var.type)


def narrowed(stmt: Stmt, facts: Facts) -> Stmt:
    """A statement under facts; nested blocks are left as they are."""
    if isinstance(stmt, TileOp):
        args = tuple(_argument(arg, facts) for arg in stmt.args)
        return replace(stmt, args=args)
    if isinstance(stmt, Store):
        indices = substitute(stmt.indices, facts)
        return replace(stmt, indices=indices, value=substitute(stmt.value, facts))
    if isinstance(stmt, Let):
        return replace(stmt, value=substitute(stmt.value, facts))
    if isinstance(stmt, For):
        start, extent = substitute((stmt.start, stmt.extent), facts)
        return replace(stmt, start=start, extent=extent)
    if isinstance(stmt, (If, While)):
        return replace(stmt, condition=substitute(stmt.condition, facts))
    return stmt


def _argument(arg: Any, facts: Facts) -> Any:
    if isinstance(arg, Region):
        starts, extents = substitute((arg.starts, arg.extents), facts)
        return replace(arg, starts=starts, extents=extents)
    if isinstance(arg, tuple):
        return tuple(_argument(part, facts) for part in arg)
    return substitute(arg, facts)
