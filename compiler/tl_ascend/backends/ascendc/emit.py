"""A lowered kernel as an Ascend C program.

The program calls the templates of `tl_templates/ascend` and the Ascend C API, nothing else
(`include/tl_templates/ascend/INTERFACE.md`). What it cannot say is reported at the statement, and
then there is no program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType

from tl_ascend.backends.ascendc import host, templates
from tl_ascend.backends.ascendc.addresses import offset
from tl_ascend.backends.ascendc.emit_expr import Expressions, helper_text
from tl_ascend.backends.ascendc.names import Names
from tl_ascend.backends.ascendc.narrow import facts_of, narrowed
from tl_ascend.backends.ascendc.prologue import declare
from tl_ascend.backends.ascendc.rules import ROUTE, STATEMENTS, VALUES, Call, Refusal
from tl_ascend.backends.ascendc.types import c_type, element_type
from tl_ascend.backends.ascendc.writer import Writer
from tl_ascend.backends.manifest import Emitted, Launch
from tl_ascend.diagnostics.report import Report
from tl_ascend.ir import expr
from tl_ascend.ir.affine import interval
from tl_ascend.ir.effects import form_of
from tl_ascend.ir.expr import Load, Scalar, Var
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import (
    AUTO_SYNC,
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
from tl_ascend.ir.storage import root
from tl_ascend.ops.row import RuleName, Template, Unsupported
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.summary import memory_use, operations, sync_counts
from tl_ascend.target.dtypes import INT32, INT64
from tl_ascend.target.hardware import Core, Memory, Platform

_INT32 = (-(2**31), 2**31 - 2)


class Emission:
    """The program of one kernel while it is written. Rules write through it."""

    def __init__(self, kernel: Kernel, platform: Platform, report: Report) -> None:
        self.kernel = kernel
        self.platform = platform
        self.report = report
        self.out = Writer()
        self.names = Names()
        self.values = Expressions(self.names, self._load, self._value_call)
        self.buffers: dict[int, str] = {}
        self.includes: set[str] = set()
        self.barriers: Counter[str] = Counter()
        self.failed = False
        self._loops = 0
        self._fresh = 0
        self._facts: dict[expr.Expr, Scalar] = {}

    # --- what rules use ----------------------------------------------------------------------

    def tensor(self, buffer: Buffer) -> str:
        """The tensor of a buffer; a view of another type is cast where it is used."""
        base = root(buffer)
        text = self.buffers[base.uid]
        if buffer.dtype == base.dtype:
            return text
        if self.kernel.memory(base) is Memory.GM:
            assert self.values.at is not None
            what = f"{buffer.name} views a tensor in GM as {buffer.dtype}"
            raise Refusal("not-lowered", self.values.at, what)
        return f"{text}.ReinterpretCast<{self.type(buffer)}>()"

    def type(self, buffer: Buffer) -> str:
        """The C type of a buffer's elements. Errors: Refusal."""
        return element_type(buffer.dtype, buffer.span, buffer.name)

    def pointer(self, region: Region, extra: Scalar = 0) -> str:
        """`name[offset]`: where a region starts, and `extra` elements further."""
        return self.element(region.buffer, region.starts, extra)

    def element(self, buffer: Buffer, starts: tuple[Scalar, ...], extra: Scalar = 0) -> str:
        at = binary("+", offset(self.kernel, buffer, starts), extra)
        return f"{self.tensor(buffer)}[{self.values.index(at)}]"

    def memory(self, region: Region) -> Memory:
        return self.kernel.memory(region.buffer)

    def call(self, function: str, *arguments: str) -> None:
        """One call as a statement."""
        self.out.line(f"{function}({', '.join(arguments)});")

    def barrier(self, pipe: str) -> None:
        """A barrier that the kernel does not hold, but the operation needs."""
        self.barriers["barrier_all" if pipe == "ALL" else "pipe_barrier"] += 1
        self.out.line(f"AscendC::PipeBarrier<PIPE_{pipe}>();")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        with self.out.block(head), self.names.block():
            yield

    @contextmanager
    def guarded(self, condition: Scalar) -> Iterator[None]:
        """What follows happens only where the condition holds."""
        if condition is True:
            yield
            return
        with self.block(f"if ({self.values.condition(condition)})"):
            yield

    @contextmanager
    def loop(self, name: str, count: Scalar) -> Iterator[Var]:
        """A loop that the kernel does not hold, but the operation needs."""
        top = interval(count)[1]
        self._fresh -= 1
        var = Var(name, self._fresh, "loop", 0, None if top is None else top - 1, INT32)
        stop = self.values.operand(count, "<")
        with self.names.block():
            text = self.names.bind(var, INT32)
            with self.out.block(f"for (int32_t {text} = 0; {text} < {stop}; ++{text})"):
                yield var

    # --- values ------------------------------------------------------------------------------

    def _load(self, load: Load) -> str:
        buffer = load.buffer
        if buffer.scope == "var":
            return self.buffers[buffer.uid]
        self._reachable(buffer)
        at = self.values.index(offset(self.kernel, buffer, load.indices))
        return f"{self.tensor(buffer)}.GetValue({at})"

    def _reachable(self, buffer: Buffer) -> None:
        memory = self.kernel.memory(buffer)
        if memory not in (Memory.GM, Memory.UB):
            assert self.values.at is not None
            raise Refusal(
                "not-lowered",
                self.values.at,
                f"a single element of {buffer.name}, which lies in {memory.value}: the scalar unit "
                "reaches only GM and the UB",
            )

    def _value_call(self, call: expr.Call) -> str | None:
        row = TABLE.get(call.name)
        entry = row.forms[0].emit.get(ROUTE) if row is not None and row.forms else None
        return VALUES[entry.name](self, call) if isinstance(entry, RuleName) else None

    # --- statements --------------------------------------------------------------------------

    def statements(self, block: Block) -> None:
        for stmt in block:
            before, self.out.at = self.out.at, stmt.span
            self.values.at = stmt.span
            try:
                self._statement(narrowed(stmt, self._facts) if self._facts else stmt)
            except Refusal as refusal:
                self.refuse(refusal)
            self.out.at = before

    def refuse(self, refusal: Refusal) -> None:
        """Report what cannot be said; there will be no program, but the rest is looked at too."""
        self.failed = True
        self.report.add(refusal.name, refusal.span, refusal.message, notes=refusal.notes)

    def _statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, TileOp):
            self._operation(stmt)
        elif isinstance(stmt, Store):
            self._store(stmt)
        elif isinstance(stmt, Let):
            self._let(stmt)
        elif isinstance(stmt, Alloc):
            self._alloc(stmt)
        elif isinstance(stmt, Break):
            self.out.line("break;")
        else:
            self._control(stmt)

    def _control(self, stmt: For | If | While | CoreScope) -> None:
        if isinstance(stmt, For):
            self._for(stmt)
        elif isinstance(stmt, If):
            self._if(stmt)
        elif isinstance(stmt, While):
            with self.block(f"while ({self.values.condition(stmt.condition)})"), self._loop():
                self.statements(stmt.body)
        else:
            side = "AIC" if stmt.core is Core.CUBE else "AIV"
            with self.block(f"if ASCEND_IS_{side}"):
                self.statements(stmt.body)

    @contextmanager
    def _loop(self) -> Iterator[None]:
        self._loops += 1
        yield
        self._loops -= 1

    def _for(self, loop: For) -> None:
        end = binary("+", loop.start, loop.extent)
        start, stop = self.values.index(loop.start), self.values.operand(end, "<")
        if loop.kind == "unroll":
            self.out.line("#pragma unroll")
        with self.names.block():
            wide = not _fits(interval(loop.start)) or not _fits(interval(end))
            name = self.names.bind(loop.var, INT64 if wide else INT32)
            type = "int64_t" if wide else "int32_t"
            head = f"for ({type} {name} = {start}; {name} < {stop}; ++{name})"
            with self.out.block(head), self._loop():
                self.statements(loop.body)

    def _if(self, stmt: If) -> None:
        known = self._facts
        with self.block(f"if ({self.values.condition(stmt.condition)})"):
            self._facts = {**known, **facts_of(stmt.condition, True)}
            self.statements(stmt.then)
        if stmt.other:
            with self.out.otherwise(), self.names.block():
                self._facts = {**known, **facts_of(stmt.condition, False)}
                self.statements(stmt.other)
        self._facts = known

    def _let(self, stmt: Let) -> None:
        found = self.values.value(stmt.value)
        type = found.type if found.type.bits == 64 else stmt.var.dtype
        text = self.values.typed(stmt.value, type)
        self.out.line(f"{c_type(type)} {self.names.bind(stmt.var, type)} = {text};")

    def _alloc(self, stmt: Alloc) -> None:
        # Declared at the top; in a loop a variable begins anew in each iteration.
        if stmt.buffer.scope == "var" and self._loops:
            zero = self.values.typed(0, stmt.buffer.dtype)
            self.out.line(f"{self.buffers[stmt.buffer.uid]} = {zero};")

    def _store(self, stmt: Store) -> None:
        buffer = stmt.buffer
        self.values.at = stmt.value_span or stmt.span
        value = self.values.typed(stmt.value, buffer.dtype)
        self.values.at = stmt.span
        if buffer.scope == "var":
            self.out.line(f"{self.buffers[buffer.uid]} = {value};")
            return
        self._reachable(buffer)
        at = self.values.index(offset(self.kernel, buffer, stmt.indices))
        self.out.line(f"{self.tensor(buffer)}.SetValue({at}, {value});")

    def _operation(self, op: TileOp) -> None:
        row, form = TABLE[op.op], form_of(op)
        if not row.forms:
            raise Refusal("not-lowered", op.span, f"T.{op.op} has no device call")
        if form is None:
            raise Refusal("not-lowered", op.span, f"T.{op.op} was not lowered to a device call")
        call, entry = Call(op, row, form), form.emit.get(ROUTE)
        if isinstance(entry, Unsupported) or entry is None:
            why = entry.why if isinstance(entry, Unsupported) else "it has no entry"
            raise Refusal("not-lowered", op.span, f"T.{op.op} on route {ROUTE}: {why}")
        self._scalar_operands(call)
        if isinstance(entry, Template):
            templates.write(self, call, entry)
        else:
            STATEMENTS[entry.name](self, call)

    def _scalar_operands(self, call: Call) -> None:
        """A scalar operand that lies in a tile is read by the scalar unit, which waits for nobody:
        where the author synchronises by hand, upstream puts a barrier before it, and so do we."""
        if self.kernel.options.on(AUTO_SYNC):
            return
        for arg, param in zip(call.op.args, call.row.params, strict=False):
            if param.kind == "operand" and isinstance(arg, Load) and arg.buffer.scope != "var":
                self.barrier("ALL")
                return


def _fits(bounds: tuple[int | None, int | None]) -> bool:
    low, high = bounds
    return low is not None and high is not None and _INT32[0] <= low and high <= _INT32[1]


def emit(kernel: Kernel, platform: Platform, report: Report) -> Emitted | None:
    """The program of a lowered kernel; None where something in it was reported."""
    assert kernel.launch is not None, "a kernel without T.Kernel is not lowered"
    emission = Emission(kernel, platform, report)
    emission.values.at = kernel.span
    try:
        abi = host.signature(emission)
        with emission.out.block(host.head(abi), kernel.span):
            declare(emission, abi)
            emission.statements(kernel.body)
        emission.values.at = kernel.launch.span
        launch = host.launch(emission, abi, kernel.launch)
    except Refusal as refusal:
        emission.refuse(refusal)
    return None if emission.failed else _assemble(emission, abi, launch)


def _assemble(emission: Emission, abi: host.Abi, launch: Launch) -> Emitted:
    preamble = list(_preamble(emission))
    lines = [*preamble, *emission.out.lines, "", *host.tail(abi, launch)]
    sync = sync_counts(emission.kernel)
    for name, count in emission.barriers.items():
        sync[name] += count
    used = memory_use(emission.kernel)
    return Emitted(
        "\n".join(lines) + "\n",
        emission.out.source_map(len(preamble)),
        abi.symbol,
        launch,
        MappingProxyType({memory.value: size for memory, size in used.items()}),
        MappingProxyType(sync),
        tuple(operations(emission.kernel)),
    )


def _preamble(emission: Emission) -> Iterator[str]:
    yield '#include "tl_templates/ascend/common.h"'
    yield from (f'#include "{name}"' for name in sorted(emission.includes))
    yield from _HEAD
    for name in sorted(emission.values.helpers):
        yield from helper_text(name)
        yield ""


_HEAD = (
    '#include "acl/acl.h"',
    "#include <runtime/rt_ffts.h>",
    "using namespace Catlass;",
    "using uint = unsigned int;",
    "using uchar = unsigned char;",
    "using ushort = unsigned short;",
    "",
)
