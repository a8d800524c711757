"""Calls that one T.Parallel loop became, in kernels that their author synchronises."""

from __future__ import annotations

from typing import Any

from tests.passes.happens_before import races
from tests.passes.kernels import lowered, plus, times

from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.nodes import Buffer, Kernel
from tl_ascend.ir.text import kernel_text


class Loops:
    """Tiles a, b and c of 32 by 64 in the UB."""

    def __init__(self) -> None:
        self.b = KernelBuilder()
        self.gm = self.b.tensor("A", (32, 64), "float32")
        self.b.launch(1)
        self.a, self.x, self.c = (self.b.alloc(n, (32, 64), "float32", "UB") for n in "abc")

    def loop(self, target: Buffer, value: Any) -> None:
        """`target[i, j] = value(i, j)`."""
        with self.b.loop("i", 32, "parallel") as i, self.b.loop("j", 64, "parallel") as j:
            self.b.store(target, (i, j), value(i, j))

    def sum_of_products(self) -> None:
        a, x = self.a, self.x
        self.loop(self.c, lambda i, j: plus(load(a, i, j), times(load(x, i, j), load(a, i, j))))

    def calls(self, **options: bool) -> list[str]:
        """The calls from the first one of a loop on."""
        return calls(lowered(self.b.build(**options))[0])


def calls(kernel: Kernel) -> list[str]:
    names = [line.strip().split("(")[0] for line in kernel_text(kernel).splitlines()]
    return [name for name in names if name in ("Mul", "Add", "Exp", *SYNC)]


SYNC = ("pipe_barrier", "barrier_all", "set_flag", "wait_flag")


def test_a_barrier_stands_between_a_result_and_its_use() -> None:
    loops = Loops()
    loops.sum_of_products()
    assert loops.calls() == ["Mul", "pipe_barrier", "Add"]
    assert races(lowered(loops.b.build())[0]) == []


def test_what_is_independent_is_not_delayed() -> None:
    loops = Loops()
    with loops.b.loop("i", 32, "parallel") as i, loops.b.loop("j", 64, "parallel") as j:
        loops.b.store(loops.c, (i, j), times(load(loops.a, i, j), load(loops.a, i, j)))
        loops.b.store(loops.x, (i, j), plus(load(loops.a, i, j), load(loops.a, i, j)))
    assert loops.calls() == ["Mul", "Add"]


def test_between_loops_and_around_them_the_author_synchronises() -> None:
    loops = Loops()
    loops.b.op("tile.exp", loops.a, loops.a)
    loops.loop(loops.x, lambda i, j: times(load(loops.a, i, j), load(loops.a, i, j)))
    loops.loop(loops.c, lambda i, j: plus(load(loops.x, i, j), load(loops.a, i, j)))
    assert loops.calls() == ["Exp", "Mul", "Add"]


def test_a_loop_in_a_loop_of_the_author() -> None:
    loops = Loops()
    with loops.b.loop("n", 4):
        loops.sum_of_products()
    assert loops.calls() == ["Mul", "pipe_barrier", "Add"]


def test_rows_that_share_a_tile_are_ordered() -> None:
    loops = Loops()
    row = loops.b.alloc("row", (64,), "float32", "UB")
    loops.loop(
        loops.c, lambda i, j: plus(load(loops.a, i, j), times(load(row, j), load(loops.x, i, j)))
    )
    kernel = lowered(loops.b.build())[0]
    assert races(kernel) == [] and "pipe_barrier" in calls(kernel)


def test_a_tensor_in_the_loop_needs_flags() -> None:
    loops = Loops()
    loops.loop(loops.c, lambda i, j: plus(load(loops.gm, i, j), load(loops.a, i, j)))
    kernel = lowered(loops.b.build())[0]
    assert races(kernel) == []
    assert calls(kernel) == ["set_flag", "wait_flag", "Add"]


def test_kernels_that_the_compiler_synchronises_stay_as_they_are() -> None:
    loops = Loops()
    loops.sum_of_products()
    assert loops.calls(sync=True) == ["Mul", "pipe_barrier", "Add"]
