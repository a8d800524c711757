"""A vector kernel of ours as HIVM text, the input of AscendNPU IR."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.ir.expr import Binary, Expr, Var
from tl_ascend.ir.nodes import Alloc, Block, Buffer, For, Kernel, Region, Stmt, TileOp, walk_stmts
from tl_ascend.ir.storage import bits_to_bytes, elements
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Memory

TYPES = {"float32": "f32", "float16": "f16", "int32": "i32", "int16": "i16"}
BINARY = {"Add": "vadd", "Sub": "vsub", "Mul": "vmul", "Div": "vdiv", "Max": "vmax", "Min": "vmin"}
SCALAR = {"Adds": "vadd", "Muls": "vmul", "Maxs": "vmax", "Mins": "vmin"}
UNARY = {"Exp": "vexp", "Ln": "vln", "Abs": "vabs", "Sqrt": "vsqrt", "Rsqrt": "vrsqrt"}
UNARY |= {"Reciprocal": "vrec", "Relu": "vrelu"}
REDUCE = {"reduce_sum": "sum", "reduce_max": "max", "reduce_min": "min"}
ARITHMETIC = {"+": "addi", "-": "subi", "*": "muli", "//": "floordivsi", "%": "remsi"}


class Unsaid(Exception):
    """A statement that has no counterpart here."""


@dataclass
class Text:
    """The text of a kernel, before it is planned and synchronised. `turns`: how many halves of a buffer
    a loop takes in turns, by number of the buffer. `calls`: the statement behind each operation."""

    kernel: Kernel
    turns: dict[int, int]
    lines: list[str] = field(default_factory=list)
    calls: list[Span] = field(default_factory=list)
    names: dict[Any, str] = field(default_factory=dict)
    count: int = 0

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"

    def write(self) -> Text:
        """All of it."""
        params = ", ".join(f"{self.name(t)}: {self.type(t)}" for t in self.kernel.tensors)
        kind = "hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>"
        self.lines += ["module {", f"func.func @kernel({params}) attributes {{{kind}}} {{"]
        self.block(self.kernel.body, self.kernel.body)
        self.lines += ["return", "}", "}"]
        return self

    def block(self, block: Block, whole: Block) -> None:
        for buffer in self.born(block, whole):
            self.lines.append(f"{self.name(buffer)} = memref.alloc() : {self.type(buffer)}")
            if buffer.uid in self.turns:
                mark = f"{{hivm.multi_buffer = {self.turns[buffer.uid]} : i32}}"
                self.lines.append(
                    f"annotation.mark {self.name(buffer)} {mark} : {self.type(buffer)}"
                )
        for stmt in block:
            if isinstance(stmt, For):
                self.loop(stmt)
            elif isinstance(stmt, TileOp):
                self.call(stmt)
            elif not isinstance(stmt, Alloc):
                raise Unsaid(type(stmt).__name__)

    def born(self, block: Block, whole: Block) -> Iterator[Buffer]:
        """Tiles that live within a block: outside of loops all that more than one block uses."""
        for buffer in _tiles(self.kernel.body):
            inside = [stmt for stmt in block if isinstance(stmt, TileOp) and _uses(stmt, buffer)]
            everywhere = [stmt for stmt in walk_stmts(whole) if _uses(stmt, buffer)]
            outer = block is whole and buffer not in _carried_by_loops(whole)
            if outer or (block is not whole and inside and len(inside) == len(everywhere)):
                if buffer.uid not in self.names:
                    yield buffer

    def loop(self, loop: For) -> None:
        start, end = self.number(loop.start), self.number(loop.extent)
        step = self.number(1)
        name = self.fresh(loop.var)
        self.lines.append(f"scf.for {name} = {start} to {end} step {step} {{")
        self.block(loop.body, self.kernel.body)
        self.lines.append("}")

    def call(self, op: TileOp) -> None:
        """One operation."""
        regions = [arg for arg in op.args if isinstance(arg, Region)]
        form = op.form
        if form in ("copy_gm_to_ub", "copy_ub_to_gm"):
            self.emit(op, "load" if form == "copy_gm_to_ub" else "store", regions[:1], regions[1])
        elif form == "copy_ub_to_ub":
            same = regions[0].buffer.dtype is regions[1].buffer.dtype
            self.emit(op, "copy" if same else "vcast", regions[:1], regions[1])
        elif form in BINARY:
            self.emit(op, BINARY[form], regions[1:], regions[0])
        elif form in UNARY:
            self.emit(op, UNARY[form], regions[1:], regions[0])
        elif form in SCALAR:
            self.emit(op, SCALAR[form], regions[1:], regions[0], value=op.args[2])
        elif form == "Fill":
            self.emit(op, "vbrc", [], regions[0], value=op.args[1])
        elif form == "Broadcast":
            self.emit(op, "vbrc", regions[1:2], regions[0], end="broadcast_dims = [1]")
        elif form in REDUCE:
            self.emit(op, f"vreduce <{REDUCE[form]}>", regions[:1], regions[1], "reduce_dims = [1]")
        else:
            raise Unsaid(form or op.op)

    def emit(
        self,
        op: TileOp,
        name: str,
        ins: list[Region],
        out: Region,
        end: str = "",
        value: Any = None,
    ) -> None:
        views = [self.view(region) for region in ins]
        if value is not None:
            views.append(self.constant(value, TYPES[out.buffer.dtype.name]))
        target, kind = self.view(out)
        scratch = "".join(self.scratch(region, out.buffer) for region in op.extra)
        read = f"ins({', '.join(v for v, _ in views)} : {', '.join(t for _, t in views)})"
        self.lines.append(f"hivm.hir.{name} {read} outs({target} : {kind}){scratch} {end}")
        self.calls.append(op.span)

    def scratch(self, region: Region, like: Buffer) -> str:
        """As much as our call takes, so that both plan for the same demands."""
        count = elements(region.extents)
        assert count is not None
        size = bits_to_bytes(count * region.buffer.dtype.bits, 8) // (like.dtype.bits // 8) // 8
        name, kind = self.fresh(None), f"memref<{size}x{TYPES[like.dtype.name]}, {_space('ub')}>"
        self.lines.append(f"{name} = memref.alloc() : {kind}")
        return f" temp_buffer({name} : {kind})"

    def view(self, region: Region) -> tuple[str, str]:
        """A tile as it is, a part of a tensor."""
        buffer = region.buffer
        if self.kernel.memory(buffer) is not Memory.GM:
            if region.extents != buffer.shape:
                raise Unsaid(f"a part of {buffer.name}")
            return self.name(buffer), self.type(buffer)
        starts = ", ".join(self.number(start) for start in region.starts)
        sizes = ", ".join(map(str, region.extents))
        name, pitch = self.fresh(None), buffer.shape[-1]
        kind = self.type(buffer, region.extents, f"strided<[{pitch}, 1], offset: ?>, ")
        taken = f"{self.name(buffer)}[{starts}] [{sizes}] [1, 1] : {self.type(buffer)}"
        self.lines.append(f"{name} = memref.subview {taken} to {kind}")
        return name, kind

    def type(self, buffer: Buffer, shape: Any = None, layout: str = "") -> str:
        space = _space("gm" if self.kernel.memory(buffer) is Memory.GM else "ub")
        extents = "".join(f"{extent}x" for extent in shape or buffer.shape)
        return f"memref<{extents}{TYPES[buffer.dtype.name]}, {layout}{space}>"

    def name(self, buffer: Buffer) -> str:
        return self.names.get(buffer.uid) or self.fresh(buffer.uid)

    def fresh(self, key: Any) -> str:
        self.count += 1
        name = f"%v{self.count}"
        if key is not None:
            self.names[key] = name
        return name

    def constant(self, value: Any, kind: str) -> tuple[str, str]:
        name = self.fresh(None)
        text = f"{float(value):.9e}" if kind.startswith("f") else str(int(value))
        self.lines.append(f"{name} = arith.constant {text} : {kind}")
        return name, kind

    def number(self, value: Any) -> str:
        """An index of the loops around."""
        if isinstance(value, Var):
            return self.names[value]
        if not isinstance(value, Expr):
            return self.constant(int(value), "index")[0]
        if not isinstance(value, Binary) or value.op not in ARITHMETIC:
            raise Unsaid(str(value))
        a, b = self.number(value.a), self.number(value.b)
        name = self.fresh(None)
        self.lines.append(f"{name} = arith.{ARITHMETIC[value.op]} {a}, {b} : index")
        return name


def _space(name: str) -> str:
    return f"#hivm.address_space<{name}>"


def _tiles(block: Block) -> list[Buffer]:
    return [stmt.buffer for stmt in walk_stmts(block) if isinstance(stmt, Alloc)]


def _uses(stmt: Stmt, buffer: Buffer) -> bool:
    args = stmt.args if isinstance(stmt, TileOp) else ()
    return any(isinstance(arg, Region) and arg.buffer is buffer for arg in args)


def _carried_by_loops(whole: Block) -> list[Buffer]:
    """Tiles that one loop body alone uses."""
    found = []
    for buffer in _tiles(whole):
        count = sum(_uses(stmt, buffer) for stmt in walk_stmts(whole))
        for loop in (stmt for stmt in walk_stmts(whole) if isinstance(stmt, For)):
            if count and sum(_uses(stmt, buffer) for stmt in loop.body) == count:
                found.append(buffer)
    return found
