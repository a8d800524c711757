"""Host loops of which only the last iteration matters.

Reference data is often filled element by element: thousands of iterations that change nothing which
we keep, since elements of host tensors are not tracked. Where each iteration leaves the same names
and reads nothing that an earlier one left, the last one alone gives the state after the loop.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.frontend.models.torch import HostTensor
from tl_ascend.frontend.reach import by_code
from tl_ascend.frontend.values import Namespace, Unknown
from tl_ascend.source.units import preorder

_LIBRARIES = frozenset(("torch", "torch.nn.functional", "math", "random"))
# Calls of these change nothing but what they return.
_PURE = frozenset("len max min int float range abs str bool print round".split())
_PLAIN = (
    *(ast.Constant, ast.Subscript, ast.Slice, ast.Attribute, ast.Tuple, ast.keyword),
    *(ast.BinOp, ast.UnaryOp, ast.Compare),
)


class _Entangled(Exception):
    """Iterations may depend on each other."""


@dataclass(slots=True)
class _Plan:
    """What a loop's names must be for its last iteration to be enough. `bound`: what it binds."""

    bound: set[str]
    libraries: set[str] = field(default_factory=set)
    builtins: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)


def only_last_matters(node: ast.For, look: Callable[[str], Any]) -> bool:
    """`look` gives the value of a name before the loop, None where nothing binds it."""
    plan = _plan(node).plan
    return (
        plan is not None
        and all(_is_library(look(name)) for name in plan.libraries)
        and all(look(name) is None for name in plan.builtins)
        and all(_is_untracked(look(name)) for name in plan.stores)
    )


def _is_library(value: Any) -> bool:
    return isinstance(value, Unknown) or (isinstance(value, Namespace) and value.name in _LIBRARIES)


def _is_untracked(value: Any) -> bool:
    return isinstance(value, Unknown) or (isinstance(value, HostTensor) and value.data is None)


class _Known:
    """The plan of a loop; None where iterations may depend on each other."""

    __slots__ = ("plan",)

    def __init__(self, node: ast.AST) -> None:
        assert isinstance(node, ast.For)
        stores = (n for n in preorder(node) if isinstance(n, ast.Name))
        plan = _Plan({n.id for n in stores if isinstance(n.ctx, ast.Store)})
        self.plan: _Plan | None = plan
        try:
            _loop(plan, node, set())
        except _Entangled:
            self.plan = None


_plan = by_code(_Known)


def _loop(plan: _Plan, node: ast.For, assigned: set[str]) -> None:
    """`assigned`: what this iteration has bound so far."""
    _reads(plan, node.iter, assigned)
    inner = set(assigned)
    _target(plan, node.target, inner)
    for statement in (*node.body, *node.orelse):
        _statement(plan, statement, inner)


def _statement(plan: _Plan, node: ast.stmt, assigned: set[str]) -> None:
    if isinstance(node, ast.For):
        _loop(plan, node, assigned)
    elif isinstance(node, ast.Expr):
        _reads(plan, node.value, assigned)
    elif isinstance(node, ast.Assign):
        _reads(plan, node.value, assigned)
        for target in node.targets:
            _target(plan, target, assigned)
    elif not isinstance(node, ast.Pass):
        raise _Entangled


def _target(plan: _Plan, node: ast.expr, assigned: set[str]) -> None:
    if isinstance(node, ast.Name):
        assigned.add(node.id)
    elif isinstance(node, ast.Tuple):
        for element in node.elts:
            _target(plan, element, assigned)
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        _reads(plan, node.slice, assigned)
        if node.value.id in plan.bound:  # might be a container that an earlier iteration left
            raise _Entangled
        plan.stores.add(node.value.id)
    else:
        raise _Entangled


def _reads(plan: _Plan, node: ast.expr, assigned: set[str]) -> None:
    for inner in preorder(node):
        if isinstance(inner, ast.Call):
            _called(plan, inner.func)
        elif isinstance(inner, ast.Name):
            if inner.id in plan.bound and inner.id not in assigned:
                raise _Entangled
        elif not isinstance(inner, _PLAIN):
            raise _Entangled


def _called(plan: _Plan, node: ast.expr) -> None:
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or root.id in plan.bound:
        raise _Entangled
    if root is not node:
        plan.libraries.add(root.id)
    elif root.id in _PURE:
        plan.builtins.add(root.id)
    else:
        raise _Entangled
