"""Statements, tile operations, buffers, regions, kernels: frozen data with spans.

Passes rebuild what they change. Where a buffer lies (memory, layout, address) is not a property of
the declaration but a decision, kept in `Kernel.placements` with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from types import MappingProxyType
from typing import Any, TypeAlias

from tl_ascend.ir.changed import changed
from tl_ascend.ir.expr import Expr, Scalar, Var
from tl_ascend.ir.reasons import Reason
from tl_ascend.ir.remember import by_identity
from tl_ascend.source.span import Span
from tl_ascend.target.dtypes import DType
from tl_ascend.target.hardware import Core, Memory


@dataclass(frozen=True, slots=True)
class Buffer:
    """A declared tensor. `scope` is how the author allocated it: GM, L1, L0A, L0B, L0C, UB, or
    `shared` / `fragment` (memory to be inferred), or `var` (a scalar). Shape unit: elements."""

    name: str
    uid: int
    shape: tuple[Scalar, ...]
    dtype: DType
    scope: str
    span: Span
    alias_of: Buffer | None = None

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a buffer lies. `shape` is as lowered for one core; `address` in bytes, None before
    planning; `layout`: zN, nZ, zZ or ND. The reasons explain to the author."""

    memory: Memory
    shape: tuple[Scalar, ...]
    layout: str = "ND"
    address: int | None = None
    scope_reason: str = ""
    address_reason: str = ""
    scope_cause: Span | None = None
    fixed: bool = False
    layout_reason: str = ""


@dataclass(frozen=True, slots=True)
class Region:
    """A box of a buffer: start and extent per dimension. `form` says how the author wrote it:
    `whole` (the name), `slice` (with `:`), `start` (plain indices: a corner whose extents follow
    from the other operand). `inside`: the dimensions along which it certainly ends within the
    buffer, because of the loops and branches that it stands in."""

    buffer: Buffer
    starts: tuple[Scalar, ...]
    extents: tuple[Scalar, ...]
    form: str
    span: Span
    inside: tuple[int, ...] = ()


Arg: TypeAlias = "Region | Scalar | str | None | tuple[Any, ...]"


@dataclass(frozen=True, slots=True)
class Alloc:
    """A buffer comes to life."""

    buffer: Buffer
    span: Span


@dataclass(frozen=True, slots=True)
class TileOp:
    """A call of an operation row (`ops`). `op` is the row's name, `args` its parameters in the order
    of the row (None: not given), `spans` theirs. `form` is empty until tile operations are lowered
    and then names the device call; `extra` are operands that lowering added (scratch). `loop`: the
    T.Parallel loop that it came of, if any; `clears`: a copy zeroes the whole tile before it fills a
    part (`ir/clears.py`)."""

    op: str
    args: tuple[Arg, ...]
    span: Span
    spans: tuple[Span, ...]
    form: str = ""
    extra: tuple[Region, ...] = ()
    reason: str = ""
    loop: Span | None = None
    clears: bool = False


@dataclass(frozen=True, slots=True)
class Store:
    """`buffer[indices] = value`, one element. `value_span`: where the value is written, if known."""

    buffer: Buffer
    indices: tuple[Scalar, ...]
    value: Scalar
    span: Span
    value_span: Span | None = None


@dataclass(frozen=True, slots=True)
class Let:
    """A name for a value that is computed once at run time."""

    var: Var
    value: Scalar
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    """`kind`: serial, parallel, unroll, vectorized, pipelined, persistent."""

    var: Var
    start: Scalar
    extent: Scalar
    kind: str
    body: Block
    span: Span
    annotations: tuple[tuple[str, Any], ...] = ()

    def annotation(self, name: str, default: Any = None) -> Any:
        """The value of an annotation such as `num_stages`."""
        return dict(self.annotations).get(name, default)


@dataclass(frozen=True, slots=True)
class If:
    """A branch on a value that only the device knows."""

    condition: Scalar
    then: Block
    other: Block
    span: Span


@dataclass(frozen=True, slots=True)
class While:
    """A loop with a condition."""

    condition: Scalar
    body: Block
    span: Span


@dataclass(frozen=True, slots=True)
class CoreScope:
    """Code of one half of the core. `inferred` is False where the author wrote `T.Scope`; `letter`: the
    place of its letter."""

    core: Core
    body: Block
    span: Span
    inferred: bool = False
    letter: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Break:
    """Leave the innermost loop."""

    span: Span


Stmt: TypeAlias = "Alloc | TileOp | Store | Let | For | If | While | CoreScope | Break"
Block: TypeAlias = "tuple[Stmt, ...]"


@dataclass(frozen=True, slots=True)
class Options:
    """What the author asked of the compiler, with the place of each wish for messages. `compiled`: a
    jit or compile was seen; without one the kernel may get other options elsewhere. `platform`: what it
    is compiled for, empty where that is left open."""

    out_idx: tuple[int, ...] = ()
    workspace_idx: tuple[int, ...] = ()
    target: str = "auto"
    pass_configs: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    spans: Mapping[str, Span] = field(default_factory=lambda: MappingProxyType({}))
    compiled: bool = False
    platform: str = ""

    def on(self, key: str) -> bool:
        """True where a pass option such as `tl.ascend_auto_sync` is set."""
        return bool(self.pass_configs.get(key, False))

    @property
    def route(self) -> str:
        return "pto" if self.target == "pto" else "ascendc"


AUTO_SYNC = "tl.ascend_auto_sync"
MEMORY_PLANNING = "tl.ascend_memory_planning"
AUTO_CV_COMBINE = "tl.ascend_auto_cv_combine"
AUTO_CV_SYNC = "tl.ascend_auto_cross_core_sync"


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of the kernel: a tensor in GM or a scalar."""

    name: str
    value: Buffer | Var
    span: Span


@dataclass(frozen=True, slots=True)
class Launch:
    """`T.Kernel(...)`: block count, index variables, vector cores per cube core (threads)."""

    blocks: Scalar
    block: Var
    subblock: Var
    threads: int | None
    span: Span


SYMBOLS = "symbols"  # key in Kernel.attrs: the sizes that the author declared symbolic


@dataclass(frozen=True, slots=True)
class Kernel:
    """One prim_func of one instance. `reasons`: of decisions that no other part of it shows."""

    name: str
    params: tuple[Param, ...]
    launch: Launch | None
    body: Block
    options: Options
    span: Span
    attrs: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    placements: Mapping[int, Placement] = field(default_factory=lambda: MappingProxyType({}))
    layouts: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    addresses: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    scratch: tuple[Buffer, ...] = ()
    next_uid: int = 1
    reasons: tuple[Reason, ...] = ()

    @property
    def tensors(self) -> list[Buffer]:
        return [p.value for p in self.params if isinstance(p.value, Buffer)]

    def place(self, buffer: Buffer) -> Placement:
        """The placement of a buffer (of the buffer that it is a view of)."""
        root = buffer
        while root.alias_of is not None:
            root = root.alias_of
        return self.placements[root.uid]

    def memory(self, buffer: Buffer) -> Memory:
        return self.place(buffer).memory

    def with_placements(self, moved: Mapping[int, Placement]) -> Kernel:
        merged = MappingProxyType({**self.placements, **moved})
        return replace(self, placements=merged)

    def because(self, *reasons: Reason) -> Kernel:
        """The kernel with more reasons, each once."""
        return replace(self, reasons=tuple(dict.fromkeys((*self.reasons, *reasons))))


_BLOCKS: dict[type, Callable[[Any], tuple[Block, ...]]] = {
    If: attrgetter("then", "other"),
    **dict.fromkeys((For, While, CoreScope), lambda stmt: (stmt.body,)),
}


def blocks_of(stmt: Stmt) -> tuple[Block, ...]:
    """The nested blocks of a statement."""
    inner = _BLOCKS.get(type(stmt))
    return inner(stmt) if inner is not None else ()


def with_blocks(stmt: Stmt, blocks: tuple[Block, ...]) -> Stmt:
    """The statement with its nested blocks replaced."""
    if isinstance(stmt, If):
        return changed(stmt, then=blocks[0], other=blocks[1])
    if isinstance(stmt, (For, While, CoreScope)):
        return changed(stmt, body=blocks[0])
    return stmt


MAX_WALKED = 256
MAX_STATEMENTS = 10_000


@by_identity(MAX_WALKED)
def walk_stmts(block: Block) -> tuple[Stmt, ...]:
    """All statements, outer before inner, in source order."""
    found: list[Stmt] = []
    _collect(block, found)
    return tuple(found)


def within(stmt: Stmt) -> tuple[Stmt, ...]:
    """A statement and all that stand in it, in source order. Nothing remembers a block of one."""
    if type(stmt) not in _BLOCKS:
        return (stmt,)
    found: list[Stmt] = []
    _collect((stmt,), found)
    return tuple(found)


def _collect(block: Block, found: list[Stmt]) -> None:
    for stmt in block:
        found.append(stmt)
        inner = _BLOCKS.get(type(stmt))
        if inner is not None:
            for body in inner(stmt):
                _collect(body, found)


@by_identity(MAX_STATEMENTS)
def regions_of(stmt: Stmt) -> tuple[Region, ...]:
    """The regions that a tile operation names, added scratch included."""
    found: list[Region] = []
    if isinstance(stmt, TileOp):
        for arg in (*stmt.args, *stmt.extra):
            if isinstance(arg, Region):
                found.append(arg)
            elif isinstance(arg, tuple):
                found += [a for a in arg if isinstance(a, Region)]
    return tuple(found)


@by_identity(MAX_STATEMENTS)
def exprs_of(stmt: Stmt) -> tuple[Expr, ...]:
    """The scalar expressions that a statement evaluates itself (not those of nested blocks)."""
    return tuple(value for value in _values_of(stmt) if isinstance(value, Expr))


def _values_of(stmt: Stmt) -> list[Any]:
    values: list[Any] = []
    if isinstance(stmt, TileOp):
        for arg in stmt.args:
            if isinstance(arg, tuple):
                values += [part for part in arg if not isinstance(part, Region)]
            elif not isinstance(arg, Region):
                values.append(arg)
        for region in regions_of(stmt):
            values += region.starts
            values += region.extents
    elif isinstance(stmt, Store):
        values += [*stmt.indices, stmt.value]
    elif isinstance(stmt, Let):
        values.append(stmt.value)
    elif isinstance(stmt, For):
        values += [stmt.start, stmt.extent]
    elif isinstance(stmt, (If, While)):
        values.append(stmt.condition)
    return values
