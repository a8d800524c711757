"""Lead copies that have no data path through a workspace in GM.

Such a copy joins the two cores: L0C to the UB, or the UB to L1. It becomes two. The core that has
the source writes its tile into a new tensor in GM, a parameter `workspace_<n>` that holds the cube
core's tile once for each block; the other core reads it back before its first use of the tile.

Into the UB, the read stays in the block of the copy, so it happens as often and under the same
conditions: that is right for a copy in a loop or a branch, for a later use outside, and for several
uses. Into L1, the workspace is an image of the tile: however many copies fill it, all of it is read
before each use that may not have seen the last one.

The cube core runs once for both vector cores: where its side of the copy depends on `vid`, it moves
the parts of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from tl_ascend.ir.affine import same
from tl_ascend.ir.effects import effect_of, form_of
from tl_ascend.ir.expr import Load, Scalar, Var, free_vars, walk
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.nodes import (
    AUTO_SYNC,
    Block,
    Break,
    Buffer,
    CoreScope,
    Kernel,
    Launch,
    Param,
    Placement,
    Region,
    Stmt,
    Store,
    TileOp,
    blocks_of,
    exprs_of,
    walk_stmts,
    with_blocks,
    within,
)
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.reload import Reload
from tl_ascend.target.hardware import Memory

AUTO_GM = "auto_gm_indices"  # attribute: positions of the parameters that the caller allocates
_CORES = 2
_BARRIERS = ("set_flag", "wait_flag", "pipe_barrier", "barrier_all")


def workspace_copies(kernel: Kernel, context: PassContext) -> Kernel:
    """Every such copy as two; a platform that has the path keeps it."""
    if not any(_virtual(stmt, context) for stmt in walk_stmts(kernel.body)):
        return kernel
    assert kernel.launch is not None
    work = _Work(kernel, kernel.launch, context)
    body = work.block(kernel.body)
    body = _Delivery(work.elsewhere).block(body)
    for image in work.images.values():
        body = Reload(image.shared.uid, image.tile.uid, image.read).block(body)
    return _with_workspaces(replace(kernel, body=body, next_uid=work.uid), work.made)


def _only_copied(kernel: Kernel, context: PassContext) -> Iterator[int]:
    """Tiles in L1 that nothing but such copies writes."""
    writers: dict[int, list[Stmt]] = {}
    for stmt in walk_stmts(kernel.body):
        for region in effect_of(stmt).writes:
            if kernel.memory(region.buffer) is Memory.L1:
                writers.setdefault(root(region.buffer).uid, []).append(stmt)
    for uid, stmts in writers.items():
        if all(_virtual(stmt, context) for stmt in stmts):
            yield uid


def _virtual(stmt: Stmt, context: PassContext) -> bool:
    form = form_of(stmt) if isinstance(stmt, TileOp) else None
    return form is not None and form.virtual and form.memories not in context.platform.paths


@dataclass(frozen=True, slots=True)
class _Image:
    """A workspace that mirrors a tile in L1, and the copy that brings it there."""

    tile: Buffer
    shared: Buffer
    read: TileOp


@dataclass(slots=True)
class _Work:
    """`elsewhere`: reads whose tile is used in another scope of the author's than the write."""

    kernel: Kernel
    launch: Launch
    context: PassContext
    made: list[tuple[Buffer, str]] = field(default_factory=list)
    elsewhere: list[tuple[TileOp, ...]] = field(default_factory=list)
    images: dict[int, _Image] = field(default_factory=dict)
    uid: int = 0
    only_copied: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        self.uid = self.kernel.next_uid
        self.only_copied = frozenset(_only_copied(self.kernel, self.context))

    def block(self, block: Block, scoped: bool = False) -> Block:
        done: list[Stmt] = []
        waiting: list[tuple[TileOp, ...]] = []
        for at, stmt in enumerate(block):
            for reads in list(waiting):
                if self._must_precede(reads, stmt):
                    waiting.remove(reads)
                    done.extend(reads)
            inner = scoped or isinstance(stmt, CoreScope)
            nested = tuple(self.block(b, inner) for b in blocks_of(stmt))
            stmt = with_blocks(stmt, nested) if nested else stmt
            if not isinstance(stmt, TileOp) or not _virtual(stmt, self.context):
                done.append(stmt)
                continue
            writes, reads = self._split(stmt)
            done.extend(writes)
            if not reads:
                continue
            if scoped:
                self.elsewhere.append(reads)
            elif _used(reads, block[at + 1 :]):
                waiting.append(reads)
            else:
                done.extend(reads)
        return (*done, *(read for reads in waiting for read in reads))

    def _split(self, op: TileOp) -> tuple[tuple[TileOp, ...], tuple[TileOp, ...]]:
        """The writes into a new workspace, and the reads from it."""
        row = TABLE["copy"]
        source, target = op.args[row.index("src")], op.args[row.index("dst")]
        assert isinstance(source, Region) and isinstance(target, Region)
        from_cube = self.kernel.memory(source.buffer) is Memory.L0C
        if root(target.buffer).uid in self.only_copied and target.buffer.alias_of is None:
            return (self._to_image(op, source, target),), ()
        cube = source if from_cube else target
        shared = self._workspace(cube, target, op)
        room = self._inside(shared, cube)
        parts = [(self._inside(shared, part), part) for part in self._whole(cube)]
        outward, inward = (
            ("copy_l0c_to_gm", "copy_gm_to_ub") if from_cube else ("copy_ub_to_gm", "copy_gm_to_l1")
        )
        why = f"{root(source.buffer).name} reaches {root(target.buffer).name} through {shared.name}"
        if from_cube:
            writes = tuple(_moved(op, part, gm, outward, why) for gm, part in parts)
            return writes, (_moved(_plain(op), room, target, inward, why),)
        reads = tuple(_moved(_plain(op), gm, part, inward, why) for gm, part in parts)
        return (_moved(op, source, room, outward, why),), reads

    def _to_image(self, op: TileOp, source: Region, target: Region) -> TileOp:
        """A write into the image of a tile, which is made at its first."""
        tile = target.buffer
        image = self.images.get(tile.uid)
        if image is None:
            shared = self._workspace(target, target, op)
            whole = Region(tile, (0,) * tile.rank, tile.shape, "slice", target.span)
            why = f"{tile.name} is filled through {shared.name}"
            read = _moved(_plain(op), self._inside(shared, whole), whole, "copy_gm_to_l1", why)
            image = self.images[tile.uid] = _Image(tile, shared, read)
        room = self._inside(image.shared, target)
        return _moved(op, source, room, "copy_ub_to_gm", image.read.reason)

    def _workspace(self, cube: Region, target: Region, op: TileOp) -> Buffer:
        """The way into the UB converts nothing, the way out of L0C does: so the type is that of the
        destination."""
        name = f"workspace_{len(self.made) + 1}"
        taken = {param.name for param in self.kernel.params}
        while name in taken:
            name += "_auto"
        shape = (self.launch.blocks, *root(cube.buffer).shape)
        buffer = Buffer(name, self.uid, shape, target.buffer.dtype, "GM", op.span)
        self.uid += 1
        what = f"workspace of the copy to {root(target.buffer).name}, allocated by the caller"
        self.made.append((buffer, what))
        return buffer

    def _inside(self, shared: Buffer, cube: Region) -> Region:
        starts = (self.launch.block, *cube.starts)
        return Region(shared, starts, (1, *cube.extents), "slice", cube.span)

    def _whole(self, region: Region) -> list[Region]:
        """What both vector cores take together: one region where their parts lie side by side."""
        core = self.launch.subblock
        if not any(core in free_vars(start) for start in region.starts):
            return [region]
        first, second = (_for_core(region, core, number) for number in range(_CORES))
        steps = [
            same(binary("-", b, a), 0) for a, b in zip(first.starts, second.starts, strict=True)
        ]
        moved = [at for at, step in enumerate(steps) if step is not True]
        if len(moved) == 1:
            at = moved[0]
            gap = binary("-", second.starts[at], first.starts[at])
            if same(gap, first.extents[at]) is True:
                extents = list(first.extents)
                extents[at] = binary("*", extents[at], _CORES)
                return [replace(first, extents=tuple(extents))]
        return [first, second]

    def _must_precede(self, reads: tuple[TileOp, ...], stmt: Stmt) -> bool:
        """True where the reads may not wait until after a statement."""
        inside = tuple(within(stmt))
        if any(isinstance(s, Break) for s in inside) or _used(reads, (stmt,)):
            return True
        ordered = not self.kernel.options.on(AUTO_SYNC)
        if ordered and any(isinstance(s, TileOp) and s.op in _BARRIERS for s in inside):
            return True  # the author's barrier stands for the whole copy
        needed = {
            root(node.buffer).uid
            for read in reads
            for value in exprs_of(read)
            for node in walk(value)
            if isinstance(node, Load)
        }
        return bool(needed & {root(r.buffer).uid for s in inside for r in effect_of(s).writes})


def _for_core(region: Region, core: Var, number: int) -> Region:
    def on(value: Scalar) -> Scalar:
        moved: Scalar = substitute(value, {core: number})
        return moved

    return replace(
        region, starts=tuple(map(on, region.starts)), extents=tuple(map(on, region.extents))
    )


def _moved(op: TileOp, source: Region, target: Region, form: str, why: str) -> TileOp:
    args = list(op.args)
    row = TABLE["copy"]
    args[row.index("src")], args[row.index("dst")] = source, target
    return replace(op, args=tuple(args), form=form, reason=why)


def _plain(op: TileOp) -> TileOp:
    """The same copy without what its first half does already."""
    args = list(op.args)
    args[TABLE["copy"].index("enable_relu")] = False
    return replace(op, args=tuple(args))


def _tiles(reads: Sequence[TileOp]) -> set[int]:
    return {root(region.buffer).uid for read in reads for region in effect_of(read).writes}


def _used(reads: Sequence[TileOp], block: Block) -> bool:
    """True where a statement reads or writes the tile that the reads fill."""
    return any(_touches(stmt, _tiles(reads)) for stmt in walk_stmts(block))


def _touches(stmt: Stmt, tiles: set[int]) -> bool:
    effect = effect_of(stmt)
    regions = (*effect.reads, *effect.writes, *effect.scalars)
    touched = {root(region.buffer).uid for region in regions}
    return not touched.isdisjoint(tiles) and not (isinstance(stmt, Store) and not stmt.indices)


@dataclass(slots=True)
class _Delivery:
    """Put reads before the first use of their tile, in the innermost block that has it; where one
    branch has a use, the other and what follows are served on their own."""

    waiting: list[tuple[TileOp, ...]]

    def block(self, block: Block) -> Block:
        return tuple(new for stmt in block for new in self._before(stmt))

    def _before(self, stmt: Stmt) -> Iterator[Stmt]:
        wanted = {root(r.buffer).uid for r in (*effect_of(stmt).reads, *effect_of(stmt).scalars)}
        for reads in list(self.waiting):
            if not wanted.isdisjoint(_tiles(reads)):
                self.waiting.remove(reads)
                yield from reads
        before, left = self.waiting, list[tuple[TileOp, ...]]()
        nested = []
        for inner in blocks_of(stmt):
            self.waiting = list(before)
            nested.append(self.block(inner))
            left += [reads for reads in self.waiting if reads not in left]
        self.waiting = left if nested else before
        yield with_blocks(stmt, tuple(nested)) if nested else stmt


def _with_workspaces(kernel: Kernel, made: Sequence[tuple[Buffer, str]]) -> Kernel:
    """The kernel with the parameters; indices from the end keep what they select."""
    count = len(kernel.params)
    params = tuple(Param(buffer.name, buffer, buffer.span) for buffer, _ in made)
    options = replace(
        kernel.options,
        out_idx=_from_the_front(kernel.options.out_idx, count),
        workspace_idx=_from_the_front(kernel.options.workspace_idx, count),
    )
    positions = tuple(range(count, count + len(params)))
    attrs = MappingProxyType({**kernel.attrs, AUTO_GM: positions})
    kernel = replace(kernel, params=(*kernel.params, *params), options=options, attrs=attrs)
    return kernel.with_placements(
        {buffer.uid: Placement(Memory.GM, buffer.shape, scope_reason=why) for buffer, why in made}
    )


def _from_the_front(indices: tuple[int, ...], count: int) -> tuple[int, ...]:
    return tuple(i + count if -count <= i < 0 else i for i in indices)
