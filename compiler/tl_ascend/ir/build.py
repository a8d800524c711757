"""Kernels built by hand, for tests: what the front end would make of the same calls.

Every statement and operand gets a span of its own, numbered in order of construction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Load, Scalar, Var
from tl_ascend.ir.nodes import (
    Alloc,
    Break,
    Buffer,
    CoreScope,
    For,
    If,
    Kernel,
    Launch,
    Let,
    Options,
    Param,
    Region,
    Stmt,
    Store,
    TileOp,
    While,
)
from tl_ascend.ops.row import REQUIRED
from tl_ascend.ops.table import TABLE
from tl_ascend.source.span import Home, Span
from tl_ascend.target.dtypes import INT32, DType, dtype
from tl_ascend.target.hardware import Core

HOME = Home("test.py", "built")


def type_of(name: str) -> DType:
    found = dtype(name)
    assert found is not None, name
    return found


@dataclass
class KernelBuilder:
    """Collects parameters and statements; `build` makes the kernel."""

    name: str = "main"
    params: list[Param] = field(default_factory=list)
    blocks: list[list[Stmt]] = field(default_factory=lambda: [[]])
    frame: Launch | None = None
    layouts: dict[int, str] = field(default_factory=dict)
    addresses: dict[int, int] = field(default_factory=dict)
    spans: int = 0
    uids: int = 0

    def span(self, part: str = "") -> Span:
        self.spans += 1
        return Span(HOME, self.spans, part)

    def uid(self) -> int:
        self.uids += 1
        return self.uids

    def var(self, name: str, role: str, low: int | None = 0, high: int | None = None) -> Var:
        return Var(name, self.uid(), role, low, high, INT32)

    def tensor(self, name: str, shape: tuple[Scalar, ...], kind: str) -> Buffer:
        buffer = Buffer(name, self.uid(), shape, type_of(kind), "GM", self.span())
        self.params.append(Param(name, buffer, buffer.span))
        return buffer

    def launch(self, blocks: Scalar, threads: int | None = None) -> tuple[Var, Var]:
        top = blocks - 1 if isinstance(blocks, int) else None
        cores = (threads or 2) - 1
        block, subblock = self.var("cid", "block", 0, top), self.var("vid", "subblock", 0, cores)
        self.frame = Launch(blocks, block, subblock, threads, self.span())
        return block, subblock

    def add(self, stmt: Stmt) -> None:
        self.blocks[-1].append(stmt)

    def alloc(self, name: str, shape: tuple[Scalar, ...], kind: str, scope: str) -> Buffer:
        buffer = Buffer(name, self.uid(), shape, type_of(kind), scope, self.span())
        self.add(Alloc(buffer, buffer.span))
        return buffer

    def let(self, name: str, value: Scalar) -> Var:
        var = self.var(name, "let", *interval(value))
        self.add(Let(var, value, self.span()))
        return var

    def store(self, buffer: Buffer, indices: tuple[Scalar, ...], value: Scalar) -> None:
        self.add(Store(buffer, indices, value, self.span()))

    def at(self, buffer: Buffer, *starts: Scalar) -> Region:
        """`buffer[i, j]` as an operand: the corner of a region."""
        return Region(buffer, starts, (1,) * len(starts), "start", self.span())

    def part(self, buffer: Buffer, *box: Any) -> Region:
        """`buffer[a:b, i]`: a tuple (start, extent) for a slice, a plain index otherwise."""
        pairs = [p if isinstance(p, tuple) else (p, 1) for p in box]
        starts, extents = tuple(p[0] for p in pairs), tuple(p[1] for p in pairs)
        return Region(buffer, starts, extents, "slice", self.span())

    def whole(self, buffer: Buffer) -> Region:
        return Region(buffer, (0,) * buffer.rank, buffer.shape, "whole", self.span())

    def op(self, name: str, *args: Any, **named: Any) -> TileOp:
        """A call of a row, with the row's defaults filled in; a Buffer means all of it."""
        row = TABLE[name]
        given = list(args)
        for param in row.params[len(args) :]:
            default = None if param.default is REQUIRED else param.default
            given.append(named.get(param.name, default))
        filled = tuple(self.whole(a) if isinstance(a, Buffer) else a for a in given)
        spans = tuple(a.span if isinstance(a, Region) else self.span() for a in filled)
        stmt = TileOp(name, filled, self.span(), spans)
        self.add(stmt)
        return stmt

    @contextmanager
    def _inside(self) -> Iterator[list[Stmt]]:
        self.blocks.append([])
        yield self.blocks[-1]
        self.blocks.pop()

    @contextmanager
    def loop(self, name: str, extent: Scalar, kind: str = "serial", **notes: Any) -> Iterator[Var]:
        var = self.var(name, "loop", 0, extent - 1 if isinstance(extent, int) else None)
        span = self.span()
        with self._inside() as body:
            yield var
        self.add(For(var, 0, extent, kind, tuple(body), span, tuple(notes.items())))

    @contextmanager
    def scope(self, core: str) -> Iterator[None]:
        span = self.span()
        with self._inside() as body:
            yield
        self.add(CoreScope(Core(core), tuple(body), span))

    @contextmanager
    def when(self, condition: Scalar) -> Iterator[None]:
        span = self.span()
        with self._inside() as body:
            yield
        self.add(If(condition, tuple(body), (), span))

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        branch = self.blocks[-1].pop()
        assert isinstance(branch, If)
        with self._inside() as body:
            yield
        self.add(If(branch.condition, branch.then, tuple(body), branch.span))

    @contextmanager
    def repeat(self, condition: Scalar) -> Iterator[None]:
        span = self.span()
        with self._inside() as body:
            yield
        self.add(While(condition, tuple(body), span))

    def leave(self) -> None:
        self.add(Break(self.span()))

    def build(self, out: tuple[int, ...] = (), **configs: bool) -> Kernel:
        """`configs`: pass options by their short names (sync, planning, combine, cv_sync)."""
        long = {
            "sync": "auto_sync",
            "planning": "memory_planning",
            "combine": "auto_cv_combine",
            "cv_sync": "auto_cross_core_sync",
        }
        on: Mapping[str, Any] = {f"tl.ascend_{long[k]}": v for k, v in configs.items()}
        options = Options(
            out_idx=out,
            pass_configs=MappingProxyType(dict(on)),
            spans=MappingProxyType({"out_idx": self.span()}),
        )
        return Kernel(
            self.name,
            tuple(self.params),
            self.frame,
            tuple(self.blocks[0]),
            options,
            self.span(),
            layouts=MappingProxyType(dict(self.layouts)),
            addresses=MappingProxyType(dict(self.addresses)),
            next_uid=self.uids + 1,
        )


def load(buffer: Buffer, *indices: Scalar) -> Load:
    """An element of a buffer as a scalar."""
    return Load(buffer, indices)
