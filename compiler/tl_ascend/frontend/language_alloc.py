"""Tensors and allocations: shapes, element types, memories."""

from __future__ import annotations

import ast
from typing import Any

from tl_ascend.frontend.language import HANDLERS, Handler, handler
from tl_ascend.frontend.machine import Machine, Mistake
from tl_ascend.frontend.values import TensorSpec, Unknown, first_unknown
from tl_ascend.ir.expr import Load, Var, walk
from tl_ascend.ir.nodes import Alloc, Buffer, Store
from tl_ascend.source.span import Span
from tl_ascend.source.units import span_of
from tl_ascend.target.dtypes import DType, dtype

MAX_RANK = 8


def shape_of(m: Machine, node: ast.AST, value: Any) -> tuple[Any, ...] | Unknown:
    """A shape argument: a number or a sequence of numbers. Errors: Mistake for impossible ones."""
    from tl_ascend.frontend.expressions import as_scalar, is_scalar

    if isinstance(value, str):
        raise Mistake(
            "bad-allocation", _shape_place(node), f"the shape {value!r} is text, not numbers"
        )
    parts = value if isinstance(value, (list, tuple)) else [value]
    shape = tuple(as_scalar(p) for p in parts)
    unknown = first_unknown(*shape)
    if unknown is not None:
        return unknown
    if len(shape) > MAX_RANK or not all(is_scalar(p) for p in shape):
        return Unknown("this shape is not evaluated", span_of(node))
    for at, part in enumerate(shape):
        if isinstance(part, float) or (isinstance(part, int) and part < 0):
            shown = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
            reason = "not an integer" if isinstance(part, float) else "negative"
            text = f"the shape {shown} is impossible: {part} is {reason}"
            place = _shape_place(node)
            causes = (("written", _length_of(place, at), part),)
            raise Mistake("bad-allocation", place, text, causes=causes)
    for part in shape:
        _known_before_launch(node, part)
    return shape


def _length_of(shape: ast.AST, at: int) -> str:
    """One length of a shape as it is written; the whole where its lengths are not."""
    parts = shape.elts if isinstance(shape, (ast.Tuple, ast.List)) else []
    plain = at < len(parts) and not any(isinstance(part, ast.Starred) for part in parts)
    return ast.unparse(parts[at] if plain else shape)


def _known_before_launch(node: ast.AST, part: Any) -> None:
    """A size that only the device knows cannot be one. Errors: Mistake."""
    for item in walk(part):
        device = isinstance(item, Load) or (
            isinstance(item, Var) and item.role in ("block", "subblock", "loop", "let", "scalar")
        )
        if device:
            name = item.buffer.name if isinstance(item, Load) else item.name
            text = (
                f"a size must be known before the kernel runs; {name} is known on the device only"
            )
            raise Mistake("dynamic-shape", _shape_place(node), text)


def _fixed_on_chip(m: Machine, node: ast.AST, name: str, shape: tuple[Any, ...]) -> None:
    """Report the first size that the author declared symbolic. A parameter that stands for itself,
    since nobody calls the factory, is no such size."""
    for at, part in enumerate(shape):
        for item in walk(part):
            if not isinstance(item, Var) or item not in m.program.symbols:
                continue
            place = _shape_place(node)
            if isinstance(place, (ast.Tuple, ast.List)) and len(place.elts) == len(shape):
                place = place.elts[at]
            m.say(
                "dynamic-shape",
                span_of(place),
                f"{name} lies on the chip and gets its address when the kernel is compiled, but "
                f"{item.name} is symbolic",
                notes=("Allocate a fixed maximum and copy a slice of it.",),
            )
            return


def _shape_place(node: ast.AST) -> ast.AST:
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg == "shape":
                return keyword.value
        if node.args:
            return node.args[0]
    return node


def _dtype_place(node: ast.AST) -> ast.AST:
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg == "dtype":
                return keyword.value
        if len(node.args) > 1:
            return node.args[1]
    return node


def dtype_argument(m: Machine, node: ast.AST, value: Any) -> DType | Unknown:
    """An element type argument. Errors: Mistake for text that names no type."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, str):
        found = dtype(value)
        if found is not None:
            return found
        place = _dtype_place(node)
        raise Mistake("bad-allocation", place, f"there is no element type {str(value)!r}")
    return Unknown("this element type is not evaluated", span_of(node))


def tensor_buffer(m: Machine, name: str, spec: TensorSpec, span: Span) -> Any:
    """A tensor parameter of a kernel."""
    if isinstance(spec.shape, Unknown) or isinstance(spec.dtype, Unknown):
        return first_unknown(spec.shape, spec.dtype)
    return Buffer(name, m.fresh(), spec.shape, spec.dtype, "GM", span)


@handler("Tensor", "Buffer")
def _tensor(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    for name in ("data", "strides", "elem_offset"):
        if bound[name] is not None:
            return Unknown(f"a tensor with {name} of its own", span_of(node))
    return TensorSpec(shape_of(m, node, bound["shape"]), dtype_argument(m, node, bound["dtype"]))


# What upstream calls the memories.
_SCOPES = {
    "shared.l1": "L1",
    "wmma.matrix_a": "L0A",
    "wmma.matrix_b": "L0B",
    "wmma.accumulator": "L0C",
    "shared": "UB",
    "shared.dyn": "shared",
    "local.fragment": "fragment",
    "local.var": "var",
}
_FUNCTIONS = {
    "alloc_L1": "shared.l1",
    "alloc_L0A": "wmma.matrix_a",
    "alloc_L0B": "wmma.matrix_b",
    "alloc_L0C": "wmma.accumulator",
    "alloc_ub": "shared",
    "alloc_shared": "shared.dyn",
    "alloc_fragment": "local.fragment",
}


def _scope(node: ast.AST, name: Any) -> str | Unknown:
    """Our name of a memory."""
    found = _SCOPES.get(name) if isinstance(name, str) else None
    unknown = name if isinstance(name, Unknown) else Unknown(f"the scope {name!r}", span_of(node))
    return found or unknown


def _alloc(usual: str) -> Handler:
    def allocate(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
        if m.builder is None:
            return Unknown("a buffer is allocated outside a kernel", span_of(node))
        name = m.builder.name_for("buffer")
        shape = shape_of(m, node, bound["shape"])
        kind = dtype_argument(m, node, bound["dtype"])
        scope = _scope(node, bound.get("scope", usual))
        unknown = first_unknown(shape, kind, scope)
        if unknown is not None:
            m.builder.fail(unknown)
            return unknown
        assert isinstance(shape, tuple) and isinstance(kind, DType) and isinstance(scope, str)
        _fixed_on_chip(m, node, name, shape)
        buffer = Buffer(name, m.fresh(), shape, kind, scope, span_of(node))
        m.builder.emit(Alloc(buffer, span_of(node)))
        return buffer

    return allocate


for _name, _usual in _FUNCTIONS.items():
    HANDLERS[_name] = _alloc(_usual)


@handler("alloc_var")
def _alloc_var(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import as_scalar, is_scalar

    given, where = _init_and_scope(node, bound)
    if m.builder is None:
        return Unknown("a variable is allocated outside a kernel", span_of(node))
    name = m.builder.name_for("variable")
    kind = dtype_argument(m, node, bound["dtype"])
    init, scope = as_scalar(given), _scope(node, where)
    unknown = first_unknown(kind, init, scope)
    if unknown is None and scope != "var":
        unknown = Unknown(f"T.alloc_var in the scope {where!r}", span_of(node))
    if unknown is not None:
        m.builder.fail(unknown)
        return unknown
    assert isinstance(kind, DType)
    buffer = Buffer(name, m.fresh(), (), kind, "var", span_of(node))
    m.builder.emit(Alloc(buffer, span_of(node)))
    if is_scalar(init):
        m.builder.emit(Store(buffer, (), init, span_of(node)))
    return buffer


def _init_and_scope(node: ast.AST, bound: dict[str, Any]) -> tuple[Any, Any]:
    """`T.alloc_var(dtype, [init], [scope], scope=, init=)`: one text alone is the scope. Errors:
    Mistake."""
    extra, init, scope = bound["args"], bound["init"], bound["scope"]
    if len(extra) > 2:
        text = f"T.alloc_var takes at most 3 arguments by position, not {len(extra) + 1}"
        raise Mistake("unknown-api", node, text)
    if len(extra) == 1 and isinstance(extra[0], str) and init is None and scope == "local.var":
        return None, extra[0]
    if extra and init is not None:
        text = "T.alloc_var is given its first value twice"
        if isinstance(extra[0], str):
            text = f'beside init= the text is read as a value, too: write scope="{extra[0]}"'
        raise Mistake("unknown-api", node, text)
    if len(extra) == 2 and not isinstance(extra[1], (str, Unknown)):
        raise Mistake("unknown-api", node, "the scope of T.alloc_var is text, the second argument")
    return (extra[0] if extra else init), (extra[1] if len(extra) == 2 else scope)
