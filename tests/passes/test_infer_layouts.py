"""The order of elements in each memory."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from tests.passes.kernels import gemm, lowered, named, silu

from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.nodes import Kernel


def layout(kernel: Kernel, name: str) -> str:
    return kernel.place(named(kernel, name)).layout


def test_l1_and_l0c_hold_fractals_and_the_ub_rows() -> None:
    kernel, _ = lowered(gemm())
    assert [layout(kernel, n) for n in ("A_L1", "B_L1", "C_L0")] == ["zN", "zN", "zN"]
    kernel, _ = lowered(silu())
    assert layout(kernel, "denom") == "ND"


def test_each_side_of_the_matrix_unit_has_its_own_order() -> None:
    b = KernelBuilder()
    source = b.tensor("A", (64, 64), "float16")
    b.launch(1)
    tile = b.alloc("tile", (64, 64), "float16", "L1")
    left = b.alloc("left", (64, 64), "float16", "L0A")
    right = b.alloc("right", (64, 64), "float16", "L0B")
    total = b.alloc("total", (64, 64), "float32", "L0C")
    b.op("copy", source, tile)
    b.op("copy", tile, left)
    b.op("copy", tile, right)
    b.op("mma", left, right, total, init=True)
    kernel, _ = lowered(b.build())
    assert [layout(kernel, n) for n in ("left", "right")] == ["zZ", "nZ"]


def test_an_annotation_wins_in_l1_only() -> None:
    kernel = gemm()
    uids = {name: named(kernel, name).uid for name in ("A_L1", "C_L0")}
    annotated = MappingProxyType({uid: "nZ" for uid in uids.values()})
    found, _ = lowered(replace(kernel, layouts=annotated))
    assert (layout(found, "A_L1"), layout(found, "C_L0")) == ("nZ", "zN")
