"""A whole kernel as a TVM `PrimFunc` with `tl.ascend_*` operations: as an object, as TVMScript, and
from TVMScript again.

A region is a call, `T.tl.ascend_region(A[top, left], rows, columns)`: a slice would lose extents of one
and have TVM compute the others anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from tl_ascend.ir.expr import Scalar, Var, free_vars
from tl_ascend.ir.nodes import (
    Alloc,
    Block,
    Break,
    Buffer,
    CoreScope,
    For,
    If,
    Kernel,
    Let,
    Region,
    Stmt,
    Store,
    TileOp,
    While,
)
from tl_ascend.ir.tvm_facade import (
    call_operation,
    declared,
    expression,
    guarded,
    integer,
    library,
    parse_script,
    string,
    variable,
)
from tl_ascend.source.span import Range, Span
from tl_ascend.target.dtypes import BOOL
from tl_ascend.target.hardware import Core, Memory

RangeOf: TypeAlias = Callable[[Span], "Range | None"]
POSITIONS = "tl.positions"
UNKNOWN = "?"


def to_tir(kernel: Kernel, range_of: RangeOf | None = None) -> Any:
    """The kernel. With `range_of`, every statement has a TVM span, and the function the attribute
    `tl.positions`, which scripts keep, too: see `positions`. Errors: TooDeep."""
    with guarded():
        return _Lowering(kernel, range_of).function()


def tir_text(kernel: Kernel, range_of: RangeOf | None = None) -> str:
    """The kernel as TVMScript. Errors: TooDeep."""
    return str(to_tir(kernel, range_of).script())


def from_text(script: str) -> Any:
    """The PrimFunc that `tir_text` has written. Errors: ValueError with what TVM says."""
    with guarded():
        return parse_script(script)


def difference(one: Any, other: Any) -> str:
    """Where two functions differ in more than names and spans, in TVM's words; empty where nowhere."""
    try:
        library().ir.assert_structural_equal(one, other)
    except ValueError as error:
        return str(error)
    return ""


def positions(function: Any) -> tuple[str, ...]:
    """`FILE:ROW:COLUMN` of each statement (blocks are none), in the order of the text, all from 1;
    `?` for what no file holds. Empty where the function was made without them."""
    attrs = function.attrs
    return tuple(map(str, attrs[POSITIONS])) if attrs and POSITIONS in attrs else ()


class _Lowering:
    def __init__(self, kernel: Kernel, range_of: RangeOf | None) -> None:
        self.kernel = kernel
        self.range_of = range_of
        self.names: dict[int, Any] = {}
        self.places: list[str] = []

    def function(self) -> Any:
        params = []
        for param in self.kernel.params:
            value = param.value
            params.append(
                declared(value, self.names, Memory.GM)
                if isinstance(value, Buffer)
                else variable(value, self.names)
            )
        body = self.launch()
        params += self.unbound(body)
        function = library().tirx.PrimFunc(params, body, span=self.span(self.kernel.span))
        function = function.with_attr("global_symbol", self.kernel.name)
        if self.range_of is not None:
            function = function.with_attr(POSITIONS, self.places)
        return function

    def unbound(self, body: Any) -> list[Any]:
        """Sizes that no tensor has: an instance with symbolic arguments is a function of them."""
        sizes = {
            free.uid
            for param in self.kernel.params
            if isinstance(param.value, Buffer)
            for extent in param.value.shape
            for free in free_vars(extent)
        }
        known = [self.names[uid] for uid in sizes] + [
            variable(p.value, self.names)
            for p in self.kernel.params
            if not isinstance(p.value, Buffer)
        ]
        known += [declared(b, self.names) for b in self.kernel.tensors]
        return list(library().tirx.analysis.undefined_vars(body, known))

    def launch(self) -> Any:
        launch = self.kernel.launch
        if launch is None:
            return self.body()
        spans = [self.noted(launch.span), self.noted(launch.span)]
        body = self.body()
        for var, extent in ((launch.subblock, 2), (launch.block, launch.blocks)):
            node = variable(var, self.names)
            body = self.loop(node, 0, extent, body, "parallel", spans.pop())
        return body

    def body(self) -> Any:
        """Scratch that lowering has added belongs to no statement: it comes first."""
        tvm = library()
        self.places += [UNKNOWN] * len(self.kernel.scratch)
        scratch = [tvm.tirx.AllocBuffer(self.place(b)) for b in self.kernel.scratch]
        rest = self.block(self.kernel.body)
        return tvm.tirx.SeqStmt([*scratch, rest]) if scratch else rest

    def loop(self, var: Any, start: Scalar, extent: Scalar, body: Any, kind: str, span: Any) -> Any:
        """A script says where a loop stops; TVM's parser takes the start off and simplifies."""
        tvm = library()
        kinds = {"parallel": tvm.tirx.ForKind.PARALLEL, "unroll": tvm.tirx.ForKind.UNROLLED}
        first, count = expression(start, self.names), expression(extent, self.names)
        analyzer = tvm.sym.Analyzer()
        for _ in range(2):  # the second time it finds what the first made
            count = analyzer.simplify(first + count - first)
        chosen = kinds.get(kind, tvm.tirx.ForKind.SERIAL)
        return tvm.tirx.For(var, first, count, chosen, body, span=span)

    def span(self, span: Span) -> Any:
        """TVM's span of a statement."""
        found = self.range_of(span) if self.range_of is not None else None
        if found is None:
            return None
        name = library().ir.SourceName(found.path)
        columns = (found.start.column + 1, found.end.column + 1)
        return library().ir.Span(name, found.start.row, found.end.row, *columns)

    def noted(self, span: Span) -> Any:
        """TVM's span of the next statement of the text."""
        found = self.range_of(span) if self.range_of is not None else None
        start = found.start if found is not None else None
        path = found.path if found is not None else ""
        self.places.append(f"{path}:{start.row}:{start.column + 1}" if start else UNKNOWN)
        return self.span(span)

    def block(self, block: Block) -> Any:
        tvm = library()
        parts = [part for stmt in block for part in self.stmts(stmt)]
        if not parts:
            self.places.append(UNKNOWN)
            return tvm.tirx.Evaluate(integer(0))
        return parts[0] if len(parts) == 1 else tvm.tirx.SeqStmt(parts)

    def stmts(self, stmt: Stmt) -> list[Any]:
        span = self.noted(stmt.span)
        if isinstance(stmt, Alloc):
            return self.alloc(stmt.buffer, span)
        return [self.stmt(stmt, span)]

    def stmt(self, stmt: Stmt, span: Any) -> Any:
        tvm = library()
        if isinstance(stmt, TileOp):
            return tvm.tirx.Evaluate(self.tile(stmt), span)
        if isinstance(stmt, Store):
            value = expression(stmt.value, self.names, stmt.buffer.dtype)
            indices = [expression(i, self.names) for i in stmt.indices] or [integer(0)]
            return tvm.tirx.BufferStore(self.place(stmt.buffer), value, indices, span)
        if isinstance(stmt, Let):
            value = expression(stmt.value, self.names)
            return tvm.tirx.Bind(self.bound(stmt.var), value, span)
        return self.nested(stmt, span)

    def alloc(self, buffer: Buffer, span: Any) -> list[Any]:
        """A view is declared and then said to be one."""
        tvm = library()
        out = [tvm.tirx.AllocBuffer(self.place(buffer), span=span)]
        if buffer.alias_of is not None:
            self.places.append(self.places[-1])
            both = [self.tile_of(b, (), ()) for b in (buffer, buffer.alias_of)]
            out.append(tvm.tirx.Evaluate(call_operation("view", both), span))
        return out

    def nested(self, stmt: Stmt, span: Any) -> Any:
        tvm = library()
        if isinstance(stmt, For):
            outer = self.names.get(stmt.var.uid)
            var = self.bound(stmt.var)
            body = self.block(stmt.body)
            if outer is not None:
                self.names[stmt.var.uid] = outer
            return self.loop(var, stmt.start, stmt.extent, body, stmt.kind, span)
        if isinstance(stmt, If):
            test = expression(stmt.condition, self.names, BOOL)
            then = self.block(stmt.then)
            other = self.block(stmt.other) if stmt.other else None
            return tvm.tirx.IfThenElse(test, then, other, span)
        if isinstance(stmt, While):
            test = expression(stmt.condition, self.names, BOOL)
            return tvm.tirx.While(test, self.block(stmt.body), span)
        if isinstance(stmt, CoreScope):
            side = 0 if stmt.core is Core.CUBE else 1
            body = self.block(stmt.body)
            return tvm.tirx.AttrStmt(side, "resource_scope", integer(side), body, span)
        assert isinstance(stmt, Break)
        return tvm.tirx.Evaluate(tvm.tirx.break_loop(), span)

    def bound(self, var: Var) -> Any:
        """A new variable of TVM's: lowering copies loops, and there a variable is bound once."""
        self.names.pop(var.uid, None)
        return variable(var, self.names)

    def place(self, buffer: Buffer) -> Any:
        placement = self.kernel.placements.get(buffer.uid)
        written = {"var": Memory.REGISTER, "GM": Memory.GM}.get(buffer.scope)
        if written is None and buffer.scope in Memory.__members__:
            written = Memory[buffer.scope]
        memory = placement.memory if placement is not None else written or Memory.L1
        shape = placement.shape if placement is not None else buffer.shape
        return declared(buffer, self.names, memory, shape)

    def tile(self, op: TileOp) -> Any:
        args = [a for arg in (*op.args, *op.extra) for a in self.arguments(arg)]
        return call_operation((op.form or op.op).replace(".", "_"), args)

    def arguments(self, arg: Any) -> list[Any]:
        if isinstance(arg, Region):
            return [self.region(arg)]
        if isinstance(arg, tuple):
            return [a for part in arg for a in self.arguments(part)]
        if arg is None:
            return []
        return [string(arg) if isinstance(arg, str) else expression(arg, self.names)]

    def region(self, region: Region) -> Any:
        return self.tile_of(region.buffer, region.starts, region.extents)

    def tile_of(self, buffer: Buffer, starts: Sequence[Scalar], extents: Sequence[Scalar]) -> Any:
        """A part of a buffer; dimensions that are not named are meant whole."""
        rest = buffer.shape[len(starts) :]
        corner = [expression(s, self.names) for s in (*starts, *(0 for _ in rest))]
        sizes = [expression(e, self.names) for e in (*extents, *rest)]
        first = library().tirx.BufferLoad(self.place(buffer), corner or [integer(0)])
        return call_operation("region", [first, *sizes])
