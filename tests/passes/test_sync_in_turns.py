"""Slots and event ids that iterations take in turns: what is apart, and what overlaps."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from tests.passes.happens_before import PIPES, Run, races
from tests.passes.kernels import lowered, plus, times

from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Binary, Expr, Scalar
from tl_ascend.ir.fold import binary, compare
from tl_ascend.ir.nodes import CoreScope, Kernel, Stmt, TileOp, walk_stmts
from tl_ascend.ir.text import kernel_text
from tl_ascend.passes.summary import sync_counts
from tl_ascend.target.hardware import Pipe


class Timeline(Run):
    """Every call takes one unit of time on its pipe; flags and barriers make pipes wait."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel, random.Random(0), most=64)
        self.ends = dict.fromkeys(PIPES, 0)
        self.busy = dict.fromkeys(PIPES, 0)
        self.raised: dict[tuple[Pipe, Pipe, int], int] = {}

    def work(self, stmt: Stmt) -> None:
        for step in effect_of(stmt).steps[-1:]:
            self.ends[step.pipe] += 1
            self.busy[step.pipe] += 1

    def set(self, flag: tuple[Pipe, Pipe, int]) -> None:
        self.raised[flag] = self.ends[flag[0]]

    def wait(self, flag: tuple[Pipe, Pipe, int]) -> None:
        self.ends[flag[1]] = max(self.ends[flag[1]], self.raised.pop(flag))

    def sync(self, op: TileOp) -> bool:
        if op.op == "barrier_all":
            self.ends = dict.fromkeys(PIPES, max(self.ends.values()))
        return super().sync(op)


def idle(kernel: Kernel) -> int:
    """How much longer all takes than the work of the busiest pipe."""
    line = Timeline(kernel)
    assert kernel.launch is not None
    line.values.update({kernel.launch.block: 0, kernel.launch.subblock: 0})
    scopes = [s.body for s in kernel.body if isinstance(s, CoreScope)] or [kernel.body]
    line.block(scopes[0])
    return max(line.ends.values()) - max(line.busy.values())


def synced(b: KernelBuilder, **options: Any) -> Kernel:
    kernel, _ = lowered(b.build(sync=True, planning=True, **options))
    assert [problem for seed in range(3) for problem in races(kernel, seed)] == []
    return kernel


def flags(kernel: Kernel) -> set[tuple[Any, ...]]:
    calls = [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp)]
    return {(call.op, *call.args) for call in calls if call.op.endswith("_flag")}


# How a variable that holds the slot is set at the end of an iteration.
VARIABLES = {
    "1 - p": lambda p, slots: binary("-", 1, load(p)),
    "p ^ 1": lambda p, slots: binary("^", load(p), 1),
    "(p + 1) % n": lambda p, slots: binary("%", plus(load(p), 1), slots),
}


def slot(kind: str, k: Any, ahead: int, slots: int) -> Any:
    """The slot of an iteration, written in one of the ways in which people write it."""
    if kind in VARIABLES:
        return load(k) if not ahead else binary("%", plus(load(k), ahead), slots)
    at = plus(k, ahead)
    if kind == "and":
        return binary("&", at, slots - 1)
    if kind == "divided":
        return binary("%", binary("//", at, 1), slots)
    if kind == "other" and ahead % 2:
        return binary("-", 1, binary("%", k, 2))
    return binary("%", at, slots)


def stream(
    kind: str, slots: int, ahead: int, usual: bool = False, leave: tuple[str, Any] = ("", 0)
) -> KernelBuilder:
    """Copies run some iterations ahead of the work on what they bring. `leave`: where in its
    iterations the loop may be left, and from which one on."""
    b, many = KernelBuilder(), 24
    rows = many if usual else many + ahead
    a, c = (b.tensor(n, (rows, 64), "float32") for n in "AC")
    limits = b.tensor("L", (8,), "int32")
    b.launch(1)
    x, y = (b.alloc(n, (slots, 64), "float32", "UB") for n in "xy")
    p = b.alloc("p", (), "int32", "var")
    if kind in VARIABLES:
        b.store(p, (), 0)
    for first in range(ahead):
        b.op("copy", b.part(a, first, (0, 64)), b.part(x, first, (0, 64)))

    def bring(k: Any) -> None:
        into = b.part(x, slot(kind, p if kind in VARIABLES else k, ahead, slots), (0, 64))
        b.op("copy", b.part(a, plus(k, ahead), (0, 64)), into)

    def may_leave(place: str, k: Any) -> None:
        if leave[0] == place:
            with b.when(compare(">", k, plus(load(limits, 3), leave[1]))):
                b.leave()

    with b.loop("k", many) as k:
        may_leave("start", k)
        if usual:
            with b.when(compare("<", k, many - ahead)):
                bring(k)
        else:
            bring(k)
        may_leave("before the work", k)
        now = slot(kind, p if kind in VARIABLES else k, 0, slots)
        b.op("tile.exp", b.part(y, now, (0, 64)), b.part(x, now, (0, 64)))
        may_leave("behind the work", k)
        b.op("copy", b.part(y, now, (0, 64)), b.part(c, k, (0, 64)))
        may_leave("end", k)
        if kind in VARIABLES:
            b.store(p, (), VARIABLES[kind](p, slots))
    return b


@pytest.mark.parametrize("usual", [False, True])
@pytest.mark.parametrize(
    ("kind", "slots", "ahead"),
    [
        ("modulo", 2, 0),
        ("modulo", 2, 1),
        ("modulo", 3, 1),
        ("modulo", 3, 2),
        ("and", 2, 1),
        ("divided", 2, 1),
        ("other", 2, 1),
        ("1 - p", 2, 0),
        ("p ^ 1", 2, 1),
        ("(p + 1) % n", 3, 2),
    ],
)
def test_the_three_pipes_of_a_stream_overlap(
    kind: str, slots: int, ahead: int, usual: bool
) -> None:
    kernel = synced(stream(kind, slots, ahead, usual))
    assert idle(kernel) <= 3
    assert sync_counts(kernel)["barrier_all"] == sync_counts(kernel)["pipe_barrier"] == 0


@pytest.mark.parametrize("place", ["start", "before the work", "behind the work", "end"])
@pytest.mark.parametrize(
    ("kind", "slots", "ahead"),
    [("modulo", 2, 0), ("modulo", 2, 1), ("modulo", 3, 1), ("modulo", 3, 2), ("and", 2, 1)],
)
def test_they_do_where_the_loop_may_be_left(kind: str, slots: int, ahead: int, place: str) -> None:
    synced(stream(kind, slots, ahead, leave=(place, 0)))  # soon, or some iterations later
    synced(stream(kind, slots, ahead, leave=(place, 5)))
    kernel = synced(stream(kind, slots, ahead, leave=(place, 100)))
    assert idle(kernel) <= 3
    assert sync_counts(kernel)["barrier_all"] == sync_counts(kernel)["pipe_barrier"] == 0


def test_with_one_slot_they_cannot() -> None:
    assert idle(synced(stream("modulo", 1, 0))) > 20


@pytest.mark.parametrize("stages", [2, 3])
def test_loads_of_a_pipelined_gemm_run_beside_the_matrix_unit(stages: int) -> None:
    b = KernelBuilder()
    a, c = b.tensor("A", (64, 1024), "float16"), b.tensor("C", (64, 64), "float32")
    b.launch(1)
    x = b.alloc("x", (64, 64), "float16", "shared")
    acc = b.alloc("acc", (64, 64), "float32", "fragment")
    with b.loop("k", 16, "pipelined", num_stages=stages) as k:
        b.op("copy", b.part(a, (0, 64), (times(k, 64), 64)), x)
        b.op("gemm_v0", x, x, acc, init=compare("==", k, 0))
    b.op("copy", acc, c)
    kernel = synced(b, combine=True)
    assert idle(kernel) <= 3
    text = kernel_text(kernel)
    assert 'pipe_barrier("MTE2")' not in text and "barrier_all" not in text
    names = [line.strip().split(", eventId")[0] for line in text.splitlines()]
    inside = names[names.index(next(n for n in names if n.startswith("for"))) :]
    copy = next(n for n, line in enumerate(inside) if line.startswith("copy_gm_to_l1"))
    assert inside[copy + 1].startswith('set_flag("MTE2", "MTE1"')
    assert 'wait_flag("MTE2", "MTE1"' in inside[copy + 2]


@pytest.mark.parametrize("inner", [2, 4])
def test_slots_of_an_inner_loop_are_handed_on_by_the_outer_one(inner: int) -> None:
    b = KernelBuilder()
    a = b.tensor("A", (12, inner, 64), "float32")
    b.launch(1)
    x, y = b.alloc("x", (2, 64), "float32", "UB"), b.alloc("y", (64,), "float32", "UB")
    with b.loop("k", 12) as k, b.loop("j", inner) as j:
        part = b.part(x, binary("%", j, 2), (0, 64))
        b.op("copy", b.part(a, k, j, (0, 64)), part)
        b.op("tile.add", y, y, part)
    kernel = synced(b)
    lines = [line.strip() for line in kernel_text(kernel).splitlines()]
    head = next(n for n, line in enumerate(lines) if line.startswith("for k"))
    assert [line.startswith('set_flag("V", "MTE2"') for line in lines[head - 2 : head]] == [
        True,
        True,
    ]
    assert idle(kernel) <= 2


def test_slots_that_are_not_known_apart_are_ordered() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (32, 64), "float32")
    b.launch(1)
    x, y = b.alloc("x", (3, 64), "float32", "UB"), b.alloc("y", (64,), "float32", "UB")
    with b.loop("k", 24) as k:
        b.op("copy", b.part(a, k, (0, 64)), b.part(x, binary("%", k, 2), (0, 64)))
        b.op("tile.add", y, y, b.part(x, binary("%", k, 3), (0, 64)))
    synced(b)


def authors(ids: Any) -> KernelBuilder:
    b = KernelBuilder()
    a = b.tensor("A", (16, 64), "float32")
    b.launch(1)
    x, y = (b.alloc(n, (64,), "float32", "UB") for n in "xy")
    with b.loop("k", 16) as k:
        b.op("copy", b.part(a, k, (0, 64)), x)
        b.op("set_flag", "mte2", "v", ids(k))
        b.op("wait_flag", "mte2", "v", ids(k))
        b.op("tile.exp", y, x)
    return b


@pytest.mark.parametrize("modulus", [1, 2, 8])
def test_an_order_that_the_author_gives_is_not_given_again(modulus: int) -> None:
    kernel = synced(authors(lambda k: binary("%", k, modulus)))
    assert sync_counts(kernel)["barrier_all"] == 0
    assert not any(call[1:3] == ("MTE2", "V") for call in flags(kernel))


@pytest.mark.parametrize(
    ("ids", "turned"),
    [
        ((0, 1), lambda turn: turn),
        ((3, 4), lambda turn: plus(turn, 3)),
        ((3, 4), lambda turn: Binary("+", 3, turn)),
        ((2, 4), lambda turn: plus(times(turn, 2), 2)),
        ((5, 4), lambda turn: binary("-", 5, turn)),
    ],
)
def test_the_authors_flags_in_turns_across_iterations_count(
    ids: tuple[int, int], turned: Callable[[Expr], Scalar]
) -> None:
    b = KernelBuilder()
    a = b.tensor("A", (16, 64), "float32")
    b.launch(1)
    x, y = b.alloc("x", (2, 64), "float32", "UB"), b.alloc("y", (64,), "float32", "UB")
    for event in ids:
        b.op("set_flag", "v", "mte2", event)
    with b.loop("k", 16) as k:
        turn = binary("%", k, 2)
        event = turned(turn)
        b.op("wait_flag", "v", "mte2", event)
        b.op("copy", b.part(a, k, (0, 64)), b.part(x, turn, (0, 64)))
        b.op("set_flag", "mte2", "v", event)
        b.op("wait_flag", "mte2", "v", event)
        b.op("tile.add", y, y, b.part(x, turn, (0, 64)))
        b.op("set_flag", "v", "mte2", event)
    for event in ids:
        b.op("wait_flag", "v", "mte2", event)
    kernel = synced(b)
    assert {call[1] for call in flags(kernel)} <= {"v", "mte2"}


def test_a_set_that_may_be_skipped_gives_no_order() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (16, 64), "float32")
    b.launch(16)
    x, y = (b.alloc(n, (64,), "float32", "UB") for n in "xy")
    b.op("set_flag", "mte2", "v", 0)
    b.op("copy", b.part(a, 0, (0, 64)), x)
    b.op("wait_flag", "mte2", "v", 0)
    b.op("tile.exp", y, x)
    assert any(call[1:3] == ("MTE2", "V") for call in flags(synced(b)))


def test_flags_take_ids_around_those_that_the_author_can_mean() -> None:
    b = authors(lambda k: plus(times(binary("%", k, 2), 2), 1))  # 1 and 3
    z, w = (b.alloc(n, (64,), "float32", "UB") for n in "zw")
    b.op("copy", b.part(b.tensor("B", (64,), "float32"), (0, 64)), z)
    b.op("tile.exp", w, z)
    kernel = synced(b)
    own = {call[3] for call in flags(kernel) if call[1:3] == ("MTE2", "V")}
    assert own and own <= {0, 2, 4, 5, 6, 7}
    assert sync_counts(kernel)["barrier_all"] == 0
