"""Rules of matrix operations."""

from __future__ import annotations

import pytest
from tests.checks.helpers import checked, holds, only

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ir.build import KernelBuilder


def product(
    a: tuple[int, ...] = (64, 64),
    c: tuple[int, ...] = (64, 64),
    b: tuple[int, ...] = (64, 64),
    kinds: tuple[str, str, str] = ("float16", "float16", "float32"),
    **flags: bool,
) -> KernelBuilder:
    k = KernelBuilder()
    x = k.alloc("A_L1", a, kinds[0], "L1")
    y = k.alloc("B_L1", b, kinds[1], "L1")
    z = k.alloc("C_L0", c, kinds[2], "L0C")
    k.op("gemm_v0", x, y, z, init=True, **flags)
    return k


def test_a_right_product_is_silent() -> None:
    assert checked(product()) == []
    right = product((128, 32), (32, 96), (96, 128), transpose_A=True, transpose_B=True)
    assert checked(right) == []
    assert checked(product(kinds=("int8", "int8", "int32"))) == []


def test_operands_in_l0_are_pointed_at() -> None:
    b = KernelBuilder()
    x = b.alloc("A_L0", (64, 64), "float16", "L0A")
    y = b.alloc("B_L1", (64, 64), "float16", "L1")
    z = b.alloc("C_L0", (64, 64), "float32", "L0C")
    op = b.op("gemm_v0", x, y, z, init=True)
    finding = only(b)
    assert finding.name == "gemm-operand" and finding.span == op.spans[0]
    assert holds(finding, "A_L0 lies in L0A", "must lie in L1", "T.mma")


def test_k_must_agree() -> None:
    assert holds(only(product((64, 32))), "K is 32 in A_L1", "64 in B_L1")


def test_m_and_n_are_those_of_c() -> None:
    assert holds(only(product(c=(128, 64))), "M is 64 in A_L1", "128 in C_L0")
    assert holds(only(product(c=(64, 32))), "N is 64 in B_L1", "32 in C_L0")


def test_operands_are_matrices() -> None:
    assert checked(product((1, 64, 64))) == []
    assert holds(only(product((2, 64, 64))), "operand A", "(2, 64, 64)")


@pytest.mark.parametrize(
    ("kinds", "facts"),
    [
        (("float16", "bfloat16", "float32"), ("float16", "bfloat16", "one type")),
        (("float16", "float16", "float16"), ("C_L0 holds float16", "float32")),
        (("int8", "int8", "float32"), ("C_L0 holds float32", "int32")),
    ],
)
def test_types(kinds: tuple[str, str, str], facts: tuple[str, ...]) -> None:
    assert holds(only(product(kinds=kinds)), *facts)


def test_float32_operands_are_a_warning() -> None:
    finding = only(product(kinds=("float32",) * 3))
    assert finding.name == "dtype-unsupported" and finding.level is Severity.WARNING
    assert holds(finding, "float32", "float16, bfloat16 or int8")


def test_wide_n_does_not_fit_l0b() -> None:
    finding = only(product((64, 128), (64, 512), (128, 512)))
    assert finding.name == "l0-overflow" and finding.level is Severity.ERROR
    assert holds(finding, "L0B", "131072", "65536", "N = 512", "at most 256")
    assert checked(product((64, 128), (64, 512), (128, 512)), upstream="none") == []


def test_a_long_k_takes_two_slots() -> None:
    assert checked(product((64, 128), (64, 256), (128, 256))) == []
    assert holds(only(product((64, 256), (64, 256), (256, 256))), "131072", "two slots")
    # K = 160: the second slot holds 32 of K.
    assert holds(only(product((64, 160), (64, 256), (160, 256))), str(256 * 160 * 2))
