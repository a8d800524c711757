"""Tensors that serve as workspaces: jit allocates those that workspace_idx names, and automatic flags
between the cores follow them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tl_ascend.checks.context import CheckContext
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import (
    AUTO_CV_COMBINE,
    AUTO_CV_SYNC,
    Buffer,
    CoreScope,
    Kernel,
    Param,
    Region,
    TileOp,
    regions_of,
    walk_stmts,
)
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.switches import switched_on
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Core, Memory


def workspace_idx(context: CheckContext) -> None:
    """Where some tensors are workspaces, one that is used like them and not named is an oversight."""
    kernel = context.before
    options = kernel.options
    if not options.workspace_idx:
        return
    count = len(kernel.params)
    chosen = {i % count for i in (*options.workspace_idx, *options.out_idx) if -count <= i < count}
    used = _written_then_read(kernel)
    for at, param in enumerate(kernel.params):
        if at in chosen or not isinstance(param.value, Buffer) or param.value.uid not in used:
            continue
        listed = ", ".join(map(str, options.workspace_idx))
        span = options.spans.get("workspace_idx")
        context.report.add(
            "workspace",
            replace(param.span, part="name"),
            f"{param.name} (index {at}) is written before it is read, like a workspace, but "
            f"workspace_idx is [{listed}]: callers have to pass it",
            notes=(f"Add {at} to workspace_idx, or to out_idx if callers want it.",),
            related=(Related(span, "the workspaces"),) if span is not None else (),
        )


def _written_then_read(kernel: Kernel) -> set[int]:
    """Tensors that the text writes before it reads them, and reads after that. Those that other
    devices write, too, are the caller's."""
    written: set[int] = set()
    read: set[int] = set()
    both: set[int] = set()
    for stmt in walk_stmts(kernel.body):
        effect = effect_of(stmt)
        if isinstance(stmt, TileOp) and TABLE[stmt.op].family == "remote":
            read.update(root(r.buffer).uid for r in regions_of(stmt))
        for region in (*effect.reads, *effect.scalars):
            uid = root(region.buffer).uid
            (both if uid in written else read).add(uid)
        written.update(root(r.buffer).uid for r in effect.writes)
    return both - read


_SIDES = {Memory.UB: Core.VECTOR, Memory.L1: Core.CUBE, Memory.L0C: Core.CUBE}
WORKSPACE = "workspace"
_NAMES = {Core.VECTOR: "vector", Core.CUBE: "cube"}


@dataclass(frozen=True, slots=True)
class _Access:
    """A copy to or from a workspace."""

    side: Core
    writes: bool
    region: Region


def paired_accesses(context: CheckContext) -> None:
    """Upstream's automatic flags pair the accesses of both sides one by one, a write with a read."""
    kernel = context.before
    if not _follows(context):
        return
    for at, param in enumerate(kernel.params):
        listed = {i % len(kernel.params) for i in kernel.options.workspace_idx}
        if isinstance(param.value, Buffer) and (at in listed or WORKSPACE in param.name):
            _pairs(param.value, _accesses(param.value, context), context)


def _follows(context: CheckContext) -> bool:
    """True where upstream's pass puts flags between the cores in."""
    on = context.before.options.on
    return context.upstream != "none" and on(AUTO_CV_SYNC) and on(AUTO_CV_COMBINE)


def _accesses(tensor: Buffer, context: CheckContext) -> list[_Access]:
    found: list[_Access] = []
    for stmt in walk_stmts(context.before.body):
        if isinstance(stmt, TileOp) and stmt.op in ("copy", "tile.atomic_add"):
            source, target = stmt.args[:2]
            if isinstance(source, Region) and isinstance(target, Region):
                for gm, other, writes in ((target, source, True), (source, target, False)):
                    side = _SIDES.get(context.memory(other) or Memory.GM)
                    if root(gm.buffer).uid == tensor.uid and side is not None:
                        found.append(_Access(side, writes, gm))
    return found


def _pairs(tensor: Buffer, accesses: list[_Access], context: CheckContext) -> None:
    cube = [a for a in accesses if a.side is Core.CUBE]
    vector = [a for a in accesses if a.side is Core.VECTOR]
    if not cube or not vector:
        return
    if len(cube) == len(vector):
        _same_kind(tensor, cube, vector, context)
        return
    few, many = sorted((cube, vector), key=len)
    context.report.add(
        "autosync-config",
        few[0].region.span,
        f"{tensor.name}: {_count(few)}, {_count(many)}; automatic flags between the cores pair them "
        "one to one",
        notes=(
            f"Read and write {tensor.name} as often on one side as on the other, or switch "
            f"{AUTO_CV_SYNC} off and place the flags by hand.",
        ),
        related=tuple(Related(a.region.span, f"on the {_NAMES[a.side]} side") for a in many),
    )


def _same_kind(
    tensor: Buffer, cube: list[_Access], vector: list[_Access], context: CheckContext
) -> None:
    """A pair is a write and a read."""
    for one, other in zip(cube, vector, strict=True):
        if one.writes is not other.writes or WORKSPACE not in tensor.name:
            continue
        word = "write" if one.writes else "read"
        context.report.add(
            "autosync-config",
            other.region.span,
            f"{tensor.name}: access {cube.index(one) + 1} of each side is a {word}; automatic flags "
            "between the cores pair a write with a read",
            notes=("Write on one side what the other side reads, in the same order on both.",),
            related=(Related(one.region.span, "on the cube side"),),
        )
        return


def named_workspaces(context: CheckContext) -> None:
    """Upstream's automatic flags follow tensors by name."""
    kernel = context.before
    scoped = any(
        isinstance(s, TileOp) and s.op in ("set_cross_flag", "sync_all")
        for s in walk_stmts(kernel.body)
    )
    if scoped or not _follows(context):
        return
    taken = {param.name for param in kernel.params}
    names = (f"{WORKSPACE}_{n}" for n in itertools.count(1) if f"{WORKSPACE}_{n}" not in taken)
    for param in kernel.params:
        tensor = param.value
        if not isinstance(tensor, Buffer) or WORKSPACE in param.name:
            continue
        accesses = _accesses(tensor, context)
        if len([a for a in accesses if a.side is Core.CUBE]) * 2 != len(accesses):
            continue  # of those in workspace_idx `paired_accesses` tells
        for write in accesses:
            reads = [a for a in accesses if a.side is not write.side and not a.writes]
            if write.writes and reads:
                _unnamed(tensor, write, reads[0], next(names), context)
                break


def flags_without_split(context: CheckContext) -> None:
    """Upstream puts automatic flags between the cores in where it splits their programs."""
    kernel = context.before
    every = list(walk_stmts(kernel.body))
    calls = [stmt for stmt in every if isinstance(stmt, TileOp)]
    scoped = any(isinstance(stmt, CoreScope) for stmt in every)
    spans, on = kernel.options.spans, kernel.options.on
    place = spans.get("pass_configs", spans.get("jit"))
    if context.upstream == "none" or on(AUTO_CV_COMBINE) or place is None:
        return
    if any(call.op in ("set_cross_flag", "sync_all") for call in calls):
        return
    found = None if scoped and not on(AUTO_CV_SYNC) else _copied_across(calls, context)
    if on(AUTO_CV_SYNC):
        crossing = (pair for pair in map(_crossing(context), kernel.params) if pair)
        found = next(crossing, found)
    if found is not None:
        _without_split(found, place, scoped, context)


def _without_split(
    found: tuple[_Access, _Access], place: Span, scoped: bool, context: CheckContext
) -> None:
    write, read = found
    options = context.before.options
    name, sides = write.region.buffer.name, [_NAMES[access.side] for access in found]
    led = f"{name} leads from the {sides[0]} to the {sides[1]} core"
    alone = f"{AUTO_CV_SYNC} does nothing without {AUTO_CV_COMBINE}: nothing orders the cores, and {led}"
    neither = f"{led}, and nothing orders them: {AUTO_CV_COMBINE} and {AUTO_CV_SYNC} are off"
    on = options.on(AUTO_CV_SYNC)
    context.report.add(
        "autosync-config",
        place,
        alone if on else neither,
        notes=("Upstream's compiler puts these flags in where it splits the cores.",),
        related=(
            Related(write.region.span, "written here"),
            Related(read.region.span, f"read on the {sides[1]} core"),
        ),
        fixes=() if scoped or not on else switched_on(options, AUTO_CV_COMBINE),
    )


def _copied_across(
    calls: Sequence[TileOp], context: CheckContext
) -> tuple[_Access, _Access] | None:
    """A copy between memories of two cores: the compiler leads it through a workspace."""
    for call in calls:
        if call.op != "copy":
            continue
        source, target = call.args[:2]
        if isinstance(source, Region) and isinstance(target, Region):
            sides = [_SIDES.get(context.memory(r) or Memory.GM) for r in (source, target)]
            if sides[0] is not None and sides[1] is not None and sides[0] is not sides[1]:
                return _Access(sides[0], True, source), _Access(sides[1], False, target)
    return None


def _crossing(context: CheckContext) -> Callable[[Param], tuple[_Access, _Access] | None]:
    """A write and a read of a tensor on different cores."""

    def found(param: Param) -> tuple[_Access, _Access] | None:
        accesses = _accesses(param.value, context) if isinstance(param.value, Buffer) else []
        for write in (access for access in accesses if access.writes):
            for read in (a for a in accesses if a.side is not write.side and not a.writes):
                return write, read
        return None

    return found


def _unnamed(
    tensor: Buffer, write: _Access, read: _Access, name: str, context: CheckContext
) -> None:
    context.report.add(
        "autosync-config",
        read.region.span,
        f"{tensor.name} leads from the {_NAMES[write.side]} to the {_NAMES[read.side]} core, and "
        f"upstream's automatic flags follow only tensors with {WORKSPACE!r} in their names: nothing "
        "orders the two",
        notes=(f"Call it {name}, or set and wait for a flag by hand. tl-ascend orders both.",),
        related=(Related(write.region.span, "written here"),),
        severity=Severity.WARNING,
    )


def _count(accesses: list[_Access]) -> str:
    """`2 reads on the cube side`."""
    parts = []
    for writes, word in ((True, "write"), (False, "read")):
        number = sum(a.writes is writes for a in accesses)
        parts += [f"{number} {word}{'s' if number > 1 else ''}"] if number else []
    return f"{' and '.join(parts)} on the {_NAMES[accesses[0].side]} side"
