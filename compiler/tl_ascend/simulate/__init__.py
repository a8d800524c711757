"""Numpy semantics of every operation, run over evaluated kernels.

An independent account of what a kernel means: no lowering takes part (only the memory of tiles is
inferred as lowering does it), so that its results can be held against those of emitted programs.
"""

from tl_ascend.simulate.errors import (
    BadArgument,
    Deadlock,
    EvaluationError,
    OutOfBounds,
    UnsupportedOperation,
    UnwrittenMemory,
)
from tl_ascend.simulate.machine import Printed
from tl_ascend.simulate.run import Result, run

__all__ = [
    "BadArgument",
    "Deadlock",
    "EvaluationError",
    "OutOfBounds",
    "Printed",
    "Result",
    "UnsupportedOperation",
    "UnwrittenMemory",
    "run",
]
