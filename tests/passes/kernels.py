"""Kernels that several tests lower, and helpers to look at the result."""

from __future__ import annotations

from typing import Any

from tests.harness.stages import lower_verified

from tl_ascend.diagnostics.report import Finding
from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.fold import binary, compare
from tl_ascend.ir.nodes import Buffer, Kernel
from tl_ascend.ir.storage import buffers
from tl_ascend.passes.context import LowerOptions


def times(a: Any, b: Any) -> Any:
    return binary("*", a, b)


def plus(a: Any, b: Any) -> Any:
    return binary("+", a, b)


def lowered(kernel: Kernel, **options: Any) -> tuple[Kernel, list[Finding]]:
    """The kernel after all stages, each of them checked."""
    result, findings, problems = lower_verified(kernel, LowerOptions(**options))
    assert problems == []
    return result, findings


def gemm(
    m: int = 1024,
    n: int = 1024,
    k: int = 1024,
    block: tuple[int, int, int] = (128, 256, 64),
    explicit: bool = True,
    **configs: bool,
) -> Kernel:
    b = KernelBuilder()
    bm, bn, bk = block
    a_gm, b_gm = b.tensor("A", (m, k), "float16"), b.tensor("B", (k, n), "float16")
    c_gm = b.tensor("C", (m, n), "float16")
    cid, _ = b.launch((m // bm) * (n // bn))
    bx, by = b.let("bx", binary("//", cid, n // bn)), b.let("by", binary("%", cid, n // bn))
    scopes = ("L1", "L0C") if explicit else ("shared", "fragment")
    a_l1 = b.alloc("A_L1", (bm, bk), "float16", scopes[0])
    b_l1 = b.alloc("B_L1", (bk, bn), "float16", scopes[0])
    c_l0 = b.alloc("C_L0", (bm, bn), "float32", scopes[1])
    with b.loop("k", k // bk) as step:
        b.op("copy", b.at(a_gm, times(bx, bm), times(step, bk)), a_l1)
        b.op("copy", b.at(b_gm, times(step, bk), times(by, bn)), b_l1)
        b.op("gemm_v0", a_l1, b_l1, c_l0, init=compare("==", step, 0))
    b.op("copy", c_l0, b.at(c_gm, times(bx, bm), times(by, bn)))
    return b.build(out=(-1,), **configs)


def silu(**configs: bool) -> Kernel:
    b = KernelBuilder()
    a_gm, b_gm = b.tensor("A", (256, 256), "float32"), b.tensor("B", (256, 256), "float32")
    cid, vid = b.launch(16)
    row = plus(times(binary("//", cid, 4), 64), times(vid, 32))
    column = times(binary("%", cid, 4), 64)
    a, out, denominator, zero = (
        b.alloc(name, (32, 64), "float32", "shared") for name in ("a", "out", "denom", "zero")
    )
    b.op("copy", b.at(a_gm, row, column), a)
    b.op("tile.fill", zero, 0.0)
    b.op("tile.sub", denominator, zero, a)
    b.op("tile.exp", denominator, denominator)
    b.op("tile.add", denominator, denominator, 1.0)
    b.op("tile.div", out, a, denominator)
    b.op("copy", out, b.at(b_gm, row, column))
    return b.build(out=(1,), **configs)


def online_softmax(**configs: bool) -> Kernel:
    b = KernelBuilder()
    a_gm, b_gm = b.tensor("A", (34, 130), "float32"), b.tensor("B", (34, 130), "float32")
    cid, vid = b.launch(2)
    row = plus(times(cid, 32), times(vid, 16))
    tile = b.alloc("a", (16, 32), "float32", "UB")
    top, high, total = (b.alloc(n, (16, 1), "float32", "UB") for n in ("top", "high", "total"))
    wide = b.alloc("wide", (16, 32), "float32", "UB")
    b.op("tile.fill", high, -1e30)
    with b.loop("by", 5) as by:
        b.op("copy", b.part(a_gm, (row, 16), (times(by, 32), 32)), tile, pad_value=-1e30)
        b.op("reduce_max", tile, top)
        b.op("tile.max", high, high, top)
    b.op("tile.broadcast", wide, high)
    with b.loop("by", 5) as by:
        b.op("copy", b.part(a_gm, (row, 16), (times(by, 32), 32)), tile)
        b.op("tile.sub", tile, tile, wide)
        b.op("tile.exp", tile, tile)
        b.op("reduce_sum", tile, total)
        b.op("copy", tile, b.part(b_gm, (row, 16), (times(by, 32), 32)))
    return b.build(out=(1,), **configs)


def named(kernel: Kernel, name: str) -> Buffer:
    found = [b for b in (*buffers(kernel), *kernel.tensors) if b.name == name]
    return found[0]


def address(kernel: Kernel, name: str) -> int | None:
    return kernel.place(named(kernel, name)).address


def memory(kernel: Kernel, name: str) -> str:
    return kernel.place(named(kernel, name)).memory.value
