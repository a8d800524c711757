"""Parameters of the kernel: what a launch from Python can pass, and where symbolic sizes come from."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.checks.context import CheckContext, shape_text
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.expr import Expr, Var, free_vars
from tl_ascend.ir.nodes import SYMBOLS, Buffer, Kernel, Param

# What ctypes makes of a Python number: int becomes int32, float becomes float32.
_PASSED = frozenset(("int32", "uint32", "float32", "bool"))


def scalar_types(context: CheckContext) -> None:
    """A Python number arrives as 32 bits, whatever the parameter says."""
    if context.upstream == "none":
        return
    for param in context.before.params:
        value = param.value
        if isinstance(value, Buffer) or value.dtype.name in _PASSED:
            continue
        what = "a float32" if value.dtype.kind == "float" else "32 bits"
        context.report.add(
            "scalar-parameter",
            param.span,
            f"{param.name} is {value.dtype}; upstream's launch passes a Python number as {what}",
            notes=(
                "Nothing converts it: the kernel reads other bits than those of the number.",
                "Take int32 or float32 and cast in the kernel, or pass a tensor.",
            ),
        )


def bound_sizes(context: CheckContext) -> None:
    """A launch takes symbolic sizes from shapes of tensors that it is given: one of them must have
    the symbol itself as an extent."""
    kernel = context.before
    if context.upstream == "none" or not kernel.options.spans:
        return
    wanted = set(kernel.attrs.get(SYMBOLS, ())) - set(_bare(kernel))
    for param in kernel.params:
        for var in _symbols(param):
            if var in wanted:
                wanted.remove(var)
                _report(var, param, context)


def _bare(kernel: Kernel) -> Iterator[Var]:
    """Symbols that are an extent of an input by themselves."""
    count = len(kernel.params)
    made = {i % count for i in (*kernel.options.out_idx, *kernel.options.workspace_idx)}
    for at, param in enumerate(kernel.params):
        if at not in made and isinstance(param.value, Buffer):
            yield from (size for size in param.value.shape if isinstance(size, Var))


def _symbols(param: Param) -> Iterator[Var]:
    if isinstance(param.value, Buffer):
        for size in param.value.shape:
            if isinstance(size, Expr):
                yield from free_vars(size)


def _report(var: Var, param: Param, context: CheckContext) -> None:
    assert isinstance(param.value, Buffer)
    context.report.add(
        "unbound-size",
        param.span,
        f"no input has the extent {var.name}: {param.name} is {shape_text(param.value.shape)}",
        notes=(
            f"A launch finds {var.name} in the shape of a tensor that it is given, where it stands "
            "alone; outputs and workspaces are allocated by the launch, which must know it by then.",
            f"Upstream raises KeyError: Unfounded symbolic var: {var.name}, or the program does not "
            "compile.",
        ),
        related=(Related(param.span, f"{param.name} needs it"),),
    )
