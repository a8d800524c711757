"""Where the flags of software pipelines stand before and behind the loop that is left of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.passes.kernels import plus, times
from tests.passes.test_sync_in_turns import synced

from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.fold import compare
from tl_ascend.ir.nodes import Block, CoreScope, For, Kernel, TileOp, walk_stmts


def pipeline(
    stages: int,
    many: int,
    *,
    tiles: int = 1,
    table: bool = False,
    inplace: bool = False,
) -> Kernel:
    """Iterations load tiles, work on one after the other, and store. `table`: loaded before the loop and
    read in it; `inplace`: what was worked on is stored from where it was loaded."""
    b = KernelBuilder()
    a, c = (b.tensor(n, (many * tiles, 64), "float32") for n in "AC")
    b.launch(1)
    rows = [b.alloc(f"x{at}", (64,), "float32", "UB") for at in range(tiles)]
    y, w = (b.alloc(n, (64,), "float32", "UB") for n in "yw")
    if table:
        b.op("copy", b.part(a, 0, (0, 64)), w)
    with b.loop("k", many, "pipelined", num_stages=stages) as k:
        for at, row in enumerate(rows):
            b.op("copy", b.part(a, plus(times(k, tiles), at), (0, 64)), row)
        for at, row in enumerate(rows):
            out = row if inplace else y
            b.op("tile.add", out, row, w if table else row)
            b.op("copy", out, b.part(c, plus(times(k, tiles), at), (0, 64)))
    return synced(b)  # looks for races, and for flags that are set twice


def ends_of(kernel: Kernel) -> tuple[list[str], list[str]]:
    """What stands before and behind the loop: loads, work, and the flags between these."""
    loops = [at for at, stmt in enumerate(kernel.body) if isinstance(stmt, For)]
    assert len(loops) == 1
    return list(names(kernel.body[: loops[0]])), list(names(kernel.body[loops[0] + 1 :]))


def names(block: Block, pipe: str = "V") -> Iterator[str]:
    for call in block:
        if isinstance(call, TileOp):
            if call.op in ("set_flag", "wait_flag"):
                yield from [call.op[:-5]] if call.args[:2] == ("MTE2", pipe) else []
            elif call.op in ("tile.add", "gemm_v0"):
                yield "work"
            elif call.form in ("copy_gm_to_ub", "copy_gm_to_l1"):
                yield "load"


LONG = [(2, 12), (2, 7), (3, 12), (3, 8), (4, 12)]
SHORT = [(2, 4), (3, 6), (2, 5), (3, 7)]  # iterations take each slot once or twice


@pytest.mark.parametrize("stages, many", [*LONG, *SHORT])
@pytest.mark.parametrize("table", [False, True])
def test_each_iteration_waits_for_its_own_load(stages: int, many: int, table: bool) -> None:
    before, behind = ends_of(pipeline(stages, many, table=table))
    assert before == ["load"] * table + ["load", "set"] * stages
    assert behind == ["wait", "work"] * stages


@pytest.mark.parametrize("stages, many", [*LONG, *SHORT])
def test_so_it_is_where_work_is_done_in_place(stages: int, many: int) -> None:
    before, behind = ends_of(pipeline(stages, many, inplace=True))
    ahead = before.count("load")
    assert before == ["load", "set"] * ahead
    assert behind == ["wait", "work"] * ahead


@pytest.mark.parametrize("stages", [2, 3])
def test_of_a_single_iteration_no_loop_is_left_to_hold_flags_up(stages: int) -> None:
    kernel = pipeline(stages, stages + 1)
    assert not any(isinstance(stmt, For) for stmt in walk_stmts(kernel.body))
    found = list(names(kernel.body))
    assert found[: found.index("work")] == ["load", "set"] * stages + ["wait"]


def products(stages: int, many: int) -> Kernel:
    """Two products in each iteration, of three tiles that it loads: there are not ids enough for a flag
    of each."""
    b = KernelBuilder()
    a, d = b.tensor("A", (16, 16 * many), "float16"), b.tensor("D", (32 * many, 16), "float16")
    c = b.tensor("C", (32, 16), "float32")
    b.launch(1)
    x, y, z = (b.alloc(n, (16, 16), "float16", "L1") for n in "xyz")
    sums = [b.alloc(n, (16, 16), "float32", "L0C") for n in "pq"]
    with b.loop("k", many, "pipelined", num_stages=stages) as k:
        b.op("copy", b.at(d, times(k, 32), 0), y)
        b.op("copy", b.at(a, 0, times(k, 16)), x)
        b.op("gemm_v0", x, y, sums[0], init=compare("==", k, 0))
        b.op("copy", b.at(d, plus(times(k, 32), 16), 0), z)
        b.op("gemm_v0", x, z, sums[1], init=compare("==", k, 0))
    for at, total in enumerate(sums):
        b.op("copy", total, b.at(c, 16 * at, 0))
    return synced(b)


@pytest.mark.parametrize("stages, many", LONG)
def test_where_ids_are_short_last_waits_do_not_come_together(stages: int, many: int) -> None:
    kernel = products(stages, many)
    body = next((s.body for s in kernel.body if isinstance(s, CoreScope)), kernel.body)
    behind = body[max(at for at, stmt in enumerate(body) if isinstance(stmt, For)) + 1 :]
    found = list(names(behind, "MTE1"))
    first = found.index("work")
    assert found[:first] == ["wait"] and found.count("wait") >= stages
