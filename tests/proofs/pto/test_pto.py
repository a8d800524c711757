"""A share of the proofs that every run makes: our examples, and operations against numbers."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.emit import support
from tests.proofs.pto import build, kernels
from tests.proofs.pto.compare import AGREED, UPSTREAM, prove, prove_together
from tests.proofs.pto.wheel import headers

from tl_ascend.backends import registry
from tl_ascend.driver.check import KernelReport
from tl_ascend.driver.emit import emit_kernel

# Few of those of tests/emit: a program takes seconds to compile.
CHOSEN = (
    *("arithmetic", "collecting", "divisions", "elements", "narrow", "pieces"),
    *(
        "filled_tiles",
        "parts_of_tiles",
        "products",
        "repeats",
        "rows",
        "scalar_functions",
        "sorting",
    ),
    *("swizzled", "waves", "whole_numbers"),
)


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> build.Tools:
    if not shutil.which("g++"):
        pytest.skip("needs g++")
    found = headers()
    if isinstance(found, str):
        pytest.skip(found)
    return build.prepared(tmp_path_factory.mktemp("tools"), found)


EXAMPLES = dict(kernels.examples())
KERNELS = {
    name: kernel
    for name, kernel in kernels.emitted()
    if name in [f"tests/emit/pto/{stem}.py" for stem in CHOSEN]
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_agree_with_upstreams_header(
    name: str, tools: build.Tools, tmp_path: Path
) -> None:
    _agrees(tools, tmp_path, name, EXAMPLES[name], "upstream")


@pytest.mark.parametrize("name", KERNELS)
def test_operations_agree_with_our_header(name: str, tools: build.Tools, tmp_path: Path) -> None:
    _agrees(tools, tmp_path, name, KERNELS[name], "ours")


def _agrees(tools: build.Tools, folder: Path, name: str, report: KernelReport, header: str) -> None:
    verdict = prove(tools, folder, name, report, only=header)
    assert verdict.kind == AGREED, str(verdict)


def test_transfers_to_other_processing_elements(tools: build.Tools, tmp_path: Path) -> None:
    """Which are not evaluated: in a group whose elements have one memory they are plain copies."""
    (report,) = kernels.reports(str(support.HERE / "pto" / "remote.py"))
    program = support.emitted(emit_kernel(report, registry.backend("pto")))
    x = np.arange(64, dtype=np.float32)
    built = build.build(tools, tmp_path, program, tools.headers.templates)
    _, y, z = build.run(built, 1, 1, [x, np.zeros_like(x), np.zeros_like(x)])
    assert np.array_equal(y, np.where(x < 50, x, 0))
    assert np.array_equal(z, np.concatenate([x[:40], x[:24]]))


def test_files_give_an_instance_of_each_of_their_kernels() -> None:
    paths = [str(support.PTO_KERNELS[0]), str(kernels.EXAMPLES / "gemm.py")]
    found = list(kernels.of_files(paths))
    assert [name.split()[0] for name, _ in found] == paths
    assert all(report.status == "checked" for _, report in found)


RAGGED = """
import tilelang
import tilelang.language as T


def ragged(K):
    @T.prim_func
    def main(
        x: T.Tensor((32, K), "float16"),
        z: T.Tensor((K, 32), "float16"),
        y: T.Tensor((32, 32), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((32, K), "float16")
            b = T.alloc_L1((K, 32), "float16")
            c = T.alloc_L0C((32, 32), "float")
            with T.Scope("C"):
                T.copy(x, a)
                T.copy(z, b)
                T.barrier_all()
                T.gemm_v0(a, b, c, init=True)
                T.barrier_all()
                T.copy(c, y)

    return main


ragged(208)
ragged(256)
ragged(80)
"""


def test_a_known_fault_of_upstreams_header_is_no_agreement(
    tools: build.Tools, tmp_path: Path
) -> None:
    """Ours is right; where upstream's is not, nobody says that both agree."""
    reports = [(kernel.instance, kernel) for kernel in kernels.reports("case.py", RAGGED)]
    found = list(prove_together(tools, tmp_path / "together", reports))
    assert [verdict.kind for verdict in found] == [UPSTREAM, AGREED, AGREED], list(map(str, found))
    assert found[0].headers == ("ours",) and "not from 128" in found[0].reason
    assert prove(tools, tmp_path / "alone", *reports[0]).kind == UPSTREAM
    assert prove(tools, tmp_path / "ours", *reports[0], only="ours").kind == AGREED


def test_a_wrong_program_is_seen(tools: build.Tools, tmp_path: Path) -> None:
    """The comparison can fail."""
    text = """
import tilelang
import tilelang.language as T


@T.prim_func
def main(x: T.Tensor((64,), "float32"), y: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        with T.Scope("V"):
            T.copy(x, a)
            T.barrier_all()
            T.tile.add(a, a, 1.0)
            T.copy(a, y)
"""
    (report,) = kernels.reports("case.py", text)
    program = build.device_part
    build.device_part = lambda emitted: program(emitted).replace("1.0f", "2.0f")  # type: ignore[assignment]
    try:
        verdict = prove(tools, tmp_path, "wrong", report, only="ours")
    finally:
        build.device_part = program
    assert "64 elements, the first at [0]" in verdict.reason
