"""The program of one kernel while it is written: the walk over statements, the same for every route.

What a route spells its own way are methods that it overrides: elements, barriers, halves of the core,
and calls that a row gives as text. What a program cannot say is reported at the statement, and then
there is no program.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from tl_ascend.backends.common.expressions import Expressions
from tl_ascend.backends.common.names import Names
from tl_ascend.backends.common.narrow import facts_of, narrowed
from tl_ascend.backends.common.rules import Call, Refusal, Rules
from tl_ascend.backends.common.types import c_type, element_type
from tl_ascend.backends.common.writer import Writer
from tl_ascend.diagnostics.report import Report
from tl_ascend.ir import expr
from tl_ascend.ir.affine import interval
from tl_ascend.ir.effects import form_of, operand_wait
from tl_ascend.ir.expr import Load, Scalar, Var
from tl_ascend.ir.fold import binary
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
from tl_ascend.ops.row import RuleName, Template, Unsupported
from tl_ascend.ops.table import TABLE
from tl_ascend.target.dtypes import INT32, INT64
from tl_ascend.target.hardware import Core, Memory, Platform

_INT32 = (-(2**31), 2**31 - 2)


class Emission(ABC):
    """Rules write through it. `buffers`: what each buffer is called in the program."""

    def __init__(
        self, kernel: Kernel, platform: Platform, report: Report, rules: Rules, names: Names
    ) -> None:
        self.kernel = kernel
        self.platform = platform
        self.report = report
        self.rules = rules
        self.out = Writer()
        self.names = names
        self.values = Expressions(self.names, self._load, self._value_call)
        self.buffers: dict[int, str] = {}
        self.includes: set[str] = set()
        self.barriers: Counter[str] = Counter()
        self.failed = False
        self._loops = 0
        self._core = Core.ANY
        self._fresh = 0
        self._facts: dict[expr.Expr, Scalar] = {}

    # --- what a route spells its own way --------------------------------------------------------

    @abstractmethod
    def element_text(self, buffer: Buffer, indices: tuple[Scalar, ...]) -> str:
        """The value of one element that the scalar unit reaches."""

    @abstractmethod
    def store_text(self, buffer: Buffer, indices: tuple[Scalar, ...], value: str) -> str:
        """The statement that writes one element."""

    @abstractmethod
    def barrier_text(self, pipe: str) -> str:
        """The statement of a barrier."""

    @abstractmethod
    def half(self, scope: CoreScope) -> None:
        """The statements of one half of the core."""

    @abstractmethod
    def template(self, call: Call, entry: Template) -> None:
        """A call that its row gives as text."""

    # --- what rules use ----------------------------------------------------------------------

    def type(self, buffer: Buffer) -> str:
        """The C type of a buffer's elements. Errors: Refusal."""
        return element_type(buffer.dtype, buffer.span, buffer.name)

    def memory(self, region: Region) -> Memory:
        return self.kernel.memory(region.buffer)

    def call(self, function: str, *arguments: str) -> None:
        """One call as a statement."""
        self.out.line(f"{function}({', '.join(arguments)});")

    def barrier(self, pipe: str) -> None:
        """A barrier that the kernel does not hold, but the operation needs."""
        self.barriers["barrier_all" if pipe == "ALL" else "pipe_barrier"] += 1
        self.out.line(self.barrier_text(pipe))

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
        if load.buffer.scope == "var":
            return self.buffers[load.buffer.uid]
        self._reachable(load.buffer)
        if len(load.indices) != load.buffer.rank:
            assert self.values.at is not None
            text = f"an element of {load.buffer.name} with fewer indices than it has dimensions"
            raise Refusal("not-lowered", self.values.at, text)
        return self.element_text(load.buffer, load.indices)

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
        if memory is Memory.UB and self._core is Core.CUBE:
            assert self.values.at is not None
            text = f"a single element of {buffer.name} on the cube core, which has no UB"
            raise Refusal("not-lowered", self.values.at, text)

    def _value_call(self, call: expr.Call) -> str | None:
        row = TABLE.get(call.name)
        entry = row.forms[0].emit.get(self.rules.route) if row is not None and row.forms else None
        if not isinstance(entry, RuleName):
            return None
        text: str = self.rules.values[entry.name](self, call)
        return text

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
            around, self._core = self._core, stmt.core
            self.half(stmt)
            self._core = around

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
        self.out.line(self.store_text(buffer, stmt.indices, value))

    def _operation(self, op: TileOp) -> None:
        row, form, route = TABLE[op.op], form_of(op), self.rules.route
        if not row.forms:
            raise Refusal("not-lowered", op.span, f"T.{op.op} has no device call")
        if form is None:
            raise Refusal("not-lowered", op.span, f"T.{op.op} was not lowered to a device call")
        call, entry = Call(op, row, form), form.emit.get(route)
        if isinstance(entry, Unsupported) or entry is None:
            why = entry.why if isinstance(entry, Unsupported) else "it has no entry"
            raise Refusal("not-lowered", op.span, f"T.{op.op} on route {route}: {why}")
        if operand_wait(op, self.kernel.options) is not None:
            self.barrier("ALL")  # which is enough on any route
        if isinstance(entry, Template):
            self.template(call, entry)
        else:
            self.rules.statements[entry.name](self, call)


def _fits(bounds: tuple[int | None, int | None]) -> bool:
    low, high = bounds
    return low is not None and high is not None and _INT32[0] <= low and high <= _INT32[1]
