"""The executions of a kernel: which accesses have to be ordered, and which executions are needed."""

from __future__ import annotations

import gc
from itertools import count

import pytest

from tl_ascend.checks.sync.engine import Engine
from tl_ascend.checks.sync.events import NUMBER, SCALAR, Access, Box, Event, Kind, Program
from tl_ascend.checks.sync.execute import execute
from tl_ascend.checks.sync.ids import Uses, odd_id
from tl_ascend.checks.sync.touched import MOST, Touched
from tl_ascend.driver.check import Checker, options_for
from tl_ascend.driver.files import Files
from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.nodes import Kernel, Stmt
from tl_ascend.target.hardware import Pipe

V, MTE2, MTE3 = NUMBER[Pipe.V], NUMBER[Pipe.MTE2], NUMBER[Pipe.MTE3]
b = KernelBuilder()
b.launch(1)
BUFFER = b.alloc("a", (64,), "float32", "UB")
STMT: Stmt = b.op("tile.exp", BUFFER, BUFFER)
_numbers = count(1)


def access(low: int, high: int, write: bool = False, added: bool = False) -> Access:
    box: Box = ((low, high),)
    return Access(BUFFER, BUFFER.uid, box, low * 1000 + high, write, added=added)


def event(kind: Kind, pipe: int, flag: object = None, place: int = 0) -> Event:
    return Event(kind, pipe, STMT, place or next(_numbers), (), flag)


WORK = event(Kind.WORK, V)


@pytest.mark.parametrize(
    ("old", "new", "rivals", "back"),
    [
        ((V, access(0, 8)), (MTE2, access(0, 8)), False, False),
        ((V, access(0, 8)), (MTE2, access(4, 9, write=True)), True, True),
        ((V, access(0, 8)), (MTE2, access(8, 9, write=True)), False, False),
        ((V, access(0, 8, write=True)), (V, access(0, 8, write=True)), False, False),
        ((SCALAR, access(0, 8)), (V, access(0, 8, write=True)), False, True),
        ((V, access(0, 8, write=True)), (SCALAR, access(0, 8)), True, False),
        ((V, access(0, 8, True, True)), (MTE3, access(0, 8, True, True)), False, False),
    ],
)
def test_what_has_to_be_ordered(
    old: tuple[int, Access], new: tuple[int, Access], rivals: bool, back: bool
) -> None:
    touched = Touched()
    first = touched.entry(WORK, old[1], old[0], {})
    second = touched.entry(WORK, new[1], new[0], {})
    assert (first in second.rivals, second in first.rivals) == (rivals, back)
    assert touched.entry(WORK, old[1], old[0], {}) is first


def test_the_oldest_access_is_forgotten_on_both_sides() -> None:
    touched = Touched()
    read = touched.entry(WORK, access(0, 640), V, {})
    writes = [
        touched.entry(WORK, access(at, at + 1, write=True), MTE2, {}) for at in range(MOST + 2)
    ]
    assert read.rivals == writes[1:]
    assert touched.entry(WORK, access(0, 640, write=True), MTE3, {}).rivals[0] is read


def test_templates_wait_for_their_own_flags_in_order() -> None:
    within = ("template", V, MTE3)
    joins = [event(kind, pipe, within) for kind, pipe in ((Kind.SET, V), (Kind.WAIT, MTE3))]
    late = [event(Kind.WAIT, MTE3, (MTE2, MTE3, 0)), *joins, *joins]
    outcome = Engine([Program([*late, event(Kind.SET, MTE2, (MTE2, MTE3, 0))])], cross=False).run()
    assert not (outcome.doubled or outcome.stuck or outcome.left)


def test_flags_of_templates_are_no_ids_of_the_authors() -> None:
    """Ids 1 and 2 do not agree: the wait has the one that nobody else uses."""
    uses = {
        kind: Uses.of(
            Program([event(kind, V, (V, MTE3, own)), *(event(kind, V, flag) for flag in others)]),
            kind,
        )
        for kind, own, others in (
            (Kind.SET, 1, [(MTE2, V, 1)]),
            (Kind.WAIT, 2, [(MTE2, V, 1), *[("template", at, 2) for at in range(5)]]),
        )
    }
    odd = odd_id((V, MTE3, 2), [(V, MTE3, 1)], uses[Kind.SET], uses[Kind.WAIT])
    assert odd is not None
    assert odd.flag == (V, MTE3, 2)


TEXT = """import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64,), "float32"), N: T.Tensor((4,), "int32"), Y: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((64,), "float32")
        with T.Scope("V"):
            T.copy(X[0], x)
            T.set_flag("mte2", "v", 0)
            T.wait_flag("mte2", "v", 0)
            if N[0] CONDITION:
                T.tile.exp(x, x)
            T.set_flag("v", "mte3", 0)
            T.wait_flag("v", "mte3", 0)
            T.copy(x, Y[0])
"""


@pytest.mark.parametrize(("condition", "ways"), [(">= 0", 1), ("> 0", 2), (">= 0 and cid == 0", 1)])
def test_an_execution_that_repeats_an_earlier_one_is_left_out(condition: str, ways: int) -> None:
    found, *_ = execute(lowered(condition)).places
    assert len(found.programs) == ways


def test_executions_leave_nothing_to_the_collector() -> None:
    """It would stop in the middle of a later analysis."""
    kernel = lowered("> 0")
    execute(kernel)
    gc.collect()
    execute(kernel)
    assert gc.collect() == 0


def lowered(condition: str) -> Kernel:
    files, path = Files(), "/case/kernel.py"
    files.set_text(path, TEXT.replace("CONDITION", condition))
    (report,) = Checker(files).check(path, options_for(path, "A3")).kernels
    assert report.lowered is not None
    return report.lowered
