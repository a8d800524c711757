"""What the names of `T` do: allocations, frames, loops, scalars, annotations, tile operations.

A tile operation yields a `TileCall`; it takes effect only where a parsed statement emits it, as in
upstream: a call that plain Python builds and drops is lost.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tl_ascend.frontend.machine import Machine, Mistake
from tl_ascend.frontend.values import (
    Builtin,
    DTypeRef,
    Frame,
    LoopSpec,
    OpRef,
    TensorSpec,
    TileCall,
    Unknown,
    first_unknown,
)
from tl_ascend.ir import fold
from tl_ascend.ir.expr import Call, Cast, Const, Expr, Load, Var, walk
from tl_ascend.ir.nodes import Alloc, Buffer, Region, Store, TileOp
from tl_ascend.ops.row import REQUIRED, Op, Param
from tl_ascend.source.span import Span
from tl_ascend.source.units import span_of
from tl_ascend.target.dtypes import BOOL, FLOAT32, INT32, DType, dtype

Handler = Callable[[Machine, ast.AST, dict[str, Any]], Any]
HANDLERS: dict[str, Handler] = {}
MAX_RANK = 8


def handler(*names: str) -> Callable[[Handler], Handler]:
    """Register what a name of `T` does."""

    def add(function: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = function
        return function

    return add


def language(m: Machine, node: ast.AST, row: Op, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a name of `T`."""
    bound, spans = bind_row(m, node, row, args, kwargs)
    if row.name in HANDLERS:
        return HANDLERS[row.name](m, node, bound)
    if row.kind in ("tile", "sync"):
        return _tile_call(node, row, bound, spans)
    if row.kind == "value":
        return _scalar_call(row, bound)
    return Unknown(f"T.{row.name} is not evaluated", span_of(node))


def bind_row(
    m: Machine, node: ast.AST, row: Op, args: list[Any], kwargs: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Span]]:
    """Arguments by parameter name, with the place of each. Errors: Mistake."""
    names = [p.name for p in row.params]
    bound: dict[str, Any] = {}
    spans: dict[str, Span] = {}
    places = _places(node)
    if row.vararg:
        # The variable part follows the plain parameters, or is all there is (extents of a loop).
        fixed = sum(p.default is REQUIRED for p in row.params)
        bound[row.vararg] = tuple(args[fixed:])
        args = args[:fixed]
    if row.family == "reduce":
        args, kwargs = _reduce_extras(args, kwargs)
    for position, value in enumerate(args):
        if position >= len(names):
            text = f"T.{row.name} takes {len(names)} arguments but {len(args)} were given"
            raise Mistake("unknown-api", node, text, (row.signature,))
        bound[names[position]] = value
        spans[names[position]] = places.get(position, span_of(node))
    for name, value in kwargs.items():
        if name not in names:
            raise Mistake(
                "unknown-api",
                places.get(name, span_of(node)),
                f"T.{row.name} has no argument {name!r}",
                (row.signature,),
            )
        bound[name] = value
        spans[name] = places.get(name, span_of(node))
    for param in row.params:
        if param.name not in bound:
            if param.default is REQUIRED:
                raise Mistake(
                    "unknown-api",
                    node,
                    f"T.{row.name} misses the argument {param.name!r}",
                    (row.signature,),
                )
            bound[param.name] = param.default
    return bound, spans


def _reduce_extras(args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """`clear` and `real_shape` may follow `dim` in any order."""
    kwargs = dict(kwargs)
    for value in args[3:]:
        kwargs["clear" if isinstance(value, bool) else "real_shape"] = value
    return args[:3], kwargs


def _places(node: ast.AST) -> dict[int | str, Span]:
    if not isinstance(node, ast.Call):
        return {}
    out: dict[int | str, Span] = {i: span_of(a) for i, a in enumerate(node.args)}
    out.update({k.arg: span_of(k.value) for k in node.keywords if k.arg is not None})
    return out


def _tile_call(node: ast.AST, row: Op, bound: dict[str, Any], spans: dict[str, Span]) -> TileCall:
    values = [_argument(p, bound[p.name], spans.get(p.name)) for p in row.params]
    if row.vararg:
        values.append(bound[row.vararg])
    here = span_of(node)
    places = tuple(spans.get(p.name, here) for p in row.params)
    return TileCall(row, tuple(values), here, places)


def _argument(param: Param, value: Any, span: Span | None) -> Any:
    """An argument in the form that its parameter takes."""
    from tl_ascend.frontend.expressions import as_scalar, is_scalar

    if param.kind == "region":
        return as_region(value, span)
    if param.kind == "operand":
        if isinstance(value, (Buffer, Region)):
            scalar = as_scalar(value)
            return scalar if is_scalar(scalar) else as_region(value, span)
        return as_scalar(value)
    if param.kind in ("scalar", "flag", "int"):
        scalar = as_scalar(value)
        if scalar is None or is_scalar(scalar) or isinstance(scalar, Unknown):
            return scalar
        return Unknown(f"argument {param.name!r} is not a number", span)
    if param.kind == "list" and isinstance(value, list):
        return tuple(value)
    return value


def as_region(value: Any, span: Span | None) -> Any:
    """A buffer or slice as a region; anything else is unknown."""
    if isinstance(value, Buffer):
        where = span or value.span
        return Region(value, (0,) * value.rank, value.shape, "whole", where)
    if isinstance(value, (Region, Unknown)):
        return value
    if isinstance(value, Load):
        return Region(
            value.buffer,
            value.indices,
            (1,) * len(value.indices),
            "start",
            span or value.buffer.span,
        )
    return Unknown("an operand that is no buffer", span)


def emit_value(m: Machine, node: ast.AST, value: Any) -> None:
    """An expression statement of kernel text: a tile call takes effect, an unknown spoils it."""
    assert m.builder is not None
    if isinstance(value, TileCall):
        unknown = first_unknown(*value.args)
        if unknown is not None:
            m.builder.fail(unknown)
            return
        m.builder.emit(TileOp(value.row.name, value.args, value.span, value.spans))
    elif isinstance(value, Unknown):
        m.builder.fail(value)


def _scalar_call(row: Op, bound: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import as_scalar

    args = tuple(as_scalar(bound[p.name]) for p in row.params)
    unknown = first_unknown(*args)
    if unknown is not None:
        return unknown
    kind = next((a.dtype for a in args if isinstance(a, Expr)), FLOAT32)
    return Call(row.name, args, INT32 if row.name == "use_swizzle" else kind)


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
    for part in shape:
        if isinstance(part, float) or (isinstance(part, int) and part < 0):
            shown = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
            reason = "not an integer" if isinstance(part, float) else "negative"
            text = f"the shape {shown} is impossible: {part} is {reason}"
            raise Mistake("bad-allocation", _shape_place(node), text)
    for part in shape:
        _known_before_launch(node, part)
    return shape


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
    return TensorSpec(shape_of(m, node, bound["shape"]), dtype_argument(m, node, bound["dtype"]))


_SCOPES = {
    "alloc_L1": "L1",
    "alloc_L0A": "L0A",
    "alloc_L0B": "L0B",
    "alloc_L0C": "L0C",
    "alloc_ub": "UB",
    "alloc_shared": "shared",
    "alloc_fragment": "fragment",
}


def _alloc(scope: str) -> Handler:
    def allocate(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
        if m.builder is None:
            return Unknown("a buffer is allocated outside a kernel", span_of(node))
        name = m.builder.name_for("buffer")
        shape = shape_of(m, node, bound["shape"])
        kind = dtype_argument(m, node, bound["dtype"])
        unknown = first_unknown(shape, kind)
        if unknown is not None:
            m.builder.fail(unknown)
            return unknown
        assert isinstance(shape, tuple) and isinstance(kind, DType)
        buffer = Buffer(name, m.fresh(), shape, kind, scope, span_of(node))
        m.builder.emit(Alloc(buffer, span_of(node)))
        return buffer

    return allocate


for _name, _scope in _SCOPES.items():
    HANDLERS[_name] = _alloc(_scope)


@handler("alloc_var")
def _alloc_var(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import as_scalar, is_scalar

    if m.builder is None:
        return Unknown("a variable is allocated outside a kernel", span_of(node))
    name = m.builder.name_for("variable")
    kind = dtype_argument(m, node, bound["dtype"])
    init = as_scalar(bound["init"])
    unknown = first_unknown(kind, init)
    if unknown is not None:
        m.builder.fail(unknown)
        return unknown
    assert isinstance(kind, DType)
    buffer = Buffer(name, m.fresh(), (), kind, "var", span_of(node))
    m.builder.emit(Alloc(buffer, span_of(node)))
    if is_scalar(init):
        m.builder.emit(Store(buffer, (), init, span_of(node)))
    return buffer


@handler("Kernel")
def _kernel(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    blocks = bound["blocks"]
    if bound["is_npu"] is True and len(blocks) != 1:
        text = f"T.Kernel(is_npu=True) takes exactly one block extent, not {len(blocks)}"
        raise Mistake("kernel-form", node, text)
    threads = bound["threads"]
    if isinstance(threads, (list, tuple)) and len(threads) == 1:
        bound["threads"] = threads = threads[0]
    if bound["is_npu"] is True and isinstance(threads, int) and threads not in (1, 2):
        text = f"threads must be 1 or 2 on an NPU (vector cores per cube core), not {threads}"
        raise Mistake("kernel-form", node, text)
    return Frame("Kernel", tuple(blocks), bound, span_of(node))


@handler("Scope")
def _scope_frame(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    if isinstance(bound["name"], Unknown):
        return bound["name"]
    if bound["name"] not in ("C", "V"):
        notes = ('upstream takes any name but "C" for the vector cores',)
        text = f'a scope is "C" (cube) or "V" (vector), not {bound["name"]!r}'
        raise Mistake("kernel-form", node, text, notes)
    return Frame("Scope", (bound["name"],), bound, span_of(node))


def _loop(kind: str) -> Handler:
    def make(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
        from tl_ascend.frontend.expressions import as_scalar
        from tl_ascend.frontend.subscripts import difference

        start, stop = as_scalar(bound["start"]), as_scalar(bound["stop"])
        if stop is None:
            start, stop = 0, start
        unknown = first_unknown(start, stop)
        extent = unknown or difference(stop, start)
        extra = {k: v for k, v in bound.items() if k not in ("start", "stop") and v is not None}
        return LoopSpec(kind, start, (extent,), extra)

    return make


for _kind in ("serial", "unroll", "vectorized"):
    HANDLERS[_kind] = _loop(_kind)
HANDLERS["Pipelined"] = _loop("pipelined")


@handler("Parallel", "grid")
def _parallel(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import as_scalar

    extents = tuple(as_scalar(e) for e in bound["extents"])
    kind = "parallel" if "coalesced_width" in bound else "serial"
    return LoopSpec(kind, 0, extents, {})


def _pair(name: str, op: Callable[[Any, Any], Any]) -> None:
    def apply(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
        from tl_ascend.frontend.expressions import as_scalar

        a, b = (as_scalar(bound[k]) for k in ("a", "b"))
        unknown = first_unknown(a, b)
        if unknown is not None:
            return unknown
        try:
            return op(a, b)
        except ZeroDivisionError:
            raise Mistake("python-error", node, f"division by zero in T.{name}") from None
        except TypeError:
            return Unknown(f"operands of T.{name} are not evaluated", span_of(node))

    HANDLERS[name] = apply


_pair("ceildiv", fold.ceildiv)
_pair("floordiv", lambda a, b: fold.binary("//", a, b))
_pair("floormod", lambda a, b: fold.binary("%", a, b))
_pair("min", lambda a, b: fold.binary("min", a, b))
_pair("max", lambda a, b: fold.binary("max", a, b))
_pair("And", lambda a, b: fold.logic("and", (a, b)))
_pair("Or", lambda a, b: fold.logic("or", (a, b)))


@handler("Not")
def _not(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import as_scalar

    value = as_scalar(bound["a"])
    return value if isinstance(value, Unknown) else fold.logic("not", (value,))


@handler("if_then_else", "Select")
def _if_then_else(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import as_scalar

    condition, then, other = (as_scalar(bound[k]) for k in ("cond", "t", "f"))
    unknown = first_unknown(condition, then, other)
    return unknown or fold.select(condition, then, other)


@handler("symbolic")
def _symbolic(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    kind = dtype_argument(m, node, bound["dtype"])
    if not isinstance(bound["name"], str) or isinstance(kind, Unknown):
        return Unknown("a symbolic dimension without a name", span_of(node))
    return Var(bound["name"], m.fresh(), "shape", 1, None, kind)


@handler("infinity", "min_value", "max_value")
def _limit(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    kind = dtype_argument(m, node, bound["dtype"])
    name = (
        node.func.attr
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else "infinity"
    )
    return kind if isinstance(kind, Unknown) else Call(name, (), kind)


@handler("cast", "Cast", "reinterpret")
def _cast(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    kind = dtype_argument(m, node, bound["dtype"])
    return kind if isinstance(kind, Unknown) else converted(bound["value"], kind)


def converted(value: Any, kind: DType) -> Any:
    """A scalar of an explicit element type."""
    from tl_ascend.frontend.expressions import as_scalar

    value = as_scalar(value)
    if isinstance(value, Expr):
        return value if value.dtype == kind else Cast(kind, value)
    if isinstance(value, (int, float)):
        return Const(bool(value) if kind == BOOL else value, kind)
    return first_unknown(value) or Unknown("this value is not converted")


@handler("func_attr")
def _func_attr(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    if m.builder is not None and isinstance(bound["attrs"], dict):
        m.builder.attrs.update(bound["attrs"])
    return None


@handler("annotate_address")
def _annotate_address(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    if m.builder is not None and isinstance(bound["address_map"], dict):
        for buffer, address in bound["address_map"].items():
            if isinstance(buffer, Buffer) and isinstance(address, int):
                m.builder.addresses[buffer.uid] = address
    return None


@handler("annotate_layout")
def _annotate_layout(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    if m.builder is not None and isinstance(bound["layout_map"], dict):
        for buffer, layout in bound["layout_map"].items():
            if isinstance(buffer, Buffer) and isinstance(layout, str):
                m.builder.layouts[buffer.uid] = layout
    return None


_DTYPE_NAMES = {
    "float16",
    "float32",
    "bfloat16",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
}


def name_of_t(m: Machine, name: str, prefix: str = "") -> Any:
    """`T.name`: an operation, an element type, or unknown to us."""
    from tl_ascend.ops.table import TABLE

    if prefix + name in _DTYPE_NAMES:
        return DTypeRef(name)
    row = TABLE.get(prefix + name)
    if row is not None:
        return OpRef(row)
    return Unknown(f"T.{prefix}{name} is not known to tl-ascend")


def no_op(name: str) -> Builtin:
    """A call without effect on kernels."""
    return Builtin(name, lambda m, node, args, kwargs: None)
