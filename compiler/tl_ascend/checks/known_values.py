"""Values that a run of a kernel's first block has, for checks that follow the text of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tl_ascend.ir.expr import Expr, Scalar
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import Kernel, Let


class Undecided(Exception):
    """The device alone knows a value that matters."""


@dataclass(slots=True)
class Values:
    """`env`: what is known of variables so far."""

    env: dict[Expr, Scalar]

    def number(self, value: Any) -> int:
        """Errors: Undecided."""
        found = substitute(value, self.env)
        if isinstance(found, Expr) or not isinstance(found, int):
            raise Undecided
        return int(found)

    def bind(self, stmt: Let) -> None:
        """A name for a value from here on."""
        self.env[stmt.var] = substitute(stmt.value, self.env)


def first_block(kernel: Kernel, vector: int = 0) -> dict[Expr, Scalar]:
    """The indices of the first block and of one of its vector cores."""
    assert kernel.launch is not None
    return {kernel.launch.block: 0, kernel.launch.subblock: vector}
