"""Other names for what is there: views of buffers, and T.reduce for the three reductions."""

from __future__ import annotations

import ast
from typing import Any

from tl_ascend.frontend.builder import Builder
from tl_ascend.frontend.language import handler, tile_call
from tl_ascend.frontend.language_alloc import dtype_argument, shape_of
from tl_ascend.frontend.machine import Machine, Mistake
from tl_ascend.frontend.values import Unknown, first_unknown
from tl_ascend.ir.expr import Load, walk
from tl_ascend.ir.nodes import Alloc, Buffer, Store, exprs_of, regions_of, walk_stmts
from tl_ascend.ir.storage import bits_to_bytes, elements, root
from tl_ascend.ops.table import TABLE
from tl_ascend.source.units import span_of
from tl_ascend.source.words import counted
from tl_ascend.target.dtypes import DType, dtype


@handler("reshape", "view")
def _view(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    source, shape, kind = bound["src"], bound["shape"], bound.get("dtype")
    if m.builder is None or not isinstance(source, Buffer):
        return first_unknown(source) or Unknown("a view of what is no buffer", span_of(node))
    name = m.builder.name_for(source.name)
    shape = source.shape if shape is None else shape_of(m, node, shape)
    kind = source.dtype if kind is None else dtype_argument(m, node, kind)
    unknown = first_unknown(shape, kind)
    if unknown is not None:
        m.builder.fail(unknown)
        return unknown
    assert isinstance(kind, DType)
    view = _made(m, node, name, m.builder.casts.get(source.uid, source), shape, kind)
    need, room = _bytes(view), _bytes(source)
    if need is not None and room is not None and need > room:
        text = f"{name} is read as {counted(need, 'byte')}, but {source.name} has {room}"
        raise Mistake("bad-allocation", node, text)
    m.builder.emit(Alloc(view, view.span))
    return view


def _made(m: Machine, node: ast.AST, name: str, source: Buffer, shape: Any, kind: DType) -> Buffer:
    return Buffer(name, m.fresh(), shape, kind, source.scope, span_of(node), source)


def _bytes(buffer: Buffer) -> int | None:
    count = elements(buffer.shape)
    return None if count is None else bits_to_bytes(count, buffer.dtype.bits)


@handler("reinterpretcast")
def _reinterpretcast(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    """The name that the author allocated becomes a view of the other buffer. It keeps the shape that
    it was given, even where the other buffer has fewer bytes: authors use the part that exists."""
    target, source, text = bound["dst"], bound["src"], bound["casttype"]
    if m.builder is None or not isinstance(target, Buffer) or not isinstance(source, Buffer):
        return first_unknown(target, source) or Unknown("operands that are no buffers")
    kind = dtype(text.removesuffix("_t")) if isinstance(text, str) else None
    if kind is None:
        if isinstance(text, Unknown):
            return text
        raise Mistake("bad-allocation", node, f"there is no element type {text!r}")
    source = m.builder.casts.get(source.uid, source)
    known = m.builder.casts.get(target.uid)
    if known is not None and known.alias_of is source and known.dtype == kind:
        return None
    if _used(m.builder, target):
        return Unknown(f"{target.name} is used before T.reinterpretcast", span_of(node))
    m.builder.casts[target.uid] = _made(m, node, target.name, source, target.shape, kind)
    return None


def _used(builder: Builder, buffer: Buffer) -> bool:
    """True where a statement so far names the buffer."""
    for block in builder.blocks:
        for stmt in walk_stmts(tuple(block)):
            if any(root(region.buffer) == buffer for region in regions_of(stmt)):
                return True
            if isinstance(stmt, Store) and stmt.buffer == buffer:
                return True
            nodes = (node for value in exprs_of(stmt) for node in walk(value))
            if any(isinstance(node, Load) and node.buffer == buffer for node in nodes):
                return True
    return False


@handler("reduce")
def _reduce(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    name = bound["reduce_type"]
    row = TABLE["reduce"]
    choices = row.params[row.index("reduce_type")].choices
    if isinstance(name, Unknown):
        return name
    if name not in choices:
        text = f"T.reduce of {name!r}: the type is one of {', '.join(choices)}"
        raise Mistake("kernel-form", node, text)
    return tile_call(node, TABLE[name], bound, {})
