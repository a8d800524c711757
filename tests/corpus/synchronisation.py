"""How much synchronisation our programs and upstream's have, over the kernels that leave it to the
compiler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from tests.corpus.facts import Fact
from tests.passes.happens_before import races

from tl_ascend.driver.check import KernelReport
from tl_ascend.ir.nodes import Block, Kernel, Stmt, TileOp, blocks_of, walk_stmts
from tl_ascend.ops.table import TABLE

ROWS = ("PIPE_ALL barriers", "PIPE_V barriers", "other barriers", "flag pairs")
APART = "flag pairs with work between set and wait"


def show_sync(facts: Sequence[Fact], ours: Callable[[Fact], KernelReport | None]) -> int:
    """Print the totals; 1 where a goal is missed."""
    theirs, mine = Counter[str](), Counter[str]()
    kernels = more = 0
    missed: list[str] = []
    for fact in facts:
        kernel = ours(fact) if fact.automatic else None
        if kernel is None or kernel.lowered is None:
            continue
        kernels += 1
        one, other = _of_upstream(fact), _of_ours(kernel.lowered)
        theirs += one
        mine += other
        more += _barriers(other) > _barriers(one)
        found = races(kernel.lowered, runs=1)
        missed += [f"{fact.example} {fact.kernel}: {text}" for text in found]
    print(f"| {kernels} kernels | upstream | tl-ascend |")
    print("|---|---|---|")
    for name in (*ROWS, APART):
        print(f"| {name} | {theirs[name]} | {mine[name]} |")
    print(f"more PIPE_V and PIPE_ALL barriers than upstream: {more} kernels")
    print(f"races in one simulated run of each: {len(missed)}")
    if mine["PIPE_ALL barriers"] * 2 > theirs["PIPE_ALL barriers"]:
        missed.append("more than half of upstream's PIPE_ALL barriers")
    if mine["PIPE_V barriers"] > theirs["PIPE_V barriers"]:
        missed.append("more PIPE_V barriers than upstream")
    for text in missed:
        print(f"oracle: {text}")
    return 1 if missed else 0


def _barriers(counts: Counter[str]) -> int:
    return counts["PIPE_ALL barriers"] + counts["PIPE_V barriers"]


def _of_upstream(fact: Fact) -> Counter[str]:
    counts = Counter({"flag pairs": fact.sync.get("SetFlag", 0)})
    for pipe, number in fact.barriers.items():
        counts[_row(pipe.removeprefix("PIPE_"))] += number
    return counts


def _row(pipe: str) -> str:
    return f"PIPE_{pipe} barriers" if pipe in ("ALL", "V") else "other barriers"


def _of_ours(kernel: Kernel) -> Counter[str]:
    counts: Counter[str] = Counter()
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, TileOp) and stmt.op == "set_flag":
            counts["flag pairs"] += 1
        elif isinstance(stmt, TileOp) and stmt.op in ("barrier_all", "pipe_barrier"):
            counts[_row("ALL" if stmt.op == "barrier_all" else str(stmt.args[0]).upper())] += 1
    counts[APART] = sum(_apart(block) for block in _all_blocks(kernel.body))
    return counts


def _all_blocks(block: Block) -> Iterator[Block]:
    yield block
    for stmt in block:
        for inner in blocks_of(stmt):
            yield from _all_blocks(inner)


def _apart(block: Block) -> int:
    """Sets whose wait does not follow before other work."""
    return sum(
        isinstance(stmt, TileOp) and stmt.op == "set_flag" and not _next(block[at + 1 :], stmt)
        for at, stmt in enumerate(block)
    )


def _next(rest: Block, flag: TileOp) -> bool:
    for stmt in rest:
        if isinstance(stmt, TileOp) and stmt.op == "wait_flag" and stmt.args == flag.args:
            return True
        if _works(stmt):
            return False
    return False


def _works(stmt: Stmt) -> bool:
    return not isinstance(stmt, TileOp) or TABLE[stmt.op].kind != "sync"
