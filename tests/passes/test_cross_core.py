"""What one core hands to the other through GM is read after it was written, and before again
(`cross-core-sync`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.passes.cores import disorder
from tests.passes.happens_before import races
from tests.passes.kernels import lowered, times
from tests.passes.test_split_cores import sides

from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.fold import compare
from tl_ascend.ir.nodes import Block, Kernel, TileOp, blocks_of, walk_stmts, with_blocks

ALL = {"combine": True, "sync": True, "planning": True, "cv_sync": True}
FLAGS = ("set_cross_flag", "wait_cross_flag")


class Parts:
    """A kernel to fill: two workspaces, a tile in each memory."""

    def __init__(self) -> None:
        self.b = b = KernelBuilder()
        self.a = b.tensor("A", (64, 64), "float16")
        self.one, self.two = (b.tensor(f"w{n}", (4, 64, 64), "float16") for n in (1, 2))
        self.cid, self.vid = b.launch(4)
        self.l1, self.p1 = (b.alloc(n, (64, 64), "float16", "L1") for n in ("l1", "p1"))
        self.l0 = b.alloc("l0", (64, 64), "float32", "L0C")
        self.ub = b.alloc("ub", (32, 64), "float16", "UB")
        b.op("copy", self.a, self.l1)

    def cube_gives(self, tensor: Any) -> None:
        self.b.op("gemm_v0", self.l1, self.p1, self.l0, init=True)
        self.b.op("copy", self.l0, self.b.part(tensor, self.cid, (0, 64), (0, 64)))

    def vector_takes(self, tensor: Any) -> None:
        half = (times(self.vid, 32), 32)
        self.b.op("copy", self.b.part(tensor, self.cid, half, (0, 64)), self.ub)
        self.b.op("tile.exp", self.ub, self.ub)

    def vector_gives(self, tensor: Any) -> None:
        half = (times(self.vid, 32), 32)
        self.b.op("copy", self.ub, self.b.part(tensor, self.cid, half, (0, 64)))

    def cube_takes(self, tensor: Any) -> None:
        self.b.op("copy", self.b.part(tensor, self.cid, (0, 64), (0, 64)), self.p1)

    def done(self, **configs: bool) -> Kernel:
        kernel, findings = lowered(self.b.build(**{**ALL, **configs}))
        assert findings == [] and races(kernel) == []
        return kernel


def flags(kernel: Kernel) -> list[tuple[str, int]]:
    """The cross-core calls in order of the text, cube first."""
    return [
        (s.op.split("_")[0], s.args[1 if s.op == FLAGS[0] else 0])  # type: ignore[misc]
        for s in walk_stmts(kernel.body)
        if isinstance(s, TileOp) and s.op in FLAGS
    ]


def without(kernel: Kernel, number: int) -> Kernel:
    """The kernel without its flag `number` (set and wait alike)."""

    def block(old: Block) -> Block:
        kept = []
        for stmt in old:
            if isinstance(stmt, TileOp) and stmt.op in FLAGS:
                if number == stmt.args[1 if stmt.op == FLAGS[0] else 0]:
                    continue
            inner = tuple(block(nested) for nested in blocks_of(stmt))
            kept.append(with_blocks(stmt, inner) if inner else stmt)
        return tuple(kept)

    return replace(kernel, body=block(kernel.body))


def test_one_hand_over_takes_one_flag() -> None:
    p = Parts()
    p.cube_gives(p.one)
    p.vector_takes(p.one)
    kernel = p.done()
    assert flags(kernel) == [("set", 0), ("wait", 0)]
    assert sides(kernel)["C"][-2:] == ["copy_l0c_to_gm", "set_cross_flag"]
    vector = sides(kernel)["V"]
    assert vector.index("wait_cross_flag") < vector.index("copy_gm_to_ub")
    assert disorder(kernel) == [] and disorder(without(kernel, 0)) != []


def test_without_the_option_no_flag_is_added() -> None:
    p = Parts()
    p.cube_gives(p.one)
    p.vector_takes(p.one)
    assert flags(p.done(cv_sync=False)) == []


def test_in_a_loop_the_next_write_waits_for_the_read() -> None:
    p = Parts()
    with p.b.loop("k", 5):
        p.cube_gives(p.one)
        p.vector_takes(p.one)
    kernel = p.done()
    # Forth (0) and back (1); the way back is set once before the loop and waited for behind it.
    assert flags(kernel) == [
        *(("wait", 1), ("set", 0), ("wait", 1)),
        *(("set", 1), ("wait", 0), ("set", 1)),
    ]
    assert disorder(kernel, most=5) == []
    assert disorder(without(kernel, 0)) != [] and disorder(without(kernel, 1)) != []


@pytest.mark.parametrize("extent", ["n", 4])
def test_both_ways_in_a_loop(extent: str | int) -> None:
    p = Parts()
    count = p.b.var(extent, "shape", 0) if isinstance(extent, str) else extent
    if isinstance(extent, str):
        p.b.tensor("S", (count,), "float16")
    with p.b.loop("k", count):
        p.cube_gives(p.one)
        p.vector_takes(p.one)
        p.vector_gives(p.two)
        p.cube_takes(p.two)
        p.cube_gives(p.one) if extent == 4 else None
        p.vector_takes(p.one) if extent == 4 else None
    kernel = p.done()
    for seed in range(4):
        assert disorder(kernel, seed, most=4) == []
    assert {number for _, number in flags(kernel)} == {0, 1, 2, 3}


def test_one_tensor_handed_to_and_fro() -> None:
    p = Parts()
    with p.b.loop("k", 4):
        p.cube_gives(p.one)
        p.vector_takes(p.one)
        p.vector_gives(p.one)
        p.cube_takes(p.one)
    kernel = p.done()
    # Each write answers the other core's: two flags do.
    assert {number for _, number in flags(kernel)} == {0, 1}
    assert disorder(kernel, most=4) == []


def test_loops_of_their_own_on_each_core() -> None:
    p = Parts()
    with p.b.loop("k", 4):
        p.cube_gives(p.one)
        p.cube_takes(p.two)
    with p.b.loop("j", 4):
        p.vector_takes(p.one)
        p.vector_gives(p.two)
    kernel = p.done()
    assert disorder(kernel, most=4) == []


def test_a_flag_stands_outside_of_loops_that_only_one_core_has() -> None:
    p = Parts()
    with p.b.loop("k", 3):
        p.cube_gives(p.one)
        with p.b.loop("i", 4):
            p.vector_takes(p.one)
    kernel = p.done()
    assert disorder(kernel, most=4) == []
    assert len(flags(kernel)) == 6


def test_branches_that_one_vector_core_takes_alone_hold_no_flag() -> None:
    p = Parts()
    with p.b.loop("k", 3):
        p.cube_gives(p.one)
        with p.b.when(compare("==", p.vid, 0)):
            p.vector_takes(p.one)
    kernel = p.done()
    for stmt in walk_stmts(kernel.body):
        for value in [getattr(stmt, "condition", None)]:
            if isinstance(value, Expr):
                inner = [s for block in blocks_of(stmt) for s in walk_stmts(block)]
                assert not any(isinstance(s, TileOp) and s.op in FLAGS for s in inner)


def test_the_authors_flags_keep_their_numbers() -> None:
    p = Parts()
    p.cube_gives(p.one)
    p.b.op("set_cross_flag", "FIX", 0)
    p.b.op("wait_cross_flag", 0)
    p.vector_takes(p.one)
    kernel = p.done()
    assert {number for _, number in flags(kernel)} == {0, 1}
    assert disorder(kernel) == []


def test_sides_that_do_not_match_are_told() -> None:
    p = Parts()
    p.b.op("copy", p.ub, p.b.part(p.one, p.cid, (0, 32), (0, 64)))
    p.cube_gives(p.one)
    p.cube_takes(p.one)
    p.vector_takes(p.one)
    p.vector_gives(p.one)
    p.cube_takes(p.one)
    _, findings = lowered(p.b.build(**ALL))
    assert [f.name for f in findings] == ["not-lowered"] and "not in turns" in findings[0].message


def test_more_exchanges_than_flags_are_told() -> None:
    b = KernelBuilder()
    tensors = [b.tensor(f"w{n}", (64, 64), "float32") for n in range(13)]
    b.launch(1)
    l0 = b.alloc("l0", (64, 64), "float32", "L0C")
    ub = b.alloc("ub", (64, 64), "float32", "UB")
    for tensor in tensors:
        b.op("copy", l0, tensor)
        b.op("copy", tensor, ub)
    kernel, findings = lowered(b.build(**ALL))
    assert [f.name for f in findings] == ["not-lowered"] and "12 flags" in findings[0].message
    assert flags(kernel) == []
