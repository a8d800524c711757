"""What cannot be said in Ascend C is a finding at the statement, never a program."""

from __future__ import annotations

import pytest
from tests.emit import support

from tl_ascend.backends import registry
from tl_ascend.driver.check import Checker, CheckOptions
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.driver.files import Files
from tl_ascend.ops.row import Op
from tl_ascend.ops.table import TABLE
from tl_ascend.ops.values import BIT_OPERATORS

UB = "a = T.alloc_ub((64, 64), 'float')\nb = T.alloc_ub((64, 64), 'float')\n"

CASES = {
    "element of L1": (
        "a = T.alloc_L1((64, 64), 'float16')\nb = T.alloc_ub((64,), 'float16')\nb[0] = a[0, 0]",
        "not-lowered",
        "scalar unit",
    ),
    "exponential of a scalar": (UB + "a[0, 0] = T.exp(b[0, 0])", "not-lowered", "T.exp"),
    "bfloat16 addition": (
        "a = T.alloc_ub((64,), 'bfloat16')\nT.tile.add(a, a, a)",
        "dtype-unsupported",
        "bfloat16",
    ),
    "two types": (
        "a = T.alloc_ub((64,), 'float16')\nb = T.alloc_ub((64,), 'float')\nT.tile.add(a, a, b)",
        "dtype-unsupported",
        "does not convert",
    ),
    "mask of floats": (
        "a = T.alloc_ub((64,), 'float')\nb = T.alloc_ub((64,), 'float')\n"
        "T.tile.fill(a, 1.0)\nT.tile.compare(b, a, a, 'LT')",
        "dtype-unsupported",
        "b holds float32: on A3 dst of T.tile.compare takes int8, uint8",
    ),
    "sum that is narrower": (
        "a = T.alloc_ub((64,), 'float16')\nb = T.alloc_ub((64,), 'float')\n"
        "T.tile.fill(a, 1.0)\nT.tile.fill(b, 1.0)\nT.tile.axpy(a, b, 2.0)",
        "dtype-unsupported",
        "a holds float16 and b float32: T.tile.axpy does not convert",
    ),
    "copy that would convert": (
        "a = T.alloc_ub((64, 64), 'float16')\nT.copy(x, a)",
        "dtype-unsupported",
        "does not convert",
    ),
    "conversion that the unit has not": (
        "a = T.alloc_ub((64,), 'float')\nb = T.alloc_ub((64,), 'int8')\n"
        "T.tile.cast(b, a, 'CAST_RINT', 64)",
        "dtype-unsupported",
        "no such conversion",
    ),
    "copy that the unit cannot convert": (
        "a = T.alloc_ub((64,), 'bfloat16')\nb = T.alloc_ub((64,), 'float16')\nT.copy(a, b)",
        "dtype-unsupported",
        "no such conversion",
    ),
    "rounding that the unit has not": (
        "a = T.alloc_ub((64,), 'float16')\nb = T.alloc_ub((64,), 'float')\n"
        "T.tile.cast(b, a, 'CAST_RINT', 64)",
        "cast-mode",
        "CAST_NONE only",
    ),
    "integer division by a scalar": (
        "a = T.alloc_ub((64,), 'int32')\nT.tile.div(a, a, 3)",
        "dtype-unsupported",
        "int32",
    ),
    "rows that a reduction does not find": (
        "a = T.alloc_ub((8, 9), 'float')\nm = T.alloc_ub((8,), 'float')\n"
        "T.tile.fill(a, 2.0)\nT.reduce_max(a, m)",
        "vector-align",
        "64 bytes apart",
    ),
    "meeting of cube cores": (
        "with T.Scope('C'):\n    T.sync_all()",
        "not-lowered",
        "cube cores alone",
    ),
    "unknown pipe": ("T.pipe_barrier('vector')", "kernel-form", "no pipe"),
    "unknown event": ("T.set_flag('m', 'v2', 0)", "kernel-form", "no pipe"),
    "impossible event": (
        "T.set_flag('mte1', 's', 0)\nT.wait_flag('mte1', 's', 0)",
        "kernel-form",
        "MTE1 to S",
    ),
    "relu on the way in": (UB + "T.copy(x, a, enable_relu=True)", "not-lowered", "enable_relu"),
    "size of the tile": (
        "n = x[0, 0]\na = T.alloc_ub((64, 64), 'float')\nT.copy(x[0:64, 0:cid + 1], a[:, 0:cid + 1])",
        "dynamic-shape",
        "known when the kernel is compiled",
    ),
    "half of the fractals": (
        "a = T.alloc_L1((64, 64), 'float16')\nc = T.alloc_L0C((32, 64), 'float')\n"
        "T.gemm_v0(a[0:32, :], a, c, init=True)",
        "not-lowered",
        "cut out of a larger tile",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_refused(name: str) -> None:
    body, finding, words = CASES[name]
    outcome = support.of_text(support.kernel(body))
    assert outcome.emitted is None
    told = [(f.name, f.message) for f in outcome.blockers]
    assert any(kind == finding and words in message for kind, message in told), told


def test_a_product_beyond_the_rows_of_an_operand_is_refused_on_pto() -> None:
    body = (
        "a = T.alloc_L1((24, 16), 'float32')\nb = T.alloc_L1((16, 24), 'float32')\n"
        "c = T.alloc_L0C((16, 16), 'float32')\nwith T.Scope('C'):\n"
        "    T.copy(x[0:24, 0:16], a)\n    T.copy(x[0:16, 0:24], b)\n    T.barrier_all()\n"
        "    T.gemm_v0(a, b, c, transpose_A=True, transpose_B=True, init=True)"
    )
    (kernel,) = support.report("case.py", support.kernel(body)).kernels
    (found,) = emit_kernel(kernel, registry.backend("pto")).blockers
    assert "K is 24: route pto walks 32, and the rows of b" in found.message
    assert emit_kernel(kernel, registry.backend("ascendc")).emitted is not None


def test_all_refusals_are_told() -> None:
    body = UB + "a[0, 0] = T.exp(b[0, 0])\na[0, 1] = T.sin(b[0, 0])"
    outcome = support.of_text(support.kernel(body))
    assert len(outcome.blockers) == 2


@pytest.mark.parametrize(
    ("body", "at"),
    [
        (UB + "T.barrier_all()\nT.pipe_barrier('vector')", "'vector')"),
        (UB + "a[0, 0] = T.exp(b[0, 0])", "T.exp(b[0, 0])"),
    ],
)
def test_a_refusal_stands_at_its_cause(body: str, at: str) -> None:
    text = support.kernel(body)
    files = Files()
    files.set_text("case.py", text)
    report = Checker(files).check("case.py", CheckOptions())
    (outcome,) = support.outcomes("case.py", text)
    place = report.range_of(outcome.blockers[0].span)
    row = next(n for n, line in enumerate(text.splitlines(), 1) if at in line)
    assert (place.start.row, text.splitlines()[row - 1][place.start.column :]) == (row, at)


@pytest.mark.parametrize(
    ("name", "way"), [("exp", "T.tile.exp"), ("log", "T.tile.ln"), ("erf", "pow")]
)
def test_a_function_of_a_scalar_has_a_way_out(name: str, way: str) -> None:
    outcome = support.of_text(support.kernel(UB + f"a[0, 0] = T.{name}(b[0, 0])"))
    assert way in " ".join(outcome.blockers[0].notes)


FUNCTIONS = [
    row for row in TABLE.values() if row.kind == "value" and row.params[0].name in ("x", "x1")
]


@pytest.mark.parametrize("route", ["ascendc", "pto"])
@pytest.mark.parametrize("row", FUNCTIONS, ids=lambda row: row.name)
def test_functions_of_scalars_are_written_or_refused_as_their_rows_say(row: Op, route: str) -> None:
    whole = row.name in ("popcount", "clz", "bitwise_not", *BIT_OPERATORS)
    operand = "c[0, 0]" if whole else "b[0, 0]"
    more = ", 2" * (len(row.params) - 1)
    body = f'c = T.alloc_ub((64, 64), "int32")\n{UB}T.barrier_all()\n'
    body += (
        f"if vid == 0:\n    a[0, 0] = T.if_then_else(T.{row.name}({operand}{more}) > 0, 1.0, 2.0)"
    )
    (kernel,) = support.report("case.py", support.kernel(body)).kernels
    outcome = emit_kernel(kernel, registry.backend(route))
    assert (outcome.emitted is None) == bool(row.unwritten)
    assert all(f"T.{row.name} of a scalar: {row.unwritten}" == f.message for f in outcome.blockers)


def test_bits_of_what_is_no_integer() -> None:
    outcome = support.of_text(support.kernel(UB + "a[0, 0] = T.clz(b[0, 0])"))
    assert "T.clz of float32: it counts bits of integers" in outcome.blockers[0].message
    assert "T.reinterpret" in outcome.blockers[0].notes[0]


def test_a_size_that_no_tensor_has() -> None:
    text = (
        support.HEAD + 'n = T.symbolic("n")\n\n@T.prim_func\n'
        'def main(x: T.Tensor((2 * n,), "float")):\n'
        "    with T.Kernel(n, is_npu=True) as (cid, vid):\n        T.barrier_all()\n"
    )
    outcome = support.of_text(text)
    assert outcome.emitted is None
    assert outcome.blockers[0].name == "dynamic-shape"


def test_a_kernel_that_is_not_known_whole() -> None:
    outcome = support.of_text(support.kernel("T.tile.no_such_thing(x)"))
    assert outcome.emitted is None
    assert outcome.blockers[0].name == "not-lowered"


def test_out_idx_concerns_only_the_caller() -> None:
    text = (
        support.HEAD + "@tilelang.jit(out_idx=[0])\ndef build():\n    @T.prim_func\n"
        '    def main(x: T.Tensor((64,), "float"), y: T.Tensor((64,), "float")):\n'
        "        with T.Kernel(1, is_npu=True) as (cid, vid):\n"
        '            a = T.alloc_ub((64,), "float")\n'
        "            T.copy(x, a)\n            T.barrier_all()\n            T.copy(a, y)\n"
        "    return main\n\nbuild()\n"
    )
    support.emitted(support.of_text(text))
