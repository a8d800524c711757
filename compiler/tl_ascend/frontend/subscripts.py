"""`x[...]`: elements of Python containers, regions of buffers."""

from __future__ import annotations

import ast
from typing import Any

from tl_ascend.frontend.changes import is_many
from tl_ascend.frontend.machine import Machine, Mistake, python_error
from tl_ascend.frontend.streams import NATIVE, plain
from tl_ascend.frontend.values import ClassValue, OpRef, Unknown, first_unknown
from tl_ascend.ir import fold
from tl_ascend.ir.affine import affine
from tl_ascend.ir.expr import Expr, Scalar
from tl_ascend.ir.nodes import Buffer, Region
from tl_ascend.source.units import span_of
from tl_ascend.source.words import counted


def subscript(m: Machine, node: ast.Subscript) -> Any:
    """The value of `x[...]`."""
    return subscript_of(m, node, m.eval(node.value), m.eval(node.slice))


def subscript_of(m: Machine, node: ast.AST, owner: Any, index: Any) -> Any:
    """The value of `owner[index]`."""
    if isinstance(owner, Buffer):
        return region(m, node, owner, index)
    unknown = first_unknown(owner if isinstance(owner, Unknown) else None, index)
    if unknown is not None:
        return unknown
    return item(m, node, owner, index)


def item(m: Machine, node: ast.AST, owner: Any, index: Any) -> Any:
    """An element of a Python container or of an object that we model."""
    if isinstance(owner, OpRef):  # T.Tensor[(M, N), dtype]
        args = list(index) if isinstance(index, tuple) else [index]
        return m.program.language(m, node, owner.row, args, {})
    if isinstance(owner, Region):
        return Unknown("a slice of a slice is not evaluated", span_of(node))
    model = m.program.subscript_models.get(type(owner))
    if model is not None:
        return model(m, node, owner, index)
    if isinstance(owner, ClassValue) and owner.kind == "enum":
        return _enum_member(node, owner, index)
    if not (type(owner) in NATIVE and plain(index)):
        return Unknown("this subscript is not evaluated", span_of(node))
    if is_many(owner) or (isinstance(owner, dict) and any(isinstance(k, Unknown) for k in owner)):
        return Unknown("what this holds is not known", span_of(node))
    try:
        return owner[index]
    except (KeyError, IndexError) as error:
        raise python_error(node, error, _missing(owner, index)) from None
    except (TypeError, ValueError) as error:
        raise python_error(node, error) from None


def _enum_member(node: ast.AST, owner: ClassValue, name: Any) -> Any:
    if name in owner.members:
        return owner.attributes[name]
    if isinstance(name, str) and not owner.decorated and not owner.defines():
        raise python_error(node, KeyError(name), f"{name!r} is no member of {owner.name}")
    return Unknown("a member of an enumeration", span_of(node))


def _missing(owner: Any, index: Any) -> str:
    if isinstance(owner, dict):
        known = ", ".join(repr(k) for k in list(owner)[:8])
        return f"{index!r} is not a key of this dictionary (keys: {known})"
    return f"index {index} of a sequence of {counted(len(owner), 'element')}"


def region(m: Machine, node: ast.AST, buffer: Buffer, index: Any) -> Any:
    """A box of a buffer. A dimension indexed plainly has extent 1."""
    indices = index if isinstance(index, tuple) else (index,)
    if any(i is Ellipsis for i in indices):
        at = indices.index(Ellipsis)
        fill = buffer.rank - len(indices) + 1
        indices = (*indices[:at], *([slice(None)] * max(fill, 0)), *indices[at + 1 :])
    if len(indices) > buffer.rank:
        raise Mistake(
            "copy-shape",
            node,
            f"{buffer.name} is {buffer.rank}-dimensional but has {len(indices)} indices here",
        )
    starts: list[Scalar] = []
    extents: list[Scalar] = []
    sliced = False
    for position, part in enumerate(indices):
        bounds = _bounds(m, node, part, buffer.shape[position])
        if isinstance(bounds, Unknown):
            return bounds
        starts.append(bounds[0])
        extents.append(bounds[1])
        sliced = sliced or isinstance(part, slice)
    form = "slice" if sliced else "start"
    return Region(buffer, tuple(starts), tuple(extents), form, span_of(node))


def _bounds(m: Machine, node: ast.AST, part: Any, size: Scalar) -> tuple[Scalar, Scalar] | Unknown:
    from tl_ascend.frontend.expressions import as_scalar

    if isinstance(part, slice):
        low = 0 if part.start is None else as_scalar(part.start)
        high = size if part.stop is None else as_scalar(part.stop)
        unknown = first_unknown(low, high, part.step)
        if unknown is not None:
            return unknown
        if part.step not in (None, 1) or not _index(low) or not _index(high):
            return Unknown("a slice with a step is not evaluated", span_of(node))
        return low, difference(high, low)
    value = as_scalar(part)
    if isinstance(value, Unknown):
        return value
    if not _index(value):
        return Unknown("this index is not evaluated", span_of(node))
    return value, 1


def _index(value: Any) -> bool:
    return isinstance(value, (int, Expr))


def difference(high: Scalar, low: Scalar) -> Scalar:
    """`high - low`, exact where the affine forms cancel."""
    x, y = affine(high), affine(low)
    if x is not None and y is not None:
        gap = x.plus(y, -1)
        if not gap.terms:
            return gap.constant
    return fold.binary("-", high, low)
