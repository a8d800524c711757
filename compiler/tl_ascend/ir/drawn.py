"""Numbers that each run of a kernel's Python draws anew: its program takes them as arguments."""

from __future__ import annotations

from tl_ascend.ir.expr import Var, free_vars
from tl_ascend.ir.nodes import Kernel, exprs_of, walk_stmts

ROLE = "drawn"


def drawn(kernel: Kernel) -> list[Var]:
    """These of a kernel, in order of first use; those that are a tensor's dimension are sizes."""
    known = {extent for tensor in kernel.tensors for extent in tensor.shape}
    values = [value for stmt in walk_stmts(kernel.body) for value in exprs_of(stmt)]
    if kernel.launch is not None:
        values.insert(0, kernel.launch.blocks)  # type: ignore[arg-type]
    names = (name for value in values for name in free_vars(value))
    return list(dict.fromkeys(n for n in names if n.role == ROLE and n not in known))


def example(var: Var) -> int | float:
    """The number that evaluation takes for one."""
    if var.low is not None:
        return var.low
    return 0.5 if var.dtype.kind == "float" else 1
