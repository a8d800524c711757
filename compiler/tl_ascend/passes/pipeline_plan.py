"""Which statement of a pipelined loop runs how far behind, and what that takes.

`stage` and `order` of each statement: instance `i` of a statement runs in step `i + stage`, and the
statements of one step in their order. Two instances that may touch the same data (`pipeline_apart`),
one of them writing, must not change places. A tile that each iteration fills before it reads it, and
that nothing else uses, may have versions: then only instances whose iterations are a multiple of that
apart touch the same data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tl_ascend.ir.effects import effect_of, form_of
from tl_ascend.ir.expr import Load, walk
from tl_ascend.ir.liveness import fills
from tl_ascend.ir.nodes import (
    AUTO_SYNC,
    MEMORY_PLANNING,
    Alloc,
    Break,
    Buffer,
    For,
    Kernel,
    Stmt,
    TileOp,
    exprs_of,
    walk_stmts,
    within,
)
from tl_ascend.ir.storage import ON_CHIP, root
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.pipeline_apart import keep_apart
from tl_ascend.passes.pipeline_body import why_named
from tl_ascend.passes.pipeline_values import leaks
from tl_ascend.target.hardware import Memory

BARRIERS = ("barrier_all", "pipe_barrier")
MAX_STAGES = 16


class Obstacle(Exception):
    """Why the iterations of a loop cannot overlap. `uid`: the buffer that stands in the way."""

    def __init__(self, why: str, uid: int | None = None) -> None:
        super().__init__(why)
        self.uid = uid


@dataclass(frozen=True, slots=True)
class Plan:
    """By statement of the body; `versions` by buffer, where more than one. `apart`: those that code
    outside of the loop uses for other values, so that the loop needs tiles of its own."""

    stages: tuple[int, ...]
    orders: tuple[int, ...]
    versions: dict[int, int]
    apart: frozenset[int] = frozenset()

    @property
    def depth(self) -> int:
        return max(self.stages)

    @property
    def sequence(self) -> list[int]:
        """The statements in the order in which one step runs them."""
        return sorted(range(len(self.orders)), key=lambda at: self.orders[at])


@dataclass(frozen=True, slots=True)
class _Unit:
    """A statement of the body, with all that it touches."""

    stmt: Stmt
    reads: frozenset[int]
    writes: frozenset[int]

    @property
    def loads(self) -> bool:
        """A copy from GM into a tile."""
        form = form_of(self.stmt) if isinstance(self.stmt, TileOp) else None
        return (
            form is not None
            and form.memories is not None
            and form.memories[0] is Memory.GM
            and form.memories[1] in ON_CHIP
        )


def plan_loop(kernel: Kernel, whole: For, loop: For, stages: int) -> Plan:
    """A plan that keeps the meaning of the loop: `whole` as it stands in the kernel, `loop` with the
    statements to place. Errors: Obstacle."""
    if stages > MAX_STAGES:
        raise Obstacle(f"more than {MAX_STAGES} stages need more room than there is")
    _refuse(loop)
    units = [_unit(stmt) for stmt in loop.body]
    ahead = frozenset(at for at, unit in enumerate(units) if unit.loads)
    if not ahead:
        raise Obstacle("it copies no tile from GM that could come ahead")
    own = _annotated(loop, len(units))
    if own is not None:
        return _plan(kernel, whole, loop, units, *own)
    return _first_that_holds(kernel, whole, loop, units, ahead, stages)


def _first_that_holds(
    kernel: Kernel, whole: For, loop: For, units: Sequence[_Unit], ahead: frozenset[int], lag: int
) -> Plan:
    """Upstream's plan, with those copies left behind that cannot come ahead."""
    first: Obstacle | None = None
    while ahead:
        try:
            return _plan(kernel, whole, loop, units, *_upstream(units, ahead, lag))
        except Obstacle as obstacle:
            first, uid = first or obstacle, obstacle.uid
            staying = {at for at in ahead if uid in units[at].reads | units[at].writes}
            ahead = ahead - staying if staying else frozenset()
    assert first is not None
    raise first


def _plan(
    kernel: Kernel,
    whole: For,
    loop: For,
    units: Sequence[_Unit],
    given: tuple[int, ...],
    orders: tuple[int, ...],
) -> Plan:
    low = min(given)
    given = tuple(stage - low for stage in given)
    versions = _versions(kernel, whole, loop, units, given, orders)
    apart = frozenset(uid for uid in versions if _used_outside(kernel, whole, uid))
    return Plan(given, orders, versions, apart)


def _refuse(loop: For) -> None:
    if named := why_named(loop.body):
        raise Obstacle(named)
    for stmt in walk_stmts(loop.body):
        if isinstance(stmt, Alloc):
            raise Obstacle(f"{stmt.buffer.name} is allocated inside of it")
        if isinstance(stmt, Break):
            raise Obstacle("a way out leads from the middle of an iteration")
        if isinstance(stmt, TileOp) and TABLE[stmt.op].kind == "sync":
            if stmt.op not in BARRIERS:
                raise Obstacle(f"T.{stmt.op} in it orders its statements as they stand")


def _unit(stmt: Stmt) -> _Unit:
    reads: set[int] = set()
    writes: set[int] = set()
    for inner in within(stmt):
        effect = effect_of(inner)
        reads.update(root(region.buffer).uid for region in (*effect.reads, *effect.scalars))
        writes.update(root(region.buffer).uid for region in effect.writes)
    return _Unit(stmt, frozenset(reads), frozenset(writes))


def placed(loop: For) -> tuple[Any, Any] | None:
    """The author's own stages and orders; None where upstream's compiler does not ask for them: one
    is missing, or a number is negative."""
    stages, orders = (loop.annotation(name) for name in ("stage", "order"))
    if stages is None or orders is None:
        return None
    numbers = [n for given in (stages, orders) if isinstance(given, (tuple, list)) for n in given]
    negative = any(isinstance(number, int) and number < 0 for number in numbers)
    return None if negative else (stages, orders)


def _annotated(loop: For, count: int) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The same as numbers, one for each statement."""
    found = placed(loop)
    if found is None:
        return None
    for name, value in zip(("stage", "order"), found, strict=True):
        whole = isinstance(value, (tuple, list)) and all(isinstance(n, int) for n in value)
        if not whole or len(value) != count:
            raise Obstacle(f"{name} must be {count} numbers, one for each statement")
    stages, orders = found
    if len(set(orders)) < count:
        twice = next(n for n in orders if list(orders).count(n) > 1)
        raise Obstacle(f"order gives several statements place {twice}; each needs one of its own")
    return tuple(stages), tuple(orders)


def _upstream(
    units: Sequence[_Unit], copies: frozenset[int], lag: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Copies come behind the last statement that uses what they bring, as those of a later
    iteration; where all of them end up last they go first instead, which saves one iteration."""
    last = [_last_use(units, at) if at in copies else None for at in range(len(units))]
    conditions = _for_conditions(units)
    ahead = [at in conditions or last[at] is not None for at in range(len(units))]
    order: list[int] = [at for at in range(len(units)) if ahead[at] and last[at] is None]
    for at in range(len(units)):
        if not ahead[at]:
            order.append(at)
            order += [copy for copy in range(len(units)) if last[copy] == at and ahead[copy]]
    order += [at for at in range(len(units)) if at not in order]
    count = sum(ahead)
    if lag >= 2 and all(ahead[at] for at in order[len(order) - count :]):
        order = [*order[len(order) - count :], *order[: len(order) - count]]
        lag -= 1
    stages = tuple(0 if first else lag for first in ahead)
    return stages, tuple(order.index(at) for at in range(len(units)))


def _last_use(units: Sequence[_Unit], at: int) -> int | None:
    written = units[at].writes
    uses = [n for n in range(at + 1, len(units)) if units[n].reads & written]
    return max(uses, default=None)


def _for_conditions(units: Sequence[_Unit]) -> set[int]:
    """Statements that write what another one takes scalars from to find its way or its place."""
    needed: set[int] = set()
    for unit in units:
        if unit.loads or not isinstance(unit.stmt, TileOp):
            for value in exprs_of(unit.stmt):
                loads = (node for node in walk(value) if isinstance(node, Load))
                needed |= {root(node.buffer).uid for node in loads}
    return {at for at, unit in enumerate(units) if unit.writes & needed}


def _versions(
    kernel: Kernel,
    whole: For,
    loop: For,
    units: Sequence[_Unit],
    stages: Sequence[int],
    orders: Sequence[int],
) -> dict[int, int]:
    found: dict[int, int] = {}
    slack = not kernel.options.on(AUTO_SYNC)  # only the author's barrier keeps steps apart
    for uid in sorted({uid for unit in units for uid in unit.reads | unit.writes}):
        touching = [at for at, unit in enumerate(units) if uid in unit.reads | unit.writes]
        written = [at for at in touching if uid in units[at].writes]
        pairs = [(a, b) for a in touching for b in touching if a in written or b in written]
        name = _name(units, uid)
        by = {
            gap
            for a, b in pairs
            for gap in range(int(a >= b), _distance(stages, orders, a, b, slack))
            if not keep_apart(loop, units[a].stmt, units[b].stmt, uid, gap)
        }
        if 0 in by:
            raise Obstacle(f"a later statement on {name} would come before an earlier one", uid)
        if by:
            _own_versions(kernel, whole, units, uid, name)
            found[uid] = max(by) + 1
    return found


def _distance(stages: Sequence[int], orders: Sequence[int], a: int, b: int, slack: bool) -> int:
    """The least number of iterations after which `b` certainly comes behind `a`."""
    gap = stages[a] - stages[b]
    return gap if orders[a] < orders[b] and not (slack and gap) else gap + 1


def _name(units: Sequence[_Unit], uid: int) -> str:
    return next(buffer.name for buffer in _touched([u.stmt for u in units]) if buffer.uid == uid)


def _touched(stmts: Sequence[Stmt], nested: bool = True) -> Iterator[Buffer]:
    for stmt in walk_stmts(tuple(stmts)) if nested else stmts:
        effect = effect_of(stmt)
        for region in (*effect.reads, *effect.writes, *effect.scalars):
            yield root(region.buffer)


def _own_versions(kernel: Kernel, loop: For, units: Sequence[_Unit], uid: int, name: str) -> None:
    """A tile may have versions if each iteration makes it anew, for itself alone."""
    first = next(unit for unit in units if uid in unit.reads | unit.writes)
    whole = isinstance(first.stmt, TileOp) and any(
        region.buffer.uid == uid and fills(region) for region in effect_of(first.stmt).writes
    )
    if uid in first.reads:
        raise Obstacle(f"an iteration may read what an earlier one left in {name}", uid)
    if not whole:
        raise Obstacle(f"an iteration does not begin by filling all of {name}", uid)
    place = kernel.placements.get(uid)
    if place is None or place.memory not in ON_CHIP:
        raise Obstacle(f"{name} would need a version for each iteration on its way", uid)
    if uid in kernel.addresses:
        raise Obstacle(f"{name} needs versions, but T.annotate_address gives it one place", uid)
    if any(buffer.uid == uid for buffer in kernel.scratch):
        raise Obstacle(f"{name} is scratch that all iterations share", uid)
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, Alloc):
            if stmt.buffer.alias_of is not None and root(stmt.buffer).uid == uid:
                raise Obstacle(
                    f"{name} needs versions, but {stmt.buffer.name} is a view of it", uid
                )
    if _used_outside(kernel, loop, uid):
        if not kernel.options.on(MEMORY_PLANNING):
            raise Obstacle(f"{name} is used outside of the loop, too", uid)
        if leaks(kernel.body, uid, loop):
            raise Obstacle(f"{name} holds the same value outside of the loop, too", uid)


def _used_outside(kernel: Kernel, loop: For, uid: int) -> bool:
    inside = {id(stmt) for stmt in walk_stmts(loop.body)}
    outside = (stmt for stmt in walk_stmts(kernel.body) if id(stmt) not in inside)
    return any(b.uid == uid for stmt in outside for b in _touched((stmt,), nested=False))
