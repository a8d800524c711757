"""What one core hands to the other through GM is read after it was written, and before again
(`cross-core-sync`)."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from tests.passes.cores import disorder, outcome
from tests.passes.happens_before import races
from tests.passes.interpret import result_of
from tests.passes.kernels import lowered, times
from tests.passes.test_split_cores import sides

from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.fold import binary, compare
from tl_ascend.ir.nodes import Block, For, If, Kernel, TileOp, blocks_of, walk_stmts, with_blocks
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import lower

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
    # Each answers the other; what is read last in an iteration is written first in the next.
    assert len({number for _, number in flags(kernel)}) == (3 if extent == 4 else 2)


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


def test_both_cores_write_a_tensor_in_turns() -> None:
    p = Parts()
    p.vector_gives(p.one)
    p.cube_gives(p.one)
    p.cube_takes(p.one)
    p.vector_takes(p.one)
    p.vector_gives(p.one)
    p.cube_takes(p.one)
    kernel = p.done()
    assert disorder(kernel) == []
    assert disorder(without(kernel, 0)) != [] and disorder(without(kernel, 1)) != []


def test_sides_that_do_not_match_are_told() -> None:
    p = Parts()
    with p.b.scope("C"):
        p.cube_gives(p.one)
        p.cube_takes(p.one)
        p.cube_gives(p.one)
    with p.b.scope("V"):
        p.vector_takes(p.one)
        p.vector_gives(p.one)
    _, findings = lowered(p.b.build(**ALL))
    assert [f.name for f in findings] == ["not-lowered"] and "not in turns" in findings[0].message


@pytest.mark.parametrize("count", [13, 40])
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("loop", [False, True])
def test_more_exchanges_than_flags(count: int, backwards: bool, loop: bool) -> None:
    """Flags are shared where the order allows it; tensors are handed on together where not."""
    b = KernelBuilder()
    tensors = [b.tensor(f"w{n}", (64, 64), "float32") for n in range(count)]
    b.launch(1)
    l0 = b.alloc("l0", (64, 64), "float32", "L0C")
    ub = b.alloc("ub", (64, 64), "float32", "UB")

    def work() -> None:
        for tensor in tensors:
            b.op("copy", l0, tensor)
        for tensor in reversed(tensors) if backwards else tensors:
            b.op("copy", tensor, ub)

    if loop:
        with b.loop("k", 3):
            work()
    else:
        work()
    kernel, findings = lowered(b.build(**ALL))
    assert findings == [] and disorder(kernel) == []
    assert {number for _, number in flags(kernel)} <= {*range(11), 15}


def test_exchanges_without_a_flag_are_told_each() -> None:
    b = KernelBuilder()
    one, two = (b.tensor(f"w{n}", (64, 64), "float32") for n in (1, 2))
    b.launch(1)
    l0 = b.alloc("l0", (64, 64), "float32", "L0C")
    ub = b.alloc("ub", (64, 64), "float32", "UB")
    for flag in (*range(11), 15):
        b.op("set_cross_flag", "FIX", flag)
        b.op("wait_cross_flag", flag)
    b.op("copy", l0, one)
    b.op("copy", one, ub)
    b.op("copy", ub, two)
    b.op("copy", two, b.alloc("l1", (64, 64), "float32", "L1"))
    _, findings = lowered(b.build(**ALL))
    assert [f.name for f in findings] == ["not-lowered"]
    assert "w2, w1" in findings[0].message or "w1, w2" in findings[0].message


# --- elements that the scalar unit takes or gives ----------------------------------------------------


class Scalars(Parts):
    """The same with a tensor of numbers that the vector cores fill."""

    def __init__(self) -> None:
        super().__init__()
        self.n = self.b.tensor("n", (64,), "int32")
        self.numbers = self.b.alloc("numbers", (64,), "int32", "UB")

    def vector_counts(self) -> None:
        self.b.op("tile.fill", self.numbers, 3)
        self.b.op("copy", self.numbers, self.n)

    def cube_work(self, at: Any = 0) -> None:
        self.b.op("copy", self.b.part(self.one, at, (0, 64), (0, 64)), self.l1)
        self.b.op("gemm_v0", self.l1, self.p1, self.l0, init=True)


def _condition(p: Scalars) -> None:
    with p.b.when(compare(">", load(p.n, 0), 1)):
        p.cube_work()


def _index(p: Scalars) -> None:
    p.cube_work(load(p.n, 0))


def _bound(p: Scalars) -> None:
    with p.b.loop("i", load(p.n, 0)):
        p.cube_work()


def _while(p: Scalars) -> None:
    with p.b.repeat(compare(">", load(p.n, 1), 0)):
        p.cube_work()


def _variable(p: Scalars) -> None:
    var = p.b.alloc("var", (), "int32", "var")
    p.b.store(var, (), load(p.n, 2))
    p.cube_work(load(var))


@pytest.mark.parametrize("reads", [_condition, _index, _bound, _while, _variable])
@pytest.mark.parametrize("loop", [False, True])
def test_an_element_is_read_behind_its_write(reads: Any, loop: bool) -> None:
    p = Scalars()
    if loop:
        with p.b.loop("k", 3):
            p.vector_counts()
            reads(p)
    else:
        p.vector_counts()
        reads(p)
    kernel = p.done()
    for seed in range(4):
        assert disorder(kernel, seed) == []
    used = {number for _, number in flags(kernel)}
    assert used == ({0, 1} if loop else {0})
    assert all(any(disorder(without(kernel, n), seed) for seed in range(8)) for n in used)


def test_what_the_scalar_unit_has_in_its_cache_is_forgotten_behind_the_wait() -> None:
    p = Scalars()
    p.vector_counts()
    _condition(p)
    cube = sides(p.done())["C"]
    at = cube.index("wait_cross_flag")
    assert cube[at + 1] == "DataCacheCleanAndInvalid"


@pytest.mark.parametrize("loop", [False, True])
def test_an_element_is_written_before_the_other_core_reads_it(loop: bool) -> None:
    p = Scalars()

    def work() -> None:
        p.b.store(p.n, (0,), 7)
        p.b.op("copy", p.n, p.numbers)
        p.b.op("tile.add", p.numbers, p.numbers, p.numbers)

    if loop:
        with p.b.loop("k", 3):
            work()
    else:
        work()
    p.cube_work()
    kernel = p.done()
    assert disorder(kernel) == [] and disorder(without(kernel, 0)) != []
    cube = sides(kernel)["C"]
    at = cube.index("set_cross_flag")
    assert cube[at - 2 : at] == ["DataCacheCleanAndInvalid", "barrier_all"]


def test_an_element_that_decides_on_its_own_writes_is_told() -> None:
    p = Scalars()
    with p.b.repeat(compare(">", load(p.n, 1), 0)):
        p.cube_work()
        p.vector_counts()
    _, findings = lowered(p.b.build(**ALL))
    assert [f.name for f in findings] == ["not-lowered"] and "decides here" in findings[0].message


# --- how often -----------------------------------------------------------------------------------


@pytest.mark.parametrize("changes", [False, True])
def test_a_variable_that_changes_between_equal_conditions(changes: bool) -> None:
    p = Parts()
    var = p.b.alloc("n", (), "int32", "var")
    p.b.store(var, (), 0)
    with p.b.loop("k", 4):
        with p.b.when(compare("<", load(var), 2)):
            p.cube_gives(p.one)
        if changes:
            p.b.store(var, (), binary("+", load(var), 1))
        with p.b.when(compare("<", load(var), 2)):
            p.vector_takes(p.one)
        p.b.store(var, (), binary("+", load(var), 1))
    kernel = p.done()
    assert disorder(kernel, most=4) == []


@pytest.mark.parametrize("order", ["same", "other"])
def test_a_variable_that_each_core_changes_for_itself(order: str) -> None:
    p = Parts()
    var = p.b.alloc("n", (), "int32", "var")

    def side(core: str, work: Any, first: bool) -> None:
        with p.b.scope(core):
            p.b.store(var, (), 0)
            with p.b.loop("k", 4):
                if first:
                    p.b.store(var, (), binary("+", load(var), 1))
                with p.b.when(compare("<", load(var), 2)):
                    work(p.one)
                if not first:
                    p.b.store(var, (), binary("+", load(var), 1))

    side("C", p.cube_gives, False)
    side("V", p.vector_takes, order == "other")
    kernel = p.done(combine=False)
    assert disorder(kernel, most=4) == []
    inside = [s for s in walk_stmts(kernel.body) if isinstance(s, If)]
    nested = [s for way in inside for s in walk_stmts(way.then)]
    told = [s for s in nested if isinstance(s, TileOp) and s.op in FLAGS]
    assert len(told) == (4 if order == "same" else 0)


def test_loops_side_by_side_that_move_alike_take_turns_in_each_iteration() -> None:
    p = Parts()
    with p.b.loop("k", 4) as k:
        p.b.op("copy", p.l0, p.b.part(p.two, k, (0, 64), (0, 64)))
    with p.b.loop("j", 4) as j:
        p.b.op("copy", p.b.part(p.two, j, (0, 32), (0, 64)), p.ub)
    kernel = p.done()
    assert disorder(kernel, most=4) == []
    loops = [s for s in walk_stmts(kernel.body) if isinstance(s, For)]
    assert all(any(isinstance(s, TileOp) and s.op in FLAGS for s in loop.body) for loop in loops)


def test_loops_side_by_side_that_move_apart_follow_each_other() -> None:
    p = Parts()
    with p.b.loop("k", 4) as k:
        p.b.op("copy", p.l0, p.b.part(p.two, k, (0, 64), (0, 64)))
    with p.b.loop("j", 4) as j:
        p.b.op("copy", p.b.part(p.two, binary("-", 3, j), (0, 32), (0, 64)), p.ub)
    kernel = p.done()
    assert disorder(kernel, most=4) == []
    assert flags(kernel) == [("set", 0), ("wait", 0)]


# --- any order -------------------------------------------------------------------------------------


class _Random:
    """Programs in which both cores use two tensors in any order, in loops and branches."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.p = Parts()
        self.x = self.p.b.var("x", "shape", 0)
        self.p.b.tensor("S", (self.x,), "float16")

    def block(self, depth: int) -> None:
        p = self.p
        for _ in range(self.rng.randint(1, 4)):
            tensor = self.rng.choice((p.one, p.two))
            choice = self.rng.randrange(10)
            if choice < 6 or depth == 0:
                work = (p.cube_gives, p.cube_takes, p.vector_gives, p.vector_takes)
                self.rng.choice(work)(tensor)
            elif choice < 8:
                with p.b.loop("i", self.rng.choice((1, 2, 3, self.x))):
                    self.block(depth - 1)
            else:
                with p.b.when(compare(">", self.x, self.rng.randrange(4))):
                    self.block(depth - 1)
                if choice == 9:
                    with p.b.otherwise():
                        self.block(depth - 1)


@pytest.mark.parametrize("seed", range(60))
def test_any_order_of_the_text_is_kept(seed: int) -> None:
    program = _Random(seed)
    program.p.vector_gives(program.p.one)
    program.p.cube_gives(program.p.two)
    program.block(3)
    kernel = program.p.b.build(**ALL)
    fast, findings = lowered(kernel)
    if findings:
        assert {f.name for f in findings} == {"not-lowered"}
        return
    for other in range(3):
        assert disorder(fast, other) == []
    if seed % 6 == 0:
        plain = lower(kernel, LowerOptions(), Report(), until="lower-tile-ops")
        assert outcome(fast, {program.x: 2}) == result_of(plain, x=2)
