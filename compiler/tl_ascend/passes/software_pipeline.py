"""Run the copies of `T.Pipelined` loops ahead of the work on them.

The statements of such a loop are put into stages: an iteration does those of stage `s` while the
one `s` later does those of stage 0. Tiles that so hold values of several iterations get as many
versions. The plan is upstream's (the copies from GM are stage 0, the rest comes `num_stages` behind,
one less where all copies can go first) or the author's (`stage` and `order`, also without
`num_stages`); it is used only if every two accesses to the same data keep their order. Copies that
would not, stay with the work in upstream's plan. Where none is left the loop runs one iteration after
the other, which is right as well, and the author is told why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from operator import is_

from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import (
    Alloc,
    Block,
    Buffer,
    CoreScope,
    For,
    If,
    Kernel,
    Stmt,
    blocks_of,
    walk_stmts,
    with_blocks,
)
from tl_ascend.ir.reasons import Place, Reason
from tl_ascend.ir.storage import buffers
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.pipeline_body import without_lets
from tl_ascend.passes.pipeline_branch import counted, of_branch
from tl_ascend.passes.pipeline_code import Renamed, overlapped, versioned_allocations
from tl_ascend.passes.pipeline_plan import Obstacle, Plan, placed, plan_loop


def software_pipeline(kernel: Kernel, context: PassContext) -> Kernel:
    """The same kernel without pipelined loops: their iterations overlap, or they are plain."""
    loops = [s for s in walk_stmts(kernel.body) if isinstance(s, For) and s.kind == "pipelined"]
    if not loops:
        return kernel
    shared = _on_both_cores(kernel)
    while True:
        loop = next((s for s in _pipelined(kernel.body)), None)
        if loop is None:
            return kernel
        kernel = _lowered(kernel, loop, shared, context)


def _own_tiles(kernel: Kernel, loop: For, plan: Plan) -> tuple[Kernel, For, Plan]:
    """The loop with tiles of its own in place of some that are used elsewhere, too."""
    names = {b.uid: b for b in buffers(kernel)}
    uids = {uid: kernel.next_uid + at for at, uid in enumerate(sorted(plan.apart))}
    own = {
        uid: replace(names[uid], uid=number, name=f"{names[uid].name}_loop")
        for uid, number in uids.items()
    }
    versions = {uids.get(uid, uid): count for uid, count in plan.versions.items()}
    places = {number: kernel.placements[uid] for uid, number in uids.items()}
    kernel = replace(
        kernel, body=_declared(kernel.body, own), next_uid=kernel.next_uid + len(uids)
    ).with_placements(places)
    body = Renamed(own).block(loop.body)
    return kernel, replace(loop, body=body), replace(plan, versions=versions)


def _declared(block: Block, own: dict[int, Buffer]) -> Block:
    """The code with declarations of other tiles beside those whose place they take; other statements
    are the same objects."""
    done: list[Stmt] = []
    for stmt in block:
        blocks = blocks_of(stmt)
        inner = tuple(_declared(nested, own) for nested in blocks)
        same = all(new is old for new, old in zip(inner, blocks, strict=True))
        done.append(stmt if same else with_blocks(stmt, inner))
        if isinstance(stmt, Alloc) and stmt.buffer.uid in own:
            done.append(replace(stmt, buffer=own[stmt.buffer.uid]))
    return block if len(done) == len(block) and all(map(is_, done, block)) else tuple(done)


def _pipelined(block: Block) -> Iterator[For]:
    """The innermost come first: an outer loop then sees plain code."""
    for stmt in block:
        for inner in blocks_of(stmt):
            yield from _pipelined(inner)
        if isinstance(stmt, For) and stmt.kind == "pipelined":
            yield stmt


def _on_both_cores(kernel: Kernel) -> set[int]:
    """Loops that both cores run: what overlaps there is the work of the cores."""
    seen: dict[str, set[int]] = {}
    for scope in walk_stmts(kernel.body):
        if isinstance(scope, CoreScope):
            loops = (s for s in walk_stmts(scope.body) if isinstance(s, For))
            seen.setdefault(scope.core.value, set()).update(loop.var.uid for loop in loops)
    count = Counter(uid for uids in seen.values() for uid in uids)
    return {uid for uid, number in count.items() if number > 1}


def _lowered(kernel: Kernel, loop: For, shared: set[int], context: PassContext) -> Kernel:
    plain = replace(loop, kind="serial")
    wish, stages = _wish(loop), loop.annotation("num_stages", 0)
    _report_alone(loop, context)
    if not wish or loop.var.uid in shared:
        why = "the cores work on it in turns" if loop.var.uid in shared else "num_stages is 0"
        if wish and not stages:
            _report(loop, wish, why, context)
        told = any(r.topic == "overlap" and r.span == loop.span for r in kernel.reasons)
        kernel = kernel if told else kernel.because(_plain(loop, why))
        return _with(kernel, loop, (plain,), {})
    ready, guard, whole = of_branch(replace(plain, body=without_lets(loop.body)))
    ready = replace(ready, body=without_lets(ready.body))
    try:
        plan = plan_loop(kernel, loop, ready, stages)
    except Obstacle as obstacle:
        why = whole or str(obstacle)
        _report(loop, wish, why, context)
        return _with(kernel.because(_plain(loop, why)), loop, (plain,), {})
    kernel = kernel.because(*_ahead(kernel, loop, plan.versions, plan.depth))
    if plan.apart:
        kernel, ready, plan = _own_tiles(kernel, ready, plan)
    kernel, ready, lets = counted(kernel, ready)
    code = (*lets, *overlapped(ready, plan))
    if isinstance(guard, Expr):
        code = (If(guard, code, (), loop.span),)
    return _with(kernel, loop, code, plan.versions)


def _wish(loop: For) -> str:
    """By what the author asks for iterations that overlap; empty where he does not."""
    stages = loop.annotation("num_stages", 0)
    if isinstance(stages, int) and stages > 0:
        return f"num_stages={stages} has"
    return "order and stage have" if placed(loop) is not None else ""


def _report_alone(loop: For, context: PassContext) -> None:
    """Stages or orders without the other, which nobody asks for."""
    given = [name for name in ("stage", "order") if loop.annotation(name) is not None]
    if len(given) == 1:
        missing = "order" if given == ["stage"] else "stage"
        text = f"{given[0]} has no effect without {missing}"
        context.report.add("not-lowered", loop.span, text)


def _report(loop: For, wish: str, why: str, context: PassContext) -> None:
    text = f"the iterations of this loop do not overlap, {wish} no effect: {why}"
    context.report.add("not-lowered", loop.span, text)


def _plain(loop: For, why: str) -> Reason:
    return Reason("overlap", loop.span, "none: one iteration after the other", why)


def _ahead(kernel: Kernel, loop: For, versions: dict[int, int], distance: int) -> Iterator[Reason]:
    """That a loop overlaps its iterations, and which tiles have a version for each."""
    names = {b.uid: b for b in buffers(kernel)}
    made = ", ".join(f"{count} of {names[uid].name}" for uid, count in versions.items())
    text = f"the first statements run {distance} iteration{'s' * (distance > 1)} ahead"
    yield Reason("overlap", loop.span, text, f"versions: {made}" if made else "")
    for uid, count in versions.items():
        why = "iterations of the loop that are under way at once each have their own"
        place = Place("loop", loop.span)
        yield Reason("versions", names[uid].span, str(count), why, (place,))


def _with(kernel: Kernel, loop: For, code: Block, versions: dict[int, int]) -> Kernel:
    """The kernel with other code in place of a loop, and room for the versions of its tiles."""

    def block(old: Block) -> Block:
        done: list[object] = []
        for stmt in old:
            if stmt is loop:
                done.extend(code)
                continue
            inner = tuple(block(nested) for nested in blocks_of(stmt))
            done.append(with_blocks(stmt, inner) if inner else stmt)
        return tuple(done)  # type: ignore[arg-type]

    kernel = replace(kernel, body=block(kernel.body))
    if not versions:
        return kernel
    places = {
        uid: replace(kernel.placements[uid], shape=(count, *kernel.placements[uid].shape))
        for uid, count in versions.items()
    }
    body = versioned_allocations(kernel.body, versions)
    return replace(kernel, body=body).with_placements(places)
