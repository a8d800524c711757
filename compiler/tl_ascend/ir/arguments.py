"""What of a kernel's arguments is left open until it is run."""

from __future__ import annotations

from tl_ascend.ir.expr import Expr, Var, free_vars
from tl_ascend.ir.nodes import Kernel


def names_of(kernel: Kernel) -> list[str]:
    """The scalars and symbolic dimensions of a kernel, by name."""
    found: set[str] = set()
    for param in kernel.params:
        value = param.value
        if isinstance(value, Var):
            found.add(param.name)
        else:
            found |= {v.name for e in value.shape if isinstance(e, Expr) for v in free_vars(e)}
    return sorted(found)
