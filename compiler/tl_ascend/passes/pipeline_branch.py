"""A pipelined loop all of whose body is one branch, as a loop over what the branch does.

That keeps to the meaning where the first iterations take the branch and the others do not: the loop then
ends earlier. A condition that is the same in all of them stands around the loop. Of others, flags would
have to be set and awaited under conditions of different iterations, which do not pair.
"""

from __future__ import annotations

from dataclasses import replace

from tl_ascend.ir.affine import affine, interval
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Binary, Compare, Expr, Logic, Scalar, Var, free_vars, loads, unsigned
from tl_ascend.ir.fold import binary, ceildiv, logic
from tl_ascend.ir.nodes import Block, For, If, Kernel, Let, walk_stmts
from tl_ascend.ir.storage import root

_TURNED = {"<": "<", "<=": "<=", ">": "<", ">=": "<="}


def of_branch(loop: For) -> tuple[For, Scalar, str]:
    """The loop over what its only branch does, and the condition for all of it; else why it stays, empty
    where it is no branch."""
    if len(loop.body) != 1 or not isinstance(loop.body[0], If):
        return loop, True, ""
    branch = loop.body[0]
    if why := _changing(branch, loop):
        return loop, True, why
    extent, around = loop.extent, []
    for part in _parts(branch.condition):
        if loop.var not in free_vars(part):
            around.append(part)
            continue
        count = _first(part, loop)
        if count is None:
            why = "its body is a branch that others than the first iterations may take"
            return loop, True, why
        extent = binary("min", extent, count)
    return replace(loop, extent=extent, body=branch.then), logic("and", tuple(around)), ""


def counted(kernel: Kernel, loop: For) -> tuple[Kernel, For, Block]:
    """The loop with a name for how often it runs, where that takes several steps to compute."""
    if not isinstance(loop.extent, Binary) or loop.extent.op != "min":
        return kernel, loop, ()
    bounds, name = interval(loop.extent), f"{loop.var.name}_count"
    count = Var(name, kernel.next_uid, "let", *bounds, loop.var.type)
    let = Let(count, loop.extent, loop.span)
    return replace(kernel, next_uid=kernel.next_uid + 1), replace(loop, extent=count), (let,)


def _changing(branch: If, loop: For) -> str:
    """Why a branch cannot be all that a loop does, whatever its condition says."""
    if branch.other:
        return "its body is a branch of two ways"
    sources = {root(load.buffer).uid for load in loads(branch.condition)}
    for stmt in walk_stmts(branch.then):
        for region in effect_of(stmt).writes:
            if root(region.buffer).uid in sources:
                return f"the condition of all of it is read from {region.buffer.name}, which it changes"
    if sources and not (isinstance(loop.extent, int) and loop.extent > 0):
        return "the condition of all of it is read from memory, and there may be no iteration"
    return ""


def _parts(condition: Scalar) -> list[Scalar]:
    if isinstance(condition, Logic) and condition.op == "and":
        return [part for operand in condition.operands for part in _parts(operand)]
    return [condition]


def _first(condition: Scalar, loop: For) -> Scalar | None:
    """How many of the first iterations fulfil a condition that no later one does."""
    if not isinstance(condition, Compare) or condition.op not in _TURNED:
        return None
    low, high = condition.a, condition.b
    if condition.op in (">", ">="):
        low, high = high, low
    sides = affine(low), affine(high)
    if None in sides or not (_signed(low) and _signed(high)):
        return None
    below, above = sides
    assert below is not None and above is not None
    step = below.plus(above, -1).terms.get(loop.var, 0)
    rest = binary("-", high, binary("-", low, binary("*", loop.var, step)))
    rest = binary("-", rest, binary("*", loop.start, step))
    rest = binary("+", rest, int(_TURNED[condition.op] == "<="))
    if step <= 0 or loop.var in free_vars(rest):
        return None
    return ceildiv(binary("max", rest, 0), step)


def _signed(value: Scalar) -> bool:
    return not isinstance(value, float) and not (isinstance(value, Expr) and unsigned(value))
