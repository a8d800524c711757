"""Divide the work on the UB between the two vector cores of a block (`threads=2`)."""

from __future__ import annotations

from tl_ascend.ir.nodes import Kernel
from tl_ascend.passes.context import PassContext


def split_vector_cores(kernel: Kernel, context: PassContext) -> Kernel:
    """Not lowered yet: both vector cores do all of the work, and the author is told."""
    launch = kernel.launch
    if launch is not None and launch.threads == 2:
        context.report.add(
            "not-lowered",
            launch.span,
            "threads=2 divides the UB tiles between the two vector cores; tl-ascend does not lower "
            "this yet, so sizes, addresses and device code here are those of the undivided kernel",
        )
    return kernel
