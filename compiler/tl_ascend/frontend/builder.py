"""Collects the statements of one kernel while its body is evaluated."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tl_ascend.frontend.values import KernelRecord, Unknown
from tl_ascend.ir.expr import Load, Var
from tl_ascend.ir.nodes import Block, Buffer, Kernel, Launch, Param, Stmt
from tl_ascend.ir.rewrite import Rewriter
from tl_ascend.source.budget import OutOfBudget
from tl_ascend.source.span import Span

MAX_STATEMENTS = 20_000


@dataclass(eq=False, slots=True)
class Branches:
    """What stands under T.Then and T.Else of a T.If."""

    then: Block = ()
    other: Block = ()


def _names(target: ast.expr, value: ast.expr) -> Iterable[str]:
    """The names of buffers, in the order of their allocation; a list numbers its own."""
    if isinstance(target, ast.Name):
        if isinstance(value, (ast.List, ast.Tuple, ast.ListComp)):
            return (f"{target.id}_{at}" for at in itertools.count())
        return (target.id,)
    values = value.elts if isinstance(value, (ast.List, ast.Tuple)) else []
    parts = target.elts if isinstance(target, (ast.List, ast.Tuple)) else []
    allocated = bool(values) and all(map(_allocates, values))
    named = [part.id for part in parts if isinstance(part, ast.Name)]
    return named if allocated and len(named) == len(values) else ()


def _allocates(value: ast.expr) -> bool:
    function = value.func if isinstance(value, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr.startswith("alloc_")


class Builder:
    """`parsing` is False while an ordinary Python function, called from the kernel, runs. `casts`:
    the views that buffers have become by T.reinterpretcast. `elements`: names of single elements."""

    def __init__(self, record: KernelRecord) -> None:
        self.record = record
        self.parsing = True
        self.blocks: list[list[Stmt]] = [[]]
        self.params: list[Param] = []
        self.launch: Launch | None = None
        self.attrs: dict[str, Any] = {}
        self.layouts: dict[int, str] = {}
        self.addresses: dict[int, int] = {}
        self.branches: list[Branches] = []
        self.casts: dict[int, Buffer] = {}
        self.elements: dict[Var, Load] = {}
        self.pending: Iterator[str] = iter(())
        self.count = 0

    def emit(self, stmt: Stmt) -> None:
        """Append to the innermost open block. Errors: OutOfBudget."""
        self.count += 1
        if self.count > MAX_STATEMENTS:
            raise OutOfBudget(
                f"evaluation stopped: the kernel has over {MAX_STATEMENTS:,} statements"
            )
        self.blocks[-1].append(stmt)

    @contextmanager
    def block(self) -> Iterator[list[Stmt]]:
        """Collect a nested block."""
        inner: list[Stmt] = []
        self.blocks.append(inner)
        try:
            yield inner
        finally:
            while self.blocks.pop() is not inner:
                pass

    @contextmanager
    def as_python(self) -> Iterator[None]:
        """Run a plain function: its statements are Python, not kernel text."""
        saved, self.parsing = self.parsing, False
        try:
            yield
        finally:
            self.parsing = saved

    @contextmanager
    def as_kernel(self) -> Iterator[None]:
        """Run a macro: its statements are kernel text."""
        saved, self.parsing = self.parsing, True
        try:
            yield
        finally:
            self.parsing = saved

    def fail(self, unknown: Unknown, doubted: bool = False) -> None:
        """Something in the kernel is not known: it cannot be checked as a whole. `doubted`: nor can what
        depends on it."""
        self.record.doubted |= doubted or not unknown.reported
        if self.record.unknown is None:
            self.record.unknown = unknown

    def note(self, span: Span, name: str, value: Any) -> None:
        """Remember what a name is, for the editor."""
        self.record.values.append((span, name, value))

    @contextmanager
    def naming(self, node: ast.Assign) -> Iterator[None]:
        """What the value of an assignment allocates goes by the names of its target."""
        saved, self.pending = self.pending, iter(_names(node.targets[0], node.value))
        try:
            yield
        finally:
            self.pending = saved

    def name_for(self, default: str) -> str:
        """The name of the assignment target that is being evaluated."""
        return next(self.pending, default)

    def finish(self, span: Span, next_uid: int) -> Kernel:
        """The kernel as it stands; options are attached by the driver."""
        body = tuple(self.blocks[0])
        if self.casts:
            body = _Casts(self.casts).block(body)
            values = self.record.values
            values[:] = [(s, n, self.casts.get(getattr(v, "uid", 0), v)) for s, n, v in values]
        return Kernel(
            self.record.name,
            tuple(self.params),
            self.launch,
            body,
            self.record.options,
            span,
            MappingProxyType(self.attrs),
            layouts=MappingProxyType(self.layouts),
            addresses=MappingProxyType(self.addresses),
            next_uid=next_uid,
        )


class _Casts(Rewriter):
    """Puts views in the place of the buffers that became them."""

    def __init__(self, casts: dict[int, Buffer]) -> None:
        self._casts = casts

    def buffer(self, buffer: Buffer) -> Buffer:
        return self._casts.get(buffer.uid, buffer)
