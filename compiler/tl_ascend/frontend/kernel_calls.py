"""Calls of compiled kernels: the tensors that they are given against the parameters.

Source: tile-ai/tilelang-ascend 95acbd7f, tilelang/jit/adapter/cython: it compares element types, not
shapes, and takes the arguments in the order of the parameters that are no outputs and no workspaces.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.frontend.machine import Machine, Mistake
from tl_ascend.frontend.models.torch import HostTensor
from tl_ascend.frontend.values import KernelRecord
from tl_ascend.ir.expr import Var, loads
from tl_ascend.ir.nodes import Buffer, Kernel, Param, While, exprs_of, walk_stmts
from tl_ascend.ir.storage import elements
from tl_ascend.ir.text import show
from tl_ascend.source.words import counted, is_are
from tl_ascend.target.dtypes import dtype

NAME = "call-argument"


def check_call(m: Machine, node: ast.AST, record: KernelRecord, args: Sequence[Any]) -> None:
    """Errors: Mistake where a tensor is certainly not what its parameter is."""
    if record.kernel is None or record.unknown is not None or not isinstance(node, ast.Call):
        return
    if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
        return
    inputs = _inputs(record, record.kernel.params)
    if len(args) < len(inputs):
        raise _too_few(node, record, inputs, len(args))
    if len(args) > len(inputs):
        return  # those that follow are ignored
    sizes: dict[Var, tuple[int, Param]] = {}
    fixed = _decided_by_shapes(record.kernel)
    for param, value, at in zip(inputs, args, node.args, strict=True):
        if isinstance(value, HostTensor) and value.exact and isinstance(param.value, Buffer):
            _type(m, at, param, param.value, value)
            if fixed:
                _shape(at, param, param.value, value, sizes)


def _decided_by_shapes(kernel: Kernel) -> bool:
    """True where nothing but its shapes decides what a kernel touches: many are made for a larger
    tensor than they get, and are told by a scalar or by data how much there is."""
    if any(isinstance(param.value, Var) for param in kernel.params):
        return False
    stmts = list(walk_stmts(kernel.body))
    return not any(isinstance(s, While) for s in stmts) and not any(
        loads(value) for stmt in stmts for value in exprs_of(stmt)
    )


def _inputs(record: KernelRecord, params: tuple[Param, ...]) -> list[Param]:
    options = record.options
    made = (
        {i % len(params) for i in (*options.out_idx, *options.workspace_idx)} if params else set()
    )
    return [param for at, param in enumerate(params) if at not in made]


def _too_few(node: ast.Call, record: KernelRecord, inputs: list[Param], given: int) -> Mistake:
    names = ", ".join(param.name for param in inputs)
    made = (*record.options.out_idx, *record.options.workspace_idx)
    note = "Parameters of out_idx and workspace_idx are not passed." if made else ""
    return Mistake(
        NAME,
        node,
        f"{record.name} takes {counted(len(inputs), 'tensor')} ({names}), "
        f"and {given} {is_are(given)} given",
        (note,) if note else (),
        (Related(record.span, f"{record.name} is defined here"),),
        certain=True,
    )


def _type(m: Machine, at: ast.AST, param: Param, want: Buffer, have: HostTensor) -> None:
    given = dtype(have.dtype) if isinstance(have.dtype, str) else None
    if given is None or not m.program.plain_torch or given == want.dtype:
        return
    if "bool" in (given.name, want.dtype.name):
        return
    raise Mistake(
        NAME,
        at,
        f"{param.name} holds {want.dtype}, and the tensor {given}",
        ("Upstream's launch raises ValueError: Buffer dtype mismatch.",),
        (Related(param.span, f"{param.name}: {want.dtype}{show(want.shape)}"),),
        certain=True,
    )


def _shape(
    at: ast.AST,
    param: Param,
    want: Buffer,
    have: HostTensor,
    sizes: dict[Var, tuple[int, Param]],
) -> None:
    shape = have.shape
    if shape is None or not all(isinstance(size, int) for size in shape):
        return
    related = (Related(param.span, f"{param.name}: {want.dtype}{show(want.shape)}"),)
    needed = elements(want.shape)
    if needed is not None:
        if math.prod(shape) < needed:
            raise Mistake(
                NAME,
                at,
                f"{param.name} has the shape {show(want.shape)}, {needed} elements, and the tensor "
                f"{show(shape)}, {math.prod(shape)}",
                (_BEHIND,),
                related,
                certain=True,
                severity=Severity.WARNING,
            )
        _turned(at, param, want, shape, related)
        return
    if len(shape) != len(want.shape):
        return
    for size, number in zip(want.shape, shape, strict=True):
        if not isinstance(size, Var):
            continue
        known, first = sizes.setdefault(size, (number, param))
        if number < known:
            raise Mistake(
                NAME,
                at,
                f"{size.name} is {known} in {first.name}, and {number} in the tensor for "
                f"{param.name}, {show(shape)}",
                (_BEHIND,),
                (*related, Related(first.span, f"{size.name} is taken from {first.name}")),
                certain=True,
                severity=Severity.WARNING,
            )


def _turned(
    at: ast.AST, param: Param, want: Buffer, shape: Sequence[Any], related: tuple[Related, ...]
) -> None:
    """As many elements under other rows may be meant; dimensions that have changed places are not."""
    real = [size for size in want.shape if size != 1], [size for size in shape if size != 1]
    if real[0] == real[1] or sorted(real[0]) != sorted(real[1]):
        return
    raise Mistake(
        NAME,
        at,
        f"{param.name} has the shape {show(want.shape)}, and the tensor {show(tuple(shape))}: its "
        "dimensions have changed places",
        ("Nobody compares the shapes: the kernel takes the elements as they lie in memory.",),
        related,
        certain=True,
        severity=Severity.WARNING,
    )


_BEHIND = "Nobody compares the shapes: the kernel reads or writes behind the end of the tensor."
