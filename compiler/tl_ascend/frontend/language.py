"""Calls of names of `T`: which row is meant, which argument is which, and the tile call that comes
of it. What other names do is registered with `handler` by `language_*.py`.

A tile operation yields a `TileCall`; it takes effect only where a parsed statement emits it, as in
upstream: a call that plain Python builds and drops is lost.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable
from typing import Any

from tl_ascend.frontend.language_names import renaming
from tl_ascend.frontend.machine import Machine, Mistake
from tl_ascend.frontend.values import (
    Builtin,
    TileCall,
    Unknown,
    first_unknown,
)
from tl_ascend.ir.expr import Call, Expr, Load, Var
from tl_ascend.ir.nodes import Buffer, Region, TileOp
from tl_ascend.ops.row import REQUIRED, Op, Param
from tl_ascend.source.span import Span
from tl_ascend.source.units import span_of
from tl_ascend.source.words import counted
from tl_ascend.target.dtypes import BOOL, FLOAT32, INT32

Handler = Callable[[Machine, ast.AST, dict[str, Any]], Any]
HANDLERS: dict[str, Handler] = {}
Arguments = tuple[list[Any], dict[str, Any]]


def handler(*names: str) -> Callable[[Handler], Handler]:
    """Register what a name of `T` does."""

    def add(function: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = function
        return function

    return add


def language(m: Machine, node: ast.AST, row: Op, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a name of `T`. Errors: Mistake."""
    if row.status:
        text, fixes = f"T.{row.name}: {row.status}", renaming(named(node), row)
        raise Mistake("unknown-api", name_span(node), text, certain=True, fixes=fixes)
    bound, spans = bind_row(node, row, args, kwargs)
    if row.name in HANDLERS:
        return HANDLERS[row.name](m, node, bound)
    if row.kind in ("tile", "sync"):
        return tile_call(node, row, _elements(m, row, bound), spans)
    if row.kind == "value":
        return _scalar_call(row, bound)
    return Unknown(f"T.{row.name} is not evaluated", span_of(node))


def named(node: ast.AST) -> ast.AST:
    """The name that is called or read."""
    return node.func if isinstance(node, ast.Call) else node


def name_span(node: ast.AST) -> Span:
    """The place of the name that is called or read."""
    name = named(node)
    return span_of(name, "name") if isinstance(name, ast.Attribute) else span_of(name)


# --- arguments -----------------------------------------------------------------------------------


def bind_row(
    node: ast.AST, row: Op, args: list[Any], kwargs: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Span]]:
    """Arguments by parameter name, with the place of each. Errors: Mistake."""
    bound: dict[str, Any] = {}
    spans: dict[str, Span] = {}
    places = _places(node)
    args, kwargs = _extras(node, row, args, kwargs)
    for position, (param, value) in enumerate(zip(row.positional, args, strict=False)):
        bound[param.name] = value
        spans[param.name] = places.get(position, span_of(node))
    for name, value in kwargs.items():
        _check_name(node, row, name, bound)
        bound[name] = value
        spans[name] = places.get(name, span_of(node))
    for param in row.params:
        if param.name not in bound and param.default is REQUIRED:
            text = f"T.{row.name} misses the argument {param.name!r}"
            raise Mistake("unknown-api", node, text, (row.signature,))
    bound = {param.name: bound.get(param.name, param.default) for param in row.params}
    if row.vararg:
        bound[row.vararg] = tuple(args[len(row.positional) :])
    return bound, spans


def _extras(node: ast.AST, row: Op, args: list[Any], kwargs: dict[str, Any]) -> Arguments:
    """Arguments beyond the parameters: the variable part, or too many. Errors: Mistake."""
    count = len(row.positional)
    if row.family == "reduce" and len(args) > count:
        return args[:count], _reduce_extras(node, row, args[count:], kwargs)
    if len(args) > count and not row.vararg:
        text = f"T.{row.name} takes {counted(count, 'argument')} but {len(args)} were given"
        raise Mistake("unknown-api", node, text, (row.signature,))
    return args, kwargs


def _reduce_extras(
    node: ast.AST, row: Op, extras: list[Any], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """`clear` and `real_shape` may follow `dim` in any order. Errors: Mistake."""
    kwargs = dict(kwargs)
    for value in extras:
        if not isinstance(value, (bool, list, tuple, Unknown)):
            text = f"T.{row.name} takes True, False or a list of two sizes after dim"
            raise Mistake("unknown-api", node, text, (row.signature,))
        name = "real_shape" if isinstance(value, (list, tuple)) else "clear"
        if name in kwargs:
            text = f"T.{row.name} got several values for {name!r}"
            raise Mistake("unknown-api", node, text, (row.signature,))
        kwargs[name] = value
    return kwargs


def _check_name(node: ast.AST, row: Op, name: str, bound: dict[str, Any]) -> None:
    known = [param.name for param in row.params]
    text = ""
    if name not in known:
        near = difflib.get_close_matches(name, [n for n in known if n not in bound], 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        text = f"T.{row.name} has no argument {name!r}{hint}"
    elif name in bound:
        text = f"T.{row.name} got several values for {name!r}"
    if text:
        raise Mistake("unknown-api", keyword_place(node, name), text, (row.signature,))


def keyword_place(node: ast.AST, name: str) -> Span:
    """Where a call spells the name of an argument; the call, where `**` gives it."""
    for keyword in node.keywords if isinstance(node, ast.Call) else ():
        if keyword.arg == name:
            return span_of(keyword, "name")
    return span_of(node)


def _places(node: ast.AST) -> dict[int | str, Span]:
    if not isinstance(node, ast.Call):
        return {}
    out: dict[int | str, Span] = {i: span_of(a) for i, a in enumerate(node.args)}
    out.update({k.arg: span_of(k.value) for k in node.keywords if k.arg is not None})
    return out


# --- tile calls ----------------------------------------------------------------------------------


def tile_call(node: ast.AST, row: Op, bound: dict[str, Any], spans: dict[str, Span]) -> TileCall:
    """The call of a row with its arguments in the order of the row, the variable part behind."""
    here = span_of(node)
    for param in row.params:
        _no_text(row, param, bound[param.name], spans.get(param.name, here))
    values = [_argument(p, bound[p.name], spans.get(p.name)) for p in row.params]
    places = [spans.get(p.name, here) for p in row.params]
    if row.vararg and row.family != "reduce":
        values.append(tuple(_loose(value, here) for value in bound[row.vararg]))
        places.append(here)
    return TileCall(row, tuple(values), here, tuple(places))


# What a parameter that takes no text takes.
_TAKEN = {
    "region": "a tile",
    "operand": "a tile or a number",
    "scalar": "a number",
    "int": "a number",
    "flag": "True or False",
}


def _no_text(row: Op, param: Param, value: Any, span: Span) -> None:
    """Errors: Mistake where a text stands for a tile or a number."""
    if isinstance(value, str) and param.kind in _TAKEN and not param.choices:
        text = (
            f"{param.name} of T.{row.name} cannot be the text {value!r}: it is {_TAKEN[param.kind]}"
        )
        raise Mistake("kernel-form", span, text)


def _elements(m: Machine, row: Op, bound: dict[str, Any]) -> dict[str, Any]:
    """Names of elements, where a tile is wanted, by the elements: `s = a[i, 0]` and then `s` is where
    a tile starts, as `a[i, 0]` is."""
    known = m.builder.elements if m.builder is not None else {}
    regions = [p.name for p in row.params if p.kind == "region" and isinstance(bound[p.name], Var)]
    return {**bound, **{name: known.get(bound[name], bound[name]) for name in regions}}


def _argument(param: Param, value: Any, span: Span | None) -> Any:
    """An argument in the form that its parameter takes."""
    from tl_ascend.frontend.expressions import as_scalar, is_scalar

    if param.kind == "region":
        return None if value is None and param.default is None else as_region(value, span)
    if param.kind == "operand":
        return _operand(value, span)
    if param.kind in ("scalar", "flag", "int"):
        if isinstance(value, Buffer) and value.shape and all(s == 1 for s in value.shape):
            value = Load(value, (0,) * value.rank)  # a tile of one element as that element
        scalar = as_scalar(value)
        if scalar is None or is_scalar(scalar) or isinstance(scalar, Unknown):
            return scalar
        return Unknown(f"argument {param.name!r} is not a number", span)
    if param.kind == "list" and isinstance(value, (list, tuple)):
        return plain(tuple(map(as_scalar, value)), span)
    return plain(value, span)


def plain(value: Any, span: Span | None) -> Any:
    """A value that the IR can hold; unknown where it is something else, such as a dictionary."""
    if isinstance(value, tuple):
        parts = tuple(plain(part, span) for part in value)
        return first_unknown(*parts) or parts
    if value is None or isinstance(value, (str, int, float, Expr, Buffer, Region, Unknown)):
        return value
    return Unknown("this argument is not evaluated", span)


def _operand(value: Any, span: Span | None) -> Any:
    from tl_ascend.frontend.expressions import as_scalar, is_scalar

    if not isinstance(value, (Buffer, Region)):
        return plain(as_scalar(value), span)
    scalar = as_scalar(value)
    return scalar if is_scalar(scalar) else as_region(value, span)


def _loose(value: Any, span: Span) -> Any:
    """An argument without a parameter of its own: an element is read, a buffer named."""
    from tl_ascend.frontend.expressions import as_scalar

    scalar = as_scalar(value)
    return as_region(scalar, span) if isinstance(scalar, Buffer) else plain(scalar, span)


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
        call = TileOp(value.row.name, value.args, value.span, value.spans)
        for stmt in (call,) if value.stmts is None else value.stmts:
            m.builder.emit(stmt)
    elif isinstance(value, Unknown):
        m.builder.fail(value)
    else:
        dropped(m, value)


def dropped(m: Machine, value: Any) -> None:
    """Tell a tile call that is built, alone or in a container, where nothing emits it."""
    inner = value if isinstance(value, (list, tuple)) else (value,)
    call = next((v for v in inner if isinstance(v, TileCall)), None)
    if call is None or m.builder is None:
        return
    why = "this function is plain Python: only statements of a T.prim_func or T.macro emit"
    repair = "make the function a T.macro, or return the call and let the kernel state it"
    if m.builder.parsing:
        why = "a statement emits the call that it is, not calls inside of a list or tuple"
        repair = "make it a loop whose body is the call"
    name = call.row.name
    m.say("dropped-call", call.span, f"T.{name} is built here but emits nothing", (why, repair))


def _scalar_call(row: Op, bound: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import as_scalar, is_scalar

    args = tuple(as_scalar(bound[p.name]) for p in row.params)
    unknown = first_unknown(*args)
    if unknown is not None:
        return unknown
    if not all(a is None or isinstance(a, str) or is_scalar(a) for a in args):
        return Unknown(f"T.{row.name} of these values is not evaluated")
    usual = INT32 if row.name == "popcount" else FLOAT32
    kind = next((a.dtype for a in args if isinstance(a, Expr)), usual)
    return Call(row.name, args, _RESULTS.get(row.name, kind))


# Of functions whose result has a type of its own; that of others is that of the operand.
_RESULTS = {
    **dict.fromkeys(("isnan", "isinf", "isfinite"), BOOL),
    **dict.fromkeys(("clz", "use_swizzle", "npu_use_swizzle"), INT32),
}


def no_op(name: str) -> Builtin:
    """A call without effect on kernels."""
    return Builtin(name, lambda m, node, args, kwargs: None)
