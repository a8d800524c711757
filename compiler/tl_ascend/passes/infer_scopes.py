"""Decide the memory of every buffer, and say why.

`T.alloc_shared` is L1 or UB, `T.alloc_fragment` is L0A, L0B or L0C: whichever the operations on it
can use. Matrix operands decide first, then vector operands and element accesses, then copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import (
    Alloc,
    Buffer,
    Kernel,
    Placement,
    Region,
    Stmt,
    TileOp,
    walk_stmts,
)
from tl_ascend.ir.storage import root
from tl_ascend.ops.row import Op, Param
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.context import PassContext
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Core, Memory

_EXPLICIT = {m.value: m for m in (Memory.L1, Memory.L0A, Memory.L0B, Memory.L0C, Memory.UB)}
_BY_POSITION = {"A": Memory.L0A, "B": Memory.L0B, "C": Memory.L0C}
_FRAGMENTS = frozenset(_BY_POSITION.values())
_LEFT_ALONE = "not used by any operation"


@dataclass(frozen=True, slots=True)
class _Use:
    """An operation that wants the buffer in `memory`."""

    memory: Memory
    reason: str
    span: Span


@dataclass(slots=True)
class _Uses:
    """What happens to one buffer, each list in source order."""

    cube: list[_Use] = field(default_factory=list)
    vector: list[_Use] = field(default_factory=list)
    elements: list[_Use] = field(default_factory=list)
    copied_to: list[tuple[Buffer, Span]] = field(default_factory=list)
    copied_from: list[tuple[Buffer, Span]] = field(default_factory=list)


_Choice = tuple[Memory, str, "Span | None"]


def infer_scopes(kernel: Kernel, context: PassContext) -> Kernel:
    """Give every buffer a placement: memory and reason."""
    uses = _collect(kernel)
    chosen: dict[int, Placement] = {}
    for buffer in _declared(kernel):
        memory, reason, cause = _choose(buffer, uses.get(buffer.uid, _Uses()), uses)
        chosen[buffer.uid] = Placement(memory, buffer.shape, scope_reason=reason, scope_cause=cause)
        if buffer.scope in ("shared", "fragment"):
            _report(buffer, memory, uses.get(buffer.uid, _Uses()), context)
    return kernel.with_placements(chosen)


def _declared(kernel: Kernel) -> Iterator[Buffer]:
    yield from kernel.tensors
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, Alloc) and stmt.buffer.alias_of is None:
            yield stmt.buffer
    yield from kernel.scratch


def _collect(kernel: Kernel) -> dict[int, _Uses]:
    uses: dict[int, _Uses] = {}
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, TileOp) and stmt.op in TABLE:
            _collect_operation(stmt, TABLE[stmt.op], uses)
        for region in _element_accesses(stmt):
            use = _Use(Memory.UB, "accessed element by element", stmt.span)
            uses.setdefault(root(region.buffer).uid, _Uses()).elements.append(use)
    return uses


def _element_accesses(stmt: Stmt) -> Iterator[Region]:
    effect = effect_of(stmt)
    yield from effect.scalars
    if not isinstance(stmt, TileOp):
        yield from effect.writes


def _collect_operation(op: TileOp, row: Op, uses: dict[int, _Uses]) -> None:
    if row.choose == "memories":
        source, target = op.args[row.index("src")], op.args[row.index("dst")]
        if isinstance(source, Region) and isinstance(target, Region):
            a, b = root(source.buffer), root(target.buffer)
            uses.setdefault(a.uid, _Uses()).copied_to.append((b, source.span))
            uses.setdefault(b.uid, _Uses()).copied_from.append((a, target.span))
        return
    for arg, param in zip(op.args, row.params, strict=False):
        if isinstance(arg, Region):
            found = uses.setdefault(root(arg.buffer).uid, _Uses())
            _operand(found, root(arg.buffer), arg, param, row)


def _operand(found: _Uses, buffer: Buffer, arg: Region, param: Param, row: Op) -> None:
    reason = f"operand {param.name} of T.{row.name}"
    if row.core is Core.CUBE:
        memory = param.memories[0]
        if buffer.scope == "fragment" and memory not in _FRAGMENTS:
            memory = _BY_POSITION[param.name]
        found.cube.append(_Use(memory, reason, arg.span))
    elif param.memories == (Memory.UB,):
        found.vector.append(_Use(Memory.UB, reason, arg.span))


def _choose(buffer: Buffer, own: _Uses, uses: dict[int, _Uses]) -> _Choice:
    if buffer.scope == "GM":
        return Memory.GM, "parameter of the kernel", None
    if buffer.scope == "var":
        return Memory.REGISTER, "scalar variable", None
    if buffer.scope in _EXPLICIT:
        name = "ub" if buffer.scope == "UB" else buffer.scope
        return _EXPLICIT[buffer.scope], f"allocated by T.alloc_{name}", None
    if buffer.scope == "fragment":
        return _fragment(own, uses)
    if buffer.dtype.kind == "bool":
        return Memory.UB, "a bool tile is a vector mask", None
    return _shared(own, uses)


def _shared(own: _Uses, uses: dict[int, _Uses]) -> _Choice:
    for use in own.cube[:1]:
        return Memory.L1, use.reason, use.span
    for use in (*own.vector[:1], *own.elements[:1]):
        return Memory.UB, use.reason, use.span
    for target, span in own.copied_to:
        if _is_l0(target, uses):
            return Memory.L1, f"copied to {target.name}, which only L1 can feed", span
    for other, span in (*own.copied_from, *own.copied_to):
        return Memory.UB, f"only copied (with {other.name}), by no matrix operation", span
    return Memory.L1, _LEFT_ALONE, None


def _is_l0(buffer: Buffer, uses: dict[int, _Uses]) -> bool:
    if buffer.scope == "fragment":
        memory = _fragment(uses.get(buffer.uid, _Uses()), uses)[0]
        return memory in (Memory.L0A, Memory.L0B)
    return buffer.scope in ("L0A", "L0B")


def _fragment(own: _Uses, uses: dict[int, _Uses]) -> _Choice:
    for memory in (Memory.L0A, Memory.L0B, Memory.L0C):
        for use in own.cube:
            if use.memory is memory:
                return memory, use.reason, use.span
    for use in (*own.vector[:1], *own.elements[:1]):
        return Memory.UB, use.reason, use.span
    for source, span in own.copied_from:
        if _holds_ub(source, uses):
            return Memory.UB, f"copied from {source.name}, which lies in the UB", span
    for other, span in (*own.copied_from, *own.copied_to):
        return Memory.L0C, f"only copied (with {other.name})", span
    return Memory.L0C, _LEFT_ALONE, None


def _holds_ub(buffer: Buffer, uses: dict[int, _Uses]) -> bool:
    own = uses.get(buffer.uid, _Uses())
    if buffer.scope == "shared":
        return _shared(own, uses)[0] is Memory.UB
    # A fragment that is copied from a fragment needs a use of its own to count: no chains.
    vector_only = bool(own.vector or own.elements) and not own.cube
    return buffer.scope == "UB" or (buffer.scope == "fragment" and vector_only)


def _report(buffer: Buffer, memory: Memory, own: _Uses, context: PassContext) -> None:
    if own.cube and own.vector:
        _report_conflict(buffer, memory, own, context)
    elif memory is Memory.UB and context.upstream != "none" and not own.cube:
        _report_difference(buffer, own, context)


def _report_conflict(buffer: Buffer, memory: Memory, own: _Uses, context: PassContext) -> None:
    cube, vector = own.cube[0], own.vector[0]
    context.report.add(
        "scope-conflict",
        vector.span,
        f"{buffer.name} is {cube.reason}, so it lies in {memory.value}, and also {vector.reason}, "
        f"which works on the UB only: no memory serves both",
        notes=("Copy it to a tile of its own for the other core; the way leads through GM.",),
        related=(Related(cube.span, f"{cube.reason} wants {cube.memory.value}"),),
        severity=Severity.ERROR,
        causes=(("memory", buffer.uid, Memory.UB),),
    )


def _report_difference(buffer: Buffer, own: _Uses, context: PassContext) -> None:
    """Upstream counts no element accesses, and puts every fragment into an L0 memory."""
    taken = bool(own.copied_from) and not own.vector  # upstream follows copies out of the UB
    fragment = buffer.scope == "fragment" and not taken
    untouched = not (own.vector or own.copied_from or own.copied_to)
    if not fragment and not (buffer.scope == "shared" and own.elements and untouched):
        return
    elsewhere = "L0C" if fragment else "L1"
    use = (own.vector or own.elements)[0]
    context.report.add(
        "scope-conflict",
        buffer.span,
        f"{buffer.name} is {use.reason} and is kept in the UB; upstream's compiler puts it in "
        f"{elsewhere}, where vector code cannot reach it",
        notes=("T.alloc_ub means the same to both compilers.",),
        related=(Related(use.span, use.reason),),
    )
