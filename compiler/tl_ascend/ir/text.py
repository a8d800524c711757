"""Expressions and kernels as text: what hover, traces and tests show.

Expressions read like the author's Python. Nothing here decides anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from tl_ascend.ir.expr import (
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    Load,
    Logic,
    Select,
    Var,
)
from tl_ascend.ir.nodes import (
    Alloc,
    Break,
    Buffer,
    CoreScope,
    For,
    If,
    Kernel,
    Let,
    Param,
    Placement,
    Region,
    Stmt,
    Store,
    TileOp,
    While,
)
from tl_ascend.ir.storage import placed_bytes
from tl_ascend.ops.row import Op
from tl_ascend.ops.table import TABLE
from tl_ascend.source.span import Span

# An expression is a graph: written out, shared parts may grow without bound.
MAX_NODES = 400
MAX_DEPTH = 60

_BINDING = {
    "or": 1,
    "and": 2,
    "not": 3,
    "compare": 4,
    "|": 5,
    "^": 6,
    "&": 7,
    "<<": 8,
    ">>": 8,
    "+": 9,
    "-": 9,
    "*": 10,
    "/": 10,
    "//": 10,
    "%": 10,
    "**": 12,
}
_TIGHT = 20


class _Writer:
    """Writes one expression; `left` bounds how many nodes may still be written, `depth` how deep
    inside each other."""

    def __init__(self) -> None:
        self.left, self.depth = MAX_NODES, 0

    def write(self, value: Any, outer: int = 0) -> str:
        self.left -= 1
        if self.left < 0 or self.depth > MAX_DEPTH:
            return "..."
        self.depth += 1
        text, own = self._text(value)
        self.depth -= 1
        return f"({text})" if own < outer else text

    def _text(self, value: Any) -> tuple[str, int]:
        if isinstance(value, Binary):
            return self._binary(value)
        if isinstance(value, Compare):
            own = _BINDING["compare"]
            return f"{self.write(value.a, own + 1)} {value.op} {self.write(value.b, own + 1)}", own
        if isinstance(value, Logic):
            return self._logic(value)
        if isinstance(value, Expr):
            return self._leaf(value), _TIGHT
        return _number(value)

    def _binary(self, value: Binary) -> tuple[str, int]:
        if value.op in ("min", "max"):
            return f"{value.op}({self.write(value.a)}, {self.write(value.b)})", _TIGHT
        own = _BINDING[value.op]
        if value.op == "*" and value.b == -1 and not isinstance(value.b, Expr):
            return f"-{self.write(value.a, own)}", own
        if value.op == "**":
            return f"{self.write(value.a, own + 1)} ** {self.write(value.b, own)}", own
        # a - (b - c): the right side of a left-associative operator keeps its parentheses.
        return f"{self.write(value.a, own)} {value.op} {self.write(value.b, own + 1)}", own

    def _logic(self, value: Logic) -> tuple[str, int]:
        own = _BINDING[value.op]
        if value.op == "not":
            return f"not {self.write(value.operands[0], own)}", own
        return f" {value.op} ".join(self.write(v, own + 1) for v in value.operands), own

    def _leaf(self, value: Expr) -> str:
        if isinstance(value, Var):
            return value.name
        if isinstance(value, Const):
            return f"T.{value.type}({_number(value.value)[0]})"
        if isinstance(value, Select):
            return f"T.if_then_else({self._list(value.fields)})"
        if isinstance(value, Cast):
            return f'T.cast({self.write(value.value)}, "{value.type}")'
        if isinstance(value, Load):
            indices = f"[{self._list(value.indices)}]" if value.indices else ""
            return f"{value.buffer.name}{indices}"
        if isinstance(value, Call):
            args = value.args or (str(value.type),)
            return f"T.{value.name}({self._list(args)})"
        return type(value).__name__

    def _list(self, values: tuple[Any, ...]) -> str:
        return ", ".join(f'"{v}"' if isinstance(v, str) else self.write(v) for v in values)


def _number(value: Any) -> tuple[str, int]:
    if isinstance(value, float) and math.isinf(value):
        return 'T.infinity("float32")' if value > 0 else '-T.infinity("float32")', _BINDING["*"]
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
        return repr(value), _BINDING["*"]
    if isinstance(value, tuple):
        inner = ", ".join(show(v) for v in value)
        return f"({inner}{',' if len(value) == 1 else ''})", _TIGHT
    return repr(value), _TIGHT


def show(value: Any) -> str:
    """An expression, a number or a tuple of them as the author would write it."""
    return _Writer().write(value)


def show_shape(shape: tuple[Any, ...]) -> str:
    """`128, 64`."""
    return ", ".join(map(show, shape))


def show_region(region: Region) -> str:
    """A region as the author would write it: `A[i * 64, 0]`, `A[0:4, :]`, `A`."""
    name = region.buffer.name
    if region.form == "whole" or not region.starts:
        return name
    if region.form == "start":
        return f"{name}[{show_shape(region.starts)}]"
    shape = region.buffer.shape
    parts = []
    for at, (start, extent) in enumerate(zip(region.starts, region.extents, strict=True)):
        whole = at < len(shape) and start == 0 and extent == shape[at]
        parts.append(":" if whole else _slice(start, extent))
    if parts == [":"] * len(shape):
        return name
    return f"{name}[{', '.join(parts)}]"


def _slice(start: Any, extent: Any) -> str:
    if extent == 1 and not isinstance(extent, Expr):
        return show(start)
    if isinstance(start, int) and isinstance(extent, int):
        return f"{start}:{start + extent}"
    writer = _Writer()
    if start == 0:
        return f"0:{writer.write(extent)}"
    return f"{writer.write(start)}:{writer.write(start, 9)} + {writer.write(extent, 10)}"


def show_arg(arg: Any) -> str:
    """One argument of a tile operation."""
    if isinstance(arg, Region):
        return show_region(arg)
    if isinstance(arg, str):
        return f'"{arg}"'
    if isinstance(arg, tuple):
        return f"[{', '.join(map(show_arg, arg))}]"
    return show(arg)


def placement_text(buffer: Buffer, place: Placement) -> str:
    """`float16[128, 64] L1 zN 16384 B @0`."""
    size = placed_bytes(buffer, place)
    words = [f"{buffer.dtype}[{show_shape(place.shape)}]", place.memory.value, place.layout]
    words += [] if size is None else [f"{size} B"]
    words += [] if place.address is None else [f"@{place.address}"]
    return " ".join(words)


Locate = Callable[[Span], str]
Line: TypeAlias = (
    "tuple[str, Span | None]"  # with the statement that it shows, None for a line without one
)


def kernel_text(kernel: Kernel, locate: Locate | None = None) -> str:
    """The kernel as text, one statement a line; `locate` adds the place of each."""
    return "".join(_mark(text, span, locate) + "\n" for text, span in kernel_lines(kernel))


def kernel_lines(kernel: Kernel) -> Iterator[Line]:
    """The lines of a kernel's text."""
    yield _header(kernel), kernel.span
    yield from _launch(kernel)
    for buffer in kernel.scratch:
        yield f"  scratch {_buffer(kernel, buffer)}", None
    yield from _block(kernel, kernel.body, 1)


def _mark(text: str, span: Span | None, locate: Locate | None) -> str:
    place = locate(span) if locate and span is not None else ""
    return f"{text}  # {place}" if place else text


def _header(kernel: Kernel) -> str:
    return f"kernel {kernel.name}({', '.join(map(_param, kernel.params))}):"


def _param(param: Param) -> str:
    if isinstance(param.value, Buffer):
        return f"{param.name}: {param.value.dtype}[{show_shape(param.value.shape)}]"
    return f"{param.name}: {param.value.dtype}"


def _launch(kernel: Kernel) -> Iterator[Line]:
    launch = kernel.launch
    if launch is not None:
        threads = "" if launch.threads is None else f", threads={launch.threads}"
        names = f"{launch.block.name}, {launch.subblock.name}"
        yield f"  launch {show(launch.blocks)}{threads} as {names}", launch.span


def _buffer(kernel: Kernel, buffer: Buffer) -> str:
    place = kernel.placements.get(buffer.uid)
    if place is not None:
        return f"{buffer.name}: {placement_text(buffer, place)}"
    alias = f" view of {buffer.alias_of.name}" if buffer.alias_of else f" {buffer.scope}"
    return f"{buffer.name}: {buffer.dtype}[{show_shape(buffer.shape)}]{alias}"


def _block(kernel: Kernel, block: tuple[Stmt, ...], depth: int) -> Iterator[Line]:
    pad = "  " * depth
    for stmt in block:
        yield pad + statement_text(kernel, stmt), stmt.span
        if isinstance(stmt, If):
            yield from _block(kernel, stmt.then, depth + 1)
            if stmt.other:
                yield f"{pad}else:", None
                yield from _block(kernel, stmt.other, depth + 1)
        elif isinstance(stmt, (For, While, CoreScope)):
            yield from _block(kernel, stmt.body, depth + 1)


def statement_text(kernel: Kernel, stmt: Stmt) -> str:
    """A statement as one line, without nested blocks."""
    if isinstance(stmt, Alloc):
        return f"alloc {_buffer(kernel, stmt.buffer)}"
    if isinstance(stmt, TileOp):
        return op_text(stmt)
    if isinstance(stmt, Store):
        index = f"[{show_shape(stmt.indices)}]" if stmt.indices else ""
        return f"{stmt.buffer.name}{index} = {show(stmt.value)}"
    if isinstance(stmt, Let):
        return f"let {stmt.var.name} = {show(stmt.value)}"
    if isinstance(stmt, For):
        return f"for {stmt.var.name} in {stmt.kind}({show(stmt.start)}, {show(stmt.extent)}):"
    if isinstance(stmt, (If, While)):
        word = "if" if isinstance(stmt, If) else "while"
        return f"{word} {show(stmt.condition)}:"
    if isinstance(stmt, CoreScope):
        return f"core {stmt.core.value}{' (inferred)' if stmt.inferred else ''}:"
    assert isinstance(stmt, Break)
    return "break"


def _taken(scalar: Any, row: Op, form: str) -> str:
    """A scalar operand as the device call takes it."""
    text, taken = show_arg(scalar), row.form(form).scalar if form else "{}"
    whole = not isinstance(scalar, Expr) or isinstance(scalar, (Var, Load, Call, Cast))
    return taken.format(text if whole or taken == "{}" else f"({text})")


def op_text(op: TileOp) -> str:
    """The call as written, or the device call once it is lowered; defaults are left out."""
    row = TABLE.get(op.op)
    shown: list[str] = []
    for at, arg in enumerate(op.args):
        param = row.params[at] if row and at < len(row.params) else None
        if param is None:
            shown.append(show_arg(arg))
        elif arg is None or (type(arg) is type(param.default) and arg == param.default):
            continue
        else:
            named = param.kind not in ("region", "operand") and at > 1
            scalar = param.kind == "operand" and not isinstance(arg, Region)
            text = _taken(arg, row, op.form) if scalar and row else show_arg(arg)
            shown.append(f"{param.name}={text}" if named else text)
    shown += [show_region(r) for r in op.extra]
    name = op.form or f"T.{op.op}"
    return f"{name}({', '.join(shown)})"
