"""tl-ascend: a TileLang-to-Ascend compiler that lives in the editor and in CI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from os import PathLike

    from tl_ascend.ir.nodes import Kernel

__version__ = "0.1.0"
__all__ = ["evaluate", "load"]


def load(
    path: str | PathLike[str],
    factory: str | None = None,
    instance: int = 0,
    text: str | None = None,
) -> Kernel:
    """A kernel of a file, as evaluated, for `evaluate`.

    `factory`: the function that makes it, or the kernel's own name; without it all kernels of the
    file count. `instance`: which of those, in the order of the file. `text`: the file's content, where
    it is not what the disk has. Nothing of the file is executed.

    Errors: OSError, LookupError (no such kernel), ValueError (it is not known whole; says why).
    """
    import os

    from tl_ascend.driver.load import load_kernel

    return load_kernel(os.fspath(path), factory, instance, text)


def evaluate(kernel: Kernel, *arguments: Any) -> Any:
    """Run a kernel in numpy, independently of its lowering.

    `kernel`: from `load`, or `KernelReport.kernel` of `tl_ascend.driver.check`. `arguments`, in the
    order of the parameters: a numpy array for each tensor, of exactly its shape (where a dimension is
    symbolic, any size, the same wherever it is named) and element type (float32 is also taken for
    bfloat16, which numpy does not have); a number for each scalar. Either all parameters are given, or
    all but those that `out_idx` and `workspace_idx` of `tilelang.jit` name, as callers of the compiled
    kernel do; None for one of these is as good as leaving it out.

    Arrays are updated in place, as a device updates its tensors. Returns what `out_idx` names: the
    array, a tuple of several, None where it names none. What the kernel never wrote of an output that
    was allocated here is NaN, or the greatest integer.

    Errors, all `tl_ascend.simulate.EvaluationError`: BadArgument (ValueError), OutOfBounds,
    UnwrittenMemory (a result, branch or index depends on memory that nothing wrote), Deadlock (cores
    wait for flags that none will set), UnsupportedOperation (says why). `tl_ascend.simulate.run` also
    gives what the kernel printed.
    """
    from tl_ascend.simulate import run

    outputs = run(kernel, *arguments).outputs
    if len(outputs) < 2:
        return outputs[0] if outputs else None
    return outputs
