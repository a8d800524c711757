"""Let the cores work on different iterations of a `T.Pipelined` loop that both of them run.

The body is cut wherever it changes from one core to the other. Iterations are taken in groups of
`num_stages`: each part is run for all iterations of a group before the next part starts, so that one
core is at the first part of the next iterations while the other is at the second of the first. The
last group is as small as what is left. What one part hands to a later one gets a version for each
iteration of a group, on the chip as well as in the workspaces, which the caller allocates.

Used only where that leaves the meaning: no part may hand anything to an earlier part of the next
iteration. Otherwise the loop runs one iteration after the other, and the author is told why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle, takewhile
from types import MappingProxyType

from tl_ascend.ir.affine import same
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Scalar, Var
from tl_ascend.ir.fold import binary, ceildiv
from tl_ascend.ir.liveness import contains, fills
from tl_ascend.ir.nodes import (
    AUTO_CV_COMBINE,
    AUTO_CV_SYNC,
    Alloc,
    Block,
    Break,
    Buffer,
    For,
    If,
    Kernel,
    Param,
    Region,
    Stmt,
    TileOp,
    blocks_of,
    regions_of,
    walk_stmts,
    with_blocks,
    within,
)
from tl_ascend.ir.reasons import Reason
from tl_ascend.ir.storage import ON_CHIP, root
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.pipeline_body import why_named, without_lets
from tl_ascend.passes.pipeline_code import instance, top_of, versioned_allocations
from tl_ascend.passes.pipeline_plan import BARRIERS, Obstacle
from tl_ascend.passes.workspace_copies import AUTO_GM
from tl_ascend.target.hardware import Core, Memory

VERSIONS = "buffer_versions"  # attribute: of workspaces by uid, how many and for which loop
MAX_GROUP = 15  # what a flag between the cores can count
_CUBE = (Memory.L1, Memory.L0A, Memory.L0B, Memory.L0C)


def cross_core_pipeline(kernel: Kernel, context: PassContext) -> Kernel:
    """The kernel with such loops in groups; other pipelined loops are left for a later stage."""
    if not kernel.options.on(AUTO_CV_COMBINE):
        return kernel
    for name in [loop.var.uid for loop in _loops(kernel)]:
        # As it is now: where another loop was replaced, what stands around that one is rebuilt.
        loop = next(loop for loop in _loops(kernel) if loop.var.uid == name)
        group = loop.annotation("num_stages", 0)
        if loop.kind != "pipelined" or not isinstance(group, int) or group < 2:
            continue
        if len(_sides((loop,), kernel)) < 2:
            continue
        try:
            kernel = _grouped(kernel, loop, group)
        except Obstacle as obstacle:
            context.report.add(
                "not-lowered",
                loop.span,
                "the cores work on the same iteration of this loop, "
                f"num_stages={group} has no effect: {obstacle}",
            )
            text = "none: the cores work on the same iteration"
            kernel = kernel.because(Reason("overlap", loop.span, text, str(obstacle)))
    return kernel


def _loops(kernel: Kernel) -> list[For]:
    return [stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, For)]


def _sides(block: Block, kernel: Kernel) -> set[Core]:
    """The cores that work in a block."""
    return {core for stmt in walk_stmts(block) for core in (_side(stmt, kernel),) if core}


def _side(stmt: Stmt, kernel: Kernel) -> Core | None:
    core = effect_of(stmt).core
    if core in (Core.CUBE, Core.VECTOR):
        return core
    for region in (*regions_of(stmt), *effect_of(stmt).writes):
        memory = kernel.memory(region.buffer)
        if memory in _CUBE:
            return Core.CUBE
        if memory is Memory.UB:
            return Core.VECTOR
    return None


def _parts(loop: For, kernel: Kernel) -> list[list[Stmt]]:
    """The body, cut where the core changes. What is of no core goes with what stands before it."""
    parts: list[list[Stmt]] = []
    last: Core | None = None
    for stmt in [piece for whole in loop.body for piece in _pieces(whole, kernel)]:
        core = next(iter(_sides((stmt,), kernel)), last)
        if not parts or (core is not last and last is not None):
            parts.append([])
        parts[-1].append(stmt)
        last = core or last
    return parts


def _pieces(stmt: Stmt, kernel: Kernel) -> Iterator[Stmt]:
    """A statement as several of one core each: a branch that both take is taken once for each run of
    statements of one core, as far as what decides stays the same. Errors: Obstacle."""
    if len(_sides((stmt,), kernel)) < 2:
        yield stmt
        return
    if not isinstance(stmt, If):
        raise Obstacle("an inner loop of it is run by both cores")
    decisive = {root(region.buffer).uid for region in effect_of(stmt).scalars}
    changed = [
        r for inner in walk_stmts((*stmt.then, *stmt.other)) for r in effect_of(inner).writes
    ]
    if any(root(region.buffer).uid in decisive for region in changed):
        raise Obstacle("a branch of it that both cores take changes what decides")
    left = [[p for inner in block for p in _pieces(inner, kernel)] for block in blocks_of(stmt)]
    for core in cycle((Core.CUBE, Core.VECTOR)):
        if not any(left):
            return
        taken = [_first_run(block, core, kernel) for block in left]
        left = [block[len(run) :] for block, run in zip(left, taken, strict=True)]
        if any(taken):
            yield with_blocks(stmt, tuple(map(tuple, taken)))


def _first_run(block: Sequence[Stmt], core: Core, kernel: Kernel) -> list[Stmt]:
    """The statements at the beginning that are not of the other core."""
    return list(takewhile(lambda stmt: _sides((stmt,), kernel) <= {core}, block))


def _refuse(kernel: Kernel, loop: For, group: int) -> None:
    if group > MAX_GROUP:
        raise Obstacle(f"a flag between the cores counts to {MAX_GROUP}")
    if not kernel.options.on(AUTO_CV_SYNC):
        raise Obstacle("without tl.ascend_auto_cross_core_sync nothing orders the cores anew")
    if named := why_named(loop.body):
        raise Obstacle(named)
    for stmt in walk_stmts(loop.body):
        if isinstance(stmt, (Alloc, Break)):
            raise Obstacle("it allocates, or is left, in the middle of an iteration")
        sync = isinstance(stmt, TileOp) and TABLE[stmt.op].kind == "sync"
        if sync and isinstance(stmt, TileOp) and stmt.op not in BARRIERS:
            raise Obstacle(f"T.{stmt.op} in it orders its statements as they stand")


def _grouped(kernel: Kernel, loop: For, group: int) -> Kernel:
    ready = replace(loop, body=without_lets(loop.body), kind="serial")
    _refuse(kernel, ready, group)
    parts = _parts(ready, kernel)
    versions = dict.fromkeys(_handed_on(kernel, loop, parts), group)
    uid = kernel.next_uid
    groups = ceildiv(loop.extent, group)
    outer = Var(loop.var.name, loop.var.uid, "loop", 0, top_of(groups), loop.var.type)
    first = binary("*", outer, group)
    size = binary("min", group, binary("-", loop.extent, first))
    if same(binary("%", loop.extent, group), 0) is True:
        size = group
    body: list[Stmt] = []
    for number, part in enumerate(parts):
        inner = Var(f"{loop.var.name}_{number}", uid + number, "loop", 0, group - 1, loop.var.type)
        iteration = binary("+", first, inner)
        code = tuple(
            new for stmt in part for new in instance(loop, versions, stmt, iteration, inner)
        )
        body.append(For(inner, 0, size, "serial", code, loop.span))
    new = For(outer, 0, groups, "serial", tuple(body), loop.span)
    text = f"in groups of {group} iterations, cut into {len(parts)} parts where the core changes"
    why = "one core is a part ahead of the other"
    kernel = kernel.because(Reason("overlap", loop.span, text, why))
    return _with(replace(kernel, next_uid=uid + len(parts)), loop, new, versions)


@dataclass(slots=True)
class _Use:
    """How the parts of the body use a buffer. `local`: each part reads only what it has written
    itself; `fresh`: each iteration does; `whole`: each part begins by filling it; `late`: a part
    reads it, and none has written to it yet."""

    buffer: Buffer
    parts: set[int] = field(default_factory=set)
    writes: bool = False
    local: bool = True
    fresh: bool = True
    whole: bool = True
    late: bool = False
    written: list[tuple[int, Region]] = field(default_factory=list)

    def read(self, part: int, region: Region) -> None:
        self._in(part, False)
        self.late |= not self.writes
        covering = [at for at, target in self.written if contains(target, region)]
        self.local &= part in covering
        self.fresh &= bool(covering)

    def write(self, part: int, region: Region, certain: bool) -> None:
        self._in(part, certain and fills(region))
        self.writes = True
        if certain:
            self.written.append((part, region))

    def _in(self, part: int, filled: bool) -> None:
        if part not in self.parts:
            self.whole &= filled
        self.parts.add(part)


def _handed_on(kernel: Kernel, loop: For, parts: Sequence[Sequence[Stmt]]) -> Iterator[int]:
    """The buffers that carry something from one part to a later one. Errors: Obstacle."""
    scratch = {buffer.uid for buffer in kernel.scratch}
    for uid, use in _uses(parts).items():
        if len(use.parts) < 2 or not use.writes or uid in scratch or use.whole and use.local:
            continue
        outside = _used_outside(kernel, loop, use.buffer)
        if use.local and not outside and kernel.memory(use.buffer) in ON_CHIP:
            continue
        if outside:
            raise Obstacle(f"{use.buffer.name} is used outside of the loop, too")
        _may_have_versions(kernel, use)
        yield uid


def _uses(parts: Sequence[Sequence[Stmt]]) -> dict[int, _Use]:
    found: dict[int, _Use] = {}

    def use(region: Region) -> _Use:
        buffer = root(region.buffer)
        return found.setdefault(buffer.uid, _Use(buffer))

    for number, part in enumerate(parts):
        for stmt in part:
            for inner in within(stmt):
                effect = effect_of(inner)
                for region in (*effect.scalars, *effect.reads):
                    use(region).read(number, region)
                for region in effect.writes:
                    use(region).write(number, region, inner is stmt)
    return found


def _may_have_versions(kernel: Kernel, use: _Use) -> None:
    buffer, memory = use.buffer, kernel.placements[use.buffer.uid].memory
    if memory is Memory.GM:
        if not _allocated_for_us(kernel, buffer):
            raise Obstacle(f"{buffer.name} leads from core to core, but is not in workspace_idx")
        if use.late:
            raise Obstacle(f"the text reads {buffer.name} before it writes it")
    elif memory not in ON_CHIP:
        raise Obstacle(f"{buffer.name} would need a value for each iteration of a group")
    elif not use.fresh:
        raise Obstacle(f"an iteration may read what an earlier one left in {buffer.name}")
    if buffer.uid in kernel.addresses:
        raise Obstacle(f"{buffer.name} needs versions, but T.annotate_address gives it one place")
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, Alloc) and stmt.buffer.alias_of is not None:
            if root(stmt.buffer).uid == buffer.uid:
                raise Obstacle(f"{buffer.name} needs versions, but has views")


def _used_outside(kernel: Kernel, loop: For, buffer: Buffer) -> bool:
    inside = {id(stmt) for stmt in walk_stmts(loop.body)}
    others = (stmt for stmt in walk_stmts(kernel.body) if id(stmt) not in inside)
    return any(_touches(stmt, buffer) for stmt in others)


def _touches(stmt: Stmt, buffer: Buffer) -> bool:
    effect = effect_of(stmt)
    touched = (*effect.reads, *effect.writes, *effect.scalars)
    return any(root(region.buffer).uid == buffer.uid for region in touched)


def _allocated_for_us(kernel: Kernel, buffer: Buffer) -> bool:
    """True for a workspace that the caller makes as large as the kernel says."""
    count = len(kernel.params)
    chosen = (*kernel.options.workspace_idx, *kernel.attrs.get(AUTO_GM, ()))
    at = next(n for n, param in enumerate(kernel.params) if param.value is buffer)
    return at in {index + count if index < 0 else index for index in chosen}


def _with(kernel: Kernel, loop: For, new: For, versions: dict[int, int]) -> Kernel:
    def block(old: Block) -> Block:
        done: list[Stmt] = []
        for stmt in old:
            inner = tuple(block(nested) for nested in blocks_of(stmt))
            plain = with_blocks(stmt, inner) if inner else stmt
            done.append(new if stmt is loop else plain)
        return tuple(done)

    places = {
        uid: replace(kernel.placements[uid], shape=(count, *kernel.placements[uid].shape))
        for uid, count in versions.items()
    }
    groups = {uid: (count, loop.var.uid) for uid, count in versions.items()}
    known = {**kernel.attrs.get(VERSIONS, {}), **groups}
    attrs = MappingProxyType({**kernel.attrs, VERSIONS: MappingProxyType(known)})
    params = tuple(_wide(param, versions) for param in kernel.params)
    body = versioned_allocations(block(kernel.body), versions)
    return replace(kernel, body=body, params=params, attrs=attrs).with_placements(places)


def _wide(param: Param, versions: dict[int, int]) -> Param:
    value = param.value
    if not isinstance(value, Buffer) or value.uid not in versions:
        return param
    shape: tuple[Scalar, ...] = (versions[value.uid], *value.shape)
    return replace(param, value=replace(value, shape=shape))
