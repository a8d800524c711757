"""Whether the result of a division counts blocks or turns as it is, or is rounded or bounded before."""

from __future__ import annotations

import ast
from itertools import islice

MAX_NODES = 4000  # of a function that is looked through
_ROUNDING = (ast.FloorDiv, ast.Div, ast.Mod, ast.RShift, ast.BitAnd)
# Names of functions that take a count as it is.
_KEEPING = frozenset(
    {
        "Kernel",
        "Parallel",
        "Persistent",
        "Pipelined",
        "grid",
        "range",
        "serial",
        "unroll",
        "vectorized",
    }
)


def counts(function: ast.AST, division: ast.AST) -> bool:
    """True where one more of what a division gives is one more block or turn of a loop, which does what
    the others do: it comes to these, nowhere is it divided again, or passed to what may do so, and
    there are no branches, nor functions of the file that may have some."""
    nodes = list(islice(ast.walk(function), MAX_NODES + 1))
    if len(nodes) > MAX_NODES or any(_may_branch(node) for node in nodes):
        return False
    names = _names_of(nodes, division)
    calls = [node for node in nodes if isinstance(node, ast.Call) and _takes(node, division, names)]
    named = [_called(call.func) in _KEEPING for call in calls]
    return any(named) and all(named) and not any(_rounds(n, division, names) for n in nodes)


def _names_of(nodes: list[ast.AST], division: ast.AST) -> frozenset[str]:
    """The names whose values come of a division."""
    names: frozenset[str] = frozenset()
    while True:
        more = set(names)
        for node in nodes:
            value = getattr(node, "value", None)
            if isinstance(value, ast.AST) and _comes_of(value, division, names):
                more |= {name.id for target in _targets(node) for name in _stored(target)}
        if more == names:
            return names
        names = frozenset(more)


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) else []


def _stored(target: ast.expr) -> list[ast.Name]:
    return [node for node in ast.walk(target) if isinstance(node, ast.Name)]


def _comes_of(value: ast.AST, division: ast.AST, names: frozenset[str]) -> bool:
    return any(
        node is division or (isinstance(node, ast.Name) and node.id in names)
        for node in ast.walk(value)
    )


def _may_branch(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id not in _KEEPING
    return isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Break, ast.Continue))


def _rounds(node: ast.AST, division: ast.AST, names: frozenset[str]) -> bool:
    if not isinstance(node, (ast.BinOp, ast.AugAssign)) or not isinstance(node.op, _ROUNDING):
        return False
    whole = node.left if isinstance(node, ast.BinOp) else node.target
    return node is not division and _comes_of(whole, division, names)


def _takes(call: ast.Call, division: ast.AST, names: frozenset[str]) -> bool:
    arguments = (*call.args, *(keyword.value for keyword in call.keywords))
    return any(
        _comes_of(argument, division, names)
        for argument in arguments
        if not isinstance(argument, ast.Subscript)
    )


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
