"""The author's flags to the other core stand behind what they speak of."""

from __future__ import annotations

from typing import Any

import pytest
from tests.passes.cores import disorder
from tests.passes.happens_before import races
from tests.passes.kernels import lowered, times

from tl_ascend.checks.sync.execute import execute, loose_pairs
from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.nodes import CoreScope, Kernel, TileOp, walk_stmts


class Exchange:
    """The cube core fills two tensors and tells it; the vector core answers; the cube core fills the
    second one again."""

    def __init__(self) -> None:
        self.b = b = KernelBuilder()
        self.a = b.tensor("A", (64, 64), "float16")
        self.one, self.two, self.three = (
            b.tensor(f"w{n}", (4, 64, 64), "float16") for n in (1, 2, 3)
        )
        self.out = b.tensor("out", (4, 64, 64), "float16")
        self.cid, self.vid = b.launch(4)
        self.l1 = b.alloc("l1", (64, 64), "float16", "L1")
        self.l0 = b.alloc("l0", (64, 64), "float32", "L0C")
        self.tiles = [b.alloc(f"ub{n}", (32, 64), "float16", "UB") for n in range(3)]

    def cube(self) -> None:
        """Operations of the cube core around the flags 0 and 1."""
        b = self.b
        with b.scope("C"):
            b.op("copy", self.a, self.l1)
            b.op("gemm_v0", self.l1, self.l1, self.l0, init=True)
            for tensor in (self.one, self.two):
                b.op("copy", self.l0, self.whole(tensor))
            b.op("set_cross_flag", "FIX", 0)
            b.op("wait_cross_flag", 1)
            b.op("copy", self.l0, self.whole(self.two))
            b.op("set_cross_flag", "FIX", 2)

    def whole(self, tensor: Any) -> Any:
        return self.b.part(tensor, self.cid, (0, 64), (0, 64))

    def half(self, tensor: Any) -> Any:
        return self.b.part(tensor, self.cid, (times(self.vid, 32), 32), (0, 64))

    def done(self) -> Kernel:
        kernel, _ = lowered(self.b.build(sync=True, planning=True))
        assert races(kernel) == []
        return kernel


def across(kernel: Kernel) -> list[str]:
    """Accesses of both cores that nothing orders."""
    return [
        f"{pair.first.buffer.name}: {pair.before.stmt}, {pair.after.stmt}"
        for runs in execute(kernel).groups
        for pair in loose_pairs(runs)
        if pair.cores[0] != pair.cores[1]
    ]


def before_answer(kernel: Kernel, core: str = "V") -> list[tuple[object, ...]]:
    """The flags that lead to the pipe of a core's first answer, up to it."""
    (scope,) = (s for s in kernel.body if isinstance(s, CoreScope) and s.core.value == core)
    found: list[tuple[object, ...]] = []
    for stmt in walk_stmts(scope.body):
        if isinstance(stmt, TileOp) and stmt.op == "set_cross_flag":
            return [args for args in found if args[1] == stmt.args[0]]
        if isinstance(stmt, TileOp) and stmt.op == "wait_flag":
            found.append(stmt.args)
    raise AssertionError("no answer")


@pytest.mark.parametrize("pipe", ["MTE3", "V", "MTE2"])
def test_the_answer_waits_for_a_read_that_is_used_later(pipe: str) -> None:
    x = Exchange()
    x.cube()
    first, second, third = x.tiles
    with x.b.scope("V"):
        x.b.op("wait_cross_flag", 0)
        x.b.op("copy", x.half(x.one), first)
        x.b.op("copy", x.half(x.two), second)
        x.b.op("tile.exp", first, first)
        x.b.op("copy", first, x.half(x.out))
        x.b.op("set_cross_flag", pipe, 1)
        x.b.op("tile.exp", second, second)
        x.b.op("wait_cross_flag", 2)
        x.b.op("copy", x.half(x.two), third)
        x.b.op("tile.add", third, third, second)
        x.b.op("copy", third, x.half(x.out))
    kernel = x.done()
    assert across(kernel) == [] and disorder(kernel) == []
    sources = {source for source, _, _ in before_answer(kernel)}
    assert ("MTE2" in sources) == (pipe != "MTE2")


def test_the_answer_waits_for_a_write_on_another_pipe() -> None:
    x = Exchange()
    x.cube()
    first = x.tiles[0]
    with x.b.scope("V"):
        x.b.op("wait_cross_flag", 0)
        x.b.op("copy", x.half(x.one), first)
        x.b.op("copy", first, x.half(x.two))
        x.b.op("set_cross_flag", "V", 1)
        x.b.op("wait_cross_flag", 2)
    kernel = x.done()
    assert across(kernel) == []
    assert ("MTE3", "V") in {(source, target) for source, target, _ in before_answer(kernel)}


def test_in_a_loop_each_answer_waits() -> None:
    x = Exchange()
    b, first, second = x.b, x.tiles[0], x.tiles[1]
    with b.scope("C"):
        b.op("copy", x.a, x.l1)
        with b.loop("k", 4):
            b.op("gemm_v0", x.l1, x.l1, x.l0, init=True)
            b.op("copy", x.l0, x.whole(x.one))
            b.op("set_cross_flag", "FIX", 0)
            b.op("wait_cross_flag", 1)
    with b.scope("V"), b.loop("k", 4):
        b.op("wait_cross_flag", 0)
        b.op("copy", x.half(x.one), first)
        b.op("set_cross_flag", "MTE3", 1)
        b.op("tile.exp", second, first)
        b.op("copy", second, x.half(x.out))
    kernel = x.done()
    assert across(kernel) == [] and disorder(kernel) == []


def test_what_the_other_core_leaves_alone_needs_no_order() -> None:
    x = Exchange()
    x.cube()
    first = x.tiles[0]
    with x.b.scope("V"):
        x.b.op("wait_cross_flag", 0)
        x.b.op("copy", x.half(x.three), first)
        x.b.op("set_cross_flag", "MTE3", 1)
        x.b.op("wait_cross_flag", 2)
        x.b.op("tile.exp", first, first)
        x.b.op("copy", first, x.half(x.three))
    kernel = x.done()
    assert before_answer(kernel) == []


@pytest.mark.parametrize("product", [True, False])
def test_what_comes_out_of_a_product_is_behind_what_went_into_it(product: bool) -> None:
    """The matrix unit waits for the tiles that it takes, and these for their copies."""
    x = Exchange()
    b, back = x.b, x.tiles[0]
    with b.scope("V"), b.loop("k", 4):
        b.op("copy", x.half(x.one), back)
        b.op("copy", back, x.half(x.two))
        b.op("set_cross_flag", "MTE3", 0)
        b.op("wait_cross_flag", 1)
    with b.scope("C"):
        if not product:
            b.op("gemm_v0", x.l1, x.l1, x.l0, init=True)
        with b.loop("k", 4):
            b.op("wait_cross_flag", 0)
            b.op("copy", x.whole(x.two), x.l1)
            if product:
                b.op("gemm_v0", x.l1, x.l1, x.l0, init=True)
            b.op("copy", x.l0, x.whole(x.one))
            b.op("set_cross_flag", "FIX", 1)
    kernel = x.done()
    assert across(kernel) == [] and disorder(kernel) == []
    sources = {source for source, _, _ in before_answer(kernel, "C")}
    assert ("MTE2" in sources) != product


def test_why_an_answer_waits_names_what_the_other_core_is_told() -> None:
    x = Exchange()
    x.cube()
    first = x.tiles[0]
    with x.b.scope("V"):
        x.b.op("wait_cross_flag", 0)
        x.b.op("copy", x.half(x.two), first)
        x.b.op("set_cross_flag", "V", 1)
        x.b.op("wait_cross_flag", 2)
    (reason,) = {
        stmt.reason
        for stmt in walk_stmts(x.done().body)
        if isinstance(stmt, TileOp) and stmt.args[:2] == ("MTE2", "V")
    }
    assert reason == "MTE2 has read w2 before the other core is told"
