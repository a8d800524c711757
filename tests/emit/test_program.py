"""The parts of a program that are not statements: arguments, launch, report, line map."""

from __future__ import annotations

import re

import numpy as np
from tests.emit import support

import tl_ascend
from tl_ascend.backends.manifest import Argument
from tl_ascend.driver.check import Checker, CheckOptions
from tl_ascend.driver.files import Files

ABI = (
    support.HEAD
    + """m, n, k = T.symbolic("m"), T.symbolic("n"), T.symbolic("k")


@T.prim_func
def main(
    first: T.int32,
    a: T.Tensor((m, 2 * n), "float16"),
    scale: T.float32,
    b: T.Tensor((k, n), "float16"),
    wide: T.int64,
    c: T.Tensor((n, m), "float"),
):
    with T.Kernel(T.ceildiv(m, 16) * first, is_npu=True) as (cid, vid):
        T.barrier_all()
"""
)


def test_arguments_in_order() -> None:
    program = support.emitted(support.of_text(ABI))
    assert program.launch.arguments == (
        Argument("first", "scalar", "int"),
        Argument("a_handle", "tensor", "half"),
        Argument("scale", "scalar", "float"),
        Argument("b_handle", "tensor", "half"),
        Argument("wide", "scalar", "int64_t"),
        Argument("c_handle", "tensor", "float"),
        # Each dimension that stands alone in a shape, where it does so first.
        Argument("m", "dimension", "int64_t"),
        Argument("k", "dimension", "int64_t"),
        Argument("n", "dimension", "int64_t"),
    )
    assert program.launch.function == "call"
    assert program.launch.kernel == "main_kernel"
    assert program.launch.blocks == "((m + 16 - 1) / 16 * first)"
    assert program.symbol == "main"


DRAWN = """
import random
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scaled(factor, least):
    @T.prim_func
    def main(A: T.Tensor((64,), "float"), B: T.Tensor((64,), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64,), "float")
            with T.Scope("V"):
                T.copy(A, a)
                T.barrier_all()
                T.tile.mul(a, a, T.cast(factor, "float"))
                T.barrier_all()
                T.tile.max(a, a, least)
                T.barrier_all()
                T.copy(a, B)

    return main


scaled(random.randint(2, 9), random.uniform(-1, 1))
"""


def test_what_the_host_draws_is_an_argument() -> None:
    program = support.emitted(support.of_text(DRAWN))
    assert program.launch.arguments[2:] == (
        Argument("randint", "drawn", "int"),
        Argument("uniform", "drawn", "float"),
    )
    (report,) = support.report("case.py", DRAWN).kernels
    a, b = np.arange(64, dtype=np.float32) - 32, np.zeros(64, np.float32)
    tl_ascend.evaluate(report.kernel, a, b)
    np.testing.assert_array_equal(b, np.maximum(a * 2, 0.5))


def test_signatures_agree() -> None:
    text = support.emitted(support.of_text(ABI)).text
    kernel = re.search(r"void main_kernel\((.*)\) \{", text)
    call = re.search(r"void call\((.*)\) \{", text)
    assert kernel is not None and call is not None
    device = [p.split()[-1] for p in kernel[1].split(", ")]
    host = [p.split()[-1] for p in call[1].split(", ")]
    assert device[:-1] == host[:-1]
    assert (device[-1], host[-1]) == ("fftsAddr", "stream")
    passed = re.search(r"stream>>>\((.*)\);", text)
    assert passed is not None and passed[1].split(", ") == device


def test_report() -> None:
    program = support.first(support.HERE / "kernels" / "product.py")
    assert program.report == {
        "memory": {"L1": 10240, "L0C": 6144},
        "sync": {
            "set_flag": 0,
            "wait_flag": 0,
            "pipe_barrier": 0,
            "barrier_all": 2,
            "cross_set": 0,
            "cross_wait": 0,
            "sync_all": 0,
        },
        "operations": ["copy_gm_to_l1", "copy_gm_to_l1", "gemm_v0", "copy_l0c_to_gm"],
        "blocks": 4,
    }


def test_report_counts_what_the_text_holds() -> None:
    names = {
        "set_flag": "AscendC::SetFlag<",
        "wait_flag": "AscendC::WaitFlag<",
        "barrier_all": "AscendC::PipeBarrier<PIPE_ALL>",
        "cross_set": "AscendC::CrossCoreSetFlag<",
        "cross_wait": "AscendC::CrossCoreWaitFlag(",
        "sync_all": "AscendC::SyncAll<",
    }
    for path in support.KERNELS:
        program = support.first(path)
        for key, spelled in names.items():
            assert program.sync[key] == program.text.count(spelled), (path.stem, key)
        barriers = program.text.count("AscendC::PipeBarrier<") - program.text.count("<PIPE_ALL>")
        assert program.sync["pipe_barrier"] == barriers, path.stem


def test_line_map() -> None:
    path = support.HERE / "kernels" / "product.py"
    report = Checker(Files()).check(str(path), CheckOptions(upstream="none"))
    program = support.first(path)
    source, lines = path.read_text().splitlines(), program.text.splitlines()
    wanted = {
        "left.SetGlobalBuffer": "left: T.Tensor",
        "GetWithOffset<half>(2048": "T.alloc_L1((tile_m, tile_k)",
        "for (int32_t step": "for step in",
        "(left_l1[0], left[": "T.copy(left[row",
        "gemm_v0<": "T.gemm_v0(",
        "copy_l0c_to_gm<": "T.copy(sums",
    }
    for emitted, written in wanted.items():
        row = next(n for n, line in enumerate(lines, 1) if emitted in line)
        span = program.source_map.span(row)
        assert span is not None, emitted
        place = report.range_of(span)
        assert written in source[place.start.row - 1], (emitted, source[place.start.row - 1])


def test_every_call_is_in_the_line_map() -> None:
    for path in support.KERNELS:
        program = support.first(path)
        mapped = {row for row, _ in program.source_map.lines}
        lines = program.text.splitlines()
        for row, line in enumerate(lines, 1):
            calls = re.search(r"\b(AscendC|tl::ascend)::\w+(<.*>)?\(", line)
            host = "twin::launch" in line
            if calls and not host:
                assert row in mapped, f"{path.stem}:{row}: {line}"
        assert all(1 <= row <= len(lines) for row in mapped)
        assert "\n#include" not in "\n".join(lines[row - 1] for row in mapped)
