"""Which memory the compiler chooses, and what it says about it."""

from __future__ import annotations

from tests.passes.kernels import gemm, lowered, memory, named, plus

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ir.build import KernelBuilder, load


def test_matrix_operands_decide_shared_and_fragment() -> None:
    kernel, findings = lowered(gemm(explicit=False, combine=True))
    assert [memory(kernel, n) for n in ("A_L1", "B_L1", "C_L0")] == ["L1", "L1", "L0C"]
    assert kernel.place(named(kernel, "A_L1")).scope_reason == "operand A of T.gemm_v0"
    assert findings == []


def test_mma_operands_go_to_l0_and_feed_from_l1() -> None:
    b = KernelBuilder()
    a_gm = b.tensor("A", (64, 64), "float16")
    b.launch(1)
    tile = b.alloc("tile", (64, 64), "float16", "shared")
    left = b.alloc("left", (64, 64), "float16", "fragment")
    right = b.alloc("right", (64, 64), "float16", "fragment")
    total = b.alloc("total", (64, 64), "float32", "fragment")
    b.op("copy", a_gm, tile)
    b.op("copy", tile, left)
    b.op("copy", tile, right)
    b.op("mma", left, right, total, init=True)
    kernel, _ = lowered(b.build())
    found = [memory(kernel, n) for n in ("tile", "left", "right", "total")]
    assert found == ["L1", "L0A", "L0B", "L0C"]
    assert "only L1 can feed" in kernel.place(tile).scope_reason


def test_only_copied_tiles_lie_in_the_ub() -> None:
    b = KernelBuilder()
    a_gm, b_gm = b.tensor("A", (64,), "float32"), b.tensor("B", (64,), "float32")
    b.launch(1)
    tile = b.alloc("tile", (64,), "float32", "shared")
    b.op("copy", a_gm, tile)
    b.op("copy", tile, b_gm)
    kernel, findings = lowered(b.build())
    assert memory(kernel, "tile") == "UB" and findings == []


def test_element_accesses_count_although_upstream_ignores_them() -> None:
    b = KernelBuilder()
    b.tensor("A", (64,), "float32")
    b.launch(1)
    tile = b.alloc("tile", (64,), "float32", "shared")
    with b.loop("i", 64) as i:
        b.store(tile, (i,), plus(load(tile, i), 1.0))
    kernel, findings = lowered(b.build())
    assert memory(kernel, "tile") == "UB"
    assert [f.name for f in findings] == ["scope-conflict"]
    assert "upstream's compiler puts it in L1" in findings[0].message
    assert lowered(b.build(), upstream="none")[1] == []


def test_a_tile_of_both_cores_is_a_conflict() -> None:
    b = KernelBuilder()
    b.launch(1)
    x = b.alloc("x", (64, 64), "float16", "shared")
    y = b.alloc("y", (64, 64), "float16", "shared")
    z = b.alloc("z", (64, 64), "float32", "fragment")
    b.op("gemm_v0", x, y, z, init=True)
    add = b.op("tile.add", x, x, 1.0)
    _, findings = lowered(b.build())
    (conflict,) = [f for f in findings if f.name == "scope-conflict"]
    assert conflict.span == add.args[0].span  # type: ignore[union-attr]
    assert "x is operand A of T.gemm_v0" in conflict.message and "L1" in conflict.message
    assert conflict.level is Severity.ERROR
