"""Reading what AscendNPU IR made of a kernel, and comparing it with ours. The tool itself is not run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.optional.npu_ir import ours
from tests.optional.npu_ir.__main__ import KERNELS, _orders
from tests.optional.npu_ir.clocks import Clocks, Work
from tests.optional.npu_ir.hivm import Text
from tests.optional.npu_ir.theirs import Theirs

from tl_ascend.driver.check import Checker, CheckOptions, KernelReport
from tl_ascend.driver.files import Files
from tl_ascend.source.span import Span

# In the manner of what the tool writes: a tile in two halves, one flag for each.
PLANNED = """#map = affine_map<()[s0] -> (s0 mod 2)>
func.func @kernel(%arg0: memref<16xf32, #hivm.address_space<gm>>) attributes {hacc.entry} {
%c0_i64 = arith.constant 0 : i64
%c64_i64 = arith.constant 64 : i64
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID1>]
scf.for %arg2 = %c0 to %c4 step %c1 {
  %0 = affine.apply #map()[%arg2]
  %1 = arith.index_cast %0 : index to i64
  %2 = hivm.hir.pointer_cast(%c0_i64, %c64_i64) : memref<16xf32, #hivm.address_space<ub>>
  hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE2>, %1]
  hivm.hir.load ins(%arg0 : memref<16xf32>) outs(%2 : memref<16xf32, #hivm.address_space<ub>>)
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
  hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
  hivm.hir.vexp ins(%2 : memref<16xf32>) outs(%2 : memref<16xf32, #hivm.address_space<ub>>)
  hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE2>, %1]
}
hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID1>]
return
}
"""
REPORTS = [
    report for report in Checker(Files()).check(str(KERNELS), CheckOptions(upstream="none")).kernels
]


def open_pairs(clocks: Clocks) -> list[tuple[int, int]]:
    """Pieces of work that touch the same bytes and are not ordered."""
    work = clocks.work
    return [
        (at, earlier)
        for at in range(len(work))
        for earlier in range(at)
        if work[at].meets(work[earlier]) and not work[at].after(work[earlier])
    ]


def test_a_run_of_theirs() -> None:
    run = Theirs(PLANNED)
    assert run.peak == 128
    assert [work.key for work in run.clocks.work] == [(n, i) for i in range(4) for n in (0, 1)]
    assert run.clocks.work[2].writes == ((64, 128),)
    assert (run.clocks.pairs, run.clocks.barriers) == (10, 0)
    assert open_pairs(run.clocks) == []


@pytest.mark.parametrize("pair", ["<PIPE_MTE2>, <PIPE_V>", "<PIPE_V>, <PIPE_MTE2>"])
def test_a_missing_pair_leaves_an_order_open(pair: str) -> None:
    lines = [line for line in PLANNED.splitlines() if pair not in line]
    assert open_pairs(Theirs("\n".join(lines)).clocks)


def test_what_is_not_known_is_not_passed_over() -> None:
    with pytest.raises(AssertionError, match="what is this"):
        Theirs(PLANNED.replace("return", "hivm.hir.unheard_of"))


@pytest.mark.parametrize("report", REPORTS, ids=lambda r: f"{r.factory}-{r.instance}")
def test_each_kernel_can_be_compared(report: KernelReport) -> None:
    assert report.lowered is not None
    plain = ours.before(report)
    text = Text(plain, ours.turns(report.lowered, plain)).write()
    run = ours.run(report.lowered)
    assert run.problems == [] and open_pairs(run.told) == []
    assert {work.key[0] for work in run.told.work} == set(text.calls)


def test_the_least_memory_is_the_least() -> None:
    report = REPORTS[0]
    least = ours.least(report)
    assert ours.within(report, least) is not None and ours.within(report, least - 32) is None


def test_an_order_that_ours_leaves_open_is_told() -> None:
    report = REPORTS[0]
    assert report.lowered is not None
    plain = ours.before(report)
    calls = Text(plain, {}).write().calls
    kept = ours.run(report.lowered).told
    loose = Clocks(issued=kept.issued, work=[work_alone(work) for work in kept.work])
    other = Clocks(work=[renamed(work, calls) for work in kept.work])
    count, missing = _orders(kept, other, calls)
    assert count and missing == []
    assert len(_orders(loose, other, calls)[1]) == count


def work_alone(work: Work) -> Work:
    """The same work, knowing of nothing before it."""
    return replace(work, known={})


def renamed(work: Work, calls: list[Span]) -> Work:
    """The same work under the number of its call."""
    return replace(work, key=(calls.index(work.key[0]), work.key[1]))  # type: ignore[arg-type]
