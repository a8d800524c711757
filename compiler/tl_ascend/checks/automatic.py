"""What upstream's automatic synchronisation and its split of the cores miss, and ours does not."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.checks.context import Call, CheckContext
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import (
    AUTO_CV_COMBINE,
    AUTO_SYNC,
    Block,
    CoreScope,
    For,
    If,
    Stmt,
    TileOp,
    While,
    blocks_of,
    regions_of,
    walk_stmts,
)
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.split_cores import SIDES, pipe_core
from tl_ascend.target.hardware import Core, Memory

_CUBE = (Memory.L1, Memory.L0A, Memory.L0B, Memory.L0C)
_NAMES = {Core.CUBE: "cube", Core.VECTOR: "vector"}


def unordered_call(call: Call, context: CheckContext) -> None:
    """A call that upstream's pass does not know is ordered with nothing before it."""
    kernel = context.before
    if not call.row.unordered or context.upstream == "none" or not kernel.options.on(AUTO_SYNC):
        return
    if kernel.options.route in call.row.lacking_on:
        return
    before = _producer(kernel.body, call.op)
    if before is None:
        return
    context.report.add(
        "automatic-sync",
        call.op.span,
        f"upstream's automatic synchronisation passes {call.name} over: nothing makes it wait for "
        "what it reads",
        notes=(
            "Put T.barrier_all() before and behind it. The programs of tl-ascend wait by themselves.",
        ),
        related=(Related(before.span, "what it reads comes from here"),),
    )


def _producer(body: Block, op: TileOp) -> Stmt | None:
    """The call of the same block that last writes what an operation reads, with no synchronisation
    of the author's between the two."""
    for block in _blocks(body):
        if not any(stmt is op for stmt in block):
            continue
        read = {root(region.buffer).uid for region in effect_of(op).reads}
        at = next(i for i, stmt in enumerate(block) if stmt is op)
        for stmt in reversed(block[:at]):
            if not isinstance(stmt, TileOp) or TABLE[stmt.op].kind == "sync":
                return None
            if any(root(region.buffer).uid in read for region in effect_of(stmt).writes):
                return stmt
    return None


def _blocks(body: Block) -> Iterator[Block]:
    yield body
    for stmt in walk_stmts(body):
        yield from blocks_of(stmt)


def misplaced_flags(context: CheckContext) -> None:
    """Where upstream splits the cores itself, a flag goes to the core of the statement before it."""
    kernel = context.before
    scoped = any(isinstance(stmt, CoreScope) for stmt in walk_stmts(kernel.body))
    if context.upstream == "none" or scoped or not kernel.options.on(AUTO_CV_COMBINE):
        return
    last: Stmt | None = None
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, (If, While)) or (isinstance(stmt, For) and stmt.kind == "parallel"):
            last = None
            continue
        own = _core_of_flag(stmt)
        if own is not None:
            other = None if last is None else _core_of_work(last, context)
            if last is not None and other is not None and other is not own:
                _report(stmt, own, last, other, context)
        elif _core_of_work(stmt, context) is not None:
            last = stmt


def _core_of_flag(stmt: Stmt) -> Core | None:
    """The core whose pipes a flag or a barrier names, where only one of them has such a pipe."""
    if not isinstance(stmt, TileOp) or TABLE[stmt.op].kind != "sync":
        return None
    for name in (arg for arg in stmt.args if isinstance(arg, str)):
        if pipe_core(name) in SIDES:
            return pipe_core(name)
    return None


def _core_of_work(stmt: Stmt, context: CheckContext) -> Core | None:
    if not isinstance(stmt, TileOp) or TABLE[stmt.op].kind == "sync":
        return None
    for region in regions_of(stmt):
        memory = context.memory(region)
        if memory is Memory.UB:
            return Core.VECTOR
        if memory in _CUBE:
            return Core.CUBE
    return None


def _report(stmt: Stmt, own: Core, last: Stmt, other: Core, context: CheckContext) -> None:
    assert isinstance(stmt, TileOp)
    context.report.add(
        "automatic-sync",
        stmt.span,
        f"T.{stmt.op} names a pipe of the {_NAMES[own]} core; upstream's compiler puts it on the "
        f"{_NAMES[other]} core, after the statement before it",
        notes=(
            f"With {AUTO_CV_COMBINE} a flag goes where the last copy or operation went.",
            "Put it directly behind a statement of its own core, or write T.Scope. tl-ascend goes by "
            "the pipes.",
        ),
        related=(Related(last.span, f"of the {_NAMES[other]} core"),),
    )
